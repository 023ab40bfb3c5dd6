/* times.c - the table of modelled times below a ladder's counters. */
#include "report/times.h"

#include <math.h>

#include "lab/recorded.h"

static double microseconds_of(const struct meter_report *r, enum metric_id id)
{
    const double ns = r ? meter_value(r, id) : NAN;
    return isnan(ns) ? 0 : ns * 1e-3;
}

struct rung_times rung_times(const struct lab_result *r)
{
    return (struct rung_times){.measured = r->milliseconds * 1e3,
                               .modelled = microseconds_of(r->report, METRIC_gpu_time),
                               .low = microseconds_of(r->report, METRIC_time_low),
                               .high = microseconds_of(r->report, METRIC_time_high),
                               .bound = r->bound_seconds * 1e6,
                               .recorded = r->recorded ? r->recorded->ns * 1e-3 : 0};
}

double rung_microseconds(const struct lab_result *r)
{
    const struct rung_times t = rung_times(r);
    if (r->verdict != LAB_RIGHT || r->rung->broken)
        return 0;
    return t.measured > 0 ? t.measured : t.modelled > 0 ? t.modelled : t.bound;
}

static bool modelled(const struct report *r)
{
    for (u32 i = 0; i < r->n; i++)
        if (rung_times(&r->results[i]).modelled > 0)
            return true;
    return false;
}

static bool recorded(const struct report *r)
{
    for (u32 i = 0; i < r->n; i++)
        if (r->results[i].recorded)
            return true;
    return false;
}

/* took: the column of recorded times is there. */
static void put_row(FILE *out, const struct report *r, const struct lab_result *x, bool took)
{
    const struct rung_times t = rung_times(x);
    fprintf(out, "%-*s  %9.2f' %9.2f to %8.2f' ", report_name_width(r), x->rung->name, t.modelled, t.low, t.high);
    if (t.bound > 0)
        fprintf(out, " %9.2f' %-*s", t.bound, took ? 8 : 0, x->limit);
    else
        fprintf(out, " %9s  %-*s", "-", took ? 8 : 0, "");
    if (t.recorded > 0)
        fprintf(out, " %9.2f*", t.recorded);
    fputc('\n', out);
}

void times_text(FILE *out, const struct report *r)
{
    const bool took = recorded(r);
    if (!modelled(r))
        return;
    fprintf(out, "\n%-*s  %9s  %22s  %9s  %-*s", report_name_width(r), "time, us", "modelled", "most likely between",
            "at least", took ? 8 : 0, "by");
    if (took)
        fprintf(out, " %4s took", recorded_on.name);
    fputc('\n', out);
    for (u32 i = 0; i < r->n; i++)
        if (rung_times(&r->results[i]).modelled > 0)
            put_row(out, r, &r->results[i], took);
}

void times_legend(FILE *out, const struct report *r, u32 n)
{
    bool any = false, took = false;
    for (u32 i = 0; i < n; i++) {
        any |= modelled(&r[i]);
        took |= recorded(&r[i]);
    }
    if (any)
        fputs("modelled: all launches of the rung, caches cold (docs/model.md); most likely between: where eight "
              "launches in\n"
              "ten are expected; at least, by: what the busiest resource alone needs with these counters\n",
              out);
    if (took)
        fprintf(out,
                "%s took: not measured now, but recorded at this size: one launch each on an NVIDIA %s, driver %s, "
                "under the\n"
                "profiler, caches cold\n",
                recorded_on.name, recorded_on.name, recorded_on.driver);
}
