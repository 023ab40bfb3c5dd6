/* metrics.h - the metrics by id and by name, and the raw events that they are formulas of. */
#ifndef LS_METER_METRICS_H
#define LS_METER_METRICS_H

#include "base/base.h"
#include "model/replay/stalls.h"

/* counted: follows from addresses and masks, equals the hardware's noise-free numbers. modelled: a model of caches or
 * time, with a known error. estimated: depends on the machine code that ptxas would make. */
/* Measured: by a clock of this machine; no counter of a device is that. */
enum metric_kind { METRIC_COUNTED, METRIC_MODELLED, METRIC_ESTIMATED, METRIC_MEASURED };

/* EVENT(id, "what one of it is"), EVENT_NAMED(id, "its name", ...) where the id is not the name: events.def */
enum event_id {
#define EVENT(id, text) EVENT_##id,
#define EVENT_NAMED(id, name, text) EVENT_##id,
#include "meter/events.def"
#undef EVENT_NAMED
#undef EVENT
    EVENT_COUNT
};

/* METRIC(id, "ncu's name", "unit", kind, formula, "meaning") and METRIC_LAUNCH(the same): metrics.def */
enum metric_id {
#define METRIC(id, name, unit, kind, formula, text) METRIC_##id,
#define METRIC_LAUNCH METRIC
#include "meter/metrics.def"
#undef METRIC_LAUNCH
#undef METRIC
    METRIC_COUNT
};

struct metric_info {
    const char *name, *unit; /* as ncu prints them */
    enum metric_kind kind;   /* of the method; a report may say estimated where this says counted (see meter.h) */
    const char *formula;     /* its text, for the documentation */
    const char *text;        /* meaning, one line */
    bool by_line;            /* a formula over events, so that lines have it too */
};

const struct metric_info *metric_info(enum metric_id id);
const char *metric_kind_name(enum metric_kind kind); /* "counted" */
/* The metric of that name or nvprof alias, or -1. */
int metric_find(const char *name);
/* The n-th alias: nvprof's name and the metric it stands for; NULL past the last. */
const char *metric_alias(unsigned n, enum metric_id *id);
const char *event_name(enum event_id e);
const char *event_text(enum event_id e);

enum event_id stall_event(enum stall_reason r);
const char *stall_name(enum stall_reason r); /* "long_scoreboard" */
const char *stall_text(enum stall_reason r); /* "for a result from ..." */
/* Cycles of warps of all reasons together; 0: nothing was replayed. */
u64 stall_cycles(const u64 n[EVENT_COUNT]);

#endif
