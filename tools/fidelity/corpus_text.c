/* corpus_text.c - the corpus's section of docs/fidelity.md, and README.md's line about it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

static const char *const way_names[CORPUS_WAYS] = {"with ptxas", "without ptxas"};

static struct corpus_pick all_of(enum corpus_half half)
{
    return (struct corpus_pick){.half = half, .from_ns = 0, .below_ns = CORPUS_NO_END};
}
static struct corpus_pick longer_of(enum corpus_half half)
{
    return (struct corpus_pick){.half = half, .from_ns = CORPUS_SHORT_NS, .below_ns = CORPUS_NO_END};
}
static struct corpus_pick shorter_of(enum corpus_half half)
{
    return (struct corpus_pick){.half = half, .from_ns = 0, .below_ns = CORPUS_SHORT_NS};
}

/* " | | |" of nothing, or three errors. */
static void put_spread(struct spread s, int digits, const char *unit)
{
    if (!s.n)
        printf(" | | |");
    else
        printf(" %.*f %s | %.*f %s | %.*f %s |", digits, s.median, unit, digits, s.mean, unit, digits, s.nine_in_ten,
               unit);
}

static void put_alignment(u32 numbers)
{
    printf("| --- |");
    for (u32 i = 0; i < numbers; i++)
        printf(" ---: |");
    printf("\n");
}

static double percent(struct tally t) { return t.n ? 100.0 * t.right / t.n : NAN; }

/* ---- what was modelled ---- */

static u32 modelled_count_of(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    return corpus_time_error(c, p, way).n;
}

/* Cases of a half that were not modelled: "bits/sha256_search (2)". */
static void put_missing(const struct corpus *c, enum corpus_half half, enum corpus_way way)
{
    enum { SHOWN = 24 };
    const struct corpus_pick all = all_of(half);
    const u32 n = corpus_count(c, &all), there = modelled_count_of(c, &all, way);
    printf("%s%u of %u launches %s", way ? ", " : "", there, n, way_names[way]);
    if (there == n || n - there > SHOWN)
        return;
    printf(" (not:");
    bool first = true;
    for (u32 i = 0; i < c->n; i++) {
        const struct corpus_row *r = &c->rows[i];
        if (r->half != half || r->model[way].row)
            continue;
        printf("%s %s/%s %s", first ? "" : ",", r->kind, r->name, r->size);
        first = false;
    }
    printf(")");
}

static void put_modelled(const struct corpus *c, enum corpus_half half)
{
    printf("Modelled: ");
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        put_missing(c, half, (enum corpus_way)way);
    u32 events = 0;
    for (u32 i = 0; i < c->n; i++)
        events += c->rows[i].half == half && c->rows[i].by_events;
    if (events)
        printf("; %u were timed by events, which takes some us more, as the profiler did not see them", events);
    printf(".\n");
}

/* ---- goals ---- */

struct goal {
    const char *what, *limit, *unit;
    int digits;
    double most, least; /* within these; NaN: no such end */
};

static void put_goal(const struct goal *g, const double *values)
{
    printf("| %s | %s |", g->what, g->limit);
    for (u32 way = 0; way < CORPUS_WAYS; way++) {
        const bool good = !(values[way] > g->most) && !(values[way] < g->least);
        if (isnan(values[way]))
            printf(" not measured | |");
        else
            printf(" %.*f%s | %s |", g->digits, values[way], g->unit, good ? "reached" : "**not reached**");
    }
    printf("\n");
}

