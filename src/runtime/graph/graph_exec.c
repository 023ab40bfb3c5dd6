/* graph_exec.c - executable graphs: instantiating, launching, changing parameters, updating. */
#include "runtime/graph/graph_params.h"
#include "runtime/memory/copy.h"

static CUcontext current(void)
{
    CUcontext c = NULL;
    drv.cuCtxGetCurrent(&c);
    return c;
}

cudaError_t impl_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    return error_of(drv.cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t impl_cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    return impl_cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), "passed on as it is");

cudaError_t impl_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams)
{
    if (!instantiateParams)
        return cudaErrorInvalidValue;
    CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = instantiateParams->flags,
                                       .hUploadStream = stream_of(instantiateParams->uploadStream)};
    CUresult r = drv.cuGraphInstantiateWithParams(pGraphExec, graph, &p);
    instantiateParams->errNode_out = p.hErrNode_out;
    instantiateParams->result_out = (cudaGraphInstantiateResult)p.result_out;
    return error_of(r);
}

cudaError_t impl_cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    return error_of(drv.cuGraphExecGetFlags(graphExec, (cuuint64_t *)(void *)flags));
}

cudaError_t impl_cudaGraphExecDestroy(cudaGraphExec_t graphExec) { return error_of(drv.cuGraphExecDestroy(graphExec)); }

cudaError_t impl_cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return error_of(drv.cuGraphUpload(graphExec, stream_of(stream)));
}

cudaError_t impl_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return error_of(drv.cuGraphLaunch(graphExec, stream_of(stream)));
}

_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo), "passed on as it is");

cudaError_t impl_cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                     cudaGraphExecUpdateResultInfo *resultInfo)
{
    return error_of(drv.cuGraphExecUpdate_v2(hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)(void *)resultInfo));
}

/* ---- parameters ---- */

cudaError_t impl_cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t e = node_params(nodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphExecNodeSetParams(graphExec, node, &p)) : e;
}

cudaError_t impl_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t e = kernel_params(pNodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &p)) : e;
}

static cudaError_t set_copy(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t e, const CUDA_MEMCPY3D *c)
{
    return e == cudaSuccess ? error_of(drv.cuGraphExecMemcpyNodeSetParams(exec, node, c, current())) : e;
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = copy_of_3d(pNodeParams, &c);
    return set_copy(hGraphExec, node, e, &c);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                    const void *src, size_t count, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_1d(dst, src, count, kind, &c);
    return set_copy(hGraphExec, node, e, &c);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                          const void *symbol, const void *src, size_t count,
                                                          size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_to((struct symbol_place){symbol, offset}, src, count, kind, &c);
    return set_copy(hGraphExec, node, e, &c);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                            const void *symbol, size_t count, size_t offset,
                                                            enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = memcpy_params_from(dst, (struct symbol_place){symbol, offset}, count, kind, &c);
    return set_copy(hGraphExec, node, e, &c);
}

cudaError_t impl_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t e = memset_params(pNodeParams, &p);
    return e == cudaSuccess ? error_of(drv.cuGraphExecMemsetNodeSetParams(hGraphExec, node, &p, current())) : e;
}

cudaError_t impl_cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaHostNodeParams *pNodeParams)
{
    return error_of(
        drv.cuGraphExecHostNodeSetParams(hGraphExec, node, (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                      cudaGraph_t childGraph)
{
    return error_of(drv.cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
}

cudaError_t impl_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                      cudaEvent_t event)
{
    return error_of(drv.cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t impl_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                    cudaEvent_t event)
{
    return error_of(drv.cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t impl_cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled)
{
    return error_of(drv.cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t impl_cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled)
{
    return error_of(drv.cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}
