/* host_race_pinned - the host fills a pinned buffer again while the copy from it runs, and reads a result before the copy
 * to it is done. */
// TOOL: racecheck
// EXPECT: host-race line @fill
// EXPECT: host-race line @result
#include "check.h"

__global__ void twice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main()
{
    enum { N = 1000, BLOCK = 128, BYTES = N * sizeof(int) };
    int *from, *to, *x;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&from, BYTES));
    CHECK(cudaMallocHost(&to, BYTES));
    CHECK(cudaMalloc(&x, BYTES));
    for (int i = 0; i < N; i++)
        from[i] = i;
    CHECK(cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < N; i++)
        from[i] = 1; // @fill
    twice<<<(N + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, stream));
    int last = to[N - 1]; // @result
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", last >= 0);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(from));
    CHECK(cudaFreeHost(to));
    return 0;
}
