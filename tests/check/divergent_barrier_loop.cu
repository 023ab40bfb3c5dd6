/* divergent_barrier_loop - a barrier in a loop whose number of rounds depends on the thread. */
// TOOL: synccheck
// EXPECT: divergent-barrier line @barrier
// ALSO: divergent-barrier barrier-after-exit
#include "check.h"

__global__ void rows(const int *lengths, const int *in, int *out, int stride)
{
    __shared__ int row[32];
    int t = threadIdx.x, sum = 0;
    for (int j = 0; j < lengths[t]; j++) {
        row[t] = in[t * stride + j];
        __syncthreads(); // @barrier
        sum += row[t] > row[(t + 1) % 32];
        __syncthreads(); // @barrier
    }
    row[t] = sum;
    __syncthreads();
    out[t] = row[31 - t];
}

int main()
{
    enum { N = 32, STRIDE = 4 };
    int lengths[N], host[N * STRIDE] = {0}, *d_lengths, *in, *out;
    for (int i = 0; i < N; i++)
        lengths[i] = 1 + i % STRIDE;
    CHECK(cudaMalloc(&d_lengths, sizeof lengths));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemcpy(d_lengths, lengths, sizeof lengths, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    rows<<<1, N>>>(d_lengths, in, out, STRIDE);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(lengths, out, sizeof lengths, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_lengths));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
