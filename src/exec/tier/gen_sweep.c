/* gen_sweep.c - the frame of the code: a loop over warps of the block, and what a warp's run ends with.
 *
 *     start   what is the same for all warps: parameters, where allocations are
 *     head    the warp, its registers, its threads; then the nodes, from the entry on
 *     next    it is done or at a barrier: the next warp, if this one ended as those before it
 *
 * A warp that ends in another way returns at once, for the engine to see to it. */
#include "exec/sched.h"
#include "exec/tier/gen.h"

static const u32 nothing_yet = UINT32_MAX; /* the result of those before the first */

void gen_sweep_begin(struct gen *e)
{
    llvm_value warps = e->ll->GetParam(e->fn, 0), frames = e->ll->GetParam(e->fn, 1);
    e->args = e->ll->GetParam(e->fn, 2);
    e->entry = e->ll->GetParam(e->fn, 3);
    e->start = gen_block(e);
    e->head = gen_block(e);
    e->next = NULL;
    gen_here(e, e->start);
    llvm_value first = gen_arg(e, e->i32, offsetof(struct tier_args, first)), before = gen_int(e, e->i32, nothing_yet);
    gen_here(e, e->head);
    e->warp = B(Phi, e->i32);
    e->before = B(Phi, e->i32);
    e->ll->AddIncoming(e->warp, &first, &e->start, 1);
    e->ll->AddIncoming(e->before, &before, &e->start, 1);
    llvm_value k = B(ZExt, e->warp, e->i64);
    llvm_value at = B(Mul, k, gen_int(e, e->i64, sizeof(struct warp)));
    e->w = B(GEP2, e->i8, warps, &at, 1);
    at = B(Mul, k, gen_int(e, e->i64, sizeof(struct frame)));
    e->regs = gen_load(e, e->ptr, gen_at(e, B(GEP2, e->i8, frames, &at, 1), offsetof(struct frame, regs)), 8);
}

/* Where we are, the function returns the warp's result. */
static void return_result(struct gen *e, llvm_value result)
{
    gen_store(e, e->warp, gen_at(e, e->args, offsetof(struct tier_args, last)), 4);
    gen_store(e, e->before, gen_at(e, e->args, offsetof(struct tier_args, before)), 4);
    e->ll->BuildRet(e->b, result);
}

void gen_end(struct gen *e, enum tier_end how, u32 state)
{
    llvm_value result = gen_int(e, e->i32, (u64)how | (u64)state << 3);
    llvm_block here = e->ll->GetInsertBlock(e->b);
    if (e->dry || (how != TIER_DONE && how != TIER_BARRIER)) {
        return_result(e, result);
        return;
    }
    if (!e->next) {
        e->next = gen_block(e);
        gen_here(e, e->next);
        e->result = B(Phi, e->i32);
        gen_here(e, here);
    }
    e->ll->BuildBr(e->b, e->next);
    e->ll->AddIncoming(e->result, &result, &here, 1);
}

void gen_sweep_end(struct gen *e)
{
    gen_here(e, e->start);
    e->ll->BuildBr(e->b, e->head);
    if (!e->next)
        return;
    gen_here(e, e->next);
    llvm_block more = gen_block(e), stop = gen_block(e);
    llvm_value end = gen_arg(e, e->i32, offsetof(struct tier_args, end));
    llvm_value next = B(Add, e->warp, gen_int(e, e->i32, 1));
    llvm_value same =
        B(Or, B(ICmp, LLVM_EQ, e->before, gen_int(e, e->i32, nothing_yet)), B(ICmp, LLVM_EQ, e->before, e->result));
    gen_branch(e, B(And, same, B(ICmp, LLVM_ULT, next, end)), more, stop, 0);
    gen_here(e, stop);
    return_result(e, e->result);
    gen_here(e, more);
    e->ll->AddIncoming(e->warp, &next, &more, 1);
    e->ll->AddIncoming(e->before, &e->result, &more, 1);
    e->ll->BuildBr(e->b, e->head);
}
