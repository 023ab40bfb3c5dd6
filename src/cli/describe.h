/* describe.h - `lockstep --describe`: all commands with their options as JSON, from their own tables. The manual pages and the
 * shells' completions are made from it (packaging/manual/). */
#ifndef LS_CLI_DESCRIBE_H
#define LS_CLI_DESCRIBE_H

#include <stdio.h>

#include "base/base.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
};

/* The exit status. */
int describe_commands(FILE *out, const struct command *commands, u32 n);

#endif
