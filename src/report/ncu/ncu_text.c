/* ncu_text.c - the details, raw and session pages as text, in ncu's shape:
 *
 *     [4711] program@127.0.0.1
 *       kernel(int *, int) (4, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
 *         Section: Command line profiler metrics
 *         ----------------------- ----------- ------------
 *         Metric Name             Metric Unit Metric Value
 *         ----------------------- ----------- ------------
 *         smsp__inst_executed.sum        inst        1,024
 *         ----------------------- ----------- ------------
 *         Kinds: ...
 *
 * The line of kinds is ours: which of the numbers follow from addresses, which from a model, which are estimates. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/limit.h"
#include "report/ncu/ncu.h"
#include "report/warp_state.h"

enum { WRAP = 119 };

const char *ncu_program(const struct session_process *p)
{
    const char *slash = strrchr(p->path, '/');
    return slash ? slash + 1 : *p->path ? p->path : "?";
}

const char *ncu_title(i32 section)
{
    return section < 0 ? "Command line profiler metrics" : ncu_section_at((u32)section)->title;
}

void ncu_wrap(FILE *out, const char *tag, const char *text)
{
    const size_t indent = strlen(tag);
    size_t column = indent;
    fputs(tag, out);
    for (bool first = true; *text; first = false) {
        const size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > WRAP) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += word;
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

/* ---- what a section has ---- */

static bool any_has(const struct ncu_report *r, const struct ncu_metric *m)
{
    enum metric_kind kind;
    for (u32 i = 0; i < r->n; i++)
        if (!isnan(ncu_metric_value(m, &r->launches[i], &kind)))
            return true;
    return false;
}

static const char *shown_name(const struct ncu_report *r, const char *label, const char *name)
{
    if (r->o->names == NCU_LABEL_AND_NAME)
        return arena_printf(r->mem, "%s %s", label, name);
    return r->o->names == NCU_NAME ? name : label;
}

static void prepare_section(struct ncu_report *r, u32 section)
{
    const char *label, *name;
    u32 rows = 0, n = 0;
    while (ncu_section_row(section, rows, r->o->rows, &label, &name))
        rows++;
    struct ncu_line *to = r->lines[section] = arena_array(r->mem, struct ncu_line, rows + 1);
    for (u32 i = 0; i < rows && ncu_section_row(section, i, r->o->rows, &label, &name); i++) {
        const struct ncu_metric m = ncu_metric_find(name);
        if (m.id >= 0 && any_has(r, &m))
            to[n++] = (struct ncu_line){shown_name(r, label, name), m};
    }
    r->nlines[section] = n;
}

void ncu_prepare(struct ncu_report *r)
{
    const struct ncu_metrics *asked = &r->o->metrics;
    struct ncu_line *to = arena_array(r->mem, struct ncu_line, asked->n + 1);
    for (u32 s = 0; ncu_section_at(s) && s < NCU_SECTIONS; s++)
        prepare_section(r, s);
    for (u32 i = 0; i < asked->n; i++)
        to[i] = (struct ncu_line){asked->at[i].name, asked->at[i]};
    r->lines[NCU_SECTIONS] = to;
    r->nlines[NCU_SECTIONS] = asked->n;
}

const struct ncu_line *ncu_lines(const struct ncu_report *r, i32 section, u32 *n)
{
    const u32 at = section < 0 ? NCU_SECTIONS : (u32)section;
    *n = r->nlines[at];
    return r->lines[at];
}

/* ---- kinds ---- */

static void name_kind(const struct ncu_launch *l, const struct ncu_line *lines, u32 n, enum metric_kind kind, char *out,
                      size_t size)
{
    out[0] = 0;
    for (u32 i = 0; i < n; i++) {
        enum metric_kind k = METRIC_COUNTED;
        const size_t len = strlen(out);
        if (!isnan(ncu_metric_value(&lines[i].metric, l, &k)) && k == kind && len < size)
            snprintf(out + len, size - len, "%s%s", len ? ", " : "", lines[i].label);
    }
}

