/* worker.c - a worker's blocks: which they are, in which order they begin, and which of them goes on.
 *
 * Block b goes to SM b mod n, and an SM to a worker, or blocks in a row do, so what a block sees does not depend on timing. A
 * worker runs its blocks in launch order, one at a time. A block that only spins is put aside and another one started, up to what
 * the device could hold, so blocks may wait for later ones (grid barriers) as well as for earlier ones (look-back). As
 * each of those put aside polls in vain in its turn, there are to be few: more are started only when all of them do.
 *
 * A worker is what its blocks need of memory, counters and caches; crew.c says which thread runs it. What it needs is
 * made when it runs first; where the same thread ran another one before, which is done, it takes over what that had. */
#include "exec/sched.h"
#include "exec/sync/cluster.h"
#include "exec/sync/weak.h"

/* So many blocks of a worker may be put aside before no more are started, at first. */
enum { LIVE_LEAST = 8 };

/* A worker's own tables for a function that it runs for the first time. */
void worker_knows(struct worker *w, const struct exec_func *f)
{
    if (!w->sites[f->number])
        w->sites[f->number] = arena_array(&w->mem, struct site_cache, f->src->ninsts + 1);
    struct exec_counts *c = w->counts ? &w->counts[f->number] : NULL;
    if (c && !c->blocks && !c->sites)
        *c = w->grid->launch->hooks->counts(w->hook_ctx, f->ir);
}

void worker_init(struct worker *w, struct grid *g, unsigned index)
{
    const struct exec_launch *l = g->launch;
    w->grid = g;
    w->index = index;
    w->driver = NOBODY;
    w->places = (g->places - index + g->nworkers - 1) / g->nworkers;
    w->at = &w->live;
    w->nlive_most = g->resident < LIVE_LEAST ? g->resident : LIVE_LEAST;
    w->help_at = UINT64_MAX;
    w->mem.name = "launch";
    w->rng = l->seed * 2654435761u + index;
    w->print_last = &w->print_first;
    pthread_cond_init(&w->wake, NULL);
    if (l->hooks && l->hooks->worker_begin)
        w->hook_ctx = l->hooks->worker_begin(l->hooks->launch, index);
}

/* The worker's first turn. By the thread that runs it, so that its memory is near. */
static void prepare(struct worker *w)
{
    const struct grid *g = w->grid;
    struct worker *from = w->heir_of;
    w->ready = true;
    w->sites = from ? from->sites : arena_array(&w->mem, struct site_cache *, g->module->nfuncs);
    if (g->mode == IR_TRACED && g->launch->hooks->counts)
        w->counts = arena_array(&w->mem, struct exec_counts, g->module->nfuncs);
    if (g->kernel->ir->has_calls)
        w->free_frames = arena_array(&w->mem, struct frame *, g->module->nfuncs);
    worker_knows(w, g->kernel);
    if (from && from->free_blocks && block_pass(from->free_blocks, w)) {
        w->free_blocks = from->free_blocks;
        w->free_blocks->next = from->free_blocks = NULL;
    }
    if (g->launch->device->weak_memory)
        weak_worker_begin(w);
}

/* ---- which blocks are its own ---- */

struct block_place worker_place_of(const struct grid *g, u64 linear)
{
    return (struct block_place){
        .linear = linear, .sm = (u32)(linear % g->places) * g->cluster_size, .slot = (u32)(linear / g->places)};
}

/* Where a worker's n-th block stands; false past the last. Of clusters: the SM of its first block, and its own number. */
static bool place_of(const struct worker *w, u64 n, struct block_place *at)
{
    const struct grid *g = w->grid;
    if (g->run) {
        const u64 run = n / g->run;
        *at = worker_place_of(g, (run * g->nworkers + w->index) * g->run + (n - run * g->run));
        return at->linear < g->nplaced;
    }
    const u64 round = n >> 32 ? n / w->places : (u32)n / w->places;
    const u32 place = w->index + (u32)(n - round * w->places) * g->nworkers;
    at->sm = place * g->cluster_size;
    at->slot = (u32)round;
    at->linear = round * g->places + place;
    return at->linear < g->nplaced;
}

/* The linear number of a worker's n-th block, or UINT64_MAX past the last. */
static u64 block_number(const struct worker *w, u64 n)
{
    struct block_place at;
    return place_of(w, n, &at) ? at.linear : UINT64_MAX;
}

/* The place of a worker's n-th block in the order in which it takes them up with a seed: n, shuffled by hands. A
 * hand is no more than may be under way at once, so that a block which waits for an earlier one finds it started. */
static u64 dealt(struct worker *w, u64 n)
{
    const u64 most = w->grid->resident < LS_ARRAY_LEN(w->hand) ? w->grid->resident : LS_ARRAY_LEN(w->hand);
    if (n % most == 0) {
        u32 len = 0;
        for (; len < most && block_number(w, n + len) != UINT64_MAX; len++)
            w->hand[len] = (u8)len;
        for (u32 k = len; k > 1; k--) {
            const u32 other = (u32)(worker_random(w) % k);
            const u8 swap = w->hand[k - 1];
            w->hand[k - 1] = w->hand[other];
            w->hand[other] = swap;
        }
        if (!len)
            return n;
    }
    return block_number(w, n) == UINT64_MAX ? n : n - n % most + w->hand[n % most];
}

