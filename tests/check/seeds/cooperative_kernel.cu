/* cooperative_kernel - a kernel with a barrier of the whole grid, launched like any other: without a cooperative launch
 * there is no such barrier, and the kernel traps. */
// TOOL: all
// EXPECT: device-fault
// ALSO: api-error leak
#include <cooperative_groups.h>

#include "check.h"

__global__ void cooperativeKernel(float *data)
{
    cooperative_groups::grid_group g = cooperative_groups::this_grid();
    if (threadIdx.x == 0)
        data[blockIdx.x] = (float)g.size();
    g.sync();
    if (threadIdx.x == 0)
        data[gridDim.x + blockIdx.x] = data[gridDim.x - 1 - blockIdx.x];
}

int main()
{
    enum { GRID = 4 };
    float *data;
    CHECK(cudaMalloc(&data, 2 * GRID * sizeof *data));
    cooperativeKernel<<<GRID, 64>>>(data);
    CHECK(cudaGetLastError());
    return cudaDeviceSynchronize() != cudaSuccess;
}
