/* uninitialized_register - inline PTX with a guarded load, and no value for those who do not load. */
// TOOL: initcheck
// EXPECT: uninitialized-register
#include "check.h"

__device__ float load_below(const float *p, int i, int n)
{
    float v;
    asm volatile("{\n\t" // @load
                 ".reg .pred inside;\n\t"
                 ".reg .f32 loaded, doubled;\n\t"
                 "setp.lt.s32 inside, %2, %3;\n\t"
                 "@inside ld.global.f32 loaded, [%1];\n\t"
                 "add.f32 doubled, loaded, loaded;\n\t"
                 "mov.f32 %0, doubled;\n\t"
                 "}"
                 : "=f"(v)
                 : "l"(__cvta_generic_to_global(p + i)), "r"(i), "r"(n)
                 : "memory");
    return v;
}

__global__ void padded(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = load_below(in, i, n); // @store
}

int main()
{
    enum { N = 100, PADDED = 128 };
    float host[PADDED] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, N * sizeof *in, cudaMemcpyHostToDevice));
    padded<<<PADDED / 32, 32>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
