/* texture.cu - what fetches from textures cost on a GPU, and how an array's texels lie in memory. Prints rows of
 * tests/hw/h200/texture.csv:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/texture.cu -o texture
 *     ./texture rates         rate,texel,memory,filter,pattern,warps,cycles: of an SM for a warp's fetch, all in L1
 *     ./texture layout        near,texel,memory,dx,dy,cycles: of the fetch beside one that was just made, by one thread; cold: the same
 *                             behind other fetches of a cold L2
 *     ./texture chains        chain,texel,memory,filter,pattern,cycles: one warp, each fetch needs the one before
 *     ./texture images KIND   one launch for a profiler: w_image; KIND is a number below IMAGES
 */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum memory { ARRAY_2D, PITCH_2D, LINEAR_1D, ARRAY_3D, MEMORIES };
static const char *const memory_names[] = {"array", "pitch", "linear", "array3d"};

/* Where lane l of fetch k looks. */
enum pattern { SAME, ROW, TILE16X2, TILE8X4, TILE4X8, TILE2X16, COLUMN, STRIDE2, STRIDE4, STRIDE8, ROWS4, DIAGONAL, RANDOM, PATTERNS };
static const char *const pattern_names[] = {"same",    "row",     "tile16x2", "tile8x4", "tile4x8",  "tile2x16", "column",
                                            "stride2", "stride4", "stride8",  "rows4",   "diagonal", "random"};

__device__ unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

__device__ int2 place(int pattern, int lane, int k, int wide, int high)
{
    int x = 0, y = k;
    switch (pattern) {
    case SAME: break;
    case ROW: x = lane; break;
    case TILE16X2: x = lane % 16, y = k * 2 + lane / 16; break;
    case TILE8X4: x = lane % 8, y = k * 4 + lane / 8; break;
    case TILE4X8: x = lane % 4, y = k * 8 + lane / 4; break;
    case TILE2X16: x = lane % 2, y = k * 16 + lane / 2; break;
    case COLUMN: x = k, y = lane; break;
    case STRIDE2: x = 2 * lane; break;
    case STRIDE4: x = 4 * lane; break;
    case STRIDE8: x = 8 * lane; break;
    case ROWS4: y = k * 8 + lane / 4; break; /* each four lanes look at one texel */
    case DIAGONAL: x = lane, y = k + lane; break;
    default: x = hash(lane * 977 + k * 31337), y = x >> 12;
    }
    return make_int2(x & (wide - 1), y & (high - 1));
}

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sum_of(unsigned char v) { return v; }
__device__ float sum_of(uchar4 v) { return v.x + v.y + v.z + v.w; }

template <typename T, int MEMORY> __device__ float fetch(cudaTextureObject_t t, float x, float y, int wide)
{
    if (MEMORY == LINEAR_1D)
        return sum_of(tex1Dfetch<T>(t, (int)x + (int)y * wide));
    if (MEMORY == ARRAY_3D)
        return sum_of(tex3D<T>(t, x, y, 1.5f));
    return sum_of(tex2D<T>(t, x, y));
}

