/* op.c - see op.h. */
#include "driver/stream/op.h"

#include "base/alloc.h"
#include "driver/observe/observe.h"

static void release(struct work *w) { op_unref((struct op *)w); }

struct op *op_new(size_t size, CUgraphNodeType type, CUcontext ctx, void (*run)(struct work *w))
{
    struct op *op = ls_calloc(1, size);
    if (!op)
        return NULL;
    op->work = (struct work){.run = run, .release = release};
    atomic_init(&op->refs, 1);
    op->ctx = ctx;
    op->params.type = type;
    TELL(op_made, op);
    return op;
}

void op_ref(struct op *op) { atomic_fetch_add(&op->refs, 1); }

void op_unref(struct op *op)
{
    if (!op || atomic_fetch_sub(&op->refs, 1) != 1)
        return;
    if (op->drop)
        op->drop(op);
    TELL(op_gone, op);
    ls_free(op);
}

static void nothing(struct work *w) { (void)w; }

struct op *op_plain(const CUgraphNodeParams *params, CUcontext ctx)
{
    struct op *op = op_new(sizeof *op, params->type, ctx, nothing);
    if (op)
        op->params = *params;
    return op;
}
