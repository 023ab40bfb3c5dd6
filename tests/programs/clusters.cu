/* clusters - the blocks of a cluster: who they are, each other's shared memory, their barrier, atomics, mbarriers and bulk
 * copies across blocks, launches that cannot be. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;

/* ---- launching ---- */

template <class... Want, class... Args>
static cudaError_t launch(void (*kernel)(Want...), dim3 grid, dim3 block, dim3 cluster, size_t shared, Args... args)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

/* ---- who is who ---- */

struct who {
    unsigned cluster[3], at[3], blocks[3], rank, size, threads, thread;
};

__global__ void name_blocks(who *out)
{
    const cg::cluster_group c = cg::this_cluster();
    who w;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(w.cluster[0]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(w.cluster[1]));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(w.cluster[2]));
    w.at[0] = c.block_index().x, w.at[1] = c.block_index().y, w.at[2] = c.block_index().z;
    w.blocks[0] = c.dim_blocks().x, w.blocks[1] = c.dim_blocks().y, w.blocks[2] = c.dim_blocks().z;
    w.rank = c.block_rank(), w.size = c.num_blocks(), w.threads = c.num_threads(), w.thread = c.thread_rank();
    if (threadIdx.x == 5)
        out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = w;
}

static void names(dim3 grid, dim3 cluster)
{
    const unsigned blocks = grid.x * grid.y * grid.z;
    who *out;
    int bad = 0;
    CHECK(cudaMallocManaged(&out, blocks * sizeof *out));
    CHECK(launch(name_blocks, grid, 32, cluster, 0, out));
    CHECK(cudaDeviceSynchronize());
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                const who w = out[x + grid.x * (y + grid.y * z)];
                const unsigned size = cluster.x * cluster.y * cluster.z;
                const unsigned at[] = {x % cluster.x, y % cluster.y, z % cluster.z};
                const unsigned rank = at[0] + cluster.x * (at[1] + cluster.y * at[2]);
                bad += w.cluster[0] != x / cluster.x || w.cluster[1] != y / cluster.y || w.cluster[2] != z / cluster.z;
                bad += w.at[0] != at[0] || w.at[1] != at[1] || w.at[2] != at[2];
                bad += w.blocks[0] != cluster.x || w.blocks[1] != cluster.y || w.blocks[2] != cluster.z;
                bad += w.rank != rank || w.size != size || w.threads != 32 * size || w.thread != 32 * rank + 5;
            }
    verdict(!bad, "names in a grid of %ux%ux%u, clusters of %ux%ux%u", grid.x, grid.y, grid.z, cluster.x, cluster.y,
            cluster.z);
    CHECK(cudaFree(out));
}

/* ---- a histogram over the shared memory of all blocks ---- */

enum { BINS = 256 };

__global__ void histogram(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned part[BINS];
    const cg::cluster_group c = cg::this_cluster();
    const int each = BINS / c.num_blocks();
    for (int k = threadIdx.x; k < each; k += blockDim.x)
        part[k] = 0;
    c.sync();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(c.map_shared_rank(part, in[k] / each) + in[k] % each, 1u);
    c.sync();
    for (int k = threadIdx.x; k < each; k += blockDim.x)
        atomicAdd(bins + c.block_rank() * each + k, part[k]);
}

static void count_bytes(int cluster)
{
    enum { N = 50000 };
    unsigned char *in;
    unsigned *bins, right[BINS] = {0};
    CHECK(cudaMallocManaged(&in, N));
    CHECK(cudaMallocManaged(&bins, BINS * sizeof *bins));
    for (int k = 0; k < N; k++)
        right[in[k] = random_bits() >> 3 & 255]++;
    memset(bins, 0, BINS * sizeof *bins);
    CHECK(launch(histogram, 16, 128, cluster, 0, in, (int)N, bins));
    CHECK(cudaDeviceSynchronize());
    verdict(!memcmp(bins, right, sizeof right), "histogram in the shared memory of %d blocks", cluster);
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
}

