/* graph.c - graphs: their nodes and edges, clones, order. What a node does is graph_node.c's. */
#include "driver/graph/graph.h"

#include <string.h>

#include "base/alloc.h"

bool graph_valid(CUgraph g) { return g && g->tag == TAG_GRAPH; }

bool node_valid(CUgraphNode n) { return n && n->tag == TAG_NODE; }

bool edge_plain(const CUgraphEdgeData *data) { return !data->from_port && !data->to_port && !data->type; }

/* ---- life ---- */

CUgraph graph_new(CUgraphNode owner)
{
    CUgraph g = handle_new(TAG_GRAPH, sizeof *g);
    if (g)
        *g = (struct CUgraph_st){.tag = TAG_GRAPH, .owner = owner};
    return g;
}

void bodies_free(CUgraph *bodies, unsigned n)
{
    for (unsigned i = 0; bodies && i < n; i++)
        graph_free(bodies[i]);
    ls_free(bodies);
}

static void node_free(CUgraphNode n)
{
    op_unref(n->op);
    bodies_free(n->bodies, n->nbodies);
    ls_free(n->deps);
    handle_free(TAG_NODE, n);
}

void graph_free(CUgraph g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++)
        node_free(g->nodes[i]);
    for (size_t i = 0; i < g->nconditions; i++)
        condition_unref(g->conditions[i]);
    users_free(g->users, g->nusers);
    ls_free(g->conditions);
    ls_free(g->nodes);
    handle_free(TAG_GRAPH, g);
}

