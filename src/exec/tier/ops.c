/* ops.c - the operations that the compiler knows, by the names of their bodies, and how each is made. What a body computes
 * (exec/ops) is what is made here, bit for bit; a test compares them. */
#include "exec/tier/ops.h"

#include <pthread.h>
#include <string.h>

#include "exec/tier/gen.h"
#include "exec/tier/ops_make.h"

/* ---- integers ---- */

static llvm_value make_bin(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return B(BinOp, (enum llvm_opcode)op->arg, x[0], x[1]);
}

static llvm_value make_mad(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return B(Add, B(Mul, x[0], x[1]), x[2]);
}

static llvm_value make_compare_select(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return B(Select, B(ICmp, (enum llvm_icmp)op->arg, x[0], x[1]), x[0], x[1]);
}

static llvm_value make_neg(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return B(Neg, x[0]);
}

static llvm_value make_not(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return B(Not, x[0]);
}

static llvm_value make_abs(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return B(Select, B(ICmp, LLVM_SLT, x[0], gen_const(e, op->spec[0], 0)), B(Neg, x[0]), x[0]);
}

/* The operands widened to 64 bits; arg: they are signed. */
static llvm_value make_mul_wide(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_type t = gen_type(e, 'l');
    llvm_value a = op->arg ? B(SExt, x[0], t) : B(ZExt, x[0], t), b = op->arg ? B(SExt, x[1], t) : B(ZExt, x[1], t);
    llvm_value p = B(Mul, a, b);
    (void)r;
    return op->spec[3] ? B(Add, p, x[2]) : p;
}

static llvm_value make_mul_hi(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_type t = gen_type(e, 'l');
    llvm_value a = op->arg ? B(SExt, x[0], t) : B(ZExt, x[0], t), b = op->arg ? B(SExt, x[1], t) : B(ZExt, x[1], t);
    llvm_value high = B(Trunc, B(LShr, B(Mul, a, b), gen_const(e, 'l', 32)), gen_type(e, 'i'));
    (void)r;
    return op->spec[3] ? B(Add, high, x[2]) : high;
}

/* Amounts above the width count as the width: zero, or the sign. The amount is 32 bits wide. */
static llvm_value make_shift(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const char c = op->spec[0];
    const u64 top = c == 'l' ? 63 : 31;
    llvm_value over = B(ICmp, LLVM_UGT, x[1], gen_const(e, 'i', top));
    llvm_value n = B(And, x[1], gen_const(e, 'i', top));
    (void)r;
    if (op->arg == LLVM_OP_ASHR)
        n = B(Select, over, gen_const(e, 'i', top), n);
    if (c == 'l')
        n = B(ZExt, n, gen_type(e, 'l'));
    llvm_value v = B(BinOp, (enum llvm_opcode)op->arg, x[0], n);
    return op->arg == LLVM_OP_ASHR ? v : B(Select, over, gen_const(e, c, 0), v);
}

/* Funnel shifts of b:a by c; arg bit 0: right, bit 1: clamped. */
static llvm_value make_funnel(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_type wide = gen_type(e, 'l');
    llvm_value n = x[2];
    (void)r;
    if (op->arg & 2)
        n = B(Select, B(ICmp, LLVM_UGT, n, gen_const(e, 'i', 32)), gen_const(e, 'i', 32), n);
    else
        n = B(And, n, gen_const(e, 'i', 31));
    llvm_value whole = B(Or, B(Shl, B(ZExt, x[1], wide), gen_const(e, 'l', 32)), B(ZExt, x[0], wide));
    n = B(ZExt, n, wide);
    llvm_value v = op->arg & 1 ? B(LShr, whole, n) : B(LShr, B(Shl, whole, n), gen_const(e, 'l', 32));
    return B(Trunc, v, gen_type(e, 'i'));
}

/* Any function of three bits, as the sum of its minterms. */
static llvm_value make_lop3(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value sum = gen_const(e, 'i', 0);
    (void)op;
    for (u32 k = 0; k < 8; k++)
        if (r->imm >> k & 1)
            sum = B(
                Or, sum,
                B(And, B(And, k & 4 ? x[0] : B(Not, x[0]), k & 2 ? x[1] : B(Not, x[1])), k & 1 ? x[2] : B(Not, x[2])));
    return sum;
}

static llvm_value make_popc(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    llvm_value v = gen_call_of(e, "llvm.ctpop", x, 1);
    return op->spec[1] == 'l' ? B(Trunc, v, gen_type(e, 'i')) : v;
}

static llvm_value make_clz(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    llvm_value args[] = {x[0], gen_int(e, e->i1, 0)};
    llvm_value v = gen_call_of(e, "llvm.ctlz", args, 2);
    return op->spec[1] == 'l' ? B(Trunc, v, gen_type(e, 'i')) : v;
}

static llvm_value make_brev(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return gen_call_of(e, "llvm.bitreverse", x, 1);
}

