/* sine - a sine without a library: reduction and polynomial.
 *
 * k is the multiple of pi/2 nearest to x, r = x - k pi/2 in two steps (the high part of pi/2, then what it lacks),
 * and r's sine or cosine by Taylor's series to r^9 and r^10. About twenty fused multiply-adds; the error is derived
 * in reference.c: 2.5 * 2^-24. sinf of a library is made like this, with a slow path for large x.
 * Limit: still DRAM, on a machine with 10 operations a byte and more.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

static __device__ __forceinline__ float sin_near_zero(float r)
{
    float z = r * r;
    float p = __fmaf_rn(z, 2.7557319e-6f, -1.9841270e-4f);
    p = __fmaf_rn(z, p, 8.3333333e-3f);
    p = __fmaf_rn(z, p, -1.6666667e-1f);
    return __fmaf_rn(z * r, p, r);
}

static __device__ __forceinline__ float cos_near_zero(float r)
{
    float z = r * r;
    float p = __fmaf_rn(z, -2.7557319e-7f, 2.4801587e-5f);
    p = __fmaf_rn(z, p, -1.3888889e-3f);
    p = __fmaf_rn(z, p, 4.1666667e-2f);
    p = __fmaf_rn(z, p, -0.5f);
    return __fmaf_rn(z, p, 1.0f);
}

extern "C" __global__ void sine(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        // adding 1.5 * 2^23 rounds to an integer, which the low bits then hold
        float shifted = __fmaf_rn(x[i], 0.63661977f, 12582912.0f);
        float k = __fadd_rn(shifted, -12582912.0f);
        int quadrant = __float_as_int(shifted);
        float r = __fmaf_rn(k, -1.57079637e+0f, x[i]);
        r = __fmaf_rn(k, 4.37113883e-8f, r);

        // both, then the one of this quadrant: neighbours differ, and the two are short
        float s = sin_near_zero(r), c = cos_near_zero(r);
        float value = quadrant & 1 ? c : s;
        y[i] = quadrant & 2 ? -value : value;
    }
}
