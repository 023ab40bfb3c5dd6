/* pool.c - memory in stream order: cudaMallocAsync, cudaFreeAsync and memory pools. The two APIs' structures and
 * enumerations are the same. */
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "passed on as it is");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "passed on as it is");
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "passed on as it is");

cudaError_t impl_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    CUdeviceptr p = 0;
    if (!devPtr)
        return cudaErrorInvalidValue;
    CUresult r = size ? drv.cuMemAllocAsync(&p, size, stream_of(hStream)) : CUDA_SUCCESS;
    if (r == CUDA_SUCCESS)
        *devPtr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    CUdeviceptr p = 0;
    if (!ptr)
        return cudaErrorInvalidValue;
    CUresult r = size ? drv.cuMemAllocFromPoolAsync(&p, size, memPool, stream_of(stream)) : CUDA_SUCCESS;
    if (r == CUDA_SUCCESS)
        *ptr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    return devPtr ? error_of(drv.cuMemFreeAsync((CUdeviceptr)(uintptr_t)devPtr, stream_of(hStream))) : cudaSuccess;
}

cudaError_t impl_cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    return error_of(drv.cuMemPoolCreate(memPool, (const CUmemPoolProps *)(const void *)poolProps));
}

cudaError_t impl_cudaMemPoolDestroy(cudaMemPool_t memPool) { return error_of(drv.cuMemPoolDestroy(memPool)); }

cudaError_t impl_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    return error_of(drv.cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t impl_cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return error_of(drv.cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t impl_cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return error_of(drv.cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t impl_cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count)
{
    return error_of(drv.cuMemPoolSetAccess(memPool, (const CUmemAccessDesc *)(const void *)descList, count));
}

cudaError_t impl_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                      struct cudaMemLocation *location)
{
    return error_of(
        drv.cuMemPoolGetAccess((CUmemAccess_flags *)(void *)flags, memPool, (CUmemLocation *)(void *)location));
}

/* ---- a device's pools ---- */

cudaError_t impl_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    return error_of(drv.cuDeviceGetDefaultMemPool(memPool, device));
}

cudaError_t impl_cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    return error_of(drv.cuDeviceSetMemPool(device, memPool));
}

cudaError_t impl_cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return error_of(drv.cuDeviceGetMemPool(memPool, device));
}

/* The newer forms name a place and a kind of memory. */
cudaError_t impl_cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                          enum cudaMemAllocationType type)
{
    return error_of(drv.cuMemGetDefaultMemPool(memPool, (CUmemLocation *)(void *)location, (CUmemAllocationType)type));
}

cudaError_t impl_cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type)
{
    return error_of(drv.cuMemGetMemPool(memPool, (CUmemLocation *)(void *)location, (CUmemAllocationType)type));
}

cudaError_t impl_cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                   cudaMemPool_t memPool)
{
    return error_of(drv.cuMemSetMemPool((CUmemLocation *)(void *)location, (CUmemAllocationType)type, memPool));
}
