/* modelled.c - what is modelled beside what an H200 counted and measured: tests/hw/h200/memory.csv, whose rows are
 * found by family and rung. An error is relative, or in points where the metric is a percentage; sums that are small on
 * both sides say nothing about the model (every kernel reads some 90 sectors of instructions and constants) and are
 * left out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fidelity.h"

const struct model_column modelled_columns[] = {
    {"gpu__time_duration.sum", "time", 0},
    {"sm__cycles_elapsed.max", "cycles", 0},
    {"smsp__cycles_active.avg", "active cycles", 0},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy", 0},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM throughput", 0},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory throughput", 0},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM throughput", 0},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 throughput", 0},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1 throughput", 0},
    {"l1tex__t_sector_hit_rate.pct", "L1 hit rate", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "L1 load hits", 4096},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "L1 load misses", 4096},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "L1 store hits", 4096},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum", "L1 store misses", 4096},
    {"lts__t_sectors.sum", "L2 sectors", 16384},
    {"lts__t_sectors_srcunit_tex.sum", "L2 sectors from L1", 4096},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", "hits of those", 4096},
    {"lts__t_sectors_op_read.sum", "L2 reads", 4096},
    {"lts__t_sectors_op_read_lookup_hit.sum", "L2 read hits", 8192},
    {"lts__t_sectors_op_write.sum", "L2 writes", 4096},
    {"lts__t_sectors_op_atom.sum", "L2 atomics", 1024},
    {"lts__t_sectors_op_red.sum", "L2 reductions", 1024},
    {"lts__t_sector_hit_rate.pct", "L2 hit rate", 0},
    {"dram__bytes_read.sum", "DRAM bytes read", 131072},
    {"dram__bytes_write.sum", "DRAM bytes written", 1048576},
    {"smsp__inst_executed.sum", "instructions executed", 0},
};
const u32 modelled_count = LS_ARRAY_LEN(modelled_columns);
_Static_assert(LS_ARRAY_LEN(modelled_columns) <= MODELLED_MAX, "struct comparison");

u32 modelled_column(const char *metric)
{
    u32 c = 0;
    while (c + 1 < modelled_count && strcmp(modelled_columns[c].metric, metric) != 0)
        c++;
    return c;
}

static struct table memory;

bool modelled_load(const char *path) { return table_load(&memory, path); }
void modelled_free(void) { table_free(&memory); }

static u32 row_of(const struct subject *s)
{
    for (u32 row = 1; row < memory.rows; row++)
        if (!strcmp(table_cell(&memory, row, "family"), s->family->name) &&
            !strcmp(table_cell(&memory, row, "rung"), s->rung->name))
            return row;
    return 0;
}

void modelled_compare(const struct subject *s, const struct meter_report *r, struct pair pairs[MODELLED_MAX])
{
    const u32 row = memory.rows && s->scale == 1 ? row_of(s) : 0;
    for (u32 i = 0; i < modelled_count; i++) {
        const struct model_column *c = &modelled_columns[i];
        struct pair *p = &pairs[i];
        *p = (struct pair){.ours = meter_value_of(r, c->metric), .theirs = NAN, .noisy = NAN};
        if (row)
            p->theirs = table_value(&memory, row, c->metric);
        if (p->ours < c->least && p->theirs < c->least)
            p->theirs = NAN;
        if (row && !strcmp(c->metric, "lts__t_sector_hit_rate.pct") &&
            table_value(&memory, row, "lts__t_sectors.sum") < 16384)
            p->theirs = NAN; /* instructions and constants are most of it */
        if (row && !strstr(c->metric, ".sum") && table_value(&memory, row, "launches") != 1)
            p->theirs = NAN; /* recorded of one of the launches, ours is of all together */
    }
}

/* ---- errors ---- */

static bool is_points(const struct model_column *c) { return strstr(c->metric, "pct") != NULL; }

double modelled_error(const struct pair *p, u32 column)
{
    if (isnan(p->theirs) || isnan(p->ours))
        return NAN;
    if (is_points(&modelled_columns[column]))
        return fabs(p->ours - p->theirs);
    return p->theirs != 0 ? fabs(p->ours / p->theirs - 1) * 100 : p->ours != 0 ? 100 : 0;
}

/* The half of the kernels that the model of time was fitted on: those whose name's bytes have an even sum. */
static bool is_fitted(const struct comparison *c)
{
    u32 sum = 0;
    for (const char *s = c->subject.name; *s; s++)
        sum += (u8)*s;
    return sum % 2 == 0;
}

/* What no model of the device can tell: memory of the host, kernels that wait for each other. */
static bool is_left_out(const struct comparison *c)
{
    return c->polls || !strcmp(c->subject.name, "transfer/mapped") ||
           !strncmp(c->subject.name, "scan/scan_LookBack", 18);
}

