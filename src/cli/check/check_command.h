/* check_command.h - what the files of `lockstep check` share: the command line, read. */
#ifndef LS_CLI_CHECK_COMMAND_H
#define LS_CLI_CHECK_COMMAND_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/options.h"
#include "meter/session/select.h"
#include "report/check/check_baseline.h"
#include "report/check/check_report.h"
#include "report/check/check_suppress.h"

struct check_command {
    struct arena mem; /* for texts of the command line; its recovery point is set while the command runs */
    struct check_text text;
    /* what is looked for */
    unsigned tools;
    bool leaks, pools;
    const char *api;     /* "all", "explicit", "no" */
    const char *destroy; /* "context", "kernel" */
    struct select_options select;
    const char *names;           /* an extended regular expression of the wanted kernels' names, growing; NULL */
    bool names_keyed;            /* all of them are kne, kns or regex: mangled names */
    const char *excluded;        /* the same of those that are not wanted */
    bool dropped[FINDING_KINDS]; /* findings that an option leaves out */
    bool drop_entry_points;      /* cuGetProcAddress: what a program asks for to see whether it is there */
    /* how the program runs */
    const char *gpu, *workers, *seed, *memory, *timeout; /* NULL: the environment's */
    u64 schedules;
    bool blocking, unchecked, need_cuda, only_program;
    /* what comes out */
    const char *log, *save, *read;        /* with their escapes replaced; NULL */
    const char *baseline, *save_baseline; /* files of known findings; NULL */
    struct check_baseline known;
    const char *suppressions; /* a file of compute-sanitizer's; NULL */
    struct check_suppressions suppressed;
    bool xml;                         /* --save writes such a file */
    struct option_output json, sarif; /* without a file: instead of text */
    bool tell_exit_code, strict, list;
    int error_exit;
    bool tools_named;
    char **program; /* its argv; NULL */
};

/* ---- check_options.c ---- */

/* Reads the command line; false: the command is over, with *status for the shell. */
bool check_options_read(struct check_command *c, int argc, char **argv, int *status);

/* ---- check_filter.c ---- */

/* Adds a filter as compute-sanitizer writes it (kns=..., kne=..., regex=..., with commas), or a name, or regex:EXPR, to
 * an expression. *keyed becomes false for a plain name. False: why says what is wrong. */
bool check_filter_add(struct arena *mem, const char **expression, bool *keyed, const char *text, char why[256]);
/* A file name with %p, %q{NAME} and %% replaced; NULL: why says what is wrong. */
const char *check_file_name(struct arena *mem, const char *text, char why[256]);

/* ---- check_run.c ---- */

/* Runs the program and reads what its processes left. *status: the program's, or when it could not be started (false)
 * the command's. */
bool check_run(const struct check_command *c, struct check_report *r, int *status);

#endif
