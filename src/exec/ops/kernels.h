/* kernels.h - elementary functions of one f64 argument, as straight-line code that every level compiles to the same
 * bits: additions, multiplications, divisions and bit operations alone, no fma, no libm. They carry about 45 correct
 * bits, so that an f32 made of them is within 0.5 + 2^-20 ulp, far inside what the PTX manual allows. */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_OPS_KERNELS_H
#define LS_EXEC_OPS_KERNELS_H

#include "exec/ops/floats.h"

#define KERNEL_LN2 0x1.62e42fefa39efp-1
#define KERNEL_LOG2E 0x1.71547652b82fep+0
#define KERNEL_1_2PI 0x1.45f306dc9c883p-3
#define KERNEL_PI_2 0x1.921fb54442d18p+0

/* The nearest whole number for |x| < 2^51, by adding and taking away 1.5 * 2^52. */
LANE_FN f64 kernel_round(f64 x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* 2^x. x is split into a whole number n and a rest of at most one half, whose power is a Taylor polynomial of degree
 * 12 in rest * ln 2 (next term: 2^-52). Beyond +-1020 the result is far outside f32 and may be anything of that size. */
LANE_FN f64 kernel_exp2(f64 x)
{
    const f64 in = x > 1020 ? 1020 : x < -1020 ? -1020 : x;
    const f64 n = kernel_round(in), t = (in - n) * KERNEL_LN2;
    f64 p = 1.0 / 479001600;
    p = p * t + 1.0 / 39916800;
    p = p * t + 1.0 / 3628800;
    p = p * t + 1.0 / 362880;
    p = p * t + 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 0.5;
    p = p * t + 1;
    p = p * t + 1;
    /* The low bits of n + 1.5 * 2^52 are n. */
    const u64 k = f64_bits(n + 0x1.8p52) - f64_bits(0x1.8p52);
    return p * f64_of_bits((k + 1023) << 52);
}

/* log2 of a positive normal x: x = 2^e m with m in [sqrt 1/2, sqrt 2], and ln m = 2 artanh s = 2 (s + s^3/3 + ...),
 * s = (m - 1) / (m + 1), |s| < 0.172: terms to s^19 leave 2^-55. */
LANE_FN f64 kernel_log2(f64 x)
{
    const u64 u = f64_bits(x);
    const u64 shifted = u - 0x3fe6a09e667f3bcd; /* so that the exponent field changes at sqrt 1/2 */
    const u64 e = shifted & 0xfff0000000000000;
    const f64 m = f64_of_bits(u - e);
    /* e as a number: its field, sign-extended, by way of the low bits of 1.5 * 2^52. */
    const u64 k = (e >> 52) + ((e >> 63) ? 0xfffffffffffff000 : 0);
    const f64 n = f64_of_bits(f64_bits(0x1.8p52) + k) - 0x1.8p52;
    const f64 s = (m - 1) / (m + 1), q = s * s;
    f64 p = 2.0 / 19;
    p = p * q + 2.0 / 17;
    p = p * q + 2.0 / 15;
    p = p * q + 2.0 / 13;
    p = p * q + 2.0 / 11;
    p = p * q + 2.0 / 9;
    p = p * q + 2.0 / 7;
    p = p * q + 2.0 / 5;
    p = p * q + 2.0 / 3;
    p = p * q + 2;
    return n + s * p * KERNEL_LOG2E;
}

/* sin(x + quarters * pi / 2) for |x| < 2^30 pi, less exact beyond (the hardware's own reduction loses there too): x in
 * turns, its nearest quarter turn, and a Taylor polynomial in the rest, |r| <= pi / 4. Never above 1. */
LANE_FN f64 kernel_sin(f64 x, u64 quarters)
{
    const f64 y = x * KERNEL_1_2PI, ay = y < 0 ? -y : y;
    const f64 turns = ay < 0x1p50 ? y - kernel_round(y) : 0.0;
    const f64 n = kernel_round(turns * 4), r = (turns * 4 - n) * KERNEL_PI_2, q = r * r;
    const u64 k = f64_bits(n + 0x1.8p52) + quarters;
    f64 s = 1.0 / 6227020800;
    s = s * q - 1.0 / 39916800;
    s = s * q + 1.0 / 362880;
    s = s * q - 1.0 / 5040;
    s = s * q + 1.0 / 120;
    s = s * q - 1.0 / 6;
    s = r + r * q * s;
    f64 c = -1.0 / 87178291200;
    c = c * q + 1.0 / 479001600;
    c = c * q - 1.0 / 3628800;
    c = c * q + 1.0 / 40320;
    c = c * q - 1.0 / 720;
    c = c * q + 1.0 / 24;
    c = c * q - 0.5;
    c = 1 + c * q;
    const f64 v = k & 1 ? c : s;
    return k & 2 ? -v : v;
}

/* tanh x = (1 - z) / (1 + z), z = e^(-2 |x|); x itself where x^3 / 3 no longer matters to an f32. */
LANE_FN f64 kernel_tanh(f64 x)
{
    const f64 ax = x < 0 ? -x : x;
    const f64 z = kernel_exp2(ax * (-2 * KERNEL_LOG2E));
    const f64 r = (1 - z) / (1 + z);
    return ax < 0x1p-14 ? x : x < 0 ? -r : r;
}

/* The functions on f32, with what the PTX manual's tables say of special values. NaN and domain errors: NaN. */
LANE_FN f32 ex2_f32(f32 x) { return x == x ? (f32)kernel_exp2((f64)x) : f32_of_bits(F32_NAN); }
LANE_FN f32 lg2_f32(f32 x)
{
    const f32 r = (f32)kernel_log2(x > 0 ? (f64)x : 1.0);
    const f32 edge = x == 0 ? -__builtin_inff() : x > 0 ? x : f32_of_bits(F32_NAN);
    return x > 0 && x < __builtin_inff() ? r : edge;
}
LANE_FN f32 sin_f32(f32 x)
{
    const bool finite = (f32_bits(x) & 0x7f800000) != 0x7f800000;
    const f32 r = (f32)kernel_sin(finite ? (f64)x : 0, 0);
    return !finite ? f32_of_bits(F32_NAN) : x == 0 ? x : r;
}
LANE_FN f32 cos_f32(f32 x)
{
    const bool finite = (f32_bits(x) & 0x7f800000) != 0x7f800000;
    return finite ? (f32)kernel_sin((f64)x, 1) : f32_of_bits(F32_NAN);
}
LANE_FN f32 tanh_f32(f32 x) { return x == x ? (f32)kernel_tanh((f64)x) : f32_of_bits(F32_NAN); }
LANE_FN f32 rsqrt_f32(f32 x) { return canon_f32((f32)(1.0 / __builtin_sqrt((f64)x))); }

#endif
