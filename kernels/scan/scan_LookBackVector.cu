/* scan_LookBackVector - sixteen elements a thread.
 *
 * Change: four loads and four stores of 16 bytes a thread, in rows of a warp's 128 elements so that each is 16
 * sectors. A sixteenth of the blocks: tickets, status words and barriers become few.
 * Limit: DRAM, with each element read once and written once: nothing is left to save.
 */
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= 4 * warps + blocks - 1 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps + 2 * blocks - 1 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps + 2 * blocks - 1 when whole
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

// a block's status is one word: what it is, and the sum; a reader gets both or none
static constexpr unsigned long long SUM = 1ull << 32, PREFIX = 2ull << 32;

// the sum of all parts before this one, by one warp: lane l looks at the l-th part back
static __device__ __forceinline__ unsigned int lookBack(volatile unsigned long long *status, int part)
{
    int lane = threadIdx.x % warpSize;
    unsigned int all = 0, found = 0;
    for (int last = part - 1; !found; last -= 32)
    {
        // in front of the first part nothing is, and that is known; all lanes load, so that none leaves the others
        unsigned long long word;
        do
        {
            word = status[max(last - lane, 0)];
            if (last < lane) word = PREFIX;
        } while (__any_sync(0xffffffff, word < SUM));

        // the nearest prefix, and the sums between it and this part
        found = __ballot_sync(0xffffffff, word >= PREFIX);
        unsigned int value = !found || lane < __ffs(found) ? (unsigned int)word : 0;
#pragma unroll
        for (unsigned int other = 16; other > 0; other >>= 1) value += __shfl_xor_sync(0xffffffff, value, other);
        all += value;
    }
    return all;
}

extern "C" __global__ void scanLookBackVector(unsigned int *out, const unsigned int *in,
                                              volatile unsigned long long *status, unsigned int *ticket, unsigned int n)
{
    __shared__ unsigned int warps[32], drawn, before;

    // parts are handed out in the order in which blocks begin: every part before this one has a block that runs
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int part = drawn;

    // a warp has four rows of 128 elements, four elements a lane in each; the four loads do not wait for each other
    unsigned int idx = (part * blockDim.x + threadIdx.x / warpSize * warpSize) * 16 + threadIdx.x % warpSize * 4;
    uint4 row[4];
#pragma unroll
    for (unsigned int k = 0; k < 4; k++) row[k] = scan4(load4(in, idx + k * 128, n));

    // a lane's elements, then the row's, then the rows before
    unsigned int sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < 4; k++)
    {
        unsigned int upto = warpScan(row[k].w);
        row[k] = add4(row[k], upto - row[k].w + sum);
        sum += __shfl_sync(0xffffffff, upto, 31);
    }
    unsigned int ahead = warpsBefore(warps, sum);

    // the first warp publishes the part's sum, looks back, and publishes the prefix
    if (threadIdx.x < warpSize)
    {
        unsigned int own = warps[blockDim.x / warpSize - 1], all = 0;
        if (part > 0)
        {
            if (threadIdx.x == 0) status[part] = SUM | own;
            all = lookBack(status, (int)part);
        }
        if (threadIdx.x == 0)
        {
            status[part] = PREFIX | (all + own);
            before = all;
        }
    }
    __syncthreads();

    ahead += before;
#pragma unroll
    for (unsigned int k = 0; k < 4; k++) store4(out, idx + k * 128, n, add4(row[k], ahead));
}