/* Bit fields: position and length are the low bytes of b and c. arg: signed. */
static llvm_value make_bfe(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value pos = B(And, x[1], gen_const(e, 'i', 255)), len = B(And, x[2], gen_const(e, 'i', 255));
    llvm_value top = gen_const(e, 'i', 31), zero = gen_const(e, 'i', 0), one = gen_const(e, 'i', 1);
    llvm_value far = B(ICmp, LLVM_UGT, pos, top), all = B(ICmp, LLVM_UGT, len, top);
    (void)r;
    if (op->arg) {
        llvm_value field = B(AShr, x[0], B(Select, far, top, pos));
        llvm_value n = B(Select, all, zero, B(And, B(Sub, gen_const(e, 'i', 32), len), top));
        return B(Select, B(ICmp, LLVM_EQ, len, zero), zero, B(AShr, B(Shl, field, n), n));
    }
    llvm_value field = B(Select, far, zero, B(LShr, x[0], B(And, pos, top)));
    llvm_value keep = B(Sub, B(Shl, one, B(And, len, top)), one);
    return B(Select, all, field, B(And, field, keep));
}

/* Quotients of 32 bits by way of f64: a quotient that is not whole is farther from the next whole number than f64's
 * rounding reaches. Of vectors, because LLVM has a division and eight moves for each lane otherwise. */
static llvm_value divide_by_f64(struct gen *e, enum llvm_opcode how, llvm_value a, llvm_value b)
{
    const bool sign = how == LLVM_OP_SDIV || how == LLVM_OP_SREM;
    llvm_type d = gen_type(e, 'd'), i = gen_type(e, 'i');
    llvm_value x = sign ? B(SIToFP, a, d) : B(UIToFP, a, d), y = sign ? B(SIToFP, b, d) : B(UIToFP, b, d);
    llvm_value f = B(FDiv, x, y), q = sign ? B(FPToSI, f, i) : B(FPToUI, f, i);
    return how == LLVM_OP_SDIV || how == LLVM_OP_UDIV ? q : B(Sub, a, B(Mul, q, b));
}

llvm_value op_divide_32(struct gen *e, enum llvm_opcode how, llvm_value a, llvm_value b)
{
    return e->vec && !e->ll->IsConstant(b) ? divide_by_f64(e, how, a, b) : B(BinOp, how, a, b);
}

/* Division by zero leaves all ones; MIN / -1 is MIN, remainder 0. arg: enum llvm_opcode. */
static llvm_value make_divide(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const char c = op->spec[0];
    const enum llvm_opcode how = (enum llvm_opcode)op->arg;
    const bool sign = how == LLVM_OP_SDIV || how == LLVM_OP_SREM, rem = how == LLVM_OP_SREM || how == LLVM_OP_UREM;
    llvm_value zero = gen_const(e, c, 0), one = gen_const(e, c, 1), ones = B(Not, zero);
    llvm_value by_zero = B(ICmp, LLVM_EQ, x[1], zero), by_minus = B(ICmp, LLVM_EQ, x[1], ones);
    llvm_value odd = sign ? B(Or, by_zero, by_minus) : by_zero, by = B(Select, odd, one, x[1]);
    llvm_value v = c == 'i' ? op_divide_32(e, how, x[0], by) : B(BinOp, how, x[0], by);
    (void)r;
    if (sign)
        v = B(Select, by_minus, rem ? zero : B(Neg, x[0]), v);
    return B(Select, by_zero, ones, v);
}

/* ---- predicates and selections ---- */

static llvm_value make_icmp(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    return B(ICmp, (enum llvm_icmp)op->arg, x[0], x[1]);
}

llvm_value op_flush(struct gen *e, llvm_value x)
{
    llvm_value u = B(BitCast, x, gen_type(e, 'i'));
    llvm_value tiny = B(ICmp, LLVM_EQ, B(And, u, gen_const(e, 'i', 0x7f800000)), gen_const(e, 'i', 0));
    return B(BitCast, B(Select, tiny, B(And, u, gen_const(e, 'i', 0x80000000)), u), gen_type(e, 'f'));
}

static llvm_value make_fcmp(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    if (op->arg & FTZ)
        x[0] = op_flush(e, x[0]), x[1] = op_flush(e, x[1]);
    return B(FCmp, (enum llvm_fcmp)(op->arg & 255), x[0], x[1]);
}

static llvm_value make_select(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)op, (void)r;
    return B(Select, x[2], x[0], x[1]);
}

static llvm_value make_copy(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)e, (void)op, (void)r;
    return x[0];
}

/* ---- f32 and f64 ---- */

enum { F_ADD, F_SUB, F_MUL, F_DIV, F_FMA, F_RCP, F_SQRT };

static llvm_value float_op(struct gen *e, int which, char c, llvm_value *x)
{
    llvm_value args[3] = {x[0], x[1], x[2]};
    switch (which) {
    case F_ADD:
        return B(FAdd, x[0], x[1]);
    case F_SUB:
        return B(FSub, x[0], x[1]);
    case F_MUL:
        return B(FMul, x[0], x[1]);
    case F_DIV:
        return B(FDiv, x[0], x[1]);
    case F_FMA:
        return gen_call_of(e, "llvm.fma", args, 3);
    case F_RCP:
        return B(FDiv, gen_real(e, c, 1.0), x[0]);
    default:
        return gen_call_of(e, "llvm.sqrt", args, 1);
    }
}

