/* rotateTexture - the same through a texture.
 *
 * Change: one fetch in the place of the index, the four comparisons and the load. The address mode "border" gives the
 * 0 outside of the image, the filter mode "point" the texel in which the coordinate lies; a texel's middle is at a
 * half, hence the + 0.5. An array's texels are not stored row by row: a line at any angle meets about as many sectors
 * as one along a row, and no load of global memory is left.
 * Limit: the texture unit, a request a warp; how many texels it gives a clock is not in the counters.
 */
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 8 * warps when even
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even

#include "../lockstep_texture.cuh"

extern "C" __global__ void rotateTexture(float *output, texture_object image, int width, int height, float cosine,
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
