/* requests.c - what the debugger may ask for: one table, and those that change how the launch goes on. The ones that ask
 * for its state are in inspect.c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debug/agent/internal.h"

/* ---- answering ---- */

void say_ok(const json_t *request, json_t *more)
{
    json_t *out = more ? more : json_object();
    json_t *id = json_object_get(request, "id");
    json_object_set(out, "id", id ? id : json_null());
    json_object_set_new(out, "ok", json_true());
    wire_send(agent.wire, out);
}

void say_error(const json_t *request, const char *fmt, ...)
{
    char text[300];
    va_list args;
    json_t *id = json_object_get(request, "id");
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    wire_send(agent.wire, json_pack("{s:O, s:b, s:o}", "id", id ? id : json_null(), "ok", 0, "error",
                                    word_text(text, strlen(text))));
}

static enum answer refuse(const json_t *request, const char *why)
{
    say_error(request, "%s", why);
    return ANSWER_STAY;
}

static enum answer done(const json_t *request)
{
    say_ok(request, NULL);
    return ANSWER_STAY;
}

/* ---- stops ---- */

static enum answer add_stop(json_t *q)
{
    char why[200];
    struct stop *s = stop_make(q, why), **at = &agent.stops;
    if (!s)
        return refuse(q, why);
    if (s->kind == STOP_AT_CALL)
        agent.has_call_stops = true;
    s->id = ++agent.next_stop;
    while (*at)
        at = &(*at)->next;
    *at = s;
    say_ok(q, json_pack("{s:I}", "stop", (json_int_t)s->id));
    stops_place();
    return ANSWER_STAY;
}

static struct stop *find_stop(const json_t *q)
{
    struct stop *s = agent.stops;
    u64 id = 0;
    word_u64(json_object_get(q, "stop"), &id);
    while (s && s->id != id)
        s = s->next;
    return s;
}

static enum answer delete_stop(json_t *q)
{
    struct stop *s = find_stop(q);
    if (!s)
        return refuse(q, "there is no stop of that number");
    stop_delete(s);
    return done(q);
}

static enum answer change_stop(json_t *q)
{
    struct stop *s = find_stop(q);
    if (!s)
        return refuse(q, "there is no stop of that number");
    if (!word_member(q, "ignore", s->ignore, UINT64_MAX, &s->ignore))
        return refuse(q, "ignore is a number");
    s->enabled = word_flag(q, "enabled", s->enabled);
    stops_place();
    return done(q);
}

static enum answer list_stops(json_t *q)
{
    json_t *all = json_array();
    for (const struct stop *s = agent.stops; s; s = s->next)
        json_array_append_new(all, stop_told(s));
    say_ok(q, json_pack("{s:o}", "stops", all));
    return ANSWER_STAY;
}

/* ---- going on ---- */

static enum answer go(const json_t *q)
{
    say_ok(q, NULL);
    return ANSWER_GO;
}

static enum answer go_on(json_t *q)
{
    u64 until;
    if (!word_member(q, "until", UINT64_MAX, UINT64_MAX, &until))
        return refuse(q, "until is a tick");
    if (agent.run)
        agent.run->until = until;
    return go(q);
}

static enum answer step(json_t *q)
{
    char why[200];
    struct step s;
    if (!step_made(&s, q, why))
        return refuse(q, why);
    agent.run->step = s;
    return go(q);
}

static enum answer travel(json_t *q, struct travel t)
{
    const char *why = travel_begin(t);
    if (why) {
        if (t.watched)
            stop_free(t.watched);
        history_free(t.history);
        return refuse(q, why);
    }
    if (!t.asked)
        say_ok(q, NULL);
    stops_place();
    return ANSWER_BACK;
}

static enum answer go_to(json_t *q)
{
    u64 tick, lanes;
    const u64 now = position();
    if (!word_u64(json_object_get(q, "tick"), &tick) || !word_member(q, "lanes", 0, UINT32_MAX, &lanes))
        return refuse(q, "goto needs a tick");
    if (word_flag(q, "straight", false))
        return travel(q, (struct travel){.target = tick, .reason = "tick", .lanes = (u32)lanes});
    if (tick > now || (tick == now && !agent.run->at_end)) {
        agent.run->until = tick;
        return tick == now ? refuse(q, "the launch is there") : go(q);
    }
    return travel(q, (struct travel){.target = tick, .reason = "tick"});
}

static enum answer reverse_continue(json_t *q)
{
    return travel(q, (struct travel){.target = position(), .record = RECORD_STOPS});
}

static enum answer reverse_step(json_t *q)
{
    char why[200];
    struct travel t = {.target = position(), .record = RECORD_STEP};
    if (!step_made(&t.of, q, why))
        return refuse(q, why);
    if (t.of.how == STEP_BY_RANGES) {
        step_end(&t.of);
        return refuse(q, "backwards goes by instruction, line or out");
    }
    t.record = t.of.how == STEP_OUT ? RECORD_OUT : RECORD_STEP;
    return travel(q, t);
}

static enum answer last_write(json_t *q)
{
    char why[200];
    json_t *as_watch = json_deep_copy(q);
    json_object_set_new(as_watch, "kind", json_string("watch"));
    json_object_del(as_watch, "condition");
    struct travel t = {.target = position(), .record = RECORD_WRITE, .asked = q, .go = word_flag(q, "go", false)};
    t.watched = stop_make(as_watch, why);
    json_decref(as_watch);
    return t.watched ? travel(q, t) : refuse(q, why);
}

