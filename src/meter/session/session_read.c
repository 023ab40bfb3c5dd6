/* session_read.c - a line of JSON as a report, given what the lines before it said. Reads the form that session_write.c
 * writes, and the older one in which each record named its metrics ("metrics": {name: {value, unit, kind}}), events and
 * instructions. Whatever a record lacks is NaN, 0 or NULL; what this version does not know is left out. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/rules.h"
#include "meter/session/session_record.h"

static const char *text_of(struct arena *mem, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strndup(mem, s, strlen(s)) : NULL;
}

static const char *text_at(struct arena *mem, const json_t *a, size_t i)
{
    const char *s = json_string_value(json_array_get(a, i));
    return s ? arena_strndup(mem, s, strlen(s)) : NULL;
}

static u64 u64_of_value(const json_t *v)
{
    const json_int_t n = json_integer_value(v);
    return n < 0 ? 0 : (u64)n;
}

static u32 u32_of_value(const json_t *v)
{
    const u64 n = u64_of_value(v);
    return n > UINT32_MAX ? 0 : (u32)n;
}

static u64 u64_of(const json_t *o, const char *key) { return u64_of_value(json_object_get(o, key)); }
static u32 u32_of(const json_t *o, const char *key) { return u32_of_value(json_object_get(o, key)); }

static bool triple_of(const json_t *o, const char *key, u32 to[3])
{
    const json_t *a = json_object_get(o, key);
    for (size_t k = 0; k < 3; k++) {
        to[k] = u32_of_value(json_array_get(a, k));
        if (!to[k])
            return false;
    }
    return json_array_size(a) == 3;
}

/* ---- metrics and events ---- */

static enum metric_kind kind_of(const char *name)
{
    for (int k = METRIC_COUNTED; name && k <= METRIC_MEASURED; k++)
        if (!strcmp(name, metric_kind_name((enum metric_kind)k)))
            return (enum metric_kind)k;
    return METRIC_ESTIMATED;
}

static void read_named_metrics(const json_t *all, struct meter_report *r)
{
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        const json_t *m = json_object_get(all, metric_info(i)->name), *v = json_object_get(m, "value");
        r->metrics[i].value = json_is_number(v) ? json_number_value(v) : NAN;
        r->metrics[i].kind = m ? kind_of(json_string_value(json_object_get(m, "kind"))) : metric_info(i)->kind;
    }
}

static void read_metrics(const struct session_reader *rd, const json_t *values, const char *kinds,
                         struct meter_report *r)
{
    static const char letters[] = "cmet";
    for (size_t i = 0; i < json_array_size(values) && i < rd->metrics.len; i++) {
        const json_t *v = json_array_get(values, i);
        const i32 id = rd->metrics.at[i];
        if (id < 0)
            continue;
        r->metrics[id].value = json_is_number(v) ? json_number_value(v) : NAN;
        const char *kind = kinds && i < strlen(kinds) ? strchr(letters, kinds[i]) : NULL;
        r->metrics[id].kind = kind ? (enum metric_kind)(kind - letters) : METRIC_ESTIMATED;
    }
}

static i32 event_find(const char *name)
{
    for (u32 e = 0; name && e < EVENT_COUNT; e++)
        if (!strcmp(name, event_name(e)))
            return (i32)e;
    return -1;
}

static void read_pairs(const struct session_reader *rd, const json_t *a, size_t from, u64 n[EVENT_COUNT])
{
    for (size_t i = from; i + 1 < json_array_size(a); i += 2) {
        const u64 e = u64_of_value(json_array_get(a, i));
        if (e < rd->events.len && rd->events.at[e] >= 0)
            n[rd->events.at[e]] = u64_of_value(json_array_get(a, i + 1));
    }
}

static void read_events(const struct session_reader *rd, const json_t *all, u64 n[EVENT_COUNT])
{
    if (json_is_array(all)) {
        read_pairs(rd, all, 0, n);
        return;
    }
    for (u32 e = 0; e < EVENT_COUNT; e++)
        n[e] = u64_of(all, event_name(e));
}

/* ---- tables ---- */

static void forget(struct session_reader *rd)
{
    for (u32 i = 0; i < rd->rows.len; i++)
        meter_rows_release(rd->rows.at[i]);
    rd->rows.len = rd->sites.len = rd->codes.len = rd->metrics.len = rd->events.len = 0;
}

