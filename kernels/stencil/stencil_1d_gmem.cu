/* stencil_1d_gmem - everything straight from global memory.
 *
 * The naive rung: each thread reads its eight neighbours and four coefficients from global memory. Cell 0 lies RADIUS
 * floats, 16 bytes, behind an aligned address, so the 32 floats at offset i start 16 + 4 i bytes into a sector: 4
 * sectors for i = -4 and 4, 5 for the six others; a coefficient is one sector for all lanes. 8 * 5 - 2 + 4 = 42 a
 * warp.
 * Limit: 12 loads a result, of which the caches must serve 11.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 42 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define RADIUS 4

extern "C" __global__ void stencil_1d_gmem(float *in, float *out, unsigned int N, const float *dcoef)
{
    // the grid walks over the data, block by block
    for (unsigned int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x)
    {
        // index to global memory
        unsigned int idx = start + threadIdx.x;

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

#pragma unroll
            for (int i = 1; i <= RADIUS; i++)
            {
                tmp += dcoef[i] * (in[idx + i] - in[(int)idx - i]);
            }

            // store the result
            out[idx] = tmp;
        }
    }
}
