/* code.c - conditions in the agent's steps (docs/debug.md), so that a hit that does not hold costs no message.
 *
 * What has no steps here (strings, assignments, bit-fields, variables in pieces, members of `this` by their names alone)
 * makes the condition one that is evaluated at each hit. Types are C's: operands below 32 bits are promoted, both are
 * brought to the larger type. A *place* is an lvalue: its address stands on the stack. */
#include <stdio.h>
#include <string.h>

#include "debug/session/internal.h"

struct code {
    struct session *s;
    struct debug_info *info;
    struct debug_place at;
    json_t *steps;
};

/* What stands on the stack, or in memory whose address does. */
struct typed {
    const char *name;              /* s32 u32 s64 u64 f32 f64 */
    const struct debug_type *type; /* NULL: of the name alone */
};

static void step1(struct code *c, const char *name, const char *a)
{
    json_array_append_new(c->steps, json_pack("[s, s]", name, a));
}
static void step2(struct code *c, const char *name, const char *a, const char *b)
{
    json_array_append_new(c->steps, json_pack("[s, s, s]", name, a, b));
}

static bool number_name(const struct debug_type *t, const char **exact, const char **promoted)
{
    static const char *const is_signed[] = {"s8", "s16", "s32", "s64"}, *const not_signed[] = {"u8", "u16", "u32",
                                                                                               "u64"};
    t = debug_type_strip(t);
    if (!t || !(t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8))
        return false;
    const u32 log = (u32)__builtin_ctzll(t->size);
    if (t->kind == DEBUG_BASE && t->encoding == DEBUG_FLOAT) {
        *exact = t->size == 4 ? "f32" : "f64";
        *promoted = *exact;
        return t->size >= 4;
    }
    if (t->kind != DEBUG_BASE && t->kind != DEBUG_POINTER && t->kind != DEBUG_ENUM)
        return false;
    *exact = debug_is_signed(t) ? is_signed[log] : not_signed[log];
    *promoted = t->size < 4 ? "s32" : *exact;
    return true;
}

static u32 width(const char *name) { return name[1] == '6' ? 64 : name[1] == '3' ? 32 : name[1] == '1' ? 16 : 8; }

static void convert(struct code *c, const char *from, const char *to)
{
    if (strcmp(from, to) != 0)
        step2(c, "cvt", to, from);
}

static bool push_register(struct code *c, const struct ptx_var *reg, const struct debug_type *t, struct typed *out)
{
    const u32 bits = ptx_type_bits((enum ptx_type)reg->type);
    const char *exact = bits == 64 ? "u64" : bits == 16 ? "u16" : "u32";
    out->name = bits == 64 ? "u64" : "u32";
    out->type = t;
    if (bits != 64 && bits != 32 && bits != 16 && bits != 1)
        return false;
    if (bits == 1)
        exact = "u32";
    step1(c, "reg", reg->name);
    const char *promoted = exact;
    if (t && !number_name(t, &exact, &promoted))
        return false;
    if (t && width(exact) > (bits < 32 ? 32 : bits))
        return false;
    if (t && bits == 64 && width(exact) < 64)
        step2(c, "cvt", "u32", "u64");
    if (bits < 32 && bits > 1)
        step2(c, "cvt", t ? promoted : "u32", exact);
    else if (t && width(exact) < 32)
        step2(c, "cvt", "s32", exact);
    out->name = t ? promoted : out->name;
    return true;
}

static bool load(struct code *c, enum ptx_space space, const struct debug_type *t, struct typed *out)
{
    const char *exact, *promoted;
    if (!number_name(t, &exact, &promoted))
        return false;
    json_array_append_new(c->steps, json_pack("[s, s, s]", "load", space_word(space), exact));
    if (width(exact) < 32)
        step2(c, "cvt", "s32", exact);
    *out = (struct typed){promoted, t};
    return true;
}

static void push_u64(struct code *c, u64 value)
{
    json_array_append_new(c->steps, json_pack("[s, s, I]", "const", "u64", (json_int_t)value));
}

struct place {
    enum ptx_space space;
    const struct debug_type *type;
};

static void add_offset(struct code *c, u64 offset)
{
    if (!offset)
        return;
    push_u64(c, offset);
    step1(c, "add", "u64");
}

