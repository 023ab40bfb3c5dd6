/* host_race_clean - the host waits for the stream, then copies. */
#include "check.h"

__global__ void squares(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * i; // @write
}

int main()
{
    enum { N = 300, BLOCK = 128 };
    static int host[N];
    int *out;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&out, sizeof host));
    squares<<<(N + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); // @copy
    printf("%d\n", host[N - 1] > 0);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
    return 0;
}
