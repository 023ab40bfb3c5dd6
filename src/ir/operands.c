/* operands.c - what an instruction reads and writes, and of which type each operand is.
 *
 * Exact for every instruction that has a body; for the others (their function is poisoned anyway) the first operand is
 * taken as the destination. */
#include "ir/pass.h"

enum slot_class ir_class(enum ptx_type t)
{
    if (t == PTX_PRED)
        return CLASS_PRED;
    u32 bits = ptx_type_bits(t);
    return bits <= 32 ? CLASS_32 : bits <= 64 ? CLASS_64 : CLASS_128;
}

unsigned ir_dest_count(const struct ptx_inst *i)
{
    switch (i->op) {
    case OP_ST:
    case OP_SUST:
    case OP_RED:
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_NANOSLEEP:
    case OP_PMEVENT:
    case OP_CP_ASYNC:
    case OP_BAR_WARP_SYNC:
    case OP_DISCARD:
    case OP_APPLYPRIORITY:
    case OP_GRIDDEPCONTROL:
    case OP_SETMAXNREG:
    case OP_WMMA_STORE:
    case OP_STMATRIX:
    case OP_STACKRESTORE:
    case OP_BARRIER_CLUSTER:
    case OP_ST_BULK:
    case OP_CP_ASYNC_BULK:
    case OP_CP_ASYNC_BULK_PREFETCH:
    case OP_CP_ASYNC_BULK_WAIT_GROUP:
    case OP_CP_ASYNC_MBARRIER_ARRIVE:
    case OP_CP_ASYNC_WAIT_GROUP:
    case OP_MBARRIER_INIT:
    case OP_MBARRIER_INVAL:
    case OP_MBARRIER_EXPECT_TX:
    case OP_MBARRIER_COMPLETE_TX:
        return 0;
    case OP_BAR:
    case OP_BARRIER:
        return ptx_has(i, MOD_RED);
    default:
        return i->noperands ? 1 : 0;
    }
}

static enum ptx_type unsigned_of(u32 bits)
{
    return bits <= 16 ? PTX_B16 : bits == 32 ? PTX_B32 : bits == 64 ? PTX_B64 : PTX_B128;
}

/* .wide: the result (and mad's addend) is twice as wide as the sources. */
static enum ptx_type widened(enum ptx_type t)
{
    return ptx_type_signed(t) ? (t == PTX_S16 ? PTX_S32 : PTX_S64) : (t == PTX_U16 ? PTX_U32 : PTX_U64);
}

/* The type of operand k (destinations are counted) of an instruction; used for immediates and for width changes. */
enum ptx_type ir_operand_type(const struct ptx_inst *i, unsigned k)
{
    enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_B32;
    enum ptx_type last = i->ntypes ? (enum ptx_type)i->types[i->ntypes - 1] : PTX_B32;
    switch (i->op) {
    case OP_SHL:
    case OP_SHR:
        return k == 2 ? PTX_U32 : t;
    case OP_MUL:
        return k == 0 && ptx_has(i, MOD_WIDE) ? widened(t) : t;
    case OP_MAD:
        return (k == 0 || k == 3) && ptx_has(i, MOD_WIDE) ? widened(t) : t;
    case OP_CVT:
        return k == 0 ? t : last;
    case OP_SETP:
        return k == 0 || k == 3 ? PTX_PRED : last;
    case OP_SET:
        return k == 0 ? t : k == 3 ? PTX_PRED : last;
    case OP_SELP:
        return k == 3 ? PTX_PRED : t;
    case OP_SLCT:
        return k == 3 ? last : t;
    case OP_TESTP:
        return k == 0 ? PTX_PRED : t;
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
        return k == 0 ? PTX_U32 : t;
    case OP_BFE:
        return k >= 2 ? PTX_U32 : t;
    case OP_BFI:
        return k >= 3 ? PTX_U32 : t;
    case OP_SHF:
        return k == 3 ? PTX_U32 : t;
    case OP_DP4A:
    case OP_DP2A:
        return PTX_B32;
    case OP_ISSPACEP:
        return k == 0 ? PTX_PRED : PTX_U64;
    case OP_SHFL:
        return k <= 1 ? unsigned_of(ptx_type_bits(t)) : PTX_U32;
    case OP_VOTE:
        return k == 0 ? t : k == 1 ? PTX_PRED : PTX_U32;
    case OP_MATCH:
        return k == 1 ? t : PTX_U32;
    case OP_REDUX:
        return k == 2 ? PTX_U32 : t;
    case OP_FNS:
        return PTX_B32;
    case OP_MBARRIER_PENDING_COUNT:
        return k == 0 ? PTX_B32 : PTX_B64;
    default:
        return t;
    }
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
    unsigned ndest = ir_dest_count(i);
    for (unsigned k = 0; k < i->noperands; k++)
        visit(&i->operands[k], k < ndest, fn, ctx);
    if (i->guard)
        fn(ctx, i->guard, false);
}