/* The names begin a process's records: what an earlier program of the same process said is over. */
static void read_names(struct session_reader *rd, const json_t *root)
{
    const json_t *metrics = json_object_get(root, "metric_names"), *events = json_object_get(root, "event_names");
    if (!metrics)
        return;
    forget(rd);
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *name = json_string_value(json_array_get(metrics, i));
        vec_push(&rd->mem, &rd->metrics, name ? metric_find(name) : -1);
    }
    for (size_t i = 0; i < json_array_size(events); i++)
        vec_push(&rd->mem, &rd->events, event_find(json_string_value(json_array_get(events, i))));
}

static void read_process(struct session_reader *rd, const json_t *root)
{
    const json_t *p = json_object_get(root, "process");
    rd->new_process = p != NULL;
    if (!p)
        return;
    const char *path = text_of(&rd->mem, p, "path");
    rd->process = (struct session_process){u64_of(p, "pid"), path ? path : "", text_of(&rd->mem, p, "gpu")};
}

static void read_sites(struct session_reader *rd, const json_t *all)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *a = json_array_get(all, i);
        const char *function = text_at(&rd->mem, a, 0);
        const struct session_site s = {.function = function ? function : "?",
                                       .file = text_at(&rd->mem, a, 1),
                                       .line = u32_of_value(json_array_get(a, 2)),
                                       .ptx_line = u32_of_value(json_array_get(a, 3)),
                                       .ptx = text_at(&rd->mem, a, 4)};
        vec_push(&rd->mem, &rd->sites, s);
    }
}

/* ---- machine code ---- */

static struct meter_machine read_machine_row(struct session_reader *rd, const json_t *a, const char *file)
{
    const char *own = text_at(&rd->mem, a, 2), *pipe = text_at(&rd->mem, a, 3), *text = text_at(&rd->mem, a, 4);
    const u32 line = u32_of_value(json_array_get(a, 1));
    return (struct meter_machine){.ptx_line = u32_of_value(json_array_get(a, 0)),
                                  .line = line,
                                  .file = line ? (own ? own : file) : NULL,
                                  .pipe = pipe ? pipe : "?",
                                  .text = text ? text : "?"};
}

static void read_codes(struct session_reader *rd, const json_t *all)
{
    for (size_t c = 0; c < json_array_size(all); c++) {
        const json_t *o = json_array_get(all, c), *insts = json_object_get(o, "insts");
        const size_t n = json_array_size(insts);
        struct meter_machine *rows = arena_array(&rd->mem, struct meter_machine, n + 1);
        const char *file = NULL;
        for (size_t i = 0; i < n; i++) {
            rows[i] = read_machine_row(rd, json_array_get(insts, i), file);
            file = rows[i].file ? rows[i].file : file;
        }
        vec_push(&rd->mem, &rd->codes,
                 ((struct session_code){.rows = rows, .n = (u32)n, .by = text_of(&rd->mem, o, "by")}));
    }
}

static const char *copy_text(struct arena *mem, const char *s) { return s ? arena_strndup(mem, s, strlen(s)) : NULL; }

static void read_spent(const struct session_reader *rd, const json_t *a, struct meter_rows *rows)
{
    const u64 at = u64_of_value(json_array_get(a, 0));
    if (at >= rows->nmachine)
        return;
    rows->machine[at].issued = u64_of_value(json_array_get(a, 1));
    for (size_t i = 2; i + 1 < json_array_size(a); i += 2) {
        const u64 e = u64_of_value(json_array_get(a, i));
        const i32 reason = e < rd->events.len ? rd->events.at[e] - EVENT_stall_SELECTED : -1;
        if (reason >= 0 && reason < STALL_COUNT)
            rows->machine[at].stalls[reason] = u64_of_value(json_array_get(a, i + 1));
    }
}

static void fill_machine(const struct session_reader *rd, struct meter_rows *rows, const json_t *o)
{
    const u64 number = u64_of(o, "code");
    const json_t *insts = json_object_get(o, "insts");
    if (!o || number >= rd->codes.len)
        return;
    const struct session_code *code = &rd->codes.at[number];
    rows->machine = arena_array(&rows->mem, struct meter_machine, code->n + 1);
    rows->nmachine = code->n;
    rows->machine_by = copy_text(&rows->mem, code->by);
    for (u32 i = 0; i < code->n; i++) {
        rows->machine[i] = code->rows[i];
        rows->machine[i].text = copy_text(&rows->mem, code->rows[i].text);
        rows->machine[i].pipe = copy_text(&rows->mem, code->rows[i].pipe);
        rows->machine[i].file = copy_text(&rows->mem, code->rows[i].file);
    }
    for (size_t i = 0; i < json_array_size(insts); i++)
        read_spent(rd, json_array_get(insts, i), rows);
}

/* ---- lines ---- */

