/* gen_lanes.c - operations whose result in a lane depends on that lane of the operands alone: scalar where all operands
 * are uniform, or constant offsets apart and the rules below say how the result is; else vectors. */
#include <string.h>

#include "exec/tier/gen.h"

/* Offsets beyond this are no addresses': such lanes soon wrap around in 32 bits. */
enum { WIDEST = 1 << 21 };

static const i64 no_offset[IR_LANES];

static bool linear(const struct value *v) { return v->s.kind == SHAPE_UNIFORM || v->s.kind == SHAPE_OFFSETS; }
static const i64 *offsets_of(const struct value *v) { return v->s.kind == SHAPE_OFFSETS ? v->s.offset : no_offset; }
static u8 align_of(const struct value *v) { return shape_align(&v->s); }
static u8 lesser(u8 a, u8 b) { return a < b ? a : b; }
static u8 at_most_63(u32 n) { return n > 63 ? 63 : (u8)n; }

static i64 lowest(const i64 *offset)
{
    i64 least = 0;
    for (u32 i = 0; i < IR_LANES; i++)
        least = offset[i] < least ? offset[i] : least;
    return least;
}

static i64 highest(const i64 *offset)
{
    i64 most = 0;
    for (u32 i = 0; i < IR_LANES; i++)
        most = offset[i] > most ? offset[i] : most;
    return most;
}

/* ---- 32 to 64 bits: no lane may wrap, else the interpreter goes on, or the vectors count ---- */

static bool may_leave(const struct gen *e, const struct ir_inst *r)
{
    const struct unit *u = &e->g->units.at[e->unit];
    return !e->mask && &e->g->code[u->first] == r;
}

/* base + offset is in the range of 32 bits. */
static llvm_value in_range(struct gen *e, llvm_value wide, i64 offset, bool sign)
{
    llvm_value v = B(Add, wide, gen_int(e, e->i64, (u64)offset + (sign ? (u64)1 << 31 : 0)));
    return B(ICmp, LLVM_ULT, v, gen_int(e, e->i64, (u64)1 << 32));
}

/* d = wide(a) * factor + plus; factor NULL: 1; plus NULL: 0. */
static bool widen(struct gen *e, const struct ir_inst *r, const struct value *a, const struct value *factor,
                  const struct value *plus, bool sign, struct value *out)
{
    const i64 by = !factor ? 1 : sign ? (i32)factor->s.value : (i64)(u32)factor->s.value;
    i64 offset[IR_LANES];
    if (a->s.kind != SHAPE_OFFSETS || highest(a->s.offset) > WIDEST || lowest(a->s.offset) < -WIDEST)
        return false;
    if ((factor && (!factor->s.known || by > WIDEST || by < -WIDEST)) || (plus && !linear(plus)))
        return false;
    llvm_value v = sign ? B(SExt, a->v, e->i64) : B(ZExt, a->v, e->i64);
    llvm_value ok = in_range(e, v, highest(a->s.offset), sign);
    if (lowest(a->s.offset) < 0)
        ok = B(And, ok, in_range(e, v, lowest(a->s.offset), sign));
    const bool leave = may_leave(e, r);
    if (leave)
        gen_leave_unless(e, ok);
    if (factor)
        v = B(Mul, v, gen_int(e, e->i64, (u64)by));
    if (plus)
        v = B(Add, v, plus->v);
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = a->s.offset[i] * by + (plus ? offsets_of(plus)[i] : 0);
    const u8 align = at_most_63(align_of(a) + shape_zeros((u64)by));
    *out = gen_offsets(e, v, plus ? lesser(align, align_of(plus)) : align, offset, CELL_64);
    out->ok = leave ? NULL : ok;
    return true;
}

/* ---- the same width ---- */

static bool product(struct gen *e, const struct value *a, const struct value *b, u8 kind, struct value *out)
{
    i64 offset[IR_LANES];
    if (b->s.kind == SHAPE_OFFSETS) {
        const struct value *swap = a;
        a = b;
        b = swap;
    }
    if (!linear(a) || b->s.kind != SHAPE_UNIFORM || (a->s.kind == SHAPE_OFFSETS && !b->s.known))
        return false;
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = (i64)((u64)offsets_of(a)[i] * (u64)b->s.value);
    *out = gen_offsets(e, B(Mul, a->v, b->v), at_most_63(align_of(a) + align_of(b)), offset, kind);
    return true;
}

