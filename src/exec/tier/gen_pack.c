/* gen_pack.c - packs, unpacks, and shuffles of whole warps. */
#include "exec/tier/gen.h"

/* ---- packs: the parts of a wider value, the lowest first ---- */

static void pack(struct gen *e, const struct op *op, const struct ir_inst *r)
{
    const char whole = op->spec[0];
    bool uniform = true;
    for (unsigned k = 0; k < op->count; k++)
        uniform &= gen_get(e, r->list[k], CELL_32).s.kind == SHAPE_UNIFORM;
    e->vec = !uniform;
    llvm_value sum = gen_const(e, whole, 0);
    for (unsigned k = 0; k < op->count; k++) {
        llvm_value part = gen_operand(e, gen_get(e, r->list[k], CELL_32), 'i');
        if (op->size < 4)
            part = B(And, part, gen_const(e, 'i', 0xffff));
        if (whole == 'l')
            part = B(ZExt, part, gen_type(e, 'l'));
        sum = B(Or, sum, B(Shl, part, gen_const(e, whole, 8ull * op->size * k)));
    }
    gen_put(e, r->d, gen_kind(whole), uniform ? gen_uniform(sum) : gen_of_lanes(sum));
}

static void unpack(struct gen *e, const struct op *op, const struct ir_inst *r)
{
    const char whole = op->spec[1];
    struct value a = gen_get(e, r->a, gen_kind(whole));
    const bool uniform = a.s.kind == SHAPE_UNIFORM;
    e->vec = !uniform;
    llvm_value x = gen_operand(e, a, whole);
    for (unsigned k = 0; k < op->count; k++) {
        e->vec = !uniform;
        llvm_value part = B(LShr, x, gen_const(e, whole, 8ull * op->size * k));
        if (whole == 'l')
            part = B(Trunc, part, gen_type(e, 'i'));
        if (op->size < 4)
            part = B(And, part, gen_const(e, 'i', 0xffff));
        gen_put(e, r->list[k], CELL_32, uniform ? gen_uniform(part) : gen_of_lanes(part));
    }
}

void gen_pack_op(struct gen *e, const struct op *op, const struct ir_inst *r)
{
    if (op->form == OP_PACK)
        pack(e, op, r);
    else
        unpack(e, op, r);
}

/* ---- shuffles of the whole warp, all of whose lanes are here ---- */

/* The lane that lane i takes from, and whether that is in range: shfl as the PTX manual has it (9.7.9.6). */
static u32 source_lane(const char *name, u32 lane, u32 by, u32 c, bool *in)
{
    const u32 segment = c >> 8 & 31, max = (lane & segment) | (c & 31 & ~segment), min = lane & segment;
    const i32 b = (i32)(by & 31);
    const char mode = name[5];
    const i32 from = mode == 'u'   ? (i32)lane - b
                     : mode == 'd' ? (i32)lane + b
                     : mode == 'b' ? (i32)lane ^ b
                                   : (i32)(min | ((u32)b & ~segment));
    *in = mode == 'u' ? from >= (i32)max : from <= (i32)max;
    return *in ? (u32)from & 31 : lane;
}

void gen_shuffle_op(struct gen *e, const struct op *op, const struct ir_inst *r)
{
    const struct ir_const *by = graph_const(e->g, r->b), *c = graph_const(e->g, r->c);
    llvm_value index[IR_LANES], inside[IR_LANES];
    for (u32 lane = 0; lane < IR_LANES; lane++) {
        bool in;
        index[lane] = gen_int(e, e->i32, source_lane(op->name, lane, (u32)by->value, (u32)c->value, &in));
        inside[lane] = gen_int(e, e->i1, in);
    }
    e->vec = true;
    llvm_value a = gen_operand(e, gen_get(e, r->a, CELL_32), 'i');
    llvm_value v = B(ShuffleVector, a, e->ll->GetPoison(e->ll->TypeOf(a)), e->ll->ConstVector(index, IR_LANES));
    gen_put(e, r->d, CELL_32, gen_of_lanes(v));
    gen_put(e, r->aux, CELL_PRED, gen_of_lanes(e->ll->ConstVector(inside, IR_LANES)));
}
