/* gen.c - values: constants, operands, results, and what two ways have in common. */
#include "exec/tier/gen.h"

#include <string.h>

/* ---- types and constants ---- */

llvm_type gen_lanes_of(struct gen *e, llvm_type t) { return e->ll->VectorType(t, IR_LANES); }

static llvm_type scalar_type(struct gen *e, char letter)
{
    switch (letter) {
    case 'l':
        return e->i64;
    case 'f':
        return e->f32;
    case 'd':
        return e->f64;
    case 'p':
        return e->i1;
    default:
        return e->i32;
    }
}

llvm_type gen_type(struct gen *e, char letter)
{
    llvm_type t = scalar_type(e, letter);
    return e->vec ? gen_lanes_of(e, t) : t;
}

u8 gen_kind(char letter) { return letter == 'l' || letter == 'd' ? CELL_64 : letter == 'p' ? CELL_PRED : CELL_32; }

static llvm_type kind_type(struct gen *e, u8 kind)
{
    return kind == CELL_64 ? e->i64 : kind == CELL_PRED ? e->i1 : e->i32;
}

llvm_value gen_int(struct gen *e, llvm_type t, u64 v) { return e->ll->ConstInt(t, v, 0); }

static llvm_value in_lanes(struct gen *e, llvm_value v)
{
    llvm_value all[IR_LANES];
    for (u32 k = 0; k < IR_LANES; k++)
        all[k] = v;
    return e->ll->ConstVector(all, IR_LANES);
}

llvm_value gen_const(struct gen *e, char letter, u64 v)
{
    llvm_value c = gen_int(e, scalar_type(e, letter), v);
    return e->vec ? in_lanes(e, c) : c;
}

llvm_value gen_real(struct gen *e, char letter, double v)
{
    llvm_value c = e->ll->ConstReal(scalar_type(e, letter), v);
    return e->vec ? in_lanes(e, c) : c;
}

llvm_value gen_splat(struct gen *e, llvm_value scalar)
{
    llvm_type t = gen_lanes_of(e, e->ll->TypeOf(scalar));
    llvm_value one = B(InsertElement, e->ll->GetPoison(t), scalar, gen_int(e, e->i32, 0));
    return B(ShuffleVector, one, e->ll->GetPoison(t), e->ll->ConstNull(gen_lanes_of(e, e->i32)));
}

llvm_value gen_call(struct gen *e, const char *intrinsic, llvm_type *types, unsigned ntypes, llvm_value *args,
                    unsigned n)
{
    const unsigned id = e->ll->LookupIntrinsicID(intrinsic, strlen(intrinsic));
    llvm_value fn = e->ll->GetIntrinsicDeclaration(e->module, id, types, ntypes);
    return B(Call2, e->ll->IntrinsicGetType(e->context, id, types, ntypes), fn, args, n);
}

llvm_value gen_call_of(struct gen *e, const char *intrinsic, llvm_value *args, unsigned n)
{
    llvm_type t = e->ll->TypeOf(args[0]);
    return gen_call(e, intrinsic, &t, 1, args, n);
}

/* ---- memory and control ---- */

llvm_value gen_at(struct gen *e, llvm_value base, u64 offset)
{
    llvm_value index = gen_int(e, e->i64, offset);
    return offset ? B(GEP2, e->i8, base, &index, 1) : base;
}

llvm_value gen_load(struct gen *e, llvm_type t, llvm_value p, unsigned align)
{
    llvm_value v = B(Load2, t, p);
    e->ll->SetAlignment(v, align);
    return v;
}

void gen_store(struct gen *e, llvm_value v, llvm_value p, unsigned align)
{
    e->ll->SetAlignment(e->ll->BuildStore(e->b, v, p), align);
}

llvm_block gen_block(struct gen *e) { return e->ll->AppendBasicBlockInContext(e->context, e->fn, ""); }
void gen_here(struct gen *e, llvm_block b) { e->ll->PositionBuilderAtEnd(e->b, b); }

llvm_value gen_branch(struct gen *e, llvm_value condition, llvm_block yes, llvm_block no, int likely)
{
    llvm_value br = e->ll->BuildCondBr(e->b, condition, yes, no);
    llvm_metadata weights[3];
    if (!likely)
        return br;
    weights[0] = e->ll->MDStringInContext2(e->context, "branch_weights", 14);
    weights[1] = e->ll->ValueAsMetadata(gen_int(e, e->i32, likely > 0 ? 4000 : 1));
    weights[2] = e->ll->ValueAsMetadata(gen_int(e, e->i32, likely > 0 ? 1 : 4000));
    e->ll->SetMetadata(br, e->ll->GetMDKindIDInContext(e->context, "prof", 4),
                       e->ll->MetadataAsValue(e->context, e->ll->MDNodeInContext2(e->context, weights, 3)));
    return br;
}

