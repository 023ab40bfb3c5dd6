/* gate.h - a baseline of what a program's kernels do, and what has changed since: `lockstep gate` (docs/gate.md).
 *
 *     launches of a session ──gate_make──► baseline ──gate_write──► a text file
 *                                             │  ▲                      │
 *                       gate_compare ◄────────┘  └──────gate_read───────┘
 *                            │
 *                            └─► pairs of kernels: what changed, in which line, why ──► text, Markdown, JUnit, JSON, SARIF
 *
 * A kernel of a baseline is all launches of one name with one shape, added up. The copies of the host in one direction are
 * such a kernel too, so that they are compared and told in the same way. All texts live in the arena of the caller, whose
 * recovery point is set. */
#ifndef LS_REPORT_GATE_H
#define LS_REPORT_GATE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/vec.h"
#include "meter/session/session.h"
#include "report/check/check_report.h"

enum { GATE_FORMAT = 1 };

enum gate_how { GATE_EXACT, GATE_APPEARS, GATE_CODE, GATE_TOLD };

enum gate_metric {
#define GATE_COUNT(id, how, metric, label, formula) GATE_##id,
#define GATE_FACT(id, how, metric, label) GATE_##id,
#include "report/gate/gate.def"
#undef GATE_FACT
#undef GATE_COUNT
    GATE_METRICS
};

struct gate_metric_info {
    const char *name, *label;
    enum gate_how how;
    int metric;   /* enum metric_id of the same number under ncu's name; -1: none */
    bool by_line; /* else of a kernel alone */
};

const struct gate_metric_info *gate_metric_info(enum gate_metric m);
/* By our name, ncu's or nvprof's; -1: there is none. */
int gate_metric_find(const char *name);

/* A source line, or a line of PTX where the compiler left no source lines. */
struct gate_line {
    const char *file; /* as the baseline writes it; NULL: of PTX */
    u32 line;
    const char *text;       /* its words; NULL: the file was not found */
    const char *path;       /* as the compiler wrote it; `file` in a baseline that was read */
    double v[GATE_METRICS]; /* 0 where it is no number of lines */
};

struct gate_kernel {
    const char *name; /* demangled, or the direction of copies */
    const char *function;
    bool copies;
    u32 grid[3], block[3];
    double v[GATE_METRICS]; /* NaN: not known */
    const char *limit;      /* the nearest limit; NULL: not known */
    struct gate_line *lines;
    u32 nlines, at; /* at: line of the file it was read from */
};

struct gate_tolerance {
    bool given;
    double percent;
};

struct gate_baseline {
    const char *file; /* NULL: not of a file */
    const char *gpu, *version, *compiler;
    const char *select; /* the filter of kernels (--kernel-name); NULL */
    char **command;     /* ends in NULL; NULL: not known */
    bool strict, model; /* model: with the modelled numbers */
    struct gate_tolerance tolerance[GATE_METRICS];
    VEC(struct gate_kernel *) kernels; /* sorted by name; those of one name in the order of their first launch */
};

/* The bare name in a demangled one: "sum" of "void sum<4>(const float *)". */
const char *gate_function(struct arena *mem, const char *name);

/* ---- gate_make.c ---- */

/* Adds the kernels of a session's launches. False: a launch did not end well, which `why` says. */
bool gate_make(struct arena *mem, const struct session *s, const struct check_paths *paths, struct gate_baseline *to,
               const char **why);
/* Adds the copies and fills of one process, of its file <pid>.line. */
void gate_add_copies(struct arena *mem, const char *path, struct gate_baseline *to);
/* Puts the kernels into the order in which they are written. */
void gate_sort(struct gate_baseline *b);

/* ---- gate_file.c, gate_read.c ---- */

void gate_write(FILE *out, const struct gate_baseline *b);
/* LS_ERR_IO, LS_ERR_SYNTAX with diagnostics. */
enum ls_status gate_read(struct arena *mem, const char *path, struct gate_baseline *out, struct diag_list *diags);

/* ---- gate_compare.c ---- */

enum gate_verdict { GATE_SAME, GATE_MOVED, GATE_CHANGED, GATE_NEW, GATE_GONE, GATE_VERDICTS };

struct gate_change {
    enum gate_metric metric;
    double was, is;
    bool fails;
};

/* A line of the older baseline and the one of the newer that it became; one of them may be NULL. */
struct gate_line_pair {
    const struct gate_line *old, *now;
};

struct gate_cause {
    const char *id;             /* "bank-conflicts" */
    const char *text;           /* a sentence */
    const char *todo;           /* another */
    enum gate_metric metric;    /* the number that shows it */
    struct gate_line_pair line; /* the line in which that changed most; both NULL: none */
    const char *path;           /* of a place that is no line of the kernel: its launch; NULL */
    const char *place_text;
    u32 place_line;
};

enum { GATE_CAUSES = 3 };

struct gate_pair {
    enum gate_verdict verdict;           /* GATE_MOVED: only what is told differs */
    const struct gate_kernel *old, *now; /* NULL: not there */
    bool renamed;                        /* the names differ in parameters or template arguments */
    struct gate_change changes[GATE_METRICS];
    u32 nchanges;
    struct gate_line_pair *lines;
    u32 nlines;
    struct gate_cause causes[GATE_CAUSES]; /* the likeliest first */
    u32 ncauses;
};

struct gate_result {
    const struct gate_baseline *old, *now;
    struct gate_pair *pairs;
    u32 n, count[GATE_VERDICTS];
    const char *notes[4]; /* GPU, compiler or version differ */
    u32 nnotes;
};

void gate_compare(struct arena *mem, const struct gate_baseline *old, const struct gate_baseline *now,
                  const struct check_paths *paths, struct gate_result *out);
bool gate_changed(const struct gate_result *r);

/* ---- gate_lines.c ---- */

/* Which lines of two versions of a kernel belong together. */
struct gate_line_pair *gate_lines(struct arena *mem, const struct gate_kernel *old, const struct gate_kernel *now,
                                  u32 *n);

/* ---- gate_cause.c ---- */

/* Why it changed: fills in the causes of a pair that has changes. */
void gate_causes(struct arena *mem, const struct check_paths *paths, struct gate_pair *p);

/* ---- printing ---- */

const char *gate_verdict_name(enum gate_verdict v); /* "changed" */
/* "grid 64x1x1 block 256x1x1" */
const char *gate_shape(struct arena *mem, const struct gate_kernel *k);
/* Where a cause is: "file:line"; NULL: it has no place. */
const char *gate_where(struct arena *mem, const struct gate_cause *c);
/* 12,345 and "+12.5 %". */
const char *gate_number(struct arena *mem, double v);
const char *gate_percent(struct arena *mem, const struct gate_change *c);

/* told: kernels of which only what is told differs, too. */
void gate_text(FILE *out, struct arena *mem, const struct gate_result *r, bool told);
void gate_markdown(FILE *out, struct arena *mem, const struct gate_result *r);
void gate_junit(FILE *out, struct arena *mem, const struct gate_result *r);
bool gate_json(FILE *out, struct arena *mem, const struct gate_result *r); /* false: no memory */
bool gate_sarif(FILE *out, struct arena *mem, const struct gate_result *r, const struct check_paths *paths);

#endif
