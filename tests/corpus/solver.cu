/* solver.cu - many small linear systems, as batched solvers have them: LU, Cholesky, tridiagonal, triangular, relaxation.
 * All matrices are diagonally dominant, so that no kernel needs a pivot.
 */
#include "corpus.h"

/* ---- LU without pivots, 8x8, L (unit diagonal) and U in one matrix ---- */

enum { LU = 8 };

/* A thread a system, in place in global memory, a system's rows together: every access of a warp is 32 sectors. */
__global__ void lu_thread(const float *a, float *lu, int systems)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= systems)
        return;
    float *m = lu + (size_t)s * LU * LU;
    for (int e = 0; e < LU * LU; e++)
        m[e] = a[(size_t)s * LU * LU + e];
#pragma unroll 1
    for (int k = 0; k < LU; k++)
        for (int i = k + 1; i < LU; i++) {
            const float l = m[i * LU + k] / m[k * LU + k];
            m[i * LU + k] = l;
            for (int j = k + 1; j < LU; j++)
                m[i * LU + j] -= l * m[k * LU + j];
        }
}

/* A thread a system in 64 registers, element e of all systems together: coalesced, bound by DRAM. */
__global__ void lu_interleaved(const float *a, float *lu, int systems)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= systems)
        return;
    float m[LU * LU];
#pragma unroll
    for (int e = 0; e < LU * LU; e++)
        m[e] = a[(size_t)e * systems + s];
#pragma unroll
    for (int k = 0; k < LU; k++)
#pragma unroll
        for (int i = k + 1; i < LU; i++) {
            m[i * LU + k] /= m[k * LU + k];
#pragma unroll
            for (int j = k + 1; j < LU; j++)
                m[i * LU + j] -= m[i * LU + k] * m[k * LU + j];
        }
#pragma unroll
    for (int e = 0; e < LU * LU; e++)
        lu[(size_t)e * systems + s] = m[e];
}

/* Eight lanes a system, a column each, multipliers by shuffles: bound by the shuffles' latency and by DRAM. */
__global__ void lu_lanes(const float *a, float *lu, int systems)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), s = t / LU, c = t % LU;
    if (s >= systems) /* whole warps: systems is a multiple of 4 */
        return;
    float m[LU];
#pragma unroll
    for (int r = 0; r < LU; r++)
        m[r] = a[((size_t)s * LU + r) * LU + c];
#pragma unroll
    for (int k = 0; k < LU; k++)
#pragma unroll
        for (int i = k + 1; i < LU; i++) {
            const float l = __shfl_sync(~0u, m[i] / m[k], k, LU);
            if (c == k)
                m[i] = l;
            else if (c > k)
                m[i] -= l * m[k];
        }
#pragma unroll
    for (int r = 0; r < LU; r++)
        lu[((size_t)s * LU + r) * LU + c] = m[r];
}

static float *dominant(size_t systems, int n)
{
    float *a = host_array<float>(systems * n * n);
    for (size_t e = 0; e < systems * n * n; e++)
        a[e] = random_float() - 0.5f;
    for (size_t s = 0; s < systems; s++)
        for (int k = 0; k < n; k++)
            a[(s * n + k) * n + k] += (float)n;
    return a;
}

static void lu_check(const float *a, const float *lu, int systems, int element, int system)
{
    for (int s = 0; s < systems; s += 1 + systems / 100)
        for (int r = 0; r < LU; r++)
            for (int c = 0; c < LU; c++) {
                double sum = 0;
                for (int k = 0; k <= (r < c ? r : c); k++)
                    sum += (k == r ? 1.0 : lu[(size_t)(r * LU + k) * element + (size_t)s * system]) *
                           lu[(size_t)(k * LU + c) * element + (size_t)s * system];
                const double want = a[(size_t)(r * LU + c) * element + (size_t)s * system];
                EXPECT(fabs(sum - want) < 1e-4, "system %d, element %d %d: %g, not %g", s, r, c, sum, want);
            }
}

