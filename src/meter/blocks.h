/* blocks.h - what the rules ask about the blocks of a function. */
#ifndef LS_METER_BLOCKS_H
#define LS_METER_BLOCKS_H

#include "ir/ir.h"

/* All ways to b lead through a; b itself does. */
static inline bool block_dominates(const struct ir_func *f, u32 a, u32 b)
{
    while (b != a && b != IR_NO_BLOCK)
        b = f->blocks[b].idom;
    return a == b;
}

/* It is a loop of one block. */
static inline bool block_follows_itself(const struct ir_func *f, u32 block)
{
    for (u32 k = 0; k < f->blocks[block].nsucc; k++)
        if (f->blocks[block].succs[k] == block)
            return true;
    return false;
}

#endif
