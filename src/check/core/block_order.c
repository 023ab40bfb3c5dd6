/* block_order.c - the clocks of a block (block_order.h). Warps that come as a whole cost a few vector operations; parts
 * of warps are tracked thread by thread, in tables that are made when they are first needed. */
#include "check/core/block_order.h"

#include <string.h>

#include "exec/sync/mbarrier.h"

enum { FULL = -1 };
#define EACH_LANE(lane, mask) for (u32 m_ = (mask), lane; m_ && (lane = (u32)__builtin_ctz(m_), true); m_ &= m_ - 1)

static inline u32 most(u32 a, u32 b) { return a > b ? a : b; }

static void join(u32 *restrict to, const u32 *restrict from, u32 n)
{
    for (u32 k = 0; k < n; k++)
        to[k] = most(to[k], from[k]);
}

/* ---- memory ---- */

/* Zeroed; NULL: none is left, and the block's accesses all count as ordered. */
static void *take(struct sync_state *s, size_t bytes)
{
    void *p = check_alloc_aligned(s->mem, bytes, 64);
    s->lost |= !p;
    return p;
}

static u32 *message_threads(struct sync_state *s, struct sync_message *m)
{
    if (!m->threads)
        m->threads = take(s, sizeof(u32) * s->agents * SYNC_LANES);
    return m->threads;
}

static u32 (*lane_table(struct sync_state *s, u32 warp))[SYNC_LANES]
{
    if (!s->lanes_known[warp])
        s->lanes_known[warp] = take(s, sizeof(u32) * SYNC_LANES * SYNC_LANES);
    return s->lanes_known[warp];
}

static u32 *thread_table(struct sync_state *s, u32 warp)
{
    if (!s->threads_known[warp])
        s->threads_known[warp] = take(s, sizeof(u32) * SYNC_LANES * SYNC_LANES * s->agents);
    return s->threads_known[warp];
}

/* ---- time ---- */

static void new_epoch(struct sync_state *s)
{
    u32 last = s->base;
    for (u32 a = 0; a < s->agents; a++)
        last = most(last, s->clock[a]);
    s->base = last + 1;
    s->epoch++;
    for (u32 a = 0; a < s->agents; a++)
        s->clock[a] = s->base;
}

static void forget(struct sync_message *m, u32 threads)
{
    memset(m->warps, 0, sizeof m->warps);
    if (m->threads)
        memset(m->threads, 0, sizeof(u32) * threads);
    m->version++;
}

/* Everything before is ordered before everything after. */
static void restart(struct sync_state *s)
{
    const u32 threads = s->agents * SYNC_LANES;
    for (u32 w = 0; w < s->warps; w++) {
        if (s->lanes_known[w])
            memset(s->lanes_known[w], 0, sizeof(u32) * SYNC_LANES * SYNC_LANES);
        if (s->threads_known[w])
            memset(s->threads_known[w], 0, sizeof(u32) * SYNC_LANES * threads);
    }
    for (u32 a = 0; a < s->agents; a++)
        s->clock[a] = 1;
    memset(s->products, 0, sizeof s->products);
    memset(s->synced, 0, sizeof s->synced);
    memset(s->knows, 0, sizeof s->knows);
    memset(s->fence, 0, sizeof s->fence);
    for (u32 k = 0; k < SYNC_BARRIERS; k++)
        forget(&s->barriers[k], threads);
    for (u32 k = 0; k < SYNC_CHANNELS; k++) {
        forget(&s->mbarriers[k].open, threads);
        forget(&s->mbarriers[k].done, threads);
        forget(&s->flags[k], threads);
    }
    s->base = 1;
    s->epoch++;
    s->restarts++;
}

/* The warp's clock moves on, or the agent's: what it did up to now is told apart from what it does next. */
static u32 step(struct sync_state *s, u32 warp)
{
    enum { MOST = (1 << SYNC_TICK_BITS) - 2 };
    if (LS_UNLIKELY(s->clock[warp] >= MOST))
        restart(s);
    return ++s->clock[warp];
}

static bool is_whole(const struct sync_state *s, u32 warp, u32 lanes) { return (lanes | s->exited[warp]) == (u32)FULL; }

/* ---- what is known ---- */

/* Of another lane of the same warp. */
static u32 known_lane(const struct sync_state *s, u32 warp, u32 lane, u32 of)
{
    const u32 t = s->lanes_known[warp] ? s->lanes_known[warp][lane][of] : 0;
    return most(t, s->synced[warp]);
}

