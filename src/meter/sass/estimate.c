/* estimate.c - what ptxas is expected to make of a function, if ptxas was not run: how many machine instructions a PTX
 * instruction becomes, what class it counts in; branches.c says which branches stay branches.
 *
 * The weights are coarse: they come from the length of the usual expansions (64-bit integer operations take two
 * instructions, an integer division about twenty). Everything that comes from here is marked estimated. Loops are not
 * unrolled here, arrays are not promoted to registers. */
#include <string.h>

#include "base/mutate.h"
#include "ir/matrix.h"
#include "meter/rules.h"
#include "meter/sass/expand.h"

enum { WMMA_ADDRESS = 7 }; /* from the lane to its first address, in code for sm_90 */

/* ---- registers: how often read, and the one instruction that writes it ---- */

enum { DEF_NONE = UINT32_MAX, DEF_MANY = UINT32_MAX - 1 };

struct uses {
    const struct ptx_func *f;
    u32 *reads; /* by register index */
    u32 *def;   /* site, or DEF_* */
};

static void note_operand(struct uses *u, const struct ptx_operand *o, u32 site, bool written)
{
    if (o->kind == PTX_REG && o->var->index < u->f->nregs) {
        u32 *def = &u->def[o->var->index];
        if (written)
            *def = *def == DEF_NONE ? site : DEF_MANY;
        else
            u->reads[o->var->index]++;
    }
    if (o->kind == PTX_ADDR)
        note_operand(u, &o->elems[0], site, false);
    if (o->kind == PTX_VEC || o->kind == PTX_PAIR || o->kind == PTX_LIST)
        for (u32 k = 0; k < o->n; k++)
            note_operand(u, &o->elems[k], site, written);
}

static struct uses find_uses(struct arena *mem, const struct ptx_func *f)
{
    struct uses u = {f, arena_array(mem, u32, f->nregs + 1), arena_array(mem, u32, f->nregs + 1)};
    memset(u.def, 0xff, sizeof(u32) * (f->nregs + 1));
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        if (i->guard && i->guard->index < f->nregs)
            u.reads[i->guard->index]++;
        for (u32 k = 0; k < i->noperands; k++)
            note_operand(&u, &i->operands[k], s, i->operands[k].role == PTX_DEST);
    }
    return u;
}

/* The instruction that alone writes the register, or NULL. */
static const struct ptx_inst *only_def(const struct uses *u, const struct ptx_operand *o)
{
    if (o->kind != PTX_REG || o->var->index >= u->f->nregs || u->def[o->var->index] >= DEF_MANY)
        return NULL;
    return &u->f->insts[u->def[o->var->index]];
}

/* ---- weights ---- */

static enum ptx_type first_type(const struct ptx_inst *i) { return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE; }

static bool is_wide(const struct ptx_inst *i) { return ptx_type_bits(first_type(i)) == 64; }

static bool is_wide_integer(const struct ptx_inst *i) { return is_wide(i) && !ptx_type_float(first_type(i)); }

static u32 weight_none(const struct uses *u, const struct ptx_inst *i)
{
    (void)u, (void)i;
    return 0;
}

static u32 weight_one(const struct uses *u, const struct ptx_inst *i)
{
    (void)u, (void)i;
    return 1;
}

/* The upper half of x & 1020 is 0, of x | 1020 that of x. */
static bool is_of_low_half(const struct ptx_inst *i)
{
    return (i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR) && i->operands[2].kind == PTX_IMM &&
           i->operands[2].bits <= UINT32_MAX;
}

/* Predicates are combined by what makes them. */
static u32 weight_wide(const struct uses *u, const struct ptx_inst *i)
{
    (void)u;
    return first_type(i) == PTX_PRED ? 0 : is_wide_integer(i) && !is_of_low_half(i) ? 2 : 1;
}

/* What it may become a part of, or take in, is fuse.c's to say. */
static u32 weight_sum(const struct uses *u, const struct ptx_inst *i) { return weight_wide(u, i); }

static u32 weight_product(const struct uses *u, const struct ptx_inst *i)
{
    (void)u;
    return is_wide_integer(i) ? 4 : 1;
}

/* Of integers of 64 bits: what a call of ptxas's own function runs. The others, and roots, are sequences (expand.h). */
static u32 weight_division(const struct uses *u, const struct ptx_inst *i)
{
    (void)u;
    return ptx_type_bits(first_type(i)) == 64 ? 70 : 18;
}

