/* history_words.c - what has happened up to here: `info shared`, `info cost`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/debug/debug.h"

/* ---- shared memory ---- */

enum { SHORT = 12, ROWS_MOST = 64 };

static bool same_thread(const struct session_writer *a, const struct session_writer *b)
{
    return a->warp == b->warp && a->lane == b->lane;
}

/* Elements that one execution of an instruction wrote, or nobody. */
static u32 run_length(const struct session_shared *v, u32 first)
{
    const struct session_writer *w = &v->writers[first];
    u32 n = 1;
    while (first + n < v->n && v->writers[first + n].written == w->written &&
           (!w->written || v->writers[first + n].tick == w->tick))
        n++;
    return n;
}

static const char *thread_text(struct debug_cli *d, const struct session_writer *w)
{
    return arena_printf(session_memory(d->s), "(%u,%u,%u)", w->thread[0], w->thread[1], w->thread[2]);
}

static const char *who_text(struct debug_cli *d, const struct session_shared *v, u32 first, u32 n)
{
    const struct session_writer *w = &v->writers[first], *last = &v->writers[first + n - 1];
    struct arena *mem = session_memory(d->s);
    if (!w->written)
        return "nothing has written it";
    const char *threads = same_thread(w, last)
                              ? arena_printf(mem, "thread %s", thread_text(d, w))
                              : arena_printf(mem, "threads %s to %s", thread_text(d, w), thread_text(d, last));
    return arena_printf(mem, "%s of warp %u, %s (tick %llu)", threads, w->warp,
                        debug_place_text(d, w->function, &w->line), (unsigned long long)w->tick);
}

static void say_run(struct debug_cli *d, const struct session_shared *v, u32 first, u32 n)
{
    char range[40];
    const char *text;
    if (n == 1)
        snprintf(range, sizeof range, "[%u]", first);
    else
        snprintf(range, sizeof range, "[%u-%u]", first, first + n - 1);
    if (!session_shared_values(d->s, v, first, n, &text))
        return;
    if (strlen(text) <= SHORT)
        debug_say(d, "%-11s %-*s %s", range, SHORT, text, who_text(d, v, first, n));
    else
        debug_say(d, "%-11s %s\n%*s %s", range, text, 12 + SHORT, "", who_text(d, v, first, n));
}

static json_t *element_object(struct debug_cli *d, const struct session_shared *v, u32 k)
{
    const struct session_writer *w = &v->writers[k];
    const char *text = NULL;
    session_shared_values(d->s, v, k, 1, &text);
    json_t *o = json_pack("{s:i, s:s*}", "index", (int)k, "value", text);
    if (w->written)
        json_object_set_new(o, "write",
                            json_pack("{s:I, s:i, s:i, s:[i,i,i], s:s}", "tick", (json_int_t)w->tick, "warp",
                                      (int)w->warp, "lane", (int)w->lane, "thread", (int)w->thread[0],
                                      (int)w->thread[1], (int)w->thread[2], "place",
                                      debug_place_text(d, w->function, &w->line)));
    return o;
}

static void tell_elements(struct debug_cli *d, const struct session_shared *v, u32 first, u32 last)
{
    json_t *all = json_array();
    for (u32 k = first; k < last; k++)
        json_array_append_new(all, element_object(d, v, k));
    debug_tell(
        d, json_pack("{s:{s:s, s:I, s:o}}", "shared", "name", v->name, "size", (json_int_t)v->size, "elements", all),
        "%s", "");
}

static void say_elements(struct debug_cli *d, const struct session_shared *v, u32 first, u32 last)
{
    const u32 *id = session_focus(d->s)->id;
    u32 rows = 0, n;
    debug_say(d, "%s: %u elements, %llu bytes of block (%u,%u,%u)", v->name, v->n, (unsigned long long)v->size, id[0],
              id[1], id[2]);
    for (u32 k = first; k < last; k += n) {
        if (rows++ == ROWS_MOST) {
            debug_say(d, "and %u more: info shared %s FIRST,LAST", last - k, v->name);
            return;
        }
        n = run_length(v, k);
        n = n < last - k ? n : last - k;
        say_run(d, v, k, n);
    }
}

/* words: NAME [FIRST[,LAST]] */
static void say_shared(struct debug_cli *d, const char *words)
{
    struct session_shared v;
    char *end;
    const size_t n = strcspn(words, " ");
    const char *range = words + n + strspn(words + n, " ");
    if (!session_shared(d->s, arena_printf(session_memory(d->s), "%.*s", (int)n, words), &v)) {
        debug_failed(d);
        return;
    }
    u32 first = (u32)strtoul(range, &end, 10), last = *end == ',' ? (u32)strtoul(end + 1, NULL, 10) : first;
    last = *range && last + 1 < v.n ? last + 1 : v.n;
    if (first >= v.n)
        debug_wrong(d, "%s has elements 0 to %u.", v.name, v.n - 1);
    else if (d->json)
        tell_elements(d, &v, first, last);
    else
        say_elements(d, &v, first, last);
}

void word_info_shared(struct debug_cli *d, const char *rest)
{
    const char *const *names;
    if (*rest) {
        say_shared(d, rest);
        return;
    }
    if (!session_where(d->s)) {
        debug_wrong(d, "No kernel is being run.");
        return;
    }
    const u32 n = session_shared_variables(d->s, &names);
    if (!n)
        debug_say(d, "The kernel has no shared memory.");
    for (u32 k = 0; k < n; k++)
        say_shared(d, names[k]);
}

/* ---- costs ---- */

static void say_cost(struct debug_cli *d, const struct session_cost *c)
{
    char text[200] = "";
    struct debug_line line = {.file = c->file, .line = c->line};
    if (!c->file || !debug_source_line(d, &line, text, sizeof text))
        snprintf(text, sizeof text, "%s", c->file ? "" : "(no line is known)");
    debug_tell(d,
               json_pack("{s:{s:s*, s:i, s:I, s:I, s:I, s:I, s:I}}", "cost", "file", c->file, "line", (int)c->line,
                         "instructions", (json_int_t)c->instructions, "threads", (json_int_t)c->threads, "sectors",
                         (json_int_t)c->sectors, "wavefronts", (json_int_t)c->wavefronts, "cycles",
                         (json_int_t)c->cycles),
               "%6u %12llu %10llu %10llu %12llu  %s", c->line, (unsigned long long)c->instructions,
               (unsigned long long)c->sectors, (unsigned long long)c->wavefronts, (unsigned long long)c->cycles, text);
}

void word_info_cost(struct debug_cli *d, const char *rest)
{
    const struct session_cost *all;
    const u32 line = (u32)strtoul(rest, NULL, 10);
    u32 n;
    if (!session_costs(d->s, &all, &n)) {
        debug_failed(d);
        return;
    }
    if (!d->json)
        debug_say(d, "%6s %12s %10s %10s %12s\n%6s %12s %10s %10s %12s", "line", "instructions", "sectors",
                  "wavefronts", "warp cycles", "", "counted", "counted", "counted", "modelled");
    for (u32 k = 0; k < n; k++)
        if (!line || all[k].line == line)
            say_cost(d, &all[k]);
}
