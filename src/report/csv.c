/* csv.c - one row a rung, one column a metric, as `ncu --csv --page raw` prints: names, then units, then rows.
 *
 * Every metric that the meter knows has its column in every run, so that files can be put together. */
#include <math.h>
#include <string.h>

#include "report/csv.h"
#include "report/report.h"

void report_csv_field(FILE *out, const char *text, bool first)
{
    fputs(first ? "\"" : ",\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", v);
    report_csv_field(out, isnan(v) ? "" : text, false);
}

static const char *const leading[] = {"Family",     "Rung",     "Kernel Name", "Device", "Grid Size",
                                      "Block Size", "Result",   "Error",       "Text",   "Unmet Expectations",
                                      "Time",       "Bandwidth"};
static const char *const leading_units[] = {"", "", "", "", "", "", "", "", "", "", "ms", "Gbyte/second"};

static void put_header(FILE *out)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(leading); i++)
        report_csv_field(out, leading[i], i == 0);
    for (u32 m = 0; m < METRIC_COUNT; m++)
        report_csv_field(out, metric_info((enum metric_id)m)->name, false);
    for (u32 i = 0; lab_value_info(i); i++)
        report_csv_field(out, lab_value_info(i)->name, false);
    fputc('\n', out);
    for (u32 i = 0; i < LS_ARRAY_LEN(leading_units); i++)
        report_csv_field(out, leading_units[i], i == 0);
    for (u32 m = 0; m < METRIC_COUNT; m++)
        report_csv_field(out, metric_info((enum metric_id)m)->unit, false);
    for (u32 i = 0; lab_value_info(i); i++)
        report_csv_field(out, lab_value_info(i)->unit, false);
    fputc('\n', out);
}

static void put_size(FILE *out, const u32 size[3])
{
    char text[60];
    snprintf(text, sizeof text, "(%u, %u, %u)", size[0], size[1], size[2]);
    report_csv_field(out, text, false);
}

static void put_row(FILE *out, const struct report *r, const struct lab_result *x)
{
    char name[100];
    snprintf(name, sizeof name, "%s%s", x->rung->broken ? "broken/" : "", x->rung->name);
    report_csv_field(out, r->family->name, true);
    report_csv_field(out, name, false);
    report_csv_field(out, x->rung->kernel, false);
    report_csv_field(out, r->device, false);
    static const u32 none[3];
    put_size(out, x->main ? x->main->grid : none);
    put_size(out, x->main ? x->main->block : none);
    report_csv_field(out, report_verdict(x), false);
    put_number(out, x->check.worst);
    report_csv_field(out, x->text, false);
    put_number(out, x->nfindings);
    put_number(out, x->milliseconds > 0 ? x->milliseconds : NAN);
    put_number(out, x->milliseconds > 0 ? x->gigabytes_per_s : NAN);
    for (u32 m = 0; m < METRIC_COUNT; m++)
        put_number(out, x->report ? meter_value(x->report, (enum metric_id)m) : NAN);
    for (u32 i = 0; lab_value_info(i); i++)
        put_number(out, lab_value_of(x, lab_value_info(i)->name));
    fputc('\n', out);
}

void report_csv(FILE *out, const struct report *r, bool header)
{
    if (header)
        put_header(out);
    for (u32 i = 0; i < r->n; i++)
        put_row(out, r, &r->results[i]);
}
