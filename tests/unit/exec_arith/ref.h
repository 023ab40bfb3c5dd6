/* ref.h - floating-point reference in 128-bit floats: an exact (or oddly rounded) result is computed there and rounded
 * once to the format at hand by the definition: a whole number of units in the last place. */
#ifndef REF_H
#define REF_H

#include "rig.h"

typedef __float128 exact;

enum mode { REF_RN, REF_RZ, REF_RM, REF_RP, REF_RNA };

/* A binary format: bits of precision with the hidden one, exponent of the smallest normal, largest finite value. */
struct format {
    int prec, emin;
    exact max;
};
extern const struct format REF_F16, REF_BF16, REF_TF32, REF_F32, REF_F64, REF_E4M3, REF_E5M2, REF_E2M3, REF_E3M2,
    REF_E2M1;

exact ref_round(exact x, const struct format *f, enum mode mode);
/* .ftz of arithmetic: zero where x, rounded as if exponents had no end, is less than the smallest normal number. */
exact ref_round_ftz(exact x, const struct format *f, enum mode mode);
exact ref_scale(int exponent); /* 2^exponent */
exact ref_nan(void);
bool ref_is_nan(exact x);
bool ref_is_inf(exact x);
bool ref_sign(exact x);

/* Rounded to odd where 113 bits do not hold it; zeros have the sign that the mode gives. */
exact ref_add(exact a, exact b, enum mode mode);
exact ref_fma(exact a, exact b, exact c, enum mode mode);
exact ref_sqrt(exact a);
/* To a whole number. */
exact ref_whole(exact x, enum mode mode);

/* A pattern's value. */
exact ref_of_half(u32 h, int exponent_bits, int fraction_bits);

static inline exact ref_flush(exact x) /* as .ftz of f32 does */
{
    exact tiny = ref_scale(-126);
    return x > -tiny && x < tiny ? (ref_sign(x) ? -(exact)0 : (exact)0) : x;
}
static inline exact ref_sat(exact x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

/* Equal as values, zeros by sign too; NaN equals NaN. */
bool ref_same(exact a, exact b);

#endif
