/* loops.cu - nests of loops over matrices and volumes, turned into kernels without further thought: a thread for each element of the
 * result, all data in global memory.
 */
#include "corpus.h"

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_float() - 0.5f;
    return a;
}

/* ---- d = alpha a b + beta c: an element a thread, blocks of 32 x 8: bound by L1 ---- */

__global__ void gemm_naive(const float *a, const float *b, const float *c, float *d, int ni, int nj, int nk)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        float sum = 1.2f * c[i * nj + j];
        for (int k = 0; k < nk; k++)
            sum += 1.5f * a[i * nk + k] * b[k * nj + j];
        d[i * nj + j] = sum;
    }
}

static void run_gemm_naive(int size)
{
    const int ni = size == 0   ? 120
                   : size == 1 ? 500
                               : 1100,
              nj = size == 0   ? 100
                   : size == 1 ? 520
                               : 1000,
              nk = size == 0 ? 60 : 400;
    float *a = random_floats((size_t)ni * nk), *b = random_floats((size_t)nk * nj), *c = random_floats((size_t)ni * nj);
    float *da = to_device(a, (size_t)ni * nk), *db = to_device(b, (size_t)nk * nj), *dc = to_device(c, (size_t)ni * nj);
    float *dd = device_zeros<float>((size_t)ni * nj);
    LAUNCH(gemm_naive<<<dim3(blocks_for(nj, 32), blocks_for(ni, 8)), dim3(32, 8)>>>(da, db, dc, dd, ni, nj, nk));
    float *d = to_host(dd, (size_t)ni * nj);
    for (int check = 0; check < 3000; check++) {
        const int i = (int)random_below(ni), j = (int)random_below(nj);
        double want = 1.2 * c[i * nj + j];
        for (int k = 0; k < nk; k++)
            want += 1.5 * a[i * nk + k] * b[k * nj + j];
        EXPECT(fabs(d[i * nj + j] - want) < 1e-3, "element %d %d: %g, not %g", i, j, d[i * nj + j], want);
    }
    free(a), free(b), free(c), free(d);
}

/* ---- d = a a' + c: lanes read different rows of a, a line of L1 each ---- */

__global__ void syrk_naive(const float *a, const float *c, float *d, int n, int m)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float sum = c[i * n + j];
        for (int k = 0; k < m; k++)
            sum += a[i * m + k] * a[j * m + k];
        d[i * n + j] = sum;
    }
}

static void run_syrk_naive(int size)
{
    const int n = size == 0 ? 96 : size == 1 ? 400 : 900, m = size == 0 ? 50 : size == 1 ? 150 : 200;
    float *a = random_floats((size_t)n * m), *c = random_floats((size_t)n * n);
    float *da = to_device(a, (size_t)n * m), *dc = to_device(c, (size_t)n * n),
          *dd = device_zeros<float>((size_t)n * n);
    LAUNCH(syrk_naive<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), dim3(32, 8)>>>(da, dc, dd, n, m));
    float *d = to_host(dd, (size_t)n * n);
    for (int check = 0; check < 5000; check++) {
        const int i = (int)random_below(n), j = (int)random_below(n);
        double want = c[i * n + j];
        for (int k = 0; k < m; k++)
            want += (double)a[i * m + k] * a[j * m + k];
        EXPECT(fabs(d[i * n + j] - want) < 1e-3, "element %d %d: %g, not %g", i, j, d[i * n + j], want);
    }
    free(a), free(c), free(d);
}

/* ---- products of a matrix and a vector ---- */

/* A row a thread: lanes are a row apart, few warps, bound by latency and by what L1 keeps of the lines. */
__global__ void mvt_rows(const float *a, const float *y, float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            x[i] += a[(size_t)i * n + j] * y[j];
}

/* A column a thread: coalesced, few warps, bound by latency. */
__global__ void bicg_columns(const float *a, const float *y, float *x, int n)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[(size_t)i * n + j] * y[i];
        x[j] = sum;
    }
}

