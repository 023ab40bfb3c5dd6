/* plan.h - which blocks of a launch one SM replays, and what its runs tell of others. Internal to the replay.
 *
 * SM 0 runs the blocks that come to it, the first of every `sms`, or those of them that were recorded (replay_takes). The same SM
 * is run again with another list where one block is to be looked at: alone, or the longest among typical ones. */
#ifndef LS_MODEL_REPLAY_PLAN_H
#define LS_MODEL_REPLAY_PLAN_H

#include "base/arena.h"
#include "model/replay/sm/sm_run.h"

enum { LONG_PERCENT = 103 }; /* of the mean: a block that is looked at on its own */

struct plan {
    u32 active;    /* SMs that work */
    double blocks; /* of an SM, all waves */
    u32 *list;     /* those that are replayed at most */
    u32 n;
};

/* The block with the longest warp among others, if that is longer than theirs. */
struct among {
    bool longer;
    double part;      /* of the launch's blocks, those before it */
    double cycles;    /* from its begin to its end */
    double sm_cycles; /* until the SM ends */
};

static inline const struct replay_block_stream *recorded(const struct replay_launch *l, u32 number)
{
    return &l->blocks[number];
}

struct plan plan_make(struct arena *mem, const struct replay_launch *l);
/* counts: as of struct sm_run. */
void plan_run(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p,
              bool counts, struct sm_run *run);

/* Of the first n blocks of the list: their cost, or (rest) their whole cost by what their streams hold. */
double plan_mean(const struct replay_launch *l, const struct plan *p, u32 n, bool rest);
double plan_mean_longest(const struct replay_launch *l, const struct plan *p);
/* The recorded block that has the longest warp. */
u32 plan_longest(const struct replay_launch *l);

/* all: all of the SM's blocks are replayed. */
struct among plan_among(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p,
                        bool all);
/* When an SM ends that runs it. */
double plan_long_end(const struct among *a, bool all, double typical_cycles);

/* Of what warps wait for, the share of some reasons (stalls.h). */
double plan_share(const struct sm_run *run, const u8 *reasons, u32 n);
double plan_crowded(const struct sm_run *run);
double plan_busy(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, double cycles,
                 double cost);

#endif
