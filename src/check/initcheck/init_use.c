/* init_use.c - what a function does with what it loads, so that copies of structs and unions are no findings.
 *
 * Registers are followed without regard to order: a register is *used* if some instruction computes with it, goes by it
 * (guards, predicates) or takes it for an address, or if what is moved, packed or converted from it is. It is *stored*
 * if the same holds of the value of a store. A loaded element that is stored and not used is a copy, and counts
 *
 *   - as used, when the load feeds one store directly in its block, and it is no part of an aggregate;
 *   - as copied else: compilers copy padding and unset members.
 *
 * From local memory to local memory all direct copies are copies, and the bytes that are stored take over what was
 * loaded (init_access.c).
 *
 * Part of an aggregate: a vector, an argument by value, a byte in a loop, or one of two copies side by side, from and
 * to the same bases; but where code is optimised (the load names global or shared memory) scalars are no parts, because
 * optimised copies load no padding of their own.
 *
 * An element is used *whole* if an instruction takes it for a number: then it matters that a part of it was never
 * written. Code that shifts, masks, packs or takes bytes out of a word may know that the others are padding; code that
 * compares two words for equality, or exchanges one, may mean only a part of it.
 *
 * What only goes into a selp may be a load that the compiler made unconditional; of shared memory, what is not used
 * for sure (init_sure.c) counts as that. Other instructions that read memory (matrix loads, cp.async, atomics) are not
 * followed: what they read is used. */
#include "check/initcheck/initcheck.h"
#include "ir/pass.h"

enum { USED = 1, STORED = 2, CHOSEN = 4, PACKED = 8, WHOLE = 16 };

struct use_pass {
    struct arena *mem;
    const struct ir_func *func;
    struct init_uses *out;
    u8 *flags;    /* by register */
    u32 *stores;  /* by register: 1 + the site of the last store of it */
    u32 *nstores; /* by register: stores of it, and moves */
    u8 *scratch;  /* by register */
    const u64 *local;
    bool changed;
};

/* ---- what instructions do with registers ---- */

static bool is_immediate(const struct ptx_inst *i, unsigned k)
{
    return k < i->noperands && i->operands[k].kind == PTX_IMM;
}

/* Whole bytes are kept or dropped. */
static bool is_byte_mask(u64 mask)
{
    for (; mask; mask >>= 8)
        if ((mask & 0xff) != 0 && (mask & 0xff) != 0xff)
            return false;
    return true;
}

static enum ptx_result result_of(const struct ptx_inst *i) { return (enum ptx_result)ptx_op_rows[i->op].result; }

static bool is_float(const struct ptx_inst *i, unsigned k) { return ptx_type_float((enum ptx_type)i->types[k]); }

bool init_moves_bytes(const struct ptx_inst *i)
{
    switch (result_of(i)) {
    case PTX_RESULT_COPY:
    case PTX_RESULT_SPLICE:
        return true;
    case PTX_RESULT_SHIFT:
        return is_immediate(i, 2) && i->operands[2].bits % 8 == 0;
    case PTX_RESULT_MASK:
        return is_immediate(i, 2) && is_byte_mask(i->operands[2].bits);
    case PTX_RESULT_FIELD:
        return is_immediate(i, 2) && is_immediate(i, 3) && (i->operands[2].bits | i->operands[3].bits) % 8 == 0;
    case PTX_RESULT_CONVERT:
        return i->ntypes == 2 && !is_float(i, 0) && !is_float(i, 1);
    default:
        return false;
    }
}

/* The operand is taken for one number, every byte of which counts. */
static bool takes_whole(const struct ptx_inst *i)
{
    if (i->ntypes && ptx_type_bits((enum ptx_type)i->types[0]) < 32)
        return false;
    for (unsigned k = 0; k < i->ntypes; k++)
        if (i->types[k] == PTX_F16X2 || i->types[k] == PTX_BF16X2)
            return false;
    switch (result_of(i)) {
    case PTX_RESULT_NUMBER:
        return true;
    case PTX_RESULT_CONVERT: /* between integers it may be the bytes that are wanted */
        return i->ntypes == 2 && (is_float(i, 0) || is_float(i, 1));
    case PTX_RESULT_COMPARE:
        return (!ptx_has(i, MOD_EQ) && !ptx_has(i, MOD_NE)) || is_immediate(i, i->noperands - 1u);
    default:
        return false;
    }
}

/* What is true of the result is true of the operand: a move, or an integer made wider. */
static bool keeps_whole(const struct ptx_inst *i)
{
    return result_of(i) == PTX_RESULT_COPY ||
           (result_of(i) == PTX_RESULT_CONVERT && init_moves_bytes(i) &&
            ptx_type_bits((enum ptx_type)i->types[0]) >= ptx_type_bits((enum ptx_type)i->types[1]));
}

