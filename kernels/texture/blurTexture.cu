/* blurTexture - the texture unit clamps.
 *
 * Change: the address mode "clamp" in the place of min and max, and of the index. As many requests as before, to the
 * texture unit now; what was saved is arithmetic.
 * Limit: texture requests, k x k a warp.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 8 * k * k * warps when even
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even

#include "../lockstep_texture.cuh"

extern "C" __global__ void blurTexture(float *output, texture_object image, int width, int height, int k, float weight)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        for (int dy = -(k / 2); dy <= k / 2; ++dy)
        {
            for (int dx = -(k / 2); dx <= k / 2; ++dx)
            {
                sum += sample(image, x + dx + 0.5f, y + dy + 0.5f);
            }
        }
        output[y * width + x] = weight * sum;
    }
}
