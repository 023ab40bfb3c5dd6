/* barrier.c - the sixteen barriers of a block (PTX ISA 9.7.13.1) and the one of its cluster.
 *
 * Lanes arrive one by one, whatever split they are in, so a barrier in divergent code completes when all have come by
 * different paths (a finding for the checks, not a hang). Without a thread count a barrier waits for every thread of
 * the block that has not exited. With one it waits for that many: a warp all of whose remaining lanes have arrived
 * counts as 32, as the hardware counts warps. It counts arrivals: a warp that arrives without waiting and comes once more in the
 * same phase counts twice. */
#include <string.h>

#include "exec/sched.h"
#include "exec/sync/cluster.h"
#include "exec/sync/weak.h"

enum { HAS_COUNT = 1, IS_ALIGNED = 2 }; /* ir_inst.aux, as emitted */

static u32 active_count(const struct warp *w) { return (u32)__builtin_popcount(~w->exited); }

static u32 counts_as(const struct warp *w, u32 lanes)
{
    const u32 n = (u32)__builtin_popcount(lanes);
    return n && n >= active_count(w) ? IR_LANES : n;
}

/* Threads that a counted barrier has: whole warps count 32. */
static u32 counted(const struct block *b, const struct barrier *bar)
{
    u32 sum = bar->again;
    for (u32 k = 0; k < b->info.warps; k++)
        sum += counts_as(&b->warps[k], bar->lanes[k]);
    return sum;
}

static bool complete(const struct block *b, const struct barrier *bar)
{
    if (bar->threads)
        return counted(b, bar) >= bar->threads;
    return bar->arrived + b->exited_threads >= b->info.threads;
}

/* Writes the result of bar.red and lets a waiting split go on. */
static void give_result(struct warp *w, struct split *s, const struct barrier *bar)
{
    const struct ir_inst *pc = s->pc;
    u32 *d = (u32 *)(void *)(s->frame->regs + pc->d);
    switch (s->sync) {
    case BARRIER_POPC:
        for (u32 m = s->mask; m; m &= m - 1)
            d[__builtin_ctz(m)] = bar->popc;
        break;
    case BARRIER_AND:
        *d = (*d & ~s->mask) | (bar->all ? s->mask : 0);
        break;
    case BARRIER_OR:
        *d = (*d & ~s->mask) | (bar->any ? s->mask : 0);
        break;
    case BARRIER_ARRIVE: /* the cluster's, where it had arrived already: once more */
        warp_wake(w, s);
        s->pc = pc;
        return;
    default:
        break;
    }
    warp_wake(w, s);
}

static void open_barrier(struct block *b, unsigned id, u32 threads)
{
    b->open_barriers |= 1u << id;
    b->barriers[id].threads = threads;
    b->barriers[id].all = 1;
}

void block_release(struct block *b, unsigned id)
{
    struct barrier *bar = &b->barriers[id];
    const struct exec_hooks *hooks = b->grid->launch->hooks;
    if (hooks && hooks->release)
        hooks->release(b->worker->hook_ctx, &b->info, id, bar->lanes);
    for (u32 k = 0; k < b->info.warps; k++) {
        struct warp *w = &b->warps[k];
        for (u32 s = 0; s < w->nsplits && w->blocked; s++)
            if (w->splits[s].state == SPLIT_BARRIER && w->splits[s].barrier == id) {
                clock_release(w, bar->latest);
                give_result(w, &w->splits[s], bar);
            }
        if (!w->block->grid->launch->one_lane)
            warp_merge(w);
    }
    memset(bar, 0, sizeof *bar);
    b->open_barriers &= ~(1u << id);
}

/* A thread that has arrived without waiting may exit before the others come: it counts once, as exited. */
void block_exit_barriers(struct block *b, u32 warp, u32 lanes)
{
    for (u32 open = b->open_barriers; open; open &= open - 1) {
        unsigned id = (unsigned)__builtin_ctz(open);
        struct barrier *bar = &b->barriers[id];
        bar->arrived -= (u32)__builtin_popcount(bar->lanes[warp] & lanes);
        if (id == CLUSTER_BARRIER && b->cluster)
            continue;
        if (complete(b, bar))
            block_release(b, id);
    }
    if (b->cluster)
        cluster_barrier_try(b);
}

static void arrive(struct warp *w, struct barrier *bar, u32 predicate)
{
    u32 yes = predicate & w->mask;
    bar->again += counts_as(w, bar->lanes[w->index] & w->mask);
    bar->lanes[w->index] |= w->mask;
    bar->arrived += (u32)__builtin_popcount(w->mask);
    bar->popc += (u32)__builtin_popcount(yes);
    bar->all &= yes == w->mask;
    bar->any |= yes != 0;
    clock_arrive(w, &bar->latest);
}

