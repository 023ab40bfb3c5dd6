/* block.c - a block: its memory, and the loop over its warps. */
#include <sched.h>
#include <string.h>

#include "exec/sched.h"
#include "exec/sync/cluster.h"
#include "exec/sync/flight.h"
#include "exec/sync/weak.h"
#include "exec/sync/wgmma.h"
#include "exec/tier/tier.h"

/* How many turns a block whose warps only spin gets before another block runs. */
enum { PATIENCE = 2 };
/* A block may also spin with a barrier in each iteration, which looks like a block that does much work with atomics.
 * After this many rounds with polls another block runs; the next time after fewer. */
enum { PATIENCE_LONG = 4096, PATIENCE_LEAST = 64 };
/* After so many rounds in which all of a block only asked for phases of mbarriers, none will end: a deadlock. A program
 * that asks with a time limit has long given up. */
enum { STUCK = 1 << 14 };
/* How often a block that gets on looks at the clock. */
enum { WATCH_ROUNDS = 256 };

static u64 frame_stride(const struct grid *g) { return ls_align_up(g->kernel->ir->frame_bytes, 64); }
static u64 area_bytes(const struct grid *g) { return ls_align_up(g->kernel->ir->call_bytes, 16) * IR_LANES; }

/* Bytes of a lane's local memory, of all lanes of a warp. */
static u64 local_bytes(const struct grid *g) { return ls_align_up(g->local_bytes * IR_LANES, 64); }
static u64 warp_bytes(const struct grid *g)
{
    return frame_stride(g) + ls_align_up(area_bytes(g), 64) + local_bytes(g);
}

/* One piece of memory for all warps: registers | call areas | local memory | shared memory. */
struct block *block_new(struct worker *wk)
{
    struct grid *g = wk->grid;
    struct block *b = arena_alloc(&wk->mem, sizeof *b + sizeof(struct warp) * g->nwarps);
    const u64 per_warp = warp_bytes(g);
    b->memory = arena_alloc_aligned(&wk->mem, per_warp * g->nwarps + 64, 64);
    const u64 shared_bytes = g->scratch_at ? g->scratch_at + SCRATCH_BYTES : g->shared_bytes;
    b->shared = arena_alloc_aligned(&wk->mem, ls_align_up(shared_bytes, 64) + 64, 128);
    b->frames = arena_array(&wk->mem, struct frame, g->nwarps);
    b->grid = g;
    b->worker = wk;
    b->info.threads = g->nthreads;
    b->info.warps = g->nwarps;
    b->info.shared = b->shared;
    b->info.shared_bytes = shared_bytes;
    b->info.reserved_at = g->scratch_at ? g->scratch_at : shared_bytes;
    b->info.launch = g->launch;
    b->info.cluster_size = g->cluster_size ? g->cluster_size : 1;
    for (u32 k = 0; k < g->nwarps; k++) {
        struct warp *w = &b->warps[k];
        struct frame *f = &b->frames[k];
        u8 *at = b->memory + per_warp * k;
        *f = (struct frame){.func = g->kernel,
                            .regs = at,
                            .out = at + frame_stride(g),
                            .out_stride = (u32)ls_align_up(g->kernel->ir->call_bytes, 16)};
        w->local = at + frame_stride(g) + ls_align_up(area_bytes(g), 64);
        w->local_bytes = g->local_bytes;
        w->shared = b->shared;
        w->shared_bytes = shared_bytes;
        w->shared_at = 0;
        w->shared_window = mem_shared_window(g->launch->device->mem);
        w->local_window = mem_local_window(g->launch->device->mem);
        w->hooks = g->launch->hooks;
        w->hook_ctx = wk->hook_ctx;
        w->mem = g->launch->device->mem;
        w->block = b;
        w->worker = wk;
        w->index = k;
        w->info = &b->info;
        frame_fill(w, f);
    }
    frames_find_moving(b);
    if (g->mode == IR_TIMED)
        clock_block_new(b);
    if (wk->weak)
        weak_block_new(b);
    return b;
}

bool block_pass(struct block *b, struct worker *to)
{
    enum { MOST = 64 << 10 }; /* bytes to clear */
    const struct grid *g = b->grid;
    const u32 consts = g->kernel->ir->consts_at;
    if (warp_bytes(g) * g->nwarps + b->info.shared_bytes > MOST)
        return false;
    b->worker = to;
    for (u32 k = 0; k < g->nwarps; k++) {
        b->warps[k].worker = to;
        b->warps[k].hook_ctx = to->hook_ctx;
        memset(b->frames[k].regs, 0, consts);
        memset(b->frames[k].out, 0, warp_bytes(g) - frame_stride(g));
    }
    memset(b->shared, 0, b->info.shared_bytes);
    return true;
}

