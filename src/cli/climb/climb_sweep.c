/* climb_sweep.c - `lockstep climb --sweep block=...`: one rung at many shapes, which is best, and why.
 *
 * On the CPU "best" is by the modelled time (with --no-time by the lower bound that the counters give, model/bounds.c), then by
 * occupancy; on a GPU by the measured time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/cli.h"
#include "cli/climb/climb.h"
#include "lab/recorded.h"
#include "report/columns.h"
#include "report/times.h"

enum { SWEEP_MOST = 64 };

struct sweep {
    struct shape shapes[SWEEP_MOST];
    u32 n;
};

static const char *const lines[] = {"32", "64", "128", "256", "512", "1024"};
static const char *const tiles[] = {"8x8",  "8x16",  "16x8",  "16x16", "32x2",  "32x4",  "32x8",
                                    "8x32", "32x16", "16x32", "64x4",  "32x32", "128x2", "256x1"};

/* Sets what a key names in the shape; false: no such key, or not such a value. */
static bool set_value(struct shape *s, const char *key, const char *value)
{
    u64 count;
    if (strcmp(key, "block") == 0)
        return climb_read_pair(value, true, &s->bx, &s->by);
    if (strcmp(key, "size") == 0)
        return climb_read_pair(value, false, &s->rows, &s->cols);
    if (strcmp(key, "n") == 0)
        return climb_read_count(value, CLIMB_N_MOST, &s->n);
    if (!climb_read_count(value, CLIMB_SIZE_MOST, &count))
        return false;
    if (strcmp(key, "k") == 0)
        s->k = (u32)count;
    else if (strcmp(key, "batch") == 0)
        s->batch = (u32)count;
    else
        return false;
    return true;
}

static void add_all(struct sweep *w, const struct family *f, const struct shape *base)
{
    const u32 n = f && f->matrix ? LS_ARRAY_LEN(tiles) : LS_ARRAY_LEN(lines);
    for (u32 i = 0; i < n; i++) {
        w->shapes[w->n] = *base;
        set_value(&w->shapes[w->n++], "block", f && f->matrix ? tiles[i] : lines[i]);
    }
}

/* Reads "key=value,value"; NULL, or what is wrong. */
static const char *read_sweep(const char *text, const struct family *f, const struct shape *base, struct sweep *w)
{
    char copy[512], *save = NULL;
    w->n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    char *list = strchr(copy, '=');
    if (!list || strlen(text) >= sizeof copy)
        return "it needs KEY=VALUE,VALUE,... with the key block, size, n, k or batch, or block=all";
    *list++ = '\0';
    if (strcmp(copy, "block") == 0 && strcmp(list, "all") == 0) {
        add_all(w, f, base);
        return NULL;
    }
    for (char *v = strtok_r(list, ",", &save); v; v = strtok_r(NULL, ",", &save)) {
        if (w->n == SWEEP_MOST)
            return "there are more than 64 values";
        w->shapes[w->n] = *base;
        if (!set_value(&w->shapes[w->n++], copy, v))
            return "a value does not fit its key (block=128 or 32x8, size=RxC, n=, k=, batch=)";
    }
    return w->n ? NULL : "there is no value behind the =";
}

const char *sweep_check(const char *text)
{
    struct sweep w;
    const struct shape none = {0};
    return read_sweep(text, NULL, &none, &w);
}

/* ---- the table ---- */

static double number_of(const struct lab_result *r, const char *name)
{
    const double v = lab_value_of(r, name);
    return isnan(v) ? 0 : v;
}

