/* session_write.c - a report as a line of JSON. Written by hand and not by a library, because thousands of launches a
 * second go through here; numbers that are integers are written as integers, so that counts stay exact.
 *
 *     "process"  {pid, path, gpu}, "metric_names", "event_names": in the first record
 *     "sites"    [[function, file, line, PTX line, PTX], ...]: instructions that no record before named; numbered from
 * 0 on "values"   by metric, null where there is none; "kinds" a letter each: c, m, e, t (counted, modelled, estimated,
 *                measured)
 *     "modelled_as": id of the launch before it whose modelled values these are; "unlike": it has none (meter.h)
 *     "events"   [event, count, ...] where the count is not 0
 *     "codes"    [{"by": disassembler, "insts": [[PTX line, line, file, pipe, text], ...]}]: machine code that no record before
 *                had; numbered from 0 on. A file that is null is that of the row before
 *     "lines"    [[site, event, count, ...], ...], and then "machine": {"code": n, "insts": [[index, issued, event, cycles, ...],
 *                ...]}, where there is any; or "lines_as": n, the n-th "lines" of the file with its "machine", from 0 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "meter/rules.h"
#include "meter/session/session_record.h"

enum { ROWS_KEPT = 256 }; /* "lines" that later records may point to: the first ones of a process */

/* ---- text ---- */

static bool make_room(struct session_text *t, size_t more)
{
    if (t->len + more + 1 <= t->cap)
        return true;
    const size_t cap = (t->len + more + 1) * 2;
    char *to = t->failed ? NULL : ls_realloc(t->at, cap);
    t->failed = !to;
    if (!to)
        return false;
    t->at = to;
    t->cap = cap;
    return true;
}

static void put_bytes(struct session_text *t, const char *s, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = 0;
}

static void put(struct session_text *t, const char *s) { put_bytes(t, s, strlen(s)); }

