/* graph_node.c - the kinds of nodes: adding one, reading and setting its parameters. Every function that is of one kind
 * goes through the one that takes CUgraphNodeParams. */
#include "driver/graph/graph.h"

#include <string.h>

#include "base/alloc.h"

/* ---- descriptions ---- */

static CUresult choose_context(CUcontext *ctx)
{
    if (!*ctx)
        *ctx = ctx_current();
    return ctx_valid(*ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult plain(const CUgraphNodeParams *p, struct op **op)
{
    *op = op_plain(p, ctx_current());
    return *op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult describe_host(const CUDA_HOST_NODE_PARAMS *p, struct op **op)
{
    if (!p->fn)
        return CUDA_ERROR_INVALID_VALUE;
    *op = host_op(ctx_current(), p->fn, p->userData);
    return *op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult describe_memset(const CUDA_MEMSET_NODE_PARAMS_v2 *p, struct op **op)
{
    const CUDA_MEMSET_NODE_PARAMS of = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
    CUcontext ctx = p->ctx;
    CUresult r = choose_context(&ctx);
    return r == CUDA_SUCCESS ? fill_op(ctx, &of, op) : r;
}

static CUresult describe_memcpy(const CUDA_MEMCPY_NODE_PARAMS *p, struct op **op)
{
    CUcontext ctx = p->copyCtx;
    CUresult r = choose_context(&ctx);
    return r == CUDA_SUCCESS ? copy_op(ctx, &p->copyParams, op) : r;
}

static CUresult describe_kernel(const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n,
                                struct op **op)
{
    CUcontext ctx = p->ctx;
    CUresult r = choose_context(&ctx);
    return r == CUDA_SUCCESS ? kernel_op(ctx, p, attrs, n, op) : r;
}

static CUresult describe_memory_ops(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, struct op **op)
{
    CUcontext ctx = p->ctx;
    CUresult r = choose_context(&ctx);
    return r == CUDA_SUCCESS ? memory_ops(ctx, p, op) : r;
}

/* The child is cloned; with CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE it becomes the node's. */
static CUresult describe_child(CUgraph g, const CUgraphNodeParams *p, struct op **op, CUgraph **bodies,
                               unsigned *nbodies)
{
    CUgraph child = p->graph.graph;
    bool move = p->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    if (!graph_valid(child) || child == g || (move && child->owner))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = plain(p, op);
    *bodies = ls_calloc(1, sizeof **bodies);
    if (r == CUDA_SUCCESS && !*bodies)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (r == CUDA_SUCCESS && move)
        **bodies = child;
    else if (r == CUDA_SUCCESS)
        r = impl_cuGraphClone(*bodies, child);
    *nbodies = 1;
    return r;
}

static CUresult describe_condition(CUgraph g, CUDA_CONDITIONAL_NODE_PARAMS *p, struct op **op, CUgraph **bodies,
                                   unsigned *nbodies)
{
    if (!p->size)
        return CUDA_ERROR_INVALID_VALUE;
    *bodies = ls_calloc(p->size, sizeof **bodies);
    if (!*bodies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (*nbodies = 0; *nbodies < p->size; ++*nbodies) {
        (*bodies)[*nbodies] = graph_new(NULL);
        if (!(*bodies)[*nbodies])
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    p->phGraph_out = *bodies;
    return condition_op(g, p, *bodies, op);
}

static CUresult describe(CUgraph g, CUgraphNodeParams *p, const CUlaunchAttribute *attrs, unsigned nattrs,
                         struct op **op, CUgraph **bodies, unsigned *nbodies)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return describe_kernel(&p->kernel, attrs, nattrs, op);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return describe_memcpy(&p->memcpy, op);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return describe_memset(&p->memset, op);
    case CU_GRAPH_NODE_TYPE_HOST:
        return describe_host(&p->host, op);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return describe_child(g, p, op, bodies, nbodies);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return plain(p, op);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:                                  /* the same layout */
        if (event_valid(p->eventWait.event) && p->eventWait.event->shared) /* events of graphs are points here */
            return CUDA_ERROR_NOT_SUPPORTED;
        return event_valid(p->eventWait.event) ? plain(p, op) : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return alloc_op(ctx_current(), &p->alloc, op);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return free_op(ctx_current(), p->free.dptr, op);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return describe_memory_ops(&p->memOp, op);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return describe_condition(g, &p->conditional, op, bodies, nbodies);
    default:
        drv_log("graph nodes of type %d are not supported", (int)p->type);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult node_describe(CUgraph g, CUgraphNodeParams *p, const CUlaunchAttribute *attrs, unsigned nattrs, struct op **op,
                       CUgraph **bodies, unsigned *nbodies)
{
    *op = NULL;
    *bodies = NULL;
    *nbodies = 0;
    CUresult r = describe(g, p, attrs, nattrs, op, bodies, nbodies);
    if (r == CUDA_SUCCESS)
        return r;
    op_unref(*op);
    bodies_free(*bodies, *nbodies);
    return r;
}

/* ---- adding ---- */

static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n,
                    CUgraphNodeParams *p)
{
    struct op *op;
    CUgraph *bodies;
    unsigned nbodies;
    if (!out || !graph_valid(g) || g->constant)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = node_describe(g, p, NULL, 0, &op, &bodies, &nbodies);
    return r == CUDA_SUCCESS ? graph_add(g, deps, data, n, op, bodies, nbodies, out) : r;
}

CUresult impl_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams)
{
    return nodeParams ? add(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams)
                      : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                             size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    return impl_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

static CUDA_KERNEL_NODE_PARAMS kernel_of_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS k = {0};
    memcpy(&k, p, sizeof *p); /* the first version is the beginning of the second */
    return k;
}

static CUDA_MEMSET_NODE_PARAMS_v2 memset_of(const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx)
{
    return (CUDA_MEMSET_NODE_PARAMS_v2){p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, ctx};
}

CUresult impl_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = *nodeParams};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS p = kernel_of_v1(nodeParams);
    return impl_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &p);
}

CUresult impl_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    if (!copyParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyCtx = ctx, .copyParams = *copyParams}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    if (!memsetParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET, .memset = memset_of(memsetParams, ctx)};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = *nodeParams};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                       size_t numDependencies, CUgraph childGraph)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = childGraph}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                        size_t numDependencies, CUevent event)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, CUevent event)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = *nodeParams};
    CUresult r = add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
    if (r == CUDA_SUCCESS)
        nodeParams->dptr = p.alloc.dptr;
    return r;
}

