/* ncu_metrics.c - names of metrics as they are written on ncu's command line, their values and units, and the table of
 * sections. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "report/limit.h"
#include "report/ncu/ncu.h"

/* ---- one metric ---- */

static bool ends(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static bool begins(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

/* The metric whose name is `name` with its end replaced. */
static i32 find_with_end(const char *name, const char *end, const char *instead)
{
    char text[400];
    const size_t n = strlen(name) - strlen(end);
    if (!ends(name, end) || n + strlen(instead) >= sizeof text)
        return -1;
    memcpy(text, name, n);
    strcpy(text + n, instead);
    return metric_find(text);
}

struct ncu_metric ncu_metric_find(const char *name)
{
    struct ncu_metric m = {.name = name, .id = metric_find(name)};
    if (m.id >= 0)
        return m;
    m.id = find_with_end(name, ".avg", ".sum");
    m.how = NCU_AVERAGE;
    if (m.id < 0) {
        m.id = find_with_end(name, ".per_second", "");
        m.how = NCU_PER_SECOND;
    }
    if (m.id >= 0 && !ends(metric_info((enum metric_id)m.id)->name, ".sum"))
        m.id = -1;
    return m;
}

/* How many units a sum was added up over; 0: that is not known. */
static double instances(const char *name, const struct gpu *gpu)
{
    if (begins(name, "smsp__"))
        return gpu ? (double)gpu->sms * gpu->sub_partitions : 0;
    if (begins(name, "sm__") || begins(name, "l1tex__") || begins(name, "idc__"))
        return gpu ? gpu->sms : 0;
    return begins(name, "gpu__") ? 1 : 0;
}

static double seconds_of(const struct meter_report *r)
{
    const int id = metric_find("gpu__time_duration.sum");
    const double v = id < 0 ? NAN : meter_value(r, (enum metric_id)id);
    return v > 0 ? v * 1e-9 : NAN;
}

double ncu_metric_value(const struct ncu_metric *m, const struct ncu_launch *l, enum metric_kind *kind)
{
    if (m->id < 0)
        return NAN;
    const double v = meter_value(l->r, (enum metric_id)m->id);
    *kind = l->r->metrics[m->id].kind;
    if (m->how == NCU_AS_IS)
        return v;
    if (m->how == NCU_AVERAGE) {
        const double n = instances(metric_info((enum metric_id)m->id)->name, l->gpu);
        return n > 0 ? v / n : NAN;
    }
    if (*kind == METRIC_COUNTED)
        *kind = METRIC_MODELLED;
    return v / seconds_of(l->r);
}

/* metrics.def's units with "second" short, as ncu has it since 2024. */
const char *ncu_metric_unit(const struct ncu_metric *m)
{
    if (m->id < 0)
        return "";
    const char *unit = metric_info((enum metric_id)m->id)->unit;
    if (m->how == NCU_PER_SECOND)
        return !strcmp(unit, "byte")     ? "byte/s"
               : !strcmp(unit, "inst")   ? "inst/s"
               : !strcmp(unit, "sector") ? "sector/s"
                                         : "1/s";
    return !strcmp(unit, "byte/second") ? "byte/s"
           : !strcmp(unit, "nsecond")   ? "ns"
           : !strcmp(unit, "hz")        ? "Hz"
                                        : unit;
}

/* ---- units ---- */

struct ncu_unit ncu_unit_for(const char *base, double value, bool scale)
{
    static const char *const thousands[] = {"", "K", "M", "G", "T"};
    static const char *const times[] = {"ns", "us", "ms", "s"};
    struct ncu_unit u = {.divisor = 1};
    const bool time = !strcmp(base, "ns"), hertz = !strcmp(base, "Hz");
    const bool bytes = begins(base, "byte") && strcmp(base, "byte/sector") != 0;
    u32 step = 0;
    while (scale && (time || hertz || bytes) && isfinite(value) && fabs(value) / u.divisor >= 1000 &&
           step < (time ? 3 : 4)) {
        u.divisor *= 1000;
        step++;
    }
    if (time)
        snprintf(u.name, sizeof u.name, "%s", times[step]);
    else if (hertz)
        snprintf(u.name, sizeof u.name, "%shz", thousands[step]);
    else
        snprintf(u.name, sizeof u.name, "%s%s", thousands[step], base);
    return u;
}

void ncu_number(double v, char out[48]) { limit_number(v, out); }

/* ---- lists of metrics ---- */

static void add(struct ncu_metrics *m, const char *name)
{
    for (u32 i = 0; i < m->n; i++)
        if (!strcmp(m->at[i].name, name))
            return;
    if (!(m->n & (m->n - 1))) {
        struct ncu_metric *to = arena_array(m->mem, struct ncu_metric, m->n ? m->n * 2 : 1);
        if (m->n)
            memcpy(to, m->at, sizeof *to * m->n);
        m->at = to;
    }
    m->at[m->n] = ncu_metric_find(arena_strndup(m->mem, name, strlen(name)));
    m->unknown += m->at[m->n].id < 0;
    m->n++;
}

static const char *add_pattern(struct ncu_metrics *m, const char *pattern)
{
    regex_t r;
    if (regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB))
        return arena_printf(m->mem, "'%s' is no regular expression", pattern);
    const u32 before = m->n;
    for (u32 i = 0; i < METRIC_COUNT; i++)
        if (!regexec(&r, metric_info((enum metric_id)i)->name, 0, NULL, 0))
            add(m, metric_info((enum metric_id)i)->name);
    regfree(&r);
    return m->n > before ? NULL : arena_printf(m->mem, "no metric's name matches '%s'", pattern);
}

/* ncu's groups by what their names begin with, as a pattern for ours. */
static const struct {
    const char *name, *pattern;
} groups[] = {
    {"memory__chart", "^(l1tex__(t_|data)|lts__|dram__)"},
    {"memory__first_level_cache_table", "^l1tex__(average_)?t_"},
    {"memory__shared_table", "mem_shared"},
    {"memory__l2_cache_table", "^lts__"},
    {"memory__dram_table", "^dram__"},
    {"smsp__inst_executed_op", "^smsp__(sass_)?inst_executed_op"},
    {"smsp__sass_thread_inst_executed_op", "^smsp__sass_thread_inst_executed_op"},
    {"smsp__pcsamp_warp_stall_reasons", "^smsp__pcsamp_warps_issue_stalled"},
    {"launch", "^launch__"},
    {"occupancy", "occupancy|maximum_warps|warps_active"},
    {"lockstep", "^lockstep__"},
};

static const char *add_group(struct ncu_metrics *m, const char *name)
{
    char names[400] = "";
    for (size_t i = 0; i < LS_ARRAY_LEN(groups); i++) {
        if (!strcmp(groups[i].name, name))
            return add_pattern(m, groups[i].pattern);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", groups[i].name);
    }
    return arena_printf(m->mem, "there is no group '%s'; the groups are %s", name, names);
}

/* "l1tex__t_sectors_pipe_lsu_mem_global_op_ld": that metric's .sum, .avg, .ratio, ... */
static bool add_all_ends(struct ncu_metrics *m, const char *name)
{
    const size_t n = strlen(name);
    bool any = false;
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        const char *full = metric_info((enum metric_id)i)->name;
        if (!strncmp(full, name, n) && full[n] == '.') {
            add(m, full);
            any = true;
        }
    }
    return any;
}

