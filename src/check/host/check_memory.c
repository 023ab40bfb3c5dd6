/* check_memory.c - what the program does to memory from the host: who made and freed each allocation, wrong frees, what
 * is left at the end, and the bytes that copies and fills touch.
 *
 * Memory of the host that kernels can reach (pinned, registered) counts as the host's: a copy from there is a write of
 * device memory by the host, and a copy to there a read of it. The program writes it behind the driver's back. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/host/check.h"
#include "check/leakcheck/heap.h"

/* ---- allocations ---- */

/* The serial of the live block that begins at base; 0: there is none. */
static u64 serial_of(u64 base)
{
    struct mem_block b;
    return mem_nearest(drv.mem, base, &b) && b.base == base ? b.serial : 0;
}

void check_made(u64 base)
{
    const struct host_call *call = check_call();
    const u64 serial = serial_of(base);
    if (call && serial)
        allocations_put_made(check_allocations(checked), serial, call);
}

void check_gone(u64 base)
{
    const struct host_call *call = check_call();
    const u64 serial = serial_of(base);
    if (call && serial)
        allocations_put_gone(check_allocations(checked), serial, call);
}

/* ---- wrong frees ---- */

static bool was_freed(const struct mem_block *b)
{
    struct host_call gone;
    return !b->live || allocations_gone(check_allocations(checked), b->serial, &gone);
}

/* What the memory is, and what gives such memory back; NULL: nothing does. */
static const char *kind_text(u8 kind, const char **freed_by)
{
    *freed_by = NULL;
    switch ((enum mem_kind)kind) {
    case MEM_DEVICE:
        *freed_by = "cudaFree (cuMemFree)";
        return "device memory";
    case MEM_MANAGED:
        *freed_by = "cudaFree (cuMemFree)";
        return "managed memory";
    case MEM_PINNED:
        *freed_by = "cudaFreeHost (cuMemFreeHost)";
        return "pinned host memory";
    case MEM_REGISTERED:
        *freed_by = "cudaHostUnregister (cuMemHostUnregister)";
        return "registered host memory";
    case MEM_GLOBAL:
        return "a __device__ variable";
    case MEM_CONST:
        return "a __constant__ variable";
    case MEM_HEAP:
        *freed_by = "free() in a kernel";
        return "memory of malloc() in a kernel";
    case MEM_MAPPED:
    case MEM_MAPPED_READ:
    case MEM_MAPPED_NONE:
        *freed_by = "cuMemUnmap";
        return "mapped memory";
    default:
        return "memory of the driver";
    }
}

static void explain_start(struct finding *f, const struct mem_block *b)
{
    const char *by, *what = kind_text(b->kind, &by);
    if (b->name)
        snprintf(f->detail, sizeof f->detail, "Address 0x%llx is that of %s, %s, which is not freed",
                 (unsigned long long)b->base, b->name, what);
    else if (by)
        snprintf(f->detail, sizeof f->detail,
                 "Address 0x%llx is that of %llu bytes of %s (allocation #%llu): %s frees it",
                 (unsigned long long)b->base, (unsigned long long)b->size, what, (unsigned long long)b->serial, by);
    else
        snprintf(f->detail, sizeof f->detail, "Address 0x%llx is that of %s, which is not freed",
                 (unsigned long long)b->base, what);
}

static void explain_inside(struct finding *f, const struct mem_block *b, u64 address)
{
    const char *by;
    snprintf(f->detail, sizeof f->detail,
             "Address 0x%llx is %llu bytes inside of %llu bytes of %s at 0x%llx (allocation #%llu)",
             (unsigned long long)address, (unsigned long long)(address - b->base), (unsigned long long)b->size,
             kind_text(b->kind, &by), (unsigned long long)b->base, (unsigned long long)b->serial);
}

void check_free_failed(u64 address)
{
    struct mem_block b;
    const bool inside = mem_nearest(drv.mem, address, &b) && address - b.base < b.size;
    const bool twice = inside && b.base == address && was_freed(&b);
    struct finding *f = check_call_explain(twice ? FINDING_DOUBLE_FREE : FINDING_INVALID_FREE);
    f->has_address = true;
    f->space = SPACE_GLOBAL;
    f->address = address;
    f->allocation = inside ? b.serial : 0;
    if (twice)
        snprintf(f->detail, sizeof f->detail, "The %llu bytes at 0x%llx (allocation #%llu) were freed before",
                 (unsigned long long)b.size, (unsigned long long)address, (unsigned long long)b.serial);
    else if (inside && b.base == address)
        explain_start(f, &b);
    else if (inside)
        explain_inside(f, &b, address);
    else
        snprintf(f->detail, sizeof f->detail, "Address 0x%llx is in no allocation of CUDA's",
                 (unsigned long long)address);
}

/* ---- handles of arrays ---- */

