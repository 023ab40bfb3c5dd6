/* profile_command.h - what the files of `lockstep profile` share: the command line, read. */
#ifndef LS_CLI_PROFILE_COMMAND_H
#define LS_CLI_PROFILE_COMMAND_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/options.h"
#include "meter/session/select.h"
#include "report/baseline.h"
#include "report/ncu/ncu.h"
#include "report/timeline/timeline.h"

enum profile_list { LIST_NOTHING, LIST_SECTIONS, LIST_SETS, LIST_METRICS, LIST_QUERY };
enum { FOLDERS_MAX = 32 };

struct profile {
    const char *self; /* "lockstep profile": for messages */
    struct arena mem; /* for texts of the command line; its recovery point is set while the command runs */
    struct ncu_options page;
    bool page_named;     /* --page: print although -o is given */
    bool sections_named; /* --section or --set: sections are printed beside --metrics */
    bool quiet, force, unchecked, tell_exit_code;
    const char *log;            /* --log-file: a file; NULL: stdout */
    const char *export_to;      /* -o, with its ending; NULL */
    const char *import;         /* -i; NULL */
    const char *baseline;       /* --baseline: an older report to compare with; NULL */
    bool json;                  /* that comparison as JSON */
    const char *html;           /* --html: the file; NULL */
    struct timelines timelines; /* for it */
    const char *no_timeline;    /* why there is none; NULL */
    bool silent;                /* of `lockstep report`: do not say what was written */
    const char *gpu;            /* --gpu; NULL: the environment's */
    const char *workers, *seed, *memory, *timeout, *ptxas;
    bool from_start, kill;
    bool boost_clock, clock_named; /* --clock-control none; --clock-control at all */
    bool no_model;                 /* without the modelled metrics */
    const char *model_launches;    /* NULL: sampled */
    struct select_options select;
    enum profile_list list;
    const char *query_mode; /* base, suffix, all */
    const char *folders[FOLDERS_MAX + 1];
    u32 nfolders;
    char **program; /* its argv; NULL */
};

/* ---- profile_options.c ---- */

/* Reads the command line; false: the command is over, with *status for the shell. */
bool profile_options_read(struct profile *p, int argc, char **argv, int *status);

/* What is wrong with the options that `lockstep report` has, too: the filters, --ptxas. */
void profile_check_options(struct option_reader *o, const struct profile *p);

/* --source-folders. */
void profile_take_folders(struct option_reader *o, const struct option_value *v);

/* ---- profile_run.c ---- */

/* Runs the program and reads what its launches left. *status: the program's. False: it could not be started, or nothing
 * could be read; *status is then the command's. */
bool profile_run(struct profile *p, FILE *out, struct session *s, int *status);
/* Reads a report file, or a folder of records, and leaves out the launches that are not selected. */
bool profile_read(const struct profile *p, const char *path, struct session *s, int *status);
/* Whether that is a report file or a folder; says nothing. */
bool profile_is_report(const char *path);
/* The same; says why not. */
bool profile_report_there(const struct profile *p, const char *path);
/* The command that made the report file; NULL: it does not say. */
const char *profile_report_command(struct profile *p);

/* All launches of a session, with the GPU of each, in their order. */
struct ncu_launch *profile_launches(struct arena *mem, const struct session *s);
/* The program and its arguments, or what the report says of them; NULL: it says nothing. */
const char *profile_command_text(struct profile *p);

/* ---- profile_html.c ---- */

/* Whether p->html can be written, which is asked before the program runs; says why not. */
bool profile_html_ready(struct profile *p);
/* Writes it. False: that could not be done, which is said. */
bool profile_html(struct profile *p, const struct session *s);

/* ---- profile_baseline.c ---- */

/* A session as one side of a comparison. */
struct baseline_profile profile_side(struct arena *mem, const struct session *s, const char *file);

/* Prints what was profiled beside p->baseline. False: that could not be done, which is said. */
bool profile_compare(struct profile *p, FILE *out, const struct session *newer);

#endif
