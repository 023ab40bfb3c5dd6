/* sparse.cu - sparse matrices: rows of all lengths, gathers from vectors and dense matrices, sampled products. */
#include "corpus.h"

/* A matrix of n x n in compressed rows. Most rows are short, one in sixteen is long. */
struct csr {
    int n, nonzeros;
    int *begin, *column; /* n + 1, nonzeros */
    float *value;
};

enum { LONGEST = 48 };

static struct csr random_matrix(int n)
{
    struct csr m = {n, 0, host_array<int>(n + 1), NULL, NULL};
    for (int i = 0; i < n; i++)
        m.begin[i + 1] = m.begin[i] + (random_below(16) ? 2 + random_below(10) : 24 + random_below(LONGEST - 24));
    m.nonzeros = m.begin[n];
    m.column = host_array<int>(m.nonzeros);
    m.value = host_array<float>(m.nonzeros);
    for (int i = 0; i < n; i++)
        for (int k = m.begin[i]; k < m.begin[i + 1]; k++) { /* half of a row lies near the diagonal */
            const int near = i - 64 + (int)random_below(128);
            m.column[k] = k % 2 && near >= 0 && near < n ? near : (int)random_below(n);
            m.value[k] = random_float() - 0.5f;
        }
    return m;
}

static struct csr to_device_csr(const struct csr m)
{
    struct csr d = m;
    d.begin = to_device(m.begin, m.n + 1);
    d.column = to_device(m.column, m.nonzeros);
    d.value = to_device(m.value, m.nonzeros);
    return d;
}

static void free_csr(struct csr m) { free(m.begin), free(m.column), free(m.value); }

static float *random_vector(size_t n)
{
    float *x = host_array<float>(n);
    for (size_t k = 0; k < n; k++)
        x[k] = random_float();
    return x;
}

/* y of a sample of rows is what the host computes. */
static void check_product(const struct csr m, const float *x, const float *device_y)
{
    float *y = to_host(device_y, m.n);
    for (int i = 0; i < m.n; i += 37) {
        double want = 0, size = 0;
        for (int k = m.begin[i]; k < m.begin[i + 1]; k++)
            want += (double)m.value[k] * x[m.column[k]], size += fabs((double)m.value[k] * x[m.column[k]]);
        EXPECT(fabs(y[i] - want) <= 1e-4 * (size + 1e-3), "row %d: %g, not %g", i, y[i], want);
    }
    free(y);
}

/* ---- y = A x ---- */

/* A row a thread: lanes read far apart and wait for the longest row; bound by L1's sectors and latency. */
__global__ void spmv_csr_scalar(struct csr m, const float *__restrict__ x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m.n) return;
    float sum = 0;
    for (int k = m.begin[i]; k < m.begin[i + 1]; k++)
        sum += m.value[k] * x[m.column[k]];
    y[i] = sum;
}

/* Eight lanes a row: reads together, sums by shuffles. */
__global__ void spmv_csr_vector(struct csr m, const float *__restrict__ x, float *y)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, i = thread / 8, lane = thread % 8;
    float sum = 0;
    if (i < m.n)
        for (int k = m.begin[i] + lane; k < m.begin[i + 1]; k += 8)
            sum += m.value[k] * x[m.column[k]];
    for (int step = 4; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, 8);
    if (i < m.n && lane == 0) y[i] = sum;
}

/* A warp a row: most lanes have nothing to do in a short row. */
__global__ void spmv_csr_warp(struct csr m, const float *__restrict__ x, float *y)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= m.n) return;
    float sum = 0;
    for (int k = m.begin[i] + lane; k < m.begin[i + 1]; k += 32)
        sum += m.value[k] * x[m.column[k]];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) y[i] = sum;
}

static void run_csr(int size, void (*kernel)(struct csr, const float *, float *), int lanes)
{
    static const int sizes[] = {30000, 500000, 2000000};
    const struct csr m = random_matrix(sizes[size]), d = to_device_csr(m);
    float *x = random_vector(m.n), *device_x = to_device(x, m.n), *y = device_zeros<float>(m.n);
    LAUNCH(kernel<<<blocks_for((size_t)m.n * lanes, 256), 256>>>(d, device_x, y));
    check_product(m, x, y);
    free_csr(m), free(x);
}

/* All rows padded to the longest and stored by columns: reads together, but reads what is not there; bound by DRAM. */
__global__ void spmv_ell(int n, int width, const int *column, const float *value, const float *__restrict__ x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        const int c = column[(size_t)k * n + i];
        if (c >= 0) sum += value[(size_t)k * n + i] * x[c];
    }
    y[i] = sum;
}

