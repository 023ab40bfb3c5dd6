/* device_memory.c - the allocator and the table of device memory (see device_memory.h for what it promises).
 *
 * One private anonymous mapping, made without reserving swap, holds everything:
 *
 *     | guard | shared window | local window |  extents: live, freed, free ....................... |
 *               no access       no access       readable and writable; pages come when touched
 *
 * Extents tile the last part (mem_tree.h). An allocation takes the lowest free extent that fits. A freed one waits in a
 * queue, the quarantine, until it holds more than QUARANTINE_BLOCKS or a quarter of the capacity, or until nothing else
 * is left; then the oldest are merged back into free space. Large freed blocks give their pages back at once.
 *
 * Locking: a big-reader lock. A look-up takes the one read lock that belongs to its thread's shard, which nobody else
 * normally touches; a change takes all of them. Look-ups are frequent (an instruction that meets a new allocation),
 * changes are rare. */
#include "exec/memory/device_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "exec/memory/mem_table.h"

enum { QUARANTINE_BLOCKS = 4096 };
#define GUARD_BYTES (1u << 20)
#define LEAST_BYTES (1ull << 30)
#define RELEASE_BYTES (1u << 20) /* freed blocks of this size give their pages back */
#define HEAP_BYTES (8ull << 20)  /* CUDA's default cudaLimitMallocHeapSize */

/* ---- locks ---- */

static pthread_rwlock_t *my_lock(struct mem_table *m)
{
    static _Atomic unsigned threads;
    static _Thread_local unsigned mine; /* 1 + the shard */
    if (!mine)
        mine = 1 + atomic_fetch_add(&threads, 1) % MEM_SHARDS;
    return &m->shards[mine - 1].lock;
}

static pthread_rwlock_t *read_lock(struct mem_table *m)
{
    pthread_rwlock_t *l = my_lock(m);
    pthread_rwlock_rdlock(l);
    return l;
}

void mem_lock(struct mem_table *m)
{
    for (int i = 0; i < MEM_SHARDS; i++)
        pthread_rwlock_wrlock(&m->shards[i].lock);
}

void mem_unlock(struct mem_table *m)
{
    for (int i = MEM_SHARDS; i-- > 0;)
        pthread_rwlock_unlock(&m->shards[i].lock);
}

/* ---- the reservation ---- */