/* floats.h says why the flushed forms are done twice, on scaled operands. */
static llvm_value float_ftz(struct gen *e, int which, llvm_value *x)
{
    static const struct {
        double a, b, c;
    } scale[] = {[F_MUL] = {0x1p12, 0x1p12, 1}, [F_DIV] = {0x1p24, 1, 1}, [F_FMA] = {0x1p12, 0x1p12, 0x1p24}};
    const int n = which == F_FMA ? 3 : which == F_RCP || which == F_SQRT ? 1 : 2;
    for (int k = 0; k < n; k++)
        x[k] = op_flush(e, x[k]);
    llvm_value r = float_op(e, which, 'f', x), s;
    if (which == F_SQRT)
        return r;
    if (which == F_ADD || which == F_SUB)
        return op_flush(e, r);
    if (which == F_RCP) {
        s = B(FDiv, gen_real(e, 'f', 0x1p24), x[0]);
    } else {
        llvm_value y[] = {B(FMul, x[0], gen_real(e, 'f', scale[which].a)),
                          scale[which].b == 1 ? x[1] : B(FMul, x[1], gen_real(e, 'f', scale[which].b)),
                          which == F_FMA ? B(FMul, x[2], gen_real(e, 'f', scale[which].c)) : NULL};
        s = float_op(e, which, 'f', y);
    }
    llvm_value u = B(BitCast, s, gen_type(e, 'i'));
    llvm_value tiny = B(ICmp, LLVM_ULT, B(And, u, gen_const(e, 'i', 0x7fffffff)),
                        B(BitCast, gen_real(e, 'f', 0x1p-102), gen_type(e, 'i')));
    return B(Select, tiny, B(BitCast, B(And, u, gen_const(e, 'i', 0x80000000)), gen_type(e, 'f')), r);
}

llvm_value op_saturate(struct gen *e, llvm_value x)
{
    llvm_value zero = gen_real(e, 'f', 0), one = gen_real(e, 'f', 1);
    llvm_value low = B(Select, B(FCmp, LLVM_OLT, x, one), x, one);
    return B(Select, B(FCmp, LLVM_OGT, x, zero), low, zero);
}

static llvm_value make_f32(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const int which = op->arg & 255;
    llvm_value v = op->arg & FTZ ? float_ftz(e, which, x) : float_op(e, which, 'f', x);
    (void)r;
    return op->arg & SAT ? op_saturate(e, v) : v;
}

/* A NaN among the operands is the result, quieted, in the order that an H200 looks at them (floats.h). */
llvm_value op_quiet_f64(struct gen *e, llvm_value x, llvm_value r)
{
    llvm_value q = B(Or, B(BitCast, x, gen_type(e, 'l')), gen_const(e, 'l', 0x0008000000000000));
    return B(Select, B(FCmp, LLVM_UNO, x, x), B(BitCast, q, gen_type(e, 'd')), r);
}

/* Of constants LLVM computes the result, and what an invalid operation gives, as the processor and an H200 do not: a NaN with the
 * sign bit clear. */
static llvm_value signed_nan_of_constants(struct gen *e, const llvm_value *x, size_t n, llvm_value v)
{
    for (size_t k = 0; k < n; k++)
        if (!e->ll->IsConstant(x[k]))
            return v;
    llvm_value nan = B(BitCast, gen_const(e, 'l', 0xfff8000000000000), gen_type(e, 'd'));
    return B(Select, B(FCmp, LLVM_UNO, v, v), nan, v);
}

static llvm_value make_f64(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const int which = op->arg;
    llvm_value v = signed_nan_of_constants(e, x, strlen(op->spec) - 1, float_op(e, which, 'd', x));
    (void)r;
    if (which == F_FMA)
        return op_quiet_f64(e, x[1], op_quiet_f64(e, x[2], op_quiet_f64(e, x[0], v)));
    if (which == F_RCP || which == F_SQRT)
        return op_quiet_f64(e, x[0], v);
    return which == F_DIV ? op_quiet_f64(e, x[0], op_quiet_f64(e, x[1], v))
                          : op_quiet_f64(e, x[1], op_quiet_f64(e, x[0], v));
}

/* Minimum and maximum: a NaN operand gives the other one, and -0 < +0. arg: max, FTZ. */
static llvm_value make_minmax(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const bool max = op->arg & 1;
    (void)r;
    if (op->arg & FTZ)
        x[0] = op_flush(e, x[0]), x[1] = op_flush(e, x[1]);
    llvm_value u = B(BitCast, x[0], gen_type(e, 'i')), v = B(BitCast, x[1], gen_type(e, 'i'));
    llvm_value joined = B(BitCast, max ? B(And, u, v) : B(Or, u, v), gen_type(e, 'f'));
    llvm_value first = B(Or, B(FCmp, max ? LLVM_OGT : LLVM_OLT, x[0], x[1]), B(FCmp, LLVM_UNO, x[1], x[1]));
    return B(Select, first, x[0], B(Select, B(FCmp, LLVM_OEQ, x[0], x[1]), joined, x[1]));
}

