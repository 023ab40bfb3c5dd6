/* pool_use_after_free_copy_clean - one stream frees the buffer when another one has copied it to the host. */
#include "check.h"

__global__ void fill(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i; // @use
}

int main()
{
    enum { N = 500, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };
    int *data;
    cudaStream_t first, second;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    int *host;
    CHECK(cudaMallocHost(&host, N * sizeof *host));
    CHECK(cudaMallocAsync(&data, N * sizeof *data, first));
    fill<<<GRID, BLOCK, 0, first>>>(data, N);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    CHECK(cudaMemcpyAsync(host, data, N * sizeof *host, cudaMemcpyDeviceToHost, second));
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaStreamWaitEvent(first, event, 0));
    CHECK(cudaFreeAsync(data, first));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return 0;
}
