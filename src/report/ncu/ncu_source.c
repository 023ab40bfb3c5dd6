/* ncu_source.c - the source page: the user's source, line by line, with what each line's instructions did; or the PTX.
 * Without the file (source_file.h says where it is looked for) the lines that were executed stand there without text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/limit.h"
#include "report/ncu/ncu.h"
#include "report/source_file.h"
#include "report/warp_state.h"

/* ---- columns ---- */

static double sectors(const struct meter_line *l) { return (double)limit_sectors(l).sectors; }
static double ideal(const struct meter_line *l) { return (double)limit_sectors(l).ideal; }
static double excessive(const struct meter_line *l) { return sectors(l) - ideal(l); }

static double sum(const struct meter_line *l, enum event_id a, enum event_id b, enum event_id c)
{
    return (double)(l->n[a] + l->n[b] + l->n[c]);
}

static double wavefronts(const struct meter_line *l)
{
    return sum(l, EVENT_sld_wavefronts, EVENT_sst_wavefronts, EVENT_satom_wavefronts) +
           (double)l->n[EVENT_gmma_wavefronts];
}

static double conflicts(const struct meter_line *l)
{
    return sum(l, EVENT_sld_conflicts, EVENT_sst_conflicts, EVENT_satom_conflicts);
}

static double ideal_wavefronts(const struct meter_line *l) { return wavefronts(l) - conflicts(l); }
static double instructions(const struct meter_line *l) { return (double)l->n[EVENT_inst]; }
static double thread_instructions(const struct meter_line *l) { return (double)l->n[EVENT_thread_inst]; }
static double requests(const struct meter_line *l)
{
    return sum(l, EVENT_gld_requests, EVENT_gst_requests, EVENT_gasync_requests);
}

static double threads(const struct meter_line *l)
{
    return l->n[EVENT_inst] ? (double)l->n[EVENT_thread_inst] / (double)l->n[EVENT_inst] : 0;
}

static double divergent(const struct meter_line *l) { return (double)l->n[EVENT_divergent]; }

/* `name` heads the column in CSV; `heading` in text, where a column is narrow; NULL: the column is in CSV only. */
static const struct {
    const char *name, *heading;
    double (*value)(const struct meter_line *l);
} columns[] = {
    {"# Instructions Executed", "Inst", instructions},
    {"Thread Instructions Executed", NULL, thread_instructions},
    {"Avg. Threads Executed", "Threads", threads},
    {"Divergent Branches", NULL, divergent},
    {"L1 Tag Requests Global", "Gl.Req", requests},
    {"L2 Theoretical Sectors Global", "Sectors", sectors},
    {"L2 Theoretical Sectors Global Ideal", "Ideal", ideal},
    {"L2 Theoretical Sectors Global Excessive", NULL, excessive},
    {"L1 Wavefronts Shared", "Sh.Wavef", wavefronts},
    {"L1 Wavefronts Shared Ideal", NULL, ideal_wavefronts},
    {"L1 Wavefronts Shared Excessive", "Conflicts", conflicts},
};
enum { WIDTH = 10, STALL_WIDTH = 18 };

/* ---- time: in front of the other columns, where an SM was replayed ---- */

/* What all lines of a launch cost together. */
struct spent {
    double cycles;  /* of warps; 0: nothing was replayed */
    double samples; /* NaN: not known */
};

static struct spent spent_of(const struct meter_report *r)
{
    return (struct spent){(double)stall_cycles(r->n), meter_value(r, METRIC_samples)};
}

/* A line's part of the warps' time; 0 without a replay. */
static double share(const struct meter_line *l, const struct spent *s)
{
    return l && s->cycles > 0 ? (double)stall_cycles(l->n) / s->cycles : 0;
}

static const char *reason_of(const struct meter_line *l)
{
    double part;
    const enum stall_reason reason = l ? warp_state_largest(l->n, &part) : STALL_COUNT;
    return reason < STALL_COUNT ? stall_name(reason) : "";
}

