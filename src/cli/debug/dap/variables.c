/* variables.c - values and their parts: members of structs, elements of arrays, what pointers point to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/debug/dap/dap.h"

enum { ELEMENTS_AT_ONCE = 4096, ELEMENTS_IN_TEXT = 32 };

u64 holder_add(struct dap *d, struct holder h)
{
    vec_push(d->memory, &d->holders, h);
    return d->holders.len;
}

/* ---- what a value has ---- */

static bool is_record(const struct debug_type *t) { return t && (t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION); }
static bool is_pointer(const struct debug_type *t)
{
    return t && (t->kind == DEBUG_POINTER || t->kind == DEBUG_REFERENCE);
}

/* What it points to; false: nothing that has a value. */
static bool pointee(struct debug_context *c, struct debug_value v, struct debug_value *out)
{
    const struct debug_type *t = debug_type_strip(v.type), *target = is_pointer(t) ? debug_type_strip(t->target) : NULL;
    if (!target || target->kind == DEBUG_VOID || target->kind == DEBUG_FUNCTION || target->incomplete || !target->size)
        return false;
    if (!debug_value_fetch(c, &v) || debug_value_lost(&v) || !debug_value_bits(&v))
        return false;
    *out = debug_value_in_memory(t->target, t->space, debug_value_bits(&v));
    return true;
}

static void tell_parts(struct dap *d, struct debug_context *c, json_t *to, const struct dap_focus *f,
                       const char *expression, struct debug_value v)
{
    const struct debug_type *t = debug_type_strip(v.type);
    struct debug_value target;
    u64 holder = 0;
    const u64 n = is_record(t) ? debug_members(c->info, t)->n : t && t->kind == DEBUG_ARRAY ? t->count : 0;
    if (n || (is_pointer(t) && pointee(c, v, &target)))
        holder = holder_add(d, (struct holder){HOLDER_VALUE, *f, expression, v});
    json_object_set_new(to, "variablesReference", json_integer((json_int_t)holder));
    if (n)
        json_object_set_new(to, is_record(t) ? "namedVariables" : "indexedVariables", json_integer((json_int_t)n));
}

static void tell_memory(json_t *to, struct debug_context *c, const struct dap_focus *f, struct debug_value v)
{
    const struct debug_type *t = debug_type_strip(v.type);
    json_t *reference = NULL;
    if (is_pointer(t) && debug_value_fetch(c, &v) && !debug_value_lost(&v))
        reference = memory_reference(f, t->space, debug_value_bits(&v));
    else if (v.where == DEBUG_IN_MEMORY && !is_pointer(t))
        reference = memory_reference(f, v.space, v.address);
    if (reference)
        json_object_set_new(to, "memoryReference", reference);
}

void variable_tell(struct dap *d, struct debug_context *c, json_t *to, const char *key, const struct dap_focus *f,
                   const char *expression, struct debug_value v, bool hexadecimal)
{
    const struct debug_format format = {.letter = hexadecimal ? 'x' : 0, .elements = ELEMENTS_IN_TEXT};
    json_object_set_new(to, key, text_of(v.type ? debug_value_text(c, v, &format) : "void"));
    if (v.type)
        json_object_set_new(to, "type", text_of(debug_type_name(c->info, v.type)));
    tell_parts(d, c, to, f, expression, v);
    tell_memory(to, c, f, v);
}

void variable_add(struct dap *d, struct debug_context *c, json_t *list, const struct dap_focus *f, const char *name,
                  const char *expression, struct debug_value v)
{
    json_t *one = json_pack("{s:o}", "name", text_of(name));
    json_array_append_new(list, one);
    variable_tell(d, c, one, "value", f, expression, v, d->hexadecimal);
    if (expression)
        json_object_set_new(one, "evaluateName", text_of(expression));
}

/* ---- parts ---- */

struct page {
    u64 from, count;
};

static void list_members(struct dap *d, struct debug_context *c, const struct holder *h, const struct debug_value *v,
                         const char *expression, json_t *list)
{
    const struct debug_members *m = debug_members(c->info, debug_type_strip(v->type));
    for (u32 i = 0; i < m->n; i++) {
        const struct debug_member *one = &m->at[i];
        const char *name = one->base || !one->name ? debug_type_name(c->info, one->type) : one->name;
        const char *inner = !expression               ? NULL
                            : one->base || !one->name ? expression
                                                      : arena_printf(d->memory, "%s.%s", expression, one->name);
        variable_add(d, c, list, &h->focus, name, inner, debug_value_member(c, v, one));
    }
}

static void list_elements(struct dap *d, struct debug_context *c, const struct holder *h, const struct page *p,
                          json_t *list)
{
    const struct debug_type *t = debug_type_strip(h->value.type);
    const u64 size = t->target ? t->target->size : 0;
    const u64 count = p->count && p->count < ELEMENTS_AT_ONCE ? p->count : ELEMENTS_AT_ONCE;
    for (u64 i = p->from; i < t->count && i - p->from < count; i++) {
        const char *name = arena_printf(d->memory, "[%" PRIu64 "]", i);
        variable_add(d, c, list, &h->focus, name, h->name ? arena_printf(d->memory, "%s%s", h->name, name) : NULL,
                     debug_value_part(c, &h->value, t->target, i * size));
    }
}

static void list_pointee(struct dap *d, struct debug_context *c, const struct holder *h, json_t *list)
{
    struct debug_value target;
    const char *expression = h->name ? arena_printf(d->memory, "(*%s)", h->name) : NULL;
    if (!pointee(c, h->value, &target))
        return;
    if (is_record(debug_type_strip(target.type)))
        list_members(d, c, h, &target, expression, list);
    else
        variable_add(d, c, list, &h->focus, "*", expression, target);
}

