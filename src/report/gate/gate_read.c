/* gate_read.c - a baseline from its text. Words are separated by blanks, texts stand in quotes; an error names line and column,
 * and the rest of its line is left out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "report/gate/gate.h"

struct reader {
    struct arena *mem;
    struct gate_baseline *to;
    struct diag_list *diags;
    const char *text, *at; /* the line, and where in it */
    u32 line;
    bool wrong; /* something in this line was */
    struct gate_kernel *kernel;
    VEC(struct gate_line) lines; /* of the kernel */
};

static void LS_PRINTF(2, 3) complain(struct reader *r, const char *fmt, ...)
{
    va_list args;
    if (r->wrong)
        return;
    r->wrong = true;
    const struct diag_place at = {r->to->file, r->line, (u32)(r->at - r->text) + 1};
    va_start(args, fmt);
    char said[400];
    vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
    struct diag *d = diag_add(r->diags, DIAG_ERROR, at, "%s", said);
    if (d)
        diag_set_source(r->diags, d, r->text, strlen(r->text));
}

/* ---- words ---- */

static bool at_end(struct reader *r)
{
    r->at += strspn(r->at, " \t\r");
    return !*r->at || r->wrong;
}

/* The next word, which may stand in quotes; "" at the end. */
static const char *word(struct reader *r)
{
    if (at_end(r))
        return "";
    if (*r->at != '"') {
        const size_t n = strcspn(r->at, " \t\r");
        r->at += n;
        return arena_strndup(r->mem, r->at - n, n);
    }
    char *out = arena_alloc(r->mem, strlen(r->at) + 1), *to = out;
    const char *from = r->at + 1;
    for (; *from && *from != '"'; from++) {
        from += *from == '\\' && from[1];
        *to++ = *from;
    }
    if (*from)
        r->at = from + 1;
    else
        complain(r, "the text has no closing quote");
    return out;
}

static const char *quoted(struct reader *r, const char *what)
{
    if (at_end(r) || *r->at != '"')
        complain(r, "%s is missing, in quotes", what);
    return word(r);
}

static double number(struct reader *r, const char *what)
{
    char *end;
    if (at_end(r)) {
        complain(r, "%s has no number", what);
        return 0;
    }
    const double v = strtod(r->at, &end);
    if (end == r->at || (*end && !strchr(" \t\r", *end)) || !isfinite(v) || v < 0)
        complain(r, "%s needs a number that is not negative", what);
    else
        r->at = end;
    return v;
}

static void sizes(struct reader *r, const char *what, u32 out[3])
{
    int n = 0;
    at_end(r);
    if (sscanf(r->at, "%ux%ux%u%n", &out[0], &out[1], &out[2], &n) != 3 || (r->at[n] && r->at[n] != ' '))
        complain(r, "%s needs three sizes, as 64x1x1", what);
    else
        r->at += n;
}

/* ---- lines ---- */

/* "gld_requests", "registers~". */
static int metric(struct reader *r, const char *name)
{
    char bare[80];
    const char *near = NULL;
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "~*"), name);
    for (u32 m = 0; m < GATE_METRICS; m++) {
        if (!strcmp(gate_metric_info((enum gate_metric)m)->name, bare))
            return (int)m;
        likeness_keep(&near, bare, gate_metric_info((enum gate_metric)m)->name);
    }
    r->at -= strlen(name);
    complain(r, "there is no metric '%s'%s%s%s", bare, near ? "; the nearest is '" : "", near ? near : "",
             near ? "'" : "");
    return -1;
}

static void value(struct reader *r, const char *name, double v[GATE_METRICS])
{
    const int m = metric(r, name);
    if (m >= 0)
        v[m] = number(r, name);
}

static void end_kernel(struct reader *r)
{
    if (!r->kernel)
        return;
    r->kernel->lines = r->lines.at;
    r->kernel->nlines = r->lines.len;
    memset(&r->lines, 0, sizeof r->lines);
    r->kernel = NULL;
}

