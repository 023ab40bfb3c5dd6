/* half_copies.cu - kernels that write, read and change lines of the device's memory, from one half of L2 or the other: what L2 counts beside reads,
 * writes and atomics. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/half_copies.cu -o half_copies
 *     ncu --kernel-name regex:^w_ ... ./half_copies [MIB]          what,mib,sectors,order,blocks,threads,rounds,launch; memory of so much at most (512)
 *
 * w_write: whole lines, or parts of them of so many sectors each, a warp a part: order 0 neighbours, 1 the first parts of all lines and then
 * the second ones, 2 lines at random. w_copy, w_update, w_read, w_atom: word by word. w_words: a word every `sectors` words. `launch`: which one of
 * those that do the same to memory that is new before the first.
 * w_two: all lines are used in one way, and behind a barrier of the grid in another, by the block that is `order` further on; what is
 * FIRST-SECOND, memory is the same for all of these launches. */
#include "check.h"

#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__host__ __device__ static u64 mix(u64 x)
{
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

/* `lines`: at random a power of two. */
__global__ void w_write(unsigned *p, u64 lines, int sectors, int order, int rounds)
{
    const int lane = threadIdx.x % 32, parts = 4 / sectors;
    const u64 warp = (blockIdx.x * (u64)blockDim.x + threadIdx.x) / 32, warps = gridDim.x * (u64)blockDim.x / 32,
              all = lines * parts;
    if (lane >= 8 * sectors)
        return;
    for (int r = 0; r < rounds; r++)
        for (u64 k = warp; k < all; k += warps) {
            u64 line = order == 1 ? k % lines : k / parts;
            const u64 part = order == 1 ? k / lines : k % parts;
            if (order == 2)
                line = mix(line) & (lines - 1);
            p[line * 32 + part * 8 * sectors + lane] = (unsigned)(k * 7 + r);
        }
}

#define WORDS(k) for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < words; k += gridDim.x * (u64)blockDim.x)

__global__ void w_copy(const unsigned *__restrict__ q, unsigned *p, u64 words, int rounds)
{
    for (int r = 0; r < rounds; r++)
        WORDS(k)
    p[k] = q[k] + r;
}

__global__ void w_update(unsigned *p, u64 words, int rounds)
{
    for (int r = 0; r < rounds; r++)
        WORDS(k)
    p[k] += 1;
}

__global__ void w_words(unsigned *p, u64 words, int stride)
{
    WORDS(k)
    p[k * stride] = (unsigned)k;
}

__global__ void w_read(const unsigned *p, u64 words, unsigned *out)
{
    unsigned sum = 0;
    WORDS(k)
    sum += p[k];
    if (sum == 0x12345)
        *out = sum;
}

__global__ void w_atom(unsigned *p, u64 words)
{
    WORDS(k)
    atomicAdd(p + k, (unsigned)k);
}

enum way { NONE, READ, WRITE, ATOM, SECTOR, WAYS };
static const char *const ways[] = {"none", "read", "write", "atom", "sector"};

__device__ static unsigned use(int way, unsigned *word)
{
    if (way == READ)
        return __ldcg(word);
    if (way == WRITE || (way == SECTOR && threadIdx.x % 32 < 8))
        *word = threadIdx.x;
    if (way == ATOM)
        atomicAdd(word, 1u);
    return 0;
}

__global__ void w_two(unsigned *p, u64 words, int first, int second, int shift, unsigned *out)
{
    const u64 n = blockDim.x;
    unsigned sum = 0;
    for (u64 run = blockIdx.x; run * n < words; run += gridDim.x)
        sum += use(first, p + run * n + threadIdx.x);
    cooperative_groups::this_grid().sync();
    for (u64 run = (blockIdx.x + shift) % gridDim.x; run * n < words; run += gridDim.x)
        sum += use(second, p + run * n + threadIdx.x);
    if (sum == 0x12345)
        *out = sum;
}

static unsigned *p, *q;

static void tell(const char *what, int mib, int sectors, int order, int blocks, int rounds, int launch)
{
    printf("w_%s,%d,%d,%d,%d,256,%d,%d\n", what, mib, sectors, order, blocks, rounds, launch);
}

static u64 words_of(int mib) { return (u64)mib << 18; }
static void begin(int mib) { CHECK(cudaMalloc(&p, (size_t)mib << 20)); }

static void end(void)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(p));
}

