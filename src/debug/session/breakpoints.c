/* breakpoints.c - what the user wants to stop at, and the stops of the agent that stand for it. */
#include <string.h>

#include "debug/session/internal.h"

static struct breakpoint *find(const struct session *s, u32 number)
{
    for (u32 k = 0; k < s->breakpoints.len; k++)
        if (s->breakpoints.at[k]->number == number)
            return (struct breakpoint *)s->breakpoints.at[k];
    return NULL;
}

static struct breakpoint *find_or_fail(struct session *s, u32 number)
{
    struct breakpoint *b = find(s, number);
    if (!b)
        session_fail(s, "No breakpoint number %u.", number);
    return b;
}

struct breakpoint *breakpoint_of_stop(const struct session *s, u64 stop)
{
    for (u32 k = 0; stop && k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        for (u32 p = 0; p < b->told.nplaces; p++)
            if (b->places[p].stop == stop)
                return b;
    }
    return NULL;
}

static bool waits_for_program(enum session_breakpoint_kind kind)
{
    return kind <= SESSION_AT_ENTRY || kind == SESSION_AT_FINDING;
}

const struct breakpoint *breakpoint_pending_line(const struct session *s)
{
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        const struct breakpoint *b = (const struct breakpoint *)s->breakpoints.at[k];
        if (b->told.pending && b->told.spec.kind == SESSION_AT_PLACE && b->told.spec.place[0] != '*' &&
            !places_is_name(b->told.spec.place))
            return b;
    }
    return NULL;
}

static bool connected(const struct session *s) { return s->hello && s->state != SESSION_NONE; }

/* ---- the agent's stops ---- */

/* Adds the condition in the agent's steps; if they cannot say it, it is evaluated here, at each hit. */
static void add_condition(struct session *s, struct breakpoint *b, json_t *q, struct debug_place at)
{
    const struct session_module *m = module_of(s, at.func);
    struct debug_context c = {.info = m ? m->info : NULL, .mem = &s->mem, .at = at, .target = &s->target};
    if (!b->told.spec.condition)
        return;
    const struct debug_node *n = m ? debug_parse(&c, b->told.spec.condition) : NULL;
    json_t *code = n ? code_of(s, n, m->info, at) : NULL;
    if (code)
        json_object_set_new(q, "condition", code);
    else
        b->told.slow = true;
}

static bool arm(struct session *s, struct breakpoint *b, struct session_breakpoint_place place, json_t *q)
{
    json_object_set_new(q, "enabled", json_boolean(b->told.enabled));
    add_condition(s, b, q, place.at);
    const json_t *a = client_ask(s, "break", q);
    if (!a)
        return false;
    place.stop = member_u64(a, "stop", 0);
    if (b->told.nplaces == b->cap) {
        b->cap = b->cap * 2 + 4;
        struct session_breakpoint_place *more = arena_array(&s->mem, struct session_breakpoint_place, b->cap);
        if (b->told.nplaces)
            memcpy(more, b->places, b->told.nplaces * sizeof *more);
        b->places = more;
        b->told.places = more;
    }
    b->places[b->told.nplaces++] = place;
    return true;
}

static bool has_place(const struct breakpoint *b, struct debug_place at)
{
    for (u32 k = 0; k < b->told.nplaces; k++)
        if (at.func && b->places[k].at.inst == at.inst && strcmp(b->places[k].at.func->name, at.func->name) == 0)
            return true;
    return false;
}

/* A branch to the next instruction has no code: a stop there is one at the next. */
static bool stands_at(const struct breakpoint *b, struct debug_place at)
{
    for (struct debug_place p = at; at.func; p.inst--) {
        if (has_place(b, p))
            return true;
        const struct ptx_inst *before = p.inst ? &p.func->insts[p.inst - 1] : NULL;
        if (!before || before->op != OP_BRA || before->guard || before->operands[0].label->at != p.inst)
            break;
    }
    return false;
}

