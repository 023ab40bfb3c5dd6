/* steps.c - how the launch goes on: continuing and steps, forwards and backwards.
 *
 * A step by lines runs while the instructions belong to the line where it began. It ends at the first instruction of a
 * statement; in the middle of one (behind a call, or where a loop jumps back) it goes on with that line, as gdb does.
 * With inlined functions, an instruction belongs to the line of each function that is inlined there: `next` looks at
 * the one in which it began. */
#include <string.h>

#include "debug/session/internal.h"

bool go(struct session *s, const char *cmd, json_t *words)
{
    json_t *kept = words ? json_deep_copy(words) : NULL;
    if (!client_ask(s, cmd, words)) {
        json_decref(kept);
        return false;
    }
    json_decref(s->last_words);
    s->last_cmd = cmd;
    s->last_words = kept;
    forget_stop(s);
    s->state = SESSION_RUNNING;
    return true;
}

bool go_again(struct session *s)
{
    json_t *words = s->last_words ? json_deep_copy(s->last_words) : NULL;
    return go(s, s->last_cmd ? s->last_cmd : "continue", words);
}

static bool stopped(struct session *s)
{
    return s->stop_message ||
           session_fail(s, s->state == SESSION_NONE ? "The program is not being run." : "No kernel is being run.");
}

bool session_continue(struct session *s, bool backwards)
{
    if (s->state == SESSION_NONE)
        return session_fail(s, "The program is not being run.");
    if (s->state == SESSION_RUNNING)
        return true;
    s->stepping.on = false;
    return (!backwards || stopped(s)) && go(s, backwards ? "reverse_continue" : "continue", NULL);
}

bool session_goto(struct session *s, u64 tick)
{
    s->stepping.on = false;
    return stopped(s) && go(s, "goto", json_pack("{s:I}", "tick", (json_int_t)tick));
}

/* ---- ranges ---- */

struct line_range {
    const struct session_module *m;
    const struct ptx_func *func;
    struct debug_frame frame; /* the line, in the function that is so deep */
    u32 level;                /* frames of it and outside it */
    bool deeper;              /* functions that are inlined in it belong to it */
    bool up_to;               /* all lines up to that */
    bool whole;               /* the whole function */
};

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool belongs(const struct line_range *r, u32 inst)
{
    struct debug_frame f[DEBUG_FRAMES];
    const u32 n = debug_frames(r->m->info, (struct debug_place){r->func, inst}, f);
    if (!n || n < r->level)
        return false;
    const struct debug_frame *at = &f[n - r->level];
    if (!at->line.line)
        return true;
    if (!r->deeper && n != r->level)
        return false;
    if (!same_text(at->function, r->frame.function))
        return false;
    if (r->whole)
        return true;
    if (!same_text(at->line.file, r->frame.line.file))
        return false;
    return r->up_to ? at->line.line <= r->frame.line.line : at->line.line == r->frame.line.line;
}

static json_t *ranges_of(const struct line_range *r)
{
    json_t *all = json_array();
    for (u32 k = 0; k < r->func->ninsts; k++) {
        const u32 first = k;
        while (k < r->func->ninsts && belongs(r, k))
            k++;
        if (k > first)
            json_array_append_new(all, json_pack("[s, I, I]", r->func->name, (json_int_t)first, (json_int_t)k));
    }
    return all;
}

/* Whose step it is: the focus's lane, with those that go with it. */
static json_t *whose(const struct session *s)
{
    return json_pack("{s:I, s:I, s:I}", "block", (json_int_t)s->focus.block, "warp", (json_int_t)s->focus.warp, "lanes",
                     (json_int_t)((json_int_t)1 << s->focus.lane));
}

static bool step_ranges(struct session *s, json_t *ranges, bool over)
{
    json_t *q = whose(s);
    json_object_set_new(q, "by", json_string("ranges"));
    json_object_set_new(q, "ranges", ranges);
    json_object_set_new(q, "over", json_boolean(over));
    return go(s, "step", q);
}

