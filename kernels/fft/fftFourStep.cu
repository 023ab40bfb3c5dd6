/* fftFourStep - transforms that no block can hold, in two launches.
 *
 * Change: n = N1 * N2 numbers are a matrix of N1 rows. Transform its columns, multiply number (k, j) by W^(k j),
 * transform the rows, and read the result down the columns: Bailey's four steps. A block takes C columns (then
 * rows) at once, 8 if they fit, so that what lies together is a whole number of sectors both ways: four times 64 bytes
 * of a row, then eight times 32 bytes of a row. The middle factors lie in the order of use. In shared memory C
 * transforms side by side are a Stockham transform that begins with m = C.
 * All data go to memory and back twice, whatever n is; fftButterfly does so log2(n) + 1 times.
 * Limit: beyond n = 2^18 fewer than 8 columns fit, beyond 2^20 fewer than 4: sectors are used in part again.
 */
// AGAINST: fftButterfly
// LET: whole = n >= 64 && n <= 262144 && bx % 32 == 0
// LET: quarters = n / 64 * batch
// EXPECT: lockstep__launches.sum == 2
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == quarters * (6 + log2(n)) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == quarters * (48 + 8 + log2(n)) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == quarters * 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == quarters * 32 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == quarters * (4 * log2(n) + 8) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == quarters * (4 * log2(n) + 8 + 8) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == quarters * 8 when whole

#include "../lockstep_complex.cuh"

// C transforms of N numbers each, number i of transform c at from[i * C + c]; W of the table is the `stride`-th root of
// theirs. Returns where the results are.
static __device__ __forceinline__ float2 *transforms(float2 *from, float2 *to, const float2 *table, unsigned int N,
                                                     unsigned int C, unsigned int stride)
{
    __syncthreads();
    for (unsigned int m = C; m < N * C; m *= 2)
    {
        for (unsigned int i = threadIdx.x; i < N * C / 2; i += blockDim.x)
        {
            unsigned int k = i & (m - 1), p = i - k;
            float2 a = complex_load(&from[i]);
            float2 b = complex_load(&from[i + N * C / 2]);
            float2 *x = to + k + 2 * p;
            x[0] = complex_add(a, b);
            x[m] = complex_mul(complex_load(&table[p / C * stride]), complex_sub(a, b));
        }

        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// columns, and the factors between: middle[k * N2 + j] is W^(k j)
extern "C" __global__ void fftFourStep(const float2 *in, float2 *between, const float2 *table, const float2 *middle,
                                       unsigned int N1, unsigned int N2, unsigned int C)
{
    // two arrays of N1 * C
    extern __shared__ float2 shared[];
    unsigned int groups = N2 / C;
    unsigned int first = blockIdx.x / groups * (N1 * N2);
    unsigned int column = blockIdx.x % groups * C;

    for (unsigned int i = threadIdx.x; i < N1 * C; i += blockDim.x)
    {
        shared[i] = complex_load(&in[first + i / C * N2 + column + i % C]);
    }

    const float2 *x = transforms(shared, shared + N1 * C, table, N1, C, N2);

    for (unsigned int i = threadIdx.x; i < N1 * C; i += blockDim.x)
    {
        unsigned int at = i / C * N2 + column + i % C;
        between[first + at] = complex_mul(complex_load(&middle[at]), complex_load(&x[i]));
    }
}

// rows: coefficient k2 of row k1 is the whole's coefficient k1 + N1 * k2
extern "C" __global__ void fftFourStepRows(const float2 *between, float2 *out, const float2 *table, unsigned int N1,
                                           unsigned int N2, unsigned int C)
{
    // two arrays of N2 * C
    extern __shared__ float2 shared[];
    unsigned int groups = N1 / C;
    unsigned int first = blockIdx.x / groups * (N1 * N2);
    unsigned int row = blockIdx.x % groups * C;

    for (unsigned int i = threadIdx.x; i < N2 * C; i += blockDim.x)
    {
        shared[i] = complex_load(&between[first + (row + i % C) * N2 + i / C]);
    }

    const float2 *x = transforms(shared, shared + N2 * C, table, N2, C, N1);

    for (unsigned int i = threadIdx.x; i < N2 * C; i += blockDim.x)
    {
        out[first + i / C * N1 + row + i % C] = complex_load(&x[i]);
    }
}
