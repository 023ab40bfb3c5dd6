/* check_read.c - records of findings, a JSON object a line, put together by place.
 *
 *     {"type":"process","pid":1,"program":"/path","gpu":"h200","tools":["memcheck"]}
 *     {"type":"finding","id":1,...}      finding_print (check/core/finding_print.c) has the fields
 *     {"type":"again","id":1,"count":12,"threads":12}
 *     {"type":"end","pid":1,"launches":3,"passed_over":0}      launches that were checked, and that the filters left out
 *     {"type":"check-report","version":1,"command":[...]}      the first line of a saved report
 *
 * Fields that are not known here are kept for JSON and otherwise left alone; so are kinds of findings. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/check/check_report.h"

void check_report_init(struct check_report *r)
{
    *r = (struct check_report){.mem = ARENA("findings")};
    r->places.mem = r->ids.mem = &r->mem;
}

void check_report_free(struct check_report *r)
{
    for (u32 i = 0; i < r->findings.len; i++)
        json_decref(r->findings.at[i]->json);
    r->findings.len = 0;
    arena_free(&r->mem);
}

/* ---- fields ---- */

static const char *text_of(struct arena *mem, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strndup(mem, s, strlen(s)) : NULL;
}

static u64 number_of(const json_t *o, const char *key)
{
    const json_int_t n = json_integer_value(json_object_get(o, key));
    return n < 0 ? 0 : (u64)n;
}

static u32 number32_of(const json_t *o, const char *key)
{
    const u64 n = number_of(o, key);
    return n > UINT32_MAX ? 0 : (u32)n;
}

static bool triple_of(const json_t *o, const char *key, u32 to[3])
{
    const json_t *a = json_object_get(o, key);
    for (size_t k = 0; k < 3; k++) {
        const json_int_t n = json_integer_value(json_array_get(a, k));
        to[k] = n < 0 || n > UINT32_MAX ? 0 : (u32)n;
    }
    return json_array_size(a) == 3;
}

static bool read_party(struct arena *mem, const json_t *o, struct check_party *p)
{
    *p = (struct check_party){.kernel = text_of(mem, o, "kernel"),
                              .function = text_of(mem, o, "function"),
                              .launched = text_of(mem, o, "launched"),
                              .file = text_of(mem, o, "file"),
                              .line = number32_of(o, "line"),
                              .column = number32_of(o, "column"),
                              .ptx_file = text_of(mem, o, "ptx_file"),
                              .ptx_line = number32_of(o, "ptx_line"),
                              .ptx = text_of(mem, o, "ptx"),
                              .does = text_of(mem, o, "does"),
                              .value = text_of(mem, o, "value")};
    p->has_thread = triple_of(o, "thread", p->thread) && triple_of(o, "block", p->block);
    return json_is_object(o);
}

static void read_call(struct arena *mem, const json_t *o, struct check_call *c)
{
    json_t *frames = json_object_get(o, "frames");
    *c = (struct check_call){.api = text_of(mem, o, "api"), .n = (u32)json_array_size(frames)};
    c->frames = arena_array(mem, struct check_frame, c->n + 1);
    for (u32 k = 0; k < c->n; k++) {
        json_t *f = json_array_get(frames, k);
        c->frames[k] = (struct check_frame){.module = text_of(mem, f, "module"),
                                            .offset = number_of(f, "offset"),
                                            .function = text_of(mem, f, "function"),
                                            .file = text_of(mem, f, "file"),
                                            .line = number32_of(f, "line"),
                                            .json = f};
    }
}

static void read_detail(struct arena *mem, const json_t *a, struct check_record *f)
{
    f->ndetail = (u32)json_array_size(a);
    f->detail = arena_array(mem, const char *, f->ndetail + 1);
    for (u32 k = 0; k < f->ndetail; k++) {
        const char *s = json_string_value(json_array_get(a, k));
        f->detail[k] = s ? arena_strndup(mem, s, strlen(s)) : "";
    }
}