static void read_named_line(struct arena *mem, const json_t *o, struct meter_line *l)
{
    const char *function = text_of(mem, o, "function");
    l->function = function ? function : "?";
    l->file = text_of(mem, o, "file");
    l->ptx = text_of(mem, o, "ptx");
    l->line = u32_of(o, "line");
    l->ptx_line = u32_of(o, "ptx_line");
    for (u32 i = 0; i < METRIC_COUNT; i++) { /* of the metrics that are one event */
        const json_t *v = json_object_get(json_object_get(o, "metrics"), metric_info(i)->name);
        char event[64];
        if (json_is_integer(v) && sscanf(metric_info(i)->formula, "E(%63[a-z0-9_])", event) == 1 &&
            strlen(event) + 3 == strlen(metric_info(i)->formula) && event_find(event) >= 0)
            l->n[event_find(event)] = u64_of_value(v);
    }
}

static void read_line(const struct session_reader *rd, struct arena *mem, const json_t *a, struct meter_line *l)
{
    const u64 n = u64_of_value(json_array_get(a, 0));
    l->function = "?";
    if (n < rd->sites.len) {
        const struct session_site *s = &rd->sites.at[n];
        l->function = arena_strndup(mem, s->function, strlen(s->function));
        l->file = s->file ? arena_strndup(mem, s->file, strlen(s->file)) : NULL;
        l->ptx = s->ptx ? arena_strndup(mem, s->ptx, strlen(s->ptx)) : NULL;
        l->line = s->line;
        l->ptx_line = s->ptx_line;
    }
    read_pairs(rd, a, 1, l->n);
}

static void fill_rows(const struct session_reader *rd, struct meter_rows *rows, const json_t *all,
                      const json_t *machine)
{
    rows->n = (u32)json_array_size(all);
    rows->lines = arena_array(&rows->mem, struct meter_line, rows->n + 1);
    for (u32 k = 0; k < rows->n; k++) {
        const json_t *o = json_array_get(all, k);
        if (json_is_array(o))
            read_line(rd, &rows->mem, o, &rows->lines[k]);
        else
            read_named_line(&rows->mem, o, &rows->lines[k]);
    }
    fill_machine(rd, rows, machine);
}

/* The reader owns it; NULL: no memory. */
static struct meter_rows *read_rows(struct session_reader *rd, const json_t *all, const json_t *machine)
{
    struct meter_rows *rows = ls_calloc(1, sizeof *rows);
    if (!rows)
        return NULL;
    rows->mem = (struct arena)ARENA_UNDER("rows", &rd->mem);
    rows->owners = 1;
    if (!vec_room(&rd->mem, &rd->rows)) {
        ls_free(rows);
        return NULL;
    }
    rd->rows.at[rd->rows.len++] = rows; /* first, so that it is freed whatever happens */
    fill_rows(rd, rows, all, machine);
    rows->mem.under = NULL; /* it may outlive the reader */
    return rows;
}

static bool read_lines(struct session_reader *rd, const json_t *root, struct meter_report *r)
{
    const json_t *lines = json_object_get(root, "lines"), *as = json_object_get(root, "lines_as");
    struct meter_rows *rows = NULL;
    if (lines) {
        rows = read_rows(rd, lines, json_object_get(root, "machine"));
        if (!rows)
            return false;
    } else if (as && u64_of_value(as) < rd->rows.len) {
        rows = rd->rows.at[u64_of_value(as)];
    }
    if (!rows)
        return true;
    rows->owners++;
    r->rows = rows;
    r->lines = rows->lines;
    r->nlines = rows->n;
    r->machine = rows->machine;
    r->nmachine = rows->nmachine;
    r->machine_by = rows->machine_by;
    return true;
}

/* ---- the rest ---- */

static void read_pictures(const json_t *all, struct meter_report *r)
{
    const size_t n = json_array_size(all);
    r->pictures = arena_array(&r->mem, struct meter_picture, n + 1);
    r->npictures = (u32)n;
    for (size_t k = 0; k < n; k++) {
        const json_t *o = json_array_get(all, k), *addr = json_object_get(o, "addresses");
        struct meter_picture *p = &r->pictures[k];
        const char *space = text_of(&r->mem, o, "space"), *op = text_of(&r->mem, o, "op");
        *p = (struct meter_picture){.file = text_of(&r->mem, o, "file"),
                                    .line = u32_of(o, "line"),
                                    .ptx_line = u32_of(o, "ptx_line"),
                                    .space = space ? space : "other",
                                    .op = op ? op : "other",
                                    .size = u32_of(o, "size")};
        for (u32 lane = 0; lane < 32; lane++)
            if (json_is_integer(json_array_get(addr, lane))) {
                p->mask |= 1u << lane;
                p->addr[lane] = u64_of_value(json_array_get(addr, lane));
            }
    }
}

