/* path.h - the way of a warp: how many cycles it needs that has the SM for itself. */
#ifndef LS_MODEL_PATH_H
#define LS_MODEL_PATH_H

#include "base/arena.h"
#include "base/gpu.h"
#include "ir/ir.h"

/* Where the sectors of a memory instruction came from, all of its executions together. */
struct path_served {
    double l1, l2, far, dram; /* far: from the other half of L2 */
};

/* An instruction of the PTX. */
struct path_step {
    enum ir_unit unit; /* whose latency it has; MEMORY: that of `served`, or of shared memory */
    u32 weight;        /* machine instructions; 0: it takes no time */
    struct path_served served;
    double wavefronts; /* of shared memory, an execution; 0: it is not in shared memory */
    bool argument;     /* reads a parameter: at once */
    bool barrier;
};

/* The cycles that all warps of a launch spend in f, one after the other: warps[b] is how many came into block b, steps are
 * by site. mem is for the time of the call; its recovery point is set. */
double path_of(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct path_step *steps,
               const u64 *warps);

#endif
