/* cooperative - cooperative groups: tiles of every size, groups of active threads, partitions, reductions and scans of
 * groups, the barrier of a whole grid, and a launch that is too large for it. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto four = cg::tiled_partition<4>(block);
    auto sixteen = cg::tiled_partition<16>(block);
    auto warp = cg::tiled_partition<32>(block);
    int rank = block.thread_rank();
    int sum4 = 0, v = rank;
    for (int i = four.size() / 2; i > 0; i /= 2)
        v += four.shfl_xor(v, i);
    sum4 = v;
    out[rank] = sum4;
    out[64 + rank] = sixteen.meta_group_rank() * 100 + sixteen.thread_rank();
    out[128 + rank] = cg::reduce(warp, rank, cg::plus<int>());
    out[192 + rank] = cg::reduce(sixteen, rank, cg::greater<int>());
    out[256 + rank] = cg::exclusive_scan(warp, 1);
    out[320 + rank] = warp.any(rank == 40) * 2 + warp.all(rank < 32);
    int active = -1;
    if (rank % 5 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        active = group.size() * 1000 + group.thread_rank() * 10 + group.shfl(rank == 0 || rank == 35, 0);
    }
    out[384 + rank] = active;
    auto parity = cg::labeled_partition(warp, rank % 3);
    out[448 + rank] = parity.size() * 100 + parity.thread_rank();
    block.sync();
}

/* Warp-aggregated counter: one atomic for all threads that take part. */
__device__ int take(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, (int)active.size());
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void filter(const int *in, int *out, int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[take(counter)] = in[i];
}

/* Sums of all blocks are seen by all blocks behind the barrier. */
__global__ void grid_sum(const int *in, int *partial, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int mine = 0;
    for (int i = grid.thread_rank(); i < n; i += (int)grid.size())
        mine += in[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
    grid.sync();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            total += partial[b];
        out[blockIdx.x] = total;
    }
}

static void test_tiles(void)
{
    static int host[512];
    int *device, bad[8] = {0};
    CHECK(cudaMalloc(&device, sizeof host));
    tiles<<<1, 64>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        int base = i / 4 * 4, lane = i % 32, in_warp = 0, rank = 0, same = 0, before = 0;
        for (int j = 0; j < 32; j++) {
            in_warp += (i / 32 * 32 + j) % 5 == 0;
            rank += (i / 32 * 32 + j) % 5 == 0 && j < lane;
            same += (i / 32 * 32 + j) % 3 == i % 3;
            before += (i / 32 * 32 + j) % 3 == i % 3 && j < lane;
        }
        bad[0] += host[i] != 4 * base + 6;
        bad[1] += host[64 + i] != i / 16 * 100 + i % 16;
        bad[2] += host[128 + i] != (i < 32 ? 496 : 496 + 1024);
        bad[3] += host[192 + i] != i / 16 * 16 + 15;
        bad[4] += host[256 + i] != lane;
        bad[5] += host[320 + i] != (i < 32 ? 1 : 2);
        bad[6] += host[384 + i] != (i % 5 ? -1 : in_warp * 1000 + rank * 10 + 1);
        bad[7] += host[448 + i] != same * 100 + before;
    }
    const char *what[8] = {"tiles of four exchange", "ranks of tiles",  "the sum of a tile", "the maximum of a tile",
                           "the scan of a tile",     "votes of a tile", "active threads",    "labelled parts"};
    for (int i = 0; i < 8; i++)
        verdict(bad[i] == 0, "%s", what[i]);
    CHECK(cudaFree(device));
}

enum { N = 3000 };

static void test_filter(const int *in)
{
    int *out, *counter, count = 0, want = 0, host[N];
    long long sum = 0, want_sum = 0;
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    filter<<<(N + 127) / 128, 128>>>(in, out, counter, N);
    CHECK(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(host, out, count * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        sum += host[i];
    for (int i = 0; i < N; i += 3) {
        want++;
        want_sum += i;
    }
    verdict(count == want && sum == want_sum, "one atomic for the active threads of a warp");
    CHECK(cudaFree(out));
    CHECK(cudaFree(counter));
}

static void test_grid(int *in)
{
    int blocks = 0, sms = 0, host[64], bad = 0, n = N, *partial, *out;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_sum, 128, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    verdict(blocks > 0, "the grid's kernel fits");
    CHECK(cudaMalloc(&partial, 64 * sizeof *partial));
    CHECK(cudaMalloc(&out, 64 * sizeof *out));
    void *args[] = {&in, &partial, &out, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)grid_sum, dim3(64), dim3(128), args, 0, 0));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        bad += host[i] != N * (N - 1) / 2;
    verdict(bad == 0, "the barrier of a grid");
    verdict(cudaLaunchCooperativeKernel((void *)grid_sum, dim3(blocks * sms + 1), dim3(128), args, 0, 0) ==
                cudaErrorCooperativeLaunchTooLarge,
            "a grid that cannot be resident is refused");
    cudaGetLastError();
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
}

int main()
{
    int host[N], *in;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    test_tiles();
    test_filter(in);
    test_grid(in);
    CHECK(cudaFree(in));
    return failures;
}
