/* allocation_table.c - which allocations there are: sorted by address, who owns each and how it was made.
 *
 * The bytes themselves are in exec/memory/device_memory.h. Memory of graphs is in the table as long as a graph has it,
 * and is live from a launch that allocates it to a free. */
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"
#include "driver/memory/allocation_table.h"

/* driver.lock */
static struct allocation *table;
static size_t len, cap;

/* Index of the first allocation above address. */
static size_t above(u64 address)
{
    size_t lo = 0, hi = len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (table[mid].base > address)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static struct allocation *find_locked(u64 address)
{
    LS_LOCKED(&drv.lock);
    size_t i = above(address);
    struct allocation *a = i ? &table[i - 1] : NULL;
    return a && (address - a->base < a->size || address == a->base) ? a : NULL;
}

bool memory_find(u64 address, struct allocation *out)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(address);
    if (a)
        *out = *a;
    pthread_mutex_unlock(&drv.lock);
    return a != NULL;
}

struct allocation *memory_all(size_t *n)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *all = len ? ls_realloc(NULL, len * sizeof *all) : NULL;
    *n = all ? len : 0;
    if (all)
        memcpy(all, table, len * sizeof *all);
    pthread_mutex_unlock(&drv.lock);
    return all;
}

bool memory_adopt(const struct allocation *a)
{
    bool ok = true;
    pthread_mutex_lock(&drv.lock);
    if (len == cap) {
        size_t more = cap ? cap * 2 : 64;
        struct allocation *to = ls_realloc(table, more * sizeof *to);
        ok = to != NULL;
        if (ok) {
            table = to;
            cap = more;
        }
    }
    if (ok) {
        size_t i = above(a->base);
        LS_BUG_ON(i && table[i - 1].base == a->base); /* one allocation an address */
        memmove(&table[i + 1], &table[i], (len - i) * sizeof *table);
        table[i] = *a;
        len++;
    }
    pthread_mutex_unlock(&drv.lock);
    if (ok)
        TELL(memory_made, a->base);
    return ok;
}

static void remove_locked(struct allocation *a)
{
    size_t i = (size_t)(a - table);
    LS_LOCKED(&drv.lock);
    LS_BUG_ON(i >= len);
    memmove(&table[i], &table[i + 1], (len - i - 1) * sizeof *table);
    len--;
}

bool memory_forget(u64 base, struct allocation *out)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(base);
    const bool ok = a && a->base == base;
    if (ok) {
        *out = *a;
        remove_locked(a);
    }
    pthread_mutex_unlock(&drv.lock);
    if (ok)
        TELL(memory_gone, base);
    return ok;
}

static void set_live_locked(struct allocation *a, bool live)
{
    LS_LOCKED(&drv.lock);
    struct memory_graph_use *use = &drv.devices[a->ctx->device].graph_use;
    if (a->live != live)
        use->used += live ? a->size : -a->size;
    if (use->used > use->used_high)
        use->used_high = use->used;
    a->live = live;
}

bool allocation_take(u64 base, unsigned kinds, struct allocation *out)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(base);
    bool ok = a && a->base == base && (kinds >> a->kind & 1);
    if (ok && a->graph) {
        ok = a->live;
        set_live_locked(a, false);
        *out = *a;
    } else if (ok) {
        *out = *a;
        remove_locked(a);
        if (out->pool)
            out->pool->used -= out->size;
    }
    pthread_mutex_unlock(&drv.lock);
    if (ok)
        TELL(memory_gone, base);
    return ok;
}

bool allocation_mark_freed(u64 base)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(base);
    const bool ok = a && a->base == base && !a->freed;
    if (ok)
        a->freed = true;
    pthread_mutex_unlock(&drv.lock);
    return ok;
}

/* ---- contexts and pools ---- */

/* From here on a is like any other allocation. */
static void forget_graph_locked(struct allocation *a)
{
    set_live_locked(a, false);
    drv.devices[a->ctx->device].graph_use.reserved -= a->size;
    a->graph = false;
}

void memory_free_context(CUcontext ctx)
{
    for (size_t i = len; i-- > 0;) {
        struct allocation a = table[i];
        if (a.ctx != ctx)
            continue;
        TELL(memory_gone, a.base);
        remove_locked(&table[i]);
        if (a.pool)
            a.pool->used -= a.size;
        if (a.graph)
            forget_graph_locked(&a);
        memory_give_back(&a);
    }
}

void memory_pool_rights(CUmemoryPool pool)
{
    for (size_t i = 0; i < len; i++)
        if (table[i].pool == pool)
            mem_set_rights(drv.mem, table[i].base, pool->devices, pool->devices);
}

/* ---- memory of graphs ---- */

CUresult memory_graph_alloc(CUcontext ctx, size_t size, u64 *address, u64 *id)
{
    CUresult r = memory_alloc(ctx, size, MEM_DEVICE, 0, NULL, address);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(*address);
    LS_BUG_ON(!a); /* it has just been made, and no other thread knows it */
    a->graph = true;
    *id = a->id;
    struct memory_graph_use *use = &drv.devices[ctx->device].graph_use;
    use->reserved += size;
    if (use->reserved > use->reserved_high)
        use->reserved_high = use->reserved;
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

/* driver.lock held. Memory can be freed when no graph has it and it is not in use. If it is live then, the program
 * frees it. */
static bool take_dropped_locked(struct allocation *a, struct allocation *out)
{
    if (!a->dropped || a->holds)
        return false;
    bool live = a->live;
    forget_graph_locked(a);
    *out = *a;
    if (!live)
        remove_locked(a);
    return !live;
}

void memory_graph_drop(u64 address, u64 id)
{
    struct allocation out;
    bool mine = false;
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(address);
    if (a && a->id == id && a->graph) {
        a->dropped = true;
        mine = take_dropped_locked(a, &out);
    }
    pthread_mutex_unlock(&drv.lock);
    if (mine)
        memory_give_back(&out);
}

bool memory_graph_set_live(u64 address, bool live)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(address);
    bool before = a && a->graph && a->live;
    if (a && a->graph)
        set_live_locked(a, live);
    pthread_mutex_unlock(&drv.lock);
    return before;
}

struct memory_graph_use memory_graph_use(CUdevice device, bool reset_used, bool reset_reserved)
{
    struct memory_graph_use *use = &drv.devices[device].graph_use;
    pthread_mutex_lock(&drv.lock);
    if (reset_used)
        use->used_high = use->used;
    if (reset_reserved)
        use->reserved_high = use->reserved;
    struct memory_graph_use u = *use;
    pthread_mutex_unlock(&drv.lock);
    return u;
}

void allocation_unhold(u64 address)
{
    struct allocation out;
    bool mine = false;
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(address);
    if (a && a->graph && a->holds) {
        a->holds--;
        mine = take_dropped_locked(a, &out);
    }
    pthread_mutex_unlock(&drv.lock);
    if (mine)
        memory_give_back(&out);
}

bool allocation_hold(u64 address)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(address);
    bool ok = a && a->graph && a->live;
    if (ok) {
        set_live_locked(a, false);
        a->holds++;
    }
    pthread_mutex_unlock(&drv.lock);
    return ok;
}
