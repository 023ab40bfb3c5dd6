/* ops_half.c - f16 and bf16, one at a time and in pairs (exec/ops/half.inc, cvt_half.inc, halves.h): the same steps by
 * way of f32, but for the processor's own conversions between f16 and f32, which round like the integer ones there. */
#include "exec/tier/ops_make.h"

/* Flags of op.arg beside FTZ and SAT. */
enum { H_ADD, H_SUB, H_MUL, H_FMA, H_NEG, H_ABS, BF16 = 1024, PAIR = 2048 };

static llvm_type half_type(struct gen *e) { return op_type(e, e->ll->HalfTypeInContext(e->context)); }

/* h: the pattern in 32 bits; what is above it does not matter. */
static llvm_value widened(struct gen *e, llvm_value h, bool bf)
{
    if (bf)
        return B(BitCast, B(Shl, h, gen_const(e, 'i', 16)), gen_type(e, 'f'));
    return B(FPExt, B(BitCast, B(Trunc, h, op_type(e, e->i16)), half_type(e)), gen_type(e, 'f'));
}

static llvm_value narrowed(struct gen *e, llvm_value x, bool bf)
{
    llvm_value u, bits = B(BitCast, x, gen_type(e, 'i'));
    if (bf) {
        llvm_value odd = B(And, B(LShr, bits, gen_const(e, 'i', 16)), gen_const(e, 'i', 1));
        u = B(LShr, B(Add, B(Add, bits, gen_const(e, 'i', 0x7fff)), odd), gen_const(e, 'i', 16));
    } else {
        u = B(ZExt, B(BitCast, B(FPTrunc, x, half_type(e)), op_type(e, e->i16)), gen_type(e, 'i'));
    }
    return B(Select, B(FCmp, LLVM_UNO, x, x), gen_const(e, 'i', 0x7fff), u);
}

/* An f64 rounded to odd. */
static llvm_value odd_f32(struct gen *e, llvm_value x)
{
    llvm_value r = op_narrow_f64(e, x), back = op_widen_f32(e, r), u = B(BitCast, r, gen_type(e, 'i'));
    llvm_value ax = gen_call_of(e, "llvm.fabs", &x, 1), ab = gen_call_of(e, "llvm.fabs", &back, 1);
    llvm_value past = B(ZExt, B(FCmp, LLVM_OGT, ab, ax), gen_type(e, 'i'));
    llvm_value odd = B(Or, B(Sub, u, past), gen_const(e, 'i', 1));
    return B(Select, B(Or, B(FCmp, LLVM_OEQ, back, x), B(FCmp, LLVM_UNO, x, x)), r, B(BitCast, odd, gen_type(e, 'f')));
}

/* p + q rounded to odd. c: 'f' or 'd'. */
static llvm_value odd_sum(struct gen *e, llvm_value p, llvm_value q, char c)
{
    const char i = c == 'f' ? 'i' : 'l';
    llvm_value s = B(FAdd, p, q), t = B(FSub, s, p), zero = gen_real(e, c, 0);
    llvm_value err = B(FAdd, B(FSub, p, B(FSub, s, t)), B(FSub, q, t));
    llvm_value u = B(BitCast, s, gen_type(e, i)), one = gen_const(e, i, 1), ones = B(Not, gen_const(e, i, 0));
    llvm_value apart = B(Xor, B(FCmp, LLVM_OGT, err, zero), B(FCmp, LLVM_OGT, s, zero));
    llvm_value exact = B(Or, B(FCmp, LLVM_FUEQ, err, zero), B(ICmp, LLVM_NE, B(And, u, one), gen_const(e, i, 0)));
    return B(Select, exact, s, B(BitCast, B(Add, u, B(Select, apart, ones, one)), gen_type(e, c)));
}

static llvm_value arithmetic(struct gen *e, int which, bool bf, llvm_value *h)
{
    llvm_value x[3], p;
    if (which == H_NEG || which == H_ABS) {
        llvm_value u =
            which == H_NEG ? B(Xor, h[0], gen_const(e, 'i', 0x8000)) : B(And, h[0], gen_const(e, 'i', 0x7fff));
        llvm_value nan =
            B(ICmp, LLVM_UGT, B(And, u, gen_const(e, 'i', 0x7fff)), gen_const(e, 'i', bf ? 0x7f80 : 0x7c00));
        return B(Select, nan, gen_const(e, 'i', 0x7fff), u);
    }
    for (int k = 0; k < (which == H_FMA ? 3 : 2); k++)
        x[k] = widened(e, h[k], bf);
    switch (which) {
    case H_ADD:
        return narrowed(e, B(FAdd, x[0], x[1]), bf);
    case H_SUB:
        return narrowed(e, B(FSub, x[0], x[1]), bf);
    default:
        break;
    }
    if (!bf) {
        p = B(FMul, x[0], x[1]);
        return narrowed(e, which == H_FMA ? odd_sum(e, p, x[2], 'f') : p, false);
    }
    p = B(FMul, op_widen_f32(e, x[0]), op_widen_f32(e, x[1]));
    if (which == H_FMA)
        p = odd_sum(e, p, op_widen_f32(e, x[2]), 'd');
    return narrowed(e, odd_f32(e, p), true);
}

