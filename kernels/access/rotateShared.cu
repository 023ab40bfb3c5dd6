/* rotateShared - a block turns its words by half its length, in place, through shared memory.
 *
 * The tutorial's first kernel. Global memory is read and written as it lies; the words change places in shared
 * memory, where the order costs nothing: 32 neighbours, from wherever on, are in 32 banks. The barrier keeps a warp
 * from reading what another one has not stored yet; as printed it is missing (broken/rotateShared.cu).
 * Limit: DRAM.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when whole
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void kernel(int *a, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int tx = threadIdx.x;
    int left = min((int)blockDim.x, n - (int)(blockIdx.x * blockDim.x)); // words of this block
    __shared__ int a_s[1024];
    if (tx < left) a_s[tx] = a[tid];
    __syncthreads();
    if (tx < left) a[tid] = a_s[(tx + blockDim.x / 2) % left];
}