static void lu_case(int size, void (*kernel)(const float *, float *, int), int lanes, bool interleaved)
{
    const int systems = size == 0 ? 2048 : size == 1 ? 65536 : 327680;
    const size_t n = (size_t)systems * LU * LU;
    float *a = dominant((size_t)systems, LU);
    if (interleaved) {
        float *b = host_array<float>(n);
        for (int s = 0; s < systems; s++)
            for (int e = 0; e < LU * LU; e++)
                b[(size_t)e * systems + s] = a[(size_t)s * LU * LU + e];
        free(a);
        a = b;
    }
    float *da = to_device(a, n), *dlu = device_zeros<float>(n);
    LAUNCH(kernel<<<blocks_for((size_t)systems * lanes, 128), 128>>>(da, dlu, systems));
    lu_check(a, to_host(dlu, n), systems, interleaved ? systems : 1, interleaved ? 1 : LU * LU);
}

static void run_lu_thread(int size) { lu_case(size, lu_thread, 1, false); }
static void run_lu_interleaved(int size) { lu_case(size, lu_interleaved, 1, true); }
static void run_lu_lanes(int size) { lu_case(size, lu_lanes, LU, false); }

/* ---- Cholesky, 32x32, the lower triangle ---- */

enum { CH = 32 };

/* A warp a matrix, a lane a row, in shared memory: bound by the latency of shared memory, few warps an SM. */
__global__ void cholesky_warp(const float *a, float *l, int systems)
{
    __shared__ float tile[4][CH][CH + 1];
    const int lane = (int)threadIdx.x % 32, w = (int)threadIdx.x / 32, s = (int)blockIdx.x * 4 + w;
    if (s >= systems)
        return;
    float(*m)[CH + 1] = tile[w];
    for (int r = 0; r < CH; r++)
        m[r][lane] = a[((size_t)s * CH + r) * CH + lane];
    __syncwarp();
    for (int c = 0; c < CH; c++) {
        float sum = m[lane][c];
        for (int k = 0; k < c; k++)
            sum -= m[lane][k] * m[c][k];
        const float diagonal = sqrtf(__shfl_sync(~0u, sum, c));
        __syncwarp();
        m[lane][c] = lane == c ? diagonal : lane > c ? sum / diagonal : 0.0f;
        __syncwarp();
    }
    for (int r = 0; r < CH; r++)
        l[((size_t)s * CH + r) * CH + lane] = m[r][lane];
}

/* A block of 1024 a matrix, a thread an element, right-looking: bound by two barriers a column, most threads idle. */
__global__ void cholesky_block(const float *a, float *l, int systems)
{
    __shared__ float m[CH][CH + 1];
    const int c = (int)threadIdx.x, r = (int)threadIdx.y;
    const size_t at = ((size_t)blockIdx.x * CH + r) * CH + c;
    float mine = a[at];
    for (int k = 0; k < CH; k++) {
        if (c == k)
            m[r][k] = mine;
        __syncthreads();
        const float diagonal = sqrtf(m[k][k]);
        if (c == k)
            mine = r == k ? diagonal : r > k ? mine / diagonal : 0.0f;
        else if (r > k && c > k)
            mine -= m[r][k] * m[c][k] / m[k][k];
        __syncthreads();
    }
    l[at] = mine;
}

static void cholesky_case(int size, bool warp)
{
    const int systems = size == 0 ? 132 : size == 1 ? 3000 : 20000;
    const size_t n = (size_t)systems * CH * CH;
    float *a = dominant((size_t)systems, CH);
    for (int s = 0; s < systems; s++)
        for (int r = 0; r < CH; r++)
            for (int c = 0; c < r; c++)
                a[((size_t)s * CH + c) * CH + r] = a[((size_t)s * CH + r) * CH + c];
    float *da = to_device(a, n), *dl = device_zeros<float>(n);
    if (warp)
        LAUNCH(cholesky_warp<<<blocks_for(systems, 4), 128>>>(da, dl, systems));
    else
        LAUNCH(cholesky_block<<<systems, dim3(CH, CH)>>>(da, dl, systems));
    const float *l = to_host(dl, n);
    for (int s = 0; s < systems; s += 1 + systems / 50)
        for (int r = 0; r < CH; r++)
            for (int c = 0; c <= r; c++) {
                const float *m = l + (size_t)s * CH * CH;
                double sum = 0;
                for (int k = 0; k <= c; k++)
                    sum += (double)m[r * CH + k] * m[c * CH + k];
                const double want = a[((size_t)s * CH + r) * CH + c];
                EXPECT(fabs(sum - want) < 1e-3, "system %d, element %d %d: %g, not %g", s, r, c, sum, want);
            }
}

