/* transposeTma - no thread loads or stores: TMA brings the tile and takes it away.
 *
 * Change: one thread asks for a box of 32 x 32 and, when all have exchanged rows and columns in shared memory, sends another off. TMA knows
 * the matrix's edges. Its boxes are swizzled: piece p (16 bytes) of row r is at p ^ (r % 8). A column of 32 floats would still be in eight banks only,
 * so a warp takes four columns of eight rows at once, and rows so far apart that neither side meets in a bank:
 * r to r + 3 and 20 rows on. Stores must be made visible to TMA (fence.proxy.async) before the barrier behind which it is asked.
 * Limit: one tile a block under way.
 */
// AGAINST: transposeSmemSwizzle
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * warps

#include "../lockstep_hopper.cuh"

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
    __syncthreads();
    if (thread == 0)
    {
        ls_store_box(out, row0, col0, to);
        ls_store_wait();
    }
}
