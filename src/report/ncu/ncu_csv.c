/* ncu_csv.c - the pages as CSV, with ncu's columns: every field is quoted, numbers have their thousands separated,
 * as ncu prints them. Details: a row a metric. Raw: a row a launch, a column a metric,
 * and a row of units under the names. Summaries: a row a metric of a kernel. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/limit.h"
#include "report/ncu/ncu.h"
#include "report/warp_state.h"

static void put_fields(FILE *out, const char *const *fields, u32 n, bool first)
{
    for (u32 i = 0; i < n; i++)
        report_csv_field(out, fields[i], first && i == 0);
}

static void put_u64(FILE *out, u64 v, bool first)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    report_csv_field(out, text, first);
}

static void put_size(FILE *out, const u32 size[3])
{
    char text[60];
    snprintf(text, sizeof text, "(%u, %u, %u)", size[0], size[1], size[2]);
    report_csv_field(out, text, false);
}

static void put_number(FILE *out, double v)
{
    char text[48];
    ncu_number(v, text);
    report_csv_field(out, isnan(v) ? "n/a" : text, false);
}

static const char *const leading[] = {"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                      "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
static const char *const table_names[] = {"Section Name", "Metric Name", "Metric Unit", "Metric Value"};
static const char *const rule_names[] = {"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
                                         "Estimated Speedup"};
static const char *const nothing[LS_ARRAY_LEN(leading)] = {"", "", "", "", "", "", "", "", "", "", ""};

static void put_program(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, bool first)
{
    char name[4096];
    put_u64(out, l->process->pid, first);
    report_csv_field(out, ncu_program(l->process), false);
    report_csv_field(out, "127.0.0.1", false);
    report_csv_field(out, kernel_name(l->r->kernel, r->o->name, name, sizeof name), false);
}

static void put_device(FILE *out, const struct ncu_launch *l)
{
    char cc[24];
    snprintf(cc, sizeof cc, "%u.%u", l->r->cc[0], l->r->cc[1]);
    put_size(out, l->r->block);
    put_size(out, l->r->grid);
    put_u64(out, l->r->ordinal, false);
    report_csv_field(out, cc, false);
}

static void put_leading(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    put_u64(out, l->id, true);
    put_program(out, r, l, false);
    put_u64(out, l->r->context, false);
    put_u64(out, l->r->stream, false);
    put_device(out, l);
}

/* ---- details ---- */

static bool has_rules(const struct ncu_report *r) { return r->o->limits && !r->o->no_rules; }

static void end_row(FILE *out, const struct ncu_report *r, const char *kind)
{
    if (r->o->print_kind)
        report_csv_field(out, kind, false);
    fputc('\n', out);
}

static void put_metric(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, i32 section,
                       const struct ncu_line *line)
{
    enum metric_kind kind = METRIC_COUNTED;
    const double v = ncu_metric_value(&line->metric, l, &kind);
    const struct ncu_unit u = ncu_unit_for(ncu_metric_unit(&line->metric), v, !r->o->base_units);
    put_leading(out, r, l);
    report_csv_field(out, ncu_title(section), false);
    report_csv_field(out, line->label, false);
    report_csv_field(out, u.name, false);
    put_number(out, v / u.divisor);
    if (has_rules(r))
        put_fields(out, nothing, LS_ARRAY_LEN(rule_names), false);
    end_row(out, r, isnan(v) ? "" : metric_kind_name(kind));
}

static void put_section(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, i32 section)
{
    u32 n;
    const struct ncu_line *lines = ncu_lines(r, section, &n);
    for (u32 i = 0; i < n; i++)
        put_metric(out, r, l, section, &lines[i]);
}

static void put_rule(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, const char *section,
                     const char *rule, const char *text)
{
    put_leading(out, r, l);
    put_fields(out, (const char *[]){section, "", "", "", rule, "OPT", text, "", ""}, 9, false);
    end_row(out, r, "");
}

static void put_warp_state(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, i32 section)
{
    char text[4096];
    if (section == ncu_section_find("WarpStateStats") && has_rules(r) && warp_state_text(l->r, text, sizeof text))
        put_rule(out, r, l, ncu_title(section), "CPIStall", text);
}

