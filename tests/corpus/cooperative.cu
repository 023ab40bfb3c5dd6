/* cooperative - threads that wait for each other: barriers of the whole grid, of the block, of some of its warps (bar.sync with a
 * number), and groups smaller than a warp. What counts is how long a barrier takes and how uneven those are that it joins. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "corpus.h"

namespace cg = cooperative_groups;

/* A cooperative launch; the arguments must have the parameters' types. */
template <class... P, class... A> static cudaError_t launch_grid(void (*kernel)(P...), int blocks, int threads, A... a)
{
    void *args[] = {&a...};
    return cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3(threads), args, 0, 0);
}

/* ---- barriers of the grid ---- */

/* A wave goes round: in each round a block reads what its neighbour wrote before the barrier. One grid barrier a round. */
__global__ void grid_rounds(int rounds, int *cell)
{
    const cg::grid_group grid = cg::this_grid();
    const int b = blockIdx.x, n = gridDim.x;
    int value = b;
    for (int r = 0; r < rounds; r++) {
        int *now = cell + (r & 1) * n;
        if (threadIdx.x == 0)
            now[b] = value;
        grid.sync();
        value = now[(b + 1) % n];
    }
    if (threadIdx.x == 0)
        cell[2 * n + b] = value;
}

static void run_grid_rounds(int size)
{
    const int block_count[] = {16, 132, 132}, round_count[] = {4, 50, 500};
    const int blocks = block_count[size], rounds = round_count[size];
    int *d_cell = device_zeros<int>(3 * blocks);
    LAUNCH(CHECK(launch_grid(grid_rounds, blocks, 256, rounds, d_cell)));
    const int *cell = to_host(d_cell, 3 * blocks);
    for (int b = 0; b < blocks; b++)
        EXPECT(cell[2 * blocks + b] == (b + rounds) % blocks, "block %d ends with %d", b, cell[2 * blocks + b]);
}

/* ---- the sum of an array, in one launch ---- */

__device__ int block_sum(int v)
{
    __shared__ int part[32];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
    return v;
}

__device__ int strided_sum(const int4 *x, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    return sum;
}

