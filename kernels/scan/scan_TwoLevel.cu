/* scan_TwoLevel - all the data: scan each block, scan the blocks' sums, add to each block what is before it.
 *
 * Change: three kernels, for a block cannot wait for another within one (not simply). scanBlocks is block_Shuffle, and
 * stores B block sums; scanSums is one block that goes over them; addSums reads and writes all blocks but the first
 * again. Counted over all three: out is stored, loaded and stored again.
 * Limit: DRAM: 4 n words move where 2 n would do.
 */
// AGAINST: block_Shuffle
// LET: whole = n % bx == 0
// LET: rounds = ceil_div(blocks, bx)
// LET: words = warps + blocks + rounds * (block_warps + 1)
// LET: again = (blocks - 1) * block_warps
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps + ceil_div(blocks, 32) + 2 * again when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps + ceil_div(blocks, 8) + 5 * again when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps + blocks + ceil_div(blocks, 32) + again when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps + blocks + ceil_div(blocks, 8) + 4 * again when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps + rounds * 2 * block_warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == words
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps + 3 * rounds * block_warps

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

extern "C" __global__ void scanBlocks(unsigned int *out, const unsigned int *in, unsigned int *sums, unsigned int n)
{
    __shared__ unsigned int warps[32];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = warpScan(idx < n ? in[idx] : 0);
    sum += warpsBefore(warps, sum);

    if (idx < n) out[idx] = sum;

    // the last thread has the sum of the block's part
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = sum;
}

extern "C" __global__ void scanSums(unsigned int *sums, unsigned int n)
{
    __shared__ unsigned int warps[32];

    // one block, as many sums at a time as it has threads; what the rounds before had is carried on
    unsigned int carry = 0;
    for (unsigned int first = 0; first < n; first += blockDim.x)
    {
        unsigned int idx = first + threadIdx.x;
        unsigned int sum = warpScan(idx < n ? sums[idx] : 0);
        sum += warpsBefore(warps, sum) + carry;
        if (idx < n) sums[idx] = sum;
        carry += warps[blockDim.x / warpSize - 1];

        // all warps have read the sum before the next round overwrites it
        __syncthreads();
    }
}

extern "C" __global__ void addSums(unsigned int *out, const unsigned int *sums, unsigned int n)
{
    // nothing is before the first block
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && idx < n) out[idx] += sums[blockIdx.x - 1];
}
