/* calibrate.h - microbenchmarks that measure a GPU: latencies, rates, sizes, launches. On the CUDA driver API alone, so the
 * same kernels run on NVIDIA's driver and on Lockstep's device, where they give back the model's own numbers. */
#ifndef LS_CALIBRATE_CALIBRATE_H
#define LS_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/gpu.h"

struct calibrate_request {
    bool gpu;
    const char *only; /* names of experiments, with commas between; NULL: all */
    f64 seconds;      /* no experiment begins later */
    void (*progress)(const char *experiment);
};

/* One number that was measured. */
struct calibrate_row {
    const char *experiment, *name, *unit;
    f64 value, spread; /* spread: (largest - smallest) / median of the runs */
};

struct calibrate_failure {
    const char *experiment, *why;
};

enum { CALIBRATE_ROWS = 1000, CALIBRATE_FAILURES = 64 };

struct calibration {
    bool gpu; /* measured; else these are the numbers of Lockstep's model */
    char device[128], driver[64];
    u32 cc_major, cc_minor, sms;
    struct calibrate_row rows[CALIBRATE_ROWS];
    u32 nrows;
    struct calibrate_failure failures[CALIBRATE_FAILURES];
    u32 nfailures;
    u32 nattributes;
    int attributes[160]; /* the device's, by CUdevice_attribute */
};

/* Measures; false: there is no device, which is in diags. What fails on the way is in `failures`. */
bool calibrate_run(const struct calibrate_request *request, struct arena *mem, struct calibration *out,
                   struct diag_list *diags);
/* NULL: not measured. */
const struct calibrate_row *calibrate_find(const struct calibration *c, const char *name);
/* The names of the experiments, NULL past the last. */
const char *calibrate_experiment(u32 n);

void calibrate_print(FILE *out, const struct calibration *c);
void calibrate_csv(FILE *out, const struct calibration *c);

#endif
