/* vectorAddPairs - two elements a thread, neighbours.
 *
 * Change: the loop of the tutorial, unrolled by two as it is printed: a[i] and a[i + 1] in one round. On a CPU that is
 * all there is to it; here the lanes of a warp are two words apart in each of the six accesses: 8 sectors a request,
 * of which it uses half, and the other half is asked for again. saxpyUnroll has it right.
 * Limit: the L1's sectors, twice what is needed.
 */
// LET: whole = n % (2 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAddPairs(const float *A, const float *B, float *C, int N)
{
    int idx = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (idx < N) C[idx] = A[idx] + B[idx];
    if (idx + 1 < N) C[idx + 1] = A[idx + 1] + B[idx + 1];
}
