/* ref.c - see ref.h. */
#include "ref.h"

#include <math.h>

typedef unsigned __int128 u128;

const struct format REF_F16 = {11, -14, 65504}, REF_BF16 = {8, -126, 0x1.fep127}, REF_TF32 = {11, -126, 0x1.ffcp127},
                    REF_F32 = {24, -126, 0x1.fffffep127}, REF_F64 = {53, -1022, 0x1.fffffffffffffp1023},
                    REF_E4M3 = {4, -6, 448}, REF_E5M2 = {3, -14, 57344}, REF_E2M3 = {4, 0, 7.5}, REF_E3M2 = {3, -2, 28},
                    REF_E2M1 = {2, 0, 6};

static u128 bits_of(exact x)
{
    u128 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static exact of_bits(u128 u)
{
    exact x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static int exponent_of(exact x) { return (int)(bits_of(x) >> 112 & 0x7fff) - 16383; }
exact ref_scale(int e) { return of_bits((u128)(unsigned)(e + 16383) << 112); }
exact ref_nan(void) { return of_bits((u128)0x7fff8 << 108); }
bool ref_is_nan(exact x) { return x != x; }
bool ref_is_inf(exact x) { return x == x && x - x != 0; }
bool ref_sign(exact x) { return bits_of(x) >> 127; }
bool ref_same(exact a, exact b) { return (a != a && b != b) || (a == b && ref_sign(a) == ref_sign(b)); }

/* Whether the units are counted up: `rest` of a unit remains. */
static bool away(u64 units, exact rest, bool negative, enum mode mode)
{
    switch (mode) {
    case REF_RN:
        return rest > (exact)0.5 || (rest == (exact)0.5 && (units & 1));
    case REF_RNA:
        return rest >= (exact)0.5;
    case REF_RM:
        return negative && rest > 0;
    case REF_RP:
        return !negative && rest > 0;
    case REF_RZ:
        break;
    }
    return false;
}

exact ref_round(exact x, const struct format *f, enum mode mode)
{
    if (x != x || ref_is_inf(x) || x == 0)
        return x;
    bool negative = ref_sign(x);
    exact m = negative ? -x : x;
    int e = exponent_of(m), unit = (e < f->emin ? f->emin : e) - (f->prec - 1);
    exact y = m * ref_scale(-unit);
    u64 units = (u64)y;
    if (away(units, y - (exact)units, negative, mode))
        units++;
    exact r = (exact)units * ref_scale(unit);
    if (r > f->max) {
        bool inf = mode == REF_RN || mode == REF_RNA || (mode == REF_RM ? negative : mode == REF_RP && !negative);
        r = inf ? (exact)1 / (exact)0 : f->max;
    }
    return negative ? -r : r;
}

exact ref_round_ftz(exact x, const struct format *f, enum mode mode)
{
    const struct format endless = {f->prec, -16000, f->max};
    exact y = ref_round(x, &endless, mode), tiny = ref_scale(f->emin);
    if (y > -tiny && y < tiny)
        return ref_sign(x) ? -(exact)0 : (exact)0;
    return ref_round(x, f, mode);
}

static exact odd(exact s, exact err)
{
    u128 u = bits_of(s);
    if (err == 0 || err != err || (u & 1))
        return s;
    return of_bits((err > 0) == (s > 0) ? u + 1 : u - 1);
}

exact ref_add(exact a, exact b, enum mode mode)
{
    exact s = a + b, t = s - a, err = (a - (s - t)) + (b - t);
    if (s == 0 && ref_sign(a) != ref_sign(b))
        return mode == REF_RM ? -(exact)0 : (exact)0;
    return s == s && !ref_is_inf(s) ? odd(s, err) : s;
}
exact ref_fma(exact a, exact b, exact c, enum mode mode) { return ref_add(a * b, c, mode); }

exact ref_sqrt(exact a)
{
    if (!(a > 0) || ref_is_inf(a))
        return a < 0 ? ref_nan() : a;
    exact s = (exact)sqrtl((long double)a);
    return (s + a / s) / 2;
}

exact ref_whole(exact x, enum mode mode)
{
    if (x != x || ref_is_inf(x) || exponent_of(x) >= 112 || x == 0)
        return x;
    bool negative = ref_sign(x);
    exact m = negative ? -x : x;
    u128 units = (u128)m;
    if (away((u64)units, m - (exact)units, negative, mode))
        units++;
    return negative ? -(exact)units : (exact)units;
}

exact ref_of_half(u32 h, int ebits, int fbits)
{
    int bias = (1 << (ebits - 1)) - 1, e = h >> fbits & ((1 << ebits) - 1), f = h & ((1 << fbits) - 1);
    exact v = e ? (exact)(f + (1 << fbits)) * ref_scale(e - bias - fbits) : (exact)f * ref_scale(1 - bias - fbits);
    if (e == (1 << ebits) - 1)
        v = f ? ref_nan() : (exact)1 / (exact)0;
    return h >> (ebits + fbits) & 1 ? -v : v;
}