static struct check_record *read_finding(struct arena *mem, json_t *o)
{
    struct check_record *f = arena_new(mem, struct check_record);
    const json_t *allocation = json_object_get(o, "allocation");
    *f = (struct check_record){.kind = text_of(mem, o, "kind"),
                               .tool = text_of(mem, o, "tool"),
                               .title = text_of(mem, o, "title"),
                               .remedy = text_of(mem, o, "remedy"),
                               .what = text_of(mem, o, "what"),
                               .launch = number_of(o, "launch"),
                               .count = number_of(o, "count"),
                               .threads = number_of(o, "threads"),
                               .size = number_of(o, "size"),
                               .serial = number_of(allocation, "serial"),
                               .space = text_of(mem, o, "space"),
                               .address = text_of(mem, o, "address"),
                               .launched_by = text_of(mem, o, "launched_by"),
                               .json = o};
    const char *severity = json_string_value(json_object_get(o, "severity"));
    f->error = !severity || strcmp(severity, "warning") != 0;
    f->count += !f->count;
    f->has_at = read_party(mem, json_object_get(o, "at"), &f->at);
    f->has_other = read_party(mem, json_object_get(o, "other"), &f->other);
    read_detail(mem, json_object_get(o, "detail"), f);
    read_call(mem, json_object_get(o, "call"), &f->call);
    read_call(mem, json_object_get(allocation, "made"), &f->made);
    read_call(mem, json_object_get(allocation, "freed"), &f->freed);
    return f;
}

/* ---- places ---- */

static const char *or_none(const char *s) { return s ? s : ""; }

/* The code; of an operation of the host, which one it is. */
static const char *place_of(struct arena *mem, const struct check_party *p)
{
    const bool code = p->function || p->line || p->ptx_line;
    return arena_printf(mem, "%s|%s|%" PRIu32 ":%" PRIu32 "|%" PRIu32 "|%s|%s",
                        code ? or_none(p->function) : or_none(p->kernel), or_none(p->file), p->line, p->column,
                        p->ptx_line, or_none(p->ptx), code && p->has_thread ? "" : or_none(p->launched));
}

static const char *frames_of(struct arena *mem, const struct check_call *c)
{
    const char *all = or_none(c->api);
    for (u32 k = 0; k < c->n; k++)
        all = arena_printf(mem, "%s;%s+%" PRIx64, all, or_none(c->frames[k].module), c->frames[k].offset);
    return all;
}

/* Of what has no code in a kernel, the call site. Leaks of one site are one when they are as large, so that what was
 * leaked is their size times their count; their texts differ by the address. */
static const char *key_of(struct arena *mem, const struct check_record *f)
{
    const char *who = or_none(f->kind), *severity = f->error ? "e" : "w";
    if (f->has_at && (f->at.kernel || f->at.function))
        return arena_printf(mem, "%s %s %s %s %s", who, severity, or_none(f->space), place_of(mem, &f->at),
                            f->has_other ? place_of(mem, &f->other) : "");
    if (!strcmp(who, finding_info(FINDING_LEAK)->name) && (f->call.n || f->made.n))
        return arena_printf(mem, "%s %s %" PRIu64 " %s %s", who, severity, f->size, frames_of(mem, &f->call),
                            frames_of(mem, &f->made));
    return arena_printf(mem, "%s %s %s %s %s", who, severity, or_none(f->what), frames_of(mem, &f->call),
                        f->has_other ? place_of(mem, &f->other) : "");
}

static void add_counts(struct check_record *f, u64 count, u64 threads)
{
    f->count += count;
    f->threads += threads;
    json_object_set_new(f->json, "count", json_integer((json_int_t)f->count));
    if (f->threads)
        json_object_set_new(f->json, "threads", json_integer((json_int_t)f->threads));
}

/* The record's number in its process, for those that count it again. */
static void **id_slot(struct check_report *r, u64 id)
{
    char text[48];
    const int n = snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu64, r->processes.len, id);
    return intern_slot(intern(&r->ids, text, (size_t)n));
}