/* Each warp n fetches that do not need each other, of the same places; or, CHAIN, that do. */
template <typename T, int MEMORY, bool CHAIN>
__global__ void fetches(cudaTextureObject_t t, int pattern, int wide, int high, float off, int n, long long *cycles, float *out)
{
    enum { AHEAD = 8 };
    const int lane = threadIdx.x % 32;
    float2 at[AHEAD];
    float sum = 0;
    for (int k = 0; k < AHEAD; k++) {
        const int2 p = place(pattern, lane, k, wide, high);
        at[k] = make_float2(p.x + off, p.y + off);
        sum += fetch<T, MEMORY>(t, at[k].x, at[k].y, wide);
    }
    long long start = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock64();
        for (int k = 0; k < n; k += AHEAD) {
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                const float v = fetch<T, MEMORY>(t, at[u].x, at[u].y, wide);
                at[CHAIN ? (u + 1) % AHEAD : u].x += v * 0; /* 0, which the compiler does not know */
                sum += v;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static cudaTextureObject_t texture_of(enum memory memory, cudaChannelFormatDesc format, int bytes, int wide, int high, bool linear)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaArray_t array;
    void *p;
    size_t pitch;
    if (memory == ARRAY_2D || memory == ARRAY_3D) {
        const cudaExtent size = make_cudaExtent(wide, high, memory == ARRAY_3D ? 4 : 0);
        CHECK(cudaMalloc3DArray(&array, &format, size));
        r.resType = cudaResourceTypeArray;
        r.res.array.array = array;
    } else if (memory == PITCH_2D) {
        CHECK(cudaMallocPitch(&p, &pitch, (size_t)wide * bytes, high));
        CHECK(cudaMemset(p, 0, pitch * high));
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D = {p, format, (size_t)wide, (size_t)high, pitch};
    } else {
        CHECK(cudaMalloc(&p, (size_t)wide * high * bytes));
        CHECK(cudaMemset(p, 0, (size_t)wide * high * bytes));
        r.resType = cudaResourceTypeLinear;
        r.res.linear = {p, format, (size_t)wide * high * bytes};
    }
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static long long *d_cycles;
static float *d_out;
enum { SMS = 132 };

static double middle()
{
    std::vector<long long> c(SMS);
    CHECK(cudaMemcpy(c.data(), d_cycles, SMS * sizeof c[0], cudaMemcpyDeviceToHost));
    std::sort(c.begin(), c.end());
    return (double)c[SMS / 2];
}

/* 64 x 64 texels of at most 4 bytes, 32 x 32 of 16: L1 holds them. */
template <typename T, int MEMORY> static void rates(const char *texel, bool linear, bool chains)
{
    enum { N = 64 };
    const int side = sizeof(T) > 4 ? 32 : 64;
    const cudaTextureObject_t t =
        texture_of((enum memory)MEMORY, cudaCreateChannelDesc<T>(), sizeof(T), MEMORY == LINEAR_1D ? side : 256, 256, linear);
    const float offs[] = {0.5f, 1.0f}; /* with a filter, of four texels or of one */
    for (int off = 0; off < (linear ? 2 : 1); off++)
        for (int p = 0; p < PATTERNS; p++)
            for (int warps : {1, 4, 32}) {
                if (chains != (warps == 1))
                    continue;
                const float o = MEMORY == LINEAR_1D ? 0 : linear ? offs[1 - off] : 0.5f;
                const int wide = MEMORY == LINEAR_1D ? side : p == STRIDE4 || p == STRIDE8 ? 256 : side;
                if (chains)
                    fetches<T, MEMORY, true><<<SMS, warps * 32>>>(t, p, wide, side, o, N, d_cycles, d_out);
                else
                    fetches<T, MEMORY, false><<<SMS, warps * 32>>>(t, p, wide, side, o, N, d_cycles, d_out);
                CHECK(cudaDeviceSynchronize());
                printf("%s,%s,%s,%s,%s,%d,%.2f\n", chains ? "chain" : "rate", texel, memory_names[MEMORY],
                       !linear ? "point" : off ? "linear1" : "linear4", pattern_names[p], warps, middle() / N / warps);
            }
    fflush(stdout);
}

static void all_rates(bool chains)
{
    rates<float, ARRAY_2D>("float", false, chains);
    rates<float, ARRAY_2D>("float", true, chains);
    rates<float, PITCH_2D>("float", false, chains);
    rates<float, PITCH_2D>("float", true, chains);
    rates<float, LINEAR_1D>("float", false, chains);
    rates<float, ARRAY_3D>("float", false, chains);
    rates<float, ARRAY_3D>("float", true, chains);
    rates<float2, ARRAY_2D>("float2", false, chains);
    rates<float4, ARRAY_2D>("float4", false, chains);
    rates<float4, ARRAY_2D>("float4", true, chains);
    rates<float4, LINEAR_1D>("float4", false, chains);
    rates<unsigned char, ARRAY_2D>("uchar", false, chains);
    rates<uchar4, ARRAY_2D>("uchar4", false, chains);
}

/* ---- the layout ---- */

template <typename T, int MEMORY>
__global__ void beside(cudaTextureObject_t t, int x, int y, int dx, int dy, int wide, long long *cycles, float *out)
{
    float s = fetch<T, MEMORY>(t, x + 0.5f, y + 0.5f, wide);
    const float again = s * 0;
    const long long start = clock64() + (long long)again;
    s += fetch<T, MEMORY>(t, x + dx + 0.5f + again, y + dy + 0.5f, wide);
    *cycles = (long long)(s * 0) + clock64() - start;
    *out = s;
}

/* The first fetch of a kernel at (0, 0), the second beside it: from L1, where it came with the first; behind a cold L2: or from there. */
template <typename T, int MEMORY> static void layout(const char *texel)
{
    enum { WIDE = 256, HIGH = 64, OTHER = 256 << 20 };
    static char *other;
    if (!other)
        CHECK(cudaMalloc(&other, OTHER));
    const cudaTextureObject_t t =
        texture_of((enum memory)MEMORY, cudaCreateChannelDesc<T>(), sizeof(T), WIDE, HIGH, false);
    for (int cold = 0; cold < 2; cold++)
        for (int dy = 0; dy < (cold ? 16 : 10); dy++)
            for (int dx = 0; dx < (int)(144 / sizeof(T)); dx += sizeof(T) < 4 ? 4 : 1) {
                long long took;
                if (cold)
                    CHECK(cudaMemset(other, dx, OTHER));
                else
                    beside<T, MEMORY><<<1, 1>>>(t, 0, 0, dx, dy, WIDE, d_cycles, d_out);
                beside<T, MEMORY><<<1, 1>>>(t, 0, 0, dx, dy, WIDE, d_cycles, d_out);
                CHECK(cudaMemcpy(&took, d_cycles, sizeof took, cudaMemcpyDeviceToHost));
                printf("%s,%s,%s,%d,%d,%lld\n", cold ? "cold" : "near", texel, memory_names[MEMORY], dx, dy, took);
            }
    fflush(stdout);
}

/* ---- whole images, for a profiler ---- */

/* 2048 x 2048 texels by blocks of w x h; rows: the way around, (y, x); taps: so many texels of a cross. */
struct image {
    int w, h, memory, taps;
    bool linear, turned;
};
static const struct image images[] = {{32, 8, ARRAY_2D, 1, false, false},  {16, 16, ARRAY_2D, 1, false, false},
                                      {8, 32, ARRAY_2D, 1, false, false},  {256, 1, ARRAY_2D, 1, false, false},
                                      {32, 8, ARRAY_2D, 1, false, true},   {32, 8, ARRAY_2D, 1, true, false},
                                      {32, 8, PITCH_2D, 1, false, false},  {32, 8, PITCH_2D, 1, false, true},
                                      {32, 8, LINEAR_1D, 1, false, false}, {16, 16, ARRAY_2D, 9, false, false},
                                      {16, 16, ARRAY_2D, 9, true, false},  {16, 16, PITCH_2D, 9, false, false},
                                      {16, 16, ARRAY_2D, 25, false, false}};

template <int MEMORY> __global__ void w_image(cudaTextureObject_t t, int side, int taps, bool turned, float off, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < taps; k++) {
        const int r = (k + 1) / 2 * (k % 2 ? 1 : -1), dx = k % 4 < 2 ? r : 0, dy = k % 4 < 2 ? 0 : r;
        sum += turned ? fetch<float, MEMORY>(t, y + dy + off, x + dx + off, side)
                      : fetch<float, MEMORY>(t, x + dx + off, y + dy + off, side);
    }
    out[y * side + x] = sum;
}

static void image(const struct image &i)
{
    enum { SIDE = 2048 };
    float *to;
    CHECK(cudaMalloc(&to, sizeof *to * SIDE * SIDE));
    const cudaTextureObject_t t = texture_of((enum memory)i.memory, cudaCreateChannelDesc<float>(), 4, SIDE, SIDE, i.linear);
    const dim3 block(i.w, i.h), grid(SIDE / i.w, SIDE / i.h);
    const float off = i.memory == LINEAR_1D ? 0 : i.linear ? 1.0f : 0.5f;
    if (i.memory == ARRAY_2D)
        w_image<ARRAY_2D><<<grid, block>>>(t, SIDE, i.taps, i.turned, off, to);
    else if (i.memory == PITCH_2D)
        w_image<PITCH_2D><<<grid, block>>>(t, SIDE, i.taps, i.turned, off, to);
    else
        w_image<LINEAR_1D><<<grid, block>>>(t, SIDE, i.taps, i.turned, off, to);
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "rates";
    CHECK(cudaMalloc(&d_cycles, SMS * sizeof *d_cycles));
    CHECK(cudaMalloc(&d_out, SMS * 1024 * sizeof *d_out));
    if (!strcmp(what, "images")) {
        for (const struct image &i : images)
            image(i);
    } else if (!strcmp(what, "layout")) {
        layout<float, ARRAY_2D>("float");
        layout<unsigned char, ARRAY_2D>("uchar");
        layout<float4, ARRAY_2D>("float4");
        layout<float, ARRAY_3D>("float");
        layout<float, PITCH_2D>("float");
    } else {
        all_rates(!strcmp(what, "chains"));
    }
    return 0;
}
