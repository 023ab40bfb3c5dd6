/* race_shared.c - racecheck of shared memory: what two threads of a block do to the same byte with nothing between that
 * orders them (race_shared.h has the state, block_order.h the order, race_shared_found.c what counts as a hazard). */
#include "check/racecheck/race_shared.h"

#include <string.h>

enum { LOG_WORDS = 1 << 14, LOG_HEAD = 4, GRANULE_BITS = 2 };

/* ---- the state of a block ---- */

static struct shared_cells *make_cells(struct check_worker *w, struct sync_state *s, const struct exec_block_info *b)
{
    struct shared_cells *c =
        b->shared_bytes ? cells_new(&w->mem, b->shared_bytes, w->of.racecheck_shared->granule_bits) : NULL;
    if (!c || !(c->log = check_array(&w->mem, u32, LOG_WORDS)))
        return NULL;
    if (!proxy_watch(c, &w->mem, b))
        return NULL;
    c->restarts = s->restarts;
    return s->race_shared = c;
}

static struct shared_cells *cells_of(struct check_worker *w, struct sync_state *s, const struct exec_block_info *b)
{
    struct shared_cells *c = s->race_shared;
    if (LS_UNLIKELY(!c) && !(c = make_cells(w, s, b)))
        return NULL;
    if (LS_UNLIKELY(c->blocks != s->blocks)) { /* what the last one did not wait for is over */
        if (c->in_flight)
            copies_drop(c);
        contested_drop(c);
        c->blocks = s->blocks;
    }
    if (LS_UNLIKELY(c->restarts != s->restarts)) {
        cells_clear(c);
        contested_drop(c);
        c->restarts = s->restarts;
    }
    return c;
}

/* Cells are no larger than what is accessed. */
static bool fit_granule(struct check_worker *w, struct shared_cells *c, u32 size)
{
    const u32 bits = (u32)__builtin_ctz(size);
    if (bits < w->of.racecheck_shared->granule_bits)
        w->of.racecheck_shared->granule_bits = bits;
    return bits >= c->granule_bits || cells_split(c, &w->mem, bits);
}

/* ---- the log of reads ---- */

static u64 stamp_of(u32 clock, u32 warp, u32 number)
{
    return (u64)clock << STAMP_CLOCK | (u64)warp << STAMP_WARP | number;
}

static void set_limits(const struct sync_state *s, struct touch *t)
{
    const u32 synced = s->synced[t->warp] > s->base ? s->synced[t->warp] : s->base;
    t->limit = (u64)s->base << STAMP_CLOCK;
    t->own = (u64)synced << STAMP_CLOCK;
}

/* An entry: mask, clock, cell, {site, warp, bits, pattern}; then 32 cells if it is no run. */
static void log_flush(const struct sync_state *s, struct shared_cells *c)
{
    struct touch t = {0};
    for (u32 at = 0; c->log_epoch == s->epoch && at < c->log_len;) {
        const u32 *e = c->log + at, what = e[3];
        t.mask = e[0];
        t.first = e[2];
        t.warp = what >> 16 & 31;
        t.bits = what >> 21 & 7;
        t.pattern = (u8)(what >> 24);
        t.me = stamp_of(e[1], t.warp, what & 0xffff);
        set_limits(s, &t);
        at += LOG_HEAD;
        if (t.pattern == PATTERN_GATHER) {
            memcpy(t.cell, c->log + at, sizeof t.cell);
            at += SYNC_LANES;
        }
        cells_read(c, &t);
    }
    c->log_len = 0;
}

static void log_read(const struct sync_state *s, struct shared_cells *c, const struct touch *t)
{
    if (c->log_epoch != s->epoch) {
        c->log_epoch = s->epoch;
        c->log_len = 0;
    }
    if (c->log_len + LOG_HEAD + SYNC_LANES > LOG_WORDS)
        log_flush(s, c);
    u32 *e = c->log + c->log_len;
    e[0] = t->mask;
    e[1] = s->clock[t->warp];
    e[2] = t->first;
    e[3] = (u32)(t->me & 0xffff) | t->warp << 16 | t->bits << 21 | (u32)t->pattern << 24;
    c->log_len += LOG_HEAD;
    if (t->pattern == PATTERN_GATHER) {
        memcpy(e + LOG_HEAD, t->cell, sizeof t->cell);
        c->log_len += SYNC_LANES;
    }
}

/* ---- accesses ---- */

/* What the access touches; false: nothing that has cells. An address that no cell is for faults, and is not told. */
static bool set_cells(const struct shared_cells *c, const struct exec_access *a, struct touch *t)
{
    const u32 g = c->granule_bits, per = a->size >> g;
    const u64 end = (u64)c->n << g;
    t->bits = (u32)__builtin_ctz(per);
    t->pattern = a->pattern;
    t->mask = a->mask;
    if (a->pattern != PATTERN_GATHER) {
        const u64 at = a->addr[__builtin_ctz(a->mask)], n = (u64)a->size * (a->pattern == PATTERN_UNIFORM ? 1 : 32);
        t->first = (u32)(at >> g);
        return at < end && end - at >= n;
    }
    const u64 most = cells_gather(t->cell, a->addr, a->mask, g);
    return most < end && end - most >= a->size;
}

