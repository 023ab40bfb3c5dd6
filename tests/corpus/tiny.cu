/* tiny - launches that are over at once: what counts is the start of the kernel and of its blocks, the first misses of the
 * instruction and constant caches, and a few latencies one after the other. The sizes are 1, 16 and 132 blocks. */
#include "corpus.h"

static const int tiny_blocks[] = {1, 16, 132};

/* Nothing at all: the launch. */
__global__ void empty() {}

static void run_empty(int size)
{
    LAUNCH(empty<<<tiny_blocks[size], 256>>>());
}

/* One warp a block, one store a lane: the launch and one store. */
__global__ void store_one(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

static void run_store_one(int size)
{
    const int blocks = tiny_blocks[size];
    int *d_out = device_zeros<int>(blocks * 32);
    LAUNCH(store_one<<<blocks, 32>>>(d_out));
    const int *out = to_host(d_out, blocks * 32);
    for (int i = 0; i < blocks * 32; i++)
        EXPECT(out[i] == i / 32, "out[%d] is %d", i, out[i]);
}

/* ---- the sum of 1024 values a block ---- */

/* A tree in shared memory with a barrier a level: eleven barriers of 32 warps. */
__global__ void sum_tree(const int *x, int *sums)
{
    __shared__ int part[1024];
    const int t = threadIdx.x;
    part[t] = x[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int d = 512; d; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (!t)
        sums[blockIdx.x] = part[0];
}

/* Shuffles in each warp, one barrier, and one warp adds: a chain of shuffles. */
__global__ void sum_shuffle(const int *x, int *sums)
{
    __shared__ int part[32];
    const int t = threadIdx.x;
    int v = x[blockIdx.x * 1024 + t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t >= 32)
        return;
    v = part[t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (!t)
        sums[blockIdx.x] = v;
}

/* One warp, 32 values a lane, no barrier: all loads are under way at once. */
__global__ void sum_one_warp(const int *x, int *sums)
{
    const int t = threadIdx.x;
    int v = 0;
#pragma unroll
    for (int k = 0; k < 32; k++)
        v += x[blockIdx.x * 1024 + k * 32 + t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (!t)
        sums[blockIdx.x] = v;
}

static void run_sum(int size, int threads, void (*kernel)(const int *, int *))
{
    const int blocks = tiny_blocks[size];
    int *x = host_array<int>(blocks * 1024), *want = host_array<int>(blocks);
    for (int i = 0; i < blocks * 1024; i++)
        want[i / 1024] += x[i] = (int)random_below(1000);
    int *d_x = to_device(x, blocks * 1024), *d_sums = device_zeros<int>(blocks);
    LAUNCH(kernel<<<blocks, threads>>>(d_x, d_sums));
    const int *sums = to_host(d_sums, blocks);
    for (int b = 0; b < blocks; b++)
        EXPECT(sums[b] == want[b], "block %d: %d, not %d", b, sums[b], want[b]);
}

static void run_sum_tree(int size) { run_sum(size, 1024, sum_tree); }
static void run_sum_shuffle(int size) { run_sum(size, 1024, sum_shuffle); }
static void run_sum_one_warp(int size) { run_sum(size, 32, sum_one_warp); }

/* ---- parameters, constants, shared memory, code ---- */

struct many {
    float weight[500];
};

/* Two kilobytes of parameters, each read once: the constant cache's misses. */
__global__ void many_parameters(const struct many p, const float *x, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
#pragma unroll 20
    for (int k = 0; k < 500; k++)
        sum = sum * 0.5f + p.weight[k];
    out[i] = sum;
}

static void run_many_parameters(int size)
{
    const int n = tiny_blocks[size] * 64;
    struct many p;
    for (int k = 0; k < 500; k++)
        p.weight[k] = random_float();
    float *x = host_array<float>(n);
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    float *d_x = to_device(x, n), *d_out = device_zeros<float>(n);
    LAUNCH(many_parameters<<<tiny_blocks[size], 64>>>(p, d_x, d_out));
    const float *out = to_host(d_out, n);
    for (int i = 0; i < n; i++) {
        float sum = x[i];
        for (int k = 0; k < 500; k++)
            sum = sum * 0.5f + p.weight[k];
        EXPECT(close_to(out[i], sum, 1e-5), "out[%d] is %f, not %f", i, out[i], sum);
    }
}

__constant__ uint16_t constant_table[16384];

/* Each lane looks a constant up at a place of its own, twice: the constant cache gives a place after the other. */
__global__ void constant_lookup(const uint16_t *x, uint16_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = constant_table[constant_table[x[i]]];
}

static void run_constant_lookup(int size)
{
    const int n = tiny_blocks[size] * 128;
    uint16_t *table = host_array<uint16_t>(16384), *x = host_array<uint16_t>(n);
    for (int k = 0; k < 16384; k++)
        table[k] = (uint16_t)random_below(16384);
    for (int i = 0; i < n; i++)
        x[i] = (uint16_t)random_below(16384);
    CHECK(cudaMemcpyToSymbol(constant_table, table, sizeof constant_table));
    uint16_t *d_x = to_device(x, n), *d_out = device_zeros<uint16_t>(n);
    LAUNCH(constant_lookup<<<tiny_blocks[size], 128>>>(d_x, d_out));
    const uint16_t *out = to_host(d_out, n);
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == table[table[x[i]]], "out[%d] is %d", i, out[i]);
}

/* 48 KB of shared memory filled, and read in another order: two trips and a barrier. */
__global__ void large_shared(const int *x, int *out)
{
    __shared__ int tile[12288];
    x += blockIdx.x * 12288, out += blockIdx.x * 12288;
    for (int k = threadIdx.x; k < 12288; k += blockDim.x)
        tile[k] = x[k];
    __syncthreads();
    for (int k = threadIdx.x; k < 12288; k += blockDim.x)
        out[k] = tile[12287 - k];
}

static void run_large_shared(int size)
{
    const int n = tiny_blocks[size] * 12288;
    int *x = host_array<int>(n);
    for (int i = 0; i < n; i++)
        x[i] = (int)random_u32();
    int *d_x = to_device(x, n), *d_out = device_zeros<int>(n);
    LAUNCH(large_shared<<<tiny_blocks[size], 512>>>(d_x, d_out));
    const int *out = to_host(d_out, n);
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == x[i / 12288 * 12288 + 12287 - i % 12288], "out[%d] is %d", i, out[i]);
}

__host__ __device__ static inline uint32_t mix(uint32_t a, uint32_t k)
{
    a ^= a << (k % 8 + 1);
    a += k * 0x9e3779b9u;
    return a ^ a >> (k % 4 + 3);
}

/* Six hundred steps written out: long code that runs once, limited by instructions that must come from afar. */
__global__ void cold_code(const uint32_t *x, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = x[i];
#pragma unroll
    for (uint32_t k = 0; k < 600; k++)
        a = mix(a, k);
    out[i] = a;
}

/* The same steps in a loop: the code is loaded once, but the constants are computed. */
__global__ void warm_code(const uint32_t *x, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = x[i];
#pragma unroll 1
    for (uint32_t k = 0; k < 600; k++)
        a = mix(a, k);
    out[i] = a;
}

static void run_code(int size, void (*kernel)(const uint32_t *, uint32_t *))
{
    const int n = tiny_blocks[size] * 96;
    uint32_t *x = host_array<uint32_t>(n);
    for (int i = 0; i < n; i++)
        x[i] = random_u32();
    uint32_t *d_x = to_device(x, n), *d_out = device_zeros<uint32_t>(n);
    LAUNCH(kernel<<<tiny_blocks[size], 96>>>(d_x, d_out));
    const uint32_t *out = to_host(d_out, n);
    for (int i = 0; i < n; i++) {
        uint32_t a = x[i];
        for (uint32_t k = 0; k < 600; k++)
            a = mix(a, k);
        EXPECT(out[i] == a, "out[%d] is %u, not %u", i, out[i], a);
    }
}

static void run_cold_code(int size) { run_code(size, cold_code); }
static void run_warm_code(int size) { run_code(size, warm_code); }

CORPUS({"empty", NULL, run_empty}, {"store_one", NULL, run_store_one}, {"sum_tree", "sum", run_sum_tree},
       {"sum_shuffle", "sum", run_sum_shuffle}, {"sum_one_warp", "sum", run_sum_one_warp},
       {"many_parameters", NULL, run_many_parameters}, {"constant_lookup", NULL, run_constant_lookup},
       {"large_shared", NULL, run_large_shared}, {"cold_code", "code", run_cold_code},
       {"warm_code", "code", run_warm_code})
