/* stencil_1d_radius - any radius, the halo as part of the tile.
 *
 * Change: the radius is an argument, 1 to 8. The block's blockDim.x + 2 * radius cells are one run, loaded by all threads
 * in turn, with no case for sides, so that a halo may be wider than the block. The run begins at the array's first
 * cell, which is aligned: 4 sectors a warp, not 5, and a last load for what is over.
 * Limit: 2 * radius shared loads a result: 8 for the radius of the other rungs.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0 && 2 * k <= 32
// LET: offset = min(k % 8, 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps + blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps + ceil_div(2 * k, 8) * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == (4 + offset) * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * k * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + blocks when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

#define MAX_RADIUS 8

__constant__ float coef[MAX_RADIUS + 1];

extern "C" __global__ void stencil_1d_radius(float *in, float *out, unsigned int N, unsigned int radius)
{
    // blockDim.x + 2 * radius cells
    extern __shared__ float smem[];

    // the grid walks over the data, block by block; all threads of a block make the same number of rounds
    for (unsigned int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x)
    {
        // index to global memory; to shared memory for stencil calculation
        unsigned int idx = start + threadIdx.x;
        unsigned int sidx = threadIdx.x + radius;

        // read the tile with its halo; in[N + radius - 1] is the last cell there is
        const float *run = in + start - radius;
        unsigned int length = min(blockDim.x, N - start) + 2 * radius;
        for (unsigned int i = threadIdx.x; i < length; i += blockDim.x) smem[i] = run[i];

        // synchronize (ensure all the data is available)
        __syncthreads();

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

            for (unsigned int i = 1; i <= radius; i++)
            {
                tmp += coef[i] * (smem[sidx + i] - smem[sidx - i]);
            }

            // store the result
            out[idx] = tmp;
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();
    }
}
