/* memory.c - allocations of every kind, and what is known of a pointer.
 *
 * The bytes are exec/memory/memory.h's; here is a table, sorted by address, of who owns an allocation and how it was made.
 * Kernels remember the range of the allocation that an instruction touched last, so memory is really freed only while
 * no kernel runs: cuMemFree waits for its context as CUDA does, and what other contexts' kernels or stream order still
 * hold up stays in a list until the last kernel ends. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"

/* driver.lock */
static struct allocation *table;
static size_t len, cap;

/* run_lock */
static struct deferred {
    u64 address, size;
    u8 kind;
} *deferred;
static size_t deferred_len, deferred_cap;

enum { DEVICE_KINDS = 1u << MEM_DEVICE | 1u << MEM_MANAGED };

/* ---- the table ---- */

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

/* Takes the allocation that starts at base and is of one of the kinds (a mask) out of the table; a graph's stays there,
 * and is live no more. */
static bool take(u64 base, unsigned kinds, struct allocation *out)
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

/* The caller was given a pointer that it cannot free. */
static CUresult wrong_free(u64 address)
{
    TELL(call_refused, &(struct driver_refusal){.what = REFUSED_FREE, .address = address});
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- freeing while nothing runs ---- */

static void release(struct deferred d)
{
    switch (d.kind) {
    case MEM_REGISTERED:
        mem_unregister(drv.mem, (void *)(uintptr_t)d.address);
        break;
    case MEM_MAPPED: /* another process's, which has its addresses to itself */
        mem_unmap(drv.mem, d.address, d.size);
        mem_unreserve(drv.mem, d.address & ~(u64)(MEM_IMPORT_ALIGN - 1));
        break;
    case MEM_RESERVED:
        mem_unreserve(drv.mem, d.address);
        break;
    default:
        mem_free(drv.mem, d.address);
    }
}

/* run_lock held */
static void flush_deferred(void)
{
    LS_LOCKED(&drv.run_lock);
    for (size_t i = 0; i < deferred_len; i++)
        release(deferred[i]);
    deferred_len = 0;
}

static bool defer(struct deferred d)
{
    if (deferred_len == deferred_cap) {
        size_t more = deferred_cap ? deferred_cap * 2 : 16;
        struct deferred *to = ls_realloc(deferred, more * sizeof *to);
        if (!to)
            return false;
        deferred = to;
        deferred_cap = more;
    }
    deferred[deferred_len++] = d;
    return true;
}

/* Without memory for the list the allocation is leaked rather than pulled from under a kernel. */
void memory_give_back(const struct allocation *a)
{
    struct deferred d = {a->base, a->size, a->kind};
    if (a->graph)
        return;
    pthread_mutex_lock(&drv.run_lock);
    if (drv.running)
        defer(d);
    else
        release(d);
    pthread_mutex_unlock(&drv.run_lock);
}

/* run_lock: */
static pthread_cond_t run_changed = PTHREAD_COND_INITIALIZER;
static bool alone;         /* one operation runs, or is about to, and others wait */
static pthread_t alone_is; /* in this thread */

/* run_lock held. Modules are loaded all the same, under locks that operations want too. */
static void wait_for_alone(void)
{
    LS_LOCKED(&drv.run_lock);
    while (alone && queue_doing)
        pthread_cond_wait(&run_changed, &drv.run_lock);
}

void memory_run_begin(void)
{
    pthread_mutex_lock(&drv.run_lock);
    wait_for_alone();
    drv.running++;
    pthread_mutex_unlock(&drv.run_lock);
}

bool memory_run_begin_alone(void)
{
    enum { PATIENCE = 5 }; /* seconds */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&drv.run_lock);
    wait_for_alone();
    alone = true;
    alone_is = pthread_self();
    while (drv.running && pthread_cond_timedwait(&run_changed, &drv.run_lock, &until) == 0)
        continue;
    const bool yes = alone = drv.running == 0;
    if (!yes)
        pthread_cond_broadcast(&run_changed);
    drv.running++;
    pthread_mutex_unlock(&drv.run_lock);
    return yes;
}

void memory_run_end(void)
{
    pthread_mutex_lock(&drv.run_lock);
    LS_BUG_ON(drv.running == 0);
    if (--drv.running == 0)
        flush_deferred();
    if (alone && pthread_equal(alone_is, pthread_self()))
        alone = false;
    pthread_cond_broadcast(&run_changed);
    pthread_mutex_unlock(&drv.run_lock);
}

unsigned memory_running(void)
{
    pthread_mutex_lock(&drv.run_lock);
    unsigned n = drv.running;
    pthread_mutex_unlock(&drv.run_lock);
    return n;
}

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

/* ---- allocating ---- */

/* Once, to programs that want to know, or want more than there is. */
static void say_small(void)
{
    static atomic_bool said;
    const double gib = 1 << 30;
    const u64 capacity = mem_capacity(drv.exec[0].mem);
    if (drv.settings.device_memory || capacity >= drv.gpu_memory || atomic_exchange(&said, true))
        return;
    drv_log("the device has %.1f GiB of memory, half of what this machine has available, and not the %.1f GiB of the "
            "%s: LOCKSTEP_DEVICE_MEMORY=gpu, or a size such as 64G, says otherwise",
            (double)capacity / gib, (double)drv.gpu_memory / gib, drv.gpu.name);
}