/* A register copy vanishes. */
static u32 weight_move(const struct uses *u, const struct ptx_inst *i)
{
    const u8 from = i->operands[i->noperands - 1].kind;
    (void)u;
    return from == PTX_SREG || from == PTX_VAR || from == PTX_IMM;
}

static u32 weight_matrix_access(const struct uses *u, const struct ptx_inst *i)
{
    (void)u;
    return ir_matrix_accesses(i) + WMMA_ADDRESS;
}

static u32 weight_matrix_product(const struct uses *u, const struct ptx_inst *i)
{
    (void)u;
    return ir_matrix_products(i);
}

/* What ops.def says in its column `weight`. */
static u32 (*const weights[PTX_NOPS])(const struct uses *u, const struct ptx_inst *i) = {
    weight_one,
#define PTX_OP(id, name, forms, class, section, semantics, lowering, flow, memory, result, cost, weight)               \
    weight_##weight,
#include "ptx/ops.def"
#undef PTX_OP
};

/* ---- classes ---- */

static enum event_id arith_event(enum ptx_type t)
{
    switch (t) {
    case PTX_F32:
    case PTX_F32X2:
    case PTX_TF32:
        return EVENT_fp32;
    case PTX_F64:
        return EVENT_fp64;
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
        return EVENT_fp16;
    default:
        return EVENT_integer;
    }
}

static enum event_id class_event(const struct ptx_inst *i)
{
    static const u8 events[] = {
        [PTX_CLASS_INTEGER] = EVENT_integer,
        [PTX_CLASS_BIT] = EVENT_bit,
        [PTX_CLASS_CONVERSION] = EVENT_conversion,
        [PTX_CLASS_CONTROL] = EVENT_control,
        [PTX_CLASS_INTER_THREAD] = EVENT_exchange,
        [PTX_CLASS_MEMORY] = EVENT_memory,
        [PTX_CLASS_TEXTURE] = EVENT_memory,
        [PTX_CLASS_TENSOR] = EVENT_misc,
        [PTX_CLASS_MISC] = EVENT_misc,
    };
    const u8 class = ptx_op_rows[i->op].class;
    return class == PTX_CLASS_ARITH ? arith_event(first_type(i)) : (enum event_id)events[class];
}

_Static_assert(EVENT_fmul == EVENT_fadd + 1 && EVENT_ffma == EVENT_fadd + 2 && EVENT_dmul == EVENT_dadd + 1 &&
                   EVENT_dfma == EVENT_dadd + 2 && EVENT_hmul == EVENT_hadd + 1 && EVENT_hfma == EVENT_hadd + 2,
               "additions, multiplications, both: in this order in events.def");

/* The operation that ncu counts as flops: the event of its kind (0 = add, 1 = mul, 2 = fma) and type. */
static void set_flop(struct site_estimate *e, const struct ptx_inst *i)
{
    const int kind = i->op == OP_ADD || i->op == OP_SUB   ? 0
                     : i->op == OP_MUL                    ? 1
                     : i->op == OP_FMA || i->op == OP_MAD ? 2
                                                          : -1;
    const enum ptx_type t = first_type(i);
    if (kind < 0)
        return;
    e->flops = t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2 ? 2 : 1;
    switch (arith_event(t)) {
    case EVENT_fp32:
        e->flop = (u8)(EVENT_fadd + kind);
        break;
    case EVENT_fp64:
        e->flop = (u8)(EVENT_dadd + kind);
        break;
    case EVENT_fp16:
        e->flop = (u8)(EVENT_hadd + kind);
        break;
    default:
        e->flops = 0;
    }
}

/* ---- memory ---- */

static enum event_id access_event(const struct ptx_inst *i, bool unused)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    const bool load = memory == PTX_MEM_LOAD || memory == PTX_MEM_MATRIX_LOAD;
    const bool store = memory == PTX_MEM_STORE || memory == PTX_MEM_MATRIX_STORE;
    const bool atom = memory == PTX_MEM_ATOMIC;
    if (!load && !store && !atom)
        return (enum event_id)0;
    switch (i->space) {
    case SPACE_GLOBAL:
    case SPACE_NONE: /* generic: most are global; counter_access knows, this is for machine instructions only */
        return load ? EVENT_gld_inst : store ? EVENT_gst_inst : unused ? EVENT_gred_inst : EVENT_gatom_inst;
    case SPACE_LOCAL:
        return load ? EVENT_lld_inst : EVENT_lst_inst;
    case SPACE_SHARED:
        return load ? EVENT_sld_inst : store ? EVENT_sst_inst : EVENT_satom_inst;
    default:
        return (enum event_id)0;
    }
}

