/* graph_condition.c - the values that conditional nodes look at. A handle is the address of four bytes of device
 * memory, which a kernel sets with cudaGraphSetConditional. Clones and executable graphs share the value of their
 * original. */
#include "driver/graph/graph.h"

#include <string.h>

#include "base/alloc.h"

struct condition_work {
    struct op op;
    struct condition *condition;
};

void condition_unref(struct condition *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    memory_free_now(c->address);
    ls_free(c);
}

u32 condition_read(const struct condition *c)
{
    return __atomic_load_n((const u32 *)(uintptr_t)c->address, __ATOMIC_ACQUIRE);
}

void condition_reset(const struct condition *c)
{
    if (c->assign)
        __atomic_store_n((u32 *)(uintptr_t)c->address, c->initial, __ATOMIC_RELEASE);
}

static CUresult make(CUcontext ctx, u32 initial, bool assign, struct condition **out)
{
    struct condition *c = ls_calloc(1, sizeof *c);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_init(&c->refs, 1);
    c->initial = initial;
    c->assign = assign;
    CUresult r = memory_alloc(ctx, sizeof(u32), MEM_DEVICE, ALLOCATION_OURS, NULL, &c->address);
    if (r != CUDA_SUCCESS) {
        ls_free(c);
        return r;
    }
    memset((void *)(uintptr_t)c->address, 0, sizeof(u32));
    TELL(filled, c->address, sizeof(u32), NULL);
    *out = c;
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx,
                                             unsigned int defaultLaunchValue, unsigned int flags)
{
    struct condition *c;
    if (!pHandle_out || !graph_valid(hGraph) || (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT))
        return CUDA_ERROR_INVALID_VALUE;
    if (!ctx)
        ctx = ctx_current();
    if (!ctx_valid(ctx))
        return CUDA_ERROR_INVALID_CONTEXT;
    struct condition **to = ls_realloc(hGraph->conditions, (hGraph->nconditions + 1) * sizeof *to);
    if (!to)
        return CUDA_ERROR_OUT_OF_MEMORY;
    hGraph->conditions = to;
    CUresult r = make(ctx, defaultLaunchValue, flags & CU_GRAPH_COND_ASSIGN_DEFAULT, &c);
    if (r != CUDA_SUCCESS)
        return r;
    to[hGraph->nconditions++] = c;
    *pHandle_out = c->address;
    return CUDA_SUCCESS;
}

/* Of g or a graph around it. */
static struct condition *find(CUgraph g, CUgraphConditionalHandle handle)
{
    for (; g; g = g->owner ? g->owner->graph : NULL)
        for (size_t i = 0; i < g->nconditions; i++)
            if (g->conditions[i]->address == handle)
                return g->conditions[i];
    return NULL;
}

static void nothing(struct work *w) { (void)w; }

static void drop(struct op *op) { condition_unref(((struct condition_work *)op)->condition); }

struct condition *condition_of(const struct op *op) { return ((const struct condition_work *)op)->condition; }

CUresult condition_op(CUgraph g, CUDA_CONDITIONAL_NODE_PARAMS *p, CUgraph *bodies, struct op **out)
{
    struct condition *c = find(g, p->handle);
    bool size_ok = p->type == CU_GRAPH_COND_TYPE_IF      ? p->size <= 2
                   : p->type == CU_GRAPH_COND_TYPE_WHILE ? p->size == 1
                                                         : p->type == CU_GRAPH_COND_TYPE_SWITCH;
    if (!c || !size_ok)
        return CUDA_ERROR_INVALID_VALUE;
    CUcontext ctx = p->ctx ? p->ctx : ctx_current();
    if (!ctx_valid(ctx))
        return CUDA_ERROR_INVALID_CONTEXT;
    struct condition_work *w = (struct condition_work *)op_new(sizeof *w, CU_GRAPH_NODE_TYPE_CONDITIONAL, ctx, nothing);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_fetch_add(&c->refs, 1);
    w->condition = c;
    w->op.drop = drop;
    w->op.params.conditional = *p;
    w->op.params.conditional.phGraph_out = bodies;
    *out = &w->op;
    return CUDA_SUCCESS;
}
