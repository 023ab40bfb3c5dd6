/* tile_reads.cu - blocks that read the same, tile by tile, with work between: does what one block of an SM brought serve the others, and do
 * SMs ask L2 for it together? Blocks that leave their schedulers no cycle come apart. For a profiler, whose rows are in the order of
 * those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/tile_reads.cu -o tile_reads
 *     ncu --kernel-name regex:^w_ ... ./tile_reads       what,words,loads,warps,lines,products,resident,x,y
 *
 * w_tiles: a block of `warps` loads `lines` lines, each thread `loads` vectors of `words` words a step; a barrier, four chains of
 * `products`, a barrier. x blocks read the same; of x times y blocks (grid) every second load is of the block's column, the
 * others of its row. w_alone: no barrier, and each warp loads all. resident: blocks that an SM has room for. */
#include "check.h"

#include <cstdio>

template <int WORDS> struct vector;
template <> struct vector<1> {
    typedef float T;
};
template <> struct vector<4> {
    typedef float4 T;
};
__device__ static float sum_of(float v) { return v; }
__device__ static float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

__device__ static float work(float v, int products)
{
    float a = v, b = v + 1, c = v + 2, d = v + 3;
    for (int k = 0; k < products; k++) {
        a = a * 1.0001f + 0.5f;
        b = b * 1.0001f + 0.5f;
        c = c * 1.0001f + 0.5f;
        d = d * 1.0001f + 0.5f;
    }
    return a + b + c + d;
}

template <int WORDS, int LOADS, bool GRID> __global__ void w_tiles(const float *p, int steps, int products, float *out)
{
    typedef typename vector<WORDS>::T T;
    extern __shared__ float shared[];
    T *tile = (T *)shared;
    const int n = blockDim.x, t = threadIdx.x;
    const T *from = (const T *)p;
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        T v[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            const size_t stream = GRID ? (u % 2 ? 1 + blockIdx.x : 1 + gridDim.x + blockIdx.y) : 0;
            v[u] = from[((stream * steps + k) * LOADS + u) * n + t];
        }
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            tile[u * n + t] = v[u];
        __syncthreads();
        sum += work(sum_of(tile[(t * 5 + k) % n]), products);
        __syncthreads();
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * n + t] = sum;
}

template <int WORDS, int LOADS> __global__ void w_alone(const float *p, int steps, int products, float *out)
{
    typedef typename vector<WORDS>::T T;
    const int t = threadIdx.x;
    const T *from = (const T *)p;
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        T v[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            v[u] = from[(k * LOADS + u) * 32 + t % 32];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            sum += sum_of(v[u]);
        sum = work(sum, products);
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

static float *p, *out;

/* Bytes of shared memory of which an SM has room for so many blocks. */
static int shared_of(int resident) { return (resident == 1 ? 120 : resident == 2 ? 100 : 52) << 10; }

static void line(const char *what, int words, int loads, int warps, int lines, int products, int resident, int x, int y)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d\n", what, words, loads, warps, lines, products, resident, x, y);
}

template <int WORDS, int LOADS, bool GRID>
static void tiles(int warps, int lines, int products, int resident, int x, int y)
{
    const int steps = lines / (warps * LOADS * WORDS);
    CHECK(cudaFuncSetAttribute(w_tiles<WORDS, LOADS, GRID>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_of(1)));
    w_tiles<WORDS, LOADS, GRID><<<dim3(x, y), 32 * warps, shared_of(resident)>>>(p, steps, products, out);
    line(GRID ? "grid" : "tiles", WORDS, LOADS, warps, lines, products, resident, x, y);
}

template <int WORDS, int LOADS> static void alone(int warps, int lines, int products, int resident, int x)
{
    CHECK(cudaFuncSetAttribute(w_alone<WORDS, LOADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_of(1)));
    w_alone<WORDS, LOADS><<<x, 32 * warps, shared_of(resident)>>>(p, lines / (LOADS * WORDS), products, out);
    line("alone", WORDS, LOADS, warps, lines, products, resident, x, 1);
}

int main()
{
    CHECK(cudaMalloc(&p, 64 << 20));
    CHECK(cudaMemset(p, 0x3c, 64 << 20));
    CHECK(cudaMalloc(&out, 16 << 20));
    for (int products : {0, 16, 64}) {
        tiles<4, 1, false>(8, 2048, products, 1, 132, 1);
        tiles<4, 1, false>(8, 2048, products, 2, 264, 1);
        tiles<4, 1, false>(8, 2048, products, 4, 528, 1);
        tiles<1, 1, false>(8, 512, products, 4, 528, 1);
        tiles<4, 1, false>(4, 1024, products, 4, 300, 1);
        tiles<4, 1, false>(4, 1024, products, 4, 1056, 1);
        tiles<4, 2, true>(8, 2048, products, 1, 12, 11);
        tiles<4, 2, true>(8, 2048, products, 2, 22, 22);
        tiles<1, 2, true>(8, 512, products, 4, 22, 24);
        tiles<4, 2, true>(4, 1024, products, 4, 40, 40);
        alone<1, 1>(8, 256, products, 1, 132);
        alone<1, 1>(8, 256, products, 4, 528);
        alone<1, 4>(4, 1024, products, 4, 300);
        alone<4, 4>(8, 2048, products, 2, 264);
    }
    return 0;
}