/* Which of the table's numbers are not counted. */
static void put_kinds(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, const struct ncu_line *lines,
                      u32 n)
{
    const size_t size = 16384;
    char *names = arena_alloc(r->tmp, size), *text = arena_alloc(r->tmp, size);
    size_t len = 0;
    for (u32 kind = METRIC_MODELLED; kind <= METRIC_MEASURED; kind++) {
        name_kind(l, lines, n, (enum metric_kind)kind, names, size);
        if (*names && len < size)
            len += (size_t)snprintf(text + len, size - len, "%s%s: %s", len ? "; " : "",
                                    metric_kind_name((enum metric_kind)kind), names);
    }
    if (len)
        ncu_wrap(out, "    Kinds ", text);
}

/* ---- one launch ---- */

/* The modelled time and how far it may be off, behind the section that has the duration. */
static void put_interval(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    const double ns = meter_value(l->r, METRIC_gpu_time), measured = meter_value(l->r, METRIC_time_measured);
    const double low = meter_value(l->r, METRIC_time_low), high = meter_value(l->r, METRIC_time_high);
    const struct ncu_unit u = ncu_unit_for("ns", ns, !r->o->base_units);
    char number[3][48], text[300];
    if (isnan(ns) || isnan(low) || isnan(high))
        return;
    ncu_number(ns / u.divisor, number[0]);
    ncu_number(low / u.divisor, number[1]);
    ncu_number(high / u.divisor, number[2]);
    const int n = snprintf(text, sizeof text, "%s %s, %s to %s: ", number[0], u.name, number[1], number[2]);
    if (measured > 0)
        snprintf(text + n, sizeof text - (size_t)n,
                 "eight in ten of %.0f launches like it that were measured are so near", measured);
    else
        snprintf(text + n, sizeof text - (size_t)n, "how near it is was not yet measured for launches like it");
    ncu_wrap(out, "    Time  ", text);
}

/* ncu's number of the launch with that id among those of the same process; false: it is not in the report. */
static bool number_of(const struct ncu_report *r, const struct ncu_launch *l, u64 id, u64 *number)
{
    for (u32 i = 0; i < r->n; i++)
        if (r->launches[i].r->id == id && r->launches[i].r->process == l->r->process) {
            *number = r->launches[i].id;
            return true;
        }
    return false;
}

/* Whose the modelled values are, when they are not the launch's own. */
static void put_sampled(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    char text[200] =
        "not modelled: it did other work than the launches like it before (--model-launches all models each)";
    u64 number;
    if (l->r->modelled_as && number_of(r, l, l->r->modelled_as, &number))
        snprintf(text, sizeof text, "modelled as launch %llu, which did the same work", (unsigned long long)number);
    else if (l->r->modelled_as)
        snprintf(text, sizeof text, "modelled as an earlier launch, which did the same work");
    if (l->r->modelled_as || l->r->unlike)
        ncu_wrap(out, "    Model ", text);
}

static void put_warp_state(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    char text[4096];
    if (r->o->no_rules || !warp_state_text(l->r, text, sizeof text))
        return;
    fputc('\n', out);
    ncu_wrap(out, "    OPT   ", text);
}

/* What stands under a section's table. */
static void put_remarks(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, i32 section)
{
    if (section >= 0 && section == ncu_section_find("SpeedOfLight"))
        put_interval(out, r, l), put_sampled(out, r, l);
    if (section >= 0 && section == ncu_section_find("WarpStateStats"))
        put_warp_state(out, r, l);
}

static void put_section(FILE *out, const struct ncu_report *r, const struct ncu_launch *l, i32 section)
{
    u32 n;
    const struct ncu_line *lines = ncu_lines(r, section, &n);
    struct ncu_table t = {.mem = r->tmp, .columns = r->o->print_kind ? 4 : 3};
    if (!n)
        return;
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Metric Name", "Metric Unit", "Metric Value", "Metric Kind"});
    for (u32 i = 0; i < n; i++) {
        enum metric_kind kind = METRIC_COUNTED;
        const double v = ncu_metric_value(&lines[i].metric, l, &kind);
        const struct ncu_unit u = ncu_unit_for(ncu_metric_unit(&lines[i].metric), v, !r->o->base_units);
        char value[48];
        ncu_number(v / u.divisor, value);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){lines[i].label, u.name, isnan(v) ? "(!) n/a" : value,
                                                      isnan(v) ? "" : metric_kind_name(kind)});
    }
    fprintf(out, "    Section: %s\n", ncu_title(section));
    ncu_table_print(out, &t);
    if (!r->o->print_kind)
        put_kinds(out, r, l, lines, n);
    put_remarks(out, r, l, section);
    fputc('\n', out);
}

