/* clusters.cu - what a GPU says of clusters: how many fit at once, which SMs their blocks are on, what addresses of each other's
 * shared memory look like, and how launches that cannot be are refused.
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/clusters.cu -o PROGRAM && ./PROGRAM >clusters.txt */
#include <cstdio>
#include <cuda_runtime.h>

struct seen {
    unsigned sm, plain, mapped, owner, generic_high, generic_low;
};

extern __shared__ unsigned dynamic[];

__global__ void look(struct seen *out)
{
    __shared__ unsigned one;
    struct seen s;
    unsigned rank, blocks;
    unsigned long long far;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    asm("mov.u32 %0, %%smid;" : "=r"(s.sm));
    s.plain = (unsigned)__cvta_generic_to_shared(&one);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(s.mapped) : "r"(s.plain), "r"((rank + 1) % blocks));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(s.owner) : "r"(s.mapped));
    asm("mapa.u64 %0, %1, %2;" : "=l"(far) : "l"(&one), "r"(rank));
    far -= (unsigned long long)&one; /* 0: a block's own address stays what it is */
    s.generic_high = (unsigned)(far >> 32), s.generic_low = (unsigned)far;
    if (!threadIdx.x)
        out[blockIdx.x] = s;
}

static cudaLaunchAttribute attribute;
static cudaLaunchConfig_t config_of(unsigned grid, unsigned threads, unsigned cluster, size_t shared)
{
    cudaLaunchConfig_t c = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    c.gridDim = grid;
    c.blockDim = threads;
    c.dynamicSmemBytes = shared;
    c.attrs = &attribute;
    c.numAttrs = 1;
    return c;
}

static void occupancy(unsigned threads, size_t shared)
{
    printf("clusters at once, %u threads, %zu bytes:", threads, shared);
    for (unsigned cluster = 1; cluster <= 16; cluster++) {
        int n = -1;
        const cudaLaunchConfig_t c = config_of(cluster * 64, threads, cluster, shared);
        const cudaError_t e = cudaOccupancyMaxActiveClusters(&n, look, &c);
        printf(" %d%s", n, e ? cudaGetErrorName(e) : "");
    }
    int size = -1;
    cudaLaunchConfig_t c = config_of(64, threads, 1, shared);
    const cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&size, look, &c);
    printf("; largest %d%s\n", size, e ? cudaGetErrorName(e) : "");
}

static void place(unsigned cluster)
{
    struct seen *out;
    const unsigned grid = 48 / cluster * cluster;
    cudaMallocManaged(&out, grid * sizeof *out);
    const cudaLaunchConfig_t c = config_of(grid, 64, cluster, 100 << 10);
    cudaError_t e = cudaLaunchKernelEx(&c, look, out);
    e = e ? e : cudaDeviceSynchronize();
    printf("cluster of %u (%s):\n", cluster, cudaGetErrorName(e));
    for (unsigned k = 0; !e && k < grid && k < 2 * cluster; k++)
        printf("  block %u SM %u plain %x mapped %x owner %u own generic moves by %x%08x\n", k, out[k].sm, out[k].plain,
               out[k].mapped, out[k].owner, out[k].generic_high, out[k].generic_low);
    cudaFree(out);
}

static void refused(const char *what, unsigned grid, unsigned threads, unsigned cluster, size_t shared)
{
    const cudaLaunchConfig_t c = config_of(grid, threads, cluster, shared);
    struct seen *out;
    cudaMallocManaged(&out, 1024 * sizeof *out);
    const cudaError_t e = cudaLaunchKernelEx(&c, look, out);
    printf("%s: %s, then %s\n", what, cudaGetErrorName(e), cudaGetErrorName(cudaDeviceSynchronize()));
    cudaGetLastError();
    cudaFree(out);
}

int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%s\n", p.name);
    cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10);
    refused("10 blocks, clusters of 4", 10, 64, 4, 0);
    refused("64 blocks, clusters of 16, portable", 64, 64, 16, 0);
    refused("64 blocks, clusters of 0", 64, 64, 0, 0);
    refused("63 blocks, clusters of 9, portable", 63, 64, 9, 0);
    occupancy(64, 0);
    cudaFuncSetAttribute(look, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    refused("64 blocks, clusters of 32", 64, 64, 32, 0);
    refused("51 blocks, clusters of 17", 51, 64, 17, 0);
    occupancy(64, 0);
    occupancy(1024, 0);
    occupancy(256, 100 << 10);
    occupancy(256, 200 << 10);
    for (unsigned cluster = 1; cluster <= 16; cluster *= 2)
        place(cluster);
    return 0;
}
