/* chaseConstant - each index is what was loaded before, from constant memory.
 *
 * Change: a table of 1 KiB of __constant__ memory, one word for all lanes. The index is made an address on the way,
 * some 10 cycles of integer arithmetic. The constant cache is no faster than L1; what makes constants cheap is that
 * instructions have them as operands when the address is known.
 * Limit: latency.
 */
// AGAINST: chaseL1
// EXPECT: lockstep__cycles_per_step <= 90
// EXPECT: lockstep__cycles_per_step >= 25
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define WORDS 256
#define ROUND 16

__constant__ unsigned int next[WORDS]; // each word is the index of another

extern "C" __global__ void chaseConstant(unsigned int *out, int *cycles, unsigned int n)
{
    // once round, so that the cache has the table
    unsigned int p = 0;
#pragma unroll 1
    for (unsigned int i = 0; i < WORDS; i++) p = next[p];

    long long begin = ls_clock(p);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) p = next[p];
    }
    long long end = ls_clock(p);

    out[threadIdx.x] = p;
    cycles[threadIdx.x] = (int)(end - begin);
}
