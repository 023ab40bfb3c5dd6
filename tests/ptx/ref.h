/* ref.h - what PTX instructions compute, written a second time and without the engine: integers in 128-bit C
 * arithmetic, floating point in software, in binary128 rounded to odd and then once to the type. Slow and plain.
 *
 *     struct ref r;
 *     if (ref_parse("fma.rn.ftz.f32", &r)) ref_eval(&r, in, out);
 *
 * Values are the bits of the operands, zero-extended. */
#ifndef PTX_REF_H
#define PTX_REF_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;
typedef __int128 i128;
typedef unsigned __int128 u128;

enum kind { KIND_NONE, KIND_U, KIND_S, KIND_B, KIND_F, KIND_PRED };
enum rounding { RN, RZ, RM, RP, RNA };

/* A type: its kind and bits, and of floats the precision (with the hidden bit) and the least normal exponent. */
struct type {
    const char *name;
    enum kind kind;
    unsigned bits;
    int precision, least;
    bool pair; /* two of them in 32 bits */
};
const struct type *type_find(const char *name, unsigned len);

enum { REF_TOKENS = 10 };
struct ref {
    char text[96];
    char tok[REF_TOKENS][24]; /* the parts between dots */
    unsigned n;
    const struct type *d, *a; /* of the destination and the sources: the first and the last type named */
    enum rounding rnd;
    bool rounded;  /* a rounding is written */
    bool integral; /* .rni .rzi .rmi .rpi */
    bool ftz, sat, relu, nan, xorsign, satfinite, abs;
    unsigned sources;    /* how many operands are read: min and max have forms with two and three */
    int imm;             /* lop3's table */
    unsigned operation;  /* of atom and red: which token says what is done */
    bool vector, shared; /* of atom and red */
    bool negate;         /* the predicate operand is negated */
    int (*eval)(const struct ref *r, const u64 *in, u64 *out);
};

/* False: not an instruction that this file knows. */
bool ref_parse(const char *op, struct ref *r);
bool ref_has(const struct ref *r, const char *token);
void ref_eval(const struct ref *r, const u64 *in, u64 *out);

/* ref_float.c */
int float_eval(const struct ref *r, const u64 *in, u64 *out);
int cvt_eval(const struct ref *r, const u64 *in, u64 *out);
int setp_eval(const struct ref *r, const u64 *in, u64 *out);
int set_eval(const struct ref *r, const u64 *in, u64 *out);
u64 float_atomic(const struct ref *r, const char *op, const struct type *t, u64 old, u64 b);
bool float_is_nan(const struct type *t, u64 bits);
u64 float_flush(const struct type *t, u64 bits); /* subnormals to zero, sign kept */
/* The exact value that an approximation stands for; NaN and infinities are themselves. */
long double approx_truth(const struct ref *r, const u64 *in);
long double float_value(const struct type *t, u64 bits);

static inline u64 low_bits(unsigned n) { return n >= 64 ? ~(u64)0 : ((u64)1 << n) - 1; }
static inline i64 sign_extend(u64 x, unsigned bits) { return (i64)(x << (64 - bits)) >> (64 - bits); }

#endif
