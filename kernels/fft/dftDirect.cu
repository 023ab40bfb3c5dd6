/* dftDirect - the definition.
 *
 * A thread computes one coefficient, X[k] = sum over j of x[j] W^(j k): n products each, n * n in all. The powers of W
 * come from a table in steps of k. All lanes read the same x[j], one sector; their powers lie k * j apart, anywhere
 * from 1 to 32 sectors.
 * Limit: n * n of everything; for n = 256 that is 32 times n log2(n).
 */
// LET: whole = n >= 32 && n * batch % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * n * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= 2 * n * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= 33 * n * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_complex.cuh"

extern "C" __global__ void dftDirect(const float2 *in, float2 *out, const float2 *table, unsigned int N,
                                     unsigned int total)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < total)
    {
        unsigned int k = idx & (N - 1);
        const float2 *x = in + (idx - k);
        float2 sum = make_float2(0.0f, 0.0f);
        unsigned int power = 0;

        for (unsigned int j = 0; j < N; j++)
        {
            sum = complex_add(sum, complex_mul(complex_load(&x[j]), complex_load(&table[power])));
            power = (power + k) & (N - 1);
        }

        out[idx] = sum;
    }
}
