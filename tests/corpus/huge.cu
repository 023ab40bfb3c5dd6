/* huge - launches of very many or very uneven blocks: the rate at which blocks start, what an SM holds at once, and the tail
 * in which most SMs have nothing left to do. */
#include "corpus.h"

/* ---- z = a x + y ---- */

/* One warp a block, one element a lane: limited by the rate at which blocks start. */
__global__ void saxpy_tiny_blocks(int n, float a, const float *x, const float *y, float *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

/* Blocks of 512: limited by DRAM. */
__global__ void saxpy_blocks(int n, float a, const float *x, const float *y, float *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

/* As many blocks as the GPU holds, and a loop: no new blocks, but an SM has fewer loads under way. */
__global__ void saxpy_stride(int n, float a, const float *x, const float *y, float *z)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        z[i] = a * x[i] + y[i];
}

static void run_saxpy(int size, int threads, int most_blocks,
                      void (*kernel)(int, float, const float *, const float *, float *))
{
    const int count[] = {1 << 17, 1 << 21, 1 << 25}, n = count[size] + 17;
    float *x = host_array<float>(n), *y = host_array<float>(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)random_below(64), y[i] = (float)(i & 1023);
    float *d_x = to_device(x, n), *d_y = to_device(y, n), *d_z = device_zeros<float>(n);
    const int blocks = blocks_for(n, threads) < most_blocks ? blocks_for(n, threads) : most_blocks;
    LAUNCH(kernel<<<blocks, threads>>>(n, 2.0f, d_x, d_y, d_z));
    float *z = to_host(d_z, n);
    for (int i = 0; i < n; i++)
        EXPECT(z[i] == 2 * x[i] + y[i], "z[%d] is %f", i, z[i]);
    free(x), free(y), free(z);
}

static void run_saxpy_tiny_blocks(int size) { run_saxpy(size, 32, 1 << 30, saxpy_tiny_blocks); }
static void run_saxpy_blocks(int size) { run_saxpy(size, 512, 1 << 30, saxpy_blocks); }
static void run_saxpy_stride(int size) { run_saxpy(size, 256, 132 * 8, saxpy_stride); }

/* ---- uneven blocks: block b does rounds[b] rounds of a recurrence a thread ---- */

__host__ __device__ static inline uint32_t churn(uint32_t a, int rounds)
{
    for (int k = 0; k < rounds; k++)
        a = a * 1664525u + 1013904223u ^ a >> 7;
    return a;
}

/* Rounds as a power law, the long blocks anywhere: limited by chains of integer instructions, and by the tail. */
__global__ void uneven_mixed(const int *rounds, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = churn(i, rounds[blockIdx.x]);
}

/* The same blocks, the longest first: a short tail. */
__global__ void uneven_long_first(const int *rounds, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = churn(i, rounds[blockIdx.x]);
}

/* The same blocks, the longest last: the longest tail. */
__global__ void uneven_long_last(const int *rounds, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = churn(i, rounds[blockIdx.x]);
}

/* All blocks are short, but for one: the time of a single block. */
__global__ void one_long_block(const int *rounds, uint32_t *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = churn(i, rounds[blockIdx.x]);
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

static void run_rounds(int blocks, int threads, const int *rounds, void (*kernel)(const int *, uint32_t *))
{
    int *d_rounds = to_device(rounds, blocks);
    uint32_t *d_out = device_zeros<uint32_t>((size_t)blocks * threads);
    LAUNCH(kernel<<<blocks, threads>>>(d_rounds, d_out));
    const uint32_t *out = to_host(d_out, (size_t)blocks * threads);
    for (int b = 0; b < blocks; b++) {
        const int i = b * threads + b % threads;
        EXPECT(out[i] == churn(i, rounds[b]), "block %d of %d rounds: %u", b, rounds[b], out[i]);
    }
}

static void run_uneven(int size, int (*order)(const void *, const void *), void (*kernel)(const int *, uint32_t *))
{
    const int count[] = {660, 2640, 6600}, least[] = {4, 16, 128}, blocks = count[size];
    int *rounds = host_array<int>(blocks);
    for (int b = 0; b < blocks; b++) {
        const float u = 0.002f + random_float();
        rounds[b] = (int)(least[size] / (u < 1 ? u : 1));
    }
    if (order)
        qsort(rounds, blocks, sizeof *rounds, order);
    run_rounds(blocks, 128, rounds, kernel);
}

static void run_uneven_mixed(int size) { run_uneven(size, NULL, uneven_mixed); }
static void run_uneven_long_first(int size) { run_uneven(size, descending, uneven_long_first); }
static void run_uneven_long_last(int size) { run_uneven(size, ascending, uneven_long_last); }

static void run_one_long_block(int size)
{
    const int most[] = {600, 8000, 120000}, blocks = 2000;
    int *rounds = host_array<int>(blocks);
    for (int b = 0; b < blocks; b++)
        rounds[b] = b == 1234 ? most[size] : 20;
    run_rounds(blocks, 64, rounds, one_long_block);
}

/* ---- blocks that fill an SM ---- */

/* 96 KB of shared memory a block, so two a SM: load, barrier, and a gather from shared memory. Limited by too few warps. */
__global__ void large_shared_blocks(const float *x, const int *index, float *out)
{
    extern __shared__ float tile[];
    const int n = 24576;
    x += (size_t)blockIdx.x * n, out += (size_t)blockIdx.x * n;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        tile[k] = x[k];
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[k] = tile[index[k]];
}

static void run_large_shared_blocks(int size)
{
    const int count[] = {66, 528, 3000}, blocks = count[size], n = 24576;
    float *x = host_array<float>((size_t)blocks * n);
    int *index = host_array<int>(n);
    for (size_t i = 0; i < (size_t)blocks * n; i++)
        x[i] = (float)(i % 9973);
    for (int k = 0; k < n; k++)
        index[k] = (int)random_below(n);
    float *d_x = to_device(x, (size_t)blocks * n), *d_out = device_zeros<float>((size_t)blocks * n);
    int *d_index = to_device(index, n);
    CHECK(cudaFuncSetAttribute(large_shared_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
    LAUNCH(large_shared_blocks<<<blocks, 512, n * 4>>>(d_x, d_index, d_out));
    float *out = to_host(d_out, (size_t)blocks * n);
    for (size_t i = 0; i < (size_t)blocks * n; i += 7)
        EXPECT(out[i] == x[i / n * n + index[i % n]], "out[%zu] is %f", i, out[i]);
    free(x), free(out);
}

/* 96 sums a thread in registers, all kept up to date: few warps a SM, each with many independent FMAs. */
__global__ void __launch_bounds__(64) many_registers(const float *weight, int rounds, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[96];
#pragma unroll
    for (int k = 0; k < 96; k++)
        sum[k] = weight[k];
    const float at = (float)(i & 255) / 256;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 96; k++)
            sum[k] = sum[k] * at + sum[(k + 1) % 96];
    float all = 0;
#pragma unroll
    for (int k = 0; k < 96; k++)
        all += sum[k];
    out[i] = all;
}

static double many_registers_host(const float *weight, int rounds, int i)
{
    double sum[96], all = 0;
    const float at = (float)(i & 255) / 256;
    for (int k = 0; k < 96; k++)
        sum[k] = weight[k];
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 96; k++)
            sum[k] = sum[k] * at + sum[(k + 1) % 96];
    for (int k = 0; k < 96; k++)
        all += sum[k];
    return all;
}

static void run_many_registers(int size)
{
    const int count[] = {264, 2640, 26400}, rounds = 12 << 2 * (size == 2), n = count[size] * 64;
    float weight[96];
    for (int k = 0; k < 96; k++)
        weight[k] = random_float();
    float *d_weight = to_device(weight, 96), *d_out = device_zeros<float>(n);
    LAUNCH(many_registers<<<count[size], 64>>>(d_weight, rounds, d_out));
    float *out = to_host(d_out, n);
    for (int i = 0; i < n; i += 129) {
        const double want = many_registers_host(weight, rounds, i);
        EXPECT(close_to(out[i], want, 1e-4), "out[%d] is %f, not %f", i, out[i], want);
    }
}

/* ---- grids of two and three dimensions ---- */

/* A block a row and a slice: thousands of short rows with blocks of 96 threads in a 2D grid; limited by DRAM and block starts. */
__global__ void rows_2d(const float *x, int width, int height, float *out)
{
    const int row = blockIdx.x, slice = blockIdx.y;
    const size_t base = ((size_t)slice * height + row) * width;
    for (int k = threadIdx.x; k < width; k += blockDim.x)
        out[base + k] = x[base + k] * (float)(row + slice);
}

static void run_rows_2d(int size)
{
    const int rows[] = {400, 1600, 4000}, slices[] = {3, 20, 100}, width = 140, height = rows[size];
    const size_t n = (size_t)width * height * slices[size];
    float *x = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i & 31);
    float *d_x = to_device(x, n), *d_out = device_zeros<float>(n);
    LAUNCH(rows_2d<<<dim3(height, slices[size]), 96>>>(d_x, width, height, d_out));
    float *out = to_host(d_out, n);
    for (size_t i = 0; i < n; i += 3) {
        const int row = (int)(i / width % height), slice = (int)(i / width / height);
        EXPECT(out[i] == x[i] * (float)(row + slice), "out[%zu] is %f", i, out[i]);
    }
    free(x), free(out);
}

/* A cell a thread, 3D blocks of 8x8x4 in a 3D grid: the mean of eight corners; sectors are used by halves. */
__global__ void corners_3d(const float *x, int nx, int ny, int nz, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
        return;
    float sum = 0;
#pragma unroll
    for (int c = 0; c < 8; c++)
        sum += x[((size_t)(k + c / 4) * ny + j + c / 2 % 2) * nx + i + c % 2];
    out[((size_t)k * ny + j) * nx + i] = sum / 8;
}

static void run_corners_3d(int size)
{
    const int side[] = {50, 150, 330}, n = side[size], cells = n * n * n;
    float *x = host_array<float>(cells);
    for (int i = 0; i < cells; i++)
        x[i] = (float)random_below(256);
    float *d_x = to_device(x, cells), *d_out = device_zeros<float>(cells);
    const dim3 block(8, 8, 4), grid((n + 7) / 8, (n + 7) / 8, (n + 3) / 4);
    LAUNCH(corners_3d<<<grid, block>>>(d_x, n, n, n, d_out));
    float *out = to_host(d_out, cells);
    for (int at = 0; at < cells; at += 11) {
        const int i = at % n, j = at / n % n, k = at / n / n;
        if (i == n - 1 || j == n - 1 || k == n - 1)
            continue;
        float want = 0;
        for (int c = 0; c < 8; c++)
            want += x[at + c / 4 * n * n + c / 2 % 2 * n + c % 2];
        EXPECT(out[at] == want / 8, "cell %d: %f, not %f", at, out[at], want / 8);
    }
    free(x), free(out);
}

CORPUS({"saxpy_tiny_blocks", "saxpy", run_saxpy_tiny_blocks}, {"saxpy_blocks", "saxpy", run_saxpy_blocks},
       {"saxpy_stride", "saxpy", run_saxpy_stride}, {"uneven_mixed", "uneven", run_uneven_mixed},
       {"uneven_long_first", "uneven", run_uneven_long_first}, {"uneven_long_last", "uneven", run_uneven_long_last},
       {"one_long_block", NULL, run_one_long_block}, {"large_shared_blocks", NULL, run_large_shared_blocks},
       {"many_registers", NULL, run_many_registers}, {"rows_2d", NULL, run_rows_2d},
       {"corners_3d", NULL, run_corners_3d})
