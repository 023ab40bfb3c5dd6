/* sm_run.h - an SM runs a list of blocks. */
#ifndef LS_MODEL_REPLAY_SM_SM_RUN_H
#define LS_MODEL_REPLAY_SM_SM_RUN_H

#include "model/replay/sm/sm.h"

struct sm_run {
    const u32 *blocks; /* in their order: numbers of recorded blocks */
    u32 n;
    u32 active;   /* SMs that work, as many share L2 and DRAM */
    double until; /* no block begins once so many machine instructions were issued */
    bool counts;  /* what instructions waited for is added to their sites */
    /* what came out */
    u32 ran;                 /* blocks, the first ones of the list */
    double cycles;           /* until the last of them ended */
    double filled;           /* when the last of the first blocks that it holds at once began */
    double *begun, *ended;   /* by place in the list; the caller's, [n] */
    double present;          /* warps x cycles */
    double sm_used, l1_used; /* cycles in which the SM's busiest unit was used, and the busiest part of its L1 */
    double hold;             /* cycles that locks were held, on average (struct replay_launch) */
    double tries;            /* compare-and-swaps that failed as others were faster */
    double stalls[STALL_COUNT];
};

void sm_run_blocks(struct arena *mem, const struct replay_launch *l, const struct machine *m, struct sm_run *run);

#endif
