/* centreGridKeep - what a barrier is good for: registers outlive it.
 *
 * Change: a thread keeps its elements, up to eight, from one side of the barrier to the other. Each is loaded once.
 * That is what no second launch can do.
 * Limit: registers: eight elements a thread are the largest n; each once in and once out is all the traffic there need
 * be.
 */
// LET: whole = n % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= n / 32 + warps + blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 8 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == blocks
// EXPECT: lockstep__barriers.sum == 3 * warps
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

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

enum { KEPT = 8 };

// total: 0 at first; n is at most KEPT elements a thread of the grid
extern "C" __global__ void centre(int *out, const int *in, int *total, unsigned int n)
{
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int kept[KEPT], sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < KEPT; k++)
    {
        unsigned int i = first + k * threads;
        kept[k] = i < n ? in[i] : 0;
        sum += kept[k];
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(total), "r"(sum) : "memory");

    ls_grid_sync();

    int mean = *total / (int)n;
#pragma unroll
    for (unsigned int k = 0; k < KEPT; k++)
    {
        unsigned int i = first + k * threads;
        if (i < n) out[i] = kept[k] - mean;
    }
}