static void run_spmv_ell(int size)
{
    static const int sizes[] = {30000, 500000, 2000000};
    const struct csr m = random_matrix(sizes[size]);
    int *column = host_array<int>((size_t)m.n * LONGEST);
    float *value = host_array<float>((size_t)m.n * LONGEST);
    memset(column, 0xff, (size_t)m.n * LONGEST * sizeof *column);
    for (int i = 0; i < m.n; i++)
        for (int k = m.begin[i]; k < m.begin[i + 1]; k++) {
            column[(size_t)(k - m.begin[i]) * m.n + i] = m.column[k];
            value[(size_t)(k - m.begin[i]) * m.n + i] = m.value[k];
        }
    float *x = random_vector(m.n), *device_x = to_device(x, m.n), *y = device_zeros<float>(m.n);
    int *device_column = to_device(column, (size_t)m.n * LONGEST);
    float *device_value = to_device(value, (size_t)m.n * LONGEST);
    LAUNCH(spmv_ell<<<blocks_for(m.n, 128), 128>>>(m.n, LONGEST, device_column, device_value, device_x, y));
    check_product(m, x, y);
    free_csr(m), free(x), free(column), free(value);
}

/* ---- Y = A X, X of n x 32 by rows ---- */

/* A row and all its 32 columns a thread: sums in registers, reads 128 bytes apart; bound by L1. */
__global__ void spmm_row_a_thread(struct csr m, const float *__restrict__ x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m.n) return;
    float sum[32] = {};
    for (int k = m.begin[i]; k < m.begin[i + 1]; k++) {
        const float value = m.value[k];
        const float *row = x + (size_t)m.column[k] * 32;
#pragma unroll
        for (int c = 0; c < 32; c++)
            sum[c] += value * row[c];
    }
#pragma unroll
    for (int c = 0; c < 32; c++)
        y[(size_t)i * 32 + c] = sum[c];
}

/* A row a warp, a column a lane: reads and writes whole lines; bound by DRAM and L2. */
__global__ void spmm_row_a_warp(struct csr m, const float *__restrict__ x, float *y)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, c = threadIdx.x % 32;
    if (i >= m.n) return;
    float sum = 0;
    for (int k = m.begin[i]; k < m.begin[i + 1]; k++)
        sum += m.value[k] * x[(size_t)m.column[k] * 32 + c];
    y[(size_t)i * 32 + c] = sum;
}

static void run_spmm(int size, void (*kernel)(struct csr, const float *, float *), int lanes)
{
    static const int sizes[] = {5000, 60000, 400000};
    const struct csr m = random_matrix(sizes[size]), d = to_device_csr(m);
    const size_t cells = (size_t)m.n * 32;
    float *x = random_vector(cells), *device_x = to_device(x, cells), *device_y = device_zeros<float>(cells);
    LAUNCH(kernel<<<blocks_for((size_t)m.n * lanes, 128), 128>>>(d, device_x, device_y));
    float *y = to_host(device_y, cells);
    for (int i = 0; i < m.n; i += 37) {
        const int c = i % 32;
        double want = 0;
        for (int k = m.begin[i]; k < m.begin[i + 1]; k++)
            want += (double)m.value[k] * x[(size_t)m.column[k] * 32 + c];
        EXPECT(fabs(y[(size_t)i * 32 + c] - want) < 1e-4, "row %d: %g, not %g", i, y[(size_t)i * 32 + c], want);
    }
    free_csr(m), free(x), free(y);
}

/* ---- sampled products: for each nonzero of A, the product of a row of U and a row of V, 64 wide ---- */

enum { RANK = 64 };

/* A nonzero a thread: every lane reads its own rows. */
__global__ void sddmm_thread(int n, const int *row, const int *column, const float *u, const float *v, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 *a = (const float4 *)(u + (size_t)row[i] * RANK), *b = (const float4 *)(v + (size_t)column[i] * RANK);
    float sum = 0;
    for (int k = 0; k < RANK / 4; k++)
        sum += a[k].x * b[k].x + a[k].y * b[k].y + a[k].z * b[k].z + a[k].w * b[k].w;
    out[i] = sum;
}

/* A nonzero half a warp: 16 lanes read a row together and add by shuffles. */
__global__ void sddmm_half_warp(int n, const int *row, const int *column, const float *u, const float *v, float *out)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (i >= n) return;
    const float4 a = ((const float4 *)(u + (size_t)row[i] * RANK))[lane];
    const float4 b = ((const float4 *)(v + (size_t)column[i] * RANK))[lane];
    float sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    for (int step = 8; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, 16);
    if (lane == 0) out[i] = sum;
}

static void run_sddmm(int size, void (*kernel)(int, const int *, const int *, const float *, const float *, float *),
                      int lanes)
{
    static const int sizes[] = {2000, 40000, 300000};
    const int n = sizes[size], nonzeros = 8 * n; /* nonzeros must be even: half warps end together */
    int *row = host_array<int>(nonzeros), *column = host_array<int>(nonzeros);
    for (int k = 0; k < nonzeros; k++)
        row[k] = k / 8, column[k] = random_below(n);
    const size_t cells = (size_t)n * RANK;
    float *u = random_vector(cells), *v = random_vector(cells);
    float *device_out = device_zeros<float>(nonzeros);
    int *device_row = to_device(row, nonzeros), *device_column = to_device(column, nonzeros);
    float *device_u = to_device(u, cells), *device_v = to_device(v, cells);
    LAUNCH(kernel<<<blocks_for((size_t)nonzeros * lanes, 256), 256>>>(nonzeros, device_row, device_column, device_u,
                                                                      device_v, device_out));
    float *out = to_host(device_out, nonzeros);
    for (int i = 0; i < nonzeros; i += 101) {
        double want = 0;
        for (int k = 0; k < RANK; k++)
            want += (double)u[(size_t)row[i] * RANK + k] * v[(size_t)column[i] * RANK + k];
        EXPECT(close_to(out[i], want, 1e-5), "nonzero %d: %g, not %g", i, out[i], want);
    }
    free(row), free(column), free(u), free(v), free(out);
}

