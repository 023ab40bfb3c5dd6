/* shared_read_after_write_mbarrier_clean - shared_read_after_write_mbarrier.cu with the barrier behind mbarrier.init. */
// TOOL: racecheck
#include "check.h"

__global__ void met(int *out)
{
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    unsigned done = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    enum { N = 64 };
    static int host[N];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    met<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
