/* block_ShuffleVector - four elements a thread, as one load and one store of 16 bytes.
 *
 * Change: a warp's load is 512 bytes: 16 sectors in one request. Shuffles, barriers and shared memory are those of
 * block_Shuffle for four times the data.
 * Limit: DRAM. But it is no scan of all the data yet.
 */
// LET: whole = n % (4 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

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

// four elements that begin at idx, 0 behind the end of the data
static __device__ __forceinline__ uint4 load4(const unsigned int *in, unsigned int idx, unsigned int n)
{
    if (idx + 4 <= n) return *(const uint4 *)(in + idx);
    return make_uint4(idx < n ? in[idx] : 0, idx + 1 < n ? in[idx + 1] : 0, idx + 2 < n ? in[idx + 2] : 0, 0);
}

static __device__ __forceinline__ void store4(unsigned int *out, unsigned int idx, unsigned int n, uint4 v)
{
    if (idx + 4 <= n)
    {
        *(uint4 *)(out + idx) = v;
        return;
    }
    if (idx < n) out[idx] = v.x;
    if (idx + 1 < n) out[idx + 1] = v.y;
    if (idx + 2 < n) out[idx + 2] = v.z;
}

// each of the four becomes the sum up to it
static __device__ __forceinline__ uint4 scan4(uint4 v)
{
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    return v;
}

static __device__ __forceinline__ uint4 add4(uint4 v, unsigned int before)
{
    return make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

extern "C" __global__ void blockShuffleVector(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ unsigned int sums[32];

    // a thread sums its four elements, then the warp their sums
    unsigned int idx = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    uint4 v = scan4(load4(in, idx, n));
    unsigned int sum = warpScan(v.w);
    unsigned int before = sum - v.w + warpsBefore(sums, sum);

    store4(out, idx, n, add4(v, before));
}