static void put_time_text(FILE *out, const struct meter_line *l, const struct spent *s)
{
    char samples[48];
    const double part = share(l, s);
    if (!(s->cycles > 0))
        return;
    ncu_number(round(part * s->samples), samples);
    fprintf(out, " %*s", WIDTH, part > 0 ? samples : "");
    if (part > 0)
        fprintf(out, " %*.1f", WIDTH, 100 * part);
    else
        fprintf(out, " %*s", WIDTH, "");
    fprintf(out, " %*s", STALL_WIDTH, reason_of(l));
}

static void put_time_csv(FILE *out, const struct meter_line *l, const struct spent *s)
{
    char samples[48] = "n/a", percent[48] = "n/a";
    if (s->cycles > 0) {
        ncu_number(round(share(l, s) * s->samples), samples);
        ncu_number(100 * share(l, s), percent);
    }
    report_csv_field(out, samples, false);
    report_csv_field(out, percent, false);
    report_csv_field(out, reason_of(l), false);
}

/* What is to be said of a line: that it costs a tenth of the time, what it wastes; "" when there is nothing. */
static void mark(const struct meter_line *l, const struct spent *s, char *out, size_t size)
{
    out[0] = 0;
    if (share(l, s) >= 0.1)
        snprintf(out, size, "%.0f%% of the time", 100 * share(l, s));
    const size_t m = strlen(out);
    if (sectors(l) > 1.1 * ideal(l))
        snprintf(out + m, size - m, "%s%.1fx the sectors", m ? ", " : "", sectors(l) / ideal(l));
    const size_t n = strlen(out);
    if (conflicts(l) > 0.1 * ideal_wavefronts(l))
        snprintf(out + n, size - n, "%s%.0f%% conflicts", n ? ", " : "", 100 * conflicts(l) / wavefronts(l));
    const size_t k = strlen(out);
    if (threads(l) > 0 && threads(l) < 16)
        snprintf(out + k, size - k, "%s%.1f of 32 threads", k ? ", " : "", threads(l));
}

/* ---- rows ---- */

static void text_row(FILE *out, u32 line, const struct meter_line *l, const struct spent *s, const char *text)
{
    char number[48], marks[160] = "";
    fprintf(out, "    %5u", line);
    put_time_text(out, l, s);
    for (size_t c = 0; c < LS_ARRAY_LEN(columns); c++) {
        const double v = l ? columns[c].value(l) : 0;
        if (!columns[c].heading)
            continue;
        ncu_number(v == floor(v) ? v : round(v * 100) / 100, number);
        fprintf(out, " %*s", WIDTH, v != 0 ? number : "");
    }
    if (l)
        mark(l, s, marks, sizeof marks);
    fprintf(out, "  %c%s%s", *marks ? '!' : ' ', *text ? " " : "", text);
    if (*marks)
        fprintf(out, "  <- %s", marks);
    fputc('\n', out);
}

static void csv_row(FILE *out, u32 line, const struct meter_line *l, const struct spent *s, const char *text)
{
    char number[48], marks[160] = "";
    snprintf(number, sizeof number, "%u", line);
    report_csv_field(out, number, true);
    report_csv_field(out, text, false);
    put_time_csv(out, l, s);
    for (size_t c = 0; c < LS_ARRAY_LEN(columns); c++) {
        ncu_number(l ? columns[c].value(l) : 0, number);
        report_csv_field(out, number, false);
    }
    if (l)
        mark(l, s, marks, sizeof marks);
    report_csv_field(out, marks, false);
    fputc('\n', out);
}

/* The page of one launch. */
struct page {
    FILE *out;
    const struct ncu_report *r;
    struct spent spent;
};

static void put_row(const struct page *p, u32 line, const struct meter_line *l, const char *text)
{
    (p->r->o->csv ? csv_row : text_row)(p->out, line, l, &p->spent, text);
}

static void put_heading(const struct page *p, const char *file)
{
    FILE *out = p->out;
    const struct ncu_report *r = p->r;
    if (r->o->csv) {
        report_csv_field(out, "#", true);
        report_csv_field(out, "Source", false);
        report_csv_field(out, "Warp Stall Sampling (All Samples)", false);
        report_csv_field(out, "Warp Time (%)", false);
        report_csv_field(out, "Largest Stall Reason", false);
        for (size_t c = 0; c < LS_ARRAY_LEN(columns); c++)
            report_csv_field(out, columns[c].name, false);
        report_csv_field(out, "Information", false);
        fputc('\n', out);
        return;
    }
    fprintf(out, "    File: %s\n    %5s", file, "Line");
    if (p->spent.cycles > 0)
        fprintf(out, " %*s %*s %*s", WIDTH, "Samples", WIDTH, "Time %", STALL_WIDTH, "Stall");
    for (size_t c = 0; c < LS_ARRAY_LEN(columns); c++)
        if (columns[c].heading)
            fprintf(out, " %*s", WIDTH, columns[c].heading);
    fputs("    Source\n", out);
}

