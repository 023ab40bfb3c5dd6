/* montecarlo.cu - random numbers and what is made of them: areas, option prices, spins, walks. */
#include "corpus.h"

/* Philox 4 x 32 with seven rounds: four random words of a counter and a key. */
__host__ __device__ static inline uint4 philox(uint32_t counter, uint32_t stream, uint32_t key)
{
    uint4 c = make_uint4(counter, stream, 0x1234567, 0x89abcdef);
    uint32_t k0 = key, k1 = ~key;
#pragma unroll
    for (int round = 0; round < 7; round++) {
        const uint64_t a = (uint64_t)0xD2511F53u * c.x, b = (uint64_t)0xCD9E8D57u * c.z;
        c = make_uint4((uint32_t)(b >> 32) ^ c.y ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.w ^ k1, (uint32_t)a);
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    return c;
}

__host__ __device__ static inline float unit(uint32_t x) { return (float)(x >> 8) * (1.0f / 16777216.0f); } /* [0, 1) */

__host__ __device__ static inline uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    return x;
}

/* ---- the area of a quarter of a circle: hits of random points, a count a block ---- */

/* The sum over a block; thread 0 has it. */
__device__ static inline int block_sum(int x)
{
    __shared__ int part[32];
    x = __reduce_add_sync(~0u, x);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) x = __reduce_add_sync(~0u, threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
    return x;
}

/* Points by a counter: integer multiplications, nothing waits for the point before. */
__global__ void area_philox(int *hits, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
    for (int k = 0; k < points; k += 2) {
        const uint4 r = philox(k, i, 42);
        const float x = unit(r.x), y = unit(r.y), u = unit(r.z), v = unit(r.w);
        count += (x * x + y * y < 1) + (u * u + v * v < 1);
    }
    count = block_sum(count);
    if (threadIdx.x == 0) hits[blockIdx.x] = count;
}

/* Points by a state that each one changes: a chain of shifts, bound by the latency of the ALU where there are few warps. */
__global__ void area_xorshift(int *hits, int points)
{
    uint32_t state = mix(blockIdx.x * blockDim.x + threadIdx.x + 1) | 1;
    int count = 0;
    for (int k = 0; k < points; k++) {
        float p[2];
        for (int c = 0; c < 2; c++) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            p[c] = unit(state);
        }
        count += p[0] * p[0] + p[1] * p[1] < 1;
    }
    count = block_sum(count);
    if (threadIdx.x == 0) hits[blockIdx.x] = count;
}

static void run_area(int size, void (*kernel)(int *, int), int block)
{
    static const int sizes[] = {132, 1024, 4000};
    const int threads = sizes[size] * 256, blocks = threads / block, points = 64 << size;
    int *device_hits = device_zeros<int>(blocks);
    LAUNCH(kernel<<<blocks, block>>>(device_hits, points));
    int *hits = to_host(device_hits, blocks);
    double sum = 0;
    for (int k = 0; k < blocks; k++)
        sum += hits[k];
    const double area = sum / ((double)threads * points);
    EXPECT(fabs(area - 0.7853981634) < 0.003, "area %g", area);
    free(hits);
}

/* ---- an Asian option: paths of 64 steps, a normal number each ---- */

enum { STEPS = 64 };

struct option {
    float start, strike, drift, swing; /* drift and swing of a step */
};

__host__ __device__ static inline void two_normals(uint32_t a, uint32_t b, float normal[2])
{
    const float radius = sqrtf(-2 * logf(unit(a) + 6e-8f)), angle = 6.2831853f * unit(b);
    normal[0] = radius * cosf(angle), normal[1] = radius * sinf(angle);
}

/* The payoff of a path; `sign` -1 is the path with opposite numbers. */
__host__ __device__ static inline float payoff(float mean, struct option o) { return mean > o.strike ? mean - o.strike : 0; }

/* A path a thread: special functions and long dependent chains. */
__global__ void asian_path(struct option o, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float price = o.start, sum = 0;
    for (int step = 0; step < STEPS; step += 4) {
        const uint4 r = philox(step, i, 7);
        float normal[4];
        two_normals(r.x, r.y, normal);
        two_normals(r.z, r.w, normal + 2);
        for (int k = 0; k < 4; k++) {
            price *= expf(o.drift + o.swing * normal[k]);
            sum += price;
        }
    }
    out[i] = payoff(sum / STEPS, o);
}

