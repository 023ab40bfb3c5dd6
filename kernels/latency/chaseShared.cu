/* chaseShared - each address is what was loaded before, from shared memory.
 *
 * Change: a chain of loads. All lanes follow one chain: a broadcast, one wavefront. Some 29 cycles a step on Hopper,
 * 19 on Volta; seven times an fma, and not "a few".
 * Limit: latency.
 */
// EXPECT: lockstep__cycles_per_step <= 40
// EXPECT: lockstep__cycles_per_step >= 15
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == n
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 32
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define WORDS 1024
#define ROUND 16

extern "C" __global__ void chaseShared(unsigned int *out, int *cycles, unsigned int n)
{
    // each word has the address of the next one
    __shared__ unsigned int table[WORDS];
    unsigned int base = ls_shared_address(table);
    for (unsigned int i = threadIdx.x; i < WORDS; i += 32) table[i] = base + 4 * ((i + 1) % WORDS);
    __syncwarp();

    unsigned int p = base;
    long long begin = ls_clock(p);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) p = ls_next_shared(p);
    }
    long long end = ls_clock(p);

    out[threadIdx.x] = (p - base) / 4;
    cycles[threadIdx.x] = (int)(end - begin);
}