/* Where a variable in memory begins. */
static bool place_of_piece(struct code *c, const struct debug_piece *p)
{
    const struct ptx_var *base = p->reg;
    struct typed address;
    if (p->var && !p->reg && p->space == SPACE_PARAM && c->at.func->is_entry) {
        push_u64(c, p->var->offset + (u64)p->offset); /* of the kernel's parameters */
        return true;
    }
    if (p->var && !p->reg && p->space != SPACE_LOCAL && p->space != SPACE_PARAM) {
        step1(c, "variable", p->var->name);
        add_offset(c, (u64)p->offset);
        return true;
    }
    if (p->var && p->space == SPACE_LOCAL) /* of the function's window, whose beginning this register has */
        base = debug_register(c->info, c->at.func, "%SPL");
    if (!base || (p->var && (p->reg || strncmp(p->var->name, "__local_depot", 13) != 0)) ||
        !push_register(c, base, NULL, &address))
        return false;
    convert(c, address.name, "u64");
    add_offset(c, (u64)p->offset);
    return true;
}

/* What a reference stands for. */
static bool follow(struct code *c, struct place *out)
{
    const struct debug_type *t = debug_type_strip(out->type);
    if (!t || t->kind != DEBUG_REFERENCE)
        return t != NULL;
    json_array_append_new(c->steps, json_pack("[s, s, s]", "load", space_word(out->space), "u64"));
    *out = (struct place){(enum ptx_space)t->space, t->target};
    return t->target != NULL;
}

static bool place_of_name(struct code *c, const struct debug_variable *v, struct place *out)
{
    const struct debug_location l = debug_location(c->info, v, c->at);
    *out = (struct place){SPACE_NONE, v->type};
    if (l.n != 1 || l.pieces[0].kind != DEBUG_MEMORY || !v->type)
        return false;
    out->space = (enum ptx_space)l.pieces[0].space;
    return place_of_piece(c, &l.pieces[0]) && follow(c, out);
}

/* A place's value: an array is a pointer to its first element. */
static bool value_of(struct code *c, const struct place *p, struct typed *out)
{
    const struct debug_type *t = debug_type_strip(p->type);
    if (!t)
        return false;
    if (t->kind != DEBUG_ARRAY)
        return load(c, p->space, p->type, out);
    *out = (struct typed){"u64", t->target ? debug_type_pointer(c->info, t->target, p->space) : NULL};
    return out->type != NULL;
}

static bool name(struct code *c, const struct debug_node *n, struct typed *out)
{
    const struct debug_variable *v = debug_variable_find(c->info, c->at, 0, n->name);
    const struct debug_location l = v ? debug_location(c->info, v, c->at) : (struct debug_location){0};
    struct place p;
    if (l.n == 1 && l.pieces[0].kind == DEBUG_REGISTER && l.pieces[0].reg)
        return push_register(c, l.pieces[0].reg, v->type, out);
    return v && place_of_name(c, v, &p) && value_of(c, &p, out);
}

static const char *common(const char *a, const char *b)
{
    static const char *const order[] = {"f64", "f32", "u64", "s64", "u32", "s32"};
    for (u32 k = 0; k < LS_ARRAY_LEN(order); k++)
        if (strcmp(a, order[k]) == 0 || strcmp(b, order[k]) == 0)
            return order[k];
    return "s32";
}

static bool code(struct code *c, const struct debug_node *n, struct typed *out);

/* a, as what b, which follows, needs it: steps of a are made before b's type is known, so b is tried first. */
static bool operands(struct code *c, const struct debug_node *n, const char **type)
{
    struct typed a, b;
    json_t *before = c->steps;
    c->steps = json_array();
    const bool known = code(c, n->b, &b);
    json_t *second = c->steps;
    c->steps = before;
    bool ok = known && code(c, n->a, &a);
    if (ok) {
        *type = common(a.name, b.name);
        ok = !(a.type && debug_type_strip(a.type)->kind == DEBUG_POINTER && n->op != DEBUG_OP_EQUAL &&
               n->op != DEBUG_OP_NOT_EQUAL);
        convert(c, a.name, *type);
        json_array_extend(c->steps, second);
        convert(c, b.name, *type);
    }
    json_decref(second);
    return ok;
}

