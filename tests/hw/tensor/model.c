/* model.c - see model.h. Slow and plain: what the engine's vectors are compared with. */
#include "model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const struct tensor_format tensor_formats[T_TYPES] = {
    [T_F16] = {5, 10, 16}, [T_BF16] = {8, 7, 16}, [T_TF32] = {8, 10, 32},
    [T_E4M3] = {4, 3, 8},  [T_E5M2] = {5, 2, 8},  [T_F32] = {8, 23, 32},
};

enum { NONE = INT_MIN / 2, F32_NAN = 0x7fffffff, F16_NAN = 0x7fff };

#define RULE(name, bits, least, ...) {name, bits, least, __VA_ARGS__}
const struct tensor_rule tensor_rules[] = {
    RULE("rule", 25, -133, .cut = TO_ZERO),
    RULE("fraction 23", 23, NONE, .cut = TO_ZERO),
    RULE("fraction 24", 24, NONE, .cut = TO_ZERO),
    RULE("fraction 26", 26, NONE, .cut = TO_ZERO),
    RULE("fraction 27", 27, NONE, .cut = TO_ZERO),
    RULE("cut below", 25, NONE, .cut = TO_BELOW),
    RULE("round below", 25, NONE, .round = TO_BELOW),
    RULE("round nearest", 25, NONE, .round = TO_NEAREST),
    RULE("normalised", 25, NONE, .normalised = true),
    RULE("zeros count", 25, NONE, .zeros = true),
    RULE("least -126", 25, -126, .cut = TO_ZERO),
    RULE("least -127", 25, -127, .cut = TO_ZERO),
    RULE("no least", 25, NONE, .cut = TO_ZERO),
    RULE("least -149", 25, -149, .cut = TO_ZERO),
    RULE("largest", 25, NONE, .largest = true),
    RULE("products overflow", 25, NONE, .products_overflow = true),
    RULE("minus zero", 25, NONE, .minus_zero = true),
    RULE("all minus zero", 25, NONE, .all_minus_zero = true),
    RULE("both minus zeros", 25, NONE, .minus_zero = true, .all_minus_zero = true),
    RULE("twice", 25, NONE, .twice = true),
    RULE("bytes: fraction 12", 25, -133, .byte_fraction = 12),
    RULE("bytes: fraction 14", 25, -133, .byte_fraction = 14),
    RULE("bytes: fraction 15", 25, -133, .byte_fraction = 15),
    RULE("bytes: fraction 25", 25, -133, .byte_fraction = 25),
    RULE("bytes: result 12", 25, -133, .byte_result = 12),
    RULE("bytes: result 14", 25, -133, .byte_result = 14),
    RULE("bytes: result 23", 25, -133, .byte_result = 23),
    RULE("bytes: two blocks", 25, -133, .byte_step = 16),
    RULE("bytes: normalised", 25, -133, .normalised = true),
    RULE("bytes: round nearest", 25, -133, .round = TO_NEAREST),
};
const int tensor_nrules = sizeof tensor_rules / sizeof *tensor_rules;

int tensor_bias(enum tensor_type t) { return (1 << (tensor_formats[t].exponent - 1)) - 1; }

/* ---- numbers ---- */

/* magnitude * 2^(exponent - fraction): subnormals have the least exponent and no leading bit. */
struct number {
    bool negative, infinite, nan;
    int exponent, fraction;
    int64_t magnitude;
};

static struct number number_of(enum tensor_type t, uint32_t bits)
{
    const struct tensor_format f = tensor_formats[t];
    const int width = 1 + f.exponent + f.fraction, most = (1 << f.exponent) - 1;
    if (t == T_TF32)
        bits >>= 32 - width;
    const int64_t fraction = bits & ((1u << f.fraction) - 1);
    const int field = (int)(bits >> f.fraction) & most;
    struct number x = {.negative = bits >> (width - 1) & 1, .fraction = f.fraction};
    x.exponent = (field ? field : 1) - tensor_bias(t);
    x.magnitude = field ? fraction | (int64_t)1 << f.fraction : fraction;
    if (t == T_E4M3) {
        x.nan = field == most && fraction == 7;
    } else if (field == most) {
        x.nan = fraction != 0;
        x.infinite = !fraction;
    }
    return x;
}

double tensor_value(enum tensor_type t, uint32_t bits)
{
    const struct number x = number_of(t, bits);
    const double v = x.nan ? NAN : x.infinite ? INFINITY : ldexp((double)x.magnitude, x.exponent - x.fraction);
    return x.negative ? -v : v;
}

