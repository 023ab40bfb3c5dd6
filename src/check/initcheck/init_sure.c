/* init_sure.c - whether what a load of shared memory brings is used for sure.
 *
 * A block exchanges the items of a ragged last tile in shared memory together with places that hold none: each thread
 * loads its places, and looks whether an item is there before it stores it or goes by it. So a load of shared memory is
 * a finding only if something is computed from its value, or if it is stored or gone by wherever the load is done: in
 * its own block, or in one that control always comes to from there. A comparison that counts only together with another
 * one is no use, nor is a choice, nor a store to shared memory.
 *
 * The value is followed forward through moves, once, in the order of the text: what comes round a loop is not seen. */
#include "check/initcheck/initcheck.h"
#include "ir/pass.h"

/* ---- branches that only choose ---- */

/* The instruction computes, or goes on to where others do. */
static bool is_computing(const struct ptx_inst *i)
{
    return ir_flow(i) == FLOW_BRANCH || (ir_flow(i) == FLOW_NEXT && ptx_dest_count(i) && i->op != OP_ATOM);
}

/* Nothing but computing happens from the block on until both ways of the branch that ends block `from` have met. */
static bool computes_until(const struct ir_func *f, u32 from, u32 block, unsigned room)
{
    const struct ir_block *b = &f->blocks[block];
    if (block == f->blocks[from].ipdom)
        return true;
    if (!room || block == from)
        return false;
    for (u32 k = b->first; k < b->end; k++)
        if (!is_computing(&f->src->insts[k]))
            return false;
    for (u32 k = 0; k < b->nsucc; k++)
        if (!computes_until(f, from, b->succs[k], room - 1))
            return false;
    return true;
}

/* A branch round a few computations is a choice of results, as a selp is: a scan of structs adds what the lane above
 * has, or not, and only the lanes that had something look at the sum. */
bool init_is_choice(const struct ir_func *f, u32 site)
{
    enum { BLOCKS = 6 };
    const u32 from = f->block_of_site[site];
    const struct ir_block *b = &f->blocks[from];
    return ir_flow(&f->src->insts[site]) == FLOW_BRANCH && b->ipdom != IR_NO_BLOCK && b->nsucc == 2 &&
           computes_until(f, from, b->succs[0], BLOCKS) && computes_until(f, from, b->succs[1], BLOCKS);
}

/* ---- the value ---- */

struct sure {
    const struct ir_func *func;
    u8 *holds; /* by register: it holds the value, or a comparison of it */
};

static bool always_comes_to(const struct ir_func *f, u32 from, u32 to)
{
    while (from != to && from != IR_NO_BLOCK)
        from = f->blocks[from].ipdom;
    return from == to;
}

static bool holds(const struct sure *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_REG)
        return s->holds[o->var->index];
    for (unsigned k = 0; (o->kind == PTX_ADDR || o->kind == PTX_VEC || o->kind == PTX_PAIR) && k < o->n; k++)
        if (holds(s, &o->elems[k]))
            return true;
    return false;
}

static void keep(struct sure *s, const struct ptx_operand *o, bool held)
{
    if (o->kind == PTX_REG)
        s->holds[o->var->index] = held;
    for (unsigned k = 0; (o->kind == PTX_VEC || o->kind == PTX_PAIR) && k < o->n; k++)
        keep(s, &o->elems[k], held);
}

static bool is_predicate(const struct ptx_operand *o) { return o->kind == PTX_REG && o->var->type == PTX_PRED; }

/* How many of the operands that the instruction reads hold the value. */
static unsigned held(const struct sure *s, const struct ptx_inst *i, unsigned ndest)
{
    unsigned n = 0;
    for (unsigned k = ndest; k < i->noperands; k++)
        n += holds(s, &i->operands[k]);
    return n;
}

/* Does one instruction, of a block that control comes to for sure or may come to; true: it is a use. */
static bool step(struct sure *s, u32 site, bool sure)
{
    const struct ptx_inst *i = &s->func->src->insts[site];
    const unsigned ndest = ptx_dest_count(i), n = held(s, i, ndest), nsources = i->noperands - ndest;
    bool on = false;
    if (i->guard)
        return sure && s->holds[i->guard->index] && !init_is_choice(s->func, site);
    if (n && i->op == OP_ST)
        return sure && (i->space != SPACE_SHARED || holds(s, &i->operands[0]));
    if (n && i->op == OP_SETP)
        on = nsources == 2;
    else if (n && ndest == 1 && is_predicate(&i->operands[0]) && (i->op == OP_AND || i->op == OP_OR))
        on = n == nsources;
    else if (n && (init_moves_bytes(i) || i->op == OP_NOT))
        on = true;
    else if (n && i->op != OP_SELP)
        return true;
    for (unsigned k = 0; k < ndest; k++)
        keep(s, &i->operands[k], on);
    return false;
}

bool init_surely_used(const struct ir_func *func, u32 site, const struct ptx_operand *value, u8 *scratch)
{
    const struct ptx_func *f = func->src;
    struct sure s = {func, scratch};
    memset(scratch, 0, f->nregs);
    keep(&s, value, true);
    for (u32 b = func->block_of_site[site]; b < func->nblocks; b++) {
        const bool sure = always_comes_to(func, func->block_of_site[site], b);
        const u32 first = func->blocks[b].first > site ? func->blocks[b].first : site + 1;
        for (u32 k = first; k < func->blocks[b].end; k++)
            if (step(&s, k, sure))
                return true;
    }
    return false;
}
