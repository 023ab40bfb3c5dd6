/* gate_command.h - what the files of `lockstep gate` share: the command line, read. */
#ifndef LS_CLI_GATE_COMMAND_H
#define LS_CLI_GATE_COMMAND_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/options.h"
#include "cli/shared_options.h"
#include "report/gate/gate.h"

/* Exit statuses: other than those of most commands, since CI asks whether something changed. */
enum { GATE_EXIT_SAME = 0, GATE_EXIT_CHANGED = 1, GATE_EXIT_NOT_DONE = 2 };

enum gate_verb { GATE_RECORD, GATE_CHECK, GATE_UPDATE };

struct gate_command {
    struct arena mem; /* its recovery point is set while the command runs */
    enum gate_verb verb;
    const char *file; /* the baseline */
    /* what is recorded */
    const char *select; /* NULL: all kernels */
    bool strict, no_model;
    struct gate_tolerance tolerance[GATE_METRICS];
    /* how the program runs */
    struct engine_options engine;
    bool unchecked, tell_exit_code;
    char **program; /* its argv; NULL: the baseline's */
    /* what comes out */
    const char *markdown, *junit, *json, *sarif; /* NULL: none */
    bool quiet, told;                            /* told: what differs and does not fail, too */
    VEC(const char *) accepted;                  /* by update; none: all kernels */
    struct check_paths paths;
};

/* Reads the command line; false: the command is over, with *status for the shell. */
bool gate_options_read(struct gate_command *c, int argc, char **argv, int *status);

/* Runs the program (`select` and `model` of `to` say how it is recorded) and fills in what its kernels did. False: it could
 * not be done, which has been said. */
bool gate_run(struct gate_command *c, char **program, struct gate_baseline *to);

/* "clang 19.1.7", "nvcc 13.0.88": what compiled the kernels of a program; NULL: it does not say. */
const char *gate_compiler(struct arena *mem, const char *program);

#endif
