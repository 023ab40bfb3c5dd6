/* session.c - reports as JSON lines. One record, one write: the file is opened with O_APPEND, so records of several
 * threads follow each other whole. Numbers that are integers are written as integers, so that counts stay exact. */
#include "meter/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"

/* The metrics of a line, what a reader of sources wants to see, and the one event that each of them is. */
static const struct {
    enum metric_id metric;
    enum event_id event;
} line_metrics[] = {
    {METRIC_inst, EVENT_inst},
    {METRIC_thread_inst, EVENT_thread_inst},
    {METRIC_gld_requests, EVENT_gld_requests},
    {METRIC_gld_sectors, EVENT_gld_sectors},
    {METRIC_gst_requests, EVENT_gst_requests},
    {METRIC_gst_sectors, EVENT_gst_sectors},
    {METRIC_gatom_requests, EVENT_gatom_requests},
    {METRIC_gatom_sectors, EVENT_gatom_sectors},
    {METRIC_gred_requests, EVENT_gred_requests},
    {METRIC_gred_sectors, EVENT_gred_sectors},
    {METRIC_lld_requests, EVENT_lld_requests},
    {METRIC_lld_sectors, EVENT_lld_sectors},
    {METRIC_lst_requests, EVENT_lst_requests},
    {METRIC_lst_sectors, EVENT_lst_sectors},
    {METRIC_sld_inst, EVENT_sld_inst},
    {METRIC_sld_wavefronts, EVENT_sld_wavefronts},
    {METRIC_sld_conflicts, EVENT_sld_conflicts},
    {METRIC_sst_inst, EVENT_sst_inst},
    {METRIC_sst_wavefronts, EVENT_sst_wavefronts},
    {METRIC_sst_conflicts, EVENT_sst_conflicts},
    {METRIC_sass_satom_inst, EVENT_satom_inst},
    {METRIC_satom_wavefronts, EVENT_satom_wavefronts},
    {METRIC_satom_conflicts, EVENT_satom_conflicts},
    {METRIC_const_requests, EVENT_cld_words},
    {METRIC_tex_requests, EVENT_tex_requests},
    {METRIC_suld_requests, EVENT_suld_requests},
    {METRIC_sust_requests, EVENT_sust_requests},
    {METRIC_barriers, EVENT_barriers},
    {METRIC_branch_targets, EVENT_branches},
    {METRIC_branch_targets_divergent, EVENT_divergent},
};

/* ---- writing ---- */

static json_t *number(double v)
{
    if (isnan(v))
        return json_null();
    return v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *triple(const u32 v[3]) { return json_pack("[i,i,i]", (int)v[0], (int)v[1], (int)v[2]); }

static json_t *pack_metrics(const struct meter_report *r)
{
    json_t *all = json_object();
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        if (isnan(r->metrics[i].value))
            continue;
        const struct metric_info *info = metric_info(i);
        json_t *m = json_pack("{s:o,s:s,s:s}", "value", number(r->metrics[i].value), "unit", info->unit, "kind",
                              metric_kind_name(r->metrics[i].kind));
        json_object_set_new(all, info->name, m);
    }
    return all;
}

static json_t *pack_events(const u64 n[EVENT_COUNT])
{
    json_t *all = json_object();
    for (u32 e = 0; e < EVENT_COUNT; e++)
        if (n[e])
            json_object_set_new(all, event_name(e), json_integer((json_int_t)n[e]));
    return all;
}

static json_t *pack_line(const struct meter_line *l)
{
    json_t *metrics = json_object();
    for (size_t k = 0; k < LS_ARRAY_LEN(line_metrics); k++) {
        const u64 v = l->n[line_metrics[k].event];
        if (v)
            json_object_set_new(metrics, metric_info(line_metrics[k].metric)->name, json_integer((json_int_t)v));
    }
    return json_pack("{s:s?,s:s?,s:I,s:I,s:s?,s:o}", "function", l->function, "file", l->file, "line",
                     (json_int_t)l->line, "ptx_line", (json_int_t)l->ptx_line, "ptx", l->ptx, "metrics", metrics);
}

