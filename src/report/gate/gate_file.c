/* gate_file.c - a baseline as text: one fact a line in front, then a line a kernel and shape, and below each kernel its source
 * lines. docs/gate.md has the format. */
#include <math.h>
#include <string.h>

#include "report/gate/gate.h"
#include "report/line_reader.h"

/* Estimates end in ~ and what a model says in *. */
static const char *mark_of(enum gate_metric m)
{
    return m == GATE_time_ns || m == GATE_dram_bytes                      ? "*"
           : m == GATE_registers || m == GATE_occupancy || m == GATE_inst ? "~"
                                                                          : "";
}

static void put_values(FILE *out, const double v[GATE_METRICS])
{
    for (u32 m = 0; m < GATE_METRICS; m++)
        if (isfinite(v[m]) && v[m] != 0)
            fprintf(out, " %s%s %.15g", gate_metric_info((enum gate_metric)m)->name, mark_of((enum gate_metric)m),
                    v[m]);
}

static void put_sizes(FILE *out, const char *name, const u32 n[3])
{
    fprintf(out, " %s %ux%ux%u", name, n[0], n[1], n[2]);
}

static void put_kernel(FILE *out, const struct gate_kernel *k)
{
    fputs(k->copies ? "copies " : "\nkernel ", out);
    line_put_quoted(out, k->name);
    if (!k->copies) {
        put_sizes(out, "grid", k->grid);
        put_sizes(out, "block", k->block);
    }
    put_values(out, k->v);
    if (k->limit) {
        fputs(" limit* ", out);
        line_put_quoted(out, k->limit);
    }
    fputc('\n', out);
}

static void put_line(FILE *out, const struct gate_line *l)
{
    fputs("  line ", out);
    line_put_quoted(out, l->file ? l->file : "");
    fprintf(out, " %u", l->line);
    put_values(out, l->v);
    if (l->text) {
        fputs(" text ", out);
        line_put_quoted(out, l->text);
    }
    fputc('\n', out);
}

static void put_named(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%s ", name);
    line_put_quoted(out, text);
    fputc('\n', out);
}

void gate_write(FILE *out, const struct gate_baseline *b)
{
    fprintf(out, "# What the kernels of a program do, for `lockstep gate check`. ~ estimated, * modelled.\nformat %u\n",
            GATE_FORMAT);
    put_named(out, "gpu", b->gpu);
    put_named(out, "lockstep", b->version);
    put_named(out, "compiler", b->compiler);
    if (b->command) {
        fputs("command", out);
        for (char **word = b->command; *word; word++) {
            fputc(' ', out);
            line_put_quoted(out, *word);
        }
        fputc('\n', out);
    }
    put_named(out, "select", b->select);
    fprintf(out, "model %s\n%s", b->model ? "yes" : "no", b->strict ? "strict\n" : "");
    for (u32 m = 0; m < GATE_METRICS; m++)
        if (b->tolerance[m].given)
            fprintf(out, "tolerance %s %.15g\n", gate_metric_info((enum gate_metric)m)->name, b->tolerance[m].percent);
    for (u32 i = 0; i < b->kernels.len; i++) {
        const struct gate_kernel *k = b->kernels.at[i];
        put_kernel(out, k);
        for (u32 l = 0; l < k->nlines; l++)
            put_line(out, &k->lines[l]);
    }
}
