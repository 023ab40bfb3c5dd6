/* check_baseline.c - see check_baseline.h. */
#include "report/check/check_baseline.h"

#include <stdlib.h>
#include <string.h>

#include "report/line_reader.h"

enum { TEXT_MOST = 200 };

/* ---- a finding as it is known ---- */

/* Without blanks in front, with single ones inside: a change of the indentation is none. */
static const char *words_of(struct arena *mem, const char *line)
{
    char out[TEXT_MOST + 1];
    size_t n = 0;
    for (; *line && n < TEXT_MOST; line++) {
        const bool blank = *line == ' ' || *line == '\t' || *line == '\r';
        if (!blank || (n && out[n - 1] != ' '))
            out[n++] = blank ? ' ' : *line;
    }
    while (n && out[n - 1] == ' ')
        n--;
    return arena_strndup(mem, out, n);
}

static struct check_known_place place_of(struct arena *mem, const struct check_paths *paths, const char *file, u32 line)
{
    char text[4096];
    struct check_known_place p = {"", 0, ""};
    if (!file || !line)
        return p;
    p.file = check_base_name(file);
    p.line = line;
    if (check_source_line(paths, file, line, text, sizeof text))
        p.text = words_of(mem, text);
    return p;
}

static struct check_known_place call_place(struct arena *mem, const struct check_paths *paths,
                                           const struct check_call *call)
{
    const struct check_frame *f = check_site(call);
    return place_of(mem, paths, f ? f->file : NULL, f ? f->line : 0);
}

static struct check_known known_of(struct arena *mem, const struct check_paths *paths, const struct check_record *f)
{
    char name[4096];
    struct check_known k = {.kind = f->kind, .what = "", .at = {"", 0, ""}, .other = {"", 0, ""}};
    if (f->has_at && f->at.kernel) {
        k.what = arena_printf(mem, "%s", kernel_name(f->at.kernel, KERNEL_FUNCTION, name, sizeof name));
        k.at = place_of(mem, paths, f->at.file, f->at.line);
    } else if (f->call.api) {
        k.what = f->call.api;
    }
    if (!*k.at.file)
        k.at = call_place(mem, paths, &f->call);
    if (!*k.at.file)
        k.at = call_place(mem, paths, &f->made);
    if (f->has_other)
        k.other = place_of(mem, paths, f->other.file, f->other.line);
    return k;
}

static bool same_place(const struct check_known_place *a, const struct check_known_place *b)
{
    if (strcmp(a->file, b->file) != 0)
        return false;
    return *a->text && *b->text ? !strcmp(a->text, b->text) : a->line == b->line;
}

static bool same(const struct check_known *a, const struct check_known *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->what, b->what) && same_place(&a->at, &b->at) &&
           same_place(&a->other, &b->other);
}

/* ---- applying ---- */

struct applying {
    struct check_baseline *b;
    const struct check_paths *paths;
    u32 known;
};

static bool is_new(void *ctx, const struct check_record *f)
{
    struct applying *a = ctx;
    const struct check_known k = known_of(a->b->mem, a->paths, f);
    bool found = false;
    for (u32 i = 0; i < a->b->known.len; i++)
        if (same(&a->b->known.at[i], &k))
            found = a->b->known.at[i].found = true;
    a->known += found;
    return !found;
}

u32 check_baseline_apply(struct check_baseline *b, struct check_report *r, const struct check_paths *paths)
{
    struct applying a = {b, paths, 0};
    check_report_filter(r, is_new, &a);
    return a.known;
}

u32 check_baseline_gone(const struct check_baseline *b)
{
    u32 n = 0;
    for (u32 i = 0; i < b->known.len; i++)
        n += !b->known.at[i].found;
    return n;
}

/* ---- the file ---- */

static struct check_known_place read_place(struct line_reader *r)
{
    struct check_known_place p;
    p.file = line_quoted(r, "the file's name");
    p.line = line_count(r, "the line");
    p.text = line_quoted(r, "the line's text");
    return p;
}

static void read_finding(struct line_reader *r, struct check_baseline *b)
{
    enum finding_kind kind;
    struct check_known k = {.other = {"", 0, ""}};
    k.kind = line_word(r);
    if (!finding_by_name(k.kind, &kind))
        line_complain(r, "there is no kind of findings '%.60s' (lockstep check --list)", k.kind);
    k.what = line_quoted(r, "the kernel or call");
    k.at = read_place(r);
    if (!line_ended(r))
        k.other = read_place(r);
    vec_push(r->mem, &b->known, k);
}

struct reading {
    struct check_baseline *b;
    bool format, foreign; /* foreign: before the format, something that no baseline says */
};

static void read_one(struct line_reader *r, void *ctx)
{
    struct reading *g = ctx;
    const char *name = line_word(r);
    if (!strcmp(name, "finding")) {
        read_finding(r, g->b);
    } else if (!strcmp(name, "format")) {
        g->format = true;
        if (line_number(r, "format") != CHECK_BASELINE_FORMAT)
            line_complain(r, "this Lockstep knows format %d: save it again", CHECK_BASELINE_FORMAT);
    } else if (!g->format) {
        g->foreign = true;
        r->at += strlen(r->at);
    } else {
        line_complain(r, "a baseline has no lines that begin with '%.40s'", name);
    }
}

enum ls_status check_baseline_read(struct arena *mem, const char *path, struct check_baseline *out,
                                   struct diag_list *diags)
{
    struct line_reader r = {.mem = mem, .diags = diags, .file = path};
    struct reading g = {.b = out};
    *out = (struct check_baseline){.mem = mem, .file = path};
    const enum ls_status status = line_read_file(&r, read_one, &g);
    if (status == LS_ERR_IO || (g.format && !g.foreign) || diags->errors)
        return status;
    diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path},
             "this is no baseline of `lockstep check`: it has no line `format %d`", CHECK_BASELINE_FORMAT);
    return LS_ERR_SYNTAX;
}

static int by_text(const void *a, const void *b)
{
    const struct check_known *x = a, *y = b;
    const int kind = strcmp(x->kind, y->kind), what = strcmp(x->what, y->what), file = strcmp(x->at.file, y->at.file);
    return kind ? kind : what ? what : file ? file : (x->at.line > y->at.line) - (x->at.line < y->at.line);
}

static void put_place(FILE *out, const struct check_known_place *p)
{
    fputc(' ', out);
    line_put_quoted(out, p->file);
    fprintf(out, " %u ", p->line);
    line_put_quoted(out, p->text);
}

void check_baseline_write(FILE *out, struct arena *mem, const struct check_report *r, const struct check_paths *paths)
{
    struct check_known *all = arena_array(mem, struct check_known, r->findings.len + 1);
    for (u32 i = 0; i < r->findings.len; i++)
        all[i] = known_of(mem, paths, r->findings.at[i]);
    if (r->findings.len)
        qsort(all, r->findings.len, sizeof *all, by_text);
    fprintf(out, "# Findings that are known, for `lockstep check --baseline`.\nformat %d\n", CHECK_BASELINE_FORMAT);
    for (u32 i = 0; i < r->findings.len; i++) {
        if (i && same(&all[i - 1], &all[i]))
            continue;
        fprintf(out, "finding %s ", all[i].kind);
        line_put_quoted(out, all[i].what);
        put_place(out, &all[i].at);
        if (*all[i].other.file)
            put_place(out, &all[i].other);
        fputc('\n', out);
    }
}