/* %ctaid. Grids of one dimension, and of less than 2^32 blocks, need no division of 64 bits. */
static void number(const struct grid *g, u64 linear, u32 id[3])
{
    const u32 *dim = g->launch->grid;
    const u64 row = dim[1] == 1 && dim[2] == 1 ? 0 : linear >> 32 ? linear / dim[0] : (u32)linear / dim[0];
    id[0] = (u32)(linear - row * dim[0]);
    id[1] = !row ? 0 : (u32)(row % dim[1]);
    id[2] = dim[2] == 1 ? 0 : (u32)(row / dim[1]);
}

/* Where its shared memory is among the addresses of the cluster's. */
static void take_rank(struct block *b)
{
    for (u32 k = 0; k < b->info.warps; k++) {
        struct warp *w = &b->warps[k];
        const u64 window = warp_cluster_window(w);
        w->shared_at = cluster_base(b->rank);
        w->shared_window = window + w->shared_at;
    }
}

/* What is a block's own when it begins, in memory that has had another one. */
static void renew(struct block *b, const struct block_place *at)
{
    const struct grid *g = b->grid;
    b->info.linear = at->linear;
    if (b->cluster)
        take_rank(b);
    else
        b->info.cluster = at->linear;
    b->info.sm = at->sm;
    b->info.slot = at->slot;
    number(g, at->linear, b->info.id);
    b->live_warps = g->nwarps;
    b->quantum = QUANTUM;
    b->patience = PATIENCE_LONG;
    b->exited_threads = 0;
    b->phases = b->stuck = 0;
    b->launches = b->handles = 0;
}

void block_begin(struct block *b, const struct block_place *at)
{
    const struct grid *g = b->grid;
    renew(b, at);
    if (g->scratch_at)
        memset(b->shared + g->scratch_at, 0, SCRATCH_BYTES);
    if (b->errors)
        memset(b->errors, 0, sizeof *b->errors * g->nwarps * IR_LANES);
    for (; b->open_barriers; b->open_barriers &= b->open_barriers - 1)
        b->barriers[__builtin_ctz(b->open_barriers)] = (struct barrier){0};
    if (b->wgmma)
        wgmma_block_begin(b);
    b->tier = tier_for(b->worker);
    b->in_code = b->tier && tier_begin(b);
    if (!b->in_code) {
        frames_move(b);
        for (u32 k = 0; k < g->nwarps; k++)
            warp_begin(&b->warps[k], k + 1 == g->nwarps ? g->last_mask : FULL_MASK);
    }
    if (g->mode == IR_TIMED)
        clock_block_begin(b);
    if (g->launch->hooks && g->launch->hooks->block_begin)
        g->launch->hooks->block_begin(b->worker->hook_ctx, &b->info);
}

u32 block_repeats(const struct block *b)
{
    enum { MOST = 64 };
    const struct grid *g = b->grid;
    const struct exec_hooks *hooks = g->launch->hooks;
    const bool plain = !g->scratch_at && !b->errors && !b->open_barriers && g->mode != IR_TIMED && !g->launch->seed &&
                       !(hooks && (hooks->block_begin || hooks->block_end));
    return b->in_code && plain && tier_is_straight(b->tier) ? MOST : 0;
}

void block_follow(struct block *b, u32 x)
{
    const struct block_place at = worker_place_of(b->grid, b->info.linear + (x - b->info.id[0]));
    renew(b, &at);
}

enum block_end block_repeat(struct block *b, const struct block_place *at, u32 most, u32 *ran)
{
    enum block_end end;
    renew(b, at);
    const bool in_code = tier_repeat(b, most, &end);
    *ran = (u32)(b->info.linear - at->linear) + 1;
    if (!in_code)
        return block_run(b);
    if (end == BLOCK_DONE && b->flight)
        flight_land_all(b);
    return end;
}

void block_deal_turns(struct block *b, u8 *turns)
{
    struct worker *wk = b->worker;
    for (u32 k = 0; k < b->info.warps; k++)
        turns[k] = (u8)k;
    for (u32 k = b->info.warps; b->grid->launch->seed && k > 1; k--) {
        u32 other = (u32)(worker_random(wk) % k);
        u8 swap = turns[k - 1];
        turns[k - 1] = turns[other];
        turns[other] = swap;
    }
}

