/* blurBorder - a border of zeros instead.
 *
 * Change: none in the kernel; the host says "border" for the address mode, and what lies outside counts as 0, so that
 * the mean grows darker towards the edge. With global loads this would be a test and a branch, or a padded copy.
 * Limit: texture requests, k x k a warp: those outside are requests too.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 8 * k * k * warps when even
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even

#include "../lockstep_texture.cuh"

extern "C" __global__ void blurBorder(float *output, texture_object image, int width, int height, int k, float weight)
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
