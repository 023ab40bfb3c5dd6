/* expression.c - a tree to a value: expression.h. */
#include "debug/info/expression.h"

#include <string.h>

static bool evaluate(struct debug_context *c, const struct debug_node *n, struct debug_value *out);

/* ---- from names of values to values ---- */

static const struct debug_type *stripped(const struct debug_value *v) { return debug_type_strip(v->type); }

/* What a reference refers to; other values stay. */
static bool follow(struct debug_context *c, struct debug_value *v)
{
    const struct debug_type *t = stripped(v);
    if (!t || t->kind != DEBUG_REFERENCE)
        return true;
    if (!debug_value_fetch(c, v))
        return false;
    *v = debug_value_in_memory(t->target, (enum ptx_space)t->space, debug_value_bits(v));
    return true;
}

/* An array is a pointer to its first element. */
static bool decay(struct debug_context *c, struct debug_value *v)
{
    const struct debug_type *t = stripped(v);
    if (!t || t->kind != DEBUG_ARRAY)
        return true;
    if (v->where != DEBUG_IN_MEMORY)
        return debug_fail(c, "Attempt to take address of value not located in memory.");
    *v = debug_value_number(c, debug_type_pointer(c->info, t->target, (enum ptx_space)v->space), v->address);
    return true;
}

/* A number or pointer, with its bytes. */
static bool operand(struct debug_context *c, const struct debug_node *n, struct debug_value *v)
{
    return evaluate(c, n, v) && follow(c, v) && decay(c, v) && debug_value_fetch(c, v);
}

/* ---- members ---- */

/* In the struct itself, then in what has no name and in base classes. */
static bool find_member(struct debug_context *c, const struct debug_value *v, const char *name, u32 depth,
                        struct debug_value *out)
{
    const struct debug_members *m = debug_members(c->info, stripped(v));
    for (u32 k = 0; k < m->n; k++)
        if (m->at[k].name && !m->at[k].base && strcmp(m->at[k].name, name) == 0) {
            *out = debug_value_member(c, v, &m->at[k]);
            return true;
        }
    for (u32 k = 0; k < m->n && depth < 32; k++) {
        const struct debug_type *t = debug_type_strip(m->at[k].type);
        if (!t || (t->kind != DEBUG_STRUCT && t->kind != DEBUG_UNION) || (m->at[k].name && !m->at[k].base))
            continue;
        const struct debug_value part = debug_value_member(c, v, &m->at[k]);
        if (find_member(c, &part, name, depth + 1, out))
            return true;
    }
    return false;
}

static bool is_struct(const struct debug_type *t) { return t && (t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION); }

static bool dereference(struct debug_context *c, struct debug_value *v, struct debug_value *out)
{
    if (!follow(c, v) || !decay(c, v))
        return false;
    const struct debug_type *t = stripped(v);
    if (!t || t->kind != DEBUG_POINTER)
        return debug_fail(c, "Attempt to take contents of a non-pointer value.");
    if (!t->target)
        return debug_fail(c, "Attempt to take contents of a non-pointer value.");
    if (!debug_value_fetch(c, v))
        return false;
    *out = debug_value_in_memory(t->target, (enum ptx_space)t->space, debug_value_bits(v));
    return true;
}

/* As gdb does, a pointer may stand before the dot and a struct before the arrow. */
static bool member(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    const struct debug_node *of = n->a->kind == DEBUG_NODE_UNARY && n->a->op == '*' ? n->a->a : n->a;
    if (!evaluate(c, of, &v) || !follow(c, &v))
        return false;
    const struct debug_type *t = stripped(&v);
    if (t && (t->kind == DEBUG_POINTER || t->kind == DEBUG_ARRAY)) {
        struct debug_value to;
        if (!dereference(c, &v, &to))
            return false;
        v = to;
    }
    if (!is_struct(stripped(&v)))
        return debug_fail(c, "Attempt to extract a component of a value that is not a structure.");
    return find_member(c, &v, n->name, 0, out) || debug_fail(c, "There is no member named %s.", n->name);
}

/* ---- names ---- */

/* A member of the object whose function this is. */
static bool member_of_this(struct debug_context *c, const char *name, struct debug_value *out)
{
    const struct debug_variable *this = debug_variable_find(c->info, c->at, c->frame, "this");
    struct debug_value v, object;
    if (!this)
        return false;
    v = debug_value_of(c, this);
    return dereference(c, &v, &object) && is_struct(stripped(&object)) && find_member(c, &object, name, 0, out);
}

