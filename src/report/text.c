/* text.c - the table for people: a line a rung, at most 140 columns, short headings and a legend for them. */
#include <math.h>
#include <string.h>

#include "report/report.h"

struct column {
    const char *group, *heading;
    i32 width; /* without the mark and the space */
    enum metric_id metric;
    u32 decimals;
};

static const struct column counters[] = {
    {"global load", "requests", 8, METRIC_gld_requests, 0},
    {"", "s/req", 5, METRIC_gld_sectors_per_request, 2},
    {"global store", "requests", 8, METRIC_gst_requests, 0},
    {"", "s/req", 5, METRIC_gst_sectors_per_request, 2},
    {"shared load", "conflict", 8, METRIC_sld_conflicts, 0},
    {"", "wavefrnt", 8, METRIC_sass_sld_wavefronts, 0},
    {"shared store", "conflict", 8, METRIC_sst_conflicts, 0},
    {"", "wavefrnt", 8, METRIC_sass_sst_wavefronts, 0},
    {"branch", "unif%", 5, METRIC_branch_uniformity, 1},
    {"", "barriers", 8, METRIC_barriers, 0},
    {"", "occ%", 5, METRIC_max_warps_pct, 1},
};

const char *report_verdict(const struct lab_result *r)
{
    static const char *const words[] = {"right", "WRONG", "FAULT", "n/a", "failed"};
    if (r->rung->broken && r->verdict != LAB_UNSUPPORTED)
        return r->caught ? "caught" : "MISSED";
    return words[r->verdict];
}

static i32 name_width(const struct report *r)
{
    i32 width = 4;
    for (u32 i = 0; i < r->n; i++) {
        i32 n = (i32)strlen(r->results[i].rung->name);
        width = n > width ? n : width;
    }
    return width;
}

static void put_name(FILE *out, const struct lab_result *r, i32 width)
{
    fprintf(out, "%-*s  %-6s", width, r->rung->name, report_verdict(r));
}

static void put_error(FILE *out, const struct lab_result *r)
{
    if (r->verdict == LAB_UNSUPPORTED || r->verdict == LAB_FAULT || r->verdict == LAB_FAILED)
        fprintf(out, " %7s", "-");
    else if (r->check.worst == 0)
        fprintf(out, " %7s", "0");
    else
        fprintf(out, " %7.1e", r->check.worst);
}

/* A value of the report, marked with what it is: ~ estimated, ' modelled. */
static void put_metric(FILE *out, const struct column *c, const struct meter_report *report)
{
    static const char *const marks[] = {" ", "'", "~"};
    double v = report ? meter_value(report, c->metric) : NAN;
    const char *mark = isnan(v) ? " " : marks[report->metrics[c->metric].kind];
    bool last = c == &counters[LS_ARRAY_LEN(counters) - 1] && mark[0] == ' ';
    if (isnan(v))
        fprintf(out, " %*s%s", c->width, "-", last ? "" : mark);
    else
        fprintf(out, " %*.*f%s", c->width, (int)(v == floor(v) ? 0 : c->decimals), v, last ? "" : mark);
}

static void put_headings(FILE *out, i32 width)
{
    fprintf(out, "%-*s  %-6s %7s", width, "", "", "");
    for (u32 i = 0; i < LS_ARRAY_LEN(counters); i++) {
        bool two = i + 1 < LS_ARRAY_LEN(counters) && counters[i].group[0] && !counters[i + 1].group[0] && i < 8;
        if (two)
            fprintf(out, "  %-*s", counters[i].width + counters[i + 1].width + 2, counters[i].group);
        else if (i >= 8 && counters[i].group[0])
            fprintf(out, " %*s", counters[i].width, counters[i].group);
    }
    fprintf(out, "\n%-*s  %-6s %7s", width, "rung", "result", "error");
    for (u32 i = 0; i < LS_ARRAY_LEN(counters); i++)
        fprintf(out, " %*s%s", counters[i].width, counters[i].heading, i + 1 < LS_ARRAY_LEN(counters) ? " " : "");
    fputc('\n', out);
}

static void counter_table(FILE *out, const struct report *r)
{
    i32 width = name_width(r);
    put_headings(out, width);
    for (u32 i = 0; i < r->n; i++) {
        put_name(out, &r->results[i], width);
        put_error(out, &r->results[i]);
        for (u32 k = 0; k < LS_ARRAY_LEN(counters); k++)
            put_metric(out, &counters[k], r->results[i].report);
        fputc('\n', out);
    }
}

