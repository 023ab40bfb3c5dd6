/* lessons - what one writes to learn a part of CUDA: lists, trees and buffers from the device's malloc, long loops over little data,
 * pictures in textures that are turned and made smaller.
 */
#include "corpus.h"

static __device__ int global_thread() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

static __host__ __device__ inline uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* ---- malloc ---- */

struct link {
    uint32_t value;
    struct link *next;
};

/* Each thread makes a list, adds up what it holds, and takes it apart. */
__global__ void list_own(uint32_t *sums, int length)
{
    const int t = global_thread();
    struct link *list = NULL;
    for (int k = 0; k < length; k++) {
        struct link *one = (struct link *)malloc(sizeof *one);
        if (!one)
            return;
        one->value = mixed(t * length + k);
        one->next = list;
        list = one;
    }
    uint32_t sum = 0;
    for (const struct link *at = list; at; at = at->next)
        sum += at->value;
    sums[t] = sum;
    while (list) {
        struct link *next = list->next;
        free(list);
        list = next;
    }
}

static void run_list_own(int size)
{
    const int blocks = size == 0 ? 1 : size == 1 ? 2 : 12, threads = size == 0 ? 4 : size == 1 ? 32 : 64;
    const int length = size == 0 ? 2 : 4, n = blocks * threads;
    uint32_t *d_sums = device_zeros<uint32_t>(n);
    LAUNCH(list_own<<<blocks, threads>>>(d_sums, length));
    uint32_t *sums = to_host(d_sums, n);
    for (int t = 0; t < n; t++) {
        uint32_t want = 0;
        for (int k = 0; k < length; k++)
            want += mixed(t * length + k);
        EXPECT(sums[t] == want, "thread %d: %u, not %u", t, sums[t], want);
    }
    free(sums);
}

enum { CHUNKS = 6 };

static __host__ __device__ inline int chunk_words(int t, int k) { return 4 << mixed(t * CHUNKS + k) % 7; }

/* Each thread takes six chunks of 16 bytes to 1 KiB, gives back every other one, takes those again, and gives all back. */
__global__ void chunks_mixed(uint32_t *sums)
{
    const int t = global_thread();
    uint32_t *chunks[CHUNKS], sum = 0;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < CHUNKS; k += 1 + round) {
            const int words = chunk_words(t, k);
            if (round)
                free(chunks[k]);
            chunks[k] = (uint32_t *)malloc(words * sizeof *chunks[k]);
            if (!chunks[k])
                return;
            for (int i = 0; i < words; i++)
                chunks[k][i] = t + k + i;
        }
    for (int k = 0; k < CHUNKS; k++) {
        const int words = chunk_words(t, k);
        for (int i = 0; i < words; i++)
            sum += chunks[k][i];
        free(chunks[k]);
    }
    sums[t] = sum;
}

static void run_chunks_mixed(int size)
{
    const int blocks = size == 0 ? 1 : size == 1 ? 2 : 6, threads = size == 0 ? 2 : size == 1 ? 16 : 32, n = blocks * threads;
    uint32_t *d_sums = device_zeros<uint32_t>(n);
    LAUNCH(chunks_mixed<<<blocks, threads>>>(d_sums));
    uint32_t *sums = to_host(d_sums, n);
    for (int t = 0; t < n; t++) {
        uint32_t want = 0;
        for (int k = 0; k < CHUNKS; k++)
            for (int i = 0; i < chunk_words(t, k); i++)
                want += t + k + i;
        EXPECT(sums[t] == want, "thread %d: %u, not %u", t, sums[t], want);
    }
    free(sums);
}

struct node {
    uint32_t key, value;
    struct node *children[2];
};

/* A block's threads put their keys into one tree, each a node of its own; then each looks another thread's key up. */
__global__ void tree_of_block(const uint32_t *keys, uint32_t *values)
{
    __shared__ struct node *root;
    const int t = global_thread(), other = blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x;
    struct node *own = (struct node *)malloc(sizeof *own);
    if (threadIdx.x == 0)
        root = NULL;
    __syncthreads();
    if (own) {
        own->key = keys[t];
        own->value = mixed(own->key);
        own->children[0] = own->children[1] = NULL;
        __threadfence();
        struct node **at = &root, *there;
        while ((there = (struct node *)atomicCAS((unsigned long long *)at, 0ull, (unsigned long long)own)))
            at = &there->children[own->key > there->key];
    }
    __syncthreads();
    const uint32_t key = keys[other];
    const struct node *at = root;
    while (at && at->key != key)
        at = at->children[key > at->key];
    values[t] = at ? at->value : 0;
    __syncthreads();
    free(own);
}

