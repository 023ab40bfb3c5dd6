/* matrixMul [M N K] - C = A B, of M x K and K x N floats (128 x 160 x 96; ragged edges are no matter): the naive
 * kernel, whose B reads are coalesced and whose A reads are broadcasts; tiles of 16 in shared memory; and the three
 * steps of a product with K = 32: nothing, A, and both in shared memory.
 *
 * (Tutorials "Writing kernels", 3.3, "From kernels to optimisation", 2.2, "Optimisation strategies", 3.1, and "Memory
 * access".) */
#include "common.h"

#define TILE 16
#define w 32

__global__ void matMulNaive(float *C, const float *A, const float *B, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N)
    {
        float sum = 0.0f;
        for (int i = 0; i < K; i++) sum += A[row * K + i] * B[i * N + col];
        C[row * N + col] = sum;
    }
}

__global__ void matMulTiled(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    // the last tile may be a part of one: round up
    for (int t = 0; t < (K + TILE - 1) / TILE; t++)
    {
        As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
        Bs[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

/* M and N are multiples of 32 here, K is 32, and blocks are 32 x 32. */
__global__ void MatrixMultiply(float *c, const float *a, const float *b, int, int N, int)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < w; i++) sum += a[row * w + i] * b[i * N + col];
    c[row * N + col] = sum;
}

/* A warp's row of A is loaded once; it alone uses it. */
__global__ void MatrixMultiplyA(float *c, const float *a, const float *b, int, int N, int)
{
    __shared__ float sa[w][w];
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    sa[threadIdx.y][threadIdx.x] = a[row * w + threadIdx.x];
    __syncwarp();
    for (int i = 0; i < w; i++) sum += sa[threadIdx.y][i] * b[i * N + col];
    c[row * N + col] = sum;
}

/* B's tile too: now a warp uses what other warps have loaded. */
__global__ void MatrixMultiplyAB(float *c, const float *a, const float *b, int, int N, int)
{
    __shared__ float sa[w][w], sb[w][w];
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    sa[threadIdx.y][threadIdx.x] = a[row * w + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[threadIdx.y * N + col];
    __syncthreads();
    for (int i = 0; i < w; i++) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    c[row * N + col] = sum;
}

typedef void (*kernel)(float *, const float *, const float *, int, int, int);

/* Whole numbers below 100, K of them: every sum is exact. */
static int product(const char *name, kernel run, int block, int M, int N, int K)
{
    float *A = (float *)malloc(M * K * sizeof *A), *B = (float *)malloc(K * N * sizeof *B);
    float *C = (float *)malloc(M * N * sizeof *C), *d_A, *d_B, *d_C;
    int bad = 0;
    for (int i = 0; i < M * K; i++)
        A[i] = (float)number(i);
    for (int i = 0; i < K * N; i++)
        B[i] = (float)number(i + 7);
    CHECK(cudaMalloc(&d_A, M * K * sizeof *A));
    CHECK(cudaMalloc(&d_B, K * N * sizeof *B));
    CHECK(cudaMalloc(&d_C, M * N * sizeof *C));
    CHECK(cudaMemcpy(d_A, A, M * K * sizeof *A, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, B, K * N * sizeof *B, cudaMemcpyHostToDevice));
    run<<<dim3((N + block - 1) / block, (M + block - 1) / block), dim3(block, block)>>>(d_C, d_A, d_B, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, d_C, M * N * sizeof *C, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += (int)A[i * K + k] * (int)B[k * N + j];
            bad += C[i * N + j] != (float)sum;
        }
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));
    free(A);
    free(B);
    free(C);
    return say(name, bad == 0);
}

int main(int argc, char **argv)
{
    int M = argument(argc, argv, 1, 128), N = argument(argc, argv, 2, 160), K = argument(argc, argv, 3, 96), right = 1;
    int m = (M + w - 1) / w * w, n = (N + w - 1) / w * w;
    print_device(argv[0]);
    printf(", %d x %d x %d\n", M, N, K);
    right &= product("matMulNaive", matMulNaive, TILE, M, N, K);
    right &= product("matMulTiled", matMulTiled, TILE, M, N, K);
    right &= product("MatrixMultiply", MatrixMultiply, w, m, n, w);
    right &= product("MatrixMultiplyA", MatrixMultiplyA, w, m, n, w);
    right &= product("MatrixMultiplyAB", MatrixMultiplyAB, w, m, n, w);
    return !right;
}