static bool resolve_in(struct session *s, struct breakpoint *b, const struct session_module *m)
{
    const struct debug_place *places;
    u32 n;
    bool ok = true;
    if (!places_find(s, m, b->told.spec.place, &places, &n))
        return true;
    for (u32 k = 0; k < n; k++) {
        const struct debug_place at = places[k];
        if (has_place(b, at))
            continue;
        const struct session_breakpoint_place place = {
            .function = function_name(s, at.func), .line = debug_line_at(m->info, at), .at = at};
        ok = arm(s, b, place,
                 json_pack("{s:s, s:s, s:I}", "kind", "instruction", "function", at.func->name, "index",
                           (json_int_t)at.inst)) &&
             ok;
    }
    return ok;
}

static bool resolve(struct session *s, struct breakpoint *b)
{
    bool ok = true;
    for (u32 k = 0; k < s->modules.len; k++)
        if (!s->modules.at[k]->gone)
            ok = resolve_in(s, b, s->modules.at[k]) && ok;
    b->resolved_now = b->told.pending && b->told.nplaces;
    b->told.pending = !b->told.nplaces;
    return ok;
}

/* A kernel's name as the PTX has it; kernels in modules that come later cannot be named otherwise. */
static const char *entry_name(struct session *s, const char *name)
{
    for (u32 k = 0; k < s->modules.len; k++) {
        const struct debug_function *f =
            s->modules.at[k]->gone ? NULL : debug_function_find(s->modules.at[k]->info, name);
        if (f)
            return f->func->name;
    }
    return NULL;
}

static bool arm_entry(struct session *s, struct breakpoint *b)
{
    json_t *q = json_pack("{s:s}", "kind", "entry");
    const char *name = b->told.spec.place ? entry_name(s, b->told.spec.place) : NULL;
    if (name)
        json_object_set_new(q, "function", json_string(name));
    b->told.pending = b->told.spec.place && !name;
    if (b->told.pending) {
        json_decref(q);
        return true;
    }
    return arm(s, b, (struct session_breakpoint_place){.function = b->told.spec.place}, q);
}

static bool arm_watch(struct session *s, struct breakpoint *b)
{
    enum ptx_space space;
    if (!session_address(s, b->told.spec.place, &space, &b->told.address, &b->told.size))
        return false;
    b->told.type = s->address_type;
    json_t *q = json_pack("{s:s, s:I, s:I, s:s, s:s}", "kind", "watch", "address", (json_int_t)b->told.address, "size",
                          (json_int_t)b->told.size, "space", space_word(space), "when",
                          b->told.spec.on_write ? "write" : "change");
    if (space == SPACE_SHARED || space == SPACE_LOCAL)
        json_object_set_new(q, "of_block", json_integer((json_int_t)s->focus.block));
    if (space == SPACE_LOCAL)
        json_object_set_new(q, "of_thread", json_integer(s->focus.warp * 32 + s->focus.lane));
    return arm(s, b, (struct session_breakpoint_place){.at = s->where.at}, q);
}

/* Pending: the tool does not listen, as the program has begun without. */
static bool arm_finding(struct session *s, struct breakpoint *b)
{
    const char *tools = b->told.spec.place;
    b->told.pending = !client_ask(s, "check", json_pack("{s:s*}", "tools", tools));
    return b->told.pending || arm(s, b, (struct session_breakpoint_place){.function = tools},
                                  json_pack("{s:s, s:s*}", "kind", "finding", "tools", tools));
}

static bool arm_first(struct session *s, struct breakpoint *b)
{
    switch (b->told.spec.kind) {
    case SESSION_AT_PLACE:
        return resolve(s, b);
    case SESSION_AT_ENTRY:
        return arm_entry(s, b);
    case SESSION_AT_WATCH:
        return arm_watch(s, b);
    case SESSION_AT_DIVERGENCE:
        return arm(s, b, (struct session_breakpoint_place){0}, json_pack("{s:s}", "kind", "divergence"));
    case SESSION_AT_BANKS:
        return arm(s, b, (struct session_breakpoint_place){0},
                   json_pack("{s:s, s:I}", "kind", "banks", "more", (json_int_t)b->told.spec.more));
    case SESSION_AT_FINDING:
        return arm_finding(s, b);
    case SESSION_AT_CALL:
        return arm(s, b, (struct session_breakpoint_place){.function = b->told.spec.place},
                   json_pack("{s:s, s:s*}", "kind", "call", "function", b->told.spec.place));
    }
    return false;
}

