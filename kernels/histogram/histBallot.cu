/* histBallot - the equal lanes found by ballots, as before match.any was (compute capability 7.0).
 *
 * Change: a ballot for each of the value's bits; a lane keeps those lanes that have its bit. Nine of them, for 256
 * stands for "no byte". No memory counter changes.
 * Limit: 9 ballots a byte.
 */
// AGAINST: histMatch
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 8 * blocks
// EXPECT: lockstep__barriers.sum == 2 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum >= 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum <= 16 * 8 * warps when whole

#include "../lockstep_device.cuh"

#define EACH 16

// the lanes whose nine bits are those of the own value: one ballot a bit halves what is left
static __device__ __forceinline__ unsigned int equalLanes(unsigned int value)
{
    unsigned int same = 0xffffffff;
#pragma unroll
    for (unsigned int bit = 0; bit < 9; bit++)
    {
        unsigned int ones = __ballot_sync(0xffffffff, value >> bit & 1);
        same &= value >> bit & 1 ? ones : ~ones;
    }
    return same;
}

extern "C" __global__ void histBallot(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart; all lanes take part in every exchange
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    unsigned int lane = threadIdx.x % warpSize;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;

        // 256 is no byte: lanes behind the end of the data find only each other
        unsigned int value = idx < n ? data[idx] : 256;

        // the lanes with the same value; the lowest of them adds for all
        unsigned int same = equalLanes(value);
        if (idx < n && (int)lane == __ffs(same) - 1) atomicAdd(&own[value], (unsigned int)__popc(same));
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
