/* histShared - every block has bins of its own in shared memory.
 *
 * Change: a block counts its 16 bytes a thread in shared memory and adds 256 bins to the result at its end: 8 requests
 * to the L2 cache a block instead of 16 a warp. A sum of ones whose result nobody reads is an instruction of its
 * own (ATOMS.POPC.INC): it takes as many wavefronts as the fullest bank has different words, as a load does. With random bytes some 3 of 32 lanes meet in a bank.
 * Limit: these conflicts, which the data decide: 1 to 8 wavefronts a request.
 */
// AGAINST: histGlobal
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 8 * blocks
// EXPECT: lockstep__barriers.sum == 2 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum >= 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum <= 16 * 8 * warps when whole

#include "../lockstep_device.cuh"

#define EACH 16

extern "C" __global__ void histShared(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) atomicAdd(&own[data[idx]], 1u);
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