static u32 known_thread(const struct sync_state *s, u32 warp, u32 lane, u32 of_warp, u32 of_lane)
{
    const u32 *t = s->threads_known[warp];
    const u32 k = t ? t[lane * s->agents * SYNC_LANES + of_warp * SYNC_LANES + of_lane] : 0;
    return most(k, s->knows[warp][of_warp]);
}

bool sync_before(const struct sync_state *s, u32 warp, u32 lane, u32 clock, u32 to_warp, u32 to_lane)
{
    if (clock < s->base || s->lost || warp >= s->agents)
        return true;
    if (warp == to_warp)
        return lane == to_lane || clock < known_lane(s, warp, to_lane, lane);
    return clock < known_thread(s, to_warp, to_lane, warp, lane);
}

/* ---- messages ---- */

/* The lanes' own accesses up to own[lane], and all that they know. */
static void leave_lanes(struct sync_state *s, u32 warp, u32 lanes, const u32 *own, struct sync_message *m)
{
    const u32 n = s->agents * SYNC_LANES;
    u32 *to = message_threads(s, m);
    if (!to)
        return;
    EACH_LANE(l, lanes) {
        for (u32 k = 0; k < SYNC_LANES; k++)
            to[warp * SYNC_LANES + k] = most(to[warp * SYNC_LANES + k], k == l ? own[l] : known_lane(s, warp, l, k));
        if (s->threads_known[warp])
            join(to, s->threads_known[warp] + l * n, n);
    }
}

static void leave(struct sync_state *s, u32 warp, u32 lanes, struct sync_message *m)
{
    const u32 n = s->agents * SYNC_LANES, now = step(s, warp);
    m->version++;
    join(m->warps, s->knows[warp], SYNC_AGENTS);
    if (!is_whole(s, warp, lanes)) {
        u32 own[SYNC_LANES];
        for (u32 k = 0; k < SYNC_LANES; k++)
            own[k] = now;
        leave_lanes(s, warp, lanes, own, m);
        return;
    }
    m->warps[warp] = most(m->warps[warp], now);
    if (s->threads_known[warp] && message_threads(s, m))
        EACH_LANE(l, lanes)
            join(m->threads, s->threads_known[warp] + l * n, n);
}

static void take_lane(struct sync_state *s, u32 warp, u32 lane, const struct sync_message *m, bool warps_too)
{
    const u32 n = s->agents * SYNC_LANES;
    u32 *t = thread_table(s, warp);
    u32(*own)[SYNC_LANES] = lane_table(s, warp);
    if (!t || !own)
        return;
    t += lane * n;
    if (m->threads) {
        join(t, m->threads, n);
        join(own[lane], m->threads + warp * SYNC_LANES, SYNC_LANES);
    }
    for (u32 w = 0; warps_too && w < s->agents; w++)
        for (u32 k = 0; k < SYNC_LANES; k++)
            t[w * SYNC_LANES + k] = most(t[w * SYNC_LANES + k], m->warps[w]);
    for (u32 k = 0; warps_too && k < SYNC_LANES; k++)
        own[lane][k] = most(own[lane][k], m->warps[warp]);
}

static void receive(struct sync_state *s, u32 warp, u32 lanes, const struct sync_message *m)
{
    const bool whole = is_whole(s, warp, lanes);
    if (whole) {
        s->synced[warp] = most(s->synced[warp], m->warps[warp]);
        join(s->knows[warp], m->warps, SYNC_AGENTS);
    }
    if (!whole || m->threads)
        EACH_LANE(l, lanes)
            take_lane(s, warp, l, m, !whole);
}

/* ---- barriers ---- */

void sync_arrive(struct sync_state *s, const struct exec_barrier *b)
{
    if (b->id >= SYNC_BARRIERS || b->warp >= s->warps)
        return;
    if (b->op != EXEC_BARRIER_ARRIVE) { /* who had arrived, too, waits now */
        s->arrived_only[b->id][b->warp] &= ~b->mask;
        return;
    }
    s->arrived_only[b->id][b->warp] |= b->mask;
    leave(s, b->warp, b->mask, &s->barriers[b->id]);
}

static bool all_wait(const struct sync_state *s, u32 id, const u32 *lanes)
{
    for (u32 w = 0; w < s->warps; w++)
        if (!is_whole(s, w, lanes[w]) || s->arrived_only[id][w])
            return false;
    return true;
}

