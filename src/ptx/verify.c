/* verify.c - operands against the rules of ops.def: how many, of which kind, of which type (PTX ISA 6, 9.4). What the
 * rule says of an operand, its role and its type, is kept in it.
 *
 * Types (9.4): untyped bits go with any type of the same size; signed and unsigned go together; a float goes with the
 * same float or with bits. In ld, st and cvt a register may be wider than the instruction's type (9.4.1). Packed and
 * alternative formats live in untyped registers of their size. */
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

struct check {
    struct parser *p;
    const struct opcode *op;
    const struct ptx_inst *i;
    const char *at; /* of the operand */
};

static bool is_int_class(char c) { return c == 'B' || c == 'U' || c == 'S'; }

/* Whether a register of type `have` may stand for `want`, sizes apart. */
static bool classes_agree(enum ptx_type have, enum ptx_type want)
{
    const char h = ptx_type_class(have), w = ptx_type_class(want);
    if (have == want)
        return true;
    if (h == 'P' || w == 'P' || h == 'O' || w == 'O')
        return false;
    if (w == 'B' || h == 'B')
        return true;
    if (w == 'F')
        return false;
    return is_int_class(h) && is_int_class(w);
}

/* The type of an operand that is a value; PTX_NONE for literals, which have none. */
static enum ptx_type value_type(const struct ptx_operand *o)
{
    if (o->kind == PTX_REG)
        return o->var->type;
    if (o->kind == PTX_SREG)
        return ptx_sreg_rows[o->sreg].type;
    return PTX_NONE;
}

static u32 storage_bits(enum ptx_type t)
{
    const u32 bits = ptx_type_bits(t);
    return t == PTX_PRED ? 1 : bits < 8 ? 8 : bits;
}

static void wrong_type(const struct check *c, const struct ptx_operand *o, enum ptx_type want, bool relaxed)
{
    const enum ptx_type have = value_type(o);
    char note[128];
    snprintf(note, sizeof(note), relaxed ? "it must be at least as wide as .%s" : "it must fit .%s",
             ptx_type_name(want));
    error_note(c->p, c->at, note, "operand '%s' of %s has type .%s",
               o->kind == PTX_REG ? o->var->name : ptx_sreg_rows[o->sreg].name, ptx_op_name(c->i->op),
               ptx_type_name(have));
}

static void check_literal(const struct check *c, const struct ptx_operand *o, enum ptx_type want)
{
    const char w = ptx_type_class(want);
    if ((o->is_float || o->is_double) && (w == 'U' || w == 'S' || w == 'P'))
        error(c->p, c->at, "a floating-point literal for .%s", ptx_type_name(want));
    else if (!o->is_float && !o->is_double && w == 'F')
        error(c->p, c->at, "an integer literal for .%s", ptx_type_name(want));
}

/* Old code reads %tid and its like with mov.u16, %gridid with mov.u32 (10.1 to 10.10). */
static bool sreg_narrows(const struct ptx_operand *o, enum ptx_type want)
{
    const u32 bits = ptx_type_bits(want);
    return is_int_class(ptx_type_class(want)) &&
           ((ptx_sreg_rows[o->sreg].vector && bits == 16) || (bits == 32 && o->sreg == SREG_gridid));
}

static void check_register(const struct check *c, const struct ptx_operand *o, enum ptx_type want, bool relaxed)
{
    const enum ptx_type have = value_type(o);
    const u32 h = storage_bits(have), w = storage_bits(want);
    const bool wider = relaxed && ptx_type_class(want) != 'A'; /* packed formats fill their register */
    bool ok = classes_agree(have, want) && (wider ? h >= w : h == w);
    if (o->kind == PTX_SREG) {
        if (c->i->op != OP_MOV && c->i->op != OP_CVT)
            error(c->p, c->at, "a special register is read with mov");
        ok |= sreg_narrows(o, want);
    }
    if (!ok)
        wrong_type(c, o, want, relaxed);
    if (o->neg && want != PTX_PRED)
        error(c->p, c->at, "only a predicate can be negated");
}

static const char *kind_name(const struct ptx_operand *o)
{
    static const char *const names[] = {"a register",  "a special register", "a literal", "a variable", "a function",
                                        "a label",     "an address",         "a vector",  "a pair",     "a list",
                                        "the sink '_'"};
    return names[o->kind];
}