static void read_kernel(struct reader *r, bool copies)
{
    end_kernel(r);
    struct gate_kernel *k = r->kernel = arena_new(r->mem, struct gate_kernel);
    k->copies = copies;
    k->at = r->line;
    k->name = quoted(r, copies ? "the direction" : "the kernel's name");
    k->function = gate_function(r->mem, k->name);
    k->v[GATE_time_ns] = k->v[GATE_dram_bytes] = r->to->model && !copies ? 0 : NAN;
    while (!at_end(r)) {
        const char *name = word(r);
        if (!strcmp(name, "grid"))
            sizes(r, "grid", k->grid);
        else if (!strcmp(name, "block"))
            sizes(r, "block", k->block);
        else if (!strcmp(name, "limit*"))
            k->limit = quoted(r, "the limit");
        else
            value(r, name, k->v);
    }
    if (!copies && !r->wrong && (!k->grid[0] || !k->block[0]))
        complain(r, "the kernel has no grid or no block");
    vec_push(r->mem, &r->to->kernels, k);
}

static void read_line(struct reader *r)
{
    struct gate_line l = {0};
    if (!r->kernel) {
        complain(r, "a line stands below its kernel, and there is none above this one");
        return;
    }
    l.file = l.path = quoted(r, "the file's name");
    if (!*l.file)
        l.file = l.path = NULL;
    l.line = (u32)number(r, "line");
    while (!at_end(r)) {
        const char *name = word(r);
        if (!strcmp(name, "text"))
            l.text = quoted(r, "the line's text");
        else
            value(r, name, l.v);
    }
    vec_push(r->mem, &r->lines, l);
}

static void read_format(struct reader *r)
{
    const double format = number(r, "format");
    if (!r->wrong && format != GATE_FORMAT)
        complain(r, "this is format %g, and this Lockstep knows format %d: record it again", format, GATE_FORMAT);
}

static void read_command(struct reader *r)
{
    VEC(char *) words = {0};
    while (!at_end(r))
        vec_push(r->mem, &words, (char *)word(r));
    vec_push(r->mem, &words, NULL);
    r->to->command = words.len > 1 ? words.at : NULL;
}

static void read_model(struct reader *r)
{
    const char *said = word(r);
    if (strcmp(said, "yes") != 0 && strcmp(said, "no") != 0)
        complain(r, "model is yes or no");
    r->to->model = !strcmp(said, "yes");
}

static void read_tolerance(struct reader *r)
{
    const char *name = word(r);
    const int m = metric(r, name);
    if (m >= 0)
        r->to->tolerance[m] = (struct gate_tolerance){true, number(r, name)};
}

static void read_one(struct reader *r)
{
    if (at_end(r) || *r->at == '#')
        return;
    const char *name = word(r);
    struct gate_baseline *b = r->to;
    if (r->line > 1 && !strcmp(name, "kernel"))
        read_kernel(r, false);
    else if (!strcmp(name, "copies"))
        read_kernel(r, true);
    else if (!strcmp(name, "line"))
        read_line(r);
    else if (!strcmp(name, "format"))
        read_format(r);
    else if (!strcmp(name, "gpu"))
        b->gpu = quoted(r, "the GPU");
    else if (!strcmp(name, "lockstep"))
        b->version = quoted(r, "the version");
    else if (!strcmp(name, "compiler"))
        b->compiler = quoted(r, "the compiler");
    else if (!strcmp(name, "command"))
        read_command(r);
    else if (!strcmp(name, "select"))
        b->select = quoted(r, "the filter");
    else if (!strcmp(name, "model"))
        read_model(r);
    else if (!strcmp(name, "strict"))
        b->strict = true;
    else if (!strcmp(name, "tolerance"))
        read_tolerance(r);
    else {
        r->at -= strlen(name);
        complain(r, "a baseline has no lines that begin with '%.40s'", name);
    }
    if (!r->wrong && !at_end(r))
        complain(r, "there is more in the line than it should have");
}

enum ls_status gate_read(struct arena *mem, const char *path, struct gate_baseline *out, struct diag_list *diags)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    struct reader r = {.mem = mem, .to = out, .diags = diags};
    bool format = false;
    *out = (struct gate_baseline){.file = path};
    FILE *f = fopen(path, "re");
    if (!f) {
        diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "%s", strerror(errno));
        return LS_ERR_IO;
    }
    while ((n = getline(&line, &room, f)) >= 0) {
        line[strcspn(line, "\n")] = 0;
        r.text = r.at = arena_printf(mem, "%s", line);
        r.line++;
        r.wrong = false;
        format |= !strncmp(line, "format ", 7);
        read_one(&r);
    }
    end_kernel(&r);
    free(line);
    fclose(f);
    if (!format && !diags->errors)
        diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path},
                 "this is no baseline of `lockstep gate`: it has no line `format %d`", GATE_FORMAT);
    return diags->errors ? LS_ERR_SYNTAX : LS_OK;
}
