/* host_calls.c - calls that fail: the finding, with what the driver has to say of it; a wrong free is one of its own instead
 * of an API error. */
#include <stdarg.h>
#include <stdio.h>

#include "check/core/allocations.h"
#include "check/core/host/host.h"

/* ---- why a call is refused ---- */

/* Of this thread's call with that number. */
static _Thread_local struct {
    u64 call;
    struct finding finding;
} why;

/* What is wrong, should the call under way fail: the caller fills it. */
static struct finding *explain(enum finding_kind kind)
{
    finding_init(&why.finding, kind);
    why.call = check_call_number();
    return &why.finding;
}

LS_PRINTF(1, 2) static void explain_error(const char *fmt, ...)
{
    va_list args;
    struct finding *f = explain(FINDING_API_ERROR);
    va_start(args, fmt);
    vsnprintf(f->detail, sizeof f->detail, fmt, args);
    va_end(args);
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

static void explain_free(u64 address)
{
    struct mem_block b;
    const bool inside = mem_nearest(drv.mem, address, &b) && address - b.base < b.size;
    const bool twice = inside && b.base == address && was_freed(&b);
    struct finding *f = explain(twice ? FINDING_DOUBLE_FREE : FINDING_INVALID_FREE);
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

static void on_array_gone(const void *handle, u64 address)
{
    const u64 serial = check_serial_of(address);
    pthread_mutex_lock(&handles.lock);
    handles.gone[handles.next].handle = handle;
    handles.gone[handles.next].serial = serial;
    handles.next = (handles.next + 1) % HANDLES;
    pthread_mutex_unlock(&handles.lock);
}

static void explain_array(const void *handle)
{
    u64 serial = 0;
    pthread_mutex_lock(&handles.lock);
    for (u32 k = 0; k < HANDLES; k++)
        if (handle && handles.gone[k].handle == handle)
            serial = handles.gone[k].serial;
    pthread_mutex_unlock(&handles.lock);
    struct finding *f = explain(serial ? FINDING_DOUBLE_FREE : FINDING_INVALID_FREE);
    f->allocation = serial;
    snprintf(f->detail, sizeof f->detail, serial ? "The array %p was freed before" : "There is no array %p", handle);
}

/* ---- ranges ---- */

static void explain_range(const char *side, u64 address, u64 size)
{
    u64 lo, hi;
    enum mem_kind kind;
    char where[256];
    if (!address) {
        explain_error("The %s is a null pointer", side);
        return;
    }
    mem_describe(drv.mem, address, size, where, sizeof where);
    if (!mem_range(drv.mem, address, &lo, &hi, &kind))
        explain_error("The %s, 0x%llx, is no live memory of the device\n%s", side, (unsigned long long)address, where);
    else if (size > hi - address)
        explain_error("The %s has %llu bytes, %llu are wanted\n%s", side, (unsigned long long)(hi - address),
                      (unsigned long long)size, where);
    else
        explain_error("The %s may not be written\n%s", side, where);
}

/* ---- events ---- */

static void on_refused(const struct driver_refusal *r)
{
    switch (r->what) {
    case REFUSED_TEXT:
        explain_error("%s", r->text);
        break;
    case REFUSED_RANGE:
        explain_range(r->text, r->address, r->size);
        break;
    case REFUSED_FREE:
        explain_free(r->address);
        break;
    case REFUSED_ARRAY:
        explain_array(r->handle);
        break;
    case REFUSED_NUMBER:
        explain_error("This driver knows no %s %llu", r->text, (unsigned long long)r->address);
        break;
    }
}

static void on_failed(int error, const char *name, const char *text)
{
    char what[sizeof why.finding.what];
    if (!check_call_error(error, name, text, what, sizeof what))
        return;
    struct finding *f = why.call == check_call_number() ? &why.finding : explain(FINDING_API_ERROR);
    if (f->kind == FINDING_API_ERROR && drv.settings.check_api == CHECK_API_NO)
        return;
    f->call = *check_call();
    snprintf(f->what, sizeof f->what, "%s", what);
    check_report(checked, f);
}

const struct driver_observer observer_memcheck = {
    .call_refused = on_refused, .call_failed = on_failed, .array_gone = on_array_gone};
