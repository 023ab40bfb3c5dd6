/* out_of_bounds_shared - a tile with room for the halo on one side only: the last threads' right neighbours lie behind
 * it. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @right
// ALSO: api-error
#include "check.h"

enum { BLUR_RADIUS = 4 };

__global__ void blur(const float *in, float *out, int n)
{
    extern __shared__ float tile[]; // the launch says how much
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + BLUR_RADIUS;
    tile[t] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < BLUR_RADIUS) {
        int left = i - BLUR_RADIUS, right = i + blockDim.x;
        tile[t - BLUR_RADIUS] = left >= 0 ? in[left] : 0.0f;
        tile[t + blockDim.x] = right < n ? in[right] : 0.0f; // @right
    }
    __syncthreads();
    if (i < n)
        out[i] = 0.5f * tile[t] + 0.25f * (tile[t - BLUR_RADIUS] + tile[t + BLUR_RADIUS]); // @right
}

int main()
{
    enum { N = 500, BLOCK = 128 };
    static float host[N];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    blur<<<(N + BLOCK - 1) / BLOCK, BLOCK, (BLOCK + BLUR_RADIUS) * sizeof(float)>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
