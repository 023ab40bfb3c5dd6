/* readStride - "a small stride, within 128 bytes, can still be coalesced".
 *
 * The kernel is right. It is one request, as any load of a warp is; but what is moved are sectors, and already with a
 * stride of 2 words there are 8 of them for the 4 that are needed.
 */
// CLAIM: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps
// CAUGHT: claim n 4096 block 128x1 k 2

#include "../../lockstep_device.cuh"

extern "C" __global__ void readStride(int *arr, int *ret, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[i * stride];
    }
}
