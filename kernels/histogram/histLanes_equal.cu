/* histLanes_equal - the same kernel, but all bytes are equal.
 *
 * Change: the data, and not one counter: this histogram takes any data in the same time.
 * Limit: as histLanes.
 */
// AGAINST: histLanes
// LET: whole = n % (64 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum == 64 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 256 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 256 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 8 * blocks
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_device.cuh"

#define EACH 64

// the four bytes of a word; a bin is 32 words, one a lane
static __device__ __forceinline__ void countWord(unsigned int *own, unsigned int lane, unsigned int word)
{
#pragma unroll
    for (unsigned int byte = 0; byte < 4; byte++) atomicAdd(&own[(word >> 8 * byte & 255) * 32 + lane], 1u);
}

extern "C" __global__ void histLanes(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins, one copy a lane: word bin * 32 + lane is in bank `lane`
    __shared__ unsigned int own[256 * 32];

    for (unsigned int word = threadIdx.x; word < 256 * 32; word += blockDim.x) own[word] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, four loads of 16 in a row
    unsigned int lane = threadIdx.x % warpSize;
    for (unsigned int k = 0; k < EACH / 16; k++)
    {
        unsigned int at = ((blockIdx.x * (EACH / 16) + k) * blockDim.x + threadIdx.x) * 16;
        if (at + 16 <= n)
        {
            uint4 v = *(const uint4 *)(data + at);

            countWord(own, lane, v.x);
            countWord(own, lane, v.y);
            countWord(own, lane, v.z);
            countWord(own, lane, v.w);
        }
        else
        {
            // the last thread's bytes, one by one
            for (; at < n; at++) atomicAdd(&own[data[at] * 32 + lane], 1u);
        }
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    // a thread adds up a bin, beginning with its own lane's copy: 32 lanes read 32 banks
    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    {
        unsigned int sum = 0;
#pragma unroll 4
        for (unsigned int copy = 0; copy < 32; copy++) sum += own[bin * 32 + (lane + copy) % 32];
        atomicAdd(&bins[bin], sum);
    }
}
