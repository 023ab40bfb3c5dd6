/* jacobiBlockSync - a barrier of the block where one of the grid is needed.
 *
 * __syncthreads() knows nothing of other blocks: a block goes on with the next step while its neighbours have not
 * begun the first. In a grid of one block it is right.
 */
// CAUGHT: wrong n 1000 block 128x1 k 4

#include "../../lockstep_grid.cuh"

static __device__ __forceinline__ void step(unsigned int *out, const unsigned int *in, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        unsigned int left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
        out[i] = left + 2 * in[i] + right;
    }
}

extern "C" __global__ void jacobi(unsigned int *out, unsigned int *in, unsigned int n, unsigned int steps)
{
    for (unsigned int s = 0; s < steps; s++)
    {
        if (s > 0) __syncthreads();
        step(out, in, n);

        unsigned int *swap = in;
        in = out;
        out = swap;
    }
}