bool breakpoints_resolve(struct session *s)
{
    bool ok = true;
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        if (b->told.spec.kind == SESSION_AT_PLACE)
            ok = resolve(s, b) && ok;
        else if (b->told.spec.kind == SESSION_AT_ENTRY && b->told.pending)
            ok = arm_entry(s, b) && ok;
    }
    return ok;
}

bool breakpoints_arm(struct session *s)
{
    bool ok = true;
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        if (b->told.spec.kind != SESSION_AT_WATCH) /* addresses of the last program's */
            ok = arm_first(s, b) && ok;
    }
    return ok;
}

/* Watches of the last run's global memory are made again where their expressions have a meaning again. */
void breakpoints_watch_again(struct session *s)
{
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        enum ptx_space space;
        u64 address, size;
        if (b->told.spec.kind == SESSION_AT_WATCH && !b->told.nplaces && s->where.in_warp &&
            session_address(s, b->told.spec.place, &space, &address, &size) && space != SPACE_SHARED &&
            space != SPACE_LOCAL)
            arm_watch(s, b);
    }
}

void breakpoints_disarm(struct session *s)
{
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        b->told.nplaces = 0;
        b->told.pending = waits_for_program(b->told.spec.kind);
    }
}

static void disarm(struct session *s, struct breakpoint *b)
{
    for (u32 k = 0; k < b->told.nplaces; k++)
        if (connected(s))
            client_ask(s, "delete", json_pack("{s:I}", "stop", (json_int_t)b->places[k].stop));
    b->told.nplaces = 0;
    b->told.slow = false;
}

/* ---- what the front end asks for ---- */

static void drop(struct session *s, const struct breakpoint *b)
{
    u32 k = 0;
    while (k < s->breakpoints.len && s->breakpoints.at[k] != &b->told)
        k++;
    for (; k + 1 < s->breakpoints.len; k++)
        s->breakpoints.at[k] = s->breakpoints.at[k + 1];
    s->breakpoints.len--;
}

/* The condition is at least C. */
static bool parses(struct session *s, const char *condition)
{
    const struct session_module *m = session_module_here(s);
    struct debug_context c = {.info = m ? m->info : NULL, .mem = &s->stop_mem, .target = &s->target};
    if (!condition || !m)
        return true;
    return debug_parse(&c, condition) || session_fail(s, "%s", c.error);
}

bool session_break(struct session *s, const struct session_breakpoint_spec *spec, u32 *number)
{
    struct breakpoint *b;
    if (!parses(s, spec->condition))
        return false;
    if (spec->kind == SESSION_AT_WATCH && !s->stop_message)
        return session_fail(s, "An expression can be watched where its variables are: in a kernel.");
    b = arena_new(&s->mem, struct breakpoint);
    b->told.spec = *spec;
    b->told.enabled = true;
    b->told.number = ++s->last_number;
    if (spec->place)
        b->told.spec.place = arena_printf(&s->mem, "%s", spec->place);
    if (spec->condition)
        b->told.spec.condition = arena_printf(&s->mem, "%s", spec->condition);
    vec_push(&s->mem, &s->breakpoints, &b->told);
    *number = b->told.number;
    b->told.pending = waits_for_program(spec->kind);
    const bool ok = !connected(s) || arm_first(s, b);
    b->resolved_now = false;
    if (!ok) {
        disarm(s, b);
        drop(s, b);
        s->last_number--;
    }
    return ok;
}

bool session_delete(struct session *s, u32 number)
{
    struct breakpoint *b = find_or_fail(s, number);
    if (!b)
        return false;
    disarm(s, b);
    drop(s, b);
    return true;
}

bool session_enable(struct session *s, u32 number, bool on)
{
    struct breakpoint *b = find_or_fail(s, number);
    bool ok = b != NULL;
    if (b)
        b->told.enabled = on;
    for (u32 k = 0; b && k < b->told.nplaces; k++)
        ok = client_ask(s, "change", json_pack("{s:I, s:b}", "stop", (json_int_t)b->places[k].stop, "enabled", on)) &&
             ok;
    return ok;
}