/* The id and count of the first active lane; the manual wants them equal in all lanes of the warp. */
static const struct ir_inst *bad_barrier(struct warp *w, const struct ir_inst *pc, const char *what, u32 value)
{
    struct exec_fault f = {.kind = FAULT_BAD_BARRIER, .address = value};
    fault_place(w, pc, (unsigned)__builtin_ctz(w->mask), &f);
    strncpy(f.detail, what, sizeof f.detail - 1);
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return NULL;
}

static void announce(struct warp *w, const struct ir_inst *pc, u32 id, u32 threads, enum exec_barrier_op op,
                     bool aligned)
{
    if (!w->hooks || !w->hooks->barrier)
        return;
    const struct exec_barrier e = {.func = w->func,
                                   .site = pc->site,
                                   .warp = w->index,
                                   .mask = w->mask,
                                   .exited = w->exited,
                                   .id = (u8)id,
                                   .op = (u8)op,
                                   .aligned = aligned,
                                   .threads = threads,
                                   .block = w->info};
    w->hooks->barrier(w->hook_ctx, &e);
}

static enum exec_barrier_op kind_of(enum barrier_op op)
{
    return op == BARRIER_SYNC ? EXEC_BARRIER_SYNC : op == BARRIER_ARRIVE ? EXEC_BARRIER_ARRIVE : EXEC_BARRIER_REDUCE;
}

const struct ir_inst *warp_barrier(struct warp *w, const struct ir_inst *pc, u8 *regs, enum barrier_op op)
{
    struct block *b = w->block;
    u32 lane = (u32)__builtin_ctz(w->mask);
    u32 id = ((const u32 *)(const void *)(regs + pc->a))[lane];
    u32 threads = pc->aux & HAS_COUNT ? ((const u32 *)(const void *)(regs + pc->b))[lane] : 0;
    u32 predicate = op >= BARRIER_POPC ? *(const u32 *)(const void *)(regs + pc->c) : 0;
    if (id >= BARRIERS)
        return bad_barrier(w, pc, "barrier numbers go from 0 to 15", id);
    if (pc->aux & HAS_COUNT && (!threads || threads % IR_LANES))
        return bad_barrier(w, pc, "the thread count of a barrier is a positive multiple of 32", threads);
    announce(w, pc, id, threads, kind_of(op), pc->aux & IS_ALIGNED);
    if (w->weak)
        weak_fence_block(w);
    struct barrier *bar = &b->barriers[id];
    if (!(b->open_barriers >> id & 1))
        open_barrier(b, id, threads);
    arrive(w, bar, predicate);
    if (op == BARRIER_ARRIVE) {
        if (complete(b, bar))
            block_release(b, id);
        return pc + 1;
    }
    w->split->barrier = (u8)id;
    w->split->sync = (u8)op;
    warp_block(w, pc, SPLIT_BARRIER);
    if (complete(b, bar))
        block_release(b, id);
    return NULL;
}

/* ---- barrier.cluster (9.7.13.3): each block has a part of it; one that is a cluster by itself has all ---- */

static void try_cluster(struct block *b, const struct barrier *bar)
{
    if (b->cluster)
        cluster_barrier_try(b);
    else if (complete(b, bar))
        block_release(b, CLUSTER_BARRIER);
}

/* Who has arrived and not waited, and arrives again, comes to a stop until all have come, as on an H200: then it arrives for the
 * next time. */
const struct ir_inst *warp_cluster_arrive(struct warp *w, const struct ir_inst *pc)
{
    struct block *b = w->block;
    struct barrier *bar = &b->barriers[CLUSTER_BARRIER];
    announce(w, pc, CLUSTER_BARRIER, 0, EXEC_BARRIER_ARRIVE, false);
    if (w->weak)
        weak_fence_block(w);
    if (!(b->open_barriers >> CLUSTER_BARRIER & 1))
        open_barrier(b, CLUSTER_BARRIER, 0);
    if (bar->lanes[w->index] & w->mask) {
        w->split->barrier = CLUSTER_BARRIER;
        w->split->sync = BARRIER_ARRIVE;
        warp_block(w, pc, SPLIT_BARRIER);
        return NULL;
    }
    arrive(w, bar, 0);
    try_cluster(b, bar);
    return pc + 1;
}

/* Lanes that are still among the arrived wait for the others; the rest was released already. */
const struct ir_inst *warp_cluster_wait(struct warp *w, const struct ir_inst *pc)
{
    const struct block *b = w->block;
    cluster_tell_wait(w, pc);
    if (!(b->barriers[CLUSTER_BARRIER].lanes[w->index] & w->mask))
        return pc + 1;
    w->split->barrier = CLUSTER_BARRIER;
    w->split->sync = BARRIER_SYNC;
    warp_block(w, pc, SPLIT_BARRIER);
    return NULL;
}