llvm_block gen_to(struct gen *e, llvm_block b)
{
    llvm_block here = e->ll->GetInsertBlock(e->b);
    llvm_value end = e->ll->GetBasicBlockTerminator(b);
    if (end)
        e->ll->PositionBuilderBefore(e->b, end);
    else
        gen_here(e, b);
    return here;
}

llvm_value gen_arg(struct gen *e, llvm_type t, u64 offset)
{
    llvm_value v = B(Load2, t, gen_at(e, e->args, offset));
    e->ll->SetMetadata(v, e->invariant,
                       e->ll->MetadataAsValue(e->context, e->ll->MDNodeInContext2(e->context, NULL, 0)));
    return v;
}

/* ---- shapes ---- */

struct value gen_uniform(llvm_value v) { return (struct value){.v = v, .s = {.kind = SHAPE_UNIFORM}}; }
struct value gen_of_lanes(llvm_value v) { return (struct value){.v = v, .s = {.kind = SHAPE_VECTOR}}; }

static struct value known(struct gen *e, u8 kind, u64 v)
{
    return (struct value){.v = gen_int(e, kind_type(e, kind), v),
                          .s = {.kind = SHAPE_UNIFORM, .known = true, .value = (i64)v}};
}

/* The offsets, of integers of the type. */
static llvm_value constants(struct gen *e, llvm_type t, const i64 *offset)
{
    llvm_value all[IR_LANES];
    for (u32 k = 0; k < IR_LANES; k++)
        all[k] = gen_int(e, t, (u64)offset[k]);
    return e->ll->ConstVector(all, IR_LANES);
}

/* All lanes by the operation itself, of all lanes of its operands. */
static llvm_value by_recipe(struct gen *e, const struct recipe *how)
{
    llvm_value x[3] = {0};
    const bool vec = e->vec;
    e->vec = true;
    for (u32 k = 0; k < how->n; k++)
        x[k] = gen_operand(e, how->v[k], how->op->spec[1 + k]);
    llvm_value v = how->op->fn(e, how->op, x, how->r);
    e->vec = vec;
    return v;
}

llvm_value gen_vector(struct gen *e, struct value v, u8 kind)
{
    llvm_type t = kind_type(e, kind);
    if (v.s.kind == SHAPE_NONE || !v.v)
        return e->ll->ConstNull(gen_lanes_of(e, t));
    if (v.ok)
        return by_recipe(e, v.exact);
    if (v.s.kind == SHAPE_VECTOR)
        return v.v;
    if (v.s.kind == SHAPE_UNIFORM)
        return v.s.known ? in_lanes(e, gen_int(e, t, (u64)v.s.value)) : gen_splat(e, v.v);
    return B(Add, gen_splat(e, v.v), constants(e, t, v.s.offset));
}

llvm_value gen_canonical(struct gen *e, llvm_value bits)
{
    const bool vec = e->vec;
    e->vec = e->ll->GetTypeKind(e->ll->TypeOf(bits)) == LLVM_TYPE_VECTOR;
    llvm_value x = B(BitCast, bits, gen_type(e, 'f'));
    llvm_value r = B(Select, B(FCmp, LLVM_UNO, x, x), gen_const(e, 'i', 0x7fffffff), bits);
    e->vec = vec;
    return r;
}

struct value gen_coerce(struct gen *e, struct value v, struct shape s, u8 kind)
{
    struct value to = {.v = v.v, .s = s};
    if (v.s.raw && !s.raw)
        v.v = gen_canonical(e, v.v);
    if (v.s.kind == SHAPE_NONE || !v.v) /* nothing has been written: anything will do */
        to.v = s.kind == SHAPE_VECTOR ? e->ll->ConstNull(gen_lanes_of(e, kind_type(e, kind)))
                                      : gen_int(e, kind_type(e, kind), s.known ? (u64)s.value : 0);
    else
        to.v = s.kind == SHAPE_VECTOR ? gen_vector(e, v, kind) : v.v;
    return to;
}

/* ---- constants of the frame ---- */

/* The warp's first thread, in the order of the block's threads: x first, then y, then z. */
static llvm_value first_thread(struct gen *e) { return B(Mul, e->warp, gen_int(e, e->i32, IR_LANES)); }

/* Component `axis` of %tid in general: (thread / below) % size. */
static struct value thread_lanes(struct gen *e, u64 below, u64 size)
{
    llvm_value t = gen_vector(e, gen_lanes_apart(e, first_thread(e), 5, 1, CELL_32), CELL_32);
    const bool vec = e->vec;
    e->vec = true;
    t = B(URem, B(UDiv, t, gen_const(e, 'i', below)), gen_const(e, 'i', size));
    e->vec = vec;
    return gen_of_lanes(t);
}

