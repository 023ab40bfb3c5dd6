/* batched.cu - many small problems, each for a thread, a warp or a block: factors of small matrices, tridiagonal systems,
 * alignment by dynamic programming, sorting of short arrays.
 */
#include "corpus.h"

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_float() - 0.5f;
    return a;
}

/* `count` matrices of n x n by rows, whose diagonals are heavy: they need no pivots. */
static float *random_matrices(size_t count, size_t n)
{
    float *a = random_floats(count * n * n);
    for (size_t i = 0; i < count * n; i++)
        a[i / n * n * n + i % n * (n + 1)] += (float)n;
    return a;
}

/* ---- factors of small matrices ---- */

enum { SMALL = 8, LANES = 32, BLOCKED = 48, WIDE = 16 };

/* A thread a matrix of 8 x 8 in registers; its neighbour's stands 256 bytes on: loads of a warp touch 32 lines. */
__global__ void lu_thread(const float *in, float *out, int count)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    float a[SMALL][SMALL];
#pragma unroll
    for (int k = 0; k < SMALL * SMALL; k++)
        a[k / SMALL][k % SMALL] = in[(size_t)m * SMALL * SMALL + k];
#pragma unroll
    for (int k = 0; k < SMALL; k++)
#pragma unroll
        for (int r = k + 1; r < SMALL; r++) {
            a[r][k] /= a[k][k];
#pragma unroll
            for (int c = k + 1; c < SMALL; c++)
                a[r][c] -= a[r][k] * a[k][c];
        }
#pragma unroll
    for (int k = 0; k < SMALL * SMALL; k++)
        out[(size_t)m * SMALL * SMALL + k] = a[k / SMALL][k % SMALL];
}

/* A warp a matrix of 32 x 32, a lane a column in registers: the factors of a step come from the pivot's lane by shuffles. */
__global__ void lu_columns(const float *in, float *out, int count)
{
    const int m = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (m >= count)
        return;
    float a[LANES];
#pragma unroll
    for (int r = 0; r < LANES; r++)
        a[r] = in[(size_t)m * LANES * LANES + r * LANES + lane];
#pragma unroll
    for (int k = 0; k < LANES; k++) {
        const float inverse = 1 / __shfl_sync(~0u, a[k], k);
#pragma unroll
        for (int r = k + 1; r < LANES; r++) {
            const float factor = __shfl_sync(~0u, a[r], k) * inverse;
            if (lane > k)
                a[r] -= factor * a[k];
            else if (lane == k)
                a[r] = factor;
        }
    }
#pragma unroll
    for (int r = 0; r < LANES; r++)
        out[(size_t)m * LANES * LANES + r * LANES + lane] = a[r];
}

/* Lower and upper factors times each other are the matrix again. */
static void check_lu(const float *a, const float *f, size_t count, int n)
{
    for (int check = 0; check < 20000; check++) {
        const size_t at = (size_t)random_below((uint32_t)count) * n * n;
        const int r = (int)random_below(n), c = (int)random_below(n);
        double sum = r <= c ? f[at + r * n + c] : 0;
        for (int k = 0; k < r && k <= c; k++)
            sum += (double)f[at + r * n + k] * f[at + k * n + c];
        EXPECT(fabs(sum - a[at + r * n + c]) < 1e-4 * n, "row %d, column %d: %g, not %g", r, c, sum, a[at + r * n + c]);
    }
}

static void run_lu_thread(int size)
{
    const int count = size == 0 ? 4000 : size == 1 ? 150000 : 1500000;
    const size_t n = (size_t)count * SMALL * SMALL;
    float *a = random_matrices(count, SMALL), *d_in = to_device(a, n), *d_out = device_zeros<float>(n);
    LAUNCH(lu_thread<<<blocks_for(count, 128), 128>>>(d_in, d_out, count));
    float *out = to_host(d_out, n);
    check_lu(a, out, count, SMALL);
    free(a), free(out);
}

static void run_lu_columns(int size)
{
    const int count = size == 0 ? 1000 : size == 1 ? 20000 : 120000;
    const size_t n = (size_t)count * LANES * LANES;
    float *a = random_matrices(count, LANES), *d_in = to_device(a, n), *d_out = device_zeros<float>(n);
    LAUNCH(lu_columns<<<blocks_for(count, 4), 4 * LANES>>>(d_in, d_out, count));
    float *out = to_host(d_out, n);
    check_lu(a, out, count, LANES);
    free(a), free(out);
}

