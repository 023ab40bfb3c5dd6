/* stencil_1d_tma - the tile and its halo in one instruction of one thread.
 *
 * Change: thread 0 asks TMA for the block's cells with RADIUS more at either end; an mbarrier says when all bytes are there. No load
 * is left in the kernel, no index of a halo, and no test at the end of the data: the tensor map knows how many cells there are.
 * A box has at most 256 cells, so a block at most 248 threads.
 * Limit: the copy and the arithmetic of a block take turns.
 */
// AGAINST: stencil_1d
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_hopper.cuh"

#define RADIUS 4

__constant__ float coef[RADIUS + 1];

// `in` is the map of all cells, the halo's too: cell 0 is its element RADIUS
extern "C" __global__ void stencil_1d_tma(const void *in, float *out, unsigned int N)
{
    // shared memory
    __shared__ __align__(128) float smem[BDIMX + 2 * RADIUS];
    __shared__ ls_barrier full;

    if (threadIdx.x == 0)
    {
        ls_barrier_init(&full, 1);
        ls_barrier_init_fence();
    }
    __syncthreads();

    // the grid walks over the data, block by block; all threads of a block make the same number of rounds
    unsigned int parity = 0;
    for (unsigned int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x, parity ^= 1)
    {
        // index to global memory; to shared memory for stencil calculation
        unsigned int idx = start + threadIdx.x;
        unsigned int sidx = threadIdx.x + RADIUS;

        // the block's cells and RADIUS more at either end; behind the last one are zeros
        if (threadIdx.x == 0)
        {
            ls_barrier_expect(&full, sizeof smem);
            ls_copy_cells(smem, in, start, &full);
        }
        ls_barrier_wait(&full, parity);

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

#pragma unroll
            for (int i = 1; i <= RADIUS; i++)
            {
                tmp += coef[i] * (smem[sidx + i] - smem[sidx - i]);
            }

            // store the result
            out[idx] = tmp;
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();
    }
}
