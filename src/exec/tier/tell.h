/* tell.h - what compiled code tells an instrument: the events of traced bodies, from code that has no records at hand.
 * Internal to exec/tier. */
#ifndef LS_EXEC_TIER_TELL_H
#define LS_EXEC_TIER_TELL_H

#include "exec/sched.h"
#include "exec/tier/code.h"

extern const struct tier_tell tier_tells;

/* These warps, a bit each, have come to the barrier of that record, whole. */
void tell_barrier(const struct block *b, u32 warps, u32 record);

#endif
