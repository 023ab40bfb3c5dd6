/* break_words.c - breakpoints and watches. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/debug/debug.h"

static json_t *breakpoint_object(struct debug_cli *d, const struct session_breakpoint *b, const char *where);

static void say_made(struct debug_cli *d, u32 number)
{
    const struct session_breakpoint *b = session_breakpoint(d->s, number);
    if (d->json) {
        debug_tell(d, breakpoint_object(d, b, b->spec.place ? b->spec.place : ""), "%s", "");
        return;
    }
    const char *kind = b->spec.temporary ? "Temporary breakpoint" : "Breakpoint";
    const struct session_breakpoint_place *p = b->nplaces ? &b->places[0] : NULL;
    if (b->spec.kind == SESSION_AT_WATCH)
        debug_say(d, "Watchpoint %u: %s", number, b->spec.place);
    else if (b->spec.kind != SESSION_AT_PLACE)
        debug_say(d, "Catchpoint %u", number);
    else if (!p)
        debug_say(d, "%s %u (%s) pending.", kind, number, b->spec.place);
    else if (b->nplaces > 1)
        debug_say(d, "%s %u at %s, and %u more places", kind, number, debug_place_text(d, p->function, &p->line),
                  b->nplaces - 1);
    else
        debug_say(d, "%s %u: %s", kind, number, debug_place_text(d, p->function, &p->line));
}

/* PLACE [if CONDITION]; PLACE is where the focus is if there is none. */
static void make(struct debug_cli *d, const char *rest, bool temporary)
{
    char place[512];
    struct session_breakpoint_spec spec = {.temporary = temporary};
    u32 number;
    const char *condition = strncmp(rest, "if ", 3) == 0 ? rest : strstr(rest, " if ");
    snprintf(place, sizeof place, "%.*s", condition ? (int)(condition - rest) : (int)strlen(rest), rest);
    if (condition)
        condition = strstr(condition, "if ") + 3;
    const struct session_stop *w = session_where(d->s);
    if (!place[0] && w && w->at.func)
        snprintf(place, sizeof place, "*%s+%u", w->at.func->name, w->at.inst);
    if (!place[0]) {
        debug_wrong(d, "Where? FILE:LINE, LINE, FUNCTION or *FUNCTION+INSTRUCTION.");
        return;
    }
    spec.place = place;
    spec.condition = condition;
    if (session_break(d->s, &spec, &number))
        say_made(d, number);
    else
        debug_failed(d);
}

void word_break(struct debug_cli *d, const char *rest)
{
    if (strncmp(rest, "finding", 7) == 0 && (rest[7] == ' ' || !rest[7]))
        debug_catch_finding(d, rest + 7 + strspn(rest + 7, " "));
    else if (strncmp(rest, "api", 3) == 0 && (rest[3] == ' ' || !rest[3]))
        debug_catch_call(d, rest + 3 + strspn(rest + 3, " "));
    else if (strcmp(rest, "launch") == 0)
        debug_catch_host_launch(d);
    else
        make(d, rest, false);
}
void word_tbreak(struct debug_cli *d, const char *rest) { make(d, rest, true); }

static void make_of(struct debug_cli *d, const struct session_breakpoint_spec *spec)
{
    u32 number;
    if (session_break(d->s, spec, &number))
        say_made(d, number);
    else
        debug_failed(d);
}

void word_watch(struct debug_cli *d, const char *rest)
{
    if (!*rest)
        debug_wrong(d, "Which expression?");
    else
        make_of(d, &(struct session_breakpoint_spec){.kind = SESSION_AT_WATCH, .place = rest});
}

static void catch_launch(struct debug_cli *d, const char *rest)
{
    make_of(d, &(struct session_breakpoint_spec){.kind = SESSION_AT_ENTRY, .place = *rest ? rest : NULL});
}

static void catch_divergence(struct debug_cli *d, const char *rest)
{
    (void)rest;
    make_of(d, &(struct session_breakpoint_spec){.kind = SESSION_AT_DIVERGENCE});
}

static void catch_banks(struct debug_cli *d, const char *rest)
{
    const char *number = strpbrk(rest, "0123456789");
    make_of(d, &(struct session_breakpoint_spec){.kind = SESSION_AT_BANKS,
                                                 .more = number ? (u32)strtoul(number, NULL, 10) : 1});
}

static void catch_end(struct debug_cli *d, const char *rest)
{
    (void)rest;
    if (session_stop_at_end(d->s, true))
        debug_say(d, "Launches stop where they end.");
    else
        debug_failed(d);
}

static void catch_fault(struct debug_cli *d, const char *rest)
{
    (void)rest;
    debug_say(d, "A fault always stops.");
}

static const struct debug_row catch_rows[] = {
    {"launch", catch_launch, "[KERNEL]", "where a grid begins"},
    {"divergence", catch_divergence, "", "where lanes part"},
    {"bank-conflict", catch_banks, "[> N]", "an access of shared memory with more passes than that"},
    {"fault", catch_fault, "", "a fault"},
    {"finding", debug_catch_finding, "[TOOL...]", "what a tool of lockstep check finds"},
    {"api", debug_catch_call, "[CALL]", "a call of CUDA's API by the host: cudaMemcpy, cudaLaunch*"},
    {"end", catch_end, "", "where a launch ends"},
};

