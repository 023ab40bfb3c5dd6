/* sleep.cu - what nanosleep takes, one after the other and longer each time. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/sleep.cu -o sleep
 *     ncu --kernel-name regex:^w_ ... ./sleep     ns,n,doubles,blocks,threads
 *
 * ns: of the first sleep; n of them; doubles: each twice as long as the one before. */
#include "check.h"

#include <cstdio>

__global__ void w_sleep(unsigned ns, int n, int doubles, unsigned *out)
{
    for (int k = 0; k < n; k++) {
        __nanosleep(ns);
        ns <<= doubles;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = ns;
}

int main(void)
{
    static const unsigned sleeps[] = {0, 20, 40, 100, 200, 300, 500, 1000, 1024, 3000, 5000, 20000, 100000, 1000000, 2000000};
    static const int grids[][2] = {{1, 32}, {132, 32}, {132, 1024}};
    unsigned *out;
    CHECK(cudaMalloc(&out, sizeof *out * 132 * 1024));
    for (auto &grid : grids)
        for (unsigned ns : sleeps)
            for (int n : {1, 4, 64})
                for (int doubles : {0, 1}) {
                    if ((double)ns * (doubles ? 1 << (n < 16 ? n : 16) : n) > 5e6 || (doubles && n != 4))
                        continue;
                    w_sleep<<<grid[0], grid[1]>>>(ns, n, doubles, out);
                    CHECK(cudaGetLastError());
                    CHECK(cudaDeviceSynchronize());
                    printf("%u,%d,%d,%d,%d\n", ns, n, doubles, grid[0], grid[1]);
                }
    return 0;
}