/* A shared sum of ones whose result is not used: ptxas makes an ATOMS.POPC.INC of it, which counts the lanes of each
 * word at once. Measured on an H200: tests/hw/h200/ladders.csv, histShared. */
static bool counts_lanes(bool unused, const struct ptx_inst *i)
{
    const struct ptx_operand *one = i->noperands ? &i->operands[i->noperands - 1] : NULL;
    return (unused || i->op == OP_RED) && ptx_op_rows[i->op].memory == PTX_MEM_ATOMIC && i->space == SPACE_SHARED &&
           ptx_has(i, MOD_ADD) && ptx_type_bits(i->types[0]) == 32 && i->types[0] != PTX_F32 && one->kind == PTX_IMM &&
           one->bits == 1;
}

/* Shared atomics that the hardware has: 32-bit integer ones, and compare-and-swap and exchange of 64 bits. */
static bool is_loop(const struct ptx_inst *i)
{
    if (ptx_op_rows[i->op].memory != PTX_MEM_ATOMIC || ptx_has(i, MOD_CAS) || ptx_has(i, MOD_EXCH))
        return false;
    const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[i->ntypes - 1] : PTX_NONE;
    return ptx_type_bits(t) != 32 || (t != PTX_U32 && t != PTX_S32 && t != PTX_B32);
}

/* What the hardware does as a reduction, without an answer. One that releases needs the answer to be ordered: an H200 runs it
 * as an atomic (tests/hw/h200/ladders.csv, coop/). */
static bool is_unused(const struct uses *u, const struct ptx_inst *i)
{
    if (ptx_has(i, MOD_RELEASE) || ptx_has(i, MOD_ACQUIRE) || ptx_has(i, MOD_ACQ_REL))
        return false;
    if (i->op == OP_RED)
        return true;
    if (i->op != OP_ATOM || !i->noperands)
        return false;
    const struct ptx_operand *d = &i->operands[0];
    return d->kind == PTX_SINK || (d->kind == PTX_REG && d->var->index < u->f->nregs && !u->reads[d->var->index]);
}

/* The same in all lanes, as its definitions show: made of parameters, constants and numbers of the block. */
static bool is_uniform(const struct uses *u, const struct ptx_operand *o, u32 depth)
{
    enum { DEEP = 12 };
    if (o->kind == PTX_ADDR)
        return is_uniform(u, &o->elems[0], depth);
    if (o->kind == PTX_SREG)
        return ptx_sreg_rows[o->sreg].scope == SREG_SCOPE_BLOCK || ptx_sreg_rows[o->sreg].scope == SREG_SCOPE_GRID;
    if (o->kind != PTX_REG)
        return o->kind == PTX_IMM || o->kind == PTX_VAR;
    const struct ptx_inst *i = only_def(u, o);
    const u8 memory = i ? ptx_op_rows[i->op].memory : PTX_MEM_NONE;
    if (!i || i->guard || depth >= DEEP || i->op == OP_ATOM || (i->op == OP_LD && i->space != SPACE_PARAM) ||
        (i->op != OP_LD && memory != PTX_MEM_NONE) || ptx_op_rows[i->op].class == PTX_CLASS_INTER_THREAD)
        return false;
    for (u32 k = 1; k < i->noperands && i->op != OP_LD; k++)
        if (!is_uniform(u, &i->operands[k], depth + 1))
            return false;
    return true;
}

/* Whether ptxas has one lane do it for all: sums of what is the same in all lanes, and of 32-bit integers what REDUX can
 * put together where the result is not used. */
static bool is_elected(const struct uses *u, const struct ptx_inst *i, bool unused)
{
    const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[i->ntypes - 1] : PTX_NONE;
    const bool puts_together = ptx_has(i, MOD_ADD) || ptx_has(i, MOD_MIN) || ptx_has(i, MOD_MAX) ||
                               ptx_has(i, MOD_AND) || ptx_has(i, MOD_OR) || ptx_has(i, MOD_XOR);
    const u32 at = i->op == OP_ATOM ? 1 : 0;
    if ((i->op != OP_ATOM && i->op != OP_RED) || i->noperands <= at + 1 || ptx_type_float(t) ||
        (i->space != SPACE_GLOBAL && i->space != SPACE_NONE) || !is_uniform(u, &i->operands[at], 0))
        return false;
    return (ptx_has(i, MOD_ADD) && is_uniform(u, &i->operands[at + 1], 0)) ||
           (unused && puts_together && ptx_type_bits(t) == 32);
}

