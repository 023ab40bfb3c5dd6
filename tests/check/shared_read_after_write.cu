/* shared_read_after_write - a rotation through shared memory, with no barrier between store and load: half of the
 * words that a thread reads belong to another warp. */
// TOOL: racecheck
// EXPECT: shared-read-after-write line @read other line @write
// ALSO: shared-write-after-read
#include "check.h"

__global__ void rotate(int *data)
{
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = data[i];              // @write
    data[i] = tile[(t + 64) % 128]; // @read
}

int main()
{
    enum { N = 512 };
    static int host[N];
    int *data;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    rotate<<<N / 128, 128>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
