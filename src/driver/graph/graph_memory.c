/* graph_memory.c - nodes that allocate and free memory. An address is a node's for as long as any graph has the node:
 * it is allocated with the node. A launch makes it live, a free ends that (allocation_table.c keeps the state); the bytes
 * stay, so a kernel that uses them after their free is not caught. */
#include "driver/graph/graph.h"

#include "base/alloc.h"

struct alloc_work {
    struct op op;
    u64 id;
};

static void nothing(struct work *w) { (void)w; }

static void drop(struct op *op) { memory_graph_drop(op->params.alloc.dptr, ((struct alloc_work *)op)->id); }

CUresult alloc_op(CUcontext ctx, CUDA_MEM_ALLOC_NODE_PARAMS *p, struct op **out)
{
    u64 address, id;
    if (!p->bytesize || p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->poolProps.handleTypes)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(p->poolProps.location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    struct alloc_work *w = (struct alloc_work *)op_new(sizeof *w, CU_GRAPH_NODE_TYPE_MEM_ALLOC, ctx, nothing);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = memory_graph_alloc(ctx, p->bytesize, &address, &id);
    if (r != CUDA_SUCCESS) {
        op_unref(&w->op);
        return r;
    }
    p->dptr = address;
    w->id = id;
    w->op.drop = drop;
    w->op.params.alloc = *p;
    w->op.params.alloc.accessDescs = NULL; /* the caller's */
    w->op.params.alloc.accessDescCount = 0;
    *out = &w->op;
    return CUDA_SUCCESS;
}

/* Memory of a graph is freed by the launch (graph_run.c), other memory here. */
static void free_run(struct work *w)
{
    struct allocation a;
    u64 address = ((struct op *)w)->params.free.dptr;
    if (memory_find(address, &a) && !a.graph)
        memory_free_now(address);
}

CUresult free_op(CUcontext ctx, u64 address, struct op **out)
{
    struct allocation a;
    if (!memory_find(address, &a) || a.base != address || a.kind != MEM_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    struct op *op = op_new(sizeof *op, CU_GRAPH_NODE_TYPE_MEM_FREE, ctx, free_run);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->params.free.dptr = address;
    *out = op;
    return CUDA_SUCCESS;
}

bool memory_op_address(const struct op *op, u64 *address)
{
    const CUgraphNodeParams *p = &op->params;
    if (p->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && p->type != CU_GRAPH_NODE_TYPE_MEM_FREE)
        return false;
    *address = p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? p->alloc.dptr : p->free.dptr;
    return true;
}

/* ---- the device ---- */

/* Memory of graphs that are gone is given back at once, so there is nothing to trim. */
CUresult impl_cuDeviceGraphMemTrim(CUdevice device)
{
    return device_ok(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult impl_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    if (!device_ok(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    const struct memory_graph_use use = memory_graph_use(device, false, false);
    switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        *(u64 *)value = use.used;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        *(u64 *)value = use.used_high;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        *(u64 *)value = use.reserved;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        *(u64 *)value = use.reserved_high;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* High-water marks may be set to 0 only, which restarts them. */
CUresult impl_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    if (!device_ok(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!value || *(u64 *)value ||
        (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH && attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    memory_graph_use(device, attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
    return CUDA_SUCCESS;
}
