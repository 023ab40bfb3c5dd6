/* centreGridSync - sum, barrier of the grid, subtract.
 *
 * Change: both halves in one cooperative launch. The second half still loads every element again: a barrier alone
 * saves the launch and nothing else. The barrier's own accesses as in reduceGridSync.
 * Limit: the same traffic as two launches.
 */
// AGAINST: centreTwoLaunches
// LET: whole = n % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= 2 * n / 32 + warps + blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= 2 * n / 8 + warps + blocks when whole
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

// total: 0 at first
extern "C" __global__ void centre(int *out, const int *in, int *total, unsigned int n)
{
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(total), "r"(sum) : "memory");

    ls_grid_sync();

    int mean = *total / (int)n;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] - mean;
}
