/* uneven.cu - grids whose blocks differ in length: when does the launch end, and how long do its SMs work? For a profiler, whose rows are in
 * the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/uneven.cu -o uneven
 *     ncu --kernel-name regex:^w_ ... ./uneven                     what,which,blocks,threads,turns,times
 *
 * what: compute, products that need each other; load, loads that need each other, of 8 MiB. A block takes `turns` turns; which of them are so many
 * times as long: the last one, the first one, every 97th, a warp of every block, none. ramp: from one turn for the first to `times` x turns for
 * the last one; random: exponentially distributed, up to `times`. */
#include "check.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { PLACES = 1 << 21 };
enum which { NONE, LAST, FIRST, SOME, WARP, RAMP, RANDOM };
static const char *const names[] = {"none", "last", "first", "some", "warp", "ramp", "random"};

/* turns: of each block, and for its first warp others. */
__global__ void w_compute(const int2 *turns, const unsigned *table, float *out)
{
    const int2 own = turns[blockIdx.x];
    const int n = threadIdx.x < 32 ? own.y : own.x;
    float x = threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        x = x * 1.0001f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void w_load(const int2 *turns, const unsigned *table, float *out)
{
    const int2 own = turns[blockIdx.x];
    const int n = threadIdx.x < 32 ? own.y : own.x;
    unsigned at = (blockIdx.x * 8191u + threadIdx.x / 32 * 127u) * 32u % PLACES + threadIdx.x % 32;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        at = table[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)at;
}

static std::vector<int2> turns_of(enum which which, int blocks, int turns, int times)
{
    std::vector<int2> all(blocks, make_int2(turns, turns));
    for (int b = 0; b < blocks; b++) {
        if ((which == LAST && b == blocks - 1) || (which == FIRST && b == 0) || (which == SOME && b % 97 == 50))
            all[b] = make_int2(turns * times, turns * times);
        if (which == WARP)
            all[b].y = turns * times;
        if (which == RAMP)
            all[b].x = all[b].y = 1 + (int)((double)turns * times * b / blocks);
        if (which == RANDOM)
            all[b].x = all[b].y = (int)fmin(turns * times, 1 - turns * log((rand() + 1.0) / (RAND_MAX + 2.0)));
    }
    return all;
}

static unsigned *table;
static float *out;

static void run(bool load, enum which which, int blocks, int threads, int turns, int times)
{
    const std::vector<int2> host = turns_of(which, blocks, turns, times);
    int2 *device;
    CHECK(cudaMalloc(&device, blocks * sizeof *device));
    CHECK(cudaMemcpy(device, host.data(), blocks * sizeof *device, cudaMemcpyHostToDevice));
    if (load)
        w_load<<<blocks, threads>>>(device, table, out);
    else
        w_compute<<<blocks, threads>>>(device, table, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    printf("%s,%s,%d,%d,%d,%d\n", load ? "load" : "compute", names[which], blocks, threads, turns, times);
}

int main()
{
    std::vector<unsigned> next(PLACES);
    for (int k = 0; k < PLACES; k++) /* another line for each warp, the same lane */
        next[k] = (unsigned)(((k / 32) * 40503ull + 12345) % (PLACES / 32) * 32 + k % 32);
    CHECK(cudaMalloc(&table, PLACES * sizeof *table));
    CHECK(cudaMemcpy(table, next.data(), PLACES * sizeof *table, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, 120000ull * 256 * sizeof *out));
    for (bool load : {false, true}) {
        const int turns = load ? 8 : 400;
        for (int blocks : {200, 1500, 4000, 30000}) {
            run(load, NONE, blocks, 128, turns, 1);
            for (enum which which : {LAST, FIRST, SOME})
                for (int times : {3, 40})
                    run(load, which, blocks, 128, turns, times);
            run(load, WARP, blocks, 128, turns, 10);
            run(load, RAMP, blocks, 128, turns, 2);
            run(load, RANDOM, blocks, 128, turns, 8);
        }
        run(load, LAST, 120000, 32, turns / 4, 100);
        run(load, SOME, 120000, 32, turns / 4, 20);
        run(load, LAST, 120000, 256, turns / 8 + 1, 400);
        run(load, RANDOM, 6000, 256, turns, 8);
    }
}
