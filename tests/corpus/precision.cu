/* precision.cu - halves and doubles: half2 arithmetic, sums of products, small products of matrices, fp64 functions.
 * The values of the half kernels are small integers, so that their results are exact.
 */
#include "corpus.h"
#include <cuda_fp16.h>

static __half *small_halves(size_t n, int from, int values)
{
    __half *a = host_array<__half>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = __float2half((float)((int)random_below((uint32_t)values) + from));
    return a;
}

static double *random_doubles(size_t n)
{
    double *a = host_array<double>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = (double)random_float() - 0.5;
    return a;
}

/* ---- z = a x + y in halves ---- */

/* A thread an element, two bytes: bound by requests, 64 bytes each. */
__global__ void axpy_half(__half a, const __half *x, const __half *y, __half *z, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        z[k] = __hfma(a, x[k], y[k]);
}

/* Two elements a thread: bound by DRAM. */
__global__ void axpy_half2(__half a, const __half *x, const __half *y, __half *z, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n / 2)
        ((__half2 *)z)[k] = __hfma2(__half2half2(a), ((const __half2 *)x)[k], ((const __half2 *)y)[k]);
}

/* Eight elements a thread, 264 blocks that stride: bound by DRAM, few blocks. */
__global__ void axpy_half8(__half a, const __half *x, const __half *y, __half *z, int n)
{
    const __half2 a2 = __half2half2(a);
    for (int k = (int)(blockIdx.x * blockDim.x + threadIdx.x); k < n / 8; k += (int)(gridDim.x * blockDim.x)) {
        uint4 u = ((const uint4 *)x)[k], v = ((const uint4 *)y)[k];
        __half2 *p = (__half2 *)&u, *q = (__half2 *)&v;
#pragma unroll
        for (int e = 0; e < 4; e++)
            q[e] = __hfma2(a2, p[e], q[e]);
        ((uint4 *)z)[k] = v;
    }
}

static void axpy_case(int size, int width)
{
    const int n = size == 0 ? 1 << 19 : size == 1 ? 1 << 25 : 1 << 28;
    __half *x = small_halves((size_t)n, -8, 16), *y = small_halves((size_t)n, -8, 16);
    const __half a = __float2half(3.0f);
    __half *dx = to_device(x, (size_t)n), *dy = to_device(y, (size_t)n), *dz = device_zeros<__half>((size_t)n);
    if (width == 1)
        LAUNCH(axpy_half<<<blocks_for(n, 256), 256>>>(a, dx, dy, dz, n));
    else if (width == 2)
        LAUNCH(axpy_half2<<<blocks_for(n / 2, 512), 512>>>(a, dx, dy, dz, n));
    else
        LAUNCH(axpy_half8<<<264, 1024>>>(a, dx, dy, dz, n));
    const __half *z = to_host(dz, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 1000000)
        EXPECT(__half2float(z[k]) == 3.0f * __half2float(x[k]) + __half2float(y[k]), "element %d", k);
}

static void run_axpy_half(int size) { axpy_case(size, 1); }
static void run_axpy_half2(int size) { axpy_case(size, 2); }
static void run_axpy_half8(int size) { axpy_case(size, 8); }

/* ---- rows of halves times a vector, sums in floats ---- */

enum { COLUMNS = 1024 };

/* A warp a row, converted to floats: bound by DRAM; conversions take the pipe of the rest. */
__global__ void matvec_half(const __half2 *a, const __half2 *x, float *y, int rows)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = t / 32, lane = t % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = lane; k < COLUMNS / 2; k += 32) {
        const float2 u = __half22float2(a[(size_t)row * (COLUMNS / 2) + k]), v = __half22float2(x[k]);
        sum += u.x * v.x + u.y * v.y;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

static void run_matvec_half(int size)
{
    const int rows = size == 0 ? 1056 : size == 1 ? 1 << 16 : 1 << 18;
    const size_t n = (size_t)rows * COLUMNS;
    __half *a = small_halves(n, -4, 8), *x = small_halves(COLUMNS, -4, 8);
    __half *da = to_device(a, n), *dx = to_device(x, COLUMNS);
    float *dy = device_zeros<float>((size_t)rows);
    LAUNCH(
        matvec_half<<<blocks_for((size_t)rows * 32, 256), 256>>>((const __half2 *)da, (const __half2 *)dx, dy, rows));
    const float *y = to_host(dy, (size_t)rows);
    for (int r = 0; r < rows; r += 1 + rows / 2000) {
        float sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += __half2float(a[(size_t)r * COLUMNS + k]) * __half2float(x[k]);
        EXPECT(y[r] == sum, "row %d: %g, not %g", r, y[r], sum);
    }
}

/* ---- polynomials in registers: the same steps in half2, float and double ---- */

enum { STEPS = 256 };

static __device__ __half2 step_of(__half2 v, __half2 x) { return __hfma2(v, x, x); }
static __device__ float step_of(float v, float x) { return fmaf(v, x, x); }
static __device__ double step_of(double v, double x) { return fma(v, x, x); }

/* Two chains of fused products a thread, x_k from memory once. */
template <class T> static __device__ void horner(const T *x, T *y, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n / 2)
        return;
    const T u = x[k], v = x[k + n / 2];
    T p = u, q = v;
#pragma unroll 16
    for (int s = 0; s < STEPS; s++) {
        p = step_of(p, u);
        q = step_of(q, v);
    }
    y[k] = p;
    y[k + n / 2] = q;
}

