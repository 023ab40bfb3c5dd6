/* convolutionSeparable - two passes of one dimension.
 *
 * Change: this filter is a column times a row, so its k x k products are k along the row and then k down the column:
 * 2 k instead of k x k. Two launches: the first leaves the rows' results in global memory. The first's loads are those
 * of one line of the filter; the second's are whole lines at any offset, 4 sectors.
 * Limit: the intermediate image: written once and read k times.
 * The counters are those of both launches together.
 */
// LET: lines = bx == 32 && cols % 32 == 0 && rows % by == 0 && k <= 15
// LET: row_pass = rows * (4 * k * grid_x + (k - 1) * (grid_x - 1))
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == row_pass + 4 * k * warps when lines
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when lines
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when lines
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: lockstep__launches.sum == 2

#include "../lockstep_device.cuh"

#define MAX_SIZE 15

__constant__ float rowWeights[MAX_SIZE];
__constant__ float columnWeights[MAX_SIZE];

extern "C" __global__ void convolutionRows(const float *input, float *output, int width, int height, int kSize)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        int half = kSize / 2;

        for (int kx = -half; kx <= half; ++kx)
        {
            int ix = min(max(x + kx, 0), width - 1);
            sum += input[y * width + ix] * rowWeights[kx + half];
        }

        output[y * width + x] = sum;
    }
}

extern "C" __global__ void convolutionColumns(const float *input, float *output, int width, int height, int kSize)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        int half = kSize / 2;

        for (int ky = -half; ky <= half; ++ky)
        {
            int iy = min(max(y + ky, 0), height - 1);
            sum += input[iy * width + x] * columnWeights[ky + half];
        }

        output[y * width + x] = sum;
    }
}
