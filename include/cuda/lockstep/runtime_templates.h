/* runtime_templates.h - the C++ half of the runtime's API: overloads that take typed pointers, kernels and symbols
 * where the C functions take void pointers. None of them does anything of its own but the occupancy searches at the
 * end. */
#ifndef LOCKSTEP_RUNTIME_TEMPLATES_H
#define LOCKSTEP_RUNTIME_TEMPLATES_H

#include <utility>

#define LS_API static __inline__ __host__ cudaError_t

/* ---- memory ---- */

template <class T> LS_API cudaMalloc(T **p, size_t size) { return ::cudaMalloc((void **)(void *)p, size); }
template <class T> LS_API cudaMallocHost(T **p, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
static __inline__ __host__ cudaError_t cudaMallocHost(void **p, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(p, size, flags);
}
template <class T> LS_API cudaHostAlloc(T **p, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T> LS_API cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T> LS_API cudaMallocManaged(T **p, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)p, size, flags);
}
template <class T> LS_API cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T> LS_API cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)p, size, stream);
}
static __inline__ __host__ cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}
template <class T> LS_API cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T> LS_API cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
LS_API cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0, unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)p, length, flags);
}

/* ---- symbols: a variable by its name instead of by its address ---- */

template <class T>
LS_API cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
LS_API cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
LS_API cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                            enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
LS_API cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> LS_API cudaGetSymbolAddress(void **p, const T &symbol)
{
    return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> LS_API cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* ---- events and graphs ---- */

static __inline__ __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
/* The form with a buffer for messages, of which newer runtimes have none. */
static __inline__ __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *,
                                                            char *log, size_t log_size)
{
    if (log && log_size)
        log[0] = 0;
    return ::cudaGraphInstantiate(exec, graph, 0);
}

template <class T>
LS_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                      size_t n, const T &symbol, const void *src, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, n, (const void *)&symbol, src, count, offset,
                                            kind);
}
template <class T>
LS_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                        size_t n, void *dst, const T &symbol, size_t count, size_t offset,
                                        enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, n, dst, (const void *)&symbol, count, offset,
                                              kind);
}
template <class T>
LS_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src, size_t count,
                                            size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
LS_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol, size_t count,
                                              size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
LS_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
                                                const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
LS_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                  const T &symbol, size_t count, size_t offset,
                                                  enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count, offset, kind);
}

/* The form of older runtimes, with the node and the result apart. */
static __inline__ __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                           cudaGraphNode_t *node,
                                                           enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return e;
}
/* The object is deleted with its last reference. */
template <class T>
LS_API cudaUserObjectCreate(cudaUserObject_t *out, T *object, unsigned int references, unsigned int flags)
{
    return ::cudaUserObjectCreate(out, object, [](void *p) { delete (T *)p; }, references, flags);
}

/* ---- launches ---- */

template <class T>
LS_API cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
LS_API cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                   cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream);
}
/* The arguments are converted to the kernel's own types first. */
template <class... P, class... A>
LS_API cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...args)
{
    return [&](P... converted) {
        void *pointers[sizeof...(P) + 1] = {(void *)&converted...};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(std::forward<A>(args)...);
}

/* ---- functions ---- */

template <class T> LS_API cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *kernel)
{
    return ::cudaFuncGetAttributes(attr, (const void *)kernel);
}
template <class T> LS_API cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)kernel, attr, value);
}
template <class T> LS_API cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T> LS_API cudaFuncSetSharedMemConfig(T *kernel, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class T> LS_API cudaFuncGetName(const char **name, T *kernel)
{
    return ::cudaFuncGetName(name, (const void *)kernel);
}
template <class T> LS_API cudaGetKernel(cudaKernel_t *out, T *kernel)
{
    return ::cudaGetKernel(out, (const void *)kernel);
}

template <class T> LS_API cudaLibraryGetGlobal(T **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetGlobal((void **)(void *)p, bytes, library, name);
}
template <class T> LS_API cudaLibraryGetManaged(T **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetManaged((void **)(void *)p, bytes, library, name);
}
template <class T> LS_API cudaLibraryGetUnifiedFunction(T **f, cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetUnifiedFunction((void **)(void *)f, library, name);
}

/* ---- occupancy ---- */

template <class T>
LS_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared);
}
template <class T>
LS_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size, size_t shared,
                                                              unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size, shared,
                                                                    flags);
}
template <class T>
LS_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *kernel, int blocks, int block_size)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)kernel, blocks, block_size);
}
template <class T> LS_API cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
template <class T> LS_API cudaOccupancyMaxActiveClusters(int *clusters, T *kernel, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}

/* The block size with which an SM holds the most threads, the largest of several; sizes are whole warps, or the limit
 * itself. The grid is what fills the device once. */
template <class Shared, class T>
LS_API cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid_size, int *block_size, T kernel,
                                                               Shared shared_of_block, int limit = 0,
                                                               unsigned int flags = 0)
{
    int device, sms, threads, warp;
    struct cudaFuncAttributes attr;
    cudaError_t e;
    if (!grid_size || !block_size || !kernel)
        return cudaErrorInvalidValue;
    if ((e = ::cudaGetDevice(&device)) ||
        (e = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) ||
        (e = ::cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device)) ||
        (e = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device)) ||
        (e = ::cudaFuncGetAttributes(&attr, (const void *)kernel)))
        return e;
    const int most = limit > 0 && limit < attr.maxThreadsPerBlock ? limit : attr.maxThreadsPerBlock;
    int best = 0, best_size = 0, best_blocks = 0;
    for (int rounded = (most + warp - 1) / warp * warp; rounded > 0 && best < threads; rounded -= warp) {
        const int size = rounded < most ? rounded : most;
        int blocks;
        e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, size,
                                                                     (size_t)shared_of_block(size), flags);
        if (e)
            return e;
        if (blocks * size > best) {
            best = blocks * size;
            best_size = size;
            best_blocks = blocks;
        }
    }
    *grid_size = best_blocks * sms;
    *block_size = best_size;
    return cudaSuccess;
}
template <class Shared, class T>
LS_API cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size, T kernel, Shared shared_of_block,
                                                      int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid_size, block_size, kernel, shared_of_block,
                                                                   limit);
}
template <class T>
LS_API cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size, T kernel, size_t shared = 0,
                                                   int limit = 0, unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid_size, block_size, kernel, [shared](int) { return shared; }, limit, flags);
}
template <class T>
LS_API cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel, size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, kernel, shared, limit);
}

#undef LS_API

#endif