static void writes(int mib, int sectors, int order, int rounds, int launches)
{
    begin(mib);
    for (int l = 1; l <= launches; l++) {
        tell("write", mib, sectors, order, 1056, rounds, l);
        w_write<<<1056, 256>>>(p, (u64)mib << 13, sectors, order, rounds);
    }
    end();
}

static void writes_by(int blocks)
{
    begin(16);
    for (int sectors = 4; sectors > 0; sectors -= 3) {
        tell("write", 16, sectors, 0, blocks, 1, 1);
        w_write<<<blocks, 256>>>(p, 16 << 13, sectors, 0, 1);
    }
    end();
}

static void others(int mib)
{
    const u64 words = words_of(mib);
    const int launches[] = {1, 2, 1}, rounds[] = {1, 1, 4};
    CHECK(cudaMalloc(&q, words * 4));
    CHECK(cudaMemset(q, 1, words * 4));
    begin(mib);
    for (int k = 0; k < 3; k++) {
        tell("copy", mib, 4, 0, 1056, rounds[k], launches[k]);
        w_copy<<<1056, 256>>>(q, p, words, rounds[k]);
    }
    for (int k = 0; k < 3; k++) {
        tell("update", mib, 4, 0, 1056, rounds[k], launches[k]);
        w_update<<<1056, 256>>>(p, words, rounds[k]);
    }
    tell("read", mib, 4, 0, 1056, 1, 1);
    w_read<<<1056, 256>>>(p, words, p);
    tell("atom", mib, 4, 0, 1056, 1, 1);
    w_atom<<<1056, 256>>>(p, words);
    for (int stride = 8; stride > 1; stride -= 6)
        for (int l = 1; l < 3; l++) {
            tell("words", mib, stride, 0, 1056, 1, l);
            w_words<<<1056, 256>>>(p, words / stride, stride);
        }
    end();
    CHECK(cudaFree(q));
}

static void two(int mib, int first, int second, int shift)
{
    u64 words = words_of(mib);
    void *args[] = {&p, &words, &first, &second, &shift, &q};
    printf("w_two %s-%s,%d,4,%d,132,512,1,1\n", ways[first], ways[second], mib, shift);
    CHECK(cudaLaunchCooperativeKernel((void *)w_two, 132, 512, args, 0, 0));
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 512;
    const int few[] = {1, 16, 64}, many[] = {1, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512},
              blocks[] = {1, 8, 16, 33, 66, 132, 264, 4224};
    const int shifts[] = {0, 1, 37};
    for (int mib : many)
        for (int sectors = 4; mib <= most && sectors > 0; sectors -= 3)
            writes(mib, sectors, 0, 1, 3);
    for (int mib : few)
        for (int sectors = 2; mib <= most && sectors; sectors--)
            for (int order = 1; order < 3; order++)
                writes(mib, sectors, order, 1, 2);
    for (int mib : few)
        if (mib <= most) {
            writes(mib, 4, 0, 4, 1);
            writes(mib, 1, 0, 4, 1);
            writes(mib, 4, 2, 1, 1);
        }
    for (int n : blocks)
        writes_by(n);
    for (int mib : few)
        if (mib <= most)
            others(mib);
    CHECK(cudaMalloc(&p, 64 << 20));
    CHECK(cudaMalloc(&q, 4));
    for (int mib = 4; mib <= 16; mib *= 4)
        for (int first = 0; first < WAYS; first++)
            for (int second = first == SECTOR ? SECTOR : 0; second < WAYS; second++)
                for (int shift : shifts)
                    two(mib, first, second, shift);
    return 0;
}
