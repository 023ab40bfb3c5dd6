/* chaseSharedConflict - each lane its own chain, all of them in bank 0.
 *
 * Change: the lanes begin 32 words apart and go on by 32. Thirty-two words of one bank are 32 wavefronts, and the load
 * is ready only after the last: 31 cycles more.
 * Limit: bank conflicts.
 */
// EXPECT: lockstep__cycles_per_step <= 75
// EXPECT: lockstep__cycles_per_step >= 45
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 32 * n
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 31 * n
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 32
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define WORDS 1024
#define ROUND 16

extern "C" __global__ void chaseShared(unsigned int *out, int *cycles, unsigned int n)
{
    // each word has the address of the one 32 words on
    __shared__ unsigned int table[WORDS];
    unsigned int base = ls_shared_address(table);
    for (unsigned int i = threadIdx.x; i < WORDS; i += 32) table[i] = base + 4 * ((i + 32) % WORDS);
    __syncwarp();

    unsigned int p = base + 4 * (32 * threadIdx.x);
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