static void give(struct use_pass *p, const struct ptx_var *reg, u8 flags)
{
    u8 *f = &p->flags[reg->index];
    p->changed |= (*f | flags) != *f;
    *f |= flags;
}

static void give_all(struct use_pass *p, const struct ptx_operand *o, u8 flags)
{
    if (o->kind == PTX_REG) {
        give(p, o->var, flags);
    } else if (o->kind == PTX_ADDR || o->kind == PTX_VEC || o->kind == PTX_PAIR || o->kind == PTX_LIST) {
        for (unsigned k = 0; k < o->n; k++)
            give_all(p, &o->elems[k], o->kind == PTX_ADDR ? USED : flags);
    }
}

static u8 flags_of(const struct use_pass *p, const struct ptx_operand *o)
{
    u8 all = 0;
    if (o->kind == PTX_REG)
        return p->flags[o->var->index];
    if (o->kind == PTX_VEC || o->kind == PTX_PAIR)
        for (unsigned k = 0; k < o->n; k++)
            all |= flags_of(p, &o->elems[k]);
    return all;
}

static void look(struct use_pass *p, const struct ptx_inst *i)
{
    const unsigned ndest = ptx_dest_count(i);
    u8 onward = takes_whole(i) ? USED | WHOLE : USED;
    if (init_moves_bytes(i))
        onward = (flags_of(p, &i->operands[0]) & (USED | STORED | CHOSEN | PACKED | (keeps_whole(i) ? WHOLE : 0))) |
                 (i->op == OP_MOV ? 0 : PACKED);
    for (unsigned k = ndest; k < i->noperands; k++) {
        u8 flags = onward;
        if (i->op == OP_ST && k == 1)
            flags = STORED;
        else if (i->op == OP_SELP && k < 3)
            flags = CHOSEN;
        give_all(p, &i->operands[k], flags);
    }
    if (i->guard)
        give(p, i->guard, USED);
}

static void note_store(struct use_pass *p, const struct ptx_operand *o, u32 site)
{
    if (o->kind == PTX_REG) {
        p->stores[o->var->index] = site + 1;
        p->nstores[o->var->index]++;
    } else if (o->kind == PTX_VEC) {
        for (unsigned k = 0; k < o->n; k++)
            note_store(p, &o->elems[k], site);
    }
}

static void look_all(struct use_pass *p)
{
    const struct ptx_func *f = p->func->src;
    do {
        p->changed = false;
        for (u32 s = f->ninsts; s-- > 0;)
            look(p, &f->insts[s]);
    } while (p->changed);
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        if (i->op == OP_ST && i->noperands > 1)
            note_store(p, &i->operands[1], s);
        else if (init_moves_bytes(i))
            for (unsigned k = 1; k < i->noperands; k++)
                note_store(p, &i->operands[k], s);
    }
}

/* ---- copies ---- */

/* A load of one register that one store of its block stores, perhaps by way of moves, and nobody else touches;
 * store_at: that store's site. */
static bool is_direct(const struct use_pass *p, u32 site, u32 *store_at)
{
    const struct ptx_inst *insts = p->func->src->insts;
    const struct ptx_operand *d = &insts[site].operands[0];
    for (u32 from = site;;) {
        if (d->kind != PTX_REG || p->nstores[d->var->index] != 1)
            return false;
        const u32 at = p->stores[d->var->index] - 1;
        if (at <= from || p->func->block_of_site[at] != p->func->block_of_site[site] ||
            (insts[at].op != OP_ST && insts[at].op != OP_MOV))
            return false;
        *store_at = from = at;
        if (insts[at].op == OP_ST)
            return insts[at].operands[1].kind == PTX_REG;
        d = &insts[at].operands[0];
    }
}

static const struct ptx_operand *address_of(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->noperands && k < 2; k++)
        if (i->operands[k].kind == PTX_ADDR)
            return &i->operands[k];
    return NULL;
}

static bool same_base(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a && b && a->elems[0].kind == b->elems[0].kind && a->elems[0].kind != PTX_IMM &&
           a->elems[0].var == b->elems[0].var;
}

