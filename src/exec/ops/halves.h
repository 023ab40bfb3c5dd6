/* halves.h - f16 and bf16 values. A half is a bit pattern; it widens to f32 exactly, and results round once: whatever
 * is to become a half is first brought to f32 without losing what rounding needs to know ("rounded to odd": truncated,
 * and the last bit set when something was lost), then rounded by integer arithmetic, which every level vectorises.
 *
 * NaN results are 0x7fff, but for those that cvt makes of f64. */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_OPS_HALVES_H
#define LS_EXEC_OPS_HALVES_H

#include "exec/ops/floats.h"

enum rounding { RN, RZ, RM, RP, RNA /* ties away */ };

#define HALF_NAN 0x7fffu
enum { HALF_OUTSIDE = 0x7ff7 }; /* each 16 bits of what TMA fills in for elements outside of a tensor (FILL_NAN) */

LANE_FN bool rounds_up(u32 keep, u32 rest, u32 half, u32 sign, enum rounding how)
{
    switch (how) {
    case RN:
        return rest > half || (rest == half && (keep & 1));
    case RNA:
        return rest >= half;
    case RM:
        return sign && rest;
    case RP:
        return !sign && rest;
    case RZ:
        break;
    }
    return false;
}

/* What a finite value beyond the largest becomes: infinity (+1 of it: the next pattern), or the largest. */
LANE_FN bool overflows_to_inf(u32 sign, enum rounding how)
{
    return how == RN || how == RNA || (how == RM ? sign != 0 : how == RP ? sign == 0 : false);
}

/* To nearest, in few operations: normal results round by an addition that carries into the exponent, subnormal ones by
 * adding 0.5, whose last bit is worth 2^-24, in the processor's default rounding mode. */
LANE_FN u32 f16_nearest_f32(f32 x)
{
    const u32 u = f32_bits(x), abs = u & 0x7fffffff, sign = u >> 16 & 0x8000;
    const u32 normal = (abs - 0x38000000 + 0xfff + (abs >> 13 & 1)) >> 13;
    const u32 tiny = f32_bits(f32_of_bits(abs) + 0.5f) - 0x3f000000;
    const u32 finite = abs < 0x38800000 ? tiny : abs < 0x47800000 ? normal : 0x7c00;
    return abs > 0x7f800000 ? HALF_NAN : sign | finite;
}

LANE_FN u32 f16_of_f32(f32 x, enum rounding how)
{
    if (how == RN)
        return f16_nearest_f32(x);
    const u32 u = f32_bits(x), abs = u & 0x7fffffff, sign = u >> 16 & 0x8000, e = abs >> 23;
    /* Subnormal halves count units of 2^-24: the significand is shifted by 126 - e. */
    const bool normal = abs >= 0x38800000;
    const u32 far = e < 95 ? 31 : 126 - e;
    const u32 shift = normal ? 13 : far & 31;
    const u32 value = normal ? abs - 0x38000000 : e ? (abs & 0x7fffff) | 0x800000 : abs;
    const u32 keep = value >> shift, rest = value & ((1u << shift) - 1), half = 1u << (shift - 1);
    const u32 r = keep + (rounds_up(keep, rest, half, sign, how) ? 1 : 0);
    const u32 top = overflows_to_inf(sign, how) ? 0x7c00 : 0x7bff;
    const u32 finite = sign | (r > 0x7bff ? top : r);
    return abs > 0x7f800000 ? HALF_NAN : abs == 0x7f800000 ? sign | 0x7c00 : finite;
}

/* The fields in their f32 places are too small by 2^112, subnormals too. */
LANE_FN f32 f32_of_f16(u32 h)
{
    const u32 sign = (h & 0x8000) << 16, abs = h & 0x7fff;
    const u32 finite = f32_bits(f32_of_bits(abs << 13) * 0x1p112f), special = abs << 13 | 0x7f800000;
    return f32_of_bits(sign | (abs >= 0x7c00 ? special : finite));
}

LANE_FN u32 bf16_of_f32(f32 x, enum rounding how)
{
    const u32 u = f32_bits(x), abs = u & 0x7fffffff, sign = u >> 16 & 0x8000;
    const u32 keep = abs >> 16, rest = abs & 0xffff;
    const u32 r = keep + (rounds_up(keep, rest, 0x8000, sign, how) ? 1 : 0);
    return abs > 0x7f800000 ? HALF_NAN : sign | (abs == 0x7f800000 ? keep : r);
}
LANE_FN f32 f32_of_bf16(u32 h) { return f32_of_bits(h << 16); }

