/* run_command.c - `lockstep run PROGRAM [ARGUMENT...]`: the program as it is, on Lockstep's device. The process is replaced, so
 * exit code, signals, stdin and stdout are the program's own. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "cli/said.h"
#include "cli/shared_options.h"

struct run {
    struct engine_options engine;
    bool trace, unchecked;
    char **program; /* its argv */
};

#define TO(member) .at = OPTION_AT(struct run, member)

static const struct option_row rows[] = {
    ROW_GPU(TO(engine.gpu), 'g'),
    ROW_WORKERS(TO(engine.workers), 'w', ""),
    ROW_SEED(TO(engine.seed), 's'),
    ROW_MEMORY(TO(engine.memory)),
    ROW_TIMEOUT(TO(engine.timeout), 't', ""),
    OPTION(FLAG, "trace-calls", NULL, "Log each call of the driver, as LOCKSTEP_TRACE=1", TO(trace), .letter = 'v'),
    ROW_NO_CHECK(TO(unchecked)),
};

static void finish(struct option_reader *o)
{
    const struct run *r = o->into;
    if (!r->program)
        option_wrong(o, "which program?");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "PROGRAM [ARGUMENT...]",
    .about = "Runs a CUDA program on Lockstep's device: `nvcc -cudart shared x.cu -o x` or `lockstep "
             "cc x.cu -o x`, then `lockstep run ./x`. Exit code, signals, input and output are the "
             "program's own; 126 and 127 say that it could not be started.",
    .program = OPTION_AT(struct run, program),
    .finish = finish,
};

int cli_run(int argc, char **argv)
{
    struct run r = {0};
    struct program_facts f;
    int status;
    if (!options_read(&table, &r, argc, argv, &status))
        return status;
    if (!engine_options_set(&r.engine) || !said_set(&said, SETTING_TRACE, r.trace ? "1" : NULL) || !said_export(&said))
        return CLI_TROUBLE;
    status = program_ready(r.program[0], r.unchecked, &f);
    return status ? status : program_exec(&f, r.program);
}
