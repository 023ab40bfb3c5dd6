/* latency.h - what a PTX instruction stands for on the machine, and how long that takes on a GPU. */
#ifndef LS_MODEL_LATENCY_H
#define LS_MODEL_LATENCY_H

#include "base/gpu.h"
#include "ir/ir.h"

/* The unit that runs the instruction, and how many machine instructions of that unit it is. */
struct ir_cost latency_cost(const struct ptx_inst *i);

/* Cycles: from the issue of an instruction to that of one that needs its result, and from one warp instruction of a unit
 * to the next of the same scheduler. A latency that the GPU file does not know is an H200's. */
struct latencies {
    u32 unit[IR_UNIT_COUNT], interval[IR_UNIT_COUNT];
    u32 shared, l1, l2, dram;
    u32 mhz;
};
struct latencies latencies_of(const struct gpu *gpu);
static inline u64 latency_ns(const struct latencies *l, u64 cycles) { return cycles * 1000 / l->mhz; }
static inline u64 latency_cycles(const struct latencies *l, u64 ns) { return ns * l->mhz / 1000; }

#endif
