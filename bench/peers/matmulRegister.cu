/* matmulRegister - C = A B, square; a block has 64 x 64 of C, a thread 4 x 4 of it in registers. Blocks of 16 x 16. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void matmulRegister(int n, const float *a, const float *b, float *c)
{
    __shared__ float sa[16][64]; // transposed: sa[k][row]
    __shared__ float sb[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int t = 0; t < n; t += 16) {
        for (int i = thread; i < 64 * 16; i += 256) {
            sa[i % 16][i / 16] = a[(row + i / 16) * n + t + i % 16];
            sb[i / 64][i % 64] = b[(t + i / 64) * n + col + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float p[4], q[4];
            for (int i = 0; i < 4; i++) {
                p[i] = sa[k][ty * 4 + i];
                q[i] = sb[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + ty * 4 + i) * n + col + tx * 4 + j] = sum[i][j];
}
