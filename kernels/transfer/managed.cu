/* managed - one pointer on both sides, pages move when they are touched.
 *
 * Change: managed memory. The first touch of a page by the GPU is a fault, which stops warps and fetches the page;
 * the host's touch fetches it back. Nothing in the program says what crosses the link when.
 * Limit: page faults; the model takes the pageable rate for them.
 */
// AGAINST: pinned
// EXPECT: lockstep__copies_htod.sum == 0
// EXPECT: lockstep__bytes_htod.sum == 0
// EXPECT: lockstep__copies_dtoh.sum == 0
// EXPECT: lockstep__bytes_dtoh.sum == 0
// EXPECT: lockstep__launches.sum == 1
// EXPECT: lockstep__host_waits.sum == 1
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
