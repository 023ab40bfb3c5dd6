/* ops_convert.c - cvt among integers, f32 and f64 (exec/ops/cvt.inc). */
#include "exec/tier/ops_make.h"

/* Integer to integer: cut to the source's width, extended as its sign says, cut to the result's. arg: source bits and
 * sign, result bits and sign. */
#define CVT_ARG(abits, asign, dbits) ((abits) | (asign) << 8 | (dbits) << 16)
static llvm_value make_cvt_int(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const u32 abits = op->arg & 255, asign = op->arg >> 8 & 1, dbits = (u32)op->arg >> 16;
    llvm_value v = x[0];
    (void)r;
    if (abits < 32) {
        llvm_value n = gen_const(e, 'i', 32 - abits);
        v = asign ? B(AShr, B(Shl, v, n), n) : B(LShr, B(Shl, v, n), n);
    }
    if (abits == 64 && dbits < 64)
        v = B(Trunc, v, gen_type(e, 'i'));
    if (abits < 64 && dbits == 64)
        return asign ? B(SExt, v, gen_type(e, 'l')) : B(ZExt, v, gen_type(e, 'l'));
    return dbits < 32 ? B(And, v, gen_const(e, 'i', ((u64)1 << dbits) - 1)) : v;
}

/* Integer to float, to nearest. arg as above; dbits is the float's. */
static llvm_value make_cvt_to_float(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const u32 abits = op->arg & 255, asign = op->arg >> 8 & 1;
    llvm_value v = x[0];
    (void)r;
    if (abits < 32) {
        llvm_value n = gen_const(e, 'i', 32 - abits);
        v = asign ? B(AShr, B(Shl, v, n), n) : B(LShr, B(Shl, v, n), n);
    }
    return asign ? B(SIToFP, v, gen_type(e, op->spec[0])) : B(UIToFP, v, gen_type(e, op->spec[0]));
}

/* Float to integer: rounded, clamped; a NaN gives 0, but 2^(bits - 1) from an f64 or to 64 bits. arg: how it rounds,
 * UNSIGNED, FTZ, and the result's bits << 16. */
enum { R_NEAR, R_ZERO, R_DOWN, R_UP, UNSIGNED = 4 };
static const char *const rounds[] = {"llvm.rint", "llvm.trunc", "llvm.floor", "llvm.ceil"};

