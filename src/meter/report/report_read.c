/* report_read.c - reading a report: values by id and by name, and rows by source line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/rules.h"

void meter_report_free(struct meter_report *r)
{
    if (r)
        arena_free(&r->mem);
    if (r)
        meter_rows_release(r->rows);
    ls_free(r);
}

void meter_rows_release(struct meter_rows *rows)
{
    if (!rows || --rows->owners)
        return;
    arena_free(&rows->mem);
    ls_free(rows);
}

void meter_report_has_children(struct meter_report *r, u32 n)
{
    static const enum metric_id interval[] = {METRIC_time_low, METRIC_time_high, METRIC_time_measured};
    r->children = n;
    for (u32 i = 0; n && i < LS_ARRAY_LEN(interval); i++)
        r->metrics[interval[i]].value = NAN;
}

void meter_report_add(struct meter_report *to, const struct meter_report *r)
{
    for (u32 e = 0; e < EVENT_COUNT; e++)
        to->n[e] += e == EVENT_time_ns && r->depth ? 0 : r->n[e]; /* that of a kernel's launch is in its root's */
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        if (!metric_info(i)->by_line || isnan(to->metrics[i].value))
            continue;
        to->metrics[i].value = metric_of_events(to->n, i);
        if (r->metrics[i].kind > to->metrics[i].kind)
            to->metrics[i].kind = r->metrics[i].kind;
    }
    /* one launch after the other */
    to->metrics[METRIC_time_low].value += r->metrics[METRIC_time_low].value;
    to->metrics[METRIC_time_high].value += r->metrics[METRIC_time_high].value;
}

double meter_value(const struct meter_report *r, enum metric_id id)
{
    return (u32)id < METRIC_COUNT ? r->metrics[id].value : NAN;
}

double meter_value_of(const struct meter_report *r, const char *name)
{
    const int id = metric_find(name);
    return id < 0 ? NAN : r->metrics[id].value;
}

/* Whether the model of the caches saw the line. */
static bool has_traffic(const struct meter_line *l)
{
    for (u32 e = EVENT_l1_gld_hits; e <= EVENT_dram_writes; e++)
        if (l->n[e])
            return true;
    return false;
}

double meter_line_value(const struct meter_line *l, enum metric_id id)
{
    if ((u32)id >= METRIC_COUNT || id == METRIC_gpu_time)
        return NAN;
    const bool replayed = metric_doubts(id) & DOUBT_NO_REPLAY;
    if (metric_info(id)->kind == METRIC_MODELLED && !(replayed ? stall_cycles(l->n) > 0 : has_traffic(l)))
        return NAN;
    return metric_of_events(l->n, id);
}

static int compare_text(const char *a, const char *b) { return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b); }

static int compare_u32(u32 a, u32 b) { return (a > b) - (a < b); }

/* Rows without a source line keep apart by PTX line. */
static int by_source(const void *x, const void *y)
{
    const struct meter_line *a = x, *b = y;
    int c = compare_text(a->file, b->file);
    c = c ? c : compare_u32(a->line, b->line);
    if (!c && !a->line)
        c = compare_u32(a->ptx_line, b->ptx_line);
    return c;
}

static int by_source_and_place(const void *x, const void *y)
{
    const struct meter_line *a = x, *b = y;
    const int c = by_source(a, b);
    return c ? c : compare_u32(a->ptx_line, b->ptx_line);
}

struct meter_line *meter_source_lines(const struct meter_report *r, struct arena *mem, u32 *n)
{
    *n = 0;
    struct meter_line *to = arena_array(mem, struct meter_line, r->nlines + 1);
    if (!r->nlines)
        return to;
    memcpy(to, r->lines, sizeof *to * r->nlines);
    qsort(to, r->nlines, sizeof *to, by_source_and_place);
    for (u32 k = 1; k < r->nlines; k++) {
        if (by_source(&to[*n], &to[k])) {
            to[++*n] = to[k];
            continue;
        }
        for (u32 e = 0; e < EVENT_COUNT; e++)
            to[*n].n[e] += to[k].n[e];
    }
    ++*n;
    return to;
}