static json_t *pack_lines(const struct meter_report *r)
{
    json_t *lines = json_array();
    for (u32 k = 0; k < r->nlines; k++)
        json_array_append_new(lines, pack_line(&r->lines[k]));
    return lines;
}

static json_t *pack_picture(const struct meter_picture *p)
{
    json_t *addr = json_array();
    for (u32 lane = 0; lane < 32; lane++)
        json_array_append_new(addr, p->mask >> lane & 1 ? json_integer((json_int_t)p->addr[lane]) : json_null());
    return json_pack("{s:s?,s:I,s:I,s:s,s:s,s:I,s:o}", "file", p->file, "line", (json_int_t)p->line, "ptx_line",
                     (json_int_t)p->ptx_line, "space", p->space, "op", p->op, "size", (json_int_t)p->size, "addresses",
                     addr);
}

/* Only where they were asked for. */
static void pack_pictures(json_t *to, const struct meter_report *r)
{
    json_t *all = r->npictures ? json_array() : NULL;
    for (u32 k = 0; k < r->npictures; k++)
        json_array_append_new(all, pack_picture(&r->pictures[k]));
    if (all)
        json_object_set_new(to, "pictures", all);
}

static json_t *pack_occupancy(const struct occupancy_result *o)
{
    return json_pack("{s:I,s:s}", "blocks_per_sm", (json_int_t)o->blocks_per_sm, "limiter",
                     occupancy_limiter_name(o->limiter));
}

/* Who launched it and what it launched; a launch that has to do with neither is written without. */
static void pack_family(json_t *to, const struct meter_report *r)
{
    if (r->depth) {
        json_object_set_new(to, "parent", json_integer((json_int_t)r->parent));
        json_object_set_new(to, "root", json_integer((json_int_t)r->root));
        json_object_set_new(to, "depth", json_integer((json_int_t)r->depth));
    }
    if (r->children)
        json_object_set_new(to, "children", json_integer((json_int_t)r->children));
}

char *session_print(const struct meter_report *r)
{
    json_t *root = json_pack("{s:s,s:I,s:s?,s:o,s:o,s:I,s:I,s:s?,s:s?,s:f,s:o,s:o,s:o,s:o}", "type", "launch", "id",
                             (json_int_t)r->id, "name", r->kernel, "grid", triple(r->grid), "block", triple(r->block),
                             "static_shared", (json_int_t)r->static_shared, "dynamic_shared",
                             (json_int_t)r->dynamic_shared, "device", r->device, "status", r->status, "seconds",
                             r->seconds, "occupancy", pack_occupancy(&r->occupancy), "metrics", pack_metrics(r),
                             "events", pack_events(r->n), "lines", pack_lines(r));
    if (root) {
        pack_family(root, r);
        pack_pictures(root, r);
    }
    const size_t len = root ? json_dumpb(root, NULL, 0, JSON_COMPACT) : 0;
    char *text = len ? ls_realloc(NULL, len + 1) : NULL;
    if (text) {
        json_dumpb(root, text, len, JSON_COMPACT);
        text[len] = 0;
    }
    json_decref(root);
    return text;
}

static enum ls_status append(const char *path, const char *text, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return LS_ERR_IO;
    ssize_t n;
    do
        n = write(fd, text, len);
    while (n < 0 && errno == EINTR);
    close(fd);
    return n == (ssize_t)len ? LS_OK : LS_ERR_IO;
}

enum ls_status session_append(const char *folder, const struct meter_report *r)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%ld.rec", folder, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof path)
        return LS_ERR_INVALID;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return LS_ERR_IO;
    char *text = session_print(r);
    if (!text)
        return LS_ERR_NOMEM;
    const size_t len = strlen(text);
    text[len] = '\n'; /* in place of the NUL: one write for the whole line */
    const enum ls_status s = append(path, text, len + 1);
    ls_free(text);
    return s;
}