/* x rounded to odd. */
LANE_FN f32 f32_odd_of_f64(f64 x)
{
    const f32 r = (f32)x;
    const f64 back = (f64)r;
    const u32 u = f32_bits(r);
    const f64 ax = x < 0 ? -x : x, ab = back < 0 ? -back : back;
    const u32 odd = (u - (ab > ax ? 1 : 0)) | 1;
    return f32_of_bits(back == x || x != x ? u : odd);
}
/* The sign of a NaN f64 and the top `bits` of its fraction, quieted: what cvt gives (measured on an H200). */
LANE_FN u32 half_nan_of_f64(f64 x, u32 bits)
{
    const u64 u = f64_bits(x);
    return (u32)(u >> 48 & 0x8000) | 0x7fffu >> bits << bits | 1u << (bits - 1) | (u32)(u >> (52 - bits) & ((1u << bits) - 1));
}
LANE_FN u32 f16_of_f64(f64 x, enum rounding how)
{
    return x == x ? f16_of_f32(f32_odd_of_f64(x), how) : half_nan_of_f64(x, 10);
}
LANE_FN u32 bf16_of_f64(f64 x, enum rounding how)
{
    return x == x ? bf16_of_f32(f32_odd_of_f64(x), how) : half_nan_of_f64(x, 7);
}

/* a * b + c rounded to odd: the product of two halves is exact in f64, the sum's error by Knuth's TwoSum. */
LANE_FN f64 f64_odd_fma(f32 a, f32 b, f32 c)
{
    const f64 p = (f64)a * (f64)b, q = (f64)c, s = p + q;
    const f64 t = s - p, err = (p - (s - t)) + (q - t);
    const u64 u = f64_bits(s);
    const u64 step = (err > 0) == (s > 0) ? 1 : ~(u64)0;
    const bool exact = err == 0 || err != err || (u & 1);
    return f64_of_bits(exact ? u : u + step);
}

/* The same for f16 in f32: products have 22 bits and lie far inside f32's range. */
LANE_FN f32 f32_odd_fma(f32 a, f32 b, f32 c)
{
    const f32 p = a * b, s = p + c;
    const f32 t = s - p, err = (p - (s - t)) + (c - t);
    const u32 u = f32_bits(s);
    const u32 step = (err > 0) == (s > 0) ? 1 : ~0u;
    const bool exact = err == 0 || err != err || (u & 1);
    return f32_of_bits(exact ? u : u + step);
}

/* A 64-bit integer as an f64 that rounds like it: what lies below 53 bits is made sticky. */
LANE_FN f64 f64_odd_of_u64(u64 x)
{
    const u64 low = x & 0x7ff;
    const u64 sticky = (x - low) | (low ? 0x800 : 0);
    return (f64)(x >> 53 ? sticky : x);
}
LANE_FN f64 f64_odd_of_s64(s64 x)
{
    const f64 m = f64_odd_of_u64(x < 0 ? 0 - (u64)x : (u64)x);
    return x < 0 ? -m : m;
}

/* Modifiers on patterns: .ftz (f16 alone), .sat (f16 alone), .relu. */
LANE_FN u32 f16_flush(u32 h) { return (h & 0x7c00) == 0 ? h & 0x8000 : h; }
LANE_FN u32 f16_sat(u32 h) { return (h & 0x8000) || (h & 0x7fff) > 0x7c00 ? 0 : h > 0x3c00 ? 0x3c00 : h; }
LANE_FN u32 bf16_sat(u32 h) { return (h & 0x8000) || (h & 0x7fff) > 0x7f80 ? 0 : h > 0x3f80 ? 0x3f80 : h; }
LANE_FN u32 f16_nan(u32 h) { return (h & 0x7fff) > 0x7c00; }
LANE_FN u32 bf16_nan(u32 h) { return (h & 0x7fff) > 0x7f80; }
LANE_FN u32 f16_relu(u32 h) { return f16_nan(h) ? HALF_NAN : h & 0x8000 ? 0 : h; }
LANE_FN u32 bf16_relu(u32 h) { return bf16_nan(h) ? HALF_NAN : h & 0x8000 ? 0 : h; }
LANE_FN u32 f16_canon(u32 h) { return f16_nan(h) ? HALF_NAN : h; }
LANE_FN u32 bf16_canon(u32 h) { return bf16_nan(h) ? HALF_NAN : h; }
LANE_FN u32 half_same(u32 h) { return h; }


/* Two halves in a word, the low one first. */
#define PAIR(lo, hi) (((lo) & 0xffff) | (hi) << 16)
#define LO(x) ((x) & 0xffff)
#define HI(x) ((x) >> 16)

/* One and two at a time: name_H and name_Hx2, from fn(a), fn(a, b), fn(a, b, c) on patterns. */
#define HALF1(name, H, fn)                                                                                             \
    MAP1(name##_##H, H, H, fn(a))                                                                                      \
    MAP1(name##_##H##x2, b32, b32, PAIR(fn(LO(a)), fn(HI(a))))
#define HALF2(name, H, fn)                                                                                             \
    MAP2(name##_##H, H, H, H, fn(a, b))                                                                                \
    MAP2(name##_##H##x2, b32, b32, b32, PAIR(fn(LO(a), LO(b)), fn(HI(a), HI(b))))
#define HALF3(name, H, fn)                                                                                             \
    MAP3(name##_##H, H, H, H, H, fn(a, b, c))                                                                          \
    MAP3(name##_##H##x2, b32, b32, b32, b32, PAIR(fn(LO(a), LO(b), LO(c)), fn(HI(a), HI(b), HI(c))))

#endif
