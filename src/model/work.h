/* work.h - what a launch has to do, in numbers: the input of the bounds and of the model of time. meter/report/work.c fills it
 * in; machine instructions are by warps, arithmetic by threads. */
#ifndef LS_MODEL_WORK_H
#define LS_MODEL_WORK_H

#include "base/base.h"

struct model_work {
    u64 blocks;
    u32 warps;    /* of a block */
    u32 resident; /* blocks that an SM holds at once; 0: one */
    double inst;
    double fp32, fp64, fp16, integer, bit, conversion, exchange;
    double products;  /* instructions of the tensor pipe, of warps */
    double requests;  /* of warps to global, local and shared memory */
    double elsewhere; /* of warps to textures and constants */
    double global_sectors, local_sectors;
    double wavefronts; /* of shared memory */
    double words;      /* of constant memory: a pass each */
    double lanes;      /* of atomics and reductions in global memory */
    double dram_bytes; /* that must move, as far as the caller knows */
    /* What the model of the caches says, for the model of time only. */
    double l1_lines, l2_sectors, l2_far_sectors;
    double slice_sectors; /* of atomics, that the most wanted slice of L2 does one after the other */
    double path;          /* cycles of all warps, one after the other (path.h) */
};

/* Blocks of the SM that has most, as a share of all: an SM's work is the launch's times this. */
static inline double work_share(const struct model_work *w, u32 sms)
{
    const u64 most = w->blocks / sms + (w->blocks % sms != 0);
    return (double)most / (double)w->blocks;
}

#endif