static void truth(struct code *c, const struct typed *v)
{
    step1(c, "lnot", v->name);
    step1(c, "lnot", "s32");
}

static bool logical(struct code *c, const struct debug_node *n, struct typed *out)
{
    struct typed a, b;
    if (!code(c, n->a, &a))
        return false;
    truth(c, &a);
    if (!code(c, n->b, &b))
        return false;
    truth(c, &b);
    step1(c, n->op == DEBUG_OP_AND ? "land" : "lor", "s32");
    *out = (struct typed){"s32", NULL};
    return true;
}

static bool binary(struct code *c, const struct debug_node *n, struct typed *out)
{
    static const struct {
        u16 op;
        const char *step;
        bool number; /* the result is s32 */
    } ops[] = {{'+', "add", false},
               {'-', "sub", false},
               {'*', "mul", false},
               {'/', "div", false},
               {'%', "rem", false},
               {'&', "and", false},
               {'|', "or", false},
               {'^', "xor", false},
               {'<', "lt", true},
               {'>', "gt", true},
               {DEBUG_OP_EQUAL, "eq", true},
               {DEBUG_OP_NOT_EQUAL, "ne", true},
               {DEBUG_OP_AT_MOST, "le", true},
               {DEBUG_OP_AT_LEAST, "ge", true}};
    const char *type;
    u32 k = 0;
    while (k < LS_ARRAY_LEN(ops) && ops[k].op != n->op)
        k++;
    if (n->op == DEBUG_OP_AND || n->op == DEBUG_OP_OR)
        return logical(c, n, out);
    if (k == LS_ARRAY_LEN(ops) || !operands(c, n, &type))
        return false;
    if ((n->op == '%' || n->op == '&' || n->op == '|' || n->op == '^') && type[0] == 'f')
        return false;
    step1(c, ops[k].step, type);
    *out = (struct typed){ops[k].number ? "s32" : type, NULL};
    return true;
}

/* ---- places ---- */

static bool place(struct code *c, const struct debug_node *n, struct place *out);

/* What a pointer that stands on the stack points to. */
static bool pointed(const struct typed *a, struct place *out)
{
    const struct debug_type *t = a->type ? debug_type_strip(a->type) : NULL;
    if (!t || t->kind != DEBUG_POINTER || !t->target || strcmp(a->name, "u64") != 0)
        return false;
    *out = (struct place){(enum ptx_space)t->space, t->target};
    return true;
}

static bool add_index(struct code *c, const struct debug_node *index, const struct debug_type *of, const char *step)
{
    struct typed i;
    const struct debug_type *t = debug_type_strip(of);
    if (!t || !t->size || !code(c, index, &i) || i.name[0] == 'f')
        return false;
    convert(c, i.name, "s64");
    push_u64(c, t->size);
    step1(c, "mul", "u64");
    step1(c, step, "u64");
    return true;
}

static bool place_of_element(struct code *c, const struct debug_node *n, struct place *out)
{
    struct typed a;
    return code(c, n->a, &a) && pointed(&a, out) && add_index(c, n->b, out->type, "add") && follow(c, out);
}

static const struct debug_member *member_named(struct code *c, const struct debug_type *t, const char *text,
                                               u64 *offset, u32 depth)
{
    const struct debug_members *all = debug_members(c->info, t);
    for (u32 k = 0; all && k < all->n && depth < 8; k++) {
        const struct debug_member *m = &all->at[k];
        if (m->name && !m->base && strcmp(m->name, text) == 0) {
            *offset += m->offset;
            return m;
        }
    }
    for (u32 k = 0; all && k < all->n && depth < 8; k++) { /* of bases and anonymous ones */
        u64 inside = *offset + all->at[k].offset;
        const struct debug_type *of = all->at[k].type ? debug_type_strip(all->at[k].type) : NULL;
        const struct debug_member *m =
            of && (all->at[k].base || !all->at[k].name) && (of->kind == DEBUG_STRUCT || of->kind == DEBUG_UNION)
                ? member_named(c, of, text, &inside, depth + 1)
                : NULL;
        if (m) {
            *offset = inside;
            return m;
        }
    }
    return NULL;
}

