/* cli.h - the command line: one subcommand a file, each with a table of its options (options.h).
 *
 * Exit status: 0 all is well; 1 something is wrong with a kernel (a result, an expectation); 2 the command was not
 * understood; 3 it could not be done (no driver, no memory). */
#ifndef LS_CLI_CLI_H
#define LS_CLI_CLI_H

#include "base/base.h"
#include "base/diag.h"
#include "base/gpu.h"

enum { CLI_OK = 0, CLI_BAD = 1, CLI_USAGE = 2, CLI_TROUBLE = 3 };

/* argv[0] is "lockstep climb" and so on. */
int cli_cc(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_climb(int argc, char **argv);
int cli_gpus(int argc, char **argv);
int cli_launch(int argc, char **argv);
int cli_profile(int argc, char **argv);
int cli_ptx(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_trace(int argc, char **argv);

/* The GPU that LOCKSTEP_GPU names; false when there is none of that name, which is said on stderr. */
bool cli_gpu(struct gpu *out);

/* The diagnostics on stderr. */
void cli_print_diags(const struct diag_list *diags);

#endif