static void run_cholesky_warp(int size) { cholesky_case(size, true); }
static void run_cholesky_block(int size) { cholesky_case(size, false); }

/* ---- tridiagonal, 64 unknowns ---- */

enum { TRI = 64 };

/* Thomas, a thread a system. Step 1: a system's elements together, 32 sectors an access; step = systems: coalesced. */
static __device__ void thomas(const float *__restrict__ lower, const float *__restrict__ diagonal,
                              const float *__restrict__ upper, const float *__restrict__ rhs,
                              float *__restrict__ scratch, float *__restrict__ x, size_t first, size_t step)
{
    float c = 0, d = 0;
    for (int k = 0; k < TRI; k++) {
        const size_t at = first + (size_t)k * step;
        const float scale = 1.0f / (diagonal[at] - lower[at] * c);
        c = upper[at] * scale;
        d = (rhs[at] - lower[at] * d) * scale;
        scratch[at] = c;
        x[at] = d;
    }
    for (int k = TRI - 2; k >= 0; k--) {
        const size_t at = first + (size_t)k * step;
        d = x[at] - scratch[at] * d;
        x[at] = d;
    }
}

/* A chain of divisions a thread, uncoalesced: bound by sectors in L1 and L2. */
__global__ void thomas_strided(const float *lower, const float *diagonal, const float *upper, const float *rhs,
                               float *scratch, float *x, int systems)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s < systems)
        thomas(lower, diagonal, upper, rhs, scratch, x, (size_t)s * TRI, 1);
}

/* The same chain, coalesced: bound by the chain's latency when few, by DRAM when many. */
__global__ void thomas_interleaved(const float *lower, const float *diagonal, const float *upper, const float *rhs,
                                   float *scratch, float *x, int systems)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s < systems)
        thomas(lower, diagonal, upper, rhs, scratch, x, (size_t)s, (size_t)systems);
}

/* Parallel cyclic reduction, a thread an unknown, four systems a block: bound by barriers and shared memory. */
__global__ void pcr_shared(const float *lower, const float *diagonal, const float *upper, const float *rhs, float *,
                           float *x, int)
{
    __shared__ float l[256], m[256], u[256], r[256];
    const int t = (int)threadIdx.x, k = t % TRI;
    const size_t at = (size_t)blockIdx.x * 256 + t;
    float tl = k ? lower[at] : 0, tm = diagonal[at], tu = k < TRI - 1 ? upper[at] : 0, tr = rhs[at];
    for (int step = 1; step < TRI; step *= 2) {
        l[t] = tl, m[t] = tm, u[t] = tu, r[t] = tr;
        __syncthreads();
        float nl = 0, nu = 0;
        if (k >= step) {
            const float f = tl / m[t - step];
            nl = -f * l[t - step];
            tm -= f * u[t - step];
            tr -= f * r[t - step];
        }
        if (k + step < TRI) {
            const float f = tu / m[t + step];
            nu = -f * u[t + step];
            tm -= f * l[t + step];
            tr -= f * r[t + step];
        }
        tl = nl, tu = nu;
        __syncthreads();
    }
    x[at] = tr / tm;
}

typedef void tridiagonal_kernel(const float *, const float *, const float *, const float *, float *, float *, int);