CUresult impl_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    if (!phGraph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = graph_new(NULL);
    return *phGraph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A body is freed with its node only. */
CUresult impl_cuGraphDestroy(CUgraph hGraph)
{
    if (!graph_valid(hGraph) || hGraph->owner)
        return CUDA_ERROR_INVALID_VALUE;
    graph_free(hGraph);
    return CUDA_SUCCESS;
}

/* ---- nodes ---- */

static bool room(CUgraph g)
{
    if (g->n < g->cap)
        return true;
    size_t cap = g->cap ? g->cap * 2 : 16;
    CUgraphNode *to = ls_realloc(g->nodes, cap * sizeof *to);
    if (!to)
        return false;
    g->nodes = to;
    g->cap = cap;
    return true;
}

static struct edge *find_edge(CUgraphNode to, CUgraphNode from)
{
    for (size_t i = 0; i < to->ndeps; i++)
        if (to->deps[i].node == from)
            return &to->deps[i];
    return NULL;
}

static CUresult add_edge(CUgraphNode to, CUgraphNode from, const CUgraphEdgeData *data)
{
    static const CUgraphEdgeData plain;
    struct edge *deps = ls_realloc(to->deps, (to->ndeps + 1) * sizeof *deps);
    if (!deps)
        return CUDA_ERROR_OUT_OF_MEMORY;
    to->deps = deps;
    deps[to->ndeps++] = (struct edge){from, data ? *data : plain};
    return CUDA_SUCCESS;
}

static CUresult check_deps(CUgraph g, const CUgraphNode *deps, size_t n)
{
    if (n && !deps)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        if (!node_valid(deps[i]) || deps[i]->graph != g)
            return CUDA_ERROR_INVALID_VALUE;
        for (size_t k = 0; n <= 64 && k < i; k++) /* the manual forbids doubles; long lists are taken as they are */
            if (deps[k] == deps[i])
                return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult insert(CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n, CUgraphNode *out)
{
    CUresult r = check_deps(g, deps, n);
    if (r != CUDA_SUCCESS)
        return r;
    CUgraphNode node = handle_new(TAG_NODE, sizeof *node);
    if (!node || !room(g)) {
        handle_free(TAG_NODE, node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *node = (struct CUgraphNode_st){
        .tag = TAG_NODE, .graph = g, .index = g->n, .id = atomic_fetch_add(&drv.next_id, 1) + 1};
    for (size_t i = 0; r == CUDA_SUCCESS && i < n; i++)
        r = add_edge(node, deps[i], data ? &data[i] : NULL);
    if (r != CUDA_SUCCESS) {
        node_free(node);
        return r;
    }
    g->nodes[g->n++] = node;
    *out = node;
    return CUDA_SUCCESS;
}

CUresult graph_add(CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n, struct op *op,
                   CUgraph *bodies, unsigned nbodies, CUgraphNode *out)
{
    CUgraphNode node;
    CUresult r = insert(g, deps, data, n, &node);
    if (r != CUDA_SUCCESS) {
        op_unref(op);
        bodies_free(bodies, nbodies);
        return r;
    }
    node->op = op;
    node->bodies = bodies;
    node->nbodies = nbodies;
    for (unsigned i = 0; i < nbodies; i++)
        bodies[i]->owner = node;
    *out = node;
    return CUDA_SUCCESS;
}

static void remove_edge(CUgraphNode to, struct edge *e)
{
    size_t i = (size_t)(e - to->deps);
    memmove(e, e + 1, (to->ndeps - i - 1) * sizeof *e);
    to->ndeps--;
}

CUresult impl_cuGraphDestroyNode(CUgraphNode hNode)
{
    u64 address;
    if (!node_valid(hNode) || hNode->graph->constant || memory_op_address(hNode->op, &address))
        return CUDA_ERROR_INVALID_VALUE;
    CUgraph g = hNode->graph;
    for (size_t i = 0; i < g->n; i++) {
        struct edge *e = find_edge(g->nodes[i], hNode);
        if (e)
            remove_edge(g->nodes[i], e);
    }
    memmove(&g->nodes[hNode->index], &g->nodes[hNode->index + 1], (g->n - hNode->index - 1) * sizeof *g->nodes);
    g->n--;
    for (size_t i = hNode->index; i < g->n; i++)
        g->nodes[i]->index = i;
    node_free(hNode);
    return CUDA_SUCCESS;
}

bool graph_has(CUgraph g, CUgraphNodeType type)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->nodes[i]->op->params.type == type)
            return true;
        for (unsigned k = 0; k < g->nodes[i]->nbodies; k++)
            if (graph_has(g->nodes[i]->bodies[k], type))
                return true;
    }
    return false;
}

/* ---- clones ---- */

static CUresult clone_bodies(CUgraphNode from, CUgraphNode to)
{
    if (!from->nbodies)
        return CUDA_SUCCESS;
    to->bodies = ls_calloc(from->nbodies, sizeof *to->bodies);
    if (!to->bodies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (; to->nbodies < from->nbodies; to->nbodies++) {
        CUresult r = graph_clone(from->bodies[to->nbodies], &to->bodies[to->nbodies]);
        if (r != CUDA_SUCCESS)
            return r;
        to->bodies[to->nbodies]->owner = to;
    }
    return CUDA_SUCCESS;
}

static CUresult clone_node(CUgraph g, CUgraphNode from)
{
    CUgraphNode to;
    CUresult r = insert(g, NULL, NULL, 0, &to);
    if (r != CUDA_SUCCESS)
        return r;
    to->origin = from->id;
    to->op = from->op;
    op_ref(to->op);
    return clone_bodies(from, to);
}

static CUresult clone_conditions(CUgraph from, CUgraph to)
{
    if (!from->nconditions)
        return CUDA_SUCCESS;
    to->conditions = ls_calloc(from->nconditions, sizeof *to->conditions);
    if (!to->conditions)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (; to->nconditions < from->nconditions; to->nconditions++) {
        to->conditions[to->nconditions] = from->conditions[to->nconditions];
        atomic_fetch_add(&to->conditions[to->nconditions]->refs, 1);
    }
    return CUDA_SUCCESS;
}

static CUresult clone_edges(CUgraph from, CUgraph to)
{
    for (size_t i = 0; i < from->n; i++)
        for (size_t k = 0; k < from->nodes[i]->ndeps; k++) {
            const struct edge *e = &from->nodes[i]->deps[k];
            CUresult r = add_edge(to->nodes[i], to->nodes[e->node->index], &e->data);
            if (r != CUDA_SUCCESS)
                return r;
        }
    return CUDA_SUCCESS;
}

CUresult graph_clone(CUgraph g, CUgraph *out)
{
    CUgraph to = graph_new(NULL);
    CUresult r = to ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; r == CUDA_SUCCESS && i < g->n; i++)
        r = clone_node(to, g->nodes[i]);
    if (r == CUDA_SUCCESS)
        r = clone_edges(g, to);
    if (r == CUDA_SUCCESS)
        r = clone_conditions(g, to);
    if (r == CUDA_SUCCESS)
        r = users_copy(to, g);
    if (r == CUDA_SUCCESS)
        *out = to;
    else
        graph_free(to);
    return r;
}

CUresult impl_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    if (!phGraphClone || !graph_valid(originalGraph))
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has(originalGraph, CU_GRAPH_NODE_TYPE_MEM_ALLOC) || graph_has(originalGraph, CU_GRAPH_NODE_TYPE_MEM_FREE))
        return CUDA_ERROR_NOT_SUPPORTED; /* else an address would be allocated twice */
    return graph_clone(originalGraph, phGraphClone);
}