bool estimate_acquires(const struct ptx_inst *i)
{
    return (ptx_has(i, MOD_ACQUIRE) || ptx_has(i, MOD_ACQ_REL)) && !ptx_has(i, MOD_CTA) && !ptx_has(i, MOD_SHARED);
}

bool estimate_releases(const struct ptx_inst *i)
{
    return (ptx_has(i, MOD_RELEASE) || ptx_has(i, MOD_ACQ_REL)) && !ptx_has(i, MOD_CTA) && !ptx_has(i, MOD_SHARED);
}

bool estimate_has_wide_constant(const struct ptx_inst *i)
{
    for (u32 k = 1; k < i->noperands && first_type(i) == PTX_F64 && ptx_op_rows[i->op].memory == PTX_MEM_NONE; k++)
        if (i->operands[k].kind == PTX_IMM && (u32)i->operands[k].bits)
            return true;
    return false;
}

/* What stands around an access: the fence in front, MEMBAR and twice ERRBAR, and CCTL behind it; lanes that choose one of them, and what
 * each of them has to add to that one's result. */
static u32 around_access(const struct ptx_inst *i, const struct site_estimate *e)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    if (memory == PTX_MEM_FENCE)
        return ptx_has(i, MOD_CTA) || ptx_has(i, MOD_PROXY) ? 0 : 3;
    if (memory != PTX_MEM_LOAD && memory != PTX_MEM_STORE && memory != PTX_MEM_ATOMIC)
        return 0;
    return 3u * estimate_releases(i) + estimate_acquires(i) + (e->elected ? e->unused ? 5 : 10 : 0);
}

static void estimate_site(const struct uses *u, const struct ptx_inst *i, u32 cc_major, struct site_estimate *e)
{
    const char *sequence = expand_inst(i, cc_major);
    e->weight = (u8)(sequence ? expand_length(sequence) : weights[i->op](u, i));
    e->event = (u8)class_event(i);
    e->unused = is_unused(u, i);
    e->loops = is_loop(i);
    e->counts = counts_lanes(e->unused, i);
    e->elected = is_elected(u, i, e->unused);
    e->weight += around_access(i, e) + (estimate_has_wide_constant(i) ? i->op == OP_MOV ? 1 : 2 : 0);
    e->async = ptx_op_rows[i->op].memory == PTX_MEM_COPY;
    e->access = (u8)access_event(i, e->unused);
    e->accesses = (u8)(ptx_op_rows[i->op].class == PTX_CLASS_TENSOR ? ir_matrix_accesses(i) : 1);
    e->products = (u8)ir_matrix_products(i);
    set_flop(e, i);
}

/* ---- the function ---- */

struct estimate *estimate_make(struct arena *mem, const struct ir_func *f, u32 cc_major, const struct sass_func *code)
{
    struct estimate *e = arena_new(mem, struct estimate);
    const struct uses u = find_uses(mem, f->src);
    e->sites = arena_array(mem, struct site_estimate, f->src->ninsts + 1);
    e->counts_as = arena_array(mem, u32, f->nblocks + 1);
    for (u32 b = 0; b < f->nblocks; b++)
        e->counts_as[b] = b;
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        estimate_site(&u, i, cc_major, &e->sites[s]);
        /* kernel parameters are operands of what uses them until cc 9, loads from then on */
        if (i->op == OP_LD && i->space == SPACE_PARAM)
            e->sites[s].weight = cc_major >= 9 && f->src->is_entry;
    }
    if (f->src->is_entry && f->src->ninsts)
        e->sites[0].weight += 1 + (cc_major >= 8); /* the stack pointer; the descriptor of global memory */
    estimate_branches(f, e);
    estimate_reciprocals(mem, f, e->sites);
    estimate_copies(mem, f, e->sites);
    estimate_selected_sums(mem, f, e->sites);
    estimate_fuse(mem, f, cc_major, e->sites);
    estimate_selected_floats(mem, f, e->sites);
    estimate_merges(mem, f, e->sites);
    estimate_shared_addresses(mem, f, cc_major, e->sites);
    estimate_batches(mem, f, e->sites);
    if (code)
        estimate_ask(mem, f, code, e);
    return e;
}
