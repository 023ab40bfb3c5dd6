/* out_of_bounds_vector - four floats at a time, of an array whose length is no multiple of four: the last 16 bytes
 * begin inside and end 8 bytes behind it. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @load
// ALSO: api-error
#include "check.h"

__global__ void scale(const float *in, float *out, float factor, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i < n) {
        float4 v = *(const float4 *)(in + i); // @load
        v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
        *(float4 *)(out + i) = v;
    }
}

int main()
{
    enum { N = 1022, BLOCK = 128 };
    static float host[N];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, (N + 2) * sizeof *out)); // rounded up; the input was not
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    scale<<<(N / 4 + BLOCK) / BLOCK, BLOCK>>>(in, out, 2.0f, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
