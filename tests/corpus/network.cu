/* network.cu - layers of neural networks as one writes them first: softmax, attention, the gradient of an embedding, products of bytes,
 * an optimiser's step, a convolution of each channel by itself.
 */
#include "corpus.h"

static float *random_floats(size_t n, float from, float width)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = from + width * random_float();
    return a;
}

/* ---- the greatest, and the sum, of a block's values ---- */

enum { MOST_WARPS = 8 };

static __device__ float block_most(float v)
{
    __shared__ float part[MOST_WARPS];
    for (int d = 16; d; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        v = fmaxf(v, part[w]);
    return v;
}

static __device__ float block_sum(float v)
{
    __shared__ float part[MOST_WARPS];
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        v += part[w];
    return v;
}

/* ---- softmax of the rows of a matrix: a block a row, which is read three times ---- */

__global__ void softmax_rows(const float *in, float *out, int columns)
{
    const float *x = in + (size_t)blockIdx.x * columns;
    float *y = out + (size_t)blockIdx.x * columns;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        most = fmaxf(most, x[c]);
    most = block_most(most);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(x[c] - most);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        y[c] = expf(x[c] - most) / sum;
}

static void run_softmax_rows(int size)
{
    const int rows = size == 0 ? 100 : size == 1 ? 4000 : 10000, columns = size == 0 ? 500 : size == 1 ? 1000 : 2500;
    const size_t n = (size_t)rows * columns;
    float *in = random_floats(n, -4, 8), *d_in = to_device(in, n), *d_out = device_zeros<float>(n);
    LAUNCH(softmax_rows<<<rows, 256>>>(d_in, d_out, columns));
    float *out = to_host(d_out, n);
    for (int r = 0; r < rows; r += 1 + rows / 100) {
        double sum = 0;
        for (int c = 0; c < columns; c++)
            sum += exp((double)in[(size_t)r * columns + c]);
        for (int c = 0; c < columns; c++) {
            const double want = exp((double)in[(size_t)r * columns + c]) / sum;
            EXPECT(close_to(out[(size_t)r * columns + c], want, 1e-4), "row %d, column %d: %g", r, c, want);
        }
    }
    free(in), free(out);
}

/* ---- attention: heads of 64 numbers, a block of 128 a query ---- */

enum { HEAD = 64, MOST_KEYS = 512 };

/* Scores: a key a thread, each reads a row of 64; softmax in shared memory; sums: a number a thread over all keys. Bound by L1's
 * lines in the first part, by latency with half of the threads in the last. */
__global__ void attention(const float *q, const float *k, const float *v, float *out, int keys)
{
    __shared__ float query[HEAD], score[MOST_KEYS];
    const size_t head = (size_t)blockIdx.y * keys * HEAD;
    const int t = threadIdx.x;
    if (t < HEAD)
        query[t] = q[head + (size_t)blockIdx.x * HEAD + t];
    __syncthreads();
    float most = -1e30f, sum = 0;
    for (int j = t; j < keys; j += blockDim.x) {
        float dot = 0;
        for (int e = 0; e < HEAD; e++)
            dot += query[e] * k[head + (size_t)j * HEAD + e];
        score[j] = dot * 0.125f;
        most = fmaxf(most, score[j]);
    }
    most = block_most(most);
    for (int j = t; j < keys; j += blockDim.x) {
        score[j] = expf(score[j] - most);
        sum += score[j];
    }
    sum = block_sum(sum);
    if (t < HEAD) {
        float mean = 0;
        for (int j = 0; j < keys; j++)
            mean += score[j] * v[head + (size_t)j * HEAD + t];
        out[head + (size_t)blockIdx.x * HEAD + t] = mean / sum;
    }
}

static void run_attention(int size)
{
    const int heads = size == 0 ? 2 : size == 1 ? 8 : 12, keys = size == 0 ? 48 : size == 1 ? 200 : 500;
    const size_t n = (size_t)heads * keys * HEAD;
    float *q = random_floats(n, -1, 2), *k = random_floats(n, -1, 2), *v = random_floats(n, -1, 2);
    float *dq = to_device(q, n), *dk = to_device(k, n), *dv = to_device(v, n), *d_out = device_zeros<float>(n);
    LAUNCH(attention<<<dim3(keys, heads), 128>>>(dq, dk, dv, d_out, keys));
    float *out = to_host(d_out, n);
    for (int check = 0; check < 100; check++) {
        const int h = (int)random_below(heads), row = (int)random_below(keys);
        const size_t head = (size_t)h * keys * HEAD;
        double weight[MOST_KEYS], sum = 0;
        for (int j = 0; j < keys; j++) {
            double dot = 0;
            for (int e = 0; e < HEAD; e++)
                dot += (double)q[head + (size_t)row * HEAD + e] * k[head + (size_t)j * HEAD + e];
            sum += weight[j] = exp(dot * 0.125);
        }
        for (int e = 0; e < HEAD; e++) {
            double want = 0;
            for (int j = 0; j < keys; j++)
                want += weight[j] / sum * v[head + (size_t)j * HEAD + e];
            EXPECT(fabs(out[head + (size_t)row * HEAD + e] - want) < 1e-4, "head %d, query %d, %d: %g", h, row, e,
                   want);
        }
    }
    free(q), free(k), free(v), free(out);
}

/* ---- the gradient of an embedding: rows are added to the rows of their words, some words much commoner than others ---- */

enum { WIDTH = 256 };

/* A block a word of the text: atomic additions without a result, bound by L2, and by the commonest words. */
__global__ void embedding_gradient(const int *words, const float *gradient, float *table)
{
    atomicAdd(&table[(size_t)words[blockIdx.x] * WIDTH + threadIdx.x],
              gradient[(size_t)blockIdx.x * WIDTH + threadIdx.x]);
}

static void run_embedding_gradient(int size)
{
    const int n = size == 0 ? 300 : size == 1 ? 10000 : 60000, vocabulary = size == 0 ? 1000 : 30000;
    int *words = host_array<int>(n);
    float *gradient = host_array<float>((size_t)n * WIDTH), *want = host_array<float>((size_t)vocabulary * WIDTH);
    for (int i = 0; i < n; i++) {
        const float r = random_float();
        words[i] = (int)(vocabulary * r * r * r);
        for (int e = 0; e < WIDTH; e++) { /* small whole numbers: sums are exact */
            gradient[(size_t)i * WIDTH + e] = (float)random_below(16) - 8;
            want[(size_t)words[i] * WIDTH + e] += gradient[(size_t)i * WIDTH + e];
        }
    }
    int *d_words = to_device(words, n);
    float *d_gradient = to_device(gradient, (size_t)n * WIDTH),
          *d_table = device_zeros<float>((size_t)vocabulary * WIDTH);
    LAUNCH(embedding_gradient<<<n, WIDTH>>>(d_words, d_gradient, d_table));
    float *table = to_host(d_table, (size_t)vocabulary * WIDTH);
    for (size_t e = 0; e < (size_t)vocabulary * WIDTH; e++)
        EXPECT(table[e] == corpus_launches * want[e], "word %zu, %zu: %g", e / WIDTH, e % WIDTH, table[e]);
    free(words), free(gradient), free(want), free(table);
}

/* ---- products of bytes, four at a time: rows of a with rows of b ---- */

/* An element a thread, blocks of 16 x 16, both operands by rows: half a warp reads 16 rows of b. */
__global__ void dp4a_product(const int *a, const int *b, int *c, int n, int words)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    int sum = 0;
    for (int k = 0; k < words; k++)
        sum = __dp4a(a[i * words + k], b[j * words + k], sum);
    c[i * n + j] = sum;
}

