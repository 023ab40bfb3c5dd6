/* bodies_round.c - f32 and f64 arithmetic and conversions in the directed rounding modes .rz .rm .rp.
 *
 * The lane loop runs with the processor's rounding mode changed. This file alone is compiled with -frounding-math, so
 * that nothing is folded at build time; the mode is set and restored by statements that clobber memory, and the loop's
 * loads and stores keep its arithmetic between them. */
#include "exec/lanes.h"

#include "exec/ops/halves.h"
#include "exec/ops/rounding.h"

#define IN_MODE(mode) const u32 mode_ = rounding_begin(mode);
#define END_MODE rounding_end(mode_);

#define RND _rz
#define M1(name, D, A, expr) MAP1_IN(name, D, A, expr, IN_MODE(ROUND_Z), END_MODE)
#define M2(name, D, A, B, expr) MAP2_IN(name, D, A, B, expr, IN_MODE(ROUND_Z), END_MODE)
#define M3(name, D, A, B, C, expr) MAP3_IN(name, D, A, B, C, expr, IN_MODE(ROUND_Z), END_MODE)
#include "exec/ops/arith.inc"
#include "exec/ops/cvt_round.inc"
#undef RND
#undef M1
#undef M2
#undef M3

#define RND _rm
#define M1(name, D, A, expr) MAP1_IN(name, D, A, expr, IN_MODE(ROUND_M), END_MODE)
#define M2(name, D, A, B, expr) MAP2_IN(name, D, A, B, expr, IN_MODE(ROUND_M), END_MODE)
#define M3(name, D, A, B, C, expr) MAP3_IN(name, D, A, B, C, expr, IN_MODE(ROUND_M), END_MODE)
#include "exec/ops/arith.inc"
#include "exec/ops/cvt_round.inc"
#undef RND
#undef M1
#undef M2
#undef M3

#define RND _rp
#define M1(name, D, A, expr) MAP1_IN(name, D, A, expr, IN_MODE(ROUND_P), END_MODE)
#define M2(name, D, A, B, expr) MAP2_IN(name, D, A, B, expr, IN_MODE(ROUND_P), END_MODE)
#define M3(name, D, A, B, C, expr) MAP3_IN(name, D, A, B, C, expr, IN_MODE(ROUND_P), END_MODE)
#include "exec/ops/arith.inc"
#include "exec/ops/cvt_round.inc"