static void put_limits(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    struct limits limits;
    struct ncu_table t = {.mem = r->tmp, .columns = 3};
    char text[2048];
    if (!limits_of(l->r, l->gpu, &limits))
        return;
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Limit", "Metric Unit", "At Least"});
    for (u32 i = 0; i < BOUND_COUNT; i++) {
        char value[48];
        if (!(limits.bounds.seconds[i] > 0))
            continue;
        const struct ncu_unit u = ncu_unit_for("ns", limits.bounds.seconds[i] * 1e9, !r->o->base_units);
        ncu_number(limits.bounds.seconds[i] * 1e9 / u.divisor, value);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){limit_name((enum bound_id)i), u.name, value});
    }
    fputs("    Section: Nearest Limit\n", out);
    ncu_table_print(out, &t);
    if (!r->o->no_rules) {
        limit_text(l->r, l->gpu, &limits, text, sizeof text);
        fputc('\n', out);
        ncu_wrap(out, "    OPT   ", text);
    }
    const char *rule;
    for (u32 i = 0; i < LIMIT_NOTES && !r->o->no_rules; i++)
        if (limit_note(l->r, i, limits.nearest, &rule, text, sizeof text)) {
            fputc('\n', out);
            ncu_wrap(out, "    OPT   ", text);
        }
    fputc('\n', out);
}

static void put_sections(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    for (u32 s = 0; ncu_section_at(s); s++)
        if (r->o->sections >> s & 1)
            put_section(out, r, l, (i32)s);
    put_section(out, r, l, NCU_METRICS_SECTION);
    if (r->o->limits)
        put_limits(out, r, l);
}

static void put_kernel(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    char name[4096];
    const struct meter_report *m = l->r;
    fprintf(out, "  %s (%u, %u, %u)x(%u, %u, %u)", kernel_name(m->kernel, r->o->name, name, sizeof name), m->grid[0],
            m->grid[1], m->grid[2], m->block[0], m->block[1], m->block[2]);
}

static void put_launch(FILE *out, const struct ncu_report *r, const struct ncu_launch *l)
{
    const struct meter_report *m = l->r;
    put_kernel(out, r, l);
    fprintf(out, ", Context %" PRIu64 ", Stream %" PRIu64 ", Device %u, CC %u.%u\n", m->context, m->stream, m->ordinal,
            m->cc[0], m->cc[1]);
    if (m->status && strcmp(m->status, "ok") != 0)
        fprintf(out, "    WRN   The kernel ended with %s: what is counted is what it did until then\n", m->status);
    put_sections(out, r, l);
    arena_free(r->tmp);
}

/* ---- summaries ---- */

static void put_summary(FILE *out, const struct ncu_report *r, const struct ncu_group *g, i32 section)
{
    u32 n;
    const struct ncu_line *lines = ncu_lines(r, section, &n);
    struct ncu_table t = {.mem = r->tmp, .columns = 5};
    if (!n)
        return;
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"});
    for (u32 i = 0; i < n; i++) {
        double v[3] = {NAN, NAN, NAN};
        char text[3][48];
        const bool has = ncu_group_value(g, &lines[i].metric, v);
        const struct ncu_unit u = ncu_unit_for(ncu_metric_unit(&lines[i].metric), v[1], !r->o->base_units);
        for (u32 k = 0; k < 3; k++)
            ncu_number(v[k] / u.divisor, text[k]);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){lines[i].label, u.name, has ? text[0] : "(!) n/a",
                                                      has ? text[1] : "(!) n/a", has ? text[2] : "(!) n/a"});
    }
    fprintf(out, "    Section: %s\n", ncu_title(section));
    ncu_table_print(out, &t);
    put_kinds(out, r, g->first, lines, n);
    fputc('\n', out);
}

