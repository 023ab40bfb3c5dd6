/* values.c - expressions, registers and memory of the focus, and who wrote what. */
#include <string.h>

#include "debug/session/internal.h"

/* ---- contexts ---- */

static bool context_in(struct session *s, const struct session_frame *f, u32 lane, struct debug_context *c)
{
    const struct session_module *m = module_of(s, f->at.func);
    if (!m)
        return session_fail(s, "No symbols are known here.");
    *c = (struct debug_context){.info = m->info,
                                .target = &s->target,
                                .thread = {.lane = lane, .frame = f->call},
                                .at = f->at,
                                .frame = f->inside,
                                .convenience = convenience_value,
                                .convenience_self = s,
                                .mem = &s->stop_mem};
    return true;
}

/* Without a thread: numbers, and what is in memory for all. */
static bool context_nowhere(struct session *s, struct debug_context *c)
{
    const struct session_module *m = session_module_here(s);
    *c = (struct debug_context){.info = m ? m->info : NULL,
                                .target = &s->target,
                                .convenience = convenience_value,
                                .convenience_self = s,
                                .mem = &s->stop_mem};
    return m || session_fail(s, "No module is loaded yet.");
}

bool session_context(struct session *s, struct debug_context *c)
{
    if (!s->stop_message || !s->where.in_warp)
        return context_nowhere(s, c);
    return focus_frames(s) && s->focus.frame < s->nframes &&
           context_in(s, &s->frames[s->focus.frame], s->focus.lane, c);
}

/* The frame that is as deep in the lane's own calls. */
bool session_context_of(struct session *s, u32 lane, struct debug_context *c)
{
    const struct session_frame *frames;
    u32 n;
    if (!focus_frames(s))
        return false;
    if (s->focus.frame < s->nframes && s->frames[s->focus.frame].lanes >> lane & 1)
        return context_in(s, &s->frames[s->focus.frame], lane, c);
    if (!session_frames_of(s, s->focus.block, s->focus.warp, lane, &frames, &n) || !n)
        return false;
    const u32 level = s->nframes - s->focus.frame; /* from the outermost */
    const struct session_frame *f = &frames[level <= n ? n - level : 0];
    if (f->at.func != s->frames[s->focus.frame].at.func)
        return session_fail(s, "The lane is in another function.");
    return context_in(s, f, lane, c);
}

/* ---- printing ---- */

static bool print_in(struct session *s, struct debug_context *c, const char *expression, const struct debug_format *f,
                     const char **text)
{
    struct debug_value v;
    if (!debug_evaluate_text(c, expression, &v))
        return session_fail(s, "%s", c->error);
    *text = debug_value_text(c, v, f);
    return true;
}

bool session_print_value(struct session *s, const char *expression, const struct debug_format *f, const char **text)
{
    struct debug_context c;
    return session_context(s, &c) && print_in(s, &c, expression, f, text);
}

bool session_print_and_keep(struct session *s, const char *expression, const struct debug_format *f, const char **text,
                            u32 *number)
{
    struct debug_context c;
    struct debug_value v;
    if (!session_context(s, &c))
        return false;
    if (!debug_evaluate_text(&c, expression, &v))
        return session_fail(s, "%s", c.error);
    *text = debug_value_text(&c, v, f);
    *number = convenience_keep(s, &c, v);
    return true;
}

bool session_assign(struct session *s, const char *expression)
{
    struct debug_context c;
    struct debug_value v;
    if (!session_context(s, &c))
        return false;
    c.may_write = true;
    const bool ok = debug_evaluate_text(&c, expression, &v);
    json_object_clear(s->cache); /* memory has changed; what s->kept has stays */
    s->frames = NULL;
    return ok || session_fail(s, "%s", c.error);
}

bool session_print_lanes(struct session *s, const char *expression, u32 lanes, const struct debug_format *f,
                         const char *text[32])
{
    for (u32 k = 0; k < 32; k++)
        text[k] = NULL;
    if (!focus_frames(s))
        return false;
    for (u32 m = lanes; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        struct debug_context c;
        if (session_context_of(s, lane, &c) && !print_in(s, &c, expression, f, &text[lane]))
            text[lane] = arena_printf(&s->stop_mem, "<%s>", s->error);
    }
    return true;
}

/* ---- what a function has returned ---- */

