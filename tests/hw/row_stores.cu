/* row_stores.cu - the fields of a struct, stored one after the other: how many of the stores does L1 send on together? Behind no work, or
 * much; with other instructions between them; by one warp on an SM, or by all that fit. For a profiler, whose rows are in the order of
 * those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/row_stores.cu -o row_stores
 *     ncu --kernel-name regex:^w_ ... ./row_stores [BLOCKS]       what,width,parts,gap,work,blocks,threads; grids of so many at most
 *
 * w_row: each thread a struct of `parts` fields of `width` bytes, GAP dependent products after each store; where machine code has the
 * stores is for ptxas to say, which mostly puts them together. work: products before them, for each warp up to twice as many.
 * w_tile: each thread four words in each of four rows, as products of matrices end; threads: words of a row. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__device__ static float wait_for(float v, int products)
{
    for (int k = 0; k < products; k++)
        v = v * 1.0001f + 0.5f;
    return v;
}

template <int WIDTH> __device__ static void store(char *p, float v)
{
    if (WIDTH == 1)
        asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"((unsigned)v) : "memory");
    else if (WIDTH == 4)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
    else if (WIDTH == 8)
        asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(p), "f"(v) : "memory");
    else
        asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p), "f"(v) : "memory");
}

template <int WIDTH, int PARTS, int GAP> __global__ void w_row(char *out, const float *in, int work)
{
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    char *p = out + thread * WIDTH * PARTS;
    float v = in[thread];
    if (work)
        v = wait_for(v, work + (unsigned)(thread / 32 * 2654435761u) % work);
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        store<WIDTH>(p + k * WIDTH, v);
#pragma unroll
        for (int g = 0; g < GAP; g++)
            v = v * 1.0001f + 0.5f;
    }
}

__global__ void w_tile(float *out, const float *in, int pitch, int work)
{
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, tiles = pitch / 64;
    const float v = wait_for(in[blockIdx.x * 256 + threadIdx.x], work);
    __syncthreads();
    float *p = out + (size_t)(blockIdx.x / tiles * 64 + y * 4) * pitch + blockIdx.x % tiles * 64 + x * 4;
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            p[r * pitch + c] = v + c * r;
}

static char *out;
static float *in;
static int most = 8448; /* blocks */

static void line(const char *what, int width, int parts, int gap, int work, int blocks, int threads)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%d,%d,%d\n", what, width, parts, gap, work, blocks, threads);
}

template <int WIDTH, int PARTS, int GAP> static void row(void)
{
    static const int grids[][2] = {{132, 32}, {528, 128}, {8448, 128}};
    for (auto &grid : grids)
        for (int work : {0, 128, 1024}) {
            if (grid[0] > most)
                continue;
            w_row<WIDTH, PARTS, GAP><<<grid[0], grid[1]>>>(out, in, work);
            line("row", WIDTH, PARTS, GAP, work, grid[0], grid[1]);
        }
}

template <int WIDTH, int PARTS> static void gaps(void)
{
    row<WIDTH, PARTS, 0>();
    row<WIDTH, PARTS, 2>();
    row<WIDTH, PARTS, 8>();
    row<WIDTH, PARTS, 24>();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        most = atoi(argv[1]);
    const u64 threads = 8448ull * 256;
    CHECK(cudaMalloc(&out, threads * 64));
    CHECK(cudaMalloc(&in, threads * sizeof *in));
    CHECK(cudaMemset(in, 0x3c, threads * sizeof *in));
    gaps<1, 4>();
    gaps<4, 2>();
    gaps<4, 3>();
    gaps<4, 4>();
    gaps<4, 8>();
    gaps<8, 2>();
    gaps<8, 4>();
    gaps<16, 2>();
    gaps<16, 4>();
    for (int blocks : {132, 528, 8448})
        for (int pitch : {1024, 2048})
            for (int work : {0, 64, 512}) {
                if (blocks > most)
                    continue;
                w_tile<<<blocks, 256>>>((float *)out, in, pitch, work);
                line("tile", 4, 4, 0, work, blocks, pitch);
            }
    return 0;
}
