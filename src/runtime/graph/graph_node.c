/* graph_node.c - nodes of graphs: adding them, reading and setting their parameters. */
#include <string.h>

#include "runtime/graph/graph_params.h"
#include "runtime/memory/copy.h"

/* The driver wants to be told a context, where the runtime API means the current one. */
static CUcontext current(void)
{
    CUcontext c = NULL;
    drv.cuCtxGetCurrent(&c);
    return c;
}

/* ---- any kind ---- */

cudaError_t impl_cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                  const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                  struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t e = node_params(nodeParams, &p);
    if (e != cudaSuccess)
        return e;
    e = error_of(drv.cuGraphAddNode_v2(pGraphNode, graph, pDependencies,
                                       (const CUgraphEdgeData *)(const void *)dependencyData, numDependencies, &p));
    if (e == cudaSuccess && nodeParams->type == cudaGraphNodeTypeMemAlloc)
        nodeParams->alloc.dptr = (void *)(uintptr_t)p.alloc.dptr;
    if (e == cudaSuccess && nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out = p.conditional.phGraph_out;
    return e;
}

cudaError_t impl_cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t e = node_params(nodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphNodeSetParams(node, &p)) : e;
}

cudaError_t impl_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph,
                                                  unsigned int defaultLaunchValue, unsigned int flags)
{
    return error_of(drv.cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)(void *)pHandle_out, graph,
                                                       current(), defaultLaunchValue, flags));
}

/* ---- kernels ---- */

cudaError_t impl_cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t e = kernel_params(pNodeParams, &p);
    return e == cudaSuccess
               ? error_of(drv.cuGraphAddKernelNode_v2(pGraphNode, graph, pDependencies, numDependencies, &p))
               : e;
}

cudaError_t impl_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    if (!pNodeParams)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuGraphKernelNodeGetParams_v2(node, &p);
    if (r != CUDA_SUCCESS)
        return error_of(r);
    *pNodeParams = (struct cudaKernelNodeParams){.func = kernel_host(p.func ? (CUkernel)(void *)p.func : p.kern),
                                                 .gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ},
                                                 .blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ},
                                                 .sharedMemBytes = p.sharedMemBytes,
                                                 .kernelParams = p.kernelParams,
                                                 .extra = p.extra};
    return cudaSuccess;
}

cudaError_t impl_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t e = kernel_params(pNodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphKernelNodeSetParams_v2(node, &p)) : e;
}

cudaError_t impl_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    return error_of(drv.cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}

cudaError_t impl_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 cudaLaunchAttributeValue *value_out)
{
    return error_of(
        drv.cuGraphKernelNodeGetAttribute(hNode, (CUkernelNodeAttrID)attr, (CUkernelNodeAttrValue *)(void *)value_out));
}

cudaError_t impl_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 const cudaLaunchAttributeValue *value)
{
    return error_of(drv.cuGraphKernelNodeSetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                                      (const CUkernelNodeAttrValue *)(const void *)value));
}

/* ---- copies ---- */

static cudaError_t add_copy(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                            cudaError_t e, const CUDA_MEMCPY3D *c)
{
    return e == cudaSuccess ? error_of(drv.cuGraphAddMemcpyNode(out, graph, deps, n, c, current())) : e;
}

static cudaError_t set_copy(cudaGraphNode_t node, cudaError_t e, const CUDA_MEMCPY3D *c)
{
    return e == cudaSuccess ? error_of(drv.cuGraphMemcpyNodeSetParams(node, c)) : e;
}

cudaError_t impl_cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        const struct cudaMemcpy3DParms *pCopyParams)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = copy_of_3d(pCopyParams, &c);
    return add_copy(pGraphNode, graph, pDependencies, numDependencies, e, &c);
}

cudaError_t impl_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                          const void *src, size_t count, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_1d(dst, src, count, kind, &c);
    return add_copy(pGraphNode, graph, pDependencies, numDependencies, e, &c);
}

cudaError_t impl_cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                const void *symbol, const void *src, size_t count, size_t offset,
                                                enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_to((struct symbol_place){symbol, offset}, src, count, kind, &c);
    return add_copy(pGraphNode, graph, pDependencies, numDependencies, e, &c);
}

cudaError_t impl_cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                  void *dst, const void *symbol, size_t count, size_t offset,
                                                  enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_from(dst, (struct symbol_place){symbol, offset}, count, kind, &c);
    return add_copy(pGraphNode, graph, pDependencies, numDependencies, e, &c);
}

