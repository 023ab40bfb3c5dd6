/* cuda12.c - the functions that libcudart.so.12 has and libcudart.so.13 lacks, or has in another form.
 *
 * Programs that were built by CUDA 12 pass smaller structures: they are filled in today's form and cut, since new
 * members were added at the end. Only cudaDeviceProp has its own layout here. */
#include "runtime/cuda12.h"

#include <string.h>

#include "runtime/runtime.h"

/* From here on the plain names are CUDA 12's. */
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaGraphAddDependencies
#undef cudaGraphAddNode
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync
#undef cudaStreamUpdateCaptureDependencies
#undef cudaStreamGetCaptureInfo
#undef cudaGetDeviceProperties
#undef cudaChooseDevice
#undef cudaPointerGetAttributes
#undef cudaMemcpyBatchAsync
#undef cudaMemcpy3DBatchAsync
#undef cudaGetTextureObjectResourceDesc
#undef cudaGetSurfaceObjectResourceDesc
#undef cudaGetTextureObjectResourceViewDesc
#undef cudaCreateTextureObject

/* cudaDeviceProp as of CUDA 12. CUDA 11's ends before hostRegisterSupported. */
struct device_prop12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode,
        maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
        maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
        canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63];
};
_Static_assert(sizeof(struct device_prop12) == 1032, "as in CUDA 12");
_Static_assert(offsetof(struct device_prop12, hostRegisterSupported) == 728, "as in CUDA 11");

enum { POINTER_ATTRIBUTES_12 = 24, RESOURCE_DESC_12 = 64, RESOURCE_VIEW_DESC_12 = 48 }; /* bytes */

#define API(name, when, threads, n, ...) static cudaError_t impl12_##name(LS_DECL_##n(__VA_ARGS__));
#define STUB(name, threads, n, ...)
#include "runtime/cuda12.def"
#undef API
#undef STUB

/* ---- devices ---- */

static int attribute(int device, CUdevice_attribute a)
{
    int value = 0;
    return drv.cuDeviceGetAttribute(&value, a, device) == CUDA_SUCCESS ? value : 0;
}

static cudaError_t impl12_cudaGetDeviceProperties_v2(struct device_prop12 *prop, int device)
{
    struct cudaDeviceProp now;
    if (!prop)
        return cudaErrorInvalidValue;
    cudaError_t e = impl_cudaGetDeviceProperties(&now, device);
    if (e != cudaSuccess)
        return e;
    memset(prop, 0, sizeof *prop);
    memcpy(prop->name, now.name, sizeof prop->name);
    prop->uuid = now.uuid;
    prop->totalGlobalMem = now.totalGlobalMem;
#define PROP(member, a) prop->member = (__typeof__(prop->member))attribute(device, CU_DEVICE_ATTRIBUTE_##a);
#include "runtime/props.def"
    PROP(clockRate, CLOCK_RATE)
    PROP(deviceOverlap, GPU_OVERLAP)
    PROP(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT)
    PROP(computeMode, COMPUTE_MODE)
    PROP(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
    PROP(memoryClockRate, MEMORY_CLOCK_RATE)
    PROP(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)
    PROP(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH)
#undef PROP
    return cudaSuccess;
}

static cudaError_t impl12_cudaGetDeviceProperties(void *prop, int device)
{
    struct device_prop12 p;
    if (!prop)
        return cudaErrorInvalidValue;
    cudaError_t e = impl12_cudaGetDeviceProperties_v2(&p, device);
    if (e == cudaSuccess)
        memcpy(prop, &p, offsetof(struct device_prop12, hostRegisterSupported));
    return e;
}

static cudaError_t impl12_cudaChooseDevice(int *device, const struct device_prop12 *prop)
{
    struct cudaDeviceProp want = {.major = 0};
    if (!prop)
        return cudaErrorInvalidValue;
    want.major = prop->major;
    want.minor = prop->minor;
    want.totalGlobalMem = prop->totalGlobalMem;
    want.multiProcessorCount = prop->multiProcessorCount;
    return impl_cudaChooseDevice(device, &want);
}

static cudaError_t impl12_cudaThreadExit(void) { return impl_cudaDeviceReset(); }

static cudaError_t impl12_cudaThreadSynchronize(void) { return impl_cudaDeviceSynchronize(); }

static cudaError_t impl12_cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return impl_cudaDeviceSetLimit(limit, value);
}

static cudaError_t impl12_cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return impl_cudaDeviceGetLimit(pValue, limit);
}

static cudaError_t impl12_cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return impl_cudaDeviceGetCacheConfig(pCacheConfig);
}

static cudaError_t impl12_cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return impl_cudaDeviceSetCacheConfig(cacheConfig);
}

/* Devices without double precision are long gone: there is nothing to convert. */
static cudaError_t impl12_cudaSetDoubleForDevice(double *d) { return d ? cudaSuccess : cudaErrorInvalidValue; }

static cudaError_t impl12_cudaSetDoubleForHost(double *d) { return d ? cudaSuccess : cudaErrorInvalidValue; }

/* ---- memory ---- */

