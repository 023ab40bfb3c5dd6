/* samples.cu - what a toolkit's examples show: transforms, options, quasirandom points, scalar products, eigenvalues. Each is
 * written as a first version is, plainly, with a block or a thread for each thing.
 */
#include "corpus.h"

/* ---- Walsh and Hadamard's transform of vectors of 2048 ---- */

enum { WALSH = 2048, WALSH_THREADS = 256 };

/* A block a vector in shared memory, eleven stages with a barrier each: bound by shared memory. */
__global__ void walsh_shared(const float *in, float *out)
{
    __shared__ float s[WALSH];
    const size_t base = (size_t)blockIdx.x * WALSH;
    for (int i = threadIdx.x; i < WALSH; i += blockDim.x)
        s[i] = in[base + i];
    for (int stride = WALSH / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < WALSH / 2; i += blockDim.x) {
            const int low = i & (stride - 1), first = ((i - low) << 1) + low;
            const float a = s[first], b = s[first + stride];
            s[first] = a + b;
            s[first + stride] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WALSH; i += blockDim.x)
        out[base + i] = s[i];
}

static void run_walsh_shared(int size)
{
    const int vectors = size == 0 ? 64 : size == 1 ? 2048 : 9000;
    const size_t n = (size_t)vectors * WALSH;
    float *in = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        in[i] = random_float() - 0.5f;
    float *din = to_device(in, n), *dout = device_zeros<float>(n);
    LAUNCH(walsh_shared<<<vectors, WALSH_THREADS>>>(din, dout));
    float *out = to_host(dout, n);
    for (int check = 0; check < 500; check++) {
        const int v = (int)random_below(vectors), k = (int)random_below(WALSH);
        double want = 0;
        for (int i = 0; i < WALSH; i++) {
            int bits = i & k, odd = 0;
            for (; bits; bits &= bits - 1)
                odd ^= 1;
            want += odd ? -in[(size_t)v * WALSH + i] : in[(size_t)v * WALSH + i];
        }
        EXPECT(fabs(out[(size_t)v * WALSH + k] - want) < 1e-3, "vector %d, %d: %g", v, k, want);
    }
    free(in), free(out);
}

/* ---- the price of an option by a binomial tree of 256 steps ---- */

enum { STEPS = 256 };

struct option {
    float price, strike, years;
};

/* The width of a step in logarithms, and the discounted probabilities of going up and down. */
static __host__ __device__ void tree_of(struct option o, float *width, float *rise, float *fall)
{
    const float rate = 0.02f, volatility = 0.3f, step = o.years / STEPS, move = volatility * sqrtf(step);
    const float growth = expf(rate * step), u = expf(move), d = expf(-move), p = (growth - d) / (u - d);
    *width = move;
    *rise = p / growth;
    *fall = (1 - p) / growth;
}

/* A block an option, a thread a node, the values of a level in shared memory: bound by two barriers a level. */
__global__ void binomial_options(const struct option *options, float *values)
{
    __shared__ float value[STEPS + 1];
    const int t = threadIdx.x;
    const struct option o = options[blockIdx.x];
    float width, rise, fall;
    tree_of(o, &width, &rise, &fall);
    for (int k = t; k <= STEPS; k += blockDim.x)
        value[k] = fmaxf(o.price * expf(width * (2 * k - STEPS)) - o.strike, 0.0f);
    __syncthreads();
    for (int level = STEPS; level > 0; level--) {
        float now = 0;
        if (t < level)
            now = rise * value[t + 1] + fall * value[t];
        __syncthreads();
        if (t < level)
            value[t] = now;
        __syncthreads();
    }
    if (t == 0)
        values[blockIdx.x] = value[0];
}

static void run_binomial_options(int size)
{
    const int n = size == 0 ? 60 : size == 1 ? 1000 : 5000;
    struct option *options = host_array<struct option>(n);
    for (int k = 0; k < n; k++)
        options[k] = {5 + 25 * random_float(), 1 + 40 * random_float(), 0.25f + 5 * random_float()};
    struct option *d_options = to_device(options, n);
    float *d_values = device_zeros<float>(n);
    LAUNCH(binomial_options<<<n, STEPS>>>(d_options, d_values));
    float *values = to_host(d_values, n);
    for (int k = 0; k < n; k += 1 + n / 100) {
        static double level[STEPS + 1];
        float width, rise, fall;
        tree_of(options[k], &width, &rise, &fall);
        for (int i = 0; i <= STEPS; i++)
            level[i] = fmax(options[k].price * exp((double)width * (2 * i - STEPS)) - options[k].strike, 0.0);
        for (int steps = STEPS; steps > 0; steps--)
            for (int i = 0; i < steps; i++)
                level[i] = rise * level[i + 1] + fall * level[i];
        EXPECT(fabs(values[k] - level[0]) < 1e-3 * (1 + level[0]), "option %d: %g, not %g", k, values[k], level[0]);
    }
    free(options), free(values);
}