const char *ncu_metrics_add(struct ncu_metrics *m, const char *item)
{
    if (begins(item, "regex:"))
        return add_pattern(m, item + 6);
    if (begins(item, "group:"))
        return add_group(m, item + 6);
    if (ncu_metric_find(item).id < 0 && add_all_ends(m, item))
        return NULL;
    const int id = metric_find(item);
    add(m, id >= 0 ? metric_info((enum metric_id)id)->name : item); /* an alias is printed as what it stands for */
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ncu_metric *)a)->name, ((const struct ncu_metric *)b)->name);
}

void ncu_metrics_sort(struct ncu_metrics *m)
{
    if (m->n)
        qsort(m->at, m->n, sizeof *m->at, by_name);
}

/* ---- names that are like it ---- */

void ncu_metric_like(const char *name, char *out, size_t size)
{
    const char *taken[3] = {0};
    size_t len = 0;
    out[0] = 0;
    for (u32 t = 0; t < LS_ARRAY_LEN(taken); t++) {
        double most = 0.6;
        for (u32 i = 0; i < METRIC_COUNT; i++) {
            const char *other = metric_info((enum metric_id)i)->name;
            const double like = likeness(name, other);
            if (like > most && other != taken[0] && other != taken[1]) {
                most = like;
                taken[t] = other;
            }
        }
        if (!taken[t] || len >= size)
            return;
        len += (size_t)snprintf(out + len, size - len, "%s%s", t ? ", " : "", taken[t]);
    }
}

/* ---- sections ---- */

enum { B = 1, D = 2 };
#define HEAD NCU_HEADER
#define BODY NCU_BODY

enum section_number {
#define SECTION(identifier, title, sets) SECTION_##identifier,
#define ROW(place, label, metric)
#include "report/ncu/sections.def"
#undef SECTION
#undef ROW
    SECTION_COUNT
};

static const struct ncu_section sections[] = {
#define SECTION(identifier, title, sets) {#identifier, title, (sets) & B, ((sets) & D) != 0},
#define ROW(place, label, metric)
#include "report/ncu/sections.def"
#undef SECTION
#undef ROW
};

/* A section's own entry, without a label, and then its rows. */
static const struct {
    const char *label, *metric;
    u32 place;
} rows[] = {
#define SECTION(identifier, title, sets) {NULL, #identifier, 0},
#define ROW(place, label, metric) {label, metric, place},
#include "report/ncu/sections.def"
#undef SECTION
#undef ROW
};

const struct ncu_section *ncu_section_at(u32 i) { return i < SECTION_COUNT ? &sections[i] : NULL; }

i32 ncu_section_find(const char *identifier)
{
    for (u32 i = 0; i < SECTION_COUNT; i++)
        if (!strcmp(sections[i].identifier, identifier))
            return (i32)i;
    return -1;
}

bool ncu_section_row(u32 section, u32 n, u32 places, const char **label, const char **metric)
{
    u32 at = 0, seen = 0;
    while (at < LS_ARRAY_LEN(rows) && (rows[at].label || seen++ != section))
        at++;
    for (at++; at < LS_ARRAY_LEN(rows) && rows[at].label; at++) {
        if (!(rows[at].place & places) || n--)
            continue;
        *label = rows[at].label;
        *metric = rows[at].metric;
        return true;
    }
    return false;
}
