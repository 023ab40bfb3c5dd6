/* rareAlone - one lane in 128 has more to do, and does it alone.
 *
 * Where a flag is set, the result is the sum of a row of 32 words. The lane walks along its row: 32 loads with one
 * lane, a sector each (four different ones, eight times), while 31 lanes wait.
 * Limit: latency: 32 loads, one after the other, in every fourth warp.
 */
// AGAINST: branchByData
// LET: whole = n % bx == 0 && bx % 32 == 0 && n % 128 == 0
// LET: rare = n / 128
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps + 32 * rare when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps + 32 * rare when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 128 * rare when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void rareAlone(const int *a, const int *rows, int *out, int n, const int *flag)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int r = a[i];
        if (flag[i])
        {
            const int *row = rows + i / 128 * 32;
            r = 0;
            for (int k = 0; k < 32; k++) r += row[k];
        }
        out[i] = r;
    }
}
