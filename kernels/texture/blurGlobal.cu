/* blurGlobal - the mean of the k x k pixels round each, from global memory.
 *
 * Behind the border lies the border's pixel again: indices are clamped, four operations a pixel. A warp reads 128
 * bytes at each of k x k places: 4 sectors, 5 where the offset in x is no multiple of 8 (for k up to 15: everywhere
 * but in the middle), except that at the image's left and right edge the clamp folds the fifth back.
 * Limit: requests; every pixel is read k x k times, from L1.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == k * k * warps when even
// LET: sectors = rows * k * (4 * grid_x + (k - 1) * (5 * grid_x - 1))
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == sectors when even && k <= 15
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void blurGlobal(float *output, const float *image, int width, int height, int k, float weight)
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
                int ix = min(max(x + dx, 0), width - 1);
                int iy = min(max(y + dy, 0), height - 1);
                sum += image[iy * width + ix];
            }
        }
        output[y * width + x] = weight * sum;
    }
}
