/* op.h - operations: the work of streams, described so that it can be done once or many times.
 *
 * An operation is a copy, a fill, a kernel's launch, a host function ... with all of its arguments. It is made by the
 * file that knows how to do it, checked there, and never changes; so streams, graphs and executable graphs share one
 * without copying it. `params` says what it is in the words of cuGraphAddNode. Put into a stream it runs once; into a
 * stream that is being captured, or into a graph, it becomes a node (graph.h). */
#ifndef LS_DRIVER_OP_H
#define LS_DRIVER_OP_H

#include <stdatomic.h>

#include "driver/cuda_abi.h"
#include "driver/stream/queue.h"

struct op {
    struct work work; /* run: does it; may be called many times, and from several threads at once */
    atomic_uint refs;
    CUcontext ctx;             /* whose sticky error it heeds */
    CUgraphNodeParams params;  /* pointers in it point into the operation */
    void (*drop)(struct op *); /* of what it owns besides its own memory, or NULL */
    void *note;                /* an observer's (events.def); or NULL */
};

/* The first part of an operation of `size` bytes, zeroed, with one reference; NULL: no memory. */
struct op *op_new(size_t size, CUgraphNodeType type, CUcontext ctx, void (*run)(struct work *w));
void op_ref(struct op *op);
void op_unref(struct op *op); /* or NULL */

/* One that does nothing itself: empty nodes, and nodes that the launch of a graph carries out. */
struct op *op_plain(const CUgraphNodeParams *params, CUcontext ctx);

/* ---- launch.c: arguments are checked and copied ---- */
CUresult kernel_op(CUcontext ctx, const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n,
                   struct op **out);
const CUlaunchAttribute *kernel_op_attributes(const struct op *op, unsigned *n);

/* ---- copy.c, memset.c, stream.c ---- */
CUresult copy_op(CUcontext ctx, const CUDA_MEMCPY3D *c, struct op **out);
CUresult fill_op(CUcontext ctx, const CUDA_MEMSET_NODE_PARAMS *p, struct op **out);
struct op *host_op(CUcontext ctx, CUhostFn fn, void *data);

/* ---- memory_op.c ---- */
CUresult memory_ops(CUcontext ctx, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, struct op **out);

/* ---- graph_memory.c ---- */
CUresult alloc_op(CUcontext ctx, CUDA_MEM_ALLOC_NODE_PARAMS *p, struct op **out); /* sets p->dptr */
CUresult free_op(CUcontext ctx, u64 address, struct op **out);

#endif