static const struct ptx_var *module_variable(struct debug_context *c, const char *name)
{
    for (u32 k = 0; c->at.func && k < c->at.func->nlocals; k++)
        if (strcmp(c->at.func->locals[k]->name, name) == 0)
            return c->at.func->locals[k];
    return debug_module_variable(c->info, name);
}

/* A variable of the PTX text, of which no more is known than there. */
static bool ptx_variable(struct debug_context *c, const struct ptx_var *var, struct debug_value *out)
{
    const u64 bits = ptx_type_bits((enum ptx_type)var->type);
    const char class = ptx_type_class((enum ptx_type)var->type);
    const enum debug_encoding e = class == 'F' && bits >= 32 ? DEBUG_FLOAT
                                  : class == 'U'             ? DEBUG_UNSIGNED
                                                             : DEBUG_SIGNED;
    const struct debug_type *t = debug_type_base(c->info, e, bits < 8 ? 1 : bits / 8);
    u64 address;
    if (!c->target || c->target->address_of(c->target->self, &c->thread, var, &address) != LS_OK)
        return debug_fail(c, "Cannot access memory of variable %s", var->name);
    *out = debug_value_in_memory(var->is_array ? debug_type_array(c->info, t, var->count) : t,
                                 (enum ptx_space)var->space, address);
    return true;
}

/* To compilers arrays and structs are bytes in the PTX text, and clang describes no `extern __shared__` array. */
static bool has_no_type(const struct ptx_var *var)
{
    return var->is_array && ptx_type_bits((enum ptx_type)var->type) == 8;
}

static bool name(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    const struct debug_variable *v = debug_variable_find(c->info, c->at, c->frame, n->name);
    const struct debug_type *t;
    i64 value;
    if (v && v->kind != DEBUG_GLOBAL) {
        *out = debug_value_of(c, v);
        return true;
    }
    if (member_of_this(c, n->name, out))
        return true;
    c->error = NULL;
    if (v) {
        *out = debug_value_of(c, v);
        return true;
    }
    if (debug_enumerator(c->info, n->name, &t, &value)) {
        *out = debug_value_number(c, t, (u64)value);
        return true;
    }
    const struct ptx_var *var = module_variable(c, n->name);
    if (!var)
        return debug_fail(c, "No symbol \"%s\" in current context%s", n->name,
                          debug_info_has_variables(c->info) ? "." : ": no variables are told, compile with -G.");
    if (has_no_type(var) && !c->any_type)
        return debug_fail(c, "'%s' has unknown type; cast its address: *(TYPE *)&%s", n->name, n->name);
    return ptx_variable(c, var, out);
}

static bool dollar(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    char reg[160];
    if (c->convenience && c->convenience(c->convenience_self, n->name, out))
        return true;
    reg[0] = '%';
    const size_t len = strlen(n->name);
    memcpy(reg + 1, n->name, len < sizeof reg - 2 ? len + 1 : 1);
    const struct ptx_var *var = len < sizeof reg - 2 ? debug_register(c->info, c->at.func, reg) : NULL;
    if (var) {
        *out = debug_value_register(c, var);
        return true;
    }
    if (strcmp(n->name, "pc") == 0 && c->at.func) {
        *out = debug_value_number(c, debug_type_base(c->info, DEBUG_UNSIGNED, 8), c->at.inst);
        return true;
    }
    return debug_fail(c, "No register or variable $%s here.", n->name);
}

static bool special(struct debug_context *c, u32 sreg, char comp, u64 *value)
{
    if (!c->target || !c->target->special ||
        c->target->special(c->target->self, &c->thread, (enum ptx_sreg)sreg, comp, value) != LS_OK)
        return debug_fail(c, "Register %s is not known here.", ptx_sreg_rows[sreg].name);
    return true;
}

static bool special_value(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    const u64 size = ptx_type_bits((enum ptx_type)ptx_sreg_rows[n->sreg].type) >= 64 ? 8 : 4;
    u64 x = 0;
    if (!special(c, n->sreg, n->comp, &x))
        return false;
    *out = debug_value_number(c, debug_type_base(c->info, DEBUG_UNSIGNED, size), x);
    return true;
}