static bool sum(struct gen *e, const struct value *a, const struct value *b, bool minus, u8 kind, struct value *out)
{
    i64 offset[IR_LANES];
    if (!linear(a) || !linear(b))
        return false;
    for (u32 i = 0; i < IR_LANES; i++) {
        const u64 x = (u64)offsets_of(a)[i], y = (u64)offsets_of(b)[i];
        offset[i] = (i64)(minus ? x - y : x + y);
    }
    *out =
        gen_offsets(e, minus ? B(Sub, a->v, b->v) : B(Add, a->v, b->v), lesser(align_of(a), align_of(b)), offset, kind);
    return true;
}

/* All offsets are below 2^align, so they only fill low bits of lane 0 that are zero. */
static bool fills_low_bits(const struct value *v)
{
    return v->s.kind == SHAPE_OFFSETS && !v->s.root && align_of(v) < 32 && lowest(v->s.offset) >= 0 &&
           highest(v->s.offset) < (i64)1 << align_of(v);
}

/* and, or, xor with a known value, shifts by one: of lane 0's upper bits and the low bits apart. */
static bool bitwise(struct gen *e, const struct op *op, const struct value *a, const struct value *b, u8 kind,
                    struct value *out)
{
    llvm_type t = kind == CELL_64 ? e->i64 : e->i32;
    i64 offset[IR_LANES];
    if (!fills_low_bits(a) || !b->s.known)
        return false;
    const u64 c = kind == CELL_32 ? (u32)b->s.value : (u64)b->s.value, low = ((u64)1 << align_of(a)) - 1;
    u8 align = align_of(a);
    llvm_value base;
    for (u32 i = 0; i < IR_LANES; i++) {
        const u64 x = (u64)a->s.offset[i];
        offset[i] = (i64)(op->arg == LLVM_OP_AND ? x & c : op->arg == LLVM_OP_OR ? x | (c & low) : x ^ (c & low));
    }
    if (op->arg == LLVM_OP_AND)
        base = c <= low ? gen_int(e, t, 0) : B(And, a->v, gen_int(e, t, c));
    else
        base = B(BinOp, (enum llvm_opcode)op->arg, a->v, gen_int(e, t, c & ~low));
    if (op->arg == LLVM_OP_AND && c <= low)
        align = 63;
    *out = gen_offsets(e, base, align, offset, kind);
    return true;
}

static bool shift_right(struct gen *e, const struct op *op, const struct value *a, const struct value *b, u8 kind,
                        struct value *out)
{
    i64 offset[IR_LANES];
    if (!fills_low_bits(a) || !b->s.known || (u64)b->s.value > 31)
        return false;
    const u8 n = (u8)b->s.value, align = align_of(a) > n ? (u8)(align_of(a) - n) : 0;
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = a->s.offset[i] >> n;
    *out = gen_offsets(e, B(BinOp, (enum llvm_opcode)op->arg, a->v, gen_int(e, kind == CELL_64 ? e->i64 : e->i32, n)),
                       align, offset, kind);
    return true;
}

static bool shift_left(struct gen *e, const struct value *a, const struct value *b, u8 kind, struct value *out)
{
    i64 offset[IR_LANES];
    if (!linear(a) || !b->s.known || (u64)b->s.value > 31)
        return false;
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = (i64)((u64)offsets_of(a)[i] << b->s.value);
    *out = gen_offsets(e, B(Shl, a->v, gen_int(e, kind == CELL_64 ? e->i64 : e->i32, (u64)b->s.value)),
                       at_most_63(align_of(a) + (u32)b->s.value), offset, kind);
    return true;
}