/* Lower triangular systems: a warp one of 32, a lane a row that it reads from memory as it goes; what is known comes by shuffles. */
__global__ void solve_lanes(const float *lower, const float *right, float *x, int count)
{
    const int m = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (m >= count)
        return;
    const float *row = lower + ((size_t)m * LANES + lane) * LANES;
    float mine = right[(size_t)m * LANES + lane];
    for (int k = 0; k < LANES; k++) {
        if (lane == k)
            mine /= row[k];
        const float known = __shfl_sync(~0u, mine, k);
        if (lane > k)
            mine -= row[k] * known;
    }
    x[(size_t)m * LANES + lane] = mine;
}

static void run_solve_lanes(int size)
{
    const int count = size == 0 ? 1000 : size == 1 ? 30000 : 250000;
    const size_t n = (size_t)count * LANES;
    float *a = random_matrices(count, LANES), *b = random_floats(n), *d_a = to_device(a, n * LANES);
    float *d_b = to_device(b, n), *d_x = device_zeros<float>(n);
    LAUNCH(solve_lanes<<<blocks_for(count, 8), 8 * LANES>>>(d_a, d_b, d_x, count));
    float *x = to_host(d_x, n);
    for (int check = 0; check < 20000; check++) {
        const size_t m = random_below(count), r = random_below(LANES);
        double sum = 0;
        for (size_t k = 0; k <= r; k++)
            sum += (double)a[(m * LANES + r) * LANES + k] * x[m * LANES + k];
        EXPECT(fabs(sum - b[m * LANES + r]) < 1e-4, "system %zu, row %zu: %g", m, r, sum);
    }
    free(a), free(b), free(x);
}

/* Cholesky's factor: a block of 64 a matrix of 48 x 48 in shared memory, a thread a row, two barriers a column. */
__global__ void cholesky_block(const float *in, float *out)
{
    __shared__ float s[BLOCKED][BLOCKED + 1];
    const size_t at = (size_t)blockIdx.x * BLOCKED * BLOCKED;
    const int t = threadIdx.x;
    for (int k = t; k < BLOCKED * BLOCKED; k += blockDim.x)
        s[k / BLOCKED][k % BLOCKED] = in[at + k];
    for (int k = 0; k < BLOCKED; k++) {
        __syncthreads();
        const float pivot = sqrtf(s[k][k]);
        const float mine = t > k && t < BLOCKED ? s[t][k] / pivot : pivot;
        __syncthreads();
        if (t >= k && t < BLOCKED)
            s[t][k] = mine;
        __syncthreads();
        if (t > k && t < BLOCKED)
            for (int c = k + 1; c <= t; c++)
                s[t][c] -= mine * s[c][k];
    }
    __syncthreads();
    for (int k = t; k < BLOCKED * BLOCKED; k += blockDim.x)
        out[at + k] = k % BLOCKED <= k / BLOCKED ? s[k / BLOCKED][k % BLOCKED] : 0;
}

static void run_cholesky_block(int size)
{
    const int count = size == 0 ? 132 : size == 1 ? 3000 : 20000;
    const size_t n = (size_t)count * BLOCKED * BLOCKED;
    float *a = random_matrices(count, BLOCKED); /* below the diagonal: what stands above it is not read */
    float *d_in = to_device(a, n), *d_out = device_zeros<float>(n);
    LAUNCH(cholesky_block<<<count, 64>>>(d_in, d_out));
    float *f = to_host(d_out, n);
    for (int check = 0; check < 20000; check++) {
        const size_t m = (size_t)random_below(count) * BLOCKED, r = random_below(BLOCKED), c = random_below((uint32_t)r + 1);
        double sum = 0;
        for (size_t k = 0; k <= c; k++)
            sum += (double)f[(m + r) * BLOCKED + k] * f[(m + c) * BLOCKED + k];
        EXPECT(fabs(sum - a[(m + r) * BLOCKED + c]) < 1e-3, "row %zu, column %zu: %g", r, c, sum);
    }
    free(a), free(f);
}

