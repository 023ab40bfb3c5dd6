/* context.c - contexts, each device's primary one, and each thread's stack of current ones.
 *
 * The contexts of a device share it and its memory; what a context owns is its streams, modules and allocations, its
 * limits and its sticky error. A destroyed context keeps its handle (a few hundred bytes), so that a thread in which it
 * is still current is told CUDA_ERROR_CONTEXT_IS_DESTROYED. A device's primary context always has the same handle. */
#include <string.h>

#include "base/alloc.h"
#include "driver/driver.h"

enum { STACK_DEPTH = 64 };
static _Thread_local CUcontext stack[STACK_DEPTH];
static _Thread_local unsigned depth;

CUcontext ctx_top(void) { return depth ? stack[depth - 1] : NULL; }

CUcontext ctx_current(void)
{
    CUcontext c = ctx_top();
    return c && atomic_load_explicit(&c->alive, memory_order_acquire) ? c : NULL;
}

bool ctx_valid(CUcontext ctx) { return ctx && ctx->tag == TAG_CONTEXT && atomic_load(&ctx->alive); }

CUresult ctx_sticky(CUcontext ctx) { return (CUresult)atomic_load_explicit(&ctx->sticky, memory_order_acquire); }

void ctx_poison(CUcontext ctx, CUresult r)
{
    int none = 0;
    atomic_compare_exchange_strong(&ctx->sticky, &none, (int)r);
    for (CUdevice d = 0; device_ok(d); d++) {
        const CUcontext c = atomic_load(&drv.devices[d].primary);
        none = 0;
        if (c && d != ctx->device && atomic_load(&c->alive))
            atomic_compare_exchange_strong(&c->sticky, &none, (int)r);
    }
}

CUresult ctx_synchronize(CUcontext ctx)
{
    streams_wait(ctx);
    return ctx_sticky(ctx);
}

/* L2 is set aside in sixteenths, three of them by default, as on an H200. 0: this GPU cannot set L2 aside. */
static size_t l2_part(void) { return drv.gpu.l2_persisting_bytes ? (size_t)drv.gpu.l2_bytes / 16 : 0; }

/* ---- life ---- */

static CUresult revive(CUcontext c, unsigned flags)
{
    atomic_store(&c->streams_made, 0);
    c->legacy = stream_new(c, 0, 0);
    if (!c->legacy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    c->legacy->legacy = true;
    c->flags = flags;
    c->generation++;
    c->id = atomic_fetch_add(&drv.next_id, 1) + 1;
    c->cache_config = CU_FUNC_CACHE_PREFER_NONE;
    c->shared_config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    c->pending_launches = 2048;
    c->sync_depth = 2;
    c->l2_fetch = 64;
    c->l2_persist = 3 * l2_part();
    atomic_store(&c->sticky, 0);
    atomic_store(&c->alive, true);
    return CUDA_SUCCESS;
}

static CUresult create(unsigned flags, CUdevice dev, unsigned api_version, CUcontext *out)
{
    CUcontext c = ls_calloc(1, sizeof *c);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    c->tag = TAG_CONTEXT;
    c->device = dev;
    c->api_version = api_version;
    CUresult r = revive(c, flags);
    if (r != CUDA_SUCCESS) {
        ls_free(c);
        return r;
    }
    pthread_mutex_lock(&drv.lock);
    c->next = drv.contexts;
    drv.contexts = c;
    pthread_mutex_unlock(&drv.lock);
    *out = c;
    return CUDA_SUCCESS;
}

/* Frees everything that the context owns; the handle stays. */
static void teardown(CUcontext c)
{
    atomic_store(&c->alive, false);
    streams_drop_all(c);
    TELL(host_waited, &(struct driver_wait){.ctx = c});
    TELL(context_end, c);
    pthread_mutex_lock(&drv.lock);
    while (c->modules) {
        CUmodule m = c->modules;
        c->modules = m->next;
        module_free(m);
    }
    if (c->primary)
        libraries_unload(c->device);
    peers_end(c);
    texture_free_context(c);
    array_free_context(c);
    memory_free_context(c);
    pthread_mutex_unlock(&drv.lock);
}

static CUresult push(CUcontext c)
{
    if (depth == STACK_DEPTH)
        return CUDA_ERROR_INVALID_VALUE;
    stack[depth++] = c;
    return CUDA_SUCCESS;
}

static CUresult create_current(CUcontext *pctx, unsigned flags, CUdevice dev, unsigned version)
{
    if (!pctx || (flags & ~(unsigned)CU_CTX_FLAGS_MASK))
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    CUcontext c;
    CUresult r = create(flags, dev, version, &c);
    if (r == CUDA_SUCCESS)
        r = push(c);
    if (r == CUDA_SUCCESS)
        *pctx = c;
    return r;
}

CUresult impl_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create_current(pctx, flags, dev, 3020);
}