enum goal_id { MEDIAN, MEAN, NINE, SHORT, ORDER, SECTORS, READS, WRITES, OCCUPANCY, STALL, WITHIN, GOALS };
static const struct goal goals[GOALS] = {
    [MEDIAN] = {"time, 5 us and more: median error", "8 % at most", " %", 1, 8, NAN},
    [MEAN] = {"time, 5 us and more: mean error", "13 % at most", " %", 1, 13, NAN},
    [NINE] = {"time, 5 us and more: nine in ten below", "25 % at most", " %", 1, 25, NAN},
    [SHORT] = {"time, under 5 us: mean distance", "0.7 us at most", " us", 2, 0.7, NAN},
    [ORDER] = {"pairs in the right order", "95 % at least", " %", 1, NAN, 95},
    [SECTORS] = {"sectors of L2: mean error", "5 % at most", " %", 1, 5, NAN},
    [READS] = {"bytes read from DRAM: mean error", "5 % at most", " %", 1, 5, NAN},
    [WRITES] = {"bytes written to DRAM: mean error", "15 % at most", " %", 1, 15, NAN},
    [OCCUPANCY] = {"achieved occupancy: mean error", "5 points at most", " points", 1, 5, NAN},
    [STALL] = {"the largest reason for stalls is the GPU's", "80 % at least", " %", 1, NAN, 80},
    [WITHIN] = {"times within the interval that is printed", "75 to 85 %", " %", 1, 85, 75},
};

static const char *const traffic[] = {[SECTORS] = "lts__t_sectors.sum",
                                      [READS] = "dram__bytes_read.sum",
                                      [WRITES] = "dram__bytes_write.sum",
                                      [OCCUPANCY] = "sm__warps_active.avg.pct_of_peak_sustained_active"};

static void reach(const struct corpus *c, enum corpus_half half, enum corpus_way way, double values[GOALS])
{
    const struct corpus_pick all = all_of(half), longer = longer_of(half), shorter = shorter_of(half);
    const struct spread time = corpus_time_error(c, &longer, way);
    values[MEDIAN] = time.median;
    values[MEAN] = time.mean;
    values[NINE] = time.nine_in_ten;
    values[SHORT] = corpus_time_distance(c, &shorter, way).mean;
    values[ORDER] = percent(corpus_order(c, &all, way));
    for (u32 g = SECTORS; g <= OCCUPANCY; g++) {
        u32 small;
        values[g] = corpus_metric_error(c, &all, way, traffic[g], false, &small).mean;
    }
    values[STALL] = percent(corpus_stalls(c, &all, way));
    values[WITHIN] = percent(corpus_within(c, &all, way));
}

static void put_goals(const struct corpus *c, enum corpus_half half)
{
    double values[CORPUS_WAYS][GOALS];
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        reach(c, half, (enum corpus_way)way, values[way]);
    printf("\n| what | goal | with ptxas | | without ptxas | |\n| --- | --- | ---: | --- | ---: | --- |\n");
    for (u32 g = 0; g < GOALS; g++)
        put_goal(&goals[g], (const double[]){values[CORPUS_PTXAS][g], values[CORPUS_PTX][g]});
}

/* ---- times ---- */

static void put_time_head(const char *what)
{
    printf("\n| %s | kernels |", what);
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        printf(" %s: median | mean | nine in ten below |", way_names[way]);
    printf("\n");
    put_alignment(1 + 3 * CORPUS_WAYS);
}

/* How many, and if some were not modelled how many were, way by way. */
static void put_kernels(const struct corpus *c, const struct corpus_pick *p)
{
    const u32 n = corpus_count(c, p);
    const u32 with = modelled_count_of(c, p, CORPUS_PTXAS), without = modelled_count_of(c, p, CORPUS_PTX);
    if (with == n && without == n)
        printf(" %u |", n);
    else if (with == without)
        printf(" %u of %u |", with, n);
    else
        printf(" %u and %u of %u |", with, without, n);
}

static void put_time_row(const struct corpus *c, const char *title, const struct corpus_pick *p)
{
    if (!corpus_count(c, p))
        return;
    printf("| %s |", title);
    put_kernels(c, p);
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        if (p->below_ns <= CORPUS_SHORT_NS)
            put_spread(corpus_time_distance(c, p, (enum corpus_way)way), 2, "us");
        else
            put_spread(corpus_time_error(c, p, (enum corpus_way)way), 1, "%");
    printf("\n");
}

static void put_sizes(const struct corpus *c, enum corpus_half half)
{
    const struct corpus_pick shorter = shorter_of(half), longer = longer_of(half);
    put_time_head("time on the GPU");
    put_time_row(c, "under 5 us", &shorter);
    put_time_row(c, "5 to 50 us", &(struct corpus_pick){half, NULL, CORPUS_SHORT_NS, CORPUS_LONG_NS});
    put_time_row(c, "50 us and more", &(struct corpus_pick){half, NULL, CORPUS_LONG_NS, CORPUS_NO_END});
    put_time_row(c, "all of 5 us and more", &longer);
}