static void LS_PRINTF(2, 3) putf(struct session_text *t, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n > 0)
        put_bytes(t, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void put_u64(struct session_text *t, u64 v)
{
    char digits[24], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    put_bytes(t, p, (size_t)(digits + sizeof digits - p));
}

static void put_number(struct session_text *t, double v)
{
    if (!isfinite(v))
        put(t, "null");
    else if (v == floor(v) && v >= 0 && v < 9e15)
        put_u64(t, (u64)v);
    else
        putf(t, v == floor(v) && fabs(v) < 9e15 ? "%.0f" : "%.17g", v);
}

/* Bytes of the UTF-8 sequence at s, short and overlong ones refused; 0: it is none. */
static size_t utf8_length(const u8 *s)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                     (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : n;
}

/* NULL is null. Bytes that are no UTF-8 (names of files may be anything) become '?'. */
static void put_string(struct session_text *t, const char *s)
{
    put(t, s ? "\"" : "null");
    for (const char *next; s && *s; s = next) {
        size_t plain = 0;
        while ((u8)s[plain] >= ' ' && (u8)s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
            plain++;
        put_bytes(t, s, plain);
        next = s + plain;
        if (plain || !*s)
            continue;
        const size_t n = utf8_length((const u8 *)s);
        next = s + (n ? n : 1);
        if (n > 1)
            put_bytes(t, s, n);
        else if (n)
            putf(t, "\\u%04x", (u8)*s);
        else
            put(t, "?");
    }
    put(t, s ? "\"" : "");
}

/* ---- tables ---- */

static u64 hash_bytes(u64 h, const void *p, size_t n)
{
    for (const u8 *b = p, *end = b + n; b < end; b++)
        h = (h ^ *b) * 0x100000001b3ull; /* FNV-1a */
    return h;
}

static u64 hash_text(u64 h, const char *s) { return s ? hash_bytes(h, s, strlen(s) + 1) : h * 31; }

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_site(const struct session_site *a, const struct session_site *b)
{
    return a->hash == b->hash && a->line == b->line && a->ptx_line == b->ptx_line &&
           same_text(a->function, b->function) && same_text(a->file, b->file) && same_text(a->ptx, b->ptx);
}

static void rehash(struct session_writer *w)
{
    w->nslots = w->nslots ? w->nslots * 2 : 256;
    w->site_slots = arena_array(&w->mem, u32, w->nslots);
    for (u32 i = 0; i < w->sites.len; i++) {
        u64 at = w->sites.at[i].hash;
        while (w->site_slots[at & (w->nslots - 1)])
            at++;
        w->site_slots[at & (w->nslots - 1)] = i + 1;
    }
}

static const char *keep(struct arena *mem, const char *s) { return s ? arena_strndup(mem, s, strlen(s)) : NULL; }

/* The number of the line's instruction; a new one gets one. */
static u32 site_of(struct session_writer *w, const struct meter_line *l)
{
    struct session_site s = {
        .function = l->function, .file = l->file, .ptx = l->ptx, .line = l->line, .ptx_line = l->ptx_line};
    s.hash = hash_text(hash_text(0xcbf29ce484222325ull, l->function), l->ptx);
    s.hash = hash_bytes(hash_bytes(s.hash, &l->line, sizeof l->line), &l->ptx_line, sizeof l->ptx_line);
    if (w->sites.len * 2 >= w->nslots)
        rehash(w);
    u64 at = s.hash;
    for (u32 n; (n = w->site_slots[at & (w->nslots - 1)]); at++)
        if (same_site(&w->sites.at[n - 1], &s))
            return n - 1;
    s.function = keep(&w->mem, s.function);
    s.file = keep(&w->mem, s.file);
    s.ptx = keep(&w->mem, s.ptx);
    vec_push(&w->mem, &w->sites, s);
    w->site_slots[at & (w->nslots - 1)] = w->sites.len;
    return w->sites.len - 1;
}

static void put_sites(struct session_writer *w, u32 first)
{
    struct session_text *t = &w->text;
    if (first == w->sites.len)
        return;
    put(t, ",\"sites\":[");
    for (u32 i = first; i < w->sites.len; i++) {
        const struct session_site *s = &w->sites.at[i];
        put(t, i == first ? "[" : ",[");
        put_string(t, s->function);
        put(t, ",");
        put_string(t, s->file);
        putf(t, ",%u,%u,", s->line, s->ptx_line);
        put_string(t, s->ptx);
        put(t, "]");
    }
    put(t, "]");
}

static void put_events(struct session_text *t, const u64 n[EVENT_COUNT], bool first)
{
    for (u32 e = 0; e < EVENT_COUNT; e++) {
        if (!n[e])
            continue;
        put(t, first ? "" : ",");
        put_u64(t, e);
        put(t, ",");
        put_u64(t, n[e]);
        first = false;
    }
}

/* ---- machine code ---- */

static void put_code(struct session_text *t, const struct meter_report *r)
{
    const char *file = NULL;
    put(t, "{\"by\":");
    put_string(t, r->machine_by);
    put(t, ",\"insts\":[");
    for (u32 i = 0; i < r->nmachine; i++) {
        const struct meter_machine *m = &r->machine[i];
        putf(t, "%s[%u,%u,", i ? "," : "", m->ptx_line, m->line);
        put_string(t, same_text(m->file, file) ? NULL : m->file);
        put(t, ",");
        put_string(t, m->pipe);
        put(t, ",");
        put_string(t, m->text);
        put(t, "]");
        file = m->file ? m->file : file;
    }
    put(t, "]}");
}

/* The number of the code, which is written if it is new. */
static u32 code_of(struct session_writer *w, const struct meter_report *r)
{
    struct session_text *t = &w->code;
    t->len = 0;
    put_code(t, r);
    if (t->failed)
        return 0;
    const u64 hash = hash_bytes(0xcbf29ce484222325ull, t->at, t->len);
    for (u32 k = 0; k < w->codes.len; k++)
        if (w->codes.at[k].hash == hash && !strcmp(w->codes.at[k].text, t->at))
            return k;
    put(&w->text, ",\"codes\":[");
    put_bytes(&w->text, t->at, t->len);
    put(&w->text, "]");
    vec_push(&w->mem, &w->codes, ((struct session_code){.hash = hash, .text = arena_strndup(&w->mem, t->at, t->len)}));
    return w->codes.len - 1;
}

static void put_machine(struct session_writer *w, const struct meter_report *r)
{
    struct session_text *t = &w->lines;
    bool first = true;
    putf(t, ",\"machine\":{\"code\":%u,\"insts\":[", code_of(w, r));
    for (u32 i = 0; i < r->nmachine; i++) {
        const struct meter_machine *m = &r->machine[i];
        if (!m->issued)
            continue;
        putf(t, "%s[%u,%" PRIu64, first ? "" : ",", i, m->issued);
        for (u32 k = 0; k < STALL_COUNT; k++)
            if (m->stalls[k])
                putf(t, ",%u,%" PRIu64, EVENT_stall_SELECTED + k, m->stalls[k]);
        put(t, "]");
        first = false;
    }
    put(t, "]}");
}

/* Whether rows that are written are those of l, whose first `lines` bytes are the lines. A launch that has the modelled numbers of
 * another one has no machine code of its own: with the same lines it has the other's. */
static bool same_rows(const char *rows, const struct session_text *l, size_t lines)
{
    if (l->len > lines)
        return !strcmp(rows, l->at);
    return !strncmp(rows, l->at, lines) && (!rows[lines] || rows[lines] == ',');
}

static void put_lines(struct session_writer *w, const struct meter_report *r)
{
    struct session_text *l = &w->lines;
    const u32 first = w->sites.len;
    l->len = 0;
    put(l, "[");
    for (u32 k = 0; k < r->nlines; k++) {
        put(l, k ? ",[" : "[");
        put_u64(l, site_of(w, &r->lines[k]));
        put_events(l, r->lines[k].n, false);
        put(l, "]");
    }
    put(l, "]");
    const size_t lines = l->len;
    if (r->nmachine)
        put_machine(w, r);
    if (l->failed)
        return;
    put_sites(w, first);
    const u64 hash = hash_bytes(0xcbf29ce484222325ull, l->at, lines);
    for (u32 k = 0; k < w->rows.len; k++)
        if (w->row_hashes.at[k] == hash && same_rows(w->rows.at[k], l, lines)) {
            putf(&w->text, ",\"lines_as\":%u", k);
            return;
        }
    put(&w->text, ",\"lines\":");
    put_bytes(&w->text, l->at, l->len);
    if (w->rows.len == ROWS_KEPT)
        return;
    vec_push(&w->mem, &w->rows, arena_strndup(&w->mem, l->at, l->len));
    vec_push(&w->mem, &w->row_hashes, hash);
}

/* ---- the parts of a record ---- */

static void put_process(struct session_text *t, const char *gpu)
{
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    putf(t, ",\"process\":{\"pid\":%ld,\"path\":", (long)getpid());
    put_string(t, path);
    put(t, ",\"gpu\":");
    put_string(t, gpu);
    put(t, "}");
}

static void put_names(struct session_text *t)
{
    put(t, ",\"metric_names\":[");
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        put(t, i ? "," : "");
        put_string(t, metric_info(i)->name);
    }
    put(t, "],\"event_names\":[");
    for (u32 e = 0; e < EVENT_COUNT; e++) {
        put(t, e ? "," : "");
        put_string(t, event_name(e));
    }
    put(t, "]");
}

static void put_metrics(struct session_text *t, const struct meter_report *r)
{
    static const char letters[] = "cmet";
    char kinds[METRIC_COUNT + 1];
    put(t, ",\"values\":[");
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        put(t, i ? "," : "");
        put_number(t, r->metrics[i].value);
        kinds[i] = letters[r->metrics[i].kind & 3];
    }
    kinds[METRIC_COUNT] = 0;
    put(t, "],\"kinds\":\"");
    put(t, kinds);
    put(t, "\"");
}

