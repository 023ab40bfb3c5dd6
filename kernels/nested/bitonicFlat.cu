/* bitonicFlat - n integers sorted by one block, in shared memory.
 *
 * The partner of quicksort: a bitonic network over the next power of two, its rest filled with the largest integer.
 * With n = 2^L: L (L + 1) / 2 steps, each with a barrier, and one after the fill. Every element is loaded and stored
 * once.
 * Limit: all steps wait for the whole block; n log2(n)^2 comparisons; n is what shared memory holds.
 */
// AGAINST: treeSum
// LET: power = n >= 32 && log2(n) % 1 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 32 when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 8 when power
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 8 when power
// EXPECT: lockstep__barriers.sum == warps * (1 + log2(n) * (log2(n) + 1) / 2) when power

#include "../lockstep_grid.cuh"

extern "C" __global__ void bitonicSort(int *data, unsigned int n, unsigned int size)
{
    extern __shared__ int keys[];
    for (unsigned int i = threadIdx.x; i < size; i += blockDim.x) keys[i] = i < n ? data[i] : 0x7fffffff;
    __syncthreads();

    // runs of `run` keys, every second one downwards, become runs of twice as many
    for (unsigned int run = 2; run <= size; run *= 2)
        for (unsigned int distance = run / 2; distance > 0; distance /= 2)
        {
            for (unsigned int pair = threadIdx.x; pair < size / 2; pair += blockDim.x)
            {
                unsigned int low = pair / distance * distance * 2 + pair % distance, high = low + distance;
                int a = keys[low], b = keys[high];
                if ((a > b) == ((low & run) == 0))
                {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            __syncthreads();
        }

    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) data[i] = keys[i];
}