static int top_bit(int64_t magnitude) { return 63 - __builtin_clzll((unsigned long long)magnitude); }

static struct number product(const struct tensor_rule *r, struct number a, struct number b)
{
    struct number p = {.negative = a.negative != b.negative,
                       .exponent = a.exponent + b.exponent,
                       .fraction = a.fraction + b.fraction,
                       .magnitude = a.magnitude * b.magnitude};
    const bool zero_a = !a.magnitude && !a.infinite, zero_b = !b.magnitude && !b.infinite;
    p.nan = a.nan || b.nan || (a.infinite && zero_b) || (b.infinite && zero_a);
    p.infinite = !p.nan && (a.infinite || b.infinite);
    if (p.magnitude && r->products_overflow && top_bit(p.magnitude) - p.fraction + p.exponent >= 128)
        p.infinite = true;
    return p;
}

/* The exponent by which terms are aligned. */
static int exponent_of(const struct tensor_rule *r, struct number x)
{
    if (!x.magnitude)
        return r->zeros ? x.exponent : NONE;
    return r->normalised ? x.exponent + top_bit(x.magnitude) - x.fraction : x.exponent;
}

static int64_t shifted(int64_t magnitude, int by)
{
    return by >= 0 ? magnitude << by : by > -63 ? magnitude >> -by : 0;
}

/* x in units of 2^(exponent - r->fraction), without the bits below. */
static int64_t aligned(const struct tensor_rule *r, struct number x, int exponent)
{
    const int by = x.exponent - x.fraction - exponent + r->fraction;
    const int64_t m = shifted(x.magnitude, by);
    const bool lost = by < 0 && (by <= -63 ? x.magnitude != 0 : m << -by != x.magnitude);
    return x.negative ? -m - (lost && r->cut == TO_BELOW) : m;
}

/* ---- results ---- */

/* The magnitude of a result of `fraction` bits: m units of 2^unit, not 0, rounded. */
static uint32_t rounded(int64_t m, int unit, int round, bool negative, enum tensor_type t, bool largest)
{
    const int fraction = tensor_formats[t].fraction, bias = tensor_bias(t), infinite = 2 * bias + 1;
    int e = top_bit(m) + unit;
    if (e < 1 - bias)
        e = 1 - bias;
    const int by = e - fraction - unit; /* bits that go */
    int64_t q = shifted(m, -by);
    if (by > 0) {
        const int64_t rest = by > 62 ? m : m - (q << by), half = by > 62 ? INT64_MAX : (int64_t)1 << (by - 1);
        if (round == TO_BELOW ? negative && rest : round == TO_NEAREST && (rest > half || (rest == half && (q & 1))))
            q++;
    }
    const int64_t bits = q + ((int64_t)(e + bias - 1) << fraction);
    if (bits >= (int64_t)infinite << fraction)
        return ((uint32_t)infinite << fraction) - largest;
    return (uint32_t)bits;
}

uint32_t tensor_block(const struct tensor_rule *r, enum tensor_type x_type, enum tensor_type y_type, int k,
                      const uint32_t *a, const uint32_t *b, uint32_t c, bool half)
{
    enum { MOST = 33 };
    struct number x[MOST];
    const int sign = half ? 15 : 31;
    bool nan = false, above = false, below = false, negative = true;
    int e = r->least;
    for (int j = 0; j <= k; j++) {
        x[j] =
            j < k ? product(r, number_of(x_type, a[j]), number_of(y_type, b[j])) : number_of(half ? T_F16 : T_F32, c);
        nan |= x[j].nan;
        above |= x[j].infinite && !x[j].negative;
        below |= x[j].infinite && x[j].negative;
        negative &= x[j].negative;
        if (exponent_of(r, x[j]) > e)
            e = exponent_of(r, x[j]);
    }
    if (nan || (above && below))
        return half ? F16_NAN : F32_NAN;
    if (above || below)
        return (uint32_t)below << sign | (half ? 0x7c00u : 0x7f800000u);
    int64_t sum = 0;
    for (int j = 0; j <= k; j++)
        sum += x[j].magnitude ? aligned(r, x[j], e) : 0;
    if (!sum)
        return (uint32_t)(negative && r->all_minus_zero) << sign;
    const bool minus = sum < 0;
    uint32_t bits;
    if (half && r->twice) {
        bits = rounded(minus ? -sum : sum, e - r->fraction, TO_ZERO, minus, T_F32, false);
        const struct number f = number_of(T_F32, bits);
        bits = !f.magnitude ? 0
               : f.infinite ? 0x7c00
                            : rounded(f.magnitude, f.exponent - f.fraction, TO_NEAREST, minus, T_F16, false);
    } else {
        bits = rounded(minus ? -sum : sum, e - r->fraction, half ? TO_NEAREST : r->round, minus, half ? T_F16 : T_F32,
                       r->largest);
    }
    return (uint32_t)(minus && (bits || r->minus_zero)) << sign | bits;
}

