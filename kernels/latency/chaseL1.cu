/* chaseL1 - each address is what was loaded before, from 4 KiB of global memory.
 *
 * Change: ld.global, and 32 lines, which the first round leaves in L1. It is the same memory as shared memory, with
 * tags to look up: some 41 cycles on Hopper.
 * Limit: latency.
 */
// AGAINST: chaseShared
// LET: lines = ring
// EXPECT: lockstep__cycles_per_step <= 60
// EXPECT: lockstep__cycles_per_step >= 25
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == lines + n
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == lines + n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == lines / 32 + 2
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == lines + 4 * 2

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define LINE 128 // bytes of a cache line; each has one address, that of the next line
#define ROUND 16

extern "C" __global__ void chaseGlobal(const void **table, unsigned int *out, int *cycles, unsigned int lines,
                                       unsigned int n)
{
    for (unsigned int i = threadIdx.x; i < lines; i += 32) table[i * (LINE / 8)] = table + (i + 1) % lines * (LINE / 8);
    __syncwarp();

    // once round, so that the caches have what they can hold
    const void *p = table;
#pragma unroll 1
    for (unsigned int i = 0; i < lines; i++) p = ls_next_global(p);

    long long begin = ls_clock(p);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) p = ls_next_global(p);
    }
    long long end = ls_clock(p);

    out[threadIdx.x] = (unsigned int)(((const char *)p - (const char *)table) / LINE);
    cycles[threadIdx.x] = (int)(end - begin);
}
