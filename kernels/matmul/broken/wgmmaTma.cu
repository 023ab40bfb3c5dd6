/* wgmmaTma, broken: nobody waits for the copies. What is multiplied is what shared memory held before.
 */
// CAUGHT: any size 128x128 k 128

#include "../../lockstep_hopper.cuh"

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
        // FAULT: ls_barrier_wait(&full, parity) is missing

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