/* Bound by the FMA pipe, two halves an instruction. */
__global__ void horner_half2(const __half2 *x, __half2 *y, int n) { horner(x, y, n); }
/* Bound by the FMA pipe. */
__global__ void horner_float(const float *x, float *y, int n) { horner(x, y, n); }
/* Bound by the fp64 pipe. */
__global__ void horner_double(const double *x, double *y, int n) { horner(x, y, n); }

/* x is 0, 1/2 or -1/2: the sum x + x^2 + ... ends in 0, 1 or -1/3, in any precision but for rounding. */
template <class T>
static void horner_case(int size, void (*kernel)(const T *, T *, int), T (*make)(double), double (*value)(T))
{
    static const double choice[3] = {0.0, 0.5, -0.5}, limit[3] = {0.0, 1.0, -1.0 / 3};
    const int n = size == 0 ? 1 << 16 : size == 1 ? 1 << 21 : 1 << 24;
    T *x = host_array<T>((size_t)n);
    int *which = host_array<int>((size_t)n);
    for (int k = 0; k < n; k++) {
        which[k] = (int)random_below(3);
        x[k] = make(choice[which[k]]);
    }
    T *dx = to_device(x, (size_t)n), *dy = device_zeros<T>((size_t)n);
    LAUNCH(kernel<<<blocks_for(n / 2, 256), 256>>>(dx, dy, n));
    const T *y = to_host(dy, (size_t)n);
    for (int k = 0; k < n; k++)
        EXPECT(fabs(value(y[k]) - limit[which[k]]) < 1e-3, "element %d: %g", k, value(y[k]));
}

static __half2 make_half2_of(double v) { return __floats2half2_rn((float)v, (float)v); }
static double value_of_half2(__half2 v) { return (double)__low2float(v); }
static float make_float_of(double v) { return (float)v; }
static double value_of_float(float v) { return (double)v; }
static double same(double v) { return v; }

static void run_horner_half2(int size) { horner_case<__half2>(size, horner_half2, make_half2_of, value_of_half2); }
static void run_horner_float(int size) { horner_case<float>(size, horner_float, make_float_of, value_of_float); }
static void run_horner_double(int size) { horner_case<double>(size, horner_double, same, same); }

/* ---- a product of n x n doubles ---- */

/* A thread an element, 16x16 threads: bound by loads from L1. */
__global__ void gemm_double_global(const double *a, const double *b, double *c, int n)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)y * n + k] * b[(size_t)k * n + x];
    c[(size_t)y * n + x] = sum;
}

/* Tiles of 32x32 in shared memory, 32x8 threads, four elements each: bound by the fp64 pipe and shared memory. */
__global__ void gemm_double_shared(const double *a, const double *b, double *c, int n)
{
    __shared__ double u[32][32], v[32][32];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, x = (int)blockIdx.x * 32 + tx,
              y = (int)blockIdx.y * 32 + ty;
    double sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k += 32) {
        for (int e = 0; e < 32; e += 8) {
            u[ty + e][tx] = a[(size_t)(y + e) * n + k + tx];
            v[ty + e][tx] = b[(size_t)(k + ty + e) * n + x];
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 32; j++)
            for (int e = 0; e < 4; e++)
                sum[e] += u[ty + 8 * e][j] * v[j][tx];
        __syncthreads();
    }
    for (int e = 0; e < 4; e++)
        c[(size_t)(y + 8 * e) * n + x] = sum[e];
}

