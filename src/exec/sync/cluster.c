/* cluster.c - clusters: where their blocks are, their barrier, how they begin and end. */
#include "exec/sync/cluster.h"

#include <stdio.h>

/* ---- addresses ---- */

u32 cluster_rank(const struct warp *w) { return w->block->rank; }

bool cluster_has_others(const struct warp *w) { return w->block->grid->cluster_size > 1; }

u8 *cluster_memory(struct warp *w, u64 offset, u64 bytes)
{
    const u32 rank = cluster_owner(offset, w->block->rank);
    const u64 at = offset % CLUSTER_STRIDE;
    if (rank >= w->block->grid->cluster_size || cluster_has_ended(w, offset))
        return NULL;
    const struct block *b = w->block->cluster ? w->block->cluster->blocks[rank] : w->block;
    return at < b->info.shared_bytes && b->info.shared_bytes - at >= bytes ? b->shared + at : NULL;
}

bool cluster_has_ended(const struct warp *w, u64 offset)
{
    const struct cluster *c = w->block->cluster;
    return c && offset >= CLUSTER_STRIDE && c->ended >> cluster_owner(offset, w->block->rank) & 1;
}

void cluster_describe(const struct warp *w, u64 offset, char *buf, size_t n)
{
    const u32 rank = cluster_owner(offset, w->block->rank), size = w->block->grid->cluster_size;
    if (rank >= size)
        snprintf(buf, n, "the cluster has %u block%s, none of rank %u", size, size == 1 ? "" : "s", rank);
    else if (cluster_has_ended(w, offset))
        snprintf(buf, n, "block %u of the cluster has exited", rank);
    else
        snprintf(buf, n, "0x%llx in block %u of the cluster, which has %llu bytes of shared memory",
                 (unsigned long long)(offset % CLUSTER_STRIDE), rank, (unsigned long long)w->shared_bytes);
}

struct block *cluster_block_of(const struct warp *w, const void *memory)
{
    const struct cluster *c = w->block->cluster;
    const uintptr_t at = (uintptr_t)memory;
    for (u32 k = 0; c && k < c->size; k++)
        if (at - (uintptr_t)c->blocks[k]->shared < c->blocks[k]->info.shared_bytes)
            return c->blocks[k];
    return w->block;
}

/* ---- events ---- */

void cluster_tell(struct warp *w, const struct exec_access *a)
{
    u64 addr[IR_LANES];
    struct exec_access part = *a;
    part.addr = addr;
    if (!w->hooks || !w->hooks->far_access || !w->block->cluster)
        return;
    for (u32 left = a->mask; left; left &= ~part.mask) {
        const u32 rank = cluster_owner(a->addr[__builtin_ctz(left)], w->block->rank);
        part.mask = 0;
        for (u32 m = left; m; m &= m - 1) {
            const u32 i = (u32)__builtin_ctz(m);
            part.mask |= (u32)(cluster_owner(a->addr[i], w->block->rank) == rank) << i;
            addr[i] = a->addr[i] % CLUSTER_STRIDE;
        }
        w->hooks->far_access(w->hook_ctx, &part, &w->block->cluster->blocks[rank]->info);
        part.again = true;
    }
}

static struct exec_order event(const struct warp *w, const struct ir_inst *pc, enum exec_order_op op, u32 mask)
{
    return (struct exec_order){.func = w->func,
                               .site = pc->site,
                               .warp = w->index,
                               .mask = mask,
                               .op = (u8)op,
                               .scope = EXEC_SCOPE_CLUSTER,
                               .block = w->info};
}

void cluster_tell_mbarrier(struct warp *w, const struct ir_inst *pc, enum exec_order_op op, unsigned lane,
                           const struct block *home, u64 offset, bool bulk)
{
    u64 addr[IR_LANES];
    struct exec_order o = event(w, pc, op, 1u << lane);
    if (!w->hooks || !w->hooks->far_order)
        return;
    addr[lane] = offset;
    o.addr = addr;
    o.bulk = bulk;
    w->hooks->far_order(w->hook_ctx, &o, &home->info);
}

void cluster_tell_wait(struct warp *w, const struct ir_inst *pc)
{
    const struct exec_order o = event(w, pc, EXEC_CLUSTER_WAIT, w->mask);
    if (w->hooks && w->hooks->far_order)
        w->hooks->far_order(w->hook_ctx, &o, w->info);
}

/* ---- the barrier (9.7.13.3) ---- */

/* Exited threads count as arrived. */
static bool all_have_arrived(const struct cluster *c)
{
    u64 there = 0, all = 0;
    for (u32 k = 0; k < c->size; k++) {
        const struct block *b = c->blocks[k];
        there += b->barriers[CLUSTER_BARRIER].arrived + b->exited_threads;
        all += b->info.threads;
    }
    return there >= all;
}

void cluster_barrier_try(struct block *b)
{
    struct cluster *c = b->cluster;
    if (!all_have_arrived(c))
        return;
    for (u32 k = 0; k < c->size; k++)
        if (c->blocks[k]->open_barriers >> CLUSTER_BARRIER & 1)
            block_release(c->blocks[k], CLUSTER_BARRIER);
    c->idle = 0;
}

bool cluster_may_wait(struct block *b)
{
    struct cluster *c = b->cluster;
    /* each of the others has had its turn, and none could run either */
    return c && c->idle++ <= c->size;
}

/* ---- their beginning and end ---- */

/* The number of a block in the grid, by its cluster and its rank there: both count x first. */
static u64 linear_of(const struct grid *g, u64 cluster, u32 rank)
{
    const u32 *in = g->cluster, *grid = g->launch->grid;
    const u64 across = grid[0] / in[0], down = grid[1] / in[1];
    const u64 x = cluster % across * in[0] + rank % in[0];
    const u64 y = cluster / across % down * in[1] + rank / in[0] % in[1];
    const u64 z = cluster / across / down * in[2] + rank / in[0] / in[1];
    return x + grid[0] * (y + grid[1] * z);
}

static struct cluster *new_cluster(struct worker *w)
{
    struct cluster *c = w->free_clusters;
    if (c)
        w->free_clusters = c->next;
    else
        c = arena_new(&w->mem, struct cluster);
    c->size = c->live = w->grid->cluster_size;
    c->idle = c->ended = 0;
    return c;
}

struct block *cluster_begin(struct worker *w)
{
    struct block_place first;
    if (!worker_place(w, &first))
        return NULL;
    struct cluster *c = new_cluster(w);
    for (u32 k = 0; k < c->size;
         k++) { /* all, before one of them begins: its %ctaid may be the first that another asks for */
        c->blocks[k] = worker_block(w);
        c->blocks[k]->cluster = c;
        c->blocks[k]->rank = k;
        c->blocks[k]->info.rank = k;
        c->blocks[k]->info.cluster = linear_of(w->grid, first.linear, 0);
    }
    for (u32 k = 0; k < c->size; k++) {
        const struct block_place at = {linear_of(w->grid, first.linear, k), first.sm + k, first.slot};
        block_begin(c->blocks[k], &at);
        if (k)
            worker_put_aside(w, c->blocks[k]);
    }
    return c->blocks[0];
}

void cluster_leave(struct worker *w, struct block *b)
{
    struct cluster *c = b->cluster;
    c->idle = 0;
    c->ended |= 1u << b->rank;
    if (--c->live)
        return;
    for (u32 k = 0; k < c->size; k++)
        worker_free_block(w, c->blocks[k]);
    c->next = w->free_clusters;
    w->free_clusters = c;
}
