/* unit.c - how long units of an SM take (unit.h). */
#include "model/replay/sm/unit.h"

/* Where the GPU's file says nothing: orders of magnitude from published microbenchmarks of Volta to Hopper. */
static const u8 usual[UNIT_RESULTS] = {
    [UNIT_FIXED] = 6,     [UNIT_SFU] = 23,    [UNIT_CONVERT] = 14, [UNIT_SHUFFLE] = 23,
    [UNIT_FP64] = 16,     [UNIT_TENSOR] = 33, [UNIT_SPECIAL] = 25, [UNIT_UNIFORM] = 12,
    [UNIT_CONSTANT] = 30, [UNIT_SHARED] = 29, [UNIT_L1] = 40,
};

u32 unit_latency(const struct gpu *g, enum unit_result result)
{
    const u32 said[UNIT_RESULTS] = {
        [UNIT_SFU] = g->latency_sfu,   [UNIT_CONVERT] = g->latency_convert, [UNIT_SHUFFLE] = g->latency_shuffle,
        [UNIT_FP64] = g->latency_fp64, [UNIT_TENSOR] = g->latency_tensor,   [UNIT_SHARED] = g->latency_shared,
        [UNIT_L1] = g->latency_l1,
    };
    return said[result] && said[result] < 256 ? said[result] : usual[result];
}

u32 unit_product_latency(const struct gpu *g)
{
    return g->latency_tensor_tf32 ? g->latency_tensor_tf32 : unit_latency(g, UNIT_TENSOR);
}

u32 unit_product_cycles(const struct gpu *g, u32 multiply_adds, bool doubles)
{
    const u32 said = doubles ? g->tensor_fp64_rate : g->tensor_fp16_rate, rate = said ? said : doubles ? 63 : 1283;
    const u32 cycles = (multiply_adds * g->sub_partitions + rate / 2) / rate;
    return cycles ? cycles : 1;
}

/* 64 rows by n columns take n / 2 cycles, or as long as the operands take from shared memory. Measured on an H200
 * (tests/hw/h200/async-times.csv). */
u32 unit_group_cycles(const struct ptx_inst *i)
{
    enum { LEAST = 13 };
    struct ir_wgmma_shape s;
    if (!i || !ir_wgmma_shape(i, &s))
        return LEAST;
    const u32 wavefronts = ir_wgmma_wavefronts(&s), cycles = s.n / 2 > wavefronts ? s.n / 2 : wavefronts;
    return cycles > LEAST ? cycles : LEAST;
}

u32 unit_group_wavefronts(const struct ptx_inst *i)
{
    struct ir_wgmma_shape s;
    return i && ir_wgmma_shape(i, &s) ? (ir_wgmma_wavefronts(&s) + 3) / 4 : 0;
}

u32 unit_wide_cycles(const struct gpu *gpu)
{
    return gpu->imad_wide_rate ? gpu->warp_size * gpu->sub_partitions / gpu->imad_wide_rate : 0;
}

u32 unit_half_cycles(const struct gpu *gpu)
{
    return gpu->fp16_rate ? 2 * gpu->warp_size * gpu->sub_partitions / gpu->fp16_rate : 0;
}
