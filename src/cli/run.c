/* run.c - `lockstep run PROGRAM [ARGUMENT...]`: the program as it is, on Lockstep's device. The process is replaced, so
 * exit code, signals, stdin and stdout are the program's own. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/program.h"

struct run {
    bool unchecked;
    char **program; /* its argv */
};

enum { OPT_NO_CHECK = 256, OPT_MEMORY };

static const struct argp_option options[] = {
    {"gpu", 'g', "NAME", 0, "the GPU to be (`lockstep gpus` lists them), as LOCKSTEP_GPU", 0},
    {"workers", 'w', "N", 0, "threads of a launch, as LOCKSTEP_WORKERS", 0},
    {"seed", 's', "N", 0, "shuffle the order of blocks and warps, as LOCKSTEP_SEED", 0},
    {"memory", OPT_MEMORY, "weak|strong", 0, "the order in which others see stores, as LOCKSTEP_MEMORY", 0},
    {"timeout", 't', "SECONDS", 0, "end a kernel that runs longer, as LOCKSTEP_TIMEOUT", 0},
    {"trace-calls", 'v', NULL, 0, "log each call of the driver, as LOCKSTEP_TRACE=1", 0},
    {"no-check", OPT_NO_CHECK, NULL, 0, "start the program without looking at its file first", 0},
    {0},
};

static void set(const char *variable, const char *value, struct argp_state *state)
{
    if (setenv(variable, value, 1))
        argp_failure(state, CLI_TROUBLE, 0, "out of memory");
}

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct run *r = state->input;
    switch (key) {
    case 'g':
        set("LOCKSTEP_GPU", arg, state);
        return 0;
    case 'w':
        set("LOCKSTEP_WORKERS", arg, state);
        return 0;
    case 's':
        set("LOCKSTEP_SEED", arg, state);
        return 0;
    case 't':
        set("LOCKSTEP_TIMEOUT", arg, state);
        return 0;
    case 'v':
        set("LOCKSTEP_TRACE", "1", state);
        return 0;
    case OPT_MEMORY:
        set("LOCKSTEP_MEMORY", arg, state);
        return 0;
    case OPT_NO_CHECK:
        r->unchecked = true;
        return 0;
    case ARGP_KEY_ARG: /* the program: all that follows is its own */
        r->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    take,
    "PROGRAM [ARGUMENT...]",
    "Runs a CUDA program on Lockstep's device: `nvcc -cudart shared x.cu -o x` or `lockstep "
    "cc x.cu -o x`, then `lockstep run ./x`. Exit code, signals, input and output are the "
    "program's own; 126 and 127 say that it could not be started.",
    NULL,
    NULL,
    NULL};

int cli_run(int argc, char **argv)
{
    struct run r = {0};
    struct program_facts f;
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
    const int status = program_ready(r.program[0], r.unchecked, &f);
    return status ? status : program_exec(&f, r.program);
}
