/* multiplyAddTwice - two roundings under the name that promises one.
 *
 * A bound that allowed for more than the fused operation's half ulp would let this pass.
 */
// CAUGHT: wrong n 1000 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void optimizedKernel(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = __fadd_rn(__fmul_rn(A[idx], B[idx]), C[idx]);
    }
}
