/* lives.c - what ptxas keeps in a lane's registers (lives.h). */
#include "meter/code/lives.h"

#include "ir/pass.h"

/* ---- widths ---- */

/* The upper half of what is made 64 bits long is made again where it is needed. */
static bool is_lengthened(const struct ptx_inst *i)
{
    return i->op == OP_CVT && i->ntypes == 2 && ptx_type_bits((enum ptx_type)i->types[0]) == 64 &&
           ptx_type_bits((enum ptx_type)i->types[1]) <= 32 && !ptx_type_float((enum ptx_type)i->types[0]) &&
           !ptx_type_float((enum ptx_type)i->types[1]);
}

static u8 *find_widths(struct arena *mem, const struct ir_func *f, const bool *varying)
{
    u8 *width = arena_array(mem, u8, f->src->nregs + 1);
    for (u32 r = 0; r < f->src->nregs; r++) {
        const enum ptx_type t = f->src->regs[r]->type;
        const u32 bits = ptx_type_bits(t);
        width[r] = t == PTX_PRED || !varying[r] ? 0 : bits <= 32 ? 1 : (u8)(bits / 32);
    }
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (is_lengthened(i) && i->operands[0].kind == PTX_REG && width[i->operands[0].var->index])
            width[i->operands[0].var->index] = 1;
    }
    return width;
}

/* ---- parts of addresses ---- */

/* A sum with a constant that has become a part of accesses (fuse.c) has no register: what it is made of is kept instead. */
static bool is_place(const struct ptx_inst *i, const struct site_estimate *e)
{
    return (i->op == OP_ADD || i->op == OP_SUB) && !e->weight && i->noperands == 3 && i->operands[0].kind == PTX_REG &&
           i->operands[1].kind == PTX_REG && i->operands[2].kind == PTX_IMM;
}

static void keep_bases(struct lives *l, const struct ir_func *f, const struct estimate *e)
{
    for (u32 s = f->src->ninsts; s-- > 0;) { /* of a sum's sum the last one first */
        const struct ptx_inst *i = &f->src->insts[s];
        if (!is_place(i, &e->sites[s]))
            continue;
        const u32 to = i->operands[0].var->index, from = i->operands[1].var->index;
        l->width[to] = 0;
        for (u32 b = 0; b < f->nblocks; b++) {
            u64 *in = l->in + (size_t)b * l->words;
            if (lives_has(in, to))
                in[from / 64] |= (u64)1 << from % 64;
        }
    }
}

struct lives *lives_make(struct arena *mem, const struct ir_func *f, const struct estimate *e)
{
    struct lives *l = arena_new(mem, struct lives);
    const struct ir_liveness sets = ir_find_liveness(mem, f->src, f->blocks, f->nblocks);
    l->words = sets.words;
    l->in = sets.in;
    l->varying = lives_find_varying(mem, f);
    l->width = find_widths(mem, f, l->varying);
    l->predicate = arena_array(mem, bool, f->src->nregs + 1);
    for (u32 r = 0; r < f->src->nregs; r++)
        l->predicate[r] = f->src->regs[r]->type == PTX_PRED;
    l->place = arena_array(mem, u32, f->src->nregs + 1);
    keep_bases(l, f, e);
    return l;
}
