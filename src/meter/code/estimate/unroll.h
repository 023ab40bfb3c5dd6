/* unroll.h - which loops ptxas is expected to unroll. */
#ifndef LS_METER_CODE_ESTIMATE_UNROLL_H
#define LS_METER_CODE_ESTIMATE_UNROLL_H

#include "ir/ir.h"

/* How many turns of the loop that block b is become one block of machine code; 1: it is no such loop. */
u32 unroll_factor(const struct ir_func *f, u32 block);

/* The same of a loop of several blocks that become one of machine code, as some are bodies that are predicated: from its first block to its last one,
 * which follow each other in the text. */
u32 unroll_bodies(const struct ir_func *f, u32 head, u32 tail);

/* The same; whether these are all of its turns. */
u32 unroll_turns(const struct ir_func *f, u32 block, bool *wholly);

/* Whether that loop is unrolled wholly, and the register counts in it from a constant or from where a variable is: then it is known in each of
 * the turns. */
bool unroll_knows(const struct ir_func *f, u32 block, const struct ptx_var *reg);

#endif