static void *reserve(u64 bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Half as much again as the capacity: pinned memory, red zones and the quarantine live there too. */
static bool reserve_for(struct mem_table *m, u64 capacity)
{
    const u64 extra = GUARD_BYTES + 2ull * MEM_WINDOW_BYTES + MEM_SHARED_WINDOW_BYTES, all = capacity * m->devices;
    for (u64 want = ls_align_up(all < LEAST_BYTES ? LEAST_BYTES : all, 4096); want >= LEAST_BYTES;
         want = ls_align_up(want / 2, 4096)) {
        m->map_bytes = want + want / 2 / 4096 * 4096 + extra;
        m->map = reserve(m->map_bytes);
        if (m->map) {
            for (unsigned d = 0; d < m->devices; d++)
                m->views[d].capacity = capacity < want / m->devices ? capacity : want / m->devices;
            return true;
        }
    }
    return false;
}

struct extent *mem_new_extent(struct mem_table *m)
{
    struct extent *e = m->spare;
    if (e)
        m->spare = e->next;
    else
        e = ls_realloc(NULL, sizeof *e);
    if (e)
        memset(e, 0, sizeof *e);
    return e;
}

void mem_drop_extent(struct mem_table *m, struct extent *e)
{
    e->next = m->spare;
    m->spare = e;
}

/* Cuts the mapping into guard, windows (each aligned to its size, so that offsets keep their alignment) and space. */
static bool lay_out(struct mem_table *m)
{
    u64 at = ls_align_up((u64)(uintptr_t)m->map + GUARD_BYTES, MEM_WINDOW_BYTES);
    m->shared_window = at;
    m->local_window = at + MEM_SHARED_WINDOW_BYTES;
    m->first = m->local_window + MEM_WINDOW_BYTES;
    m->end = ((u64)(uintptr_t)m->map + m->map_bytes) & ~(u64)(MEM_ALIGN - 1);
    mprotect(m->map, m->first - (u64)(uintptr_t)m->map, PROT_NONE);
    madvise(m->map, m->map_bytes, MADV_DONTDUMP);
    struct extent *all = mem_new_extent(m);
    if (!all)
        return false;
    all->base = m->first;
    all->span = m->end - m->first;
    all->state = EXTENT_FREE;
    tree_insert(&m->root, all);
    return true;
}

static void make_views(struct mem_table *m, unsigned devices)
{
    m->devices = devices;
    for (unsigned d = 0; d <= MEM_DEVICES; d++)
        m->views[d] = (struct mem){.table = m, .device = d, .heap_limit = HEAP_BYTES};
}

enum ls_status mem_create(u64 capacity, struct mem **out) { return mem_create_devices(capacity, 1, out); }

enum ls_status mem_create_devices(u64 capacity, unsigned devices, struct mem **out)
{
    LS_BUG_ON(!devices || devices > MEM_DEVICES);
    struct mem_table *m = ls_calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return LS_ERR_NOMEM;
    make_views(m, devices);
    for (int i = 0; i < MEM_SHARDS; i++)
        pthread_rwlock_init(&m->shards[i].lock, NULL);
    m->names_mem.name = "memory names";
    m->names.mem = &m->names_mem;
    m->share_fd = -1;
    if (!reserve_for(m, capacity) || !lay_out(m)) {
        mem_destroy(m->views);
        return LS_ERR_NOMEM;
    }
    *out = m->views;
    return LS_OK;
}

static void free_extent(void *ctx, struct extent *e)
{
    (void)ctx;
    if (e->state == EXTENT_RESERVED) {
        tree_each(e->inside, free_extent, NULL);
        mem_end_reservation(e);
    }
    ls_free(e);
}

void mem_destroy(struct mem *v)
{
    if (!v)
        return;
    struct mem_table *m = v->table;
    tree_each(m->root, free_extent, NULL);
    for (struct extent *e = m->spare, *next; e; e = next) {
        next = e->next;
        ls_free(e);
    }
    mem_share_end(m);
    if (m->map)
        munmap(m->map, m->map_bytes);
    for (int i = 0; i < MEM_SHARDS; i++)
        pthread_rwlock_destroy(&m->shards[i].lock);
    arena_free(&m->names_mem);
    ls_free(m);
}

u64 mem_shared_window(const struct mem *v) { return v->table->shared_window; }
u64 mem_count_base(const struct mem *v) { return v->table->first - 2ull * MEM_WINDOW_BYTES; }
u64 mem_local_window(const struct mem *v) { return v->table->local_window; }
u64 mem_capacity(struct mem *v) { return v->capacity; }
void mem_set_poison(struct mem *v, bool on) { v->table->poison = on; }

void mem_set_capacity(struct mem *v, u64 bytes) { v->capacity = bytes < v->capacity ? bytes : v->capacity; }
u64 mem_epoch(const struct mem *v) { return atomic_load_explicit(&v->table->epoch, memory_order_acquire); }

void mem_set_heap_limit(struct mem *v, u64 bytes)
{
    mem_lock(v->table);
    v->heap_limit = bytes;
    mem_unlock(v->table);
}

u64 mem_used(struct mem *v)
{
    pthread_rwlock_t *l = read_lock(v->table);
    const u64 used = v->used;
    pthread_rwlock_unlock(l);
    return used;
}

/* ---- devices ---- */

struct mem *mem_of_device(struct mem *v, unsigned device) { return &v->table->views[device]; }

struct mem *mem_of_all(struct mem *v) { return &v->table->views[MEM_DEVICES]; }

static bool sees_all(const struct mem *v) { return v->device == MEM_DEVICES; }

void mem_set_peer(struct mem *v, unsigned device, bool yes)
{
    mem_lock(v->table);
    v->peers = yes ? v->peers | 1u << device : v->peers & ~(1u << device);
    mem_unlock(v->table);
}

static bool everybodys(u8 kind) { return kind == MEM_PINNED || kind == MEM_MANAGED || kind == MEM_REGISTERED; }

/* An extent of any kind as one of the MEM_MAPPED_* kinds. */
static enum mem_kind rights_of(const struct mem *v, const struct extent *e)
{
    if (!e->listed)
        return sees_all(v) || everybodys(e->kind) || v->device == e->device || (v->peers >> e->device & 1)
                   ? MEM_MAPPED
                   : MEM_MAPPED_NONE;
    const u32 mine = sees_all(v) ? ~0u : 1u << v->device;
    return e->writers & mine ? MEM_MAPPED : e->readers & mine ? MEM_MAPPED_READ : MEM_MAPPED_NONE;
}

enum mem_kind mem_kind_for(const struct mem *v, const struct extent *e)
{
    return e->kind == MEM_MAPPED ? rights_of(v, e) : e->kind;
}

bool mem_same_rights(const struct extent *a, const struct extent *b)
{
    return a->device == b->device && a->listed == b->listed && a->readers == b->readers && a->writers == b->writers;
}

void mem_set_rights(struct mem *v, u64 address, u32 readers, u32 writers)
{
    mem_lock(v->table);
    struct extent *e = mem_live_at(v->table, address);
    if (e) {
        e->listed = true;
        e->readers = (u16)(readers | 1u << e->device);
        e->writers = (u16)(writers | 1u << e->device);
    }
    mem_unlock(v->table);
}

/* ---- observers ---- */

struct mem_block mem_as_block(const struct mem *v, const struct extent *e)
{
    return (struct mem_block){.base = e->base,
                              .size = e->size,
                              .kind = mem_kind_for(v, e),
                              .device = e->device,
                              .live = e->state != EXTENT_FREED,
                              .serial = e->serial,
                              .name = e->name};
}

void mem_observe(struct mem *v, const struct mem_observer *o)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    m->observer = o ? *o : (struct mem_observer){0};
    mem_unlock(m);
}