static void put_kinds(const struct corpus *c, struct corpus_pick p, const char *title)
{
    put_time_head(title);
    for (u32 k = 0; k < corpus_nkinds; k++) {
        p.kind = corpus_kinds[k].name;
        put_time_row(c, p.kind, &p);
    }
}

static void put_times(const struct corpus *c, enum corpus_half half)
{
    put_sizes(c, half);
    put_kinds(c, longer_of(half), "kind, 5 us and more");
    put_kinds(c, shorter_of(half), "kind, under 5 us");
}

/* ---- counters ---- */

/* gpus: of launches of which the GPU counts enough. */
static void put_metric_row(const struct corpus *c, const struct corpus_pick *p, const char *metric, bool gpus)
{
    printf("| `%s`%s |", metric, gpus ? ", 1 MiB and more on the GPU" : "");
    for (u32 way = 0; way < CORPUS_WAYS; way++) {
        u32 small;
        const struct spread s = corpus_metric_error(c, p, (enum corpus_way)way, metric, gpus, &small);
        printf(" %u | %u |", s.n, small);
        put_spread(s, 1, strstr(metric, "pct") ? "points" : "%");
    }
    printf("\n");
}

/* What an H200 itself does another time otherwise. */
static void put_sectors(const struct corpus *c, const struct corpus_pick *p)
{
    const struct spread own = corpus_sectors_spread(c, p);
    printf("\nSectors of L2 are not the same from launch to launch: a GPU has some of its own, and fences where "
           "kernels call "
           "malloc and free\n(`tests/hw/h200/heap-fences.csv`). So each case was launched three times, and what is "
           "modelled "
           "is compared with the median of the\nthree (`corpus-sectors.csv`), from which they are %.1f %% off in the "
           "mean, "
           "nine in ten below %.1f %%. From the first launch alone,",
           own.mean, own.nine_in_ten);
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        printf("%s%.1f %% (%s)", way ? " and " : " what is modelled is\n",
               corpus_first_error(c, p, (enum corpus_way)way).mean, way_names[way]);
    printf(" off in the mean. Sectors that are read, written or\nof atomics are");
    for (u32 way = 0; way < CORPUS_WAYS; way++) {
        const struct spread s = corpus_sectors_error(c, p, (enum corpus_way)way);
        printf("%s %.1f %% off in the mean, %.1f %% in the median (%u, %s)", way ? ";" : "", s.mean, s.median, s.n,
               way_names[way]);
    }
    printf(".\n");
}

static void put_traffic(const struct corpus *c, enum corpus_half half)
{
    const struct corpus_pick all = all_of(half);
    printf("\n| metric |");
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        printf(" %s: kernels | left out | median | mean | nine in ten below |", way_names[way]);
    printf("\n");
    put_alignment(5 * CORPUS_WAYS);
    for (u32 g = SECTORS; g <= OCCUPANCY; g++)
        put_metric_row(c, &all, traffic[g], false);
    put_metric_row(c, &all, traffic[WRITES], true);
    put_metric_row(c, &all, "smsp__inst_executed.sum", false);
    printf("\nLeft out are launches for which both sides count little: below 16384 sectors of L2, 128 KiB read, 1 MiB "
           "written\n(in the last row: for which the GPU counts less than that). Kernels that launch kernels have sums "
           "and times "
           "alone: the GPU's profiler has\nthem and what they launch in one row, and so have these tables; the "
           "interval is of "
           "one launch.\n");
    put_sectors(c, &all);
}

static void put_tally(const char *what, struct tally t, bool nearly)
{
    if (!t.n) {
        printf("* %s: not measured\n", what);
        return;
    }
    printf("* %s: %u of %u (%.1f %%)", what, t.right, t.n, percent(t));
    if (nearly)
        printf("; or the GPU's second: %u (%.1f %%)", t.nearly, 100.0 * t.nearly / t.n);
    printf("\n");
}

