/* wrong_space - inline PTX that reads shared memory, by a pointer that was not converted: a pointer in C++ is a generic
 * address, and ld.shared wants an offset in shared memory. */
// TOOL: memcheck
// EXPECT: wrong-space line @load
// ALSO: api-error
#include "check.h"

__device__ float load_shared(const float *p)
{
    float v;
    size_t address = (size_t)p;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "l"(address) : "memory"); // @load
    return v;
}

__global__ void reversed(const float *in, float *out)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = load_shared(&tile[63 - threadIdx.x]);
}

int main()
{
    enum { N = 64 };
    float host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reversed<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
