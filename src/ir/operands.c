/* operands.c - which registers an instruction reads and writes, as the roles of its operands say. */
#include "ir/pass.h"

enum slot_class ir_class(enum ptx_type t)
{
    if (t == PTX_PRED)
        return CLASS_PRED;
    u32 bits = ptx_type_bits(t);
    return bits <= 32 ? CLASS_32 : bits <= 64 ? CLASS_64 : CLASS_128;
}

static void visit(const struct ptx_operand *o, bool is_write, ir_reg_fn fn, void *ctx)
{
    switch (o->kind) {
    case PTX_REG:
        fn(ctx, o->var, is_write);
        break;
    case PTX_ADDR:
        for (unsigned k = 0; k < o->n; k++)
            visit(&o->elems[k], false, fn, ctx);
        break;
    case PTX_VEC:
    case PTX_PAIR:
    case PTX_LIST:
        for (unsigned k = 0; k < o->n; k++)
            visit(&o->elems[k], is_write, fn, ctx);
        break;
    default:
        break;
    }
}

void ir_each_reg(const struct ptx_inst *i, ir_reg_fn fn, void *ctx)
{
    for (unsigned k = 0; k < i->noperands; k++)
        visit(&i->operands[k], i->operands[k].role == PTX_DEST, fn, ctx);
    if (ir_is_wgmma(i)) /* d is added to */
        visit(&i->operands[0], false, fn, ctx);
    if (i->guard)
        fn(ctx, i->guard, false);
}
