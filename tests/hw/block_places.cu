/* block_places.cu - which SM has which block of a launch? Prints a row a launch: threads, bytes of shared memory, blocks, cycles that
 * each block waits (long enough, and no SM has room again before all that fit are there), and of each block its SM.
 *
 *     nvcc -O3 -arch=sm_90 -o block_places block_places.cu && ./block_places */
#include "check.h"

#include <cstdio>
#include <cstdlib>

__global__ void w_place(unsigned *sms, long long wait)
{
    extern __shared__ int room[];
    if (wait < 0)
        room[threadIdx.x] = 1;
    if (threadIdx.x > 0)
        return;
    const long long start = clock64();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    sms[blockIdx.x] = sm;
    while (clock64() - start < wait)
        ;
}

static void show(int threads, int shared, int blocks, int wait)
{
    unsigned *d, *h = (unsigned *)malloc(blocks * sizeof *h);
    CHECK(cudaMalloc(&d, blocks * sizeof *d));
    for (int k = 0; k < 2; k++) { /* the second time the code is there */
        w_place<<<blocks, threads, shared>>>(d, wait);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(h, d, blocks * sizeof *h, cudaMemcpyDeviceToHost));
    printf("%d,%d,%d,%d,", threads, shared, blocks, wait);
    for (int k = 0; k < blocks; k++)
        printf("%s%u", k ? " " : "", h[k]);
    printf("\n");
    CHECK(cudaFree(d));
    free(h);
}

int main()
{
    static const int shapes[][2] = {{1024, 150 << 10}, {256, 0}, {64, 0}};
    static const int grids[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 36, 48, 64, 80, 96, 112, 128, 131, 132, 140, 160, 200, 264, 400};
    CHECK(cudaFuncSetAttribute(w_place, cudaFuncAttributeMaxDynamicSharedMemorySize, shapes[0][1]));
    printf("threads,shared,blocks,wait,sms\n");
    for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        for (unsigned g = 0; g < sizeof grids / sizeof *grids; g++)
            show(shapes[k][0], shapes[k][1], grids[g], 200000);
        show(shapes[k][0], shapes[k][1], 3000, 0);
        show(shapes[k][0], shapes[k][1], 3000, 2000);
    }
    return 0;
}
