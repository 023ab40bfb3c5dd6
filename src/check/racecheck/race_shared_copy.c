/* race_shared_copy.c - asynchronous copies that are under way: cp.async and bulk copies; and what products of warpgroups read.
 *
 * A copy's bytes are in flight from the instruction on until its thread has waited for its group (cp.async.wait_group,
 * wait_all), or somebody for the phase of an mbarrier at which the copy arrives. Any thread that touches them before
 * that reads or overwrites undefined bytes: a finding of its own, also after a barrier. Then the bytes count as written
 * by the copy's thread at that moment, so that others need a barrier behind the wait, too.
 *
 * Limits: a wait for an mbarrier ends all copies that have arrived there, of whatever phase. A copy out of shared
 * memory is in flight until its group was waited for, also if the wait is for its reads alone. */
#include "check/racecheck/race_shared.h"

static void flight_set(struct shared_cells *c, const struct copy *x, enum flight f)
{
    const u32 last = (x->lo + x->bytes - 1) >> c->granule_bits;
    for (u32 k = x->lo >> c->granule_bits; k <= last && k < c->n; k++)
        c->flight[k] = (u8)f;
}

/* Bulk copies come in pieces: one that goes on where the last ended makes that longer. */
static bool goes_on(struct copies *l, const struct copy *x)
{
    struct copy *last = l->list.len ? &l->list.at[l->list.len - 1] : NULL;
    if (!last || x->kind == COPY_PLAIN || last->site != x->site || last->lane != x->lane || last->group != x->group ||
        last->mbarrier || last->reads != x->reads || last->lo + last->bytes != x->lo)
        return false;
    last->bytes += x->bytes;
    return true;
}

static void push(const struct shared_event *e, const struct copy *x)
{
    struct copies *l = &e->c->copies[e->t->warp];
    const bool more = goes_on(l, x);
    if (!more && !check_room(e->s->mem, &l->list)) /* without memory the copy counts as done */
        return;
    flight_set(e->c, x, x->reads ? FLIGHT_READ : FLIGHT_WRITE);
    if (more)
        return;
    l->list.at[l->list.len++] = *x;
    e->c->in_flight++;
}

void copies_add(const struct shared_event *e)
{
    for (u32 m = e->t->mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        const u8 kind = e->flags & RACE_PRODUCT ? COPY_PRODUCT : e->a->uncounted ? COPY_BULK : COPY_PLAIN;
        const struct copy x = {.lo = (u32)e->a->addr[lane],
                               .bytes = e->a->size,
                               .group = e->c->copies[e->t->warp].committed[kind][lane] + 1,
                               .site = (u16)e->number,
                               .lane = (u8)lane,
                               .kind = kind,
                               .reads = e->a->op == ACCESS_LD};
        push(e, &x);
    }
}

const struct copy *copies_at(const struct shared_cells *c, u32 offset, u32 *warp)
{
    for (u32 w = 0; w < SYNC_WARPS; w++)
        for (u32 k = 0; k < c->copies[w].list.len; k++)
            if (offset - c->copies[w].list.at[k].lo < c->copies[w].list.at[k].bytes) {
                *warp = w;
                return &c->copies[w].list.at[k];
            }
    return NULL;
}

/* The bytes are there, written at that clock of the thread's. */
static void land(struct sync_state *s, struct shared_cells *c, const struct copy *x, u32 warp, u32 clock, u32 epoch)
{
    const u64 me = (u64)clock << STAMP_CLOCK | (u64)warp << STAMP_WARP | (u64)x->lane << STAMP_LANE | x->site;
    flight_set(c, x, FLIGHT_NONE);
    if (x->reads || epoch != s->epoch)
        return;
    const u32 last = (x->lo + x->bytes - 1) >> c->granule_bits;
    for (u32 k = x->lo >> c->granule_bits; k <= last && k < c->n; k++)
        c->wr[k] = me;
    c->write_epoch = s->epoch;
}

/* A product has read when the wait of some warp of its warpgroup ended it: what is stored later must be behind that wait, or
 * behind another warp's for the same group. In a kernel whose products are in a function that it calls: behind that wait. */
static u64 product_stamp(struct sync_state *s, const struct copy *x, u32 warp, u32 waiter)
{
    if (!s->has_products)
        return (u64)s->clock[waiter] << STAMP_CLOCK | (u64)waiter << STAMP_WARP | x->site;
    return (u64)sync_product_done(s, warp, x->group) << STAMP_CLOCK | (u64)(warp / SYNC_GROUP_WARPS) << STAMP_WARP |
           STAMP_PRODUCT_BIT | x->site;
}

static void land_product(struct sync_state *s, struct shared_cells *c, const struct copy *x, u32 warp, u32 waiter)
{
    const u64 me = product_stamp(s, x, warp, waiter);
    const u32 last = (x->lo + x->bytes - 1) >> c->granule_bits;
    flight_set(c, x, FLIGHT_NONE);
    for (u32 k = x->lo >> c->granule_bits; k <= last && k < c->n; k++) {
        if ((c->rd[k] ^ me) & STAMP_WARP_MASK)
            c->rd2[k] = c->rd[k];
        c->rd[k] = me;
    }
}

