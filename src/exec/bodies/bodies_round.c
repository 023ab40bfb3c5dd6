/* bodies_round.c - f32 and f64 arithmetic and conversions in the directed rounding modes .rz .rm .rp.
 *
 * The lane loop runs with the processor's rounding mode changed. This file alone is compiled with -frounding-math, so
 * that nothing is folded at build time; the mode is set and restored by statements that clobber memory, and the loop's
 * loads and stores keep its arithmetic between them. */
#include <fenv.h>

#include "exec/lanes.h"

#include "exec/ops/halves.h"

/* MXCSR's rounding field, which f32 and f64 arithmetic on x86-64 uses alone. */
enum { ROUND_M = 1, ROUND_P = 2, ROUND_Z = 3 };

static inline u32 rounding_begin(u32 mode)
{
#if defined(__x86_64__)
    u32 old, with;
    __asm__ volatile("stmxcsr %0" : "=m"(old)::"memory");
    with = (old & ~0x6000u) | mode << 13;
    __asm__ volatile("ldmxcsr %0" ::"m"(with) : "memory");
    return old;
#else
    const int old = fegetround();
    fesetround(mode == ROUND_M ? FE_DOWNWARD : mode == ROUND_P ? FE_UPWARD : FE_TOWARDZERO);
    return (u32)old;
#endif
}

static inline void rounding_end(u32 old)
{
#if defined(__x86_64__)
    __asm__ volatile("ldmxcsr %0" ::"m"(old) : "memory");
#else
    __asm__ volatile("" ::: "memory");
    fesetround((int)old);
#endif
}

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
