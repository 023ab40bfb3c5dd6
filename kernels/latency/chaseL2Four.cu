/* chaseL2Four - four chains at once.
 *
 * Change: each lane follows four chains. Loads do not wait for each other: four steps in the time of one. This is what
 * "memory-level parallelism" means, and a warp more is as good as a chain more.
 * Limit: latency, a quarter as much.
 */
// LET: lines = ring
// EXPECT: lockstep__cycles_per_step <= 110
// EXPECT: lockstep__cycles_per_step >= 37
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == lines + 4 * n
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == lines + 4 * n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == lines / 32 + 5
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == lines + 4 * 5

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define LINE 128 // bytes of a cache line; each has one address, that of the next line
#define ROUND 16
#define CHAINS 4

extern "C" __global__ void chaseGlobal(const void **table, unsigned int *out, int *cycles, unsigned int lines,
                                       unsigned int n)
{
    for (unsigned int i = threadIdx.x; i < lines; i += 32) table[i * (LINE / 8)] = table + (i + 1) % lines * (LINE / 8);
    __syncwarp();

    // once round, so that the caches have what they can hold
    const void *p[CHAINS];
#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) p[c] = table + lines / CHAINS * c * (LINE / 8);
#pragma unroll 1
    for (unsigned int i = 0; i < lines; i++) p[0] = ls_next_global(p[0]);

#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) ls_hold(p[c]);
    long long begin = ls_clock(p[0]);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND * CHAINS; j++) p[j % CHAINS] = ls_next_global(p[j % CHAINS]);
    }
#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) ls_hold(p[c]);
    long long end = ls_clock(p[0]);

#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++)
        out[32 * c + threadIdx.x] = (unsigned int)(((const char *)p[c] - (const char *)table) / LINE);
    cycles[threadIdx.x] = (int)(end - begin);
}
