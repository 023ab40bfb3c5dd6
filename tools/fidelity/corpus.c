/* corpus.c - the recording of the corpus joined with what is modelled. */
#include "corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct corpus_kind corpus_kinds[] = {
#define KIND(kind, half) {#kind, CORPUS_##half},
#include "tests/corpus/corpus.def"
#undef KIND
};
const u32 corpus_nkinds = LS_ARRAY_LEN(corpus_kinds);

bool corpus_is_fit(const char *kind)
{
    for (u32 k = 0; kind && k < corpus_nkinds; k++)
        if (!strcmp(corpus_kinds[k].name, kind))
            return corpus_kinds[k].half == CORPUS_FIT;
    return false;
}

static bool same_cell(const struct table *a, u32 i, const struct table *b, u32 k, const char *column)
{
    const char *x = table_cell(a, i, column), *y = table_cell(b, k, column);
    return x && y && !strcmp(x, y);
}

u32 corpus_same_row(const struct table *in, const struct table *t, u32 row)
{
    for (u32 k = 1; k < in->rows; k++)
        if (same_cell(in, k, t, row, "case") && same_cell(in, k, t, row, "size") && same_cell(in, k, t, row, "kind"))
            return k;
    return 0;
}

/* A metric, 0 where it is not known. */
static double share(const struct table *t, u32 row, const char *metric)
{
    const double v = table_value(t, row, metric);
    return isnan(v) ? 0 : v;
}

struct interval_signs corpus_signs(const struct table *modelled, u32 row, enum interval_code code)
{
    static const char memory[] = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
    return (struct interval_signs){.ns = table_value(modelled, row, "gpu__time_duration.sum"),
                                   .memory_pct = share(modelled, row, memory),
                                   .sm_pct = share(modelled, row, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                                   .atomics_pct = share(modelled, row, "lockstep__atomic_throughput.pct"),
                                   .code = code};
}

/* ---- reading ---- */

static struct corpus_modelled modelled_of(const struct corpus *c, enum corpus_way way, u32 measured)
{
    const struct table *t = &c->modelled[way];
    struct corpus_modelled m = {.row = corpus_same_row(t, &c->measured, measured)};
    if (m.row) {
        m.signs = corpus_signs(t, m.row, way == CORPUS_PTXAS ? INTERVAL_MACHINE : INTERVAL_ESTIMATED);
        m.launches = (u32)share(t, m.row, "launches");
        if (!(m.signs.ns > 0))
            m.row = 0;
    }
    return m;
}

static struct corpus_row row_of(const struct corpus *c, u32 row)
{
    const struct table *t = &c->measured;
    struct corpus_row r = {.kind = table_cell(t, row, "kind"),
                           .name = table_cell(t, row, "case"),
                           .group = table_cell(t, row, "group"),
                           .size = table_cell(t, row, "size"),
                           .measured = row,
                           .again = corpus_same_row(&c->again, t, row),
                           .ns = table_value(t, row, "gpu__time_duration.sum")};
    r.half = corpus_is_fit(r.kind) ? CORPUS_FIT : CORPUS_TEST;
    if (isnan(r.ns)) {
        r.ns = table_value(t, row, "event_first_ns");
        r.by_events = !isnan(r.ns);
    }
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        r.model[way] = modelled_of(c, (enum corpus_way)way, row);
    return r;
}

static bool load_table(struct table *t, const char *folder, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%.900s/%s", folder, name);
    return table_load(t, path);
}

bool corpus_load(struct corpus *c, const char *folder)
{
    static const char *const names[CORPUS_WAYS] = {"corpus-modelled.csv", "corpus-modelled-ptx.csv"};
    c->n = 0;
    if (!load_table(&c->measured, folder, "corpus.csv") || !table_cell(&c->measured, 0, "kind"))
        return false;
    load_table(&c->again, folder, "corpus-sectors.csv");
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        load_table(&c->modelled[way], folder, names[way]);
    for (u32 row = 1; row < c->measured.rows; row++)
        c->rows[c->n++] = row_of(c, row);
    return true;
}

void corpus_free(struct corpus *c)
{
    table_free(&c->measured);
    table_free(&c->again);
    for (u32 way = 0; way < CORPUS_WAYS; way++)
        table_free(&c->modelled[way]);
}

static double median_of_three(const double v[3]) { return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2])); }

double corpus_measured(const struct corpus *c, const struct corpus_row *r, const char *metric,
                       enum corpus_launch launch)
{
    double v[LAUNCHES] = {table_value(&c->measured, r->measured, metric)};
    if (!r->again || launch == LAUNCH_FIRST)
        return v[0];
    for (u32 k = 1; k < LAUNCHES; k++) {
        char column[120];
        snprintf(column, sizeof column, "%s %u", metric, k + 1);
        v[k] = table_value(&c->again, r->again, column);
        if (isnan(v[k]))
            return v[0];
    }
    return launch == LAUNCH_MEDIAN ? median_of_three(v) : v[launch - 1];
}

struct pair corpus_pair(const struct corpus *c, const struct corpus_row *r, enum corpus_way way, const char *metric)
{
    const struct corpus_modelled *m = &r->model[way];
    struct pair p = {.ours = NAN, .theirs = NAN, .noisy = NAN};
    if (m->row && (m->launches == 1 || strstr(metric, ".sum"))) {
        p.ours = table_value(&c->modelled[way], m->row, metric);
        p.theirs = corpus_measured(c, r, metric, LAUNCH_MEDIAN);
    }
    return p;
}
