/* ref_float.c - floating point in software (PTX ISA 9.7.3 to 9.7.6, 9.7.9.21). See ref.h.
 *
 * A value of any type is exact in binary128. A sum is rounded to odd there (the last bit says that something was lost),
 * products are exact, and quotients and roots of 24 and 53 bits are never so near to a rounding boundary that 113 bits
 * could cross it; so one rounding at the end to the type's precision, in the instruction's mode, gives the right bits. */
#include "ref.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

typedef __float128 quad;
union quad_bits {
    quad q;
    u128 u;
};

/* ---- binary128 ---- */

static quad power(int e) { return ((union quad_bits){.u = (u128)(e + 16383) << 112}).q; }
static int exponent(quad x) { return (int)(((union quad_bits){.q = x}).u >> 112 & 0x7fff) - 16383; }
static bool negative(quad x) { return (bool)(((union quad_bits){.q = x}).u >> 127); }
static quad magnitude(quad x) { return negative(x) ? -x : x; }
static quad infinity(bool minus) { return minus ? -(quad)INFINITY : (quad)INFINITY; }
static quad signed_zero(bool minus) { return minus ? -(quad)0 : (quad)0; }
static bool finite_q(quad x) { return exponent(x) < 16384; }

/* a + b rounded to odd. */
static quad add_odd(quad a, quad b)
{
    const quad s = a + b;
    if (!finite_q(s) || s == 0)
        return s;
    const quad bb = s - a, lost = (a - (s - bb)) + (b - bb);
    union quad_bits u = {.q = s};
    if (lost == 0 || (u.u & 1))
        return s;
    u.u += negative(lost) == negative(s) ? 1 : -(u128)1;
    return u.q;
}

static bool away(quad rest, bool odd, bool minus, enum rounding rnd)
{
    const quad half = (quad)0.5;
    switch (rnd) {
    case RN:
        return rest > half || (rest == half && odd);
    case RNA:
        return rest >= half;
    case RM:
        return rest > 0 && minus;
    case RP:
        return rest > 0 && !minus;
    default:
        return false;
    }
}

/* x 2^e; neither is subnormal. */
static quad scaled(quad x, int e)
{
    union quad_bits u = {.q = x};
    if (x == 0)
        return x;
    u.u += (u128)(i128)e << 112;
    return u.q;
}

/* x as a multiple of 2^unit; |x| / 2^unit < 2^63. */
static quad round_unit(quad x, int unit, enum rounding rnd)
{
    const bool minus = negative(x);
    const quad m = scaled(magnitude(x), -unit);
    u64 k = (u64)m;
    k += away(m - (quad)k, k & 1, minus, rnd);
    const quad r = scaled((quad)k, unit);
    return minus ? -r : r;
}

static quad round_quad(quad x, int precision, int least, enum rounding rnd)
{
    if (!finite_q(x) || x == 0)
        return x;
    const int e = exponent(x) < least ? least : exponent(x);
    return round_unit(x, e - precision + 1, rnd);
}

/* ---- formats ---- */

static bool is_e4m3(const struct type *t) { return t->bits == 8 && t->precision == 4; }
static const struct type *stored(const struct type *t)
{
    return t->name[0] == 't' ? type_find("f32", 3) : t;
} /* tf32 */

bool float_is_nan(const struct type *t, u64 bits)
{
    t = stored(t);
    const u64 mag = bits & low_bits(t->bits - 1);
    const u64 inf = (low_bits(t->bits - 1) >> (t->precision - 1)) << (t->precision - 1);
    return is_e4m3(t) ? mag == 0x7f : mag > inf;
}

static bool is_subnormal(const struct type *t, u64 bits)
{
    const u64 mag = bits & low_bits(t->bits - 1);
    return mag && mag >> (t->precision - 1) == 0;
}

u64 float_flush(const struct type *t, u64 bits)
{
    return is_subnormal(t, bits) ? bits & (u64)1 << (t->bits - 1) : bits;
}

/* The value of a number; of NaN a binary128 NaN. */
static quad decode(const struct type *t, u64 bits)
{
    t = stored(t);
    const int m = t->precision - 1, field = (int)t->bits - 1 - m;
    const u64 e = bits >> m & low_bits((unsigned)field), f = bits & low_bits((unsigned)m);
    const bool minus = bits >> (t->bits - 1) & 1;
    if (float_is_nan(t, bits))
        return (quad)NAN;
    if (e == low_bits((unsigned)field) && !is_e4m3(t))
        return infinity(minus);
    const u128 scale = (u128)((int)e - 1 + t->least + 16383) << 112; /* a number's bits stand in those of binary128 */
    const quad x = e ? ((union quad_bits){.u = scale | (u128)f << (112 - m)}).q : (quad)f * power(t->least - m);
    return minus ? -x : x;
}

