/* emit_move.c - instructions that become several records: mov with packs, setp with a boolean operator or two
 * destinations, set, lop3 with a predicate. */
#include "ir/emit.h"

#include <stdio.h>

static enum ptx_type bits_type(u32 bits)
{
    return bits <= 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : bits == 64 ? PTX_B64 : PTX_B128;
}

/* mov.b64 d, {a, b}: a record with a list of the n parts, least significant first. */
static void emit_pack(struct emit *e, const struct ptx_operand *vec, bool unpack)
{
    const struct ptx_inst *i = e->inst;
    u32 bits = ptx_type_bits(i->types[0]), part = vec->n ? bits / vec->n : bits;
    u32 *list = arena_array(e->p->mem, u32, vec->n + 1);
    char name[32];
    snprintf(name, sizeof name, "%s_%ux%u", unpack ? "unpack" : "pack", (unsigned)vec->n, (unsigned)part);
    u32 whole =
        unpack ? emit_read(e, &i->operands[1], bits_type(bits)) : emit_write(e, &i->operands[0], bits_type(bits));
    for (unsigned k = 0; k < vec->n; k++)
        list[k] =
            unpack ? emit_write(e, &vec->elems[k], bits_type(part)) : emit_read(e, &vec->elems[k], bits_type(part));
    struct ir_inst *r = emit_put(e, name);
    r->d = r->a = whole;
    r->list = list;
    emit_end_writes(e);
}

static void put_copy(struct emit *e, const char *body, u32 to, u32 from)
{
    struct ir_inst *r = emit_put(e, body);
    r->d = to;
    r->a = from;
}

void emit_mov(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    if (i->noperands == 2 && i->operands[1].kind == PTX_VEC) {
        emit_pack(e, &i->operands[1], false);
    } else if (i->noperands == 2 && i->operands[0].kind == PTX_VEC) {
        emit_pack(e, &i->operands[0], true);
    } else {
        char name[64];
        ir_body_name(i, name, sizeof name);
        u32 from = emit_read(e, &i->operands[1], i->types[0]);
        u32 to = emit_write(e, &i->operands[0], i->types[0]);
        put_copy(e, name, to, from);
        emit_end_writes(e);
    }
}

static enum ptx_mod boolean_operator(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_AND) ? MOD_AND : ptx_has(i, MOD_OR) ? MOD_OR : ptx_has(i, MOD_XOR) ? MOD_XOR : PTX_MOD_NONE;
}

/* The name of the plain comparison: setp_<cmp>[_ftz]_<type>. */
static void compare_name(const struct ptx_inst *i, char *name, size_t size)
{
    struct ptx_inst plain = {.op = OP_SETP, .ntypes = 1};
    enum ptx_mod op = boolean_operator(i);
    bool after_cmp = false;
    for (unsigned k = 0; k < i->nmods; k++) {
        /* the boolean operator follows the comparison; before it an `.and` cannot stand */
        if (i->mods[k] == op && after_cmp)
            continue;
        plain.mods[plain.nmods++] = i->mods[k];
        after_cmp = true;
    }
    plain.types[0] = i->types[i->ntypes - 1];
    ir_body_name(&plain, name, size);
}

/* combine: to = value OP with. */
static void put_logic(struct emit *e, enum ptx_mod op, u32 to, u32 value, u32 with)
{
    struct ir_inst *r = emit_put(e, op == MOD_AND ? "and_pred" : op == MOD_OR ? "or_pred" : "xor_pred");
    r->d = to;
    r->a = value;
    r->b = with;
}

/* p = (a cmp b) [op c], q = !(a cmp b) [op c]; packed types compare two halves into p and q instead. Both results are
 * made in temporaries when more than one record is needed: p may be c. */
static void compare(struct emit *e, u32 p, bool has_q, u32 q)
{
    const struct ptx_inst *i = e->inst;
    enum ptx_type t = i->types[i->ntypes - 1];
    enum ptx_mod op = i->noperands > 3 ? boolean_operator(i) : PTX_MOD_NONE;
    bool packed = t == PTX_F16X2 || t == PTX_BF16X2, several = op != PTX_MOD_NONE || has_q || packed;
    char name[64];
    compare_name(i, name, sizeof name);
    u32 a = emit_read(e, &i->operands[1], t), b = emit_read(e, &i->operands[2], t);
    u32 first = several ? emit_temp(e, CLASS_PRED) : p, second = several ? emit_temp(e, CLASS_PRED) : 0;
    struct ir_inst *r = emit_put(e, name);
    r->d = first;
    r->a = a;
    r->b = b;
    r->aux = second;
    if (!several)
        return;
    if (!packed)
        put_copy(e, "not_pred", second, first);
    if (op != PTX_MOD_NONE) {
        u32 c = emit_read(e, &i->operands[3], PTX_PRED);
        put_logic(e, op, first, first, c);
        put_logic(e, op, second, second, c);
    }
    put_copy(e, "mov_pred", p, first);
    if (has_q)
        put_copy(e, "mov_pred", q, second);
}