CUgraphNode graph_find(CUgraph g, u64 origin)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i]->origin == origin)
            return g->nodes[i];
    for (size_t i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->nodes[i]->nbodies; k++) {
            CUgraphNode found = graph_find(g->nodes[i]->bodies[k], origin);
            if (found)
                return found;
        }
    return NULL;
}

CUresult impl_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph)
{
    if (!phNode || !node_valid(hOriginalNode) || !graph_valid(hClonedGraph))
        return CUDA_ERROR_INVALID_VALUE;
    *phNode = graph_find(hClonedGraph, hOriginalNode->id);
    return *phNode ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- order ---- */

/* The order of creation is right unless an edge was added later against it. */
static bool in_order(CUgraph g)
{
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            if (g->nodes[i]->deps[k].node->index > i)
                return false;
    return true;
}

/* A depth-first walk with a stack of its own: a node is put out once all that it depends on is. */
static bool walk(CUgraph g, CUgraphNode *order, size_t *next, size_t *stack)
{
    enum { UNSEEN = 0 }; /* next[i]: 1 + how many dependencies of i were looked at; done: 2 + ndeps */
    size_t out = 0, depth = 0;
    for (size_t root = 0; root < g->n; root++) {
        if (next[root] != UNSEEN)
            continue;
        next[root] = 1;
        stack[depth++] = root;
        while (depth) {
            CUgraphNode n = g->nodes[stack[depth - 1]];
            size_t at = next[n->index]++ - 1;
            if (at == n->ndeps) {
                order[out++] = n;
                depth--;
                continue;
            }
            CUgraphNode dep = n->deps[at].node;
            if (next[dep->index] == UNSEEN) {
                next[dep->index] = 1;
                stack[depth++] = dep->index;
            } else if (next[dep->index] != dep->ndeps + 2) {
                return false; /* it is on the stack: a cycle */
            }
        }
    }
    return true;
}

bool graph_order(CUgraph g, CUgraphNode *order, bool *memory)
{
    *memory = true;
    if (in_order(g)) {
        if (g->n)
            memcpy(order, g->nodes, g->n * sizeof *order);
        return true;
    }
    size_t *next = ls_calloc(2 * g->n, sizeof *next);
    *memory = next != NULL;
    bool ok = next && walk(g, order, next, next + g->n);
    ls_free(next);
    return ok;
}

/* ---- questions ---- */

CUresult impl_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    if (!node_valid(hNode) || !type)
        return CUDA_ERROR_INVALID_VALUE;
    *type = hNode->op->params.type;
    return CUDA_SUCCESS;
}

/* Programs ask twice: without an array for the length, then with an array of *n places, whose rest is filled with
 * zeros. */
struct list {
    CUgraphNode *a, *b; /* b: of edges, where they lead */
    CUgraphEdgeData *data;
    size_t places, n;
    bool lossy; /* an edge says more than the caller has room for */
};

static void put(struct list *l, CUgraphNode a, CUgraphNode b, const CUgraphEdgeData *data)
{
    size_t i = l->n++;
    if (!l->a || i >= l->places)
        return;
    l->a[i] = a;
    if (l->b)
        l->b[i] = b;
    if (l->data)
        l->data[i] = *data;
    else if (data && !edge_plain(data))
        l->lossy = true;
}