void word_catch(struct debug_cli *d, const char *rest)
{
    const struct debug_row *row = debug_find(d, catch_rows, LS_ARRAY_LEN(catch_rows), "catch ", &rest);
    if (row)
        row->take(d, rest);
}

/* ---- those that there are ---- */

static void set_enabled(struct debug_cli *d, u32 number, int what)
{
    const bool ok = what < 0 ? session_delete(d->s, number) : session_enable(d->s, number, what > 0);
    if (!ok)
        debug_failed(d);
}

/* what: -1 delete, 0 off, 1 on */
static void for_each(struct debug_cli *d, const char *rest, int what)
{
    const struct session_breakpoint *const *all;
    if (!*rest) {
        u32 n = session_breakpoints(d->s, &all);
        while (n-- > 0) {
            session_breakpoints(d->s, &all);
            set_enabled(d, all[n]->number, what);
        }
        return;
    }
    while (*rest) {
        char *end;
        const unsigned long number = strtoul(rest, &end, 10);
        if (end == rest) {
            debug_wrong(d, "Breakpoints are named by their numbers: \"%s\" is none.", rest);
            return;
        }
        set_enabled(d, (u32)number, what);
        rest = end + strspn(end, " ,");
    }
}

void word_delete(struct debug_cli *d, const char *rest) { for_each(d, rest, -1); }
void word_disable(struct debug_cli *d, const char *rest) { for_each(d, rest, 0); }
void word_enable(struct debug_cli *d, const char *rest) { for_each(d, rest, 1); }

void word_ignore(struct debug_cli *d, const char *rest)
{
    char *end;
    const u32 number = (u32)strtoul(rest, &end, 10), hits = (u32)strtoul(end, NULL, 10);
    if (session_ignore(d->s, number, hits))
        debug_say(d, "Will ignore next %u crossings of breakpoint %u.", hits, number);
    else
        debug_failed(d);
}

void word_condition(struct debug_cli *d, const char *rest)
{
    char *end;
    const u32 number = (u32)strtoul(rest, &end, 10);
    end += strspn(end, " ");
    if (!session_condition(d->s, number, *end ? end : NULL))
        debug_failed(d);
    else if (!*end)
        debug_say(d, "Breakpoint %u now unconditional.", number);
}

static const char *what_of(const struct session_breakpoint *b)
{
    static const char *const kinds[] = {"breakpoint",    "launch",  "watchpoint", "divergence",
                                        "bank conflict", "finding", "call"};
    return kinds[b->spec.kind];
}

static json_t *breakpoint_object(struct debug_cli *d, const struct session_breakpoint *b, const char *where)
{
    json_t *places = json_array();
    for (u32 k = 0; k < b->nplaces && b->spec.kind == SESSION_AT_PLACE; k++)
        json_array_append_new(places, json_string(debug_place_text(d, b->places[k].function, &b->places[k].line)));
    return json_pack("{s:{s:i, s:s, s:s, s:b, s:b, s:b, s:s*, s:b, s:I, s:o}}", "breakpoint", "number", (int)b->number,
                     "kind", what_of(b), "what", where, "enabled", b->enabled, "pending", b->pending, "temporary",
                     b->spec.temporary, "condition", b->spec.condition, "slow", b->slow, "hits", (json_int_t)b->hits,
                     "places", places);
}

void word_info_breakpoints(struct debug_cli *d, const char *rest)
{
    const struct session_breakpoint *const *all;
    const u32 n = session_breakpoints(d->s, &all);
    (void)rest;
    if (!n)
        debug_say(d, "No breakpoints or watchpoints.");
    else if (!d->json)
        debug_say(d, "%-4s %-14s %-4s %-4s %s", "Num", "Type", "Disp", "Enb", "What");
    for (u32 k = 0; k < n; k++) {
        const struct session_breakpoint *b = all[k];
        const char *where = b->nplaces && b->spec.kind == SESSION_AT_PLACE
                                ? debug_place_text(d, b->places[0].function, &b->places[0].line)
                            : b->spec.place ? b->spec.place
                                            : "";
        if (d->json) {
            debug_tell(d, breakpoint_object(d, b, where), "%s", "");
            continue;
        }
        debug_say(d, "%-4u %-14s %-4s %-4s %s%s", b->number, what_of(b), b->spec.temporary ? "del" : "keep",
                  b->enabled ? "y" : "n", where, b->pending ? " (pending)" : "");
        if (b->spec.condition)
            debug_say(d, "\tstop only if %s%s", b->spec.condition, b->slow ? " (evaluated at each hit)" : "");
        if (b->hits)
            debug_say(d, "\tbreakpoint already hit %llu time%s", (unsigned long long)b->hits, b->hits == 1 ? "" : "s");
    }
}