bool session_ignore(struct session *s, u32 number, u32 hits)
{
    struct breakpoint *b = find_or_fail(s, number);
    if (b)
        b->told.spec.ignore = hits;
    return b != NULL;
}

bool session_condition(struct session *s, u32 number, const char *condition)
{
    struct breakpoint *b = find_or_fail(s, number);
    if (!b || !parses(s, condition))
        return false;
    b->told.spec.condition = condition ? arena_printf(&s->mem, "%s", condition) : NULL;
    disarm(s, b);
    return !connected(s) || arm_first(s, b);
}

const struct session_breakpoint *session_breakpoint(const struct session *s, u32 number)
{
    const struct breakpoint *b = find(s, number);
    return b ? &b->told : NULL;
}

u32 session_breakpoints(const struct session *s, const struct session_breakpoint *const **out)
{
    *out = s->breakpoints.at;
    return s->breakpoints.len;
}

/* ---- at a stop ---- */

/* Whether the condition holds in a lane that is about to run the instruction; the focus becomes the first of these. What
 * cannot be evaluated stops, as gdb has it. */
static bool holds(struct session *s, const struct breakpoint *b)
{
    const u32 mask = s->where.active ? s->where.active : s->where.mask;
    for (u32 m = mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        struct debug_context c;
        bool is;
        if (!session_context_of(s, lane, &c))
            return true;
        const struct debug_node *n = debug_parse(&c, b->told.spec.condition);
        if (!n || !debug_is_true(&c, n, &is)) {
            s->where.warning = c.error;
            return true;
        }
        if (is)
            return session_focus_warp(s, s->where.block, s->where.warp, lane);
    }
    return false;
}

/* The agent tells of the first of its stops at a place; the others there are looked at here. */
static bool stops_here(struct session *s, struct breakpoint *b, bool told)
{
    if (!b->told.enabled || (!told && !stands_at(b, s->where.at)))
        return false;
    if (b->told.spec.condition && (b->told.slow || !told) && s->where.in_warp && !holds(s, b))
        return false;
    b->told.hits++;
    if (!b->told.spec.ignore)
        return true;
    b->told.spec.ignore--;
    return false;
}

static bool is_line_of(const struct breakpoint *b, const struct ptx_func *func, const struct debug_line *line)
{
    for (u32 k = 0; line->file && k < b->told.nplaces; k++) {
        const struct session_breakpoint_place *p = &b->places[k];
        if (p->at.func == func && p->line.line == line->line && p->line.file && strcmp(p->line.file, line->file) == 0)
            return true;
    }
    return false;
}

/* Where a line begins with an inlined call, the first instruction that has code may be the callee's: the frame that is looked
 * at is then the caller's, which stands at the line. */
static void focus_call(struct session *s, const struct breakpoint *b)
{
    if (b->told.spec.kind != SESSION_AT_PLACE || !s->where.in_warp || !focus_frames(s))
        return;
    for (u32 k = 0; k < s->nframes && s->frames[k].at.func == s->where.at.func; k++) {
        if (is_line_of(b, s->where.at.func, &s->frames[k].line)) {
            s->focus.frame = k;
            return;
        }
        if (!s->frames[k].inlined)
            return;
    }
}

bool breakpoint_keeps_going(struct session *s)
{
    struct breakpoint *first = s->where.breakpoint ? find(s, s->where.breakpoint) : NULL, *hit = NULL;
    if (!first)
        return false;
    if (stops_here(s, first, true))
        hit = first;
    for (u32 k = 0; k < s->breakpoints.len && first->told.spec.kind == SESSION_AT_PLACE; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        const struct session_focus focus = s->focus;
        if (b == first || b->told.spec.kind != SESSION_AT_PLACE || !stops_here(s, b, false))
            continue;
        if (hit) { /* it counts, but the focus is the first one's */
            s->focus = focus;
            s->frames = NULL;
        } else {
            hit = b;
        }
    }
    if (!hit)
        return go_again(s);
    s->where.breakpoint = hit->told.number;
    focus_call(s, hit);
    if (hit->told.spec.temporary)
        session_delete(s, hit->told.number);
    return false;
}
