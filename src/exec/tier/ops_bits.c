/* ops_bits.c - integers that ops.c has not: fields, permutations, 16 bits, high halves of 64 bits, addresses of windows
 * (exec/ops/int.inc, logic.inc, move.inc, address.inc). */
#include "exec/tier/ops_make.h"

/* ---- 16 bits ---- */

/* Amounts above the width count as the width. x[0] is extended as its sign says. */
static llvm_value make_shift_16(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value top = gen_const(e, 'i', 16);
    llvm_value n = B(Select, B(ICmp, LLVM_UGT, x[1], top), top, x[1]);
    (void)r;
    return B(BinOp, (enum llvm_opcode)op->arg, x[0], n);
}

static llvm_value make_divide_16(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value zero = gen_const(e, 'i', 0), by_zero = B(ICmp, LLVM_EQ, x[1], zero);
    llvm_value by = B(Select, by_zero, gen_const(e, 'i', 1), x[1]);
    llvm_value v = op_divide_32(e, (enum llvm_opcode)op->arg, x[0], by);
    (void)r;
    return B(Select, by_zero, B(Not, zero), v);
}

/* The product of 16-bit values, its part from bit arg on, and c. */
static llvm_value make_product_16(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value p = B(Mul, x[0], x[1]);
    (void)r;
    if (op->arg)
        p = B(AShr, p, gen_const(e, 'i', (u64)op->arg));
    return op->spec[3] ? B(Add, p, x[2]) : p;
}

static llvm_value make_neg_16(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    llvm_value v = B(Neg, x[0]);
    return op->arg ? B(Select, B(ICmp, LLVM_SLT, x[0], gen_const(e, 'i', 0)), v, x[0]) : v;
}

/* ---- 64 bits ---- */

/* arg: signed. By parts of 32 bits; a negative operand counts 2^64 too much. */
static llvm_value make_mul_hi_64(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value n = gen_const(e, 'l', 32), low = gen_const(e, 'l', UINT32_MAX), sign = gen_const(e, 'l', 63);
    llvm_value al = B(And, x[0], low), ah = B(LShr, x[0], n), bl = B(And, x[1], low), bh = B(LShr, x[1], n);
    llvm_value cross = B(Add, B(Mul, ah, bl), B(LShr, B(Mul, al, bl), n));
    llvm_value other = B(Add, B(Mul, al, bh), B(And, cross, low));
    llvm_value h = B(Add, B(Add, B(Mul, ah, bh), B(LShr, cross, n)), B(LShr, other, n));
    (void)r;
    if (op->arg) {
        h = B(Sub, h, B(And, B(AShr, x[0], sign), x[1]));
        h = B(Sub, h, B(And, B(AShr, x[1], sign), x[0]));
    }
    return op->spec[3] ? B(Add, h, x[2]) : h;
}

/* ---- fields ---- */

/* bfe of 64 bits: all of position and length count. arg: signed. */
static llvm_value make_bfe_64(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value top = gen_const(e, 'l', 63), zero = gen_const(e, 'l', 0), one = gen_const(e, 'l', 1);
    llvm_value pos = B(ZExt, x[1], gen_type(e, 'l')), len = B(ZExt, x[2], gen_type(e, 'l'));
    llvm_value far = B(ICmp, LLVM_UGT, pos, top), all = B(ICmp, LLVM_UGT, len, top);
    (void)r;
    if (op->arg) {
        llvm_value field = B(AShr, x[0], B(Select, far, top, pos));
        llvm_value n = B(Select, all, zero, B(And, B(Sub, gen_const(e, 'l', 64), len), top));
        return B(Select, B(ICmp, LLVM_EQ, len, zero), zero, B(AShr, B(Shl, field, n), n));
    }
    llvm_value field = B(Select, far, zero, B(LShr, x[0], B(And, pos, top)));
    return B(Select, all, field, B(And, field, B(Sub, B(Shl, one, B(And, len, top)), one)));
}

/* bfi f, a, b, pos, len. */
static llvm_value make_bfi(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const char c = op->spec[0];
    llvm_value top = gen_const(e, c, c == 'l' ? 63 : 31), one = gen_const(e, c, 1), zero = gen_const(e, c, 0);
    llvm_value pos = x[2], len = x[3];
    (void)r;
    if (c == 'l')
        pos = B(ZExt, pos, gen_type(e, 'l')), len = B(ZExt, len, gen_type(e, 'l'));
    else
        pos = B(And, pos, gen_const(e, 'i', 255)), len = B(And, len, gen_const(e, 'i', 255));
    llvm_value n = B(And, pos, top);
    llvm_value field = B(Select, B(ICmp, LLVM_UGT, len, top), B(Not, zero), B(Sub, B(Shl, one, B(And, len, top)), one));
    llvm_value keep = B(Select, B(ICmp, LLVM_UGT, pos, top), zero, B(Shl, field, n));
    return B(Or, B(And, x[1], B(Not, keep)), B(And, B(Shl, x[0], n), keep));
}

