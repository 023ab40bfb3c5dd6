/* children - kernels that launch kernels: one child, many, trees of them, and chains of tail launches; each beside a kernel that
 * does the same without. What counts is what a launch on the device costs and how much work a child has. The case's time is
 * that of its first kernel and all of its descendants. Compiled with -rdc=true -lcudadevrt. */
#include "corpus.h"

/* ---- sums of parts of an array ---- */

__device__ int warp_total(int v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

/* Blocks of 128: the sum of one part of n values. */
__device__ void sum_part(const int *x, int n, int *sum)
{
    __shared__ int part[4];
    int v = 0;
    for (int k = threadIdx.x; k < n; k += 128)
        v += x[k];
    v = warp_total(v);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        *sum = part[0] + part[1] + part[2] + part[3];
}

__global__ void child_sum(const int *x, int n, int *sum) { sum_part(x, n, sum); }

__global__ void child_sums(const int *x, int n, int *sums)
{
    sum_part(x + (size_t)blockIdx.x * n, n, sums + blockIdx.x);
}

/* No child: a block a part, limited by DRAM. */
__global__ void sums_flat(const int *x, int parts, int n, int *sums)
{
    (void)parts;
    sum_part(x + (size_t)blockIdx.x * n, n, sums + blockIdx.x);
}

/* One child with a block a part: the flat kernel behind one launch on the device. */
__global__ void sums_one_child(const int *x, int parts, int n, int *sums)
{
    if (threadIdx.x == 0)
        child_sums<<<parts, 128>>>(x, n, sums);
}

/* A child a part, from the threads of one block into the block's stream: children run one after the other. */
__global__ void sums_in_order(const int *x, int parts, int n, int *sums)
{
    for (int p = threadIdx.x; p < parts; p += blockDim.x)
        child_sum<<<1, 128>>>(x + (size_t)p * n, n, sums + p);
}

/* A child a part, each for itself: children run side by side, as fast as they are launched. */
__global__ void sums_forgotten(const int *x, int parts, int n, int *sums)
{
    for (int p = threadIdx.x; p < parts; p += blockDim.x)
        child_sum<<<1, 128, 0, cudaStreamFireAndForget>>>(x + (size_t)p * n, n, sums + p);
}

static void run_sums(int size, bool flat, void (*kernel)(const int *, int, int, int *))
{
    const int count[] = {4, 32, 256}, length[] = {2000, 10000, 20000}, parts = count[size], n = length[size];
    int *x = host_array<int>((size_t)parts * n), *want = host_array<int>(parts);
    for (int i = 0; i < parts * n; i++)
        want[i / n] += x[i] = (int)random_below(100);
    int *d_x = to_device(x, (size_t)parts * n), *d_sums = device_zeros<int>(parts);
    LAUNCH(kernel<<<flat ? parts : 1, 128>>>(d_x, parts, n, d_sums));
    const int *sums = to_host(d_sums, parts);
    for (int p = 0; p < parts; p++)
        EXPECT(sums[p] == want[p], "part %d: %d, not %d", p, sums[p], want[p]);
    free(x);
}

static void run_sums_flat(int size) { run_sums(size, true, sums_flat); }
static void run_sums_one_child(int size) { run_sums(size, false, sums_one_child); }
static void run_sums_in_order(int size) { run_sums(size, false, sums_in_order); }
static void run_sums_forgotten(int size) { run_sums(size, false, sums_forgotten); }

/* ---- a tree of launches ---- */

/* Each launches two children for the halves until a part is short, and sorts that (a bitonic network): as deep as log n. */
__global__ void tree_of_launches(uint32_t *x, int n, uint32_t *sums)
{
    if (n > 256) {
        if (threadIdx.x < 2)
            tree_of_launches<<<1, 128, 0, cudaStreamFireAndForget>>>(x + threadIdx.x * (n / 2), n / 2,
                                                                     sums + threadIdx.x * (n / 512));
        return;
    }
    __shared__ uint32_t own[256];
    for (int k = threadIdx.x; k < 256; k += 128)
        own[k] = x[k];
    for (int width = 2; width <= 256; width *= 2)
        for (int d = width / 2; d; d /= 2) {
            __syncthreads();
            const int a = threadIdx.x / d * 2 * d + threadIdx.x % d, b = a + d;
            const uint32_t low = min(own[a], own[b]), high = max(own[a], own[b]);
            own[a] = a & width ? high : low, own[b] = a & width ? low : high;
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += 128)
        x[k] = own[k];
    if (threadIdx.x == 0)
        sums[0] = own[128];
}

static int by_value(const void *a, const void *b)
{
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

static void run_tree_of_launches(int size)
{
    const int count[] = {1 << 9, 1 << 13, 1 << 17}, n = count[size];
    uint32_t *x = host_array<uint32_t>(n);
    for (int i = 0; i < n; i++)
        x[i] = random_u32();
    uint32_t *d_x = to_device(x, n), *d_middle = device_zeros<uint32_t>(n / 256);
    LAUNCH(tree_of_launches<<<1, 128>>>(d_x, n, d_middle));
    const uint32_t *got = to_host(d_x, n), *middle = to_host(d_middle, n / 256);
    for (int p = 0; p < n / 256; p++) {
        qsort(x + p * 256, 256, sizeof *x, by_value);
        EXPECT(!memcmp(x + p * 256, got + p * 256, 256 * sizeof *x), "part %d is not sorted", p);
        EXPECT(middle[p] == x[p * 256 + 128], "the middle of part %d is %u", p, middle[p]);
    }
}

/* ---- rounds that need one another: a cell takes the value of its left neighbour plus one ---- */

__device__ void one_round(const int *from, int *to, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i ? i - 1 : n - 1] + 1;
}

__global__ void child_round(const int *from, int *to, int n) { one_round(from, to, n); }

/* Each grid launches the next as its tail, which begins when all of it has ended. A GPU goes 24 deep. */
__global__ void rounds_tail(const int *from, int *a, int *b, int n, int rounds)
{
    one_round(from, a, n);
    if (rounds > 1 && blockIdx.x == 0 && threadIdx.x == 0)
        rounds_tail<<<gridDim.x, blockDim.x, 0, cudaStreamTailLaunch>>>(a, b, a, n, rounds - 1);
}

/* One thread launches all rounds into its block's stream: the launches are under way before they are needed. */
__global__ void rounds_in_order(const int *from, int *a, int *b, int n, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        child_round<<<32, 256>>>(from, a, n);
        from = a, a = b, b = (int *)from;
    }
}