/* Where a warp is a part of a row, or some rows, its lanes are constant offsets apart. */
static struct value thread_index(struct gen *e, unsigned axis)
{
    const u64 below = axis == 0 ? 1 : axis == 1 ? e->block[0] : (u64)e->block[0] * e->block[1], size = e->block[axis];
    const u64 span = below * size; /* threads after which the component begins anew */
    const u64 all = (u64)e->block[0] * e->block[1] * e->block[2];
    i64 offset[IR_LANES];
    if (size == 1)
        return known(e, CELL_32, 0);
    if ((below % IR_LANES && IR_LANES % below) || (span % IR_LANES && span != all && IR_LANES % span))
        return thread_lanes(e, below, size);
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = span < IR_LANES && span != all ? (i64)(i / below % size) : (i64)(i / below);
    llvm_value t = first_thread(e);
    if (below > 1)
        t = B(UDiv, t, gen_int(e, e->i32, below));
    if (span != all)
        t = span <= IR_LANES ? gen_int(e, e->i32, 0) : B(URem, t, gen_int(e, e->i32, size));
    const u8 align = below >= IR_LANES ? 0 : shape_zeros(IR_LANES / below);
    return gen_offsets(e, t, align, offset, CELL_32);
}

/* Out of the frame, where the engine has written it. */
static struct value frame_const(struct gen *e, const struct ir_const *c, u8 kind, bool uniform)
{
    llvm_type t = kind_type(e, kind);
    e->needs_frame = true;
    llvm_value p = gen_at(e, e->regs, c->at);
    return uniform ? gen_uniform(gen_load(e, t, p, 4)) : gen_of_lanes(gen_load(e, gen_lanes_of(e, t), p, 64));
}

static struct value special_register(struct gen *e, const struct ir_const *c, u8 kind)
{
    if (kind == CELL_PRED)
        return known(e, kind, 0); /* the one there is, %is_explicit_cluster */
    const unsigned axis = (unsigned)(c->value % IR_AXES);
    switch ((enum ptx_sreg)(c->value / IR_AXES)) {
    case SREG_tid:
        return thread_index(e, axis);
    case SREG_laneid:
        return gen_lanes_apart(e, gen_int(e, e->i32, 0), 63, 1, CELL_32);
    case SREG_ntid:
        return known(e, CELL_32, e->block[axis]);
    case SREG_ctaid:
        if (axis == 0 && e->x)
            return gen_uniform(e->x);
        return gen_uniform(gen_arg(e, e->i32, offsetof(struct tier_args, ctaid) + 4 * axis));
    case SREG_nctaid:
        return gen_uniform(gen_arg(e, e->i32, offsetof(struct tier_args, nctaid) + 4 * axis));
    default:
        return frame_const(e, c, kind, ptx_sreg_rows[c->value / IR_AXES].scope != SREG_SCOPE_LANE);
    }
}

/* A kernel's parameter, extended to its slot. */
static struct value parameter(struct gen *e, const struct ir_const *c, u8 kind)
{
    llvm_type t = kind_type(e, kind);
    const u32 bits = ptx_type_bits(c->type);
    llvm_type narrow = bits == 8 ? e->i8 : bits == 16 ? e->i16 : bits == 32 ? e->i32 : e->i64;
    llvm_value p = gen_arg(e, e->ptr, offsetof(struct tier_args, params));
    llvm_value v = gen_load(e, narrow, gen_at(e, p, c->value), 1);
    if (narrow != t)
        v = ptx_type_signed(c->type) ? B(SExt, v, t) : B(ZExt, v, t);
    struct value p_value = gen_uniform(v);
    if (bits == 64) { /* a pointer, perhaps */
        p_value.s.root = (u16)(c - e->g->f->consts + 1);
        p_value.s.align = 63;
    }
    return p_value;
}

static struct value make_const(struct gen *e, const struct ir_const *c, u8 kind)
{
    switch ((enum ir_const_kind)c->kind) {
    case IR_CONST_32:
    case IR_CONST_64:
    case IR_CONST_SHARED: /* compiled code runs in no cluster */
        return known(e, kind, kind == CELL_64 ? c->value : (u32)c->value);
    case IR_CONST_PRED:
        return known(e, CELL_PRED, c->value != 0);
    case IR_CONST_PARAM:
        return parameter(e, c, kind);
    case IR_CONST_PARAM_ADDRESS:
        return gen_uniform(
            B(Add, gen_arg(e, e->i64, offsetof(struct tier_args, param_address)), gen_int(e, e->i64, c->value)));
    case IR_CONST_LOCAL:
        return known(e, kind, c->value);
    case IR_CONST_DYNAMIC_SHARED: {
        llvm_value at = gen_arg(e, e->i32, offsetof(struct tier_args, dynamic_shared));
        if (kind == CELL_64)
            at = B(ZExt, at, e->i64);
        return gen_uniform(B(Add, at, gen_int(e, kind_type(e, kind), c->value)));
    }
    case IR_CONST_SREG:
        return special_register(e, c, kind);
    }
    return (struct value){0};
}