/* One turn for every warp that can run. */
struct round {
    bool ran;    /* somebody could run */
    bool moved;  /* a warp did not use its whole quantum: it waits, or is done */
    bool polled; /* a warp read memory that others may write: it may be spinning */
    bool stuck;  /* everybody only waited for mbarriers, and no phase ended */
    bool fault;
};

static struct round run_round(struct block *b)
{
    struct round r = {.stuck = true};
    const u32 phases = b->phases;
    u8 turns[MAX_WARPS];
    block_deal_turns(b, turns);
    for (u32 n = 0; n < b->info.warps; n++) {
        struct warp *w = &b->warps[turns[n]];
        if (!w->ready)
            continue;
        warp_run(w);
        r.ran = true;
        r.moved |= !w->ready;
        r.polled |= w->polled != 0;
        r.stuck &= w->ready && warp_only_waits(w);
        b->live_warps -= w->exited == FULL_MASK;
        if (w->stop == STOP_FAULT) {
            r.fault = true;
            break;
        }
    }
    r.moved |= b->phases != phases;
    r.stuck &= r.ran && !r.moved;
    return r;
}

/* Nothing can run: lanes that wait at a join for others, which wait at a barrier for them, go on alone. */
static bool release_parked(struct block *b)
{
    bool any = false;
    for (u32 k = 0; k < b->info.warps; k++)
        any |= warp_release(&b->warps[k], FULL_MASK);
    return any;
}

/* What a block waits for may be what another thread does. Threads of the grid need no help: one that mostly polls lends its
 * workers and sleeps (crew.c), while a thread that yields where other programs want the processors is a time slice late at
 * every handover. So only the last one awake, with nothing else to run, makes way for the program's. Weak memory is the
 * exception: what a block remembers fades round by round, so one that polled at full speed would have forgotten it before
 * the other thread has stored anything. */
static void let_others_run(struct block *b)
{
    struct worker *wk = b->worker;
    const bool alone = atomic_load_explicit(&b->grid->awake, memory_order_relaxed) == 1;
    wk->polling += IDLE_ROUND_NS;
    if (alone ? !wk->nlive : b->weak != NULL)
        sched_yield();
}

enum block_end block_run(struct block *b)
{
    const struct exec_hooks *hooks = b->grid->launch->hooks;
    enum block_end end;
    if (b->in_code && tier_block(b, &end)) {
        if (end == BLOCK_DONE && b->flight)
            flight_land_all(b);
        if (end == BLOCK_DONE && hooks && hooks->block_end)
            hooks->block_end(b->worker->hook_ctx, &b->info);
        return end;
    }
    for (u32 idle = 0, polls = 0, rounds = 1;; rounds++) {
        struct round r = run_round(b);
        if (r.fault)
            return BLOCK_STOPPED;
        if (b->weak)
            weak_round(b, false);
        if (!b->live_warps)
            break;
        b->stuck = r.stuck ? b->stuck + 1 : 0;
        if (r.ran && b->cluster)
            b->cluster->idle = 0;
        const bool at_rest = !r.ran && !release_parked(b);
        /* what is polled may be what a copy brings */
        const bool waits = at_rest || (!r.moved && (r.polled || r.stuck));
        if (waits && b->flight && flight_land_all(b) && at_rest)
            continue;
        if (at_rest && cluster_may_wait(b))
            return BLOCK_IDLE;
        if (at_rest || b->stuck > STUCK) {
            block_deadlock(b);
            return BLOCK_STOPPED;
        }
        if ((!r.moved || rounds % WATCH_ROUNDS == 0) && !block_watch(b))
            return BLOCK_STOPPED;
        if (r.stuck)
            release_parked(b);
        idle = r.moved || !(r.polled || r.stuck) ? 0 : idle + 1;
        if (idle)
            let_others_run(b);
        if (idle >= PATIENCE || (idle && b->quantum < QUANTUM)) {
            if (b->weak)
                weak_round(b, true);
            b->quantum = QUANTUM_AGAIN;
            return rounds == idle ? BLOCK_IDLE : BLOCK_ASIDE;
        }
        polls += r.polled;
        if (polls > b->patience) {
            b->patience = b->patience > 2 * PATIENCE_LEAST ? b->patience / 2 : PATIENCE_LEAST;
            return BLOCK_LONG;
        }
        if (!idle)
            b->quantum = QUANTUM;
    }
    if (b->flight)
        flight_land_all(b);
    if (b->weak)
        weak_block_end(b);
    if (b->grid->mode == IR_TIMED)
        clock_block_end(b);
    if (hooks && hooks->block_end)
        hooks->block_end(b->worker->hook_ctx, &b->info);
    return BLOCK_DONE;
}
