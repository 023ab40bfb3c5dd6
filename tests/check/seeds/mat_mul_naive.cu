/* mat_mul_naive - the product that is called uncoalesced, for any M, N and K: without a guard it is for multiples of
 * the block only. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: out-of-bounds line @load
// EXPECT: out-of-bounds line @store
// EXPECT: output-written-twice line @store
// ALSO: write-to-constant global-write-after-write global-same-value
#include "check.h"

__global__ void matMulNaive(float *C, const float *A, const float *B, int M, int N, int K)
{
    (void)M;
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < K; i++)
        sum += A[row * K + i] * B[i * N + col]; // @load
    C[row * N + col] = sum;                     // @store
}

int main()
{
    enum { M = 20, N = 36, K = 10 };
    static float a[M * K], b[K * N], c[M * N];
    float *A, *B, *C;
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 7);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 5);
    CHECK(cudaMalloc(&A, sizeof a));
    CHECK(cudaMalloc(&B, sizeof b));
    CHECK(cudaMalloc(&C, sizeof c));
    CHECK(cudaMemcpy(A, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B, b, sizeof b, cudaMemcpyHostToDevice));
    matMulNaive<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(C, A, B, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return 0;
}
