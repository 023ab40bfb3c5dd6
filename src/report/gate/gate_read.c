/* gate_read.c - a baseline from its text (report/line_reader.h). */
#include <math.h>
#include <string.h>

#include "base/likeness.h"
#include "report/gate/gate.h"
#include "report/line_reader.h"

struct reader {
    struct gate_baseline *to;
    struct gate_kernel *kernel;
    VEC(struct gate_line) lines; /* of the kernel */
    bool format;                 /* it said its format */
    bool foreign;                /* before that, something that no baseline says */
};

/* ---- lines ---- */

static void sizes(struct line_reader *r, const char *what, u32 out[3])
{
    int n = 0;
    line_ended(r);
    if (sscanf(r->at, "%ux%ux%u%n", &out[0], &out[1], &out[2], &n) != 3 || (r->at[n] && r->at[n] != ' '))
        line_complain(r, "%s needs three sizes, as 64x1x1", what);
    else
        r->at += n;
}

/* "gld_requests", "registers~". */
static int metric(struct line_reader *r, const char *name)
{
    char bare[80];
    const char *near = NULL;
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "~*"), name);
    for (u32 m = 0; m < GATE_METRICS; m++) {
        if (!strcmp(gate_metric_info((enum gate_metric)m)->name, bare))
            return (int)m;
        likeness_keep(&near, bare, gate_metric_info((enum gate_metric)m)->name);
    }
    line_back(r, name);
    line_complain(r, "there is no metric '%s'%s%s%s", bare, near ? "; the nearest is '" : "", near ? near : "",
                  near ? "'" : "");
    return -1;
}

static void value(struct line_reader *r, const char *name, double v[GATE_METRICS])
{
    const int m = metric(r, name);
    if (m >= 0)
        v[m] = line_number(r, name);
}

static void end_kernel(struct reader *g)
{
    if (!g->kernel)
        return;
    g->kernel->lines = g->lines.at;
    g->kernel->nlines = g->lines.len;
    memset(&g->lines, 0, sizeof g->lines);
    g->kernel = NULL;
}

static void read_kernel(struct line_reader *r, struct reader *g, bool copies)
{
    end_kernel(g);
    struct gate_kernel *k = g->kernel = arena_new(r->mem, struct gate_kernel);
    k->copies = copies;
    k->at = r->line;
    k->name = line_quoted(r, copies ? "the direction" : "the kernel's name");
    k->function = gate_function(r->mem, k->name);
    k->v[GATE_time_ns] = k->v[GATE_dram_bytes] = g->to->model && !copies ? 0 : NAN;
    while (!line_ended(r)) {
        const char *name = line_word(r);
        if (!strcmp(name, "grid"))
            sizes(r, "grid", k->grid);
        else if (!strcmp(name, "block"))
            sizes(r, "block", k->block);
        else if (!strcmp(name, "limit*"))
            k->limit = line_quoted(r, "the limit");
        else
            value(r, name, k->v);
    }
    if (!copies && !r->wrong && (!k->grid[0] || !k->block[0]))
        line_complain(r, "the kernel has no grid or no block");
    vec_push(r->mem, &g->to->kernels, k);
}

static void read_line(struct line_reader *r, struct reader *g)
{
    struct gate_line l = {0};
    if (!g->kernel) {
        line_complain(r, "a line stands below its kernel, and there is none above this one");
        return;
    }
    l.file = l.path = line_quoted(r, "the file's name");
    if (!*l.file)
        l.file = l.path = NULL;
    l.line = line_count(r, "line");
    while (!line_ended(r)) {
        const char *name = line_word(r);
        if (!strcmp(name, "text"))
            l.text = line_quoted(r, "the line's text");
        else
            value(r, name, l.v);
    }
    vec_push(r->mem, &g->lines, l);
}

static void read_format(struct line_reader *r, struct reader *g)
{
    g->format = true;
    const double format = line_number(r, "format");
    if (!r->wrong && format != GATE_FORMAT)
        line_complain(r, "this is format %g, and this Lockstep knows format %d: record it again", format, GATE_FORMAT);
}

static void read_command(struct line_reader *r, struct reader *g)
{
    VEC(char *) words = {0};
    while (!line_ended(r))
        vec_push(r->mem, &words, (char *)line_word(r));
    vec_push(r->mem, &words, NULL);
    g->to->command = words.len > 1 ? words.at : NULL;
}

static void read_model(struct line_reader *r, struct reader *g)
{
    const char *said = line_word(r);
    if (strcmp(said, "yes") != 0 && strcmp(said, "no") != 0)
        line_complain(r, "model is yes or no");
    g->to->model = !strcmp(said, "yes");
}

static void read_tolerance(struct line_reader *r, struct reader *g)
{
    const char *name = line_word(r);
    const int m = metric(r, name);
    if (m >= 0)
        g->to->tolerance[m] = (struct gate_tolerance){true, line_number(r, name)};
}

static void read_one(struct line_reader *r, void *ctx)
{
    struct reader *g = ctx;
    struct gate_baseline *b = g->to;
    const char *name = line_word(r);
    if (!strcmp(name, "kernel"))
        read_kernel(r, g, false);
    else if (!strcmp(name, "copies"))
        read_kernel(r, g, true);
    else if (!strcmp(name, "line"))
        read_line(r, g);
    else if (!strcmp(name, "format"))
        read_format(r, g);
    else if (!strcmp(name, "gpu"))
        b->gpu = line_quoted(r, "the GPU");
    else if (!strcmp(name, "lockstep"))
        b->version = line_quoted(r, "the version");
    else if (!strcmp(name, "compiler"))
        b->compiler = line_quoted(r, "the compiler");
    else if (!strcmp(name, "command"))
        read_command(r, g);
    else if (!strcmp(name, "select"))
        b->select = line_quoted(r, "the filter");
    else if (!strcmp(name, "model"))
        read_model(r, g);
    else if (!strcmp(name, "strict"))
        b->strict = true;
    else if (!strcmp(name, "tolerance"))
        read_tolerance(r, g);
    else if (!g->format) {
        g->foreign = true;
        r->at += strlen(r->at);
    } else {
        line_back(r, name);
        line_complain(r, "a baseline has no lines that begin with '%.40s'", name);
    }
}

enum ls_status gate_read(struct arena *mem, const char *path, struct gate_baseline *out, struct diag_list *diags)
{
    struct line_reader r = {.mem = mem, .diags = diags, .file = path};
    struct reader g = {.to = out};
    *out = (struct gate_baseline){.file = path};
    const enum ls_status status = line_read_file(&r, read_one, &g);
    end_kernel(&g);
    if (status == LS_ERR_IO || (g.format && !g.foreign) || diags->errors)
        return status;
    diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path},
             "this is no baseline of `lockstep gate`: it has no line `format %d`", GATE_FORMAT);
    return LS_ERR_SYNTAX;
}