CUresult memory_alloc(CUcontext ctx, size_t size, enum mem_kind kind, unsigned flags, CUmemoryPool pool, u64 *address)
{
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const u64 align = kind == MEM_DEVICE ? MEM_ALIGN : drv.host_align;
    struct mem *mem = drv.exec[pool ? pool->device : ctx->device].mem;
    enum ls_status s = mem_alloc(mem, size, align, kind, NULL, address);
    if (s != LS_OK) {
        if (kind != MEM_PINNED && size <= drv.gpu_memory)
            say_small();
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (pool)
        mem_set_rights(mem, *address, pool->devices, pool->devices);
    struct allocation a = {.base = *address, .size = size, .ctx = ctx, .pool = pool, .flags = flags, .kind = (u8)kind};
    a.id = atomic_fetch_add(&drv.next_id, 1) + 1;
    if (memory_adopt(&a))
        return CUDA_SUCCESS;
    mem_free(drv.mem, *address);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    u64 address;
    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_DEVICE, 0, NULL, &address);
    if (r == CUDA_SUCCESS)
        *dptr = address;
    return r;
}

void memory_pool_rights(CUmemoryPool pool)
{
    for (size_t i = 0; i < len; i++)
        if (table[i].pool == pool)
            mem_set_rights(drv.mem, table[i].base, pool->devices, pool->devices);
}

/* Rows start at multiples of 512 bytes, as on current GPUs. */
enum { PITCH_ALIGN = 512 };

CUresult impl_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                 unsigned int ElementSizeBytes)
{
    size_t bytes;
    if (!dptr || !pPitch || !WidthInBytes || !Height || WidthInBytes > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = ls_align_up(WidthInBytes, PITCH_ALIGN);
    if (__builtin_mul_overflow(pitch, Height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = impl_cuMemAlloc_v2(dptr, bytes);
    if (r == CUDA_SUCCESS)
        *pPitch = pitch;
    return r;
}

CUresult impl_cuMemFree_v2(CUdeviceptr dptr)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    if (!dptr)
        return CUDA_SUCCESS;
    if (!memory_find(dptr, &a) || a.base != dptr || !(DEVICE_KINDS >> a.kind & 1))
        return wrong_free(dptr);
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!take(dptr, DEVICE_KINDS, &a))
        return wrong_free(dptr);
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    u64 address;
    if (!dptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_MANAGED, flags, NULL, &address);
    if (r == CUDA_SUCCESS)
        *dptr = address;
    return r;
}

CUresult impl_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    u64 address;
    if (!pp || (Flags & ~known))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_PINNED, Flags, NULL, &address);
    if (r == CUDA_SUCCESS)
        *pp = (void *)(uintptr_t)address;
    return r;
}

CUresult impl_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return impl_cuMemHostAlloc(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult impl_cuMemFreeHost(void *p)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    u64 address = (u64)(uintptr_t)p;
    if (!memory_find(address, &a) || a.base != address || a.kind != MEM_PINNED)
        return wrong_free(address);
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!take(address, 1u << MEM_PINNED, &a))
        return wrong_free(address);
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    if (!p || !bytesize || (Flags & ~known))
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_MEMHOSTREGISTER_IOMEMORY)
        return CUDA_ERROR_NOT_SUPPORTED;
    enum ls_status s = mem_register(drv.mem, p, bytesize);
    if (s != LS_OK)
        return s == LS_ERR_NOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    struct allocation a = {
        .base = (u64)(uintptr_t)p, .size = bytesize, .ctx = ctx_current(), .flags = Flags, .kind = MEM_REGISTERED};
    a.id = atomic_fetch_add(&drv.next_id, 1) + 1;
    if (memory_adopt(&a))
        return CUDA_SUCCESS;
    mem_unregister(drv.mem, p);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return impl_cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult impl_cuMemHostUnregister(void *p)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    u64 address = (u64)(uintptr_t)p;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!memory_find(address, &a) || a.base != address || a.kind != MEM_REGISTERED)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!take(address, 1u << MEM_REGISTERED, &a))
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

/* ---- what is known of a pointer ---- */

bool memory_known(const void *p)
{
    u64 lo, hi;
    enum mem_kind kind;
    return mem_range(drv.mem, (u64)(uintptr_t)p, &lo, &hi, &kind);
}

static bool covers(struct mem *mem, u64 address, size_t size, bool write)
{
    u64 lo, hi;
    enum mem_kind kind;
    return mem_range(mem, address, &lo, &hi, &kind) && size <= hi - address && !(write && kind == MEM_MAPPED_READ);
}

bool memory_covers(u64 address, size_t size, bool write) { return covers(drv.mem, address, size, write); }

