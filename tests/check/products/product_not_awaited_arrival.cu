/* product_not_awaited_arrival - product_not_awaited_arrival_clean.cu with the arrival in front of the wait for the product. */
// TOOL: racecheck
// EXPECT: product-not-awaited line @store
#include "check.h"

static __device__ void arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static __device__ void wait(unsigned barrier, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

// Every line of A and every column of B are the same 32 bytes of the tile, for both offsets of the descriptor are 0.
__global__ void multiplied(const unsigned *in, int *out)
{
    enum { TILES = 3, CONSUMERS = 128 };
    __shared__ __align__(128) unsigned tile[32];
    __shared__ unsigned long long barriers[2];
    const unsigned full = (unsigned)__cvta_generic_to_shared(barriers), empty = full + 8;
    int t = threadIdx.x, d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    unsigned long long matrix = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(empty) : "memory");
    }
    __syncthreads();
    for (int k = 0; k < TILES; k++) {
        if (t >= CONSUMERS) {
            if (k)
                wait(empty, (k - 1) & 1);
            tile[t - CONSUMERS] = in[k * 32 + t - CONSUMERS]; // @store
            asm volatile("fence.proxy.async;" ::: "memory");
            __syncwarp();
            if (t == CONSUMERS)
                arrive(full);
            continue;
        }
        wait(full, k & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%0, %1, %2, %3}, %4, %4, 1;"
                     : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
                     : "l"(matrix));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (t == 0)
            arrive(empty);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    if (t < CONSUMERS)
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
    multiplied<<<1, N + 32>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
