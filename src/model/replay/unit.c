/* unit.c - how long units of an SM take (unit.h). */
#include "model/replay/unit.h"

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

/* Multiply-adds that a sub-partition's tensor unit does in a cycle for mma.sync. From data sheets (dense rate, by SMs and
 * clock); on Hopper mma.sync reaches five eighths of what wgmma does, as published microbenchmarks say. */
static const struct {
    u32 cc_major, cc_minor; /* from this on */
    u32 halves, doubles;
} tensor_rates[] = {
    {7, 0, 128, 1}, {8, 0, 256, 16}, {8, 6, 128, 1}, {9, 0, 320, 32}, {10, 0, 512, 16}, {12, 0, 128, 1},
};

u32 unit_product_cycles(const struct gpu *g, u32 multiply_adds, bool doubles)
{
    u32 rate = 1;
    for (u32 r = 0; r < LS_ARRAY_LEN(tensor_rates); r++)
        if (g->cc_major > tensor_rates[r].cc_major ||
            (g->cc_major == tensor_rates[r].cc_major && g->cc_minor >= tensor_rates[r].cc_minor))
            rate = doubles ? tensor_rates[r].doubles : tensor_rates[r].halves;
    const u32 cycles = (multiply_adds + rate / 2) / rate;
    return cycles ? cycles : 1;
}

u32 unit_wide_cycles(const struct gpu *gpu)
{
    return gpu->imad_wide_rate ? gpu->warp_size * gpu->sub_partitions / gpu->imad_wide_rate : 0;
}
