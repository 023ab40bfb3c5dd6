/* treeSumAsks - the parent reads its children's results after it has launched them.
 *
 * As one may read the tutorial's recursive kernels, without the cudaDeviceSynchronize() that they had and that is
 * gone. A launch returns at once; the children may begin when the parent has ended. No fence and no `volatile` makes
 * them run.
 */
// CAUGHT: wrong n 2000

#include "../../lockstep_grid.cuh"

enum { LEAF = 256 };

// nodes are numbered from 1 on; the children of k are 2 k and 2 k + 1; a warp
extern "C" __global__ void treeSum(int *sums, const int *in, unsigned int from, unsigned int n, unsigned int node)
{
    if (n <= LEAF)
    {
        int sum = 0;
        for (unsigned int i = threadIdx.x; i < n; i += warpSize) sum += in[from + i];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0) sums[node] = sum;
    }
    else if (threadIdx.x == 0)
    {
        unsigned int half = n / 2;
        int error = LS_LAUNCH(treeSum, 1, 32, 0, LS_STREAM_NULL, sums, in, from, half, 2 * node);
        error |= LS_LAUNCH(treeSum, 1, 32, 0, LS_STREAM_NULL, sums, in, from + half, n - half, 2 * node + 1);
        if (error) asm volatile("trap;");
        __threadfence();
        sums[node] = ((volatile int *)sums)[2 * node] + ((volatile int *)sums)[2 * node + 1];
    }
}