/* ---- instructions ---- */

static uint32_t bits_of_f16_as_f32(uint32_t h)
{
    const float v = (float)tensor_value(T_F16, h);
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return v == v ? u : F32_NAN;
}

static uint32_t f16_nearest(uint32_t f)
{
    const struct number x = number_of(T_F32, f);
    const uint32_t sign = (uint32_t)x.negative << 15;
    if (x.nan)
        return F16_NAN;
    if (x.infinite || !x.magnitude)
        return sign | (x.infinite ? 0x7c00u : 0);
    return sign | rounded(x.magnitude, x.exponent - x.fraction, TO_NEAREST, x.negative, T_F16, false);
}

/* An addition as the other units do it. */
static uint32_t plain_sum(uint32_t x, uint32_t y, bool half)
{
    const enum tensor_type t = half ? T_F16 : T_F32;
    const double sum = tensor_value(t, x) + tensor_value(t, y); /* of f16 exact, of f32 rounded twice to the same */
    const float v = (float)sum;
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    if (half)
        return f16_nearest(sum == sum ? u : F32_NAN);
    return v == v ? u : F32_NAN;
}

/* e4m3 and e5m2 as f16, exactly. */
static uint32_t f16_of_byte(enum tensor_type t, uint32_t x)
{
    if (t == T_E5M2)
        return (x & 0x7f) > 0x7c ? F16_NAN : x << 8;
    const uint32_t sign = (x & 0x80) << 8;
    if ((x & 0x7f) == 0x7f)
        return F16_NAN;
    const float v = (float)tensor_value(T_E4M3, x & 0x7f);
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return sign | f16_nearest(u);
}

static uint32_t byte_element(const struct tensor_rule *r, const struct tensor_op *op, const uint32_t *a,
                             const uint32_t *b, uint32_t c)
{
    uint32_t sum = 0;
    for (int upper = 0; upper < 2; upper++) { /* the lower and the upper halves of the registers */
        uint32_t x[16], y[16];
        int n = 0;
        for (int k = 0; k < op->k; k++)
            if (k / 2 % 2 == upper) {
                x[n] = f16_of_byte(op->a, a[k]);
                y[n++] = f16_of_byte(op->b, b[k]);
            }
        sum = tensor_block(r, T_F16, T_F16, n, x, y, sum, op->half_c);
    }
    return plain_sum(sum, c, op->half_c);
}

/* wgmma multiplies 8-bit floats as they are, and keeps fewer bits. */
static uint32_t byte_group(const struct tensor_rule *r, const struct tensor_op *op, const uint32_t *a,
                           const uint32_t *b, uint32_t c)
{
    struct tensor_rule q = *r;
    const int step = q.byte_step ? q.byte_step : op->k;
    q.fraction = q.byte_fraction ? q.byte_fraction : 13;
    for (int k = 0; k < op->k; k += step) {
        c = tensor_block(&q, op->a, op->b, step, a + k, b + k, c, op->half_c);
        if (!op->half_c && c << 1 < 0xff000000u)
            c &= ~0u << (23 - (q.byte_result ? q.byte_result : 13));
    }
    return c;
}

uint32_t tensor_element(const struct tensor_rule *r, const struct tensor_op *op, const uint32_t *a, const uint32_t *b,
                        uint32_t c)
{
    if ((op->a == T_E4M3 || op->a == T_E5M2) && op->by == TENSOR_WGMMA)
        return byte_group(r, op, a, b, c);
    if (op->a == T_E4M3 || op->a == T_E5M2)
        return byte_element(r, op, a, b, c);
    const int step = op->by == TENSOR_WMMA && op->a == T_TF32 ? 4 : op->k;
    if (op->half_c && !op->half_d)
        c = bits_of_f16_as_f32(c);
    for (int k = 0; k < op->k; k += step)
        c = tensor_block(r, op->a, op->b, step, a + k, b + k, c, op->half_c && op->half_d);
    return op->half_d && !op->half_c ? f16_nearest(c) : c;
}