static quad largest(const struct type *t)
{
    if (is_e4m3(t))
        return 448;
    return (power(t->precision) - 1) * power(1 - t->least - t->precision + 1);
}

static u64 nan_of(const struct type *t) { return low_bits(stored(t)->bits - 1); }

/* The bits of a value that the type has, or of an infinity. */
static u64 encode(const struct type *t, quad x)
{
    t = stored(t);
    const int m = t->precision - 1;
    const u64 sign = (u64)negative(x) << (t->bits - 1);
    quad v = magnitude(x);
    if (x != x)
        return nan_of(t);
    if (v == 0)
        return sign;
    if (!finite_q(v))
        return sign | (low_bits(t->bits - 1) >> m) << m;
    if (exponent(v) < t->least)
        return sign | (u64)(v * power(m - t->least));
    const u64 fraction = (u64)(((union quad_bits){.q = v}).u >> (112 - m)) & low_bits((unsigned)m);
    return sign | (((u64)(exponent(v) - t->least + 1) << m) + fraction);
}

/* Rounds x to type t; beyond the largest number the mode decides. */
static quad round_to(const struct type *t, quad x, enum rounding rnd)
{
    const quad r = round_quad(x, t->precision, t->least, rnd);
    if (finite_q(r) && magnitude(r) > largest(t)) {
        const bool minus = negative(r);
        const bool inf = rnd == RN || rnd == RNA || (rnd == RM && minus) || (rnd == RP && !minus);
        return inf ? infinity(minus) : minus ? -largest(t) : largest(t);
    }
    return r;
}

/* ---- what happens to a result ---- */

/* Below the least normal number once rounded to the precision with exponents that have no end: what .ftz arithmetic
 * makes zero on an H200, also where the rounding of subnormals would reach the least normal number. */
static bool is_tiny(const struct type *t, quad x, enum rounding rnd)
{
    enum { FAR = 200 };
    if (!finite_q(x) || x == 0 || exponent(x) >= t->least)
        return false;
    const quad y = x * power(FAR); /* exact: binary128 has the room */
    return magnitude(round_unit(y, exponent(y) - t->precision + 1, rnd)) < power(t->least + FAR);
}

static u64 finish(const struct ref *r, const struct type *t, quad x)
{
    const enum rounding rnd = r->integral ? RN : r->rnd;
    if (r->sat)
        x = x > 0 ? (x < 1 ? x : 1) : 0; /* NaN too */
    if (x != x)
        return nan_of(t);
    if (r->relu && (x < 0 || negative(x)))
        x = 0;
    const bool flushes = r->ftz && t->precision != 53 && (t->bits != 16 || strcmp(r->tok[0], "cvt"));
    if (flushes && strcmp(r->tok[0], "cvt") != 0 && is_tiny(t, x, rnd))
        x = signed_zero(negative(x));
    x = round_to(t, x, rnd);
    if (r->satfinite && magnitude(x) > largest(t))
        x = negative(x) ? -largest(t) : largest(t);
    const u64 bits = encode(t, x);
    return flushes ? float_flush(t, bits) : bits;
}

/* ---- arithmetic ---- */

/* A sum that is exactly zero is -0 when rounding down, unless both are +0, and when both are -0. */
static quad sum(quad a, quad b, enum rounding rnd)
{
    const quad s = add_odd(a, b);
    if (s == 0 && a == 0 && b == 0 && negative(a) == negative(b))
        return a;
    return s == 0 ? signed_zero(rnd == RM) : s;
}

/* The root in the host's arithmetic: of 24 bits by way of 64, of 53 bits in the rounding mode itself. */
static quad root(const struct type *t, quad a, enum rounding rnd)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    if (t->precision != 53)
        return (quad)sqrtl((long double)a);
    volatile double x = (double)a, s;
    fesetround(modes[rnd]);
    s = sqrt(x);
    fesetround(FE_TONEAREST);
    return (quad)s;
}

