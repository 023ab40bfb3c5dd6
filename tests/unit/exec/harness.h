/* harness.h - runs a kernel of a PTX file on a device of its own, for the tests of the engine. */
#ifndef LS_TEST_HARNESS_H
#define LS_TEST_HARNESS_H

#include "exec/exec.h"

struct bench {
    struct exec_device device;
    struct exec_module *module;
};

/* Loads tests/unit/exec/ptx/<file>, or the text itself when it contains a newline; fails the test when it cannot. */
void bench_open(struct bench *b, const char *file_or_text);
void bench_close(struct bench *b);

/* Device memory of n bytes, zeroed. */
void *bench_alloc(struct bench *b, u64 n);

struct run {
    const char *kernel;
    u32 grid, block;
    u32 grid_y, block_y; /* 0 is 1 */
    u32 cluster;         /* blocks of a cluster, along x; 0: none */
    u32 dynamic_shared;
    u64 params[6]; /* 8 bytes each, as the kernel's .u64 parameters lie; a .u32 parameter is the low half */
    unsigned workers;
    u64 seed, max_instructions;
    double max_seconds;
    const struct exec_hooks *hooks;
    bool cooperative;
    bool one_lane;
};
enum ls_status bench_run(struct bench *b, const struct run *r, struct exec_fault *fault);
/* The same, and the test fails with the fault's text unless it succeeds. */
void bench_run_ok(struct bench *b, const struct run *r);

#endif