static bool place_of_member(struct code *c, const struct debug_node *n, struct place *out)
{
    u64 offset = 0;
    if (!n->name || !place(c, n->a, out))
        return false;
    const struct debug_type *t = debug_type_strip(out->type);
    const struct debug_member *m =
        t && (t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION) ? member_named(c, t, n->name, &offset, 0) : NULL;
    if (!m || m->bits || !m->type)
        return false;
    add_offset(c, offset);
    out->type = m->type;
    return follow(c, out);
}

static bool place(struct code *c, const struct debug_node *n, struct place *out)
{
    const struct debug_variable *v;
    struct typed a;
    switch (n->kind) {
    case DEBUG_NODE_NAME:
        v = debug_variable_find(c->info, c->at, 0, n->name);
        return v && place_of_name(c, v, out);
    case DEBUG_NODE_INDEX:
        return place_of_element(c, n, out);
    case DEBUG_NODE_MEMBER:
        return place_of_member(c, n, out);
    case DEBUG_NODE_UNARY:
        return n->op == '*' && code(c, n->a, &a) && pointed(&a, out) && follow(c, out);
    default:
        return false;
    }
}

static bool value(struct code *c, const struct debug_node *n, struct typed *out)
{
    struct place p;
    return place(c, n, &p) && value_of(c, &p, out);
}

static bool address(struct code *c, const struct debug_node *n, struct typed *out)
{
    struct place p;
    if (!place(c, n, &p))
        return false;
    *out = (struct typed){"u64", debug_type_pointer(c->info, p.type, p.space)};
    return true;
}

/* ---- operators ---- */

/* pointer + n, pointer - n */
static bool moved(struct code *c, const struct debug_node *n, struct typed *out)
{
    struct place p;
    return code(c, n->a, out) && pointed(out, &p) && add_index(c, n->b, p.type, n->op == '+' ? "add" : "sub");
}

static bool unary(struct code *c, const struct debug_node *n, struct typed *out)
{
    if (n->op == '*')
        return value(c, n, out);
    if (n->op == '&')
        return address(c, n->a, out);
    if ((n->op != '-' && n->op != '!' && n->op != '~' && n->op != '+') || !code(c, n->a, out))
        return false;
    if (n->op != '+')
        step1(c, n->op == '-' ? "neg" : n->op == '!' ? "lnot" : "not", out->name);
    *out = (struct typed){n->op == '!' ? "s32" : out->name, NULL};
    return true;
}

static bool cast(struct code *c, const struct debug_node *n, struct typed *out)
{
    const char *exact, *promoted;
    struct typed a;
    const struct debug_type *t = debug_type_strip(n->type);
    if (!t || !number_name(t, &exact, &promoted) || !code(c, n->a, &a))
        return false;
    if (t->kind == DEBUG_BASE && t->encoding == DEBUG_BOOL) {
        truth(c, &a);
        *out = (struct typed){"s32", n->type};
        return true;
    }
    const struct debug_type *from = a.type ? debug_type_strip(a.type) : NULL;
    if (t->kind == DEBUG_POINTER && from && from->kind == DEBUG_POINTER && from->space != t->space) {
        if (t->space != SPACE_NONE || !t->target)
            return false;
        *out = (struct typed){"u64", debug_type_pointer(c->info, t->target, (enum ptx_space)from->space)};
        return true; /* a cast keeps the space */
    }
    convert(c, a.name, promoted);
    if (width(exact) < 32)
        step2(c, "cvt", "s32", exact);
    *out = (struct typed){promoted, n->type};
    return true;
}

/* Both sides are evaluated; a lane has the value of the one that is chosen. */
static bool ternary(struct code *c, const struct debug_node *n, struct typed *out)
{
    const struct debug_node sides = {.kind = DEBUG_NODE_BINARY, .op = DEBUG_OP_EQUAL, .a = n->b, .b = n->c};
    const char *type;
    struct typed when;
    if (!code(c, n->a, &when))
        return false;
    truth(c, &when);
    if (!operands(c, &sides, &type))
        return false;
    json_array_append_new(c->steps, json_pack("[s]", "select"));
    *out = (struct typed){type, NULL};
    return true;
}

