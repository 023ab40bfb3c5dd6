/* smi.h - nvidia-smi's command line. */
#ifndef LS_CLI_SMI_H
#define LS_CLI_SMI_H

#include "cli/options.h"

/* A field of --query-gpu (smi_fields.def). */
struct smi_field {
    const char *name, *other, *unit;
};
const struct smi_field *smi_field(u32 i); /* NULL: there are no more */

struct smi_query {
    u32 at[64], n; /* fields */
    bool header, units;
};

enum smi_what { SMI_TABLE, SMI_LIST, SMI_LONG, SMI_QUERY };

struct smi_command {
    enum smi_what what;
    struct smi_query query;
    const char *only; /* --id: an index, a UUID or a bus */
    bool csv, version;
};

/* False: the command is over, with that status. */
bool smi_read(struct smi_command *c, int argc, char **argv, int *status);

#endif