bool memory_reaches(CUcontext ctx, u64 address, size_t size)
{
    return covers(drv.exec[ctx->device].mem, address, size, true);
}

CUresult impl_cuMemGetInfo_v2(size_t *free, size_t *total)
{
    if (!free || !total)
        return CUDA_ERROR_INVALID_VALUE;
    struct mem *mem = drv.exec[ctx_current()->device].mem;
    u64 used = mem_used(mem);
    *total = mem_capacity(mem);
    *free = used < *total ? *total - used : 0;
    say_small();
    return CUDA_SUCCESS;
}

CUresult impl_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!mem_range(drv.mem, dptr, &lo, &hi, &kind))
        return CUDA_ERROR_NOT_FOUND;
    if (pbase)
        *pbase = lo;
    if (psize)
        *psize = hi - lo;
    return CUDA_SUCCESS;
}

static bool host_kind(u8 kind) { return kind == MEM_PINNED || kind == MEM_REGISTERED; }

CUresult impl_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct allocation a;
    if (!pdptr || Flags || !memory_find((u64)(uintptr_t)p, &a) || !host_kind(a.kind))
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (u64)(uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    struct allocation a;
    if (!pFlags || !memory_find((u64)(uintptr_t)p, &a) || a.kind != MEM_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = a.flags;
    return CUDA_SUCCESS;
}

/* ---- memory of graphs ---- */

CUresult memory_graph_alloc(CUcontext ctx, size_t size, u64 *address, u64 *id)
{
    CUresult r = memory_alloc(ctx, size, MEM_DEVICE, 0, NULL, address);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(*address);
    LS_BUG_ON(!a); /* it has just been made, and nobody else knows it */
    a->graph = true;
    *id = a->id;
    struct memory_graph_use *use = &drv.devices[ctx->device].graph_use;
    use->reserved += size;
    if (use->reserved > use->reserved_high)
        use->reserved_high = use->reserved;
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

/* driver.lock held: it can go when no graph has it and nobody uses it. What is live then is its user's to free. */
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

/* A free in stream order ends a graph's memory at once, so that the graph may be launched again behind it; the hold
 * keeps the memory until the stream has come there. */
static void unhold(u64 address)
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

static bool hold(u64 address)
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

/* ---- stream order: the allocation is made at once, and freed when the stream gets there ---- */

struct free_work {
    struct work work;
    u64 address;
    bool graph;
};

void memory_free_now(u64 address)
{
    struct allocation a;
    if (take(address, DEVICE_KINDS, &a))
        memory_give_back(&a);
}

static void free_run(struct work *w)
{
    struct free_work *f = (struct free_work *)w;
    if (!f->graph)
        memory_free_now(f->address);
}

static void free_release(struct work *w)
{
    struct free_work *f = (struct free_work *)w;
    if (f->graph)
        unhold(f->address);
    ls_free(w);
}

static CUresult capture_free(struct CUstream_st *s, u64 address)
{
    struct op *op;
    CUresult r = free_op(s->ctx, address, &op);
    return r == CUDA_SUCCESS ? stream_submit_op(s, op) : r;
}

static CUresult queue_free(struct CUstream_st *s, u64 address, bool graph, u64 number)
{
    struct free_work *w = ls_calloc(1, sizeof *w);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *w = (struct free_work){.work = {.run = free_run, .release = free_release, .number = number},
                            .address = address,
                            .graph = graph && hold(address)};
    if (graph && !w->graph) {
        ls_free(w);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return stream_submit(s, &w->work, NULL);
}

/* False: it was marked before, or is gone. */
static bool mark_freed(u64 base)
{
    pthread_mutex_lock(&drv.lock);
    struct allocation *a = find_locked(base);
    const bool ok = a && a->base == base && !a->freed;
    if (ok)
        a->freed = true;
    pthread_mutex_unlock(&drv.lock);
    return ok;
}

/* Freed is what the program gave back, whether or not the stream has come there. */
static CUresult free_later(struct CUstream_st *s, const struct allocation *a)
{
    if (!a->graph && !mark_freed(a->base))
        return wrong_free(a->base);
    const u64 number = a->graph ? 0 : stream_number(s, 0, NULL, NULL);
    if (!a->graph) {
        TELL(memory_gone, a->base);
        TELL(memory_ordered, a->base, number, true);
    }
    return queue_free(s, a->base, a->graph, number);
}

CUresult impl_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct CUstream_st *s;
    struct allocation a;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS || !dptr)
        return r;
    if (stream_capturing(s))
        return capture_free(s, dptr);
    if (!memory_find(dptr, &a) || a.base != dptr || !(DEVICE_KINDS >> a.kind & 1))
        return wrong_free(dptr);
    if (!stream_enter(s, NULL))
        return free_later(s, &a);
    bool mine = take(dptr, DEVICE_KINDS, &a);
    if (mine && !a.graph)
        TELL(memory_ordered, dptr, queue_doing, true);
    if (mine)
        memory_give_back(&a);
    stream_leave(s);
    return mine ? CUDA_SUCCESS : wrong_free(dptr);
}
