/* helloWorldFlat - the host launches every level.
 *
 * The partner of nestedHelloWorld. Level 0 has n threads, each next level half as many, down to one; each thread notes
 * its level and number (the tutorial prints them). The host knows how many levels there are, and launches them in
 * order: log2(n) + 1 launches. With n = 32 or more a power of two, levels of 32 and more threads take n / 32 + ... + 1
 * stores of 4 sectors, the five below one each, of 2, 1, 1, 1, 1 sectors.
 * Limit: a launch from the host for a handful of threads.
 */
// LET: power = n >= 32 && log2(n) % 1 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 16 + 4 when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 4 + 2 when power
// EXPECT: lockstep__launches.sum == log2(n) + 1 when power

#include "../lockstep_grid.cuh"

extern "C" __global__ void helloWorld(int *out, int start, int iDepth)
{
    int tid = threadIdx.x;
    out[start + tid] = iDepth << 16 | tid;
}
