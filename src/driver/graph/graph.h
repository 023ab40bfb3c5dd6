/* graph.h - graphs of operations, shared by the files that build, capture, instantiate and run them.
 *
 * A *node* is an operation (op.h) and the nodes it comes after. A graph owns its nodes; a node may own graphs, its
 * *bodies*: one of a child graph, one or more of a condition. Operations never change, so a clone of a graph shares
 * them, and an executable graph is a clone with a state: setting parameters gives a node another operation, in the one
 * graph only, and leaves alone what is under way.
 *
 * Every node has an id that is used once; a clone's node remembers the id of the node it was cloned from, which is how
 * cuGraphExec... functions find their node. Graphs have no lock: the API asks callers to take turns on one. */
#ifndef LS_DRIVER_GRAPH_H
#define LS_DRIVER_GRAPH_H

#include "driver/driver.h"

struct edge {
    CUgraphNode node; /* that comes first */
    CUgraphEdgeData data;
};

struct CUgraphNode_st {
    u32 tag;
    CUgraph graph;
    u64 id, origin; /* origin: of the node this one was cloned from, or 0 */
    size_t index;   /* in its graph */
    struct op *op;
    struct edge *deps;
    size_t ndeps;
    CUgraph *bodies;
    unsigned nbodies;
    bool disabled; /* of an executable graph */
};

/* The value of a condition: four bytes of device memory, at the address that is its handle. */
struct condition {
    atomic_uint refs;
    u64 address;
    u32 initial;
    bool assign; /* initial, at every launch */
};

struct user_ref {
    CUuserObject object;
    unsigned count;
};

struct CUgraph_st {
    u32 tag;
    CUgraphNode owner; /* whose body it is, or NULL */
    bool constant;     /* inside an executable graph: programs may not change it */
    CUgraphNode *nodes;
    size_t n, cap;
    struct user_ref *users;
    size_t nusers;
    struct condition **conditions;
    size_t nconditions;
};

struct CUgraphExec_st {
    u32 tag;
    CUcontext ctx;
    u64 flags;
    CUgraph graph;      /* a clone, its nodes in the order in which they run */
    struct queue *last; /* the stream of the last launch, and where in it: launches take turns */
    u64 last_n;
};

/* ---- graph.c ---- */
bool graph_valid(CUgraph g);
bool node_valid(CUgraphNode n);
CUgraph graph_new(CUgraphNode owner);
void graph_free(CUgraph g); /* or NULL */
void bodies_free(CUgraph *bodies, unsigned n);
/* A new node behind deps. Takes the reference to op and the bodies, also on failure. data: one an edge, or NULL. */
CUresult graph_add(CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n, struct op *op,
                   CUgraph *bodies, unsigned nbodies, CUgraphNode *out);
CUresult graph_clone(CUgraph g, CUgraph *out);
/* The node that was cloned from the one with that id, also in bodies; NULL: there is none. */
CUgraphNode graph_find(CUgraph g, u64 origin);
/* The nodes, dependencies first, in the order of their creation where that is free. False: there is a cycle, or no
 * memory (*memory). */
bool graph_order(CUgraph g, CUgraphNode *order, bool *memory);
bool edge_plain(const CUgraphEdgeData *data);
bool graph_has(CUgraph g, CUgraphNodeType type);

/* ---- graph_node.c ---- */
/* The operation, and what else a node of these parameters has; outputs are written to p. */
CUresult node_describe(CUgraph g, CUgraphNodeParams *p, const CUlaunchAttribute *attrs, unsigned nattrs, struct op **op,
                       CUgraph **bodies, unsigned *nbodies);
/* Other parameters for a node (of a graph or an executable one). */
CUresult node_set_params(CUgraphNode n, const CUgraphNodeParams *p);

/* ---- graph_exec.c, graph_run.c ---- */
CUresult exec_launch(CUgraphExec e, struct CUstream_st *s);

/* ---- graph_condition.c ---- */
CUresult condition_op(CUgraph g, CUDA_CONDITIONAL_NODE_PARAMS *p, CUgraph *bodies, struct op **out);
struct condition *condition_of(const struct op *op);
void condition_unref(struct condition *c);
u32 condition_read(const struct condition *c);
void condition_reset(const struct condition *c); /* when a launch begins */

/* ---- graph_memory.c ---- */
/* Where an operation's memory is; false: it is no allocation or free. */
bool memory_op_address(const struct op *op, u64 *address);

/* ---- graph_user.c ---- */
CUresult users_copy(CUgraph to, CUgraph from);
CUresult users_keep(CUgraph from, struct user_ref **users, size_t *n); /* a list of its own; *n is 0 before */
void users_free(struct user_ref *users, size_t n);

#endif