static void tridiagonal_case(int size, tridiagonal_kernel *kernel, int per_system, bool interleaved)
{
    const int systems = size == 0 ? 1024 : size == 1 ? 32768 : 196608;
    const size_t n = (size_t)systems * TRI;
    float *a[4], *da[4];
    for (int p = 0; p < 4; p++) {
        a[p] = host_array<float>(n);
        for (size_t e = 0; e < n; e++)
            a[p][e] = random_float() + (p == 1 ? 3.0f : 0.0f);
        da[p] = to_device(a[p], n);
    }
    float *scratch = device_zeros<float>(n), *dx = device_zeros<float>(n);
    LAUNCH(kernel<<<blocks_for((size_t)systems * per_system, 256), 256>>>(da[0], da[1], da[2], da[3], scratch, dx,
                                                                          systems));
    const float *x = to_host(dx, n);
    const size_t step = interleaved ? (size_t)systems : 1;
    for (int s = 0; s < systems; s += 1 + systems / 500)
        for (int k = 0; k < TRI; k++) {
            const size_t at = (interleaved ? (size_t)s : (size_t)s * TRI) + (size_t)k * step;
            const double got =
                (k ? a[0][at] * x[at - step] : 0) + a[1][at] * x[at] + (k < TRI - 1 ? a[2][at] * x[at + step] : 0);
            EXPECT(fabs(got - a[3][at]) < 1e-4, "system %d, row %d: %g, not %g", s, k, got, a[3][at]);
        }
}

static void run_thomas_strided(int size) { tridiagonal_case(size, thomas_strided, 1, false); }
static void run_thomas_interleaved(int size) { tridiagonal_case(size, thomas_interleaved, 1, true); }
static void run_pcr_shared(int size) { tridiagonal_case(size, pcr_shared, TRI, false); }

/* ---- a triangular system of 64 unknowns, dense, columns together ---- */

enum { TS = 64, TS_MATRICES = 4096 };

/* A block of 64 a system, a thread a row, forward substitution: bound by a barrier and a load's latency a column. */
__global__ void triangular_block(const float *l, const float *rhs, float *x)
{
    __shared__ float solved;
    const int r = (int)threadIdx.x;
    const float *m = l + (size_t)(blockIdx.x % TS_MATRICES) * TS * TS;
    float mine = rhs[(size_t)blockIdx.x * TS + r];
    for (int c = 0; c < TS; c++) {
        const float e = r >= c ? m[c * TS + r] : 0.0f;
        if (r == c)
            solved = mine = mine / e;
        __syncthreads();
        if (r > c)
            mine -= e * solved;
        __syncthreads();
    }
    x[(size_t)blockIdx.x * TS + r] = mine;
}

static void run_triangular_block(int size)
{
    const int systems = size == 0 ? 64 : size == 1 ? 8192 : 98304;
    const size_t n = (size_t)systems * TS;
    const float *l = dominant(TS_MATRICES, TS);
    float *rhs = host_array<float>(n);
    for (size_t k = 0; k < n; k++)
        rhs[k] = random_float();
    float *dl = to_device(l, (size_t)TS_MATRICES * TS * TS), *drhs = to_device(rhs, n), *dx = device_zeros<float>(n);
    LAUNCH(triangular_block<<<systems, TS>>>(dl, drhs, dx));
    const float *x = to_host(dx, n);
    for (int s = 0; s < systems; s += 1 + systems / 500)
        for (int r = 0; r < TS; r++) {
            double sum = 0;
            for (int c = 0; c <= r; c++)
                sum += (double)l[((size_t)(s % TS_MATRICES) * TS + c) * TS + r] * x[(size_t)s * TS + c];
            EXPECT(fabs(sum - rhs[(size_t)s * TS + r]) < 1e-4, "system %d, row %d: %g", s, r, sum);
        }
}

/* ---- relaxation on grids of 32x32 ---- */

enum { GRID = 32, SWEEPS = 24 };

/* A point of the five-point Laplacian with right side f, zero around the grid. */
static __host__ __device__ float relaxed(const float (*u)[GRID + 2], float f, int y, int x)
{
    return 0.25f * (u[y][x + 1] + u[y + 2][x + 1] + u[y + 1][x] + u[y + 1][x + 2] + f);
}

