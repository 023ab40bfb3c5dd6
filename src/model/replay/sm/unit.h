/* unit.h - how long units of an SM take: until a result that a scoreboard waits for is there, and for a product of matrices. */
#ifndef LS_MODEL_REPLAY_SM_UNIT_H
#define LS_MODEL_REPLAY_SM_UNIT_H

#include "base/gpu.h"
#include "ir/wgmma_shape.h"

/* Results of instructions that count up a scoreboard and whose time does not follow from addresses. */
enum unit_result {
    UNIT_FIXED, /* what the stall cycles cover */
    UNIT_SFU,
    UNIT_CONVERT,
    UNIT_SHUFFLE,
    UNIT_FP64,
    UNIT_TENSOR,
    UNIT_SPECIAL, /* special registers */
    UNIT_UNIFORM, /* from or to the uniform datapath */
    UNIT_CONSTANT,
    UNIT_SHARED,
    UNIT_L1,
    UNIT_RESULTS
};

/* Cycles from the issue, 1 to 255: the GPU file's where it has them. */
u32 unit_latency(const struct gpu *g, enum unit_result result);

/* Cycles from a product to one that adds to its result: what machine code stalls for, of most formats. */
u32 unit_product_latency(const struct gpu *g);

/* Cycles that a product of so many multiply-adds (a warp's, as if of halves; `doubles`: of doubles) keeps the tensor unit of a
 * sub-partition, >= 1. */
u32 unit_product_cycles(const struct gpu *g, u32 multiply_adds, bool doubles);

/* Of a product of a warpgroup, i: cycles that it keeps the tensor unit of each of its warps' sub-partitions; and the wavefronts of shared
 * memory of one of the warps. */
u32 unit_group_cycles(const struct ptx_inst *i);
u32 unit_group_wavefronts(const struct ptx_inst *i);

/* Cycles that an instruction on halves keeps its pipe, of machine code, which has two such pipes; 0: as others. */
u32 unit_half_cycles(const struct gpu *gpu);

/* Cycles that a product of integers of 64 bits, or its high half, keeps its pipe; 0: as others. */
u32 unit_wide_cycles(const struct gpu *gpu);

#endif
