/* fftShuffle - a transform a warp, without shared memory.
 *
 * Change: for n up to 256 a warp holds the whole transform: lane l has numbers l, l + 32, l + 64, ... in registers.
 * Passes over spans of 32 and more combine registers; passes over 16 to 1 exchange with another lane, by
 * __shfl_xor_sync. No barrier, no shared memory; below 32 numbers a warp does several transforms. The first pass has
 * the widest span, so the result comes out in bit-reversed order, and the store puts it right: up to 32 sectors for 32
 * numbers.
 * Limit: those stores; and two shuffles a number and pass, which cost what shared memory does.
 */
// AGAINST: fftStockham
// LET: whole = n >= 32 && n * batch % (bx * (n / 32)) == 0
// LET: numbers = n / 32
// LET: data = 8 * numbers
// LET: spread = 4 * numbers * log2(numbers) + min(4 * numbers, 16) + min(4 * numbers, 8) + 7
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == (2 * numbers - 1 + 5) * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (data + spread) * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == numbers * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == numbers * min(8 * numbers, 32) * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_complex.cuh"

// NUMBERS a lane; the warp's are those from `base` on
template <unsigned int NUMBERS>
static __device__ __forceinline__ void transform(const float2 *in, float2 *out, const float2 *table, unsigned int N,
                                                 unsigned int log2N, unsigned int total)
{
    unsigned int lane = threadIdx.x % 32;
    unsigned int base = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * (32 * NUMBERS);
    float2 x[NUMBERS];

    // behind the end: nothing, but the lane stays for the shuffles
#pragma unroll
    for (unsigned int r = 0; r < NUMBERS; r++)
    {
        unsigned int i = base + 32 * r + lane;
        x[r] = i < total ? complex_load(&in[i]) : make_float2(0.0f, 0.0f);
    }

    // spans of 32 * h: between registers
#pragma unroll
    for (unsigned int h = NUMBERS / 2; h > 0; h /= 2)
    {
#pragma unroll
        for (unsigned int p = 0; p < h; p++)
        {
            float2 twiddle = complex_load(&table[(32 * p + lane) * (NUMBERS / (2 * h))]);
#pragma unroll
            for (unsigned int r = p; r < NUMBERS; r += 2 * h)
            {
                float2 a = x[r], b = x[r + h];
                x[r] = complex_add(a, b);
                x[r + h] = complex_mul(twiddle, complex_sub(a, b));
            }
        }
    }

    // spans of h: between lanes
    for (unsigned int h = min(N, 32u) / 2; h > 0; h /= 2)
    {
        float2 twiddle = complex_load(&table[(lane & (h - 1)) * (N / (2 * h))]);
#pragma unroll
        for (unsigned int r = 0; r < NUMBERS; r++)
        {
            float2 other = make_float2(__shfl_xor_sync(0xffffffff, x[r].x, h), __shfl_xor_sync(0xffffffff, x[r].y, h));
            x[r] = lane & h ? complex_mul(twiddle, complex_sub(other, x[r])) : complex_add(x[r], other);
        }
    }

    // number i of a transform is coefficient (i backwards)
#pragma unroll
    for (unsigned int r = 0; r < NUMBERS; r++)
    {
        unsigned int i = base + 32 * r + lane;
        unsigned int to = (i >> log2N << log2N) + __brev(i << (32 - log2N));
        if (i < total) out[to] = x[r];
    }
}

extern "C" __global__ void fftShuffle(const float2 *in, float2 *out, const float2 *table, unsigned int N,
                                      unsigned int log2N, unsigned int total)
{
    switch (N)
    {
    case 64:
        transform<2>(in, out, table, N, log2N, total);
        break;
    case 128:
        transform<4>(in, out, table, N, log2N, total);
        break;
    case 256:
        transform<8>(in, out, table, N, log2N, total);
        break;
    default:
        transform<1>(in, out, table, N, log2N, total);
    }
}
