/* fftStockham - a transform a block, in shared memory.
 *
 * Change: the numbers stay in shared memory for all passes: one load, one store, one launch. Stockham's order writes
 * each pass to a second array, moved so that the result comes out sorted: no bit reversal. A pass reads numbers i and
 * i + n / 2 and writes two that lie m apart; one barrier a pass.
 * A half-warp of float2 is 32 words. Loads are contiguous, 2 wavefronts; stores with m < 16 leave gaps of m: both
 * halves of a span of 64 words fall onto the same banks, 4 wavefronts instead of 2 in the first 4 passes.
 * Limit: shared memory: log2(n) passes of 4 accesses for 2 numbers.
 */
// LET: whole = n >= 64 && n <= 4096 && bx % 32 == 0
// LET: groups = n / 64 * batch
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == groups * (2 + log2(n)) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == groups * (16 + 25 + log2(n)) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == groups * 2 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == groups * 16 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == groups * (4 * log2(n) + 4) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == groups * (4 * log2(n) + 16 + 4) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == groups * 16 when whole
// EXPECT: lockstep__barriers.sum == warps * (log2(n) + 1)

#include "../lockstep_complex.cuh"

extern "C" __global__ void fftStockham(const float2 *in, float2 *out, const float2 *table, unsigned int N)
{
    // two arrays of N
    extern __shared__ float2 shared[];
    float2 *from = shared, *to = shared + N;

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

        // all of this pass is written before the next one reads it, and read before that writes over it
        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }

    for (unsigned int i = threadIdx.x; i < N; i += blockDim.x) out[i] = complex_load(&from[i]);
}