static void put_limits(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    struct limits limits;
    char text[2048];
    if (!r->o->limits || !limits_of(l->r, l->gpu, &limits))
        return;
    for (u32 i = 0; i < BOUND_COUNT; i++) {
        if (!(limits.bounds.seconds[i] > 0))
            continue;
        put_leading(out, r, l);
        const struct ncu_unit u = ncu_unit_for("ns", limits.bounds.seconds[i] * 1e9, !r->o->base_units);
        put_fields(out, (const char *[]){"Nearest Limit", limit_name((enum bound_id)i), u.name}, 3, false);
        put_number(out, limits.bounds.seconds[i] * 1e9 / u.divisor);
        if (has_rules(r))
            put_fields(out, nothing, LS_ARRAY_LEN(rule_names), false);
        end_row(out, r, metric_kind_name(METRIC_MODELLED));
    }
    if (!has_rules(r))
        return;
    limit_text(l->r, l->gpu, &limits, text, sizeof text);
    put_rule(out, r, l, "Nearest Limit", "NearestLimit", text);
    const char *rule;
    for (u32 i = 0; i < LIMIT_NOTES; i++)
        if (limit_note(l->r, i, limits.nearest, &rule, text, sizeof text))
            put_rule(out, r, l, "Nearest Limit", rule, text);
}

static void put_details(FILE *out, const struct ncu_report *r)
{
    put_fields(out, leading, LS_ARRAY_LEN(leading), true);
    put_fields(out, table_names, LS_ARRAY_LEN(table_names), false);
    if (has_rules(r))
        put_fields(out, rule_names, LS_ARRAY_LEN(rule_names), false);
    end_row(out, r, "Metric Kind");
    for (u32 i = 0; i < r->n; i++) {
        for (u32 s = 0; ncu_section_at(s); s++)
            if (r->o->sections >> s & 1) {
                put_section(out, r, &r->launches[i], (i32)s);
                put_warp_state(out, r, &r->launches[i], (i32)s);
            }
        put_section(out, r, &r->launches[i], NCU_METRICS_SECTION);
        put_limits(out, r, &r->launches[i]);
    }
}

/* ---- raw ---- */

/* The metrics of the raw page: those asked for, or all that some launch has, by name. */
static struct ncu_metrics raw_metrics(const struct ncu_report *r)
{
    struct ncu_metrics all = r->o->metrics;
    all.mem = r->mem;
    for (u32 i = 0; i < METRIC_COUNT && !r->o->metrics.n; i++) {
        bool any = false;
        for (u32 k = 0; k < r->n && !any; k++)
            any = !isnan(meter_value(r->launches[k].r, (enum metric_id)i));
        if (any)
            ncu_metrics_add(&all, metric_info((enum metric_id)i)->name);
    }
    ncu_metrics_sort(&all);
    return all;
}

/* A column has one unit: that of its largest value. */
static struct ncu_unit column_unit(const struct ncu_report *r, const struct ncu_metric *m)
{
    double most = 0;
    for (u32 i = 0; i < r->n; i++) {
        enum metric_kind kind;
        const double v = ncu_metric_value(m, &r->launches[i], &kind);
        most = fabs(v) > most ? fabs(v) : most;
    }
    return ncu_unit_for(ncu_metric_unit(m), most, !r->o->base_units);
}

static void put_raw(FILE *out, const struct ncu_report *r)
{
    const struct ncu_metrics all = raw_metrics(r);
    struct ncu_unit *units = arena_array(r->mem, struct ncu_unit, all.n + 1);
    put_fields(out, leading, LS_ARRAY_LEN(leading), true);
    for (u32 m = 0; m < all.n; m++)
        report_csv_field(out, all.at[m].name, false);
    fputc('\n', out);
    put_fields(out, nothing, LS_ARRAY_LEN(leading), true);
    for (u32 m = 0; m < all.n; m++) {
        units[m] = column_unit(r, &all.at[m]);
        report_csv_field(out, units[m].name, false);
    }
    fputc('\n', out);
    for (u32 i = 0; i < r->n; i++) {
        put_leading(out, r, &r->launches[i]);
        for (u32 m = 0; m < all.n; m++) {
            enum metric_kind kind;
            put_number(out, ncu_metric_value(&all.at[m], &r->launches[i], &kind) / units[m].divisor);
        }
        fputc('\n', out);
    }
}

/* ---- summaries ---- */

static int by_kernel(const void *a, const void *b)
{
    const struct ncu_launch *x = *(const struct ncu_launch *const *)a, *y = *(const struct ncu_launch *const *)b;
    int c = (x->process > y->process) - (x->process < y->process);
    c = c ? c : strcmp(x->r->kernel, y->r->kernel);
    c = c ? c : memcmp(x->r->grid, y->r->grid, sizeof x->r->grid);
    c = c ? c : memcmp(x->r->block, y->r->block, sizeof x->r->block);
    return c;
}

static int by_id(const void *a, const void *b)
{
    const struct ncu_group *x = a, *y = b;
    return (x->first->id > y->first->id) - (x->first->id < y->first->id);
}

