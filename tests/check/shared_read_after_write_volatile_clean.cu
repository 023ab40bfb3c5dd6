/* shared_read_after_write_volatile_clean - the last warp of a reduction, unrolled, with __syncwarp() between reads and
 * writes. */
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
        int sum = sums[t] + sums[t + 32];
        for (int step = 16; step > 0; step /= 2) {
            sums[t] = sum;
            __syncwarp();
            sum += t < step ? sums[t + step] : 0;
            __syncwarp();
        }
        sums[t] = sum;
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
