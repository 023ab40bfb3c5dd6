/* source.h - a file that a person hands to the command line and that has PTX in it: PTX text, a fat binary, or an
 * object, library or program whose .nv_fatbin section holds fat binaries. Read, unpacked and parsed, with everything
 * that is wrong with it as diagnostics under the file's own name. */
#ifndef LS_CLI_SOURCE_H
#define LS_CLI_SOURCE_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "driver/module/fatbin.h"
#include "ptx/ptx.h"

struct cli_source {
    struct image img;
    struct ptx_module **units; /* img.n of them, in the order of img.texts */
    bool whole;                /* the file itself is PTX text: a driver may load it under its own name */
};

/* sm: the compute capability (90) that PTX is chosen for. On failure there is at least one diagnostic and nothing to
 * close. */
enum ls_status cli_source_open(const char *path, u32 sm, struct cli_source *out, struct diag_list *diags);
void cli_source_close(struct cli_source *s);

/* Kernels of all units: how many, the n-th, and its unit. */
u32 cli_source_kernels(const struct cli_source *s);
const struct ptx_func *cli_source_kernel(const struct cli_source *s, u32 n, u32 *unit);

#endif
