/* block_Blelloch - a tree of sums up, and down again: exclusive sums, two elements a thread.
 *
 * Change: 2 (n - 1) additions instead of n log2(n), but neighbours in a warp are 2, 4, 8, ... words apart. With d
 * pairs on a level, 2 bx / d words apart, an access of a warp takes min(32, 2 bx / d) wavefronts, or as many as it has
 * lanes: the five levels with d > W cost 2 W each, the rest d each, all levels S = 10 W + 2 W - 1; in as
 * many requests R = 2 W - 1 + 5. A level is 2 loads and 1 store upwards, 2 and 2 downwards; 2 W of each go in and out.
 * Limit: bank conflicts, 2 log2(bx) + 3 barriers, and few threads at the root.
 */
// LET: whole = n % (2 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole
// LET: passes = 12 * block_warps - 1
// LET: requests = 2 * block_warps + 4
// LET: inout = 2 * block_warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (4 * passes + inout) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == blocks * 4 * (passes - requests)
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (3 * passes + inout + 1)
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == blocks * 3 * (passes - requests)
// EXPECT: lockstep__barriers.sum == (2 * log2(bx) + 3) * warps

#include "../lockstep_device.cuh"

// where element i stands
#define SLOT(I) (I)

extern "C" __global__ void blockBlelloch(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // dynamic shared memory: two elements a thread
    extern __shared__ unsigned int tile[];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // every thread fills two slots, with 0 behind the end of the data
    unsigned int low = blockIdx.x * blockDim.x * 2 + threadIdx.x, high = low + blockDim.x;
    tile[SLOT(tid)] = low < n ? in[low] : 0;
    tile[SLOT(tid + blockDim.x)] = high < n ? in[high] : 0;

    // up the tree: the right one of two neighbours becomes their sum
    unsigned int width = 1;
    for (unsigned int pairs = blockDim.x; pairs > 0; pairs >>= 1)
    {
        __syncthreads();
        if (tid < pairs)
        {
            unsigned int left = SLOT(width * (2 * tid + 1) - 1), right = SLOT(width * (2 * tid + 2) - 1);
            tile[right] += tile[left];
        }
        width *= 2;
    }

    // the root holds the sum of all; thread 0 has written it
    if (tid == 0) tile[SLOT(2 * blockDim.x - 1)] = 0;

    // down the tree: left gets what stood on the right, right the sum of both
    for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2)
    {
        width >>= 1;
        __syncthreads();
        if (tid < pairs)
        {
            unsigned int left = SLOT(width * (2 * tid + 1) - 1), right = SLOT(width * (2 * tid + 2) - 1);
            unsigned int below = tile[left], above = tile[right];
            tile[left] = above;
            tile[right] = below + above;
        }
    }
    __syncthreads();

    if (low < n) out[low] = tile[SLOT(tid)];
    if (high < n) out[high] = tile[SLOT(tid + blockDim.x)];
}
