/* image.cu - filters of images: convolution, edges, bilateral, median, histogram, tables, resize, colours, erosion.
 * Pictures are grey bytes or floats, width x height, rows together; filters take the nearest pixel beyond an edge.
 */
#include "corpus.h"

static __host__ __device__ int inside(int k, int n) { return k < 0 ? 0 : k >= n ? n - 1 : k; }

struct picture {
    int width, height;
};

static struct picture picture_of(int size, int scale)
{
    static const int side[3] = {256, 2048, 4096};
    const struct picture p = {side[size] / scale, side[size] / scale};
    return p;
}

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = random_float();
    return a;
}

static unsigned char *random_bytes(size_t n)
{
    unsigned char *a = host_array<unsigned char>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = (unsigned char)(random_u32() >> 24);
    return a;
}

/* ---- convolution 7x7 of floats ---- */

enum { RADIUS = 3, TAPS = 2 * RADIUS + 1 };

static __constant__ float weights[TAPS * TAPS];

/* A thread a pixel from global memory: 49 loads a pixel, bound by requests to L1. */
__global__ void convolve_global(const float *in, float *out, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            sum += weights[(dy + RADIUS) * TAPS + dx + RADIUS] *
                   in[(size_t)inside(y + dy, height) * width + inside(x + dx, width)];
    out[(size_t)y * width + x] = sum;
}

/* The tile and its edge in shared memory, 32x16 threads: bound by shared-memory requests. */
__global__ void convolve_shared(const float *in, float *out, int width, int height)
{
    __shared__ float tile[16 + 2 * RADIUS][32 + 2 * RADIUS];
    const int x0 = (int)blockIdx.x * 32 - RADIUS, y0 = (int)blockIdx.y * 16 - RADIUS;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    for (int y = ty; y < 16 + 2 * RADIUS; y += 16)
        for (int x = tx; x < 32 + 2 * RADIUS; x += 32)
            tile[y][x] = in[(size_t)inside(y0 + y, height) * width + inside(x0 + x, width)];
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < TAPS; dy++)
        for (int dx = 0; dx < TAPS; dx++)
            sum += weights[dy * TAPS + dx] * tile[ty + dy][tx + dx];
    out[((size_t)y0 + RADIUS + ty) * width + x0 + RADIUS + tx] = sum;
}

/* Four pixels of a column a thread from a shared tile, values used again from registers: bound by FMAs. */
__global__ void convolve_registers(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32 + 2 * RADIUS][32 + 2 * RADIUS];
    const int x0 = (int)blockIdx.x * 32 - RADIUS, y0 = (int)blockIdx.y * 32 - RADIUS;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    for (int y = ty; y < 32 + 2 * RADIUS; y += 8)
        for (int x = tx; x < 32 + 2 * RADIUS; x += 32)
            tile[y][x] = in[(size_t)inside(y0 + y, height) * width + inside(x0 + x, width)];
    __syncthreads();
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int dx = 0; dx < TAPS; dx++) {
        float column[TAPS + 3];
#pragma unroll
        for (int k = 0; k < TAPS + 3; k++)
            column[k] = tile[ty * 4 + k][tx + dx];
#pragma unroll
        for (int dy = 0; dy < TAPS; dy++)
#pragma unroll
            for (int p = 0; p < 4; p++)
                sum[p] += weights[dy * TAPS + dx] * column[dy + p];
    }
    for (int p = 0; p < 4; p++)
        out[((size_t)y0 + RADIUS + ty * 4 + p) * width + x0 + RADIUS + tx] = sum[p];
}

static void convolve_case(int size, void (*kernel)(const float *, float *, int, int), dim3 tile, dim3 block)
{
    const struct picture p = picture_of(size, 1);
    const size_t n = (size_t)p.width * p.height;
    float *in = random_floats(n), *w = random_floats(TAPS * TAPS), *di = to_device(in, n),
          *out = device_zeros<float>(n);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof weights));
    LAUNCH(kernel<<<dim3(p.width / tile.x, p.height / tile.y), block>>>(di, out, p.width, p.height));
    const float *got = to_host(out, n);
    for (size_t k = 0; k < n; k += 1 + n / 20000) {
        const int x = (int)(k % p.width), y = (int)(k / p.width);
        double sum = 0;
        for (int e = 0; e < TAPS * TAPS; e++)
            sum +=
                (double)w[e] *
                in[(size_t)inside(y + e / TAPS - RADIUS, p.height) * p.width + inside(x + e % TAPS - RADIUS, p.width)];
        EXPECT(close_to(got[k], sum, 1e-4), "pixel %d %d: %g, not %g", x, y, got[k], sum);
    }
}

