/* copy_not_awaited_source, with the wait for the copy's reads. */
#include "check.h"

__global__ void twice(int *out)
{
    __shared__ __align__(128) int tile[64];
    const int t = threadIdx.x;
    const unsigned from = (unsigned)__cvta_generic_to_shared(tile);
    for (int round = 0; round < 2; round++) {
        tile[t] = round + t;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n"
                         "cp.async.bulk.commit_group;\n"
                         "cp.async.bulk.wait_group.read 0;" ::"l"(out + 64 * round),
                         "r"(from)
                         : "memory");
        __syncthreads();
    }
}

int main()
{
    static int host[128];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    twice<<<1, 64>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
