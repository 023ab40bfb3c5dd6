/* gpu.h - what is known of a GPU: limits, sizes and rates, read from gpus/<name>.json (built into the library).
 *
 * Every number in the file has its source beside it; an unverified number is marked. The engine uses the limits, the
 * meter the banks and the occupancy rules, the driver the device attributes. */
#ifndef LS_BASE_GPU_H
#define LS_BASE_GPU_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"

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
};

/* Finds a GPU by id ("h200"), or by the path of a JSON file when the text contains a '/' or ends in ".json".
 * NULL means the default, "h200". An unknown name or a bad file is LS_ERR_NOT_FOUND / LS_ERR_SYNTAX with a diagnostic
 * that lists the known ids. */
enum ls_status gpu_find(const char *id_or_path, struct gpu *out, struct diag_list *diags);

/* The id of the n-th built-in GPU, NULL past the last. */
const char *gpu_builtin(unsigned n);

#endif
