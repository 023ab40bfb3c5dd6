/* nbody.cu - particles: all pairs, cells, neighbour lists, potentials on a grid, histograms of distances. */
#include "corpus.h"

static float4 *random_bodies(int n, float side)
{
    float4 *body = host_array<float4>(n);
    for (int k = 0; k < n; k++)
        body[k] = make_float4(side * random_float(), side * random_float(), side * random_float(), 0.5f + random_float());
    return body;
}

/* ---- gravity of all on all ---- */

__host__ __device__ static inline void attract(float4 a, float4 b, float sum[3])
{
    const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, square = x * x + y * y + z * z + 0.01f;
#ifdef __CUDA_ARCH__
    const float over = rsqrtf(square);
#else
    const float over = 1 / sqrtf(square);
#endif
    const float factor = b.w * over * over * over;
    sum[0] += x * factor, sum[1] += y * factor, sum[2] += z * factor;
}

/* Every thread reads all bodies, all lanes the same one: loads from L1, as many as there are pairs of a warp and a body. */
__global__ void gravity_global(const float4 *__restrict__ body, float4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 mine = body[i];
    float sum[3] = {};
    for (int k = 0; k < n; k++)
        attract(mine, body[k], sum);
    out[i] = make_float4(sum[0], sum[1], sum[2], 0);
}

/* By tiles of a block's size in shared memory: bound by the FMA pipe. */
__global__ void gravity_tiles(const float4 *__restrict__ body, float4 *out, int n)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 mine = body[i];
    float sum[3] = {};
    for (int first = 0; first < n; first += blockDim.x) {
        __syncthreads();
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < (int)blockDim.x; k++)
            attract(mine, tile[k], sum);
    }
    out[i] = make_float4(sum[0], sum[1], sum[2], 0);
}

/* Bodies go round in the registers of a warp by shuffles: four a body. */
__global__ void gravity_shuffle(const float4 *__restrict__ body, float4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const float4 mine = body[i];
    float sum[3] = {};
    for (int first = 0; first < n; first += 32) {
        const float4 held = body[first + lane];
#pragma unroll 8
        for (int k = 0; k < 32; k++)
            attract(mine, make_float4(__shfl_sync(~0u, held.x, k), __shfl_sync(~0u, held.y, k),
                                      __shfl_sync(~0u, held.z, k), __shfl_sync(~0u, held.w, k)), sum);
    }
    out[i] = make_float4(sum[0], sum[1], sum[2], 0);
}

static void run_gravity(int size, void (*kernel)(const float4 *, float4 *, int), int block)
{
    static const int sizes[] = {256, 2048, 16384}; /* whole blocks */
    const int n = sizes[size];
    float4 *body = random_bodies(n, 10), *device_body = to_device(body, n), *device_out = device_zeros<float4>(n);
    LAUNCH(kernel<<<n / block, block, block * sizeof(float4)>>>(device_body, device_out, n));
    float4 *out = to_host(device_out, n);
    for (int i = 0; i < n; i += n / 100) {
        float want[3] = {};
        for (int k = 0; k < n; k++)
            attract(body[i], body[k], want);
        const float size_of = fabsf(want[0]) + fabsf(want[1]) + fabsf(want[2]);
        EXPECT(fabsf(out[i].x - want[0]) + fabsf(out[i].y - want[1]) + fabsf(out[i].z - want[2]) < 2e-3f * size_of,
               "body %d: %g %g %g", i, out[i].x, out[i].y, out[i].z);
    }
    free(body), free(out);
}

/* ---- Lennard-Jones forces within a distance of 1 ---- */

__host__ __device__ static inline void push(float4 a, float4 b, float sum[3])
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, square = x * x + y * y + z * z;
    if (square >= 1 || square == 0) return;
    const float over = 1 / (square + 0.05f), six = over * over * over, factor = over * six * (2 * six - 1) * 1e-3f;
    sum[0] += x * factor, sum[1] += y * factor, sum[2] += z * factor;
}

/* Particles of cells of side 1, in the cells' order; begin[] has their first ones. */
struct cells {
    int side, n;
    int *begin;
    float4 *body;
};

static int cell_of(const struct cells *c, float4 p) { return ((int)p.z * c->side + (int)p.y) * c->side + (int)p.x; }

static struct cells random_cells(int side, int n)
{
    struct cells c = {side, n, host_array<int>(side * side * side + 1), host_array<float4>(n)};
    float4 *body = random_bodies(n, side * 0.99999f);
    const int count = side * side * side;
    int *next = host_array<int>(count);
    for (int k = 0; k < n; k++)
        c.begin[cell_of(&c, body[k]) + 1]++;
    for (int k = 0; k < count; k++)
        c.begin[k + 1] += c.begin[k], next[k] = c.begin[k];
    for (int k = 0; k < n; k++)
        c.body[next[cell_of(&c, body[k])]++] = body[k];
    free(body), free(next);
    return c;
}

