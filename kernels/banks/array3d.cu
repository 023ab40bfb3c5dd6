/* array3d - an array of three dimensions, its planes transposed.
 *
 * Change: cube[z][y][x] is word 64 z + 8 y + x. The load has x and y swapped: a warp's x = 0 ... 7 are 8 words apart,
 * its y are 4 neighbours. x and x + 4 meet in a bank: two wavefronts.
 * Limit: one conflict a warp. More dimensions are only a longer sum for the address.
 */
// AGAINST: array1d
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void array3d(int *out)
{
    // static shared memory, three dimensions: planes of 8 x 8 words
    __shared__ int cube[16][8][8];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the thread's place in the cube
    unsigned int x = idx % 8, y = idx / 8 % 8, z = idx / 64;

    // shared memory store
    cube[z][y][x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = cube[z][x][y];
}
