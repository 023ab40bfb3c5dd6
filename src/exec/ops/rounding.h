/* rounding.h - the processor's rounding mode, set for the arithmetic of one body. Both functions clobber memory, so that what
 * loads its operands and stores its results between them stays there. */
#ifndef LS_EXEC_OPS_ROUNDING_H
#define LS_EXEC_OPS_ROUNDING_H

#include <fenv.h>

#include "exec/lanes.h"

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

#endif