/* Which grid launched it and how many it launched; left out if neither applies. */
static void put_family(struct session_text *t, const struct meter_report *r)
{
    if (r->depth)
        putf(t, ",\"parent\":%" PRIu64 ",\"root\":%" PRIu64 ",\"depth\":%u", r->parent, r->root, r->depth);
    if (r->children)
        putf(t, ",\"children\":%u", r->children);
}

/* Only where they were asked for. */
static void put_pictures(struct session_text *t, const struct meter_report *r)
{
    if (r->npictures)
        put(t, ",\"pictures\":[");
    for (u32 k = 0; k < r->npictures; k++) {
        const struct meter_picture *p = &r->pictures[k];
        put(t, k ? ",{\"file\":" : "{\"file\":");
        put_string(t, p->file);
        putf(t, ",\"line\":%u,\"ptx_line\":%u,\"space\":\"%s\",\"op\":\"%s\",\"size\":%u,\"addresses\":[", p->line,
             p->ptx_line, p->space, p->op, p->size);
        for (u32 lane = 0; lane < 32; lane++) {
            put(t, lane ? "," : "");
            if (p->mask >> lane & 1)
                put_u64(t, p->addr[lane]);
            else
                put(t, "null");
        }
        put(t, "]}");
    }
    put(t, r->npictures ? "]" : "");
}

