/* rotateLinearGlobal - four neighbours, weighted, from global memory.
 *
 * Change: instead of the nearest pixel the four round the place, weighted by how near they are. Four loads, each with
 * its own test; at angle 0 the second pixel of a pair lies one column further, so its 128 bytes touch a fifth sector
 * except at the image's right edge, and the last row has no row below.
 * Limit: four times the requests, for a dozen arithmetic instructions.
 */
// AGAINST: rotateGlobal
// LET: even = bx == 32 && cols % 32 == 0 && rows % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum <= 4 * warps
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps - 2 * grid_x when even && k == 360
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (9 * grid_x - 1) * (2 * rows - 1) when even && k == 360
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when even
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when even
// EXPECT: l1tex__t_requests_pipe_tex_mem_texture.sum == 0

#include "../lockstep_device.cuh"

static __device__ __forceinline__ float pixel(const float *image, int x, int y, int width, int height)
{
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? image[y * width + x] : 0.0f;
}

extern "C" __global__ void rotateLinearGlobal(float *output, const float *image, int width, int height, float cosine,
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

        int ix = __float2int_rd(fromX), iy = __float2int_rd(fromY);
        float right = fromX - ix, below = fromY - iy; // 0 to 1
        float upper = (1.0f - right) * pixel(image, ix, iy, width, height) +
                      right * pixel(image, ix + 1, iy, width, height);
        float lower = (1.0f - right) * pixel(image, ix, iy + 1, width, height) +
                      right * pixel(image, ix + 1, iy + 1, width, height);
        output[y * width + x] = (1.0f - below) * upper + below * lower;
    }
}
