/* curand_kernel.h - random numbers in device code: the generators XORWOW and Philox4x32-10, and uniform, normal and
 * log-normal numbers of them.
 *
 * The names and meanings are those of the cuRAND manual, "Device API"; the whole numbers are the same as cuRAND's, and
 * so are uniform ones; normal ones are the same but for the last places of logarithm and sine. Not provided: MRG32k3a,
 * MTGP32, Sobol sequences, and Poisson numbers. */
#ifndef LOCKSTEP_CURAND_KERNEL_H
#define LOCKSTEP_CURAND_KERNEL_H
#define CURAND_KERNEL_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_runtime.h>

#include "lockstep/curand_philox.h"
#include "lockstep/curand_xorwow.h"

#define LS_D static __device__ __forceinline__

namespace ls_curand {

/* In (0, 1]: the middle of what a number of 32 bits, or 53, stands for. */
LS_D float uniform(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
LS_D double uniform(unsigned x, unsigned y)
{
    const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
    return (double)z * 0x1p-53 + 0x1p-54;
}

/* Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958: two uniform numbers make two normal ones.
 */
LS_D float2 box_muller(unsigned x, unsigned y)
{
    const float turn = 6.2831855f, u = uniform(x), v = (float)y * (0x1p-32f * turn) + 0x1p-33f * turn;
    const float radius = sqrtf(-2.0f * logf(u));
    return make_float2(radius * __sinf(v), radius * __cosf(v));
}
LS_D double2 box_muller(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    const unsigned long long y = (unsigned long long)y0 ^ (unsigned long long)y1 << 21;
    const double u = uniform(x0, x1), v = (double)y * 0x1p-52 + 0x1p-53;
    const double radius = sqrt(-2.0 * log(u));
    return make_double2(radius * sinpi(v), radius * cospi(v));
}

} // namespace ls_curand

#define LS_DISTRIBUTIONS(State)                                                                                        \
    LS_D float curand_uniform(State *state) { return ls_curand::uniform(curand(state)); }                              \
    LS_D float2 curand_normal2(State *state)                                                                           \
    {                                                                                                                  \
        const unsigned x = curand(state), y = curand(state);                                                           \
        return ls_curand::box_muller(x, y);                                                                            \
    }                                                                                                                  \
    LS_D double2 curand_normal2_double(State *state)                                                                   \
    {                                                                                                                  \
        const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);                 \
        return ls_curand::box_muller(x0, x1, y0, y1);                                                                  \
    }                                                                                                                  \
    /* One now, the other kept for the next call. */                                                                   \
    LS_D float curand_normal(State *state)                                                                             \
    {                                                                                                                  \
        if (state->boxmuller_flag) {                                                                                   \
            state->boxmuller_flag = 0;                                                                                 \
            return state->boxmuller_extra;                                                                             \
        }                                                                                                              \
        const float2 two = curand_normal2(state);                                                                      \
        state->boxmuller_flag = 1;                                                                                     \
        state->boxmuller_extra = two.y;                                                                                \
        return two.x;                                                                                                  \
    }                                                                                                                  \
    LS_D double curand_normal_double(State *state)                                                                     \
    {                                                                                                                  \
        if (state->boxmuller_flag_double) {                                                                            \
            state->boxmuller_flag_double = 0;                                                                          \
            return state->boxmuller_extra_double;                                                                      \
        }                                                                                                              \
        const double2 two = curand_normal2_double(state);                                                              \
        state->boxmuller_flag_double = 1;                                                                              \
        state->boxmuller_extra_double = two.y;                                                                         \
        return two.x;                                                                                                  \
    }                                                                                                                  \
    LS_D float curand_log_normal(State *state, float mean, float stddev)                                               \
    {                                                                                                                  \
        return expf(mean + stddev * curand_normal(state));                                                             \
    }                                                                                                                  \
    LS_D double curand_log_normal_double(State *state, double mean, double stddev)                                     \
    {                                                                                                                  \
        return exp(mean + stddev * curand_normal_double(state));                                                       \
    }                                                                                                                  \
    LS_D float2 curand_log_normal2(State *state, float mean, float stddev)                                             \
    {                                                                                                                  \
        const float2 two = curand_normal2(state);                                                                      \
        return make_float2(expf(mean + stddev * two.x), expf(mean + stddev * two.y));                                  \
    }
LS_DISTRIBUTIONS(curandStateXORWOW_t)
LS_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
#undef LS_DISTRIBUTIONS

/* Of two numbers, or of one: 53 bits or 32. */
LS_D double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned x = curand(state), y = curand(state);
    return ls_curand::uniform(x, y);
}
LS_D double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return (double)curand(state) * 0x1p-32 + 0x1p-32;
}

/* ---- four at once ---- */

LS_D float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 r = curand4(state);
    return make_float4(ls_curand::uniform(r.x), ls_curand::uniform(r.y), ls_curand::uniform(r.z),
                       ls_curand::uniform(r.w));
}
LS_D double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 r = curand4(state);
    return make_double2(ls_curand::uniform(r.x, r.y), ls_curand::uniform(r.z, r.w));
}
LS_D float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 r = curand4(state);
    const float2 a = ls_curand::box_muller(r.x, r.y), b = ls_curand::box_muller(r.z, r.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
LS_D float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    const float4 n = curand_normal4(state);
    return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y), expf(mean + stddev * n.z),
                       expf(mean + stddev * n.w));
}

#undef LS_D
#endif

#endif
