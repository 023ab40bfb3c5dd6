/* floats.h - what float bodies share: flushing, saturation, NaNs.
 *
 * f32 results that are NaN are 0x7fffffff, as the hardware makes them. f64 results that are NaN, as measured on an H200:
 * one of the operands', quieted, its sign untouched (by a subtraction, neg and abs too): of a sum or product the second
 * operand's before the first's, of fma(a, b, c) b's, then c's, then a's, of a quotient the first's.
 * 0xfff8000000000000 (the toolkit's CUDART_NAN) when an operation makes one. */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_OPS_FLOATS_H
#define LS_EXEC_OPS_FLOATS_H

#include "exec/lanes.h"

#define F32_NAN 0x7fffffffu
#define F64_NAN 0xfff8000000000000u
#define F64_QUIET 0x0008000000000000u

/* .ftz: a subnormal becomes zero of its sign. */
LANE_FN f32 flush_f32(f32 x)
{
    const u32 u = f32_bits(x);
    return f32_of_bits((u & 0x7f800000) == 0 ? u & 0x80000000 : u);
}
LANE_FN f32 canon_f32(f32 x) { return x == x ? x : f32_of_bits(F32_NAN); }
/* .sat: to [+0, 1]; NaN is +0. */
LANE_FN f32 sat_f32(f32 x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

/* r is what the processor made of a, b, c. x86 makes F64_NAN itself and hands on a lone operand's payload; only which
 * operand goes first is left to the compiler there. */
LANE_FN f64 made_f64(f64 r)
{
#if defined(__x86_64__)
    return r;
#else
    return r == r ? r : f64_of_bits(F64_NAN);
#endif
}
LANE_FN f64 quiet_f64(f64 x, f64 r) { return x == x ? r : f64_of_bits(f64_bits(x) | F64_QUIET); }
LANE_FN f64 nan1_f64(f64 r, f64 a) { return quiet_f64(a, made_f64(r)); }
LANE_FN f64 nan2_f64(f64 r, f64 a, f64 b) { return quiet_f64(a, quiet_f64(b, made_f64(r))); }
LANE_FN f64 nan3_f64(f64 r, f64 a, f64 b, f64 c) { return quiet_f64(a, quiet_f64(b, quiet_f64(c, made_f64(r)))); }

/* .ftz results. The H200 decides by the value rounded to 24 bits as if exponents had no end: what is less than 2^-126
 * then is zero, even where the rounding of subnormals would reach 2^-126 (0x3f7fffff * 0x00800000). So the operation is
 * done once more on scaled operands, which makes all results near there normal numbers. Operands that overflow by the
 * scaling have no such results: a product or quotient that small needs the other one to be outside f32, a sum that
 * cancels leaves no less than the last bit of its operands. */
LANE_FN f32 ftz_f32(f32 r, f32 scaled, f32 least)
{
    const u32 u = f32_bits(scaled);
    return (u & 0x7fffffff) < f32_bits(least) ? f32_of_bits(u & 0x80000000) : r;
}

LANE_FN f32 f32_add(f32 a, f32 b) { return a + b; }
LANE_FN f32 f32_sub(f32 a, f32 b) { return a - b; }
LANE_FN f32 f32_mul(f32 a, f32 b) { return a * b; }
LANE_FN f32 f32_div(f32 a, f32 b) { return a / b; }
LANE_FN f32 f32_rcp(f32 a) { return 1.0f / a; }
LANE_FN f32 f32_sqrt(f32 a) { return __builtin_sqrtf(a); }
LANE_FN f32 f32_fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
/* Operands are flushed already. Sums so small are exact. */
LANE_FN f32 f32_add_ftz(f32 a, f32 b) { return flush_f32(a + b); }
LANE_FN f32 f32_sub_ftz(f32 a, f32 b) { return flush_f32(a - b); }
LANE_FN f32 f32_mul_ftz(f32 a, f32 b) { return ftz_f32(a * b, (a * 0x1p12f) * (b * 0x1p12f), 0x1p-102f); }
LANE_FN f32 f32_div_ftz(f32 a, f32 b) { return ftz_f32(a / b, (a * 0x1p24f) / b, 0x1p-102f); }
LANE_FN f32 f32_rcp_ftz(f32 a) { return ftz_f32(1.0f / a, 0x1p24f / a, 0x1p-102f); }
LANE_FN f32 f32_sqrt_ftz(f32 a) { return __builtin_sqrtf(a); }
LANE_FN f32 f32_fma_ftz(f32 a, f32 b, f32 c)
{
    const f32 r = f32_fma(a, b, c);
#if !defined(__FMA__)
    /* A call for each lane: the second one only where it can matter. */
    if ((f32_bits(r) & 0x7fffffff) > 0x00800000)
        return r;
#endif
    return ftz_f32(r, f32_fma(a * 0x1p12f, b * 0x1p12f, c * 0x1p24f), 0x1p-102f);
}
LANE_FN f64 f64_add(f64 a, f64 b) { return a + b; }
LANE_FN f64 f64_sub(f64 a, f64 b) { return a - b; }
LANE_FN f64 f64_mul(f64 a, f64 b) { return a * b; }
LANE_FN f64 f64_div(f64 a, f64 b) { return a / b; }
LANE_FN f64 f64_rcp(f64 a) { return 1.0 / a; }
LANE_FN f64 f64_sqrt(f64 a) { return __builtin_sqrt(a); }
LANE_FN f64 f64_fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

/* expr of x, y (and z), the halves of a, b (and c) taken as pairs of f32. */
#define F32_AT(v, n) f32_of_bits((u32)((v) >> (n)))
#define EACH_F32_(n, expr)                                                                                             \
    ({                                                                                                                 \
        const f32 x = F32_AT(a, n), y = F32_AT(b, n);                                                                  \
        (u64)f32_bits(expr) << (n);                                                                                    \
    })
#define EACH3_F32_(n, expr)                                                                                            \
    ({                                                                                                                 \
        const f32 x = F32_AT(a, n), y = F32_AT(b, n), z = F32_AT(c, n);                                                \
        (u64)f32_bits(expr) << (n);                                                                                    \
    })
#define EACH_F32(expr) (EACH_F32_(0, expr) | EACH_F32_(32, expr))
#define EACH3_F32(expr) (EACH3_F32_(0, expr) | EACH3_F32_(32, expr))

#endif
