/* limit.h - which limit of the hardware a launch is nearest to: the least time that each resource needs for what was
 * counted, the resource that needs most, and the source line that is to blame. */
#ifndef LS_REPORT_LIMIT_H
#define LS_REPORT_LIMIT_H

#include "base/gpu.h"
#include "meter/meter.h"
#include "model/bounds.h"

struct limits {
    struct bounds bounds;
    double duration;       /* of the launch, when a model tells it; else NaN */
    enum bound_id nearest; /* the one with most seconds */
};

const char *limit_name(enum bound_id id); /* "DRAM Bandwidth" */

/* False: nothing can be said (no instruction was counted). */
bool limits_of(const struct meter_report *r, const struct gpu *gpu, struct limits *out);
/* A few sentences: the nearest limit, the numbers that say so, and what to look at. */
void limit_text(const struct meter_report *r, const struct gpu *gpu, const struct limits *l, char *out, size_t size);

/* What is wasted beside the nearest limit: excessive sectors, bank conflicts, idle threads. The n-th such remark, as
 * ncu's rule of that name; false: the launch gives no reason for it, or limit_text says it already. */
enum { LIMIT_NOTES = 3 };
bool limit_note(const struct meter_report *r, u32 n, enum bound_id nearest, const char **rule, char *out, size_t size);

/* What a line's global accesses touch, and the least that its bytes need: one sector a request at the least. */
struct limit_sectors {
    u64 sectors, ideal;
};
struct limit_sectors limit_sectors(const struct meter_line *l);
/* The whole launch's, line by line. */
struct limit_sectors limit_all_sectors(const struct meter_report *r);

/* The source line that has most of what a limit is about, in mem. False: no line stands out by it. */
bool limit_line(const struct meter_report *r, enum bound_id id, struct arena *mem, struct meter_line *out);
/* Bytes of DRAM as the model has them; without one those of all global sectors. */
double limit_dram_bytes(const struct meter_report *r);
/* Cycles a second of an SM: those of the modelled time, where there is one, so that the two can be compared. */
double limit_clock(const struct meter_report *r, const struct gpu *gpu);

/* 1048576 as 1,048,576; a fraction with two digits, a small one with two that count. */
void limit_number(double v, char out[48]);

#endif