/* The first bit that is no sign bit. arg: signed, as a shift's amount (2). */
static llvm_value make_bfind(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const char c = op->spec[1];
    llvm_value zero = gen_const(e, c, 0), a = x[0];
    (void)r;
    if (op->arg & 1)
        a = B(Select, B(ICmp, LLVM_SLT, a, zero), B(Not, a), a);
    llvm_value args[] = {a, gen_int(e, e->i1, 0)};
    llvm_value n = gen_call_of(e, "llvm.ctlz", args, 2);
    if (!(op->arg & 2))
        n = B(Sub, gen_const(e, c, c == 'l' ? 63 : 31), n);
    if (c == 'l')
        n = B(Trunc, n, gen_type(e, 'i'));
    return B(Select, B(ICmp, LLVM_EQ, a, zero), gen_const(e, 'i', UINT32_MAX), n);
}

/* ---- bytes ---- */

static llvm_value make_prmt(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_type wide = gen_type(e, 'l');
    llvm_value both = B(Or, B(ZExt, x[0], wide), B(Shl, B(ZExt, x[1], wide), gen_const(e, 'l', 32)));
    llvm_value select = B(ZExt, x[2], wide), sum = gen_const(e, 'i', 0), zero = gen_const(e, 'i', 0);
    (void)op, (void)r;
    for (u32 k = 0; k < 4; k++) {
        llvm_value nibble = B(LShr, select, gen_const(e, 'l', 4ull * k));
        llvm_value from = B(Shl, B(And, nibble, gen_const(e, 'l', 7)), gen_const(e, 'l', 3));
        llvm_value byte = B(And, B(Trunc, B(LShr, both, from), gen_type(e, 'i')), gen_const(e, 'i', 255));
        llvm_value sign = B(And, B(Sub, zero, B(LShr, byte, gen_const(e, 'i', 7))), gen_const(e, 'i', 255));
        llvm_value is_sign = B(ICmp, LLVM_NE, B(And, nibble, gen_const(e, 'l', 8)), gen_const(e, 'l', 0));
        sum = B(Or, sum, B(Shl, B(Select, is_sign, sign, byte), gen_const(e, 'i', 8ull * k)));
    }
    return sum;
}

/* The sum of four products of bytes. arg bit 0: a's are signed, 1: b's. */
static llvm_value part(struct gen *e, llvm_value x, u32 at, u32 bits, bool sign)
{
    llvm_value up = B(Shl, x, gen_const(e, 'i', 32 - at - bits)), n = gen_const(e, 'i', 32 - bits);
    return sign ? B(AShr, up, n) : B(LShr, up, n);
}

static llvm_value make_dp4a(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value sum = x[2];
    (void)r;
    for (u32 k = 0; k < 4; k++)
        sum = B(Add, sum, B(Mul, part(e, x[0], 8 * k, 8, op->arg & 1), part(e, x[1], 8 * k, 8, op->arg & 2)));
    return sum;
}

/* ---- selections ---- */

/* c >= 0 ? a : b. */
static llvm_value make_slct(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    llvm_value yes = op->spec[3] == 'f' ? B(FCmp, LLVM_OGE, x[2], gen_real(e, 'f', 0))
                                        : B(ICmp, LLVM_SGE, x[2], gen_const(e, 'i', 0));
    return B(Select, yes, x[0], x[1]);
}

/* The sign of a, the rest of b. */
static llvm_value make_copysign(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const char c = op->spec[0];
    llvm_value sign = gen_const(e, c, c == 'l' ? (u64)1 << 63 : 0x80000000);
    (void)r;
    return B(Or, B(And, x[0], sign), B(And, x[1], B(Not, sign)));
}

/* |a - b| + c. arg: enum llvm_icmp of "less". */
static llvm_value make_sad(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    llvm_value less = B(ICmp, (enum llvm_icmp)op->arg, x[0], x[1]);
    return B(Add, x[2], B(Select, less, B(Sub, x[1], x[0]), B(Sub, x[0], x[1])));
}

static llvm_value make_saturated(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return gen_call_of(e, op->arg ? "llvm.ssub.sat" : "llvm.sadd.sat", x, 2);
}

/* ---- addresses: of a window of the generic address space ---- */

/* arg: where warp has the window's base; bit 16: from generic. */
enum { FROM_GENERIC = 1 << 16 };
static llvm_value make_cvta(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value base = gen_load(e, e->i64, gen_at(e, e->w, (u64)(op->arg & 0xffff)), 8);
    (void)r;
    if (e->vec)
        base = gen_splat(e, base);
    return op->arg & FROM_GENERIC ? B(Sub, x[0], base) : B(Add, x[0], base);
}