/* A path and its opposite a thread, with the fast functions of the hardware: half the random numbers, two chains at a time. */
__global__ void asian_two_paths(struct option o, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    float up = o.start, down = o.start, sums[2] = {};
    for (int step = 0; step < STEPS; step += 4) {
        const uint4 r = philox(step, i, 7);
        const uint32_t word[4] = {r.x, r.y, r.z, r.w};
        for (int k = 0; k < 4; k += 2) {
            const float radius = sqrtf(-2 * __logf(unit(word[k]) + 6e-8f)), angle = 6.2831853f * unit(word[k + 1]);
            const float normal[2] = {radius * __cosf(angle), radius * __sinf(angle)};
            for (int j = 0; j < 2; j++) {
                up *= __expf(o.drift + o.swing * normal[j]);
                down *= __expf(o.drift - o.swing * normal[j]);
                sums[0] += up, sums[1] += down;
            }
        }
    }
    ((float2 *)out)[i] = make_float2(payoff(sums[0] / STEPS, o), payoff(sums[1] / STEPS, o));
}

static void run_asian(int size, void (*kernel)(struct option, float *, int), int paths)
{
    static const int sizes[] = {8192, 131072, 1000000};
    const int n = sizes[size];
    const struct option o = {100, 100, -0.0002f, 0.02f};
    float *device_out = device_zeros<float>(n);
    LAUNCH(kernel<<<blocks_for(n / paths, 128), 128>>>(o, device_out, n));
    float *out = to_host(device_out, n);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += out[k];
    EXPECT(fabs(sum / n - 3.7) < 0.5, "price %g", sum / n); /* the spread of the mean is some 9.2, its price 0.4 of that */
    free(out);
}

/* ---- Black and Scholes' prices: bound by DRAM or the special functions ---- */

__host__ __device__ static inline float normal_below(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__host__ __device__ static inline float call_price(float price, float strike, float years)
{
    const float root = 0.3f * sqrtf(years), d = (logf(price / strike) + (0.02f + 0.045f) * years) / root;
    return price * normal_below(d) - strike * expf(-0.02f * years) * normal_below(d - root);
}

__global__ void black_scholes(const float *price, const float *strike, const float *years, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = call_price(price[i], strike[i], years[i]);
}

/* Four a thread by reads of 16 bytes, in a loop over a grid that fills the GPU once. */
__global__ void black_scholes_four(const float *price, const float *strike, const float *years, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        const float4 p = ((const float4 *)price)[i], s = ((const float4 *)strike)[i], y = ((const float4 *)years)[i];
        ((float4 *)out)[i] = make_float4(call_price(p.x, s.x, y.x), call_price(p.y, s.y, y.y), call_price(p.z, s.z, y.z),
                                         call_price(p.w, s.w, y.w));
    }
}

static void run_black_scholes(int size, void (*kernel)(const float *, const float *, const float *, float *, int), int grid)
{
    static const int sizes[] = {200000, 6000000, 30000000};
    const int n = sizes[size];
    float *in[3], *device[3];
    for (int k = 0; k < 3; k++) {
        in[k] = host_array<float>(n);
        for (int i = 0; i < n; i++)
            in[k][i] = k < 2 ? 50 + 100 * random_float() : 0.2f + 3 * random_float();
        device[k] = to_device(in[k], n);
    }
    float *device_out = device_zeros<float>(n);
    LAUNCH(kernel<<<grid ? grid : blocks_for(n, 256), 256>>>(device[0], device[1], device[2], device_out, n));
    float *out = to_host(device_out, n);
    for (int i = 0; i < n; i += n / 5000) {
        const float want = call_price(in[0][i], in[1][i], in[2][i]);
        EXPECT(fabsf(out[i] - want) < 1e-3f, "option %d: %g, not %g", i, out[i], want);
    }
    free(in[0]), free(in[1]), free(in[2]), free(out);
}

/* ---- half a sweep of Ising's model: the spins of one colour of a board meet their neighbours ---- */

__host__ __device__ static inline int8_t new_spin(int8_t spin, int around, uint32_t random)
{
    const int cost = 2 * spin * around; /* -8 .. 8 */
    if (cost <= 0) return -spin;
    return unit(random) < (cost == 4 ? 0.171f : 0.029f) ? -spin : spin;
}

/* A spin a thread, of a byte: half of the lanes have nothing to do. */
__global__ void ising_bytes(const int8_t *in, int8_t *out, int side)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, m = side - 1;
    const int i = y * side + x;
    int8_t spin = in[i];
    if ((x + y) % 2 == 0) {
        const int around = in[y * side + ((x + 1) & m)] + in[y * side + ((x - 1) & m)] + in[((y + 1) & m) * side + x] +
                           in[((y - 1) & m) * side + x];
        spin = new_spin(spin, around, mix(i));
    }
    out[i] = spin;
}