/* Smaller or larger; a NaN gives the other one, or NaN with .NaN; -0 is less than +0. */
static quad extreme(const struct ref *r, quad a, quad b, bool *none)
{
    const bool max = r->tok[0][1] == 'a', xor_sign = negative(a) != negative(b);
    if (r->abs)
        a = magnitude(a), b = magnitude(b);
    *none = r->nan ? a != a || b != b : a != a && b != b;
    quad x = a != a ? b : b != b ? a : (a < b || (a == b && negative(a))) != max ? a : b;
    return r->xorsign && !*none ? (xor_sign ? -magnitude(x) : magnitude(x)) : x;
}

/* Of types with NaNs whose sign counts: read from the bits, since a quad NaN here has none. */
static u64 extreme_bits(const struct ref *r, const struct type *t, const u64 *in, unsigned n)
{
    const u64 top = (u64)1 << (t->bits - 1);
    bool none;
    quad x = extreme(r, decode(t, in[0]), decode(t, in[1]), &none);
    if (n == 3 && (none && r->nan))
        return nan_of(t);
    if (n == 3)
        x = extreme(r, none ? (quad)NAN : x, decode(t, in[2]), &none);
    if (none)
        return nan_of(t);
    u64 bits = encode(t, x);
    if (r->xorsign)
        bits = (bits & ~top) | ((in[0] ^ in[1]) & top);
    return bits;
}

static int operands(const struct ref *r)
{
    const char *op = r->tok[0];
    return !strcmp(op, "fma") || !strcmp(op, "mad")                                                ? 3
           : !strcmp(op, "rcp") || !strcmp(op, "sqrt") || !strcmp(op, "abs") || !strcmp(op, "neg") ? 1
                                                                                                   : 2;
}

static bool is_extreme(const struct ref *r) { return !strcmp(r->tok[0], "min") || !strcmp(r->tok[0], "max"); }

static quad compute(const struct ref *r, const quad *v)
{
    const char *op = r->tok[0];
    if (!strcmp(op, "add"))
        return sum(v[0], v[1], r->rnd);
    if (!strcmp(op, "sub"))
        return sum(v[0], -v[1], r->rnd);
    if (!strcmp(op, "mul"))
        return v[0] * v[1];
    if (!strcmp(op, "fma") || !strcmp(op, "mad"))
        return sum(v[0] * v[1], v[2], r->rnd);
    if (!strcmp(op, "div"))
        return v[0] / v[1];
    if (!strcmp(op, "rcp"))
        return 1 / v[0];
    if (!strcmp(op, "sqrt"))
        return root(r->d, v[0], r->rnd);
    return strcmp(op, "neg") ? magnitude(v[0]) : -v[0];
}

static bool testp(const struct ref *r, u64 x)
{
    const struct type *t = r->a;
    const u64 mag = x & low_bits(t->bits - 1), inf = encode(t, infinity(false));
    const bool sub = is_subnormal(t, x), fin = mag < inf;
    return ref_has(r, "finite")       ? fin
           : ref_has(r, "infinite")   ? mag == inf
           : ref_has(r, "number")     ? mag <= inf
           : ref_has(r, "notanumber") ? mag > inf
           : ref_has(r, "normal")     ? fin && !sub
                                      : sub; /* zero is normal: 9.7.3.1 */
}

/* The type of source k: mixed precision has its last source in the destination's type. */
static const struct type *source(const struct ref *r, int k)
{
    return r->d != r->a && k == operands(r) - 1 ? r->d : r->a;
}

static u64 float_one(const struct ref *r, const u64 *raw)
{
    u64 in[3] = {0};
    quad v[3] = {0};
    const int n = operands(r);
    for (int k = 0; k < 3; k++) {
        const struct type *t = k < n ? source(r, k) : r->a;
        in[k] = r->ftz ? float_flush(t, raw[k]) : raw[k];
        v[k] = decode(t, in[k]);
    }
    if (is_extreme(r))
        return extreme_bits(r, r->d, in, r->sources);
    if (ref_has(r, "oob") && ((in[0] & 0x7fff) == 0x7ff7 || (in[1] & 0x7fff) == 0x7ff7))
        return 0;
    return finish(r, r->d, compute(r, v));
}

