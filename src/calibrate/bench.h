/* bench.h - a microbenchmark's tools: kernels, launches, records of blocks, medians, and the rows of what was measured.
 *
 * An experiment is a function of experiments.def. It launches kernels of kernels/ and adds rows. What goes wrong is kept in
 * `error`; the runner says it and goes on with the next experiment. */
#ifndef LS_CALIBRATE_BENCH_H
#define LS_CALIBRATE_BENCH_H

#include "base/arena.h"
#include "calibrate/calibrate.h"
#include "lab/cuda.h"

/* The kernels' one parameter (struct args in kernels/bench.cuh). */
struct bench_args {
    u64 out;
    u64 p[7];
};

/* What each block leaves. */
struct bench_record {
    u64 cycles, begin, end, sm;
};

#define BENCH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define BENCH_MAX(a, b) ((a) > (b) ? (a) : (b))

enum { BENCH_RUNS = 5, BENCH_RECORDS = 65536 };

struct bench {
    const struct calibrate_request *request;
    struct calibration *to;
    struct arena *mem;
    struct lab_cuda cuda;
    CUmodule *modules; /* by place in bench_images; NULL: not loaded */
    CUdeviceptr out;
    struct bench_record *records; /* of the last launch */
    u32 sms;
    f64 mhz;      /* the clock that was measured; 0: not yet */
    f64 alu;      /* latency of integer instructions, for what stands around others; 0: not yet */
    f64 deadline; /* by bench_seconds */
    bool hung;    /* a kernel does not end: nothing more can be launched */
    char error[200];
};

struct bench_launch {
    const char *module, *kernel;
    u32 blocks, threads, shared;
    bool cooperative;
    struct bench_args args;
};

/* Of one launch, or the median over several. */
struct bench_time {
    f64 cycles; /* of the block in the middle */
    f64 first;  /* of block 0 */
    f64 ns;     /* from the first block's begin to the last one's end */
    f64 end0;   /* block 0's `end` as it is, for kernels that leave something else there */
};

/* Each is false after an error, which stands in b->error. */
bool bench_ok(struct bench *b, CUresult r);
bool bench_function(struct bench *b, const char *module, const char *kernel, CUfunction *out);
bool bench_global(struct bench *b, const char *module, const char *name, CUdeviceptr *out);
bool bench_run(struct bench *b, const struct bench_launch *l, struct bench_time *out);
/* BENCH_RUNS times; *spread: (largest - smallest) / median of the cycles, or of ns when `by_ns`. */
bool bench_median(struct bench *b, const struct bench_launch *l, bool by_ns, struct bench_time *out, f64 *spread);
bool bench_alloc(struct bench *b, u64 bytes, CUdeviceptr *out);
bool bench_wait(struct bench *b); /* for all that was launched; false and hung after 20 seconds */
/* So many ms between two events around n launches. */
bool bench_events(struct bench *b, const struct bench_launch *l, u32 n, f64 *ms);
f64 bench_seconds(void);
f64 bench_middle(f64 *values, u32 n); /* sorts them */
f64 bench_spread(const f64 *sorted, u32 n);

/* On our own device, which is some thousand times slower, as little as shows that it runs. */
static inline u64 bench_scaled(const struct bench *b, u64 on_gpu, u64 on_cpu)
{
    return b->request->gpu ? on_gpu : on_cpu;
}

/* A row; the name is a printf format. */
void bench_row(struct bench *b, f64 value, const char *unit, f64 spread, const char *name, ...) LS_PRINTF(5, 6);

/* Kernels as PTX, built in. */
struct bench_image {
    const char *name, *ptx;
};
extern const struct bench_image bench_images[];
extern const u32 bench_image_count;

bool bench_open(struct bench *b, struct diag_list *diags);
bool bench_renew(struct bench *b); /* after an error */
void bench_close(struct bench *b);

#endif
