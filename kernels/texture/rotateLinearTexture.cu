/* rotateLinearTexture - the texture unit weights the four.
 *
 * Change: the filter mode is "linear"; the kernel is the same as with "point". One fetch in the place of four loads,
 * sixteen comparisons and the weighting. The price is precision: the unit's weights have 8 bits of fraction, so a
 * result may be off by 2^-8 of the neighbours' difference a direction, where the kernel before was off by 2^-22.
 * Limit: the texture unit, still one request a warp.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 8 * warps when even
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even

#include "../lockstep_texture.cuh"

extern "C" __global__ void rotateLinearTexture(float *output, texture_object image, int width, int height, float cosine,
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

        output[y * width + x] = sample(image, __fadd_rn(fromX, 0.5f), __fadd_rn(fromY, 0.5f));
    }
}
