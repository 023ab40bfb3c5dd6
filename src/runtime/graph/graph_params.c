/* graph_params.c - see graph_params.h. */
#include "runtime/graph/graph_params.h"

#include <string.h>

#include "runtime/memory/copy.h"

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "the same layout");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "the same layout");
_Static_assert(sizeof(struct cudaKernelNodeParamsV2) == sizeof(struct cudaKernelNodeParams), "the same layout");
_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "the same size");

cudaError_t kernel_params(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *out)
{
    CUkernel k;
    if (!p)
        return cudaErrorInvalidValue;
    cudaError_t e = kernel_of(p->func, &k);
    if (e != cudaSuccess)
        return e;
    *out = (CUDA_KERNEL_NODE_PARAMS){.kern = k,
                                     .gridDimX = p->gridDim.x,
                                     .gridDimY = p->gridDim.y,
                                     .gridDimZ = p->gridDim.z,
                                     .blockDimX = p->blockDim.x,
                                     .blockDimY = p->blockDim.y,
                                     .blockDimZ = p->blockDim.z,
                                     .sharedMemBytes = p->sharedMemBytes,
                                     .kernelParams = p->kernelParams,
                                     .extra = p->extra};
    return cudaSuccess;
}

cudaError_t memset_params(const struct cudaMemsetParams *p, CUDA_MEMSET_NODE_PARAMS *out)
{
    if (!p)
        return cudaErrorInvalidValue;
    memcpy(out, p, sizeof *out);
    return cudaSuccess;
}

cudaError_t memcpy_params_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *out)
{
    cudaError_t e = copy_kind(kind);
    if (e != cudaSuccess)
        return e;
    *out = (CUDA_MEMCPY3D){.WidthInBytes = count, .Height = 1, .Depth = 1};
    copy_from_linear(out, src, count, 1, kind);
    copy_to_linear(out, dst, count, 1, kind);
    return cudaSuccess;
}

static cudaError_t locate(struct symbol_place p, size_t count, void **address)
{
    CUdeviceptr at;
    size_t size;
    cudaError_t e = variable_of(p.symbol, &at, &size);
    if (e == cudaSuccess && (p.offset > size || count > size - p.offset))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *address = (void *)(uintptr_t)(at + p.offset);
    return e;
}

cudaError_t memcpy_params_to(struct symbol_place dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                             CUDA_MEMCPY3D *out)
{
    void *at;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = locate(dst, count, &at);
    return e == cudaSuccess ? memcpy_params_1d(at, src, count, kind, out) : e;
}

cudaError_t memcpy_params_from(void *dst, struct symbol_place src, size_t count, enum cudaMemcpyKind kind,
                               CUDA_MEMCPY3D *out)
{
    void *at;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = locate(src, count, &at);
    return e == cudaSuccess ? memcpy_params_1d(dst, at, count, kind, out) : e;
}

static cudaError_t conditional_params(const struct cudaConditionalNodeParams *p, CUDA_CONDITIONAL_NODE_PARAMS *out)
{
    *out = (CUDA_CONDITIONAL_NODE_PARAMS){
        .handle = p->handle, .type = (CUgraphConditionalNodeType)p->type, .size = p->size};
    return error_of(drv.cuCtxGetCurrent(&out->ctx));
}

cudaError_t node_params(const struct cudaGraphNodeParams *p, CUgraphNodeParams *out)
{
    struct cudaKernelNodeParams k;
    CUDA_MEMSET_NODE_PARAMS m;
    if (!p)
        return cudaErrorInvalidValue;
    *out = (CUgraphNodeParams){.type = (CUgraphNodeType)p->type};
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        memcpy(&k, &p->kernel, sizeof k);
        return kernel_params(&k, &out->kernel);
    case cudaGraphNodeTypeMemcpy:
        return copy_of_3d(&p->memcpy.copyParams, &out->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        memcpy(&m, &p->memset, sizeof m);
        out->memset = (CUDA_MEMSET_NODE_PARAMS_v2){m.dst, m.pitch, m.value, m.elementSize, m.width, m.height, NULL};
        return cudaSuccess;
    case cudaGraphNodeTypeHost:
        out->host = (CUDA_HOST_NODE_PARAMS){p->host.fn, p->host.userData};
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        out->graph = (CUDA_CHILD_GRAPH_NODE_PARAMS){p->graph.graph, (CUgraphChildGraphNodeOwnership)p->graph.ownership};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        out->eventWait.event = p->eventWait.event;
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        out->eventRecord.event = p->eventRecord.event;
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
        memcpy(&out->alloc, &p->alloc, sizeof out->alloc);
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        out->free.dptr = (CUdeviceptr)(uintptr_t)p->free.dptr;
        return cudaSuccess;
    case cudaGraphNodeTypeConditional:
        return conditional_params(&p->conditional, &out->conditional);
    default: /* the driver reports what it does not support */
        return cudaSuccess;
    }
}