u64 worker_next(const struct worker *w) { return block_number(w, w->next); }

/* ---- their turns ---- */

bool worker_place(struct worker *w, struct block_place *at)
{
    const bool any = place_of(w, w->grid->launch->seed ? dealt(w, w->next) : w->next, at);
    w->next += any;
    return any;
}

struct block *worker_block(struct worker *w)
{
    struct block *b = w->free_blocks;
    if (!b)
        return block_new(w);
    w->free_blocks = b->next;
    return b;
}

void worker_free_block(struct worker *w, struct block *b)
{
    b->next = w->free_blocks;
    w->free_blocks = b;
}

static struct block *start_block(struct worker *w)
{
    struct block_place at;
    if (w->grid->cluster_size > 1)
        return cluster_begin(w);
    if (!worker_place(w, &at))
        return NULL;
    struct block *b = worker_block(w);
    block_begin(b, &at);
    return b;
}

/* Puts a block into the list of those put aside, by its number. A block that came from there remembers its place. */
void worker_put_aside(struct worker *w, struct block *b)
{
    struct block **to = b->info.linear < w->last ? &w->live : w->at;
    while (*to && (*to)->info.linear < b->info.linear)
        to = &(*to)->next;
    b->next = *to;
    *to = b;
    if (to == w->at && b->info.linear == w->last)
        w->at = &b->next;
    w->nlive++;
}

const struct block *worker_waiting(const struct worker *w) { return *w->at ? *w->at : w->live; }

/* Round and round, from the lowest number to the highest: where each block waits for the one before it, one round
 * serves them all. */
static struct block *take_up(struct worker *w)
{
    if (!*w->at)
        w->at = &w->live;
    struct block *b = *w->at;
    if (b) {
        *w->at = b->next;
        w->last = b->info.linear;
        w->nlive--;
    }
    return b;
}

/* Few blocks are put aside at first, so that a round of them is short; more when a whole round brought nothing, for
 * what all of them wait for may be a block that has not been started. */
static void note_turn(struct worker *w, enum block_end end)
{
    w->idle = end == BLOCK_IDLE || end == BLOCK_LONG ? w->idle + 1 : 0;
    if (end == BLOCK_DONE && w->nlive_most > LIVE_LEAST)
        w->nlive_most -= (w->nlive_most - LIVE_LEAST + 7) / 8;
    if (w->idle <= w->nlive)
        return;
    w->nlive_most = w->nlive_most * 2 < w->grid->resident ? w->nlive_most * 2 : w->grid->resident;
    w->idle = 0;
}

/* Whether a block is started rather than one taken up that was put aside. The blocks of a cluster wait for each other: they
 * have their turns first. */
static bool may_start(const struct worker *w)
{
    return w->nlive < w->nlive_most && (w->grid->cluster_size == 1 || w->idle >= w->nlive);
}

/* Another thread may read the count meanwhile (progress.c). */
static void count_blocks(struct worker *w, u32 n) { __atomic_store_n(&w->blocks, w->blocks + n, __ATOMIC_RELAXED); }

/* How many of the worker's next blocks, the first of which is at that place, follow each other in x. */
static u64 in_a_row(const struct worker *w, const struct block_place *at)
{
    const struct grid *g = w->grid;
    const u32 width = g->launch->grid[0];
    const u64 left = width - at->linear % width, mine = g->run ? g->run - w->next % g->run : g->nworkers > 1 ? 1 : left;
    return left < mine ? left : mine;
}

/* Blocks of straight code are short: some more follow at once in the place of one that is done. What worker_step does with a
 * block that is done is done here for each that has another one behind it. */
static enum block_end run_more(struct worker *w, struct block *b)
{
    struct block_place at;
    enum block_end end = BLOCK_DONE;
    u32 ran;
    for (u32 n = w->nlive ? 0 : block_repeats(b); n && end == BLOCK_DONE && place_of(w, w->next, &at); n -= ran) {
        const u64 row = in_a_row(w, &at);
        end = block_repeat(b, &at, row < n ? (u32)row : n, &ran);
        w->next += ran;
        count_blocks(w, ran);
    }
    return end;
}

bool worker_step(struct worker *w, bool fresh_first, enum block_end *end)
{
    if (LS_UNLIKELY(!w->ready))
        prepare(w);
    struct block *b = fresh_first && may_start(w) ? start_block(w) : NULL;
    if (!b)
        b = take_up(w);
    if (!b)
        b = start_block(w);
    if (!b)
        return false;
    *end = block_run(b);
    if (*end == BLOCK_DONE)
        *end = run_more(w, b);
    if (*end == BLOCK_DONE) {
        if (b->cluster)
            cluster_leave(w, b);
        else
            worker_free_block(w, b);
        count_blocks(w, 1);
    } else {
        worker_put_aside(w, b);
    }
    note_turn(w, *end);
    return true;
}

void worker_no_memory(struct worker *w)
{
    struct exec_fault f = {.kind = FAULT_NOMEM, .kernel = w->grid->kernel->src->name};
    grid_fault(w->grid, &f);
}
