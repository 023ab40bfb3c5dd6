/* text.c - the table for people: a line a rung, at most 140 columns, short headings and a legend for them. */
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/report.h"
#include "report/times.h"

const char *report_verdict(const struct lab_result *r)
{
    static const char *const words[] = {"right", "WRONG", "FAULT", "n/a", "failed"};
    if (r->rung->broken && r->verdict != LAB_UNSUPPORTED)
        return r->caught ? "caught" : "MISSED";
    return words[r->verdict];
}

i32 report_name_width(const struct report *r)
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

/* A value, marked with what it is: ~ estimated, ' modelled, * measured here. */
static void put_value(FILE *out, const struct column *c, const struct lab_result *r, bool last)
{
    static const char marks[] = {' ', '\'', '~', '*'};
    enum metric_kind kind;
    double v = column_value(c, r, &kind);
    if (isnan(v))
        fprintf(out, " %*s%s", c->width, "-", last ? "" : " ");
    else
        fprintf(out, " %*.*f%.*s", c->width, (int)(v == floor(v) ? 0 : c->decimals), v,
                last && kind == METRIC_COUNTED ? 0 : 1, &marks[kind]);
}

/* The width of a group: of its columns that follow without a group of their own. */
static i32 group_width(const struct family *f, u32 first)
{
    const char *key = column_at(first)->key;
    i32 width = -1;
    for (u32 i = first; column_at(i) && strcmp(column_at(i)->key, key) == 0; i++)
        width += column_wanted(f, column_at(i)) ? column_at(i)->width + 2 : 0;
    return width;
}

/* The groups' names over their columns, then the columns' own. */
static void put_headings(FILE *out, const struct family *f, i32 width)
{
    fprintf(out, "%-*s  %-6s %7s", width, "", "", "");
    for (u32 i = 0; column_at(i); i++) {
        const struct column *c = column_at(i);
        const bool first = i == 0 || strcmp(column_at(i - 1)->key, c->key) != 0;
        if (first && column_wanted(f, c))
            fprintf(out, "  %-*s", group_width(f, i) - 1, c->group);
    }
    fprintf(out, "\n%-*s  %-6s %7s", width, "rung", "result", "error");
    const char *sep = " ";
    for (u32 i = 0; column_at(i); i++)
        if (column_wanted(f, column_at(i)))
            fprintf(out, "%s%*s", sep, column_at(i)->width, column_at(i)->heading), sep = "  ";
    fputc('\n', out);
}

static void counter_table(FILE *out, const struct report *r)
{
    i32 width = report_name_width(r);
    u32 last = 0;
    for (u32 k = 0; column_at(k); k++)
        last = column_wanted(r->family, column_at(k)) ? k : last;
    put_headings(out, r->family, width);
    for (u32 i = 0; i < r->n; i++) {
        put_name(out, &r->results[i], width);
        put_error(out, &r->results[i]);
        for (u32 k = 0; column_at(k); k++)
            if (column_wanted(r->family, column_at(k)))
                put_value(out, column_at(k), &r->results[i], k == last);
        fputc('\n', out);
    }
}

/* The rest of a line of which `used` characters are written: parts with commas between, broken before column 140. */
static void put_parts(FILE *out, i32 used, const char *text)
{
    i32 column = used;
    while (*text) {
        const char *end = strstr(text, ", ");
        const i32 n = end ? (i32)(end - text) + 1 : (i32)strlen(text);
        if (column > used && column + 1 + n > 140)
            column = fprintf(out, "\n%*s", used, "") - 1;
        else if (column > used)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", n, text);
        text += n;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* Against which rung, and what changed; nothing for the first. */
static void put_causes(FILE *out, const struct report *r)
{
    i32 width = report_name_width(r);
    bool any = false;
    for (u32 i = 0; i < r->n; i++) {
        const struct lab_result *x = &r->results[i], *before = cause_partner(r->results, r->n, x);
        char text[400];
        if (!before || x->verdict != LAB_RIGHT || x->rung->broken)
            continue;
        if (!cause_text(before, x, text, sizeof text))
            snprintf(text, sizeof text, "no counter moved by 5 %%");
        fputs(any ? "" : "\n", out);
        put_parts(out, fprintf(out, "%-*s  against %s: ", width, x->rung->name, before->rung->name), text);
        any = true;
    }
}

static void time_table(FILE *out, const struct report *r)
{
    i32 width = report_name_width(r);
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
    return shape_same_sizes(a, b) && a->bx == b->bx && a->by == b->by;
}

void report_text(FILE *out, const struct report *r)
{
    char shape[160];
    fprintf(out, "%s: %s\n", r->family->name, r->family->about);
    fprintf(out, "on %s%s; ", r->gpu ? "" : "Lockstep's ", r->device);
    for (u32 i = 0; i < r->n; i++) {
        if (i && same_shape(&r->results[i].shape, &r->results[i - 1].shape))
            continue;
        if (i)
            fprintf(out, "\n  %s on: ", r->results[i].rung->name);
        lab_shape_text(r->family, &r->results[i].shape, shape, sizeof shape);
        fputs(shape, out);
    }
    fputs("\n\n", out);
    if (r->gpu)
        time_table(out, r);
    else {
        counter_table(out, r);
        times_text(out, r);
        put_causes(out, r);
    }
    fputc('\n', out);
}

static bool used(const struct report *r, u32 n, const struct column *c)
{
    for (u32 i = 0; i < n; i++)
        if (column_wanted(r[i].family, c))
            return true;
    return false;
}

void report_legend(FILE *out, const struct report *r, u32 n)
{
    fputs("result: right, when as the CPU reference has it, at awkward sizes too, and nothing else was written\n"
          "error: the largest of an element; caught, MISSED: a rung that is broken on purpose\n",
          out);
    if (r->gpu) {
        fputs("median: of 20 launches after 3, by events; GB/s: bytes that the task must move; ratio: to the first "
              "rung\n",
              out);
        return;
    }
    const char *group = "";
    for (u32 i = 0; column_at(i); i++) {
        const struct column *c = column_at(i);
        group = c->group[0] || i == 0 || strcmp(column_at(i - 1)->key, c->key) != 0 ? c->group : group;
        if (used(r, n, c))
            fprintf(out, "%-13s %-8s  %s\n", group, c->heading, column_name(c));
    }
    fputs("unmarked: counted, equal to a GPU's noise-free counter; ' modelled; ~ estimated: depends on the machine "
          "code;\n"
          "* measured by clocks\n",
          out);
    times_legend(out, r, n);
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
