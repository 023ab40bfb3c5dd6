/* missing_wgmma_fence, with the fence. */
#include "check.h"

// Every line of A and every column of B are the same 32 bytes of the tile, for both offsets of the descriptor are 0.
__global__ void multiplied(const unsigned *in, int *out)
{
    __shared__ __align__(128) unsigned tile[32];
    int t = threadIdx.x, d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    unsigned long long matrix = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    if (t < 32)
        tile[t] = in[t];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%0, %1, %2, %3}, %4, %4, 1;"
                 : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
                 : "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)::"memory");
    d0 *= t;
    d1 += t;
    asm volatile("wgmma.fence.sync.aligned;" : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)::"memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%0, %1, %2, %3}, %4, %4, 1;"
                 : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
                 : "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)::"memory");
    out[t] = d0 + d1 + d2 + d3;
}

int main()
{
    enum { N = 128 };
    static int host[N];
    unsigned *in;
    int *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    multiplied<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