void mem_tell_made(const struct mem_table *m, const struct extent *e)
{
    const struct mem_block b = mem_as_block(&m->views[MEM_DEVICES], e);
    if (m->observer.made)
        m->observer.made(m->observer.ctx, &b);
}

void mem_tell_gone(const struct mem_table *m, const struct extent *e)
{
    struct mem_block b = mem_as_block(&m->views[MEM_DEVICES], e);
    b.live = false;
    if (m->observer.gone)
        m->observer.gone(m->observer.ctx, &b);
}

void mem_extent(const struct mem *v, u64 *base, u64 *size)
{
    const struct mem_table *m = v->table;
    *base = m->first;
    *size = m->end - m->first;
}

/* ---- free space ---- */

/* Makes e free space, one with its free neighbours. e is not in the tree. */
static void give_back(struct mem_table *m, struct extent *e)
{
    struct extent *after = tree_floor(m->root, e->base + e->span);
    if (after && after->state == EXTENT_FREE && after->base == e->base + e->span) {
        tree_remove(&m->root, after);
        e->span += after->span;
        mem_drop_extent(m, after);
    }
    struct extent *before = tree_floor(m->root, e->base);
    if (before && before->state == EXTENT_FREE && before->base + before->span == e->base) {
        tree_remove(&m->root, before);
        e->base = before->base;
        e->span += before->span;
        mem_drop_extent(m, before);
    }
    e->state = EXTENT_FREE;
    e->size = 0;
    e->name = NULL;
    tree_insert(&m->root, e);
}

static bool recycle_oldest(struct mem_table *m)
{
    struct extent *e = m->oldest;
    if (!e)
        return false;
    m->oldest = e->next;
    if (!m->oldest)
        m->newest = NULL;
    m->quarantined--;
    m->quarantined_bytes -= e->span;
    tree_remove(&m->root, e);
    give_back(m, e);
    return true;
}

static void quarantine(struct mem_table *m, struct extent *e)
{
    e->state = EXTENT_FREED;
    e->next = NULL;
    if (m->newest)
        m->newest->next = e;
    else
        m->oldest = e;
    m->newest = e;
    m->quarantined++;
    m->quarantined_bytes += e->span;
    while (m->quarantined > QUARANTINE_BLOCKS || m->quarantined_bytes > m->views[0].capacity / 4)
        recycle_oldest(m);
}