/* ---- Sobol's points: 32 direction numbers a dimension ---- */

/* A grid's row a dimension; a thread begins at its index by Gray code, then goes on by a power of two: bound by DRAM's writes. */
__global__ void sobol_points(const unsigned *directions, float *out, int points)
{
    __shared__ unsigned v[32];
    if (threadIdx.x < 32)
        v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    const int stride = blockDim.x * gridDim.x, shift = __ffs(stride) - 1, first = blockIdx.x * blockDim.x + threadIdx.x;
    float *row = out + (size_t)blockIdx.y * points;
    unsigned x = 0;
    for (unsigned k = 0, gray = first ^ (first >> 1); gray; k++, gray >>= 1)
        if (gray & 1)
            x ^= v[k];
    for (int i = first; i < points; i += stride) {
        row[i] = (float)x * 2.3283064e-10f;
        x ^= v[shift - 1] ^ v[shift + __ffs(~(i >> shift)) - 1];
    }
}

static void run_sobol_points(int size)
{
    const int dimensions = size == 0   ? 4
                           : size == 1 ? 32
                                       : 70,
              points = size == 0   ? 10000
                       : size == 1 ? 200000
                                   : 500000;
    const size_t n = (size_t)dimensions * points;
    unsigned *directions = host_array<unsigned>(dimensions * 32);
    for (int d = 0; d < dimensions; d++)
        for (int k = 0; k < 32; k++) /* k + 1 bits, the lowest of them set */
            directions[d * 32 + k] = ((random_u32() & (unsigned)((2ull << k) - 1)) | 1) << (31 - k);
    unsigned *d_directions = to_device(directions, dimensions * 32);
    float *d_out = device_zeros<float>(n);
    LAUNCH(sobol_points<<<dim3(size == 0 ? 8 : 64, dimensions), 64>>>(d_directions, d_out, points));
    float *out = to_host(d_out, n);
    for (int check = 0; check < 50000; check++) {
        const int d = (int)random_below(dimensions), i = (int)random_below(points);
        unsigned x = 0;
        for (int k = 0; k < 32; k++)
            if ((i ^ (i >> 1)) >> k & 1)
                x ^= directions[d * 32 + k];
        EXPECT(out[(size_t)d * points + i] == (float)x * 2.3283064e-10f, "dimension %d, point %d", d, i);
    }
    free(directions), free(out);
}

/* ---- the discrete cosine transform of blocks of 8x8 ---- */

__constant__ float cosines[64]; /* row k: frequency k */

