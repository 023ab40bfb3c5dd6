/* reduce_sum - a reduction that halves its stride, in a block of 96 threads: 48, 24, 12, 6, 3, 1, and with three left
 * the third is never added. */
// TOOL: all
// HARMLESS: every access is inside, initialised and ordered by a barrier. The sum is too small, which only a comparison
// shows: the verifier finds it (kernels/reduce/broken/reduceSum.cu).
#include "check.h"

__global__ void reduceSum(const float *input, float *output, int n)
{
    extern __shared__ float sdata[];
    int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;
    sdata[tid] = idx < n ? input[idx] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        output[blockIdx.x] = sdata[0];
}

int main()
{
    enum { N = 500, BLOCK = 96, GRID = (N + BLOCK - 1) / BLOCK };
    static float host[N], sums[GRID];
    float *input, *output;
    CHECK(cudaMalloc(&input, sizeof host));
    CHECK(cudaMalloc(&output, sizeof sums));
    CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
    reduceSum<<<GRID, BLOCK, BLOCK * sizeof(float)>>>(input, output, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, output, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
    return 0;
}
