/* pool_use_before_alloc_fill - one stream allocates the buffer, another one clears it, and no event stands between them. */
// TOOL: poolcheck
// OPTIONS: --track-stream-ordered-races use-before-alloc
// EXPECT: pool-use-before-alloc line @clear
#include "check.h"

int main()
{
    enum { N = 500, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };
    int *data;
    cudaStream_t first, second;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMallocAsync(&data, N * sizeof *data, first));
    CHECK(cudaMemsetAsync(data, 0, N * sizeof *data, second)); // @clear
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaStreamWaitEvent(first, event, 0));
    CHECK(cudaFreeAsync(data, first));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return 0;
}
