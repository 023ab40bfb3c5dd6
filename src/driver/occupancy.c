/* occupancy.c - the occupancy queries, on the rules of model/occupancy.h. */
#include "model/occupancy.h"
#include "driver/driver.h"

i32 carveout_kib(int percent)
{
    return percent < 0 ? -1 : (i32)((u64)drv.gpu.shared_per_sm / 1024 * (u32)percent / 100);
}

/* The estimate, or what a block of so many threads can have at most: it runs. */
static u32 registers_for(CUfunction f, u32 threads)
{
    const struct gpu *g = &drv.gpu;
    const u32 warps = threads / g->warp_size + (threads % g->warp_size != 0),
              unit = g->register_unit ? g->register_unit : 256;
    const u32 most = warps && threads <= function_launch_threads(f)
                         ? g->registers_per_block / warps / unit * unit / g->warp_size
                         : f->ir->registers;
    return f->ir->registers < most ? f->ir->registers : most;
}

u32 function_blocks_per_sm(CUfunction f, u32 threads, size_t dynamic_shared)
{
    if (dynamic_shared > drv.gpu.shared_per_sm)
        return 0;
    const struct occupancy_request q = {
        .threads = threads,
        .regs = registers_for(f, threads),
        .static_shared = f->ir->shared_bytes,
        .dynamic_shared = (u32)dynamic_shared,
        .carveout_kib = carveout_kib(f->carveout),
        .barriers = f->ir->nbarriers,
    };
    return occupancy(&drv.gpu, &q).blocks_per_sm;
}

u32 function_cluster_most(CUfunction f)
{
    enum { PORTABLE = 8, MOST = 16 };
    return f->nonportable_cluster ? MOST : PORTABLE;
}

static u32 max_threads(CUfunction f)
{
    int n = 0;
    function_attribute(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &n);
    return (u32)n;
}

CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags)
{
    CUfunction f;
    if (!numBlocks || blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(func, &f);
    if (r != CUDA_SUCCESS)
        return r;
    bool fits = (u32)blockSize <= max_threads(f);
    *numBlocks = fits ? (int)function_blocks_per_sm(f, (u32)blockSize, dynamicSMemSize) : 0;
    return CUDA_SUCCESS;
}

CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                          size_t dynamicSMemSize)
{
    return impl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

/* The largest block, in steps of a warp, that keeps the most threads resident. */
static void best_block(CUfunction f, CUoccupancyB2DSize dynamic, size_t fixed, u32 limit, int *grid, int *block)
{
    u32 warp = drv.gpu.warp_size, most = max_threads(f), best_threads = 0;
    if (limit == 0 || limit > most)
        limit = most;
    *grid = *block = 0;
    for (u32 top = (u32)ls_align_up(limit, warp); top > 0; top -= warp) {
        u32 threads = top < limit ? top : limit;
        size_t shared = dynamic ? dynamic((int)threads) : fixed;
        u32 blocks = function_blocks_per_sm(f, threads, shared);
        if (blocks * threads <= best_threads)
            continue;
        best_threads = blocks * threads;
        *block = (int)threads;
        *grid = (int)(blocks * drv.gpu.sms);
    }
}

CUresult impl_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                        CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                        size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
    CUfunction f;
    if (!minGridSize || !blockSize || blockSizeLimit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(func, &f);
    if (r == CUDA_SUCCESS)
        best_block(f, blockSizeToDynamicSMemSize, dynamicSMemSize, (u32)blockSizeLimit, minGridSize, blockSize);
    return r;
}

CUresult impl_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                               int blockSizeLimit)
{
    return impl_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                                          dynamicSMemSize, blockSizeLimit, 0);
}

/* An SM's shared memory, shared out; without what the system and the kernel's own variables take. */
CUresult impl_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                      int blockSize)
{
    CUfunction f;
    const struct gpu *g = &drv.gpu;
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(func, &f);
    if (r != CUDA_SUCCESS)
        return r;
    *dynamicSmemSize = 0;
    if ((u32)blockSize > max_threads(f) || (u32)numBlocks > function_blocks_per_sm(f, (u32)blockSize, 0))
        return CUDA_SUCCESS;
    u32 unit = g->shared_unit ? g->shared_unit : 128;
    u32 share = g->shared_per_sm / (u32)numBlocks / unit * unit, taken = f->ir->shared_bytes + g->shared_reserved;
    int most = 0;
    function_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &most);
    u32 room = share > taken ? share - taken : 0;
    *dynamicSmemSize = room < (u32)most ? room : (u32)most;
    return CUDA_SUCCESS;
}

/* ---- clusters ---- */

/* Of a launch of this shape: its cluster's blocks, and how many blocks an SM holds. */
static CUresult cluster_of(CUfunction func, const CUlaunchConfig *c, u32 *cluster, u32 *per_sm)
{
    CUfunction f;
    const CUresult r = function_find(func, &f);
    if (r != CUDA_SUCCESS)
        return r;
    const u32 *declared = f->ir->src->cluster;
    const u64 threads = (u64)c->blockDimX * c->blockDimY * c->blockDimZ;
    u64 n = 1;
    for (int k = 0; k < 3; k++)
        n *= declared[k] ? declared[k] : 1;
    for (unsigned k = 0; k < c->numAttrs; k++)
        if (c->attrs[k].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            n = (u64)c->attrs[k].value.clusterDim.x * c->attrs[k].value.clusterDim.y * c->attrs[k].value.clusterDim.z;
    if (!threads)
        return CUDA_ERROR_INVALID_VALUE;
    if (!n || n > function_cluster_most(f))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *cluster = (u32)n;
    *per_sm = threads <= max_threads(f) ? function_blocks_per_sm(f, (u32)threads, c->sharedMemBytes) : 0;
    return CUDA_SUCCESS;
}

CUresult impl_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config)
{
    u32 cluster, per_sm;
    if (!numClusters || !config)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = cluster_of(func, config, &cluster, &per_sm);
    if (r == CUDA_SUCCESS)
        *numClusters = (int)occupancy_clusters(&drv.gpu, per_sm, cluster);
    return r;
}

CUresult impl_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config)
{
    CUfunction f;
    u32 cluster, per_sm;
    if (!clusterSize || !config)
        return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig plain = *config;
    plain.numAttrs = 0; /* whatever cluster it asks for */
    CUresult r = function_find(func, &f);
    if (r == CUDA_SUCCESS)
        r = cluster_of(func, &plain, &cluster, &per_sm);
    if (r != CUDA_SUCCESS)
        return r;
    u32 size = function_cluster_most(f);
    while (size && !occupancy_clusters(&drv.gpu, per_sm, size))
        size--;
    *clusterSize = (int)size;
    return CUDA_SUCCESS;
}
