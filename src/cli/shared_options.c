/* shared_options.c - what options that several commands have do. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/shared_options.h"

static bool set(const char *variable, const char *value) { return !value || setenv(variable, value, 1) == 0; }

bool engine_options_set(const struct engine_options *e)
{
    const bool good = set("LOCKSTEP_GPU", e->gpu) && set("LOCKSTEP_WORKERS", e->workers) &&
                      set("LOCKSTEP_SEED", e->seed) && set("LOCKSTEP_MEMORY", e->memory) &&
                      set("LOCKSTEP_TIMEOUT", e->timeout);
    if (!good)
        fputs("lockstep: out of memory\n", stderr);
    return good;
}