/* Free space of at least `span` bytes, out of the quarantine if need be. */
static struct extent *find_space(struct mem_table *m, u64 span)
{
    for (;;) {
        struct extent *e = tree_fit(m->root, span);
        if (e || !recycle_oldest(m))
            return e;
    }
}

/* Cuts [base, base + span) out of the free extent e, which leaves the tree; what remains on both sides goes back. */
static bool carve(struct mem_table *m, struct extent *e, u64 base, u64 span)
{
    struct extent *left = NULL, *right = NULL;
    const u64 before = base - e->base, after = e->base + e->span - (base + span);
    if ((before && !(left = mem_new_extent(m))) || (after && !(right = mem_new_extent(m)))) {
        if (left)
            mem_drop_extent(m, left);
        return false;
    }
    tree_remove(&m->root, e);
    if (left) {
        *left = (struct extent){.base = e->base, .span = before, .state = EXTENT_FREE};
        tree_insert(&m->root, left);
    }
    if (right) {
        *right = (struct extent){.base = base + span, .span = after, .state = EXTENT_FREE};
        tree_insert(&m->root, right);
    }
    e->base = base;
    e->span = span;
    return true;
}

/* Programs write host memory whenever they like, so it shares no page with memory of the device (mem_share.c). */
static u64 least_align(enum mem_kind kind) { return kind == MEM_PINNED || kind == MEM_MANAGED ? MEM_PAGE : MEM_ALIGN; }

/* A quarter of the block, so that an index that is a little wrong lands in it; more than the slack, at most 4 KiB. */
static u64 red_zone(u64 size)
{
    const u64 zone = ls_align_up(size / 4, MEM_ALIGN), least = MEM_SLACK + MEM_ALIGN;
    return zone < least ? least : zone > 4096 ? 4096 : zone;
}

/* ---- allocation ---- */

static bool on_device(enum mem_kind kind)
{
    return kind != MEM_PINNED && kind != MEM_REGISTERED && kind != MEM_INTERNAL;
}

/* The table's copy of a name; false when there is no memory. */
static bool keep_name(struct mem_table *m, const char *name, const char **kept)
{
    *kept = NULL;
    if (!name)
        return true;
    *kept = intern_try(&m->names, name, strlen(name));
    return *kept;
}

static enum ls_status alloc_locked(struct mem *v, u64 size, u64 align, enum mem_kind kind, const char *name,
                                   u64 *address)
{
    struct mem_table *m = v->table;
    const char *kept;
    if ((on_device(kind) && size > v->capacity - v->used) || size > m->end - m->first)
        return LS_ERR_NOMEM;
    if (kind == MEM_HEAP && (v->heap_used > v->heap_limit || size > v->heap_limit - v->heap_used))
        return LS_ERR_NOMEM;
    const u64 span = ls_align_up(ls_align_up(size, MEM_ALIGN) + red_zone(size), least_align(kind));
    struct extent *e = find_space(m, span + (align > MEM_ALIGN ? align : 0));
    if (!e || !keep_name(m, name, &kept) || !carve(m, e, ls_align_up(e->base, align), span))
        return LS_ERR_NOMEM;
    e->size = size;
    e->kind = (u8)kind;
    e->state = EXTENT_LIVE;
    e->device = (u8)v->device;
    e->listed = false;
    e->serial = ++m->serial;
    e->name = kept;
    tree_insert(&m->root, e);
    v->used += on_device(kind) ? size : 0;
    v->heap_used += kind == MEM_HEAP ? size : 0;
    *address = e->base;
    mem_tell_made(m, e);
    return LS_OK;
}

/* Large allocations are read from end to end: with pages of 2 MiB kernels that move much memory take about 5 % less time (a copy,
 * stencils and a transpose of 16 MiB arrays, EPYC, PoCL's kernels beside them). Small ones would only grow. */
static void ask_for_huge_pages(u64 address, u64 size)
{
    enum { HUGE_PAGE = 2 << 20, LEAST = 2 * HUGE_PAGE };
    const u64 lo = ls_align_up(address, HUGE_PAGE), hi = (address + size) & ~(u64)(HUGE_PAGE - 1);
    if (size >= LEAST)
        madvise((void *)(uintptr_t)lo, hi - lo, MADV_HUGEPAGE);
}

