/* nestedHelloWorld - the tutorial's recursion: a kernel launches itself with half the threads.
 *
 * Change: the host launches level 0 only. Each level's thread 0 launches the next one; iSize == 1 ends it. The stores
 * of the levels are the same, and a launch writes its arguments, one store each, to the buffer of the child's
 * parameters: four for each of log2(n) launches. A launch may be refused (too deep, too many that wait, a bad shape):
 * it says so, and a kernel that does not ask never knows. This one stops. What to compile it for and with in the
 * tutorial (sm_35, a call of cudaDeviceSynchronize in kernels elsewhere) is gone: -rdc=true, -lcudadevrt, and nothing
 * waits inside a kernel.
 * Limit: a launch from the device is not cheaper than one from the host. Use it where the host cannot know the shape.
 */
// LET: power = n >= 32 && log2(n) % 1 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 16 + 4 + 4 * log2(n) when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 4 + 2 + 4 * log2(n) when power
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

extern "C" __global__ void nestedHelloWorld(int *out, int start, int iSize, int iDepth)
{
    int tid = threadIdx.x;
    out[start + tid] = iDepth << 16 | tid;

    // condition to stop recursive execution
    if (iSize == 1) return;

    // reduce block size to half; thread 0 launches a child grid recursively
    int nthreads = iSize >> 1;
    if (tid == 0 && nthreads > 0)
    {
        int error = LS_LAUNCH(nestedHelloWorld, 1, nthreads, 0, LS_STREAM_NULL, out, start + iSize, nthreads,
                              iDepth + 1);
        if (error) asm volatile("trap;");
    }
}