/* Red-black Gauss-Seidel, a block of 256 a grid in shared memory: bound by barriers, with two-way bank conflicts. */
__global__ void gauss_seidel_red_black(const float *f, float *result)
{
    __shared__ float u[GRID + 2][GRID + 2];
    const int t = (int)threadIdx.x, half = t % 16, row = t / 16;
    const size_t base = (size_t)blockIdx.x * GRID * GRID;
    for (int k = t; k < (GRID + 2) * (GRID + 2); k += 256)
        (&u[0][0])[k] = 0.0f;
    __syncthreads();
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        for (int y = row; y < GRID; y += 16) {
            const int x = 2 * half + ((y + sweep) & 1);
            u[y + 1][x + 1] = relaxed(u, f[base + y * GRID + x], y, x);
        }
        __syncthreads();
    }
    for (int k = t; k < GRID * GRID; k += 256)
        result[base + k] = u[k / GRID + 1][k % GRID + 1];
}

/* Jacobi with two copies, a block of 1024 a grid, a thread a point: bound by barriers of 32 warps. */
__global__ void jacobi_two_copies(const float *f, float *result)
{
    __shared__ float u[2][GRID + 2][GRID + 2];
    const int t = (int)threadIdx.x, x = t % GRID, y = t / GRID;
    const float mine = f[(size_t)blockIdx.x * GRID * GRID + t];
    for (int k = t; k < 2 * (GRID + 2) * (GRID + 2); k += 1024)
        (&u[0][0][0])[k] = 0.0f;
    __syncthreads();
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        u[(sweep & 1) ^ 1][y + 1][x + 1] = relaxed(u[sweep & 1], mine, y, x);
        __syncthreads();
    }
    result[(size_t)blockIdx.x * GRID * GRID + t] = u[0][y + 1][x + 1];
}

static void relaxed_on_host(const float *f, float *result, bool red_black)
{
    static float u[2][GRID + 2][GRID + 2];
    memset(u, 0, sizeof u);
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++)
        for (int y = 0; y < GRID; y++)
            for (int x = 0; x < GRID; x++)
                if (!red_black)
                    u[(sweep & 1) ^ 1][y + 1][x + 1] = relaxed(u[sweep & 1], f[y * GRID + x], y, x);
                else if (((x + y) & 1) == (sweep & 1))
                    u[0][y + 1][x + 1] = relaxed(u[0], f[y * GRID + x], y, x);
    for (int k = 0; k < GRID * GRID; k++)
        result[k] = u[0][k / GRID + 1][k % GRID + 1];
}

static void relaxation_case(int size, bool red_black)
{
    const int grids = size == 0 ? 100 : size == 1 ? 3000 : red_black ? 6000 : 12000;
    const size_t n = (size_t)grids * GRID * GRID;
    float *f = host_array<float>(n), want[GRID * GRID];
    for (size_t k = 0; k < n; k++)
        f[k] = random_float();
    float *df = to_device(f, n), *dr = device_zeros<float>(n);
    if (red_black)
        LAUNCH(gauss_seidel_red_black<<<grids, 256>>>(df, dr));
    else
        LAUNCH(jacobi_two_copies<<<grids, 1024>>>(df, dr));
    const float *got = to_host(dr, n);
    for (int g = 0; g < grids; g += 1 + grids / 20) {
        relaxed_on_host(f + (size_t)g * GRID * GRID, want, red_black);
        for (int k = 0; k < GRID * GRID; k++)
            EXPECT(close_to(got[(size_t)g * GRID * GRID + k], want[k], 1e-4), "grid %d, point %d", g, k);
    }
}

static void run_gauss_seidel_red_black(int size) { relaxation_case(size, true); }
static void run_jacobi_two_copies(int size) { relaxation_case(size, false); }

CORPUS({"lu_thread", "lu", run_lu_thread}, {"lu_interleaved", "lu", run_lu_interleaved},
       {"lu_lanes", "lu", run_lu_lanes}, {"cholesky_warp", "cholesky", run_cholesky_warp},
       {"cholesky_block", "cholesky", run_cholesky_block}, {"thomas_strided", "tridiagonal", run_thomas_strided},
       {"thomas_interleaved", "tridiagonal", run_thomas_interleaved}, {"pcr_shared", "tridiagonal", run_pcr_shared},
       {"triangular_block", NULL, run_triangular_block}, {"gauss_seidel_red_black", NULL, run_gauss_seidel_red_black},
       {"jacobi_two_copies", NULL, run_jacobi_two_copies})
