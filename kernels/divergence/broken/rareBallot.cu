/* rareBallot - lanes leave before the ballot.
 *
 * Threads behind the end return first, as in kernels without warp-wide operations. In the last warp those that are
 * left add up their own words of the row only, and the mask names lanes that never come.
 */
// CAUGHT: any n 1030 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void rareBallot(const int *a, const int *rows, int *out, int n, const int *flag)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lane = threadIdx.x % 32;
    int r = a[i];
    int mine = flag[i];

    // one flag after the other, by all lanes
    for (unsigned int left = __ballot_sync(0xffffffff, mine); left; left &= left - 1)
    {
        int whose = __ffs(left) - 1;
        int sum = rows[(i - lane + whose) / 128 * 32 + lane];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (lane == whose) r = sum;
    }
    out[i] = r;
}
