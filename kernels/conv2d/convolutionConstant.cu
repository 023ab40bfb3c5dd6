/* convolutionConstant - the weights in constant memory.
 *
 * Change: `__constant__`: all lanes ask for the same weight at the same time, which the constant cache hands to all of
 * them at once. Half of the global loads are gone; the pixels' are as before.
 * Limit: k x k loads a pixel, each pixel loaded k x k times; and 4 comparisons a product for the border.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0 && k <= 15
// LET: pixels = rows * k * (4 * k * grid_x + (k - 1) * (grid_x - 1))
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == k * k * warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == pixels when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float weights[MAX_SIZE * MAX_SIZE];

extern "C" __global__ void convolutionConstant(const float *input, float *output, int width, int height, int kSize)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        int half = kSize / 2;

        for (int ky = -half; ky <= half; ++ky)
        {
            for (int kx = -half; kx <= half; ++kx)
            {
                // behind the border lies the border's pixel again
                int ix = min(max(x + kx, 0), width - 1);
                int iy = min(max(y + ky, 0), height - 1);
                sum += input[iy * width + ix] * weights[(ky + half) * kSize + (kx + half)];
            }
        }

        output[y * width + x] = sum;
    }
}
