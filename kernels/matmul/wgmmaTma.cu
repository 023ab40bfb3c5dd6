/* wgmmaTma - Hopper's way: a tile is one instruction of one thread, and four warps multiply out of shared memory.
 *
 * Change: thread 0 asks TMA for boxes of A and B, which come swizzled (as mmaSwizzle's tiles are) with zeros outside, and an
 * mbarrier says when all bytes are there. wgmma reads both operands where they are: no loads, no registers for them, a 64 x 128 x 16
 * product an instruction.
 * Limit: nothing overlaps: the copies wait for the products and the products for the copies.
 */
// LET: whole = rows % 128 == 0 && cols % 128 == 0 && k % 64 == 0
// LET: tiles = ceil_div(k, 64)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * 64 * warps when whole
// EXPECT: lockstep__barriers.sum == (1 + tiles) * warps

#include "../lockstep_hopper.cuh"

#define BM 128 // rows of C a block
#define BN 128 // columns of C a block
#define BK 64  // steps a tile

struct tiles
{
    ls_box_row a[BM];     // rows of 64 steps
    ls_box_row b[2][BK];  // steps of 64 columns, twice
};

extern "C" __global__ void wgmmaTma(float *c, const void *a, const void *b, unsigned int nrows, unsigned int ncols, unsigned int inner)
{
    __shared__ __align__(1024) tiles t;
    __shared__ ls_barrier full;

    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, parity = 0;
    ls_group_sums sum[2] = {};
    if (threadIdx.x == 0)
    {
        ls_barrier_init(&full, 1);
        ls_barrier_init_fence();
    }
    __syncthreads();

    for (unsigned int k0 = 0; k0 < inner; k0 += BK, parity ^= 1)
    {
        if (threadIdx.x == 0)
        {
            ls_barrier_expect(&full, sizeof t);
            ls_copy_box(t.a, a, k0, row0, &full);
            ls_copy_box(t.b[0], b, col0, k0, &full);
            ls_copy_box(t.b[1], b, col0 + 64, k0, &full);
        }
        ls_barrier_wait(&full, parity);

        const unsigned long long x = ls_matrix(t.a, 0), y = ls_matrix(t.b, sizeof t.b[0]);
        ls_wgmma_begin();
#pragma unroll
        for (unsigned int k = 0; k < BK; k += 16)
        {
            ls_wgmma(sum[0], ls_further(x, k * 2), ls_further(y, k * sizeof(ls_box_row)));
            ls_wgmma(sum[1], ls_further(x, 64 * sizeof(ls_box_row) + k * 2), ls_further(y, k * sizeof(ls_box_row)));
        }
        ls_wgmma_wait();
        __syncthreads();
    }

    ls_store_sums(c, sum[0], threadIdx.x, row0, col0, nrows, ncols);
    ls_store_sums(c, sum[1], threadIdx.x, row0 + 64, col0, nrows, ncols);
}
