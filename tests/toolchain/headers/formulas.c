/* formulas.c - see formulas.h. Floats of 16 bits are rounded here by rint() of a scaled double, and so by other means
 * than the headers'. */
#include "formulas.h"

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Notes the first result that is not `want`. */
static bool same(unsigned got, unsigned want, const char *name, unsigned i, char what[128])
{
    if (got != want)
        snprintf(what, 128, "%s of thread %u is %08x, but must be %08x", name, i, got, want);
    return got == want;
}

/* ---- floats of 16 bits ---- */

struct format {
    int exponent, mantissa;
};
static const struct format half = {5, 10}, bfloat16 = {8, 7};

static double decode(struct format f, unsigned bits)
{
    const int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
    const int power = (int)(bits >> f.mantissa) & top;
    const double low = bits & ((1u << f.mantissa) - 1);
    const double magnitude = power == top ? low != 0 ? (double)NAN : (double)INFINITY
                             : power      ? ldexp(low + (1 << f.mantissa), power - bias - f.mantissa)
                                          : ldexp(low, 1 - bias - f.mantissa);
    return bits >> 15 & 1 ? -magnitude : magnitude;
}

/* Whether a magnitude that is too large becomes infinity in this direction. */
static bool to_infinity(bool negative)
{
    const int direction = fegetround();
    return direction == FE_TONEAREST || direction == (negative ? FE_DOWNWARD : FE_UPWARD);
}

/* In the direction of the floating-point environment. */
static unsigned encode(struct format f, double v)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    int power;
    if (isnan(v))
        return 0x7fff;
    const unsigned sign = signbit(v) ? 0x8000 : 0, infinity = ((1u << f.exponent) - 1) << f.mantissa;
    if (isinf(v) || v == 0)
        return sign | (v == 0 ? 0 : infinity);
    frexp(v, &power);
    if (power - 1 < 1 - bias)
        power = 2 - bias;
    const int unit = power - 1 - f.mantissa; /* v is rounded to a multiple of 2^unit */
    const double rounded = rint(ldexp(v, -unit));
    const double most = ldexp(2 - ldexp(1, -f.mantissa), bias);
    if (fabs(ldexp(rounded, unit)) > most)
        return sign | (to_infinity(v < 0) ? infinity : infinity - 1);
    return sign | (((unsigned)(power - 2 + bias) << f.mantissa) + (unsigned)fabs(rounded));
}

static unsigned encode_in(int direction, struct format f, double v)
{
    fesetround(direction);
    const unsigned r = encode(f, v);
    fesetround(FE_TONEAREST);
    return r;
}

static bool arithmetic(struct format f, const unsigned *out, const unsigned *in, unsigned n, char what[128])
{
    for (unsigned i = 0; i < n; i++, out += 16) {
        const double a = decode(f, in[i] & 0xffff), b = decode(f, in[i] >> 16);
        if (!same(out[0], encode(f, a + b), "a + b", i, what) || !same(out[1], encode(f, a - b), "a - b", i, what) ||
            !same(out[2], encode(f, a * b), "a * b", i, what) || !same(out[3], encode(f, a / b), "a / b", i, what) ||
            !same(out[8] & 0xffff, encode(f, a + b), "the low half of a sum", i, what))
            return false;
    }
    return true;
}
bool formula_half_arithmetic(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    return arithmetic(half, out, in, blocks * threads, what);
}
bool formula_bfloat16_arithmetic(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads,
                                 char what[128])
{
    return arithmetic(bfloat16, out, in, blocks * threads, what);
}

static bool conversion(struct format f, const unsigned *out, const unsigned *in, unsigned n, char what[128])
{
    for (unsigned i = 0; i < n; i++, out += 16) {
        float v;
        memcpy(&v, &in[i], sizeof v);
        const int integer = (int)in[i];
        if (!same(out[0] & 0xffff, encode(f, v), "the nearest", i, what) ||
            !same(out[0] >> 16, encode_in(FE_TOWARDZERO, f, v), "towards zero", i, what) ||
            !same(out[1] & 0xffff, encode_in(FE_DOWNWARD, f, v), "downwards", i, what) ||
            !same(out[1] >> 16, encode_in(FE_UPWARD, f, v), "upwards", i, what) ||
            !same(out[2] >> 16, encode(f, integer), "of an integer", i, what) ||
            !same(out[3] & 0xffff, encode_in(FE_DOWNWARD, f, integer), "of an integer, downwards", i, what))
            return false;
    }
    return true;
}
bool formula_half_conversion(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    return conversion(half, out, in, blocks * threads, what);
}
bool formula_bfloat16_conversion(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads,
                                 char what[128])
{
    return conversion(bfloat16, out, in, blocks * threads, what);
}

/* ---- groups ---- */

bool formula_block(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    const unsigned ranks = threads * (threads - 1) / 2;
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned block = i / threads, thread = i % threads;
        if (!same(out[0], thread, "the rank", i, what) || !same(out[1], threads * 1001, "the size", i, what) ||
            (thread == 0 && !same(out[4], ranks, "the sum of ranks", i, what)) ||
            !same(out[5], in[block * threads + threads - 1 - thread], "the value across a barrier", i, what) ||
            !same(out[8], i, "the rank in the grid", i, what))
            return false;
    }
    return true;
}