CUresult impl_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                             CUdevice dev)
{
    if (paramsArray || numParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create_current(pctx, flags, dev, 3020);
}

CUresult impl_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
    if (ctxCreateParams && (ctxCreateParams->numExecAffinityParams || ctxCreateParams->execAffinityParams))
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (ctxCreateParams && ctxCreateParams->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return create_current(pctx, flags, dev, 3020);
}

CUresult impl_cuCtxDestroy_v2(CUcontext ctx)
{
    if (!ctx_valid(ctx) || ctx->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (ctx_top() == ctx)
        depth--;
    teardown(ctx);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxDestroy(CUcontext ctx) { return impl_cuCtxDestroy_v2(ctx); }

CUresult impl_cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    if (!pctx || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = ctx_current();
    return *pctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* We count no attachments: a context lives until it is destroyed. */
CUresult impl_cuCtxDetach(CUcontext ctx) { return ctx_valid(ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

/* ---- the primary context ---- */

/* driver.lock held */
static CUcontext primary(CUdevice dev)
{
    struct device *d = &drv.devices[dev];
    if (!d->primary) {
        CUcontext c = ls_calloc(1, sizeof *c);
        if (!c)
            return NULL;
        c->tag = TAG_CONTEXT;
        c->device = dev;
        c->primary = true;
        c->api_version = 3020;
        c->next = drv.contexts;
        drv.contexts = d->primary = c;
    }
    return d->primary;
}

CUresult impl_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&drv.lock);
    CUcontext c = primary(dev);
    if (!c)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    else if (!atomic_load(&c->alive))
        r = revive(c, c->flags);
    if (r == CUDA_SUCCESS) {
        c->retained++;
        *pctx = c;
    }
    pthread_mutex_unlock(&drv.lock);
    return r;
}

CUresult impl_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&drv.lock);
    CUcontext c = drv.devices[dev].primary;
    bool valid = c && c->retained > 0;
    bool last = valid && --c->retained == 0;
    pthread_mutex_unlock(&drv.lock);
    if (last && atomic_load(&c->alive))
        teardown(c);
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult impl_cuDevicePrimaryCtxRelease(CUdevice dev) { return impl_cuDevicePrimaryCtxRelease_v2(dev); }

CUresult impl_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&drv.lock);
    CUcontext c = drv.devices[dev].primary;
    bool alive = c && atomic_load(&c->alive);
    if (c)
        c->retained = 0;
    pthread_mutex_unlock(&drv.lock);
    if (alive)
        teardown(c);
    return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxReset(CUdevice dev) { return impl_cuDevicePrimaryCtxReset_v2(dev); }

CUresult impl_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&drv.lock);
    CUcontext c = primary(dev);
    if (c)
        c->flags = flags;
    pthread_mutex_unlock(&drv.lock);
    return c ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    return impl_cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult impl_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&drv.lock);
    const CUcontext c = drv.devices[dev].primary;
    *flags = c ? c->flags : 0;
    *active = c && atomic_load(&c->alive);
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

/* ---- the current context ---- */

CUresult impl_cuCtxPushCurrent_v2(CUcontext ctx) { return ctx_valid(ctx) ? push(ctx) : CUDA_ERROR_INVALID_CONTEXT; }

CUresult impl_cuCtxPushCurrent(CUcontext ctx) { return impl_cuCtxPushCurrent_v2(ctx); }

CUresult impl_cuCtxPopCurrent_v2(CUcontext *pctx)
{
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (pctx)
        *pctx = stack[depth];
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxPopCurrent(CUcontext *pctx) { return impl_cuCtxPopCurrent_v2(pctx); }

CUresult impl_cuCtxSetCurrent(CUcontext ctx)
{
    if (ctx && !ctx_valid(ctx))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth)
        depth--;
    return ctx ? push(ctx) : CUDA_SUCCESS;
}

CUresult impl_cuCtxGetCurrent(CUcontext *pctx)
{
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = ctx_top();
    return CUDA_SUCCESS;
}

/* ---- properties ---- */