void emit_setp(struct emit *e)
{
    const struct ptx_operand *dest = &e->inst->operands[0];
    bool pair = dest->kind == PTX_PAIR;
    u32 p = emit_write(e, pair ? &dest->elems[0] : dest, PTX_PRED);
    u32 q = pair ? emit_write(e, &dest->elems[1], PTX_PRED) : 0;
    compare(e, p, pair && dest->elems[1].kind != PTX_SINK, q);
}

static u32 put_select(struct emit *e, u32 to, u32 yes, u32 pred)
{
    u32 a = emit_const32(e, yes), b = emit_const32(e, 0);
    struct ir_inst *r = emit_put(e, "selp_b32");
    r->d = to;
    r->a = a;
    r->b = b;
    r->c = pred;
    return to;
}

/* set.cmp.dtype.stype d, a, b: all ones or 1.0 where true, else 0 (PTX ISA 9.7.6.1, 9.7.7.1). A packed source gives two
 * results, each in its half of d: ones or 1.0 of 16 bits. */
void emit_set(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    enum ptx_type t = i->types[0], from = i->types[i->ntypes - 1];
    bool packed = from == PTX_F16X2 || from == PTX_BF16X2, to_packed = t == PTX_F16X2 || t == PTX_BF16X2;
    if (packed ? !to_packed && t != PTX_U32 && t != PTX_S32 : to_packed) {
        ir_poison(e->p, e->site, "a packed comparison has a packed or an integer result of 32 bits");
        return;
    }
    u32 yes = t == PTX_F32                       ? 0x3f800000u
              : t == PTX_F16 || t == PTX_F16X2   ? 0x3c00u
              : t == PTX_BF16 || t == PTX_BF16X2 ? 0x3f80u
              : packed || ptx_type_bits(t) == 16 ? 0xffffu
                                                 : 0xffffffffu;
    u32 p = emit_temp(e, CLASS_PRED), q = packed ? emit_temp(e, CLASS_PRED) : 0;
    compare(e, p, packed, q);
    if (packed) {
        u32 low = put_select(e, emit_temp(e, CLASS_32), yes, p);
        u32 high = put_select(e, emit_temp(e, CLASS_32), yes << 16, q);
        u32 d = emit_write(e, &i->operands[0], t);
        struct ir_inst *r = emit_put(e, "or_b32");
        r->d = d;
        r->a = low;
        r->b = high;
    } else {
        put_select(e, emit_write(e, &i->operands[0], t), yes, p);
    }
    emit_end_writes(e);
}

/* lop3 d, a, b, c, table; lop3.op d|p, a, b, c, table, q: also p = (d != 0) op q. imm = the truth table. 9.7.8.6. */
void emit_lop3(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const struct ptx_operand *dest = &i->operands[0];
    bool pair = dest->kind == PTX_PAIR;
    u32 a = emit_read(e, &i->operands[1], PTX_B32), b = emit_read(e, &i->operands[2], PTX_B32);
    u32 c = emit_read(e, &i->operands[3], PTX_B32), d = emit_write(e, pair ? &dest->elems[0] : dest, PTX_B32);
    struct ir_inst *r = emit_put(e, "lop3_b32");
    r->d = d;
    r->a = a;
    r->b = b;
    r->c = c;
    r->imm = (i64)i->operands[4].bits;
    if (pair) {
        u32 zero = emit_const32(e, 0), p = emit_write(e, &dest->elems[1], PTX_PRED), q, nonzero;
        r = emit_put(e, "setp_ne_b32");
        r->d = nonzero = emit_temp(e, CLASS_PRED);
        r->a = d;
        r->b = zero;
        q = emit_read(e, &i->operands[5], PTX_PRED);
        put_logic(e, boolean_operator(i), p, nonzero, q);
    }
    emit_end_writes(e);
}
