/* atomics.c - atomics on global memory: they leave the SM in order, and L2 does those of one slice one after the other.
 *
 *     LSU ──► some that wait ──► the SM's way out ──► under way to L2 ──► a slice of L2
 *                                                                          └──► DRAM, where the sector is not in L2
 *
 * They go as requests of a line, in each of which a lane's word is alone. There is room for so many in each place, of all SMs in
 * the last one. Where L2 is slower than the SMs it fills; then the way out does, and loads that go to L2 wait
 * behind it; then those wait that are still inside, and the LSU stands still with everything behind it. A warp at its end
 * waits for its requests until they are on the way out. The other SMs are there as their share of the slice that is
 * wanted most.
 *
 * Measured on an H200, at random words: a slice takes 1.45 cycles for a sector of a request, whatever the operation, less where
 * all words of lines are wanted; additions of floats at one word are 3.4 cycles apart. Room: additions of all SMs at one word, by when a warp issues its next, and when it ends. */
#include "model/replay/sm/sm.h"

enum {
    INSIDE = 320,     /* sectors of requests that wait before the LSU stands still */
    OUTSIDE = 900,    /* on the way of an SM */
    TO_SLICE = 43500, /* on the ways of all SMs to one slice */
    IN_SLICE = 1300,  /* of those, that the slice has taken */
};

static double share_of(double part, double all) { return all > 0 ? part / all : 0; }

struct sm_atomics sm_atomic_shares(const struct machine *m, const struct replay_launch *l, double active)
{
    const double slice = share_of((double)l->hot.slice[HOT_ATOMICS], l->atomics);
    const double sector = share_of((double)l->hot.sector, l->atomics);
    const double pass = larger(slice * m->atomic_same, 1 / m->atomic_all);
    return (struct sm_atomics){
        .pass = active * pass,
        .line = active * larger(slice * m->atomic_line, 1 / m->atomic_all),
        .pass_float = active * larger(pass, sector * m->atomic_float),
        .sector = active * m->atomic_sector,
        .sector_read = active * m->atomic_result,
        .write_back = active * m->dram_write_back,
        .part = active * larger(slice, 1 / m->slices),
    };
}

/* Of the slice that is wanted most: lanes at one place are one after the other; those of one sector go together. */
static double cycles_of(const struct sm *s, const struct item_access *a)
{
    const struct sm_atomics *l2 = &s->atomics;
    return a->passes * (a->slow ? l2->pass_float : a->passes == CACHE_SECTORS * a->lines ? l2->line : l2->pass);
}

/* Of all slices together, which loads are served by too. */
static double spread_cycles(const struct sm *s, const struct item_access *a)
{
    return a->passes * (a->class == ITEM_REDUCTION ? s->atomics.sector : s->atomics.sector_read);
}

/* Its requests, and the operands of a line. */
static double port_cycles(const struct item_access *a) { return a->lines + (a->passes > a->lines ? 4 : 0); }

/* When there is room for it where so many sectors have some; earlier ones took as many as it does. */
static double room(const struct sm_memory *q, const double *ring, const struct item_access *a, double sectors)
{
    const double n = sectors / (a->passes ? a->passes : 1);
    const u32 before = n < 1 ? 1 : n < SM_ATOMICS ? (u32)n : SM_ATOMICS;
    return q->natomics >= before ? ring[(q->natomics - before) % SM_ATOMICS] : 0;
}

/* From t on: when it is on the way out of the SM. */
static double leave(struct sm *s, const struct item_access *a, double t)
{
    struct sm_memory *q = &s->memory;
    const double part = s->atomics.part;
    const double inside = larger(t, room(q, q->left, a, INSIDE));
    const double left = larger(inside, room(q, q->done, a, smaller(OUTSIDE, TO_SLICE / part)));
    q->lsu = larger(q->lsu, inside);
    q->atomics_out = larger(left, room(q, q->done, a, IN_SLICE / part));
    return sm_take(&q->atomics_port, left, port_cycles(a));
}

/* Of DRAM, which has to fetch what L2 lacks and to take back what was changed: when that is done; 0: none of it. */
static double at_dram(struct sm *s, const struct sm_warp *w, const struct item_access *a, double t)
{
    const double missing = a->passes * w->func->shares[a->site].served.dram;
    const double written = a->passes * s->launch->dram_write_share;
    const bool scattered = sm_is_scattered(a);
    const double read = missing * s->dram_read[scattered ? PLACES_STRIDED : PLACES_WHOLE];
    const double write = written * (scattered ? s->atomics.write_back : s->dram_write[PLACES_WHOLE]);
    return read + write > 0 ? sm_take(&s->memory.dram, t, read + write) : 0;
}

/* How often the swap has failed that waited so long for its turn: who waits goes to L2 and back once for each of the others that succeed. One
 * swap of the replayed SM stands for `others` of all SMs, and comes in the middle of them: where the SM has a queue, and at the beginning, when
 * all come together. More than MOST do not come to their turn in that time (fitted: of 1056 blocks at one word each tries 427 times, of
 * 512 each 251 times, of 32 each 15 times). */
static double tries_of(const struct sm *s, double waited, double apart, double others)
{
    enum { MOST = 600 };
    const bool together = others > 1 && (waited > 0 || !s->memory.nswaps);
    return apart > 0 ? smaller(MOST, waited / apart + (together ? (others - 1) / 2 : 0)) : 0;
}

/* A compare-and-swap that changes memory has seen what was there: since the one before that changed it, a request went to L2
 * and back. All others that were under way fail and try again, so those of all SMs are that far apart, and more where
 * so many try that L2 is behind. Where swaps take locks, they are as far apart as those are held. Returns when its turn is, from t on. */
static double swap_turn(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    const struct replay_launch *l = s->launch;
    const double hot = share_of((double)l->swaps_hot, (double)l->swaps), active = s->active;
    const double left = (double)l->swaps_hot - s->memory.nswaps * active * hot;
    const double try = smaller(left, active * l->resident * l->warps);
    const double apart = larger(larger(s->machine->swap, l->hold), try * s->machine->atomic_same / 2);
    const double turn = larger(t, s->memory.swaps);
    s->memory.tries += l->hold > 0 ? 0 : tries_of(s, turn - t, apart, active * hot);
    s->memory.swaps = turn + apart * active * hot;
    s->memory.nswaps++;
    w->swapped = turn;
    w->swapped_at = 1 + a->sector;
    return turn;
}

void sm_let_go(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    if (!w->swapped_at || w->swapped_at != 1 + a->sector)
        return;
    s->memory.held += t - w->swapped;
    s->memory.nheld++;
    w->swapped_at = 0;
}

double sm_atomic(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    struct sm_memory *q = &s->memory;
    const double left = leave(s, a, t);
    const double dram = at_dram(s, w, a, left), spread = spread_cycles(s, a),
                 all = larger(sm_take(&q->l2, t, spread), sm_take(&q->l2_read, t, spread));
    const double done = larger(larger(sm_take(&q->atomics, left, cycles_of(s, a)), all), dram);
    q->atomics_done = larger(q->atomics_done, done);
    q->left[q->natomics % SM_ATOMICS] = left;
    q->done[q->natomics++ % SM_ATOMICS] = done;
    w->leaves = larger(w->leaves, left + s->machine->leave);
    if (a->class == ITEM_SWAP)
        return swap_turn(s, w, a, done) + s->machine->atomic;
    sm_let_go(s, w, a, t);
    return done + s->machine->atomic;
}