/* ---- blocks of 4 x 4 and columns' counts ---- */

/* A row of blocks has 16 lanes, one a cell; 8 blocks a row. Bound by DRAM: 64 bytes a block. */
__global__ void spmv_blocks(int rows, const int *column, const float *value, const float *__restrict__ x, float *y)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, i = thread / 16, cell = thread % 16;
    if (i >= rows) return;
    float sum = 0;
    for (int k = i * 8; k < i * 8 + 8; k++)
        sum += value[(size_t)k * 16 + cell] * x[column[k] * 4 + cell % 4];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (cell % 4 == 0) y[i * 4 + cell / 4] = sum;
}

static void run_spmv_blocks(int size)
{
    static const int sizes[] = {10000, 200000, 2000000};
    const int rows = sizes[size];
    int *column = host_array<int>((size_t)rows * 8);
    for (int k = 0; k < rows * 8; k++)
        column[k] = random_below(rows);
    float *value = random_vector((size_t)rows * 128), *x = random_vector((size_t)rows * 4);
    int *device_column = to_device(column, (size_t)rows * 8);
    float *device_value = to_device(value, (size_t)rows * 128), *device_x = to_device(x, (size_t)rows * 4);
    float *device_y = device_zeros<float>((size_t)rows * 4);
    LAUNCH(spmv_blocks<<<blocks_for((size_t)rows * 16, 512), 512>>>(rows, device_column, device_value, device_x, device_y));
    float *y = to_host(device_y, (size_t)rows * 4);
    for (int i = 0; i < rows * 4; i += 101) {
        double want = 0;
        for (int k = i / 4 * 8; k < i / 4 * 8 + 8; k++)
            for (int c = 0; c < 4; c++)
                want += (double)value[(size_t)k * 16 + i % 4 * 4 + c] * x[column[k] * 4 + c];
        EXPECT(close_to(y[i], want, 1e-5), "row %d: %g, not %g", i, y[i], want);
    }
    free(column), free(value), free(x), free(y);
}

/* Where the nonzeros of a column begin in the transposed matrix: marks, by a search in the sorted list of columns; a chain of
 * dependent reads a thread, bound by L2's latency. */
__global__ void column_begins(const int *sorted, int nonzeros, int *begin, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > n) return;
    int low = 0, high = nonzeros;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < c) low = middle + 1;
        else high = middle;
    }
    begin[c] = low;
}

static void run_column_begins(int size)
{
    static const int sizes[] = {20000, 1000000, 8000000};
    const int n = sizes[size], nonzeros = 8 * n;
    int *sorted = host_array<int>(nonzeros);
    for (int k = 0, c = 0; k < nonzeros; k++) {
        while (c < n - 1 && random_below(9) == 0) c++;
        sorted[k] = c;
    }
    int *device_sorted = to_device(sorted, nonzeros), *device_begin = device_zeros<int>(n + 1);
    LAUNCH(column_begins<<<blocks_for(n + 1, 64), 64>>>(device_sorted, nonzeros, device_begin, n));
    int *begin = to_host(device_begin, n + 1);
    for (int c = 0; c <= n; c++)
        EXPECT((begin[c] == 0 || sorted[begin[c] - 1] < c) && (begin[c] == nonzeros || sorted[begin[c]] >= c), "column %d", c);
    free(sorted), free(begin);
}

CORPUS({"spmv_csr_scalar", "spmv", [](int size) { run_csr(size, spmv_csr_scalar, 1); }},
       {"spmv_csr_vector", "spmv", [](int size) { run_csr(size, spmv_csr_vector, 8); }},
       {"spmv_csr_warp", "spmv", [](int size) { run_csr(size, spmv_csr_warp, 32); }}, {"spmv_ell", "spmv", run_spmv_ell},
       {"spmm_row_a_thread", "spmm", [](int size) { run_spmm(size, spmm_row_a_thread, 1); }},
       {"spmm_row_a_warp", "spmm", [](int size) { run_spmm(size, spmm_row_a_warp, 32); }},
       {"sddmm_thread", "sddmm", [](int size) { run_sddmm(size, sddmm_thread, 1); }},
       {"sddmm_half_warp", "sddmm", [](int size) { run_sddmm(size, sddmm_half_warp, 16); }},
       {"spmv_blocks", NULL, run_spmv_blocks}, {"column_begins", NULL, run_column_begins})