static bool offsets_result(struct gen *e, const struct op *op, const struct ir_inst *r, const struct value *v,
                           struct value *out)
{
    static const struct value zero = {.s = {.kind = SHAPE_UNIFORM, .known = true}};
    const u8 kind = gen_kind(op->spec[0]);
    struct value p = zero;
    if (op->spec[0] == 'h' || op->spec[0] == 's') /* they wrap around sooner */
        return false;
    switch ((enum op_affine)op->affine) {
    case AFFINE_NO:
    case AFFINE_COPY:
        return false;
    case AFFINE_ADD:
        return sum(e, &v[0], &v[1], false, kind, out);
    case AFFINE_SUB:
        return sum(e, &v[0], &v[1], true, kind, out);
    case AFFINE_MUL:
        return product(e, &v[0], &v[1], kind, out);
    case AFFINE_MAD:
        return linear(&v[2]) && product(e, &v[0], &v[1], kind, &p) && sum(e, &p, &v[2], false, kind, out);
    case AFFINE_SHL:
        return shift_left(e, &v[0], &v[1], kind, out);
    case AFFINE_SHR:
        return shift_right(e, op, &v[0], &v[1], kind, out);
    case AFFINE_BITS:
        return bitwise(e, op, &v[0], &v[1], kind, out);
    case AFFINE_NEG:
        p.v = gen_int(e, kind == CELL_64 ? e->i64 : e->i32, 0);
        return sum(e, &p, &v[0], true, kind, out);
    case AFFINE_TRUNC:
        if (!linear(&v[0]))
            return false;
        *out = gen_offsets(e, B(Trunc, v[0].v, e->i32), align_of(&v[0]), offsets_of(&v[0]), kind);
        return true;
    case AFFINE_WIDEN_U:
    case AFFINE_WIDEN_S:
        return widen(e, r, &v[0], NULL, NULL, op->affine == AFFINE_WIDEN_S, out);
    case AFFINE_MUL_WIDE_U:
    case AFFINE_MUL_WIDE_S:
        return widen(e, r, &v[0], &v[1], NULL, op->affine == AFFINE_MUL_WIDE_S, out);
    case AFFINE_MAD_WIDE_U:
    case AFFINE_MAD_WIDE_S:
        return widen(e, r, &v[0], &v[1], &v[2], op->affine == AFFINE_MAD_WIDE_S, out);
    }
    return false;
}

/* The low zero bits of a uniform result. */
static u8 uniform_align(const struct op *op, const struct value *v)
{
    switch ((enum op_affine)op->affine) {
    case AFFINE_ADD:
    case AFFINE_SUB:
        return lesser(align_of(&v[0]), align_of(&v[1]));
    case AFFINE_MUL:
    case AFFINE_MUL_WIDE_U:
    case AFFINE_MUL_WIDE_S:
        return at_most_63(align_of(&v[0]) + align_of(&v[1]));
    case AFFINE_MAD:
    case AFFINE_MAD_WIDE_U:
    case AFFINE_MAD_WIDE_S:
        return lesser(at_most_63(align_of(&v[0]) + align_of(&v[1])), align_of(&v[2]));
    case AFFINE_SHL:
        return v[1].s.known && (u64)v[1].s.value < 32 ? at_most_63(align_of(&v[0]) + (u32)v[1].s.value) : 0;
    case AFFINE_WIDEN_U:
    case AFFINE_WIDEN_S:
    case AFFINE_TRUNC:
    case AFFINE_NEG:
        return align_of(&v[0]);
    default:
        return 0;
    }
}

/* A pointer plus something is that pointer plus something; of anything else made of pointers nothing is known. */
static void note_root(const struct op *op, const struct value *v, u32 n, struct value *out)
{
    const enum op_affine how = (enum op_affine)op->affine;
    u32 rooted = 0, which = 0;
    for (u32 k = 0; k < n; k++)
        if (v[k].s.root) {
            rooted++;
            which = k;
        }
    out->s.root = 0;
    if (!rooted)
        return;
    const bool sum = how == AFFINE_ADD || (how == AFFINE_SUB && which == 0) ||
                     ((how == AFFINE_MAD || how == AFFINE_MAD_WIDE_U || how == AFFINE_MAD_WIDE_S) && which == 2);
    if (rooted == 1 && sum)
        out->s.root = v[which].s.root;
    else
        out->s.align = 0;
}

