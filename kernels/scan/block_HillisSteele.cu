/* block_HillisSteele - each block scans its part: log2(bx) rounds of adding what stands 1, 2, 4, ... to the left.
 *
 * The first rung. Two buffers in shared memory change places every round, because a thread may read its neighbour's
 * sum only as it was before the round. A round: W stores, and W loads less the warps that lie wholly within `distance`
 * (1 + 2 + 4 + ... = W - 1 over all rounds). All of it is 32 words in a row: no conflicts.
 * Limit: n log2(n) additions where n would do, and a barrier a round.
 */
// LET: whole = n % bx == 0
// LET: power = bx == 32 || bx == 64 || bx == 128 || bx == 256 || bx == 512 || bx == 1024
// LET: rounds = log2(bx)
// LET: loads = blocks * (rounds * block_warps - block_warps + 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == loads when power
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == (rounds + 1) * warps when power
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == (rounds + 1) * warps when power

#include "../lockstep_device.cuh"

extern "C" __global__ void blockHillisSteele(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // dynamic shared memory: two buffers of blockDim.x words
    extern __shared__ unsigned int buffers[];
    unsigned int *now = buffers, *next = buffers + blockDim.x;

    // set thread ID
    unsigned int tid = threadIdx.x;

    // every thread fills its slot, with 0 behind the end of the data
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = idx < n ? in[idx] : 0;
    now[tid] = sum;
    __syncthreads();

    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2)
    {
        if (tid >= distance) sum += now[tid - distance];
        next[tid] = sum;

        // the whole block finishes a round before the buffers change places
        __syncthreads();

        unsigned int *last = now;
        now = next;
        next = last;
    }

    if (idx < n) out[idx] = sum;
}