static void put_group(FILE *out, const struct ncu_report *r, const struct ncu_group *g)
{
    if (r->o->summary == NCU_PER_KERNEL)
        put_kernel(out, r, g->first);
    else
        fputs("  All kernels", out);
    fprintf(out, ", Device %u, CC %u.%u, Invocations %u\n", g->first->r->ordinal, g->first->r->cc[0],
            g->first->r->cc[1], g->invocations);
    for (u32 s = 0; ncu_section_at(s); s++)
        if (r->o->sections >> s & 1)
            put_summary(out, r, g, (i32)s);
    put_summary(out, r, g, NCU_METRICS_SECTION);
    arena_free(r->tmp);
}

/* ---- the session page ---- */

static void put_session(FILE *out, const struct ncu_report *r)
{
    struct ncu_table t = {.mem = r->tmp, .columns = 2};
    char text[64];
    fputs("  Session\n", out);
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Attribute", "Value"});
    if (r->o->command)
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Command", r->o->command});
    for (u32 i = 0; i < r->n; i++) {
        if (i && r->launches[i].process == r->launches[i - 1].process)
            continue;
        snprintf(text, sizeof text, "Process %" PRIu64, r->launches[i].process->pid);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){text, r->launches[i].process->path});
    }
    snprintf(text, sizeof text, "%u", r->n);
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Profiled launches", text});
    ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Profiler", "Lockstep: no GPU ran"});
    if (r->n && r->launches[0].gpu) {
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Device 0", r->launches[0].gpu->name});
        snprintf(text, sizeof text, "%u.%u", r->launches[0].gpu->cc_major, r->launches[0].gpu->cc_minor);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Compute capability", text});
        snprintf(text, sizeof text, "%u", r->launches[0].gpu->sms);
        ncu_table_row(&t, (const char *[NCU_COLUMNS]){"Multiprocessors", text});
    }
    ncu_table_print(out, &t);
}

/* ---- pages ---- */

/* The raw page: every metric of a launch, in one table. */
static void put_raw(FILE *out, const struct ncu_report *r)
{
    struct ncu_options o = *r->o;
    struct ncu_report all = *r;
    o.sections = 0;
    o.limits = false;
    for (u32 i = 0; i < METRIC_COUNT && !r->o->metrics.n; i++) {
        const struct ncu_metric m = ncu_metric_find(metric_info((enum metric_id)i)->name);
        if (any_has(r, &m))
            ncu_metrics_add(&o.metrics, m.name);
    }
    ncu_metrics_sort(&o.metrics);
    all.o = &o;
    ncu_prepare(&all);
    for (u32 i = 0; i < r->n; i++)
        put_launch(out, &all, &r->launches[i]);
}

/* What the printed sections would have had, were there such metrics. */
static void put_absent(FILE *out, const struct ncu_report *r)
{
    char text[4096] = "Not known to Lockstep, and left out:";
    const char *label, *name;
    const size_t head = strlen(text);
    size_t len = head;
    for (u32 s = 0; ncu_section_at(s); s++)
        for (u32 i = 0; r->o->sections >> s & 1 && ncu_section_row(s, i, r->o->rows, &label, &name); i++) {
            const struct ncu_metric m = ncu_metric_find(name);
            if ((m.id < 0 || !any_has(r, &m)) && len < sizeof text)
                len += (size_t)snprintf(text + len, sizeof text - len, "%s %s", len > head ? "," : "", label);
        }
    if (len > head)
        ncu_wrap(out, "  ", text);
}

void ncu_text(FILE *out, const struct ncu_report *r)
{
    if (r->o->page == NCU_SESSION) {
        put_session(out, r);
        return;
    }
    u32 ngroups = 0;
    const struct ncu_group *groups = r->o->summary == NCU_EACH ? NULL : ncu_groups(r, &ngroups);
    for (u32 i = 0; i < ngroups; i++)
        put_group(out, r, &groups[i]);
    if (r->o->page == NCU_RAW && !groups)
        put_raw(out, r);
    for (u32 i = 0; r->o->page == NCU_DETAILS && !groups && i < r->n; i++)
        put_launch(out, r, &r->launches[i]);
    if (r->o->page == NCU_DETAILS)
        put_absent(out, r);
}
