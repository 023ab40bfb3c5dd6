/* diff_common.h - the vocabulary of the random kernels that means the same to both compilers: operations with one value
 * for every operand. FN, and what begins with BITWISE_, comes from the including header. */
#ifndef DIFF_COMMON_H
#define DIFF_COMMON_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef u32 quad __attribute__((vector_size(16)));
typedef u64 pair __attribute__((vector_size(16)));

#define LEAVE break
#define FALLTHROUGH __attribute__((fallthrough))

FN u32 shl(u32 a, u32 b) { return a << (b & 31); }
FN u32 shr(u32 a, u32 b) { return a >> (b & 31); }
FN u32 sar(u32 a, u32 b) { return (u32)((s32)a >> (b & 31)); }
FN u64 shl64(u64 a, u32 b) { return a << (b & 63); }
FN u64 shr64(u64 a, u32 b) { return a >> (b & 63); }
FN u64 sar64(u64 a, u32 b) { return (u64)((s64)a >> (b & 63)); }
FN u32 rotl(u32 a, u32 b) { return a << (b & 31) | a >> (-b & 31); }
FN u32 fshl(u32 a, u32 b, u32 c) { return (u32)((((u64)a << 32 | b) << (c & 31)) >> 32); }
FN u32 umin(u32 a, u32 b) { return a < b ? a : b; }
FN u32 umax(u32 a, u32 b) { return a > b ? a : b; }
FN u32 smin(u32 a, u32 b) { return (s32)a < (s32)b ? a : b; }
FN u32 smax(u32 a, u32 b) { return (s32)a > (s32)b ? a : b; }
FN u64 smin64(u64 a, u64 b) { return (s64)a < (s64)b ? a : b; }
FN u64 umax64(u64 a, u64 b) { return a > b ? a : b; }
FN u32 mulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
FN u32 smulhi(u32 a, u32 b) { return (u32)((s64)(s32)a * (s32)b >> 32); }
FN u32 mul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
FN u32 avg(u32 a, u32 b) { return (a & b) + ((a ^ b) >> 1); }
FN u64 mulhi64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
FN u32 udiv(u32 a, u32 b) { return a / (b | 1); }
FN u32 urem(u32 a, u32 b) { return a % (b | 1); }
FN u32 sdiv(u32 a, u32 b) { return (u32)((s32)a / (s32)((b & 0x7fff) | 1)); }
FN u32 srem(u32 a, u32 b) { return (u32)((s32)a % (s32)((b & 0x7fffffff) | 1)); }
FN u64 udiv64(u64 a, u64 b) { return a / (b | 1); }
FN u64 srem64(u64 a, u64 b) { return (u64)((s64)a % (s64)((b & 0x7fffffffffff) | 1)); }
FN u32 bits(u32 a, u32 b) { return a >> (b & 31) & ((2u << (b >> 5 & 31)) - 1); }
FN u32 sbits(u32 a, u32 b) { return (u32)((s32)(a << (b & 15)) >> (b >> 4 & 31)); }
FN u32 abs32(u32 a) { return (s32)a < 0 ? -a : a; }
FN u32 popc(u32 a) { return (u32)__builtin_popcount(a); }
FN u32 clz(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
FN u32 ffs32(u32 a) { return a ? (u32)__builtin_ctz(a) + 1 : 0; }

/* Bit patterns: every NaN is one. */
FN u32 f32_bits(float x)
{
    u32 u;
    __builtin_memcpy(&u, &x, 4);
    return x != x ? 0x7fffffff : u;
}
FN u64 f64_bits(double x)
{
    u64 u;
    __builtin_memcpy(&u, &x, 8);
    return x != x ? 0x7fffffffffffffff : u;
}
FN float f32_of_bits(u32 u)
{
    float x;
    __builtin_memcpy(&x, &u, 4);
    return x;
}
/* C leaves a conversion out of range open. */
FN u32 f32_to_s32(float x) { return x > -2147483000.0f && x < 2147483000.0f ? (u32)(s32)x : 77; }
FN u32 f64_to_s32(double x) { return x > -2147483648.0 && x < 2147483647.0 ? (u32)(s32)x : 77; }
FN float f32_less(float a, float b) { return a < b ? a : b; }
FN float f32_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FN double f64_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FN float f32_sqrt(float x) { return __builtin_sqrtf(x); }
FN double f64_sqrt(double x) { return __builtin_sqrt(x); }
FN u32 f16_bits(float x)
{
    _Float16 h = (_Float16)x;
    u16 u;
    __builtin_memcpy(&u, &h, 2);
    return x != x ? 0x7fff : u;
}

FN u32 u8_at(const u32 *p, u32 i) { return ((const u8 *)p)[i]; }
FN u32 s8_at(const u32 *p, u32 i) { return (u32)((const s8 *)p)[i]; }
FN u32 u16_at(const u32 *p, u32 i) { return ((const u16 *)p)[i]; }
FN u32 s16_at(const u32 *p, u32 i) { return (u32)((const s16 *)p)[i]; }
FN u32 quad_at(const u32 *p, u32 i)
{
    quad q = ((const quad *)p)[i];
    return q[0] + 3 * q[1] ^ q[2] - q[3];
}
FN u32 pair_at(const u32 *p, u32 i)
{
    pair q = ((const pair *)p)[i];
    return (u32)(q[0] ^ q[1] >> 32);
}

#endif
