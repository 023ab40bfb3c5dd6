/* tables.cu - what it takes to look into constant memory that no cache has yet, and into arrays of a lane's own. To be run under a
 * profiler, which gives the times:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/tables.cu -o tables && ncu ... ./tables
 *
 * Prints a line for each launch, in order: what, what it was compiled for, and how lanes look. */
#include "lanes.h"

/* ---- constants ---- */

enum { WORDS = 16384 };
__constant__ unsigned words[WORDS];

/* Where a lane looks, in words: word + round * rounds + warp * warps + lane * lanes, of so many. Powers of two, or 0, as one more than
 * their logarithm. */
static unsigned places(unsigned round, unsigned warp, unsigned lane, unsigned of)
{
    const unsigned all[] = {round, warp, lane, of};
    unsigned how = 0;
    for (int k = 0; k < 4; k++)
        how |= (all[k] ? 32 - __builtin_clz(all[k]) : 0) << 5 * k;
    return how;
}
static __device__ unsigned power(unsigned how, int k)
{
    const unsigned n = how >> 5 * k & 31;
    return n ? 1u << (n - 1) : 0;
}

/* The loads of one warp one after the other; AT_ONCE of them do not need each other. */
template <int AT_ONCE> __global__ void constants(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, step = power(how, 0), mask = power(how, 3) - 1;
    unsigned at = warp * power(how, 1) + lane * power(how, 2), sum = 0;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r += AT_ONCE) {
        unsigned got = 0;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            got += words[(at + k * step) & mask];
        at += AT_ONCE * step + (got & rounds >> 31); /* which is 0, but it needs what was loaded */
        sum += got;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Anywhere, each lane at a place of its own, or all of a warp at one. */
__global__ void constants_random(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, mask = power(how, 3) - 1;
    unsigned x = hash((power(how, 2) ? thread : thread / 32) + 1);
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + words[(x >> 12) & mask];
    out[thread] = x;
}

/* ---- a lane's own ---- */

enum { STORES = 1, LOADS = 2 };

/* how: 0: all lanes at the same index, 1: each at its own. */
template <int N, int WHAT> __global__ void locals(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned list[N], at = hash(how ? thread : 7), x = thread;
    for (int k = 0; k < N; k++)
        list[k] = x * k;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        at = at * 1664525u + 1013904223u;
        const unsigned index = (at >> 16) % N;
        if (WHAT == (STORES | LOADS))
            list[index] += r;
        else if (WHAT == STORES)
            list[index] = r;
        else
            x ^= list[index];
    }
    for (int k = 0; k < N; k++)
        x += list[(k + how) % N];
    out[thread] = x;
}

/* Stores to global memory: all of a line, a word of each sector of eight lines, or a word of each of 32 lines. */
template <int STRIDE> __global__ void stores(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    unsigned *mine = out + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1024 + threadIdx.x % 32 * STRIDE;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        mine[r % (32 / STRIDE) * 32 * STRIDE + r * STRIDE / 32 % STRIDE] = r;
}

/* A load's address is what was loaded before. */
template <int N> __global__ void chain(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned list[N], at = how ? hash(thread) % N : 3;
    for (int k = 0; k < N; k++)
        list[k] = (k * 5 + 7) % N;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        at = list[at];
    out[thread] = at;
}

/* More values at once than registers: each round takes each of them. */
template <int N> __global__ void __launch_bounds__(1024, 2) spilled(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        v[k] = hash(thread + k);
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < N; k++)
            v[k] = v[k] * 1664525u + v[(k + 7) % N];
    unsigned x = 0;
#pragma unroll
    for (int k = 0; k < N; k++)
        x ^= v[k];
    out[thread] = x;
}

/* ---- all ---- */

static std::vector<launch> launches;

static void add_constants(unsigned step, unsigned warp, unsigned lane, unsigned of, unsigned rounds, int warps)
{
    const unsigned how = places(step, warp, lane, of);
    for (int blocks : {1, 132}) {
        launches.push_back({"constants", 1, 0, how, rounds, constants<1>, blocks, warps});
        if (rounds % 8 == 0)
            launches.push_back({"constants", 8, 0, how, rounds, constants<8>, blocks, warps});
    }
}

