/* rareBallot - the warp helps its lane.
 *
 * Change: __ballot_sync tells every lane which flags are set. For each the whole warp loads the row, a word a lane, 4
 * sectors in one request, and adds it up by shuffles. The branch depends on the ballot, which is the same in all
 * lanes: no divergence. Lanes behind the end of the data have no flag, but they take part: they must not leave before
 * (broken/rareBallot.cu).
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0 && n % 128 == 0
// LET: rare = n / 128
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps + rare when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps + 4 * rare when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 128 * rare when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void rareBallot(const int *a, const int *rows, int *out, int n, const int *flag)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int r = i < n ? a[i] : 0;
    int mine = i < n ? flag[i] : 0;

    // one flag after the other, by all lanes
    for (unsigned int left = __ballot_sync(0xffffffff, mine); left; left &= left - 1)
    {
        int whose = __ffs(left) - 1;
        int sum = rows[(i - lane + whose) / 128 * 32 + lane];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (lane == whose) r = sum;
    }
    if (i < n) out[i] = r;
}