CUresult impl_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, CUdeviceptr dptr)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {dptr}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult impl_cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                       size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, .memOp = *nodeParams};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

/* ---- reading ---- */

static const CUgraphNodeParams *params_of(CUgraphNode n, CUgraphNodeType type)
{
    return node_valid(n) && n->op->params.type == type ? &n->op->params : NULL;
}

/* GET(function, type of the node, type and name of the result, where it stands) */
#define GET(function, kind, type, out, member)                                                                         \
    CUresult impl_##function(CUgraphNode hNode, type *out)                                                             \
    {                                                                                                                  \
        const CUgraphNodeParams *p = params_of(hNode, CU_GRAPH_NODE_TYPE_##kind);                                      \
        if (!p || !(out))                                                                                              \
            return CUDA_ERROR_INVALID_VALUE;                                                                           \
        *(out) = p->member;                                                                                            \
        return CUDA_SUCCESS;                                                                                           \
    }

GET(cuGraphKernelNodeGetParams_v2, KERNEL, CUDA_KERNEL_NODE_PARAMS, nodeParams, kernel)
GET(cuGraphMemcpyNodeGetParams, MEMCPY, CUDA_MEMCPY3D, nodeParams, memcpy.copyParams)
GET(cuGraphHostNodeGetParams, HOST, CUDA_HOST_NODE_PARAMS, nodeParams, host)
GET(cuGraphEventRecordNodeGetEvent, EVENT_RECORD, CUevent, event_out, eventRecord.event)
GET(cuGraphEventWaitNodeGetEvent, WAIT_EVENT, CUevent, event_out, eventWait.event)
GET(cuGraphMemAllocNodeGetParams, MEM_ALLOC, CUDA_MEM_ALLOC_NODE_PARAMS, params_out, alloc)
GET(cuGraphBatchMemOpNodeGetParams, BATCH_MEM_OP, CUDA_BATCH_MEM_OP_NODE_PARAMS, nodeParams_out, memOp)
GET(cuGraphMemFreeNodeGetParams, MEM_FREE, CUdeviceptr, dptr_out, free.dptr)

CUresult impl_cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    CUresult r = nodeParams ? impl_cuGraphKernelNodeGetParams_v2(hNode, &p) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        memcpy(nodeParams, &p, sizeof *nodeParams);
    if (r == CUDA_SUCCESS && !p.func)
        r = function_find((CUfunction)(void *)p.kern, &nodeParams->func);
    return r;
}

CUresult impl_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    const CUgraphNodeParams *p = params_of(hNode, CU_GRAPH_NODE_TYPE_MEMSET);
    if (!p || !nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(nodeParams, &p->memset, sizeof *nodeParams);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    if (!params_of(hNode, CU_GRAPH_NODE_TYPE_GRAPH) || !phGraph)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = hNode->bodies[0];
    return CUDA_SUCCESS;
}

