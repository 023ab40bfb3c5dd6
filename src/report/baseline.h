/* baseline.h - two profiles of a program, an older and a newer one, compared kernel by kernel: the times, their ratio and how sure it
 * is, and which counters moved.
 *
 * Kernels belong together by name: by the whole name, else by the function's name alone, so that one whose parameters
 * changed is found. The k-th launch of one is compared with the k-th of the other; what is left over on one side is told. */
#ifndef LS_REPORT_BASELINE_H
#define LS_REPORT_BASELINE_H

#include <stdio.h>

#include "base/kernel_name.h"
#include "meter/meter.h"
#include "model/interval.h"

enum { BASELINE_OLD, BASELINE_NEW, BASELINE_SIDES };

/* One profile: its launches in the order in which they were made. */
struct baseline_profile {
    const char *file;
    const struct meter_report *const *reports;
    u32 n;
};

/* Launches of a kernel, of one profile, together. */
struct baseline_side {
    const char *kernel;                    /* mangled */
    const char *status;                    /* of the first launch that did not end well; "ok" */
    struct meter_line sum;                 /* events of all of them */
    double ns;                             /* NaN: a launch has no modelled time */
    double low_ns, high_ns;                /* likewise */
    double occupancy, achieved, registers; /* means */
    enum interval_limit limit;             /* of the first launch */
    enum interval_code code;               /* likewise */
};

struct baseline_kernel {
    u32 launches; /* of each side */
    struct baseline_side side[BASELINE_SIDES];
};

/* A kernel, or some launches of one, that the other profile does not have. */
struct baseline_rest {
    const char *kernel;
    u32 launches;
};

struct baseline {
    const char *files[BASELINE_SIDES];
    struct baseline_kernel *kernels; /* in the order of the older profile */
    u32 n;
    struct baseline_rest *rest[BASELINE_SIDES];
    u32 nrest[BASELINE_SIDES];
};

/* In mem, whose recovery point is set. False: no kernel is in both (`out` has the rests). */
bool baseline_make(struct arena *mem, const struct baseline_profile profiles[BASELINE_SIDES], struct baseline *out);

/* Newer / older time; NaN where one of them is not known. */
double baseline_ratio(const struct baseline_kernel *k);
struct ratio_interval baseline_interval(const struct baseline_kernel *k);
/* Of how many measured pairs the intervals are. */
u32 baseline_pairs(const struct baseline *b);
/* All kernels together. */
struct baseline_kernel baseline_sum(const struct baseline *b);

/* A number that moved. `name`: ncu's, `label`: in words. */
struct baseline_change {
    const char *name, *label, *unit;
    double was, is;
};
enum { BASELINE_CHANGES = 32 };
/* The stall reasons that changed most, then counters; only what changed by a twentieth. Returns how many. */
u32 baseline_changes(const struct baseline_kernel *k, struct baseline_change out[BASELINE_CHANGES]);

void baseline_text(FILE *out, struct arena *mem, const struct baseline *b, enum kernel_base name, bool base_units);
bool baseline_json(FILE *out, const struct baseline *b, enum kernel_base name); /* false: no memory */

#endif
