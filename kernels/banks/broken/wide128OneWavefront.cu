/* wide128OneWavefront - "a float4 load is one transaction instead of four": right results, but four wavefronts.
 *
 * One instruction asks for 512 bytes, and shared memory gives 128 at a time.
 */
// CLAIM: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// CAUGHT: claim block 32x32

#include "../../lockstep_device.cuh"

extern "C" __global__ void wide128(int4 *out)
{
    // static shared memory, four words a thread
    __shared__ int4 tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = make_int4(4 * idx, 4 * idx + 1, 4 * idx + 2, 4 * idx + 3);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: from the end
    int4 word = tile[blockDim.x * blockDim.y - 1 - idx];
    out[idx] = make_int4(word.x, word.y, word.z, word.w);
}
