/* stencil_1d_register - five results a thread.
 *
 * Change: a thread computes five neighbouring cells. What one of them reads to its right the next one reads for its
 * next offset: the five right and the five left neighbours slide through registers, two new cells an offset, so 2 *
 * radius + 5 shared loads make five results, not 10 * radius. Five, because lanes 5 words apart use all 32 banks; with
 * four, they would meet 4 to a bank. The results go through shared memory to be stored in lines: 5 * lane apart, a
 * store would touch 20 sectors for 32 results.
 * Limit: for small radii that detour, 2 of 4.6 shared accesses a result at radius 4; DRAM otherwise.
 */
// LET: whole = n % (5 * bx) == 0 && bx % 32 == 0 && 2 * k <= 32
// LET: offset = min(k % 8, 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 5 * warps + blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 20 * warps + ceil_div(2 * k, 8) * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * (4 + offset) * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == (2 * k + 5 + 5) * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 10 * warps + blocks when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// EXPECT: lockstep__barriers.sum == 4 * warps

#include "../lockstep_device.cuh"

#define MAX_RADIUS 8
#define CELLS 5

__constant__ float coef[MAX_RADIUS + 1];

extern "C" __global__ void stencil_1d_register(float *in, float *out, unsigned int N, unsigned int radius)
{
    // CELLS * blockDim.x + 2 * radius cells
    extern __shared__ float smem[];
    unsigned int part = CELLS * blockDim.x;

    // the grid walks over the data, part by part; all threads of a block make the same number of rounds
    for (unsigned int start = blockIdx.x * part; start < N; start += gridDim.x * part)
    {
        // index to shared memory: of the thread's first cell
        unsigned int sidx = CELLS * threadIdx.x + radius;

        // read the tile with its halo; in[N + radius - 1] is the last cell there is
        const float *run = in + start - radius;
        unsigned int inside = min(part, N - start);
        for (unsigned int i = threadIdx.x; i < inside + 2 * radius; i += blockDim.x) smem[i] = run[i];

        // synchronize (ensure all the data is available)
        __syncthreads();

        float tmp[CELLS];
#pragma unroll
        for (int j = 0; j < CELLS; j++) tmp[j] = 0.0f;

        if (CELLS * threadIdx.x < inside)
        {
            // what lies around the cells for offset 0: the cells themselves; of cells behind the end nothing is used
            unsigned int last = inside + 2 * radius - 1;
            float left[CELLS], right[CELLS];
#pragma unroll
            for (int j = 0; j < CELLS; j++) left[j] = right[j] = smem[min(sidx + j, last)];

            for (unsigned int i = 1; i <= radius; i++)
            {
                // the right neighbours move on by one, the left ones back
#pragma unroll
                for (int j = 1; j < CELLS; j++)
                {
                    right[j - 1] = right[j];
                    left[CELLS - j] = left[CELLS - j - 1];
                }
                right[CELLS - 1] = smem[min(sidx + CELLS - 1 + i, last)];
                left[0] = smem[sidx - i];

                // apply the stencil
#pragma unroll
                for (int j = 0; j < CELLS; j++) tmp[j] += coef[i] * (right[j] - left[j]);
            }
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();

#pragma unroll
        for (int j = 0; j < CELLS; j++) smem[CELLS * threadIdx.x + j] = tmp[j];
        __syncthreads();

        // store the results, line by line
        for (unsigned int i = threadIdx.x; i < inside; i += blockDim.x) out[start + i] = smem[i];
        __syncthreads();
    }
}
