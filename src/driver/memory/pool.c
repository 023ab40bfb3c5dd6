/* pool.c - memory pools: attributes and accounting. A pool reserves nothing; its allocations are like others, made at
 * once and freed in stream order (free_async.c). */
#include "base/alloc.h"
#include "driver/driver.h"

static bool valid(CUmemoryPool p) { return p && p->tag == TAG_POOL; }

CUresult impl_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    if (!pool_out)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *pool_out = &drv.devices[dev].default_pool;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    if (!pool)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&drv.lock);
    *pool = drv.devices[dev].current_pool;
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!valid(pool) || pool->device != dev)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&drv.lock);
    drv.devices[dev].current_pool = pool;
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

/* The same by location and kind of memory: only pinned memory of a device is supported. */
static CUresult place_of_pool(const CUmemLocation *l, CUmemAllocationType type)
{
    if (!l || l->type == CU_MEM_LOCATION_TYPE_INVALID)
        return CUDA_ERROR_INVALID_VALUE;
    return l->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED ? CUDA_SUCCESS
                                                                                           : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult impl_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type)
{
    CUresult r = place_of_pool(location, type);
    return r == CUDA_SUCCESS ? impl_cuDeviceGetDefaultMemPool(pool_out, location->id) : r;
}

CUresult impl_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    CUresult r = place_of_pool(location, type);
    return r == CUDA_SUCCESS ? impl_cuDeviceGetMemPool(pool, location->id) : r;
}

CUresult impl_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    CUresult r = place_of_pool(location, type);
    return r == CUDA_SUCCESS ? impl_cuDeviceSetMemPool(location->id, pool) : r;
}

CUresult impl_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    if (!pool || !poolProps || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_ok(poolProps->location.id))
        return CUDA_ERROR_INVALID_VALUE;
    CUmemoryPool p = handle_new(TAG_POOL, sizeof *p);
    if (!p)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = (struct CUmemPoolHandle_st){.tag = TAG_POOL, .reuse = {1, 1, 1}, .device = poolProps->location.id};
    *pool = p;
    return CUDA_SUCCESS;
}

/* Allocations outlive their pool and count in it until they are freed, so a destroyed pool is kept until it is
 * empty. */
CUresult impl_cuMemPoolDestroy(CUmemoryPool pool)
{
    if (!valid(pool) || pool->is_default)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&drv.lock);
    struct device *d = &drv.devices[pool->device];
    if (d->current_pool == pool)
        d->current_pool = &d->default_pool;
    bool empty = pool->used == 0;
    pool->tag = 0;
    pthread_mutex_unlock(&drv.lock);
    if (empty)
        handle_free(TAG_POOL, pool);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    (void)minBytesToKeep;
    return valid(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    if (!valid(pool) || !value)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&drv.lock);
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(int *)value;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->release_threshold = *(u64 *)value;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: /* may only be reset */
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        if (*(u64 *)value)
            r = CUDA_ERROR_INVALID_VALUE;
        else
            pool->used_high = pool->used;
        break;
    default:
        r = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&drv.lock);
    return r;
}

CUresult impl_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    if (!valid(pool) || !value)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&drv.lock);
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = pool->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(u64 *)value = pool->release_threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(u64 *)value = pool->used;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(u64 *)value = pool->used_high;
        break;
    default:
        r = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&drv.lock);
    return r;
}

static bool is_device(const CUmemLocation *l) { return l->type == CU_MEM_LOCATION_TYPE_DEVICE && device_ok(l->id); }

/* Its own device always has access. */
static CUresult check_access(CUmemoryPool pool, const CUmemAccessDesc *d)
{
    if (!is_device(&d->location))
        return CUDA_ERROR_INVALID_DEVICE;
    if (d->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_SUCCESS;
    if (d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
        return CUDA_ERROR_INVALID_VALUE;
    return d->location.id == pool->device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult impl_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    if (!valid(pool) || !map || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const CUresult r = check_access(pool, &map[i]);
        if (r != CUDA_SUCCESS)
            return r;
    }
    pthread_mutex_lock(&drv.lock);
    for (size_t i = 0; i < count; i++) {
        const u32 bit = 1u << map[i].location.id;
        const bool open = map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        pool->devices = (u16)(open ? pool->devices | bit : pool->devices & ~bit);
    }
    memory_pool_rights(pool);
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
    if (!flags || !valid(memPool) || !location)
        return CUDA_ERROR_INVALID_VALUE;
    const bool open =
        is_device(location) && (location->id == memPool->device || (memPool->devices >> location->id & 1));
    *flags = open ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

static CUresult capture_alloc(struct CUstream_st *s, size_t size, CUdeviceptr *dptr)
{
    CUDA_MEM_ALLOC_NODE_PARAMS p = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                  .location = {CU_MEM_LOCATION_TYPE_DEVICE, s->ctx->device}},
                                    .bytesize = size};
    struct op *op;
    CUresult r = alloc_op(s->ctx, &p, &op);
    if (r == CUDA_SUCCESS)
        r = stream_submit_op(s, op);
    if (r == CUDA_SUCCESS)
        *dptr = p.dptr;
    return r;
}

CUresult impl_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    struct CUstream_st *s;
    u64 address;
    if (!dptr || !valid(pool))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(hStream, &s);
    if (r == CUDA_SUCCESS && stream_capturing(s))
        return capture_alloc(s, bytesize, dptr);
    if (r == CUDA_SUCCESS)
        r = memory_alloc(s->ctx, bytesize, MEM_DEVICE, 0, pool, &address);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    pool->used += bytesize;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    pthread_mutex_unlock(&drv.lock);
    TELL(memory_ordered, address, stream_number(s, 0, NULL, NULL), false);
    *dptr = address;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    CUmemoryPool pool = NULL;
    struct CUstream_st *s;
    CUresult r = stream_find(hStream, &s);
    if (r == CUDA_SUCCESS)
        r = impl_cuDeviceGetMemPool(&pool, s->ctx->device);
    if (r != CUDA_SUCCESS)
        return r;
    return impl_cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream);
}