/* Sums of the blocks, a grid barrier, and the first block adds them: DRAM, then the barrier's latency. */
__global__ void sum_grid_barrier(const int4 *x, int n, int *part, unsigned *done, int *total)
{
    (void)done;
    const int own = block_sum(strided_sum(x, n));
    if (threadIdx.x == 0)
        part[blockIdx.x] = own;
    cg::this_grid().sync();
    if (blockIdx.x)
        return;
    __syncthreads();
    const int all = block_sum(threadIdx.x < gridDim.x ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        *total = all;
}

/* The block that is the last to count itself adds the sums: a fence and an atomic instead of a barrier. */
__global__ void sum_last_block(const int4 *x, int n, int *part, unsigned *done, int *total)
{
    __shared__ bool last;
    const int own = block_sum(strided_sum(x, n));
    if (threadIdx.x == 0) {
        part[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    const int all = block_sum(threadIdx.x < gridDim.x ? ((volatile int *)part)[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        *total = all;
}

static void run_total(int size, void (*kernel)(const int4 *, int, int *, unsigned *, int *))
{
    const int count[] = {1 << 14, 1 << 21, 1 << 24}, n = count[size], blocks = 264;
    int4 *x = host_array<int4>(n);
    int want = 0;
    for (int i = 0; i < n; i++) {
        x[i] = make_int4(i & 7, i & 15, 3, 1);
        want += (i & 7) + (i & 15) + 4;
    }
    int4 *d_x = to_device(x, n);
    int *d_part = device_zeros<int>(blocks), *d_total = device_zeros<int>(1);
    unsigned *d_done = device_zeros<unsigned>(1);
    LAUNCH(CHECK(launch_grid(kernel, blocks, 512, (const int4 *)d_x, n, d_part, d_done, d_total)));
    const int total = *to_host(d_total, 1);
    EXPECT(total == want, "%d, not %d", total, want);
    free(x);
}

static void run_sum_grid_barrier(int size) { run_total(size, sum_grid_barrier); }
static void run_sum_last_block(int size) { run_total(size, sum_last_block); }

/* ---- Jacobi's iteration on a square of 128 x 128 cells ---- */

enum { SIDE = 128, CELLS = SIDE * SIDE };

__host__ __device__ static inline float relaxed(const float *from, int at)
{
    const int i = at % SIDE, j = at / SIDE;
    if (i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1)
        return from[at];
    return 0.25f * (from[at - 1] + from[at + 1] + from[at - SIDE] + from[at + SIDE]);
}

/* A cell a thread in 64 blocks: a grid barrier each step, limited by its latency. */
__global__ void jacobi_grid(const float *start, int steps, float *a, float *b)
{
    const cg::grid_group grid = cg::this_grid();
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    a[at] = start[at];
    for (int s = 0; s < steps; s++) {
        grid.sync();
        const float *from = s & 1 ? b : a;
        float *to = s & 1 ? a : b;
        to[at] = relaxed(from, at);
    }
}

/* One block, sixteen cells a thread, in L1 and L2: barriers are cheap, but one SM does all. */
__global__ void jacobi_block(const float *start, int steps, float *a, float *b)
{
    for (int at = threadIdx.x; at < CELLS; at += blockDim.x)
        a[at] = start[at];
    for (int s = 0; s < steps; s++) {
        __syncthreads();
        const float *from = s & 1 ? b : a;
        float *to = s & 1 ? a : b;
        for (int at = threadIdx.x; at < CELLS; at += blockDim.x)
            to[at] = relaxed(from, at);
    }
}

/* One block, the square in 64 KB of shared memory, and the new values in registers: two barriers a step. */
__global__ void jacobi_shared(const float *start, int steps, float *a, float *b)
{
    extern __shared__ float cell[];
    for (int at = threadIdx.x; at < CELLS; at += blockDim.x)
        cell[at] = start[at];
    for (int s = 0; s < steps; s++) {
        float next[CELLS / 1024];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CELLS / 1024; k++)
            next[k] = relaxed(cell, k * 1024 + threadIdx.x);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CELLS / 1024; k++)
            cell[k * 1024 + threadIdx.x] = next[k];
    }
    float *end = steps & 1 ? b : a;
    for (int k = 0; k < CELLS / 1024; k++)
        end[k * 1024 + threadIdx.x] = cell[k * 1024 + threadIdx.x];
}

static void expect_jacobi(const float *start, int steps, const float *got)
{
    float *a = host_array<float>(CELLS), *b = host_array<float>(CELLS);
    memcpy(a, start, CELLS * sizeof *a);
    for (int s = 0; s < steps; s++) {
        for (int at = 0; at < CELLS; at++)
            b[at] = relaxed(a, at);
        float *t = a;
        a = b, b = t;
    }
    for (int at = 0; at < CELLS; at++)
        EXPECT(close_to(got[at], a[at], 1e-4), "cell %d: %f, not %f", at, got[at], a[at]);
    free(a), free(b);
}

static void run_jacobi(int size, void (*kernel)(const float *, int, float *, float *))
{
    const int count[] = {4, 40, 400}, steps = count[size], shared = kernel == jacobi_shared ? CELLS * 4 : 0;
    float *start = host_array<float>(CELLS);
    for (int at = 0; at < CELLS; at++)
        start[at] = random_float();
    float *d_start = to_device(start, CELLS), *d_a = device_zeros<float>(CELLS), *d_b = device_zeros<float>(CELLS);
    if (shared)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    if (kernel == jacobi_grid)
        LAUNCH(CHECK(launch_grid(kernel, 64, 256, (const float *)d_start, steps, d_a, d_b)));
    else
        LAUNCH(kernel<<<1, 1024, shared>>>(d_start, steps, d_a, d_b));
    expect_jacobi(start, steps, to_host(steps & 1 ? d_b : d_a, CELLS));
}

static void run_jacobi_grid(int size) { run_jacobi(size, jacobi_grid); }
static void run_jacobi_block(int size) { run_jacobi(size, jacobi_block); }
static void run_jacobi_shared(int size) { run_jacobi(size, jacobi_shared); }

/* ---- running sums of 1024 values ---- */

/* Hillis and Steele: two barriers of 32 warps a doubling, twenty in all. */
__global__ void scan_barriers(const int *x, int *out)
{
    __shared__ int sum[1024];
    const int t = threadIdx.x;
    sum[t] = x[blockIdx.x * 1024 + t];
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        const int before = t >= d ? sum[t - d] : 0;
        __syncthreads();
        sum[t] += before;
    }
    out[blockIdx.x * 1024 + t] = sum[t];
}

__device__ int warp_scan(int v)
{
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d)
            v += before;
    }
    return v;
}

/* Shuffles in the warps, one warp for the warps' sums: two barriers. */
__global__ void scan_warps(const int *x, int *out)
{
    __shared__ int sum[32];
    const int t = threadIdx.x, warp = t / 32;
    int v = warp_scan(x[blockIdx.x * 1024 + t]);
    if (t % 32 == 31)
        sum[warp] = v;
    __syncthreads();
    if (warp == 0)
        sum[t] = warp_scan(sum[t]);
    __syncthreads();
    out[blockIdx.x * 1024 + t] = v + (warp ? sum[warp - 1] : 0);
}