static void add_finding(struct check_report *r, json_t *o)
{
    const u64 id = number_of(o, "id");
    struct check_record *f = read_finding(&r->mem, o);
    const char *key = key_of(&r->mem, f);
    void **slot = intern_slot(intern(&r->places, key, strlen(key)));
    if (*slot) {
        add_counts(*slot, f->count, f->threads);
    } else {
        f->process = r->processes.len - 1;
        vec_push(&r->mem, &r->findings, f);
        json_incref(o);
        *slot = f;
    }
    *id_slot(r, id) = *slot;
}

/* ---- lines ---- */

struct reading {
    const char *path;
    u32 line;
    bool skips;  /* until the next process */
    json_t *now; /* the line that is being read; NULL: none */
    struct diag_list *diags;
};

static void LS_PRINTF(2, 3) complain(struct reading *rd, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    diag_add(rd->diags, DIAG_ERROR, (struct diag_place){.file = rd->path, .line = rd->line}, "%s", text);
}

/* A second record of the same pid: the process became another program by exec, so the first program has ended. */
static void read_process(struct check_report *r, const json_t *o)
{
    struct check_process *last = r->processes.len ? &r->processes.at[r->processes.len - 1] : NULL;
    if (last && last->pid == number_of(o, "pid"))
        last->ended = true;
    const struct check_process p = {
        .pid = number_of(o, "pid"), .program = text_of(&r->mem, o, "program"), .gpu = text_of(&r->mem, o, "gpu")};
    vec_push(&r->mem, &r->processes, p);
    const json_t *tools = json_object_get(o, "tools");
    for (size_t k = 0; k < json_array_size(tools); k++) {
        const char *name = json_string_value(json_array_get(tools, k));
        unsigned tool;
        if (name && check_tool_by_name(name, &tool))
            r->tools |= tool;
    }
}

static void read_command(struct check_report *r, const json_t *a)
{
    for (size_t k = 0; k < json_array_size(a); k++) {
        const char *s = json_string_value(json_array_get(a, k));
        vec_push(&r->mem, &r->command, s ? (const char *)arena_strndup(&r->mem, s, strlen(s)) : "?");
    }
}

static bool read_again(struct check_report *r, struct reading *rd, const json_t *o)
{
    struct check_record *f = *id_slot(r, number_of(o, "id"));
    if (!f) {
        complain(rd, "it counts finding %" PRIu64 " again, which no line before it has", number_of(o, "id"));
        return false;
    }
    add_counts(f, number_of(o, "count"), number_of(o, "threads"));
    return true;
}

static bool read_report(struct check_report *r, struct reading *rd, const json_t *o)
{
    const u64 version = number_of(o, "version");
    if (version != 1) {
        complain(rd, "the report is of version %" PRIu64 ", and this Lockstep reads version 1", version);
        return false;
    }
    read_command(r, json_object_get(o, "command"));
    return true;
}

/* Whether a finding has the fields without which it cannot be printed. */
static bool is_whole(struct reading *rd, const json_t *o)
{
    static const char *const needed[] = {"kind", "tool", "title"};
    for (u32 k = 0; k < LS_ARRAY_LEN(needed); k++)
        if (!json_is_string(json_object_get(o, needed[k]))) {
            complain(rd, "the finding has no \"%s\"", needed[k]);
            return false;
        }
    return true;
}

static bool is_unwanted(const struct check_report *r, const json_t *o)
{
    return r->only && number_of(o, "pid") != r->only;
}

static void read_end(struct check_process *p, const json_t *o)
{
    p->ended = true;
    p->counted = json_is_integer(json_object_get(o, "launches"));
    p->launches = number_of(o, "launches");
    p->passed_over = number_of(o, "passed_over");
}

/* A newer version may have other records. */
static bool read_of_process(struct check_report *r, struct reading *rd, const char *type, json_t *o)
{
    if (!strcmp(type, "again"))
        return read_again(r, rd, o);
    if (!strcmp(type, "end"))
        read_end(&r->processes.at[r->processes.len - 1], o);
    if (strcmp(type, "finding") != 0)
        return true;
    const bool whole = is_whole(rd, o);
    if (whole)
        add_finding(r, o);
    return whole;
}