const struct tensor_op tensor_ops[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", TENSOR_MMA, 16, 8, 16, T_F16, T_F16, false, false, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", TENSOR_MMA, 16, 8, 8, T_F16, T_F16, false, false, false},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", TENSOR_MMA, 16, 8, 16, T_F16, T_F16, true, true, false},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", TENSOR_MMA, 16, 8, 8, T_F16, T_F16, true, true, false},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", TENSOR_MMA, 16, 8, 16, T_BF16, T_BF16, false, false, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", TENSOR_MMA, 16, 8, 8, T_BF16, T_BF16, false, false, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", TENSOR_MMA, 16, 8, 8, T_TF32, T_TF32, false, false, false},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", TENSOR_MMA, 16, 8, 4, T_TF32, T_TF32, false, false, false},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", TENSOR_MMA, 16, 8, 32, T_E4M3, T_E4M3, false, false, false},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", TENSOR_MMA, 16, 8, 32, T_E4M3, T_E5M2, false, false, false},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", TENSOR_MMA, 16, 8, 32, T_E5M2, T_E5M2, false, false, false},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", TENSOR_MMA, 16, 8, 16, T_E4M3, T_E4M3, false, false, false},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", TENSOR_MMA, 16, 8, 16, T_E5M2, T_E4M3, false, false, false},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", TENSOR_MMA, 16, 8, 32, T_E4M3, T_E5M2, true, true, false},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", TENSOR_MMA, 16, 8, 32, T_E5M2, T_E5M2, true, true, false},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", TENSOR_MMA, 16, 8, 16, T_E4M3, T_E4M3, true, true, false},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", TENSOR_WMMA, 16, 16, 16, T_F16, T_F16, false, false, false},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", TENSOR_WMMA, 16, 16, 16, T_F16, T_F16, true, true, false},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", TENSOR_WMMA, 16, 16, 16, T_F16, T_F16, false, true, false},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", TENSOR_WMMA, 16, 16, 16, T_F16, T_F16, true, false, false},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", TENSOR_WMMA, 32, 8, 16, T_F16, T_F16, false, false, false},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", TENSOR_WMMA, 8, 32, 16, T_F16, T_F16, false, false, false},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", TENSOR_WMMA, 8, 32, 16, T_F16, T_F16, true, true, false},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", TENSOR_WMMA, 16, 16, 16, T_BF16, T_BF16, false, false,
     false},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", TENSOR_WMMA, 8, 32, 16, T_BF16, T_BF16, false, false,
     false},
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", TENSOR_WMMA, 16, 16, 8, T_TF32, T_TF32, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", TENSOR_WGMMA, 64, 8, 16, T_F16, T_F16, false, false, false},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", TENSOR_WGMMA, 64, 8, 16, T_F16, T_F16, true, true, false},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", TENSOR_WGMMA, 64, 8, 16, T_BF16, T_BF16, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", TENSOR_WGMMA, 64, 8, 8, T_TF32, T_TF32, false, false, false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E4M3, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E5M2, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3", TENSOR_WGMMA, 64, 8, 32, T_E5M2, T_E4M3, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2", TENSOR_WGMMA, 64, 8, 32, T_E5M2, T_E5M2, false, false,
     false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E4M3, true, true, false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E5M2, true, true, false},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2", TENSOR_WGMMA, 64, 8, 32, T_E5M2, T_E5M2, true, true, false},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", TENSOR_MMA, 16, 8, 8, T_F16, T_F16,
     false, false, true},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", TENSOR_MMA, 16, 8, 16, T_F16, T_F16,
     false, false, true},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", TENSOR_MMA, 16, 8, 16, T_F16, T_F16,
     true, true, true},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", TENSOR_MMA, 16, 8, 16, T_BF16, T_BF16,
     false, false, true},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", TENSOR_MMA, 16, 8, 4, T_TF32, T_TF32,
     false, false, true},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", TENSOR_MMA, 16, 8, 8, T_TF32, T_TF32,
     false, false, true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16", TENSOR_WGMMA, 64, 8, 16, T_F16, T_F16, false, false, true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16", TENSOR_WGMMA, 64, 8, 16, T_F16, T_F16, true, true, true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16", TENSOR_WGMMA, 64, 8, 16, T_BF16, T_BF16, false, false,
     true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.tf32.tf32", TENSOR_WGMMA, 64, 8, 8, T_TF32, T_TF32, false, false,
     true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E4M3, false, false,
     true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e5m2.e4m3", TENSOR_WGMMA, 64, 8, 32, T_E5M2, T_E4M3, false, false,
     true},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.f16.e4m3.e5m2", TENSOR_WGMMA, 64, 8, 32, T_E4M3, T_E5M2, true, true,
     true},
};
const int tensor_nops = sizeof tensor_ops / sizeof *tensor_ops;