static void matvec_case(int n, bool rows)
{
    float *a = random_floats((size_t)n * n), *y = random_floats(n), *da = to_device(a, (size_t)n * n),
          *dy = to_device(y, n);
    float *dx = device_zeros<float>(n);
    if (rows)
        LAUNCH(mvt_rows<<<blocks_for(n, 256), 256>>>(da, dy, dx, n));
    else
        LAUNCH(bicg_columns<<<blocks_for(n, 256), 256>>>(da, dy, dx, n));
    float *x = to_host(dx, n);
    for (int r = 0; r < n; r += 1 + n / 1000) {
        double want = 0;
        for (int k = 0; k < n; k++)
            want += (double)a[rows ? (size_t)r * n + k : (size_t)k * n + r] * y[k];
        want *= rows ? corpus_launches : 1;
        EXPECT(fabs(x[r] - want) < 1e-2, "element %d: %g, not %g", r, x[r], want);
    }
    free(a), free(y), free(x);
}

static void run_mvt_rows(int size) { matvec_case(size == 0 ? 150 : size == 1 ? 1000 : 4000, true); }
static void run_bicg_columns(int size) { matvec_case(size == 0 ? 200 : size == 1 ? 1500 : 6000, false); }

/* ---- covariances: a column a thread with all that follow it, long and short threads ---- */

__global__ void covariance(const float *data, float *out, int columns, int rows)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= columns)
        return;
    for (int second = first; second < columns; second++) {
        float sum = 0;
        for (int i = 0; i < rows; i++)
            sum += data[i * columns + first] * data[i * columns + second];
        sum /= rows - 1;
        out[first * columns + second] = sum;
        out[second * columns + first] = sum;
    }
}

static void run_covariance(int size)
{
    const int columns = size == 0 ? 32 : size == 1 ? 160 : 600, rows = size == 0 ? 20 : size == 1 ? 50 : 80;
    float *data = random_floats((size_t)columns * rows), *d_data = to_device(data, (size_t)columns * rows);
    float *d_out = device_zeros<float>((size_t)columns * columns);
    LAUNCH(covariance<<<blocks_for(columns, 32), 32>>>(d_data, d_out, columns, rows));
    float *out = to_host(d_out, (size_t)columns * columns);
    for (int check = 0; check < 5000; check++) {
        const int p = (int)random_below(columns), q = (int)random_below(columns);
        double want = 0;
        for (int i = 0; i < rows; i++)
            want += (double)data[i * columns + p] * data[i * columns + q];
        want /= rows - 1;
        EXPECT(fabs(out[p * columns + q] - want) < 1e-4, "columns %d %d: %g, not %g", p, q, out[p * columns + q], want);
    }
    free(data), free(out);
}

/* ---- a convolution of a volume with eleven weights: a thread a column of cells, from front to back ---- */

static __host__ __device__ inline float weighed(const float *in, size_t i, size_t row, size_t plane)
{
    return 0.2f * in[i - plane - row - 1] + 0.5f * in[i - plane - row + 1] - 0.8f * in[i - plane - 1] -
           0.3f * in[i - 1] + 0.6f * in[i] - 0.9f * in[i + 1] + 0.4f * in[i + row - 1] + 0.7f * in[i + plane] +
           0.1f * in[i + plane + row] + 0.2f * in[i + plane + row - 1] + 0.3f * in[i + plane + row + 1];
}

__global__ void conv3d(const float *in, float *out, int n, int depth)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    for (int z = 1; z < depth - 1; z++) {
        const size_t i = ((size_t)z * n + y) * n + x;
        out[i] = weighed(in, i, n, (size_t)n * n);
    }
}

static void run_conv3d(int size)
{
    const int n = size == 0 ? 64 : size == 1 ? 192 : 384, depth = size == 0 ? 16 : size == 1 ? 96 : 128;
    const size_t cells = (size_t)n * n * depth;
    float *in = random_floats(cells), *d_in = to_device(in, cells), *d_out = device_zeros<float>(cells);
    LAUNCH(conv3d<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), dim3(32, 8)>>>(d_in, d_out, n, depth));
    float *out = to_host(d_out, cells);
    for (int check = 0; check < 20000; check++) {
        const size_t x = 1 + random_below(n - 2), y = 1 + random_below(n - 2), z = 1 + random_below(depth - 2);
        const size_t i = (z * n + y) * n + x;
        EXPECT(fabs(out[i] - weighed(in, i, n, (size_t)n * n)) < 1e-5, "cell %zu %zu %zu: %g", x, y, z, out[i]);
    }
    free(in), free(out);
}

CORPUS({"gemm_naive", NULL, run_gemm_naive}, {"syrk_naive", NULL, run_syrk_naive}, {"mvt_rows", NULL, run_mvt_rows},
       {"bicg_columns", NULL, run_bicg_columns}, {"covariance", NULL, run_covariance}, {"conv3d", NULL, run_conv3d})