/* One block does all rounds, with a barrier each. */
__global__ void rounds_one_block(const int *from, int *a, int *b, int n, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        one_round(from, a, n);
        __syncthreads();
        from = a, a = b, b = (int *)from;
    }
}

static void run_rounds(int size, int blocks, int threads, void (*kernel)(const int *, int *, int *, int, int))
{
    const int count[] = {2, 10, 20}, cells[] = {1 << 12, 1 << 14, 1 << 17}, rounds = count[size], n = cells[size];
    int *start = host_array<int>(n);
    for (int i = 0; i < n; i++)
        start[i] = (int)random_below(1000);
    int *d_start = to_device(start, n), *d_a = device_zeros<int>(n), *d_b = device_zeros<int>(n);
    LAUNCH(kernel<<<blocks, threads>>>(d_start, d_a, d_b, n, rounds));
    const int *end = to_host(rounds & 1 ? d_a : d_b, n);
    for (int i = 0; i < n; i++) {
        const int want = start[(i + n - rounds) % n] + rounds;
        EXPECT(end[i] == want, "cell %d: %d, not %d", i, end[i], want);
    }
}

static void run_rounds_tail(int size) { run_rounds(size, 32, 256, rounds_tail); }
static void run_rounds_in_order(int size) { run_rounds(size, 1, 1, rounds_in_order); }
static void run_rounds_one_block(int size) { run_rounds(size, 1, 1024, rounds_one_block); }

/* ---- rows of very different lengths ---- */

enum { LONG_ROW = 1000 };

__device__ int row_sum(const int *x, int first, int end)
{
    int sum = 0;
    for (int k = first; k < end; k++)
        sum += x[k];
    return sum;
}

/* A thread a row: a warp waits for its longest row. */
__global__ void rows_threads(const int *offset, const int *x, int rows, int *sums)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        sums[row] = row_sum(x, offset[row], offset[row + 1]);
}

/* A thread a row, but the rare long ones are given to a child of a block each. */
__global__ void rows_children(const int *offset, const int *x, int rows, int *sums)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int first = offset[row], end = offset[row + 1];
    if (end - first >= LONG_ROW)
        child_sum<<<1, 128, 0, cudaStreamFireAndForget>>>(x + first, end - first, sums + row);
    else
        sums[row] = row_sum(x, first, end);
}

