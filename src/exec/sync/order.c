/* order.c - what orders memory accesses besides barriers, as events (exec_order): fences, the groups of asynchronous
 * copies, and mbarriers. Bodies come here only when the launch has hooks. */
#include "exec/sync/order.h"

static enum exec_scope scope_of(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_CTA)       ? EXEC_SCOPE_BLOCK
           : ptx_has(i, MOD_CLUSTER) ? EXEC_SCOPE_CLUSTER
           : ptx_has(i, MOD_GL) || ptx_has(i, MOD_GPU)
               ? EXEC_SCOPE_GPU
               : EXEC_SCOPE_SYSTEM; /* also fences between proxies, which name none */
}

static struct exec_order event(const struct warp *w, const struct ir_inst *pc, enum exec_order_op op)
{
    return (struct exec_order){.func = w->func,
                               .site = pc->site,
                               .warp = w->index,
                               .mask = w->mask,
                               .op = (u8)op,
                               .scope = EXEC_SCOPE_BLOCK,
                               .block = w->info};
}

void warp_order(struct warp *w, const struct ir_inst *pc)
{
    const struct ptx_inst *i = warp_inst(w, pc);
    if (!w->hooks || !w->hooks->order)
        return;
    struct exec_order o = event(w, pc, EXEC_FENCE);
    switch (i->op) {
    case OP_MEMBAR:
    case OP_FENCE:
        o.scope = (u8)scope_of(i);
        break;
    case OP_CP_ASYNC_BULK_COMMIT_GROUP:
    case OP_CP_ASYNC_BULK_WAIT_GROUP:
        o.bulk = true;
        o.op = i->op == OP_CP_ASYNC_BULK_COMMIT_GROUP ? EXEC_COPY_COMMIT : EXEC_COPY_WAIT;
        break;
    case OP_CP_ASYNC_COMMIT_GROUP:
        o.op = EXEC_COPY_COMMIT;
        break;
    case OP_CP_ASYNC_WAIT_GROUP:
    case OP_CP_ASYNC_WAIT_ALL:
        o.op = EXEC_COPY_WAIT;
        break;
    default: /* weak memory's fence in front of a release */
        return;
    }
    if (o.op == EXEC_COPY_WAIT)
        o.value = i->noperands && i->operands[0].kind == PTX_IMM ? (u32)i->operands[0].bits : UINT32_MAX;
    w->hooks->order(w->hook_ctx, &o);
}

void warp_order_mbarrier(struct warp *w, const struct ir_inst *pc, enum exec_order_op op, u32 mask, const u64 *addr,
                         u32 dead, bool bulk)
{
    if (!w->hooks || !w->hooks->order || !mask)
        return;
    struct exec_order o = event(w, pc, op);
    o.mask = mask;
    o.addr = addr;
    o.dead = dead & mask;
    o.bulk = bulk;
    w->hooks->order(w->hook_ctx, &o);
}
