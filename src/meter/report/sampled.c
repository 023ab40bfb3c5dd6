/* sampled.c - see sampled.h. */
#include "meter/report/sampled.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/caches.h"

/* The events that are modelled stand together: what caches did for instructions and besides (2), the time, what warps waited
 * for. */
enum { MODELLED_FIRST = TRAFFIC_FIRST, MODELLED_COUNT = EVENT_stall_MISC - TRAFFIC_FIRST + 1 };
_Static_assert(MODELLED_COUNT == TRAFFIC_COUNT + 2 + 1 + STALL_COUNT, "they stand together");

#define ALIKE 0.01
#define AS_LONG 0.05

struct model_row {
    u32 ptx_line;
    u64 n[MODELLED_COUNT];
};

struct model_sample {
    u64 id;
    u64 n[EVENT_COUNT];
    struct meter_metric metrics[METRIC_COUNT];
    struct model_time time;
    u32 nrows; /* 0: without */
    struct model_row rows[];
};

struct model_sample *model_sample_make(const struct meter_report *r, bool lines)
{
    const u32 n = lines ? r->nlines : 0;
    struct model_sample *s = ls_calloc(1, sizeof *s + n * sizeof s->rows[0]);
    if (!s)
        return NULL;
    s->id = r->id;
    s->time = r->time;
    s->nrows = n;
    memcpy(s->n, r->n, sizeof s->n);
    memcpy(s->metrics, r->metrics, sizeof s->metrics);
    for (u32 k = 0; k < n; k++) {
        s->rows[k].ptx_line = r->lines[k].ptx_line;
        memcpy(s->rows[k].n, &r->lines[k].n[MODELLED_FIRST], sizeof s->rows[k].n);
    }
    return s;
}

void model_sample_free(struct model_sample *s) { ls_free(s); }

static bool near(double a, double b, double within) { return fabs(a - b) <= within * fmax(a, b); }

bool model_sample_alike(const struct model_sample *s, const struct meter_report *r)
{
    static const enum event_id work[] = {
        EVENT_inst,
        EVENT_thread_inst,
        EVENT_gld_sectors,
        EVENT_gst_sectors,
        EVENT_gasync_sectors,
        EVENT_gatom_sectors,
        EVENT_gred_sectors,
        EVENT_lld_sectors,
        EVENT_lst_sectors,
        EVENT_sld_wavefronts,
        EVENT_sst_wavefronts,
        EVENT_cld_words,
        EVENT_satom_wavefronts,
        EVENT_tex_requests,
        EVENT_tex_sectors,
        EVENT_suld_requests,
        EVENT_suld_sectors,
        EVENT_sust_requests,
        EVENT_sust_sectors,
        EVENT_bulk_ld_sectors,
        EVENT_bulk_st_sectors,
        EVENT_bulk_red_sectors,
        EVENT_tensor_inst,
        EVENT_gatom_lanes,
        EVENT_gred_lanes,
        EVENT_barriers,
        EVENT_match_values,
    };
    for (u32 i = 0; i < LS_ARRAY_LEN(work); i++)
        if (!near((double)s->n[work[i]], (double)r->n[work[i]], ALIKE))
            return false;
    return true;
}

bool model_sample_as_long(const struct model_sample *s, const struct meter_report *r)
{
    return near((double)s->n[EVENT_time_ns], (double)r->n[EVENT_time_ns], AS_LONG);
}

static bool same_lines(const struct model_sample *s, const struct meter_report *r)
{
    for (u32 k = 0; k < s->nrows && s->nrows == r->nlines; k++)
        if (s->rows[k].ptx_line != r->lines[k].ptx_line)
            return false;
    return s->nrows == r->nlines;
}

void model_sample_give(const struct model_sample *s, struct meter_report *r)
{
    r->modelled = true;
    r->modelled_as = s->id;
    r->time = s->time;
    memcpy(&r->n[MODELLED_FIRST], &s->n[MODELLED_FIRST], MODELLED_COUNT * sizeof r->n[0]);
    for (u32 i = 0; i < METRIC_COUNT; i++)
        if (metric_info((enum metric_id)i)->kind == METRIC_MODELLED)
            r->metrics[i] = s->metrics[i];
    const u32 rows = same_lines(s, r) ? s->nrows : 0;
    for (u32 k = 0; k < rows; k++)
        memcpy(&r->lines[k].n[MODELLED_FIRST], s->rows[k].n, sizeof s->rows[k].n);
}
