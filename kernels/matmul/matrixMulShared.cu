/* matrixMulShared - tiles of 16 x 16 along the inner length.
 *
 * Change: against MatrixMultiplyAB, any number of tiles: the block walks along k, loads a tile of A and one of B, and
 * a second barrier keeps the fast warps from overwriting what the slow ones still read. Each element is loaded once
 * for 16 results: 8 sectors a tile of 16 steps instead of matrixMul's 5 a step.
 * Limit: no boundary test and N / 16 tiles: whole sizes only (broken/matrixMulShared.cu). Two shared words a
 * multiply-add.
 */
// AGAINST: matrixMul
// LET: tiles = k / 16
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * tiles * warps
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (2 + 16) * 4 * k * warps
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

#include "../lockstep_device.cuh"

#define TILE 16

extern "C" __global__ void matrixMulShared(float *c, const float *a, const float *b, unsigned int /* nrows */,
                                           unsigned int ncols, unsigned int inner)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];

    // coordinate in C
    unsigned int row = blockIdx.y * TILE + threadIdx.y;
    unsigned int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (unsigned int t = 0; t < inner / TILE; t++)
    {
        // each thread loads one element of each tile
        sa[threadIdx.y][threadIdx.x] = a[row * inner + t * TILE + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * ncols + col];
        __syncthreads();

        for (unsigned int i = 0; i < TILE; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * ncols + col] = sum;
}
