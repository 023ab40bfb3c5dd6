/* baseline_text.c - a comparison as text: a table of the kernels' times, and for each kernel what moved. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "model/interval.h"
#include "report/baseline.h"
#include "report/ncu/ncu.h"

static const char *number(struct arena *mem, double v)
{
    char text[48];
    ncu_number(v, text);
    return arena_printf(mem, "%s", text);
}

/* What the interval of the ratio says. */
static const char *verdict(double ratio, const struct ratio_interval *i)
{
    return isnan(ratio) ? "" : ratio == 1 ? "same" : i->high < 1 ? "faster" : i->low > 1 ? "slower" : "open";
}

static void put_time(struct ncu_table *t, const char *name, const struct baseline_kernel *k, const struct ncu_unit *u)
{
    const double ratio = baseline_ratio(k);
    const struct ratio_interval i = baseline_interval(k);
    const bool known = !isnan(ratio) && ratio != 1;
    ncu_table_row(t, (const char *[NCU_COLUMNS]){name, arena_printf(t->mem, "%u", k->launches),
                                                 number(t->mem, k->side[BASELINE_OLD].ns / u->divisor),
                                                 number(t->mem, k->side[BASELINE_NEW].ns / u->divisor),
                                                 isnan(ratio) ? "n/a" : arena_printf(t->mem, "%.2f", ratio),
                                                 known ? arena_printf(t->mem, "%.2f to %.2f", i.low, i.high) : "",
                                                 verdict(ratio, &i)});
}

static void put_times(FILE *out, struct arena *mem, const struct baseline *b, enum kernel_base base, bool base_units)
{
    const struct baseline_kernel all = baseline_sum(b);
    const struct ncu_unit u = ncu_unit_for("ns", all.side[BASELINE_OLD].ns, !base_units);
    const u32 pairs = baseline_pairs(b);
    struct ncu_table t = {.mem = mem, .columns = 7};
    char name[4096];
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Kernel", "Launches", arena_printf(mem, "Old %s", u.name),
                                                  arena_printf(mem, "New %s", u.name), "New/Old", "Interval", "Time"});
    for (u32 i = 0; i < b->n; i++)
        put_time(&t, kernel_name(b->kernels[i].side[BASELINE_NEW].kernel, base, name, sizeof name), &b->kernels[i], &u);
    if (b->n > 1)
        put_time(&t, "all", &all, &u);
    fprintf(out, "    Section: Time by Kernel\n");
    ncu_table_print(out, &t);
    ncu_wrap(
        out, "    Kinds ",
        pairs ? arena_printf(
                    mem,
                    "modelled: times, ratios. Interval: eight in ten of %u measured pairs of kernels that do the same "
                    "work have a ratio so near; open: it has 1 in it",
                    pairs)
              : "modelled: times, ratios. Interval: a guess, not yet measured; open: it has 1 in it");
}

static void put_changes(FILE *out, struct arena *mem, const struct baseline_kernel *k, enum kernel_base base)
{
    struct baseline_change changes[BASELINE_CHANGES];
    const u32 n = baseline_changes(k, changes);
    struct ncu_table t = {.mem = mem, .columns = 5};
    char name[4096];
    fprintf(out, "\n  %s\n", kernel_name(k->side[BASELINE_NEW].kernel, base, name, sizeof name));
    for (u32 s = 0; s < BASELINE_SIDES; s++)
        if (strcmp(k->side[s].status, "ok") != 0)
            fprintf(out, "    WRN   The %s kernel ended with %s: what is compared is what it did until then\n",
                    s == BASELINE_OLD ? "older" : "newer", k->side[s].status);
    if (!n) {
        fputs("    No counter moved by 5 %.\n", out);
        return;
    }
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"What Moved", "Metric Unit", "Old", "New", "Change"});
    for (u32 i = 0; i < n; i++) {
        const struct baseline_change *c = &changes[i];
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){
                              c->label, c->unit, number(mem, c->was), number(mem, c->is),
                              c->was > 0 ? arena_printf(mem, "%+.0f%%", 100 * (c->is / c->was - 1)) : ""});
    }
    ncu_table_print(out, &t);
}

static void put_rest(FILE *out, struct arena *mem, const struct baseline *b, u32 side, enum kernel_base base)
{
    const char *text = NULL;
    char name[4096];
    for (u32 i = 0; i < b->nrest[side]; i++) {
        const struct baseline_rest *r = &b->rest[side][i];
        const char *one = arena_printf(mem, "%s (%u launch%s)", kernel_name(r->kernel, base, name, sizeof name),
                                       r->launches, r->launches == 1 ? "" : "es");
        text = text ? arena_printf(mem, "%s, %s", text, one) : one;
    }
    if (text)
        ncu_wrap(out, "  ", arena_printf(mem, "Only in %s: %s", b->files[side], text));
}

void baseline_text(FILE *out, struct arena *mem, const struct baseline *b, enum kernel_base name, bool base_units)
{
    fprintf(out, "  Old: %s\n  New: %s\n", b->files[BASELINE_OLD], b->files[BASELINE_NEW]);
    put_times(out, mem, b, name, base_units);
    for (u32 i = 0; i < b->n; i++)
        put_changes(out, mem, &b->kernels[i], name);
    if (b->nrest[BASELINE_OLD] || b->nrest[BASELINE_NEW])
        fputc('\n', out);
    put_rest(out, mem, b, BASELINE_OLD, name);
    put_rest(out, mem, b, BASELINE_NEW, name);
}
