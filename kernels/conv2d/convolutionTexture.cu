/* convolutionTexture - the pixels through a texture.
 *
 * Change: against the constant weights: the input is a texture whose address mode clamps, so neither comparisons nor an
 * index are left. The requests go to the texture unit instead of the load unit, as many as before.
 * Limit: k x k requests a pixel; nothing is kept for the neighbours, as a tile in shared memory does.
 */
// AGAINST: convolutionConstant
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 8 * k * k * warps when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0

#include "../lockstep_texture.cuh"

#define MAX_SIZE 15

__constant__ float weights[MAX_SIZE * MAX_SIZE];

extern "C" __global__ void convolutionTexture(texture_object input, float *output, int width, int height, int kSize)
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
                // a texel's middle is at a half; behind the border the unit clamps
                sum += sample(input, x + kx + 0.5f, y + ky + 0.5f) * weights[(ky + half) * kSize + (kx + half)];
            }
        }

        output[y * width + x] = sum;
    }
}