enum ls_status mem_alloc(struct mem *v, u64 size, u64 align, enum mem_kind kind, const char *name, u64 *address)
{
    struct mem_table *m = v->table;
    *address = 0;
    if (!size || (align & (align - 1)) || kind == MEM_REGISTERED || sees_all(v))
        return LS_ERR_INVALID;
    if (align < least_align(kind))
        align = least_align(kind);
    if (align > m->end - m->first)
        return LS_ERR_NOMEM;
    mem_lock(m);
    const enum ls_status s = alloc_locked(v, size, align, kind, name, address);
    mem_unlock(m);
    if (s == LS_OK)
        ask_for_huge_pages(*address, size);
    if (s == LS_OK && m->poison)
        memset((void *)(uintptr_t)*address, 0xCD, size);
    return s;
}

/* Gives the pages that lie wholly inside a large block back to the host. */
static void release_pages(struct mem_table *m, const struct extent *e)
{
    const u64 lo = ls_align_up(e->base, 4096), hi = (e->base + e->size) & ~(u64)4095;
    if (e->size >= RELEASE_BYTES && lo < hi) {
        madvise((void *)(uintptr_t)lo, hi - lo, MADV_DONTNEED);
        mem_share_release(m, lo, hi);
    }
}

struct extent *mem_live_at(struct mem_table *m, u64 address)
{
    struct extent *e = tree_floor(m->root, address);
    if (e && e->state == EXTENT_RESERVED)
        e = tree_floor(e->inside, address);
    return e && e->state == EXTENT_LIVE && address - e->base < e->size ? e : NULL;
}

enum ls_status mem_free(struct mem *v, u64 address)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    struct extent *e = mem_live_at(m, address);
    const bool ok = e && e->base == address && e->kind != MEM_REGISTERED && !mem_is_mapped(e->kind);
    if (ok) {
        struct mem *owner = &m->views[e->device];
        owner->used -= on_device(e->kind) ? e->size : 0;
        owner->heap_used -= e->kind == MEM_HEAP ? e->size : 0;
        mem_tell_gone(m, e);
        release_pages(m, e);
        quarantine(m, e);
        atomic_fetch_add_explicit(&m->epoch, 1, memory_order_release);
    }
    mem_unlock(m);
    return ok ? LS_OK : LS_ERR_INVALID;
}

bool mem_occupied(struct mem_table *m, u64 lo, u64 size)
{
    const struct extent *below = tree_floor(m->root, lo), *above = tree_above(m->root, lo);
    return (below && below->base + below->span > lo) || (above && above->base - lo < size);
}

enum ls_status mem_register(struct mem *v, void *host, u64 size)
{
    struct mem_table *m = v->table;
    const u64 base = (u64)(uintptr_t)host;
    if (!host || !size || base + size < base)
        return LS_ERR_INVALID;
    mem_lock(m);
    enum ls_status s = mem_occupied(m, base, size) ? LS_ERR_INVALID : LS_OK;
    struct extent *e = s == LS_OK ? mem_new_extent(m) : NULL;
    if (s == LS_OK && !e)
        s = LS_ERR_NOMEM;
    if (e) {
        e->base = base;
        e->size = e->span = size;
        e->kind = MEM_REGISTERED;
        e->state = EXTENT_LIVE;
        e->serial = ++m->serial;
        tree_insert(&m->root, e);
        mem_tell_made(m, e);
    }
    mem_unlock(m);
    return s;
}

enum ls_status mem_unregister(struct mem *v, void *host)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    struct extent *e = mem_live_at(m, (u64)(uintptr_t)host);
    const bool ok = e && e->base == (u64)(uintptr_t)host && e->kind == MEM_REGISTERED;
    if (ok) {
        mem_tell_gone(m, e);
        tree_remove(&m->root, e);
        mem_drop_extent(m, e);
        atomic_fetch_add_explicit(&m->epoch, 1, memory_order_release);
    }
    mem_unlock(m);
    return ok ? LS_OK : LS_ERR_INVALID;
}

