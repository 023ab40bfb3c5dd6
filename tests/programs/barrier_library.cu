/* barrier_library - how CUDA C++'s own library uses mbarriers: barriers with roles, drops, counts, parities, completion
 * functions and bytes; pipelines of threads and of blocks, also with roles and with one that quits; and groups of
 * threads that reduce, scan, part by label, choose one of them and copy. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/chrono>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { TILE = 64, TILES = 24, N = TILE * TILES };

/* ---- barriers ---- */

/* Warp 0 fills two buffers, the others read them. */
__global__ void roles(const int *in, int *out)
{
    __shared__ barrier full[2], empty[2];
    __shared__ int buffer[2][32];
    for (int k = 0; k < 2 && threadIdx.x == 0; k++) {
        init(&full[k], blockDim.x);
        init(&empty[k], blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < TILES; k++) {
            empty[k % 2].arrive_and_wait();
            buffer[k % 2][threadIdx.x] = in[k * 32 + threadIdx.x];
            (void)full[k % 2].arrive();
        }
        return;
    }
    int sum = 0;
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    for (int k = 0; k < TILES; k++) {
        full[k % 2].arrive_and_wait();
        sum += buffer[k % 2][(threadIdx.x + k) % 32] * (k + 1);
        (void)empty[k % 2].arrive();
    }
    out[threadIdx.x - 32] = sum;
}

/* In each round one thread leaves for good. */
__global__ void one_by_one(int *out)
{
    __shared__ barrier b;
    __shared__ int count;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
        count = 0;
    }
    __syncthreads();
    for (unsigned r = 0; r < blockDim.x; r++) {
        if (threadIdx.x == r) {
            atomicAdd(&count, r + 1);
            b.arrive_and_drop();
            return;
        }
        b.arrive_and_wait();
        if (threadIdx.x == blockDim.x - 1)
            out[r] = count;
        b.arrive_and_wait();
    }
}

/* Several arrivals at once, waits by state and by parity, and such as may end in vain. */
__global__ void counts(int *wrong)
{
    __shared__ barrier b;
    __shared__ int value;
    if (threadIdx.x == 0)
        init(&b, 3 * blockDim.x);
    __syncthreads();
    for (int r = 0; r < 6; r++) {
        if (threadIdx.x == 7)
            value = r;
        auto state = b.arrive(3);
        if (r % 3 == 0)
            b.wait(std::move(state));
        else if (r % 3 == 1)
            b.wait_parity(0);
        else
            while (!b.try_wait_for(std::move(state), cuda::std::chrono::nanoseconds(10)))
                ;
        if (value != r)
            atomicAdd(wrong, 1);
        (void)b.arrive(1);
        (void)b.arrive(2);
        b.wait_parity(1);
    }
}

struct count_phases {
    int *n;
    __device__ void operator()() noexcept { ++*n; }
};

__global__ void completion(int *wrong)
{
    using counting = cuda::barrier<cuda::thread_scope_block, count_phases>;
    __shared__ alignas(counting) unsigned char memory[sizeof(counting)];
    __shared__ int phases;
    counting *b = reinterpret_cast<counting *>(memory);
    if (threadIdx.x == 0) {
        phases = 0;
        new (b) counting(blockDim.x, count_phases{&phases});
    }
    __syncthreads();
    for (int r = 1; r < 10; r += 2) {
        b->arrive_and_wait();
        if (phases != r)
            atomicAdd(wrong, 1);
        b->arrive_and_wait();
    }
}

/* A bulk copy, whose bytes one thread expects. */
__global__ void bytes(const int *in, int *out)
{
    __shared__ alignas(16) int buffer[256];
    __shared__ barrier b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    for (int r = 0; r < 4; r++) {
        barrier::arrival_token state;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(buffer, in + r * 256, cuda::aligned_size_t<16>(1024), b);
            state = cuda::device::barrier_arrive_tx(b, 1, 1024);
        } else {
            state = b.arrive();
        }
        b.wait(std::move(state));
        out[r * blockDim.x + threadIdx.x] = buffer[threadIdx.x * 3 % 256];
        __syncthreads();
    }
}

/* ---- pipelines ---- */