static void run_tree_of_block(int size)
{
    const int blocks = size == 0 ? 1 : size == 1 ? 2 : 20, threads = size == 0 ? 8 : 64, n = blocks * threads;
    uint32_t *keys = host_array<uint32_t>(n);
    for (int t = 0; t < n; t++)
        keys[t] = random_u32();
    const uint32_t *d_keys = to_device(keys, n);
    uint32_t *d_values = device_zeros<uint32_t>(n);
    LAUNCH(tree_of_block<<<blocks, threads>>>(d_keys, d_values));
    uint32_t *values = to_host(d_values, n);
    for (int t = 0; t < n; t++)
        EXPECT(values[t] == mixed(keys[t / threads * threads + (t + 1) % threads]), "thread %d", t);
    free(keys), free(values);
}

/* A block's first thread takes a buffer for all; they write it and read it turned round, some times. */
__global__ void scratch_of_block(uint32_t *sums, int words, int rounds)
{
    __shared__ uint32_t *buffer;
    if (threadIdx.x == 0)
        buffer = (uint32_t *)malloc(words * sizeof *buffer);
    __syncthreads();
    if (!buffer)
        return;
    uint32_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            buffer[i] = i + round + sum;
        __syncthreads();
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            sum += buffer[words - 1 - i];
        __syncthreads();
    }
    sums[global_thread()] = sum;
    if (threadIdx.x == 0)
        free(buffer);
}

static void run_scratch_of_block(int size)
{
    const int blocks = size == 0 ? 1 : size == 1 ? 16 : 132, threads = 128, words = size == 0 ? 256 : 4096;
    const int rounds = size == 0 ? 2 : 8, n = blocks * threads;
    uint32_t *d_sums = device_zeros<uint32_t>(n), now[128] = {0};
    LAUNCH(scratch_of_block<<<blocks, threads>>>(d_sums, words, rounds));
    uint32_t *sums = to_host(d_sums, n);
    for (int round = 0; round < rounds; round++) {
        uint32_t next[128];
        memcpy(next, now, sizeof now);
        for (int i = 0; i < words; i++) {
            const int from = words - 1 - i;
            next[i % threads] += from + round + now[from % threads];
        }
        memcpy(now, next, sizeof now);
    }
    for (int t = 0; t < n; t++)
        EXPECT(sums[t] == now[t % threads], "thread %d: %u, not %u", t, sums[t], now[t % threads]);
    free(sums);
}

/* ---- long loops ---- */

static __host__ __device__ inline int turns_of(float cx, float cy, int most)
{
    float x = 0, y = 0;
    int k = 0;
    for (; k < most && fmaf(x, x, y * y) < 4; k++) {
        const float old = x;
        x = fmaf(x, x, fmaf(-y, y, cx));
        y = fmaf(2 * old, y, cy);
    }
    return k;
}

/* The set of Mandelbrot: a thread a pixel, a byte each. */
__global__ void mandelbrot_image(uint8_t *image, int width, int height, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        image[y * width + x] = (uint8_t)turns_of(x * 0.00390625f - 2.2f, y * 0.00390625f - 1.1f, most);
}

static void run_mandelbrot_image(int size)
{
    const int width = size == 0 ? 400 : 760, height = size == 0 ? 128 : size == 1 ? 512 : 570;
    const int most = size == 0 ? 250 : size == 1 ? 2000 : 8000;
    const size_t n = (size_t)width * height;
    uint8_t *d_image = device_array<uint8_t>(n);
    LAUNCH(mandelbrot_image<<<dim3(blocks_for(width, 16), blocks_for(height, 16)), dim3(16, 16)>>>(d_image, width, height,
                                                                                                  most));
    uint8_t *image = to_host(d_image, n);
    for (int check = 0; check < 300; check++) {
        const int x = random_below(width), y = random_below(height);
        EXPECT(image[y * width + x] == (uint8_t)turns_of(x * 0.00390625f - 2.2f, y * 0.00390625f - 1.1f, most), "%d %d", x, y);
    }
    free(image);
}

