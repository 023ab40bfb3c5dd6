/* errorcheck.h - what the files of errorcheck share. Internal. */
#ifndef LS_CHECK_ERRORCHECK_H
#define LS_CHECK_ERRORCHECK_H

#include "base/base.h"

/* Whether the code at these return addresses (of one stack, innermost first) surely does not look at what the call
 * returned. */
bool errorcheck_dropped(const u64 *frames, u32 nframes);

#endif