/* The last that were destroyed; a ring. */
enum { HANDLES = 256 };
static struct {
    pthread_mutex_t lock;
    struct {
        const void *handle;
        u64 serial;
    } gone[HANDLES];
    u32 next;
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

void check_handle_gone(const void *handle, u64 address)
{
    const u64 serial = serial_of(address);
    pthread_mutex_lock(&handles.lock);
    handles.gone[handles.next].handle = handle;
    handles.gone[handles.next].serial = serial;
    handles.next = (handles.next + 1) % HANDLES;
    pthread_mutex_unlock(&handles.lock);
}

void check_handle_failed(const void *handle)
{
    u64 serial = 0;
    pthread_mutex_lock(&handles.lock);
    for (u32 k = 0; k < HANDLES; k++)
        if (handle && handles.gone[k].handle == handle)
            serial = handles.gone[k].serial;
    pthread_mutex_unlock(&handles.lock);
    struct finding *f = check_call_explain(serial ? FINDING_DOUBLE_FREE : FINDING_INVALID_FREE);
    f->allocation = serial;
    snprintf(f->detail, sizeof f->detail, serial ? "The array %p was freed before" : "There is no array %p", handle);
}

/* ---- leaks ---- */

/* What is not the program's to free is no leak: registered memory is its own, memory of other processes theirs, and a
 * graph's is live only between an allocation and a free. In a context that an error ended nothing can be freed. */
static bool may_leak(const struct allocation *a)
{
    if (a->ctx && ctx_sticky(a->ctx) != CUDA_SUCCESS)
        return false;
    if (a->kind == MEM_REGISTERED || a->kind == MEM_INTERNAL || a->kind == MEM_RESERVED || a->flags & ALLOCATION_OURS)
        return false;
    if (mem_is_mapped(a->kind))
        return a->piece != NULL;
    return !a->graph || a->live;
}

static void report_leak(const struct allocation *a)
{
    struct finding f;
    finding_init(&f, FINDING_LEAK);
    f.has_address = true;
    f.address = a->base;
    f.space = SPACE_GLOBAL;
    f.size = a->size;
    f.allocation = serial_of(a->base);
    snprintf(f.what, sizeof f.what, "Leaked %llu bytes at 0x%llx", (unsigned long long)a->size,
             (unsigned long long)a->base);
    allocations_made(check_allocations(checked), f.allocation, &f.call);
    check_report(checked, &f);
}

/* Whether an error ended one of the contexts that are there. */
static bool context_ended(void)
{
    bool ended = false;
    pthread_mutex_lock(&drv.lock);
    for (CUcontext c = drv.contexts; c; c = c->next)
        ended |= atomic_load(&c->alive) && ctx_sticky(c) != CUDA_SUCCESS;
    pthread_mutex_unlock(&drv.lock);
    return ended;
}

/* Findings are written without the driver's lock: to name the program's files the loader's is needed, and who holds
 * that may wait for the driver's. */
void check_leaks(CUcontext ctx)
{
    size_t n;
    if (!check_wants(CHECK_LEAKCHECK))
        return;
    if (!ctx && !context_ended())
        heap_leaks(checked);
    struct allocation *all = memory_all(&n);
    for (size_t k = 0; k < n; k++)
        if ((!ctx || all[k].ctx == ctx) && may_leak(&all[k]))
            report_leak(&all[k]);
    ls_free(all);
}

/* ---- copies and fills ---- */

enum place { PAGEABLE, REACHABLE, DEVICE }; /* of the host; of the host, and kernels can reach it; of the device */

static enum place place_of(u64 address)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!mem_range(drv.mem, address, &lo, &hi, &kind))
        return PAGEABLE;
    return kind == MEM_PINNED || kind == MEM_REGISTERED ? REACHABLE : DEVICE;
}

void check_copy(u64 to, u64 from, u64 size, const struct host_call *call)
{
    const enum place dst = place_of(to), src = place_of(from);
    const u64 op = queue_doing;
    if (dst == DEVICE && src == DEVICE) {
        check_copied(checked, to, from, size, op, call);
        return;
    }
    if (src != PAGEABLE)
        check_host_read(checked, from, size, op, call);
    if (dst != PAGEABLE)
        check_host_wrote(checked, to, size, op, call);
}

void check_fill(u64 address, u64 size, const struct host_call *call)
{
    check_filled(checked, address, size, queue_doing, call);
}

void check_range_bad(const char *side, u64 address, u64 size)
{
    u64 lo, hi;
    enum mem_kind kind;
    char where[256];
    if (!address) {
        check_call_detail("The %s is a null pointer", side);
        return;
    }
    mem_describe(drv.mem, address, size, where, sizeof where);
    if (!mem_range(drv.mem, address, &lo, &hi, &kind))
        check_call_detail("The %s, 0x%llx, is no live memory of the device\n%s", side, (unsigned long long)address,
                          where);
    else if (size > hi - address)
        check_call_detail("The %s has %llu bytes, %llu are wanted\n%s", side, (unsigned long long)(hi - address),
                          (unsigned long long)size, where);
    else
        check_call_detail("The %s may not be written\n%s", side, where);
}