/* ---- reading ---- */

static const char *text_of(struct arena *mem, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strndup(mem, s, strlen(s)) : NULL;
}

static u32 u32_of(const json_t *o, const char *key)
{
    const json_int_t v = json_integer_value(json_object_get(o, key));
    return v < 0 || v > UINT32_MAX ? 0 : (u32)v;
}

static bool triple_of(const json_t *o, const char *key, u32 to[3])
{
    const json_t *a = json_object_get(o, key);
    for (size_t k = 0; k < 3; k++) {
        const json_int_t v = json_integer_value(json_array_get(a, k));
        if (v < 1 || v > UINT32_MAX)
            return false;
        to[k] = (u32)v;
    }
    return json_array_size(a) == 3;
}

static enum metric_kind kind_of(const char *name)
{
    for (int k = METRIC_COUNTED; name && k <= METRIC_ESTIMATED; k++)
        if (!strcmp(name, metric_kind_name((enum metric_kind)k)))
            return (enum metric_kind)k;
    return METRIC_ESTIMATED;
}

/* Metrics that this version does not know are left out; those that the record lacks are NaN. */
static void read_metrics(const json_t *all, struct meter_report *r)
{
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        const json_t *m = json_object_get(all, metric_info(i)->name), *v = json_object_get(m, "value");
        r->metrics[i].value = json_is_number(v) ? json_number_value(v) : NAN;
        r->metrics[i].kind = m ? kind_of(json_string_value(json_object_get(m, "kind"))) : metric_info(i)->kind;
    }
}

static void read_events(const json_t *all, u64 n[EVENT_COUNT])
{
    for (u32 e = 0; e < EVENT_COUNT; e++) {
        const json_int_t v = json_integer_value(json_object_get(all, event_name(e)));
        n[e] = v > 0 ? (u64)v : 0;
    }
}

static void read_line_events(const json_t *metrics, struct meter_line *l)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(line_metrics); k++) {
        const json_t *v = json_object_get(metrics, metric_info(line_metrics[k].metric)->name);
        if (json_is_integer(v))
            l->n[line_metrics[k].event] = (u64)json_integer_value(v);
    }
}

static void read_lines(const json_t *all, struct meter_report *r)
{
    const size_t n = json_array_size(all);
    r->lines = arena_array(&r->mem, struct meter_line, n + 1);
    r->nlines = (u32)n;
    for (size_t k = 0; k < n; k++) {
        const json_t *o = json_array_get(all, k);
        struct meter_line *l = &r->lines[k];
        l->function = text_of(&r->mem, o, "function");
        l->file = text_of(&r->mem, o, "file");
        l->ptx = text_of(&r->mem, o, "ptx");
        l->line = u32_of(o, "line");
        l->ptx_line = u32_of(o, "ptx_line");
        read_line_events(json_object_get(o, "metrics"), l);
    }
}

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
                p->addr[lane] = (u64)json_integer_value(json_array_get(addr, lane));
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

static bool fill(const json_t *root, struct meter_report *r)
{
    const char *type = json_string_value(json_object_get(root, "type"));
    if (!type || strcmp(type, "launch"))
        return false;
    r->kernel = text_of(&r->mem, root, "name");
    r->device = text_of(&r->mem, root, "device");
    r->status = text_of(&r->mem, root, "status");
    r->id = (u64)json_integer_value(json_object_get(root, "id"));
    r->parent = (u64)json_integer_value(json_object_get(root, "parent"));
    r->root = (u64)json_integer_value(json_object_get(root, "root"));
    r->depth = u32_of(root, "depth");
    r->children = u32_of(root, "children");
    r->static_shared = u32_of(root, "static_shared");
    r->dynamic_shared = u32_of(root, "dynamic_shared");
    r->seconds = json_number_value(json_object_get(root, "seconds"));
    if (!r->kernel || !triple_of(root, "grid", r->grid) || !triple_of(root, "block", r->block))
        return false;
    read_metrics(json_object_get(root, "metrics"), r);
    read_events(json_object_get(root, "events"), r->n);
    read_lines(json_object_get(root, "lines"), r);
    read_pictures(json_object_get(root, "pictures"), r);
    read_occupancy(json_object_get(root, "occupancy"), &r->occupancy);
    const double registers = meter_value(r, METRIC_registers);
    r->registers = isnan(registers) ? 0 : (u32)registers;
    r->occupancy.pct = meter_value(r, METRIC_max_warps_pct);
    return true;
}