/* Errors of a column, of one family or of all (NULL), ascending. */
static u32 errors_of(const struct comparison *rows, u32 n, u32 column, const struct family *family, double *out)
{
    u32 m = 0;
    for (u32 k = 0; k < n; k++) {
        const double e = modelled_error(&rows[k].modelled[column], column);
        if (rows[k].ran && !is_left_out(&rows[k]) && !isnan(e) && (!family || rows[k].subject.family == family))
            out[m++] = e;
    }
    sort_ascending(out, m);
    return m;
}

/* ---- the text ---- */

static void put_overall(const struct comparison *rows, u32 n)
{
    static double e[TABLE_ROWS];
    printf("\n| metric | kernels | median error | of 9 in 10 below | largest |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (u32 c = 0; c < modelled_count; c++) {
        const u32 m = errors_of(rows, n, c, NULL, e);
        const char *unit = is_points(&modelled_columns[c]) ? "points" : "%";
        if (m)
            printf("| `%s` | %u | %.1f %s | %.1f %s | %.1f %s |\n", modelled_columns[c].metric, m, at_share(e, m, 0.5),
                   unit, at_share(e, m, 0.9), unit, e[m - 1], unit);
    }
}

static const char *const family_metrics[] = {"gpu__time_duration.sum", "l1tex__t_sector_hit_rate.pct",
                                             "lts__t_sectors_srcunit_tex.sum", "lts__t_sector_hit_rate.pct",
                                             "dram__bytes_read.sum"};

static void put_family(const struct comparison *rows, u32 n, const struct family *f)
{
    static double e[TABLE_ROWS];
    printf("| %s |", f->name);
    for (u32 k = 0; k < LS_ARRAY_LEN(family_metrics); k++) {
        const u32 c = modelled_column(family_metrics[k]), m = errors_of(rows, n, c, f, e);
        const char *unit = is_points(&modelled_columns[c]) ? "" : " %";
        if (m)
            printf(" %.1f%s, %.1f%s |", at_share(e, m, 0.5), unit, e[m - 1], unit);
        else
            printf(" |");
    }
    printf("\n");
}

static bool has_row(const struct comparison *c)
{
    for (u32 i = 0; i < modelled_count; i++)
        if (!isnan(c->modelled[i].theirs))
            return true;
    return false;
}

static void put_families(const struct comparison *rows, u32 n)
{
    printf("\nBy family, the median error and the largest:\n\n| family |");
    for (u32 k = 0; k < LS_ARRAY_LEN(family_metrics); k++)
        printf(" %s |", modelled_columns[modelled_column(family_metrics[k])].title);
    printf("\n| --- |");
    for (u32 k = 0; k < LS_ARRAY_LEN(family_metrics); k++)
        printf(" ---: |");
    printf("\n");
    const struct family *last = NULL;
    for (u32 k = 0; k < n; k++)
        if (rows[k].subject.family != last && has_row(&rows[k]))
            put_family(rows, n, last = rows[k].subject.family);
}

static void put_far(const struct comparison *rows, u32 n, const char *metric)
{
    const u32 c = modelled_column(metric);
    u32 far = 0;
    printf("\nMore than a factor of 2 away, `%s`:", metric);
    for (u32 k = 0; k < n; k++) {
        const struct pair *p = &rows[k].modelled[c];
        if (!rows[k].ran || is_left_out(&rows[k]) || isnan(p->theirs) ||
            (p->ours <= 2 * p->theirs && p->theirs <= 2 * p->ours))
            continue;
        printf("%s %s (%.3g instead of %.3g)", far++ ? "," : "", rows[k].subject.name, p->ours, p->theirs);
    }
    printf("%s\n", far ? "." : " none.");
}

static void put_halves(const struct comparison *rows, u32 n)
{
    static double e[2][TABLE_ROWS];
    const u32 c = modelled_column("gpu__time_duration.sum");
    u32 m[2] = {0};
    for (u32 k = 0; k < n; k++) {
        const double error = modelled_error(&rows[k].modelled[c], c);
        const u32 h = is_fitted(&rows[k]);
        if (rows[k].ran && !is_left_out(&rows[k]) && !isnan(error))
            e[h][m[h]++] = error;
    }
    printf("\nTime, by halves: the constants of the model are fitted on one half of the kernels (the sum of the name's "
           "bytes is "
           "even).\n\n| half | kernels | median error | of 9 in 10 below | largest |\n| --- | ---: | ---: | ---: | "
           "---: |\n");
    for (u32 h = 2; h-- > 0;) {
        sort_ascending(e[h], m[h]);
        if (m[h])
            printf("| %s | %u | %.1f %% | %.1f %% | %.1f %% |\n", h ? "fitted on" : "tested on", m[h],
                   at_share(e[h], m[h], 0.5), at_share(e[h], m[h], 0.9), e[h][m[h] - 1]);
    }
}