/* ---- setting ---- */

static void set_op(CUgraphNode n, struct op *op)
{
    op_unref(n->op);
    n->op = op;
}

CUresult node_set_params(CUgraphNode n, const CUgraphNodeParams *params)
{
    struct op *op;
    CUgraph *bodies;
    unsigned nbodies, nattrs = 0;
    CUgraphNodeParams p = *params;
    const CUlaunchAttribute *attrs = NULL;
    if (!node_valid(n) || p.type != n->op->params.type)
        return CUDA_ERROR_INVALID_VALUE;
    switch (p.type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return CUDA_ERROR_NOT_SUPPORTED;
    case CU_GRAPH_NODE_TYPE_KERNEL:
        attrs = kernel_op_attributes(n->op, &nattrs);
        if (!p.kernel.ctx)
            p.kernel.ctx = n->op->ctx;
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (!p.memcpy.copyCtx)
            p.memcpy.copyCtx = n->op->ctx;
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        if (!p.memset.ctx)
            p.memset.ctx = n->op->ctx;
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (!p.memOp.ctx)
            p.memOp.ctx = n->op->ctx;
        break;
    default:
        break;
    }
    CUresult r = node_describe(n->graph, &p, attrs, nattrs, &op, &bodies, &nbodies);
    if (r == CUDA_SUCCESS)
        set_op(n, op);
    return r;
}

static CUresult set(CUgraphNode n, const CUgraphNodeParams *p)
{
    return node_valid(n) && !n->graph->constant ? node_set_params(n, p) : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    return nodeParams ? set(hNode, nodeParams) : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = *nodeParams};
    return set(hNode, &p);
}

CUresult impl_cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS p = kernel_of_v1(nodeParams);
    return impl_cuGraphKernelNodeSetParams_v2(hNode, &p);
}

CUresult impl_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyParams = *nodeParams}};
    return set(hNode, &p);
}

CUresult impl_cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET, .memset = memset_of(nodeParams, NULL)};
    return set(hNode, &p);
}

CUresult impl_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = *nodeParams};
    return set(hNode, &p);
}

CUresult impl_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, .memOp = *nodeParams};
    return set(hNode, &p);
}

CUresult impl_cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
    return set(hNode, &p);
}

CUresult impl_cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
    return set(hNode, &p);
}

/* ---- attributes of kernels ---- */

CUresult impl_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            CUkernelNodeAttrValue *value_out)
{
    if (!params_of(hNode, CU_GRAPH_NODE_TYPE_KERNEL) || !value_out)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned n;
    const CUlaunchAttribute *attrs = kernel_op_attributes(hNode->op, &n);
    *value_out = (CUkernelNodeAttrValue){{0}};
    for (unsigned i = 0; i < n; i++)
        if (attrs[i].id == attr)
            *value_out = attrs[i].value;
    return CUDA_SUCCESS;
}

/* The same launch with other attributes. */
static CUresult set_attributes(CUgraphNode n, const CUlaunchAttribute *attrs, unsigned nattrs)
{
    struct op *op;
    CUresult r = kernel_op(n->op->ctx, &n->op->params.kernel, attrs, nattrs, &op);
    if (r == CUDA_SUCCESS)
        set_op(n, op);
    return r;
}

CUresult impl_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            const CUkernelNodeAttrValue *value)
{
    if (!params_of(hNode, CU_GRAPH_NODE_TYPE_KERNEL) || !value || hNode->graph->constant)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned n, i = 0;
    const CUlaunchAttribute *old = kernel_op_attributes(hNode->op, &n);
    CUlaunchAttribute *attrs = ls_calloc(n + 1, sizeof *attrs);
    if (!attrs)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (n)
        memcpy(attrs, old, n * sizeof *attrs);
    while (i < n && attrs[i].id != attr)
        i++;
    attrs[i] = (CUlaunchAttribute){.id = attr, .value = *value};
    CUresult r = set_attributes(hNode, attrs, i < n ? n : n + 1);
    ls_free(attrs);
    return r;
}

CUresult impl_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    if (!params_of(dst, CU_GRAPH_NODE_TYPE_KERNEL) || !params_of(src, CU_GRAPH_NODE_TYPE_KERNEL))
        return CUDA_ERROR_INVALID_VALUE;
    unsigned n;
    const CUlaunchAttribute *attrs = kernel_op_attributes(src->op, &n);
    return set_attributes(dst, attrs, n);
}