static void run_convolve_global(int size) { convolve_case(size, convolve_global, dim3(16, 16), dim3(16, 16)); }
static void run_convolve_shared(int size) { convolve_case(size, convolve_shared, dim3(32, 16), dim3(32, 16)); }
static void run_convolve_registers(int size) { convolve_case(size, convolve_registers, dim3(32, 32), dim3(32, 8)); }

/* ---- filters of grey bytes, a thread a pixel ---- */

/* Sobel's gradient: eight byte loads a pixel, bound by requests to L1. */
__global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    const unsigned char *above = in + (size_t)inside(y - 1, height) * width, *here = in + (size_t)y * width,
                        *below = in + (size_t)inside(y + 1, height) * width;
    const int l = inside(x - 1, width), r = inside(x + 1, width);
    const int gx = above[r] + 2 * here[r] + below[r] - above[l] - 2 * here[l] - below[l];
    const int gy = below[l] + 2 * below[x] + below[r] - above[l] - 2 * above[x] - above[r];
    out[(size_t)y * width + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}

static __device__ void order(int &a, int &b)
{
    const int low = min(a, b);
    b = max(a, b);
    a = low;
}

/* The median of 3x3 by a network of 19 exchanges: bound by integer minima and maxima. */
__global__ void median3(const unsigned char *in, unsigned char *out, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    int v[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        v[k] = in[(size_t)inside(y + k / 3 - 1, height) * width + inside(x + k % 3 - 1, width)];
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
    order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
    order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
    order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]);
    order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
    order(v[4], v[2]);
    out[(size_t)y * width + x] = (unsigned char)v[4];
}

enum { REACH = 7 };

/* Erosion by 15x15: 225 byte loads a pixel, bound by requests to L1. */
__global__ void erode_global(const unsigned char *in, unsigned char *out, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    int least = 255;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++)
            least = min(least, (int)in[(size_t)inside(y + dy, height) * width + inside(x + dx, width)]);
    out[(size_t)y * width + x] = (unsigned char)least;
}

/* The same by rows, then columns, through shared memory: bound by shared-memory requests, with two barriers. */
__global__ void erode_separable(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ unsigned char tile[32 + 2 * REACH][32 + 2 * REACH], rows[32 + 2 * REACH][32];
    const int x0 = (int)blockIdx.x * 32 - REACH, y0 = (int)blockIdx.y * 32 - REACH;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    for (int y = ty; y < 32 + 2 * REACH; y += (int)blockDim.y)
        for (int x = tx; x < 32 + 2 * REACH; x += 32)
            tile[y][x] = in[(size_t)inside(y0 + y, height) * width + inside(x0 + x, width)];
    __syncthreads();
    for (int y = ty; y < 32 + 2 * REACH; y += (int)blockDim.y) {
        int least = 255;
        for (int d = 0; d <= 2 * REACH; d++)
            least = min(least, (int)tile[y][tx + d]);
        rows[y][tx] = (unsigned char)least;
    }
    __syncthreads();
    for (int y = ty; y < 32; y += (int)blockDim.y) {
        int least = 255;
        for (int d = 0; d <= 2 * REACH; d++)
            least = min(least, (int)rows[y + d][tx]);
        out[((size_t)y0 + REACH + y) * width + x0 + REACH + tx] = (unsigned char)least;
    }
}

