/* blockSumWarps - every warp alone, and one barrier.
 *
 * Change: warps sum their own 32 slots first, with __syncwarp() between the rounds, then hand one word each to the
 * first warp, which adds them by shuffles. One barrier for each warp, whatever the block's size. The price is work:
 * five rounds in every warp, 5 W + 1 loads and 7 W stores instead of W + 4 and 2 W + 4. Where waiting costs more than
 * work (warps that come at different times) it is worth it; shuffles take the work away too (reduce/reduceShfl).
 * Limit: five dependent rounds through shared memory.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 5 * warps + blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 7 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void blockSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024], warpSums[32];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t;
    unsigned int lane = t % warpSize, warp = t / warpSize;

    // every thread fills its slot, with 0 behind the end of the data
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;

    // each warp alone; all its lanes come to each __syncwarp()
    for (unsigned int stride = warpSize / 2; stride > 0; stride /= 2)
    {
        __syncwarp();
        if (lane < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }

    // a word from each warp
    if (lane == 0) warpSums[warp] = sum;
    __syncthreads();
    if (warp == 0)
    {
        sum = lane < blockDim.x / warpSize ? warpSums[lane] : 0;
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }

    if (t == 0) out[blockIdx.x] = sum;
}
