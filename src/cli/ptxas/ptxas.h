/* ptxas.h - lockstep-ptxas: a program for compilers that insist on running ptxas and load what it writes. The PTX is parsed,
 * verified and put into an object (driver/module/ptx_object.h) that Lockstep's driver loads; no machine code is made.
 *
 * Messages have ptxas's form, for those that read them: "ptxas info    : ...", "ptxas FILE, line N; error   : ...". */
#ifndef LS_CLI_PTXAS_H
#define LS_CLI_PTXAS_H

#include "base/base.h"

/* A flag is NULL or not. */
struct ptxas_options {
    const char *gpu_name, *output, *input_text, *machine, *file;
    const char *verbose, *compile_only, *no_warnings, *werror, *warn_spills, *warn_local, *version, *help;
    const char *none; /* of options that change nothing */
    u32 elf_flags;    /* the GPU */
};

/* ---- rows.c: the rows of options.def ---- */

enum ptxas_takes { PTXAS_FLAG, PTXAS_VALUE, PTXAS_GLUED, PTXAS_BOOL };

struct ptxas_row {
    const char *name, *other, *text; /* text "": it changes nothing */
    enum ptxas_takes takes;
    size_t at; /* in struct ptxas_options */
};
const struct ptxas_row *ptxas_row(u32 i); /* NULL: there are no more */

#define PTXAS_ABOUT                                                                                                    \
    "Checks the PTX of FILE and puts it into an object that Lockstep's driver loads. It stands in for ptxas."

/* ---- the program ---- */

enum { PTXAS_OK = 0, PTXAS_FAILED = 255 };

/* A line "ptxas fatal   : ..."; returns false. */
bool ptxas_fatal(const char *fmt, ...) LS_PRINTF(1, 2);

/* False: told. */
bool ptxas_options_read(struct ptxas_options *o, int argc, char **argv);
void ptxas_help(void);
/* "sm_90a" as e_flags of an object; 0: it is no GPU's name. */
u32 ptxas_gpu(const char *name);

/* False: told. `comment` says how the object was made. */
bool ptxas_write(const struct ptxas_options *o, const char *text, size_t len, const char *comment);

#endif
