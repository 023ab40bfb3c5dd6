/* warp.h - a warp's way through its stream, program by program. */
#ifndef LS_MODEL_REPLAY_SM_WARP_H
#define LS_MODEL_REPLAY_SM_WARP_H

#include "model/replay/sm/sm.h"

/* The first or next program of w; its costs are those of the entries that the program stands for. False: its stream is over. */
bool warp_next_program(struct sm *s, struct sm_warp *w);
/* Now that w stands at an instruction: until when it waits, and for what. The earliest time at which it may issue. */
double warp_arrive(struct sm *s, const struct sm_scheduler *c, struct sm_warp *w);
/* It issues at t: what it waited for is added up. */
void warp_account(struct sm *s, const struct sm_scheduler *c, struct sm_warp *w, double t);

/* It does not go on before t. */
static inline void warp_wait_until(struct sm_warp *w, double t, enum stall_reason reason)
{
    if (t > w->cleared) {
        w->cleared = t;
        w->cleared_by = (u8)reason;
    }
}

static inline double warp_ready(const struct sm_warp *w)
{
    return larger(larger(w->stalled, w->resolved), larger(w->fetched, w->cleared));
}

static inline const struct replay_inst *warp_inst(const struct sm_warp *w) { return &w->program->insts[w->pc]; }
/* What its access or barrier costs; NULL: no lane took part. */
static inline const struct sm_cost *warp_cost(const struct sm_warp *w)
{
    const u32 place = w->program->place[w->pc];
    return place && w->costs[place - 1].item ? &w->costs[place - 1] : NULL;
}

#endif