static void put_tallies(const struct corpus *c, enum corpus_half half)
{
    const struct corpus_pick all = all_of(half);
    for (u32 way = 0; way < CORPUS_WAYS; way++) {
        char what[120];
        printf("%s", way ? "" : "\n");
        snprintf(what, sizeof what, "pairs of the same work, 10 %% apart on the GPU, in the right order, %s",
                 way_names[way]);
        put_tally(what, corpus_order(c, &all, (enum corpus_way)way), false);
        snprintf(what, sizeof what, "the largest reason for stalls is the GPU's, %s", way_names[way]);
        put_tally(what, corpus_stalls(c, &all, (enum corpus_way)way), true);
        snprintf(what, sizeof what, "the time is within the interval that is printed, %s", way_names[way]);
        put_tally(what, corpus_within(c, &all, (enum corpus_way)way), false);
    }
}

/* ---- the worst ---- */

enum { WORST = 20, REASONS_MAX = 200 };

static struct {
    char name[120], text[400];
} reasons[REASONS_MAX];
static u32 nreasons;

bool corpus_load_reasons(const char *path)
{
    char line[600];
    FILE *f = fopen(path, "r");
    bool good = f != NULL;
    for (nreasons = 0; good && fgets(line, sizeof line, f);) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        good = nreasons < REASONS_MAX &&
               sscanf(line, "%119s %399[^\n]", reasons[nreasons].name, reasons[nreasons].text) == 2;
        nreasons += good;
    }
    if (!good)
        fprintf(stderr, "%s: %s\n", path,
                f ? "a line is not 'kind/case reason', or there are too many" : "it cannot be read");
    if (f)
        fclose(f);
    return good;
}

static const char *reason_of(const struct corpus_row *r)
{
    char name[160];
    snprintf(name, sizeof name, "%.60s/%.90s", r->kind, r->name);
    for (u32 i = 0; i < nreasons; i++)
        if (!strcmp(reasons[i].name, name))
            return reasons[i].text;
    return "not looked into";
}

/* How far off, as a factor above 1. */
static double factor_of(const struct corpus_row *r)
{
    const double f = r->model[CORPUS_PTXAS].signs.ns / r->ns;
    return f > 1 ? f : 1 / f;
}

static int by_factor(const void *a, const void *b)
{
    const struct corpus_row *x = *(const struct corpus_row *const *)a, *y = *(const struct corpus_row *const *)b;
    const double f = factor_of(x), g = factor_of(y);
    return (f < g) - (f > g);
}

static void put_worst(const struct corpus *c, enum corpus_half half)
{
    static const struct corpus_row *far[TABLE_ROWS];
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++)
        if (c->rows[i].half == half && c->rows[i].ns >= CORPUS_SHORT_NS && c->rows[i].model[CORPUS_PTXAS].row)
            far[n++] = &c->rows[i];
    if (!n)
        return;
    qsort(far, n, sizeof far[0], by_factor);
    printf("\nThe %d launches of 5 us and more that are furthest off, with ptxas:\n\n"
           "| kernel | size | on the GPU | modelled | factor | why |\n| --- | ---: | ---: | ---: | ---: | --- |\n",
           n < WORST ? (int)n : WORST);
    for (u32 i = 0; i < n && i < WORST; i++)
        printf("| %s/%s | %s | %.1f us | %.1f us | %.2f | %s |\n", far[i]->kind, far[i]->name, far[i]->size,
               far[i]->ns / 1000, far[i]->model[CORPUS_PTXAS].signs.ns / 1000,
               far[i]->model[CORPUS_PTXAS].signs.ns / far[i]->ns, reason_of(far[i]));
}

/* ---- the section ---- */

static void put_kind_names(enum corpus_half half)
{
    bool first = true;
    for (u32 k = 0; k < corpus_nkinds; k++)
        if (corpus_kinds[k].half == half) {
            printf("%s%s", first ? "" : ", ", corpus_kinds[k].name);
            first = false;
        }
}

