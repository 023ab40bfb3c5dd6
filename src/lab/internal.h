/* internal.h - what the laboratory's files share: the open laboratory and one trial of a kernel.
 *
 * A trial is one launch with fresh buffers: set up, launch, judge, drop. */
#ifndef LS_LAB_INTERNAL_H
#define LS_LAB_INTERNAL_H

#include "lab/cuda.h"
#include "lab/expect.h"
#include "lab/lab.h"
#include "lab/session.h"

struct lab {
    struct lab_request request;
    struct lab_cuda cuda;
    char session[256]; /* folder; "" on a GPU */
};

enum { GUARD_BYTES = 1024 }; /* before and behind each buffer; keeps the payload aligned to 256 */
#define POISON 0xffc0deadu   /* as a float it is a NaN, as an integer no plausible sum */

struct trial {
    struct lab *lab;
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    struct plan plan;
    CUmodule module;
    CUfunction function;
    CUdeviceptr device[PLAN_BUFFERS];
    u32 *before[PLAN_BUFFERS]; /* images as they were uploaded, with guards */
    CUresult error;
};

/* Module and buffers; false: t->error says why (CUDA_ERROR_OUT_OF_MEMORY for the host's too). */
bool trial_begin(struct trial *t, const char *ptx);
bool trial_launch(struct trial *t); /* and waits */
/* Judges what the launch left; fills verdict, text and check. */
void trial_judge(struct trial *t, struct lab_result *out);
bool trial_time(struct trial *t, double *milliseconds);
void trial_end(struct trial *t);

/* judge.c: expectations against a report */
enum ls_status lab_judge(const struct expectations *e, const char *path, struct arena *mem, struct lab_result *r);

#endif
