/* graph_exec.c - executable graphs: a clone of a graph in the order in which it runs; changing parameters of its nodes,
 * one by one or all at once from another graph of the same shape. */
#include "driver/graph/graph.h"

#include <string.h>

#include "base/alloc.h"

static bool exec_valid(CUgraphExec e) { return e && e->tag == TAG_GRAPH_EXEC; }

/* ---- instantiating ---- */

static bool body_kind(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_GRAPH ||
           type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

/* Puts the nodes of g and of its bodies into order, for good; *bad: the node at which it failed. */
static CUresult arrange(CUgraph g, bool conditional, CUgraphNode *bad)
{
    bool memory;
    CUgraphNode *order = ls_calloc(g->n + 1, sizeof *order);
    if (!order || !graph_order(g, order, &memory)) {
        *bad = order && memory && g->n ? g->nodes[0] : NULL;
        ls_free(order);
        return *bad ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    }
    ls_free(g->nodes);
    g->nodes = order;
    g->cap = g->n + 1;
    g->constant = true;
    for (size_t i = 0; i < g->n; i++) {
        CUgraphNode n = g->nodes[i];
        CUgraphNodeType type = n->op->params.type;
        n->index = i;
        if (conditional && !body_kind(type)) {
            drv_log("a conditional node's body cannot have nodes of type %d", (int)type);
            *bad = n;
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        for (unsigned k = 0; k < n->nbodies; k++) {
            CUresult r = arrange(n->bodies[k], conditional || type == CU_GRAPH_NODE_TYPE_CONDITIONAL, bad);
            if (r != CUDA_SUCCESS)
                return r;
        }
    }
    return CUDA_SUCCESS;
}

static CUgraphNode find_by_id(CUgraph g, u64 id)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->nodes[i]->id == id)
            return g->nodes[i];
        for (unsigned k = 0; k < g->nodes[i]->nbodies; k++) {
            CUgraphNode n = find_by_id(g->nodes[i]->bodies[k], id);
            if (n)
                return n;
        }
    }
    return NULL;
}

static CUresult instantiate(CUgraphExec *out, CUgraph g, u64 flags, CUgraphNode *bad)
{
    const u64 known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    CUgraph clone;
    CUgraphNode at = NULL;
    *bad = NULL;
    if (!out || !graph_valid(g))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
        drv_log("graphs that kernels launch are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = graph_clone(g, &clone);
    if (r != CUDA_SUCCESS)
        return r;
    r = arrange(clone, false, &at);
    CUgraphExec e = r == CUDA_SUCCESS ? handle_new(TAG_GRAPH_EXEC, sizeof *e) : NULL;
    if (r == CUDA_SUCCESS && !e)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (r != CUDA_SUCCESS) {
        *bad = at ? find_by_id(g, at->origin) : NULL;
        graph_free(clone);
        return r;
    }
    *e = (struct CUgraphExec_st){.tag = TAG_GRAPH_EXEC, .ctx = ctx_current(), .flags = flags, .graph = clone};
    *out = e;
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    CUgraphNode bad;
    return instantiate(phGraphExec, hGraph, flags, &bad);
}

CUresult impl_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                    size_t bufferSize)
{
    CUgraphNode bad;
    CUresult r = instantiate(phGraphExec, hGraph, 0, &bad);
    if (phErrorNode)
        *phErrorNode = bad;
    if (logBuffer && bufferSize) {
        logBuffer[0] = 0;
        if (r != CUDA_SUCCESS)
            strncat(logBuffer, result_text(r), bufferSize - 1);
    }
    return r;
}

CUresult impl_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                 size_t bufferSize)
{
    return impl_cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult impl_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS *p = instantiateParams;
    struct CUstream_st *s;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    p->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    CUresult r = instantiate(phGraphExec, hGraph, p->flags, &p->hErrNode_out);
    if (r == CUDA_SUCCESS)
        p->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    else if (p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        p->result_out = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    else if (p->hErrNode_out)
        p->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    if (r == CUDA_SUCCESS && (p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))
        r = stream_find(p->hUploadStream, &s); /* there is nothing to upload */
    return r;
}

CUresult impl_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    if (!exec_valid(hGraphExec) || !flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = hGraphExec->flags;
    return CUDA_SUCCESS;
}

/* What is under way has its own references. */
CUresult impl_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    if (!exec_valid(hGraphExec))
        return CUDA_ERROR_INVALID_VALUE;
    if (hGraphExec->last)
        queue_unref(hGraphExec->last);
    graph_free(hGraphExec->graph);
    handle_free(TAG_GRAPH_EXEC, hGraphExec);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    struct CUstream_st *s;
    return exec_valid(hGraphExec) ? stream_find(hStream, &s) : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    struct CUstream_st *s;
    if (!exec_valid(hGraphExec))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(hStream, &s);
    return r == CUDA_SUCCESS ? exec_launch(hGraphExec, s) : r;
}

/* ---- a node of an executable graph, by the node of the graph it was made of ---- */

static CUgraphNode exec_node(CUgraphExec e, CUgraphNode original)
{
    return exec_valid(e) && node_valid(original) ? graph_find(e->graph, original->id) : NULL;
}

/* A copy may get other addresses, not other kinds of memory. */
static CUresult same_kind_of_copy(const CUDA_MEMCPY3D *a, const CUDA_MEMCPY3D *b)
{
    bool same = (a->srcMemoryType == CU_MEMORYTYPE_ARRAY) == (b->srcMemoryType == CU_MEMORYTYPE_ARRAY) &&
                (a->dstMemoryType == CU_MEMORYTYPE_ARRAY) == (b->dstMemoryType == CU_MEMORYTYPE_ARRAY);
    return same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set(CUgraphExec e, CUgraphNode original, const CUgraphNodeParams *p)
{
    CUgraphNode n = exec_node(e, original);
    if (!n || n->op->params.type != p->type)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        CUresult r = same_kind_of_copy(&n->op->params.memcpy.copyParams, &p->memcpy.copyParams);
        if (r != CUDA_SUCCESS)
            return r;
    }
    return node_set_params(n, p);
}