template <int STAGES> __global__ void of_a_block(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int buffer[STAGES][TILE];
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int k = 0, next = 0; k < TILES; k++) {
        for (; next < TILES && next < k + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[next % STAGES], in + next * TILE, sizeof buffer[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += buffer[k % STAGES][(threadIdx.x + 5) % TILE] * (k + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

/* Two warps copy and then quit, two others read. */
template <int STAGES> __global__ void with_roles(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int buffer[STAGES][TILE];
    const int t = threadIdx.x % TILE;
    const bool copies = threadIdx.x < TILE;
    auto pipe =
        cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int k = 0; k < TILES && copies; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&buffer[k % STAGES][t], in + k * TILE + t, sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int k = 0; k < TILES && !copies; k++) {
        pipe.consumer_wait();
        sum += buffer[k % STAGES][(t + 5) % TILE] * (k + 1);
        pipe.consumer_release();
    }
    pipe.quit();
    if (!copies)
        out[t] = sum;
}

__global__ void of_a_thread(const int *in, int *out)
{
    auto pipe = cuda::make_pipeline();
    __shared__ int buffer[4][TILE];
    int sum = 0;
    for (int k = 0, next = 0; k < TILES; k++) {
        for (; next < TILES && next < k + 3; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[next % 4][threadIdx.x], in + next * TILE + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum += buffer[k % 4][(threadIdx.x + 5) % TILE] * (k + 1);
        pipe.consumer_release();
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* ---- groups ---- */

enum { RESULTS = 12, THREADS = 128 };

__global__ void groups(const int *in, int *out, int *chosen)
{
    __shared__ cg::block_tile_memory<THREADS> memory;
    __shared__ int copied[TILE];
    auto block = cg::this_thread_block(memory);
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    auto wide = cg::tiled_partition<64>(block);
    int t = threadIdx.x, v = in[t], *r = out + t * RESULTS;
    r[0] = cg::reduce(tile, v, cg::plus<int>());
    r[1] = cg::exclusive_scan(tile, v, cg::plus<int>());
    r[2] = cg::inclusive_scan(warp, v, cg::greater<int>());
    auto alike = cg::labeled_partition(warp, v % 3);
    r[3] = alike.size() * 100 + alike.thread_rank();
    r[4] = cg::reduce(alike, v, cg::plus<int>());
    auto half = cg::binary_partition(warp, v % 2 == 0);
    r[5] = cg::reduce(half, v, cg::bit_xor<int>());
    r[6] = r[7] = 0;
    if (v % 5 < 3) {
        auto here = cg::coalesced_threads();
        r[6] = cg::invoke_one_broadcast(here, [&] { return (int)here.size(); });
        r[7] = cg::exclusive_scan(here, 1);
        cg::invoke_one(here, [&] { atomicAdd(chosen, 1); });
    }
    r[8] = cg::reduce(wide, v, cg::plus<int>());
    r[9] = wide.shfl(v, 40);
    cg::memcpy_async(block, copied, in, sizeof copied);
    cg::wait(block);
    r[10] = copied[t * 7 % TILE];
    block.sync();
    if (t == 0)
        copied[0] = 0;
    auto state = block.barrier_arrive();
    block.barrier_wait(std::move(state));
    r[11] = copied[t % 2];
}

/* ---- verdicts ---- */

static int in[N], *d_in, *d_out;

/* What thread t of those that sum up tiles must have. */
static int sum_of(int t)
{
    int sum = 0;
    for (int k = 0; k < TILES; k++)
        sum += in[k * TILE + (t + 5) % TILE] * (k + 1);
    return sum;
}

static void sums(const char *what)
{
    int out[TILE], bad = 0;
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_out, 0, sizeof out));
    for (int t = 0; t < TILE; t++)
        bad += out[t] != sum_of(t);
    verdict(!bad, "%s", what);
}

static int wrong(void)
{
    int n;
    CHECK(cudaMemcpy(&n, d_out, sizeof n, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_out, 0, sizeof n));
    return n;
}

static void barriers(void)
{
    int out[4 * 96], bad = 0;
    roles<<<1, 128>>>(d_in, d_out);
    CHECK(cudaMemcpy(out, d_out, 96 * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 96; t++) {
        int sum = 0;
        for (int k = 0; k < TILES; k++)
            sum += in[k * 32 + (t + k) % 32] * (k + 1);
        bad += out[t] != sum;
    }
    verdict(!bad, "barriers between warps with roles");
    one_by_one<<<1, 70>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, 69 * 4, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int r = 0; r < 69; r++)
        bad += out[r] != (r + 1) * (r + 2) / 2;
    verdict(!bad, "threads that drop out");
    CHECK(cudaMemset(d_out, 0, 4));
    counts<<<3, 100>>>(d_out);
    verdict(!wrong(), "counts, parities and limited waits");
    completion<<<2, 96>>>(d_out);
    verdict(!wrong(), "a completion function");
    bytes<<<1, 96>>>(d_in, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int r = 0; r < 4; r++)
        for (int t = 0; t < 96; t++)
            bad += out[r * 96 + t] != in[r * 256 + t * 3 % 256];
    verdict(!bad, "a bulk copy's bytes");
}

static void pipelines(void)
{
    of_a_block<1><<<1, TILE>>>(d_in, d_out);
    sums("a block's pipeline of one stage");
    of_a_block<2><<<1, TILE>>>(d_in, d_out);
    sums("a block's pipeline of two");
    with_roles<1><<<1, 2 * TILE>>>(d_in, d_out);
    sums("a pipeline with roles of one stage");
    with_roles<3><<<1, 2 * TILE>>>(d_in, d_out);
    sums("a pipeline with roles of three");
    of_a_thread<<<1, TILE>>>(d_in, d_out);
    sums("pipelines of threads");
}

/* The results of thread t but for those of the memory that is copied; the threads of its warp begin at w. */
static void expected(int t, int *r)
{
    const int w = t / 32 * 32, v = in[t];
    memset(r, 0, RESULTS * sizeof *r);
    r[2] = v;
    int alike = 0, rank = 0;
    for (int k = t / 8 * 8; k < t / 8 * 8 + 8; k++) {
        r[0] += in[k];
        r[1] += k < t ? in[k] : 0;
    }
    for (int k = w; k < w + 32; k++) {
        const int is_alike = in[k] % 3 == v % 3, is_here = in[k] % 5 < 3 && v % 5 < 3;
        r[2] = k < t && in[k] > r[2] ? in[k] : r[2];
        alike += is_alike;
        rank += is_alike && k < t;
        r[4] += is_alike ? in[k] : 0;
        r[5] ^= in[k] % 2 == v % 2 ? in[k] : 0;
        r[6] += is_here;
        r[7] += is_here && k < t;
    }
    r[3] = alike * 100 + rank;
    for (int k = t / 64 * 64; k < t / 64 * 64 + 64; k++)
        r[8] += in[k];
    r[9] = in[t / 64 * 64 + 40];
    r[10] = in[t * 7 % TILE];
    r[11] = t % 2 ? in[1] : 0;
}

static void thread_groups(void)
{
    static const char *const names[RESULTS] = {"reduce",
                                               "exclusive_scan",
                                               "inclusive_scan",
                                               "labeled_partition",
                                               "its sums",
                                               "binary_partition",
                                               "invoke_one_broadcast",
                                               "a scan of coalesced threads",
                                               "a tile of two warps",
                                               "its shuffle",
                                               "memcpy_async and wait",
                                               "barrier_arrive and barrier_wait"};
    static int out[THREADS * RESULTS];
    int bad[RESULTS] = {0}, chosen = 0;
    groups<<<1, THREADS>>>(d_in, d_out, d_out + THREADS * RESULTS);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&chosen, d_out + THREADS * RESULTS, sizeof chosen, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++) {
        int want[RESULTS];
        expected(t, want);
        for (int k = 0; k < RESULTS; k++)
            bad[k] += out[t * RESULTS + k] != want[k];
    }
    for (int k = 0; k < RESULTS; k++)
        verdict(!bad[k], "%s", names[k]);
    verdict(chosen == THREADS / 32, "invoke_one");
}

int main()
{
    for (int i = 0; i < N; i++)
        in[i] = (int)(random_bits() % 1000);
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, (THREADS * RESULTS + 1) * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, (THREADS * RESULTS + 1) * sizeof(int)));
    barriers();
    pipelines();
    thread_groups();
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures;
}