static bool special_struct(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    static const char *const names[] = {"x", "y", "z"};
    struct debug_member *m = arena_array(debug_info_memory(c->info), struct debug_member, 3);
    u32 bytes[3];
    for (u32 k = 0; k < 3; k++) {
        u64 x = 0;
        if (!special(c, n->sreg, names[k][0], &x))
            return false;
        bytes[k] = (u32)x;
        m[k] = (struct debug_member){
            .name = names[k], .type = debug_type_base(c->info, DEBUG_UNSIGNED, 4), .offset = 4 * k};
    }
    const bool index = n->sreg == SREG_tid || n->sreg == SREG_ctaid;
    *out = debug_value_bytes(c, debug_type_struct(c->info, index ? "uint3" : "dim3", 12, m, 3), bytes);
    return true;
}

/* ---- operators ---- */

static bool address_of(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    c->any_type = n->kind == DEBUG_NODE_NAME;
    const bool ok = evaluate(c, n, &v) && follow(c, &v);
    c->any_type = false;
    if (!ok)
        return false;
    if (v.where != DEBUG_IN_MEMORY || v.bits)
        return debug_fail(c, "Attempt to take address of value not located in memory.");
    *out = debug_value_number(c, debug_type_pointer(c->info, v.type, (enum ptx_space)v.space), v.address);
    return true;
}

static bool unary(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    if (n->op == '&')
        return address_of(c, n->a, out);
    if (n->op == '*')
        return evaluate(c, n->a, &v) && dereference(c, &v, out);
    return operand(c, n->a, &v) && debug_unary(c, n->op, &v, out);
}

static bool logical(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    const bool is_or = n->op == DEBUG_OP_OR;
    bool truth;
    if (!debug_is_true(c, n->a, &truth) || (truth != is_or && !debug_is_true(c, n->b, &truth)))
        return false;
    *out = debug_value_number(c, debug_type_base(c->info, DEBUG_BOOL, 1), truth);
    return true;
}

static bool binary(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value a, b;
    if (n->op == DEBUG_OP_AND || n->op == DEBUG_OP_OR)
        return logical(c, n, out);
    return operand(c, n->a, &a) && operand(c, n->b, &b) && debug_binary(c, n->op, &a, &b, out);
}

static bool integer(struct debug_context *c, const struct debug_node *n, i64 *out)
{
    struct debug_value v, whole;
    if (!operand(c, n, &v) || !debug_convert(c, &v, debug_type_base(c->info, DEBUG_SIGNED, 8), &whole))
        return false;
    *out = (i64)debug_value_bits(&whole);
    return true;
}

/* Of an array that lies in registers an element is a part; else indices may go anywhere, as in C. */
static bool element(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    i64 at;
    if (!evaluate(c, n->a, &v) || !follow(c, &v) || !integer(c, n->b, &at))
        return false;
    const struct debug_type *t = stripped(&v);
    const u64 size = t && t->target ? t->target->size : 0;
    if (t && t->kind == DEBUG_ARRAY && v.where != DEBUG_IN_MEMORY) {
        if (at < 0 || (u64)at >= t->count)
            return debug_fail(c, "no such vector element");
        *out = debug_value_part(c, &v, t->target, (u64)at * size);
        return true;
    }
    if (t && t->kind == DEBUG_ARRAY) {
        *out = debug_value_in_memory(t->target, (enum ptx_space)v.space, v.address + (u64)at * size);
        return true;
    }
    struct debug_value to;
    if (!t || t->kind != DEBUG_POINTER)
        return debug_fail(c, "cannot subscript something of type `%s'", debug_type_name(c->info, v.type));
    if (!dereference(c, &v, &to))
        return false;
    to.address += (u64)at * size;
    *out = to;
    return true;
}

enum { REPEAT = 1 << 20 };

static bool repeat(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    i64 count;
    if (!evaluate(c, n->a, &v) || !follow(c, &v) || !integer(c, n->b, &count))
        return false;
    if (v.where != DEBUG_IN_MEMORY || v.bits)
        return debug_fail(c, "Only values in memory can be extended with '@'.");
    if (count < 1 || count > REPEAT)
        return debug_fail(c, "Invalid number %lld of repetitions.", (long long)count);
    *out = debug_value_in_memory(debug_type_array(c->info, v.type, (u64)count), (enum ptx_space)v.space, v.address);
    return true;
}