/* By process, kernel, grid and block; or all launches of a process. In the order of their first launches. */
struct ncu_group *ncu_groups(const struct ncu_report *r, u32 *n)
{
    const struct ncu_launch **all = arena_array(r->mem, const struct ncu_launch *, r->n + 1);
    struct ncu_group *groups = arena_array(r->mem, struct ncu_group, r->n + 1);
    *n = 0;
    for (u32 i = 0; i < r->n; i++)
        all[i] = &r->launches[i];
    if (r->o->summary == NCU_PER_KERNEL && r->n)
        qsort(all, r->n, sizeof *all, by_kernel);
    for (u32 i = 0; i < r->n; i++) {
        const bool same = i && (r->o->summary == NCU_PER_KERNEL ? !by_kernel(&all[i - 1], &all[i])
                                                                : all[i - 1]->process == all[i]->process);
        if (!same)
            groups[(*n)++] = (struct ncu_group){.first = all[i], .launches = all + i};
        struct ncu_group *g = &groups[*n - 1];
        g->invocations++;
        g->first = all[i]->id < g->first->id ? all[i] : g->first;
    }
    if (*n)
        qsort(groups, *n, sizeof *groups, by_id);
    return groups;
}

bool ncu_group_value(const struct ncu_group *g, const struct ncu_metric *m, double v[3])
{
    double sum = 0;
    u32 n = 0;
    for (u32 i = 0; i < g->invocations; i++) {
        enum metric_kind kind;
        const double x = ncu_metric_value(m, g->launches[i], &kind);
        if (isnan(x))
            continue;
        v[0] = n && v[0] < x ? v[0] : x;
        v[1] = n && v[1] > x ? v[1] : x;
        sum += x;
        n++;
    }
    v[2] = n ? sum / n : NAN;
    return n > 0;
}

static void put_summary(FILE *out, const struct ncu_report *r, const struct ncu_group *g, i32 section)
{
    u32 n;
    const struct ncu_line *lines = ncu_lines(r, section, &n);
    for (u32 i = 0; i < n; i++) {
        double v[3] = {NAN, NAN, NAN};
        ncu_group_value(g, &lines[i].metric, v);
        const struct ncu_unit u = ncu_unit_for(ncu_metric_unit(&lines[i].metric), v[1], !r->o->base_units);
        put_program(out, r, g->first, true);
        put_device(out, g->first);
        put_u64(out, g->invocations, false);
        put_fields(out, (const char *[]){ncu_title(section), lines[i].label, u.name}, 3, false);
        for (u32 k = 0; k < 3; k++)
            put_number(out, v[k] / u.divisor);
        fputc('\n', out);
    }
}

static void put_summaries(FILE *out, const struct ncu_report *r)
{
    static const char *const names[] = {"Process ID",  "Process Name", "Host Name", "Kernel Name", "Block Size",
                                        "Grid Size",   "Device",       "CC",        "Invocations", "Section Name",
                                        "Metric Name", "Metric Unit",  "Minimum",   "Maximum",     "Average"};
    u32 n;
    const struct ncu_group *groups = ncu_groups(r, &n);
    put_fields(out, names, LS_ARRAY_LEN(names), true);
    fputc('\n', out);
    for (u32 i = 0; i < n; i++) {
        for (u32 s = 0; ncu_section_at(s); s++)
            if (r->o->sections >> s & 1)
                put_summary(out, r, &groups[i], (i32)s);
        put_summary(out, r, &groups[i], NCU_METRICS_SECTION);
    }
}

/* ---- the session page ---- */

static void put_session(FILE *out, const struct ncu_report *r)
{
    put_fields(out, (const char *[]){"Process ID", "Process Name", "Device", "Compute Capability", "Launches"}, 5,
               true);
    fputc('\n', out);
    for (u32 i = 0, next; i < r->n; i = next) {
        char cc[24];
        const struct ncu_launch *l = &r->launches[i];
        for (next = i; next < r->n && r->launches[next].process == l->process;)
            next++;
        snprintf(cc, sizeof cc, "%u.%u", l->r->cc[0], l->r->cc[1]);
        put_u64(out, l->process->pid, true);
        put_fields(out, (const char *[]){ncu_program(l->process), l->gpu ? l->gpu->name : "?", cc}, 3, false);
        put_u64(out, next - i, false);
        fputc('\n', out);
    }
}

void ncu_csv(FILE *out, const struct ncu_report *r)
{
    if (r->o->page == NCU_SESSION)
        put_session(out, r);
    else if (r->o->summary != NCU_EACH)
        put_summaries(out, r);
    else if (r->o->page == NCU_RAW)
        put_raw(out, r);
    else
        put_details(out, r);
}

void ncu_print(FILE *out, struct ncu_report *r)
{
    ncu_prepare(r);
    if (r->o->page == NCU_SOURCE)
        ncu_source(out, r);
    else if (r->o->csv)
        ncu_csv(out, r);
    else
        ncu_text(out, r);
}
