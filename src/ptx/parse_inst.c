/* parse_inst.c - instructions: guard, opcode, operands (PTX ISA 4.3.2, 6).
 *
 *     instruction = ['@' ['!'] predicate] opcode [operand {',' operand}] ';'
 *     operand     = primary ['|' primary]
 *     primary     = '_' | ['!' | '-'] name ['.' component] | name ('+' | '-') expr | expr
 *                 | '[' primary ['+' expr] {',' primary} ']' ['.unified'] | '{' primary {',' primary} '}'
 *     call        = ['(' list ')' ','] target [',' '(' list ')'] [',' label]
 *
 * A call's operands are, as written: PTX_LIST of results (if any), the target (PTX_FUNC or PTX_REG), PTX_LIST of
 * arguments (if any), PTX_LABEL of a prototype or target list (if any). */
#include <string.h>

#include "ptx/parser.h"

enum { MAX_ELEMS = 256 }; /* of a vector or list: wgmma's accumulators have 128 */

static void parse_operand(struct parser *p, struct ptx_operand *o, int depth);

/* A register is in the function's list from its first use on. */
void use_register(struct parser *p, struct ptx_var *v)
{
    if (v->space != SPACE_REG || (v->index < p->regs.len && p->regs.at[v->index] == v))
        return;
    v->index = p->regs.len;
    vec_push(&p->tmp, &p->regs, v);
}

/* .x .y .z .w .r .g .b .a of vectors, or a video selector */
static void parse_component(struct parser *p, struct ptx_operand *o)
{
    if (*p->at != '.' || !lex_is_ident(p->at[1]))
        return;
    const char *s = p->at + 1, *e = s;
    while (lex_is_ident(*e))
        e++;
    if (e == s + 1 && strchr("xyzwrgba", *s))
        o->comp = *s;
    else if (*s == 'b' || *s == 'h')
        o->sel = intern(&p->m->names, s, (size_t)(e - s));
    else
        fail(p, p->at, "unknown component '.%.*s'", (int)(e - s), s);
    p->at = e;
}

static void undefined(struct parser *p, const char *name, const char *at, struct ptx_operand *o)
{
    if (name[0] == '%')
        error(p, at, "register '%s' is not declared", name);
    else
        error(p, at, "'%s' is not declared", name);
    scope_bind(p, p->scope, name, BIND_UNDEFINED, NULL);
    o->kind = PTX_SINK;
    p->bad_operand = true;
}

static void set_var(struct parser *p, struct ptx_var *v, struct ptx_operand *o)
{
    o->kind = v->space == SPACE_REG ? PTX_REG : PTX_VAR;
    o->var = v;
    if (v->vec == 1 || v->space != SPACE_REG)
        use_register(p, v);
}

/* A name that is not declared: a register of a range, a special register, a constant. */
static void name_made(struct parser *p, const char *name, const char *at, struct ptx_operand *o)
{
    struct ptx_var *v = scope_register(p, name);
    enum ptx_sreg sreg;
    if (v) {
        set_var(p, v, o);
    } else if (name[0] == '%' && sreg_find(name, &sreg)) {
        o->kind = PTX_SREG;
        o->sreg = sreg;
    } else if (strcmp(name, "WARP_SZ") == 0) { /* 4.5.1 */
        o->kind = PTX_IMM;
        o->bits = 32;
    } else {
        undefined(p, name, at, o);
    }
}

static void parse_name(struct parser *p, struct ptx_operand *o)
{
    const char *at = p->at;
    const char *name = lex_ident(p, "an operand");
    if (name[0] == '_' && name[1] == 0) {
        o->kind = PTX_SINK;
        return;
    }
    const struct binding *b = scope_find(p, name);
    switch (b ? (int)b->kind : -1) {
    case BIND_VAR:
        set_var(p, b->var, o);
        break;
    case BIND_FUNC:
        o->kind = PTX_FUNC;
        o->func = b->func;
        break;
    case BIND_LABEL:
        o->kind = PTX_LABEL;
        o->label = b->label;
        break;
    case BIND_UNDEFINED:
        o->kind = PTX_SINK;
        p->bad_operand = true;
        break;
    default:
        name_made(p, name, at, o);
        break;
    }
    parse_component(p, o);
    if (o->kind == PTX_REG && o->var->vec > 1)
        split_vector(p, at, o);
}

