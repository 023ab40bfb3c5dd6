// cluster_start.cu - what starting blocks in clusters costs: kernels whose blocks do nothing, meet at the cluster's barrier once,
// or read a word of the next block's shared memory, in clusters of 1 to 8 blocks, in grids of 1 to 64 blocks an SM. A row a launch,
// which a profiler's rows follow in order:
//
//     nvcc -O3 -gencode arch=compute_90a,code=sm_90a cluster_start.cu -o cluster_start
//     ncu --csv --page raw --print-units base --clock-control none --cache-control none \
//         --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max,sm__cycles_elapsed.max ./cluster_start
#include <cstdio>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void nothing(int *out)
{
    if (out)
        *out = 1;
}

__global__ void meet(int *out)
{
    cg::this_cluster().sync();
    if (out)
        *out = 1;
}

__global__ void look(int *out)
{
    __shared__ int word;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0)
        word = (int)blockIdx.x;
    c.sync();
    int there = *c.map_shared_rank(&word, (c.block_rank() + 1) % c.num_blocks());
    c.sync();
    if (out && there < 0)
        *out = 1;
}

static void launch(const char *name, void (*kernel)(int *), int cluster, int blocks, int threads, int shared)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = cluster > 0;
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    const cudaError_t status = cudaLaunchKernelEx(&config, kernel, (int *)nullptr);
    if (status != cudaSuccess)
        cudaGetLastError(); // no row of the profiler's
    else
        printf("%s,%d,%d,%d,%d\n", name, cluster, blocks, threads, shared);
    cudaDeviceSynchronize();
}

int main()
{
    static const int sizes[] = {0, 1, 2, 4, 8}, waves[] = {1, 2, 4, 8, 16, 64};
    printf("kernel,cluster,blocks,threads,shared\n");
    for (int threads = 128; threads <= 1024; threads *= 8)
        for (int wave : waves)
            for (int size : sizes) {
                launch("nothing", nothing, size, 128 * wave, threads, 0);
                if (size > 0) {
                    launch("meet", meet, size, 128 * wave, threads, 0);
                    launch("look", look, size, 128 * wave, threads, 0);
                }
            }
    for (int size : sizes) // one block an SM
        launch("nothing", nothing, size, 128 * 8, 256, 200 << 10);
    return 0;
}