/* Inverses by Gauss and Jordan: a block of 16 x 16 a matrix of doubles, a thread an element and one of the inverse. */
__global__ void invert_block(const double *in, double *out)
{
    __shared__ double a[WIDE][WIDE], b[WIDE][WIDE];
    const int c = threadIdx.x, r = threadIdx.y;
    const size_t at = ((size_t)blockIdx.x * WIDE + r) * WIDE + c;
    a[r][c] = in[at];
    b[r][c] = r == c;
    for (int k = 0; k < WIDE; k++) {
        __syncthreads();
        const double pivot = 1 / a[k][k], factor = r == k ? 0 : a[r][k] * pivot, left = a[k][c], right = b[k][c];
        __syncthreads();
        a[r][c] = r == k ? left * pivot : a[r][c] - factor * left;
        b[r][c] = r == k ? right * pivot : b[r][c] - factor * right;
    }
    out[at] = b[r][c];
}

static void run_invert_block(int size)
{
    const int count = size == 0 ? 132 : size == 1 ? 4000 : 40000;
    const size_t n = (size_t)count * WIDE * WIDE;
    float *f = random_matrices(count, WIDE);
    double *a = host_array<double>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = f[i];
    double *d_in = to_device(a, n), *d_out = device_zeros<double>(n);
    LAUNCH(invert_block<<<count, dim3(WIDE, WIDE)>>>(d_in, d_out));
    double *out = to_host(d_out, n);
    for (int check = 0; check < 20000; check++) {
        const size_t m = (size_t)random_below(count) * WIDE, r = random_below(WIDE), c = random_below(WIDE);
        double sum = 0;
        for (size_t k = 0; k < WIDE; k++)
            sum += a[(m + r) * WIDE + k] * out[(m + k) * WIDE + c];
        EXPECT(fabs(sum - (r == c)) < 1e-12, "row %zu, column %zu: %g", r, c, sum);
    }
    free(f), free(a), free(out);
}

/* ---- tridiagonal systems ---- */

enum { LENGTH = 64, REDUCED = 256 };

/* Thomas's method, a thread a system of 64; equation k of system s stands at s * step + k * next in each field. */
static __device__ void thomas(const float *low, const float *mid, const float *up, const float *right, float *c, float *x,
                              size_t at, size_t next)
{
    float last = up[at] / mid[at], known = right[at] / mid[at];
    c[at] = last;
    x[at] = known;
    for (int k = 1; k < LENGTH; k++) {
        const size_t i = at + k * next;
        const float scale = 1 / (mid[i] - low[i] * last);
        last = up[i] * scale;
        known = (right[i] - low[i] * known) * scale;
        c[i] = last;
        x[i] = known;
    }
    for (int k = LENGTH - 2; k >= 0; k--) {
        const size_t i = at + k * next;
        known = x[i] - c[i] * known;
        x[i] = known;
    }
}

/* A system's equations side by side: a warp touches 32 lines, of each a float, and comes back for the next. */
__global__ void thomas_rows(const float *low, const float *mid, const float *up, const float *right, float *c, float *x,
                            int count)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < count)
        thomas(low, mid, up, right, c, x, (size_t)s * LENGTH, 1);
}

/* Systems side by side: a warp touches a line. */
__global__ void thomas_columns(const float *low, const float *mid, const float *up, const float *right, float *c, float *x,
                               int count)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < count)
        thomas(low, mid, up, right, c, x, s, count);
}

/* A block of 128 a system of 256: cyclic reduction in shared memory, fewer threads each step, bank conflicts that double. */
__global__ void cyclic_reduction(const float *low, const float *mid, const float *up, const float *right, float *x)
{
    __shared__ float a[REDUCED], b[REDUCED], c[REDUCED], d[REDUCED];
    const size_t at = (size_t)blockIdx.x * REDUCED;
    const int t = threadIdx.x;
    for (int i = t; i < REDUCED; i += blockDim.x) {
        a[i] = low[at + i], b[i] = mid[at + i];
        c[i] = up[at + i], d[i] = right[at + i];
    }
    for (int step = 1; step < REDUCED; step *= 2) {
        __syncthreads();
        const int i = (t + 1) * 2 * step - 1;
        if (i < REDUCED) {
            const int left = i - step, after = i + step < REDUCED ? i + step : i;
            const float f = a[i] / b[left], g = after > i ? c[i] / b[after] : 0;
            b[i] -= c[left] * f + a[after] * g;
            d[i] -= d[left] * f + d[after] * g;
            a[i] = -a[left] * f;
            c[i] = -c[after] * g;
        }
    }
    __syncthreads();
    if (t == 0)
        d[REDUCED - 1] /= b[REDUCED - 1];
    for (int step = REDUCED / 2; step >= 1; step /= 2) {
        __syncthreads();
        const int i = (2 * t + 1) * step - 1;
        if (i < REDUCED)
            d[i] = (d[i] - (i >= step ? a[i] * d[i - step] : 0) - c[i] * d[i + step]) / b[i];
    }
    __syncthreads();
    for (int i = t; i < REDUCED; i += blockDim.x)
        x[at + i] = d[i];
}

