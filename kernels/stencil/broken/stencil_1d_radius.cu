/* stencil_1d_radius - the halo loaded by the block's first threads.
 *
 * One round of loads for the halo, as in the rungs of radius 4: threads below the radius load one cell on either side.
 * In a block with fewer threads than the radius nobody is there for the rest: those slots of shared memory hold
 * whatever was in them.
 */
// EXPECT: lockstep__barriers.sum == 2 * warps
// CAUGHT: any n 1000 block 4x1 k 8

#include "../../lockstep_device.cuh"

#define MAX_RADIUS 8

__constant__ float coef[MAX_RADIUS + 1];

extern "C" __global__ void stencil_1d_radius(float *in, float *out, unsigned int N, unsigned int radius)
{
    // blockDim.x + 2 * radius cells
    extern __shared__ float smem[];

    // the grid walks over the data, block by block; all threads of a block make the same number of rounds
    for (unsigned int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x)
    {
        // index to global memory; to shared memory for stencil calculation
        unsigned int idx = start + threadIdx.x;
        unsigned int sidx = threadIdx.x + radius;

        // read data from global memory into shared memory; in[N + radius - 1] is the last cell there is
        if (idx < N + radius) smem[sidx] = in[idx];

        // read halo part to shared memory
        if (threadIdx.x < radius)
        {
            smem[sidx - radius] = in[(int)(idx - radius)];
            if (idx + blockDim.x < N + radius) smem[sidx + blockDim.x] = in[idx + blockDim.x];
        }

        // synchronize (ensure all the data is available)
        __syncthreads();

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

            for (unsigned int i = 1; i <= radius; i++)
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
