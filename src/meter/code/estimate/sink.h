/* sink.h - which block ptxas is expected to load a kernel's parameters in, from compute capability 9.0 on: the one where they are
 * used first, or one before it, outside of loops. */
#ifndef LS_METER_CODE_ESTIMATE_SINK_H
#define LS_METER_CODE_ESTIMATE_SINK_H

#include "ir/ir.h"
#include "meter/rules.h"

/* By site: the block in which it stands, its own but for loads of parameters, and copies of those that take no instruction. */
u32 *sink_parameters(struct arena *mem, const struct ir_func *f, const struct estimate *e);

#endif