static bool read_record(struct check_report *r, struct reading *rd, json_t *o)
{
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type) {
        complain(rd, "this is no record of `lockstep check`: it has no \"type\"");
        return false;
    }
    if (!strcmp(type, "check-report"))
        return read_report(r, rd, o);
    if (!strcmp(type, "process")) {
        rd->skips = is_unwanted(r, o);
        if (!rd->skips)
            read_process(r, o);
        return true;
    }
    if (rd->skips)
        return true;
    if (r->processes.len)
        return read_of_process(r, rd, type, o);
    complain(rd, "this is no file of `lockstep check`: a record of type '%.40s' stands before the one of its process",
             type);
    return false;
}

static bool read_line(struct check_report *r, struct reading *rd, const char *line, size_t n)
{
    json_error_t e;
    rd->line++;
    json_t *o = rd->now = json_loadb(line, n, 0, &e);
    const bool good = json_is_object(o) && read_record(r, rd, o);
    if (!json_is_object(o))
        complain(rd, "this line is no JSON object%s%s", o ? "" : ": ", o ? "" : e.text);
    json_decref(o);
    rd->now = NULL;
    return good;
}

static bool is_blank(const char *line) { return line[strspn(line, " \t\r\n")] == 0; }

/* A record is written whole or not at all, unless the disk was full. */
static void cut_off(struct reading *rd)
{
    diag_add(rd->diags, DIAG_WARNING, (struct diag_place){.file = rd->path, .line = rd->line + 1},
             "the last line was cut off; what it found is lost");
}

struct line {
    char *text; /* getline's */
    size_t room;
};

static bool read_lines(struct check_report *r, struct reading *rd, FILE *f, struct line *line, bool live)
{
    bool good = true;
    for (ssize_t n; (n = getline(&line->text, &line->room, f)) > 0;) {
        if (is_blank(line->text))
            rd->line++;
        else if (live && line->text[n - 1] != '\n')
            cut_off(rd);
        else
            good &= read_line(r, rd, line->text, (size_t)n);
        if (!good && !r->processes.len)
            break; /* not a file of ours: one message is enough */
    }
    return good;
}

/* The file and the line's memory are the caller's. */
static enum ls_status read_open(struct check_report *r, struct reading *rd, FILE *f, struct line *line, bool live)
{
    if (setjmp(r->mem.oom)) {
        json_decref(rd->now);
        return LS_ERR_NOMEM;
    }
    if (!read_lines(r, rd, f, line, live))
        return LS_ERR_SYNTAX;
    if (live || r->processes.len || r->command.len)
        return LS_OK;
    complain(rd, "the file is empty: it has no record of `lockstep check`");
    return LS_ERR_SYNTAX;
}

static enum ls_status cannot_read(struct diag_list *diags, const char *path)
{
    diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "cannot read it: %s", strerror(errno));
    return LS_ERR_IO;
}

static enum ls_status read_file(struct check_report *r, const char *path, struct diag_list *diags, bool live)
{
    struct reading rd = {.path = path, .diags = diags};
    struct line line = {0};
    FILE *f = fopen(path, "r");
    if (!f)
        return cannot_read(diags, path);
    enum ls_status status = read_open(r, &rd, f, &line, live);
    if (ferror(f)) /* a folder, for one */
        status = cannot_read(diags, path);
    free(line.text);
    fclose(f);
    r->incomplete |= status != LS_OK;
    return status;
}

enum ls_status check_report_read(struct check_report *r, const char *path, struct diag_list *diags)
{
    return read_file(r, path, diags, false);
}

/* ---- folders ---- */

