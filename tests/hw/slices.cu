/* slices.cu - kernels that ask L2 for runs of memory: how many of its slices are asked, by what is counted at a launch's end (op_membar). For a
 * profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/slices.cu -o slices
 *     ncu ... ./slices                                             op,blocks,runs,bytes,stride,apart,base
 *
 * Each block uses `runs` runs of `bytes`, `stride` bytes apart, from `base` on; those of the next block begin `apart` bytes further on. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

enum op { READ, WRITE, ATOM };
static const char *const ops[] = {"read", "write", "atom"};

__global__ void w_runs(unsigned char *p, int op, int runs, int bytes, u64 stride, u64 apart, unsigned *out)
{
    unsigned sum = 0;
    for (int r = 0; r < runs; r++)
        for (int k = threadIdx.x * 4; k < bytes; k += blockDim.x * 4) {
            unsigned *at = (unsigned *)(p + blockIdx.x * apart + r * stride + k);
            if (op == READ)
                sum += *(volatile unsigned *)at;
            else if (op == WRITE)
                *at = k;
            else
                atomicAdd(at, 1u);
        }
    if (sum == 0x12345)
        *out = sum;
}

static unsigned char *p;
static unsigned *out;

static void go(int op, int blocks, int runs, int bytes, u64 stride, u64 apart, u64 base)
{
    printf("%s,%d,%d,%d,%llu,%llu,%llu\n", ops[op], blocks, runs, bytes, stride, apart, base);
    w_runs<<<blocks, 128>>>(p + base, op, runs, bytes, stride, apart, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    const u64 bases[] = {0, 65536 + 4096, 1 << 24};
    const int grids[] = {33, 66, 132, 264, 1056}, some[] = {128, 1024, 4096, 16384};
    CHECK(cudaMalloc(&p, 256 << 20));
    CHECK(cudaMalloc(&out, 4));
    go(READ, 1, 0, 0, 0, 0, 0);
    go(READ, 132, 0, 0, 0, 0, 0);
    go(READ, 66, 0, 0, 0, 0, 0);
    go(READ, 1056, 0, 0, 0, 0, 0);
    for (u64 base : bases)
        for (int bytes = 32; bytes <= 1 << 18; bytes *= 2)
            go(READ, 1, 1, bytes, 0, 0, base);
    for (int op = WRITE; op <= ATOM; op++)
        for (int bytes : some)
            go(op, 1, 1, bytes, 0, 0, 0);
    for (u64 stride = 128; stride <= 1 << 20; stride *= 2)
        for (int n = 2; n <= 64 && stride * n <= 64 << 20; n *= 2)
            go(READ, 1, n, 128, stride, 0, 0);
    for (int k = 1; k <= 64; k++)
        go(READ, 1, 2, 128, k * 128, 0, 0);
    for (int blocks : grids)
        for (int k = 0; k < 3; k++) {
            go(READ, blocks, 1, some[k], 0, 0, 0);
            go(READ, blocks, 1, some[k], 0, some[k], 0);
            go(WRITE, blocks, 1, some[k], 0, some[k], 0);
        }
    return 0;
}