int float_eval(const struct ref *r, const u64 *in, u64 *out)
{
    if (!strcmp(r->tok[0], "testp")) {
        out[0] = testp(r, in[0]);
        return 0;
    }
    if (!strcmp(r->tok[0], "copysign")) {
        const u64 top = (u64)1 << (r->d->bits - 1);
        out[0] = (in[0] & top) | (in[1] & ~top);
        return 0;
    }
    if (r->d->pair) {
        const u64 lo[3] = {in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff};
        const u64 hi[3] = {in[0] >> 16 & 0xffff, in[1] >> 16 & 0xffff, in[2] >> 16 & 0xffff};
        out[0] = float_one(r, lo) | float_one(r, hi) << 16;
        return 0;
    }
    out[0] = float_one(r, in);
    return 0;
}

/* Subnormals are zeros for atom.add.f32 on global memory and are kept on shared memory (9.7.13.5). */
u64 float_atomic(const struct ref *r, const char *op, const struct type *t, u64 old, u64 b)
{
    struct ref plain = {.d = t, .a = t, .n = 1};
    strcpy(plain.tok[0], op);
    plain.ftz = t->bits == 32 && !t->pair && !r->shared;
    const u64 in[3] = {old, b, 0};
    u64 out[2];
    float_eval(&plain, in, out);
    return out[0];
}

/* ---- comparisons ---- */

static int order(const struct ref *r, u64 a, u64 b) /* -1 0 1, 2 unordered */
{
    const struct type *t = r->a;
    if (t->kind == KIND_F) {
        const quad x = decode(t, r->ftz ? float_flush(t, a) : a), y = decode(t, r->ftz ? float_flush(t, b) : b);
        return x != x || y != y ? 2 : x < y ? -1 : x > y;
    }
    if (t->kind == KIND_S) {
        const i64 x = sign_extend(a, t->bits), y = sign_extend(b, t->bits);
        return x < y ? -1 : x > y;
    }
    return a < b ? -1 : a > b;
}