static enum cudaMemcpyKind kind_of(CUmemorytype src, CUmemorytype dst)
{
    if (src == CU_MEMORYTYPE_UNIFIED || dst == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (src == CU_MEMORYTYPE_HOST)
        return dst == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return dst == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/* Where an array takes part, x and the width are in its elements. */
cudaError_t impl_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;
    size_t bytes = 1;
    if (!pNodeParams)
        return cudaErrorInvalidValue;
    cudaError_t e = error_of(drv.cuGraphMemcpyNodeGetParams(node, &c));
    const bool from_array = e == cudaSuccess && c.srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const bool to_array = e == cudaSuccess && c.dstMemoryType == CU_MEMORYTYPE_ARRAY;
    if (from_array || to_array)
        e = array_texel((cudaArray_const_t)(void *)(from_array ? c.srcArray : c.dstArray), &bytes);
    if (e != cudaSuccess)
        return e;
    const void *src = c.srcMemoryType == CU_MEMORYTYPE_HOST ? c.srcHost : (void *)(uintptr_t)c.srcDevice;
    void *dst = c.dstMemoryType == CU_MEMORYTYPE_HOST ? c.dstHost : (void *)(uintptr_t)c.dstDevice;
    *pNodeParams =
        (struct cudaMemcpy3DParms){.srcPos = {from_array ? c.srcXInBytes / bytes : c.srcXInBytes, c.srcY, c.srcZ},
                                   .dstPos = {to_array ? c.dstXInBytes / bytes : c.dstXInBytes, c.dstY, c.dstZ},
                                   .extent = {c.WidthInBytes / bytes, c.Height, c.Depth},
                                   .kind = kind_of(c.srcMemoryType, c.dstMemoryType)};
    if (from_array)
        pNodeParams->srcArray = (cudaArray_t)(void *)c.srcArray;
    else
        pNodeParams->srcPtr = (struct cudaPitchedPtr){(void *)(uintptr_t)src, c.srcPitch, c.WidthInBytes, c.srcHeight};
    if (to_array)
        pNodeParams->dstArray = (cudaArray_t)(void *)c.dstArray;
    else
        pNodeParams->dstPtr = (struct cudaPitchedPtr){dst, c.dstPitch, c.WidthInBytes, c.dstHeight};
    return cudaSuccess;
}

cudaError_t impl_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = copy_of_3d(pNodeParams, &c);
    return set_copy(node, e, &c);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                                enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_1d(dst, src, count, kind, &c);
    return set_copy(node, e, &c);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                      size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_to((struct symbol_place){symbol, offset}, src, count, kind, &c);
    return set_copy(node, e, &c);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                        size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_from(dst, (struct symbol_place){symbol, offset}, count, kind, &c);
    return set_copy(node, e, &c);
}

/* ---- fills ---- */

cudaError_t impl_cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        const struct cudaMemsetParams *pMemsetParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t e = memset_params(pMemsetParams, &p);
    return e == cudaSuccess
               ? error_of(drv.cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies, &p, current()))
               : e;
}

cudaError_t impl_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
    return error_of(drv.cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *)(void *)pNodeParams));
}

cudaError_t impl_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t e = memset_params(pNodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphMemsetNodeSetParams(node, &p)) : e;
}

/* ---- host functions, child graphs, empty nodes, events ---- */

_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "passed on as it is");

cudaError_t impl_cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      const struct cudaHostNodeParams *pNodeParams)
{
    return error_of(drv.cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies,
                                           (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams)
{
    return error_of(drv.cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)(void *)pNodeParams));
}

cudaError_t impl_cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams)
{
    return error_of(drv.cuGraphHostNodeSetParams(node, (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                            cudaGraph_t childGraph)
{
    return error_of(drv.cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

cudaError_t impl_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    return error_of(drv.cuGraphChildGraphNodeGetGraph(node, pGraph));
}

cudaError_t impl_cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies)
{
    return error_of(drv.cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t impl_cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                             cudaEvent_t event)
{
    return error_of(drv.cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t impl_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return error_of(drv.cuGraphEventRecordNodeGetEvent(node, event_out));
}

cudaError_t impl_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return error_of(drv.cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t impl_cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           cudaEvent_t event)
{
    return error_of(drv.cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t impl_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return error_of(drv.cuGraphEventWaitNodeGetEvent(node, event_out));
}

cudaError_t impl_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return error_of(drv.cuGraphEventWaitNodeSetEvent(node, event));
}

/* ---- memory ---- */

cudaError_t impl_cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                          struct cudaMemAllocNodeParams *nodeParams)
{
    return error_of(drv.cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                               (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)nodeParams));
}

cudaError_t impl_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out)
{
    return error_of(drv.cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params_out));
}

cudaError_t impl_cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr)
{
    return error_of(
        drv.cuGraphAddMemFreeNode(pGraphNode, graph, pDependencies, numDependencies, (CUdeviceptr)(uintptr_t)dptr));
}

cudaError_t impl_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    return error_of(drv.cuGraphMemFreeNodeGetParams(node, dptr_out));
}