/* Kepler's equation by Newton's method: each thread many orbits, one after the other, until a step is small. */
__global__ void kepler_newton(const float2 *orbits, float *anomaly, int n)
{
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
        const float2 orbit = orbits[i]; /* mean anomaly, eccentricity */
        float e = orbit.x;
        for (int k = 0; k < 50; k++) {
            const float step = (e - orbit.y * sinf(e) - orbit.x) / (1 - orbit.y * cosf(e));
            e -= step;
            if (fabsf(step) < 1e-6f)
                break;
        }
        anomaly[i] = e;
    }
}

static void run_kepler_newton(int size)
{
    const int blocks = size == 0 ? 64 : 264, n = size == 0 ? 16384 : size == 1 ? 500000 : 3000000;
    float2 *orbits = host_array<float2>(n);
    for (int i = 0; i < n; i++)
        orbits[i] = make_float2(3.0f * random_float(), 0.9f * random_float());
    const float2 *d_orbits = to_device(orbits, n);
    float *d_anomaly = device_array<float>(n);
    LAUNCH(kepler_newton<<<blocks, 256>>>(d_orbits, d_anomaly, n));
    float *anomaly = to_host(d_anomaly, n);
    for (int check = 0; check < 20000; check++) {
        const int i = random_below(n);
        EXPECT(fabs(anomaly[i] - orbits[i].y * sin(anomaly[i]) - orbits[i].x) < 1e-5, "orbit %d: %g", i, anomaly[i]);
    }
    free(orbits), free(anomaly);
}

enum { COLLATZ_BITS = 10, COLLATZ_TABLE = 1 << COLLATZ_BITS };

/* How many times ten steps of Collatz (odd: (3 n + 1) / 2, even: n / 2) until a number is below 1024. Ten steps of h * 1024 + b are
 * h * table[b].x + table[b].y. */
__global__ void collatz_table(const uint2 *table, uint32_t *jumps, uint64_t first, int n)
{
    const int i = global_thread();
    if (i >= n)
        return;
    uint64_t at = first + i;
    uint32_t count = 0;
    for (; at >= COLLATZ_TABLE; count++) {
        const uint2 entry = table[at % COLLATZ_TABLE];
        at = (at >> COLLATZ_BITS) * entry.x + entry.y;
    }
    jumps[i] = count;
}

static uint64_t ten_steps(uint64_t at, uint32_t *odd)
{
    for (int k = 0; k < COLLATZ_BITS; k++) {
        *odd += at % 2;
        at = at % 2 ? (3 * at + 1) / 2 : at / 2;
    }
    return at;
}

static void run_collatz_table(int size)
{
    const int n = size == 0 ? 8000 : size == 1 ? 3000000 : 20000000;
    const uint64_t first = 1ull << 40;
    uint2 *table = host_array<uint2>(COLLATZ_TABLE);
    for (int b = 0; b < COLLATZ_TABLE; b++) {
        uint32_t odd = 0;
        table[b].y = (uint32_t)ten_steps(b, &odd);
        for (table[b].x = 1; odd; odd--)
            table[b].x *= 3;
    }
    const uint2 *d_table = to_device(table, COLLATZ_TABLE);
    uint32_t *d_jumps = device_array<uint32_t>(n);
    LAUNCH(collatz_table<<<blocks_for(n, 128), 128>>>(d_table, d_jumps, first, n));
    uint32_t *jumps = to_host(d_jumps, n), odd;
    for (int check = 0; check < 5000; check++) {
        const int i = random_below(n);
        uint32_t count = 0;
        for (uint64_t at = first + i; at >= COLLATZ_TABLE; count++)
            at = ten_steps(at, &odd);
        EXPECT(jumps[i] == count, "number %d: %u, not %u", i, jumps[i], count);
    }
    free(table), free(jumps);
}

