/* stencil_1d - coefficients in constant memory.
 *
 * Change: `__constant__`: all lanes ask for the same word, which the constant cache broadcasts; no global load is
 * left but the cells': 3 a warp at one warp a block, 7 sectors.
 * Limit: DRAM, once blocks are larger than one warp. The printed form needs N to be a multiple of the block and has
 * its barrier in a divergent loop (broken/stencil_1d.cu).
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps + 2 * blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 5 * warps + 2 * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + 2 * blocks when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

#define RADIUS 4

__constant__ float coef[RADIUS + 1];

extern "C" __global__ void stencil_1d(float *in, float *out, unsigned int N)
{
    // shared memory
    __shared__ float smem[BDIMX + 2 * RADIUS];

    // the grid walks over the data, block by block; all threads of a block make the same number of rounds
    for (unsigned int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x)
    {
        // index to global memory; to shared memory for stencil calculation
        unsigned int idx = start + threadIdx.x;
        unsigned int sidx = threadIdx.x + RADIUS;

        // read data from global memory into shared memory; in[N + RADIUS - 1] is the last cell there is
        if (idx < N + RADIUS) smem[sidx] = in[idx];

        // read halo part to shared memory
        if (threadIdx.x < RADIUS)
        {
            smem[sidx - RADIUS] = in[(int)idx - RADIUS];
            if (idx + BDIMX < N + RADIUS) smem[sidx + BDIMX] = in[idx + BDIMX];
        }

        // synchronize (ensure all the data is available)
        __syncthreads();

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

#pragma unroll
            for (int i = 1; i <= RADIUS; i++)
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