/* Flags of other threads are told apart by address. */
static void tell_strong(struct sync_state *s, const struct exec_access *a, u32 flags)
{
    if (flags & RACE_RELEASE)
        sync_fence(s, a->warp, a->mask);
    for (u32 m = a->mask; m && s->fenced; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        sync_strong(s, a->warp, 1u << lane, a->addr[lane], flags & RACE_READS, flags & RACE_WRITES);
    }
}

static void on_read(const struct shared_event *e)
{
    struct shared_cells *c = e->c;
    if (LS_UNLIKELY(c->contested.len))
        contested_read(e);
    const bool later = e->flags & RACE_PRODUCT; /* it reads until it is done: race_shared_copy.c keeps that */
    if (c->write_epoch != e->s->epoch) {
        if (!later)
            log_read(e->s, c, e->t);
        return;
    }
    if (LS_UNLIKELY(cells_check_read(c, e->t)))
        race_shared_report_read(e);
    if (!later)
        cells_read(c, e->t);
}

static void on_write(const struct shared_event *e)
{
    struct shared_cells *c = e->c;
    if (LS_UNLIKELY(c->contested.len)) {
        if (e->flags & RACE_READS)
            contested_read(e);
        contested_write(e);
    }
    log_flush(e->s, c);
    c->write_epoch = e->s->epoch;
    if (LS_UNLIKELY(cells_check_write(c, e->t)))
        race_shared_report_write(e);
    if (LS_UNLIKELY(cells_write(c, e->t)))
        race_shared_report_lanes(e);
}

static void on_shared(struct check_worker *w, struct sync_state *s, struct shared_cells *c, const struct exec_access *a)
{
    struct touch t;
    const u32 number = race_site_of(&w->of.racecheck_shared->index, a);
    const u32 flags = race_site_at(w->of.racecheck_shared->index.sites, number)->flags;
    if (LS_UNLIKELY(flags & RACE_STRONG))
        tell_strong(s, a, flags);
    /* no number, no such size, no memory, or what cooperative groups keep for themselves */
    if (LS_UNLIKELY(!number || a->size & (a->size - 1) || a->addr[__builtin_ctz(a->mask)] >= a->block->reserved_at))
        return;
    if (LS_UNLIKELY((a->size >> c->granule_bits) == 0) && !fit_granule(w, c, a->size))
        return;
    if (!set_cells(c, a, &t))
        return;
    t.warp = a->warp;
    set_limits(s, &t);
    t.me = stamp_of(s->clock[a->warp], a->warp, number) | (flags & RACE_ATOMIC ? STAMP_ATOMIC_BIT : 0);
    const struct shared_event e = {w, s, c, a, &t, number, flags};
    if (LS_UNLIKELY(c->in_flight) && cells_flight(c, &t))
        race_shared_report_flight(&e);
    if (LS_UNLIKELY(c->stored))
        proxy_access(&e);
    if (LS_UNLIKELY(flags & RACE_PRODUCT))
        fence_access(&e);
    if (a->op == ACCESS_LD)
        on_read(&e);
    else
        on_write(&e);
    if (LS_UNLIKELY(a->async))
        copies_add(&e);
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    if (a->space != SPACE_SHARED)
        return;
    struct sync_state *s = sync_of(w, a->block);
    struct shared_cells *c = s ? cells_of(w, s, a->block) : NULL;
    if (c)
        on_shared(w, s, c, a);
}

/* ---- the instrument ---- */

static bool on_worker_begin(struct check_worker *w)
{
    struct race_shared *r = arena_new(&w->mem, struct race_shared);
    r->granule_bits = GRANULE_BITS;
    r->index.mem = &w->mem;
    r->index.sites = race_sites_new(UINT16_MAX);
    w->of.racecheck_shared = r;
    return r->index.sites != NULL;
}

static void on_launch_end(struct check_launch *l, enum ls_status status, const struct exec_fault *fault)
{
    (void)status, (void)fault;
    for (struct check_worker *w = l->workers; w; w = w->next)
        if (w->of.racecheck_shared)
            race_sites_free(w->of.racecheck_shared->index.sites);
}

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    struct sync_state *s = sync_of(w, o->block);
    if (o->op == EXEC_FENCE) {
        if (s && s->race_shared)
            proxy_order(s->race_shared, o);
        return;
    }
    if (LS_UNLIKELY(s && s->early))
        race_shared_report_init(w, s, o);
    struct shared_cells *c = s ? cells_of(w, s, o->block) : NULL;
    if (c)
        copies_order(w, s, c, o);
}

const struct check_instrument instrument_racecheck_shared = {
    .tools = CHECK_RACECHECK,
    .launch_end = on_launch_end,
    .worker_begin = on_worker_begin,
    .access = on_access,
    .order = on_order,
};
