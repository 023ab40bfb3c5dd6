/* wgmmaCluster - two blocks share what both need: each loads half of B's tile, for both.
 *
 * Change: a cluster of two blocks, one above the other, has the same columns of B. Each producer asks for one half of B's tile and TMA
 * delivers it to both blocks (multicast): a block's own loads go from 32 to 24 KiB a tile. A stage may be overwritten when the readers of
 * both blocks are through, so they let go at both blocks' `empty`. A block may not end while the other still writes to its
 * shared memory or its barriers: the last cluster barrier.
 * Limit: the tensor cores, where tiles come in time; C is stored while nothing is multiplied.
 */
// LET: whole = rows % 256 == 0 && cols % 128 == 0 && k % 64 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 32 * 8 * blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * 32 * 8 * blocks when whole
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_hopper.cuh"

#define BM 128 // rows of C a block
#define BN 128 // columns of C a block
#define BK 64  // steps a tile
#define STAGES 4
#define GROUP 128 // threads
#define CONSUMERS 2
#define BLOCKS 2 // of a cluster

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

extern "C" __global__ void wgmmaCluster(float *c, const void *a, const void *b, unsigned int nrows, unsigned int ncols, unsigned int inner)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    ring &r = *(ring *)bytes;

    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, group = threadIdx.x / GROUP, stage = 0, parity = 0;
    const unsigned int rank = ls_cluster_rank();
    if (threadIdx.x == 0)
    {
        for (unsigned int s = 0; s < STAGES; s++)
        {
            ls_barrier_init(&r.full[s], 1);
            ls_barrier_init(&r.empty[s], BLOCKS * CONSUMERS * GROUP / 32);
        }
        ls_barrier_init_fence();
    }
    ls_cluster_sync();

    if (group == CONSUMERS)
    {
        for (unsigned int k0 = 0; k0 < inner && threadIdx.x % 32 == 0; k0 += BK)
        {
            tiles &t = r.t[stage];
            ls_barrier_wait(&r.empty[stage], parity ^ 1); // at first all are empty
            ls_barrier_expect(&r.full[stage], sizeof t);
            ls_copy_box(t.a, a, k0, row0, &r.full[stage]);
            ls_copy_box_to(t.b[rank], b, col0 + rank * 64, k0, &r.full[stage], (1 << BLOCKS) - 1);
            stage = (stage + 1) % STAGES;
            parity ^= stage == 0;
        }
        __syncwarp();
        ls_cluster_sync();
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
        if (threadIdx.x % 32 < BLOCKS)
        {
            ls_barrier_arrive_at(&r.empty[stage], threadIdx.x % 32);
        }
        stage = (stage + 1) % STAGES;
        parity ^= stage == 0;
    }
    ls_cluster_sync();
    ls_store_sums(c, sum, threadIdx.x % GROUP, row0 + group * 64, col0, nrows, ncols);
}
