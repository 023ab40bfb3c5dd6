/* intervals.c - ls_intervals MEASURED MODELLED ESTIMATED: writes src/model/interval.def on standard output, from the corpus as a GPU ran it
 * (tests/hw/h200/corpus.csv) and as Lockstep models it with a ptxas and without (corpus.sh). Rows of kinds that are not FIT in corpus.def are not
 * looked at.
 *
 * A class of launches (model/interval.h) has the 10th and the 90th percentile of measured / modelled, and 1 between them. One with fewer
 * than 10 launches takes those of all launches of its length, and if they are too few too those of all.
 *
 * A kernel that is not in the corpus is none of these kinds. So each kind is left out in turn, the factors of the others are
 * taken for it, and all are widened (raised to a power) until eight launches in ten are within them, on the average of the kinds. Estimated code was made by
 * looking at the machine code of these kinds, so that of another kind is further off: there eight in ten are those of one kind more, of which none is within.
 * docs/model.md says how often both held for kernels that nothing was fitted on.
 *
 * The ratio's factor: of all
 * pairs of cases of a group and size, how far the modelled ratio of their times is from the measured one; eight pairs in ten
 * are within it. Kernels that launch kernels are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

#define WITHIN 0.8 /* of the launches of a kind that is not in the corpus */
#define POWER_MOST 3.0

enum { LEAST = 10, PAIRS_MAX = 8 * TABLE_ROWS };

/* A case at a size, on both sides. */
struct timed {
    const char *kind, *group, *size;
    double measured, modelled;
    enum interval_size length;
    enum interval_limit limit;
};
static struct timed launches[TABLE_ROWS];
static u32 nlaunches;

static void add_launches(const struct table *measured, const struct table *modelled, enum interval_code code)
{
    nlaunches = 0;
    for (u32 row = 1; row < modelled->rows; row++) {
        const u32 there =
            corpus_is_fit(table_cell(modelled, row, "kind")) ? corpus_same_row(measured, modelled, row) : 0;
        const double ns = there ? table_value(measured, there, "gpu__time_duration.sum") : NAN;
        if (table_value(modelled, row, "launches") > 1) /* a kernel that launches others: no one launch */
            continue;
        const struct interval_signs signs = corpus_signs(modelled, row, code);
        if (!(ns > 0) || !(signs.ns > 0))
            continue;
        launches[nlaunches++] = (struct timed){.kind = table_cell(modelled, row, "kind"),
                                               .group = table_cell(modelled, row, "group"),
                                               .size = table_cell(modelled, row, "size"),
                                               .measured = ns,
                                               .modelled = signs.ns,
                                               .length = interval_size(&signs),
                                               .limit = interval_limit(&signs)};
    }
}

/* ---- percentiles ---- */

/* Between two neighbours by their distances. */
static double percentile(const double *sorted, u32 n, double p)
{
    const double at = p * (n - 1);
    const u32 k = (u32)at;
    return k + 1 < n ? sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

/* measured / modelled of a class, ascending; a negative length or limit stands for all of them, `without` is a kind or NULL. */
static u32 ratios_of(int length, int limit, const char *without, double *out)
{
    u32 n = 0;
    for (u32 i = 0; i < nlaunches; i++)
        if ((length < 0 || (int)launches[i].length == length) && (limit < 0 || (int)launches[i].limit == limit) &&
            (!without || strcmp(launches[i].kind, without) != 0))
            out[n++] = launches[i].measured / launches[i].modelled;
    sort_ascending(out, n);
    return n;
}

struct factors {
    double low, high;
    u32 n;
    const char *note;
};

static struct factors factors_of(u32 length, u32 limit, const char *without)
{
    static double ratios[TABLE_ROWS];
    const int wider[][2] = {{(int)length, (int)limit}, {(int)length, -1}, {-1, -1}};
    static const char *const notes[] = {"", " /* of all limits */", " /* of all launches */"};
    for (u32 k = 0; k < LS_ARRAY_LEN(wider); k++) {
        const u32 n = ratios_of(wider[k][0], wider[k][1], without, ratios);
        if (n >= LEAST)
            return (struct factors){fmin(percentile(ratios, n, 0.1), 1), fmax(percentile(ratios, n, 0.9), 1), n,
                                    notes[k]};
    }
    return (struct factors){0.75, 1.30, 0, ""};
}

/* ---- how wide ---- */

/* Of the launches of a kind, the share within the widened factors of the other kinds. */
static double share_within(const char *kind, double power)
{
    struct factors of[INTERVAL_SIZES][INTERVAL_LIMITS];
    u32 n = 0, within = 0;
    for (u32 length = 0; length < INTERVAL_SIZES; length++)
        for (u32 limit = 0; limit < INTERVAL_LIMITS; limit++)
            of[length][limit] = factors_of(length, limit, kind);
    for (u32 i = 0; i < nlaunches; i++) {
        if (strcmp(launches[i].kind, kind) != 0)
            continue;
        const struct factors *f = &of[launches[i].length][launches[i].limit];
        const double ratio = launches[i].measured / launches[i].modelled;
        n++;
        within += ratio >= pow(f->low, power) && ratio <= pow(f->high, power);
    }
    return n ? (double)within / n : 0;
}

static bool is_first_of_kind(u32 launch)
{
    for (u32 k = 0; k < launch; k++)
        if (!strcmp(launches[k].kind, launches[launch].kind))
            return false;
    return true;
}

static u32 count_kinds(void)
{
    u32 n = 0;
    for (u32 i = 0; i < nlaunches; i++)
        n += is_first_of_kind(i);
    return n;
}

/* The sum over all kinds. */
static double sum_of_left_out(double power)
{
    double sum = 0;
    for (u32 i = 0; i < nlaunches; i++)
        if (is_first_of_kind(i))
            sum += share_within(launches[i].kind, power);
    return sum;
}

static double power_needed(enum interval_code code)
{
    const u32 kinds = count_kinds() + (code == INTERVAL_ESTIMATED);
    double power = 1;
    while (power < POWER_MOST && sum_of_left_out(power) < WITHIN * kinds)
        power += 0.01;
    return power;
}

static void put_class(enum interval_code code, u32 length, u32 limit, double power)
{
    const struct factors f = factors_of(length, limit, NULL);
    printf("INTERVAL(%s, %s, %s, %.2f, %.2f, %u)%s\n", interval_code_name(code),
           interval_size_name((enum interval_size)length), interval_limit_name((enum interval_limit)limit),
           pow(f.low, power), pow(f.high, power), f.n, f.note);
}

static bool are_rivals(const struct timed *a, const struct timed *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->group, b->group) && !strcmp(a->size, b->size);
}

