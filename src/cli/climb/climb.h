/* climb.h - what the files of `lockstep climb` share: the command line, read. */
#ifndef LS_CLI_CLIMB_H
#define LS_CLI_CLIMB_H

#include "base/gpu.h"
#include "lab/lab.h"
#include "report/report.h"

enum form { FORM_TEXT, FORM_CSV, FORM_JSON };

struct climb {
    struct lab_request request;
    char family[64], rung[128]; /* "" = all */
    bool broken, list;
    enum form form;
    struct gpu gpu;         /* that Lockstep's device plays */
    const char *sweep;      /* "block=64,128" or NULL */
    bool picture;           /* who touches what, in the terminal, or */
    const char *picture_to; /* to this SVG file; NULL */
    bool plot;              /* the ladder and the roofline, in the terminal, or */
    const char *plot_to;    /* to this SVG file; NULL */
};

/* Whether the command line names this rung. */
bool climb_wants(const struct climb *c, const struct rung *r);

/* "128" or "32x16"; a single number when `one` allows it. */
bool climb_read_pair(const char *text, bool one, u32 *a, u32 *b);
/* A count, with k, m or g for powers of 1024. */
bool climb_read_count(const char *text, u64 *n);

/* ---- climb_sweep.c ---- */

/* NULL, or what is wrong with the text of --sweep. */
const char *sweep_check(const char *text);
/* Runs the wanted rungs of f at every value of the sweep and prints a table a rung; the exit status. */
int sweep_family(const struct climb *c, struct lab *lab, const struct family *f, struct arena *mem,
                 struct diag_list *diags);

#endif
