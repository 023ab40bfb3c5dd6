/* matmulTile - C = A B, square; tiles of A and B in shared memory, an element of C a thread. Blocks of 32 x 32. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void matmulTile(int n, const float *a, const float *b, float *c)
{
    __shared__ float sa[32][32];
    __shared__ float sb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty;
    int col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 32) {
        sa[ty][tx] = a[row * n + t + tx];
        sb[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
