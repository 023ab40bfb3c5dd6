/* histVector - 16 bytes a load.
 *
 * Change: a thread's 16 bytes stand in a row and are one load of 16 sectors a warp, where there were 16 loads of one
 * sector. The bytes moved are the same; the load instructions are a sixteenth.
 * Limit: the shared atomics, as in histShared.
 */
// AGAINST: histShared
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 8 * blocks
// EXPECT: lockstep__barriers.sum == 2 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum >= 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum <= 512 * warps when whole

#include "../lockstep_device.cuh"

#define EACH 16

// the four bytes of a word
static __device__ __forceinline__ void countWord(unsigned int *own, unsigned int word)
{
#pragma unroll
    for (unsigned int byte = 0; byte < 4; byte++) atomicAdd(&own[word >> 8 * byte & 255], 1u);
}

extern "C" __global__ void histVector(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes in a row, which are one load
    unsigned int at = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (at + EACH <= n)
    {
        uint4 v = *(const uint4 *)(data + at);
        countWord(own, v.x);
        countWord(own, v.y);
        countWord(own, v.z);
        countWord(own, v.w);
    }
    else
    {
        // the last thread's bytes, one by one
        for (; at < n; at++) atomicAdd(&own[data[at]], 1u);
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
