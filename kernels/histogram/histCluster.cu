/* histCluster - four blocks add up their bins before they go to the L2 cache.
 *
 * Change: a cluster of four blocks. When all have counted, each takes a quarter of the bins, reads it from the shared memory of all
 * four (mapa, ld.shared::cluster) and adds it to the result: 2 requests to the L2 cache a block instead of 8, and a quarter of the additions
 * that meet there.
 * Limit: as histShared while counting; clusters begin and end together, so the slowest of four blocks counts.
 */
// AGAINST: histShared
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 32 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * blocks
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 2 * blocks
// EXPECT: lockstep__barriers.sum == 3 * warps

#include "../lockstep_cluster.cuh"

#define EACH 16

extern "C" __global__ void histCluster(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) atomicAdd(&own[data[idx]], 1u);
    }

    // all blocks of the cluster have counted; each adds up its share of the bins over all of them
    ls_cluster_sync();

    unsigned int rank = ls_cluster_rank(), size = ls_cluster_size(), share = 256 / size;
    for (unsigned int bin = rank * share + threadIdx.x; bin < (rank + 1) * share; bin += blockDim.x)
    {
        unsigned int sum = 0;
        for (unsigned int r = 0; r < size; r++) sum += ls_cluster_load(&own[bin], r);
        atomicAdd(&bins[bin], sum);
    }

    // nobody ends while others read its bins
    ls_cluster_sync();
}