CUresult impl_cuCtxGetDevice(CUdevice *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = ctx_current()->device;
    return CUDA_SUCCESS;
}

/* The functions that take a context take NULL for the current one. */
static CUresult choose(CUcontext *ctx)
{
    if (!*ctx)
        *ctx = ctx_current();
    return ctx_valid(*ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult impl_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    CUresult r = choose(&ctx);
    if (r == CUDA_SUCCESS && !device)
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *device = ctx->device;
    return r;
}

CUresult impl_cuCtxGetFlags(unsigned int *flags)
{
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = ctx_current()->flags;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetFlags(unsigned int flags)
{
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    ctx_current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    CUresult r = choose(&ctx);
    if (r != CUDA_SUCCESS)
        return r;
    if (!ctxId)
        return CUDA_ERROR_INVALID_VALUE;
    *ctxId = ctx->id;
    return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext ctx)
{
    CUresult r = capture_context(ctx);
    TELL(host_waits, &(struct driver_wait){0});
    if (r != CUDA_SUCCESS)
        return r;
    r = ctx_synchronize(ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = ctx});
    return r;
}

CUresult impl_cuCtxSynchronize(void) { return synchronize(ctx_current()); }

CUresult impl_cuCtxSynchronize_v2(CUcontext ctx)
{
    CUresult r = choose(&ctx);
    return r == CUDA_SUCCESS ? synchronize(ctx) : r;
}

CUresult impl_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    CUresult r = choose(&ctx);
    if (r != CUDA_SUCCESS)
        return r;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = ctx->api_version;
    return CUDA_SUCCESS;
}

/* The limits of the device's heap, stack and printf are the device's; the others are remembered only. */
static size_t *other_limit(CUcontext c, CUlimit limit)
{
    switch (limit) {
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
        return &c->sync_depth;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        return &c->pending_launches;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        return &c->l2_fetch;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        return &c->l2_persist;
    default:
        return NULL;
    }
}

static u64 *device_limit(struct exec_device *d, CUlimit limit)
{
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        return &d->stack_bytes;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        return &d->printf_bytes;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        return &d->heap_bytes;
    default:
        return NULL;
    }
}

/* A number that names no limit is a bad argument. */
static CUresult limit_error(CUlimit limit)
{
    return (unsigned)limit <= CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

/* The limits of L2 have no effect, but read back as from an H200's driver. */
static CUresult set_l2_limit(CUcontext c, CUlimit limit, size_t value)
{
    enum { FETCH_MOST = 128 };
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY) {
        if (value > FETCH_MOST)
            return CUDA_ERROR_INVALID_VALUE;
        c->l2_fetch = value;
        return CUDA_SUCCESS;
    }
    const size_t part = l2_part();
    if (!part)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (value > drv.gpu.l2_persisting_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    c->l2_persist = (value + part - 1) / part * part;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUcontext c = ctx_current();
    struct exec_device *d = &drv.exec[c->device];
    u64 *device = device_limit(d, limit);
    if (device) {
        streams_wait(c); /* running kernels read them */
        *device = limit == CU_LIMIT_STACK_SIZE ? ls_align_up(value, 16) : value;
        if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
            mem_set_heap_limit(d->mem, value);
        return CUDA_SUCCESS;
    }
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY || limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
        return set_l2_limit(c, limit, value);
    size_t *other = other_limit(c, limit);
    if (!other)
        return limit_error(limit);
    *other = value;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    if (!pvalue)
        return CUDA_ERROR_INVALID_VALUE;
    const u64 *device = device_limit(&drv.exec[ctx_current()->device], limit);
    const size_t *other = other_limit(ctx_current(), limit);
    if (!device && !other)
        return limit_error(limit);
    *pvalue = device ? (size_t)*device : *other;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    if (!pconfig)
        return CUDA_ERROR_INVALID_VALUE;
    *pconfig = ctx_current()->cache_config;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetCacheConfig(CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    ctx_current()->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    if (!pConfig)
        return CUDA_ERROR_INVALID_VALUE;
    *pConfig = ctx_current()->shared_config;
    return CUDA_SUCCESS;
}

/* Only Kepler could change its bank size: accepted, without effect, as by CUDA on later GPUs. */
CUresult impl_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult impl_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = -5; /* as an H200 reports */
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxResetPersistingL2Cache(void) { return CUDA_SUCCESS; }

CUresult impl_cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    (void)pExecAffinity, (void)type;
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}
