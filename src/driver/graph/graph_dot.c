/* graph_dot.c - a graph as text for Graphviz: a box a node, a cluster a body. */
#include <stdio.h>

#include "driver/graph/graph.h"

static const char *const type_names[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "kernel",           [CU_GRAPH_NODE_TYPE_MEMCPY] = "memcpy",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "memset",           [CU_GRAPH_NODE_TYPE_HOST] = "host",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "child graph",       [CU_GRAPH_NODE_TYPE_EMPTY] = "empty",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "event wait",   [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "event record",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "mem alloc",     [CU_GRAPH_NODE_TYPE_MEM_FREE] = "mem free",
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "conditional",
};

static void put_kernel(FILE *f, const CUDA_KERNEL_NODE_PARAMS *k)
{
    CUfunction fn;
    if (function_find(k->func ? k->func : (CUfunction)(void *)k->kern, &fn) == CUDA_SUCCESS)
        fprintf(f, "\\n%s", fn->ir->name);
    fprintf(f, "\\n<<<%ux%ux%u, %ux%ux%u, %u>>>", k->gridDimX, k->gridDimY, k->gridDimZ, k->blockDimX, k->blockDimY,
            k->blockDimZ, k->sharedMemBytes);
}

static void put_details(FILE *f, const CUgraphNodeParams *p)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        put_kernel(f, &p->kernel);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        fprintf(f, "\\n%zu x %zu x %zu bytes", p->memcpy.copyParams.WidthInBytes, p->memcpy.copyParams.Height,
                p->memcpy.copyParams.Depth);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        fprintf(f, "\\n0x%x, %zu x %zu of %u bytes", p->memset.value, p->memset.width, p->memset.height,
                p->memset.elementSize);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        fprintf(f, "\\n%zu bytes at %#llx", p->alloc.bytesize, p->alloc.dptr);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        fprintf(f, "\\n%#llx", p->free.dptr);
        break;
    default:
        break;
    }
}

static void put_graph(FILE *f, CUgraph g, unsigned flags)
{
    for (size_t i = 0; i < g->n; i++) {
        CUgraphNode n = g->nodes[i];
        fprintf(f, "  n%llu [label=\"%s", (unsigned long long)n->id, type_names[n->op->params.type]);
        if (flags)
            put_details(f, &n->op->params);
        if (flags & (CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE))
            fprintf(f, "\\nnode %p", (void *)n);
        fprintf(f, "\"];\n");
        for (size_t k = 0; k < n->ndeps; k++)
            fprintf(f, "  n%llu -> n%llu;\n", (unsigned long long)n->deps[k].node->id, (unsigned long long)n->id);
        for (unsigned k = 0; k < n->nbodies; k++) {
            fprintf(f, "  subgraph cluster_%llu_%u {\n", (unsigned long long)n->id, k);
            put_graph(f, n->bodies[k], flags);
            fprintf(f, "  }\n");
            if (n->bodies[k]->n)
                fprintf(f, "  n%llu -> n%llu [style=dashed];\n", (unsigned long long)n->id,
                        (unsigned long long)n->bodies[k]->nodes[0]->id);
        }
    }
}

CUresult impl_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    if (!graph_valid(hGraph) || !path)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *f = fopen(path, "we");
    if (!f)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(f, "digraph graph_ {\n  node [shape=box];\n");
    put_graph(f, hGraph, flags);
    fprintf(f, "}\n");
    return fclose(f) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
