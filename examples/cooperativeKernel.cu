/* cooperativeKernel - the barrier of a whole grid, by cooperative groups: every block's sum is seen by all blocks
 * behind it. It needs a cooperative launch; in any other the barrier cannot work.
 *
 * (Tutorial "From kernels to optimisation", 4.2.) */
#include <cooperative_groups.h>

#include "common.h"

using namespace cooperative_groups;

#define BLOCKS 16
#define DIM 128

__global__ void cooperativeKernel(const int *data, int *sums, int *totals)
{
    grid_group g = this_grid();
    if (g.thread_rank() == 0)
    {
        printf("Total threads: %d\n", (int)g.size());
    }
    int sum = 0;
    for (int i = threadIdx.x; i < DIM * 4; i += DIM) sum += data[blockIdx.x * DIM * 4 + i];
    atomicAdd(&sums[blockIdx.x], sum);

    // across blocks
    g.sync();

    if (threadIdx.x == 0)
    {
        int total = 0;
        for (int b = 0; b < (int)gridDim.x; b++) total += sums[b];
        totals[blockIdx.x] = total;
    }
}

int main(int argc, char **argv)
{
    enum { N = BLOCKS * DIM * 4 };
    int host[N], totals[BLOCKS], want = 0, bad = 0, *d_data, *d_sums, *d_totals;
    (void)argc;
    print_device(argv[0]);
    printf(", grid %d block %d\n", BLOCKS, DIM);
    for (int i = 0; i < N; i++)
        want += host[i] = number(i);
    CHECK(cudaMalloc(&d_data, sizeof host));
    CHECK(cudaMalloc(&d_sums, sizeof totals));
    CHECK(cudaMalloc(&d_totals, sizeof totals));
    CHECK(cudaMemset(d_sums, 0, sizeof totals));
    CHECK(cudaMemcpy(d_data, host, sizeof host, cudaMemcpyHostToDevice));
    void *args[] = {&d_data, &d_sums, &d_totals};
    CHECK(cudaLaunchCooperativeKernel((void *)cooperativeKernel, dim3(BLOCKS), dim3(DIM), args, 0, 0));
    CHECK(cudaMemcpy(totals, d_totals, sizeof totals, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        bad += totals[b] != want;
    int right = say("cooperativeKernel", bad == 0);
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_totals));
    return !right;
}
