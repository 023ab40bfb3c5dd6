/* convolutionPadded - the caller has put a border round the image.
 *
 * Change: the input has half a filter more on every side (and rows of a multiple of 8 floats), so no index needs a
 * test. The first pixel of a window lies at x itself: the offsets are 0 to k - 1, and those that are multiples of 8
 * cost 4 sectors, the others 5, at the edges too.
 * Limit: as before, k x k loads a pixel; and somebody must make the border, another pass over the image.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == k * k * warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == k * (5 * k - ceil_div(k, 8)) * warps when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float weights[MAX_SIZE * MAX_SIZE];

extern "C" __global__ void convolutionPadded(const float *input, float *output, int width, int height, int kSize,
                                             int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;

        for (int ky = 0; ky < kSize; ++ky)
        {
            for (int kx = 0; kx < kSize; ++kx)
            {
                sum += input[(y + ky) * pitch + (x + kx)] * weights[ky * kSize + kx];
            }
        }

        output[y * width + x] = sum;
    }
}