bool session_returned(struct session *s, const char **text, u32 *number)
{
    struct debug_context c;
    const struct debug_format f = {.top_type = true};
    if (!session_context(s, &c) || !s->where.in_warp)
        return false;
    json_t *q = json_pack("{s:I, s:I, s:I}", "block", (json_int_t)s->focus.block, "warp", (json_int_t)s->focus.warp,
                          "lane", (json_int_t)s->focus.lane);
    const json_t *a = client_ask_cached(s, "returned", q);
    const char *hex = member_text(a, "data");
    const struct session_module *m;
    const struct ptx_func *func = a ? module_function(s, member_text(a, "function"), &m) : NULL;
    const struct debug_type *t = func ? debug_function_result(m->info, func) : NULL;
    u8 *bytes = t ? arena_alloc(&s->stop_mem, t->size + 1) : NULL;
    if (!t || strlen(hex) / 2 < t->size || !text_bytes(hex, bytes, t->size))
        return false;
    const struct debug_value v = debug_value_bytes(&c, t, bytes);
    *text = debug_value_text(&c, v, &f);
    *number = convenience_keep(s, &c, v);
    return true;
}

/* ---- registers, memory ---- */

bool session_registers(struct session *s, const struct session_register **out, u32 *n)
{
    if (!focus_frames(s) || s->focus.frame >= s->nframes)
        return false;
    json_t *q =
        json_pack("{s:I, s:I, s:I, s:I}", "block", (json_int_t)s->focus.block, "warp", (json_int_t)s->focus.warp,
                  "lane", (json_int_t)s->focus.lane, "frame", (json_int_t)s->frames[s->focus.frame].call);
    const json_t *list = json_object_get(client_ask_cached(s, "registers", q), "registers");
    struct session_register *all = arena_array(&s->stop_mem, struct session_register, json_array_size(list) + 1);
    *out = all;
    *n = (u32)json_array_size(list);
    for (u32 k = 0; k < *n; k++) {
        const json_t *r = json_array_get(list, k), *lanes = json_object_get(r, "lanes");
        all[k].name = member_text(r, "name");
        all[k].type = member_text(r, "type");
        all[k].bits = (u32)member_u64(r, "bits", 0);
        for (u32 i = 0; i < 32; i++)
            all[k].lanes[i] = json_string_value(json_array_get(lanes, i));
    }
    return list != NULL;
}

/* Variables in pieces are memory if they are one piece of it. */
static bool value_memory(struct session *s, struct debug_context *c, const struct debug_value *v, enum ptx_space *space,
                         u64 *address)
{
    if (v->where == DEBUG_IN_MEMORY) {
        *space = (enum ptx_space)v->space;
        *address = v->address;
        return true;
    }
    if (v->where != DEBUG_IN_PIECES || v->location.n != 1 || v->location.pieces[0].kind != DEBUG_MEMORY)
        return false;
    const struct debug_piece *p = &v->location.pieces[0];
    u64 base = 0;
    if (p->reg && s->target.read_register(s, &c->thread, p->reg, &base) != LS_OK)
        return false;
    if (p->var && s->target.address_of(s, &c->thread, p->var, &base) != LS_OK)
        return false;
    *space = (enum ptx_space)p->space;
    *address = base + (u64)p->offset + v->at;
    return true;
}

static bool expression_memory(struct session *s, const char *expression, struct debug_context *c, struct debug_value *v,
                              enum ptx_space *space, u64 *address)
{
    if (!session_context(s, c))
        return false;
    if (!debug_evaluate_text(c, expression, v))
        return session_fail(s, "%s", c->error);
    if (!v->type || !value_memory(s, c, v, space, address))
        return session_fail(s, "%s is not in memory.", expression);
    return true;
}

bool session_address(struct session *s, const char *expression, enum ptx_space *space, u64 *address, u64 *size)
{
    struct debug_context c;
    struct debug_value v;
    if (!expression_memory(s, expression, &c, &v, space, address))
        return false;
    *size = debug_type_strip(v.type)->size;
    s->address_type = v.type;
    return true;
}

bool session_read_memory(struct session *s, enum ptx_space space, u64 address, u64 size, u8 *to, u64 *got)
{
    const struct debug_thread t = {.lane = s->focus.lane};
    const bool ok = s->target.read_memory(s, &t, space, address, to, size) == LS_OK;
    *got = ok ? size : 0;
    return ok || session_fail(s, "Cannot access memory at address 0x%llx", (unsigned long long)address);
}

