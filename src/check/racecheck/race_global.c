/* race_global.c - racecheck of device memory (race_global.h): each access is compared with the stamps of its cells, and
 * leaves its own. A cell that looks unordered is looked at again, exactly, by race_global_found.c.
 *
 * Limits. A cell remembers one write and one read: of several readers the last one of a block, or one of the first
 * block and that there were others; of threads that write single bytes of a word the last one. Registered memory of the
 * host has no cells. Textures and surfaces are not looked at. Grids that kernels launch are ordered with those that
 * launch them. */
#include "check/racecheck/race_global.h"

#include <string.h>

#define RACY __attribute__((no_sanitize("thread"))) /* workers touch cells unlocked (tool.h) */
#define MANY (1ull << G_MANY)
#define ALL_BYTES (15ull << G_BYTES)
#define SERIAL(stamp) ((stamp) >> G_SERIAL)

static inline u64 lane_stamp(u64 me, u32 lane) { return me + ((u64)lane << G_THREAD); }

/* ---- one cell ---- */

/* What is known at once: nothing was there, it is older than all that is unordered, or it is the thread's own. */
static inline bool is_plain(u64 stamp, u64 me, u64 bound)
{
    return stamp < bound || stamp >> G_THREAD == me >> G_THREAD;
}

/* The reader that is kept. One of another block stays, and it is noted that there are more. */
RACY static void keep_read(struct race_cell *c, u64 me, u64 bound, u32 chunk_block, const struct race_chunk *chunks,
                           u32 launch)
{
    const u64 old = c->rd;
    if (old < bound || SERIAL(old) == SERIAL(me)) {
        c->rd = me;
        return;
    }
    const struct race_chunk *x = &chunks[SERIAL(old) >> G_CHUNK_BITS];
    if (x->launch == launch && x->block == chunk_block)
        c->rd = me | (old & MANY);
    else if (!(old & MANY))
        c->rd = old | MANY;
}

static inline bool overlap(u64 a, u64 b) { return a & b & (15ull << G_BYTES); }

RACY static void look(const struct global_event *e, const struct race_cell *c, u32 lane, u64 me, u64 bound, u64 address)
{
    const u64 wr = c->wr, rd = c->rd;
    if (!is_plain(wr, me, bound) && overlap(wr, me))
        race_global_look(e, lane, address, wr, true);
    if (!(e->flags & RACE_WRITES) || !overlap(rd, me))
        return;
    if (!is_plain(rd, me, bound))
        race_global_look(e, lane, address, rd, false);
    if (rd & MANY && rd >= bound && (rd & me & ALL_BYTES) == ALL_BYTES)
        race_global_look_many(e, lane, rd);
}

/* ---- accesses ---- */

static u64 stamp_of(const struct sync_state *s, u32 serial, u32 warp, u32 number, u32 flags)
{
    const u32 since = s->clock[warp] - s->base, clock = since < G_CLOCK_MOST ? since : G_CLOCK_MOST;
    return (u64)serial << G_SERIAL | (u64)warp << (G_THREAD + 5) | (u64)clock << G_CLOCK |
           (u64)((flags & (RACE_ATOMIC | RACE_RELAXED)) != 0) << G_STRONG | number;
}

/* Both are strong, without a doubt. */
static inline bool strong(u64 a, u64 b) { return a & b & (1ull << G_STRONG); }

/* 32 lanes with 4 bytes each, one after the other. False: some cell must be looked at. */
HOT static bool read_run(struct race_cell *restrict c, u64 me, u64 bound)
{
    u64 odd = 0;
    for (u32 k = 0; k < SYNC_LANES; k++) {
        const u64 mine = lane_stamp(me, k), wr = c[k].wr, rd = c[k].rd;
        odd |= (u64) !((wr < bound) | (wr >> G_THREAD == mine >> G_THREAD));
        odd |= (u64) !((rd < bound) | (SERIAL(rd) == SERIAL(mine)));
    }
    if (odd)
        return false;
    for (u32 k = 0; k < SYNC_LANES; k++)
        c[k].rd = lane_stamp(me, k);
    return true;
}

HOT static bool write_run(struct race_cell *restrict c, u64 me, u64 bound)
{
    u64 odd = 0;
    for (u32 k = 0; k < SYNC_LANES; k++) {
        const u64 mine = lane_stamp(me, k), wr = c[k].wr, rd = c[k].rd;
        odd |= (u64) !((wr < bound) | (wr >> G_THREAD == mine >> G_THREAD));
        odd |= (u64) !((rd < bound) | ((rd & ~MANY) >> G_THREAD == mine >> G_THREAD)) | (rd & MANY);
    }
    if (odd)
        return false;
    for (u32 k = 0; k < SYNC_LANES; k++)
        c[k].wr = lane_stamp(me, k);
    return true;
}

