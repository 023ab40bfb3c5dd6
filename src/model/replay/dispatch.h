/* dispatch.h - the blocks of a launch on all SMs, by what each costs: which SM ends last, and when. Internal to the replay.
 *
 * One SM is replayed, and blocks differ: those inside of a Mandelbrot set or of a graph's hubs are long, and the SM that has most of them ends last.
 * Here blocks go to SMs as they do on a GPU: in their order, one to each SM in turn until all are full, then to the SM that has room
 * first. All warps of an SM go on alike, the slower the more there are: how much, the replay says. Warps end
 * in groups (struct replay_size). */
#ifndef LS_MODEL_REPLAY_DISPATCH_H
#define LS_MODEL_REPLAY_DISPATCH_H

#include "base/arena.h"
#include "model/replay/replay.h"

/* Cycles of a warp for a machine instruction. */
struct dispatch_pace {
    double alone, alone_warps; /* of a block that has the SM for itself, of so many warps */
    double more;               /* for each warp that is there beside those */
    double busy;               /* at least, for each warp that is there: what the busiest unit of the SM needs */
    double first;              /* machine instructions that take as long as a block does besides its own */
};

struct dispatched {
    double last, mean; /* when the last SM ends; when those that have blocks do, on average: cycles */
    double warps;      /* of an SM that works, on average */
};

/* n blocks of the launch, in the order in which they begin. */
struct dispatched dispatch(struct arena *mem, const struct replay_launch *l, const struct replay_size *blocks, u64 n,
                           u32 sms, const struct dispatch_pace *pace);

#endif
