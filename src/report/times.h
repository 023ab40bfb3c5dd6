/* times.h - a rung's times beside each other: the least that its counters allow, what is modelled, what a GPU took. */
#ifndef LS_REPORT_TIMES_H
#define LS_REPORT_TIMES_H

#include "report/report.h"

/* Microseconds; 0: not known. */
struct rung_times {
    double measured;            /* on the GPU that this machine has */
    double modelled, low, high; /* of all launches of the plan; eight of ten are expected between low and high */
    double bound;               /* no GPU of this kind is faster with these counters */
    double recorded;            /* what lab/recorded.h's GPU took for the same launches */
};

struct rung_times rung_times(const struct lab_result *r);
/* The one by which rungs are compared and drawn: measured, else modelled, else the bound. 0: none, or the rung is not right or
 * is broken on purpose. */
double rung_microseconds(const struct lab_result *r);

/* Below a table of counters; nothing when no time was modelled. */
void times_text(FILE *out, const struct report *r);
/* What its columns mean. */
void times_legend(FILE *out, const struct report *r, u32 n);

#endif
