// tensor_library - tiles by TMA and clusters as CUDA C++ programs write them with libcu++: cuda::barrier and its bytes, cuda::ptx, the
// older names, the driver's function by cudaGetDriverEntryPoint.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <utility>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { ROWS = 96, COLS = 160, TILE = 32 };

// Each block turns a tile over in place: y becomes TILE - 1 - y. By the newer names, or by the older ones.
template <bool Newer> __global__ void turn(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int tile[TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE, t = threadIdx.x;
    const int32_t at[2] = {x, y};
    if (t == 0)
    {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (t == 0)
    {
        if (Newer)
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, &map, at, cuda::device::barrier_native_handle(bar));
        else
            cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
        bar.wait(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
    }
    else
        bar.wait(bar.arrive());
    for (int i = 0; i < TILE / 2; i++)
    {
        const int a = tile[i][t], b = tile[TILE - 1 - i][t];
        tile[i][t] = b;
        tile[TILE - 1 - i][t] = a + 1;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0)
    {
        if (Newer)
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, &tile);
        else
            cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        bar.~barrier();
    }
}

// Lines of 256 ints, copied in bulk, summed and added to a total in bulk.
__global__ void lines(const int *in, int *total)
{
    __shared__ alignas(16) int line[256], sums[4];
    __shared__ barrier bar;
    const int t = threadIdx.x;
    if (t == 0)
    {
        init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    if (t < 4)
        sums[t] = 0;
    __syncthreads();
    barrier::arrival_token token = [&] {
        if (t)
            return bar.arrive();
        cuda::device::memcpy_async_tx(line, in + 256 * blockIdx.x, cuda::aligned_size_t<16>(sizeof line), bar);
        return cuda::device::barrier_arrive_tx(bar, 1, sizeof line);
    }();
    bar.wait(std::move(token));
    atomicAdd(&sums[t % 4], line[t]);
    ptx::fence_proxy_async();
    bar.arrive_and_wait();
    if (t == 0)
    {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, total, (const int *)sums, sizeof sums);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Blocks of a cluster: each sends its number to the next one's shared memory, which waits for it by an mbarrier.
__global__ void __cluster_dims__(4) pass(int *out)
{
    __shared__ alignas(16) int mine[4], from[4];
    __shared__ uint64_t bar;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    if (threadIdx.x == 0)
    {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        for (int k = 0; k < 4; k++)
            mine[k] = 10 * rank + k;
        ptx::fence_proxy_async(ptx::space_shared);
    }
    cluster.sync();
    if (threadIdx.x == 0)
    {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof from);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(from, next), mine, sizeof mine,
                           cluster.map_shared_rank(&bar, next));
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
            ;
        for (int k = 0; k < 4; k++)
            out[4 * blockIdx.x + k] = from[k];
    }
    cluster.sync();
}

static PFN_cuTensorMapEncodeTiled_v12000 encode_function()
{
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
#else
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault, &found);
#endif
    return (PFN_cuTensorMapEncodeTiled_v12000)f;
}

static unsigned hash(const int *p, int n)
{
    unsigned h = 2166136261u;
    for (int k = 0; k < n; k++)
        h = (h ^ (unsigned)p[k]) * 16777619u;
    return h;
}

int main()
{
    static int host[ROWS * COLS];
    int *memory;
    CUtensorMap map;
    const cuuint64_t size[] = {COLS, ROWS}, pitch[] = {COLS * sizeof(int)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    cudaMalloc(&memory, sizeof host);
    for (int k = 0; k < ROWS * COLS; k++)
        host[k] = k;
    cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
    const CUresult r = encode_function()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, memory, size, pitch, box, step,
                                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    printf("map: %d\n", (int)r);
    turn<true><<<dim3(COLS / TILE, ROWS / TILE), TILE>>>(map);
    turn<false><<<dim3(COLS / TILE, ROWS / TILE), TILE>>>(map);
    cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost);
    printf("turn: %s %d %d %08x\n", cudaGetErrorName(cudaGetLastError()), host[0], host[ROWS * COLS - 1], hash(host, ROWS * COLS));
    int *total, sums[4];
    cudaMalloc(&total, sizeof sums);
    cudaMemset(total, 0, sizeof sums);
    lines<<<ROWS * COLS / 256, 256>>>(memory, total);
    cudaMemcpy(sums, total, sizeof sums, cudaMemcpyDeviceToHost);
    printf("lines: %s %d %d %d %d\n", cudaGetErrorName(cudaGetLastError()), sums[0], sums[1], sums[2], sums[3]);
    pass<<<8, 32>>>(memory);
    cudaMemcpy(host, memory, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("pass: %s", cudaGetErrorName(cudaGetLastError()));
    for (int k = 0; k < 32; k++)
        printf(" %d", host[k]);
    printf("\n");
    return 0;
}