static int is_records(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && !strcmp(dot, ".chk");
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    const u64 x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

enum ls_status check_report_read_folder(struct check_report *r, const char *folder, struct diag_list *diags)
{
    char path[4096];
    struct dirent **names;
    enum ls_status status = LS_OK;
    const int n = scandir(folder, &names, is_records, by_number);
    for (int k = 0; k < n; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
        const enum ls_status s = read_file(r, path, diags, true);
        status = status == LS_OK ? s : status;
        free(names[k]);
    }
    if (n >= 0)
        free(names);
    return n < 0 ? LS_ERR_IO : status;
}

/* ---- what is done with all of them ---- */

void check_report_filter(struct check_report *r, bool (*keep)(void *ctx, const struct check_record *f), void *ctx)
{
    u32 n = 0;
    for (u32 k = 0; k < r->findings.len; k++) {
        struct check_record *f = r->findings.at[k];
        if (keep(ctx, f))
            r->findings.at[n++] = f;
        else
            json_decref(f->json);
    }
    r->findings.len = n;
}

void check_report_strict(struct check_report *r)
{
    for (u32 k = 0; k < r->findings.len; k++)
        if (!r->findings.at[k]->error) {
            r->findings.at[k]->error = true;
            json_object_set_new(r->findings.at[k]->json, "severity", json_string("error"));
        }
}

/* ---- the host's frames ---- */

/* The frame's record with what was found; the caller has the reference. */
static json_t *frame_record(const struct check_frame *f)
{
    json_t *o = json_copy(f->json);
    if (f->function)
        json_object_set_new(o, "function", json_string(f->function));
    if (f->file)
        json_object_set_new(o, "file", json_string(f->file));
    if (f->line)
        json_object_set_new(o, "line", json_integer((json_int_t)f->line));
    return o;
}

/* What is known of one frame, the frame itself when nothing is. */
static u32 find_frame(struct arena *mem, const struct check_frame *f, check_find_frames *find, void *ctx,
                      struct check_frame out[CHECK_INLINED])
{
    for (u32 k = 0; k < CHECK_INLINED; k++)
        out[k] = *f;
    const u32 n = f->module && !f->function && !f->file ? find(ctx, mem, f, out) : 0;
    if (!n)
        out[0] = *f;
    return n ? n : 1;
}

/* Uses no arena: its jump out of here would leave `records` without an owner. */
static void put_frames(struct check_call *c, json_t *json)
{
    json_t *records = json_array();
    for (u32 k = 0; k < c->n; k++) {
        json_array_append_new(records, frame_record(&c->frames[k]));
        c->frames[k].json = json_array_get(records, k);
    }
    json_object_set_new(json, "frames", records);
}

/* `json`: the call's record. */
static void find_frames(struct arena *mem, struct check_call *c, json_t *json, check_find_frames *find, void *ctx)
{
    VEC(struct check_frame) all = {0};
    struct check_frame some[CHECK_INLINED];
    for (u32 k = 0; k < c->n; k++) {
        const u32 n = find_frame(mem, &c->frames[k], find, ctx, some);
        for (u32 i = 0; i < n; i++)
            vec_push(mem, &all, some[i]);
    }
    if (!c->n)
        return;
    c->frames = all.at;
    c->n = all.len;
    put_frames(c, json);
}

bool check_report_frames(struct check_report *r, check_find_frames *find, void *ctx)
{
    if (setjmp(r->mem.oom))
        return false;
    for (u32 k = 0; k < r->findings.len; k++) {
        struct check_record *f = r->findings.at[k];
        json_t *allocation = json_object_get(f->json, "allocation");
        find_frames(&r->mem, &f->call, json_object_get(f->json, "call"), find, ctx);
        find_frames(&r->mem, &f->made, json_object_get(allocation, "made"), find, ctx);
        find_frames(&r->mem, &f->freed, json_object_get(allocation, "freed"), find, ctx);
    }
    return true;
}

u32 check_report_errors(const struct check_report *r)
{
    u32 n = 0;
    for (u32 k = 0; k < r->findings.len; k++)
        n += r->findings.at[k]->error;
    return n;
}

bool check_report_took_none(const struct check_report *r)
{
    u64 passed_over = 0;
    for (u32 k = 0; k < r->processes.len; k++) {
        const struct check_process *p = &r->processes.at[k];
        if (!p->counted || p->launches)
            return false;
        passed_over += p->passed_over;
    }
    return passed_over > 0;
}
