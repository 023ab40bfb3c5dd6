/* cuda_std - the CUDA C++ library that comes with nvcc: atomics with a scope, barriers and pipelines of a block, copies
 * that they wait for, and parts of the standard library in kernels. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;

enum { BLOCK = 128, TILES = 8, N = BLOCK * TILES };

__global__ void scoped_atomics(cuda::atomic<int, cuda::thread_scope_device> *sum, int *most)
{
    sum->fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*most);
    ref.fetch_max((int)(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void standard_library(float *out)
{
    cuda::std::array<float, 3> a = {1, 2, 3};
    cuda::std::complex<float> z(1, 2);
    cuda::std::tuple<int, float> t(4, 0.5f);
    z *= z; // -3 + 4i
    out[0] = a[2] + z.imag() + cuda::std::get<1>(t);
}

/* A tile comes in by a copy that arrives at the barrier like a thread. */
__global__ void turn_tiles(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int tile[BLOCK];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&barrier, BLOCK);
    block.sync();
    cuda::memcpy_async(block, tile, in + blockIdx.x * BLOCK, cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    out[blockIdx.x * BLOCK + threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
}

/* Two tiles under way while a third is summed. */
__global__ void sum_tiles(const int *in, int *out)
{
    constexpr int STAGES = 2;
    __shared__ alignas(16) int tile[STAGES][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int now = 0, next = 0; now < TILES; now++) {
        for (; next < TILES && next < now + STAGES; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[next % STAGES], in + next * BLOCK, sizeof tile[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[now % STAGES][threadIdx.x ^ 1];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void group_copy(const int *in, int *out)
{
    __shared__ alignas(16) int tile[BLOCK];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    cg::wait(block);
    out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

static int host[N], back[N], *in, *out;

static void get(int n)
{
    CHECK(cudaMemcpy(back, out, n * sizeof *back, cudaMemcpyDeviceToHost));
}

static void atomics(void)
{
    cuda::atomic<int, cuda::thread_scope_device> *sum;
    int total = 0, most = 0;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaMemset(out, 0, sizeof *out));
    scoped_atomics<<<4, 64>>>(sum, out);
    CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&most, out, sizeof most, cudaMemcpyDeviceToHost));
    verdict(total == 4 * 63 * 64 / 2 && most == 255, "atomics with a scope");
    CHECK(cudaFree(sum));
    float *f = (float *)out, value = 0;
    standard_library<<<1, 1>>>(f);
    CHECK(cudaMemcpy(&value, f, sizeof value, cudaMemcpyDeviceToHost));
    verdict(value == 7.5f, "array, complex and tuple");
}

int main()
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        host[i] = i * 3 + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    atomics();

    turn_tiles<<<TILES, BLOCK>>>(in, out);
    get(N);
    for (int i = 0; i < N; i++)
        bad += back[i] != host[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
    verdict(bad == 0, "a barrier that waits for a copy");

    sum_tiles<<<1, BLOCK>>>(in, out);
    get(BLOCK);
    bad = 0;
    for (int t = 0; t < BLOCK; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += host[i * BLOCK + (t ^ 1)];
        bad += back[t] != sum;
    }
    verdict(bad == 0, "a pipeline of a block");

    group_copy<<<1, BLOCK>>>(in, out);
    get(BLOCK);
    bad = 0;
    for (int t = 0; t < BLOCK; t++)
        bad += back[t] != host[BLOCK - 1 - t];
    verdict(bad == 0, "a copy of a group");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return failures;
}
