/* weak.c - the store buffers of weak memory; weak.h says what they mean, and what blocks remember of memory.
 *
 * A buffer is a dense array of entries, which no two share a byte, and chains through it by 16-byte chunk of address:
 * a lane's store is naturally aligned, in pieces of at most 16 bytes, so each lies in one chunk. A store over an entry
 * of the same place and size replaces its value (nobody has seen it: as if the two had sunk together); one that
 * overlaps an entry otherwise first sends that down, at once. Both are orders that the model allows, and keep the order
 * of each byte.
 *
 * Invariant: which entry sinks depends on positions in arrays and on the seed, never on addresses, so that a run is
 * reproducible although the host places device memory anew each time (at a page, so that the low bits of an address,
 * which choose where a block remembers it, are the same). */
#include "exec/sync/weak.h"

#include <string.h>
#include <time.h>

#include "exec/sched.h"

enum {
    WARP_ENTRIES = 256, /* two stores of a whole warp of four elements each */
    BLOCK_ENTRIES = 1024,
    CHAINS = 128,
    CHUNK_SHIFT = 4,
    ORPHANS = 64, /* finished blocks whose stores a worker keeps back */
    NONE = 0xffff,
    MEMORIES = 64,
};

struct entry {
    u64 at;
    u8 value[16];
    u16 next; /* in its chain */
    u8 size;
};

struct weak_buffer {
    struct entry *entries; /* NULL until the first store */
    u32 count, capacity;
    struct weak_buffer *below; /* a warp's: its block's. NULL: memory */
    struct weak_block *block;  /* whose memories a store to memory spoils; NULL: it has ended */
    struct weak_pool *pool;
    u16 heads[CHAINS];
};

/* What a block remembers of a chunk of memory. */
struct memory {
    u64 chunk; /* 0: nothing */
    u8 bytes[16];
};

struct weak_block {
    struct weak_buffer own;
    struct memory memories[MEMORIES]; /* by chunk */
    struct weak_buffer warps[];
};

struct weak_pool {
    struct arena *mem;
    u64 rng;
    u64 hold; /* an event of time sinks something if these bits of a random number are 0 */
    u64 keep; /* and a load is remembered if these are */
    u32 fences;
    u32 norphans;
    struct weak_buffer orphans[ORPHANS];
    struct entry *spare; /* arrays of BLOCK_ENTRIES; the first entry's value is the next one's address */
};

/* ---- chance ---- */

