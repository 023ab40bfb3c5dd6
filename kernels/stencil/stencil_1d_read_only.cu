/* stencil_1d_read_only - coefficients through the read-only path.
 *
 * Change: `const __restrict__` and __ldg(): the loads become ld.global.nc. They are the same requests and sectors;
 * the read-only path is for data that differ from lane to lane.
 * Limit: still four loads of the coefficients a warp.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 5 * warps + 2 * blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 9 * warps + 2 * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + 2 * blocks when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

#define RADIUS 4

extern "C" __global__ void stencil_1d_read_only(float *in, float *out, unsigned int N, const float *__restrict__ dcoef)
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
                tmp += __ldg(&dcoef[i]) * (smem[sidx + i] - smem[sidx - i]);
            }

            // store the result
            out[idx] = tmp;
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();
    }
}