static int by_value(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

static int sobel_of(const unsigned char *v) /* 3x3 */
{
    const int gx = v[2] + 2 * v[5] + v[8] - v[0] - 2 * v[3] - v[6];
    const int gy = v[6] + 2 * v[7] + v[8] - v[0] - 2 * v[1] - v[2];
    return abs(gx) + abs(gy) > 255 ? 255 : abs(gx) + abs(gy);
}

/* The value of the sorted neighbours at `rank`, or Sobel's when rank is below 0. */
static void bytes_case(struct picture p, void (*kernel)(const unsigned char *, unsigned char *, int, int), dim3 tile,
                       dim3 block, int reach, int rank)
{
    const size_t n = (size_t)p.width * p.height;
    unsigned char *in = random_bytes(n), *di = to_device(in, n), *out = device_zeros<unsigned char>(n), near[225];
    LAUNCH(kernel<<<dim3(p.width / tile.x, p.height / tile.y), block>>>(di, out, p.width, p.height));
    const unsigned char *got = to_host(out, n);
    const int side = 2 * reach + 1;
    for (size_t k = 0; k < n; k += 1 + n / 10000) {
        const int x = (int)(k % p.width), y = (int)(k / p.width);
        for (int e = 0; e < side * side; e++)
            near[e] =
                in[(size_t)inside(y + e / side - reach, p.height) * p.width + inside(x + e % side - reach, p.width)];
        if (rank >= 0)
            qsort(near, (size_t)(side * side), 1, by_value);
        const int want = rank >= 0 ? near[rank] : sobel_of(near);
        EXPECT(got[k] == want, "pixel %d %d: %d, not %d", x, y, got[k], want);
    }
}

static void run_sobel(int size) { bytes_case(picture_of(size, 1), sobel, dim3(32, 8), dim3(32, 8), 1, -1); }
static void run_median3(int size) { bytes_case(picture_of(size, 1), median3, dim3(64, 2), dim3(64, 2), 1, 4); }
static void run_erode_global(int size)
{
    bytes_case(picture_of(size, 2), erode_global, dim3(16, 8), dim3(16, 8), REACH, 0);
}
static void run_erode_separable(int size)
{
    bytes_case(picture_of(size, 2), erode_separable, dim3(32, 32), dim3(32, 32), REACH, 0);
}

/* ---- bilateral filter ---- */

/* 25 neighbours weighed by distance and by an exponential of difference: bound by the special functions' pipe. */
__global__ void bilateral(const float *in, float *out, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    const float centre = in[(size_t)y * width + x];
    float sum = 0, weight = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            const float v = in[(size_t)inside(y + dy, height) * width + inside(x + dx, width)], d = v - centre;
            const float w = expf(-0.125f * (float)(dx * dx + dy * dy) - 8.0f * d * d);
            sum += w * v;
            weight += w;
        }
    out[(size_t)y * width + x] = sum / weight;
}

static void run_bilateral(int size)
{
    const struct picture p = picture_of(size, size ? 2 : 1);
    const size_t n = (size_t)p.width * p.height;
    float *in = random_floats(n), *di = to_device(in, n), *out = device_zeros<float>(n);
    LAUNCH(bilateral<<<dim3(p.width / 32, p.height / 4), dim3(32, 4)>>>(di, out, p.width, p.height));
    const float *got = to_host(out, n);
    for (size_t k = 0; k < n; k += 1 + n / 10000) {
        const int x = (int)(k % p.width), y = (int)(k / p.width);
        double sum = 0, weight = 0;
        for (int e = 0; e < 25; e++) {
            const int dx = e % 5 - 2, dy = e / 5 - 2;
            const double v = in[(size_t)inside(y + dy, p.height) * p.width + inside(x + dx, p.width)], d = v - in[k];
            const double w = exp(-0.125 * (dx * dx + dy * dy) - 8.0 * d * d);
            sum += w * v;
            weight += w;
        }
        EXPECT(close_to(got[k], sum / weight, 1e-4), "pixel %d %d: %g", x, y, got[k]);
    }
}

/* ---- equalisation: each byte through a table of 256 ---- */

/* A thread 16 pixels, the table in shared memory: bound by its bank conflicts. */
__global__ void equalise(const uint4 *in, const unsigned char *table, uint4 *out, int n)
{
    __shared__ unsigned char level[256];
    if (threadIdx.x < 256)
        level[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int k = (int)(blockIdx.x * blockDim.x + threadIdx.x); k < n; k += (int)(gridDim.x * blockDim.x)) {
        const uint4 v = in[k];
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};
        uint32_t r[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            r[e] = level[w[e] & 255] | level[w[e] >> 8 & 255] << 8 | level[w[e] >> 16 & 255] << 16 |
                   (uint32_t)level[w[e] >> 24] << 24;
        out[k] = make_uint4(r[0], r[1], r[2], r[3]);
    }
}

static void run_equalise(int size)
{
    const size_t n = size == 0 ? 1 << 20 : size == 1 ? 1 << 25 : 3 << 26;
    unsigned char *in = random_bytes(n), table[256];
    for (int k = 0; k < 256; k++)
        table[k] = (unsigned char)(k * k / 255);
    unsigned char *di = to_device(in, n), *dt = to_device(table, 256), *out = device_zeros<unsigned char>(n);
    LAUNCH(equalise<<<264, 512>>>((const uint4 *)di, dt, (uint4 *)out, (int)(n / 16)));
    const unsigned char *got = to_host(out, n);
    for (size_t k = 0; k < n; k += 1 + n / 1000000)
        EXPECT(got[k] == table[in[k]], "pixel %zu", k);
}

/* ---- resize ---- */

