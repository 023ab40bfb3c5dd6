/* fftRadix8 - butterflies of eight.
 *
 * Change: three passes' work in registers: two transforms of four and a round of twiddles of eighths, of which only the
 * odd ones cost products. n = 4096 takes 4 passes instead of 12. When log2(n) is no multiple of 3, a last pass of two
 * or four makes up for it. The stores' gaps are 16 words in the first pass: a half-warp meets two banks' pairs, 16
 * wavefronts a store.
 * Limit: that first pass stores as slowly as all the others together load; fftRadix8Pad moves its numbers apart.
 */
// LET: whole = n >= 512 && log2(n) % 3 == 0 && n <= 4096 && bx % 32 == 0
// LET: groups = n / 256 * batch
// LET: passes = log2(n) / 3
// LET: stores = groups * (16 * passes + 128 + 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == groups * (8 + 7 * passes) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == groups * (64 + 190 + 7 * passes) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == groups * 8 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == groups * 64 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == groups * (16 * passes + 16) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == stores when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == groups * 128 when whole
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

// the transform of eight numbers, in place
static __device__ __forceinline__ void eight(float2 x[8], float sign)
{
    const float half = 0.70710678f; // the root of 1/2
    float2 even[4] = {x[0], x[2], x[4], x[6]};
    float2 odd[4] = {x[1], x[3], x[5], x[7]};
    four(even, sign);
    four(odd, sign);
    odd[1] = complex_mul(odd[1], make_float2(half, sign * half));
    odd[2] = complex_turn(odd[2], sign);
    odd[3] = complex_mul(odd[3], make_float2(-half, sign * half));
#pragma unroll
    for (unsigned int q = 0; q < 4; q++)
    {
        x[q] = complex_add(even[q], odd[q]);
        x[q + 4] = complex_sub(even[q], odd[q]);
    }
}

extern "C" __global__ void fftRadix8(const float2 *in, float2 *out, const float2 *table, unsigned int N, float sign)
{
    // two arrays of N
    extern __shared__ float2 shared[];
    float2 *from = shared, *to = shared + N;

    in += blockIdx.x * N;
    out += blockIdx.x * N;

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) from[i] = complex_load(&in[i]);
    __syncthreads();

    unsigned int m = 1;
    for (; 8 * m <= N; m *= 8)
    {
        for (unsigned int i = threadIdx.x; i < N / 8; i += blockDim.x)
        {
            unsigned int k = i & (m - 1), p = i - k;
            float2 x[8];
#pragma unroll
            for (unsigned int q = 0; q < 8; q++) x[q] = complex_load(&from[i + q * (N / 8)]);
            eight(x, sign);
            float2 *y = to + k + 8 * p;
            y[0] = x[0];
#pragma unroll
            for (unsigned int q = 1; q < 8; q++) y[q * m] = complex_mul(complex_load(&table[q * p]), x[q]);
        }

        // all of this pass is written before the next one reads it, and read before that writes over it
        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }

    // a last pass of four or two has no twiddles
    if (4 * m == N)
    {
        for (unsigned int i = threadIdx.x; i < m; i += blockDim.x)
        {
            float2 x[4];
#pragma unroll
            for (unsigned int q = 0; q < 4; q++) x[q] = complex_load(&from[i + q * m]);
            four(x, sign);
#pragma unroll
            for (unsigned int q = 0; q < 4; q++) out[i + q * m] = x[q];
        }
        return;
    }
    if (2 * m == N)
    {
        for (unsigned int i = threadIdx.x; i < m; i += blockDim.x)
        {
            float2 a = complex_load(&from[i]), b = complex_load(&from[i + m]);
            out[i] = complex_add(a, b);
            out[i + m] = complex_sub(a, b);
        }
        return;
    }

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) out[i] = complex_load(&from[i]);
}
