/* html_timeline.c - when copies and kernels ran: of each process the rows (a stream, or a thread of the host with its calls), and in
 * them [start in ns, duration, name, detail]. */
#include <math.h>
#include <string.h>

#include "report/html/html_parts.h"
#include "report/timeline/timeline.h"

enum { ITEMS_MOST = 40000 };

struct row {
    u64 context, stream;
    u32 device, thread;
    bool host;
    json_t *items;
};

struct lanes {
    struct arena *mem;
    VEC(struct row) rows;
    VEC(const char *) names;
    json_t *texts; /* the names, by number */
    u32 last, items;
    bool cut;
};

static int name_number(struct lanes *x, const char *name)
{
    for (u32 i = x->names.len; i--;)
        if (!strcmp(x->names.at[i], name))
            return (int)i;
    vec_push(x->mem, &x->names, arena_strndup(x->mem, name, strlen(name)));
    json_array_append_new(x->texts, html_string(x->mem, name));
    return (int)x->names.len - 1;
}

static struct row *row_of(struct lanes *x, const struct timeline_item *i)
{
    const bool host = i->kind == TIMELINE_CALL;
    for (u32 k = 0; k < x->rows.len; k++) {
        struct row *r = &x->rows.at[k];
        if (r->host == host && (host ? r->thread == i->thread
                                     : r->context == i->context && r->stream == i->stream && r->device == i->device))
            return r;
    }
    vec_push(x->mem, &x->rows,
             ((struct row){.context = i->context,
                           .stream = i->stream,
                           .device = i->device,
                           .thread = i->thread,
                           .host = host,
                           .items = json_array()}));
    return &x->rows.at[x->rows.len - 1];
}

static const char *name_of(const struct timeline_item *i, char *out, size_t size)
{
    if (i->kind == TIMELINE_CALL)
        return i->name;
    if (i->kind == TIMELINE_SET)
        return "memset";
    if (i->kind == TIMELINE_KERNEL)
        return i->report ? kernel_name(i->report->kernel, KERNEL_DEMANGLED, out, size) : "kernel";
    snprintf(out, size, "memcpy %s", timeline_direction(i));
    return out;
}

/* Bytes of a copy; a kernel's number among the kernels of the page. */
static json_t *detail_of(const struct html_page *p, const struct timeline_item *i)
{
    if (i->kind == TIMELINE_COPY || i->kind == TIMELINE_SET)
        return json_integer((json_int_t)i->bytes);
    return json_integer(i->kind == TIMELINE_KERNEL ? html_kernel_of(p, i->report) : -1);
}

static json_t *title_of(const struct timeline *t, const struct row *r)
{
    if (r->host)
        return json_sprintf("host thread %u", r->thread);
    if (t->devices > 1)
        return json_sprintf("device %u, stream %llu", r->device, (unsigned long long)r->stream);
    return json_sprintf("stream %llu", (unsigned long long)r->stream);
}

static void add_item(const struct html_page *p, struct lanes *x, const struct timeline_item *i)
{
    static _Thread_local char name[16384];
    const bool call = i->kind == TIMELINE_CALL && !i->depth;
    if (!call && !timeline_on_device(i))
        return;
    if (x->items++ >= ITEMS_MOST) {
        x->cut = true;
        return;
    }
    const char *kind = i->kind == TIMELINE_KERNEL ? "k" : i->kind == TIMELINE_CALL ? "h" : "c";
    json_array_append_new(row_of(x, i)->items,
                          json_pack("[o, o, i, s, o]", html_number(round(i->start * 1e9)),
                                    html_number(round(i->seconds * 1e9)), name_number(x, name_of(i, name, sizeof name)),
                                    kind, detail_of(p, i)));
}

static json_t *timeline(const struct html_page *p, const struct timeline *t)
{
    struct lanes x = {.mem = p->mem, .texts = json_array()};
    json_t *rows = json_array();
    for (u32 i = 0; i < t->items.len; i++)
        add_item(p, &x, &t->items.at[i]);
    for (u32 i = 0; i < x.rows.len; i++)
        json_array_append_new(rows, json_pack("{s:o, s:b, s:o}", "title", title_of(t, &x.rows.at[i]), "host",
                                              x.rows.at[i].host, "items", x.rows.at[i].items));
    return json_pack("{s:i, s:b, s:o, s:o}", "process", (int)t->process, "cut", x.cut, "names", x.texts, "rows", rows);
}

json_t *html_timelines(const struct html_page *p)
{
    json_t *all = json_array();
    for (u32 i = 0; i < p->r->ntimelines; i++)
        json_array_append_new(all, timeline(p, &p->r->timelines[i]));
    return all;
}