static void gemm_case(int size, bool shared)
{
    const int n = size == 0 ? 96 : size == 1 ? 512 : 768;
    const size_t m = (size_t)n * n;
    double *a = random_doubles(m), *b = random_doubles(m), *da = to_device(a, m), *db = to_device(b, m);
    double *dc = device_zeros<double>(m);
    if (shared)
        LAUNCH(gemm_double_shared<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(da, db, dc, n));
    else
        LAUNCH(gemm_double_global<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n));
    const double *got = to_host(dc, m);
    for (size_t k = 0; k < m; k += 1 + m / 5000) {
        double sum = 0;
        for (int e = 0; e < n; e++)
            sum += a[k / n * n + e] * b[(size_t)e * n + k % n];
        EXPECT(fabs(got[k] - sum) < 1e-10, "element %zu: %g, not %g", k, got[k], sum);
    }
}

static void run_gemm_double_global(int size) { gemm_case(size, false); }
static void run_gemm_double_shared(int size) { gemm_case(size, true); }

/* ---- fp64 functions, and forces in doubles ---- */

/* exp(-x^2) + log(1 + x^2) + sin(x) in doubles: long straight code, bound by the fp64 pipe. */
__global__ void functions_double(const double *x, double *y, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        y[k] = exp(-x[k] * x[k]) + log(1.0 + x[k] * x[k]) + sin(x[k]);
}

static void run_functions_double(int size)
{
    const int n = size == 0 ? 1 << 17 : size == 1 ? 1 << 22 : 1 << 25;
    double *x = random_doubles((size_t)n), *dx = to_device(x, (size_t)n), *dy = device_zeros<double>((size_t)n);
    LAUNCH(functions_double<<<blocks_for(n, 192), 192>>>(dx, dy, n));
    const double *y = to_host(dy, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 200000) {
        const double want = exp(-x[k] * x[k]) + log(1.0 + x[k] * x[k]) + sin(x[k]);
        EXPECT(fabs(y[k] - want) < 1e-12, "element %d: %.17g, not %.17g", k, y[k], want);
    }
}

/* Forces on n bodies by the first `sources` in shared memory, a root and a division each: bound by the fp64 pipe's chains. */
__global__ void forces_double(const double3 *at, double3 *force, int sources)
{
    __shared__ double3 tile[128];
    const int t = (int)threadIdx.x, k = (int)(blockIdx.x * 128) + t;
    const double3 p = at[k];
    double3 f = make_double3(0, 0, 0);
    for (int s = 0; s < sources; s += 128) {
        tile[t] = at[s + t];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            const double dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
            const double r2 = dx * dx + dy * dy + dz * dz + 0.01, w = 1 / (r2 * sqrt(r2));
            f.x += w * dx, f.y += w * dy, f.z += w * dz;
        }
        __syncthreads();
    }
    force[k] = f;
}

static void run_forces_double(int size)
{
    const int n = size == 0 ? 1024 : size == 1 ? 8192 : 32768, sources = size == 0 ? 128 : size == 1 ? 1024 : 4096;
    double *raw = random_doubles((size_t)n * 3);
    const double3 *at = (const double3 *)raw;
    double3 *da = (double3 *)to_device(raw, (size_t)n * 3), *df = (double3 *)device_zeros<double>((size_t)n * 3);
    LAUNCH(forces_double<<<n / 128, 128>>>(da, df, sources));
    const double3 *got = (const double3 *)to_host((double *)df, (size_t)n * 3);
    for (int k = 0; k < n; k += 1 + n / 500) {
        double x = 0, scale = 0;
        for (int s = 0; s < sources; s++) {
            const double dx = at[s].x - at[k].x, dy = at[s].y - at[k].y, dz = at[s].z - at[k].z;
            const double r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            x += r * r * r * dx;
            scale += fabs(r * r * r * dx);
        }
        EXPECT(fabs(got[k].x - x) <= 1e-10 * (scale + 1), "body %d: %.17g, not %.17g, of %g", k, got[k].x, x, scale);
    }
}

CORPUS({"axpy_half", "axpy", run_axpy_half}, {"axpy_half2", "axpy", run_axpy_half2},
       {"axpy_half8", "axpy", run_axpy_half8}, {"matvec_half", NULL, run_matvec_half},
       {"horner_half2", "horner", run_horner_half2}, {"horner_float", "horner", run_horner_float},
       {"horner_double", "horner", run_horner_double}, {"gemm_double_global", "gemm", run_gemm_double_global},
       {"gemm_double_shared", "gemm", run_gemm_double_shared}, {"functions_double", NULL, run_functions_double},
       {"forces_double", NULL, run_forces_double})