static void wrong_kind(const struct check *c, const struct ptx_operand *o, const char *want)
{
    error(c->p, c->at, "%s needs %s here, not %s", ptx_op_name(c->i->op), want, kind_name(o));
}

static void check_value(const struct check *c, const struct ptx_operand *o, enum ptx_type want, bool relaxed, bool dest,
                        bool sink)
{
    if (dest) {
        if (o->kind == PTX_REG && !o->neg)
            check_register(c, o, want, relaxed);
        else if (o->kind != PTX_SINK || !sink)
            wrong_kind(c, o, "a register as destination");
    } else if (o->kind == PTX_REG || o->kind == PTX_SREG) {
        check_register(c, o, want, relaxed);
    } else if (o->kind == PTX_IMM) {
        check_literal(c, o, want);
    } else if ((o->kind == PTX_VAR || o->kind == PTX_FUNC) && is_int_class(ptx_type_class(want))) {
        if (ptx_type_bits(want) < 32)
            error(c->p, c->at, "an address does not fit in .%s", ptx_type_name(want));
    } else {
        wrong_kind(c, o, want == PTX_PRED ? "a predicate" : "a register or literal");
    }
}

/* A vector of the instruction's width, or a single value. */
static void check_vector(const struct check *c, const struct ptx_operand *o, enum ptx_type want, bool dest, bool sink)
{
    if (o->kind != PTX_VEC) {
        if (c->op->vec > 1 && !(o->kind == PTX_SINK && sink))
            wrong_kind(c, o, "a vector");
        else
            check_value(c, o, want, true, dest, sink);
        return;
    }
    if (o->n != c->op->vec) {
        error(c->p, c->at, "a vector of %u elements where %s needs %u", o->n, ptx_op_name(c->i->op), c->op->vec);
        return;
    }
    for (u32 k = 0; k < o->n; k++)
        check_value(c, &o->elems[k], want, true, dest, true);
}

/* A fragment: so many registers in braces; one may stand without. */
static void check_registers(const struct check *c, const struct ptx_operand *o, const struct rule *r)
{
    if (o->kind != PTX_VEC && r->count == 1) {
        check_value(c, o, r->type, false, r->dest, false);
    } else if (o->kind != PTX_VEC) {
        wrong_kind(c, o, "a vector");
    } else if (o->n != r->count) {
        error(c->p, c->at, "a vector of %u elements where %s needs %u", o->n, ptx_op_name(c->i->op), r->count);
    } else {
        for (u32 k = 0; k < o->n; k++)
            check_value(c, &o->elems[k], r->type, false, r->dest, true);
    }
}

/* A generic access cannot name a .param or .const variable: their addresses are not generic ones. */
static void check_space(const struct check *c, const struct ptx_var *v)
{
    const u8 memory = ptx_op_row(c->i->op)->memory;
    if (memory != PTX_MEM_LOAD && memory != PTX_MEM_STORE && memory != PTX_MEM_ATOMIC)
        return;
    if (c->i->space == SPACE_NONE ? v->space == SPACE_PARAM || v->space == SPACE_CONST : v->space != c->i->space)
        error(c->p, c->at, "'%s' is not in the state space of the instruction", v->name);
}

static void check_base(const struct check *c, const struct ptx_operand *base)
{
    const enum ptx_type t = value_type(base);
    switch (base->kind) {
    case PTX_REG:
        if (!is_int_class(ptx_type_class(t)) || ptx_type_bits(t) < 32 || ptx_type_bits(t) > 64 || base->neg)
            error(c->p, c->at, "'%s' of type .%s cannot hold an address", base->var->name, ptx_type_name(t));
        break;
    case PTX_VAR:
        check_space(c, base->var);
        break;
    case PTX_IMM:
        break;
    default:
        error(c->p, c->at, "%s cannot be an address", kind_name(base));
        break;
    }
}

static void check_memory(const struct check *c, const struct ptx_operand *o)
{
    if (o->kind != PTX_ADDR && o->kind != PTX_LIST)
        wrong_kind(c, o, "an address in brackets");
    else
        check_base(c, &o->elems[0]);
}