static void set_number(struct ptx_operand *o, struct number n, bool minus)
{
    o->kind = PTX_IMM;
    o->bits = n.bits;
    o->is_float = n.is_f32;
    o->is_double = n.is_f64;
    o->is_signed = minus && !n.is_f32 && !n.is_f64;
}

static void parse_number(struct parser *p, struct ptx_operand *o)
{
    const bool minus = *p->at == '-';
    struct number n;
    if (*p->at >= '0' && *p->at <= '9') {
        n = lex_number(p);
        const char c = lex_peek(p);
        if (c != ',' && c != ';' && c != '}' && c != ']' && c != ')')
            n = const_more(p, n);
    } else {
        n = const_expr(p);
    }
    set_number(o, n, minus);
}

/* + or - and a constant behind an address. ISA: [reg+imm], and nvcc writes [reg+-4] too. */
static i64 parse_offset(struct parser *p)
{
    const char c = lex_peek(p);
    if (c != '+' && c != '-')
        return 0;
    const char *at = p->at;
    const struct number n = const_expr(p);
    if (n.is_f32 || n.is_f64)
        fail(p, at, "an offset must be an integer");
    return (i64)n.bits;
}

/* name[constant]: the address of an element of an array (ISA 6.4.2, "Arrays as Operands"). Bytes from the array's start. */
static i64 parse_index(struct parser *p, const struct ptx_var *v)
{
    const char *at = p->at++;
    lex_skip(p);
    const struct number n = const_expr(p);
    if (n.is_f32 || n.is_f64 || !v->is_array)
        fail(p, at, "an index is an integer behind an array's name");
    lex_expect(p, ']', "the index");
    return (i64)(n.bits * type_natural_align(v->type, v->vec));
}

/* primaries up to the closing character */
static void parse_elems(struct parser *p, struct ptx_operand *o, char close, int depth, const struct ptx_operand *first)
{
    struct ptx_operand elems[MAX_ELEMS];
    u32 n = 0;
    if (first)
        elems[n++] = *first;
    while (lex_peek(p) != close) {
        if (n && !lex_accept(p, ','))
            fail(p, p->at, "expected ',' or '%c'", close);
        if (n == MAX_ELEMS)
            fail(p, p->at, "too many elements");
        lex_skip(p);
        memset(&elems[n], 0, sizeof(elems[n]));
        parse_operand(p, &elems[n++], depth + 1);
    }
    p->at++;
    o->n = (u16)n;
    o->elems = arena_array(&p->m->mem, struct ptx_operand, n);
    if (n)
        memcpy(o->elems, elems, n * sizeof(elems[0]));
}

static void parse_bracket(struct parser *p, struct ptx_operand *o, int depth)
{
    struct ptx_operand base = {0};
    p->at++;
    lex_skip(p);
    const char *at = p->at;
    base.column = column_of(p, at);
    if (lex_is_ident_start(*at))
        parse_name(p, &base);
    else
        parse_number(p, &base);
    base.offset = parse_offset(p);
    if (lex_peek(p) == ',') {
        o->kind = PTX_LIST;
        parse_elems(p, o, ']', depth, &base);
    } else {
        lex_expect(p, ']', "the address");
        o->kind = PTX_ADDR;
        o->offset = base.offset;
        base.offset = 0;
        o->n = 1;
        o->elems = arena_new(&p->m->mem, struct ptx_operand);
        *o->elems = base;
    }
    if (strncmp(p->at, ".unified", 8) == 0) {
        o->unified = true;
        p->at += 8;
    }
}

