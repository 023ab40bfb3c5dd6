/* rareAny - the warp goes along.
 *
 * Change: __any_sync asks whether any lane has its flag set; if so, all 32 walk along the row, and the one that wanted
 * the sum keeps it. The branch is uniform now (estimated: 100 %), and nothing is gained: the same 32 loads, in which
 * all lanes ask for the same word, one sector each, take the same time. A vote makes a branch uniform; only sharing
 * the work makes it cheap.
 * Limit: latency, as before.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0 && n % 128 == 0
// LET: rare = n / 128
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps + 32 * rare when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps + 32 * rare when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 128 * rare when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void rareAny(const int *a, const int *rows, int *out, int n, const int *flag)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int r = i < n ? a[i] : 0;
    int mine = i < n ? flag[i] : 0;

    // a warp's 32 elements belong to one row
    if (__any_sync(0xffffffff, mine))
    {
        const int *row = rows + (i - lane) / 128 * 32;
        int sum = 0;
        for (int k = 0; k < 32; k++) sum += row[k];
        if (mine) r = sum;
    }
    if (i < n) out[i] = r;
}
