/* cluster.c - clusters: where their blocks are, their barrier, how they begin and end. */
#include "exec/sync/cluster.h"

/* ---- addresses ---- */

u32 cluster_rank(const struct warp *w) { return w->block->rank; }

bool cluster_has_others(const struct warp *w) { return w->block->grid->cluster_size > 1; }

u8 *cluster_memory(struct warp *w, u64 offset, u64 bytes)
{
    const u32 rank = cluster_owner(offset, w->block->rank);
    const u64 at = offset % CLUSTER_STRIDE;
    if (rank >= w->block->grid->cluster_size)
        return NULL;
    const struct block *b = w->block->cluster ? w->block->cluster->blocks[rank] : w->block;
    return at < b->info.shared_bytes && b->info.shared_bytes - at >= bytes ? b->shared + at : NULL;
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
    c->idle = 0;
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
    if (--c->live)
        return;
    for (u32 k = 0; k < c->size; k++)
        worker_free_block(w, c->blocks[k]);
    c->next = w->free_clusters;
    w->free_clusters = c;
}
