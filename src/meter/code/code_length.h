/* code_length.h - how long the machine code of a function is expected to be. */
#ifndef LS_METER_CODE_CODE_LENGTH_H
#define LS_METER_CODE_CODE_LENGTH_H

#include "ir/ir.h"
#include "meter/rules.h"

/* Machine instructions, each 16 bytes: with the copies of unrolled loops, the slow paths of divisions and roots, and the NOPs behind all.
 * sites: of each instruction of f. */
u32 code_length(const struct ir_func *f, const struct site_estimate *sites);

#endif
