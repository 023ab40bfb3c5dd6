/* cli.h - the command line: a file or folder for each subcommand of commands.def, with a table of its options (options.h).
 *
 * Exit status: 0 all is well; 1 something is wrong with a kernel (a result, an expectation); 2 the command was not
 * understood; 3 it could not be done (no driver, no memory). */
#ifndef LS_CLI_CLI_H
#define LS_CLI_CLI_H

#include "base/base.h"
#include "base/diag.h"
#include "base/gpu.h"

enum { CLI_OK = 0, CLI_BAD = 1, CLI_USAGE = 2, CLI_TROUBLE = 3 };

#ifndef LS_VERSION
#define LS_VERSION "0"
#endif

/* cli_climb, cli_cc, ...: argv[0] is "lockstep climb" and so on. */
#define COMMAND(name, about) int cli_##name(int argc, char **argv);
#include "cli/commands.def"

/* The GPU that LOCKSTEP_GPU names; false when there is none of that name, which is said on stderr. */
bool cli_gpu(struct gpu *out);

/* The diagnostics on stderr. */
void cli_print_diags(const struct diag_list *diags);

#endif