static void check_address_value(const struct check *c, const struct ptx_operand *o)
{
    const enum ptx_type t = value_type(o);
    if (o->kind == PTX_REG) {
        const u32 bits = ptx_type_bits(t);
        if (!is_int_class(ptx_type_class(t)) || (bits != 32 && bits != 64))
            error(c->p, c->at, "'%s' of type .%s cannot hold an address", o->var->name, ptx_type_name(t));
    } else if (o->kind != PTX_VAR && o->kind != PTX_IMM && o->kind != PTX_FUNC) {
        wrong_kind(c, o, "an address");
    }
}

/* The width of one piece of a vector pack, 0 when it does not say (literals, sinks). */
static u32 piece_bits(const struct ptx_operand *o)
{
    const enum ptx_type t = value_type(o);
    return t == PTX_NONE ? 0 : ptx_type_bits(t);
}

/* mov.b64 {a, b}, c: the pieces are as wide as the type together; a sink or literal takes an even share. */
static void check_pack(const struct check *c, const struct ptx_operand *o, bool dest)
{
    const u32 want = ptx_type_bits(c->i->types[0]);
    if (ptx_type_class(c->i->types[0]) != 'B') {
        error(c->p, c->at, "a pack needs an untyped mov such as mov.b64");
        return;
    }
    if (o->n != 2 && o->n != 4 && o->n != 8) {
        error(c->p, c->at, "a pack of %u elements", o->n);
        return;
    }
    for (u32 k = 0; k < o->n; k++) {
        const struct ptx_operand *e = &o->elems[k];
        const bool kind =
            e->kind == PTX_REG || (dest ? e->kind == PTX_SINK : e->kind == PTX_IMM || e->kind == PTX_SREG);
        if (!kind || value_type(e) == PTX_PRED) {
            wrong_kind(c, e, dest ? "registers" : "registers or literals");
            return;
        }
        const u32 bits = piece_bits(e);
        if (bits && bits * o->n != want) {
            error(c->p, c->at, "%u pieces of %u bits do not make .%s", o->n, bits, ptx_type_name(c->i->types[0]));
            return;
        }
    }
}

static void check_mov(const struct check *c, const struct ptx_operand *o, bool dest)
{
    const enum ptx_type t = c->i->types[0];
    if (o->kind == PTX_VEC)
        check_pack(c, o, dest);
    else if (o->kind == PTX_LABEL && !dest)
        wrong_kind(c, o, "a value");
    else if (!dest && o->kind == PTX_IMM && ptx_type_class(t) == 'F' && !o->is_float && !o->is_double)
        check_literal(c, o, t);
    else
        check_value(c, o, t, false, dest, false);
}

static void check_video(const struct check *c, const struct ptx_operand *o, bool dest)
{
    if (o->kind == PTX_REG ? ptx_type_bits(o->var->type) != 32 : o->kind != PTX_IMM || dest)
        wrong_kind(c, o, "a 32-bit register");
}

static void check_operand(const struct check *c, const struct ptx_operand *o, const struct rule *r)
{
    if (o->sel && r->kind != RULE_VIDEO && r->kind != RULE_ANY)
        error(c->p, c->at, "a selector is for video instructions");
    switch (r->kind) {
    case RULE_VALUE:
        check_value(c, o, r->type, false, r->dest, r->sink);
        break;
    case RULE_RELAX:
        check_value(c, o, r->type, true, r->dest, r->sink);
        break;
    case RULE_VEC:
        check_vector(c, o, r->type, r->dest, r->sink);
        break;
    case RULE_REGS:
        check_registers(c, o, r);
        break;
    case RULE_MEM:
        check_memory(c, o);
        break;
    case RULE_ADDR:
        check_address_value(c, o);
        break;
    case RULE_MOV:
        check_mov(c, o, r->dest);
        break;
    case RULE_IMM:
        if (o->kind != PTX_IMM || o->is_float || o->is_double)
            wrong_kind(c, o, "an integer literal");
        break;
    case RULE_LABEL:
        if (o->kind != PTX_LABEL)
            wrong_kind(c, o, "a label");
        break;
    case RULE_VIDEO:
        check_video(c, o, r->dest);
        break;
    default:
        break;
    }
}