/* Of rungs of a family; they mostly do the same work, not all. */
static void put_order(const struct comparison *rows, u32 n)
{
    const u32 c = modelled_column("gpu__time_duration.sum");
    struct tally t = {0};
    for (u32 i = 0; i < n; i++)
        for (u32 k = i + 1; k < n; k++) {
            const struct pair *a = &rows[i].modelled[c], *b = &rows[k].modelled[c];
            if (rows[i].subject.family != rows[k].subject.family || !rows[i].ran || !rows[k].ran ||
                is_left_out(&rows[i]) || is_left_out(&rows[k]) || isnan(a->theirs) || isnan(b->theirs))
                continue;
            order_add(&t, (const double[]){a->ours, b->ours}, (const double[]){a->theirs, b->theirs});
        }
    printf("\nOrder: of %u pairs of rungs of a family whose times on the GPU are 10 %% apart, %u (%.1f %%) are "
           "modelled in "
           "the same order. (Rungs\nof a family mostly do the same work, not all.)\n",
           t.n, t.right, t.n ? 100.0 * t.right / t.n : 0.0);
}

/* The families that the model of the caches was fitted on: all families in the order of the SHA-1 of their names, the first
 * eleven of them. It was split before anything was fitted. */
static bool is_cache_family(const char *name)
{
    static const char *const fitted[] = {"vector", "transpose", "access",  "shuffle", "fence", "transfer",
                                         "reduce", "matmul",    "stencil", "conv2d",  "fft"};
    for (u32 k = 0; k < LS_ARRAY_LEN(fitted); k++)
        if (!strcmp(fitted[k], name))
            return true;
    return false;
}

/* The errors of one metric on one half; how many there are. */
static u32 half_errors(const struct comparison *rows, u32 n, u32 column, bool fitted, double *out)
{
    u32 m = 0;
    for (u32 k = 0; k < n; k++) {
        const double e = modelled_error(&rows[k].modelled[column], column);
        if (rows[k].ran && !is_left_out(&rows[k]) && !isnan(e) &&
            is_cache_family(rows[k].subject.family->name) == fitted)
            out[m++] = e;
    }
    return m;
}

static void put_cache_halves(const struct comparison *rows, u32 n)
{
    static double e[TABLE_ROWS];
    static const char *const metrics[] = {"l1tex__t_sector_hit_rate.pct", "lts__t_sectors_srcunit_tex.sum",
                                          "lts__t_sectors.sum",           "lts__t_sector_hit_rate.pct",
                                          "dram__bytes_read.sum",         "dram__bytes_write.sum"};
    printf(
        "\nCaches and DRAM, by halves: families are in one half or the other by a hash of their names; the model is "
        "fitted "
        "on\nthe first (vector, transpose, access, shuffle, fence, transfer, reduce, matmul, stencil, conv2d, fft).\n\n"
        "| metric | fitted on: kernels | mean error | median | tested on: kernels | mean error | median |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (u32 i = 0; i < LS_ARRAY_LEN(metrics); i++) {
        const u32 c = modelled_column(metrics[i]);
        printf("| `%s` |", metrics[i]);
        for (u32 half = 0; half < 2; half++) {
            const u32 m = half_errors(rows, n, c, half == 0, e);
            const struct spread s = spread_of(e, m);
            const char *unit = is_points(&modelled_columns[c]) ? "points" : "%";
            if (m)
                printf(" %u | %.1f %s | %.1f %s |", m, s.mean, unit, s.median, unit);
            else
                printf(" 0 | | |");
        }
        printf("\n");
    }
}

void modelled_put(const struct comparison *rows, u32 n)
{
    printf("\n### Modelled: caches, DRAM and time\n\n`tests/hw/h200/memory.csv` has %u of these kernels, run with cold "
           "caches. Percentages are compared by points and only where a rung\nis one launch; sums only where they are "
           "not small. Left "
           "out: kernels that wait for each other, and `transfer/mapped`, whose\nmemory is the host's. "
           "[model.md](model.md) says "
           "what is modelled.\n",
           memory.rows - 1);
    put_overall(rows, n);
    put_halves(rows, n);
    put_cache_halves(rows, n);
    put_families(rows, n);
    put_order(rows, n);
    put_far(rows, n, "gpu__time_duration.sum");
    put_far(rows, n, "dram__bytes_read.sum");
    put_far(rows, n, "lts__t_sectors_srcunit_tex.sum");
}
