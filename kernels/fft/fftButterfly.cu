/* fftButterfly - radix 2, a launch a pass, in global memory.
 *
 * Change: log2(n) passes of n / 2 butterflies instead of n * n products, after one pass that puts the numbers into
 * bit-reversed order. One thread has both ends of a butterfly, so nobody overwrites what another still needs; a launch
 * ends before the next begins, so passes do not meet. (The printed form is broken/fftButterfly.cu.)
 * Sectors: the ends of 32 butterflies are 8 sectors each, but in the first two passes, where pairs interleave, 16. The
 * twiddles are 1, 2, 4, 8, 16, 32, 32, ... 32, 16, 8 sectors: they spread until they are denser than sectors. Reversing
 * reads 32 sectors for 32 numbers.
 * Limit: all data go to memory and back log2(n) + 1 times.
 */
// LET: whole = n >= 256 && n / 2 * batch % bx == 0 && bx % 32 == 0
// EXPECT: lockstep__launches.sum == log2(n) + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == (3 * log2(n) + 2) * warps when whole
// LET: twiddles = 31 + 32 * (log2(n) - 7) + 24
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (64 + 16 * log2(n) + 32 + twiddles) * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == (2 * log2(n) + 2) * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == (16 + 16 * log2(n) + 32) * warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_complex.cuh"

extern "C" __global__ void bitReverse(const float2 *in, float2 *data, unsigned int log2N, unsigned int total)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < total)
    {
        // the low log2N bits, backwards
        unsigned int from = __brev(idx << (32 - log2N));
        data[idx] = complex_load(&in[(idx >> log2N << log2N) + from]);
    }
}

extern "C" __global__ void fftButterfly(float2 *data, const float2 *table, unsigned int N, unsigned int step,
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
