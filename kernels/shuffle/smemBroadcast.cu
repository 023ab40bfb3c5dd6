/* smemBroadcast - the shared-memory way to broadcast.
 *
 * Change: what test_shfl_broadcast does in one instruction takes a store, a warp barrier and a load, and a word of shared
 * memory a thread. All lanes of a half read one word: no conflict, but a pass of the memory each way.
 * Limit: shared memory and the wait for it.
 */
// AGAINST: test_shfl_broadcast
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void smemBroadcast(const int *in, int *out, unsigned int n)
{
    __shared__ int smem[1024];
    // all lanes take part in the shuffle; a thread without data holds 0 and stores nothing
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int value = idx < n ? in[idx] : 0;

    smem[threadIdx.x] = value;
    __syncwarp();
    value = smem[threadIdx.x / 16 * 16 + 2];

    if (idx < n) out[idx] = value;
}