/* clang-format off */ // rows
#define DP4A(TA, TB, how) ROW(dp4a_##TA##_##TB, "iiii", make_dp4a, AFFINE_NO, .arg = how)
#define BFIND(T, l, how)                                                                                               \
    ROW(bfind_##T, "i" l, make_bfind, AFFINE_NO, .arg = how) ROW(bfind_shiftamt_##T, "i" l, make_bfind, AFFINE_NO, .arg = (how) | 2)
#define CVTA(space)                                                                                                    \
    ROW(cvta_##space##_u64, "ll", make_cvta, AFFINE_NO, .arg = offsetof(struct warp, space##_window))                  \
    ROW(cvta_to_##space##_u64, "ll", make_cvta, AFFINE_NO, .arg = offsetof(struct warp, space##_window) | FROM_GENERIC)

static const struct op rows[] = {
    ROW(shl_b16, "hhi", make_shift_16, AFFINE_NO, .arg = LLVM_OP_SHL) ROW(shr_u16, "hhi", make_shift_16, AFFINE_NO, .arg = LLVM_OP_LSHR)
    ROW(shr_s16, "ssi", make_shift_16, AFFINE_NO, .arg = LLVM_OP_ASHR)
    ROW(div_u16, "hhh", make_divide_16, AFFINE_NO, .arg = LLVM_OP_UDIV) ROW(rem_u16, "hhh", make_divide_16, AFFINE_NO, .arg = LLVM_OP_UREM)
    ROW(div_s16, "sss", make_divide_16, AFFINE_NO, .arg = LLVM_OP_SDIV) ROW(rem_s16, "sss", make_divide_16, AFFINE_NO, .arg = LLVM_OP_SREM)
    ROW(mul_wide_u16, "ihh", make_product_16, AFFINE_NO, .arg = 0) ROW(mul_wide_s16, "iss", make_product_16, AFFINE_NO, .arg = 0)
    ROW(mad_wide_u16, "ihhi", make_product_16, AFFINE_NO, .arg = 0) ROW(mad_wide_s16, "issi", make_product_16, AFFINE_NO, .arg = 0)
    ROW(mul_hi_u16, "hhh", make_product_16, AFFINE_NO, .arg = 16) ROW(mul_hi_s16, "sss", make_product_16, AFFINE_NO, .arg = 16)
    ROW(mad_hi_u16, "hhhh", make_product_16, AFFINE_NO, .arg = 16) ROW(mad_hi_s16, "ssss", make_product_16, AFFINE_NO, .arg = 16)
    ROW(neg_s16, "ss", make_neg_16, AFFINE_NO, .arg = 0) ROW(abs_s16, "ss", make_neg_16, AFFINE_NO, .arg = 1)
    ROW(mul_hi_u64, "lll", make_mul_hi_64, AFFINE_NO, .arg = 0) ROW(mul_hi_s64, "lll", make_mul_hi_64, AFFINE_NO, .arg = 1)
    ROW(mad_hi_u64, "llll", make_mul_hi_64, AFFINE_NO, .arg = 0) ROW(mad_hi_s64, "llll", make_mul_hi_64, AFFINE_NO, .arg = 1)
    ROW(bfe_u64, "llii", make_bfe_64, AFFINE_NO, .arg = 0) ROW(bfe_s64, "llii", make_bfe_64, AFFINE_NO, .arg = 1)
    ROW(bfi_b32, "iiiii", make_bfi, AFFINE_NO, ) ROW(bfi_b64, "lllii", make_bfi, AFFINE_NO, )
    BFIND(u32, "i", 0) BFIND(s32, "i", 1) BFIND(u64, "l", 0) BFIND(s64, "l", 1)
    ROW(prmt_b32, "iiii", make_prmt, AFFINE_NO, )
    DP4A(u32, u32, 0) DP4A(s32, u32, 1) DP4A(u32, s32, 2) DP4A(s32, s32, 3)
    ROW(slct_b32_s32, "iiii", make_slct, AFFINE_NO, ) ROW(slct_b64_s32, "llli", make_slct, AFFINE_NO, )
    ROW(slct_b32_f32, "iiif", make_slct, AFFINE_NO, ) ROW(slct_b64_f32, "lllf", make_slct, AFFINE_NO, )
    ROW(copysign_f32, "iii", make_copysign, AFFINE_NO, ) ROW(copysign_f64, "lll", make_copysign, AFFINE_NO, )
    ROW(sad_u32, "iiii", make_sad, AFFINE_NO, .arg = LLVM_ULT) ROW(sad_s32, "iiii", make_sad, AFFINE_NO, .arg = LLVM_SLT)
    ROW(sad_u64, "llll", make_sad, AFFINE_NO, .arg = LLVM_ULT) ROW(sad_s64, "llll", make_sad, AFFINE_NO, .arg = LLVM_SLT)
    ROW(add_sat_s32, "iii", make_saturated, AFFINE_NO, .arg = 0) ROW(sub_sat_s32, "iii", make_saturated, AFFINE_NO, .arg = 1)
    CVTA(shared) CVTA(local)
};
/* clang-format on */

const struct op_rows ops_bits = {rows, LS_ARRAY_LEN(rows)};
