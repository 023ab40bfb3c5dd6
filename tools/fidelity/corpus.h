/* corpus.h - the corpus (tests/corpus) as a GPU ran it and as Lockstep models it, case by case and size by size.
 *
 * Four tables are joined: what the GPU took (tests/hw/<gpu>/corpus.csv, record-corpus.sh), its sectors of L2 in two launches more
 * (corpus-sectors.csv, record-sectors.sh), and what was modelled with and without ptxas (corpus-modelled.csv, corpus-modelled-ptx.csv,
 * model-corpus.sh). corpus.def says which kinds the model's
 * constants may be fitted on; errors of the other half are those that count. */
#ifndef LS_FIDELITY_CORPUS_H
#define LS_FIDELITY_CORPUS_H

#include "fidelity.h"
#include "model/interval.h"

enum corpus_way { CORPUS_PTXAS, CORPUS_PTX, CORPUS_WAYS }; /* machine code from ptxas, or estimated from PTX */
enum corpus_half { CORPUS_FIT, CORPUS_TEST };

struct corpus_kind {
    const char *name;
    enum corpus_half half;
};
extern const struct corpus_kind corpus_kinds[];
extern const u32 corpus_nkinds;
bool corpus_is_fit(const char *kind); /* NULL and a name that is no kind: not */

/* The row of the same kind, case and size in another table; 0: there is none. */
u32 corpus_same_row(const struct table *in, const struct table *t, u32 row);

/* A case at a size. */
struct corpus_row {
    const char *kind, *name, *group, *size;
    enum corpus_half half;
    u32 measured, again;     /* its rows there; again 0: it was launched once */
    double ns;               /* on the GPU; NaN: not measured */
    bool by_events;          /* ns is between two events: the profiler did not see it */
    struct corpus_modelled { /* way by way */
        u32 row;             /* in its table; 0: it was not modelled */
        u32 launches;        /* with those that kernels made */
        struct interval_signs signs;
    } model[CORPUS_WAYS];
};

struct corpus {
    struct table measured, again, modelled[CORPUS_WAYS];
    struct corpus_row rows[TABLE_ROWS];
    u32 n;
};

/* Reads <folder>/corpus.csv and what there is of the others. False: there is no corpus.csv, or it is no such table. */
bool corpus_load(struct corpus *c, const char *folder);
void corpus_free(struct corpus *c);

/* Percentages by which a modelled launch is put into its class of intervals (model/interval.h). */
struct interval_signs corpus_signs(const struct table *modelled, u32 row, enum interval_code code);
/* On the GPU; NaN where it is not known. LAUNCH_MEDIAN: of all launches, which is the first where there are no more. */
enum corpus_launch { LAUNCH_MEDIAN, LAUNCH_FIRST, LAUNCHES = 3 };
double corpus_measured(const struct corpus *c, const struct corpus_row *r, const char *metric,
                       enum corpus_launch launch);
/* A metric on both sides; NaN where it is not known, or of a launch with others in it, which has sums alone. */
struct pair corpus_pair(const struct corpus *c, const struct corpus_row *r, enum corpus_way way, const char *metric);

/* ---- corpus_errors.c: numbers ---- */

/* Which rows. */
struct corpus_pick {
    enum corpus_half half;
    const char *kind;         /* NULL: all */
    double from_ns, below_ns; /* measured time */
};
#define CORPUS_SHORT_NS 5000.0
#define CORPUS_LONG_NS 50000.0
#define CORPUS_NO_END 1e300

/* Rows picked, modelled or not. */
u32 corpus_count(const struct corpus *c, const struct corpus_pick *p);
/* |modelled / measured - 1| in percent. */
struct spread corpus_time_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);
/* |modelled - measured| in us. */
struct spread corpus_time_distance(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);
/* Of a modelled_columns' metric, in percent or points; *small: rows left out because both sides are small, or gpus: because the
 * GPU's is. */
struct spread corpus_metric_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way,
                                  const char *metric, bool gpus, u32 *small);
/* The same of all sectors of L2, against the GPU's first launch alone. */
struct spread corpus_first_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);
/* How far the GPU's own launches are from the median of them, in sectors of L2. */
struct spread corpus_sectors_spread(const struct corpus *c, const struct corpus_pick *p);

/* The same of the sectors of L2 that are read, written or of atomics: without those of fences, and what the halves tell each other. */
struct spread corpus_sectors_error(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);

/* Pairs of a group and size whose times differ by a tenth of the shorter at least; right: in the same order. */
struct tally corpus_order(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);
/* Launches; right: the largest reason for a stall is the same; nearly: the same or the GPU's second. */
struct tally corpus_stalls(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);
/* Launches without others in them; right: the measured time is within the modelled one's interval. */
struct tally corpus_within(const struct corpus *c, const struct corpus_pick *p, enum corpus_way way);

/* ---- corpus_text.c: on standard output ---- */

/* The section of docs/fidelity.md. counts: the half that is judged (CORPUS_FIT while the model is worked on). */
void corpus_put(const struct corpus *c, enum corpus_half counts);
/* The same in short of another GPU, on which nothing was fitted. */
void corpus_put_other(const struct corpus *c, const char *gpu);
/* Why a case is far off, a "kind/case reason" line each; false: the file cannot be read, or has other lines (said). */
bool corpus_load_reasons(const char *path);
/* README.md's line. */
void corpus_put_line(const struct corpus *c);

#endif
