/* timeline_read.c - a process's lines (attach/timeline.c) to items, each kernel with its record. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline/timeline.h"

static const struct {
    const char *name;
    enum timeline_kind kind;
} kinds[] = {{"copy", TIMELINE_COPY}, {"set", TIMELINE_SET},    {"kernel", TIMELINE_KERNEL},
             {"host", TIMELINE_HOST}, {"wait", TIMELINE_WAIT},  {"record", TIMELINE_RECORD},
             {"sync", TIMELINE_SYNC}, {"graph", TIMELINE_GRAPH}};

static const struct {
    const char *key, *name;
} places[] = {
    [PLACE_UNKNOWN] = {"", "-"},
    [PLACE_PAGEABLE] = {"pageable", "Pageable"},
    [PLACE_PINNED] = {"pinned", "Pinned"},
    [PLACE_DEVICE] = {"device", "Device"},
    [PLACE_MANAGED] = {"managed", "Managed"},
    [PLACE_ARRAY] = {"array", "Array"},
};

const char *timeline_place_name(enum timeline_place p) { return places[p].name; }

static bool on_host(enum timeline_place p) { return p == PLACE_PAGEABLE || p == PLACE_PINNED; }

const char *timeline_direction(const struct timeline_item *i)
{
    static const char *const names[2][2] = {{"DtoD", "DtoH"}, {"HtoD", "HtoH"}};
    return names[on_host(i->from)][on_host(i->to)];
}

bool timeline_on_device(const struct timeline_item *i)
{
    return i->kind == TIMELINE_COPY || i->kind == TIMELINE_SET || i->kind == TIMELINE_KERNEL;
}

/* ---- one line ---- */

static u64 number(const json_t *j, const char *key) { return (u64)json_integer_value(json_object_get(j, key)); }

static bool truth(const json_t *j, const char *key) { return json_is_true(json_object_get(j, key)); }

static enum timeline_place place(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    for (u32 i = 1; text && i < LS_ARRAY_LEN(places); i++)
        if (strcmp(text, places[i].key) == 0)
            return (enum timeline_place)i;
    return PLACE_UNKNOWN;
}

/* False: the line says none of the things that this version knows. */
static bool kind_of(const json_t *j, struct timeline_item *i, struct arena *mem)
{
    const char *call = json_string_value(json_object_get(j, "call"));
    const char *op = json_string_value(json_object_get(j, "op"));
    if (call) {
        i->kind = TIMELINE_CALL;
        i->name = arena_strndup(mem, call, strlen(call));
        return true;
    }
    if (json_object_get(j, "return")) {
        i->kind = TIMELINE_RETURN;
        return true;
    }
    for (u32 k = 0; op && k < LS_ARRAY_LEN(kinds); k++)
        if (strcmp(op, kinds[k].name) == 0) {
            i->kind = kinds[k].kind;
            return true;
        }
    return false;
}

static bool item_of(const json_t *j, struct timeline_item *i, struct arena *mem)
{
    *i = (struct timeline_item){
        .thread = (u32)number(j, "thread"),
        .context = number(j, "context"),
        .stream = number(j, "stream"),
        .device = (u32)number(j, "device") % TIMELINE_DEVICES,
        .blocking = truth(j, "blocking"),
        .waits = truth(j, "waits"),
        .bytes = number(j, "bytes"),
        .launch = number(j, "launch"),
        .event = number(j, "event"),
        .graph = number(j, "graph") + number(j, "in"), /* a line has one of them */
        .from = place(j, "from"),
        .to = place(j, "to"),
    };
    return kind_of(j, i, mem);
}

/* ---- kernels ---- */

/* Records are nearly in the order of the launches, so the search begins behind the one that was found last. */
static const struct meter_report *report_of(struct timeline *t, const struct session *s, u64 launch)
{
    for (u32 i = 0; i < s->n; i++) {
        const u32 at = (t->last_report + 1 + i) % s->n;
        if (s->reports[at]->process == t->process && s->reports[at]->id == launch) {
            t->last_report = at;
            return s->reports[at];
        }
    }
    return NULL;
}

/* One item with all that its kernels launched: its record's time is that of all. */
static void add_kernel(struct timeline *t, const struct session *s, struct timeline_item i)
{
    i.report = report_of(t, s, i.launch);
    vec_push(&t->mem, &t->items, i);
}

/* ---- the file ---- */

static enum ls_status complain(struct diag_list *diags, enum ls_status status, const char *path, const char *text)
{
    diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "%s", text);
    return status;
}

typedef VEC(struct timeline_item) item_list;

static void take_line(item_list *lines, const char *text, size_t len, struct arena *mem)
{
    struct timeline_item i;
    json_t *j = json_loadb(text, len, 0, NULL);
    if (j && item_of(j, &i, mem)) /* the last line may be cut short */
        vec_push(mem, lines, i);
    json_decref(j);
}

static void add(struct timeline *t, const struct session *s, struct timeline_item i)
{
    if (i.device >= t->devices)
        t->devices = i.device + 1;
    if (i.kind == TIMELINE_KERNEL)
        add_kernel(t, s, i);
    else
        vec_push(&t->mem, &t->items, i);
}

/* What the launch did, as if it had been put into the stream one by one; only the first is a call of the host. */
static void add_graph(struct timeline *t, const struct session *s, const item_list *lines,
                      const struct timeline_item *launch)
{
    for (u32 k = 0; k < lines->len; k++) {
        struct timeline_item i = lines->at[k];
        if (i.kind == TIMELINE_GRAPH || i.graph != launch->graph)
            continue;
        i.thread = launch->thread;
        i.context = launch->context;
        i.stream = launch->stream;
        i.device = launch->device;
        i.blocking = launch->blocking;
        add(t, s, i);
    }
}

/* Lines of a graph's run stand where it ran; they belong where it was launched. */
static void arrange(struct timeline *t, const struct session *s, const item_list *lines)
{
    for (u32 k = 0; k < lines->len; k++)
        if (lines->at[k].kind == TIMELINE_GRAPH)
            add_graph(t, s, lines, &lines->at[k]);
        else if (!lines->at[k].graph)
            add(t, s, lines->at[k]);
}

enum ls_status timeline_read(const char *path, const struct session *s, u32 process, const struct gpu *gpu,
                             struct timeline *out, struct diag_list *diags)
{
    *out = (struct timeline){.mem = ARENA("timeline"), .process = process};
    char *text = NULL;
    size_t room = 0;
    ssize_t len;
    FILE *f = fopen(path, "r");
    if (!f)
        return complain(diags, LS_ERR_IO, path, strerror(errno));
    if (setjmp(out->mem.oom)) {
        free(text);
        fclose(f);
        return complain(diags, LS_ERR_NOMEM, path, "no memory for the timeline");
    }
    item_list lines = {0};
    while ((len = getline(&text, &room, f)) > 0)
        take_line(&lines, text, (size_t)len, &out->mem);
    arrange(out, s, &lines);
    if (!timeline_schedule(out, gpu)) {
        free(text);
        fclose(f);
        return complain(diags, LS_ERR_UNSUPPORTED, gpu->id, "the GPU's file does not say how fast its link is");
    }
    free(text);
    fclose(f);
    return LS_OK;
}

void timeline_free(struct timeline *t) { arena_free(&t->mem); }
