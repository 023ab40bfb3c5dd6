/* code_length.c - see code_length.h. What ptxas 13.0 makes for sm_90 of kernels with one such operation and with two. */
#include "meter/code/code_length.h"

#include "meter/code/estimate/unroll.h"

/* A slow path, or all of a division of integers, that is called: it is in the code once, whoever calls it. */
struct slow {
    u16 op;  /* enum ptx_op */
    u8 type; /* the first one of the instruction */
    u8 insts;
};

static const struct slow slow_paths[] = {
    {OP_DIV, PTX_F32, 105}, {OP_RCP, PTX_F32, 58},  {OP_SQRT, PTX_F32, 26},  {OP_DIV, PTX_F64, 90},
    {OP_RCP, PTX_F64, 45},  {OP_SQRT, PTX_F64, 45}, {OP_RSQRT, PTX_F64, 35}, {OP_DIV, PTX_S64, 42},
    {OP_DIV, PTX_U64, 26},  {OP_REM, PTX_S64, 34},  {OP_REM, PTX_U64, 26},
};

/* Approximate operations have none. */
static bool has_slow_path(const struct ptx_inst *i, const struct slow *s)
{
    return i->op == s->op && i->ntypes && i->types[0] == s->type && !ptx_has(i, MOD_APPROX) && !ptx_has(i, MOD_FULL);
}

static u32 slow_length(const struct ir_func *f)
{
    u32 insts = 0;
    for (u32 k = 0; k < LS_ARRAY_LEN(slow_paths); k++) {
        bool any = false;
        for (u32 s = 0; s < f->src->ninsts && !any; s++)
            any = has_slow_path(&f->src->insts[s], &slow_paths[k]);
        insts += any ? slow_paths[k].insts : 0;
    }
    return insts;
}

/* In the copies of a turn counters and addresses are constants off, and nobody asks whether it was the last. */
static bool is_in_copies(const struct ptx_inst *i)
{
    const bool sum = (i->op == OP_ADD || i->op == OP_SUB) && i->noperands == 3 && i->operands[0].kind == PTX_REG &&
                     i->operands[1].kind == PTX_REG && i->operands[0].var == i->operands[1].var &&
                     i->operands[2].kind == PTX_IMM;
    return !sum && i->op != OP_SETP && i->op != OP_BRA;
}

/* One that is unrolled wholly has its turns alone. Another has four turns, two and one, each with a question in front. */
static u32 block_length(const struct ir_func *f, u32 block, const struct site_estimate *sites)
{
    enum { QUESTION = 5 };
    const struct ir_block *b = &f->blocks[block];
    bool wholly;
    const u32 turns = unroll_turns(f, block, &wholly);
    u32 once = 0, copy = 0;
    for (u32 s = b->first; s < b->end; s++) {
        once += sites[s].weight;
        copy += is_in_copies(&f->src->insts[s]) ? sites[s].weight : 0;
    }
    if (turns == 1)
        return once;
    return wholly ? turns * copy : 3 * (once + QUESTION) + (turns + turns / 2 - 2) * copy;
}

u32 code_length(const struct ir_func *f, const struct site_estimate *sites)
{
    enum { NOPS = 8 }; /* at least, and until the length is a multiple of that */
    u32 insts = slow_length(f);
    for (u32 k = 0; k < f->nblocks; k++)
        insts += f->blocks[k].first < f->blocks[k].end ? block_length(f, k, sites) : 0;
    return (insts + 2 * NOPS - 1) / NOPS * NOPS;
}