/* ---- loads, stores and ranks of each space ---- */

__global__ void pass_on(unsigned *out)
{
    __shared__ unsigned here[64], there[64];
    const cg::cluster_group c = cg::this_cluster();
    const unsigned n = c.num_blocks(), next = (c.block_rank() + 1) % n, t = threadIdx.x;
    here[t] = 1000 * blockIdx.x + t;
    c.sync();
    /* a load from the next block, by an address of shared memory */
    unsigned at = (unsigned)__cvta_generic_to_shared(here + t), mapped, loaded, owner, self;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(at), "r"(next));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(loaded) : "r"(mapped) : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(mapped));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(self) : "r"(at));
    /* a store to it, generic */
    unsigned *far = c.map_shared_rank(there, next);
    far[t] = loaded + 7;
    c.sync();
    const bool good = owner == next && self == c.block_rank() && c.query_shared_rank(far) == next &&
                      c.query_shared_rank(there) == c.block_rank() && c.map_shared_rank(here, c.block_rank()) == here;
    out[blockIdx.x * 64 + t] = good ? there[t] : 0xffffffffu;
}

static void ring(int cluster)
{
    unsigned *out;
    int bad = 0;
    CHECK(cudaMallocManaged(&out, 16 * 64 * sizeof *out));
    CHECK(launch(pass_on, 16, 64, cluster, 0, out));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 16 * 64; k++) /* what the block before has read is this block's own */
        bad += out[k] != (unsigned)(1000 * (k / 64) + k % 64 + 7);
    verdict(!bad, "loads and stores around a ring of %d blocks", cluster);
    CHECK(cudaFree(out));
}

/* ---- arriving without waiting, leaving early, vectors and doubles ---- */

__global__ void uneven(double *out)
{
    __shared__ double2 mine[32];
    const cg::cluster_group c = cg::this_cluster();
    mine[threadIdx.x] = make_double2(blockIdx.x + 0.25, threadIdx.x + 0.5);
    if (threadIdx.x >= 16)
        return; /* half of each block is gone: the barrier counts those that are there */
    auto token = c.barrier_arrive();
    double sum = 0;
    c.barrier_wait(static_cast<decltype(token) &&>(token));
    for (unsigned k = 0; k < c.num_blocks(); k++) {
        const double2 v = c.map_shared_rank(mine, k)[31 - threadIdx.x];
        sum += v.x * 100 + v.y;
    }
    c.sync();
    out[blockIdx.x * 16 + threadIdx.x] = sum;
}

static void leavers(int cluster)
{
    double *out;
    int bad = 0;
    CHECK(cudaMallocManaged(&out, 8 * 16 * sizeof *out));
    CHECK(launch(uneven, 8, 32, cluster, 0, out));
    CHECK(cudaDeviceSynchronize());
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < 16; t++) {
            double sum = 0;
            for (int k = 0; k < cluster; k++)
                sum += (b / cluster * cluster + k + 0.25) * 100 + 31 - t + 0.5;
            bad += out[b * 16 + t] != sum;
        }
    verdict(!bad, "half of each block gone, clusters of %d", cluster);
    CHECK(cudaFree(out));
}

/* ---- mbarriers and bulk copies ---- */

/* Block 0 copies to the shared memory of every block, whose mbarriers then hear of it. */
__global__ void spread(const int *in, int *out)
{
    __shared__ alignas(16) int to[128];
    __shared__ alignas(8) unsigned long long done;
    const cg::cluster_group c = cg::this_cluster();
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&done), at = (unsigned)__cvta_generic_to_shared(to);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    c.sync();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(barrier) : "memory");
    if (threadIdx.x == 32) { /* the second arrival comes from the next block */
        unsigned next;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(next)
            : "r"(barrier), "r"((c.block_rank() + 1) % c.num_blocks()));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(next) : "memory");
    }
    if (c.block_rank() == 0 && threadIdx.x == 0) {
        const unsigned short all = (unsigned short)((1u << c.num_blocks()) - 1);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, "
                     "[%2], %3;" ::"r"(at),
                     "l"(in + 128 * (blockIdx.x / c.num_blocks())), "r"(barrier), "h"(all)
                     : "memory");
    }
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(barrier)
                     : "memory");
    out[blockIdx.x * 128 + threadIdx.x] = to[threadIdx.x] + (int)c.block_rank();
    c.sync();
}