static void time_table(FILE *out, const struct report *r)
{
    i32 width = name_width(r);
    double first = 0;
    fprintf(out, "%-*s  %-6s %7s %12s %10s %8s\n", width, "rung", "result", "error", "median us", "GB/s", "ratio");
    for (u32 i = 0; i < r->n; i++) {
        const struct lab_result *x = &r->results[i];
        put_name(out, x, width);
        put_error(out, x);
        if (x->milliseconds > 0) {
            first = first > 0 ? first : x->milliseconds;
            fprintf(out, " %12.2f %10.1f %8.2f", x->milliseconds * 1e3, x->gigabytes_per_s, first / x->milliseconds);
        }
        fputc('\n', out);
    }
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->n == b->n && a->rows == b->rows && a->cols == b->cols && a->bx == b->bx && a->by == b->by && a->k == b->k &&
           a->batch == b->batch;
}

static void put_shape(FILE *out, const struct family *f, const struct shape *s)
{
    if (f->matrix)
        fprintf(out, "%u x %u", s->rows, s->cols);
    else
        fprintf(out, "n = %llu", (unsigned long long)s->n);
    if (f->third)
        fprintf(out, ", %s %u", f->third, s->k);
    if (f->batched)
        fprintf(out, ", batch %u", s->batch);
    fprintf(out, ", block %u x %u", s->bx, s->by);
}

void report_text(FILE *out, const struct report *r)
{
    fprintf(out, "%s: %s\n", r->family->name, r->family->about);
    fprintf(out, "on %s%s; ", r->gpu ? "" : "Lockstep's ", r->device);
    for (u32 i = 0; i < r->n; i++) {
        if (i && same_shape(&r->results[i].shape, &r->results[i - 1].shape))
            continue;
        if (i)
            fprintf(out, "; %s on: ", r->results[i].rung->name);
        put_shape(out, r->family, &r->results[i].shape);
    }
    fputs("\n\n", out);
    if (r->gpu)
        time_table(out, r);
    else
        counter_table(out, r);
    fputc('\n', out);
}

void report_legend(FILE *out, bool gpu)
{
    fputs("result: right, when as the CPU reference has it, at awkward sizes too, and nothing else was written\n"
          "error: the largest of an element; caught, MISSED: a rung that is broken on purpose\n",
          out);
    if (gpu) {
        fputs("median: of 20 launches after 3, by events; GB/s: bytes that the task must move; ratio: to the first "
              "rung\n",
              out);
        return;
    }
    const char *group = "";
    for (u32 i = 0; i < LS_ARRAY_LEN(counters); i++) {
        const struct metric_info *m = metric_info(counters[i].metric);
        group = counters[i].group[0] ? counters[i].group : i < 8 ? group : "";
        fprintf(out, "%-12s %-8s  %s\n", group, counters[i].heading, m->name);
    }
    fputs("unmarked: counted, equal to a GPU's noise-free counter; ~ estimated: depends on the machine code\n", out);
}

static void put_finding(FILE *out, const struct lab_result *r, const struct lab_finding *f)
{
    fprintf(out, "%s:%u: %s: ", f->path, f->line, r->rung->name);
    if (f->error)
        fprintf(out, "%s: %s\n", f->metric, f->error);
    else
        fprintf(out, "%s is %.10g, expected %s %.10g (%s)\n", f->metric, f->got, f->relation, f->want, f->formula);
}

void report_problems(FILE *out, const struct report *r)
{
    bool any = false;
    for (u32 i = 0; i < r->n; i++) {
        const struct lab_result *x = &r->results[i];
        const char *twin = x->rung->broken ? "broken/" : "";
        if (x->text[0])
            fprintf(out, "%s/%s%s: %s: %s\n", r->family->name, twin, x->rung->name,
                    x->rung->broken ? report_verdict(x) : lab_verdict_name(x->verdict), x->text);
        else if (x->rung->broken && !x->caught && x->verdict != LAB_UNSUPPORTED)
            fprintf(out, "%s/%s%s: MISSED: it passed for right\n", r->family->name, twin, x->rung->name);
        for (u32 k = 0; k < x->nfindings; k++)
            put_finding(out, x, &x->findings[k]);
        any |= x->text[0] || x->nfindings;
    }
    if (any)
        fputc('\n', out);
}
