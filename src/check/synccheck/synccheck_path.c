/* synccheck_path.c - where a thread that did not come to a barrier was going: out of the kernel, or on.
 *
 * To PTX `if (i >= n) return;` and `if (i < n) { ... }` are the same branch. What tells them apart is where its two
 * ways meet: at the kernel's end, or at code behind the branch that both run. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/synccheck/synccheck.h"

/* Branches that only lead to another one, from block to block. */
enum { MOST_HOPS = 8 };

static bool is_end(const struct ptx_inst *i) { return i->op == OP_RET || i->op == OP_EXIT; }

/* From site on nothing is done but to leave the function. */
static bool only_leaves(const struct ir_func *f, u32 site)
{
    for (unsigned hops = 0; hops < MOST_HOPS; hops++) {
        if (site >= f->src->ninsts)
            return true; /* the implicit return */
        const struct ptx_inst *i = &f->src->insts[site];
        const struct ir_block *b = &f->blocks[f->block_of_site[site]];
        if (i->guard)
            return false;
        if (is_end(i))
            return true;
        if (i->op != OP_BRA || !b->nsucc)
            return false;
        const u32 to = b->succs[0];
        site = to < f->nblocks ? f->blocks[to].first : f->src->ninsts;
    }
    return false;
}

bool synccheck_leaves(const struct exec_place *p) { return p->outermost && only_leaves(p->func, p->site); }

/* Marks the blocks that can be reached from `from`, itself included. False: no memory. */
static bool reach(const struct ir_func *f, u32 from, bool *mark)
{
    u32 *stack = ls_realloc(NULL, f->nblocks * sizeof *stack), n = 0;
    if (!stack)
        return false;
    mark[from] = true;
    stack[n++] = from;
    while (n) {
        const struct ir_block *b = &f->blocks[stack[--n]];
        for (u32 k = 0; k < b->nsucc; k++)
            if (b->succs[k] < f->nblocks && !mark[b->succs[k]]) {
                mark[b->succs[k]] = true;
                stack[n++] = b->succs[k];
            }
    }
    ls_free(stack);
    return true;
}

/* On the way to the barrier, and not behind it: the thread has not decided yet. */
static bool is_before(const struct ir_func *f, u32 place, u32 site, const bool *from_barrier, const bool *from_place)
{
    const u32 here = f->block_of_site[place], there = f->block_of_site[site];
    return here == there ? place <= site : from_place[there] && !from_barrier[here];
}

bool synccheck_passed(const struct exec_place *p, const struct ir_func *func, u32 site)
{
    if (p->func != func || p->site >= func->src->ninsts)
        return p->func != func; /* in other functions nobody can tell: they come back */
    bool *a = ls_calloc(func->nblocks, 2 * sizeof *a), *b = a + func->nblocks, meet = false;
    if (!a)
        return false;
    if (reach(func, func->block_of_site[site], a) && reach(func, func->block_of_site[p->site], b) &&
        !is_before(func, p->site, site, a, b))
        for (u32 k = 0; k < func->nblocks && !meet; k++)
            meet = a[k] && b[k] && !only_leaves(func, func->blocks[k].first);
    ls_free(a);
    return meet;
}
