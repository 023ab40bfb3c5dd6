/* errorcheck.c - see src/driver/check_status.c: it needs no event of the engine. */
#include "check/core/tool.h"

const struct check_instrument instrument_errorcheck = {.tools = CHECK_ERRORCHECK};
