/* shared_read_after_write_arrival - both warps arrive at a barrier and one waits at it; the other stores behind its arrival. */
// TOOL: racecheck
// EXPECT: shared-read-after-write line @read
#include "check.h"

__global__ void handed(int *out)
{
    __shared__ int data[64];
    const int t = threadIdx.x;
    if (t >= 64) // a warp that takes no part: a barrier is for no more threads than the block has
        return;
    asm volatile("bar.arrive 1, 96;" ::: "memory");
    data[t] = 3 * t;
    if (t >= 32) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        out[t - 32] = data[t - 32]; // @read
    }
}

int main()
{
    static int host[32];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    handed<<<1, 96>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
