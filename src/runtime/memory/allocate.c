/* allocate.c - allocating: device, pitched, pinned and managed memory, and what a pointer is. */
#include <string.h>

#include "runtime/runtime.h"

static CUdeviceptr device_ptr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

/* A size of 0 gives NULL, which is no error. */
cudaError_t impl_cudaMalloc(void **devPtr, size_t size)
{
    CUdeviceptr p = 0;
    if (!devPtr)
        return cudaErrorInvalidValue;
    CUresult r = size ? drv.cuMemAlloc_v2(&p, size) : CUDA_SUCCESS;
    if (r == CUDA_SUCCESS)
        *devPtr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaFree(void *devPtr)
{
    return devPtr ? error_of(drv.cuMemFree_v2(device_ptr(devPtr))) : cudaSuccess;
}

static cudaError_t pitched(void **devPtr, size_t *pitch, size_t width, size_t rows)
{
    CUdeviceptr p = 0;
    *devPtr = NULL;
    *pitch = 0;
    if (width == 0 || rows == 0)
        return cudaSuccess;
    CUresult r = drv.cuMemAllocPitch_v2(&p, pitch, width, rows, 4);
    if (r == CUDA_SUCCESS)
        *devPtr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    return devPtr && pitch ? pitched(devPtr, pitch, width, height) : cudaErrorInvalidValue;
}

cudaError_t impl_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    size_t rows;
    if (!pitchedDevPtr || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorInvalidValue;
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

cudaError_t impl_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    CUdeviceptr p;
    if (!devPtr || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
    if (size == 0) { /* as cudaMalloc */
        *devPtr = NULL;
        return cudaSuccess;
    }
    CUresult r = drv.cuMemAllocManaged(&p, size, flags);
    if (r == CUDA_SUCCESS)
        *devPtr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaMemGetInfo(size_t *free, size_t *total) { return error_of(drv.cuMemGetInfo_v2(free, total)); }

/* ---- host memory ---- */

cudaError_t impl_cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    if (!pHost || (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)))
        return cudaErrorInvalidValue;
    *pHost = NULL;
    return size ? error_of(drv.cuMemHostAlloc(pHost, size, flags)) : cudaSuccess;
}

cudaError_t impl_cudaMallocHost(void **ptr, size_t size) { return impl_cudaHostAlloc(ptr, size, cudaHostAllocDefault); }

cudaError_t impl_cudaFreeHost(void *ptr) { return ptr ? error_of(drv.cuMemFreeHost(ptr)) : cudaSuccess; }

cudaError_t impl_cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    return error_of(drv.cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t impl_cudaHostUnregister(void *ptr) { return error_of(drv.cuMemHostUnregister(ptr)); }

cudaError_t impl_cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    CUdeviceptr p;
    if (!pDevice || flags)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuMemHostGetDevicePointer_v2(&p, pHost, 0);
    if (r == CUDA_SUCCESS)
        *pDevice = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    return error_of(drv.cuMemHostGetFlags(pFlags, pHost));
}

/* ---- pointers ---- */

/* The driver never answers UNIFIED, and has no answer for a pointer that it does not know. */
cudaError_t impl_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    CUmemorytype type = (CUmemorytype)0;
    unsigned managed = 0;
    int device = -1;
    CUdeviceptr on_device = 0;
    void *on_host = NULL;
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&type, &managed, &device, &on_device, &on_host};
    if (!attributes)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuPointerGetAttributes(LS_ARRAY_LEN(names), names, values, device_ptr(ptr));
    if (r != CUDA_SUCCESS)
        return error_of(r);
    memset(attributes, 0, sizeof *attributes);
    *attributes = (struct cudaPointerAttributes){
        .device = device, .devicePointer = (void *)(uintptr_t)on_device, .hostPointer = on_host};
    if (managed)
        attributes->type = cudaMemoryTypeManaged;
    else if (type == CU_MEMORYTYPE_HOST)
        attributes->type = cudaMemoryTypeHost;
    else if (type == CU_MEMORYTYPE_DEVICE)
        attributes->type = cudaMemoryTypeDevice;
    else
        *attributes = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeUnregistered, .device = cudaInvalidDeviceId, .hostPointer = (void *)(uintptr_t)ptr};
    return cudaSuccess;
}

/* ---- managed memory: where it should be ---- */

static CUmemLocation location_of(struct cudaMemLocation l) { return (CUmemLocation){(CUmemLocationType)l.type, l.id}; }

cudaError_t impl_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                               struct cudaMemLocation location)
{
    return error_of(drv.cuMemAdvise_v2(device_ptr(devPtr), count, (CUmem_advise)advice, location_of(location)));
}

cudaError_t impl_cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream)
{
    return error_of(
        drv.cuMemPrefetchAsync_v2(device_ptr(devPtr), count, location_of(location), flags, stream_of(stream)));
}

_Static_assert(sizeof(void *) == sizeof(CUdeviceptr), "lists of pointers are passed on as they are");

cudaError_t impl_cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                           struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return error_of(drv.cuMemPrefetchBatchAsync((CUdeviceptr *)(void *)dptrs, sizes, count,
                                                (CUmemLocation *)(void *)prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
                                                flags, stream_of(stream)));
}

cudaError_t impl_cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                          cudaStream_t stream)
{
    return error_of(drv.cuMemDiscardBatchAsync((CUdeviceptr *)(void *)dptrs, sizes, count, flags, stream_of(stream)));
}

cudaError_t impl_cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs, unsigned long long flags,
                                                     cudaStream_t stream)
{
    return error_of(drv.cuMemDiscardAndPrefetchBatchAsync((CUdeviceptr *)(void *)dptrs, sizes, count,
                                                          (CUmemLocation *)(void *)prefetchLocs, prefetchLocIdxs,
                                                          numPrefetchLocs, flags, stream_of(stream)));
}

cudaError_t impl_cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                          const void *devPtr, size_t count)
{
    return error_of(
        drv.cuMemRangeGetAttribute(data, dataSize, (CUmem_range_attribute)attribute, device_ptr(devPtr), count));
}

cudaError_t impl_cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                           size_t numAttributes, const void *devPtr, size_t count)
{
    return error_of(drv.cuMemRangeGetAttributes(data, dataSizes, (CUmem_range_attribute *)(void *)attributes,
                                                numAttributes, device_ptr(devPtr), count));
}