static u64 draw(struct weak_pool *p) /* splitmix64 */
{
    u64 z = p->rng += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- a buffer ---- */

static u16 *chain_of(struct weak_buffer *b, u64 at) { return &b->heads[(at >> CHUNK_SHIFT) % CHAINS]; }

static bool overlaps(const struct entry *e, u64 at, u64 n) { return e->at < at + n && at < e->at + e->size; }

static void reserve(struct weak_buffer *b)
{
    struct weak_pool *p = b->pool;
    if (b->capacity == BLOCK_ENTRIES && p->spare) {
        b->entries = p->spare;
        memcpy(&p->spare, p->spare->value, sizeof p->spare);
    } else {
        b->entries = arena_array(p->mem, struct entry, b->capacity);
    }
    memset(b->heads, 0xff, sizeof b->heads);
}

/* The link that leads to entry k. */
static u16 *link_to(struct weak_buffer *b, u32 k)
{
    u16 *link = chain_of(b, b->entries[k].at);
    while (*link != k)
        link = &b->entries[*link].next;
    return link;
}

/* Takes entry k out; the last one takes its place. */
static struct entry take(struct weak_buffer *b, u32 k)
{
    const struct entry e = b->entries[k];
    const u32 last = b->count - 1;
    *link_to(b, k) = e.next;
    if (k != last) {
        *link_to(b, last) = (u16)k;
        b->entries[k] = b->entries[last];
    }
    b->count = last;
    return e;
}

typedef u64 pair __attribute__((vector_size(16), aligned(16), may_alias));

/* Each piece becomes visible as a whole, as by the stores of the other bodies. */
__attribute__((no_sanitize("thread"))) static void write_memory(const struct entry *e)
{
    void *to = (void *)(uintptr_t)e->at;
    u64 v;
    pair both;
    memcpy(&v, e->value, sizeof v);
    memcpy(&both, e->value, sizeof both);
    switch (e->size) {
    case 1:
        __atomic_store_n((u8 *)to, (u8)v, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((u16 *)to, (u16)v, __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((u32 *)to, (u32)v, __ATOMIC_RELEASE);
        break;
    case 8:
        __atomic_store_n((u64 *)to, v, __ATOMIC_RELEASE);
        break;
    default:
        *(pair *)to = both;
    }
}

/* ---- what a block remembers ---- */

static struct memory *memory_of(struct weak_block *b, u64 at) { return &b->memories[(at >> CHUNK_SHIFT) % MEMORIES]; }

static void forget(struct weak_block *b, u64 at)
{
    struct memory *m = memory_of(b, at);
    if (m->chunk == at >> CHUNK_SHIFT)
        m->chunk = 0;
}

__attribute__((no_sanitize("thread"))) static void read_chunk(struct memory *m)
{
    const pair now = *(const pair *)(uintptr_t)(m->chunk << CHUNK_SHIFT);
    memcpy(m->bytes, &now, sizeof now);
}

/* Gives what is remembered in place of the bytes, or remembers, by chance, what is there now. */
static void recall(struct weak_pool *p, struct weak_block *b, u64 at, u8 *bytes, unsigned n)
{
    struct memory *m = memory_of(b, at);
    if (m->chunk == at >> CHUNK_SHIFT) {
        memcpy(bytes, m->bytes + (at & 15), n);
    } else if (!(draw(p) & p->keep)) {
        m->chunk = at >> CHUNK_SHIFT;
        read_chunk(m);
    }
}

/* ---- sinking ---- */

static void put(struct weak_buffer *b, const struct entry *e);

/* Entry k goes one level down. */
static void sink(struct weak_buffer *b, u32 k)
{
    const struct entry e = take(b, k);
    if (b->below) {
        put(b->below, &e);
        return;
    }
    write_memory(&e);
    if (b->block)
        forget(b->block, e.at);
}

static void sink_any(struct weak_buffer *b)
{
    if (b->count)
        sink(b, (u32)(draw(b->pool) % b->count));
}

static void sink_quarter(struct weak_buffer *b)
{
    for (u32 n = (b->count + 3) / 4; n; n--)
        sink_any(b);
}

static void sink_all(struct weak_buffer *b)
{
    while (b->count)
        sink_any(b);
}

/* All that shares bytes with [at, at + n), which lies in one chunk. */
static void sink_overlapping(struct weak_buffer *b, u64 at, u64 n)
{
    if (!b->count)
        return;
    for (u32 k = *chain_of(b, at); k != NONE;) {
        if (overlaps(&b->entries[k], at, n)) {
            sink(b, k);
            k = *chain_of(b, at);
        } else {
            k = b->entries[k].next;
        }
    }
}

static struct entry *same_place(struct weak_buffer *b, const struct entry *e)
{
    for (u32 k = *chain_of(b, e->at); k != NONE; k = b->entries[k].next)
        if (b->entries[k].at == e->at && b->entries[k].size == e->size)
            return &b->entries[k];
    return NULL;
}

static void put(struct weak_buffer *b, const struct entry *e)
{
    if (!b->entries)
        reserve(b);
    struct entry *old = same_place(b, e);
    if (old) {
        memcpy(old->value, e->value, sizeof old->value);
        return;
    }
    sink_overlapping(b, e->at, e->size);
    if (b->count == b->capacity)
        sink_any(b);
    u16 *head = chain_of(b, e->at);
    b->entries[b->count] = *e;
    b->entries[b->count].next = *head;
    *head = (u16)b->count++;
}

/* The part of the entries in [at, at + n), which lies in one chunk. */
static void overlay(struct weak_buffer *b, u64 at, u8 *bytes, u64 n)
{
    if (!b->count)
        return;
    for (u32 k = *chain_of(b, at); k != NONE; k = b->entries[k].next) {
        const struct entry *e = &b->entries[k];
        if (!overlaps(e, at, n))
            continue;
        const u64 from = e->at > at ? e->at : at;
        const u64 to = e->at + e->size < at + n ? e->at + e->size : at + n;
        memcpy(bytes + (from - at), e->value + (from - e->at), to - from);
    }
}

/* ---- accesses ---- */

void weak_store(struct warp *w, u64 at, const void *value, unsigned size)
{
    struct entry e = {.at = at, .size = (u8)size};
    memcpy(e.value, value, size);
    put(w->weak, &e);
}

void weak_load(struct warp *w, u64 at, void *bytes, unsigned n, bool fresh)
{
    if (fresh)
        forget(w->block->weak, at);
    else
        recall(w->weak->pool, w->block->weak, at, bytes, n);
    overlay(w->weak->below, at, bytes, n);
    overlay(w->weak, at, bytes, n);
}

void weak_settle(struct warp *w, u64 at, unsigned n)
{
    sink_overlapping(w->weak, at, n);
    sink_overlapping(w->weak->below, at, n);
    forget(w->block->weak, at);
}

void weak_fence_block(struct warp *w) { sink_all(w->weak); }

void weak_acquire(struct warp *w) { memset(w->block->weak->memories, 0, sizeof w->block->weak->memories); }

void weak_fence(struct warp *w)
{
    weak_acquire(w);
    sink_all(w->weak);
    sink_all(w->weak->below);
    /* a full fence of the host, which its thread sanitizer knows */
    (void)__atomic_fetch_add(&w->weak->pool->fences, 1, __ATOMIC_SEQ_CST);
}

/* ---- time ---- */

static void drop_orphan(struct weak_pool *p, u32 k)
{
    struct entry *entries = p->orphans[k].entries;
    memcpy(entries->value, &p->spare, sizeof p->spare);
    p->spare = entries;
    p->orphans[k] = p->orphans[--p->norphans];
}

/* A part of what finished blocks left. */
static void sink_orphans(struct weak_pool *p)
{
    for (u32 k = p->norphans; k-- > 0;) {
        sink_quarter(&p->orphans[k]);
        if (!p->orphans[k].count)
            drop_orphan(p, k);
    }
}

void weak_tick(struct warp *w)
{
    struct weak_pool *p = w->weak->pool;
    struct weak_block *b = w->block->weak;
    const u64 r = draw(p);
    if (!(r & p->hold))
        sink_any(&b->warps[(r >> 32) % w->block->info.warps]);
    if (!(r >> 8 & p->hold))
        sink_any(&b->own);
    if (!(r >> 24 & p->hold))
        b->memories[(r >> 32) % MEMORIES].chunk = 0;
    if (!(r >> 16 & p->hold) && p->norphans) {
        const u32 k = (u32)((r >> 32) % p->norphans);
        sink_any(&p->orphans[k]);
        if (!p->orphans[k].count)
            drop_orphan(p, k);
    }
}

void weak_round(struct block *b, bool aside)
{
    struct weak_pool *p = b->worker->weak;
    for (u32 k = 0; k < b->info.warps; k++)
        sink_quarter(&b->weak->warps[k]);
    if (!aside && draw(p) & p->hold)
        return;
    sink_quarter(&b->weak->own);
    sink_orphans(p);
    if (!(draw(p) & 3))
        memset(b->weak->memories, 0, sizeof b->weak->memories);
}

/* ---- beginnings and ends ---- */

void weak_worker_begin(struct worker *wk)
{
    /* how patient the stores and how old the loads are is chance, too */
    static const u8 holds[] = {1, 7, 31, 127}, keeps[] = {0, 1, 7, 63};
    enum { DEFAULT_SEED = 1 };
    const u64 seed = wk->grid->launch->seed ? wk->grid->launch->seed : DEFAULT_SEED;
    struct weak_pool *p = arena_new(&wk->mem, struct weak_pool);
    p->mem = &wk->mem;
    p->rng = seed * 0xd1342543de82ef95u + wk->index;
    p->hold = holds[draw(p) % LS_ARRAY_LEN(holds)];
    p->keep = keeps[draw(p) % LS_ARRAY_LEN(keeps)];
    wk->weak = p;
}

void weak_block_new(struct block *b)
{
    struct weak_pool *p = b->worker->weak;
    struct weak_block *x = arena_alloc(p->mem, sizeof *x + sizeof x->warps[0] * b->info.warps);
    memset(x->memories, 0, sizeof x->memories);
    x->own = (struct weak_buffer){.pool = p, .capacity = BLOCK_ENTRIES, .block = x};
    for (u32 k = 0; k < b->info.warps; k++) {
        x->warps[k] = (struct weak_buffer){.pool = p, .capacity = WARP_ENTRIES, .below = &x->own};
        b->warps[k].weak = &x->warps[k];
    }
    b->weak = x;
}

void weak_block_end(struct block *b)
{
    struct weak_pool *p = b->worker->weak;
    struct weak_buffer *own = &b->weak->own;
    for (u32 k = 0; k < b->info.warps; k++)
        sink_all(&b->weak->warps[k]);
    memset(b->weak->memories, 0, sizeof b->weak->memories);
    if (!own->count)
        return;
    if (p->norphans == ORPHANS) {
        const u32 k = (u32)(draw(p) % ORPHANS);
        sink_all(&p->orphans[k]);
        drop_orphan(p, k);
    }
    p->orphans[p->norphans] = *own;
    p->orphans[p->norphans++].block = NULL;
    own->entries = NULL;
    own->count = 0;
}

/* While other workers run, the remaining stores sink one after the other, so that the others can see their order. */
void weak_worker_end(struct worker *wk)
{
    struct weak_pool *p = wk->weak;
    atomic_fetch_add(&wk->grid->ended, 1);
    for (; p->norphans; sink_orphans(p)) {
        const struct timespec pause = {.tv_nsec = 20000 << (draw(p) & 3)};
        if (atomic_load(&wk->grid->ended) < wk->grid->nworkers)
            nanosleep(&pause, NULL);
    }
}
