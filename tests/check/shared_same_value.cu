/* shared_same_value - whoever finds a negative number sets the flag. */
// TOOL: racecheck
// EXPECT: shared-same-value line @set other line @set
#include "check.h"

__global__ void any_negative(const int *in, int *out)
{
    int t = threadIdx.x;
    __shared__ int found;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + t] < 0)
        found = 1; // @set
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = found;
}

int main()
{
    enum { BLOCKS = 2, N = BLOCKS * 128 };
    static int host[N];
    int *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i % 5 - 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, BLOCKS * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    any_negative<<<BLOCKS, 128>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, BLOCKS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