/* Four spins a thread, read and written as a word: all lanes work. */
__global__ void ising_words(const int8_t *in, int8_t *out, int side)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y, m = side - 1;
    const char4 here = *(const char4 *)(in + y * side + x), above = *(const char4 *)(in + ((y - 1) & m) * side + x);
    const char4 below = *(const char4 *)(in + ((y + 1) & m) * side + x);
    char4 spin = here;
    if (y % 2 == 0) {
        spin.x = new_spin(here.x, in[y * side + ((x - 1) & m)] + here.y + above.x + below.x, mix(y * side + x));
        spin.z = new_spin(here.z, here.y + here.w + above.z + below.z, mix(y * side + x + 2));
    } else {
        spin.y = new_spin(here.y, here.x + here.z + above.y + below.y, mix(y * side + x + 1));
        spin.w = new_spin(here.w, here.z + in[y * side + ((x + 4) & m)] + above.w + below.w, mix(y * side + x + 3));
    }
    *(char4 *)(out + y * side + x) = spin;
}

static void run_ising(int size, void (*kernel)(const int8_t *, int8_t *, int), int spins)
{
    static const int sides[] = {512, 2048, 8192}; /* powers of two */
    const int side = sides[size], m = side - 1, n = side * side;
    int8_t *in = host_array<int8_t>(n);
    for (int k = 0; k < n; k++)
        in[k] = random_below(3) ? 1 : -1;
    int8_t *device_in = to_device(in, n), *device_out = device_zeros<int8_t>(n);
    LAUNCH(kernel<<<dim3(side / 64 / spins, side / 4), dim3(64, 4)>>>(device_in, device_out, side));
    int8_t *out = to_host(device_out, n);
    for (int check = 0; check < 200000; check++) {
        const int x = random_below(side), y = random_below(side), i = y * side + x;
        const int around = in[y * side + ((x + 1) & m)] + in[y * side + ((x - 1) & m)] + in[((y + 1) & m) * side + x] +
                           in[((y - 1) & m) * side + x];
        const int8_t want = (x + y) % 2 == 0 ? new_spin(in[i], around, mix(i)) : in[i];
        EXPECT(out[i] == want, "spin %d %d", x, y);
    }
    free(in), free(out);
}

/* ---- photons in a slab: each walks until it is absorbed or leaves, lanes end at different times ---- */

struct walk {
    int steps;
    float depth; /* at the end; outside of 0 .. 1 it left the slab */
};

__host__ __device__ static inline struct walk photon(uint32_t id)
{
    struct walk w = {0, 0};
    float slope = 1;
    for (; w.steps < 2000; w.steps++) {
        const uint4 r = philox(w.steps, id, 99);
        w.depth += slope * -0.05f * logf(unit(r.x) + 6e-8f);
        if (w.depth < 0 || w.depth > 1 || (r.z & 63) == 0) break;
        slope = 2 * unit(r.y) - 1;
    }
    return w;
}

__global__ void photon_walks(struct walk *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = photon(i);
}

static void run_photon_walks(int size)
{
    static const int sizes[] = {4096, 100000, 800000};
    const int n = sizes[size];
    struct walk *device_out = device_zeros<struct walk>(n);
    LAUNCH(photon_walks<<<blocks_for(n, 32), 32>>>(device_out, n));
    struct walk *out = to_host(device_out, n);
    int different = 0; /* the logarithms of host and device differ in their last bits, so a walk may end otherwise */
    for (int i = 0; i < 4000; i++)
        different += photon(i).steps != out[i].steps;
    EXPECT(different < 40, "%d of 4000 walks", different);
    free(out);
}

CORPUS({"area_philox", "area", [](int size) { run_area(size, area_philox, 256); }},
       {"area_xorshift", "area", [](int size) { run_area(size, area_xorshift, 1024); }},
       {"asian_path", "asian", [](int size) { run_asian(size, asian_path, 1); }},
       {"asian_two_paths", "asian", [](int size) { run_asian(size, asian_two_paths, 2); }},
       {"black_scholes", "black_scholes", [](int size) { run_black_scholes(size, black_scholes, 0); }},
       {"black_scholes_four", "black_scholes", [](int size) { run_black_scholes(size, black_scholes_four, 132 * 8); }},
       {"ising_bytes", "ising", [](int size) { run_ising(size, ising_bytes, 1); }},
       {"ising_words", "ising", [](int size) { run_ising(size, ising_words, 4); }}, {"photon_walks", NULL, run_photon_walks})