static int dot_of_bytes(int a, int b)
{
    int sum = 0;
    for (int k = 0; k < 32; k += 8)
        sum += (int8_t)(a >> k) * (int8_t)(b >> k);
    return sum;
}

static void run_dp4a_product(int size)
{
    const int n = size == 0 ? 100 : size == 1 ? 450 : 1000, words = size == 0 ? 32 : 128;
    int *a = host_array<int>((size_t)n * words), *b = host_array<int>((size_t)n * words);
    for (int i = 0; i < n * words; i++)
        a[i] = (int)random_u32(), b[i] = (int)random_u32();
    int *da = to_device(a, (size_t)n * words), *db = to_device(b, (size_t)n * words),
        *dc = device_zeros<int>((size_t)n * n);
    LAUNCH(dp4a_product<<<dim3(blocks_for(n, 16), blocks_for(n, 16)), dim3(16, 16)>>>(da, db, dc, n, words));
    int *c = to_host(dc, (size_t)n * n);
    for (int check = 0; check < 10000; check++) {
        const int i = (int)random_below(n), j = (int)random_below(n);
        int want = 0;
        for (int k = 0; k < words; k++)
            want += dot_of_bytes(a[i * words + k], b[j * words + k]);
        EXPECT(c[i * n + j] == want, "element %d %d: %d, not %d", i, j, c[i * n + j], want);
    }
    free(a), free(b), free(c);
}

