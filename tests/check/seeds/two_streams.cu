/* two_streams - halves of a vector sum in two streams: the halves of A are copied to the device, those of B are not,
 * and nothing is copied back. (From pageable memory the copies do not overlap; and of an odd N the last element is
 * lost.) */
// TOOL: all
// OPTIONS: --force-blocking-launches
// EXPECT: uninitialized-global line @add
#include "check.h"

__global__ void vectorAdd(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
        C[idx] = A[idx] + B[idx]; // @add
}

int main()
{
    enum { N = 1000, BLOCK = 128, GRID = (N / 2 + BLOCK - 1) / BLOCK };
    static float h_A[N];
    const size_t half = N / 2 * sizeof(float);
    cudaStream_t stream[2];
    float *A[2], *B[2], *C[2];
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaMalloc(&A[s], half));
        CHECK(cudaMalloc(&B[s], half));
        CHECK(cudaMalloc(&C[s], half));
    }
    for (int s = 0; s < 2; s++) {
        CHECK(cudaMemcpyAsync(A[s], h_A + s * (N / 2), half, cudaMemcpyHostToDevice, stream[s]));
        vectorAdd<<<GRID, BLOCK, 0, stream[s]>>>(A[s], B[s], C[s], N / 2);
        CHECK(cudaGetLastError());
    }
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamSynchronize(stream[s]));
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaFree(A[s]));
        CHECK(cudaFree(B[s]));
        CHECK(cudaFree(C[s]));
    }
    return 0;
}
