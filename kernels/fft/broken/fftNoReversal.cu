/* fftNoReversal - right butterflies on numbers in their natural order.
 *
 * The passes are those of fftButterfly, but nobody has put the numbers into bit-reversed order before. The sum, X[0],
 * is right, and so is every transform of two numbers.
 */
// EXPECT: lockstep__launches.sum == log2(n)
// CAUGHT: wrong n 64 batch 2 block 32x1

#include "../../lockstep_complex.cuh"

extern "C" __global__ void fftNoReversal(float2 *data, const float2 *table, unsigned int N, unsigned int step,
                                         unsigned int pairs)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < pairs)
    {
        // groups of 2 * step numbers; this thread has number `pos` of a group, and the one `step` further on
        unsigned int pos = idx & (step - 1);
        unsigned int self = 2 * (idx - pos) + pos;
        unsigned int pair = self ^ step;

        float2 twiddle = complex_load(&table[pos * (N / (2 * step))]);
        float2 temp = complex_load(&data[self]);
        float2 tempPair = complex_mul(twiddle, complex_load(&data[pair]));

        data[self] = complex_add(temp, tempPair);
        data[pair] = complex_sub(temp, tempPair);
    }
}
