/* host_race_pinned_clean - two buffers by turns, and an event that says when the host may fill one of them again. */
#include "check.h"

__global__ void twice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main()
{
    enum { N = 1000, BLOCK = 128, BYTES = N * sizeof(int), ROUNDS = 6 };
    int *from[2], *to, *x;
    cudaStream_t stream;
    cudaEvent_t taken[2];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&from[0], BYTES));
    CHECK(cudaMallocHost(&from[1], BYTES));
    CHECK(cudaEventCreateWithFlags(&taken[0], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&taken[1], cudaEventDisableTiming));
    CHECK(cudaMallocHost(&to, BYTES));
    CHECK(cudaMalloc(&x, BYTES));
    for (int round = 0; round < ROUNDS; round++) {
        int *mine = from[round % 2];
        CHECK(cudaEventSynchronize(taken[round % 2]));
        for (int i = 0; i < N; i++)
            mine[i] = i + round; // @fill
        CHECK(cudaMemcpyAsync(x, mine, BYTES, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(taken[round % 2], stream));
        twice<<<(N + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, N);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", to[N - 1] == 2 * (N - 1 + ROUNDS - 1)); // @result
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(taken[0]));
    CHECK(cudaEventDestroy(taken[1]));
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(from[0]));
    CHECK(cudaFreeHost(from[1]));
    CHECK(cudaFreeHost(to));
    return 0;
}