/* What the result is, with a condition if some operand has one: then there is the way by vectors too. */
static void note_condition(struct gen *e, const struct op *op, const struct ir_inst *r, const struct value *v, u32 n,
                           struct value *out)
{
    for (u32 k = 0; k < n; k++)
        if (v[k].ok)
            out->ok = out->ok ? B(And, out->ok, v[k].ok) : v[k].ok;
    if (!out->ok)
        return;
    struct recipe *how = arena_new(e->mem, struct recipe);
    *how = (struct recipe){.op = op, .r = r, .n = n};
    memcpy(how->v, v, sizeof *v * n);
    out->exact = how;
}

/* As a cell has it: integers; what is narrower than 32 bits is extended with zeros. */
static struct value as_cell(struct gen *e, llvm_value r, char letter, bool vec)
{
    struct value out = vec ? gen_of_lanes(r) : gen_uniform(r);
    e->vec = vec;
    if (letter == 'f' || letter == 'd')
        out.v = B(BitCast, r, gen_type(e, letter == 'f' ? 'i' : 'l'));
    if (letter == 'h' || letter == 's')
        out.v = B(And, r, gen_const(e, 'i', 0xffff));
    out.s.raw = letter == 'f';
    return out;
}

/* Where all operands are known, LLVM has computed the result. */
static void note_known(struct gen *e, struct value *v, bool all)
{
    if (!all || v->s.kind != SHAPE_UNIFORM || !e->ll->IsAConstantInt(v->v))
        return;
    u64 bits = e->ll->ConstIntGetZExtValue(v->v);
    if (v->s.raw && (bits & 0x7fffffff) > 0x7f800000)
        bits = 0x7fffffff;
    if (v->s.raw)
        v->v = gen_int(e, e->i32, bits);
    v->s.known = true;
    v->s.raw = false;
    v->s.value = (i64)bits;
}

static void run_by_body(struct gen *e, const struct op *op, const struct ir_inst *r, const u32 *at)
{
    const u32 record = (u32)(r - e->g->code);
    for (u32 k = 0; op->spec[1 + k]; k++)
        gen_spill(e, at[k], gen_kind(op->spec[1 + k]));
    if (e->mask)
        gen_spill(e, r->d, gen_kind(op->spec[0]));
    gen_run_body(e, record, record + 1);
    gen_reload(e, r->d, gen_kind(op->spec[0]), SHAPE_VECTOR);
}

void gen_lanes_op(struct gen *e, const struct op *op, const struct ir_inst *r)
{
    const u32 at[] = {r->a, r->b, r->c, r->aux};
    const size_t n = strlen(op->spec) - 1;
    struct value v[4], out;
    llvm_value x[4] = {0};
    bool uniform = true, known = true;
    for (size_t k = 0; k < n; k++) {
        v[k] = gen_get(e, at[k], gen_kind(op->spec[1 + k]));
        if (!v[k].v) /* nothing has been written there */
            v[k] = gen_coerce(e, v[k], (struct shape){.kind = SHAPE_UNIFORM}, gen_kind(op->spec[1 + k]));
        uniform &= v[k].s.kind == SHAPE_UNIFORM;
        known &= v[k].s.known;
    }
    if (op->lanes_by_body && !uniform) {
        run_by_body(e, op, r, at);
        return;
    }
    if (op->affine == AFFINE_COPY) {
        out = v[0];
    } else if (!uniform && offsets_result(e, op, r, v, &out)) {
        note_condition(e, op, r, v, (u32)n, &out);
        note_root(op, v, (u32)n, &out);
    } else {
        e->vec = !uniform;
        for (size_t k = 0; k < n; k++)
            x[k] = gen_operand(e, v[k], op->spec[1 + k]);
        out = as_cell(e, op->fn(e, op, x, r), op->spec[0], !uniform);
        if (op->exact)
            out.s.raw = false;
        if (uniform && (op->spec[0] == 'i' || op->spec[0] == 'l'))
            out.s.align = uniform_align(op, v);
        if (uniform)
            note_root(op, v, (u32)n, &out);
        note_known(e, &out, known);
    }
    gen_put(e, r->d, gen_kind(op->spec[0]), out);
}