/* Fields low, mid, up, right of `count` systems of `n`; equation k of system s at s * step + k * next. */
static void run_tridiagonal(size_t count, size_t n, size_t step, size_t next,
                            void (*launch)(const float *d_in, float *d_c, float *d_x, size_t count, size_t all))
{
    const size_t all = count * n;
    float *in = random_floats(4 * all);
    for (size_t i = 0; i < all; i++)
        in[all + i] += 2;
    for (size_t s = 0; s < count; s++)
        in[s * step] = in[2 * all + s * step + (n - 1) * next] = 0;
    float *d_in = to_device(in, 4 * all), *d_c = device_zeros<float>(all), *d_x = device_zeros<float>(all);
    launch(d_in, d_c, d_x, count, all);
    float *x = to_host(d_x, all);
    for (int check = 0; check < 50000; check++) {
        const size_t k = random_below((uint32_t)n), i = random_below((uint32_t)count) * step + k * next;
        const double sum = (k ? (double)in[i] * x[i - next] : 0) + (double)in[all + i] * x[i] +
                           (k < n - 1 ? (double)in[2 * all + i] * x[i + next] : 0);
        EXPECT(fabs(sum - in[3 * all + i]) < 1e-4, "equation %zu: %g, not %g", i, sum, in[3 * all + i]);
    }
    free(in), free(x);
}

static size_t systems(int size) { return size == 0 ? 2000 : size == 1 ? 60000 : 500000; }

static void run_thomas_rows(int size)
{
    run_tridiagonal(systems(size), LENGTH, LENGTH, 1, [](const float *in, float *c, float *x, size_t count, size_t all) {
        LAUNCH(thomas_rows<<<blocks_for(count, 128), 128>>>(in, in + all, in + 2 * all, in + 3 * all, c, x, (int)count));
    });
}

static void run_thomas_columns(int size)
{
    const size_t n = systems(size);
    run_tridiagonal(n, LENGTH, 1, n, [](const float *in, float *c, float *x, size_t count, size_t all) {
        LAUNCH(thomas_columns<<<blocks_for(count, 128), 128>>>(in, in + all, in + 2 * all, in + 3 * all, c, x, (int)count));
    });
}

static void run_cyclic_reduction(int size)
{
    const size_t count = size == 0 ? 500 : size == 1 ? 10000 : 100000;
    run_tridiagonal(count, REDUCED, REDUCED, 1, [](const float *in, float *, float *x, size_t n, size_t all) {
        LAUNCH(cyclic_reduction<<<(int)n, REDUCED / 2>>>(in, in + all, in + 2 * all, in + 3 * all, x));
    });
}

/* ---- alignment: the best local score of two words of 64 letters; 2 for what agrees, -1 for what does not, -1 for a gap ---- */

enum { WORD = 64, LONG = 128 };

static __host__ __device__ inline int best_of(int corner, int above, int left, bool same)
{
    const int diagonal = corner + (same ? 2 : -1), gap = (above > left ? above : left) - 1;
    const int best = diagonal > gap ? diagonal : gap;
    return best > 0 ? best : 0;
}

/* A thread a pair; its row of the table in local memory. */
__global__ void align_local(const char *words, int *scores, int pairs)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    const char *a = words + (size_t)p * 2 * WORD, *b = a + WORD;
    short row[WORD + 1];
    int best = 0;
    for (int j = 0; j <= WORD; j++)
        row[j] = 0;
    for (int i = 0; i < WORD; i++) {
        const char letter = a[i];
        int corner = 0, left = 0;
        for (int j = 1; j <= WORD; j++) {
            const int above = row[j];
            left = best_of(corner, above, left, letter == b[j - 1]);
            row[j] = (short)left;
            corner = above;
            best = max(best, left);
        }
    }
    scores[p] = best;
}