static void run_scan(int size, void (*kernel)(const int *, int *))
{
    const int count[] = {132, 2048, 16384}, blocks = count[size], n = blocks * 1024;
    int *x = host_array<int>(n), sum = 0;
    for (int i = 0; i < n; i++)
        x[i] = (int)random_below(100);
    int *d_x = to_device(x, n), *d_out = device_zeros<int>(n);
    LAUNCH(kernel<<<blocks, 1024>>>(d_x, d_out));
    int *out = to_host(d_out, n);
    for (int i = 0; i < n; i++) {
        sum = (i % 1024 ? sum : 0) + x[i];
        EXPECT(out[i] == sum, "out[%d] is %d, not %d", i, out[i], sum);
    }
    free(x), free(out);
}

static void run_scan_barriers(int size) { run_scan(size, scan_barriers); }
static void run_scan_warps(int size) { run_scan(size, scan_warps); }

/* ---- sums of short rows by groups of a warp's lanes ---- */

template <int LANES> __device__ void sum_rows(const int *offset, const int *x, int rows, int *sums)
{
    const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (row >= rows)
        return;
    int sum = 0;
    for (int k = offset[row] + tile.thread_rank(); k < offset[row + 1]; k += LANES)
        sum += x[k];
    sum = cg::reduce(tile, sum, cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[row] = sum;
}

/* Four lanes a row: a few rounds of the loop, as many as the longest of eight rows needs. */
__global__ void rows_tile4(const int *offset, const int *x, int rows, int *sums)
{
    sum_rows<4>(offset, x, rows, sums);
}

/* A warp a row: one round, most lanes have nothing to do, and eight times the warps. */
__global__ void rows_tile32(const int *offset, const int *x, int rows, int *sums)
{
    sum_rows<32>(offset, x, rows, sums);
}

static void run_rows(int size, int lanes, void (*kernel)(const int *, const int *, int, int *))
{
    const int count[] = {1 << 12, 1 << 17, 1 << 20}, rows = count[size];
    int *offset = host_array<int>(rows + 1);
    for (int r = 0; r < rows; r++)
        offset[r + 1] = offset[r] + (int)random_below(24);
    int *x = host_array<int>(offset[rows]);
    for (int k = 0; k < offset[rows]; k++)
        x[k] = (int)random_below(1000);
    int *d_offset = to_device(offset, rows + 1), *d_x = to_device(x, offset[rows]), *d_sums = device_zeros<int>(rows);
    LAUNCH(kernel<<<blocks_for((size_t)rows * lanes, 256), 256>>>(d_offset, d_x, rows, d_sums));
    const int *sums = to_host(d_sums, rows);
    for (int r = 0; r < rows; r++) {
        int want = 0;
        for (int k = offset[r]; k < offset[r + 1]; k++)
            want += x[k];
        EXPECT(sums[r] == want, "row %d: %d, not %d", r, sums[r], want);
    }
}

static void run_rows_tile4(int size) { run_rows(size, 4, rows_tile4); }
static void run_rows_tile32(int size) { run_rows(size, 32, rows_tile32); }

/* ---- barriers of some of a block's warps ---- */

__device__ void barrier_wait(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ void barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Four teams of two warps, each with its own barrier and number of rounds: a team waits only for itself. */
__global__ void team_barriers(int rounds, int *out)
{
    __shared__ int cell[256];
    const int t = threadIdx.x, team = t / 64, first = team * 64, mine = rounds * (team + 1);
    cell[t] = t + blockIdx.x;
    for (int r = 0; r < mine; r++) {
        barrier_wait(1 + team, 64);
        const int next = cell[first + (t - first + 33) % 64];
        barrier_wait(1 + team, 64);
        cell[t] = next + 1;
    }
    out[blockIdx.x * 256 + t] = cell[t];
}

static void run_team_barriers(int size)
{
    const int block_count[] = {66, 132, 132}, round_count[] = {40, 400, 4000};
    const int blocks = block_count[size], rounds = round_count[size];
    int *d_out = device_zeros<int>(blocks * 256);
    LAUNCH(team_barriers<<<blocks, 256>>>(rounds, d_out));
    const int *out = to_host(d_out, blocks * 256);
    for (int i = 0; i < blocks * 256; i++) {
        const int t = i % 256, first = t / 64 * 64, mine = rounds * (t / 64 + 1);
        const int want = first + (t - first + 33 * mine) % 64 + i / 256 + mine;
        EXPECT(out[i] == want, "out[%d] is %d, not %d", i, out[i], want);
    }
}

/* ---- a long filter over tiles of 1024 values ---- */

enum { TILE = 1024, TAPS = 32 };

__device__ float filtered(const float *tile, const float *tap, int at)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += tap[k] * tile[(at + k) % TILE];
    return sum;
}

/* All 256 threads load a tile, wait, filter it, and wait: loads and arithmetic take turns. */
__global__ void filter_in_turn(const float *x, const float *taps, int tiles, float *out)
{
    __shared__ float tile[TILE], tap[TAPS];
    if (threadIdx.x < TAPS)
        tap[threadIdx.x] = taps[threadIdx.x];
    for (int b = blockIdx.x; b < tiles; b += gridDim.x) {
        for (int k = threadIdx.x; k < TILE; k += 256)
            tile[k] = x[(size_t)b * TILE + k];
        __syncthreads();
        for (int k = threadIdx.x; k < TILE; k += 256)
            out[(size_t)b * TILE + k] = filtered(tile, tap, k);
        __syncthreads();
    }
}

/* Two warps load the next tile while eight others filter this one; numbered barriers say full (1, 2) and empty (3, 4). */
__global__ void filter_producer(const float *x, const float *taps, int tiles, float *out)
{
    enum { PRODUCERS = 64, CONSUMERS = 256, ALL = PRODUCERS + CONSUMERS };
    __shared__ float tile[2][TILE], tap[TAPS];
    if (threadIdx.x < TAPS)
        tap[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    const bool producer = threadIdx.x >= CONSUMERS;
    int round = 0;
    for (int b = blockIdx.x; b < tiles; b += gridDim.x, round++) {
        float *now = tile[round & 1];
        if (producer) {
            if (round > 1)
                barrier_wait(3 + (round & 1), ALL);
            for (int k = threadIdx.x - CONSUMERS; k < TILE; k += PRODUCERS)
                now[k] = x[(size_t)b * TILE + k];
            __threadfence_block();
            barrier_arrive(1 + (round & 1), ALL);
        } else {
            barrier_wait(1 + (round & 1), ALL);
            for (int k = threadIdx.x; k < TILE; k += CONSUMERS)
                out[(size_t)b * TILE + k] = filtered(now, tap, k);
            if (b + 2 * gridDim.x < tiles)
                barrier_arrive(3 + (round & 1), ALL);
        }
    }
}

static void run_filter(int size, int threads, void (*kernel)(const float *, const float *, int, float *))
{
    const int count[] = {528, 6000, 20000}, tiles = count[size];
    const size_t n = (size_t)tiles * TILE;
    float *x = host_array<float>(n), tap[TAPS];
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1013) / 1013;
    for (int k = 0; k < TAPS; k++)
        tap[k] = random_float();
    float *d_x = to_device(x, n), *d_tap = to_device(tap, TAPS), *d_out = device_zeros<float>(n);
    LAUNCH(kernel<<<264, threads>>>(d_x, d_tap, tiles, d_out));
    float *out = to_host(d_out, n);
    for (size_t i = 0; i < n; i += 37) {
        float want = 0;
        for (int k = 0; k < TAPS; k++)
            want += tap[k] * x[i / TILE * TILE + (i + k) % TILE];
        EXPECT(close_to(out[i], want, 1e-4), "out[%zu] is %f, not %f", i, out[i], want);
    }
    free(x), free(out);
}

static void run_filter_in_turn(int size) { run_filter(size, 256, filter_in_turn); }
static void run_filter_producer(int size) { run_filter(size, 320, filter_producer); }

CORPUS({"grid_rounds", NULL, run_grid_rounds}, {"sum_grid_barrier", "sum", run_sum_grid_barrier},
       {"sum_last_block", "sum", run_sum_last_block}, {"jacobi_grid", "jacobi", run_jacobi_grid},
       {"jacobi_block", "jacobi", run_jacobi_block}, {"jacobi_shared", "jacobi", run_jacobi_shared},
       {"scan_barriers", "scan", run_scan_barriers}, {"scan_warps", "scan", run_scan_warps},
       {"rows_tile4", "rows", run_rows_tile4}, {"rows_tile32", "rows", run_rows_tile32},
       {"team_barriers", NULL, run_team_barriers}, {"filter_in_turn", "filter", run_filter_in_turn},
       {"filter_producer", "filter", run_filter_producer})
