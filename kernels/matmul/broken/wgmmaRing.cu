/* wgmmaRing, broken: the producer does not wait until a tile's readers are through. From the fifth tile on it overwrites what is
 * still to be multiplied.
 */
// CAUGHT: any size 128x128 k 1024

#include "../../lockstep_hopper.cuh"

#define BM 128 // rows of C a block
#define BN 128 // columns of C a block
#define BK 64  // steps a tile
#define STAGES 4
#define GROUP 128 // threads
#define CONSUMERS 2

struct tiles
{
    ls_box_row a[BM];
    ls_box_row b[2][BK];
};

struct ring
{
    tiles t[STAGES];
    ls_barrier full[STAGES], empty[STAGES];
};

extern "C" __global__ void wgmmaRing(float *c, const void *a, const void *b, unsigned int nrows, unsigned int ncols, unsigned int inner)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    ring &r = *(ring *)bytes;

    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, group = threadIdx.x / GROUP, stage = 0, parity = 0;
    if (threadIdx.x == 0)
    {
        for (unsigned int s = 0; s < STAGES; s++)
        {
            ls_barrier_init(&r.full[s], 1);
            ls_barrier_init(&r.empty[s], CONSUMERS * GROUP / 32);
        }
        ls_barrier_init_fence();
    }
    __syncthreads();

    if (group == CONSUMERS)
    {
        for (unsigned int k0 = 0; k0 < inner && threadIdx.x % 32 == 0; k0 += BK)
        {
            tiles &t = r.t[stage];
            // FAULT: ls_barrier_wait(&r.empty[stage], parity ^ 1) is missing
            ls_barrier_expect(&r.full[stage], sizeof t);
            ls_copy_box(t.a, a, k0, row0, &r.full[stage]);
            ls_copy_box(t.b[0], b, col0, k0, &r.full[stage]);
            ls_copy_box(t.b[1], b, col0 + 64, k0, &r.full[stage]);
            stage = (stage + 1) % STAGES;
            parity ^= stage == 0;
        }
        return;
    }

    ls_group_sums sum = {};
    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        tiles &t = r.t[stage];
        ls_barrier_wait(&r.full[stage], parity);
        const unsigned long long x = ls_matrix(t.a[group * 64], 0), y = ls_matrix(t.b, sizeof t.b[0]);
        ls_wgmma_begin();
#pragma unroll
        for (unsigned int k = 0; k < BK; k += 16)
        {
            ls_wgmma(sum, ls_further(x, k * 2), ls_further(y, k * sizeof(ls_box_row)));
        }
        ls_wgmma_wait();
        if (threadIdx.x % 32 == 0)
        {
            ls_barrier_arrive(&r.empty[stage]);
        }
        stage = (stage + 1) % STAGES;
        parity ^= stage == 0;
    }
    ls_store_sums(c, sum, threadIdx.x % GROUP, row0 + group * 64, col0, nrows, ncols);
}