/* The same with the rows of a block of 64 in shared memory, a column a thread. */
__global__ void align_shared(const char *words, int *scores, int pairs)
{
    __shared__ short row[WORD + 1][64];
    const int p = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (p >= pairs)
        return;
    const char *a = words + (size_t)p * 2 * WORD, *b = a + WORD;
    int best = 0;
    for (int j = 0; j <= WORD; j++)
        row[j][t] = 0;
    for (int i = 0; i < WORD; i++) {
        const char letter = a[i];
        int corner = 0, left = 0;
        for (int j = 1; j <= WORD; j++) {
            const int above = row[j][t];
            left = best_of(corner, above, left, letter == b[j - 1]);
            row[j][t] = (short)left;
            corner = above;
            best = max(best, left);
        }
    }
    scores[p] = best;
}

/* A block of 128 a pair of words of 128, along antidiagonals: three of them in shared memory, a barrier each. */
__global__ void align_diagonal(const char *words, int *scores)
{
    __shared__ int s[3][LONG + 1], bests[LONG / 32];
    const int t = threadIdx.x + 1;
    const char *a = words + (size_t)blockIdx.x * 2 * LONG, *b = a + LONG, letter = a[t - 1];
    int best = 0;
    for (int k = 0; k < 3; k++) {
        s[k][t] = 0;
        if (t == 1)
            s[k][0] = 0;
    }
    __syncthreads();
    for (int d = 0; d < 2 * LONG - 1; d++) {
        const int j = d - (t - 1);
        int *now = s[d % 3], *last = s[(d + 2) % 3], *before = s[(d + 1) % 3];
        if (j >= 0 && j < LONG) {
            now[t] = best_of(j ? before[t - 1] : 0, last[t - 1], j ? last[t] : 0, letter == b[j]);
            best = max(best, now[t]);
        }
        __syncthreads();
    }
    for (int step = 16; step; step /= 2)
        best = max(best, __shfl_xor_sync(~0u, best, step));
    if (threadIdx.x % 32 == 0)
        bests[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0)
        scores[blockIdx.x] = max(max(bests[0], bests[1]), max(bests[2], bests[3]));
}

static int score_of(const char *a, const char *b, int n)
{
    int row[LONG + 1] = {0}, best = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1, corner = 0, left = 0; j <= n; j++) {
            const int above = row[j];
            row[j] = left = best_of(corner, above, left, a[i] == b[j - 1]);
            corner = above;
            best = left > best ? left : best;
        }
    return best;
}

static void run_align(int pairs, int n, void (*launch)(const char *d_words, int *d_scores, int pairs))
{
    const size_t letters = (size_t)pairs * 2 * n;
    char *words = host_array<char>(letters);
    for (size_t i = 0; i < letters; i++)
        words[i] = "ACGT"[random_below(4)];
    char *d_words = to_device(words, letters);
    int *d_scores = device_zeros<int>(pairs);
    launch(d_words, d_scores, pairs);
    int *scores = to_host(d_scores, pairs);
    for (int check = 0; check < 1000; check++) {
        const int p = (int)random_below(pairs);
        const int want = score_of(words + (size_t)p * 2 * n, words + (size_t)p * 2 * n + n, n);
        EXPECT(scores[p] == want, "pair %d: %d, not %d", p, scores[p], want);
    }
    free(words), free(scores);
}

static int pairs_of(int size) { return size == 0 ? 1000 : size == 1 ? 20000 : 150000; }

static void run_align_local(int size)
{
    run_align(pairs_of(size), WORD, [](const char *words, int *scores, int pairs) {
        LAUNCH(align_local<<<blocks_for(pairs, 64), 64>>>(words, scores, pairs));
    });
}

static void run_align_shared(int size)
{
    run_align(pairs_of(size), WORD, [](const char *words, int *scores, int pairs) {
        LAUNCH(align_shared<<<blocks_for(pairs, 64), 64>>>(words, scores, pairs));
    });
}

static void run_align_diagonal(int size)
{
    run_align(size == 0 ? 132 : size == 1 ? 2000 : 10000, LONG, [](const char *words, int *scores, int pairs) {
        LAUNCH(align_diagonal<<<pairs, LONG>>>(words, scores));
    });
}

/* ---- short arrays ---- */

enum { SHORT = 256, TINY = 32 };

/* A block an array of 256: an element's place is how many are less; each is read by all threads at once. */
__global__ void rank_shared(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[SHORT];
    const size_t at = (size_t)blockIdx.x * SHORT;
    const int t = threadIdx.x;
    const unsigned mine = s[t] = in[at + t];
    __syncthreads();
    int rank = 0;
    for (int k = 0; k < SHORT; k++)
        rank += s[k] < mine || (s[k] == mine && k < t);
    out[at + rank] = mine;
}

