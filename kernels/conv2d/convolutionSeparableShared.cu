/* convolutionSeparableShared - both passes in one kernel.
 *
 * Change: the rows' results stay in shared memory, for as many rows as the column pass needs: by + k - 1 of them. The
 * image is read once, with halo, and written once: the detour through global memory is gone, for a second tile.
 * Limit: the row pass is done (by + k - 1) / by times over; larger tiles would lower that.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0 && k >= 3 && k <= 15
// LET: tile_rows = grid_y * (by + k - 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tile_rows * grid_x when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == tile_rows * (7 * grid_x - 2) when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 3 * tile_rows * grid_x when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == k * (tile_rows * grid_x + warps) when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when lines
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float rowWeights[MAX_SIZE];
__constant__ float columnWeights[MAX_SIZE];

extern "C" __global__ void convolutionSeparableShared(const float *input, float *output, int width, int height,
                                                      int kSize)
{
    // (blockDim.x + kSize - 1) x (blockDim.y + kSize - 1) pixels, row by row; then blockDim.x x (the same) row results
    extern __shared__ float sharedInput[];

    int x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * blockDim.y, y = y0 + threadIdx.y;
    int half = kSize / 2;
    int tileWidth = blockDim.x + kSize - 1;
    int tileHeight = blockDim.y + kSize - 1;
    float *rowResults = sharedInput + tileWidth * tileHeight;

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

    // rows: every row of the tile, halo rows too
    for (int ty = threadIdx.y; ty < tileHeight; ty += blockDim.y)
    {
        float sum = 0.0f;

        for (int kx = 0; kx < kSize; ++kx)
        {
            sum += sharedInput[ty * tileWidth + threadIdx.x + kx] * rowWeights[kx];
        }

        rowResults[ty * blockDim.x + threadIdx.x] = sum;
    }

    __syncthreads();

    // columns
    if (x < width && y < height)
    {
        float sum = 0.0f;

        for (int ky = 0; ky < kSize; ++ky)
        {
            sum += rowResults[(threadIdx.y + ky) * blockDim.x + threadIdx.x] * columnWeights[ky];
        }

        output[y * width + x] = sum;
    }
}
