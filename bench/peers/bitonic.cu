/* bitonic - sorts tiles of 1024 keys by a bitonic network in shared memory. Blocks of 512, two keys a thread. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void bitonic(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int key[1024];
    unsigned int t = threadIdx.x, base = blockIdx.x * 1024;
    key[t] = in[base + t];
    key[t + 512] = in[base + t + 512];
    for (unsigned int size = 2; size <= 1024; size <<= 1) {
        for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            unsigned int a = key[at], b = key[at + stride];
            if ((a > b) == up) {
                key[at] = b;
                key[at + stride] = a;
            }
        }
    }
    __syncthreads();
    out[base + t] = key[t];
    out[base + t + 512] = key[t + 512];
}
