/* tensor_copies - tensor maps as pipelines use them: a ring of stages that one warp fills and the others empty, a tile for both
 * blocks of a cluster at once, values for the neighbour, sums into global memory. */
#include <cuda.h>
#include <cuda_runtime.h>

#include "program.h"

enum { ROWS = 96, COLUMNS = 160, TILE_ROWS = 8, TILE_COLUMNS = 32, STAGES = 3 };

__device__ unsigned at_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void make(unsigned long long *bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at_of(bar)), "r"(count) : "memory");
}

__device__ void expect(unsigned long long *bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at_of(bar)), "r"(bytes) : "memory");
}

__device__ void arrive(unsigned long long *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at_of(bar)) : "memory");
}

__device__ void wait(unsigned long long *bar, unsigned parity)
{
    asm volatile("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN%=; }" ::"r"(at_of(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, unsigned long long *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     at_of(to)),
                 "l"(map), "r"(x), "r"(y), "r"(at_of(bar))
                 : "memory");
}

/* Warp 0 loads the tiles of a column of the matrix into the ring; warps 1 and 2 add 1 and send them on. */
__global__ void ring(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
    __shared__ alignas(128) int stage[STAGES][TILE_ROWS][TILE_COLUMNS];
    __shared__ alignas(128) int made[TILE_ROWS][TILE_COLUMNS];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    const unsigned warp = threadIdx.x / 32, x = blockIdx.x * TILE_COLUMNS, tiles = ROWS / TILE_ROWS;
    if (!threadIdx.x) {
        for (int k = 0; k < STAGES; k++)
            make(&full[k], 1), make(&empty[k], 64);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    for (unsigned t = 0; t < tiles; t++) {
        const unsigned s = t % STAGES, round = t / STAGES;
        if (warp == 0) {
            if (threadIdx.x == 0) {
                wait(&empty[s], (round & 1) ^ 1);
                expect(&full[s], sizeof stage[s]);
                load(stage[s], &in, x, t * TILE_ROWS, &full[s]);
            }
            continue;
        }
        wait(&full[s], round & 1);
        for (unsigned k = threadIdx.x - 32; k < TILE_ROWS * TILE_COLUMNS; k += 64)
            (&made[0][0])[k] = (&stage[s][0][0])[k] + 1;
        arrive(&empty[s]);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (threadIdx.x == 32)
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                         "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::"l"(&out),
                         "r"(x), "r"(t * TILE_ROWS), "r"(at_of(made))
                         : "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}

/* Each block of a pair loads half of a tile for both, sends the other its rank, and adds what it has to `sums`. */
__global__ void __cluster_dims__(2, 1, 1)
    pair(const __grid_constant__ CUtensorMap half, const __grid_constant__ CUtensorMap sums, int *ranks)
{
    __shared__ alignas(128) int tile[2][TILE_ROWS / 2][TILE_COLUMNS];
    __shared__ alignas(16) int from;
    __shared__ unsigned long long bar, told;
    unsigned rank, there, their_bar;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (!threadIdx.x) {
        make(&bar, 1), make(&told, 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (!threadIdx.x) {
        expect(&bar, sizeof tile);
        expect(&told, 4);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at_of(tile[rank])),
                     "l"(&half), "r"(blockIdx.x / 2 * TILE_COLUMNS), "r"(rank * TILE_ROWS / 2), "r"(at_of(&bar)), "h"((short)3)
                     : "memory");
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at_of(&from)), "r"(rank ^ 1));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(their_bar) : "r"(at_of(&told)), "r"(rank ^ 1));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there), "r"(blockIdx.x + 10),
                     "r"(their_bar)
                     : "memory");
    }
    wait(&bar, 0);
    wait(&told, 0);
    if (!threadIdx.x) {
        ranks[blockIdx.x] = from;
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                     "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&sums),
                     "r"(0), "r"(0), "r"(at_of(tile))
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                          const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                          CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(int *at, unsigned rows, unsigned columns, unsigned box_rows)
{
    CUtensorMap m;
    const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * sizeof *at};
    const cuuint32_t box[] = {TILE_COLUMNS, box_rows}, steps[] = {1, 1};
    const CUresult r = encode(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, dims, strides, box, steps,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS)
        printf("no map: %d\n", (int)r);
    return m;
}

int main()
{
    static int host[ROWS * COLUMNS], got[ROWS * COLUMNS];
    int *in, *out, *sums, *ranks, wrong = 0;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, NULL));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        host[k] = k * 7;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&sums, TILE_ROWS * TILE_COLUMNS * sizeof *sums));
    CHECK(cudaMalloc(&ranks, 64));
    CHECK(cudaMemset(sums, 0, TILE_ROWS * TILE_COLUMNS * sizeof *sums));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    ring<<<COLUMNS / TILE_COLUMNS, 96>>>(map_of(in, ROWS, COLUMNS, TILE_ROWS), map_of(out, ROWS, COLUMNS, TILE_ROWS));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        wrong += got[k] != host[k] + 1;
    printf("ring: %d wrong\n", wrong);
    const int pairs = COLUMNS / TILE_COLUMNS;
    pair<<<2 * pairs, 32>>>(map_of(in, ROWS, COLUMNS, TILE_ROWS / 2), map_of(sums, TILE_ROWS, TILE_COLUMNS, TILE_ROWS), ranks);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, ranks, 8 * pairs, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int k = 0; k < 2 * pairs; k++)
        wrong += got[k] != (k ^ 1) + 10;
    CHECK(cudaMemcpy(got, sums, TILE_ROWS * TILE_COLUMNS * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < TILE_ROWS; y++)
        for (int x = 0; x < TILE_COLUMNS; x++) {
            int sum = 0;
            for (int p = 0; p < pairs; p++)
                sum += 2 * host[y * COLUMNS + p * TILE_COLUMNS + x];
            wrong += got[y * TILE_COLUMNS + x] != sum;
        }
    printf("pairs: %d wrong\n", wrong);
    return 0;
}
