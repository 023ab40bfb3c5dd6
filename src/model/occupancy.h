/* occupancy.h - how many blocks of a kernel an SM holds at once, and which resource says so.
 *
 * The rules are those that NVIDIA's occupancy calculator documents: warps, blocks, registers (handed out a warp at a
 * time within a sub-partition), shared memory (within the carve-out) and barriers each allow some number of blocks;
 * the smallest counts. */
#ifndef LS_MODEL_OCCUPANCY_H
#define LS_MODEL_OCCUPANCY_H

#include "base/base.h"
#include "base/gpu.h"

enum occupancy_limiter {
    OCCUPANCY_BY_WARPS,
    OCCUPANCY_BY_BLOCKS,
    OCCUPANCY_BY_REGISTERS,
    OCCUPANCY_BY_SHARED,
    OCCUPANCY_BY_BARRIERS,
};

#define OCCUPANCY_NO_LIMIT UINT32_MAX

struct occupancy_request {
    u32 threads;        /* a block */
    u32 regs;           /* a thread; 0 = the kernel uses none */
    u32 static_shared;  /* bytes a block */
    u32 dynamic_shared; /* bytes a block */
    i32 carveout_kib;   /* shared memory that the caller asked an SM to have; -1 = as much as there is */
    u32 barriers;       /* named barriers a block uses; 0 = none */
};

struct occupancy_result {
    u32 blocks_per_sm;
    u32 warps;     /* resident at once on an SM */
    u32 max_warps; /* that an SM can hold */
    /* blocks an SM holds if only that resource counted; OCCUPANCY_NO_LIMIT: it does not limit */
    u32 limit_warps, limit_blocks, limit_registers, limit_shared, limit_barriers;
    enum occupancy_limiter limiter; /* the first of the resources with the smallest limit */
    u32 regs_per_block;             /* as allocated */
    u32 shared_per_block;           /* bytes, as allocated, with what the system reserves */
    u32 carveout_kib;               /* the carve-out in force; with -1 the one that the driver chooses */
    u32 limit_carveout; /* blocks for whose shared memory it has room; limit_shared is for what was asked for */
    double pct;         /* 100 warps / max_warps */
    /* What an SM has for parts of blocks, so that one may begin while others end: warps come back one by one, with their
     * registers; places, shared memory and barriers with the whole block. */
    u32 slots;  /* for warps */
    u32 places; /* for blocks, whatever warps they have */
};

/* Never fails: a block that cannot run at all has blocks_per_sm 0. */
struct occupancy_result occupancy(const struct gpu *gpu, const struct occupancy_request *q);
/* The bytes of an SM's L1 that are left for caching when so many are shared memory: those of the smallest carve-out that
 * holds them, else of the largest. */
u64 occupancy_l1_bytes(const struct gpu *gpu, u64 shared);
/* How many clusters of so many blocks the GPU holds at once, if an SM holds blocks_per_sm of these blocks: a cluster is spread
 * over the SMs of one GPC, and has no more blocks than that has SMs (measured on an H200). */
u32 occupancy_clusters(const struct gpu *gpu, u32 blocks_per_sm, u32 cluster);
const char *occupancy_limiter_name(enum occupancy_limiter l); /* "registers" */

#endif
