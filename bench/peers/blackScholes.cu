/* blackScholes - the prices of European options, an option a thread; exponential and logarithm are CUDA's fast ones.
 * Blocks of 128. */
#include "../../kernels/lockstep_device.cuh"

static __device__ float cnd(float d)
{
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackScholes(int n, float rate, float sigma, const float *price, const float *strike,
                                        const float *years, float *call, float *put)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrtf(t);
    float d1 = __fdividef(__logf(s / x) + (rate + 0.5f * sigma * sigma) * t, sigma * root);
    float d2 = d1 - sigma * root;
    float n1 = cnd(d1), n2 = cnd(d2);
    float later = x * __expf(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1.0f - n2) - s * (1.0f - n1);
}