enum ls_status session_parse(const char *line, size_t len, struct meter_report **out)
{
    *out = NULL;
    json_t *root = json_loadb(line, len, 0, NULL);
    if (!root)
        return LS_ERR_SYNTAX;
    struct meter_report *r = ls_calloc(1, sizeof *r);
    if (!r || setjmp(r->mem.oom)) {
        json_decref(root);
        meter_report_free(r);
        return LS_ERR_NOMEM;
    }
    r->mem.name = "report";
    const bool ok = json_is_object(root) && fill(root, r);
    json_decref(root);
    if (!ok) {
        meter_report_free(r);
        return LS_ERR_SYNTAX;
    }
    *out = r;
    return LS_OK;
}

/* ---- folders ---- */

static enum ls_status add_report(struct session *s, struct meter_report *r)
{
    if (!(s->n & (s->n - 1))) { /* grows when n is a power of two */
        void *to = ls_realloc(s->reports, sizeof(*s->reports) * (s->n ? s->n * 2 : 1));
        if (!to) {
            meter_report_free(r);
            return LS_ERR_NOMEM;
        }
        s->reports = to;
    }
    s->reports[s->n++] = r;
    return LS_OK;
}

static enum ls_status read_line(struct session *s, const char *line, size_t len, struct diag_place at,
                                struct diag_list *diags)
{
    struct meter_report *r;
    const enum ls_status status = session_parse(line, len, &r);
    if (status == LS_OK)
        return add_report(s, r);
    if (status == LS_ERR_SYNTAX)
        diag_add(diags, DIAG_ERROR, at, "this line is not the record of a launch");
    return status == LS_ERR_SYNTAX ? LS_OK : status;
}

static enum ls_status read_records(struct session *s, const char *path, struct diag_list *diags)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return LS_ERR_IO;
    char *line = NULL; /* getline's own memory: records may be megabytes */
    size_t room = 0;
    struct diag_place at = {.file = path};
    enum ls_status status = LS_OK;
    for (ssize_t n; status == LS_OK && (n = getline(&line, &room, f)) >= 0;) {
        at.line++;
        if (n && line[n - 1] == '\n') /* a line without its end was being written when the process died */
            status = read_line(s, line, (size_t)n - 1, at, diags);
    }
    free(line);
    fclose(f);
    return status;
}

static int is_record_file(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 4 && !strcmp(d->d_name + n - 4, ".rec");
}

enum ls_status session_read(const char *folder, struct session *out, struct diag_list *diags)
{
    *out = (struct session){0};
    struct dirent **names;
    const int n = scandir(folder, &names, is_record_file, alphasort);
    if (n < 0)
        return LS_ERR_IO;
    enum ls_status status = LS_OK;
    for (int k = 0; k < n; k++) {
        char path[4096];
        const int len = snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
        if (status == LS_OK)
            status = len > 0 && (size_t)len < sizeof path ? read_records(out, path, diags) : LS_ERR_INVALID;
        free(names[k]);
    }
    free(names);
    if (status != LS_OK)
        session_free(out);
    return status;
}

void session_free(struct session *s)
{
    for (u32 k = 0; k < s->n; k++)
        meter_report_free(s->reports[k]);
    ls_free(s->reports);
    *s = (struct session){0};
}
