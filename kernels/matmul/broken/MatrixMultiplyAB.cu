/* MatrixMultiplyAB - a warp's barrier where the block's is needed.
 *
 * __syncwarp() was enough while a warp used only its own row of A. A row of B's tile is written by another warp, which
 * may not have run yet.
 */
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps
// CAUGHT: wrong size 64x64 k 32

#include "../../lockstep_device.cuh"

#define w 32

extern "C" __global__ void MatrixMultiplyAB(float *c, const float *a, const float *b, unsigned int nrows,
                                            unsigned int ncols, unsigned int /* inner: w */)
{
    __shared__ float sa[w][w];
    __shared__ float sb[w][w];

    // coordinate in C; inner is w
    unsigned int row = blockIdx.y * w + threadIdx.y;
    unsigned int col = blockIdx.x * w + threadIdx.x;

    // the block's tiles of A and B; zeros behind the last row or column
    sa[threadIdx.y][threadIdx.x] = row < nrows ? a[row * w + threadIdx.x] : 0.0f;
    sb[threadIdx.y][threadIdx.x] = col < ncols ? b[threadIdx.y * ncols + col] : 0.0f;
    __syncwarp();

    if (row < nrows && col < ncols)
    {
        float sum = 0.0f;
        for (unsigned int i = 0; i < w; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        c[row * ncols + col] = sum;
    }
}
