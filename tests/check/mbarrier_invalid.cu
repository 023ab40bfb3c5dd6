/* mbarrier_invalid - nobody initialised the mbarrier. */
// TOOL: synccheck
// EXPECT: mbarrier-invalid line @arrive
#include "check.h"

__global__ void meet(const int *in, int *out)
{
    __shared__ uint64_t barrier;
    __shared__ int tile[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), t = threadIdx.x, done = 0;
    uint64_t phase;
    tile[t] = in[t];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(at) : "memory"); // @arrive
    while (!done)
        asm volatile("{\n\t"
                     ".reg .pred over;\n\t"
                     "mbarrier.test_wait.shared.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(at), "l"(phase)
                     : "memory");
    out[t] = tile[63 - t];
}

int main()
{
    enum { N = 64 };
    int host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    meet<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
