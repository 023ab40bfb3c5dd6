/* race_global_copy.c - bulk copies into device memory that are under way: from their instruction on until their thread has waited
 * for their group. cp.async.bulk.wait_group.read waits for their reads of shared memory alone: a thread that then loads what
 * they write may find what was there before.
 *
 * Limits: only accesses of the copies' own block are looked at, and no writes by bulk copies. A kernel's end waits for all. */
#include "check/racecheck/race_global.h"

static struct global_copies *copies_of(struct check_worker *w, struct race_block *g)
{
    return g->copies ? g->copies : (g->copies = check_new(&w->mem, struct global_copies));
}

/* Copies are told in pieces: one that goes on where the last ended makes that longer. */
static void add(const struct global_event *e, struct global_copies *l, u32 lane)
{
    const struct exec_access *a = e->a;
    const u32 group = l->committed[a->warp][lane] + 1;
    struct global_copy *last = l->list.len ? &l->list.at[l->list.len - 1] : NULL;
    const u64 lo = a->addr[lane], hi = lo + a->size;
    l->lo = !last || lo < l->lo ? lo : l->lo;
    l->hi = !last || hi > l->hi ? hi : l->hi;
    if (last && last->hi == lo && last->func == a->func && last->site == a->site && last->group == group &&
        last->warp == a->warp && last->lane == lane) {
        last->hi = hi;
        return;
    }
    if (check_room(&e->w->mem, &l->list)) /* without memory the copy counts as done */
        l->list.at[l->list.len++] = (struct global_copy){lo, hi, group, a->site, a->func, (u8)a->warp, (u8)lane};
}

static void look(const struct global_event *e, const struct global_copies *l, u32 lane)
{
    const u64 lo = e->a->addr[lane], hi = lo + e->a->size;
    if (hi <= l->lo || lo >= l->hi)
        return;
    for (u32 k = 0; k < l->list.len; k++)
        if (lo < l->list.at[k].hi && hi > l->list.at[k].lo) {
            race_global_report_copy(e, lane, &l->list.at[k]);
            return;
        }
}

void global_copies_access(const struct global_event *e)
{
    const struct exec_access *a = e->a;
    const bool bulk_write = a->async && a->uncounted && a->op != ACCESS_LD;
    struct global_copies *l = bulk_write ? copies_of(e->w, e->g) : e->g->copies;
    for (u32 m = l ? a->mask : 0; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        if (bulk_write)
            add(e, l, lane);
        else if (l->list.len)
            look(e, l, lane);
    }
}

static bool is_done(const struct global_copies *l, const struct global_copy *x, const struct exec_order *o)
{
    const u32 n = l->committed[x->warp][x->lane];
    return x->warp == o->warp && o->mask >> x->lane & 1 && n >= o->value && x->group <= n - o->value;
}

void global_copies_order(struct check_worker *w, struct race_block *g, const struct exec_order *o)
{
    struct global_copies *l = copies_of(w, g);
    if (!l)
        return;
    for (u32 m = o->op == EXEC_COPY_COMMIT ? o->mask : 0; m; m &= m - 1)
        l->committed[o->warp][__builtin_ctz(m)]++;
    if (o->op == EXEC_COPY_COMMIT || ptx_has(&o->func->src->insts[o->site], MOD_READ))
        return;
    u32 kept = 0;
    for (u32 k = 0; k < l->list.len; k++)
        if (!is_done(l, &l->list.at[k], o))
            l->list.at[kept++] = l->list.at[k];
    l->list.len = kept;
}
