/* small_float.h - floats of 16 and 8 bits in integer arithmetic, on the host and wherever a device has no instruction.
 *
 * A value is sign x m x 2^e with m an integer of 64 bits, so that one rounding serves floats, doubles and integers of
 * every width: from m the bits that the format has no place for are cut off once, in the direction that is asked for.
 * A format is `exponent` bits and `mantissa` bits beneath a sign bit, as IEEE 754 lays it out; formats without
 * infinities (e4m3) are rounded here as if they had them and bounded by who calls. */
#ifndef LOCKSTEP_SMALL_FLOAT_H
#define LOCKSTEP_SMALL_FLOAT_H

#include <cuda_runtime.h>

#ifdef __CUDA_ARCH__
#define LS_DEVICE_OR_HOST(device, host) device
#else
#define LS_DEVICE_OR_HOST(device, host) host
#endif

namespace ls_small {

enum rounding { nearest, zero, down, up };

/* Whether the magnitude goes up: `rest` of `unit` is cut off a magnitude whose last bit is `odd`. */
static __inline__ __host__ __device__ constexpr bool goes_up(rounding mode, bool negative, bool odd,
                                                             unsigned long long rest, unsigned long long half)
{
    return mode == nearest ? rest > half || (rest == half && odd)
           : mode == up    ? rest && !negative
           : mode == down  ? rest && negative
                           : false;
}

/* What stands for a magnitude too large: infinity, or the largest finite number below it. */
static __inline__ __host__ __device__ constexpr unsigned too_large(rounding mode, bool negative, unsigned infinity)
{
    return mode == nearest || (mode == up && !negative) || (mode == down && negative) ? infinity : infinity - 1;
}

static __inline__ __host__ __device__ constexpr int top_bit(unsigned long long m) { return 63 - __builtin_clzll(m); }

/* The bits of sign x m x 2^e. */
static __inline__ __host__ __device__ constexpr unsigned encode(bool negative, unsigned long long m, int e,
                                                                int exponent, int mantissa, rounding mode)
{
    const unsigned sign = (negative ? 1u : 0u) << (exponent + mantissa);
    if (!m)
        return sign;
    const int bias = (1 << (exponent - 1)) - 1, lowest = 1 - bias;
    const int power = top_bit(m) + e, scale = power < lowest ? lowest : power;
    const unsigned infinity = ((1u << exponent) - 1) << mantissa;
    if (power > bias)
        return sign | too_large(mode, negative, infinity);
    const int cut = scale - mantissa - e; /* so many bits of m have no place */
    unsigned long long kept = 0, rest = m, half = ~0ull;
    if (cut <= 0) {
        kept = m << -cut;
        rest = 0;
    } else if (cut < 64) {
        kept = m >> cut;
        rest = m & ((1ull << cut) - 1);
        half = 1ull << (cut - 1);
    } else if (cut == 64) {
        half = 1ull << 63;
    }
    kept += goes_up(mode, negative, kept & 1, rest, half);
    const unsigned bits = ((unsigned)(scale - lowest) << mantissa) + (unsigned)kept;
    return sign | (bits >= infinity ? too_large(mode, negative, infinity) : bits);
}

static __inline__ __host__ __device__ unsigned encode(double a, int exponent, int mantissa, rounding mode, unsigned nan)
{
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, a);
    const bool negative = bits >> 63;
    const int power = (int)(bits >> 52 & 0x7ff);
    unsigned long long m = bits & 0xfffffffffffffull;
    if (power == 0x7ff)
        return m ? nan : ((negative ? 1u : 0u) << (exponent + mantissa)) | ((1u << exponent) - 1) << mantissa;
    if (power)
        m |= 1ull << 52;
    return encode(negative, m, (power ? power : 1) - 1075, exponent, mantissa, mode);
}

static __inline__ __host__ __device__ constexpr unsigned encode(long long a, int exponent, int mantissa, rounding mode)
{
    return encode(a < 0, a < 0 ? 0ull - (unsigned long long)a : (unsigned long long)a, 0, exponent, mantissa, mode);
}

static __inline__ __host__ __device__ constexpr unsigned encode(unsigned long long a, int exponent, int mantissa,
                                                                rounding mode)
{
    return encode(false, a, 0, exponent, mantissa, mode);
}

/* The value of the bits of an IEEE format: exact, a NaN for every NaN. */
static __inline__ __host__ __device__ float decode(unsigned bits, int exponent, int mantissa)
{
    const unsigned sign = bits >> (exponent + mantissa) & 1, power = bits >> mantissa & ((1u << exponent) - 1);
    const unsigned low = bits & ((1u << mantissa) - 1);
    unsigned f = sign << 31;
    if (power == (1u << exponent) - 1) {
        f |= low ? 0x7fffffffu : 0x7f800000u;
    } else if (power || exponent == 8) {
        f |= (power + 127 - ((1u << (exponent - 1)) - 1)) << 23 | low << (23 - mantissa);
    } else if (low) {
        const int top = top_bit(low);
        f |= (unsigned)(top + 128 - (1 << (exponent - 1)) - mantissa + 1) << 23;
        f |= (low << (23 - top)) & 0x7fffffu;
    }
    return __builtin_bit_cast(float, f);
}

/* a b + c rounded to odd: a sum that is not exact gets the neighbour whose last bit is one, so that rounding it again
 * to fewer bits gives what rounding once would. a b must be exact. */
static __inline__ __host__ __device__ double multiply_add(double a, double b, double c)
{
    const double product = a * b, sum = product + c, part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
    if (!(error < 0 || error > 0) || bits & 1)
        return sum;
    return __builtin_bit_cast(double, (error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* A float to an integer of type `to` within [least, most]; what is outside comes to the nearer end, and NaN to `nan`.
 */
template <class To>
static __inline__ __host__ __device__ To integer(double a, rounding mode, double least, double most, To at_least,
                                                 To at_most, To nan)
{
    if (a != a)
        return nan;
    const double r = mode == nearest ? __builtin_rint(a)
                     : mode == zero  ? __builtin_trunc(a)
                     : mode == down  ? __builtin_floor(a)
                                     : __builtin_ceil(a);
    return r <= least ? at_least : r >= most ? at_most : (To)r;
}

} // namespace ls_small

#endif
