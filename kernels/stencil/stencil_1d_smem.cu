/* stencil_1d_smem - neighbours from a tile in shared memory.
 *
 * Change: a block reads its cells once, and RADIUS more at either end, into shared memory. A warp's cells are 5
 * sectors (they start 16 bytes into one), each halo 1; with one warp a block that is 3 loads and 7 sectors for 32
 * results. The first warp alone loads halos.
 * Limit: the coefficients, four loads a result of what never changes.
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

extern "C" __global__ void stencil_1d_smem(float *in, float *out, unsigned int N, const float *dcoef)
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
                tmp += dcoef[i] * (smem[sidx + i] - smem[sidx - i]);
            }

            // store the result
            out[idx] = tmp;
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();
    }
}
