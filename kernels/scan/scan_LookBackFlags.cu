/* scan_LookBackFlags - one kernel: a block looks back at the blocks before it, as far as it must.
 *
 * Change: a block publishes the sum of its part, adds up the sums of the parts before it until one of them has a
 * prefix already, and publishes its own prefix. A fence stands between a value and its flag, in the writer and in the
 * reader. Parts are given out by a ticket: blocks may begin in any order, and those waited for have begun.
 * Every element is read once and written once. How many flags are read is a matter of time, so loads have a lower
 * bound only: a flag and a value for each block but the first.
 * Limit: a block looks back a part at a time.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= warps + 2 * (blocks - 1) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps + 4 * blocks - 2 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps + 4 * blocks - 2 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 3 * warps + blocks when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + 3 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 4 * warps

#include "../lockstep_device.cuh"

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
            __threadfence();
            own[0] = SUM;
        }
        for (unsigned int other = part, flag = NOTHING; other > 0 && flag != PREFIX; other--)
        {
            volatile unsigned int *theirs = status + (other - 1) * 3;
            do flag = theirs[0];
            while (flag == NOTHING);

            // what the flag promises is read after the flag
            __threadfence();
            all += theirs[flag];
        }
        if (threadIdx.x == 0)
        {
            own[2] = all + total;
            __threadfence();
            own[0] = PREFIX;
            before = all;
        }
    }
    __syncthreads();

    if (idx < n) out[idx] = before + sum;
}