static void put_intro(const struct corpus *c, enum corpus_half half)
{
    const struct corpus_pick all = all_of(half);
    printf(
        "\n## Time on kernels that nothing was fitted on\n\n"
        "`tests/corpus` has kernels of %u kinds, each at three sizes. `tests/hw/h200/corpus.csv` is what an H200 took "
        "for the first launch of\neach, with cold caches; `corpus-modelled.csv` beside it is what Lockstep models with "
        "a ptxas, `corpus-modelled-ptx.csv` without one. Their\nheads say which versions made them. The kinds were "
        "parted in two before anything was fitted (`tests/corpus/corpus.def`): no constant\nof the model comes from "
        "the kinds of this table, which are ",
        corpus_nkinds);
    put_kind_names(half);
    printf(".\nThese are %u launches. The error of a time is |modelled / measured - 1|, or under 5 us |modelled - "
           "measured|.\n",
           corpus_count(c, &all));
}

static void put_fitted(const struct corpus *c)
{
    printf("\n### The kinds that were fitted on\n\nThe same of the half that constants of the model and its intervals "
           "come from: ");
    put_kind_names(CORPUS_FIT);
    printf(".\nThese errors flatter the model. ");
    put_modelled(c, CORPUS_FIT);
    put_times(c, CORPUS_FIT);
    put_traffic(c, CORPUS_FIT);
    put_tallies(c, CORPUS_FIT);
}

void corpus_put(const struct corpus *c, enum corpus_half counts)
{
    if (counts == CORPUS_TEST)
        put_intro(c, counts);
    else
        printf("Kinds that may be fitted on: no part of the document.\n");
    put_modelled(c, counts);
    put_goals(c, counts);
    put_times(c, counts);
    put_traffic(c, counts);
    put_tallies(c, counts);
    put_worst(c, counts);
    if (counts == CORPUS_TEST)
        put_fitted(c);
}

void corpus_put_other(const struct corpus *c, const char *gpu)
{
    printf("\n### The corpus on another GPU: %s\n\nNothing was fitted on this GPU: its file in `gpus/` and the model's "
           "constants are all that is known of it.\n",
           gpu);
    for (int half = CORPUS_TEST; half >= CORPUS_FIT; half--) {
        printf("\n%s. ", half == CORPUS_TEST ? "Kinds for tests" : "Kinds that were fitted on, on the H200");
        put_modelled(c, (enum corpus_half)half);
        put_sizes(c, (enum corpus_half)half);
        put_tallies(c, (enum corpus_half)half);
    }
}

/* Those of which something is modelled. */
static u32 kinds_compared(const struct corpus *c, struct corpus_pick p)
{
    u32 n = 0;
    for (u32 k = 0; k < corpus_nkinds; k++) {
        p.kind = corpus_kinds[k].name;
        n += corpus_time_error(c, &p, CORPUS_PTXAS).n > 0;
    }
    return n;
}

void corpus_put_line(const struct corpus *c)
{
    const struct corpus_pick longer = longer_of(CORPUS_TEST), all = all_of(CORPUS_TEST);
    const struct spread with = corpus_time_error(c, &longer, CORPUS_PTXAS);
    const struct spread without = corpus_time_error(c, &longer, CORPUS_PTX);
    if (!with.n || !without.n) {
        printf("* **Modelled times** are not yet compared with a GPU's for kernels that nothing was fitted on "
               "([docs/fidelity.md](docs/fidelity.md)).\n");
        return;
    }
    printf("* **Modelled times**, on %u launches of 5 us and more of %u kinds of kernels that nothing was fitted on: "
           "%.0f %% off in the\n  median, %.0f %% in the mean, nine in ten below %.0f %%, and %.0f of 100 pairs in the "
           "right order; without NVIDIA's ptxas %.0f %%, %.0f %%,\n  %.0f %% and %.0f "
           "([docs/fidelity.md](docs/fidelity.md)).\n",
           with.n, kinds_compared(c, longer), with.median, with.mean, with.nine_in_ten,
           percent(corpus_order(c, &all, CORPUS_PTXAS)), without.median, without.mean, without.nine_in_ten,
           percent(corpus_order(c, &all, CORPUS_PTX)));
}
