/* fidelity.h - Lockstep's counters beside an H200's: recordings, which rung a row of them is, which columns are compared.
 *
 * A recording is a CSV file of tests/hw/h200: one row a kernel, a column a metric by ncu's name. Three classes of columns:
 *
 *   counted    follow from addresses and masks, recorded free of noise: must be equal
 *   noisy      the plain counters of shared memory, which add arbitration: printed beside, never below ours
 *   estimated  depend on the machine code that ptxas makes: the distance is printed, not judged
 *
 * The tutorials' launches are of whole blocks that do alike, so counters are proportional to the data: with a scale of k
 * a k-th of the data is run and k times the counters compared. Rungs are run whole, at the sizes recorded.
 *
 * exceptions.txt names counted values that differ, and why. A value that our report itself calls estimated (a kernel of
 * matrix instructions) may differ too. */
#ifndef LS_FIDELITY_H
#define LS_FIDELITY_H

#include "lab/lab.h"

/* ---- table.c ---- */

enum { TABLE_COLUMNS = 80, TABLE_ROWS = 1200 };

struct table {
    char *text;
    char *cells[TABLE_ROWS][TABLE_COLUMNS]; /* row 0: the columns' names */
    u32 rows, columns;
};

/* Lines that start with # are skipped. False: no such file, or it is not such a table. */
bool table_load(struct table *t, const char *path);
void table_free(struct table *t);
const char *table_cell(const struct table *t, u32 row, const char *column); /* NULL: no such column */
double table_value(const struct table *t, u32 row, const char *column);     /* NaN likewise */

/* ---- spread.c ---- */

struct spread {
    u32 n;
    double median, mean, nine_in_ten, largest; /* nine in ten are below; NaN: of nothing */
};
struct spread spread_of(double *values, u32 n); /* sorts them */
void sort_ascending(double *values, u32 n);
double at_share(const double *sorted, u32 n, double share); /* NaN: of nothing */

/* Of things that are right or not. */
struct tally {
    u32 n, right, nearly;
};
/* A pair of kernels by their times: counted if those on the GPU differ by a tenth of the shorter at least, right if ours are in
 * the same order. */
void order_add(struct tally *t, const double ours[2], const double theirs[2]);

/* ---- subject.c ---- */

struct subject {
    char name[120]; /* "reduceInteger: reduceSmem", or "reduce/reduceSmem" */
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    u32 scale;
};

/* What a row of a recording is a launch of; false: there is no such rung. */
bool subject_find(const struct table *t, u32 row, u32 scale, struct subject *s);
/* Whether the launch had the grid and the block that the row says. */
bool subject_same_launch(const struct table *t, u32 row, const struct subject *s, const struct lab_result *r);

/* ---- exceptions.c ---- */

/* Reads "family/rung metric-part reason" lines; false: the file cannot be read or a line is not such a one (said). */
bool exceptions_load(const char *path);
/* The reason for this kernel's metric, or NULL. */
const char *exception_of(const char *subject, const char *metric);

/* ---- compare.c ---- */

/* A column: ncu's name and how tables head it. */
struct column {
    const char *metric, *title;
    const char *noisy; /* counted ones: the plain counter of the same thing; or NULL */
};

extern const struct column counted_columns[], estimated_columns[];
extern const u32 counted_count, estimated_count;

struct pair {
    double ours, theirs; /* theirs NaN: not recorded */
    double noisy;        /* the plain counter; NaN: none */
    const char *except;  /* why it may differ; NULL: it may not */
};

enum { COUNTED_MAX = 32, ESTIMATED_MAX = 16, MODELLED_MAX = 32 };

struct comparison {
    struct subject subject;
    bool ran, same_launch, right;
    u32 findings;
    char text[200]; /* why it did not run */
    bool polls;     /* what it counts depends on timing: its estimates are not compared */
    struct pair counted[COUNTED_MAX], estimated[ESTIMATED_MAX], modelled[MODELLED_MAX];
};

/* Runs one row's rung and compares. False: out of memory or damaged ladder, said in diags. */
bool compare_row(const struct table *t, u32 row, u32 scale, struct lab *lab, struct arena *mem, struct comparison *out,
                 struct diag_list *diags);

struct score {
    u32 kernels, kernels_equal; /* all of a kernel's counted columns */
    u32 values, values_equal, excepted;
    u32 below; /* noisy counters that are smaller than ours: impossible if ours is exact */
};
void score_add(struct score *s, const struct comparison *c);
bool pair_equal(const struct pair *p);
bool pair_close(const struct pair *p, const char *metric); /* estimates: equal in the decimals recorded */

/* ---- modelled.c ---- */

struct model_column {
    const char *metric, *title;
    double least; /* what is below it on both sides is not compared */
};

extern const struct model_column modelled_columns[];
extern const u32 modelled_count;

u32 modelled_column(const char *metric); /* its index there */

/* The recording that the models are compared with; without it nothing is. */
bool modelled_load(const char *path);
void modelled_free(void);
void modelled_compare(const struct subject *s, const struct meter_report *r, struct pair pairs[MODELLED_MAX]);
/* In percent, or points; NaN: not compared. */
double modelled_error(const struct pair *p, u32 column);
/* The text about all rows, on standard output. */
void modelled_put(const struct comparison *rows, u32 n);

#endif
