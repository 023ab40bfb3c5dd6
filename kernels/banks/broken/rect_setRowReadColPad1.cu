/* rect_setRowReadColPad1 - a pad of one in a tile of 16 rows: right results, but not free of conflicts.
 *
 * A warp reads two columns of 16 words, at banks icol + irow: the second column falls on 15 of the first one's banks,
 * so a load takes two wavefronts. The text's rule "one word after every row" holds for as many rows as there are
 * banks.
 */
// CLAIM: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 16 when bx == 32 && by == 16
// CAUGHT: claim block 32x16

#include "../../lockstep_device.cuh"

#define IPAD 1

extern "C" __global__ void setRowReadColPad(int *out)
{
    // static shared memory, every row longer by IPAD words
    __shared__ int tile[BDIMY][BDIMX + IPAD];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[icol][irow];
}
