/* convolutionRegister - four pixels a thread.
 *
 * Change: a thread computes four pixels, one above the other. Windows of neighbours overlap: for one column of the
 * filter the four need k + 3 pixels of one column, not 4 k, and those slide through four registers. So k (k + 3) shared
 * loads make four pixels, and the halo above and below is shared by four times as many rows.
 * Limit: the filter's k x k products themselves, and for each column's first pixel the latency of its loads.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % (4 * by) == 0 && k >= 3 && k <= 15
// LET: tile_rows = grid_y * (4 * by + k - 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tile_rows * grid_x when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == tile_rows * (7 * grid_x - 2) when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * tile_rows * grid_x when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == k * (k + 3) * warps when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when lines
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when lines
// EXPECT: lockstep__barriers.sum == warps
// AGAINST: convolutionShared

#include "../lockstep_device.cuh"

#define MAX_SIZE 15
#define PIXELS 4

__constant__ float weights[MAX_SIZE * MAX_SIZE];

extern "C" __global__ void convolutionRegister(const float *input, float *output, int width, int height, int kSize)
{
    // (blockDim.x + kSize - 1) x (PIXELS * blockDim.y + kSize - 1) pixels, row by row
    extern __shared__ float sharedInput[];

    int x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * blockDim.y * PIXELS, y = y0 + threadIdx.y * PIXELS;
    int half = kSize / 2;
    int tileWidth = blockDim.x + kSize - 1;
    int tileHeight = blockDim.y * PIXELS + kSize - 1;

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
        float sum[PIXELS] = {0.0f, 0.0f, 0.0f, 0.0f};

        for (int kx = 0; kx < kSize; ++kx)
        {
            const float *column = sharedInput + threadIdx.y * PIXELS * tileWidth + threadIdx.x + kx;
            float window[PIXELS];

#pragma unroll
            for (int i = 1; i < PIXELS; i++) window[i] = column[(i - 1) * tileWidth];

            for (int ky = 0; ky < kSize; ++ky)
            {
                // the window slides down by one
#pragma unroll
                for (int i = 1; i < PIXELS; i++) window[i - 1] = window[i];
                window[PIXELS - 1] = column[(ky + PIXELS - 1) * tileWidth];

#pragma unroll
                for (int i = 0; i < PIXELS; i++) sum[i] += window[i] * weights[ky * kSize + kx];
            }
        }

#pragma unroll
        for (int i = 0; i < PIXELS; i++)
        {
            if (y + i < height) output[(y + i) * width + x] = sum[i];
        }
    }
}
