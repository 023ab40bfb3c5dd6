/* fake.h - a function of bare instructions, enough for the counters: each instruction is a block of its own. */
#ifndef LS_TESTS_METER_FAKE_H
#define LS_TESTS_METER_FAKE_H

#include "ir/ir.h"

enum { FAKE_MAX = 64 };

struct fake {
    struct ptx_func src;
    struct ptx_inst insts[FAKE_MAX];
    struct ptx_operand operands[FAKE_MAX][2];
    struct ir_func func;
    struct ir_block blocks[FAKE_MAX];
    u32 block_of_site[FAKE_MAX];
};

/* n instructions, to be set up by the caller: op MOV of an immediate until then. */
static inline void fake_init(struct fake *f, u32 n)
{
    *f = (struct fake){0};
    for (u32 i = 0; i < n; i++) {
        f->insts[i].op = OP_MOV;
        f->insts[i].types[0] = PTX_U32;
        f->insts[i].ntypes = 1;
        f->insts[i].line = 10 + i;
        f->operands[i][0].kind = PTX_SINK;
        f->operands[i][1].kind = PTX_IMM;
        f->insts[i].operands = f->operands[i];
        f->insts[i].noperands = 2;
        f->blocks[i].first = i;
        f->blocks[i].end = i + 1;
        f->blocks[i].nsucc = 0;
        f->blocks[i].idom = f->blocks[i].ipdom = IR_NO_BLOCK;
        f->block_of_site[i] = i;
    }
    f->src.name = f->func.name = "fake";
    f->src.is_entry = true;
    f->src.insts = f->insts;
    f->src.ninsts = n;
    f->func.src = &f->src;
    f->func.blocks = f->blocks;
    f->func.nblocks = n;
    f->func.block_of_site = f->block_of_site;
}

#endif