static void read_occupancy(const json_t *o, struct occupancy_result *to)
{
    const char *limiter = json_string_value(json_object_get(o, "limiter"));
    to->blocks_per_sm = u32_of(o, "blocks_per_sm");
    for (int k = 0; limiter && k <= OCCUPANCY_BY_BARRIERS; k++)
        if (!strcmp(limiter, occupancy_limiter_name((enum occupancy_limiter)k)))
            to->limiter = (enum occupancy_limiter)k;
}

static bool read_launch(const json_t *root, struct meter_report *r)
{
    const char *type = json_string_value(json_object_get(root, "type"));
    if (!type || strcmp(type, "launch"))
        return false;
    r->kernel = text_of(&r->mem, root, "name");
    r->device = text_of(&r->mem, root, "device");
    r->status = text_of(&r->mem, root, "status");
    r->id = u64_of(root, "id");
    r->parent = u64_of(root, "parent");
    r->root = u64_of(root, "root");
    r->depth = u32_of(root, "depth");
    r->children = u32_of(root, "children");
    r->modelled_as = u64_of(root, "modelled_as");
    r->unlike = json_is_true(json_object_get(root, "unlike"));
    r->ordinal = (u32)u64_of(root, "ordinal");
    r->context = u64_of(root, "context");
    r->stream = u64_of(root, "stream");
    r->sequence = u64_of(root, "sequence");
    r->cc[0] = u32_of_value(json_array_get(json_object_get(root, "cc"), 0));
    r->cc[1] = u32_of_value(json_array_get(json_object_get(root, "cc"), 1));
    r->static_shared = u32_of(root, "static_shared");
    r->dynamic_shared = u32_of(root, "dynamic_shared");
    r->seconds = json_number_value(json_object_get(root, "seconds"));
    if (json_object_get(root, "cluster") && !triple_of(root, "cluster", r->cluster))
        return false;
    return r->kernel && triple_of(root, "grid", r->grid) && triple_of(root, "block", r->block);
}

static enum ls_status fill(struct session_reader *rd, const json_t *root, struct meter_report *r)
{
    if (!read_launch(root, r))
        return LS_ERR_SYNTAX;
    read_names(rd, root);
    read_process(rd, root);
    read_sites(rd, json_object_get(root, "sites"));
    read_codes(rd, json_object_get(root, "codes"));
    read_named_metrics(json_object_get(root, "metrics"), r);
    read_metrics(rd, json_object_get(root, "values"), json_string_value(json_object_get(root, "kinds")), r);
    read_events(rd, json_object_get(root, "events"), r->n);
    read_pictures(json_object_get(root, "pictures"), r);
    read_occupancy(json_object_get(root, "occupancy"), &r->occupancy);
    const double registers = meter_value(r, METRIC_registers);
    r->registers = isnan(registers) ? 0 : (u32)registers;
    r->occupancy.pct = meter_value(r, METRIC_max_warps_pct);
    return read_lines(rd, root, r) ? LS_OK : LS_ERR_NOMEM;
}

enum ls_status session_reader_parse(struct session_reader *rd, const char *line, size_t len, struct meter_report **out)
{
    *out = NULL;
    rd->mem.name = "session";
    json_t *root = json_loadb(line, len, 0, NULL);
    if (!root)
        return LS_ERR_SYNTAX;
    struct meter_report *r = ls_calloc(1, sizeof *r);
    if (!r || setjmp(rd->mem.oom)) {
        json_decref(root);
        meter_report_free(r);
        return LS_ERR_NOMEM;
    }
    r->mem = (struct arena)ARENA_UNDER("report", &rd->mem);
    const enum ls_status status = json_is_object(root) ? fill(rd, root, r) : LS_ERR_SYNTAX;
    json_decref(root);
    if (status != LS_OK) {
        meter_report_free(r);
        return status;
    }
    r->mem.under = NULL; /* it outlives the reader */
    *out = r;
    return LS_OK;
}

void session_reader_free(struct session_reader *rd)
{
    forget(rd);
    arena_free(&rd->mem);
    *rd = (struct session_reader){0};
}

enum ls_status session_parse(const char *line, size_t len, struct meter_report **out)
{
    struct session_reader rd = {0};
    const enum ls_status status = session_reader_parse(&rd, line, len, out);
    session_reader_free(&rd);
    return status;
}
