/* shared_read_after_write_arrival_clean - both warps arrive at a barrier, and one of them comes again to wait at it: three warps. */
// TOOL: racecheck, synccheck
#include "check.h"

__global__ void handed(int *out)
{
    __shared__ int data[64];
    const int t = threadIdx.x;
    if (t >= 64) // a warp that takes no part: a barrier is for no more threads than the block has
        return;
    data[t] = 3 * t;
    asm volatile("bar.arrive 1, 96;" ::: "memory");
    if (t >= 32) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        out[t - 32] = data[t - 32];
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
