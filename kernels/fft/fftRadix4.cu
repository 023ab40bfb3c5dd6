/* fftRadix4 - butterflies of four.
 *
 * Change: a thread takes four numbers a quarter of the data apart and does two passes' work on them in registers: the
 * inner factors are 1, -1, i and -i, no product at all. Half as many passes, barriers and trips through shared memory,
 * and 3 twiddles for 4 numbers and two passes where it was 4. What is left over when log2(n) is odd is a pass of radix
 * 2. The gaps between stores are four times as wide: 8 wavefronts each in the first two passes.
 * Limit: those conflicts: two of six passes take four times their time.
 */
// LET: whole = n >= 256 && log2(n) % 2 == 0 && n <= 4096 && bx % 32 == 0
// LET: groups = n / 128 * batch
// LET: passes = log2(n) / 2
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == groups * (4 + 3 * passes) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == groups * (32 + 69 + 3 * passes) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == groups * 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == groups * 32 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == groups * (8 * passes + 8) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == groups * (8 * passes + 48 + 8) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == groups * 48 when whole
// EXPECT: lockstep__barriers.sum == warps * (passes + 1) when whole

#include "../lockstep_complex.cuh"

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

extern "C" __global__ void fftRadix4(const float2 *in, float2 *out, const float2 *table, unsigned int N, float sign)
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
            for (unsigned int q = 1; q < 4; q++) y[q * m] = complex_mul(complex_load(&table[q * p]), x[q]);
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