/* The bytes of [address, address + size) in the cell at cell. */
static inline u64 bytes_in(u64 cell, u64 address, u64 size)
{
    const u64 from = address > cell ? address - cell : 0, to = address + size - cell < 4 ? address + size - cell : 4;
    return (15ull >> (4 - (to - from))) << from << G_BYTES;
}

#define EACH_LANE(lane, mask) for (u32 m_ = (mask), lane; m_ && (lane = (u32)__builtin_ctz(m_), true); m_ &= m_ - 1)
#define EACH_CELL(cell, a, lane)                                                                                       \
    for (u64 cell = (a)->addr[lane] & ~3ull, end_ = (a)->addr[lane] + (a)->size; cell < end_; cell += 4)

/* One lane: compares, then leaves its stamps. */
RACY static void touch_lane(const struct global_event *e, u32 lane, u64 bound)
{
    const struct exec_access *a = e->a;
    const struct race_plane *p = e->w->launch->check->of.racecheck;
    const u32 launch = e->w->of.racecheck->launch->number;
    EACH_CELL(at, a, lane)
    {
        struct race_cell *c = shadow_cell(&p->cells, at);
        const u64 me = lane_stamp(e->me, lane) | bytes_in(at, a->addr[lane], a->size);
        if (!strong(c->wr, me) || (e->flags & RACE_WRITES))
            look(e, c, lane, me, bound, at > a->addr[lane] ? at : a->addr[lane]);
        if (e->flags & RACE_WRITES)
            c->wr = me;
        else
            keep_read(c, me, bound, (u32)e->g->linear, p->chunks, launch);
    }
}

/* Behind the stores of all lanes: a cell that has another lane's stamp with the same bytes was written twice. */
RACY static void find_doubles(const struct global_event *e, u32 mask)
{
    const struct race_plane *p = e->w->launch->check->of.racecheck;
    EACH_LANE(lane, mask)
        EACH_CELL(at, e->a, lane)
        {
            const u64 wr = ((const struct race_cell *)shadow_cell(&p->cells, at))->wr;
            const u64 me = lane_stamp(e->me, lane) | bytes_in(at, e->a->addr[lane], e->a->size);
            if (wr >> G_THREAD != me >> G_THREAD && SERIAL(wr) == SERIAL(me) && overlap(wr, me) &&
                stamp_thread(wr) / SYNC_LANES == e->a->warp) {
                race_global_report_lanes(e, lane, stamp_thread(wr) % SYNC_LANES);
                break;
            }
        }
}

/* Lanes whose bytes have cells. */
static u32 lanes_with_cells(const struct shadow *cells, const struct exec_access *a)
{
    u32 mask = 0;
    EACH_LANE(lane, a->mask)
        mask |= (u32)shadow_has(cells, a->addr[lane], a->size) << lane;
    return mask;
}

static void tell_strong(struct check_worker *w, struct sync_state *s, struct race_block *g, const struct exec_access *a,
                        u32 flags)
{
    if (flags & RACE_RELEASE) {
        sync_fence(s, a->warp, a->mask);
        race_fence(g);
    }
    EACH_LANE(lane, a->mask) {
        sync_strong(s, a->warp, 1u << lane, a->addr[lane], flags & RACE_READS, flags & RACE_WRITES);
        race_strong(w, s, g, a->addr[lane], flags & RACE_READS, flags & RACE_WRITES, a->size);
    }
}

static bool try_run(const struct global_event *e, u64 bound)
{
    const struct exec_access *a = e->a;
    const struct shadow *cells = &e->w->launch->check->of.racecheck->cells;
    if (a->pattern != PATTERN_CONTIGUOUS || a->size != 4 || !shadow_has(cells, a->addr[0], 4 * SYNC_LANES))
        return false;
    struct race_cell *c = shadow_cell(cells, a->addr[0]);
    const u64 me = e->me | ALL_BYTES;
    return e->flags & RACE_WRITES ? write_run(c, me, bound) : read_run(c, me, bound);
}

/* The first and the last lane: enough of those that read one place. */
static u32 ends_of(u32 mask) { return mask ? (mask & -mask) | 1u << (31 - __builtin_clz(mask)) : 0; }

