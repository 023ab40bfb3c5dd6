/* quicksort - a part is split by a pivot, and each side is a child's.
 *
 * Change: the shape of the recursion depends on the data, which the host does not know: what launches from kernels are
 * for. One thread splits (Hoare's way: from both ends towards the middle), the two sides are two launches. Parts of 32
 * elements or fewer, and what is left 16 levels deep, are sorted by selection: without that limit a bad order of the
 * data meets the limit of the device, 24. How many accesses there are is up to the data; each is one thread's, so one
 * sector.
 * Limit: one thread works at a time in each part, and the first parts are the largest.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= n - 1
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 1 when n > 1
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 1 when n > 1
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

enum { SMALL = 32, DEEPEST = 16 };

static __device__ void selectionSort(int *data, int left, int right)
{
    for (int i = left; i < right; i++)
    {
        int least = data[i], at = i;
        for (int k = i + 1; k <= right; k++)
        {
            int key = data[k];
            if (key < least)
            {
                least = key;
                at = k;
            }
        }
        data[at] = data[i];
        data[i] = least;
    }
}

// sorts data[left] to data[right]
extern "C" __global__ void quicksort(int *data, int left, int right, int depth)
{
    if (depth >= DEEPEST || right - left < SMALL)
    {
        selectionSort(data, left, right);
        return;
    }

    int pivot = data[left + (right - left) / 2], low = left - 1, high = right + 1;
    for (;;)
    {
        int a, b;
        do a = data[++low];
        while (a < pivot);
        do b = data[--high];
        while (b > pivot);
        if (low >= high) break;
        data[low] = b;
        data[high] = a;
    }

    int error = LS_LAUNCH(quicksort, 1, 1, 0, LS_STREAM_NULL, data, left, high, depth + 1);
    error |= LS_LAUNCH(quicksort, 1, 1, 0, LS_STREAM_NULL, data, high + 1, right, depth + 1);
    if (error) asm volatile("trap;");
}