static void multicast(int cluster)
{
    enum { BLOCKS = 8 };
    int *in, *out, bad = 0;
    CHECK(cudaMallocManaged(&in, BLOCKS * 128 * sizeof *in));
    CHECK(cudaMallocManaged(&out, BLOCKS * 128 * sizeof *out));
    for (int k = 0; k < BLOCKS * 128; k++)
        in[k] = (int)random_bits();
    CHECK(launch(spread, BLOCKS, 128, cluster, 0, (const int *)in, out));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < BLOCKS * 128; k++)
        bad += out[k] != in[k / 128 / cluster * 128 + k % 128] + k / 128 % cluster;
    verdict(!bad, "a multicast to %d blocks", cluster);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void dynamic(int *out)
{
    extern __shared__ int words[];
    *out = words[0];
}

/* ---- launches that cannot be ---- */

static void refusals(void)
{
    who *out;
    CHECK(cudaMallocManaged(&out, 256 * sizeof *out));
    REFUSED(launch(name_blocks, 10, 32, 4, 0, out), cudaErrorInvalidClusterSize);
    cudaGetLastError();
    REFUSED(launch(name_blocks, 12, 32, 0, 0, out), cudaErrorInvalidClusterSize);
    cudaGetLastError();
    REFUSED(launch(name_blocks, 64, 32, 16, 0, out), cudaErrorInvalidClusterSize);
    cudaGetLastError();
    CHECK(cudaFuncSetAttribute((const void *)name_blocks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    names(64, 16);
    REFUSED(launch(name_blocks, 64, 32, 32, 0, out), cudaErrorInvalidClusterSize);
    cudaGetLastError();
    CHECK(cudaFree(out));
}

/* ---- how many fit ---- */

/* What an H200 says of clusters of 1 to 16 blocks (tests/hw/h200/clusters.txt); boards differ in which SMs they have. */
static void fit(unsigned threads, size_t shared, const char *right)
{
    char line[256];
    size_t len = 0;
    for (unsigned size = 1; size <= 16; size++) {
        int n = -1;
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = 64 * size;
        config.blockDim = threads;
        config.dynamicSmemBytes = shared;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaOccupancyMaxActiveClusters(&n, dynamic, &config));
        len += (size_t)snprintf(line + len, sizeof line - len, " %d", n);
    }
    verdict(!strcmp(line, right), "clusters at once, %u threads, %zu bytes", threads, shared);
}

int main(void)
{
    CHECK(cudaFuncSetAttribute((const void *)dynamic, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaFuncSetAttribute((const void *)dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
    fit(1024, 0, " 264 132 79 62 47 39 32 30 23 21 16 16 14 14 14 14");
    fit(256, 100 << 10, " 264 132 79 62 47 39 32 30 23 21 16 16 14 14 14 14");
    fit(256, 200 << 10, " 132 66 39 30 22 17 15 15 9 7 7 7 7 7 7 7");
    names(12, 1);
    names(12, 4);
    names(dim3(6, 4, 2), dim3(2, 2, 1));
    names(dim3(4, 6, 4), dim3(1, 2, 4));
    for (int cluster = 1; cluster <= 8; cluster *= 2) {
        count_bytes(cluster);
        ring(cluster);
        leavers(cluster);
        multicast(cluster);
    }
    refusals();
    return failures;
}
