/* launch_print.c - what `lockstep launch` prints: the counters as a table in ncu's shape, as CSV or as JSON, and the
 * first elements of the buffers that were asked for. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/launch/launch_command.h"

/* ncu's way with numbers: whole ones with thousands separated, others with two decimals. */
static void number_text(double v, char out[48])
{
    char digits[40];
    if (isnan(v)) {
        strcpy(out, "n/a");
        return;
    }
    if (v != floor(v) || fabs(v) >= 1e15) {
        snprintf(out, 48, fabs(v) < 0.01 ? "%.2g" : "%.2f", v);
        return;
    }
    int n = snprintf(digits, sizeof digits, "%.0f", fabs(v));
    char *to = out;
    if (v < 0)
        *to++ = '-';
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
}

/* ---- which metrics ---- */

/* The n-th metric to print, or -1. Unless named, those that the report has and that are not 0. */
static int metric_at(const struct launch_result *r, u32 n)
{
    if (r->nmetrics)
        return n < r->nmetrics ? (int)r->metrics[n] : -1;
    for (u32 m = 0; m < METRIC_COUNT; m++) {
        double v = meter_value(r->report, (enum metric_id)m);
        if (!isnan(v) && (v != 0 || r->all_metrics) && n-- == 0)
            return (int)m;
    }
    return -1;
}

static u32 zeros_left_out(const struct launch_result *r)
{
    u32 n = 0;
    for (u32 m = 0; m < METRIC_COUNT && !r->nmetrics && !r->all_metrics; m++)
        n += meter_value(r->report, (enum metric_id)m) == 0;
    return n;
}

/* ---- text ---- */

static void put_rule(FILE *out, const int width[4])
{
    for (int i = 0; i < 4; i++) {
        fputs(i ? " " : "  ", out);
        for (int k = 0; k < width[i]; k++)
            fputc('-', out);
    }
    fputc('\n', out);
}

static void widths(const struct launch_result *r, int width[4])
{
    static const int least[4] = {11, 11, 12, 9};
    memcpy(width, least, sizeof least);
    int m;
    for (u32 i = 0; (m = metric_at(r, i)) >= 0; i++) {
        const struct metric_info *info = metric_info((enum metric_id)m);
        int name = (int)strlen(info->name), unit = (int)strlen(info->unit);
        width[0] = name > width[0] ? name : width[0];
        width[1] = unit > width[1] ? unit : width[1];
    }
}

static void text_metrics(FILE *out, const struct launch_result *r)
{
    int width[4], m;
    widths(r, width);
    put_rule(out, width);
    fprintf(out, "  %-*s %-*s %*s %s\n", width[0], "Metric Name", width[1], "Metric Unit", width[2], "Metric Value",
            "Kind");
    put_rule(out, width);
    for (u32 i = 0; (m = metric_at(r, i)) >= 0; i++) {
        const struct metric_info *info = metric_info((enum metric_id)m);
        char value[48];
        number_text(meter_value(r->report, (enum metric_id)m), value);
        fprintf(out, "  %-*s %-*s %*s %s\n", width[0], info->name, width[1], info->unit, width[2], value,
                metric_kind_name(r->report->metrics[m].kind));
    }
    put_rule(out, width);
    if (zeros_left_out(r))
        fprintf(out, "  %u metrics that are 0 are left out; --metrics all prints them\n", zeros_left_out(r));
}

static void text_shown(FILE *out, const struct launch_shown *s)
{
    fprintf(out, "  argument %u (%s), first %" PRIu64 " %s:", s->argument, s->parameter, s->n, s->type->name);
    for (u64 i = 0; i < s->n; i++) {
        char element[40];
        launch_element(s->type, s->data + i * s->type->size, element);
        fprintf(out, "%s%s", i && i % 16 == 0 ? "\n    " : " ", element);
    }
    fputc('\n', out);
}

static void print_text(FILE *out, const struct launch_result *r)
{
    fprintf(out, "%s (%u, %u, %u)x(%u, %u, %u), %s%s\n", r->kernel, r->grid[0], r->grid[1], r->grid[2], r->block[0],
            r->block[1], r->block[2], r->report ? "Lockstep's " : "", r->device);
    if (r->report)
        text_metrics(out, r);
    else
        fprintf(out, "  %.4f ms, the first launch, by events\n", r->milliseconds);
    for (u32 i = 0; i < r->nshown; i++)
        text_shown(out, &r->shown[i]);
}

