/* gpu.h - what is known of a GPU: limits, sizes and rates, read from gpus/<name>.json (built into the library).
 *
 * Every number in the file has its source beside it; an unverified number is marked. The engine uses the limits, the
 * meter the banks and the occupancy rules, the driver the device attributes. */
#ifndef LS_BASE_GPU_H
#define LS_BASE_GPU_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"

enum { GPU_GPCS = 12 };

struct gpu {
    char id[32];   /* "h200": the file's name */
    char name[64]; /* "NVIDIA H200": what cuDeviceGetName says */
    u32 cc_major, cc_minor;
    u32 sms;
    u32 boost_mhz, memory_mhz, memory_bus_bits;
    u32 base_mhz; /* the clock that a profiler locks; 0 = unknown */
    u64 memory_bytes;
    u64 l2_bytes;
    u64 l2_persisting_bytes; /* the most of L2 that may be set aside for persisting lines; 0: none, or unknown */
    u32 ecc;                 /* 1: memory has error correction, switched on as it is delivered */
    u32 l1_kib;              /* L1 and shared memory of an SM together */
    /* limits of an SM */
    u32 threads_per_sm, blocks_per_sm, registers_per_sm, sub_partitions;
    u32 shared_per_sm;                    /* bytes */
    u32 shared_reserved;                  /* bytes a block that the system takes: 1024 from cc 8.0 on */
    u32 shared_carveouts[12], ncarveouts; /* KiB, ascending */
    u32 gpc_sms[GPU_GPCS]; /* SMs that a cluster can be spread over, group by group; all 0: not known, groups of 16 */
    /* limits of a block */
    u32 threads_per_block, block_dim[3], grid_dim[3];
    u32 shared_per_block, shared_per_block_optin; /* bytes: default (48 KiB) and opt-in maximum */
    u32 registers_per_block, registers_per_thread;
    u32 warp_size;
    u32 barriers_per_sm;
    /* allocation granularity, for occupancy */
    u32 register_unit; /* registers a warp: 256 */
    u32 shared_unit;   /* bytes: 128 from cc 8.0 on, 256 before */
    /* shared memory banks */
    u32 banks, bank_bytes;
    /* rates, for models: results a clock an SM; bytes a second */
    u32 fp32_rate, fp64_rate, int_rate, sfu_rate;
    double dram_bytes_per_s, copy_bytes_per_s, read_bytes_per_s; /* data sheet; measured; 0 = unknown */
    /* the link to the host: bytes a second from and to page-locked memory, and pageable; 0 = unknown */
    double link_htod_bytes_per_s, link_dtoh_bytes_per_s;
    double link_htod_pageable_bytes_per_s, link_dtoh_pageable_bytes_per_s;
    u32 copy_latency_ns; /* until a copy's first byte */
    u32 launch_ns;       /* host time of one call; also the least that a kernel takes */
    u32 latency_shared, latency_l1, latency_l2, latency_dram; /* cycles; 0 = unknown */
    /* cycles from the issue of an instruction to that of one that needs its result; 0 = unknown */
    u32 latency_int, latency_fp32, latency_fp16, latency_fp64, latency_sfu, latency_convert, latency_shuffle;
    u32 latency_tensor; /* mma.m16n8k16 of half precision */
    /* for the model of time: bytes a clock that L2 gives to all SMs and to one; lanes of atomics a clock, at different
     * addresses, of the whole L2; how long a kernel that does nothing takes */
    u32 l2_rate, l2_sm_rate, atomic_rate, kernel_ns;

    /* What `lockstep calibrate` measures besides (docs/calibrate.md); 0 = unknown everywhere. */

