/* corpus_errors.c - how far modelled values of the corpus are from the measured ones, for the rows that are picked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "corpus.h"

static bool is_picked(const struct corpus_row *r, const struct corpus_pick *p)
{
    return r->half == p->half && (!p->kind || !strcmp(r->kind, p->kind)) && r->ns >= p->from_ns && r->ns < p->below_ns;
}

u32 corpus_count(const struct corpus *c, const struct corpus_pick *p)
{
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++)
        n += is_picked(&c->rows[i], p);
    return n;
}

/* ---- time ---- */

struct spread corpus_time_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    static double e[TABLE_ROWS];
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++)
        if (is_picked(&c->rows[i], p) && c->rows[i].model[way].row)
            e[n++] = fabs(c->rows[i].model[way].signs.ns / c->rows[i].ns - 1) * 100;
    return spread_of(e, n);
}

struct spread corpus_time_distance(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    static double e[TABLE_ROWS];
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++)
        if (is_picked(&c->rows[i], p) && c->rows[i].model[way].row)
            e[n++] = fabs(c->rows[i].model[way].signs.ns - c->rows[i].ns) / 1000;
    return spread_of(e, n);
}

struct tally corpus_within(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    struct tally t = {0};
    for (u32 i = 0; i < c->n; i++) {
        const struct corpus_row *r = &c->rows[i];
        if (!is_picked(r, p) || r->model[way].launches != 1)
            continue;
        const struct time_interval within = time_interval_of(&r->model[way].signs);
        t.n++;
        t.right += r->ns >= within.low_ns && r->ns <= within.high_ns;
    }
    return t;
}

/* ---- order ---- */

static bool are_rivals(const struct corpus_row *a, const struct corpus_row *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->group, b->group) && !strcmp(a->size, b->size);
}

struct tally corpus_order(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    struct tally t = {0};
    for (u32 i = 0; i < c->n; i++)
        for (u32 k = i + 1; k < c->n; k++) {
            const struct corpus_row *a = &c->rows[i], *b = &c->rows[k];
            if (!is_picked(a, p) || !is_picked(b, p) || !are_rivals(a, b) || !a->model[way].row || !b->model[way].row)
                continue;
            order_add(&t, (const double[]){a->model[way].signs.ns, b->model[way].signs.ns},
                      (const double[]){a->ns, b->ns});
        }
    return t;
}

/* ---- traffic ---- */

/* As corpus_metric_error, against one of the GPU's launches. */
static struct spread error_against(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way,
                                   const char *metric, enum corpus_launch launch, bool gpus, u32 *small)
{
    static double e[TABLE_ROWS];
    const u32 column = modelled_column(metric);
    u32 n = 0;
    *small = 0;
    for (u32 i = 0; i < c->n; i++) {
        if (!is_picked(&c->rows[i], p))
            continue;
        struct pair pair = corpus_pair(c, &c->rows[i], way, metric);
        if (launch != LAUNCH_MEDIAN)
            pair.theirs = corpus_measured(c, &c->rows[i], metric, launch);
        const double error = modelled_error(&pair, column), least = modelled_columns[column].least;
        if (isnan(error))
            continue;
        if ((gpus || pair.ours < least) && pair.theirs < least)
            ++*small;
        else
            e[n++] = error;
    }
    return spread_of(e, n);
}

struct spread corpus_metric_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way,
                                  const char *metric, bool gpus, u32 *small)
{
    return error_against(c, p, way, metric, LAUNCH_MEDIAN, gpus, small);
}

static const char all_sectors[] = "lts__t_sectors.sum";

struct spread corpus_first_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    u32 small;
    return error_against(c, p, way, all_sectors, LAUNCH_FIRST, false, &small);
}

struct spread corpus_sectors_spread(const struct corpus *c, const struct corpus_pick *p)
{
    static double e[TABLE_ROWS * LAUNCHES];
    const double least = modelled_columns[modelled_column(all_sectors)].least;
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++) {
        const struct corpus_row *r = &c->rows[i];
        const double median = corpus_measured(c, r, all_sectors, LAUNCH_MEDIAN);
        for (u32 k = LAUNCH_FIRST; is_picked(r, p) && r->again && median >= least && k <= LAUNCHES; k++)
            e[n++] = fabs(corpus_measured(c, r, all_sectors, (enum corpus_launch)k) / median - 1) * 100;
    }
    return spread_of(e, n);
}

struct spread corpus_sectors_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    static const char *const parts[] = {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
                                        "lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum"};
    static double e[TABLE_ROWS];
    const u32 column = modelled_column(all_sectors);
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++) {
        if (!is_picked(&c->rows[i], p))
            continue;
        const struct pair whole = corpus_pair(c, &c->rows[i], way, all_sectors);
        struct pair sum = {0};
        for (u32 k = 0; k < LS_ARRAY_LEN(parts); k++) {
            const struct pair part = corpus_pair(c, &c->rows[i], way, parts[k]);
            sum.ours += part.ours;
            sum.theirs += part.theirs;
        }
        const double error = modelled_error(&sum, column), least = modelled_columns[column].least;
        if (!isnan(error) && (whole.ours >= least || whole.theirs >= least))
            e[n++] = error;
    }
    return spread_of(e, n);
}

/* ---- stalls ---- */

static const char *const reasons[] = {
#define STALL(id, name, text) name,
#include "model/replay/stalls.def"
#undef STALL
    "gmma", /* the GPU's alone */
};
enum { REASONS = LS_ARRAY_LEN(reasons) };
_Static_assert(REASONS > 2, "a second");

/* The two largest reasons; the first of all, "selected", is none. False: not known. */
static bool largest_two(const struct table *t, u32 row, u32 top[2])
{
    double most[2] = {-1, -1};
    for (u32 i = 1; i < REASONS; i++) {
        char metric[120];
        snprintf(metric, sizeof metric, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio", reasons[i]);
        const double v = table_value(t, row, metric);
        if (v > most[0]) {
            most[1] = most[0];
            top[1] = top[0];
            most[0] = v;
            top[0] = i;
        } else if (v > most[1]) {
            most[1] = v;
            top[1] = i;
        }
    }
    return most[0] > 0;
}

struct tally corpus_stalls(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way)
{
    struct tally t = {0};
    for (u32 i = 0; i < c->n; i++) {
        const struct corpus_row *r = &c->rows[i];
        const struct corpus_modelled *m = &r->model[way];
        u32 ours[2], theirs[2];
        if (!is_picked(r, p) || m->launches != 1 || !largest_two(&c->modelled[way], m->row, ours) ||
            !largest_two(&c->measured, r->measured, theirs))
            continue;
        t.n++;
        t.right += ours[0] == theirs[0];
        t.nearly += ours[0] == theirs[0] || ours[0] == theirs[1];
    }
    return t;
}
