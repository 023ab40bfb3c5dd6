/* gen_sweep.c - the frame of the code: a loop over warps of the block, and what a warp's run ends with.
 *
 *     start   what is the same for all warps: parameters, where allocations are
 *     each    straight code alone: a block, of those that follow each other in x
 *     head    the warp, its registers, its threads; then the nodes, from the entry on
 *     next    it is done or at a barrier: the next warp, if this one ended as those before it; then the next block
 *
 * A warp that ends in another way returns at once, for the engine to see to it; args.x says of which block it is. A block costs
 * the engine as much as two of its warps take in a short kernel, and what stands in `start` as much as one. */
#include "exec/sched.h"
#include "exec/tier/gen.h"

static const u32 nothing_yet = UINT32_MAX; /* the result of those before the first */

/* Counted code is told of blocks by the engine. */
static void begin_blocks(struct gen *e)
{
    e->each = e->start;
    e->x = NULL;
    if (!e->straight || e->g->mode != IR_FAST)
        return;
    llvm_value first = gen_arg(e, e->i32, offsetof(struct tier_args, ctaid));
    e->each = gen_block(e);
    gen_here(e, e->each);
    e->x = B(Phi, e->i32);
    e->ll->AddIncoming(e->x, &first, &e->start, 1);
    gen_store(e, e->x, gen_at(e, e->args, offsetof(struct tier_args, x)), 4);
}

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
    begin_blocks(e);
    gen_here(e, e->head);
    e->warp = B(Phi, e->i32);
    e->before = B(Phi, e->i32);
    e->ll->AddIncoming(e->warp, &first, &e->each, 1);
    e->ll->AddIncoming(e->before, &before, &e->each, 1);
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
    LS_BUG_ON(how == TIER_BARRIER && e->x);
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

/* All warps of the block are done, as straight code has no other end that comes here. LLVM is told that a block hardly ever follows,
 * so that it keeps registers for the loop over warps: with AVX2's sixteen stencil27 else took 5 % longer. */
static void next_block(struct gen *e)
{
    llvm_block more = gen_block(e), stop = gen_block(e);
    llvm_value next = B(Add, e->x, gen_int(e, e->i32, 1));
    gen_branch(e, B(ICmp, LLVM_ULT, next, gen_arg(e, e->i32, offsetof(struct tier_args, x_end))), more, stop, -1);
    gen_here(e, more);
    e->ll->AddIncoming(e->x, &next, &more, 1);
    e->ll->BuildBr(e->b, e->each);
    gen_here(e, stop);
}

void gen_sweep_end(struct gen *e)
{
    gen_here(e, e->start);
    if (e->x)
        e->ll->BuildBr(e->b, e->each);
    gen_here(e, e->each);
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
    if (e->x)
        next_block(e);
    return_result(e, e->result);
    gen_here(e, more);
    e->ll->AddIncoming(e->warp, &next, &more, 1);
    e->ll->AddIncoming(e->before, &e->result, &more, 1);
    e->ll->BuildBr(e->b, e->head);
}
