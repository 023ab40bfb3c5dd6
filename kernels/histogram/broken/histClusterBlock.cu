/* histClusterBlock: the block's barrier where the cluster's is needed. A block adds up bins in which others still count.
 */
// CAUGHT: wrong n 65536 block 128x1

#include "../../lockstep_cluster.cuh"

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

    // FAULT: the own block has counted, the others perhaps not
    __syncthreads();

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
