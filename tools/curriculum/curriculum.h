/* curriculum.h - what the files of ls_curriculum share: rows of the curriculum and of the guide, and how they are
 * checked.
 *
 * docs/curriculum.txt has a block of lines a row, blank lines between, # for comments:
 *
 *     tutorial: T3 Strategies                   for the rows below, until the next
 *     at: 2.1 vectorAdd                         section, and what of it
 *     run: climb vector/vectorAdd --n 4k        what follows `lockstep`
 *     against: climb vector/vectorAddPairs      another run, whose counters are was_...
 *     says: Neighbours coalesce.                the tutorial's claim
 *     check: ld_ratio == 4                      a formula of counters, ==, <= or >=, and another; any number up to 4
 *     refused: 1024 threads                     instead of checks: the rung does not take this shape, and says so
 *     prints: i = 70                            instead of checks: a line of what it prints; several come in that order
 *     shows: a histogram                        instead of checks where there is nothing to measure
 *     verdict: holds                            or: holds on (hardware), holds for, holds if ...; wrong: and what is so
 *
 * Chapters of the guide (Markdown) have commands in fenced blocks, each with the checks below it:
 *
 *     $ lockstep climb vector/vectorAdd --n 4k
 *     # expect: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 128
 *
 * and commands that run a program (`cc`, `run`, `check`, `debug`) with all that they print; "..." stands for any lines,
 * and an address for any address. Lines behind "(lockstep) " are typed. A row's program is made of examples/ with -G.
 *
 *     $ lockstep debug ./rowMax
 *     (lockstep) print best[0]
 *     best[0] = 1003
 *
 * Formulas are those of lab/expect.h. Their names are counters.def's, metrics' in full, the launch's (lab/expect.h),
 * and `wrong` (elements), `caught` (a broken rung was: 1), `useful` (bytes that any program for the task must move). */
#ifndef LS_TOOLS_CURRICULUM_H
#define LS_TOOLS_CURRICULUM_H

#include "base/base.h"
#include "lab/lab.h"

enum { ROWS = 600, ROW_CHECKS = 6, ROW_LINES = 80, TEXTS = 64 };

struct command {
    char environment[120]; /* "LOCKSTEP_GPU=v100 LOCKSTEP_BANKS=5x4": what the driver must be told before it starts */
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    bool one;   /* one rung at one shape: it can be measured */
    bool typed; /* it runs a program, and what is printed is compared */
};

struct check_line {
    const char *text; /* "ld_ratio == 4" */
    char left[160], relation[3], right[160];
    double got, want;
    bool estimated; /* by what machine code there may be */
    bool modelled;  /* or measured: a number that may change, so that only its bound is printed */
};

struct row {
    const char *file;
    u32 line;
    const char *tutorial, *at, *run, *against, *says, *refused, *shows, *verdict;
    struct command command, reference;
    struct check_line checks[ROW_CHECKS];
    u32 nchecks;
    const char *lines[ROW_LINES]; /* that are printed, and in between what is typed */
    u32 nlines;
    bool done;
    char trouble[400]; /* "": none */
};

struct book {
    struct row *rows; /* ROWS of them */
    u32 n;
    char *texts[TEXTS]; /* the files; rows point into them */
    u32 ntexts;
};

/* ---- read.c: each appends; false: said on stderr ---- */
bool read_rows(struct book *b, const char *path);
bool read_chapter(struct book *b, const char *path);
void read_end(struct book *b);
char *trim(char *s);

/* ---- command.c: text is what follows "lockstep ", perhaps with NAME=VALUE before; NULL, or what is wrong with it ----
 */
const char *command_read(const char *text, struct command *c);
/* Not for `lockstep` alone: "LOCKSTEP_SEED=1 lockstep climb ..." too. */
const char *command_read_line(const char *text, struct command *c);

/* ---- typed.c: runs the rows that are typed; false: said on stderr ---- */
bool run_typed(struct book *b);

/* ---- formula.c ---- */
struct counter {
    const char *name, *metric, *about;
};
extern const struct counter counters[];
extern const u32 counter_count;

/* Splits "left == right"; false: no relation in it. */
bool formula_split(struct check_line *c);
/* Evaluates both sides; `was` may be NULL. NULL, or what is wrong with the formula; got and want are filled. */
const char *formula_check(struct check_line *c, const struct lab_result *r, const struct lab_result *was);
/* Is a name used by the formula of some check? */
bool formula_uses(const struct check_line *c, const char *name);

/* ---- run.c ---- */
/* Runs all rows, a child process for each environment, and fills checks and troubles. */
bool run_rows(struct book *b);

#endif