static void put_launch(struct session_text *t, const struct meter_report *r)
{
    put(t, "{\"type\":\"launch\",\"id\":");
    put_u64(t, r->id);
    put(t, ",\"name\":");
    put_string(t, r->kernel);
    putf(t, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]", r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1],
         r->block[2]);
    if (r->cluster[0])
        putf(t, ",\"cluster\":[%u,%u,%u]", r->cluster[0], r->cluster[1], r->cluster[2]);
    putf(t, ",\"static_shared\":%u,\"dynamic_shared\":%u,\"device\":", r->static_shared, r->dynamic_shared);
    put_string(t, r->device);
    putf(t, ",\"ordinal\":%u,\"cc\":[%u,%u],\"context\":%" PRIu64 ",\"stream\":%" PRIu64 ",\"sequence\":%" PRIu64,
         r->ordinal, r->cc[0], r->cc[1], r->context, r->stream, r->sequence);
    put(t, ",\"status\":");
    put_string(t, r->status);
    put(t, ",\"seconds\":");
    put_number(t, r->seconds);
    putf(t, ",\"occupancy\":{\"blocks_per_sm\":%u,\"limiter\":\"%s\"}", r->occupancy.blocks_per_sm,
         occupancy_limiter_name(r->occupancy.limiter));
    put_family(t, r);
    if (r->modelled_as)
        putf(t, ",\"modelled_as\":%" PRIu64, r->modelled_as);
    if (r->unlike)
        put(t, ",\"unlike\":true");
}

static void write_record(struct session_writer *w, const struct meter_report *r)
{
    struct session_text *t = &w->text;
    put_launch(t, r);
    if (!w->started && w->with_process)
        put_process(t, w->gpu);
    if (!w->started)
        put_names(t);
    put_metrics(t, r);
    put(t, ",\"events\":[");
    put_events(t, r->n, true);
    put(t, "]");
    put_lines(w, r);
    put_pictures(t, r);
    put(t, "}\n");
}

void session_writer_free(struct session_writer *w)
{
    arena_free(&w->mem);
    ls_free(w->text.at);
    ls_free(w->lines.at);
    ls_free(w->code.at);
    *w = (struct session_writer){.mem = {.name = "session"}, .with_process = w->with_process};
}

bool session_write(struct session_writer *w, const struct meter_report *r)
{
    w->mem.name = "session";
    w->text.len = 0;
    if (!setjmp(w->mem.oom)) {
        write_record(w, r);
        w->started = true;
        if (!w->text.failed && !w->lines.failed && !w->code.failed)
            return true;
    }
    session_writer_free(w);
    return false;
}

char *session_print(const struct meter_report *r)
{
    struct session_writer w = {0};
    char *text = NULL;
    if (session_write(&w, r)) {
        text = w.text.at;
        text[w.text.len - 1] = 0;
        w.text.at = NULL;
    }
    session_writer_free(&w);
    return text;
}
