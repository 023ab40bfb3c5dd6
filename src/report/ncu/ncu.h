/* ncu.h - launches printed as Nsight Compute's command line prints them: the details, raw, source and session pages, as
 * text and as CSV.
 *
 * Vocabulary: a *metric* is what was asked for by a name; a *section* is a titled group of metrics (sections.def); a
 * *summary* puts all launches of a kernel into one table. */
#ifndef LS_REPORT_NCU_H
#define LS_REPORT_NCU_H

#include <stdio.h>

#include "base/gpu.h"
#include "base/kernel_name.h"
#include "meter/meter.h"
#include "meter/session/session.h"

enum ncu_page { NCU_DETAILS, NCU_RAW, NCU_SOURCE, NCU_SESSION };
enum ncu_summary { NCU_EACH, NCU_PER_KERNEL, NCU_PER_GPU };
enum ncu_names { NCU_LABEL, NCU_NAME, NCU_LABEL_AND_NAME };
enum ncu_rows { NCU_HEADER = 1, NCU_BODY = 2 };

/* One launch and where it comes from. */
struct ncu_launch {
    const struct meter_report *r;
    const struct session_process *process;
    const struct gpu *gpu; /* NULL: there is no such GPU here */
    u64 id;                /* ncu's: from 0 on */
};

/* ---- metrics (ncu_metrics.c) ---- */

enum ncu_how {
    NCU_AS_IS,
    NCU_AVERAGE,    /* ".avg" of a sum: a unit's share */
    NCU_PER_SECOND, /* ".sum.per_second": by the modelled duration */
};

struct ncu_metric {
    const char *name; /* as it is printed in the list of metrics */
    i32 id;           /* enum metric_id; -1: there is none */
    enum ncu_how how;
};

struct ncu_metrics {
    struct arena *mem;
    struct ncu_metric *at;
    u32 n, unknown; /* how many of them there are not */
};

struct ncu_metric ncu_metric_find(const char *name);
/* Adds what an item of --metrics names: a name (without its last part: all that begin so), an nvprof name, regex:... or
 * group:...; an unknown name is added too, to be printed as n/a. Returns NULL, or what is wrong (in mem): then the item
 * names nothing. */
const char *ncu_metrics_add(struct ncu_metrics *m, const char *item);
/* By name, each once. */
void ncu_metrics_sort(struct ncu_metrics *m);
/* Names that are like an unknown one; "" when none is. */
void ncu_metric_like(const char *name, char *out, size_t size);

double ncu_metric_value(const struct ncu_metric *m, const struct ncu_launch *l, enum metric_kind *kind); /* NaN: none */
const char *ncu_metric_unit(const struct ncu_metric *m); /* base unit, "byte/s" */

/* A unit to print a value of that size in, and what to divide by. */
struct ncu_unit {
    char name[40];
    double divisor;
};
struct ncu_unit ncu_unit_for(const char *base, double value, bool scale);
void ncu_number(double v, char out[48]); /* "1,234" or "0.54"; "n/a" */

/* ---- tables (ncu_table.c) ---- */

enum { NCU_COLUMNS = 7 };
struct ncu_table {
    struct arena *mem;
    u32 columns, rows, cap;
    const char *(*cells)[NCU_COLUMNS];
    int width[NCU_COLUMNS];
};
/* The cells are copied. The first row is the heading. */
void ncu_table_row(struct ncu_table *t, const char *const cells[NCU_COLUMNS]);
/* Names, in the first column, stand left, all else right. */
void ncu_table_print(FILE *out, const struct ncu_table *t);

/* ---- sections ---- */

struct ncu_section {
    const char *identifier, *title;
    bool basic, detailed;
};
const struct ncu_section *ncu_section_at(u32 i); /* NULL past the last */
i32 ncu_section_find(const char *identifier);    /* -1: there is none */
/* The n-th row of a section: its label and metric's name; false past the last. */
bool ncu_section_row(u32 section, u32 n, u32 rows, const char **label, const char **metric);

/* ---- pages ---- */

struct ncu_options {
    enum ncu_page page;
    bool csv, base_units, print_kind, no_rules;
    enum kernel_base name;
    enum ncu_summary summary;
    enum ncu_names names; /* of a section's rows */
    u32 rows;             /* enum ncu_rows */
    u64 sections;         /* bits by number */
    bool limits;          /* the details page ends with the nearest limit */
    struct ncu_metrics metrics;
    bool ptx_source;            /* of the source page */
    const char *const *folders; /* where to look for sources; ends in NULL; or NULL */
    const char *command;        /* for the session page; or NULL */
};

enum { NCU_SECTIONS = 64 };
struct ncu_line;
struct ncu_report {
    const struct ncu_options *o;
    const struct ncu_launch *launches;
    u32 n;
    struct arena *mem, *tmp; /* with their recovery points set; tmp is emptied after every launch */
    /* ncu_prepare fills these: by section, --metrics behind the last */
    struct ncu_line *lines[NCU_SECTIONS + 1];
    u32 nlines[NCU_SECTIONS + 1];
};

void ncu_print(FILE *out, struct ncu_report *r);

/* ---- between the files ---- */

/* A line of a section's table. */
struct ncu_line {
    const char *label; /* of the section, or the metric's name */
    struct ncu_metric metric;
};
/* Looks up which lines of the sections some launch has. */
void ncu_prepare(struct ncu_report *r);
/* The lines of a section, or of --metrics; *n of them. */
const struct ncu_line *ncu_lines(const struct ncu_report *r, i32 section, u32 *n);
enum { NCU_METRICS_SECTION = -1 };
const char *ncu_title(i32 section);

/* Launches that a summary puts together. */
struct ncu_group {
    const struct ncu_launch *first;
    u32 invocations;
    const struct ncu_launch **launches;
};
struct ncu_group *ncu_groups(const struct ncu_report *r, u32 *n);
/* Least, most and mean of a metric in a group; false: none of its launches has it. */
bool ncu_group_value(const struct ncu_group *g, const struct ncu_metric *m, double v[3]);

void ncu_text(FILE *out, const struct ncu_report *r);
void ncu_csv(FILE *out, const struct ncu_report *r);
void ncu_source(FILE *out, const struct ncu_report *r);
/* Text in lines of up to 119 columns: `tag` in front of the first, as wide blanks before the others. */
void ncu_wrap(FILE *out, const char *tag, const char *text);
const char *ncu_program(const struct session_process *p); /* its name without the folder */

#endif
