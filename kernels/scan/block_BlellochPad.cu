/* block_BlellochPad - a free word after every 32.
 *
 * Change: element i stands at i + i / 32. Two elements 2 w apart are 32 / (2 w) lanes later in the next row of the
 * tile, which now begins a bank further on: 32 lanes, 32 banks. In levels where lanes are rows apart, they are 2, 4,
 * ... banks apart, and so few that they do not meet, up to 512 threads. (With 1024 they do, two and two.)
 * Limit: the barriers and the idle threads; conflicts are gone.
 */
// LET: whole = n % (2 * bx) == 0
// LET: free = bx <= 512
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole
// LET: loads = blocks * (4 * (2 * block_warps + 4) + 2 * block_warps)
// LET: stores = blocks * (3 * (2 * block_warps + 4) + 2 * block_warps + 1)
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == loads when whole && free
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when free
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == stores when free
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when free
// EXPECT: lockstep__barriers.sum == (2 * log2(bx) + 3) * warps

#include "../lockstep_device.cuh"

// where element i stands: a word is left free after every 32
#define SLOT(I) ((I) + ((I) >> 5))

extern "C" __global__ void blockBlelloch(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // dynamic shared memory: two elements a thread, and the free words
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