/* A thread a point, blocks of 64 threads, C * X * C' with both products from shared and constant memory, small blocks. */
__global__ void dct8_tile(const float *image, float *out, int width)
{
    __shared__ float tile[8][8], half[8][8];
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t at = (size_t)(blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    tile[y][x] = image[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += cosines[y * 8 + k] * tile[k][x];
    half[y][x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += half[y][k] * cosines[x * 8 + k];
    out[at] = sum;
}

static void run_dct8_tile(int size)
{
    const int width = size == 0 ? 256 : size == 1 ? 1600 : 4096;
    const size_t n = (size_t)width * width;
    float *image = host_array<float>(n), table[64];
    for (size_t i = 0; i < n; i++)
        image[i] = (float)random_below(256) - 128;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            table[k * 8 + i] = (float)(cos((2 * i + 1) * k * 3.14159265358979 / 16) * (k ? 0.5 : 0.35355339059327));
    CHECK(cudaMemcpyToSymbol(cosines, table, sizeof table));
    float *d_image = to_device(image, n), *d_out = device_zeros<float>(n);
    LAUNCH(dct8_tile<<<dim3(width / 8, width / 8), dim3(8, 8)>>>(d_image, d_out, width));
    float *out = to_host(d_out, n);
    for (int check = 0; check < 10000; check++) {
        const size_t x = random_below(width), y = random_below(width), corner = (y & ~7ul) * width + (x & ~7ul);
        double want = 0;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                want += (double)table[y % 8 * 8 + i] * image[corner + (size_t)i * width + j] * table[x % 8 * 8 + j];
        EXPECT(fabs(out[y * width + x] - want) < 1e-2, "point %zu %zu: %g, not %g", x, y, out[y * width + x], want);
    }
    free(image), free(out);
}

/* ---- scalar products of pairs of vectors of 4096 ---- */

enum { LENGTH = 4096, PARTS = 1024 };

/* A block a pair, 1024 sums in shared memory, then a tree with a barrier a level: bound by DRAM, the tree by its latency. */
__global__ void scalar_products(const float *a, const float *b, float *out, int vectors)
{
    __shared__ float part[PARTS];
    for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
        const float *x = a + (size_t)v * LENGTH, *y = b + (size_t)v * LENGTH;
        for (int p = threadIdx.x; p < PARTS; p += blockDim.x) {
            float sum = 0;
            for (int i = p; i < LENGTH; i += PARTS)
                sum += x[i] * y[i];
            part[p] = sum;
        }
        for (int stride = PARTS / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int p = threadIdx.x; p < stride; p += blockDim.x)
                part[p] += part[p + stride];
        }
        __syncthreads();
        if (threadIdx.x == 0)
            out[v] = part[0];
        __syncthreads();
    }
}

static void run_scalar_products(int size)
{
    const int vectors = size == 0 ? 32 : size == 1 ? 1500 : 10000;
    const size_t n = (size_t)vectors * LENGTH;
    float *a = host_array<float>(n), *b = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_float(), b[i] = random_float() - 0.5f;
    float *da = to_device(a, n), *db = to_device(b, n), *dout = device_zeros<float>(vectors);
    LAUNCH(scalar_products<<<size == 0 ? 32 : 128, 256>>>(da, db, dout, vectors));
    float *out = to_host(dout, vectors);
    for (int v = 0; v < vectors; v += 1 + vectors / 200) {
        double want = 0;
        for (int i = 0; i < LENGTH; i++)
            want += (double)a[(size_t)v * LENGTH + i] * b[(size_t)v * LENGTH + i];
        EXPECT(fabs(out[v] - want) < 1e-2, "vector %d: %g, not %g", v, out[v], want);
    }
    free(a), free(b), free(out);
}

/* ---- eigenvalues of tridiagonal matrices of 32 rows by bisection ---- */

enum { ROWS = 32, HALVINGS = 20 };

/* How many eigenvalues are below x: signs of the pivots of A - x. */
template <class T> static __host__ __device__ int below(const float *diagonal, const float *squares, T x)
{
    int count = 0;
    T pivot = 1;
    for (int k = 0; k < ROWS; k++) {
        pivot = diagonal[k] - x - (k ? squares[k] / pivot : (T)0);
        if (pivot < 0)
            count++;
    }
    return count;
}

/* A warp a matrix, a lane an eigenvalue, the matrix in shared memory: a chain of divisions, all lanes read the same word. */
__global__ void sturm_bisection(const float *diagonal, const float *squares, float *eigenvalues, int matrices)
{
    __shared__ float d[4][ROWS], s[4][ROWS];
    const int lane = threadIdx.x, w = threadIdx.y, m = blockIdx.x * 4 + w;
    if (m >= matrices)
        return;
    d[w][lane] = diagonal[m * ROWS + lane];
    s[w][lane] = squares[m * ROWS + lane];
    __syncwarp();
    float low = -4, high = 4;
    for (int k = 0; k < HALVINGS; k++) {
        const float middle = 0.5f * (low + high);
        if (below(d[w], s[w], middle) > lane)
            high = middle;
        else
            low = middle;
    }
    eigenvalues[m * ROWS + lane] = 0.5f * (low + high);
}

static void run_sturm_bisection(int size)
{
    const int matrices = size == 0 ? 64 : size == 1 ? 2000 : 8000;
    const size_t n = (size_t)matrices * ROWS;
    float *diagonal = host_array<float>(n), *squares = host_array<float>(n);
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = 2 * random_float() - 1;
        squares[i] = 0.05f + random_float();
    }
    float *dd = to_device(diagonal, n), *ds = to_device(squares, n), *de = device_zeros<float>(n);
    LAUNCH(sturm_bisection<<<blocks_for(matrices, 4), dim3(32, 4)>>>(dd, ds, de, matrices));
    float *e = to_host(de, n);
    for (size_t i = 0; i < n; i += 1 + n / 5000) {
        const size_t m = i / ROWS * ROWS;
        const int lower = below(diagonal + m, squares + m, e[i] - 1e-4),
                  upper = below(diagonal + m, squares + m, e[i] + 1e-4);
        EXPECT(lower <= (int)(i % ROWS) && upper > (int)(i % ROWS), "matrix %zu, eigenvalue %zu: %g", i / ROWS,
               i % ROWS, e[i]);
    }
    free(diagonal), free(squares), free(e);
}

CORPUS({"walsh_shared", NULL, run_walsh_shared}, {"binomial_options", NULL, run_binomial_options},
       {"sobol_points", NULL, run_sobol_points}, {"dct8_tile", NULL, run_dct8_tile},
       {"scalar_products", NULL, run_scalar_products}, {"sturm_bisection", NULL, run_sturm_bisection})