/* ---- who wrote it ---- */

const char *bytes_text(struct debug_context *c, const struct debug_type *t, const char *hex)
{
    u8 bytes[64] = {0};
    const struct debug_format f = {0};
    if (t->size > sizeof bytes || strlen(hex) / 2 < t->size || !text_bytes(hex, bytes, t->size))
        return hex;
    return debug_value_text(c, debug_value_bytes(c, t, bytes), &f);
}

static void read_write(struct session *s, struct debug_context *c, const struct debug_type *t, const json_t *stop,
                       struct session_write *out)
{
    const json_t *w = json_object_get(stop, "write");
    *out = (struct session_write){.tick = member_u64(w, "tick", 0),
                                  .block = member_u64(w, "block", 0),
                                  .warp = (u32)member_u64(w, "warp", 0),
                                  .lanes = (u32)member_u64(w, "lanes", 0),
                                  .lanes_known = json_is_true(json_object_get(w, "lanes_known")),
                                  .before = bytes_text(c, t, member_text(w, "old")),
                                  .after = bytes_text(c, t, member_text(w, "new"))};
    out->at = place_of(s, w);
    out->function = function_name(s, out->at.func);
    out->line = line_of(s, out->at);
}

static bool last_write(struct session *s, const char *expression, bool to, bool *found, struct session_write *out)
{
    struct debug_context c;
    struct debug_value v;
    enum ptx_space space = SPACE_NONE;
    u64 address = 0;
    if (!s->stop_message)
        return session_fail(s, "No kernel is being run.");
    if (!expression_memory(s, expression, &c, &v, &space, &address))
        return false;
    json_t *q =
        json_pack("{s:I, s:I, s:s, s:s, s:b}", "address", (json_int_t)address, "size",
                  (json_int_t)debug_type_strip(v.type)->size, "space", space_word(space), "when", "write", "go", to);
    if (space == SPACE_SHARED || space == SPACE_LOCAL)
        json_object_set_new(q, "of_block", json_integer((json_int_t)s->focus.block));
    if (space == SPACE_LOCAL)
        json_object_set_new(q, "of_thread", json_integer(s->focus.warp * 32 + s->focus.lane));
    const json_t *a = client_ask(s, "last_write", q);
    *found = json_is_true(json_object_get(a, "found"));
    if (*found)
        read_write(s, &c, v.type, json_object_get(a, "write"), out);
    if (*found && to)
        s->state = SESSION_RUNNING; /* a stop follows; what was given out lives until then */
    return a != NULL;
}

/* Goes to that tick without the front end's seeing it. */
static bool go_quietly(struct session *s, u64 tick)
{
    json_t *message = NULL, *others = json_array();
    const bool gone = client_ask(s, "goto", json_pack("{s:I, s:b}", "tick", (json_int_t)tick, "straight", 1)) != NULL;
    while (gone && (message = client_event(s, -1)) && strcmp(member_text(message, "event"), "stop") != 0)
        json_array_append_new(others, message);
    json_array_extend(s->events, others);
    json_decref(others);
    if (!gone || !message)
        return false;
    where_set(s, message);
    json_decref(message);
    return true;
}

/* A launch that has ended has no frames: what an expression names there is what it named in front of the last
 * instruction. */
bool session_last_write(struct session *s, const char *expression, bool to, bool *found, struct session_write *out)
{
    const bool ended = s->stop_message && strcmp(s->where.reason, "end") == 0 && s->where.tick;
    const u64 end = s->where.tick;
    if (!ended)
        return last_write(s, expression, to, found, out);
    if (!go_quietly(s, end - 1))
        return session_fail(s, "The launch cannot be gone back in.");
    const bool ok = last_write(s, expression, to, found, out);
    if (ok && *found && to)
        return true;
    char error[sizeof s->error];
    memcpy(error, s->error, sizeof error);
    struct session_write kept = *out;
    if (ok && *found) { /* what is of this stop goes with it */
        kept.before = arena_printf(&s->mem, "%s", out->before);
        kept.after = arena_printf(&s->mem, "%s", out->after);
    }
    if (!go_quietly(s, end))
        return false;
    *out = kept;
    memcpy(s->error, error, sizeof error);
    return ok;
}
