/* fftRadix4HalfTable - a table of n / 2 twiddles, as radix 2 needs.
 *
 * The third twiddle of four goes up to W^(3 n / 4). Wrapped round to half the table it loses its sign, for W^(n / 2) is
 * -1: a third of the third products, where 3 p is n / 2 or more, come out negated.
 */
// EXPECT: lockstep__barriers.sum == warps * (log2(n) / 2 + 1) when log2(n) % 2 == 0
// CAUGHT: wrong n 256 batch 2 block 64x1

#include "../../lockstep_complex.cuh"

// the transform of four numbers, in place
static __device__ __forceinline__ void four(float2 x[4], float sign)
{
    float2 a = complex_add(x[0], x[2]), b = complex_sub(x[0], x[2]);
    float2 c = complex_add(x[1], x[3]), d = complex_turn(complex_sub(x[1], x[3]), sign);
    x[0] = complex_add(a, c);
    x[1] = complex_add(b, d);
    x[2] = complex_sub(a, c);
    x[3] = complex_sub(b, d);
}

extern "C" __global__ void fftRadix4HalfTable(const float2 *in, float2 *out, const float2 *table, unsigned int N,
                                              float sign)
{
    // two arrays of N
    extern __shared__ float2 shared[];
    float2 *from = shared, *to = shared + N;

    in += blockIdx.x * N;
    out += blockIdx.x * N;

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) from[i] = complex_load(&in[i]);
    __syncthreads();

    unsigned int m = 1;
    for (; 4 * m <= N; m *= 4)
    {
        for (unsigned int i = threadIdx.x; i < N / 4; i += blockDim.x)
        {
            unsigned int k = i & (m - 1), p = i - k;
            float2 x[4];
#pragma unroll
            for (unsigned int q = 0; q < 4; q++) x[q] = complex_load(&from[i + q * (N / 4)]);
            four(x, sign);
            float2 *y = to + k + 4 * p;
            y[0] = x[0];
#pragma unroll
            for (unsigned int q = 1; q < 4; q++)
            {
                y[q * m] = complex_mul(complex_load(&table[(q * p) & (N / 2 - 1)]), x[q]);
            }
        }

        // all of this pass is written before the next one reads it, and read before that writes over it
        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }

    // the last pass, of two, has no twiddles: it adds and subtracts halves while it stores
    if (m < N)
    {
        for (unsigned int i = threadIdx.x; i < N / 2; i += blockDim.x)
        {
            float2 a = complex_load(&from[i]), b = complex_load(&from[i + N / 2]);
            out[i] = complex_add(a, b);
            out[i + N / 2] = complex_sub(a, b);
        }
        return;
    }

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) out[i] = complex_load(&from[i]);
}
