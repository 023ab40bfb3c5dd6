/* lastBlockSum - one launch for the sum of all: the block that comes last adds up the blocks' sums.
 *
 * Each block leaves its sum in `partial` and draws a ticket; the one with the last ticket knows that all others' sums
 * are there, if each block's fence stood between its sum and its ticket. The second fence, between the ticket and
 * reading the sums, is the reader's. Nobody waits for anybody, so there is no polling and any grid will do. The last
 * block sets the ticket back, for the next launch.
 * Loads: one a warp, and 32 sums each in the last block. Stores: a sum a block, the total and the ticket. Barriers:
 * one for the block's sum and one for the ticket, and one for the total in the last block.
 * Limit: the tail, in which one block works.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps + ceil_div(blocks, 32) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps + ceil_div(blocks, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks + 2
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks + 2
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks
// EXPECT: lockstep__barriers.sum == 2 * warps + block_warps

#include "../lockstep_device.cuh"

// the block's sum, in all lanes of the first warp
static __device__ __forceinline__ int blockSum(int sum)
{
    __shared__ int warpSums[32];
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (lane == 0) warpSums[warp] = sum;
    __syncthreads();
    if (warp == 0)
    {
        sum = lane < blockDim.x / warpSize ? warpSums[lane] : 0;
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

extern "C" __global__ void lastBlockSum(int *total, const int *in, int *partial, unsigned int *ticket, unsigned int n)
{
    __shared__ bool last;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(idx < n ? in[idx] : 0);

    if (threadIdx.x == 0)
    {
        // the sum is seen before the ticket is drawn
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    // all blocks' sums are there: the whole block adds them
    sum = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0)
    {
        *total = sum;
        *ticket = 0;
    }
}