/* A waiting lane has done nothing since it arrived, so its arrival may count from now. */
void sync_release(struct sync_state *s, u32 id, const u32 *lanes)
{
    if (id >= SYNC_BARRIERS)
        return;
    if (all_wait(s, id, lanes)) {
        new_epoch(s);
        return;
    }
    struct sync_message *m = &s->barriers[id];
    const bool is_cluster = id == SYNC_BARRIERS - 1; /* arrives and waits by two instructions: the wait takes it */
    for (u32 w = 0; w < s->warps; w++)
        if (lanes[w] & ~s->arrived_only[id][w])
            leave(s, w, lanes[w] & ~s->arrived_only[id][w], m);
    for (u32 w = 0; w < s->warps && is_cluster; w++)
        if (s->exited[w]) /* counts as arrived */
            leave(s, w, s->exited[w], m);
    for (u32 w = 0; w < s->warps; w++) {
        const u32 mine = is_cluster ? lanes[w] : lanes[w] & ~s->arrived_only[id][w];
        if (mine)
            receive(s, w, mine, m);
    }
    forget(m, s->agents * SYNC_LANES);
    memset(s->arrived_only[id], 0, sizeof s->arrived_only[id]);
}

void sync_warp(struct sync_state *s, u32 warp, u32 lanes)
{
    const u32 n = s->agents * SYNC_LANES, now = step(s, warp), first = (u32)__builtin_ctz(lanes);
    u32 *t = s->threads_known[warp];
    if (t) { /* what one of them knows of other warps, all do */
        EACH_LANE(l, lanes)
            join(t + first * n, t + l * n, l == first ? 0 : n);
        EACH_LANE(l, lanes)
            memcpy(t + l * n, t + first * n, l == first ? 0 : n * sizeof *t);
    }
    if (is_whole(s, warp, lanes)) {
        s->synced[warp] = now;
        return;
    }
    u32(*own)[SYNC_LANES] = lane_table(s, warp);
    if (!own)
        return;
    u32 row[SYNC_LANES] = {0};
    EACH_LANE(l, lanes)
        join(row, own[l], SYNC_LANES);
    EACH_LANE(l, lanes)
        row[l] = now;
    EACH_LANE(l, lanes)
        memcpy(own[l], row, sizeof row);
}

/* ---- mbarriers and flags ---- */

static u32 channel_of(u64 address) { return (u32)((address >> 2) * 0x9e3779b97f4a7c15u >> 58) & (SYNC_CHANNELS - 1); }

/* The object's entry; when there are too many, one that several share. */
static struct sync_mbarrier *mbarrier_at(struct sync_state *s, u64 address)
{
    const u32 name = (u32)address + 1, first = channel_of(address);
    for (u32 k = 0; k < SYNC_CHANNELS; k++) {
        struct sync_mbarrier *m = &s->mbarriers[(first + k) % SYNC_CHANNELS];
        if (!m->name)
            m->name = name;
        if (m->name == name)
            return m;
    }
    s->mbarriers[first].blurred = true;
    return &s->mbarriers[first];
}

static void move_message(struct sync_state *s, struct sync_message *to, struct sync_message *from)
{
    join(to->warps, from->warps, SYNC_AGENTS);
    if (from->threads && message_threads(s, to))
        join(to->threads, from->threads, s->agents * SYNC_LANES);
    to->version++;
    forget(from, s->agents * SYNC_LANES);
}

static void note_init(struct sync_state *s, const struct exec_order *o)
{
    EACH_LANE(l, o->mask) {
        struct sync_mbarrier *m = mbarrier_at(s, o->addr[l]);
        m->parity = false;
        m->init = (struct sync_init){.func = m->name == (u32)o->addr[l] + 1 ? o->func : NULL,
                                     .site = o->site,
                                     .restarts = s->restarts,
                                     .clock = s->clock[o->warp],
                                     .warp = (u8)o->warp,
                                     .lane = (u8)l};
    }
}

/* The lanes use the object. Asked before they learn what it orders: an mbarrier does not order its own init. Told once: what
 * mends the first use mends all. */
static void look_for_init(struct sync_state *s, u32 warp, u32 lanes, u64 address)
{
    struct sync_mbarrier *m = mbarrier_at(s, address);
    const struct sync_init *i = &m->init;
    u32 early = 0;
    if (!i->func || i->restarts != s->restarts || i->clock < s->base || m->name != (u32)address + 1)
        return;
    EACH_LANE(l, lanes)
        early |= (u32)!sync_before(s, i->warp, i->lane, i->clock, warp, l) << l;
    if (early && !s->early)
        s->early_init = *i;
    if (early)
        m->init.func = NULL;
    s->early |= early;
}

