/* interval.h - how far a modelled time may be off: the ends between which eight launches in ten are expected.
 *
 * Launches are put into classes by what they are modelled as: how long they take, and which resource is busy for half of
 * that time at least. For each class interval.def has the 10th and the 90th percentile of measured / modelled of the
 * corpus's half that may be fitted on (tests/corpus), of machine code and of code that was estimated. Where a class has no launches that were measured the factors are a
 * guess, and say so.
 *
 * The ratio of two modelled times of a program and its next version is surer than either: what the model has wrong of one it
 * mostly has wrong of the other too. Its factor is that of pairs of kernels that do the same work, of those that the same resource
 * limits and of the others. */
#ifndef LS_MODEL_INTERVAL_H
#define LS_MODEL_INTERVAL_H

#include "model/time.h"

enum interval_size { INTERVAL_SHORT, INTERVAL_MIDDLE, INTERVAL_LONG, INTERVAL_SIZES };
enum interval_code { INTERVAL_MACHINE, INTERVAL_ESTIMATED, INTERVAL_CODES }; /* what the SM was replayed with */
enum interval_limit { INTERVAL_MEMORY, INTERVAL_COMPUTE, INTERVAL_ATOMICS, INTERVAL_LATENCY, INTERVAL_LIMITS };

/* What the class depends on. Percentages of the modelled time: how long the busiest of L1, L2 and DRAM, of the SM's
 * issue slots and pipes, and the atomics of the most wanted slice of L2 work. */
struct interval_signs {
    double ns, memory_pct, sm_pct, atomics_pct;
    enum interval_code code;
};
struct interval_signs interval_signs_of(const struct model_time *t, enum interval_code code);
enum interval_size interval_size(const struct interval_signs *s);
enum interval_limit interval_limit(const struct interval_signs *s);
const char *interval_code_name(enum interval_code code);    /* "MACHINE" */
const char *interval_size_name(enum interval_size size);    /* "SHORT", as in interval.def */
const char *interval_limit_name(enum interval_limit limit); /* "MEMORY" */

struct time_interval {
    double low_ns, high_ns;
    u32 launches; /* that were measured, and that the factors are of; 0: a guess */
};
struct time_interval time_interval_of(const struct interval_signs *s);

struct ratio_interval {
    double low, high;
    u32 pairs; /* that were measured; 0: a guess */
};
/* ratio: of two modelled times, of a kernel and of another that does the same work; same_limit: the same resource limits both;
 * code: of both, or of the one that is less sure. */
struct ratio_interval ratio_interval_of(double ratio, bool same_limit, enum interval_code code);

#endif