CUresult impl_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return impl_cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, nodeParams->graph.graph);
    return set(hGraphExec, hNode, nodeParams);
}

CUresult impl_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = *nodeParams};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS k = {0};
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&k, nodeParams, sizeof *nodeParams);
    return impl_cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &k);
}

CUresult impl_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams,
                                             CUcontext ctx)
{
    if (!copyParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                                 .memcpy = {.copyCtx = ctx, .copyParams = *copyParams}};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    const CUDA_MEMSET_NODE_PARAMS *m = memsetParams;
    if (!m)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                                 .memset = {m->dst, m->pitch, m->value, m->elementSize, m->width, m->height, ctx}};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = *nodeParams};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, .memOp = *nodeParams};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
    return set(hGraphExec, hNode, &p);
}

CUresult impl_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    CUgraphNode n = exec_node(hGraphExec, hNode);
    if (!n)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeType type = n->op->params.type;
    if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMCPY && type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    n->disabled = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    CUgraphNode n = exec_node(hGraphExec, hNode);
    if (!n || !isEnabled)
        return CUDA_ERROR_INVALID_VALUE;
    *isEnabled = !n->disabled;
    return CUDA_SUCCESS;
}

/* ---- another graph's parameters for all nodes ---- */

struct update {
    CUgraphExecUpdateResult result;
    CUgraphNode node, from; /* of the graph that was given, at which it failed */
};

static bool differs(struct update *u, CUgraphExecUpdateResult result, CUgraphNode node, CUgraphNode from)
{
    *u = (struct update){result, node, from};
    return false;
}

static bool same_edges(CUgraphNode a, CUgraphNode b, struct update *u)
{
    if (a->ndeps != b->ndeps)
        return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, NULL);
    for (size_t k = 0; k < b->ndeps; k++) {
        size_t j = a->deps[k].node->index == b->deps[k].node->index ? k : 0; /* nearly always in the same order */
        while (j < a->ndeps && a->deps[j].node->index != b->deps[k].node->index)
            j++;
        if (j == a->ndeps)
            return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, b->deps[k].node);
    }
    return true;
}

static bool same_shape(CUgraph a, CUgraph b, struct update *u);

static bool same_node(CUgraphNode a, CUgraphNode b, struct update *u)
{
    const CUgraphNodeParams *p = &a->op->params, *q = &b->op->params;
    if (p->type != q->type)
        return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, b, NULL);
    if (!same_edges(a, b, u))
        return false;
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
        same_kind_of_copy(&p->memcpy.copyParams, &q->memcpy.copyParams) != CUDA_SUCCESS)
        return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, b, NULL);
    if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
        (p->conditional.type != q->conditional.type || a->nbodies != b->nbodies))
        return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, b, NULL);
    for (unsigned k = 0; k < b->nbodies; k++)
        if (!same_shape(a->bodies[k], b->bodies[k], u))
            return false;
    return true;
}

/* Both in the order in which they run: so nodes are compared by where they stand in it. */
static bool same_shape(CUgraph a, CUgraph b, struct update *u)
{
    if (a->n != b->n)
        return differs(u, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    for (size_t i = 0; i < b->n; i++)
        if (!same_node(a->nodes[i], b->nodes[i], u))
            return false;
    return true;
}

static void take_params(CUgraph to, CUgraph from)
{
    for (size_t i = 0; i < to->n; i++) {
        op_ref(from->nodes[i]->op);
        op_unref(to->nodes[i]->op);
        to->nodes[i]->op = from->nodes[i]->op;
        for (unsigned k = 0; k < to->nodes[i]->nbodies; k++)
            take_params(to->nodes[i]->bodies[k], from->nodes[i]->bodies[k]);
    }
}

/* `to`, which is in order, takes the parameters of g, or keeps its own. */
static CUresult update(CUgraph to, CUgraph g, struct update *u)
{
    CUgraph clone;
    CUgraphNode bad = NULL;
    *u = (struct update){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUresult r = graph_clone(g, &clone);
    if (r != CUDA_SUCCESS)
        return r;
    r = arrange(clone, false, &bad);
    if (r == CUDA_SUCCESS && same_shape(to, clone, u)) {
        take_params(to, clone);
        u->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    } else if (r == CUDA_SUCCESS) {
        u->node = u->node ? find_by_id(g, u->node->origin) : NULL;
        u->from = u->from ? find_by_id(g, u->from->origin) : NULL;
        r = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    graph_free(clone);
    return r;
}

CUresult impl_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo)
{
    struct update u;
    if (!exec_valid(hGraphExec) || !graph_valid(hGraph) || !resultInfo)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = update(hGraphExec->graph, hGraph, &u);
    *resultInfo = (CUgraphExecUpdateResultInfo){.result = u.result, .errorNode = u.node, .errorFromNode = u.from};
    return r;
}

CUresult impl_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                                CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info = {0};
    CUresult r = impl_cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return r;
}

CUresult impl_cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph)
{
    struct update u;
    CUgraphNode n = exec_node(hGraphExec, hNode);
    if (!n || n->op->params.type != CU_GRAPH_NODE_TYPE_GRAPH || !graph_valid(childGraph))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = update(n->bodies[0], childGraph, &u);
    return r == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? CUDA_ERROR_INVALID_VALUE : r;
}
