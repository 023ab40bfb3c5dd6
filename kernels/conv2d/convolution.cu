/* convolution - everything from global memory.
 *
 * The tutorial's first form: each thread reads the k x k pixels round its own, indices clamped to the image, and k x k
 * weights. A warp of 32 pixels in a row reads 128 bytes at each offset dx: 4 sectors, 5 when dx is no multiple of 8;
 * at the image's left and right edge the clamp folds the fifth back. A weight is one sector for all lanes.
 * Limit: 2 loads a product, of which half fetch what never changes.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0 && k <= 15
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * k * warps when lines
// LET: pixels = rows * k * (4 * k * grid_x + (k - 1) * (grid_x - 1))
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == pixels + k * k * warps when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void convolution(const float *input, float *output, const float *kernel, int width, int height,
                                       int kSize)
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
                sum += input[iy * width + ix] * kernel[(ky + half) * kSize + (kx + half)];
            }
        }

        output[y * width + x] = sum;
    }
}
