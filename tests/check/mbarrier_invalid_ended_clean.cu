/* mbarrier_invalid_ended_clean - thread 0 ends the mbarrier when all have seen that the phase is over. */
#include "check.h"

__global__ void meet(const int *in, int *out)
{
    __shared__ uint64_t barrier;
    __shared__ int tile[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), t = threadIdx.x, done = 0;
    uint64_t phase;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    tile[t] = in[t];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(at) : "memory");
    for (int k = 0; k < 10 && t >= 32; k++)
        __nanosleep(1000); // other work
    while (!done)
        asm volatile("{\n\t" // @wait
                     ".reg .pred over;\n\t"
                     "mbarrier.test_wait.shared.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(at), "l"(phase) // @wait
                     : "memory");
    __syncthreads();
    if (t == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
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
