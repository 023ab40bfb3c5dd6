/* async.c - what goes on while warps run: bulk copies, and the mbarriers of a block, at which they and warps arrive.
 *
 * A copy takes the SM's copy unit, then L2 and DRAM like a load that goes round L1. When its bytes are there is known as it is issued;
 * they arrive at an mbarrier of its block then. A wait says how many arrivals the engine had seen before it: it is over when there
 * were as many. Arrivals from other blocks of a cluster are not known here, and not counted. Numbers: an H200's
 * (tests/hw/h200/async-times.csv). */
#include "model/replay/sm/sm.h"

/* ---- mbarriers ---- */

static void arrive(struct sm *s, struct sm_warp *w, u32 slot, double t)
{
    if (slot >= SM_MBARRIERS)
        return;
    struct sm_held *h = &s->held[w->held];
    if (!h->mbarriers)
        h->mbarriers = arena_array(s->mem, struct sm_mbarrier, SM_MBARRIERS);
    struct sm_mbarrier *m = &h->mbarriers[slot];
    const double before = m->arrived ? m->at[(m->arrived - 1) % SM_ARRIVALS] : 0;
    m->at[m->arrived++ % SM_ARRIVALS] = larger(before, t);
}

bool sm_arrived(const struct sm_held *h, u32 slot, u32 n, double *t)
{
    *t = 0;
    if (slot >= SM_MBARRIERS || !n)
        return true;
    const struct sm_mbarrier *m = h->mbarriers ? &h->mbarriers[slot] : NULL;
    if (!m || m->arrived < n)
        return false;
    *t = m->at[(m->arrived - n < SM_ARRIVALS ? n - 1 : m->arrived) % SM_ARRIVALS];
    return true;
}

/* ---- copies ---- */

/* DRAM's share of a site's sectors is dealt out by whole copies: true for those that have it. */
static bool is_from_dram(const struct sm_warp *w, u32 site)
{
    const struct served *from = &w->func->shares[site].served;
    const double asked = from->near + from->far + from->dram;
    float *carry = &w->func->prepared->carry[site][2];
    *carry += asked > 0 ? (float)(from->dram / asked) : 0;
    if (*carry * 2 < 1)
        return false;
    *carry -= 1;
    return true;
}

/* When its sectors are there. */
static double bring(struct sm *s, const struct sm_warp *w, const struct item_async *a, double t)
{
    const struct machine *m = s->machine;
    const double share = larger(s->copy_share, w->func->shares[a->site].asked * s->l2_share);
    double done = sm_take(&s->memory.l2_read, t, a->n * share) + m->l2;
    if (is_from_dram(w, a->site))
        done = larger(done, sm_read_dram(s, t, a->n, a->n * s->dram_read[PLACES_WHOLE]) + m->dram);
    return done + m->copy;
}

/* It has left when the copy unit has written its sectors, one a cycle. */
static double take_away(struct sm *s, const struct item_async *a, double t)
{
    const double left = sm_take(&s->memory.copies_out, t, a->n);
    const double written = sm_write_l2(s, t, a->n, a->n / (double)CACHE_SECTORS);
    const double in_dram = a->n * s->launch->dram_write_share * s->dram_write[PLACES_WHOLE];
    if (in_dram > 0)
        sm_take_dram(s, t, in_dram);
    return larger(left, written) + s->machine->copy_out;
}

void sm_async(struct sm *s, struct sm_warp *w, u64 item, double t)
{
    const struct item_async a = item_read_async(item);
    switch (a.what) {
    case ASYNC_LOAD:
        arrive(s, w, a.slot, bring(s, w, &a, sm_take(&s->memory.copies, t, s->machine->copy_issue)));
        break;
    case ASYNC_STORE:
        w->copies.open =
            larger(w->copies.open, take_away(s, &a, sm_take(&s->memory.copies, t, s->machine->copy_issue)));
        w->leaves = larger(w->leaves, w->copies.open);
        break;
    case ASYNC_ARRIVE:
        arrive(s, w, a.slot, t + s->machine->shared);
        break;
    default: /* a wait looks only */
        break;
    }
}

/* ---- groups ---- */

void sm_close_group(struct sm_groups *g)
{
    if (g->n == COPY_GROUPS) {
        for (u32 k = 1; k < COPY_GROUPS; k++)
            g->at[k - 1] = g->at[k];
        g->n--;
    }
    const double before = g->n ? g->at[g->n - 1] : 0;
    g->at[g->n++] = larger(g->open, before);
}