static void parse_primary(struct parser *p, struct ptx_operand *o, int depth)
{
    const char c = *p->at;
    o->column = column_of(p, p->at);
    if (lex_is_ident_start(c)) {
        parse_name(p, o);
        if (o->kind == PTX_VAR) {
            o->offset = *p->at == '[' ? parse_index(p, o->var) : parse_offset(p);
        }
    } else if (c == '[' && depth < 2) {
        parse_bracket(p, o, depth);
    } else if (c == '{' && depth < 3) {
        p->at++;
        o->kind = PTX_VEC;
        parse_elems(p, o, '}', depth, NULL);
    } else if ((c == '!' || c == '-') && (p->at[1] == '%' || lex_is_ident_start(p->at[1]))) {
        p->at++;
        parse_name(p, o);
        if (o->kind != PTX_REG && !p->bad_operand)
            fail(p, p->at, "only a register can be negated");
        o->neg = true;
    } else if ((c >= '0' && c <= '9') || (c && strchr("-+(~!", c))) {
        parse_number(p, o);
    } else {
        fail(p, p->at, "expected an operand");
    }
}

static void parse_operand(struct parser *p, struct ptx_operand *o, int depth)
{
    parse_primary(p, o, depth);
    if (lex_peek(p) != '|' || depth > 1)
        return;
    p->at++;
    lex_skip(p);
    struct ptx_operand *pair = arena_array(&p->m->mem, struct ptx_operand, 2);
    pair[0] = *o;
    parse_primary(p, &pair[1], depth);
    memset(o, 0, sizeof(*o));
    o->kind = PTX_PAIR;
    o->column = pair[0].column;
    o->n = 2;
    o->elems = pair;
}

/* One operand list being read; operands move to their final place before label references are made. */
struct operands {
    struct ptx_operand o[PTX_MAX_OPERANDS];
    const char *at[PTX_MAX_OPERANDS];
    bool label[PTX_MAX_OPERANDS]; /* a reference: name is set */
    u32 n;
};

static struct ptx_operand *next(struct parser *p, struct operands *list)
{
    lex_skip(p);
    if (list->n == PTX_MAX_OPERANDS)
        fail(p, p->at, "too many operands");
    struct ptx_operand *o = &list->o[list->n];
    memset(o, 0, sizeof(*o));
    list->at[list->n] = p->at;
    list->label[list->n++] = false;
    return o;
}

static void next_label(struct parser *p, struct operands *list)
{
    struct ptx_operand *o = next(p, list);
    o->column = column_of(p, p->at);
    o->kind = PTX_LABEL;
    o->name = lex_ident(p, "a label");
    list->label[list->n - 1] = true;
}

static void next_list(struct parser *p, struct operands *list)
{
    struct ptx_operand *o = next(p, list);
    o->column = column_of(p, p->at);
    lex_expect(p, '(', "call");
    o->kind = PTX_LIST;
    parse_elems(p, o, ')', 0, NULL);
}

static void parse_call(struct parser *p, struct operands *list)
{
    if (lex_peek(p) == '(') {
        next_list(p, list);
        lex_expect(p, ',', "the results");
    }
    parse_operand(p, next(p, list), 0);
    if (!lex_accept(p, ','))
        return;
    if (lex_peek(p) == '(') {
        next_list(p, list);
        if (!lex_accept(p, ','))
            return;
    }
    next_label(p, list);
}

static void parse_operands(struct parser *p, const struct opcode *op, struct operands *list)
{
    if (lex_peek(p) == ';')
        return;
    if (op->nrules && op->rules[0].kind == RULE_CALL) {
        parse_call(p, list);
        return;
    }
    do {
        if (list->n < op->nrules && op->rules[list->n].kind == RULE_LABEL)
            next_label(p, list);
        else
            parse_operand(p, next(p, list), 0);
    } while (lex_accept(p, ','));
}