static llvm_value low_part(struct gen *e, llvm_value x) { return B(And, x, gen_const(e, 'i', 0xffff)); }
static llvm_value high_part(struct gen *e, llvm_value x) { return B(LShr, x, gen_const(e, 'i', 16)); }
static llvm_value pair_of(struct gen *e, llvm_value low, llvm_value high)
{
    return B(Or, low, B(Shl, high, gen_const(e, 'i', 16)));
}

static llvm_value make_half(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const int which = op->arg & 255, n = op->spec[2] ? op->spec[3] ? 3 : 2 : 1;
    const bool bf = op->arg & BF16;
    llvm_value low[3], high[3];
    (void)r;
    if (!(op->arg & PAIR))
        return arithmetic(e, which, bf, x);
    for (int k = 0; k < n; k++)
        low[k] = low_part(e, x[k]), high[k] = high_part(e, x[k]);
    return pair_of(e, arithmetic(e, which, bf, low), arithmetic(e, which, bf, high));
}

static llvm_value make_half_compare(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const bool bf = op->arg & BF16;
    (void)r;
    return B(FCmp, (enum llvm_fcmp)(op->arg & 255), widened(e, x[0], bf), widened(e, x[1], bf));
}

/* ---- conversions ---- */

static llvm_value make_widen(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return widened(e, x[0], false);
}

/* A shift to an H200: NaNs keep their bits. */
static llvm_value make_widen_bits(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return B(Shl, x[0], gen_const(e, 'i', 16));
}

static llvm_value make_narrow(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return narrowed(e, x[0], op->arg & BF16);
}

/* The first operand is the high half. */
static llvm_value make_narrow_pair(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const bool bf = op->arg & BF16;
    (void)r;
    return pair_of(e, narrowed(e, x[1], bf), narrowed(e, x[0], bf));
}

/* From at most 32 bits. arg: signed, BF16. */
static llvm_value make_half_of_int(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_type d = gen_type(e, 'd');
    (void)r;
    return narrowed(e, odd_f32(e, op->arg & 1 ? B(SIToFP, x[0], d) : B(UIToFP, x[0], d)), op->arg & BF16);
}

/* clang-format off */ // rows
#define HALF(name, H, s, pairs, which, kind)                                                                           \
    ROW(name##_##H, s, make_half, AFFINE_NO, .arg = (which) | (kind))                                                  \
    ROW(name##_##H##x2, pairs, make_half, AFFINE_NO, .arg = (which) | (kind) | PAIR)
#define HALVES(H, kind)                                                                                                \
    HALF(add, H, "hhh", "iii", H_ADD, kind) HALF(sub, H, "hhh", "iii", H_SUB, kind) HALF(mul, H, "hhh", "iii", H_MUL, kind) \
    HALF(fma, H, "hhhh", "iiii", H_FMA, kind) HALF(neg, H, "hh", "ii", H_NEG, kind) HALF(abs, H, "hh", "ii", H_ABS, kind)
#define COMPARE(cmp, H, how, kind) ROW(setp_##cmp##_##H, "phh", make_half_compare, AFFINE_NO, .arg = (how) | (kind))
#define COMPARES(H, kind)                                                                                              \
    COMPARE(eq, H, LLVM_OEQ, kind) COMPARE(ne, H, LLVM_ONE, kind) COMPARE(lt, H, LLVM_OLT, kind)                       \
    COMPARE(le, H, LLVM_OLE, kind) COMPARE(gt, H, LLVM_OGT, kind) COMPARE(ge, H, LLVM_OGE, kind)                       \
    COMPARE(equ, H, LLVM_FUEQ, kind) COMPARE(neu, H, LLVM_FUNE, kind) COMPARE(ltu, H, LLVM_FULT, kind)                 \
    COMPARE(leu, H, LLVM_FULE, kind) COMPARE(gtu, H, LLVM_FUGT, kind) COMPARE(geu, H, LLVM_FUGE, kind)                 \
    COMPARE(num, H, LLVM_ORD, kind) COMPARE(nan, H, LLVM_UNO, kind)
#define FROM_INT(H, kind)                                                                                              \
    ROW(cvt_rn_##H##_u16, "hh", make_half_of_int, AFFINE_NO, .arg = (kind))                                            \
    ROW(cvt_rn_##H##_s16, "hs", make_half_of_int, AFFINE_NO, .arg = 1 | (kind))                                        \
    ROW(cvt_rn_##H##_u32, "hi", make_half_of_int, AFFINE_NO, .arg = (kind))                                            \
    ROW(cvt_rn_##H##_s32, "hi", make_half_of_int, AFFINE_NO, .arg = 1 | (kind))

static const struct op rows[] = {
    HALVES(f16, 0) HALVES(bf16, BF16)
    COMPARES(f16, 0) COMPARES(bf16, BF16)
    FROM_INT(f16, 0) FROM_INT(bf16, BF16)
    ROW(cvt_f32_f16, "fh", make_widen, AFFINE_NO, ) ROW(cvt_f32_bf16, "ih", make_widen_bits, AFFINE_NO, )
    ROW(cvt_rn_f16_f32, "hf", make_narrow, AFFINE_NO, .arg = 0) ROW(cvt_rn_bf16_f32, "hf", make_narrow, AFFINE_NO, .arg = BF16)
    ROW(cvt_rn_f16x2_f32, "iff", make_narrow_pair, AFFINE_NO, .arg = 0) ROW(cvt_rn_bf16x2_f32, "iff", make_narrow_pair, AFFINE_NO, .arg = BF16)
};
/* clang-format on */

const struct op_rows ops_half = {rows, LS_ARRAY_LEN(rows)};