/* The sum over the 27 cells round a particle. */
__host__ __device__ static inline float4 forces_by_cells(struct cells c, float4 mine)
{
    float sum[3] = {};
    const int x = (int)mine.x, y = (int)mine.y, z = (int)mine.z;
    for (int cz = z - 1; cz <= z + 1; cz++)
        for (int cy = y - 1; cy <= y + 1; cy++)
            for (int cx = x - 1; cx <= x + 1; cx++) {
                if (cx < 0 || cy < 0 || cz < 0 || cx >= c.side || cy >= c.side || cz >= c.side) continue;
                const int cell = (cz * c.side + cy) * c.side + cx;
                for (int k = c.begin[cell]; k < c.begin[cell + 1]; k++)
                    push(mine, c.body[k], sum);
            }
    return make_float4(sum[0], sum[1], sum[2], 0);
}

/* A particle a thread: loops of different length, branches that few lanes take. */
__global__ void lennard_jones_cells(struct cells c, const int *, float4 *out, int)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c.n) out[i] = forces_by_cells(c, c.body[i]);
}

/* From a list of neighbours by columns: gathers from places near each other; bound by latency and L1. */
__global__ void lennard_jones_lists(struct cells c, const int *list, float4 *out, int longest)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c.n) return;
    const float4 mine = c.body[i];
    float sum[3] = {};
    for (int k = 0; k < longest; k++) {
        const int other = list[(size_t)k * c.n + i];
        if (other < 0) break;
        push(mine, c.body[other], sum);
    }
    out[i] = make_float4(sum[0], sum[1], sum[2], 0);
}

enum { NEIGHBOURS = 64 };

static int *neighbour_lists(struct cells c)
{
    int *list = host_array<int>((size_t)c.n * NEIGHBOURS);
    memset(list, 0xff, (size_t)c.n * NEIGHBOURS * sizeof *list);
    for (int i = 0; i < c.n; i++) {
        const int x = (int)c.body[i].x, y = (int)c.body[i].y, z = (int)c.body[i].z;
        int found = 0;
        for (int d = 0; d < 27; d++) {
            const int cx = x + d % 3 - 1, cy = y + d / 3 % 3 - 1, cz = z + d / 9 - 1;
            if (cx < 0 || cy < 0 || cz < 0 || cx >= c.side || cy >= c.side || cz >= c.side) continue;
            const int cell = (cz * c.side + cy) * c.side + cx;
            for (int k = c.begin[cell]; k < c.begin[cell + 1]; k++) {
                const float dx = c.body[k].x - c.body[i].x, dy = c.body[k].y - c.body[i].y, dz = c.body[k].z - c.body[i].z;
                if (k == i || dx * dx + dy * dy + dz * dz >= 1) continue;
                EXPECT(found < NEIGHBOURS, "particle %d has too many neighbours", i);
                list[(size_t)found++ * c.n + i] = k;
            }
        }
    }
    return list;
}

static void run_lennard_jones(int size, void (*kernel)(struct cells, const int *, float4 *, int))
{
    static const int sides[] = {8, 24, 48};
    const struct cells c = random_cells(sides[size], sides[size] * sides[size] * sides[size] * 4);
    int *list = neighbour_lists(c);
    struct cells d = c;
    d.begin = to_device(c.begin, c.side * c.side * c.side + 1);
    d.body = to_device(c.body, c.n);
    float4 *device_out = device_zeros<float4>(c.n);
    int *device_list = to_device(list, (size_t)c.n * NEIGHBOURS);
    LAUNCH(kernel<<<blocks_for(c.n, 64), 64>>>(d, device_list, device_out, NEIGHBOURS));
    float4 *out = to_host(device_out, c.n);
    for (int i = 0; i < c.n; i += 17) {
        const float4 want = forces_by_cells(c, c.body[i]);
        const float size_of = fabsf(want.x) + fabsf(want.y) + fabsf(want.z) + 1;
        EXPECT(fabsf(out[i].x - want.x) + fabsf(out[i].y - want.y) + fabsf(out[i].z - want.z) < 1e-3f * size_of,
               "particle %d: %g, not %g", i, out[i].x, want.x);
    }
    free(c.begin), free(c.body), free(list), free(out);
}

/* ---- the potential of charges on the points of a plane ---- */

enum { CHARGES = 500 };
__constant__ float4 charge[CHARGES];

__host__ __device__ static inline float potential(float x, float y, float4 q)
{
    const float dx = x - q.x, dy = y - q.y, square = dx * dx + dy * dy + q.z * q.z + 0.01f;
#ifdef __CUDA_ARCH__
    return q.w * rsqrtf(square);
#else
    return q.w / sqrtf(square);
#endif
}

/* A point a thread; charges come from constant memory: special functions and the FMA pipe. */
__global__ void coulomb_point(float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int k = 0; k < CHARGES; k++)
        sum += potential(0.1f * x, 0.1f * y, charge[k]);
    out[y * width + x] = sum;
}

