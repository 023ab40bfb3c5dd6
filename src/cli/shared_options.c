/* shared_options.c - what options that several commands have do. */
#include "cli/shared_options.h"
#include "cli/said.h"

bool engine_options_set(const struct engine_options *e)
{
    return said_set(&said, SETTING_GPU, e->gpu) && said_set(&said, SETTING_WORKERS, e->workers) &&
           said_set(&said, SETTING_SEED, e->seed) && said_set(&said, SETTING_MEMORY, e->memory) &&
           said_set(&said, SETTING_TIMEOUT, e->timeout);
}