/* By the sign bit; a NaN's sign does not matter, for it becomes canonical. arg: neg, FTZ. */
static llvm_value make_sign(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value u = B(BitCast, op->arg & FTZ ? op_flush(e, x[0]) : x[0], gen_type(e, 'i'));
    (void)r;
    u = op->arg & 1 ? B(Xor, u, gen_const(e, 'i', 0x80000000)) : B(And, u, gen_const(e, 'i', 0x7fffffff));
    return B(BitCast, u, gen_type(e, 'f'));
}

static llvm_value make_sign_f64(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value u = B(BitCast, x[0], gen_type(e, 'l'));
    (void)r;
    u = op->arg & 1 ? B(Xor, u, gen_const(e, 'l', (u64)1 << 63)) : B(And, u, gen_const(e, 'l', INT64_MAX));
    return op_quiet_f64(e, x[0], B(BitCast, u, gen_type(e, 'd')));
}

/* ---- approximations: what approx.inc and kernels.h compute, in the same steps ---- */

static llvm_value make_div_approx(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    (void)r;
    if (op->arg & FTZ)
        x[0] = op_flush(e, x[0]), x[1] = op_flush(e, x[1]);
    llvm_type i = gen_type(e, 'i'), f = gen_type(e, 'f');
    llvm_value a = B(BitCast, x[0], i), b = B(BitCast, x[1], i);
    llvm_value size = B(BitCast, B(And, b, gen_const(e, 'i', 0x7fffffff)), f);
    llvm_value zero = B(BitCast, B(And, B(Xor, a, b), gen_const(e, 'i', 0x80000000)), f);
    llvm_value inf = B(BitCast, gen_const(e, 'i', 0x7f800000), f);
    llvm_value huge = B(And, B(FCmp, LLVM_OGT, size, gen_real(e, 'f', 0x1p126)), B(FCmp, LLVM_OLT, size, inf));
    llvm_value v = B(Select, huge, B(FMul, x[0], zero), B(FDiv, x[0], x[1]));
    return op->arg & FTZ ? op_flush(e, v) : v;
}

/* Plain f32 operations whose operands and result are flushed. */
static llvm_value make_f32_flushed(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    const int which = op->arg & 255;
    (void)r;
    x[0] = op->arg & FTZ ? op_flush(e, x[0]) : x[0];
    if (which == F_DIV && op->arg & FTZ)
        x[1] = op_flush(e, x[1]);
    llvm_value v = float_op(e, which, 'f', x);
    return op->arg & FTZ ? op_flush(e, v) : v;
}

static llvm_value kernel_round(struct gen *e, llvm_value x)
{
    llvm_value big = gen_real(e, 'd', 0x1.8p52);
    return B(FSub, B(FAdd, x, big), big);
}

/* The polynomial with these coefficients, the highest power's first. */
static llvm_value horner(struct gen *e, llvm_value x, const double *c, u32 n)
{
    llvm_value p = gen_real(e, 'd', c[0]);
    for (u32 k = 1; k < n; k++)
        p = B(FAdd, B(FMul, p, x), gen_real(e, 'd', c[k]));
    return p;
}

static llvm_value bits_of_f64(struct gen *e, llvm_value x) { return B(BitCast, x, gen_type(e, 'l')); }
static llvm_value f64_of_bits(struct gen *e, llvm_value u) { return B(BitCast, u, gen_type(e, 'd')); }
static llvm_value magic_bits(struct gen *e) { return bits_of_f64(e, gen_real(e, 'd', 0x1.8p52)); }

