/* test_shfl_down - threads without data leave first.
 *
 * Fault: the printed examples return before the exchange when idx >= n. Lanes whose partner has left then get what
 * nobody defines: here their own value comes back where 0 was meant to come in.
 */
// CAUGHT: any n 1001 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void test_shfl_down(const int *in, int *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;

    out[idx] = __shfl_down_sync(__activemask(), in[idx], 2, 16);
}
