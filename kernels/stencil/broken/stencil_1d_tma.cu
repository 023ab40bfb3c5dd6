/* stencil_1d_tma, broken: nobody waits for the copy, which is under way when the cells are read.
 */
// CAUGHT: wrong n 4096 block 32x1

#include "../../lockstep_hopper.cuh"

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
        // FAULT: ls_barrier_wait(&full, parity) is missing

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
