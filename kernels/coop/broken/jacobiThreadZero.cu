/* jacobiThreadZero - a barrier of the grid for which only thread 0 of each block waits.
 *
 * The counter is right: it counts blocks. But thread 0 counts its block before the block's other warps have stored
 * what they must, and they go on while it waits. A __syncthreads() is missing on both sides (ls_grid_sync() has them).
 */
// CAUGHT: wrong n 1000 block 128x1 k 4

#include "../../lockstep_grid.cuh"

// waits until all blocks have come `times` times
static __device__ __forceinline__ void gridBarrier(unsigned int *count, unsigned int times)
{
    if (threadIdx.x != 0) return;
    __threadfence();
    atomicAdd(count, 1u);
    while (*(volatile unsigned int *)count < times * gridDim.x) {}
    __threadfence();
}

static __device__ __forceinline__ void step(unsigned int *out, const unsigned int *in, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        unsigned int left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
        out[i] = left + 2 * in[i] + right;
    }
}

extern "C" __global__ void jacobi(unsigned int *out, unsigned int *in, unsigned int *count, unsigned int n,
                                  unsigned int steps)
{
    for (unsigned int s = 0; s < steps; s++)
    {
        if (s > 0) gridBarrier(count, s);
        step(out, in, n);

        unsigned int *swap = in;
        in = out;
        out = swap;
    }
}