/* ---- look-up ---- */

bool mem_range(struct mem *v, u64 address, u64 *lo, u64 *hi, enum mem_kind *kind)
{
    struct mem_table *m = v->table;
    pthread_rwlock_t *l = read_lock(m);
    const struct extent *e = mem_live_at(m, address);
    const bool found = e && rights_of(v, e) != MEM_MAPPED_NONE;
    if (found) {
        *lo = e->base;
        *hi = e->base + e->size;
        *kind = mem_kind_for(v, e);
        if (mem_is_mapped(e->kind))
            mem_widen(tree_floor(m->root, address), e, lo, hi);
    }
    pthread_rwlock_unlock(l);
    return found;
}

bool mem_behind(struct mem *v, u64 address, u64 size, bool write, struct mem_block *b)
{
    struct mem_table *m = v->table;
    pthread_rwlock_t *l = read_lock(m);
    const struct extent *e = tree_floor(m->root, address);
    bool ok = e && e->state == EXTENT_LIVE && e->kind != MEM_INTERNAL && rights_of(v, e) != MEM_MAPPED_NONE &&
              !(write && mem_read_only(mem_kind_for(v, e)));
    if (ok) {
        const u64 end = e->base + e->size, page_end = ls_align_up(end, MEM_PAGE);
        const u64 last = e->kind == MEM_REGISTERED && page_end < end + MEM_SLACK ? page_end : end + MEM_SLACK;
        ok = address < last && last - address >= size;
        *b = mem_as_block(v, e);
    }
    pthread_rwlock_unlock(l);
    return ok;
}

/* Bytes between an address and an extent's caller bytes; 0 inside. */
static u64 distance(const struct extent *e, u64 address)
{
    return address < e->base ? e->base - address : address < e->base + e->size ? 0 : address - (e->base + e->size) + 1;
}

/* The first extent that is or was an allocation, going down (up) from address. FREE ones never neighbour each other,
 * so at most one is skipped. */
static const struct extent *used_below(struct mem_table *m, u64 address)
{
    const struct extent *e = tree_floor(m->root, address);
    return e && e->state == EXTENT_FREE ? (e->base ? tree_floor(m->root, e->base - 1) : NULL) : e;
}

static const struct extent *used_above(struct mem_table *m, u64 address)
{
    const struct extent *e = tree_above(m->root, address);
    return e && e->state == EXTENT_FREE ? tree_above(m->root, e->base) : e;
}

/* At the same distance the one below counts before the one above: running past an end is the commoner mistake. */
static bool better(const struct extent *a, const struct extent *b, u64 address)
{
    return a && (!b || distance(a, address) <= distance(b, address));
}

bool mem_nearest(struct mem *v, u64 address, struct mem_block *out)
{
    struct mem_table *m = v->table;
    pthread_rwlock_t *l = read_lock(m);
    const struct extent *below = used_below(m, address), *above = used_above(m, address);
    const struct extent *e = better(below, above, address) ? below : above;
    const struct extent *mapping = e && e->state == EXTENT_RESERVED ? mem_mapping_at(e, address) : NULL;
    if (e)
        *out = mem_as_block(v, mapping ? mapping : e);
    pthread_rwlock_unlock(l);
    return e;
}

struct visit {
    const struct mem *view;
    void (*fn)(void *ctx, const struct mem_block *b);
    void *ctx;
};

static void visit_live(void *ctx, struct extent *e)
{
    const struct visit *v = ctx;
    if (e->state == EXTENT_RESERVED)
        tree_each(e->inside, visit_live, ctx);
    if (e->state != EXTENT_LIVE || !(sees_all(v->view) || v->view->device == e->device))
        return;
    const struct mem_block b = mem_as_block(v->view, e);
    v->fn(v->ctx, &b);
}

void mem_each(struct mem *v, void (*fn)(void *ctx, const struct mem_block *b), void *ctx)
{
    struct mem_table *m = v->table;
    struct visit visit = {v, fn, ctx};
    pthread_rwlock_t *l = read_lock(m);
    tree_each(m->root, visit_live, &visit);
    pthread_rwlock_unlock(l);
}