/* p|q: a pair where the rule allows one, and only there. */
static void check_pair(const struct check *c, const struct ptx_operand *o, const struct rule *r)
{
    if (o->kind != PTX_PAIR) {
        if (r->pair && !r->pair_optional)
            error(c->p, c->at, "%s needs a pair a|b here", ptx_op_name(c->i->op));
        else
            check_operand(c, o, r);
        return;
    }
    if (!r->pair) {
        if (r->kind != RULE_ANY)
            wrong_kind(c, o, "a single operand");
        return;
    }
    check_operand(c, &o->elems[0], r);
    check_value(c, &o->elems[1], r->pair_type, false, r->dest, true);
}

static u64 value_bytes(const struct ptx_operand *o)
{
    return o->kind == PTX_VAR || o->kind == PTX_REG ? o->var->size : 0;
}

/* Arguments against parameters: their number, and their sizes where both are known. */
static void check_list(const struct check *c, const struct ptx_operand *list, struct ptx_var *const *params, u32 n,
                       const char *what)
{
    const u32 have = list ? list->n : 0;
    if (have != n) {
        error(c->p, c->at, "%u %s where the function has %u", have, what, n);
        return;
    }
    for (u32 k = 0; k < n; k++) {
        const u64 bytes = value_bytes(&list->elems[k]);
        if (bytes && list->elems[k].kind == PTX_VAR && params[k]->size && bytes != params[k]->size)
            error(c->p, c->at, "'%s' has %llu bytes, the parameter %llu", list->elems[k].var->name,
                  (unsigned long long)bytes, (unsigned long long)params[k]->size);
    }
}

static void check_call(struct check *c, const char *const *at)
{
    const struct ptx_inst *i = c->i;
    const struct ptx_operand *o = i->operands;
    const struct ptx_operand *rets = o[0].kind == PTX_LIST ? o++ : NULL;
    const struct ptx_operand *target = o++;
    const struct ptx_operand *args = o < i->operands + i->noperands && o->kind == PTX_LIST ? o++ : NULL;
    c->at = at[target - i->operands];
    if (target->kind == PTX_FUNC) {
        const struct ptx_func *f = target->func;
        if (f->is_entry)
            error(c->p, c->at, "'%s' is an entry and cannot be called", f->name);
        check_list(c, rets, f->rets, f->nrets, "results");
        check_list(c, args, f->params, f->nparams, "arguments");
    } else if (target->kind == PTX_REG) {
        check_address_value(c, target);
        if (o == i->operands + i->noperands)
            error(c->p, c->at, "an indirect call needs a prototype or a list of targets");
    } else {
        wrong_kind(c, target, "a function or a register");
    }
}

static void check_count(const struct check *c)
{
    const u32 n = c->i->noperands, least = c->op->min_operands, most = c->op->max_operands;
    if (n >= least && n <= most)
        return;
    char want[32];
    snprintf(want, sizeof(want), least == most ? "%u" : "%u to %u", least, most);
    error(c->p, c->at, "%.*s takes %s operands, not %u", (int)c->op->len, c->op->text, want, n);
}

/* What the rule says of the operand stays with it. */
static void keep_rule(const struct ptx_inst *i, struct ptx_operand *o, const struct rule *r)
{
    o->role = r->dest ? PTX_DEST : r->kind == RULE_MEM ? PTX_ADDRESS : PTX_SOURCE;
    o->type = r->kind == RULE_MOV ? i->types[0] : r->type;
    if (o->kind != PTX_PAIR || !r->pair)
        return;
    o->elems[0].role = o->elems[1].role = o->role;
    o->elems[0].type = o->type;
    o->elems[1].type = r->pair_type;
}

void verify_inst(struct parser *p, const struct opcode *op, struct ptx_inst *i, const char *inst_at,
                 const char *const *at)
{
    struct check c = {p, op, i, inst_at};
    const u32 errors = p->errors;
    if (op->nrules && op->rules[0].kind == RULE_CALL) {
        if (i->noperands == 0)
            error(p, inst_at, "call needs a function");
        else
            check_call(&c, at);
        return;
    }
    check_count(&c);
    if (p->errors != errors)
        return;
    u32 required = op->min_operands, k = 0;
    for (u32 r = 0; r < op->nrules && k < i->noperands; r++) {
        const struct rule *rule = &op->rules[r];
        if (rule->kind == RULE_MORE)
            break;
        if (rule->optional && i->noperands - k <= required)
            continue;
        required -= !rule->optional;
        c.at = at[k];
        keep_rule(i, &i->operands[k], rule);
        check_pair(&c, &i->operands[k++], rule);
    }
}