static void add_all_constants(void)
{
    add_constants(0, 0, 0, 64, 1, 1); /* what is there without */
    for (unsigned of : {256, 1024, 4096, 16384})
        for (unsigned step : {16, 64, 128})
            if (of / step) {
                add_constants(step, 0, 0, of, of / step, 1); /* once through it, all lanes at one word */
                if (step == 64)
                    add_constants(step, 0, 0, of, 2 * of / step, 1);
            }
    for (unsigned lane : {1, 2, 16, 64})
        for (unsigned of : {4096, 16384})
            add_constants(32 * lane, 0, lane, of, of / (32 * lane), 1);
    for (int warps : {4, 16, 32}) {
        add_constants(64, 0, 0, 16384, 256, warps);                   /* all of them through all of it */
        add_constants(64, 16384 / warps, 0, 16384, 256 / warps, warps); /* each through a part */
        add_constants(64, 0, 2, 16384, 256, warps);
    }
    for (unsigned lane : {0, 1})
        for (unsigned of : {64, 512, 4096, 16384})
            for (int warps : {1, 8, 32})
                for (unsigned rounds : {4, 64, 512})
                    launches.push_back({"random", 0, 0, places(0, 0, lane, of), rounds, constants_random, 2, warps});
}

/* On all SMs, and on some: what one asks for, others find nearer. */
static void add_shared_constants(void)
{
    for (unsigned lane : {0, 1})
        for (unsigned of : {512, 4096, 16384})
            for (int warps : {1, 4, 16})
                for (unsigned rounds : {4, 32})
                    launches.push_back({"shared", 0, 0, places(0, 0, lane, of), rounds, constants_random, 132, warps});
    for (int blocks : {4, 16, 48, 264, 528})
        for (unsigned of : {4096, 16384}) {
            launches.push_back({"shared", 0, 0, places(0, 0, 1, of), 4, constants_random, blocks, 8});
            launches.push_back({"shared", 8, 0, places(64, of / 4, 0, of), of / 256, constants<8>, blocks, 4});
        }
}

template <int N> static void add_locals(void)
{
    for (int warps : {1, 4, 16, 32, 64})
        for (unsigned how : {0, 1}) {
            const int blocks = warps == 64 ? 264 : 132, of = warps == 64 ? 32 : warps;
            const unsigned rounds = warps == 1 ? 400 : warps == 4 ? 200 : 60;
            launches.push_back({"local", N, STORES, how, rounds, locals<N, STORES>, blocks, of});
            launches.push_back({"local", N, LOADS, how, rounds, locals<N, LOADS>, blocks, of});
            launches.push_back({"local", N, STORES | LOADS, how, rounds, locals<N, STORES | LOADS>, blocks, of});
            launches.push_back({"chain", N, 0, how, rounds, chain<N>, blocks, of});
        }
}

static void add_stores(int blocks)
{
    for (int warps : {1, 4, 16}) {
        launches.push_back({"store", 1, 0, 0, 400, stores<1>, blocks, warps});
        launches.push_back({"store", 8, 0, 0, 200, stores<8>, blocks, warps});
        launches.push_back({"store", 32, 0, 0, 200, stores<32>, blocks, warps});
        for (unsigned how : {0, 1}) {
            launches.push_back({"few_local", 16, STORES, how, 200, locals<16, STORES>, blocks, warps});
            launches.push_back({"few_local", 16, LOADS, how, 200, locals<16, LOADS>, blocks, warps});
            launches.push_back({"few_local", 16, STORES | LOADS, how, 200, locals<16, STORES | LOADS>, blocks, warps});
        }
    }
}

int main(int argc, char **argv)
{
    unsigned *values = (unsigned *)malloc(WORDS * sizeof *values);
    for (unsigned k = 0; k < WORDS; k++)
        values[k] = hash(k + 99);
    CHECK(cudaMemcpyToSymbol(words, values, WORDS * sizeof *values));
    free(values);
    add_all_constants();
    add_shared_constants();
    for (int blocks : {1, 16, 132})
        add_stores(blocks);
    add_locals<16>();
    add_locals<64>();
    add_locals<256>();
    for (int warps : {1, 4, 16, 32, 64}) {
        const int blocks = warps == 64 ? 264 : 132, of = warps == 64 ? 32 : warps;
        launches.push_back({"spilled", 40, 0, 0, 60, spilled<40>, blocks, of});
        launches.push_back({"spilled", 64, 0, 0, 60, spilled<64>, blocks, of});
    }
    return run_launches(launches, argc, argv);
}
