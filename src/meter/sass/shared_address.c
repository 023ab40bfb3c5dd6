/* shared_address.c - the addresses of shared variables, where no ptxas is asked.
 *
 * From compute capability 9.0 on a block's shared memory is a part of its cluster's: an address has the block's number there in its upper
 * eight bits. ptxas reads that number (S2R), sets the variable's offset (MOV) and puts both together (LEA), where
 * PTX has a move of the address; of a second variable in a block only the offset and the sum are new. What of a loop of one block stands in front
 * of it. An access that names the variable takes the address from a block that it comes through, if there is one. Before, an address is a
 * constant. */
#include "base/vec.h"
#include "meter/blocks.h"
#include "meter/rules.h"

enum { FIRST = 3, NEXT = 2 };

const struct ptx_var *estimate_shared_variable(const struct ptx_inst *i)
{
    for (u32 k = 0; k < i->noperands; k++) {
        const struct ptx_operand *o = i->operands[k].kind == PTX_ADDR ? &i->operands[k].elems[0] : &i->operands[k];
        if (o->kind == PTX_VAR && o->var->space == SPACE_SHARED)
            return o->var;
    }
    return NULL;
}

/* A block that leads to itself, by way of what it dominates at most. */
static bool is_loop(const struct ir_func *f, u32 block)
{
    const struct ir_block *b = &f->blocks[block];
    for (u32 k = 0; k < b->nsucc; k++) {
        if (b->succs[k] == block)
            return true;
        const struct ir_block *next = &f->blocks[b->succs[k]];
        for (u32 n = 0; n < next->nsucc && next->idom == block && next->loop_depth == b->loop_depth; n++)
            if (next->succs[n] == block)
                return true;
    }
    return false;
}

u32 estimate_shared_place(const struct ir_func *f, u32 site)
{
    const u32 own = f->block_of_site[site];
    if (own >= f->nblocks || f->blocks[own].idom == IR_NO_BLOCK || !is_loop(f, own))
        return own;
    const u32 front = f->blocks[own].idom;
    return f->blocks[front].loop_depth < f->blocks[own].loop_depth ? front : own;
}

struct named {
    u32 block;
    const struct ptx_var *var;
};

struct addresses {
    const struct ir_func *f;
    VEC(struct named) made;
};

/* How many instructions make the address at a place; `moved`: by a move of PTX's. */
static u32 instructions_at(const struct addresses *a, u32 place, const struct ptx_var *var, bool moved)
{
    u32 n = FIRST;
    for (u32 k = 0; k < a->made.len && n; k++) {
        const struct named *other = &a->made.at[k];
        if (other->var == var && (moved ? other->block == place : block_dominates(a->f, other->block, place)))
            n = 0;
        else if (other->block == place)
            n = NEXT;
    }
    return n;
}

void estimate_shared_addresses(struct arena *mem, const struct ir_func *f, u32 cc_major, struct site_estimate *sites)
{
    struct addresses a = {.f = f};
    for (u32 s = 0; s < f->src->ninsts && cc_major >= 9; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        const struct ptx_var *var = estimate_shared_variable(i);
        if (!var || f->block_of_site[s] >= f->nblocks)
            continue;
        const bool moved = i->op == OP_MOV;
        const u32 own = f->block_of_site[s], place = estimate_shared_place(f, s),
                  n = instructions_at(&a, place, var, moved), here = place == own ? n : 0;
        if (n)
            vec_push(mem, &a.made, ((struct named){place, var}));
        sites[s].address = moved || here;
        sites[s].weight = (u8)(moved ? here : sites[s].weight + here);
    }
}