/* Another direct copy in the block is the neighbour of this one, at its source and at its destination. */
static bool has_neighbour(const struct use_pass *p, u32 load, u32 store)
{
    const struct ptx_inst *insts = p->func->src->insts;
    const struct ir_block *b = &p->func->blocks[p->func->block_of_site[load]];
    const struct ptx_operand *from = address_of(&insts[load]), *to = address_of(&insts[store]);
    const i64 bytes = ptx_type_bits((enum ptx_type)insts[load].types[0]) / 8;
    for (u32 s = b->first; s < b->end; s++) {
        u32 other;
        if (s == load || insts[s].op != OP_LD || !is_direct(p, s, &other))
            continue;
        const struct ptx_operand *f = address_of(&insts[s]), *t = address_of(&insts[other]);
        const i64 n = ptx_type_bits((enum ptx_type)insts[s].types[0]) / 8;
        if (same_base(from, f) && same_base(to, t) && f->offset - from->offset == t->offset - to->offset &&
            (f->offset - from->offset == bytes || from->offset - f->offset == n))
            return true;
    }
    return false;
}

static bool is_part(const struct use_pass *p, u32 site, u8 flags)
{
    const struct ptx_inst *insts = p->func->src->insts, *i = &insts[site];
    const u32 bytes = ptx_type_bits((enum ptx_type)i->types[0]) / 8;
    u32 store;
    if (ptx_vec_count(i) > 1)
        return true;
    if (i->space == SPACE_GLOBAL || i->space == SPACE_SHARED)
        return false;
    if (flags & PACKED || !is_direct(p, site, &store) ||
        (bytes == 1 && p->func->blocks[p->func->block_of_site[site]].loop_depth))
        return true;
    const struct ptx_operand *to = address_of(&insts[store]);
    if (insts[store].space == SPACE_PARAM)
        return !to || to->elems[0].kind != PTX_VAR || to->elems[0].var->size > bytes;
    return has_neighbour(p, site, store);
}

/* The local memory that a load of one register is copied to takes over what was loaded. */
static u32 copy_to_local(const struct use_pass *p, u32 site)
{
    const struct ptx_inst *insts = p->func->src->insts;
    u32 at;
    if (!is_direct(p, site, &at) || insts[at].guard || insts[site].guard ||
        ptx_type_bits((enum ptx_type)insts[at].types[0]) != ptx_type_bits((enum ptx_type)insts[site].types[0]))
        return 0;
    const struct ptx_operand *to = address_of(&insts[at]);
    return insts[at].space == SPACE_LOCAL ||
                   (insts[at].space == SPACE_NONE && to && init_is_local(p->local, &to->elems[0]))
               ? at + 1
               : 0;
}

static void judge_element(const struct use_pass *p, u32 site, unsigned k, const struct ptx_operand *reg)
{
    struct init_load *l = &p->out->loads[site];
    const u8 bit = (u8)(1u << k), flags = flags_of(p, reg);
    const bool perhaps = p->func->src->insts[site].space == SPACE_SHARED && flags & (USED | STORED) &&
                         !init_surely_used(p->func, site, reg, p->scratch);
    if (flags & WHOLE && !perhaps)
        l->whole |= bit;
    if (perhaps)
        l->chosen |= bit;
    else if (flags & USED)
        l->used |= bit;
    else if (flags & STORED)
        *(is_part(p, site, flags) ? &l->copied : &l->used) |= bit;
    else if (flags & CHOSEN)
        l->chosen |= bit;
}

static void judge(const struct use_pass *p, u32 site)
{
    const struct ptx_inst *i = &p->func->src->insts[site];
    struct init_load *l = &p->out->loads[site];
    const unsigned n = ptx_vec_count(i);
    const struct ptx_operand *d = &i->operands[0];
    if (!i->ntypes || n > 8 || (d->kind == PTX_VEC && d->n != n))
        return;
    l->elements = (u8)n;
    l->bytes = (u8)(ptx_type_bits((enum ptx_type)i->types[0]) / 8);
    if (n == 1 && !(flags_of(p, d) & USED))
        l->store = copy_to_local(p, site);
    for (unsigned k = 0; k < n; k++)
        judge_element(p, site, k, d->kind == PTX_VEC ? &d->elems[k] : d);
}

struct init_uses *init_uses_make(struct arena *mem, const struct ir_func *func)
{
    const struct ptx_func *f = func->src;
    struct use_pass p = {.mem = mem, .func = func, .out = arena_new(mem, struct init_uses)};
    p.out->func = func;
    p.out->loads = arena_array(mem, struct init_load, f->ninsts + 1);
    p.flags = arena_array(mem, u8, f->nregs + 1);
    p.stores = arena_array(mem, u32, f->nregs + 1);
    p.nstores = arena_array(mem, u32, f->nregs + 1);
    p.scratch = arena_array(mem, u8, f->nregs + 1);
    p.local = init_local_registers(mem, f);
    look_all(&p);
    for (u32 s = 0; s < f->ninsts; s++)
        if (f->insts[s].op == OP_LD && f->insts[s].noperands > 1)
            judge(&p, s);
    return p.out;
}