static CUresult finish(struct list *l, size_t *n)
{
    if (!l->a) {
        *n = l->n;
        return CUDA_SUCCESS;
    }
    for (size_t i = l->n; i < l->places; i++) {
        l->a[i] = NULL;
        if (l->b)
            l->b[i] = NULL;
    }
    *n = l->n < l->places ? l->n : l->places;
    return l->lossy ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph g, CUgraphNode *nodes, size_t *n, bool roots)
{
    if (!graph_valid(g) || !n)
        return CUDA_ERROR_INVALID_VALUE;
    struct list l = {.a = nodes, .places = *n};
    for (size_t i = 0; i < g->n; i++)
        if (!roots || !g->nodes[i]->ndeps)
            put(&l, g->nodes[i], NULL, NULL);
    return finish(&l, n);
}

CUresult impl_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    return list_nodes(hGraph, nodes, numNodes, false);
}

CUresult impl_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    return list_nodes(hGraph, rootNodes, numRootNodes, true);
}

CUresult impl_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
                                 size_t *numEdges)
{
    if (!graph_valid(hGraph) || !numEdges || !from != !to || (edgeData && !from))
        return CUDA_ERROR_INVALID_VALUE;
    struct list l = {.a = from, .b = to, .data = edgeData, .places = *numEdges};
    for (size_t i = 0; i < hGraph->n; i++)
        for (size_t k = 0; k < hGraph->nodes[i]->ndeps; k++)
            put(&l, hGraph->nodes[i]->deps[k].node, hGraph->nodes[i], &hGraph->nodes[i]->deps[k].data);
    return finish(&l, numEdges);
}

CUresult impl_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    return impl_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult impl_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                            size_t *numDependencies)
{
    if (!node_valid(hNode) || !numDependencies || (edgeData && !dependencies))
        return CUDA_ERROR_INVALID_VALUE;
    struct list l = {.a = dependencies, .data = edgeData, .places = *numDependencies};
    for (size_t k = 0; k < hNode->ndeps; k++)
        put(&l, hNode->deps[k].node, NULL, &hNode->deps[k].data);
    return finish(&l, numDependencies);
}

CUresult impl_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies)
{
    return impl_cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult impl_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                              size_t *numDependentNodes)
{
    if (!node_valid(hNode) || !numDependentNodes || (edgeData && !dependentNodes))
        return CUDA_ERROR_INVALID_VALUE;
    struct list l = {.a = dependentNodes, .data = edgeData, .places = *numDependentNodes};
    for (size_t i = 0; i < hNode->graph->n; i++) {
        const struct edge *e = find_edge(hNode->graph->nodes[i], hNode);
        if (e)
            put(&l, hNode->graph->nodes[i], NULL, &e->data);
    }
    return finish(&l, numDependentNodes);
}

CUresult impl_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes)
{
    return impl_cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

/* ---- edges ---- */

/* All or nothing: false unless every edge is between nodes of g and there (or not there) already. */
static bool edges_ok(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n, bool there)
{
    if (!graph_valid(g) || g->constant || (n && (!from || !to)))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!node_valid(from[i]) || !node_valid(to[i]) || from[i]->graph != g || to[i]->graph != g || from[i] == to[i])
            return false;
        if ((find_edge(to[i], from[i]) != NULL) != there)
            return false;
    }
    return true;
}

CUresult impl_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                        const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    if (!edges_ok(hGraph, from, to, numDependencies, false))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; r == CUDA_SUCCESS && i < numDependencies; i++)
        r = add_edge(to[i], from[i], edgeData ? &edgeData[i] : NULL);
    return r;
}

CUresult impl_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                     size_t numDependencies)
{
    return impl_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult impl_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                           const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    if (!edges_ok(hGraph, from, to, numDependencies, true))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; edgeData && i < numDependencies; i++)
        if (memcmp(&find_edge(to[i], from[i])->data, &edgeData[i], sizeof *edgeData) != 0)
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numDependencies; i++) {
        struct edge *e = find_edge(to[i], from[i]);
        if (e)
            remove_edge(to[i], e);
    }
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                        size_t numDependencies)
{
    return impl_cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}
