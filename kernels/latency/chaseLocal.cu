/* chaseLocal - each index is what was loaded before, from the thread's own array.
 *
 * Change: an array whose index nobody knows before: local memory. It is global memory behind L1, at L1's latency while
 * it is there, and a warp's access of one word is 128 bytes. The index is made an address on the way, as before.
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

#define WORDS 64
#define ROUND 16

extern "C" __global__ void chaseLocal(unsigned int *out, int *cycles, unsigned int shift, unsigned int n)
{
    // each word is the index of the one `shift` on
    unsigned int next[WORDS];
#pragma unroll 1
    for (unsigned int i = 0; i < WORDS; i++) next[i] = (i + shift) % WORDS;

    unsigned int p = 0;
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
