/* race_shared_proxy.c - stores of threads that products of warpgroups, or bulk copies out of shared memory, read: these read by
 * the asynchronous proxy, so fence.proxy.async must be between, as well as what orders the threads.
 *
 * Limit: a fence of any thread counts for all stores before it. Who has ordered threads and has a fence somewhere between is
 * right; that the fence is by the wrong thread is not found. */
#include "check/racecheck/race_shared.h"

enum { WORD_BITS = 2 };

static bool is_product(u16 op) { return op == OP_WGMMA_MMA_ASYNC || op == OP_WGMMA_MMA_ASYNC_SP; }

/* Shared memory is what comes second. */
static bool is_copy_out(const struct ptx_inst *i)
{
    const bool bulk = i->op == OP_CP_ASYNC_BULK || i->op == OP_CP_REDUCE_ASYNC_BULK ||
                      i->op == OP_CP_ASYNC_BULK_TENSOR || i->op == OP_CP_REDUCE_ASYNC_BULK_TENSOR;
    return bulk && (ptx_has(i, MOD_BULK_GROUP) || !ptx_has(i, MOD_GLOBAL));
}

static bool has_readers(const struct ptx_func *f)
{
    for (u32 k = 0; k < f->ninsts; k++)
        if (is_product(f->insts[k].op) || is_copy_out(&f->insts[k]))
            return true;
    return false;
}

bool proxy_watch(struct shared_cells *c, struct arena *mem, const struct exec_block_info *b)
{
    c->proxy_fences = 1;
    if (!b->launch || !b->launch->kernel || !has_readers(b->launch->kernel->src))
        return true;
    return (c->stored = check_array(mem, u32, (size_t)(b->shared_bytes >> WORD_BITS) + 1)) != NULL;
}

void proxy_access(const struct shared_event *e)
{
    const struct exec_access *a = e->a;
    struct shared_cells *c = e->c;
    const bool by_proxy = e->flags & RACE_PRODUCT || (a->async && a->uncounted), stores = a->op != ACCESS_LD;
    const u64 end = a->block->shared_bytes;
    for (u32 m = by_proxy || stores ? a->mask : 0; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        const u64 first = a->pattern == PATTERN_CONTIGUOUS ? a->addr[__builtin_ctz(a->mask)] + (u64)lane * a->size
                          : a->pattern == PATTERN_UNIFORM  ? a->addr[__builtin_ctz(a->mask)]
                                                           : a->addr[lane];
        for (u64 at = first; at < first + a->size && at < end; at = (at | 3) + 1) {
            u32 *word = &c->stored[at >> WORD_BITS];
            if (stores)
                *word = by_proxy ? 0 : c->proxy_fences;
            else if (*word == c->proxy_fences) {
                race_shared_report_proxy(e, lane, (u32)at >> c->granule_bits);
                return;
            }
        }
    }
}

void proxy_order(struct shared_cells *c, const struct exec_order *o)
{
    const struct ptx_inst *i = &o->func->src->insts[o->site];
    c->proxy_fences += o->op == EXEC_FENCE && ptx_has(i, MOD_PROXY) && ptx_has(i, MOD_ASYNC);
}