static void place_operands(struct parser *p, struct ptx_inst *i, const struct operands *list)
{
    i->noperands = (u8)list->n;
    i->operands = arena_array(&p->m->mem, struct ptx_operand, list->n);
    for (u32 k = 0; k < list->n; k++) {
        i->operands[k] = list->o[k];
        if (!list->label[k])
            continue;
        i->operands[k].label = NULL;
        scope_ref(p, list->o[k].name, list->at[k], &i->operands[k], NULL);
    }
}

/* {a} where .v2 and its like are not written is a (LLVM writes loads so). */
static void unwrap_operands(struct ptx_inst *i, const struct opcode *op)
{
    for (u32 k = 0; op->vec == 1 && k < i->noperands && k < op->nrules; k++) {
        struct ptx_operand *o = &i->operands[k];
        if (op->rules[k].kind == RULE_VEC && o->kind == PTX_VEC && o->n == 1)
            *o = *o->elems;
    }
}

/* '@' ['!'] predicate */
static void parse_guard(struct parser *p, struct ptx_inst *i)
{
    struct ptx_operand o = {0};
    p->at++;
    i->guard_neg = lex_accept(p, '!');
    lex_skip(p);
    const char *at = p->at;
    parse_name(p, &o);
    if (p->bad_operand)
        return;
    if (o.kind != PTX_REG || o.var->type != PTX_PRED || o.comp)
        fail(p, at, "the guard must be a predicate register");
    i->guard = o.var;
}

static const char *opcode_end(const char *s)
{
    while (lex_is_ident(*s) || *s == '.' || (s[0] == ':' && s[1] == ':' && s[2] != ':'))
        s += *s == ':' ? 2 : 1;
    return s;
}

/* An opcode with blanks before its dots ("ld.global .f32"), glued together. */
static const struct opcode *spaced_opcode(struct parser *p, const char *start, const char *end)
{
    VEC(char) text = {0};
    for (;;) {
        for (const char *s = start; s < end; s++)
            vec_push(&p->tmp, &text, *s);
        p->at = end;
        if (lex_peek(p) != '.')
            break;
        start = p->at;
        end = opcode_end(start);
    }
    return opcode_get(p, start, text.at, text.len);
}

static const struct opcode *parse_opcode(struct parser *p)
{
    const char *start = p->at, *end = opcode_end(start);
    if (end == start)
        fail(p, start, "expected an instruction");
    p->at = end;
    if (lex_peek(p) == '.')
        return spaced_opcode(p, start, end);
    return opcode_get(p, start, start, (size_t)(end - start));
}

/* Pointed at the end of what was read, not at the next line. */
static _Noreturn void missing_semicolon(struct parser *p)
{
    const char *s = p->at;
    while (s > p->stmt && (s[-1] == ' ' || s[-1] == '\t' || s[-1] == '\n' || s[-1] == '\r'))
        s--;
    fail(p, s, "expected ',' or ';' after the operand");
}

void parse_instruction(struct parser *p)
{
    struct ptx_inst guard = {0};
    struct operands list;
    list.n = 0;
    p->bad_operand = false;
    if (*p->at == '@')
        parse_guard(p, &guard);
    lex_skip(p);
    const char *at = p->at;
    const u32 line = p->line, column = column_of(p, at);
    const struct opcode *op = parse_opcode(p);
    if (op->bad)
        longjmp(p->sync, 1); /* reported at its first occurrence */
    struct ptx_inst i = op->inst;
    i.guard = guard.guard;
    i.guard_neg = guard.guard_neg;
    i.line = line;
    i.column = column;
    i.loc = p->loc;
    parse_operands(p, op, &list);
    if (lex_peek(p) != ';')
        missing_semicolon(p);
    place_operands(p, &i, &list);
    unwrap_operands(&i, op);
    if (!p->bad_operand)
        verify_inst(p, op, &i, at, list.at);
    p->at++;
    vec_push(&p->tmp, &p->insts, i);
}
