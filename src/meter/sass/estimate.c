/* estimate.c - what ptxas is expected to make of a function, if ptxas was not run: which branches stay branches, how
 * many machine instructions a PTX instruction becomes, what class it counts in.
 *
 * The branch rules were measured on 342 kernels assembled for sm_90 and fit 88 % of the branches that are not decided
 * otherwise: a simple forward body of up to 10 instructions, with no atomics and not both a global load and a global
 * store, is predicated; a branch to a bare ret is an exit (always). The weights are coarse: they come from the length of
 * the usual expansions (64-bit integer operations take two instructions, an integer division about twenty). Everything
 * that comes from here is marked estimated. Loops are not unrolled here, arrays are not promoted to registers. */
#include <string.h>

#include "base/mutate.h"
#include "ir/matrix.h"
#include "meter/rules.h"
#include "meter/sass/expand.h"

enum { WMMA_ADDRESS = 7 }; /* from the lane to its first address, in code for sm_90 */
enum { BODY_MAX = 10 };    /* PTX instructions of a body that is still predicated */
enum { REGION_BLOCKS = 8, REGION_MAX = 12 };

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

/* ---- branches ---- */

static bool is_bare_return(const struct ir_func *f, u32 block)
{
    if (block >= f->nblocks || !f->src->is_entry)
        return false;
    const struct ir_block *b = &f->blocks[block];
    const struct ptx_inst *i = &f->src->insts[b->first];
    return b->first < b->end && (i->op == OP_RET || i->op == OP_EXIT) && !i->guard;
}

/* What must not be in a predicated body, or what a body may have one of. */
struct body {
    u32 n;
    bool loads, stores, other; /* loads, stores: of global memory */
    bool reads;                /* memory of any kind */
};

/* Warp-wide operations, atomics and what leaves the body; divisions are calls or loops in machine code. */
static bool keeps_branch(const struct ptx_inst *i)
{
    const struct ptx_op_row *row = &ptx_op_rows[i->op];
    const char *sequence = expand_inst(i, 9);
    return row->class == PTX_CLASS_INTER_THREAD || row->memory == PTX_MEM_ATOMIC || row->flow == FLOW_CALL ||
           row->flow == FLOW_TABLE || row->flow == FLOW_END || weights[i->op] == weight_division ||
           (sequence && strchr(sequence, 'j'));
}

static void add_to_body(struct body *b, const struct ptx_inst *i)
{
    const bool global = i->space == SPACE_GLOBAL || i->space == SPACE_NONE;
    const u8 memory = ptx_op_rows[i->op].memory;
    b->reads |= memory != PTX_MEM_NONE && memory != PTX_MEM_STORE && i->space != SPACE_PARAM;
    b->loads |= global && memory == PTX_MEM_LOAD;
    b->stores |= global && memory == PTX_MEM_STORE;
    b->other |= keeps_branch(i);
    /* parameters are operands or read once at the start, wherever clang puts their loads; cvta is nothing */
    b->n += i->op != OP_CVTA && !(i->op == OP_LD && i->space == SPACE_PARAM);
}

/* Whether block b runs into `join` only and is simple enough. */
static bool is_simple_body(const struct ir_func *f, u32 block, u32 join)
{
    if (block >= f->nblocks || join == block)
        return false;
    const struct ir_block *b = &f->blocks[block];
    if (b->npreds != 1 || b->nsucc != 1 || b->succs[0] != join)
        return false;
    struct body body = {0};
    for (u32 s = b->first; s < b->end; s++)
        if (f->src->insts[s].op != OP_BRA)
            add_to_body(&body, &f->src->insts[s]);
        else if (f->src->insts[s].guard)
            body.other = true;
    return body.n <= MUTANT(60, BODY_MAX, 1000) && !body.other && !(MUTANT(61, body.loads && body.stores, false));
}

static u32 target_block(const struct ir_func *f, const struct ptx_inst *i)
{
    if (!i->noperands || i->operands[0].kind != PTX_LABEL)
        return IR_NO_BLOCK;
    const u32 at = i->operands[0].label->at;
    return at < f->src->ninsts ? f->block_of_site[at] : IR_NO_BLOCK;
}