/* A whole number as one of `bits`, clamped; a NaN gives 0. llvm.fptosi.sat would go lane by lane. */
static llvm_value clamped(struct gen *e, llvm_value a, char letter, u32 bits, bool sign)
{
    const char to = bits == 64 ? 'l' : 'i';
    const u64 one = 1, top = sign ? (one << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : (one << bits) - 1;
    const double end = (double)(one << (bits - 1)) * (sign ? 1 : 2), low = sign ? -end : 0;
    llvm_value small = B(FCmp, LLVM_OLT, a, gen_real(e, letter, low));
    llvm_value large = B(FCmp, LLVM_OGE, a, gen_real(e, letter, end));
    llvm_value in =
        B(And, B(FCmp, LLVM_OGE, a, gen_real(e, letter, low)), B(FCmp, LLVM_OLT, a, gen_real(e, letter, end)));
    llvm_value x = B(Select, in, a, gen_real(e, letter, 0));
    llvm_value v = sign ? B(FPToSI, x, gen_type(e, to)) : B(FPToUI, x, gen_type(e, to));
    v = B(Select, large, gen_const(e, to, top), v);
    if (sign)
        v = B(Select, small, gen_const(e, to, ~top), v);
    return bits < 32 ? B(And, v, gen_const(e, to, (one << bits) - 1)) : v;
}

static llvm_value make_cvt_from_float(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const u32 bits = (u32)op->arg >> 16;
    const bool f64_source = op->spec[1] == 'd';
    llvm_value a = op->arg & FTZ ? op_flush(e, x[0]) : x[0];
    (void)r;
    a = gen_call_of(e, rounds[op->arg & 3], &a, 1);
    llvm_value v = clamped(e, a, op->spec[1], bits, !(op->arg & UNSIGNED));
    if (f64_source || bits == 64)
        v = B(Select, B(FCmp, LLVM_UNO, a, a), gen_const(e, bits == 64 ? 'l' : 'i', (u64)1 << (bits - 1)), v);
    return v;
}

/* To whole numbers of the same type. */
static llvm_value make_round(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value a = op->arg & FTZ ? op_flush(e, x[0]) : x[0];
    llvm_value v = gen_call_of(e, rounds[op->arg & 3], &a, 1);
    (void)r;
    if (op->spec[0] == 'd')
        return op_quiet_f64(e, x[0], v);
    return op->arg & SAT ? op_saturate(e, v) : v;
}

static llvm_value make_copy_f32(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value v = op->arg & FTZ ? op_flush(e, x[0]) : x[0];
    (void)r;
    return op->arg & SAT ? op_saturate(e, v) : v;
}

/* Integer to integer, clamped, from at most 32 bits or s64: in 64 bits. arg: CVT_ARG, the result is signed: bit 9. */
enum { TO_SIGNED = 512 };
static llvm_value make_cvt_clamp(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const u32 abits = op->arg & 255, asign = op->arg >> 8 & 1, bits = (u32)op->arg >> 16;
    const i64 top = op->arg & TO_SIGNED ? ((i64)1 << (bits - 1)) - 1 : ((i64)1 << bits) - 1;
    const i64 low = op->arg & TO_SIGNED ? -((i64)1 << (bits - 1)) : 0;
    llvm_value v = x[0];
    (void)r;
    if (abits < 64)
        v = asign ? B(SExt, v, gen_type(e, 'l')) : B(ZExt, v, gen_type(e, 'l'));
    v = B(Select, B(ICmp, LLVM_SLT, v, gen_const(e, 'l', (u64)low)), gen_const(e, 'l', (u64)low), v);
    v = B(Select, B(ICmp, LLVM_SGT, v, gen_const(e, 'l', (u64)top)), gen_const(e, 'l', (u64)top), v);
    v = B(Trunc, v, gen_type(e, 'i'));
    return bits < 32 ? B(And, v, gen_const(e, 'i', ((u64)1 << bits) - 1)) : v;
}

static llvm_value make_widen_f32(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return op_widen_f32(e, B(BitCast, x[0], gen_type(e, 'f')));
}

/* A NaN is quieted here, because LLVM takes what was widened before as it was, which may signal. */
static llvm_value make_narrow_f64(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value u = B(BitCast, op_narrow_f64(e, x[0]), gen_type(e, 'i'));
    llvm_value quiet = B(Or, u, gen_const(e, 'i', 0x00400000));
    (void)op, (void)r;
    return B(BitCast, B(Select, B(FCmp, LLVM_UNO, x[0], x[0]), quiet, u), gen_type(e, 'f'));
}

/* clang-format off */ // rows
#define CVT(D, dl, dbits, A, al, abits, asign, aff)                                                                    \
    ROW(cvt_##D##_##A, #dl #al, make_cvt_int, aff, .arg = CVT_ARG(abits, asign, dbits))
#define CVT_TO(D, dl, dbits, same, wide_u, wide_s, cut)                                                                \
    CVT(D, dl, dbits, u8, i, 8, 0, AFFINE_NO)                                                                          \
    CVT(D, dl, dbits, s8, i, 8, 1, AFFINE_NO)                                                                          \
    CVT(D, dl, dbits, u16, i, 16, 0, AFFINE_NO)                                                                        \
    CVT(D, dl, dbits, s16, i, 16, 1, AFFINE_NO) CVT(D, dl, dbits, u32, i, 32, 0, wide_u)                               \
        CVT(D, dl, dbits, s32, i, 32, 1, wide_s) CVT(D, dl, dbits, u64, l, 64, 0, cut)                                 \
            CVT(D, dl, dbits, s64, l, 64, 1, cut)
#define CVT_FLOAT(D, dl)                                                                                               \
    ROW(cvt_rn_##D##_u8, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(8, 0, 0), .exact = true)                \
    ROW(cvt_rn_##D##_s8, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(8, 1, 0), .exact = true)                \
    ROW(cvt_rn_##D##_u16, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(16, 0, 0), .exact = true)              \
    ROW(cvt_rn_##D##_s16, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(16, 1, 0), .exact = true)              \
    ROW(cvt_rn_##D##_u32, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(32, 0, 0), .exact = true)              \
    ROW(cvt_rn_##D##_s32, #dl "i", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(32, 1, 0), .exact = true)              \
    ROW(cvt_rn_##D##_u64, #dl "l", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(64, 0, 0), .exact = true)              \
    ROW(cvt_rn_##D##_s64, #dl "l", make_cvt_to_float, AFFINE_NO, .arg = CVT_ARG(64, 1, 0), .exact = true)
#define CVT_INTS(mods, A, al, how)                                                                                     \
    ROW(cvt_##mods##_u8_##A, "i" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | UNSIGNED | 8 << 16)                \
    ROW(cvt_##mods##_s8_##A, "i" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | 8 << 16)                           \
    ROW(cvt_##mods##_u16_##A, "h" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | UNSIGNED | 16 << 16)              \
    ROW(cvt_##mods##_s16_##A, "h" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | 16 << 16)                         \
    ROW(cvt_##mods##_u32_##A, "i" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | UNSIGNED | 32 << 16)              \
    ROW(cvt_##mods##_s32_##A, "i" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | 32 << 16)                         \
    ROW(cvt_##mods##_u64_##A, "l" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | UNSIGNED | 64 << 16)              \
    ROW(cvt_##mods##_s64_##A, "l" al, make_cvt_from_float, AFFINE_NO, .arg = (how) | 64 << 16)
#define CVT_ROUND(rnd, how)                                                                                            \
    CVT_INTS(rnd, f32, "f", how)                                                                                       \
    CVT_INTS(rnd##_ftz, f32, "f", (how) | FTZ)                                                                         \
    CVT_INTS(rnd, f64, "d", how)                                                                                       \
    ROW(cvt_##rnd##_f32_f32, "ff", make_round, AFFINE_NO, .arg = how)                                                  \
    ROW(cvt_##rnd##_ftz_f32_f32, "ff", make_round, AFFINE_NO, .arg = (how) | FTZ)                                      \
    ROW(cvt_##rnd##_sat_f32_f32, "ff", make_round, AFFINE_NO, .arg = (how) | SAT)                                      \
    ROW(cvt_##rnd##_f64_f64, "dd", make_round, AFFINE_NO, .arg = how)
#define CLAMP(D, dbits, dsign, A, al, abits, asign)                                                                    \
    ROW(cvt_sat_##D##_##A, "i" al, make_cvt_clamp, AFFINE_NO, .arg = CVT_ARG(abits, asign, dbits) | (dsign))
#define CLAMPS(D, dbits, dsign)                                                                                        \
    CLAMP(D, dbits, dsign, u32, "i", 32, 0) CLAMP(D, dbits, dsign, s32, "i", 32, 1) CLAMP(D, dbits, dsign, s64, "l", 64, 1)

static const struct op rows[] = {
    CVT_TO(u8, i, 8, 0, AFFINE_NO, AFFINE_NO, AFFINE_NO) CVT_TO(s8, i, 8, 0, AFFINE_NO, AFFINE_NO, AFFINE_NO)
    CVT_TO(u16, i, 16, 0, AFFINE_NO, AFFINE_NO, AFFINE_NO) CVT_TO(s16, i, 16, 0, AFFINE_NO, AFFINE_NO, AFFINE_NO)
    CVT_TO(u32, i, 32, 0, AFFINE_COPY, AFFINE_COPY, AFFINE_TRUNC) CVT_TO(s32, i, 32, 0, AFFINE_COPY, AFFINE_COPY, AFFINE_TRUNC)
    CVT_TO(u64, l, 64, 0, AFFINE_WIDEN_U, AFFINE_WIDEN_S, AFFINE_COPY) CVT_TO(s64, l, 64, 0, AFFINE_WIDEN_U, AFFINE_WIDEN_S, AFFINE_COPY)
    CVT_FLOAT(f32, f) CVT_FLOAT(f64, d)
    CVT_ROUND(rni, R_NEAR) CVT_ROUND(rzi, R_ZERO) CVT_ROUND(rmi, R_DOWN) CVT_ROUND(rpi, R_UP)
    ROW(cvt_f64_f32, "di", make_widen_f32, AFFINE_NO, ) ROW(cvt_rn_f32_f64, "fd", make_narrow_f64, AFFINE_NO, .exact = true)
    ROW(cvt_sat_f32_f32, "ff", make_copy_f32, AFFINE_NO, .arg = SAT) ROW(cvt_ftz_f32_f32, "ff", make_copy_f32, AFFINE_NO, .arg = FTZ)
    ROW(cvt_ftz_sat_f32_f32, "ff", make_copy_f32, AFFINE_NO, .arg = FTZ | SAT)
    CLAMPS(u8, 8, 0) CLAMPS(s8, 8, TO_SIGNED) CLAMPS(u16, 16, 0) CLAMPS(s16, 16, TO_SIGNED) CLAMPS(u32, 32, 0) CLAMPS(s32, 32, TO_SIGNED)
};
/* clang-format on */

const struct op_rows ops_convert = {rows, LS_ARRAY_LEN(rows)};