/* ---- one launch ---- */

/* The rows of one file: `lines` are n that belong to it, by line. With the file's text, each with some lines around it;
 * as CSV the whole file. */
static void put_file(const struct page *p, const struct source_file *s, const struct meter_line *lines, u32 n)
{
    enum { AROUND = 3 };
    put_heading(p, s->file);
    for (u32 i = 0; i < n && !s->lines; i++)
        put_row(p, lines[i].line, &lines[i], i ? "" : "(the file was not found; --source-folders names folders)");
    u32 at = 0, last = 0; /* last: the line printed last */
    for (u32 line = 1; line <= s->n; line++) {
        while (at < n && lines[at].line < line)
            at++;
        const bool here = at < n && lines[at].line == line, soon = at < n && lines[at].line - line <= AROUND;
        const bool was = at > 0 && line - lines[at - 1].line <= AROUND;
        if (!here && !soon && !was && !p->r->o->csv)
            continue;
        if (last && last + 1 != line)
            fputs("      ...\n", p->out);
        put_row(p, line, here ? &lines[at] : NULL, s->lines[line - 1]);
        last = line;
    }
    for (u32 i = 0; i < n && s->lines; i++)
        if (lines[i].line > s->n)
            put_row(p, lines[i].line, &lines[i], "(the file has no such line: it was changed)");
}

static void put_ptx(const struct page *p, const struct meter_line *lines, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        if (!i || strcmp(lines[i].function, lines[i - 1].function) != 0)
            put_heading(p, arena_printf(p->r->tmp, "PTX of %s", lines[i].function));
        put_row(p, lines[i].ptx_line, &lines[i], lines[i].ptx ? lines[i].ptx : "");
    }
}

static void put_lines(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, struct source_file **all)
{
    u32 n;
    const struct meter_line *lines = meter_source_lines(l->r, r->tmp, &n);
    const struct page page = {out, r, spent_of(l->r)};
    const struct source_folders where = {r->o->folders, l->process->path};
    bool any = false;
    for (u32 i = 0, next; i < n && !r->o->ptx_source; i = next) {
        for (next = i + 1; next < n && lines[i].file && lines[next].file && !strcmp(lines[i].file, lines[next].file);)
            next++;
        while (i < next && !lines[i].line) /* the compiler gives what it made itself the line 0 */
            i++;
        if (i == next || !lines[i].file)
            continue;
        any = true;
        put_file(&page, source_file(r->mem, all, &where, lines[i].file), lines + i, next - i);
    }
    if (!any)
        put_ptx(&page, l->r->lines, l->r->nlines);
    if (!any && !r->o->ptx_source && !r->o->csv)
        fputs("    There are no source lines: compile with -lineinfo. This is the PTX.\n", out);
}

void ncu_source(FILE *out, const struct ncu_report *r)
{
    struct source_file *all = NULL;
    for (u32 i = 0; i < r->n; i++) {
        char name[4096];
        const struct ncu_launch *l = &r->launches[i];
        const struct meter_report *m = l->r;
        kernel_name(m->kernel, r->o->name, name, sizeof name);
        if (r->o->csv) {
            report_csv_field(out, "Kernel Name", true);
            report_csv_field(out, name, false);
            fputc('\n', out);
        } else {
            fprintf(out,
                    "  %s (%u, %u, %u)x(%u, %u, %u), Context %" PRIu64 ", Stream %" PRIu64 ", Device 0, CC %u.%u\n",
                    name, m->grid[0], m->grid[1], m->grid[2], m->block[0], m->block[1], m->block[2], m->context,
                    m->stream, m->cc[0], m->cc[1]);
        }
        put_lines(out, r, l, &all);
        fputc('\n', out);
        arena_free(r->tmp);
    }
}
