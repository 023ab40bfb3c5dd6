/* function.c - kernels: attributes, names, parameters, occupancy. */
#include <string.h>

#include "runtime/runtime.h"

/* ---- attributes ---- */

cudaError_t impl_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    CUfunction f;
    if (!attr)
        return cudaErrorInvalidValue;
    cudaError_t e = function_of(func, &f);
    if (e != cudaSuccess)
        return e;
    memset(attr, 0, sizeof *attr);
#define GET(member, name)                                                                                              \
    {                                                                                                                  \
        int value = 0;                                                                                                 \
        if (drv.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_##name, f) == CUDA_SUCCESS)                               \
            attr->member = (__typeof__(attr->member))value;                                                            \
    }
    GET(sharedSizeBytes, SHARED_SIZE_BYTES)
    GET(constSizeBytes, CONST_SIZE_BYTES)
    GET(localSizeBytes, LOCAL_SIZE_BYTES)
    GET(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK)
    GET(numRegs, NUM_REGS)
    GET(ptxVersion, PTX_VERSION)
    GET(binaryVersion, BINARY_VERSION)
    GET(cacheModeCA, CACHE_MODE_CA)
    GET(maxDynamicSharedSizeBytes, MAX_DYNAMIC_SHARED_SIZE_BYTES)
    GET(preferredShmemCarveout, PREFERRED_SHARED_MEMORY_CARVEOUT)
    GET(clusterDimMustBeSet, CLUSTER_SIZE_MUST_BE_SET)
    GET(requiredClusterWidth, REQUIRED_CLUSTER_WIDTH)
    GET(requiredClusterHeight, REQUIRED_CLUSTER_HEIGHT)
    GET(requiredClusterDepth, REQUIRED_CLUSTER_DEPTH)
    GET(clusterSchedulingPolicyPreference, CLUSTER_SCHEDULING_POLICY_PREFERENCE)
    GET(nonPortableClusterSizeAllowed, NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
#undef GET
    return cudaSuccess;
}

/* The two APIs number attributes alike. */
cudaError_t impl_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    CUfunction f;
    cudaError_t e = function_of(func, &f);
    return e == cudaSuccess ? error_of(drv.cuFuncSetAttribute(f, (CUfunction_attribute)attr, value)) : e;
}

cudaError_t impl_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value,
                                                 int device)
{
    return error_of(drv.cuKernelSetAttribute((CUfunction_attribute)attr, value, kernel, device));
}

cudaError_t impl_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    CUfunction f;
    cudaError_t e = function_of(func, &f);
    return e == cudaSuccess ? error_of(drv.cuFuncSetCacheConfig(f, (CUfunc_cache)cacheConfig)) : e;
}

/* Banks have had four bytes since Maxwell: accepted, without effect, as by CUDA. */
cudaError_t impl_cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    CUfunction f;
    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return cudaErrorInvalidValue;
    return function_of(func, &f);
}

cudaError_t impl_cudaFuncGetName(const char **name, const void *func)
{
    CUfunction f;
    if (!name)
        return cudaErrorInvalidValue;
    cudaError_t e = function_of(func, &f);
    return e == cudaSuccess ? error_of(drv.cuFuncGetName(name, f)) : e;
}

cudaError_t impl_cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CUfunction f;
    cudaError_t e = function_of(func, &f);
    return e == cudaSuccess ? error_of(drv.cuFuncGetParamInfo(f, paramIndex, paramOffset, paramSize)) : e;
}

/* ---- occupancy ---- */

cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                        size_t dynamicSMemSize, unsigned int flags)
{
    CUfunction f;
    if (!numBlocks)
        return cudaErrorInvalidValue;
    cudaError_t e = function_of(func, &f);
    if (e != cudaSuccess)
        return e;
    return error_of(
        drv.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynamicSMemSize, flags));
}

cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                               size_t dynamicSMemSize)
{
    return impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                       cudaOccupancyDefault);
}

cudaError_t impl_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                           int blockSize)
{
    CUfunction f;
    if (!dynamicSmemSize)
        return cudaErrorInvalidValue;
    cudaError_t e = function_of(func, &f);
    return e == cudaSuccess
               ? error_of(drv.cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, f, numBlocks, blockSize))
               : e;
}
