/* loop_stores.cu - rows that threads write in a loop, each its own: how many of the stores does L1 send on together? By few lanes and by all, by one
 * warp on an SM and by many, with products between two stores, with loads. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/loop_stores.cu -o loop_stores
 *     ncu --kernel-name regex:^w_ ... ./loop_stores [BLOCKS]     what,width,unroll,work,lanes,blocks,threads; grids of so many at most
 *
 * what: fill, of what the thread knows; copy, from a row of another array. Rows are PITCH elements apart, ROW of each are written. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { ROW = 64, PITCH = 256 };

__device__ static void store(unsigned char *p, unsigned v)
{
    asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ static void store(unsigned *p, unsigned v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ static void store(unsigned long long *p, unsigned v)
{
    asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(v) : "memory");
}

template <typename T, int UNROLL, int WORK, bool COPIES>
__global__ void w_loop(T *out, const T *in, int n, unsigned lanes)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T *p = out + (size_t)thread * PITCH;
    const T *q = in + (size_t)thread * PITCH;
    float v = thread;
    if (threadIdx.x % 32 >= lanes)
        return;
#pragma unroll 1
    for (int i = 0; i < n; i += UNROLL)
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
#pragma unroll
            for (int k = 0; k < WORK; k++)
                v = v * 1.0001f + 0.5f;
            store(p + i + j, COPIES ? (unsigned)q[i + j] : WORK ? (unsigned)v : thread + i + j);
        }
}

static char *out, *in;
static int most = 528; /* blocks */

template <typename T, int UNROLL, int WORK, bool COPIES> static void cases(void)
{
    static const int grids[][2] = {{132, 32}, {132, 128}, {528, 128}, {528, 512}};
    for (auto &grid : grids)
        for (unsigned lanes : {1, 4, 16, 32}) {
            if (grid[0] > most)
                continue;
            w_loop<T, UNROLL, WORK, COPIES><<<grid[0], grid[1]>>>((T *)out, (const T *)in, ROW, lanes);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            printf("%s,%d,%d,%d,%u,%d,%d\n", COPIES ? "copy" : "fill", (int)sizeof(T), UNROLL, WORK, lanes, grid[0], grid[1]);
        }
}

template <typename T> static void types(void)
{
    cases<T, 1, 0, false>();
    cases<T, 4, 0, false>();
    cases<T, 1, 4, false>();
    cases<T, 1, 16, false>();
    cases<T, 4, 16, false>();
    cases<T, 1, 0, true>();
    cases<T, 4, 0, true>();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        most = atoi(argv[1]);
    const size_t bytes = 528ull * 512 * PITCH * 8;
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMemset(in, 0x3c, bytes));
    types<unsigned char>();
    types<unsigned>();
    types<unsigned long long>();
    return 0;
}
