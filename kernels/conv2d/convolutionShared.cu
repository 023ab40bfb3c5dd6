/* convolutionShared - a tile with its halo in shared memory.
 *
 * Change: the block reads its pixels and half a filter more on every side once, all threads together: the tile is a
 * rectangle, corners and all, and a loop over it needs no case for sides. Blocks of 32 x by: a row of the tile is two
 * loads, 32 pixels that start half a filter before a line (5 sectors) and the rest (2 sectors), one less at each end of
 * the image. The border is paid for while loading, not k x k times. The printed form (broken/) forgets three quarters
 * of the halo.
 * Limit: k x k loads a pixel, now from shared memory.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0 && k >= 3 && k <= 15
// LET: tile_rows = grid_y * (by + k - 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tile_rows * grid_x when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == tile_rows * (7 * grid_x - 2) when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * tile_rows * grid_x when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == k * k * warps when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when lines
// EXPECT: lockstep__barriers.sum == warps
// AGAINST: convolutionConstant

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float weights[MAX_SIZE * MAX_SIZE];

extern "C" __global__ void convolutionShared(const float *input, float *output, int width, int height, int kSize)
{
    // (blockDim.x + kSize - 1) x (blockDim.y + kSize - 1) pixels, row by row
    extern __shared__ float sharedInput[];

    int x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * blockDim.y, y = y0 + threadIdx.y;
    int half = kSize / 2;
    int tileWidth = blockDim.x + kSize - 1;
    int tileHeight = blockDim.y + kSize - 1;

    // load data into shared memory with halo; behind the border lies the border's pixel again
    for (int ty = threadIdx.y; ty < tileHeight; ty += blockDim.y)
    {
        for (int tx = threadIdx.x; tx < tileWidth; tx += blockDim.x)
        {
            int ix = min(max(x0 + tx - half, 0), width - 1);
            int iy = min(max(y0 + ty - half, 0), height - 1);
            sharedInput[ty * tileWidth + tx] = input[iy * width + ix];
        }
    }

    // the whole tile is there; outside of any branch, so that all threads arrive
    __syncthreads();

    if (x < width && y < height)
    {
        float sum = 0.0f;

        for (int ky = 0; ky < kSize; ++ky)
        {
            for (int kx = 0; kx < kSize; ++kx)
            {
                sum += sharedInput[(threadIdx.y + ky) * tileWidth + threadIdx.x + kx] * weights[ky * kSize + kx];
            }
        }

        output[y * width + x] = sum;
    }
}