static enum answer history(json_t *q, struct history *h, const char *why)
{
    return h ? travel(q, (struct travel){.target = position(), .record = RECORD_HISTORY, .asked = q, .history = h})
             : refuse(q, why);
}

static enum answer costs(json_t *q)
{
    char why[200];
    struct history *h = history_costs(q, why);
    return history(q, h, why);
}

static enum answer writers(json_t *q)
{
    char why[200];
    struct history *h = history_writers(q, why);
    return history(q, h, why);
}

static enum answer interrupt(json_t *q)
{
    agent.interrupted = true;
    say_ok(q, json_pack("{s:b}", "pending", agent.run == NULL));
    if (agent.run)
        control_alarm();
    return ANSWER_STAY;
}

static enum answer detach(json_t *q)
{
    say_ok(q, NULL);
    let_loose();
    return ANSWER_GO;
}

static bool set_record(const json_t *value)
{
    static const char *const words[] = {[KEEP_ALL] = "all", [KEEP_STOPS] = "stops", [KEEP_NONE] = "none"};
    for (unsigned k = 0; value && k < LS_ARRAY_LEN(words); k++)
        if (strcmp(json_string_value(value) ? json_string_value(value) : "", words[k]) == 0) {
            agent.keep = (enum keep)k;
            return true;
        }
    return !value;
}

static enum answer set(json_t *q)
{
    agent.stop_on_module = word_flag(q, "stop_on_module", agent.stop_on_module);
    agent.stop_at_end = word_flag(q, "stop_at_end", agent.stop_at_end);
    return set_record(json_object_get(q, "record")) ? done(q) : refuse(q, "record is all, stops or none");
}

static enum answer status(json_t *q)
{
    say_ok(q, json_pack("{s:b, s:b, s:I}", "stopped", agent.stopped, "in_launch", agent.run != NULL, "tick",
                        (json_int_t)(agent.run ? position() : 0)));
    return ANSWER_STAY;
}

/* ---- the table ---- */

enum when { ANY_TIME, STOPPED, IN_LAUNCH /* and stopped */ };

static const struct {
    const char *name;
    enum when when;
    enum answer (*fn)(json_t *q);
    inspect_fn *inspect;
} table[] = {
    {"break", ANY_TIME, add_stop, NULL},
    {"delete", ANY_TIME, delete_stop, NULL},
    {"change", ANY_TIME, change_stop, NULL},
    {"stops", ANY_TIME, list_stops, NULL},
    {"set", ANY_TIME, set, NULL},
    {"status", ANY_TIME, status, NULL},
    {"interrupt", ANY_TIME, interrupt, NULL},
    {"detach", ANY_TIME, detach, NULL},
    {"check", STOPPED, NULL, inspect_check},
    {"findings", IN_LAUNCH, NULL, inspect_findings},
    {"modules", ANY_TIME, NULL, inspect_modules},
    {"text", ANY_TIME, NULL, inspect_text},
    {"functions", ANY_TIME, NULL, inspect_functions},
    {"instruction", ANY_TIME, NULL, inspect_instruction},
    {"allocations", ANY_TIME, NULL, inspect_allocations},
    {"continue", STOPPED, go_on, NULL},
    {"step", IN_LAUNCH, step, NULL},
    {"goto", IN_LAUNCH, go_to, NULL},
    {"reverse_continue", IN_LAUNCH, reverse_continue, NULL},
    {"reverse_step", IN_LAUNCH, reverse_step, NULL},
    {"last_write", IN_LAUNCH, last_write, NULL},
    {"costs", IN_LAUNCH, costs, NULL},
    {"writers", IN_LAUNCH, writers, NULL},
    {"shared", IN_LAUNCH, NULL, inspect_shared},
    {"returned", IN_LAUNCH, NULL, inspect_returned},
    {"where", IN_LAUNCH, NULL, inspect_where},
    {"launch", IN_LAUNCH, NULL, inspect_launch},
    {"blocks", IN_LAUNCH, NULL, inspect_blocks},
    {"warps", IN_LAUNCH, NULL, inspect_warps},
    {"frames", IN_LAUNCH, NULL, inspect_frames},
    {"registers", IN_LAUNCH, NULL, inspect_registers},
    {"set_register", IN_LAUNCH, NULL, inspect_set_register},
    {"variable", IN_LAUNCH, NULL, inspect_variable},
    {"generic", IN_LAUNCH, NULL, inspect_generic},
    {"specials", IN_LAUNCH, NULL, inspect_specials},
    {"evaluate", IN_LAUNCH, NULL, inspect_evaluate},
    {"read", STOPPED, NULL, inspect_read},
    {"write", STOPPED, NULL, inspect_write},
};

static enum answer inspect(json_t *q, inspect_fn *fn)
{
    char why[200] = "it cannot be told";
    json_t *out = json_object();
    if (fn(q, out, why)) {
        say_ok(q, out);
        return ANSWER_STAY;
    }
    json_decref(out);
    return refuse(q, why);
}

enum answer answer(json_t *q)
{
    const char *name = json_string_value(json_object_get(q, "cmd"));
    unsigned k = 0;
    while (name && k < LS_ARRAY_LEN(table) && strcmp(table[k].name, name) != 0)
        k++;
    if (!name || k == LS_ARRAY_LEN(table))
        return refuse(q, "cmd is none that there is");
    if (table[k].when != ANY_TIME && !agent.stopped)
        return refuse(q, "the program runs: interrupt it first");
    if (table[k].when == IN_LAUNCH && !agent.run)
        return refuse(q, "no launch is under way");
    return table[k].fn ? table[k].fn(q) : inspect(q, table[k].inspect);
}
