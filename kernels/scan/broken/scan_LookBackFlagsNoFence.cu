/* scan_LookBackFlagsNoFence - no fence between a value and its flag, on either side.
 *
 * Another block may see the flag first, and add what stood in the value's place. Most runs are right: it takes a schedule
 * in which stores are seen late, which the laboratory asks for (plan.schedules).
 */
// CAUGHT: wrong n 10000 block 128x1

#include "../../lockstep_device.cuh"

// the sums of the lanes up to and with this one
static __device__ __forceinline__ unsigned int warpScan(unsigned int sum)
{
    unsigned int lane = threadIdx.x % warpSize;
#pragma unroll
    for (unsigned int distance = 1; distance < 32; distance *= 2)
    {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += left;
    }
    return sum;
}

// the sum of all warps before this one, from the warps' own sums; sums[] holds the inclusive ones afterwards
static __device__ __forceinline__ unsigned int warpsBefore(unsigned int *sums, unsigned int own)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == warpSize - 1) sums[warp] = own;
    __syncthreads();

    // the first warp scans as many sums as the block has warps
    if (warp == 0) sums[lane] = warpScan(lane < blockDim.x / warpSize ? sums[lane] : 0);
    __syncthreads();

    return warp > 0 ? sums[warp - 1] : 0;
}

// a block's status: what of it the others may read
enum { NOTHING, SUM, PREFIX };

extern "C" __global__ void scanLookBackFlags(unsigned int *out, const unsigned int *in, volatile unsigned int *status,
                                             unsigned int *ticket, unsigned int n)
{
    __shared__ unsigned int warps[32], drawn, before;

    // parts are handed out in the order in which blocks begin: every part before this one has a block that runs
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int part = drawn;

    unsigned int idx = part * blockDim.x + threadIdx.x;
    unsigned int sum = warpScan(idx < n ? in[idx] : 0);
    sum += warpsBefore(warps, sum);

    // the first warp looks back, all its lanes at the same part: a lane that waits must not leave the others behind.
    // A status is a part's flag, its sum, and the sum of all up to it
    if (threadIdx.x < warpSize)
    {
        volatile unsigned int *own = status + part * 3;
        unsigned int total = warps[blockDim.x / warpSize - 1], all = 0;
        if (threadIdx.x == 0 && part > 0)
        {
            own[1] = total;
            own[0] = SUM;
        }
        for (unsigned int other = part, flag = NOTHING; other > 0 && flag != PREFIX; other--)
        {
            volatile unsigned int *theirs = status + (other - 1) * 3;
            do flag = theirs[0];
            while (flag == NOTHING);

            all += theirs[flag];
        }
        if (threadIdx.x == 0)
        {
            own[2] = all + total;
            own[0] = PREFIX;
            before = all;
        }
    }
    __syncthreads();

    if (idx < n) out[idx] = before + sum;
}