/* Of pairs that the same resource limits, or of those that two limit. */
static void put_ratio(enum interval_code code, bool same)
{
    static double off[PAIRS_MAX];
    u32 n = 0;
    for (u32 i = 0; i < nlaunches; i++)
        for (u32 k = i + 1; k < nlaunches && n < PAIRS_MAX; k++)
            if (are_rivals(&launches[i], &launches[k]) && (launches[i].limit == launches[k].limit) == same)
                off[n++] = fabs(log(launches[i].measured / launches[k].measured) -
                                log(launches[i].modelled / launches[k].modelled));
    sort_ascending(off, n);
    const char *name = same ? "SAME" : "OTHER";
    if (n < LEAST)
        printf("INTERVAL_RATIO(%s, %s, 1.20, 0)\n", interval_code_name(code), name);
    else
        printf("INTERVAL_RATIO(%s, %s, %.2f, %u)\n", interval_code_name(code), name, exp(percentile(off, n, 0.8)), n);
}

static void put_code(enum interval_code code)
{
    const double power = power_needed(code);
    printf("/* %s: of kinds that they are not of %.1f %% are within them, widened by the power of %.2f. */\n",
           code == INTERVAL_MACHINE ? "With a ptxas" : "Without", 100 * sum_of_left_out(power) / fmax(1, count_kinds()),
           power);
    for (u32 length = 0; length < INTERVAL_SIZES; length++)
        for (u32 limit = 0; limit < INTERVAL_LIMITS; limit++)
            put_class(code, length, limit, power);
    put_ratio(code, true);
    put_ratio(code, false);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "ls_intervals: %s%s\n", what, why);
    return 2;
}

int main(int argc, char **argv)
{
    static struct table measured, modelled;
    if (argc != 2 + INTERVAL_CODES) {
        fprintf(stderr, "usage: ls_intervals MEASURED MODELLED ESTIMATED\n");
        return 2;
    }
    if (!table_load(&measured, argv[1]))
        return fail(argv[1], " is no table");
    fputs(
        "/* INTERVAL(code, size, limit, low, high, launches): by what a modelled time of that class is multiplied for "
        "the "
        "ends of its\n * interval. INTERVAL_RATIO(code, limits, factor, pairs): by what the ratio of two times is "
        "divided "
        "and multiplied; SAME: the same\n * resource limits both. launches, pairs: how many measured ones that is "
        "from; 0: "
        "not yet measured, a guess. code: of a ptxas, or\n * estimated. Written by ls_intervals (docs/model.md). */\n",
        stdout);
    for (int code = 0; code < INTERVAL_CODES; code++) {
        if (!table_load(&modelled, argv[2 + code]))
            return fail(argv[2 + code], " is no table");
        add_launches(&measured, &modelled, (enum interval_code)code);
        put_code((enum interval_code)code);
        table_free(&modelled);
    }
    table_free(&measured);
    return 0;
}