/* Where a block that is a jump and nothing else leads; other blocks are their own end. */
static u32 follow_jumps(const struct ir_func *f, u32 block)
{
    for (u32 n = 0; n < 4 && block < f->nblocks; n++) {
        const struct ir_block *b = &f->blocks[block];
        const struct ptx_inst *i = &f->src->insts[b->first];
        if (b->end != b->first + 1 || i->op != OP_BRA || i->guard)
            break;
        block = target_block(f, i);
    }
    return block;
}

/* Both sides simple, with the same end: if and else are predicated. */
static bool is_diamond(const struct ir_func *f, u32 a, u32 b)
{
    if (a >= f->nblocks || b >= f->nblocks || a == b || f->blocks[a].nsucc != 1 || f->blocks[b].nsucc != 1)
        return false;
    const u32 join = f->blocks[a].succs[0];
    return f->blocks[b].succs[0] == join && is_simple_body(f, a, join) && is_simple_body(f, b, join);
}

/* ---- regions ---- */

/* What is between a branch and the place where its lanes meet, if nothing else leads there: bodies in bodies, and conditions that are
 * made of several branches. */
struct region {
    const struct ir_func *f;
    u32 head, join;
    u32 at[REGION_BLOCKS], n; /* blocks */
    struct body body;
};

static bool region_has(const struct region *r, u32 block)
{
    for (u32 k = 0; k < r->n; k++)
        if (r->at[k] == block)
            return true;
    return false;
}

/* Takes the block and what it leads to. False: too much, or a loop. */
static bool take_region(struct region *r, u32 block)
{
    const struct ir_block *b = &r->f->blocks[block];
    if (block == r->join || region_has(r, block))
        return true;
    if (r->n == REGION_BLOCKS || block == r->head || b->loop_depth != r->f->blocks[r->head].loop_depth)
        return false;
    r->at[r->n++] = block;
    for (u32 s = b->first; s < b->end; s++)
        if (r->f->src->insts[s].op != OP_BRA)
            add_to_body(&r->body, &r->f->src->insts[s]);
    for (u32 k = 0; k < b->nsucc; k++)
        if (!take_region(r, b->succs[k]))
            return false;
    return b->nsucc > 0;
}

/* All that leads to its blocks is in it, and some body is come to by several ways. */
static bool is_closed(const struct region *r)
{
    bool shared = false;
    for (u32 k = 0; k < r->n; k++) {
        shared |= r->f->blocks[r->at[k]].npreds > 1;
        u32 inside = 0;
        for (u32 n = 0; n <= r->n; n++) {
            const struct ir_block *from = &r->f->blocks[n < r->n ? r->at[n] : r->head];
            for (u32 s = 0; s < from->nsucc; s++)
                inside += from->succs[s] == r->at[k];
        }
        if (inside != r->f->blocks[r->at[k]].npreds)
            return false;
    }
    return shared;
}

/* Several blocks in which lanes part again: predicated if they read no memory. (Of 11 such regions in the corpus's half for fitting ptxas
 * predicated 11, of 29 with loads none but for the innermost bodies.) */
static bool find_region(const struct ir_func *f, u32 head, struct region *r)
{
    const struct ir_block *b = &f->blocks[head];
    *r = (struct region){.f = f, .head = head, .join = b->ipdom};
    if (b->ipdom == IR_NO_BLOCK || b->ipdom == head || f->blocks[b->ipdom].loop_depth != b->loop_depth)
        return false;
    for (u32 k = 0; k < b->nsucc; k++)
        if (!take_region(r, b->succs[k]))
            return false;
    return is_closed(r) && !r->body.other && !r->body.reads && r->body.n <= REGION_MAX;
}

static void take_region_in(const struct region *r, u32 *counts_as)
{
    for (u32 k = 0; k < r->n; k++)
        counts_as[r->at[k]] = r->head;
}

/* clang puts a body anywhere in the text and jumps back from its end; ptxas lays blocks out anew, so what counts is the
 * shape: a branch with a simple body on one side, the other side being where the body leads. */
