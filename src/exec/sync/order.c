/* order.c - what orders memory accesses besides barriers, as events (exec_order): fences, the groups of asynchronous
 * copies, and mbarriers; and sleeps. Bodies come here only when the launch has hooks. */
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

/* Weak memory's fence in front of a release comes here too, and is of none of them. */
void warp_order(struct warp *w, const struct ir_inst *pc)
{
    const struct ptx_inst *i = warp_inst(w, pc);
    const enum ptx_memory memory = (enum ptx_memory)ptx_op_rows[i->op].memory;
    const bool commits = memory == PTX_MEM_COMMIT || memory == PTX_MEM_BULK_COMMIT;
    const bool waits = memory == PTX_MEM_WAIT || memory == PTX_MEM_BULK_WAIT;
    if (!w->hooks || !w->hooks->order || !(memory == PTX_MEM_FENCE || commits || waits))
        return;
    struct exec_order o = event(w, pc, commits ? EXEC_COPY_COMMIT : waits ? EXEC_COPY_WAIT : EXEC_FENCE);
    o.bulk = memory == PTX_MEM_BULK_COMMIT || memory == PTX_MEM_BULK_WAIT;
    if (memory == PTX_MEM_FENCE)
        o.scope = (u8)scope_of(i);
    if (waits)
        o.value = i->noperands && i->operands[0].kind == PTX_IMM ? (u32)i->operands[0].bits : UINT32_MAX;
    w->hooks->order(w->hook_ctx, &o);
}

void warp_order_sleep(struct warp *w, const struct ir_inst *pc, const u8 *regs)
{
    if (!w->hooks || !w->hooks->order)
        return;
    const u32 *ns = (const u32 *)(const void *)(regs + pc->a);
    struct exec_order o = event(w, pc, EXEC_SLEEP);
    o.value = UINT32_MAX;
    for (u32 m = w->mask; m; m &= m - 1) {
        const u32 lane = ns[__builtin_ctz(m)];
        o.value = lane < o.value ? lane : o.value;
    }
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
