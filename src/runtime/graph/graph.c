/* graph.c - graphs: their shape, clones, user objects. The two APIs' handles, enumerations and edge data are the same,
 * so most functions are the driver's under another name; nodes are in graph_node.c, what runs in graph_exec.c. */
#include "runtime/runtime.h"

_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "passed on as it is");

static CUgraphEdgeData *data_of(const cudaGraphEdgeData *d) { return (CUgraphEdgeData *)(uintptr_t)d; }

cudaError_t impl_cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    return error_of(drv.cuGraphCreate(pGraph, flags));
}

cudaError_t impl_cudaGraphDestroy(cudaGraph_t graph) { return error_of(drv.cuGraphDestroy(graph)); }

cudaError_t impl_cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    return error_of(drv.cuGraphClone(pGraphClone, originalGraph));
}

cudaError_t impl_cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph)
{
    return error_of(drv.cuGraphNodeFindInClone(pNode, originalNode, clonedGraph));
}

cudaError_t impl_cudaGraphDestroyNode(cudaGraphNode_t node) { return error_of(drv.cuGraphDestroyNode(node)); }

cudaError_t impl_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    return error_of(drv.cuGraphNodeGetType(node, (CUgraphNodeType *)(void *)pType));
}

cudaError_t impl_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    return error_of(drv.cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t impl_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes)
{
    return error_of(drv.cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

/* ---- edges ---- */

cudaError_t impl_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                   cudaGraphEdgeData *edgeData, size_t *numEdges)
{
    return error_of(drv.cuGraphGetEdges_v2(graph, from, to, data_of(edgeData), numEdges));
}

cudaError_t impl_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                              cudaGraphEdgeData *edgeData, size_t *pNumDependencies)
{
    return error_of(drv.cuGraphNodeGetDependencies_v2(node, pDependencies, data_of(edgeData), pNumDependencies));
}

cudaError_t impl_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes)
{
    return error_of(drv.cuGraphNodeGetDependentNodes_v2(node, pDependentNodes, data_of(edgeData), pNumDependentNodes));
}

cudaError_t impl_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                          const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return error_of(drv.cuGraphAddDependencies_v2(graph, from, to, data_of(edgeData), numDependencies));
}

cudaError_t impl_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                             const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return error_of(drv.cuGraphRemoveDependencies_v2(graph, from, to, data_of(edgeData), numDependencies));
}

cudaError_t impl_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    return error_of(drv.cuGraphDebugDotPrint(graph, path, flags));
}

/* ---- user objects ---- */

cudaError_t impl_cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                      unsigned int initialRefcount, unsigned int flags)
{
    return error_of(drv.cuUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t impl_cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    return error_of(drv.cuUserObjectRetain(object, count));
}

cudaError_t impl_cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    return error_of(drv.cuUserObjectRelease(object, count));
}

cudaError_t impl_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                           unsigned int flags)
{
    return error_of(drv.cuGraphRetainUserObject(graph, object, count, flags));
}

cudaError_t impl_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    return error_of(drv.cuGraphReleaseUserObject(graph, object, count));
}

/* ---- memory of graphs ---- */

cudaError_t impl_cudaDeviceGraphMemTrim(int device) { return error_of(drv.cuDeviceGraphMemTrim(device)); }

cudaError_t impl_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    return error_of(drv.cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t impl_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    return error_of(drv.cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

/* ---- capture ---- */

cudaError_t impl_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return error_of(drv.cuStreamBeginCapture_v2(stream_of(stream), (CUstreamCaptureMode)mode));
}

cudaError_t impl_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies,
                                               const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                               enum cudaStreamCaptureMode mode)
{
    return error_of(drv.cuStreamBeginCaptureToGraph(stream_of(stream), graph, dependencies, data_of(dependencyData),
                                                    numDependencies, (CUstreamCaptureMode)mode));
}

cudaError_t impl_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    return error_of(drv.cuStreamEndCapture(stream_of(stream), pGraph));
}

cudaError_t impl_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, cudaGraph_t *graph_out,
                                          const cudaGraphNode_t **dependencies_out,
                                          const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    return error_of(drv.cuStreamGetCaptureInfo_v3(stream_of(stream), (CUstreamCaptureStatus *)(void *)captureStatus_out,
                                                  (cuuint64_t *)(void *)id_out, graph_out, dependencies_out,
                                                  (const CUgraphEdgeData **)(void *)edgeData_out, numDependencies_out));
}

cudaError_t impl_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                     unsigned int flags)
{
    return error_of(drv.cuStreamUpdateCaptureDependencies_v2(stream_of(stream), dependencies, data_of(dependencyData),
                                                             numDependencies, flags));
}