static struct cudaMemLocation location(int device)
{
    return device == cudaCpuDeviceId ? (struct cudaMemLocation){cudaMemLocationTypeHost, 0}
                                     : (struct cudaMemLocation){cudaMemLocationTypeDevice, device};
}

static cudaError_t impl12_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device)
{
    return impl_cudaMemAdvise(devPtr, count, advice, location(device));
}

static cudaError_t impl12_cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice, cudaStream_t stream)
{
    return impl_cudaMemPrefetchAsync(devPtr, count, location(dstDevice), 0, stream);
}

static cudaError_t impl12_cudaPointerGetAttributes(void *attributes, const void *ptr)
{
    struct cudaPointerAttributes now;
    if (!attributes)
        return cudaErrorInvalidValue;
    cudaError_t e = impl_cudaPointerGetAttributes(&now, ptr);
    if (e == cudaSuccess)
        memcpy(attributes, &now, POINTER_ATTRIBUTES_12);
    return e;
}

static cudaError_t impl12_cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                               struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                               size_t *failIdx, cudaStream_t stream)
{
    cudaError_t e = impl_cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, attrs,
                                              attrsIdxs, numAttrs, stream);
    if (e != cudaSuccess && failIdx)
        *failIdx = SIZE_MAX; /* which one is not said */
    return e;
}

/* ---- textures and surfaces ---- */

static cudaError_t impl12_cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const void *pResDesc,
                                                  const struct cudaTextureDesc *pTexDesc, const void *pResViewDesc)
{
    struct cudaResourceViewDesc view = {.format = cudaResViewFormatNone};
    if (pResViewDesc)
        memcpy(&view, pResViewDesc, RESOURCE_VIEW_DESC_12);
    return impl_cudaCreateTextureObject(pTexObject, pResDesc, pTexDesc, pResViewDesc ? &view : NULL);
}

static cudaError_t impl12_cudaGetTextureObjectResourceDesc(void *pResDesc, cudaTextureObject_t texObject)
{
    struct cudaResourceDesc now;
    if (!pResDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = impl_cudaGetTextureObjectResourceDesc(&now, texObject);
    if (e == cudaSuccess)
        memcpy(pResDesc, &now, RESOURCE_DESC_12);
    return e;
}

static cudaError_t impl12_cudaGetTextureObjectResourceViewDesc(void *pResViewDesc, cudaTextureObject_t texObject)
{
    struct cudaResourceViewDesc now;
    if (!pResViewDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = impl_cudaGetTextureObjectResourceViewDesc(&now, texObject);
    if (e == cudaSuccess)
        memcpy(pResViewDesc, &now, RESOURCE_VIEW_DESC_12);
    return e;
}

static cudaError_t impl12_cudaGetSurfaceObjectResourceDesc(void *pResDesc, cudaSurfaceObject_t surfObject)
{
    struct cudaResourceDesc now;
    if (!pResDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = impl_cudaGetSurfaceObjectResourceDesc(&now, surfObject);
    if (e == cudaSuccess)
        memcpy(pResDesc, &now, RESOURCE_DESC_12);
    return e;
}

static cudaError_t impl12_cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return impl_cudaEventElapsedTime(ms, start, end);
}

/* ---- capture and graphs, before edges had data ---- */

static cudaError_t impl12_cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                      enum cudaStreamCaptureStatus *captureStatus_out,
                                                      unsigned long long *id_out, cudaGraph_t *graph_out,
                                                      const cudaGraphNode_t **dependencies_out,
                                                      size_t *numDependencies_out)
{
    return impl_cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                                         numDependencies_out);
}

static cudaError_t impl12_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                                   unsigned long long *id_out)
{
    return impl_cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

static cudaError_t impl12_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                              size_t numDependencies, unsigned int flags)
{
    return impl_cudaStreamUpdateCaptureDependencies(stream, dependencies, NULL, numDependencies, flags);
}

static cudaError_t impl12_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                            size_t *numEdges)
{
    return impl_cudaGraphGetEdges(graph, from, to, NULL, numEdges);
}

static cudaError_t impl12_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                                       size_t *pNumDependencies)
{
    return impl_cudaGraphNodeGetDependencies(node, pDependencies, NULL, pNumDependencies);
}

static cudaError_t impl12_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                         size_t *pNumDependentNodes)
{
    return impl_cudaGraphNodeGetDependentNodes(node, pDependentNodes, NULL, pNumDependentNodes);
}

static cudaError_t impl12_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t numDependencies)
{
    return impl_cudaGraphAddDependencies(graph, from, to, NULL, numDependencies);
}

static cudaError_t impl12_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, size_t numDependencies)
{
    return impl_cudaGraphRemoveDependencies(graph, from, to, NULL, numDependencies);
}

static cudaError_t impl12_cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           struct cudaGraphNodeParams *nodeParams)
{
    return impl_cudaGraphAddNode(pGraphNode, graph, pDependencies, NULL, numDependencies, nodeParams);
}

/* ---- the exported functions ---- */

#define ENTRY_IMPL(name) impl12_##name
#include "runtime/entry.h"

#include "runtime/cuda12.def"
