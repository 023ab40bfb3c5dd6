/* columns.c - the columns that a family's table may have, by group. A family names its groups (family.h, `columns`). */
#include <string.h>

#include "report/columns.h"

#define METRIC_COLUMN(key, group, heading, width, decimals, id)                                                        \
    {key, group, heading, width, decimals, METRIC_##id, NULL}
#define VALUE_COLUMN(key, group, heading, width, decimals, name)                                                       \
    {key, group, heading, width, decimals, METRIC_COUNT, name}

/* Columns of one key stand together under one group heading. */
static const struct column columns[] = {
    METRIC_COLUMN("gld", "global load", "requests", 8, 0, gld_requests),
    METRIC_COLUMN("gld", "", "s/req", 5, 2, gld_sectors_per_request),
    METRIC_COLUMN("gst", "global store", "requests", 8, 0, gst_requests),
    METRIC_COLUMN("gst", "", "s/req", 5, 2, gst_sectors_per_request),
    METRIC_COLUMN("sld", "shared load", "conflict", 8, 0, sld_conflicts),
    METRIC_COLUMN("sld", "", "wavefrnt", 8, 0, sass_sld_wavefronts),
    METRIC_COLUMN("sst", "shared store", "conflict", 8, 0, sst_conflicts),
    METRIC_COLUMN("sst", "", "wavefrnt", 8, 0, sass_sst_wavefronts),
    METRIC_COLUMN("atom", "atomics", "glob req", 8, 0, gatom_requests),
    METRIC_COLUMN("atom", "", "glob red", 8, 0, gred_requests),
    METRIC_COLUMN("atom", "", "shared", 8, 0, sass_satom_wavefronts),
    METRIC_COLUMN("local", "local sectors", "loaded", 8, 0, lld_sectors),
    METRIC_COLUMN("local", "", "stored", 8, 0, lst_sectors),
    METRIC_COLUMN("const", "constant", "requests", 8, 0, const_requests),
    METRIC_COLUMN("tex", "texture", "requests", 8, 0, tex_requests),
    METRIC_COLUMN("branch", "branch", "unif%", 5, 1, branch_uniformity),
    METRIC_COLUMN("barriers", "", "barriers", 8, 0, barriers),
    METRIC_COLUMN("inst", "warp", "instrs", 9, 0, inst),
    METRIC_COLUMN("regs", "", "regs", 4, 0, registers),
    METRIC_COLUMN("occ", "", "occ%", 5, 1, max_warps_pct),
    VALUE_COLUMN("copy", "copies", "to dev", 6, 0, "lockstep__copies_htod.sum"),
    VALUE_COLUMN("copy", "", "bytes", 10, 0, "lockstep__bytes_htod.sum"),
    VALUE_COLUMN("copy", "", "to host", 7, 0, "lockstep__copies_dtoh.sum"),
    VALUE_COLUMN("copy", "", "bytes", 10, 0, "lockstep__bytes_dtoh.sum"),
    VALUE_COLUMN("launch", "host", "launches", 8, 0, "lockstep__launches.sum"),
    VALUE_COLUMN("launch", "", "waits", 5, 0, "lockstep__host_waits.sum"),
    VALUE_COLUMN("launch", "", "allocs", 6, 0, "lockstep__allocations.sum"),
    VALUE_COLUMN("path", "link model", "path us", 8, 1, "lockstep__critical_path.us"),
    VALUE_COLUMN("path", "", "copy us", 8, 1, "lockstep__copy_time.us"),
    VALUE_COLUMN("path", "", "kernl us", 8, 1, "lockstep__kernel_time.us"),
    VALUE_COLUMN("path", "", "hidden%", 7, 1, "lockstep__overlap.pct"),
    VALUE_COLUMN("clock", "clocks", "host us", 9, 0, "lockstep__host_clock.us"),
    VALUE_COLUMN("clock", "", "event us", 9, 0, "lockstep__event_time.us"),
    VALUE_COLUMN("clock", "", "ratio%", 7, 1, "lockstep__clock_ratio.pct"),
    VALUE_COLUMN("cycles", "cycles", "a step", 7, 2, "lockstep__cycles_per_step"),
};

#define USUAL "gld gst sld sst branch barriers occ"

bool column_wanted(const struct family *f, const struct column *c)
{
    const char *at = f->columns ? f->columns : USUAL;
    const size_t n = strlen(c->key);
    for (; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, c->key, n) == 0 && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

const struct column *column_at(u32 i) { return i < LS_ARRAY_LEN(columns) ? &columns[i] : NULL; }

const char *column_name(const struct column *c) { return c->value ? c->value : metric_info(c->metric)->name; }

double column_value(const struct column *c, const struct lab_result *r, enum metric_kind *kind)
{
    *kind = METRIC_COUNTED;
    if (!c->value && r->report)
        *kind = r->report->metrics[c->metric].kind;
    for (u32 i = 0; c->value && i < r->nvalues; i++)
        if (strcmp(r->values[i].name, c->value) == 0)
            *kind = r->values[i].kind;
    return lab_value_of(r, column_name(c));
}
