/* trial.h - what the laboratory's files share: the open laboratory and one trial of a rung.
 *
 * A trial carries out one plan with fresh buffers: set up (trial.c), the steps (steps.c), the verdict (verdict.c),
 * drop. */
#ifndef LS_LAB_TRIAL_H
#define LS_LAB_TRIAL_H

#include "base/gpu.h"
#include "lab/cuda.h"
#include "lab/expect.h"
#include "lab/lab.h"
#include "lab/lab_session.h"
#include "lab/plan_link.h"

struct lab {
    struct lab_request request;
    struct lab_cuda cuda;
    char session[256]; /* folder; "" on a GPU and when checked */
    struct gpu gpu;    /* that Lockstep's device plays */
    bool other_banks;  /* but for its shared memory (LOCKSTEP_BANKS) */
};

enum { GUARD_BYTES = 1024 }; /* before and behind each buffer, unless checked; keeps the payload aligned to 256 */
#define POISON 0xffc0deadu   /* as a float it is a NaN, as an integer no plausible sum */

struct trial {
    struct lab *lab;
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    struct plan plan;
    CUmodule module;
    u8 *before[PLAN_BUFFERS];         /* images as they were uploaded, with guards */
    u8 *host[PLAN_BUFFERS];           /* the image where the host reaches it; else NULL */
    CUdeviceptr device[PLAN_BUFFERS]; /* the image where kernels reach it; of pageable ones 0 */
    CUarray arrays[PLAN_TEXTURES];
    CUtexObject textures[PLAN_TEXTURES];
    CUdeviceptr maps;               /* CUtensorMap[nmaps]; 0: none */
    CUstream streams[PLAN_STREAMS]; /* [0] stays NULL: the default stream */
    CUevent events[PLAN_EVENTS];
    double marks[PLAN_MARKS]; /* seconds of the host's clock */
    CUresult error;
};

/* Module, buffers, streams and events; false: t->error says why (CUDA_ERROR_OUT_OF_MEMORY for the host's too). */
bool trial_begin(struct trial *t, const char *ptx);
bool trial_ok(struct trial *t, CUresult r); /* keeps the first error */
void trial_end(struct trial *t);
/* A buffer's image: all of it, what of that the device has, and where in it what the rung owns begins. In bytes. */
u64 image_bytes(const struct trial *t, const struct buffer *b);
u64 device_bytes(const struct trial *t, const struct buffer *b);
u64 payload_at(const struct trial *t, const struct buffer *b);
double lab_clock(void); /* seconds, monotonic */

/* ---- plan_texture.c ---- */
bool trial_make_textures(struct trial *t);
void trial_drop_textures(struct trial *t);

/* ---- plan_map.c ---- */
bool trial_make_maps(struct trial *t);
void trial_drop_maps(struct trial *t);

/* ---- steps.c ---- */
bool trial_steps(struct trial *t); /* in order, without waiting at the end */
bool trial_run(struct trial *t);   /* and waits */
bool trial_time(struct trial *t, double *milliseconds);

/* ---- verdict.c ---- */
/* Judges what the steps left; fills verdict, text and check. */
void trial_judge(struct trial *t, struct lab_result *out);

/* ---- values.c ---- */
/* What the plan itself says: copies, bytes, launches, waits; and the marks and events of the trial. */
void lab_values(struct trial *t, struct arena *mem, struct lab_result *out);

void lab_value_set(struct lab_result *out, const char *name, double v);

/* ---- plan_link.c ---- */
/* The plan's critical path, by the model in plan_link.h; bound_seconds is set. */
void lab_link(const struct gpu *gpu, struct arena *mem, struct lab_result *out);

/* judge.c: expectations against a report */
enum ls_status lab_judge(const struct expectations *e, const char *path, struct arena *mem, struct lab_result *r);

#endif