/* A block of 128 an array of 256: neighbours change places, even pairs and odd ones in turn. */
__global__ void odd_even_shared(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[SHORT];
    const size_t at = (size_t)blockIdx.x * SHORT;
    const int t = threadIdx.x;
    s[t] = in[at + t];
    s[t + SHORT / 2] = in[at + t + SHORT / 2];
    for (int k = 0; k < SHORT; k++) {
        __syncthreads();
        const int i = 2 * t + k % 2;
        if (i + 1 < SHORT) {
            const unsigned a = s[i], b = s[i + 1];
            if (a > b) {
                s[i] = b;
                s[i + 1] = a;
            }
        }
    }
    __syncthreads();
    out[at + t] = s[t];
    out[at + t + SHORT / 2] = s[t + SHORT / 2];
}

/* A thread an array of 32 by insertion, in a column of shared memory; lanes move different distances. */
__global__ void insertion_columns(const unsigned *in, unsigned *out, int count)
{
    __shared__ unsigned s[TINY][64];
    const int t = threadIdx.x, first = blockIdx.x * 64;
    for (int k = t; k < TINY * 64; k += 64)
        if (first + k / TINY < count)
            s[k % TINY][k / TINY] = in[(size_t)first * TINY + k];
    __syncthreads();
    for (int i = 1; i < TINY; i++) {
        const unsigned key = s[i][t];
        int j = i;
        for (; j > 0 && s[j - 1][t] > key; j--)
            s[j][t] = s[j - 1][t];
        s[j][t] = key;
    }
    __syncthreads();
    for (int k = t; k < TINY * 64; k += 64)
        if (first + k / TINY < count)
            out[(size_t)first * TINY + k] = s[k % TINY][k / TINY];
}

static int compare_unsigned(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void run_short(int count, int n, void (*launch)(const unsigned *d_in, unsigned *d_out, int count))
{
    const size_t all = (size_t)count * n;
    unsigned *in = host_array<unsigned>(all), *d_out = device_zeros<unsigned>(all);
    for (size_t i = 0; i < all; i++)
        in[i] = random_u32();
    launch(to_device(in, all), d_out, count);
    unsigned *out = to_host(d_out, all);
    for (int check = 0; check < 1000; check++) {
        const size_t at = (size_t)random_below(count) * n;
        qsort(in + at, n, sizeof *in, compare_unsigned);
        EXPECT(!memcmp(in + at, out + at, n * sizeof *in), "array at %zu", at);
    }
    free(in), free(out);
}

static void run_rank_shared(int size)
{
    run_short(size == 0 ? 500 : size == 1 ? 6000 : 40000, SHORT,
              [](const unsigned *in, unsigned *out, int count) { LAUNCH(rank_shared<<<count, SHORT>>>(in, out)); });
}

static void run_odd_even_shared(int size)
{
    run_short(size == 0 ? 300 : size == 1 ? 3000 : 20000, SHORT,
              [](const unsigned *in, unsigned *out, int count) { LAUNCH(odd_even_shared<<<count, SHORT / 2>>>(in, out)); });
}

static void run_insertion_columns(int size)
{
    run_short(size == 0 ? 8000 : size == 1 ? 200000 : 2000000, TINY, [](const unsigned *in, unsigned *out, int count) {
        LAUNCH(insertion_columns<<<blocks_for(count, 64), 64>>>(in, out, count));
    });
}

CORPUS({"lu_thread", NULL, run_lu_thread}, {"lu_columns", NULL, run_lu_columns}, {"solve_lanes", NULL, run_solve_lanes},
       {"cholesky_block", NULL, run_cholesky_block}, {"invert_block", NULL, run_invert_block},
       {"thomas_rows", "thomas", run_thomas_rows}, {"thomas_columns", "thomas", run_thomas_columns},
       {"cyclic_reduction", NULL, run_cyclic_reduction}, {"align_local", "align", run_align_local},
       {"align_shared", "align", run_align_shared}, {"align_diagonal", NULL, run_align_diagonal},
       {"rank_shared", "short", run_rank_shared}, {"odd_even_shared", "short", run_odd_even_shared},
       {"insertion_columns", NULL, run_insertion_columns})
