/* lab.h - the laboratory: runs rungs of a ladder on a device, verifies them, reads their counters, times them.
 *
 *     struct lab *lab;
 *     lab_open(&request, &lab, &diags);           loads the driver, makes a session folder
 *     lab_run(lab, family, rung, &mem, &result, &diags);
 *     lab_close(lab);                             removes the folder
 *
 * On Lockstep's device the driver writes each launch's counters to the session folder, where the laboratory reads them;
 * on a GPU there are none, but times. One laboratory a process, because a process has one driver. */
#ifndef LS_LAB_LAB_H
#define LS_LAB_LAB_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "kernels/family.h"
#include "meter/meter.h"

struct lab_request {
    bool gpu;            /* NVIDIA's driver and times, instead of Lockstep's and counters */
    struct shape shape;  /* zero: the family's defaults */
    const char *ptx_dir; /* take rungs' PTX from <dir>/<family>-<rung>[-WxH].ptx; NULL: what is built in */
    bool no_awkward;     /* verify at the shape asked for only */
    bool no_time; /* on a GPU, run the plan once and do not time it. On Lockstep's device LOCKSTEP_CACHES says whether
                            time is modelled */
    bool checked; /* under `lockstep check`: buffers are exact and outputs are left as they were allocated, so
                            that the checks see what guards and poison would hide. Nothing is verified (LAB_RIGHT says
                            that it ran) or counted */
};

enum lab_verdict {
    LAB_RIGHT,
    LAB_WRONG,       /* a wrong result, or a write where nothing may be written */
    LAB_FAULT,       /* the launch ended in a CUDA error */
    LAB_UNSUPPORTED, /* the rung does not take this shape, and says why */
    LAB_FAILED,      /* the laboratory could not run it: no memory, no code */
};

/* An expectation that was not met. */
struct lab_finding {
    const char *metric, *relation, *formula;
    double want, got;
    const char *error; /* the expectation itself is bad, or the metric missing; else NULL */
    const char *path;  /* of the rung's source */
    u32 line;
};

/* A number of the plan or of the host, not a counter of the device: copies, waits, times. */
struct lab_value {
    const char *name, *unit; /* "lockstep__copies.sum" */
    double value;
    enum metric_kind kind;
};

struct lab_result {
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    struct plan plan;          /* whose counters these are */
    const struct launch *main; /* the launch that stands for it; NULL: the plan has none */
    const char *against;       /* the rung to compare with, when it is not the one before (AGAINST in its head) */
    u32 launches;              /* kernels that the counters add up, with those that kernels launched */
    struct lab_value *values;
    u32 nvalues;
    double bound_seconds; /* modelled: no GPU of this kind is faster with these counters (model/bounds.h) */
    const char *limit;    /* the bound that is the largest: "l1"; NULL: none was reckoned */
    const struct recorded_time *recorded; /* what a GPU took for the same (recorded.h); NULL: not recorded */
    enum lab_verdict verdict;
    char text[400]; /* why, when it is not right */
    struct check check;
    u32 shapes;                        /* verified */
    const struct meter_report *report; /* NULL on a GPU, or when nothing was launched; lab_result_free */
    struct lab_finding *findings;
    u32 nfindings, nexpected; /* not met; looked at */
    bool caught;              /* a broken rung: found out as its head says */
    double milliseconds;      /* on a GPU: the median launch; else 0 */
    double gigabytes_per_s;   /* useful bytes a second, on a GPU */
};

struct lab;

enum ls_status lab_open(const struct lab_request *request, struct lab **out, struct diag_list *diags);
void lab_close(struct lab *lab);
const char *lab_device_name(const struct lab *lab);
/* For the runs to come. */
void lab_set_shape(struct lab *lab, const struct shape *shape);

/* Verifies and measures one rung; the result says what came out. Only a lack of memory and a damaged head are failures
 * of the call. The findings live in mem, whose recovery point the caller has set. */
enum ls_status lab_run(struct lab *lab, const struct family *f, const struct rung *r, struct arena *mem,
                       struct lab_result *out, struct diag_list *diags);
void lab_result_free(struct lab_result *r);

/* Not right, not as expected, or broken and not caught. */
bool lab_result_bad(const struct lab_result *r);
const char *lab_verdict_name(enum lab_verdict v); /* "right" */
/* "n = 4096, radius 4, block 32 x 1": what the family uses of a shape. 160 bytes hold any. */
void lab_shape_text(const struct family *f, const struct shape *s, char *out, size_t size);

/* A metric of the report or a value of the plan, by name; NaN when there is none. */
double lab_value_of(const struct lab_result *r, const char *name);
bool lab_value_known(const char *name); /* of the plan */
const struct lab_value *
lab_value_info(u32 i); /* name, unit and kind of the i-th value of every plan; NULL past the last */

const struct family *lab_family(const char *name);
const struct rung *lab_rung(const struct family *f, const char *name, bool broken);

#endif