bool formula_tile(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned thread = i % threads, first = i / 8 * 8, rank = i % 8;
        const unsigned down = in[rank + 2 < 8 ? i + 2 : i], up = in[rank ? i - 1 : i];
        unsigned ballot = 0;
        for (unsigned j = 0; j < 8; j++)
            ballot |= (in[first + j] & 1) << j;
        if (!same(out[0], (i % 32) | rank << 8 | (i % 4) << 16, "the ranks", i, what) ||
            !same(out[2], thread / 8 | threads / 8 << 16, "the place of a tile", i, what) ||
            !same(out[4], in[first + 3] ^ in[first + (rank ^ 5)], "shfl and shfl_xor", i, what) ||
            !same(out[5], down ^ up, "shfl_down and shfl_up", i, what) ||
            !same(out[7] >> 8, ballot, "the ballot", i, what))
            return false;
    }
    return true;
}

bool formula_reduce(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned first = i / 32 * 32, eight = i / 8 * 8;
        unsigned sum = 0, least = ~0u, most = 0, some = 0;
        for (unsigned j = first; j < first + 32; j++) {
            sum += in[j];
            some += in[j] % 3 ? in[j] : 0;
        }
        for (unsigned j = eight; j < eight + 8; j++) {
            least = in[j] < least ? in[j] : least;
            most = in[j] > most ? in[j] : most;
        }
        if (!same(out[0], sum, "the sum", i, what) || !same(out[1], least ^ most, "the ends", i, what) ||
            !same(out[7], most, "a lambda's result", i, what) ||
            !same(out[8], in[i] % 3 ? some : 0, "the sum of coalesced lanes", i, what))
            return false;
    }
    return true;
}

bool formula_scan(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    unsigned sum = 0;
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned before = i % 32 ? sum : 0;
        sum = before + in[i];
        if (!same(out[0], sum, "the inclusive scan", i, what) || !same(out[1], before, "the exclusive scan", i, what) ||
            !same(out[6], 1, "the one that is invoked", i, what))
            return false;
    }
    return true;
}

bool formula_grid(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    const unsigned n = blocks * threads;
    for (unsigned i = 0; i < n; i++, out += 16)
        if (!same(out[1], in[n - 1 - i], "another block's value", i, what) ||
            !same(out[2], 3 * in[n - 1 - (i + 77) % n], "the value of the second step", i, what) ||
            !same(out[4], n, "the size", i, what))
            return false;
    return true;
}

bool formula_wide(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    unsigned scan = 0;
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned first = i / 128 * 128, sixty = i / 64 * 64;
        unsigned sum = 0, most = 0;
        for (unsigned j = first; j < first + 128; j++)
            sum += in[j];
        for (unsigned j = sixty; j < sixty + 64; j++)
            most = in[j] > most ? in[j] : most;
        scan = (i % 128 ? scan : 0) + in[i];
        if (!same(out[2], in[i ^ 127], "the value across a tile's barrier", i, what) ||
            !same(out[3], in[first + 77] ^ in[sixty + 33], "shfl", i, what) || !same(out[5], sum, "the sum", i, what) ||
            !same(out[6], most, "the largest", i, what) || !same(out[7], scan, "the inclusive scan", i, what))
            return false;
    }
    return true;
}

/* ---- barriers and pipelines ---- */

bool formula_barrier(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned *block = in + i / threads * threads, thread = i % threads;
        unsigned sum = 0;
        for (unsigned step = 0; step < 5; step++)
            sum = (sum + step) * 31 + block[(thread + step) % threads] + step;
        if (!same(out[0], sum, "what crossed the barrier", i, what) ||
            !same(out[1], block[threads - 1 - thread], "the copy", i, what))
            return false;
    }
    return true;
}

bool formula_pipeline(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    for (unsigned i = 0; i < blocks * threads; i++, out += 16) {
        const unsigned *block = in + i / threads * threads, thread = i % threads;
        unsigned sum = 0;
        for (unsigned step = 0; step < 6; step++)
            sum = sum * 31 + block[threads - 1 - thread + step];
        if (!same(out[0], sum, "what the stages brought", i, what) ||
            !same(out[1], thread < threads / 2 ? 0 : sum, "what the producers brought", i, what))
            return false;
    }
    return true;
}

/* ---- products of matrices: 3 a b + c, the first of the four that matrices.cu makes, all in rows ---- */

static int number(const unsigned *in, unsigned i) { return (int)(in[i] >> 16 & 7) - 3; }

static bool product(unsigned m, unsigned n, const unsigned *out, const unsigned *in)
{
    for (unsigned row = 0; row < m; row++)
        for (unsigned column = 0; column < n; column++) {
            int sum = 0;
            for (unsigned i = 0; i < 16; i++)
                sum += number(in, row * 16 + i) * number(in, 777 + i * n + column);
            if ((int)out[row * n + column] != 3 * sum + number(in, 1555 + row * n + column))
                return false;
        }
    return true;
}

/* The shape is whichever fits: a kernel of another shape does not give the same. */
bool formula_product(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128])
{
    (void)blocks, (void)threads;
    snprintf(what, 128, "the sums are those of no shape");
    return product(16, 16, out, in) || product(32, 8, out, in) || product(8, 32, out, in);
}
