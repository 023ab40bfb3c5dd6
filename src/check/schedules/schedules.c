/* schedules.c - see src/driver/replay.c: it needs no event of the engine. */
#include "check/core/tool.h"

const struct check_instrument instrument_schedules = {.tools = CHECK_SCHEDULES};
