/* random.cu - curand's device generators (test_headers.c). Normal numbers are compared to six digits or so. */
#include <curand_kernel.h>

__device__ unsigned bits(float f)
{
    return (unsigned)__float_as_int(f);
}
__device__ unsigned near(double v)
{
    return (unsigned)(int)rint(v * 4096);
}

template <class State>
__device__ void numbers(unsigned *out, unsigned long long seed, unsigned sequence, unsigned offset)
{
    State state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 5; i++)
        out[i] = curand(&state);
    out[5] = bits(curand_uniform(&state));
    const double u = curand_uniform_double(&state);
    out[6] = (unsigned)__double_as_longlong(u);
    out[7] = (unsigned)(__double_as_longlong(u) >> 32);
    skipahead(sequence % 5 * 1000ull, &state);
    out[8] = curand(&state);
    skipahead_sequence(3, &state);
    out[9] = curand(&state);
    State copy = state;
    out[10] = near(curand_normal(&copy));
    out[11] = near(curand_normal(&copy));
    copy = state;
    out[12] = near(curand_normal_double(&copy)) + near(curand_normal_double(&copy));
    copy = state;
    out[13] = near(logf(curand_log_normal(&copy, 0.5f, 2.0f)));
    const float2 two = curand_normal2(&state);
    out[14] = near(two.x - two.y);
    out[15] = curand(&state);
}

extern "C" __global__ void random_xorwow(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers<curandState>(out + 16 * i, i % 3 * 0x123456789abcull + 1234, i * (i % 7 == 6 ? 1000003u : 1u), in[i] % 5);
}
extern "C" __global__ void random_philox(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers<curandStatePhilox4_32_10_t>(out + 16 * i, i % 3 * 0x123456789abcull + 1234, i, in[i]);
    curandStatePhilox4_32_10_t state;
    curand_init(7, i, in[i] % 4, &state);
    const uint4 four = curand4(&state);
    const float4 uniform = curand_uniform4(&state);
    out[16 * i + 14] ^= four.x ^ four.w ^ bits(uniform.y);
    const float4 normal = curand_normal4(&state);
    out[16 * i + 15] ^= near(normal.x + normal.w);
}