static bool compares(const struct ref *r, int o)
{
    static const struct {
        const char *name;
        bool lt, eq, gt, unordered;
    } table[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
                 {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"lo", 1, 0, 0, 0},  {"ls", 1, 1, 0, 0},
                 {"hi", 0, 0, 1, 0},  {"hs", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
                 {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
                 {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++)
        if (!strcmp(r->tok[1], table[k].name))
            return o == 2 ? table[k].unordered : o < 0 ? table[k].lt : o ? table[k].gt : table[k].eq;
    return false;
}

static bool combine(const struct ref *r, bool x, bool c)
{
    c ^= r->negate;
    return !strcmp(r->tok[2], "and")   ? x && c
           : !strcmp(r->tok[2], "or")  ? x || c
           : !strcmp(r->tok[2], "xor") ? x != c
                                       : x;
}

int setp_eval(const struct ref *r, const u64 *in, u64 *out)
{
    if (r->a->pair) {
        out[0] = combine(r, compares(r, order(r, in[0] & 0xffff, in[1] & 0xffff)), in[2] & 1);
        out[1] = combine(r, compares(r, order(r, in[0] >> 16, in[1] >> 16)), in[2] & 1);
        return 0;
    }
    const bool x = compares(r, order(r, in[0], in[1]));
    out[0] = combine(r, x, in[2] & 1);
    out[1] = combine(r, !x, in[2] & 1);
    return 0;
}

int set_eval(const struct ref *r, const u64 *in, u64 *out)
{
    u64 pq[2];
    setp_eval(r, in, pq);
    const struct type *t = r->d;
    if (r->a->pair) {
        const u64 one = t->kind == KIND_F ? encode(t, 1) : 0xffff;
        out[0] = (pq[0] ? one : 0) | (pq[1] ? one << 16 : 0);
        return 0;
    }
    out[0] = !pq[0] ? 0 : t->kind == KIND_F ? encode(t, 1) : low_bits(t->bits);
    return 0;
}

/* ---- conversions ---- */

/* A number as an integer type: rounded, then clamped; NaN as 9.7.9.21 says. */
static u64 to_integer(const struct ref *r, const struct type *t, quad x)
{
    const bool is_signed = t->kind == KIND_S;
    if (x != x)
        return r->a->bits == 64 || t->bits == 64 ? (u64)1 << (t->bits - 1) : 0;
    const quad top = power((int)t->bits - is_signed) - 1, bottom = is_signed ? -power((int)t->bits - 1) : 0;
    if (magnitude(x) < power(62))
        x = round_unit(x, 0, r->rnd);
    x = x > top ? top : x < bottom ? bottom : x;
    return (negative(x) ? 0 - (u64)-x : (u64)x) & low_bits(t->bits);
}

static u64 from_integer(const struct ref *r, u64 bits)
{
    bits &= low_bits(r->a->bits);
    const quad x = r->a->kind == KIND_S ? (quad)sign_extend(bits, r->a->bits) : (quad)bits;
    if (r->d->kind == KIND_F)
        return finish(r, r->d, x);
    if (!r->sat)
        return (u64)(r->a->kind == KIND_S ? sign_extend(bits, r->a->bits) : (i64)bits) & low_bits(r->d->bits);
    const bool is_signed = r->d->kind == KIND_S;
    const quad top = power((int)r->d->bits - is_signed) - 1, bottom = is_signed ? -power((int)r->d->bits - 1) : 0;
    const quad y = x > top ? top : x < bottom ? bottom : x;
    return (y < 0 ? (u64)(i64)y : (u64)y) & low_bits(r->d->bits);
}

/* NaNs that are not canonical on an H200: bf16 to f32 is a shift, and tf32 has no low bits; its .rna is made of integer
 * operations, which with .satfinite take one step from whatever looks infinite. */
static bool special_nan(const struct ref *r, u64 bits, u64 *out)
{
    const bool tf32 = !strcmp(r->d->name, "tf32");
    if (!float_is_nan(r->a, bits))
        return false;
    if (tf32)
        *out = r->rnd == RNA ? (bits & 0xffffe000) - (r->satfinite ? 0x2000 : 0) : 0x7fffe000;
    else if (!strcmp(r->d->name, "f32") && !strcmp(r->a->name, "bf16") && !r->ftz && !r->sat && !r->relu)
        *out = bits << 16;
    else
        return false;
    return true;
}

static u64 cvt_one(const struct ref *r, u64 bits)
{
    const struct type *from = r->a, *to = r->d;
    u64 nan;
    if (from->kind != KIND_F)
        return from_integer(r, bits);
    if (special_nan(r, bits, &nan))
        return nan;
    /* Toward f16 an H200 does not flush. */
    quad x = decode(from, r->ftz && from->bits == 32 && strcmp(to->name, "f16") ? float_flush(from, bits) : bits);
    if (to->kind != KIND_F)
        return to_integer(r, to, x);
    if (r->integral && finite_q(x) && magnitude(x) < power(60))
        x = round_unit(x, 0, r->rnd);
    return finish(r, to, x);
}

int cvt_eval(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned dw = r->d->bits, aw = r->a->bits;
    if (r->d->pair && r->a->pair) /* low to low, high to high */
        out[0] = cvt_one(r, in[0] & low_bits(aw)) | cvt_one(r, in[0] >> aw & low_bits(aw)) << dw;
    else if (r->d->pair) /* the first source is the high half */
        out[0] = cvt_one(r, in[1]) | cvt_one(r, in[0]) << dw;
    else
        out[0] = cvt_one(r, in[0]);
    return 0;
}

/* ---- approximations ---- */

long double float_value(const struct type *t, u64 bits) { return (long double)decode(t, bits); }

static long double hyperbolic(long double x) { return tanhl(x); }

long double approx_truth(const struct ref *r, const u64 *in)
{
    const struct type *t = r->a;
    const bool gross = t->bits == 64; /* 1.11.20: the low word is not read */
    const u64 raw = gross && r->ftz ? in[0] & ~(u64)0xffffffff : in[0];
    const long double x = float_value(t, r->ftz ? float_flush(t, raw) : raw);
    const char *op = r->tok[0];
    if (!strcmp(op, "div")) {
        const long double y = float_value(t, r->ftz ? float_flush(t, in[1]) : in[1]);
        if (ref_has(r, "approx") && fabsl(y) > 0x1p126L && isfinite(y)) /* 9.7.3.8: zero, or NaN of an infinity */
            return isinf(x) ? NAN : x * (signbit(y) ? -0.0L : 0.0L);
        return x / y;
    }
    return !strcmp(op, "rcp")     ? 1 / x
           : !strcmp(op, "sqrt")  ? sqrtl(x)
           : !strcmp(op, "rsqrt") ? 1 / sqrtl(x)
           : !strcmp(op, "lg2")   ? log2l(x)
           : !strcmp(op, "ex2")   ? exp2l(x)
           : !strcmp(op, "sin")   ? sinl(x)
           : !strcmp(op, "cos")   ? cosl(x)
                                  : hyperbolic(x);
}