static bool shift(struct code *c, const struct debug_node *n, struct typed *out)
{
    struct typed by;
    if (!code(c, n->a, out) || out->name[0] == 'f' || !code(c, n->b, &by) || by.name[0] == 'f')
        return false;
    convert(c, by.name, out->name);
    step1(c, n->op == DEBUG_OP_SHIFT_LEFT ? "shl" : "shr", out->name);
    out->type = NULL;
    return true;
}

static bool special(struct code *c, u32 sreg, char comp, struct typed *out)
{
    char text[64];
    const struct ptx_sreg_row *row = &ptx_sreg_rows[sreg];
    const size_t len = strlen(row->name);
    if (len + 3 > sizeof text)
        return false;
    memcpy(text, row->name, len + 1);
    if (comp) {
        text[len] = '.';
        text[len + 1] = comp;
        text[len + 2] = '\0';
    }
    step1(c, "special", text);
    *out = (struct typed){ptx_type_bits((enum ptx_type)row->type) > 32 ? "u64" : "u32", NULL};
    return true;
}

/* threadIdx.x, or of a struct */
static bool member(struct code *c, const struct debug_node *n, struct typed *out)
{
    if (n->a->kind != DEBUG_NODE_SPECIALS)
        return value(c, n, out);
    return n->name && strlen(n->name) == 1 && special(c, n->a->sreg, n->name[0], out);
}

static bool binary_or_pointer(struct code *c, const struct debug_node *n, struct typed *out)
{
    const size_t before = json_array_size(c->steps);
    if (n->op == DEBUG_OP_SHIFT_LEFT || n->op == DEBUG_OP_SHIFT_RIGHT)
        return shift(c, n, out);
    if (n->op == '+' || n->op == '-') {
        if (moved(c, n, out))
            return true;
        while (json_array_size(c->steps) > before)
            json_array_remove(c->steps, json_array_size(c->steps) - 1);
    }
    return binary(c, n, out);
}

static bool number(struct code *c, const struct debug_node *n, struct typed *out)
{
    const char *exact, *promoted;
    if (!number_name(n->type, &exact, &promoted))
        return false;
    if (width(exact) < 32)
        exact = "s32";
    if (exact[0] == 'f') {
        char bits[24];
        snprintf(bits, sizeof bits, "0x%llx", (unsigned long long)n->bits);
        json_array_append_new(c->steps, json_pack("[s, s, s]", "const", exact, bits));
        *out = (struct typed){exact, n->type};
        return true;
    }
    json_array_append_new(c->steps, json_pack("[s, s, I]", "const", exact, (json_int_t)n->bits));
    *out = (struct typed){exact, n->type};
    return true;
}

static bool code(struct code *c, const struct debug_node *n, struct typed *out)
{
    const struct ptx_var *reg;
    switch (n->kind) {
    case DEBUG_NODE_NUMBER:
        return number(c, n, out);
    case DEBUG_NODE_NAME:
        return name(c, n, out);
    case DEBUG_NODE_DOLLAR:
        reg = debug_register(c->info, c->at.func, n->name);
        return reg && push_register(c, reg, NULL, out);
    case DEBUG_NODE_SPECIAL:
        return special(c, n->sreg, n->comp, out);
    case DEBUG_NODE_MEMBER:
        return member(c, n, out);
    case DEBUG_NODE_INDEX:
        return value(c, n, out);
    case DEBUG_NODE_UNARY:
        return unary(c, n, out);
    case DEBUG_NODE_BINARY:
        return binary_or_pointer(c, n, out);
    case DEBUG_NODE_CAST:
        return cast(c, n, out);
    case DEBUG_NODE_TERNARY:
        return ternary(c, n, out);
    default:
        return false;
    }
}

json_t *code_of(struct session *s, const struct debug_node *n, struct debug_info *info, struct debug_place at)
{
    struct code c = {.s = s, .info = info, .at = at, .steps = json_array()};
    struct typed result;
    if (code(&c, n, &result)) {
        step1(&c, "lnot", result.name);
        step1(&c, "lnot", "s32");
        return c.steps;
    }
    json_decref(c.steps);
    return NULL;
}
