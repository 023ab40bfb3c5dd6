/* expand.h - PTX instructions for which ptxas makes a sequence of machine instructions: which, and what needs what in it. */
#ifndef LS_METER_SASS_EXPAND_H
#define LS_METER_SASS_EXPAND_H

#include "ptx/ptx.h"

/* The sequence, a letter a machine instruction; "" if none is left. NULL: another rule says what becomes of i.
 *
 * An instruction needs the one before it, the first one the operands. What is in brackets is a way of its own, which begins with
 * the operands, or in square brackets with what the instruction in front has given; behind it goes on what was before. The
 * letters are those of build_unit (meter/code/estimate/node_units.c). */
const char *expand_inst(const struct ptx_inst *i, u32 cc_major);
/* A division or root has branches round the call of its slow path. */
bool expand_has_slow_path(const struct ptx_inst *i);

/* Of a division of 32 bits by a register what is left of it where the divisor's reciprocal has been made; else NULL. */
const char *expand_division(const struct ptx_inst *i);
/* Machine instructions that make the reciprocal: the first ones of a division's sequence. */
enum { EXPAND_RECIPROCAL = 8 };

/* How many machine instructions a sequence has. */
u32 expand_length(const char *sequence);

#endif
