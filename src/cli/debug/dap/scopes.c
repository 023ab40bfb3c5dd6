/* scopes.c - what a frame holds: arguments, locals, shared and global variables, registers, special registers. */
#include <stdio.h>
#include <string.h>

#include "cli/debug/dap/dap.h"

/* ---- scopes ---- */

static const struct {
    enum holder_kind kind;
    const char *name, *hint;
    bool expensive;
} scopes[] = {
    {HOLDER_ARGUMENTS, "Arguments", "arguments", false}, {HOLDER_LOCALS, "Locals", "locals", false},
    {HOLDER_SHARED, "Shared", "shared", false},          {HOLDER_GLOBALS, "Globals", "globals", true},
    {HOLDER_REGISTERS, "Registers", "registers", true},  {HOLDER_SPECIALS, "Special", "special", true},
};

static json_t *tell_scopes(struct dap *d, const struct dap_focus *f)
{
    json_t *list = json_array();
    for (u32 i = 0; i < LS_ARRAY_LEN(scopes); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:b}", "name", scopes[i].name, "presentationHint",
                                              scopes[i].hint, "variablesReference",
                                              (json_int_t)holder_add(d, (struct holder){scopes[i].kind, .focus = *f}),
                                              "expensive", scopes[i].expensive));
    return json_pack("{s:o}", "scopes", list);
}

json_t *request_scopes(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct dap_focus f;
    u64 frame;
    if (!argument_number(arguments, "frameId", 0, UINT32_MAX, &frame, why) || !frame_focus(d, frame, &f, why))
        return NULL;
    return tell_scopes(d, &f);
}

/* ---- variables ---- */

static bool is_shared(const struct debug_value *v) { return v->where == DEBUG_IN_MEMORY && v->space == SPACE_SHARED; }

static bool belongs(enum holder_kind kind, const struct debug_variable *v, const struct debug_value *value)
{
    if (kind == HOLDER_SHARED || is_shared(value))
        return kind == HOLDER_SHARED && is_shared(value);
    return kind == (v->kind == DEBUG_ARGUMENT ? HOLDER_ARGUMENTS
                    : v->kind == DEBUG_LOCAL  ? HOLDER_LOCALS
                                              : HOLDER_GLOBALS);
}

static bool has_name(const json_t *list, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)list, i, one) {
        const char *other = json_string_value(json_object_get(one, "name"));
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* A variable that another one hides has no name in expressions. */
static void add_variables(struct dap *d, struct debug_context *c, const struct holder *h,
                          const struct debug_variable *v, u32 n, json_t *list)
{
    for (u32 i = 0; i < n; i++) {
        const struct debug_value value = debug_value_of(c, &v[i]);
        if (!belongs(h->kind, &v[i], &value))
            continue;
        const bool hidden = has_name(list, v[i].name);
        const char *name = hidden ? arena_printf(d->memory, "%s (line %u)", v[i].name, v[i].line) : v[i].name;
        variable_add(d, c, list, &h->focus, name, hidden ? NULL : v[i].name, value);
    }
}

static bool list_variables(struct dap *d, struct debug_context *c, const struct holder *h, json_t *list)
{
    const struct debug_variable *v;
    if (h->kind != HOLDER_GLOBALS)
        add_variables(d, c, h, v, debug_variables(c->info, c->at, c->frame, &v), list);
    if (h->kind == HOLDER_GLOBALS || h->kind == HOLDER_SHARED)
        add_variables(d, c, h, v, debug_globals(c->info, &v), list);
    return true;
}

/* ---- registers ---- */

static void add_text(json_t *list, const char *name, const char *value, const char *type, u64 holder)
{
    json_t *one = json_pack("{s:o, s:o, s:I}", "name", text_of(name), "value", text_of(value), "variablesReference",
                            (json_int_t)holder);
    if (type)
        json_object_set_new(one, "type", text_of(type));
    if (name[0] == '%')
        json_object_set_new(one, "evaluateName", text_of(name));
    json_array_append_new(list, one);
}

static void add_lanes(json_t *list, const struct session_register *r)
{
    for (u32 lane = 0; lane < 32; lane++) {
        char name[16];
        snprintf(name, sizeof name, "lane %u", lane);
        add_text(list, name, r->lanes[lane], r->type, 0);
    }
}

static bool list_registers(struct dap *d, const struct holder *h, json_t *list, char why[DAP_WHY])
{
    const struct session_register *r;
    u32 n;
    if (!session_registers(d->session, &r, &n))
        return dap_failed(d, why);
    for (u32 i = 0; i < n; i++) {
        if (h->kind == HOLDER_LANES && strcmp(r[i].name, h->name) == 0)
            add_lanes(list, &r[i]);
        if (h->kind == HOLDER_LANES)
            continue;
        const char *name = arena_printf(d->memory, "%s", r[i].name);
        const struct holder lanes = {HOLDER_LANES, .focus = h->focus, .name = name};
        add_text(list, name, r[i].lanes[h->focus.lane], r[i].type, holder_add(d, lanes));
    }
    return true;
}

static bool list_specials(struct dap *d, const struct holder *h, json_t *list, char why[DAP_WHY])
{
    json_t *words = json_pack("{s:I, s:I}", "block", (json_int_t)h->focus.block, "warp", (json_int_t)h->focus.warp);
    const json_t *answer = session_ask(d->session, "specials", words);
    const char *name;
    json_t *lanes;
    if (!answer)
        return dap_failed(d, why);
    json_object_foreach((json_t *)answer, name, lanes) {
        const json_t *one = json_array_get(lanes, h->focus.lane);
        char number[32];
        if (name[0] != '%')
            continue;
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(one));
        add_text(list, name, json_is_string(one) ? json_string_value(one) : number, NULL, 0);
    }
    return true;
}

bool scope_list(struct dap *d, const struct holder *h, json_t *list, char why[DAP_WHY])
{
    struct debug_context c;
    if (!dap_look_at(d, &h->focus, why))
        return false;
    if (h->kind == HOLDER_REGISTERS || h->kind == HOLDER_LANES)
        return list_registers(d, h, list, why);
    if (h->kind == HOLDER_SPECIALS)
        return list_specials(d, h, list, why);
    return dap_context(d, &h->focus, &c, why) && list_variables(d, &c, h, list);
}