static void drop(struct shared_cells *c, struct copies *l, u32 k)
{
    l->list.at[k] = l->list.at[--l->list.len];
    c->in_flight--;
}

/* An event of groups that is not one of copies is one of products: a wait for them, or what ends some before that. */
static u8 kind_of(const struct exec_order *o)
{
    const enum ptx_memory memory = (enum ptx_memory)ptx_op_rows[o->func->src->insts[o->site].op].memory;
    return o->bulk ? COPY_BULK : memory == PTX_MEM_COMMIT || memory == PTX_MEM_WAIT ? COPY_PLAIN : COPY_PRODUCT;
}

/* A register of a product is touched before the wait: the engine ends the product there (ptxas puts a wait in). Moves are
 * the compiler's. */
static bool is_early(const struct exec_order *o)
{
    const u16 op = o->func->src->insts[o->site].op;
    return op != OP_WGMMA_WAIT_GROUP && op != OP_MOV;
}

/* All lanes of a warp commit and wait for products together. */
static void know_products(struct sync_state *s, u32 committed, const struct exec_order *o)
{
    if (o->value == UINT32_MAX)
        sync_product_wait(s, o->warp, committed + 1);
    else if (committed >= o->value)
        sync_product_wait(s, o->warp, committed - o->value);
}

static void wait_groups(struct check_worker *w, struct sync_state *s, struct shared_cells *c,
                        const struct exec_order *o)
{
    struct copies *l = &c->copies[o->warp];
    const u8 kind = kind_of(o);
    const u32 *committed = l->committed[kind];
    bool early = kind == COPY_PRODUCT && is_early(o);
    for (u32 k = l->list.len; k-- > 0;) { /* backwards: the last takes the place of one that is dropped */
        const struct copy *x = &l->list.at[k];
        const u32 n = committed[x->lane];
        const bool done = o->value == UINT32_MAX || (n >= o->value && x->group <= n - o->value);
        if (x->kind != kind || !(o->mask >> x->lane & 1) || !done)
            continue;
        if (early)
            race_shared_report_register(w, x, o);
        early = false;
        if (kind == COPY_PRODUCT)
            land_product(s, c, x, o->warp, o->scope);
        else
            land(s, c, x, o->warp, s->clock[o->warp], s->epoch);
        drop(c, l, k);
    }
    if (kind == COPY_PRODUCT && o->warp == o->scope && s->has_products)
        know_products(s, committed[0], o);
}

/* The lanes' copies so far arrive at the mbarriers that they name. Those of bulk copies: each its own. */
static void arrive(struct sync_state *s, struct shared_cells *c, const struct exec_order *o)
{
    struct copies *l = &c->copies[o->warp];
    for (u32 k = 0; k < l->list.len; k++) {
        struct copy *x = &l->list.at[k];
        if ((x->kind == COPY_BULK) != o->bulk || x->mbarrier || x->reads || !(o->mask >> x->lane & 1))
            continue;
        x->mbarrier = (u32)o->addr[x->lane] + 1;
        x->clock = s->clock[o->warp] - 1; /* block_order.c has moved it: what it left there is known up to that */
        x->epoch = s->epoch;
    }
}

static void wait_mbarrier(struct sync_state *s, struct shared_cells *c, u64 address)
{
    for (u32 w = 0; w < s->warps; w++)
        for (u32 k = c->copies[w].list.len; k-- > 0;) {
            const struct copy *x = &c->copies[w].list.at[k];
            if (x->mbarrier != (u32)address + 1)
                continue;
            land(s, c, x, w, x->clock, x->epoch);
            drop(c, &c->copies[w], k);
        }
}

static void commit(struct shared_cells *c, const struct exec_order *o)
{
    for (u32 m = o->mask; m; m &= m - 1)
        c->copies[o->warp].committed[kind_of(o)][__builtin_ctz(m)]++;
}

void copies_order(struct check_worker *w, struct sync_state *s, struct shared_cells *c, const struct exec_order *o)
{
    switch (o->op) {
    case EXEC_COPY_COMMIT:
        commit(c, o);
        break;
    case EXEC_COPY_WAIT:
        wait_groups(w, s, c, o);
        break;
    case EXEC_MBARRIER_COPIES:
        if (c->in_flight)
            arrive(s, c, o);
        break;
    case EXEC_MBARRIER_ARRIVE:
        if (c->in_flight && o->bulk)
            arrive(s, c, o);
        break;
    case EXEC_MBARRIER_WAIT:
        for (u32 m = c->in_flight ? o->mask : 0; m; m &= m - 1)
            wait_mbarrier(s, c, o->addr[__builtin_ctz(m)]);
        break;
    default:
        break;
    }
}

void copies_drop(struct shared_cells *c)
{
    for (u32 w = 0; w < SYNC_WARPS; w++) {
        struct copies *l = &c->copies[w];
        for (u32 k = 0; k < l->list.len; k++)
            flight_set(c, &l->list.at[k], FLIGHT_NONE);
        l->list.len = 0;
    }
    c->in_flight = 0;
}
