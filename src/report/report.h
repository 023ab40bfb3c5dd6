/* report.h - the laboratory's results as a table for people, as CSV in ncu's shape, and as JSON.
 *
 * Each writes to a stream that the caller owns. */
#ifndef LS_REPORT_REPORT_H
#define LS_REPORT_REPORT_H

#include <stdio.h>

#include "lab/lab.h"

/* One family's results, in order. */
struct report {
    const struct family *family;
    const struct lab_result *results;
    u32 n;
    const char *device;
    bool gpu; /* times instead of counters */
};

void report_text(FILE *out, const struct report *r);
/* What the table's columns are called by ncu, and what the marks mean; once a run. */
void report_legend(FILE *out, const struct report *r, u32 n);
/* `header`: the names' and the units' row first. */
void report_csv(FILE *out, const struct report *r, bool header);
/* All families in one document; false: no memory. */
bool report_json(FILE *out, const struct report *r, u32 n);

/* The expectations that were not met, and what is wrong or not supported: a line each. Nothing when all is well. */
void report_problems(FILE *out, const struct report *r);

/* Characters of the longest rung's name. */
i32 report_name_width(const struct report *r);

/* A short word for the table: right, WRONG, FAULT, n/a, failed; for broken rungs caught or MISSED. */
const char *report_verdict(const struct lab_result *r);

#endif