/* The line of the focus's innermost frame; over calls, of the chosen one, if what is inside it is inlined. False: there is none. */
static bool range_here(struct session *s, struct line_range *r, bool over)
{
    struct debug_frame f[DEBUG_FRAMES];
    if (!focus_frames(s) || !s->nframes)
        return false;
    const struct debug_place at = s->frames[0].at;
    *r = (struct line_range){.m = module_of(s, at.func), .func = at.func};
    const u32 n = r->m ? debug_frames(r->m->info, at, f) : 0;
    const bool chosen = over && s->focus.frame < s->nframes && !s->frames[s->focus.frame].call;
    const u32 inside = chosen && s->focus.frame < n ? s->focus.frame : 0;
    r->level = n - inside;
    r->frame = f[inside];
    return n && r->frame.line.line;
}

static bool step_line(struct session *s, bool over, bool up_to)
{
    struct line_range r;
    if (!range_here(s, &r, over))
        return session_fail(s, "No line is known here; stepi steps by instructions.");
    r.deeper = over;
    r.up_to = up_to;
    const struct session_frame *f = s->frames;
    const u32 depth = s->nframes ? f[s->nframes - 1].call : 0;
    if (!s->stepping.on) {
        s->stepping.on = true;
        s->stepping.over = over;
        s->stepping.rounds = 0;
    }
    s->stepping.func = r.func;
    s->stepping.depth = depth;
    return step_ranges(s, ranges_of(&r), over);
}

/* ---- lines backwards ---- */

/* The line that an instruction belongs to, as steps have it: that of the innermost function, or (over calls) of the one that is
 * as deep as r's. 0: it has none. */
static u32 line_id(const struct line_range *r, u32 inst, bool over)
{
    struct debug_frame f[DEBUG_FRAMES];
    const u32 n = debug_frames(r->m->info, (struct debug_place){r->func, inst}, f);
    const struct debug_frame *at = over && n > r->level ? &f[n - r->level] : &f[0];
    if (!n || !at->line.line)
        return 0;
    u64 h = 0xcbf29ce484222325u + (over ? 0 : n);
    for (const char *p = at->function; p && *p; p++)
        h = (h ^ (u8)*p) * 0x100000001b3u;
    for (const char *p = at->line.file; p && *p; p++)
        h = (h ^ (u8)*p) * 0x100000001b3u;
    return (u32)((h ^ at->line.line) * 0x100000001b3u >> 32) | 1;
}

/* NULL: lines are .loc's. */
static json_t *lines_of(const struct line_range *r, bool over)
{
    json_t *all = json_array();
    for (u32 first = 0, k = 0; first < r->func->ninsts; first = k) {
        const u32 id = line_id(r, first, over);
        while (k < r->func->ninsts && line_id(r, k, over) == id)
            k++;
        json_array_append_new(
            all, json_pack("[s, I, I, I]", r->func->name, (json_int_t)first, (json_int_t)k, (json_int_t)id));
    }
    if (json_array_size(all) <= 4096)
        return all;
    json_decref(all);
    return NULL;
}

static bool step_back(struct session *s, bool over)
{
    struct line_range r;
    json_t *q = whose(s), *lines = range_here(s, &r, false) ? lines_of(&r, over) : NULL;
    json_object_set_new(q, "by", json_string("line"));
    json_object_set_new(q, "over", json_boolean(over));
    if (lines)
        json_object_set_new(q, "lines", lines);
    s->stepping.on = false;
    return go(s, "reverse_step", q);
}

static bool step_simply(struct session *s, const char *by, bool over, bool backwards)
{
    json_t *q = whose(s);
    json_object_set_new(q, "by", json_string(by));
    json_object_set_new(q, "over", json_boolean(over));
    s->stepping.on = false;
    return go(s, backwards ? "reverse_step" : "step", q);
}

/* The chosen frame is an inlined function's: out of all that it has in the innermost call, and what is called from there.
 * False: it is none. */
