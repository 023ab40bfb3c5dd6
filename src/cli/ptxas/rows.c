/* rows.c - the options of lockstep-ptxas as a table, for those who read them and who tell of them. */
#include <stddef.h>

#include "cli/ptxas/ptxas.h"

static const struct ptxas_row rows[] = {
#define OPTION(what, name, other, takes, text) {name, other, text, PTXAS_##takes, offsetof(struct ptxas_options, what)},
#include "cli/ptxas/options.def"
};

const struct ptxas_row *ptxas_row(u32 i) { return i < LS_ARRAY_LEN(rows) ? &rows[i] : NULL; }