static double conflicts(const struct lab_result *r)
{
    return number_of(r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") +
           number_of(r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
}

static void put_shape(const struct family *f, const struct shape *s, char *out, size_t size)
{
    char sizes[60] = "", k[24] = "", batch[24] = "";
    if (f->matrix)
        snprintf(sizes, sizeof sizes, "%ux%u", s->rows, s->cols);
    else
        snprintf(sizes, sizeof sizes, "%llu", (unsigned long long)s->n);
    if (f->third)
        snprintf(k, sizeof k, " k %u", s->k);
    if (f->batched)
        snprintf(batch, sizeof batch, " x%u", s->batch);
    snprintf(out, size, "%ux%u on %s%s%s", s->bx, s->by, sizes, k, batch);
}

static void put_time(double us, char mark)
{
    if (us > 0)
        printf(" %10.2f%c", us, mark);
    else
        printf(" %10s ", "-");
}

static void put_times(const struct lab_result *r)
{
    const struct rung_times t = rung_times(r);
    put_time(t.modelled, '\'');
    put_time(t.recorded, '*');
    put_time(t.bound, '\'');
    printf(" %s\n", r->limit ? r->limit : "");
}

static void put_row(const struct family *f, const struct lab_result *r)
{
    char shape[140];
    put_shape(f, &r->shape, shape, sizeof shape);
    printf("  %-28s %-6s", shape, report_verdict(r));
    if (r->verdict != LAB_RIGHT) {
        printf(" %s\n", r->text);
        return;
    }
    if (!r->report) {
        printf(" %10.2f\n", rung_microseconds(r));
        return;
    }
    printf(" %6.1f %-9s %6.2f %6.2f %10.0f", r->report->occupancy.pct,
           occupancy_limiter_name(r->report->occupancy.limiter),
           number_of(r, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
           number_of(r, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"), conflicts(r));
    put_times(r);
}

static bool better(const struct lab_result *a, const struct lab_result *b)
{
    if (!b)
        return true;
    const double x = rung_microseconds(a), y = rung_microseconds(b);
    if (fabs(x - y) > 1e-3 * fmax(x, y))
        return x < y;
    return a->report && b->report && a->report->occupancy.pct > b->report->occupancy.pct;
}

/* The best and the worst of a rung's runs, and what lies between them. */
static void put_best(const struct family *f, const struct lab_result *all, u32 n)
{
    const struct lab_result *best = NULL, *worst = NULL;
    char shape[140], bad[140], why[400];
    for (u32 i = 0; i < n; i++) {
        if (all[i].verdict != LAB_RIGHT)
            continue;
        best = better(&all[i], best) ? &all[i] : best;
        worst = !worst || better(worst, &all[i]) ? &all[i] : worst;
    }
    if (!best)
        return;
    put_shape(f, &best->shape, shape, sizeof shape);
    put_shape(f, &worst->shape, bad, sizeof bad);
    printf("  best: %s", shape);
    if (best == worst || (!better(best, worst) && !better(worst, best)))
        printf("; no shape stands out\n\n");
    else
        printf("; worst: %s: %s\n\n", bad,
               cause_text(worst, best, why, sizeof why) ? why
                                                        : "the counters are alike, the grid's fit to the SMs is not");
}

static void put_head(const struct climb *c, const struct lab *lab, const struct family *f, const struct rung *r)
{
    printf("%s/%s on %s%s\n  %-28s %-6s", f->name, r->name, c->request.gpu ? "" : "Lockstep's ", lab_device_name(lab),
           "block, sizes", "result");
    if (!c->request.gpu)
        printf(" %6s %-9s %6s %6s %10s %10s  %5s took  %11s limit\n", "occ%", "limiter", "ld s/r", "st s/r",
               "conflicts", "modelled", recorded_on.name, "at least us");
    else
        printf(" %10s\n", "us");
}

static bool sweep_rung(const struct climb *c, struct lab *lab, const struct family *f, const struct rung *r,
                       struct arena *mem, struct diag_list *diags, bool *bad)
{
    struct sweep w;
    read_sweep(c->sweep, f, &c->request.shape, &w);
    struct lab_result *all = arena_array(mem, struct lab_result, w.n);
    u32 n = 0;
    put_head(c, lab, f, r);
    for (; n < w.n; n++) {
        lab_set_shape(lab, &w.shapes[n]);
        if (lab_run(lab, f, r, mem, &all[n], diags) != LS_OK)
            break;
        put_row(f, &all[n]);
        *bad |= lab_result_bad(&all[n]);
    }
    put_best(f, all, n);
    for (u32 i = 0; i < n; i++)
        lab_result_free(&all[i]);
    return n == w.n;
}

int sweep_family(const struct climb *c, struct lab *lab, const struct family *f, struct arena *mem,
                 struct diag_list *diags)
{
    bool bad = false;
    for (u32 i = 0; i < f->nrungs; i++)
        if (climb_wants(c, &f->rungs[i]) && !f->rungs[i].broken)
            if (!sweep_rung(c, lab, f, &f->rungs[i], mem, diags, &bad))
                return CLI_TROUBLE;
    return bad ? CLI_BAD : CLI_OK;
}