/* Looks whether the phase has ended since the last look. An instruction that may have ended two is not seen through. */
static void mbarrier_look(struct sync_state *s, struct sync_mbarrier *m, u64 address, u32 lanes)
{
    u32 expected;
    const bool parity = exec_mbarrier_parity(s->block->shared + address, &expected);
    m->blurred |= (u32)__builtin_popcount(lanes) > expected;
    if (parity != m->parity)
        move_message(s, &m->done, &m->open);
    m->parity = parity;
}

void sync_mbarrier_arrive(struct sync_state *s, u32 warp, u32 lanes, u64 address)
{
    struct sync_mbarrier *m = mbarrier_at(s, address);
    leave(s, warp, lanes, &m->open);
    mbarrier_look(s, m, address, lanes);
}

void sync_mbarrier_wait(struct sync_state *s, u32 warp, u32 lanes, u64 address)
{
    struct sync_mbarrier *m = mbarrier_at(s, address);
    mbarrier_look(s, m, address, 0);
    receive(s, warp, lanes, &m->done);
    if (m->blurred)
        receive(s, warp, lanes, &m->open);
}

void sync_fence(struct sync_state *s, u32 warp, u32 lanes)
{
    const u32 now = step(s, warp);
    s->fenced = true;
    EACH_LANE(l, lanes)
        s->fence[warp][l] = now;
}

/* Lanes that have executed a fence in this block. */
static u32 fenced_lanes(const struct sync_state *s, u32 warp, u32 lanes)
{
    u32 mask = 0;
    EACH_LANE(l, lanes)
        mask |= (u32)(s->fence[warp][l] != 0) << l;
    return mask;
}

void sync_strong_slow(struct sync_state *s, u32 warp, u32 lanes, u64 address, bool reads, bool writes)
{
    const u32 k = channel_of(address), fenced = writes ? fenced_lanes(s, warp, lanes) : 0;
    struct sync_message *m = &s->flags[k];
    struct sync_seen *seen = &s->seen[k][warp];
    if (reads && m->version) {
        seen->lanes = seen->version == m->version ? seen->lanes : 0;
        seen->version = m->version;
        if (lanes & ~seen->lanes)
            receive(s, warp, lanes, m);
        seen->lanes |= lanes;
    }
    if (fenced) {
        m->version++;
        join(m->warps, s->knows[warp], SYNC_AGENTS);
        leave_lanes(s, warp, fenced, s->fence[warp], m);
    }
}

/* ---- products of warpgroups ---- */

static u32 product_slot(u32 group) { return group % (sizeof((struct sync_products *)0)->group / sizeof(u32)); }

u32 sync_product_done(struct sync_state *s, u32 warp, u32 group)
{
    struct sync_products *p = &s->products[warp / SYNC_GROUP_WARPS];
    const u32 k = product_slot(group);
    if (p->group[k] != group || p->tick[k] < s->base) {
        const u32 tick = step(s, sync_agent_of(s, warp));
        p->group[k] = group;
        p->tick[k] = tick;
    }
    return p->tick[k];
}

void sync_product_wait(struct sync_state *s, u32 warp, u32 group)
{
    const struct sync_products *p = &s->products[warp / SYNC_GROUP_WARPS];
    u32 *known = &s->knows[warp][sync_agent_of(s, warp)];
    for (u32 k = 0; k < sizeof p->group / sizeof *p->group; k++)
        if (p->group[k] && p->group[k] <= group)
            *known = most(*known, p->tick[k] + 1);
}

static bool has_products(const struct ptx_func *f)
{
    for (u32 k = 0; k < f->ninsts; k++)
        if (f->insts[k].op == OP_WGMMA_MMA_ASYNC || f->insts[k].op == OP_WGMMA_MMA_ASYNC_SP)
            return true;
    return false;
}

static void set_agents(struct sync_state *s, const struct exec_block_info *b)
{
    const struct ir_func *kernel = b->launch ? b->launch->kernel : NULL;
    if (kernel != s->kernel) {
        s->kernel = kernel;
        s->has_products = has_products(kernel->src);
    }
    s->agents = s->warps + (s->has_products ? (s->warps + SYNC_GROUP_WARPS - 1) / SYNC_GROUP_WARPS : 0);
    memset(s->products, 0, sizeof s->products);
}