/* A polynomial at many places: all threads read the same factors, from the last to the first. */
__global__ void polynomial_table(const float *factors, int degree, const float *x, float *y, int n)
{
    const int i = global_thread();
    if (i >= n)
        return;
    const float at = x[i];
    float sum = factors[degree];
    for (int k = degree - 1; k >= 0; k--)
        sum = fmaf(sum, at, factors[k]);
    y[i] = sum;
}

static void run_polynomial_table(int size)
{
    const int n = size == 0 ? 20000 : size == 1 ? 500000 : 2000000, degree = size == 0 ? 250 : 1000;
    float *factors = host_array<float>(degree + 1), *x = host_array<float>(n);
    for (int k = 0; k <= degree; k++)
        factors[k] = random_float() - 0.5f;
    for (int i = 0; i < n; i++)
        x[i] = 2 * random_float() - 1;
    const float *d_factors = to_device(factors, degree + 1), *d_x = to_device(x, n);
    float *d_y = device_array<float>(n);
    LAUNCH(polynomial_table<<<blocks_for(n, 256), 256>>>(d_factors, degree, d_x, d_y, n));
    float *y = to_host(d_y, n);
    for (int check = 0; check < 2000; check++) {
        const int i = random_below(n);
        double want = factors[degree];
        for (int k = degree - 1; k >= 0; k--)
            want = want * x[i] + factors[k];
        EXPECT(fabs(y[i] - want) < 1e-3, "place %d: %g, not %g", i, y[i], want);
    }
    free(factors), free(x), free(y);
}

/* ---- pictures ---- */

static cudaArray_t picture_array;

/* A picture with a value of 0 to 1 between four texels at each place; texel (i, j) has its middle at (i + 0.5, j + 0.5). */
template <class T> static cudaTextureObject_t picture_of(const T *texels, int width, int height, cudaTextureReadMode mode)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    CHECK(cudaMallocArray(&picture_array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(picture_array, 0, 0, texels, width * sizeof(T), width * sizeof(T), height,
                              cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = picture_array;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode = cudaFilterModeLinear;
    texture.readMode = mode;
    cudaTextureObject_t picture;
    CHECK(cudaCreateTextureObject(&picture, &resource, &texture, NULL));
    return picture;
}

static void picture_free(cudaTextureObject_t picture)
{
    CHECK(cudaDestroyTextureObject(picture));
    CHECK(cudaFreeArray(picture_array));
}

/* What is at a place between the texels' middles, of which `value(i, j)` is one. */
template <class F> static double between(double x, double y, int width, int height, F value)
{
    const int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const int a = i + k % 2, b = j + k / 2;
        sum += (1 - fabs(x - 0.5 - a)) * (1 - fabs(y - 0.5 - b)) *
               value(a < 0 ? 0 : a >= width ? width - 1 : a, b < 0 ? 0 : b >= height ? height - 1 : b);
    }
    return sum;
}

/* Turned by 30 degrees around its middle: four bytes a texel. */
__global__ void photo_rotated(cudaTextureObject_t photo, uchar4 *out, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height)
        return;
    const float x = i + 0.5f - width * 0.5f, y = j + 0.5f - height * 0.5f;
    const float4 at = tex2D<float4>(photo, x * 0.8660254f - y * 0.5f + width * 0.5f,
                                    x * 0.5f + y * 0.8660254f + height * 0.5f);
    out[j * width + i] = make_uchar4(at.x * 255, at.y * 255, at.z * 255, at.w * 255);
}

static void run_photo_rotated(int size)
{
    const int width = size == 0 ? 640 : size == 1 ? 2000 : 4000, height = size == 0 ? 480 : size == 1 ? 1500 : 3000;
    const size_t n = (size_t)width * height;
    uchar4 *texels = host_array<uchar4>(n), *d_out = device_zeros<uchar4>(n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = random_u32();
        texels[i] = make_uchar4(r, r >> 8, r >> 16, r >> 24);
    }
    const cudaTextureObject_t photo = picture_of(texels, width, height, cudaReadModeNormalizedFloat);
    LAUNCH(photo_rotated<<<dim3(blocks_for(width, 16), blocks_for(height, 16)), dim3(16, 16)>>>(photo, d_out, width, height));
    uchar4 *out = to_host(d_out, n);
    for (int check = 0; check < 20000; check++) {
        const int i = random_below(width), j = random_below(height);
        const double x = i + 0.5 - width * 0.5, y = j + 0.5 - height * 0.5;
        const double want = between(x * 0.8660254 - y * 0.5 + width * 0.5, x * 0.5 + y * 0.8660254 + height * 0.5, width,
                                    height, [=](int a, int b) { return (double)texels[(size_t)b * width + a].y; });
        EXPECT(fabs(out[(size_t)j * width + i].y + 0.5 - want) < 4, "pixel %d %d", i, j);
    }
    free(texels), free(out);
    picture_free(photo);
}

