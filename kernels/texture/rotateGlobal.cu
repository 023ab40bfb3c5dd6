/* rotateGlobal - an image turned about its middle, the nearest pixel, from global memory.
 *
 * Each thread makes one pixel of the result and reads the pixel from which it comes; outside of the image there is 0.
 * A warp writes 32 pixels of a row, and reads along a line that is turned by the angle: 4 sectors where the angle is
 * 0, one for every lane at 90 degrees. In between each lane begins a new sector when it leaves a row or a group of 8
 * columns: with sine and cosine s and c, at most 31 s + 1 and 31 c / 8 + 1 times after the first.
 * Limit: L1 takes sectors of many lines for one request, and how many the angle says.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum <= warps
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when even && k == 360
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when even && k == 360
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * warps when even && k == 90 && rows == cols
// LET: most = 3 + 31 * 0.5 + 31 * 0.8661 / 8
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= most * warps when even && k == 30
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void rotateGlobal(float *output, const float *image, int width, int height, float cosine,
                                        float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        // where the pixel comes from; fused by name, so that every compiler finds the same place
        float middleX = 0.5f * (width - 1), middleY = 0.5f * (height - 1);
        float dx = x - middleX, dy = y - middleY;
        float fromX = __fmaf_rn(cosine, dx, __fmaf_rn(sine, dy, middleX));
        float fromY = __fmaf_rn(cosine, dy, __fmaf_rn(-sine, dx, middleY));

        int ix = __float2int_rd(__fadd_rn(fromX, 0.5f));
        int iy = __float2int_rd(__fadd_rn(fromY, 0.5f));
        bool inside = ix >= 0 && ix < width && iy >= 0 && iy < height;
        output[y * width + x] = inside ? image[iy * width + ix] : 0.0f;
    }
}