static bool range_of_inlined(struct session *s, struct line_range *r)
{
    const struct session_frame *f = &s->frames[s->focus.frame];
    struct debug_frame in[DEBUG_FRAMES];
    if (!f->inlined || f->call)
        return false;
    *r = (struct line_range){.m = module_of(s, f->at.func), .func = f->at.func, .deeper = true, .whole = true};
    const u32 n = r->m ? debug_frames(r->m->info, f->at, in) : 0;
    if (f->inside >= n)
        return false;
    r->level = n - f->inside;
    r->frame = in[f->inside];
    return true;
}

/* Out of so many calls, the chosen frame's with all that it has called. */
static bool finish(struct session *s, bool backwards)
{
    struct line_range r;
    const struct session_frame *f = &s->frames[s->focus.frame];
    if (!backwards && range_of_inlined(s, &r)) {
        s->stepping.on = false;
        return step_ranges(s, ranges_of(&r), true);
    }
    if (f->inlined && f->call)
        return session_fail(s, "That function is inlined in a caller: finish the frame inside it first.");
    if (f->call >= s->frames[s->nframes - 1].call)
        return session_fail(s, "\"finish\" not meaningful in the outermost frame.");
    json_t *q = whose(s);
    json_object_set_new(q, "by", json_string("out"));
    json_object_set_new(q, "calls", json_integer(f->call + 1));
    s->stepping.on = false;
    return go(s, backwards ? "reverse_step" : "step", q);
}

bool session_step(struct session *s, enum session_step how, bool backwards)
{
    if (s->stop_message && !s->where.in_warp && backwards && s->where.tick)
        return session_goto(s, s->where.tick - 1); /* from the end of the launch */
    if (!stopped(s) || !focus_frames(s))
        return false;
    s->stepping.on = false;
    switch (how) {
    case SESSION_STEP:
    case SESSION_NEXT:
        return backwards ? step_back(s, how == SESSION_NEXT) : step_line(s, how == SESSION_NEXT, false);
    case SESSION_STEP_INSTRUCTION:
    case SESSION_NEXT_INSTRUCTION:
        return step_simply(s, "instruction", how == SESSION_NEXT_INSTRUCTION, backwards);
    case SESSION_FINISH:
        return finish(s, backwards);
    }
    return false;
}

bool session_until(struct session *s, const char *place)
{
    u32 number;
    if (!stopped(s) || !focus_frames(s))
        return false;
    s->stepping.on = false;
    if (!place)
        return step_line(s, true, true);
    return session_break(s, &(struct session_breakpoint_spec){.place = place, .temporary = true}, &number) &&
           session_continue(s, false);
}

/* ---- at the end of a step ---- */

enum { ROUNDS = 1000 }; /* of one step: a bug of ours, or of the symbols, does not hang */

/* Into a function: behind its parameters; through one without lines. */
static bool enter(struct session *s, const struct session_module *m, struct debug_place at, bool *on)
{
    const struct debug_place start = debug_function_start(m->info, at.func);
    const struct debug_line first = debug_line_at(m->info, start);
    *on = true;
    if (!first.line) {
        json_t *q = whose(s);
        json_object_set_new(q, "by", json_string("out"));
        return go(s, "step", q);
    }
    if (at.inst < start.inst)
        return step_ranges(s, json_pack("[[s, i, I]]", at.func->name, 0, (json_int_t)start.inst), true);
    *on = false;
    return true;
}

bool steps_go_on(struct session *s)
{
    const struct debug_place at = s->where.at;
    const struct session_module *m = module_of(s, at.func);
    const char *reason = s->where.reason;
    bool on;
    if (!s->stepping.on || (strcmp(reason, "step") != 0 && strcmp(reason, "finish") != 0) || !m ||
        ++s->stepping.rounds > ROUNDS)
        return false;
    if (!focus_frames(s) || !s->nframes)
        return false;
    const u32 depth = s->frames[s->nframes - 1].call;
    if (depth > s->stepping.depth) {
        if (!enter(s, m, at, &on) || on)
            return on;
    }
    const struct debug_line line = debug_line_at(m->info, at);
    return line.line && !line.statement && step_line(s, s->stepping.over, false);
}
