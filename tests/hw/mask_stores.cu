/* mask_stores.cu - stores of some lanes of a warp to neighbouring words: what L2 takes in a cycle of lines of which not all bytes are
 * written. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/mask_stores.cu -o mask_stores
 *     ncu --kernel-name regex:^w_ ... ./mask_stores                what,lanes,blocks,threads,rounds
 *
 * Each warp has 4 KiB of its own and writes 128 bytes a round. some: lanes here and there, others each round; first: the first lanes;
 * apart: lanes at equal distances. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { BLOCKS = 1056, THREADS = 256, ROUNDS = 128, ROWS = 32 };

__global__ void w_stores(unsigned *out, unsigned mask, unsigned turn)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned *mine = out + thread / 32 * 32ull * ROWS + lane;
#pragma unroll 4
    for (unsigned r = 0; r < ROUNDS; r++) {
        if (mask >> lane & 1)
            mine[r % ROWS * 32] = r;
        mask = __funnelshift_l(mask, mask, turn);
    }
}

static void run(const char *what, int lanes, unsigned mask, unsigned turn, unsigned *out)
{
    w_stores<<<BLOCKS, THREADS>>>(out, mask, turn);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%d\n", what, lanes, BLOCKS, THREADS, ROUNDS);
}

static unsigned random_mask(int lanes)
{
    unsigned mask = 0;
    while (__builtin_popcount(mask) < lanes)
        mask |= 1u << rand() % 32;
    return mask;
}

int main()
{
    unsigned *out;
    CHECK(cudaMalloc(&out, BLOCKS * THREADS / 32 * 128ull * ROWS));
    for (int lanes : {32, 31, 24, 20, 16, 12, 8, 4, 2, 1})
        run("some", lanes, random_mask(lanes), 7, out);
    for (int lanes : {24, 16, 12, 8, 4, 1})
        run("first", lanes, (1u << lanes) - 1, 0, out);
    for (int lanes : {16, 8, 4, 2}) {
        unsigned mask = 0;
        for (int lane = 0; lane < 32; lane += 32 / lanes)
            mask |= 1u << lane;
        run("apart", lanes, mask, 0, out);
    }
    CHECK(cudaFree(out));
}
