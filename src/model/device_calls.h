/* device_calls.h - what calls of the device's run time cost a kernel: printf, malloc and free (device_heap.h). They go through locks
 * and memory that all blocks share, so they are reckoned for the whole launch, not by the replay of an SM.
 *
 * A warp's printf takes as long as that of one thread and some more for each further lane; the calls of all warps have a part that
 * they do one after the other. The launch takes the longer of
 *
 *     the calls of the busiest warp, one after the other, and the parts of the other warps in one round
 *     a call, and the parts of all others of the device
 *
 * What one thread's call takes is the GPU file's, the rest was measured on an H200 (tests/hw/device_runtime.cu). The length of texts
 * and a buffer that is full (then warps wait for the host) are not in the model. */
#ifndef LS_MODEL_DEVICE_CALLS_H
#define LS_MODEL_DEVICE_CALLS_H

#include "model/device_heap.h"

enum device_call { CALL_PRINTF, CALL_MALLOC, CALL_FREE, DEVICE_CALLS };

struct device_calls {
    struct device_call_count n[DEVICE_CALLS];
    struct device_heap_use heap; /* its calls are those of n */
};

/* Cycles that they add to a launch. */
double device_calls_cycles(const struct gpu *gpu, const struct device_calls *c);

#endif
