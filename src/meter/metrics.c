/* metrics.c - metrics.def as tables, and its formulas as code. Adding a metric is one row there and nothing here. */
#include "meter/metrics.h"

#include <math.h>
#include <string.h>

#include "meter/meter.h"
#include "meter/rules.h"

/* ---- tables ---- */

#define COUNTED METRIC_COUNTED, DOUBT_NONE
#define MODELLED METRIC_MODELLED, DOUBT_NONE
#define ESTIMATED METRIC_ESTIMATED, DOUBT_NONE
#define IF_GLOBAL METRIC_COUNTED, DOUBT_GLOBAL
#define IF_LD METRIC_COUNTED, DOUBT_SHARED_LD
#define IF_ST METRIC_COUNTED, DOUBT_SHARED_ST
#define IF_ATOM METRIC_COUNTED, DOUBT_SHARED_ATOM
#define IF_SHARED METRIC_COUNTED, DOUBT_SHARED_LD | DOUBT_SHARED_ST | DOUBT_SHARED_ATOM
#define IF_REGISTERS METRIC_COUNTED, DOUBT_REGISTERS
#define IF_ASKED METRIC_COUNTED, DOUBT_MACHINE
#define REPLAYED METRIC_MODELLED, DOUBT_NO_REPLAY

struct row {
    struct metric_info info;
    u32 doubts;
};

#define ROW_(id, name, unit, kind, doubts, formula, text, by_line) {{name, unit, kind, formula, text, by_line}, doubts},
#define ROW(...) ROW_(__VA_ARGS__)
#define METRIC(id, name, unit, kind, formula, text) ROW(id, name, unit, kind, #formula, text, true)
#define METRIC_LAUNCH(id, name, unit, kind, formula, text) ROW(id, name, unit, kind, #formula, text, false)
static const struct row rows[METRIC_COUNT] = {
#include "meter/metrics.def"
};
#undef METRIC
#undef METRIC_LAUNCH

static const struct {
    const char *name;
    enum metric_id id;
} aliases[] = {
#define ALIAS(name, id) {name, METRIC_##id},
#include "meter/aliases.def"
#undef ALIAS
};

static const char *const event_names[] = {
#define EVENT(id, text) #id,
#define EVENT_NAMED(id, name, text) name,
#include "meter/events.def"
#undef EVENT_NAMED
#undef EVENT
};
static const char *const event_texts[] = {
#define EVENT(id, text) text,
#define EVENT_NAMED(id, name, text) text,
#include "meter/events.def"
#undef EVENT_NAMED
#undef EVENT
};

const struct metric_info *metric_info(enum metric_id id)
{
    LS_BUG_ON((u32)id >= METRIC_COUNT);
    return &rows[id].info;
}

u32 metric_doubts(enum metric_id id) { return rows[id].doubts; }

const char *metric_kind_name(enum metric_kind kind)
{
    static const char *const names[] = {"counted", "modelled", "estimated", "measured"};
    return (u32)kind < LS_ARRAY_LEN(names) ? names[kind] : "?";
}

int metric_find(const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (!strcmp(rows[i].info.name, name))
            return i;
    for (size_t i = 0; i < LS_ARRAY_LEN(aliases); i++)
        if (!strcmp(aliases[i].name, name))
            return (int)aliases[i].id;
    return -1;
}

const char *metric_alias(unsigned n, enum metric_id *id)
{
    if (n >= LS_ARRAY_LEN(aliases))
        return NULL;
    *id = aliases[n].id;
    return aliases[n].name;
}

const char *event_name(enum event_id e) { return (u32)e < EVENT_COUNT ? event_names[e] : "?"; }
const char *event_text(enum event_id e) { return (u32)e < EVENT_COUNT ? event_texts[e] : "?"; }

enum event_id stall_event(enum stall_reason r) { return (enum event_id)((u32)EVENT_stall_SELECTED + (u32)r); }

static const struct {
    const char *name, *text;
} stalls[STALL_COUNT] = {
#define STALL(id, name, text) {name, text},
#include "model/replay/stalls.def"
#undef STALL
};

const char *stall_name(enum stall_reason r) { return (u32)r < STALL_COUNT ? stalls[r].name : "?"; }
const char *stall_text(enum stall_reason r) { return (u32)r < STALL_COUNT ? stalls[r].text : "?"; }

u64 stall_cycles(const u64 n[EVENT_COUNT])
{
    u64 sum = 0;
    for (u32 r = 0; r < STALL_COUNT; r++)
        sum += n[stall_event((enum stall_reason)r)];
    return sum;
}

/* ---- formulas ---- */

static double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

#define E(x) ((double)n[EVENT_##x])
#define STALL_CYCLES ((double)stall_cycles(n))
#define RATIO(a, b) ratio(a, b)
double metric_of_events(const u64 n[EVENT_COUNT], enum metric_id id)
{
    switch (id) {
#define METRIC(name, n_, u_, k_, formula, t_)                                                                          \
    case METRIC_##name:                                                                                                \
        return formula;
#define METRIC_LAUNCH(...)
#include "meter/metrics.def"
#undef METRIC
#undef METRIC_LAUNCH
    default:
        return NAN;
    }
}

/* A resource that does not limit allows what the SM can hold at all. */
#define LIMIT(x) ((double)((x) == OCCUPANCY_NO_LIMIT ? r->occupancy.limit_blocks : (x)))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define PRODUCT(v) ((double)(v)[0] * (v)[1] * (v)[2])
#define WARPS (PRODUCT(r->grid) * (u32)((PRODUCT(r->block) + 31) / 32))
/* Cycles of all schedulers in which their SM has a warp, added up. */
#define SCHEDULER_CYCLES (r->time.active * r->sms * r->schedulers)
/* A warp of each SM every so many cycles, as ncu samples a GPU of that size. */
#define SAMPLES (r->time.active * r->sms / METER_SAMPLING_CYCLES)
#define KNOWN(x) ((x) > 0 ? (x) : NAN)
double metric_of_launch(const struct meter_report *r, enum metric_id id)
{
    switch (id) {
#define METRIC(...)
#define METRIC_LAUNCH(name, n_, u_, k_, formula, t_)                                                                   \
    case METRIC_##name:                                                                                                \
        return formula;
#include "meter/metrics.def"
#undef METRIC
#undef METRIC_LAUNCH
    default:
        return metric_of_events(r->n, id);
    }
}