    /* results of lanes a clock and SM */
    u32 imad_rate, imad_wide_rate; /* products of 32 bits: the low half; all 64 bits, or the high half */
    u32 fp16_rate;                 /* instructions on pairs */
    u32 convert_rate;              /* from float to integer */
    u32 convert64_rate;            /* to and from f64 */
    u32 shuffle_rate, vote_rate, reduce_rate, texture_rate;
    u32 tensor_fp16_rate, tensor_tf32_rate, tensor_int8_rate,
        tensor_fp64_rate;     /* multiplications and additions of mma */
    u32 shared_atomic_rate;   /* at different addresses */
    u32 shared_rate, l1_rate; /* bytes a clock and SM */
    /* cycles from the issue to the result */
    u32 latency_imad, latency_imad_wide, latency_convert64, latency_vote, latency_reduce, latency_match;
    u32 latency_tensor_tf32, latency_tensor_int8, latency_tensor_fp64, latency_ldmatrix;
    u32 latency_shared_atomic, latency_shared_cas;
    u32 latency_shared_float; /* an addition of floats to shared memory, which is a loop of CAS; nobody else at it */
    u32 latency_atomic;       /* on global memory */
    u32 latency_texture;
    u32 latency_l2_near, latency_l2_far; /* of lines at the SM's side of L2 and at the other one */
    u32 latency_constant;                /* an indexed constant in the SM's first constant cache, of so many bytes */
    u32 constant_l1_bytes;
    u32 latency_constant_l2, latency_constant_miss; /* in the next one; in none */
    u32 latency_fence, latency_store_fence;         /* of the device: with nothing to wait for; behind a store */
    u32 latency_barrier;                            /* of a block of one warp */
    double barrier_warp_cycles;                     /* and for each warp more */
    u32 grid_barrier_cycles; /* of a cooperative launch that fills the device with one block an SM */
    double conflict_cycles;  /* each further wavefront of a warp's access to shared memory */
    u32 branch_cycles;       /* a round of a loop, besides what is in it */
    /* bytes; bytes a clock; sectors, lines or lanes a clock of the device */
    double write_bytes_per_s;            /* of DRAM */
    u32 l2_write_rate, l2_sm_write_rate; /* to L2, bytes: of all SMs and of one */
    u32 dram_sm_rate;                    /* bytes that one SM alone gets from DRAM */
    double l2_sector_rate;               /* sectors at places that look random: from L2 */
    double dram_sector_rate;             /* and from DRAM */
    double l2_line_rate;                 /* how often all SMs get one and the same line of L2 */
    double atomic_scattered_rate;        /* lanes whose words are in lines of their own */
    double atomic_line_rate;             /* at the words of one line */
    double atomic_address_rate;          /* at one word, integers */
    double atomic_address_float_rate;    /* and floats */
    double atomic_result_rate;           /* lanes whose words are in lines of their own, with a result */
    double atomic_dram_rate;             /* lanes at random words of much more memory than L2 holds */
    double swap_cycles;                  /* from one compare-and-swap that changes a word to the next, where all try */
    double atomic_sm_rate;               /* of one SM, a warp's words in one line */
    /* machine code: what caches of it hold, and cycles that an instruction of straight code costs a warp beyond them */
    u32 icache_l1_bytes, icache_bytes;
    u32 icache_prefetch_bytes; /* of a kernel's code that are there when it begins */
    double fetch_cycles;       /* beyond icache_l1_bytes */
    double fetch_l2_cycles;    /* beyond icache_bytes */
    double fetch_dram_cycles;  /* never read before */
    /* launches */
    double block_rate;         /* blocks that the device starts a clock */
    u32 block_turnover_cycles; /* from the end of a block until the next one in its place begins */
    u32 printf_cycles;         /* of one thread */
    u32 malloc_cycles;         /* malloc and free of one thread */
};

/* Finds a GPU by id ("h200"), or by the path of a JSON file when the text contains a '/' or ends in ".json".
 * NULL means the default, "h200". An unknown name or a bad file is LS_ERR_NOT_FOUND / LS_ERR_SYNTAX with a diagnostic
 * that lists the known ids. */
enum ls_status gpu_find(const char *id_or_path, struct gpu *out, struct diag_list *diags);

/* The id of the n-th built-in GPU, NULL past the last. */
const char *gpu_builtin(unsigned n);

#endif