/* A pointer keeps its space unless the cast names one: an address means nothing without it. */
static bool cast(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    const struct debug_type *to = n->type, *t = debug_type_strip(to);
    if (!evaluate(c, n->a, &v) || !follow(c, &v))
        return false;
    if (!t) {
        *out = (struct debug_value){0};
        return true;
    }
    if (is_struct(t) || t->kind == DEBUG_ARRAY) {
        if (t != stripped(&v) && !(v.type && v.type->size == t->size))
            return debug_fail(c, "Invalid cast.");
        *out = debug_value_part(c, &v, to, 0);
        return true;
    }
    if (!decay(c, &v) || !debug_value_fetch(c, &v))
        return false;
    const struct debug_type *from = stripped(&v);
    if (t->kind == DEBUG_POINTER && from && from->kind == DEBUG_POINTER && t->space == SPACE_NONE)
        to = debug_type_pointer(c->info, t->target, (enum ptx_space)from->space);
    return debug_convert(c, &v, to, out);
}

static bool assign(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value to, v, sum, converted;
    if (!evaluate(c, n->a, &to) || !follow(c, &to))
        return false;
    const bool whole = is_struct(stripped(&to));
    if (whole ? !evaluate(c, n->b, &v) || !follow(c, &v) || !debug_value_fetch(c, &v) : !operand(c, n->b, &v))
        return false;
    if (n->op != DEBUG_OP_NONE) {
        struct debug_value old = to;
        if (!decay(c, &old) || !debug_value_fetch(c, &old) || !debug_binary(c, n->op, &old, &v, &sum))
            return false;
        v = sum;
    }
    if (!debug_convert(c, &v, to.type, &converted) || !debug_value_store(c, &to, converted.bytes))
        return false;
    *out = to;
    out->bytes = converted.bytes;
    out->lost = NULL;
    return true;
}

static bool size_of(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    struct debug_value v;
    u64 size = n->bits;
    if (n->a) {
        if (!evaluate(c, n->a, &v) || !follow(c, &v))
            return false;
        size = v.type ? v.type->size : 1;
    }
    *out = debug_value_number(c, debug_type_base(c->info, DEBUG_UNSIGNED, 8), size);
    return true;
}

static bool string(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    const struct debug_type *t = debug_type_base(c->info, DEBUG_CHAR, 1);
    *out = debug_value_bytes(c, debug_type_array(c->info, t, n->bits + 1), n->name);
    return true;
}

static bool evaluate(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    bool truth;
    switch (n->kind) {
    case DEBUG_NODE_NUMBER:
        *out = debug_value_number(c, n->type, n->bits);
        return true;
    case DEBUG_NODE_STRING:
        return string(c, n, out);
    case DEBUG_NODE_NAME:
        return name(c, n, out);
    case DEBUG_NODE_DOLLAR:
        return dollar(c, n, out);
    case DEBUG_NODE_SPECIAL:
        return special_value(c, n, out);
    case DEBUG_NODE_SPECIALS:
        return special_struct(c, n, out);
    case DEBUG_NODE_UNARY:
        return unary(c, n, out);
    case DEBUG_NODE_BINARY:
        return binary(c, n, out);
    case DEBUG_NODE_ASSIGN:
        return assign(c, n, out);
    case DEBUG_NODE_TERNARY:
        return debug_is_true(c, n->a, &truth) && evaluate(c, truth ? n->b : n->c, out);
    case DEBUG_NODE_CAST:
        return cast(c, n, out);
    case DEBUG_NODE_SIZEOF:
        return size_of(c, n, out);
    case DEBUG_NODE_INDEX:
        return element(c, n, out);
    case DEBUG_NODE_MEMBER:
        return member(c, n, out);
    case DEBUG_NODE_REPEAT:
        return repeat(c, n, out);
    default:
        return debug_fail(c, "A syntax error in expression.");
    }
}

bool debug_evaluate(struct debug_context *c, const struct debug_node *n, struct debug_value *out)
{
    *out = (struct debug_value){0};
    c->error = NULL;
    return evaluate(c, n, out);
}

bool debug_evaluate_text(struct debug_context *c, const char *text, struct debug_value *out)
{
    c->error = NULL;
    const struct debug_node *n = debug_parse(c, text);
    return n && debug_evaluate(c, n, out);
}

bool debug_is_true(struct debug_context *c, const struct debug_node *n, bool *out)
{
    struct debug_value v;
    return operand(c, n, &v) && debug_truth(c, &v, out);
}
