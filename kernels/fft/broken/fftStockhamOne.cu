/* fftStockhamOne - Stockham's order in one array.
 *
 * To save half of the shared memory, each pass writes where it reads. But Stockham moves its numbers, and a thread's
 * results land on numbers that another thread, or itself a round later, has yet to read; the barrier after the pass is
 * too late. With more numbers than twice the threads it needs no race to be wrong. (It could be done: all of a pass
 * into registers, a barrier, and back.)
 */
// EXPECT: lockstep__barriers.sum == warps * (log2(n) + 1)
// CAUGHT: wrong n 1024 batch 2 block 128x1

#include "../../lockstep_complex.cuh"

extern "C" __global__ void fftStockhamOne(const float2 *in, float2 *out, const float2 *table, unsigned int N)
{
    // one array of N
    extern __shared__ float2 shared[];
    float2 *from = shared, *to = shared;

    in += blockIdx.x * N;
    out += blockIdx.x * N;

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) from[i] = complex_load(&in[i]);
    __syncthreads();

    for (unsigned int m = 1; m < N; m *= 2)
    {
        for (unsigned int i = threadIdx.x; i < N / 2; i += blockDim.x)
        {
            unsigned int k = i & (m - 1), p = i - k;
            float2 a = complex_load(&from[i]);
            float2 b = complex_load(&from[i + N / 2]);
            float2 *x = to + k + 2 * p;
            x[0] = complex_add(a, b);
            x[m] = complex_mul(complex_load(&table[p]), complex_sub(a, b));
        }

        // all of this pass is written before the next one reads it
        __syncthreads();
    }

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) out[i] = complex_load(&from[i]);
}
