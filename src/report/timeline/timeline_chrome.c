/* timeline_chrome.c - timelines in the Trace Event Format, which chrome://tracing and ui.perfetto.dev open: a process each,
 * in it a row a thread of the host (its calls) and a row a stream (copies, fills, kernels). Times in microseconds, modelled. */
#include <jansson.h>

#include "base/kernel_name.h"
#include "report/timeline/timeline.h"

enum { STREAM_ROWS = 1000 }; /* rows of streams have numbers above those of threads */

static json_t *args_of(const struct timeline_item *i)
{
    const struct meter_report *r = i->report;
    if (i->kind == TIMELINE_COPY)
        return json_pack("{s:I, s:s, s:s, s:f}", "bytes", (json_int_t)i->bytes, "from", timeline_place_name(i->from),
                         "to", timeline_place_name(i->to), "GB/s",
                         i->seconds > 0 ? (double)i->bytes / i->seconds / 1e9 : 0.0);
    if (i->kind == TIMELINE_SET)
        return json_pack("{s:I}", "bytes", (json_int_t)i->bytes);
    if (r)
        return json_pack("{s:I, s:[i,i,i], s:[i,i,i], s:i, s:i, s:i}", "launch", (json_int_t)i->launch, "grid",
                         (int)r->grid[0], (int)r->grid[1], (int)r->grid[2], "block", (int)r->block[0], (int)r->block[1],
                         (int)r->block[2], "registers", (int)r->registers, "static shared", (int)r->static_shared,
                         "dynamic shared", (int)r->dynamic_shared);
    return json_object();
}

static json_t *name_of(const struct timeline_item *i)
{
    char name[512];
    if (i->kind == TIMELINE_CALL)
        return json_string(i->name);
    if (i->kind == TIMELINE_KERNEL)
        return json_string(i->report ? kernel_name(i->report->kernel, KERNEL_DEMANGLED, name, sizeof name) : "kernel");
    if (i->kind == TIMELINE_SET)
        return json_string("memset");
    return json_sprintf("memcpy %s", timeline_direction(i));
}

static u32 row_of(const struct timeline_item *i)
{
    return i->kind == TIMELINE_CALL ? i->thread : STREAM_ROWS * (u32)i->context + (u32)i->stream;
}

static json_t *event(const struct timeline_item *i, u32 process)
{
    return json_pack("{s:o, s:s, s:s, s:f, s:f, s:i, s:i, s:o}", "name", name_of(i), "cat",
                     i->kind == TIMELINE_CALL     ? "api"
                     : i->kind == TIMELINE_KERNEL ? "kernel"
                                                  : "memory",
                     "ph", "X", "ts", i->start * 1e6, "dur", i->seconds * 1e6, "pid", (int)process, "tid",
                     (int)row_of(i), "args", args_of(i));
}

static json_t *label(const char *what, u32 process, u32 row, json_t *name)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "name", what, "ph", "M", "pid", (int)process, "tid", (int)row,
                     "args", "name", name);
}

static json_t *row_name(const struct timeline *t, const struct timeline_item *i)
{
    if (i->kind == TIMELINE_CALL)
        return json_sprintf("thread %u: API calls", i->thread);
    if (t->devices > 1)
        return json_sprintf("device %u, context %llu, stream %llu", i->device, (unsigned long long)i->context,
                            (unsigned long long)i->stream);
    return json_sprintf("context %llu, stream %llu", (unsigned long long)i->context, (unsigned long long)i->stream);
}

static bool is_shown(const struct timeline_item *i) { return i->kind == TIMELINE_CALL || timeline_on_device(i); }

/* What is shown, and in front of a row's first event the row's name. */
static void add_events(json_t *events, const struct timeline *t)
{
    json_t *named = json_object();
    for (u32 i = 0; i < t->items.len; i++) {
        const struct timeline_item *x = &t->items.at[i];
        char row[16];
        if (!is_shown(x))
            continue;
        snprintf(row, sizeof row, "%u", row_of(x));
        if (!json_object_get(named, row)) {
            json_object_set_new(named, row, json_true());
            json_array_append_new(events, label("thread_name", t->process + 1, row_of(x), row_name(t, x)));
        }
        json_array_append_new(events, event(x, t->process + 1));
    }
    json_decref(named);
}

bool timeline_chrome(FILE *out, const struct timeline *all, u32 n, const struct session *s, const struct gpu *gpu)
{
    json_t *events = json_array();
    for (u32 p = 0; p < n; p++) {
        const struct timeline *t = &all[p];
        const char *path = t->process < s->nprocesses ? s->processes[t->process].path : "";
        json_array_append_new(events,
                              label("process_name", t->process + 1, 0, json_sprintf("%s on %s", path, gpu->name)));
        add_events(events, t);
    }
    json_t *root = json_pack("{s:s, s:{s:s}, s:o}", "displayTimeUnit", "ns", "otherData", "times",
                             "modelled by Lockstep, not measured", "traceEvents", events);
    const bool ok = root && json_dumpf(root, out, JSON_INDENT(0) | JSON_COMPACT) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return ok;
}
