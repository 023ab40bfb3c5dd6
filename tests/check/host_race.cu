/* host_race - the result of a stream that does not wait for the default stream is copied back without waiting for it.
 */
// TOOL: racecheck
// EXPECT: host-race
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
    usleep(50000);                                                     // time makes it work here, and orders nothing
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); // @copy
    printf("%d\n", host[N - 1] > 0);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
    return 0;
}