static enum branch_kind conditional(const struct ir_func *f, u32 block, u32 target, u32 *counts_as)
{
    const u32 next = block + 1, other = follow_jumps(f, next), taken = follow_jumps(f, target);
    struct region r;
    if (counts_as[block] != block) /* in a region */
        return BRANCH_PREDICATED;
    if (is_bare_return(f, taken) || is_bare_return(f, other) || target == IR_NO_BLOCK)
        return MUTANT(62, BRANCH_EXIT, BRANCH_MACHINE);
    if (is_simple_body(f, next, target))
        counts_as[next] = block;
    else if (is_simple_body(f, target, other))
        counts_as[target] = block;
    else if (is_diamond(f, target, other) && f->blocks[next].npreds == 1)
        counts_as[target] = counts_as[next] = counts_as[other] = block;
    else if (find_region(f, block, &r))
        take_region_in(&r, counts_as);
    else
        return BRANCH_MACHINE;
    return MUTANT(63, BRANCH_PREDICATED, BRANCH_MACHINE);
}

/* Whether control goes on from the end of a block to `to` without a condition. */
static bool runs_into(const struct ir_func *f, u32 block, u32 to)
{
    const struct ir_block *b = &f->blocks[block];
    return b->nsucc == 1 && b->succs[0] == to;
}

/* One of the blocks that run into `target` is laid out before it and needs no jump: the one that is so in the text, else
 * the first. Bodies that are predicated have become part of the block before. */
static bool is_laid_out(const struct ir_func *f, u32 block, u32 target, const u32 *counts_as)
{
    if (target < block && f->blocks[target].loop_depth && f->blocks[block].loop_depth >= f->blocks[target].loop_depth)
        return false; /* closes a loop */
    if (target && runs_into(f, target - 1, target) && counts_as[target - 1] == target - 1)
        return false;
    for (u32 b = 0; b < block; b++)
        if (runs_into(f, b, target) && counts_as[b] == b)
            return false;
    return true;
}

static enum branch_kind unconditional(const struct ir_func *f, u32 block, u32 target, const u32 *counts_as)
{
    const u32 end = follow_jumps(f, target);
    if (target == IR_NO_BLOCK || is_bare_return(f, end))
        return MUTANT(67, BRANCH_EXIT, BRANCH_MACHINE);
    if (target == block + 1 || counts_as[block] != block || is_laid_out(f, block, target, counts_as))
        return MUTANT(66, BRANCH_NONE, BRANCH_MACHINE);
    return BRANCH_MACHINE;
}

/* Bodies have to be known before jumps are judged: two passes. */
static void estimate_branches(const struct ir_func *f, struct estimate *e)
{
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 s = 0; s < f->src->ninsts; s++) {
            const struct ptx_inst *i = &f->src->insts[s];
            const u32 block = f->block_of_site[s];
            struct site_estimate *site = &e->sites[s];
            if (i->op == OP_CALL || i->op == OP_BRX)
                site->branch = BRANCH_MACHINE;
            if (i->op != OP_BRA || (pass == 0) != (i->guard != NULL) || block >= f->nblocks)
                continue;
            const u32 target = target_block(f, i);
            site->branch = (u8)(i->guard ? conditional(f, block, target, e->counts_as)
                                         : unconditional(f, block, target, e->counts_as));
            if (site->branch == BRANCH_NONE || site->branch == BRANCH_PREDICATED)
                site->weight = 0;
        }
}

/* Kernels of an H200 never report fewer than 16. What ptxas keeps in constant banks and what it moves up for the sake of
 * latency cancel out: of the recorded kernels (tests/hw/h200) most are within 4 of what is live at once. Of 33 to 64 it saves up to eight,
 * so that more warps fit: of 22 kernels of the corpus's half for fitting with 33 to 40 eleven had 32 or fewer, and with 41 to 64 14 had 3 to 12 fewer. */
u32 estimate_registers(u32 live_max)
{
    enum { LEAST = 16, MOST = 255, WARPS = 8, FROM = 33, TO = 64 };
    if (live_max >= FROM && live_max <= TO)
        return (live_max + WARPS - 1) / WARPS * WARPS - WARPS;
    return live_max < LEAST ? LEAST : live_max > MOST ? MOST : live_max;
}

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
    estimate_fuse(mem, f, cc_major, e->sites);
    estimate_merges(mem, f, e->sites);
    estimate_batches(mem, f, e->sites);
    if (code)
        estimate_ask(mem, f, code, e);
    return e;
}
