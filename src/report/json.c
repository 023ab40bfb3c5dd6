/* json.c - the results as one JSON document: families, their rungs, each metric with unit and kind. */
#include <jansson.h>
#include <math.h>

#include "lab/recorded.h"
#include "report/report.h"
#include "report/times.h"

static json_t *number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *metrics_of(const struct lab_result *x)
{
    const struct meter_report *report = x->report;
    json_t *all = json_object();
    for (u32 m = 0; report && m < METRIC_COUNT; m++) {
        const struct metric_info *info = metric_info((enum metric_id)m);
        double v = meter_value(report, (enum metric_id)m);
        if (!isnan(v))
            json_object_set_new(all, info->name,
                                json_pack("{s:o, s:s, s:s}", "value", number(v), "unit", info->unit, "kind",
                                          metric_kind_name(report->metrics[m].kind)));
    }
    for (u32 i = 0; i < x->nvalues; i++) {
        const struct lab_value *v = &x->values[i];
        json_object_set_new(all, v->name,
                            json_pack("{s:o, s:s, s:s}", "value", number(v->value), "unit", v->unit, "kind",
                                      metric_kind_name(v->kind)));
    }
    return all;
}

static json_t *findings_of(const struct lab_result *x)
{
    json_t *all = json_array();
    for (u32 i = 0; i < x->nfindings; i++) {
        const struct lab_finding *f = &x->findings[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:o, s:o, s:s, s:i, s:s?}", "metric", f->metric, "formula",
                                             f->formula, "expected", number(f->want), "got", number(f->got), "file",
                                             f->path, "line", (int)f->line, "error", f->error));
    }
    return all;
}

static json_t *shape_of(const struct family *f, const struct shape *s)
{
    json_t *j = f->matrix ? json_pack("{s:i, s:i}", "rows", (int)s->rows, "cols", (int)s->cols)
                          : json_pack("{s:I}", "n", (json_int_t)s->n);
    if (f->third)
        json_object_set_new(j, "k", json_integer((json_int_t)s->k));
    if (f->batched)
        json_object_set_new(j, "batch", json_integer((json_int_t)s->batch));
    return j;
}

static json_t *time_or_null(double us) { return us > 0 ? json_real(us) : json_null(); }

/* Microseconds; `recorded` says on which GPU and driver. */
static json_t *times_of(const struct lab_result *x)
{
    const struct rung_times t = rung_times(x);
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:s?}", "modelled", time_or_null(t.modelled), "low", time_or_null(t.low),
                  "high", time_or_null(t.high), "at_least", time_or_null(t.bound), "by", t.bound > 0 ? x->limit : NULL);
    if (j && x->recorded)
        json_object_set_new(j, "recorded",
                            json_pack("{s:o, s:s, s:s}", "us", json_real(t.recorded), "gpu", recorded_on.name, "driver",
                                      recorded_on.driver));
    return j;
}

static json_t *rung_of(const struct lab_result *x)
{
    static const u32 none[3];
    const u32 *grid = x->main ? x->main->grid : none, *block = x->main ? x->main->block : none;
    json_t *j = json_pack("{s:s, s:s, s:b, s:s, s:s, s:o, s:o, s:[i,i,i], s:[i,i,i], s:i, s:i, s:o, s:o}", "rung",
                          x->rung->name, "kernel", x->rung->kernel, "broken", x->rung->broken, "result",
                          report_verdict(x), "text", x->text, "error", number(x->check.worst), "shape",
                          shape_of(x->family, &x->shape), "grid", (int)grid[0], (int)grid[1], (int)grid[2], "block",
                          (int)block[0], (int)block[1], (int)block[2], "shapes_verified", (int)x->shapes,
                          "expectations", (int)x->nexpected, "unmet", findings_of(x), "metrics", metrics_of(x));
    if (j && x->report)
        json_object_set_new(j, "microseconds", times_of(x));
    if (j && x->milliseconds > 0) {
        json_object_set_new(j, "milliseconds", number(x->milliseconds));
        json_object_set_new(j, "gigabytes_per_s", number(x->gigabytes_per_s));
    }
    return j;
}

bool report_json(FILE *out, const struct report *r, u32 n)
{
    json_t *families = json_array();
    bool good = families != NULL;
    for (u32 i = 0; i < n; i++) {
        json_t *rungs = json_array();
        for (u32 k = 0; k < r[i].n; k++)
            good = json_array_append_new(rungs, rung_of(&r[i].results[k])) == 0 && good;
        json_t *family =
            json_pack("{s:s, s:s, s:o}", "family", r[i].family->name, "device", r[i].device, "rungs", rungs);
        good = json_array_append_new(families, family) == 0 && good;
    }
    good = good && json_dumpf(families, out, JSON_INDENT(1)) == 0;
    json_decref(families);
    fputc('\n', out);
    return good;
}
