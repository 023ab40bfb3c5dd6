/* shared_read_after_write_volatile - the last warp of a reduction, unrolled, as it was written before Volta: volatile
 * makes each access happen, but orders no thread behind another. */
// TOOL: racecheck
// EXPECT: shared-read-after-write line @tail other line @tail
// EXPECT: shared-write-after-read line @tail other line @tail
#include "check.h"

__global__ void reduce(const int *in, int *out)
{
    __shared__ int sums[128];
    int t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 64)
        sums[t] += sums[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile int *v = sums;
        v[t] += v[t + 32]; // @tail
        v[t] += v[t + 16]; // @tail
        v[t] += v[t + 8];  // @tail
        v[t] += v[t + 4];  // @tail
        v[t] += v[t + 2];  // @tail
        v[t] += v[t + 1];  // @tail
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

int main()
{
    enum { BLOCKS = 3, N = BLOCKS * 128 };
    static int host[N];
    int *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i % 10;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, BLOCKS * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduce<<<BLOCKS, 128>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, BLOCKS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
