/* lastBlockAcqRel - the ticket carries the order.
 *
 * Change: the atomic addition is a release and an acquire in one, instead of a relaxed one between two fences: the sum
 * is seen before the ticket, and who draws the last ticket has acquired what all the others released. The counters are
 * the same.
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
        unsigned int drawn;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(drawn) : "l"(ticket) : "memory");
        last = drawn == gridDim.x - 1;
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