/* A third as wide and high: the mean of four places between texels, one float a texel. */
__global__ void photo_reduced(cudaTextureObject_t photo, float *out, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height)
        return;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += tex2D<float>(photo, i * 3 + 0.75f + k % 2 * 1.5f, j * 3 + 0.75f + k / 2 * 1.5f);
    out[j * width + i] = sum * 0.25f;
}

/* The same with a block's threads down the picture: neighbours in a warp are three rows apart. */
__global__ void photo_reduced_down(cudaTextureObject_t photo, float *out, int width, int height)
{
    const int i = blockIdx.x * blockDim.y + threadIdx.y, j = blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= width || j >= height)
        return;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += tex2D<float>(photo, i * 3 + 0.75f + k % 2 * 1.5f, j * 3 + 0.75f + k / 2 * 1.5f);
    out[j * width + i] = sum * 0.25f;
}

template <class F> static void run_reduced(int size, F launch)
{
    const int width = size == 0 ? 320 : size == 1 ? 1000 : 2000, height = size == 0 ? 240 : size == 1 ? 1000 : 1500;
    const int wide = width * 3, high = height * 3;
    const size_t n = (size_t)width * height;
    float *texels = host_array<float>(9 * n), *d_out = device_zeros<float>(n);
    for (size_t i = 0; i < 9 * n; i++)
        texels[i] = random_float();
    const cudaTextureObject_t photo = picture_of(texels, wide, high, cudaReadModeElementType);
    launch(photo, d_out, width, height);
    float *out = to_host(d_out, n);
    for (int check = 0; check < 20000; check++) {
        const int i = random_below(width), j = random_below(height);
        double want = 0;
        for (int k = 0; k < 4; k++)
            want += 0.25 * between(i * 3 + 0.75 + k % 2 * 1.5, j * 3 + 0.75 + k / 2 * 1.5, wide, high,
                                   [=](int a, int b) { return (double)texels[(size_t)b * wide + a]; });
        EXPECT(fabs(out[(size_t)j * width + i] - want) < 0.01, "pixel %d %d", i, j);
    }
    free(texels), free(out);
    picture_free(photo);
}

static void run_photo_reduced(int size)
{
    run_reduced(size, [](cudaTextureObject_t photo, float *out, int width, int height) {
        LAUNCH(photo_reduced<<<dim3(blocks_for(width, 32), blocks_for(height, 8)), dim3(32, 8)>>>(photo, out, width, height));
    });
}

static void run_photo_reduced_down(int size)
{
    run_reduced(size, [](cudaTextureObject_t photo, float *out, int width, int height) {
        LAUNCH(photo_reduced_down<<<dim3(blocks_for(width, 8), blocks_for(height, 32)), dim3(32, 8)>>>(photo, out, width,
                                                                                                     height));
    });
}

CORPUS({"list_own", NULL, run_list_own}, {"chunks_mixed", NULL, run_chunks_mixed}, {"tree_of_block", NULL, run_tree_of_block},
       {"scratch_of_block", NULL, run_scratch_of_block}, {"mandelbrot_image", NULL, run_mandelbrot_image},
       {"kepler_newton", NULL, run_kepler_newton}, {"collatz_table", NULL, run_collatz_table},
       {"polynomial_table", NULL, run_polynomial_table}, {"photo_rotated", NULL, run_photo_rotated},
       {"photo_reduced", "reduced", run_photo_reduced}, {"photo_reduced_down", "reduced", run_photo_reduced_down})