/* ---- a step of Adam: a weight a thread, four streams in, three out: bound by DRAM ---- */

static __host__ __device__ inline void adam_step(float *w, float *m, float *v, float g)
{
    *m = 0.9f * *m + 0.1f * g;
    *v = 0.999f * *v + 0.001f * g * g;
    *w -= 0.001f * (*m / (1 - 0.9f)) / (sqrtf(*v / (1 - 0.999f)) + 1e-8f);
}

__global__ void adam_update(float *w, float *m, float *v, const float *g, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        adam_step(&w[i], &m[i], &v[i], g[i]);
}

static void run_adam_update(int size)
{
    const int n = size == 0 ? 50000 : size == 1 ? 3000000 : 16000000;
    float *w = random_floats(n, -1, 2), *m = random_floats(n, -0.1f, 0.2f), *v = random_floats(n, 0.01f, 0.1f);
    float *g = random_floats(n, -1, 2), *dw = to_device(w, n), *dm = to_device(m, n), *dv = to_device(v, n),
          *dg = to_device(g, n);
    LAUNCH(adam_update<<<blocks_for(n, 512), 512>>>(dw, dm, dv, dg, n));
    float *got = to_host(dw, n);
    for (int i = 0; i < n; i += 1 + n / 50000) {
        for (int k = 0; k < corpus_launches; k++)
            adam_step(&w[i], &m[i], &v[i], g[i]);
        EXPECT(fabs(got[i] - w[i]) < 1e-5, "weight %d: %g, not %g", i, got[i], w[i]);
    }
    free(w), free(m), free(v), free(g), free(got);
}

/* ---- a convolution of each channel with its own 3 x 3 weights ---- */

static __host__ __device__ inline float convolved(const float *in, const float *weights, int side, int x, int y)
{
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side)
                sum += weights[(dy + 1) * 3 + dx + 1] * in[(y + dy) * side + x + dx];
    return sum;
}

/* An element a thread, its place by divisions: arithmetic of indices, and L1. */
__global__ void depthwise_conv(const float *in, const float *weights, float *out, int channels, int side, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int x = i % side, y = i / side % side, plane = i / side / side;
    out[i] = convolved(in + (size_t)plane * side * side, weights + plane % channels * 9, side, x, y);
}

static void run_depthwise_conv(int size)
{
    const int images = size == 0 ? 1 : size == 1 ? 4 : 16, channels = size == 0 ? 32 : size == 1 ? 96 : 128;
    const int side = size == 0 ? 28 : 56, n = images * channels * side * side;
    float *in = random_floats(n, -1, 2), *weights = random_floats(channels * 9, -1, 2);
    float *d_in = to_device(in, n), *d_weights = to_device(weights, channels * 9), *d_out = device_zeros<float>(n);
    LAUNCH(depthwise_conv<<<blocks_for(n, 256), 256>>>(d_in, d_weights, d_out, channels, side, n));
    float *out = to_host(d_out, n);
    for (int check = 0; check < 50000; check++) {
        const int i = (int)random_below(n), plane = i / side / side;
        const float want = convolved(in + (size_t)plane * side * side, weights + plane % channels * 9, side, i % side,
                                     i / side % side);
        EXPECT(fabs(out[i] - want) < 1e-5, "element %d: %g, not %g", i, out[i], want);
    }
    free(in), free(weights), free(out);
}

CORPUS({"softmax_rows", NULL, run_softmax_rows}, {"attention", NULL, run_attention},
       {"embedding_gradient", NULL, run_embedding_gradient}, {"dp4a_product", NULL, run_dp4a_product},
       {"adam_update", NULL, run_adam_update}, {"depthwise_conv", NULL, run_depthwise_conv})
