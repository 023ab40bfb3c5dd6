/* scheduler.c - see scheduler.h. */
#include "model/replay/sm/scheduler.h"

_Static_assert((int)SM_WARPS_A_SCHEDULER % (int)SCHEDULER_PLACES == 0, "all places, so many at a time");
_Static_assert((int)SM_WARPS_A_SCHEDULER <= 64, "a bit each");

static double earliest(const double *when, u32 places)
{
    double first[SCHEDULER_PLACES] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (u32 k = 0; k < places; k += SCHEDULER_PLACES)
        for (u32 i = 0; i < SCHEDULER_PLACES; i++)
            first[i] = smaller(when[k + i], first[i]);
    return smaller(smaller(first[0], first[1]), smaller(first[2], first[3]));
}

/* A bit for each place whose warp is ready then. */
static u64 ready_at(const double *when, u32 places, double t)
{
    u64 ready = 0;
    for (u32 k = 0; k < places; k += SCHEDULER_PLACES)
        for (u32 i = 0; i < SCHEDULER_PLACES; i++)
            ready |= (u64)(when[k + i] <= t) << (k + i);
    return ready;
}

/* Older blocks have what they want of a scheduler: they end while younger ones have hardly begun, where warps leave it no cycle. Warps of a block go
 * on side by side, and so do two blocks with a warp each (tests/hw/h200/issue-order.csv). */
static bool goes_before(const struct sm_scheduler *c, u32 a, u32 b)
{
    return c->turn[a] != c->turn[b] ? c->turn[a] < c->turn[b] : c->issued[a] < c->issued[b];
}

void scheduler_choose(struct sm_scheduler *c, u32 places)
{
    const double next = larger(earliest(c->when, places), c->free);
    c->next = next;
    c->best = c->last;
    if (c->when[c->last] <= next && next <= c->issued[c->last] + 1)
        return;
    u64 ready = ready_at(c->when, places, next);
    u32 best = ready ? (u32)__builtin_ctzll(ready) : 0;
    for (ready &= ready - 1; ready; ready &= ready - 1) {
        const u32 k = (u32)__builtin_ctzll(ready);
        best = goes_before(c, k, best) ? k : best;
    }
    c->best = best;
}

u32 scheduler_turn(struct sm_scheduler *c, u32 block)
{
    if (c->last_block != block)
        c->last_turn = c->began / 2;
    c->last_block = block;
    c->began++;
    return c->last_turn;
}