/* ---- CSV: a row a metric, as ncu --csv without --page raw ---- */

static void csv_field(FILE *out, const char *text, bool first)
{
    fputs(first ? "\"" : ",\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_row(FILE *out, const struct launch_result *r, const char *name, const char *unit, double v,
                    const char *kind)
{
    char grid[48], block[48], value[40];
    snprintf(grid, sizeof grid, "(%u, %u, %u)", r->grid[0], r->grid[1], r->grid[2]);
    snprintf(block, sizeof block, "(%u, %u, %u)", r->block[0], r->block[1], r->block[2]);
    snprintf(value, sizeof value, "%.15g", v);
    const char *fields[] = {r->kernel, r->device, grid, block, name, unit, isnan(v) ? "" : value, kind};
    for (u32 i = 0; i < LS_ARRAY_LEN(fields); i++)
        csv_field(out, fields[i], i == 0);
    fputc('\n', out);
}

static void print_csv(FILE *out, const struct launch_result *r)
{
    int m;
    fputs("\"Kernel Name\",\"Device\",\"Grid Size\",\"Block Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\","
          "\"Kind\"\n",
          out);
    if (!r->report)
        csv_row(out, r, "time", "ms", r->milliseconds, "measured");
    for (u32 i = 0; r->report && (m = metric_at(r, i)) >= 0; i++) {
        const struct metric_info *info = metric_info((enum metric_id)m);
        csv_row(out, r, info->name, info->unit, meter_value(r->report, (enum metric_id)m),
                metric_kind_name(r->report->metrics[m].kind));
    }
}

/* ---- JSON ---- */

static json_t *json_number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *json_metrics(const struct launch_result *r)
{
    json_t *all = json_object();
    int m;
    for (u32 i = 0; r->report && (m = metric_at(r, i)) >= 0; i++) {
        const struct metric_info *info = metric_info((enum metric_id)m);
        json_object_set_new(all, info->name,
                            json_pack("{s:o, s:s, s:s}", "value",
                                      json_number(meter_value(r->report, (enum metric_id)m)), "unit", info->unit,
                                      "kind", metric_kind_name(r->report->metrics[m].kind)));
    }
    return all;
}

/* 64-bit integers as integers: a double would round them. */
static json_t *json_element(const struct launch_type *t, const void *p)
{
    char text[40];
    launch_element(t, p, text);
    if (t->cls == 'f')
        return json_number(launch_element_value(t, p));
    json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);
    return j ? j : json_string(text); /* beyond what a JSON integer of ours holds */
}

static json_t *json_shown(const struct launch_result *r)
{
    json_t *all = json_array();
    for (u32 i = 0; i < r->nshown; i++) {
        const struct launch_shown *s = &r->shown[i];
        json_t *values = json_array();
        for (u64 k = 0; k < s->n; k++)
            json_array_append_new(values, json_element(s->type, s->data + k * s->type->size));
        json_array_append_new(all, json_pack("{s:i, s:s, s:s, s:o}", "argument", (int)s->argument, "parameter",
                                             s->parameter, "type", s->type->name, "values", values));
    }
    return all;
}

static bool print_json(FILE *out, const struct launch_result *r)
{
    json_t *j = json_pack("{s:s, s:s, s:[i,i,i], s:[i,i,i], s:o, s:o}", "kernel", r->kernel, "device", r->device,
                          "grid", (int)r->grid[0], (int)r->grid[1], (int)r->grid[2], "block", (int)r->block[0],
                          (int)r->block[1], (int)r->block[2], "metrics", json_metrics(r), "buffers", json_shown(r));
    if (j && !r->report)
        json_object_set_new(j, "milliseconds", json_number(r->milliseconds));
    bool good = j && json_dumpf(j, out, JSON_INDENT(1)) == 0;
    json_decref(j);
    fputc('\n', out);
    return good;
}

bool launch_print(FILE *out, const struct launch_result *r, enum launch_form form)
{
    if (form == LAUNCH_JSON)
        return print_json(out, r);
    if (form == LAUNCH_CSV)
        print_csv(out, r);
    else
        print_text(out, r);
    return true;
}
