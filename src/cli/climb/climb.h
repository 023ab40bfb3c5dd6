/* climb.h - what the files of `lockstep climb` share: the command line, read. */
#ifndef LS_CLI_CLIMB_H
#define LS_CLI_CLIMB_H

#include "base/gpu.h"
#include "cli/shared_options.h"
#include "lab/lab.h"
#include "report/report.h"

/* The largest sizes that are taken. */
#define CLIMB_N_MOST (1ull << 40)
#define CLIMB_SIZE_MOST (1u << 30)

enum form { FORM_TEXT, FORM_CSV, FORM_JSON };

struct climb {
    struct lab_request request;
    const char *place;          /* FAMILY, FAMILY/RUNG or FAMILY/broken/RUNG, as written; NULL */
    char family[64], rung[128]; /* "" = all */
    bool broken, list;
    enum form form;
    struct gpu gpu;               /* that Lockstep's device plays */
    const char *gpu_name;         /* --gpu; NULL: the environment's */
    const char *banks;            /* "32x4"; NULL: the GPU's */
    const char *sweep;            /* "block=64,128" or NULL */
    struct option_output picture; /* who touches what, in the terminal or to an SVG file */
    struct option_output plot;    /* the ladder and the roofline, likewise */
};

/* Whether the command line names this rung. */
bool climb_wants(const struct climb *c, const struct rung *r);

/* ---- climb_options.c ---- */

/* False: the command is over, with *status for the shell. */
bool climb_options_read(struct climb *c, int argc, char **argv, int *status);
/* "128" or "32x16"; a single number when `one` allows it. */
bool climb_read_pair(const char *text, bool one, u32 *a, u32 *b);
/* A positive count, with k, m or g for powers of 1024. */
bool climb_read_count(const char *text, u64 most, u64 *n);

/* ---- climb_sweep.c ---- */

/* NULL, or what is wrong with the text of --sweep. */
const char *sweep_check(const char *text);
/* Runs the wanted rungs of f at every value of the sweep and prints a table a rung; the exit status. */
int sweep_family(const struct climb *c, struct lab *lab, const struct family *f, struct arena *mem,
                 struct diag_list *diags);

#endif