/* It may differ from warp to warp. */
static bool is_of_warp(const struct ir_const *c)
{
    const u64 sreg = c->value / IR_AXES;
    return c->kind == IR_CONST_SREG && sreg != SREG_ctaid && sreg != SREG_nctaid;
}

/* ---- operands and results ---- */

struct value gen_get(struct gen *e, u32 at, u8 kind)
{
    const struct ir_const *c = graph_const(e->g, at);
    if (!c)
        return e->now[e->g->cell_of[at / 4] - 1];
    struct value *v = &e->consts[c - e->g->f->consts];
    if (!v->v) {
        llvm_block here = gen_to(e, is_of_warp(c) ? e->head : e->start);
        *v = make_const(e, c, kind);
        gen_here(e, here);
    }
    return *v;
}

/* 16 bits in a lane of 32: signed ones are extended. */
static llvm_value as_signed_half(struct gen *e, llvm_value v)
{
    llvm_value n = gen_const(e, 'i', 16);
    return B(AShr, B(Shl, v, n), n);
}

llvm_value gen_operand(struct gen *e, struct value v, char letter)
{
    const u8 kind = gen_kind(letter);
    if (!v.v)
        v = known(e, kind, 0);
    if (v.s.raw && letter != 'f')
        v.v = gen_canonical(e, v.v);
    llvm_value x = e->vec ? gen_vector(e, v, kind) : v.v;
    if (letter == 's')
        return as_signed_half(e, x);
    return letter == 'f' || letter == 'd' ? B(BitCast, x, gen_type(e, letter)) : x;
}

void gen_put(struct gen *e, u32 at, u8 kind, struct value v)
{
    const u32 cell = e->g->cell_of[at / 4] - 1;
    struct value *to = &e->now[cell];
    if (e->mask && to->v && to->s.kind != SHAPE_NONE && bit_is_set(e->needed, cell)) {
        const struct shape s = {.kind = SHAPE_VECTOR, .raw = shape_raw(&v.s, &to->s)};
        v = (struct value){.v = B(Select, e->mask, gen_coerce(e, v, s, kind).v, gen_coerce(e, *to, s, kind).v), .s = s};
    }
    *to = v;
    bit_set(e->stale, cell);
}

/* ---- ways that meet ---- */

struct value *gen_snapshot(struct gen *e)
{
    struct value *copy = arena_array(e->mem, struct value, e->g->cells.len);
    memcpy(copy, e->now, sizeof *copy * e->g->cells.len);
    return copy;
}

llvm_value gen_phi(struct gen *e, llvm_value a, llvm_block from_a, llvm_value b, llvm_block from_b)
{
    if (a == b)
        return a;
    llvm_value phi = B(Phi, e->ll->TypeOf(a));
    llvm_value values[] = {a, b};
    llvm_block from[] = {from_a, from_b};
    e->ll->AddIncoming(phi, values, from, 2);
    return phi;
}

void gen_meet(struct gen *e, struct value *cells, llvm_block from, llvm_block *ends)
{
    const u32 n = e->g->cells.len;
    llvm_block join = gen_block(e);
    struct value *mine = gen_snapshot(e);
    ends[0] = from;
    ends[1] = e->ll->GetInsertBlock(e->b);
    for (u32 way = 0; way < 2; way++) {
        struct value *side = way ? mine : cells;
        gen_here(e, ends[way]);
        for (u32 k = 0; k < n; k++) {
            const struct shape s = shape_meet(shape_of(&cells[k]), shape_of(&mine[k]));
            const bool same = cells[k].v == mine[k].v;
            if (!same && (way || s.kind != SHAPE_NONE))
                side[k].v = gen_coerce(e, side[k], s, e->g->cells.at[k].kind).v;
        }
        e->ll->BuildBr(e->b, join);
    }
    gen_here(e, join);
    for (u32 k = 0; k < n; k++) {
        e->now[k] = mine[k];
        if (cells[k].v == mine[k].v)
            continue;
        e->now[k] = (struct value){.s = shape_meet(shape_of(&cells[k]), shape_of(&mine[k]))};
        e->now[k].v = gen_phi(e, cells[k].v, ends[0], mine[k].v, ends[1]);
    }
}
