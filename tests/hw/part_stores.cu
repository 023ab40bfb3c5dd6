/* part_stores.cu - kernels whose stores write parts of sectors that others complete: the fields of a struct, one after the other; the
 * words of a block's array in a random order; columns of rows, a warp a column. How much of that reaches L2 together? For a
 * profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/part_stores.cu -o part_stores
 *     ncu --kernel-name regex:^w_ ... ./part_stores [BLOCKS]       what,width,parts,gap,blocks,threads; grids of so many at most
 *
 * w_fields: each thread a struct of `parts` fields of `width` bytes, `gap` dependent products between two stores. w_shuffled: each thread a
 * word of its block's `parts` words, in a random order. w_columns: warp w of a block writes word w of 32 rows, `parts` words apart.
 * w_loop: as w_fields, by a loop. `gap`: products before each store. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__device__ static float wait_for(float v, int gap)
{
    for (int k = 0; k < gap; k++)
        v = v * 1.0001f + 0.5f;
    return v;
}

template <int WIDTH> __device__ static void store(char *p, float v)
{
    if (WIDTH == 4)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
    else if (WIDTH == 8)
        asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(p), "f"(v) : "memory");
    else
        asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p), "f"(v) : "memory");
}

template <int WIDTH, int PARTS> __global__ void w_fields(char *out, const float *in, int gap)
{
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    char *p = out + thread * WIDTH * PARTS;
    float v = in[thread];
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        v = wait_for(v, gap);
        store<WIDTH>(p + k * WIDTH, v);
    }
}

template <int WIDTH> __global__ void w_loop(char *out, const float *in, int parts, int gap)
{
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    char *p = out + thread * WIDTH * parts;
    float v = in[thread];
#pragma unroll 1
    for (int k = 0; k < parts; k++) {
        v = wait_for(v, gap);
        store<WIDTH>(p + k * WIDTH, v);
    }
}

/* One to one on the numbers below n, a power of two. */
__device__ static unsigned shuffled(unsigned x, unsigned n, unsigned seed)
{
    for (int k = 0; k < 3; k++) {
        x = (x * 0x9e3779b1u + seed) & (n - 1);
        x ^= x >> 3;
        seed = seed * 1664525u + 1013904223u;
    }
    return x;
}

__global__ void w_shuffled(char *out, const float *in, int gap)
{
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    const float v = wait_for(in[thread], gap);
    const unsigned at = shuffled(threadIdx.x, blockDim.x, blockIdx.x * 2654435761u);
    __syncthreads();
    store<4>(out + (blockIdx.x * (u64)blockDim.x + at) * 4, v);
}

__global__ void w_columns(char *out, const float *in, int pitch, int gap)
{
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x, row = blockIdx.x * 32ull + threadIdx.x % 32;
    const float v = wait_for(in[thread], gap);
    store<4>(out + (row * pitch + threadIdx.x / 32) * 4, v);
}

static char *out;
static float *in;
static const int grids[] = {33, 528, 16896};
static const int gaps[] = {0, 64};
static int most = 16896; /* blocks */

static void line(const char *what, int width, int parts, int gap, int blocks, int threads)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%d,%d\n", what, width, parts, gap, blocks, threads);
}

template <int WIDTH, int PARTS> static void fields(void)
{
    for (int blocks : grids)
        for (int gap : gaps) {
            if (blocks > most)
                continue;
            w_fields<WIDTH, PARTS><<<blocks, 128>>>(out, in, gap);
            line("fields", WIDTH, PARTS, gap, blocks, 128);
        }
}

template <int WIDTH> static void loop(int parts)
{
    for (int blocks : grids)
        for (int gap : gaps) {
            if (blocks > most)
                continue;
            w_loop<WIDTH><<<blocks, 128>>>(out, in, parts, gap);
            line("loop", WIDTH, parts, gap, blocks, 128);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        most = atoi(argv[1]);
    const u64 threads = 16896ull * 1024;
    CHECK(cudaMalloc(&out, threads * 64));
    CHECK(cudaMalloc(&in, threads * sizeof *in));
    CHECK(cudaMemset(in, 0x3c, threads * sizeof *in));
    fields<4, 2>();
    fields<4, 3>();
    fields<4, 4>();
    fields<4, 6>();
    fields<4, 8>();
    fields<8, 2>();
    fields<8, 3>();
    fields<8, 4>();
    fields<16, 2>();
    fields<16, 3>();
    fields<16, 4>();
    loop<4>(4);
    loop<4>(8);
    loop<8>(4);
    loop<16>(2);
    loop<16>(4);
    for (int words : {64, 128, 256, 512, 1024})
        for (int blocks : grids)
            for (int gap : gaps) {
                if (blocks > most)
                    continue;
                w_shuffled<<<blocks, words>>>(out, in, gap);
                line("shuffled", 4, words, gap, blocks, words);
            }
    for (int pitch : {8, 32, 1024})
        for (int warps : {2, 4, 8})
            for (int blocks : grids) {
                if (blocks > most || (pitch == 1024 && blocks > 1000))
                    continue;
                w_columns<<<blocks, 32 * warps>>>(out, in, pitch, 0);
                line("columns", 4, pitch, 0, blocks, 32 * warps);
            }
    return 0;
}