static void touch(const struct global_event *e, u64 bound)
{
    const struct exec_access *a = e->a;
    if (try_run(e, bound))
        return;
    const u32 all = lanes_with_cells(&e->w->launch->check->of.racecheck->cells, a);
    const u32 mask = a->pattern == PATTERN_UNIFORM && a->op == ACCESS_LD ? ends_of(all) : all;
    EACH_LANE(lane, mask)
        touch_lane(e, lane, bound);
    if (a->op == ACCESS_ST && (mask & (mask - 1)) && a->pattern != PATTERN_CONTIGUOUS)
        find_doubles(e, mask);
}

static void on_global(struct check_worker *w, struct sync_state *s, struct race_block *g, const struct exec_access *a)
{
    const struct race_global *r = w->of.racecheck;
    const u32 number = race_site_of(&w->of.racecheck->index, a);
    if (!number) /* no room: not looked at */
        return;
    const u32 flags = race_site_at(r->index.sites, number)->flags;
    if (LS_UNLIKELY(flags & RACE_STRONG))
        tell_strong(w, s, g, a, flags);
    const u32 serial = race_serial(w, s, g);
    if (!serial)
        return;
    const u64 bound = (u64)r->launch->bound << G_SERIAL;
    const struct global_event e = {w, s, g, a, flags, stamp_of(s, serial, a->warp, number, flags)};
    touch(&e, bound);
    if (LS_UNLIKELY(g->copies || a->async))
        global_copies_access(&e);
    if (LS_UNLIKELY(__atomic_load_n(&r->launch->host, __ATOMIC_RELAXED))) /* after the cells: race_global_host.c */
        EACH_LANE(lane, a->mask)
            race_global_report_host(&e, lane);
}

static struct race_block *new_block(struct check_worker *w) { return check_new(&w->mem, struct race_block); }

static struct race_block *block_of(struct check_worker *w, struct sync_state *s, const struct exec_block_info *b)
{
    const bool is_new = !s->race_global;
    if (LS_UNLIKELY(is_new) && !(s->race_global = new_block(w)))
        return NULL;
    struct race_block *g = s->race_global;
    if (LS_UNLIKELY(is_new || g->linear != b->linear)) {
        *g = (struct race_block){.linear = b->linear, .used = 1u << G_CHUNK_BITS, .copies = g->copies};
        if (g->copies) /* what the last block did not wait for is over */
            g->copies->list.len = 0;
    }
    return g;
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    if (a->space != SPACE_GLOBAL || !a->block)
        return;
    struct sync_state *s = sync_of(w, a->block);
    struct race_block *g = s ? block_of(w, s, a->block) : NULL;
    if (g)
        on_global(w, s, g, a);
}

/* ---- the instrument ---- */

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    const bool fence = o->op == EXEC_FENCE && o->scope >= EXEC_SCOPE_GPU;
    if (!fence && !(o->bulk && (o->op == EXEC_COPY_COMMIT || o->op == EXEC_COPY_WAIT)))
        return;
    struct sync_state *s = sync_of(w, o->block);
    struct race_block *g = s ? block_of(w, s, o->block) : NULL;
    if (g && fence)
        race_fence(g);
    else if (g)
        global_copies_order(w, g, o);
}

static bool on_launch_begin(struct check_launch *l) { return (l->of.racecheck = race_launch_new(l->check, l)) != NULL; }

static void on_launch_end(struct check_launch *l, enum ls_status status, const struct exec_fault *fault)
{
    (void)status, (void)fault;
    race_launch_done(l->check, l);
}

static bool on_worker_begin(struct check_worker *w)
{
    struct race_global *r = arena_new(&w->mem, struct race_global);
    r->launch = w->launch->of.racecheck;
    r->index.mem = &w->mem;
    r->index.sites = r->launch->kernel->sites;
    w->of.racecheck = r;
    return true;
}

static void on_memory(struct check *c, const struct mem_block *b) { race_global_clear(c, b->base, b->size); }

static void on_host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    race_global_host(c, address, size, true, op, call);
}

static void on_host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    race_global_host(c, address, size, false, op, call);
}

static void on_copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    race_global_host(c, from, size, false, op, call);
    race_global_host(c, to, size, true, op, call);
}

const struct check_instrument instrument_racecheck = {
    .tools = CHECK_RACECHECK,
    .create = race_plane_create,
    .destroy = race_plane_destroy,
    .made = on_memory,
    .gone = on_memory,
    .host_wrote = on_host_wrote,
    .host_read = on_host_read,
    .copied = on_copied,
    .filled = on_host_wrote,
    .launch_begin = on_launch_begin,
    .launch_end = on_launch_end,
    .worker_begin = on_worker_begin,
    .access = on_access,
    .order = on_order,
};