/* ---- blocks ---- */

static u32 last_lanes(u32 threads) { return threads % SYNC_LANES ? ~((1u << threads % SYNC_LANES) - 1) : 0; }

void sync_block_begin(struct sync_state *s, const struct exec_block_info *b)
{
    s->block = b;
    s->blocks++;
    s->warps = b->warps;
    s->threads = b->threads;
    set_agents(s, b);
    new_epoch(s);
    if (s->base > 1 << (SYNC_TICK_BITS - 1))
        restart(s);
    s->fenced = false;
    memset(s->fence, 0, sizeof s->fence);
    memset(s->exited, 0, sizeof s->exited);
    memset(s->arrived_only, 0, sizeof s->arrived_only);
    s->exited[b->warps - 1] = last_lanes(b->threads);
}

static struct sync_state *make(struct check_worker *w)
{
    struct sync_state *s = check_alloc_aligned(&w->mem, sizeof *s, 64);
    if (!s)
        return NULL;
    s->mem = &w->mem;
    s->next = w->of.sync;
    return w->of.sync = s;
}

/* Moves the state to the head of the list. */
static struct sync_state *bring(struct check_worker *w, const struct exec_block_info *b)
{
    for (struct sync_state **at = &w->of.sync; *at; at = &(*at)->next)
        if ((*at)->block == b) {
            struct sync_state *s = *at;
            *at = s->next;
            s->next = w->of.sync;
            return w->of.sync = s;
        }
    return NULL;
}

struct sync_state *sync_find(struct check_worker *w, const struct exec_block_info *b) { return b ? bring(w, b) : NULL; }

/* ---- the instrument ---- */

static void on_block_begin(struct check_worker *w, const struct exec_block_info *b)
{
    struct sync_state *s = bring(w, NULL);
    if (!s)
        s = make(w);
    if (s)
        sync_block_begin(s, b);
}

/* At the head of the list still: the next block takes this state. */
static void on_block_end(struct check_worker *w, const struct exec_block_info *b)
{
    struct sync_state *s = sync_of(w, b);
    if (s)
        s->block = NULL;
}

static void on_barrier(struct check_worker *w, const struct exec_barrier *b)
{
    struct sync_state *s = sync_of(w, b->block);
    if (s)
        sync_arrive(s, b);
}

static void on_release(struct check_worker *w, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    struct sync_state *s = sync_of(w, b);
    if (s)
        sync_release(s, id, lanes);
}

static void on_warp_sync(struct check_worker *w, const struct exec_warp_sync *x)
{
    struct sync_state *s = x->orders ? sync_of(w, x->block) : NULL;
    if (s && x->lanes)
        sync_warp(s, x->warp, x->lanes);
}

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    struct sync_state *s = sync_of(w, o->block);
    if (!s)
        return;
    if (o->op == EXEC_FENCE)
        sync_fence(s, o->warp, o->mask);
    s->early = 0;
    if (o->addr && o->op == EXEC_MBARRIER_INIT)
        note_init(s, o);
    if (!o->addr || (o->op != EXEC_MBARRIER_ARRIVE && o->op != EXEC_MBARRIER_COPIES && o->op != EXEC_MBARRIER_WAIT))
        return;
    for (u32 left = o->mask, same; left; left &= ~same) { /* usually all lanes name one object */
        const u64 address = o->addr[__builtin_ctz(left)];
        same = 0;
        EACH_LANE(l, left)
            same |= (u32)(o->addr[l] == address) << l;
        if (!o->bulk)
            look_for_init(s, o->warp, same, address);
        if (o->op == EXEC_MBARRIER_WAIT)
            sync_mbarrier_wait(s, o->warp, same, address);
        else
            sync_mbarrier_arrive(s, o->warp, same, address);
    }
}

static void on_exit_lanes(struct check_worker *w, const struct exec_block_info *b, u32 warp, u32 mask)
{
    struct sync_state *s = sync_of(w, b);
    if (s)
        s->exited[warp] |= mask;
}

const struct check_instrument instrument_sync = {
    .tools = CHECK_RACECHECK,
    .block_begin = on_block_begin,
    .block_end = on_block_end,
    .barrier = on_barrier,
    .release = on_release,
    .warp_sync = on_warp_sync,
    .order = on_order,
    .exit = on_exit_lanes,
};
