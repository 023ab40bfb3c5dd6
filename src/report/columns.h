/* columns.h - the columns of the table for people: a number of the result, its headings and how it is printed. */
#ifndef LS_REPORT_COLUMNS_H
#define LS_REPORT_COLUMNS_H

#include "lab/lab.h"

struct column {
    const char *key;             /* by which a family asks for it */
    const char *group, *heading; /* group "": belongs to the column before, or has none */
    i32 width;                   /* without the mark and the space */
    u32 decimals;
    enum metric_id metric;
    const char *value; /* a number of the plan (lab.h, struct lab_value) instead; or NULL */
};

/* The i-th of all columns, in the order in which they are printed; NULL past the last. */
const struct column *column_at(u32 i);
bool column_wanted(const struct family *f, const struct column *c);
const char *column_name(const struct column *c); /* "l1tex__t_requests_..." */
/* NaN where there is none. */
double column_value(const struct column *c, const struct lab_result *r, enum metric_kind *kind);

/* ---- cause.c ---- */

/* Whether two runs did the same task; their blocks may differ. */
bool shape_same_sizes(const struct shape *a, const struct shape *b);

/* What changed between two rungs, as a few words: "store sectors a request 16 -> 4, barriers 0 -> 131,072". Estimated
 * numbers are named only when no counted one changed, and are marked. Returns false when there is nothing to say. */
bool cause_text(const struct lab_result *before, const struct lab_result *after, char *out, size_t size);
/* The rung that r is to be compared with: the one its head names, or the one before that ran at the same sizes. */
const struct lab_result *cause_partner(const struct lab_result *all, u32 n, const struct lab_result *r);

#endif
