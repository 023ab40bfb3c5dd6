/* nestedHelloWorldEndless - no condition to stop: a child has at least one thread, and launches another.
 *
 * Grids nest 24 deep below the host's. The launch behind that is refused with cudaErrorLaunchMaxDepthExceeded (65),
 * here found out because the kernel looks at what its launch returns. One that does not look ends quietly, 24 levels
 * deep.
 */
// CAUGHT: fault n 64

#include "../../lockstep_grid.cuh"

extern "C" __global__ void nestedHelloWorld(int *out, int start, int iSize, int iDepth)
{
    int tid = threadIdx.x;
    out[start + tid] = iDepth << 16 | tid;

    // reduce block size to half, but never to none; thread 0 launches a child grid recursively
    int nthreads = iSize > 1 ? iSize >> 1 : 1, next = iSize > 1 ? start + iSize : start;
    if (tid == 0)
    {
        int error = LS_LAUNCH(nestedHelloWorld, 1, nthreads, 0, LS_STREAM_NULL, out, next, nthreads, iDepth + 1);
        if (error) asm volatile("trap;");
    }
}