/* Bilinear, to 3/4 of the side: four scattered loads a pixel, bound by latency and L1's requests. */
__global__ void resize_bilinear(const float *in, float *out, int width, int height, int to_width, int to_height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= to_width || y >= to_height)
        return;
    const float fx = ((float)x + 0.5f) * (4.0f / 3.0f) - 0.5f, fy = ((float)y + 0.5f) * (4.0f / 3.0f) - 0.5f;
    const int x0 = (int)floorf(fx), y0 = (int)floorf(fy), l = inside(x0, width), r = inside(x0 + 1, width);
    const float ax = fx - (float)x0, ay = fy - (float)y0;
    const float *above = in + (size_t)inside(y0, height) * width, *below = in + (size_t)inside(y0 + 1, height) * width;
    const float top = above[l] + ax * (above[r] - above[l]), bottom = below[l] + ax * (below[r] - below[l]);
    out[(size_t)y * to_width + x] = top + ay * (bottom - top);
}

static void run_resize_bilinear(int size)
{
    const struct picture p = {size == 0 ? 512 : size == 1 ? 4096 : 8192, size == 0 ? 512 : size == 1 ? 2048 : 8192};
    const int w = p.width * 3 / 4, h = p.height * 3 / 4;
    const size_t n = (size_t)p.width * p.height, m = (size_t)w * h;
    float *in = random_floats(n), *di = to_device(in, n), *out = device_zeros<float>(m);
    LAUNCH(
        resize_bilinear<<<dim3(blocks_for(w, 32), blocks_for(h, 8)), dim3(32, 8)>>>(di, out, p.width, p.height, w, h));
    const float *got = to_host(out, m);
    for (size_t k = 0; k < m; k += 1 + m / 50000) {
        const double fx = ((double)(k % w) + 0.5) * 4 / 3 - 0.5, fy = ((double)(k / w) + 0.5) * 4 / 3 - 0.5;
        const int x = (int)floor(fx), y = (int)floor(fy);
        double sum = 0;
        for (int e = 0; e < 4; e++)
            sum += (e & 1 ? fx - x : 1 - fx + x) * (e & 2 ? fy - y : 1 - fy + y) *
                   in[(size_t)inside(y + (e >> 1), p.height) * p.width + inside(x + (e & 1), p.width)];
        EXPECT(fabs(got[k] - sum) < 2e-3, "pixel %zu: %g, not %g", k, got[k], sum);
    }
}

/* ---- colours to grey ---- */

static __host__ __device__ unsigned char grey_of(unsigned r, unsigned g, unsigned b)
{
    return (unsigned char)((77 * r + 150 * g + 29 * b) >> 8);
}

/* Three bytes a pixel, a thread a pixel: bound by byte requests with a stride of 3. */
__global__ void grey_bytes(const unsigned char *in, unsigned char *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        out[k] = grey_of(in[3 * k], in[3 * k + 1], in[3 * k + 2]);
}

/* Three words of four pixels a thread: bound by DRAM, then by integer arithmetic. */
__global__ void grey_words(const uint32_t *in, uint32_t *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n / 4)
        return;
    const uint32_t a = in[3 * k], b = in[3 * k + 1], c = in[3 * k + 2];
    out[k] = grey_of(a & 255, a >> 8 & 255, a >> 16 & 255) | grey_of(a >> 24, b & 255, b >> 8 & 255) << 8 |
             grey_of(b >> 16 & 255, b >> 24, c & 255) << 16 |
             (uint32_t)grey_of(c >> 8 & 255, c >> 16 & 255, c >> 24) << 24;
}

static void grey_case(int size, bool words)
{
    const int n = size == 0 ? 1 << 19 : size == 1 ? 1 << 24 : 1 << 27;
    unsigned char *in = random_bytes((size_t)n * 3), *di = to_device(in, (size_t)n * 3);
    unsigned char *out = device_zeros<unsigned char>((size_t)n);
    if (words)
        LAUNCH(grey_words<<<blocks_for(n / 4, 128), 128>>>((const uint32_t *)di, (uint32_t *)out, n));
    else
        LAUNCH(grey_bytes<<<blocks_for(n, 256), 256>>>(di, out, n));
    const unsigned char *got = to_host(out, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 1000000)
        EXPECT(got[k] == grey_of(in[3 * k], in[3 * k + 1], in[3 * k + 2]), "pixel %d", k);
}

static void run_grey_bytes(int size) { grey_case(size, false); }
static void run_grey_words(int size) { grey_case(size, true); }

CORPUS({"convolve_global", "convolve", run_convolve_global}, {"convolve_shared", "convolve", run_convolve_shared},
       {"convolve_registers", "convolve", run_convolve_registers}, {"sobel", NULL, run_sobel},
       {"median3", NULL, run_median3}, {"erode_global", "erode", run_erode_global},
       {"erode_separable", "erode", run_erode_separable}, {"bilateral", NULL, run_bilateral},
       {"equalise", NULL, run_equalise}, {"resize_bilinear", NULL, run_resize_bilinear},
       {"grey_bytes", "grey", run_grey_bytes}, {"grey_words", "grey", run_grey_words})
