/* main.c - finds the subcommand and hands over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/likeness.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/said.h"
#include "exec/bodies/bodies.h"
#include "exec/exec.h"
#include "exec/tier/llvm.h"

static const struct command commands[] = {
#define COMMAND(name, about) {#name, cli_##name, about},
#include "cli/commands.def"
};

void cli_print_diags(const struct diag_list *diags)
{
    char *text = diag_text(diags);
    fputs(text ? text : "lockstep: out of memory\n", stderr);
    ls_free(text);
}

bool cli_gpu(struct gpu *out)
{
    struct diag_list diags;
    diag_init(&diags);
    const bool known = gpu_find(said.gpu, out, &diags) == LS_OK;
    if (!known)
        cli_print_diags(&diags);
    diag_free(&diags);
    return known;
}

static void print_help(FILE *out)
{
    fputs("usage: lockstep COMMAND [OPTION...]\n\n"
          "Lockstep runs CUDA kernels on the CPU and counts what a GPU's profiler counts.\n\n",
          out);
    for (u32 i = 0; i < LS_ARRAY_LEN(commands); i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].about);
    fputs("\n`lockstep COMMAND --help` says more; `lockstep --version` prints the version, and how kernels run here.\n",
          out);
}

/* The levels of the engine, for a report of a problem or of a time. */
static void print_version(void)
{
    char why[LLVM_WHY];
    puts("lockstep " LS_VERSION);
    printf("engine: %s\n", exec_level());
    said_read();
    llvm_choose(said.llvm);
    if (said.tier == TIER_OFF)
        puts("compiled tier: none: it is switched off");
    else if (bodies_isa() == ISA_PORTABLE)
        puts("compiled tier: none: it needs an x86-64-v3 processor");
    else if (llvm_load(why, sizeof why))
        printf("compiled tier: LLVM %s, %s\n", llvm_version(), llvm_file());
    else
        printf("compiled tier: none: %s\n", why);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version();
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--describe") == 0)
        return describe_commands(stdout, commands, LS_ARRAY_LEN(commands));
    for (u32 i = 0; i < LS_ARRAY_LEN(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            static char name[40];
            snprintf(name, sizeof name, "lockstep %s", commands[i].name);
            argv[1] = name;
            if (!said_read())
                return CLI_USAGE;
            return commands[i].run(argc - 1, argv + 1);
        }
    const char *near = NULL;
    for (u32 i = 0; i < LS_ARRAY_LEN(commands); i++)
        likeness_keep(&near, argv[1], commands[i].name);
    fprintf(stderr, "lockstep: there is no command '%s'%s%s%s\n\n", argv[1], near ? "; the nearest is '" : "",
            near ? near : "", near ? "'" : "");
    print_help(stderr);
    return CLI_USAGE;
}
