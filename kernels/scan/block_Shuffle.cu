/* block_Shuffle - warps scan in registers; shared memory carries one word a warp.
 *
 * Change: five shuffles scan a warp; the first warp scans the warps' sums; every other warp adds the sum before it.
 * Shared memory: W + 1 stores (the first warp's is 32 words) and W loads a block. Two barriers.
 * Limit: one load a thread in flight.
 */
// AGAINST: block_HillisSteele
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

// the sums of the lanes up to and with this one
static __device__ __forceinline__ unsigned int warpScan(unsigned int sum)
{
    unsigned int lane = threadIdx.x % warpSize;
#pragma unroll
    for (unsigned int distance = 1; distance < 32; distance *= 2)
    {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += left;
    }
    return sum;
}

// the sum of all warps before this one, from the warps' own sums; sums[] holds the inclusive ones afterwards
static __device__ __forceinline__ unsigned int warpsBefore(unsigned int *sums, unsigned int own)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == warpSize - 1) sums[warp] = own;
    __syncthreads();

    // the first warp scans as many sums as the block has warps
    if (warp == 0) sums[lane] = warpScan(lane < blockDim.x / warpSize ? sums[lane] : 0);
    __syncthreads();

    return warp > 0 ? sums[warp - 1] : 0;
}

extern "C" __global__ void blockShuffle(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ unsigned int sums[32];

    // no thread leaves early: all of them take part in the shuffles and at the barriers
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = warpScan(idx < n ? in[idx] : 0);
    sum += warpsBefore(sums, sum);

    if (idx < n) out[idx] = sum;
}