static bool list_parts(struct dap *d, struct debug_context *c, const struct holder *h, const struct page *p,
                       json_t *list)
{
    const struct debug_type *t = debug_type_strip(h->value.type);
    if (is_record(t))
        list_members(d, c, h, &h->value, h->name, list);
    else if (t->kind == DEBUG_ARRAY)
        list_elements(d, c, h, p, list);
    else
        list_pointee(d, c, h, list);
    return true;
}

/* A list, or NULL. */
static json_t *list_holder(struct dap *d, u64 number, const struct page *p, char why[DAP_WHY])
{
    struct debug_context c;
    if (!number || number > d->holders.len)
        return dap_fail(why, "there are no variables %" PRIu64, number);
    const struct holder h = d->holders.at[number - 1];
    json_t *list = json_array();
    if (h.kind == HOLDER_VALUE ? dap_context(d, &h.focus, &c, why) && list_parts(d, &c, &h, p, list)
                               : scope_list(d, &h, list, why))
        return list;
    json_decref(list);
    return NULL;
}

/* ---- requests ---- */

static void read_format(struct dap *d, const json_t *arguments)
{
    d->hexadecimal = json_is_true(json_object_get(json_object_get(arguments, "format"), "hex"));
}

json_t *request_variables(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct page p;
    u64 holder;
    if (!argument_number(arguments, "variablesReference", 0, UINT32_MAX, &holder, why) ||
        !argument_number(arguments, "start", 0, INT64_MAX, &p.from, why) ||
        !argument_number(arguments, "count", 0, INT64_MAX, &p.count, why))
        return NULL;
    read_format(d, arguments);
    json_t *list = list_holder(d, holder, &p, why);
    return list ? json_pack("{s:o}", "variables", list) : NULL;
}

bool variable_of(struct dap *d, u64 holder, const char *name, struct dap_focus *f, const char **expression,
                 char why[DAP_WHY])
{
    struct page p = {0};
    size_t i;
    json_t *one;
    if (sscanf(name, "[%" SCNu64 "]", &p.from) == 1)
        p.count = 1;
    json_t *list = list_holder(d, holder, &p, why);
    *expression = NULL;
    if (!list)
        return false;
    *f = d->holders.at[holder - 1].focus;
    json_array_foreach(list, i, one) {
        const char *other = json_string_value(json_object_get(one, "name"));
        const char *text = json_string_value(json_object_get(one, "evaluateName"));
        if (other && text && !*expression && strcmp(other, name) == 0)
            *expression = arena_printf(d->memory, "%s", text);
    }
    json_decref(list);
    return *expression || dap_fail(why, "there is no %.100s that an expression can name", name);
}

static bool evaluate(struct dap *d, struct debug_context *c, const char *text, const struct dap_focus *f, json_t *to,
                     const char *key, char why[DAP_WHY])
{
    struct debug_value v;
    c->error = NULL;
    if (!debug_evaluate_text(c, text, &v))
        return dap_fail(why, "%s", c->error ? c->error : "this has no value");
    variable_tell(d, c, to, key, f, arena_printf(d->memory, "(%s)", text), v, d->hexadecimal);
    return true;
}

/* The object with the value of an expression; assignments only where they may be. */
static json_t *evaluated(struct dap *d, const struct dap_focus *f, const char *text, const char *key, bool may_write,
                         char why[DAP_WHY])
{
    struct debug_context c;
    if (!dap_context(d, f, &c, why))
        return NULL;
    c.may_write = may_write;
    json_t *out = json_object();
    if (evaluate(d, &c, text, f, out, key, why))
        return out;
    json_decref(out);
    return NULL;
}

json_t *request_evaluate(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct dap_focus f = d->here;
    const char *text, *context;
    u64 frame;
    if (!argument_text(arguments, "expression", NULL, &text, why) ||
        !argument_text(arguments, "context", "", &context, why) ||
        !argument_number(arguments, "frameId", 0, UINT32_MAX, &frame, why))
        return NULL;
    if (frame && !frame_focus(d, frame, &f, why))
        return NULL;
    read_format(d, arguments);
    const bool repl = strcmp(context, "repl") == 0;
    json_t *body = evaluated(d, &f, text, "result", repl, why);
    if (body || !repl || (!repl_is_word(text) && !run_is_word(text)))
        return body;
    if (run_is_word(text))
        return run_word(d, &f, text, why) ? json_pack("{s:s, s:i}", "result", "", "variablesReference", 0) : NULL;
    return repl_line(d, &f, text, why) ? json_pack("{s:s, s:i}", "result", "", "variablesReference", 0) : NULL;
}

json_t *request_set_variable(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const char *name, *value, *expression;
    char assignment[4096];
    struct dap_focus f;
    u64 holder;
    if (!argument_number(arguments, "variablesReference", 0, UINT32_MAX, &holder, why) ||
        !argument_text(arguments, "name", NULL, &name, why) || !argument_text(arguments, "value", NULL, &value, why) ||
        !variable_of(d, holder, name, &f, &expression, why))
        return NULL;
    const int n = snprintf(assignment, sizeof assignment, "%s = (%s)", expression, value);
    if (n >= (int)sizeof assignment)
        return dap_fail(why, "that is too long");
    if (!dap_look_at(d, &f, why))
        return NULL;
    if (!session_assign(d->session, assignment))
        return dap_failed(d, why);
    read_format(d, arguments);
    return evaluated(d, &f, expression, "value", false, why);
}
