/* stencil_1d - as printed: whole blocks only.
 *
 * Threads behind the end leave the loop before they have loaded their cell, but the last cells' right neighbours are
 * just those: smem there holds what was in it before. The loop ends at different rounds for different threads, with a
 * barrier inside, and no second barrier keeps the next round's loads from this round's reads.
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
// CAUGHT: any n 1000 block 32x1

#include "../../lockstep_device.cuh"

#define RADIUS 4

__constant__ float coef[RADIUS + 1];

extern "C" __global__ void stencil_1d(float *in, float *out, int N)
{
    // shared memory
    __shared__ float smem[BDIMX + 2 * RADIUS];

    // index to global memory
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    while (idx < N)
    {
        // index to shared memory for stencil calculation
        int sidx = threadIdx.x + RADIUS;

        // read data from global memory into shared memory
        smem[sidx] = in[idx];

        // read halo part to shared memory
        if (threadIdx.x < RADIUS)
        {
            smem[sidx - RADIUS] = in[idx - RADIUS];
            smem[sidx + BDIMX] = in[idx + BDIMX];
        }

        // synchronize (ensure all the data is available)
        __syncthreads();

        // apply the stencil
        float tmp = 0.0f;

#pragma unroll
        for (int i = 1; i <= RADIUS; i++)
        {
            tmp += coef[i] * (smem[sidx + i] - smem[sidx - i]);
        }

        // store the result
        out[idx] = tmp;

        idx += gridDim.x * blockDim.x;
    }
}
