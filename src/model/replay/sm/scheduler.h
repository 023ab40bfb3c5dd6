/* scheduler.h - which of a scheduler's warps issues next.
 *
 * A scheduler goes on with the warp that issued last; where that has to wait, it takes one of the block that began first, of its warps the one whose last
 * instruction is the oldest. */
#ifndef LS_MODEL_REPLAY_SM_SCHEDULER_H
#define LS_MODEL_REPLAY_SM_SCHEDULER_H

#include "model/replay/sm/sm.h"

/* Places are looked at so many at a time; those that no warp has had stand at INFINITY. */
enum { SCHEDULER_PLACES = 4 };
/* Sets next and best, of the first `places`, a multiple of SCHEDULER_PLACES. */
void scheduler_choose(struct sm_scheduler *c, u32 places);
/* A warp of that block begins: its turn. */
u32 scheduler_turn(struct sm_scheduler *c, u32 block);

#endif