/* Four points of a row a thread: a charge is read once for the four. */
__global__ void coulomb_four_points(float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x * 4 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= height) return;
    float sum[4] = {};
    for (int k = 0; k < CHARGES; k++)
        for (int p = 0; p < 4; p++)
            sum[p] += potential(0.1f * (x + p * (int)blockDim.x), 0.1f * y, charge[k]);
    for (int p = 0; p < 4; p++)
        if (x + p * (int)blockDim.x < width) out[y * width + x + p * blockDim.x] = sum[p];
}

static void run_coulomb(int size, void (*kernel)(float *, int, int), int points)
{
    static const int sides[] = {64, 256, 800};
    const int side = sides[size];
    float4 *q = random_bodies(CHARGES, side * 0.1f);
    CHECK(cudaMemcpyToSymbol(charge, q, CHARGES * sizeof *q));
    float *device_out = device_zeros<float>(side * side);
    const dim3 block(32, 4), grid(blocks_for(side, 32 * points), blocks_for(side, 4));
    LAUNCH(kernel<<<grid, block>>>(device_out, side, side));
    float *out = to_host(device_out, side * side);
    for (int check = 0; check < 2000; check++) {
        const int x = random_below(side), y = random_below(side);
        double want = 0;
        for (int k = 0; k < CHARGES; k++)
            want += potential(0.1f * x, 0.1f * y, q[k]);
        EXPECT(close_to(out[y * side + x], want, 1e-3), "point %d %d: %g, not %g", x, y, out[y * side + x], want);
    }
    free(q), free(out);
}

/* ---- histogram of all distances: two-point correlation; square roots and atomics on shared memory ---- */

enum { BINS = 64 };

/* A block counts pairs of its 256 bodies with a stripe of the others, in a table of its own. */
__global__ void pair_histogram(const float4 *__restrict__ body, int *counts, int n, int stripe)
{
    __shared__ int bin[BINS];
    __shared__ float4 tile[256];
    if (threadIdx.x < BINS) bin[threadIdx.x] = 0;
    const float4 mine = body[blockIdx.x * 256 + threadIdx.x];
    for (int first = blockIdx.y * stripe; first < (int)(blockIdx.y + 1) * stripe && first < n; first += 256) {
        __syncthreads();
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float x = tile[k].x - mine.x, y = tile[k].y - mine.y, z = tile[k].z - mine.z;
            atomicAdd(&bin[min(BINS - 1, (int)(4 * sqrtf(x * x + y * y + z * z)))], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < BINS) counts[(blockIdx.y * gridDim.x + blockIdx.x) * BINS + threadIdx.x] = bin[threadIdx.x];
}

static void run_pair_histogram(int size)
{
    static const int sizes[] = {1024, 4096, 12288}, stripes[] = {256, 512, 1024};
    const int n = sizes[size], blocks = n / 256, rows = blocks_for(n, stripes[size]);
    float4 *body = random_bodies(n, 10), *device_body = to_device(body, n);
    int *device_counts = device_zeros<int>((size_t)blocks * rows * BINS);
    LAUNCH(pair_histogram<<<dim3(blocks, rows), 256>>>(device_body, device_counts, n, stripes[size]));
    int *counts = to_host(device_counts, (size_t)blocks * rows * BINS);
    long long total = 0, near = 0, want = 0;
    for (int k = 0; k < blocks * rows * BINS; k++)
        total += counts[k], near += k % BINS < 2 && k / BINS % blocks == 1 ? counts[k] : 0;
    for (int i = 256; i < 512; i++)
        for (int k = 0; k < n; k++) {
            const float x = body[k].x - body[i].x, y = body[k].y - body[i].y, z = body[k].z - body[i].z;
            want += x * x + y * y + z * z < 0.25f;
        }
    EXPECT(total == (long long)n * n, "%lld pairs", total);
    EXPECT(llabs(near - want) <= 2, "%lld near pairs of block 1, not %lld", near, want);
    free(body), free(counts);
}

CORPUS({"gravity_global", "gravity", [](int size) { run_gravity(size, gravity_global, 64); }},
       {"gravity_tiles", "gravity", [](int size) { run_gravity(size, gravity_tiles, 64); }},
       {"gravity_shuffle", "gravity", [](int size) { run_gravity(size, gravity_shuffle, 64); }},
       {"lennard_jones_cells", "lennard_jones", [](int size) { run_lennard_jones(size, lennard_jones_cells); }},
       {"lennard_jones_lists", "lennard_jones", [](int size) { run_lennard_jones(size, lennard_jones_lists); }},
       {"coulomb_point", "coulomb", [](int size) { run_coulomb(size, coulomb_point, 1); }},
       {"coulomb_four_points", "coulomb", [](int size) { run_coulomb(size, coulomb_four_points, 4); }},
       {"pair_histogram", NULL, run_pair_histogram})