static void run_rows(int size, void (*kernel)(const int *, const int *, int, int *))
{
    const int count[] = {1 << 12, 1 << 16, 1 << 18}, length[] = {1500, 12000, 60000}, rows = count[size];
    int *offset = host_array<int>(rows + 1);
    for (int r = 0; r < rows; r++)
        offset[r + 1] = offset[r] + (r % 4096 == 777 ? length[size] : (int)random_below(30));
    int *x = host_array<int>(offset[rows]);
    for (int k = 0; k < offset[rows]; k++)
        x[k] = (int)random_below(100);
    int *d_offset = to_device(offset, rows + 1), *d_x = to_device(x, offset[rows]), *d_sums = device_zeros<int>(rows);
    LAUNCH(kernel<<<blocks_for(rows, 128), 128>>>(d_offset, d_x, rows, d_sums));
    const int *sums = to_host(d_sums, rows);
    for (int r = 0; r < rows; r++) {
        int want = 0;
        for (int k = offset[r]; k < offset[r + 1]; k++)
            want += x[k];
        EXPECT(sums[r] == want, "row %d: %d, not %d", r, sums[r], want);
    }
}

static void run_rows_threads(int size) { run_rows(size, rows_threads); }
static void run_rows_children(int size) { run_rows(size, rows_children); }

/* ---- the Mandelbrot set ---- */

enum { DWELL = 512 };

__host__ __device__ static inline int dwell(int side, int i, int j)
{
    const float cx = 2.5f * (float)i / (float)side - 2.0f, cy = 2.5f * (float)j / (float)side - 1.25f;
    float x = 0, y = 0;
    int k = 0;
    for (; k < DWELL && x * x + y * y < 4; k++) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t;
    }
    return k;
}

/* A thread a pixel: floating point, and warps that wait for their longest pixel. */
__global__ void mandelbrot_flat(int side, int x0, int y0, int width, int *out)
{
    (void)x0, (void)y0, (void)width;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < side && j < side)
        out[j * side + i] = dwell(side, i, j);
}

__device__ void border_pixel(int k, int width, int *i, int *j)
{
    const int edge = k / width, at = k % width;
    *i = edge == 0 || edge == 1 ? at : edge == 2 ? 0 : width - 1;
    *j = edge == 0 ? 0 : edge == 1 ? width - 1 : at;
}

/* Mariani and Silver: a square whose border is all alike is filled; another is given to four children, or computed if small. */
__global__ void mandelbrot_squares(int side, int x0, int y0, int width, int *out)
{
    const int t = threadIdx.x;
    x0 += blockIdx.x % 2 * width, y0 += blockIdx.x / 2 * width;
    const int first = dwell(side, x0, y0);
    bool alike = true;
    for (int k = t; k < 4 * width && alike; k += blockDim.x) {
        int i, j;
        border_pixel(k, width, &i, &j);
        alike = dwell(side, x0 + i, y0 + j) == first;
    }
    alike = __syncthreads_and(alike);
    if (!alike && width > 32) {
        if (t == 0)
            mandelbrot_squares<<<4, 64, 0, cudaStreamFireAndForget>>>(side, x0, y0, width / 2, out);
        return;
    }
    for (int k = t; k < width * width; k += blockDim.x) {
        const int i = x0 + k % width, j = y0 + k / width;
        out[j * side + i] = alike ? first : dwell(side, i, j);
    }
}

static void run_mandelbrot(int size, bool flat)
{
    const int sides[] = {64, 256, 1024}, side = sides[size];
    int *d_out = device_zeros<int>((size_t)side * side);
    if (flat)
        LAUNCH(mandelbrot_flat<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(side, 0, 0, side, d_out));
    else
        LAUNCH(mandelbrot_squares<<<4, 64>>>(side, 0, 0, side / 2, d_out));
    const int *out = to_host(d_out, (size_t)side * side);
    int wrong = 0, looked = 0; /* a GPU fuses multiplications with additions: pixels at the set's edge may differ */
    for (int p = 0; p < side * side; p += 53, looked++) {
        const int d = out[p] - dwell(side, p % side, p / side);
        wrong += d < -1 || d > 1;
    }
    EXPECT(wrong <= looked / 20 + 2, "%d of %d pixels", wrong, looked);
}

static void run_mandelbrot_flat(int size) { run_mandelbrot(size, true); }
static void run_mandelbrot_squares(int size) { run_mandelbrot(size, false); }

CORPUS({"sums_flat", "sums", run_sums_flat}, {"sums_one_child", "sums", run_sums_one_child},
       {"sums_in_order", "sums", run_sums_in_order}, {"sums_forgotten", "sums", run_sums_forgotten},
       {"tree_of_launches", NULL, run_tree_of_launches}, {"rounds_tail", "rounds", run_rounds_tail},
       {"rounds_in_order", "rounds", run_rounds_in_order},
       {"rounds_one_block", "rounds", run_rounds_one_block}, {"rows_threads", "rows", run_rows_threads},
       {"rows_children", "rows", run_rows_children}, {"mandelbrot_flat", "mandelbrot", run_mandelbrot_flat},
       {"mandelbrot_squares", "mandelbrot", run_mandelbrot_squares})
