/* test_shfl_wrap - the wrap reckoned over the whole warp.
 *
 * Fault: the source is taken modulo 32 by hand and the width left out, so values go round the warp, not each group of 16.
 */
// CAUGHT: wrong n 1024 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void test_shfl_wrap(const int *in, int *out, unsigned int n)
{
    // all lanes take part in the shuffle; a thread without data holds 0 and stores nothing
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int value = idx < n ? in[idx] : 0;

    value = __shfl_sync(0xffffffff, value, (int)((threadIdx.x + 2) % 32));

    if (idx < n) out[idx] = value;
}
