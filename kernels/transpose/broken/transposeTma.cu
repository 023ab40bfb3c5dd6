/* transposeTma, broken: the copy out does not wait until all threads have stored.
 */
// CAUGHT: wrong size 64x64

#include "../../lockstep_hopper.cuh"

#define SIDE 32
#define GROUPS 4 // of four rows, each with one 20 rows further on

typedef float tile[SIDE][SIDE];

// column col of row `row`, where TMA puts or wants it
static __device__ __forceinline__ float &at(tile &t, unsigned int row, unsigned int col) { return t[row][(col / 4 ^ row % 8) * 4 + col % 4]; }

extern "C" __global__ void transposeTma(const void *out, const void *in)
{
    __shared__ __align__(1024) tile from, to;
    __shared__ ls_barrier full;

    unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x, row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
    if (thread == 0)
    {
        ls_barrier_init(&full, 1);
        ls_barrier_init_fence();
        ls_barrier_expect(&full, sizeof from);
        ls_copy_box(from, in, col0, row0, &full);
    }
    __syncthreads();
    ls_barrier_wait(&full, 0);

    // a warp has four columns, a piece; a lane one of them, and one of eight rows
    unsigned int col = threadIdx.y * 4 + threadIdx.x / 8, far = threadIdx.x / 4 % 2;
#pragma unroll
    for (unsigned int g = 0; g < GROUPS; g++)
    {
        unsigned int row = 4 * (g ^ 5 * far) + threadIdx.x % 4;
        at(to, col, row) = at(from, row, col);
    }

    // all have written, and the copy sees it
    ls_written();
    // FAULT: __syncthreads() is missing
    if (thread == 0)
    {
        ls_store_box(out, row0, col0, to);
        ls_store_wait();
    }
}