static llvm_value kernel_exp2(struct gen *e, llvm_value x)
{
    static const double c[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
    llvm_value top = gen_real(e, 'd', 1020), low = gen_real(e, 'd', -1020);
    llvm_value in = B(Select, B(FCmp, LLVM_OGT, x, top), top, B(Select, B(FCmp, LLVM_OLT, x, low), low, x));
    llvm_value n = kernel_round(e, in);
    llvm_value p = horner(e, B(FMul, B(FSub, in, n), gen_real(e, 'd', 0x1.62e42fefa39efp-1)), c, 13);
    llvm_value k = B(Sub, bits_of_f64(e, B(FAdd, n, gen_real(e, 'd', 0x1.8p52))), magic_bits(e));
    llvm_value power = B(Shl, B(Add, k, gen_const(e, 'l', 1023)), gen_const(e, 'l', 52));
    return B(FMul, p, f64_of_bits(e, power));
}

static llvm_value kernel_log2(struct gen *e, llvm_value x)
{
    static const double c[] = {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2};
    llvm_value u = bits_of_f64(e, x), one = gen_real(e, 'd', 1);
    llvm_value shifted = B(Sub, u, gen_const(e, 'l', 0x3fe6a09e667f3bcd));
    llvm_value ex = B(And, shifted, gen_const(e, 'l', 0xfff0000000000000));
    llvm_value m = f64_of_bits(e, B(Sub, u, ex));
    llvm_value k = B(AShr, ex, gen_const(e, 'l', 52));
    llvm_value n = B(FSub, f64_of_bits(e, B(Add, magic_bits(e), k)), gen_real(e, 'd', 0x1.8p52));
    llvm_value s = B(FDiv, B(FSub, m, one), B(FAdd, m, one));
    llvm_value p = horner(e, B(FMul, s, s), c, 10);
    return B(FAdd, n, B(FMul, B(FMul, s, p), gen_real(e, 'd', 0x1.71547652b82fep+0)));
}

llvm_value op_widen_f32(struct gen *e, llvm_value x) { return B(FPExt, x, gen_type(e, 'd')); }
llvm_value op_narrow_f64(struct gen *e, llvm_value x) { return B(FPTrunc, x, gen_type(e, 'f')); }
static llvm_value f32_bits(struct gen *e, u32 u) { return B(BitCast, gen_const(e, 'i', u), gen_type(e, 'f')); }

static llvm_value exp2_f32(struct gen *e, llvm_value x)
{
    llvm_value v = op_narrow_f64(e, kernel_exp2(e, op_widen_f32(e, x)));
    return B(Select, B(FCmp, LLVM_ORD, x, x), v, x);
}

static llvm_value log2_f32(struct gen *e, llvm_value x)
{
    llvm_value zero = gen_real(e, 'f', 0), inf = f32_bits(e, 0x7f800000), positive = B(FCmp, LLVM_OGT, x, zero);
    llvm_value v = op_narrow_f64(e, kernel_log2(e, B(Select, positive, op_widen_f32(e, x), gen_real(e, 'd', 1))));
    llvm_value edge =
        B(Select, B(FCmp, LLVM_OEQ, x, zero), f32_bits(e, 0xff800000), B(Select, positive, x, f32_bits(e, 0x7fffffff)));
    return B(Select, B(And, positive, B(FCmp, LLVM_OLT, x, inf)), v, edge);
}

static llvm_value rsqrt_f32(struct gen *e, llvm_value x)
{
    llvm_value wide = op_widen_f32(e, x);
    return op_narrow_f64(e, B(FDiv, gen_real(e, 'd', 1), gen_call_of(e, "llvm.sqrt", &wide, 1)));
}

enum { A_EX2, A_LG2, A_RSQRT };
static llvm_value make_approx(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r)
{
    llvm_value a = op->arg & FTZ ? op_flush(e, x[0]) : x[0], v;
    (void)r;
    switch (op->arg & 255) {
    case A_EX2:
        v = exp2_f32(e, a);
        break;
    case A_LG2:
        v = log2_f32(e, a);
        break;
    default:
        v = rsqrt_f32(e, a);
    }
    return op->arg & FTZ ? op_flush(e, v) : v;
}

/* ---- the table ---- */

/* clang-format off */ // rows

#define BIN(n, s, opcode, aff) ROW(n, s, make_bin, aff, .arg = opcode)
#define INT_TYPES(M, ...)                                                                                              \
    M(u16, hhh, h, __VA_ARGS__)                                                                                        \
    M(s16, sss, s, __VA_ARGS__)                                                                                        \
    M(u32, iii, i, __VA_ARGS__) M(s32, iii, i, __VA_ARGS__) M(u64, lll, l, __VA_ARGS__) M(s64, lll, l, __VA_ARGS__)
#define INT_BIN(T, s, l, op, opcode, aff) BIN(op##_##T, #s, opcode, aff)
#define INT_MAD(T, s, l, ...) ROW(mad_lo_##T, #s #l, make_mad, AFFINE_MAD, )
#define MINMAX(T, s, lt, gt)                                                                                           \
    ROW(min_##T, s, make_compare_select, AFFINE_NO, .arg = lt)                                                         \
    ROW(max_##T, s, make_compare_select, AFFINE_NO, .arg = gt)
#define LOGIC(op, opcode)                                                                                              \
    BIN(op##_b16, "hhh", opcode, AFFINE_BITS)                                                                            \
    BIN(op##_b32, "iii", opcode, AFFINE_BITS) BIN(op##_b64, "lll", opcode, AFFINE_BITS)
#define DIVIDES(op, T, s, opcode) ROW(op##_##T, s, make_divide, AFFINE_NO, .arg = opcode, .lanes_by_body = s[0] == 'l')
#define SETP(cmp, T, s, how) ROW(setp_##cmp##_##T, s, make_icmp, AFFINE_NO, .arg = how)
#define SETP_SIGNED(T, s)                                                                                              \
    SETP(eq, T, s, LLVM_EQ)                                                                                            \
    SETP(ne, T, s, LLVM_NE)                                                                                            \
    SETP(lt, T, s, LLVM_SLT) SETP(le, T, s, LLVM_SLE) SETP(gt, T, s, LLVM_SGT) SETP(ge, T, s, LLVM_SGE)
#define SETP_UNSIGNED(T, s)                                                                                            \
    SETP(eq, T, s, LLVM_EQ)                                                                                            \
    SETP(ne, T, s, LLVM_NE)                                                                                            \
    SETP(lt, T, s, LLVM_ULT)                                                                                           \
    SETP(le, T, s, LLVM_ULE) SETP(gt, T, s, LLVM_UGT) SETP(ge, T, s, LLVM_UGE) SETP(lo, T, s, LLVM_ULT)                \
        SETP(ls, T, s, LLVM_ULE) SETP(hi, T, s, LLVM_UGT) SETP(hs, T, s, LLVM_UGE)
#define SETP_BITS(T, s) SETP(eq, T, s, LLVM_EQ) SETP(ne, T, s, LLVM_NE)
#define FCMP(cmp, T, s, how) ROW(setp_##cmp##_##T, s, make_fcmp, AFFINE_NO, .arg = how)
#define FCMPS(T, s, z)                                                                                                 \
    FCMP(eq, T, s, LLVM_OEQ | z)                                                                                       \
    FCMP(ne, T, s, LLVM_ONE | z)                                                                                       \
    FCMP(lt, T, s, LLVM_OLT | z)                                                                                       \
    FCMP(le, T, s, LLVM_OLE | z) FCMP(gt, T, s, LLVM_OGT | z) FCMP(ge, T, s, LLVM_OGE | z)                             \
        FCMP(equ, T, s, LLVM_FUEQ | z) FCMP(neu, T, s, LLVM_FUNE | z) FCMP(ltu, T, s, LLVM_FULT | z)                   \
            FCMP(leu, T, s, LLVM_FULE | z) FCMP(gtu, T, s, LLVM_FUGT | z) FCMP(geu, T, s, LLVM_FUGE | z)               \
                FCMP(num, T, s, LLVM_ORD | z) FCMP(nan, T, s, LLVM_UNO | z)
#define F32(op, s, which)                                                                                              \
    ROW(op##_f32, s, make_f32, AFFINE_NO, .arg = which) ROW(op##_ftz_f32, s, make_f32, AFFINE_NO, .arg = (which) | FTZ)
#define F32_SAT(op, s, which)                                                                                          \
    F32(op, s, which)                                                                                                  \
    ROW(op##_sat_f32, s, make_f32, AFFINE_NO, .arg = (which) | SAT)                                                    \
    ROW(op##_ftz_sat_f32, s, make_f32, AFFINE_NO, .arg = (which) | FTZ | SAT)
#define F64(op, s, which) ROW(op##_f64, s, make_f64, AFFINE_NO, .arg = which)
#define PLAIN_F32(op, s, which)                                                                                        \
    ROW(op##_f32, s, make_f32_flushed, AFFINE_NO, .arg = which)                                                        \
    ROW(op##_ftz_f32, s, make_f32_flushed, AFFINE_NO, .arg = (which) | FTZ)
#define APPROX(op, which)                                                                                              \
    ROW(op##_approx_f32, "ff", make_approx, AFFINE_NO, .arg = which)                                                   \
    ROW(op##_approx_ftz_f32, "ff", make_approx, AFFINE_NO, .arg = (which) | FTZ)
#define MEMORY(f, op, space_, SPACE, T, bytes, n, sext)                                                                \
    {.name = #op "_" #space_ "_" #T, .spec = "", .form = f, .space = SPACE, .size = bytes, .count = n, .sign = sext},
#define LOADS(s, S)                                                                                                    \
    MEMORY(OP_LOAD, ld, s, S, b8, 1, 1, false)                                                                         \
    MEMORY(OP_LOAD, ld, s, S, s8, 1, 1, true)                                                                          \
    MEMORY(OP_LOAD, ld, s, S, b16, 2, 1, false)                                                                        \
    MEMORY(OP_LOAD, ld, s, S, s16, 2, 1, true) MEMORY(OP_LOAD, ld, s, S, b32, 4, 1, false)                             \
        MEMORY(OP_LOAD, ld, s, S, b64, 8, 1, false) MEMORY(OP_LOAD, ld, s, S, v2_b32, 4, 2, false)                     \
            MEMORY(OP_LOAD, ld, s, S, v4_b32, 4, 4, false) MEMORY(OP_LOAD, ld, s, S, v2_b64, 8, 2, false)
#define STORES(s, S)                                                                                                   \
    MEMORY(OP_STORE, st, s, S, b8, 1, 1, false)                                                                        \
    MEMORY(OP_STORE, st, s, S, b16, 2, 1, false)                                                                       \
    MEMORY(OP_STORE, st, s, S, b32, 4, 1, false)                                                                       \
    MEMORY(OP_STORE, st, s, S, b64, 8, 1, false) MEMORY(OP_STORE, st, s, S, v2_b32, 4, 2, false)                       \
        MEMORY(OP_STORE, st, s, S, v4_b32, 4, 4, false) MEMORY(OP_STORE, st, s, S, v2_b64, 8, 2, false)
#define OTHER(n, s, f) {.name = #n, .spec = s, .form = f},
#define PACKS(bits, n, d, part)                                                                                        \
    {.name = "pack_" #n "x" #bits, .spec = d, .form = OP_PACK, .size = (bits) / 8, .count = n},                        \
        {.name = "unpack_" #n "x" #bits, .spec = "-" d, .form = OP_UNPACK, .size = (bits) / 8, .count = n},

static const struct op rows[] = {
    ROW(mov_b16, "ii", make_copy, AFFINE_COPY, ) ROW(mov_b32, "ii", make_copy, AFFINE_COPY, ) ROW(mov_b64, "ll", make_copy, AFFINE_COPY, )
    ROW(mov_pred, "pp", make_copy, AFFINE_COPY, ) ROW(not_pred, "pp", make_not, AFFINE_NO, )
    BIN(and_pred, "ppp", LLVM_OP_AND, AFFINE_NO) BIN(or_pred, "ppp", LLVM_OP_OR, AFFINE_NO) BIN(xor_pred, "ppp", LLVM_OP_XOR, AFFINE_NO)
    ROW(selp_b16, "iiip", make_select, AFFINE_NO, ) ROW(selp_b32, "iiip", make_select, AFFINE_NO, ) ROW(selp_b64, "lllp", make_select, AFFINE_NO, )
    INT_TYPES(INT_BIN, add, LLVM_OP_ADD, AFFINE_ADD) INT_TYPES(INT_BIN, sub, LLVM_OP_SUB, AFFINE_SUB) INT_TYPES(INT_BIN, mul_lo, LLVM_OP_MUL, AFFINE_MUL)
    INT_TYPES(INT_MAD)
    MINMAX(u16, "hhh", LLVM_ULT, LLVM_UGT) MINMAX(s16, "sss", LLVM_SLT, LLVM_SGT) MINMAX(u32, "iii", LLVM_ULT, LLVM_UGT)
    MINMAX(s32, "iii", LLVM_SLT, LLVM_SGT) MINMAX(u64, "lll", LLVM_ULT, LLVM_UGT) MINMAX(s64, "lll", LLVM_SLT, LLVM_SGT)
    ROW(neg_s32, "ii", make_neg, AFFINE_NEG, ) ROW(neg_s64, "ll", make_neg, AFFINE_NEG, ) ROW(abs_s32, "ii", make_abs, AFFINE_NO, ) ROW(abs_s64, "ll", make_abs, AFFINE_NO, )
    ROW(mul_wide_u32, "lii", make_mul_wide, AFFINE_MUL_WIDE_U, .arg = 0) ROW(mul_wide_s32, "lii", make_mul_wide, AFFINE_MUL_WIDE_S, .arg = 1)
    ROW(mad_wide_u32, "liil", make_mul_wide, AFFINE_MAD_WIDE_U, .arg = 0) ROW(mad_wide_s32, "liil", make_mul_wide, AFFINE_MAD_WIDE_S, .arg = 1)
    ROW(mul_hi_u32, "iii", make_mul_hi, AFFINE_NO, .arg = 0) ROW(mul_hi_s32, "iii", make_mul_hi, AFFINE_NO, .arg = 1)
    ROW(mad_hi_u32, "iiii", make_mul_hi, AFFINE_NO, .arg = 0) ROW(mad_hi_s32, "iiii", make_mul_hi, AFFINE_NO, .arg = 1)
    LOGIC(and, LLVM_OP_AND) LOGIC(or, LLVM_OP_OR) LOGIC(xor, LLVM_OP_XOR)
    ROW(not_b16, "hh", make_not, AFFINE_NO, ) ROW(not_b32, "ii", make_not, AFFINE_NO, ) ROW(not_b64, "ll", make_not, AFFINE_NO, )
    ROW(shl_b32, "iii", make_shift, AFFINE_SHL, .arg = LLVM_OP_SHL) ROW(shl_b64, "lli", make_shift, AFFINE_SHL, .arg = LLVM_OP_SHL)
    ROW(shr_u32, "iii", make_shift, AFFINE_SHR, .arg = LLVM_OP_LSHR) ROW(shr_u64, "lli", make_shift, AFFINE_SHR, .arg = LLVM_OP_LSHR)
    ROW(shr_s32, "iii", make_shift, AFFINE_SHR, .arg = LLVM_OP_ASHR) ROW(shr_s64, "lli", make_shift, AFFINE_SHR, .arg = LLVM_OP_ASHR)
    ROW(shf_l_wrap_b32, "iiii", make_funnel, AFFINE_NO, .arg = 0) ROW(shf_r_wrap_b32, "iiii", make_funnel, AFFINE_NO, .arg = 1)
    ROW(shf_l_clamp_b32, "iiii", make_funnel, AFFINE_NO, .arg = 2) ROW(shf_r_clamp_b32, "iiii", make_funnel, AFFINE_NO, .arg = 3)
    ROW(lop3_b32, "iiii", make_lop3, AFFINE_NO, )
    ROW(popc_b32, "ii", make_popc, AFFINE_NO, ) ROW(popc_b64, "il", make_popc, AFFINE_NO, ) ROW(clz_b32, "ii", make_clz, AFFINE_NO, ) ROW(clz_b64, "il", make_clz, AFFINE_NO, )
    ROW(brev_b32, "ii", make_brev, AFFINE_NO, ) ROW(brev_b64, "ll", make_brev, AFFINE_NO, )
    ROW(bfe_u32, "iiii", make_bfe, AFFINE_NO, .arg = 0) ROW(bfe_s32, "iiii", make_bfe, AFFINE_NO, .arg = 1)
    DIVIDES(div, u32, "iii", LLVM_OP_UDIV) DIVIDES(div, s32, "iii", LLVM_OP_SDIV) DIVIDES(rem, u32, "iii", LLVM_OP_UREM) DIVIDES(rem, s32, "iii", LLVM_OP_SREM)
    DIVIDES(div, u64, "lll", LLVM_OP_UDIV) DIVIDES(div, s64, "lll", LLVM_OP_SDIV) DIVIDES(rem, u64, "lll", LLVM_OP_UREM) DIVIDES(rem, s64, "lll", LLVM_OP_SREM)
    SETP_SIGNED(s16, "pss") SETP_SIGNED(s32, "pii") SETP_SIGNED(s64, "pll")
    SETP_UNSIGNED(u16, "phh") SETP_UNSIGNED(u32, "pii") SETP_UNSIGNED(u64, "pll")
    SETP_BITS(b16, "phh") SETP_BITS(b32, "pii") SETP_BITS(b64, "pll")
    FCMPS(f32, "pff", 0) FCMPS(ftz_f32, "pff", FTZ) FCMPS(f64, "pdd", 0)
    F32_SAT(add, "fff", F_ADD) F32_SAT(sub, "fff", F_SUB) F32_SAT(mul, "fff", F_MUL) F32_SAT(fma, "ffff", F_FMA) F32_SAT(mad, "ffff", F_FMA)
    F32(div, "fff", F_DIV) F32(rcp, "ff", F_RCP) F32(sqrt, "ff", F_SQRT)
    F64(add, "ddd", F_ADD) F64(sub, "ddd", F_SUB) F64(mul, "ddd", F_MUL) F64(div, "ddd", F_DIV) F64(fma, "dddd", F_FMA) F64(mad, "dddd", F_FMA) F64(rcp, "dd", F_RCP) F64(sqrt, "dd", F_SQRT)
    ROW(min_f32, "fff", make_minmax, AFFINE_NO, .arg = 0) ROW(max_f32, "fff", make_minmax, AFFINE_NO, .arg = 1)
    ROW(min_ftz_f32, "fff", make_minmax, AFFINE_NO, .arg = FTZ) ROW(max_ftz_f32, "fff", make_minmax, AFFINE_NO, .arg = 1 | FTZ)
    ROW(abs_f32, "ff", make_sign, AFFINE_NO, .arg = 0) ROW(neg_f32, "ff", make_sign, AFFINE_NO, .arg = 1)
    ROW(abs_ftz_f32, "ff", make_sign, AFFINE_NO, .arg = FTZ) ROW(neg_ftz_f32, "ff", make_sign, AFFINE_NO, .arg = 1 | FTZ)
    ROW(abs_f64, "dd", make_sign_f64, AFFINE_NO, .arg = 0) ROW(neg_f64, "dd", make_sign_f64, AFFINE_NO, .arg = 1)
    ROW(div_approx_f32, "fff", make_div_approx, AFFINE_NO, .arg = 0) ROW(div_approx_ftz_f32, "fff", make_div_approx, AFFINE_NO, .arg = FTZ)
    PLAIN_F32(div_full, "fff", F_DIV) PLAIN_F32(rcp_approx, "ff", F_RCP) PLAIN_F32(sqrt_approx, "ff", F_SQRT)
    APPROX(ex2, A_EX2) APPROX(lg2, A_LG2) APPROX(rsqrt, A_RSQRT)
    LOADS(global, SPACE_GLOBAL) LOADS(generic, SPACE_NONE) LOADS(shared, SPACE_SHARED) LOADS(const, SPACE_CONST)
    STORES(global, SPACE_GLOBAL) STORES(generic, SPACE_NONE) STORES(shared, SPACE_SHARED)
    PACKS(32, 2, "l", 'i') PACKS(16, 2, "i", 'i')
    OTHER(guard, "-p", OP_GUARD) OTHER(guard_not, "-p", OP_GUARD) OTHER(unguard, "", OP_NOTHING) OTHER(bar_warp, "", OP_NOTHING)
    OTHER(shfl_up_b32, "iiii", OP_SHUFFLE) OTHER(shfl_down_b32, "iiii", OP_SHUFFLE) OTHER(shfl_bfly_b32, "iiii", OP_SHUFFLE) OTHER(shfl_idx_b32, "iiii", OP_SHUFFLE)
};
/* clang-format on */

enum { SLOTS = 4096 };
static const struct op *slots[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct op_rows *const others[] = {&ops_bits, &ops_convert, &ops_half};

static const struct op **slot_of(const char *name)
{
    u32 h = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        h = (h ^ (u8)*c) * 16777619u;
    const struct op **slot = &slots[h % SLOTS];
    while (*slot && strcmp((*slot)->name, name) != 0)
        slot = slot + 1 == slots + SLOTS ? slots : slot + 1;
    return slot;
}

const struct op *op_nth(u32 n)
{
    if (n < LS_ARRAY_LEN(rows))
        return &rows[n];
    n -= LS_ARRAY_LEN(rows);
    for (u32 k = 0; k < LS_ARRAY_LEN(others); n -= others[k++]->n)
        if (n < others[k]->n)
            return &others[k]->rows[n];
    return NULL;
}

static void fill_slots(void)
{
    for (u32 k = 0; op_nth(k); k++)
        *slot_of(op_nth(k)->name) = op_nth(k);
}

const struct op *op_find(const char *name)
{
    pthread_once(&once, fill_slots);
    return *slot_of(name);
}
