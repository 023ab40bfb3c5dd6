/* convolutionMirror - another border.
 *
 * Change: behind the border the image is mirrored, edge pixel included (-1 is 0, -2 is 1), as textures do in mirror
 * mode. An image smaller than the halo is met several times over: hence the remainder. Only the loading loop knows: the
 * mirrored pixels lie in the edge's own sector (half a filter is less than 8 pixels), so no counter changes.
 * Limit: k x k loads a pixel from shared memory.
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

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float weights[MAX_SIZE * MAX_SIZE];

// where pixel i, inside or outside, is to be found among 0 to n - 1
static __device__ __forceinline__ int mirror(int i, int n)
{
    i = (i < 0 ? -1 - i : i) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

extern "C" __global__ void convolutionMirror(const float *input, float *output, int width, int height, int kSize)
{
    // (blockDim.x + kSize - 1) x (blockDim.y + kSize - 1) pixels, row by row
    extern __shared__ float sharedInput[];

    int x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x;
    int y0 = blockIdx.y * blockDim.y, y = y0 + threadIdx.y;
    int half = kSize / 2;
    int tileWidth = blockDim.x + kSize - 1;
    int tileHeight = blockDim.y + kSize - 1;

    // load data into shared memory with halo; behind the border the image runs backwards
    for (int ty = threadIdx.y; ty < tileHeight; ty += blockDim.y)
    {
        for (int tx = threadIdx.x; tx < tileWidth; tx += blockDim.x)
        {
            int ix = mirror(x0 + tx - half, width);
            int iy = mirror(y0 + ty - half, height);
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
