/* splitKernels - the second kernel starts at the edge of a block.
 *
 * firstB is rounded down to whole blocks "for alignment": elements of kind A before firstB are overwritten, and
 * the last ones of kind B are not reached.
 */
// CAUGHT: wrong n 1000 block 128x1

#include "../../lockstep_device.cuh"

// eight rounds of a linear congruence with a shift between: about thirty instructions, too many to predicate
static __device__ __forceinline__ unsigned int work(unsigned int r, unsigned int m, unsigned int c)
{
#pragma unroll
    for (int round = 0; round < 8; round++)
    {
        r = r * m + c;
        r ^= r >> 15;
    }
    // keeps the end of one side apart from the end of the other: compilers would share what is alike
    asm volatile("" : "+r"(r));
    return r;
}

#define SIDE_A(x) work(x, 1664525u, 1013904223u)
#define SIDE_B(x) work(x, 22695477u, 1u)

extern "C" __global__ void sideA(const unsigned int *a, unsigned int *out, int firstB)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < firstB)
    {
        out[i] = SIDE_A(a[i]);
    }
}

extern "C" __global__ void sideB(const unsigned int *b, unsigned int *out, int firstB, int n)
{
    int i = (firstB / blockDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
    {
        out[i] = SIDE_B(b[i]);
    }
}
