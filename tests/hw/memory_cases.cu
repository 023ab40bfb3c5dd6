/* memory_cases.cu - kernels that read, write and change words of the device's memory: at random places, a stride apart, and row by row,
 * each thread a row of its own. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/memory_cases.cu -o memory_cases
 *     ncu --kernel-name regex:^w_ ... ./memory_cases [SET...]      (random, writes, strides, rows, dirty, few) what,mode,mib,bytes,lanes,blocks,threads,rounds
 *     ./memory_cases time                                          the same with the nanoseconds of a launch: read at random, up to 32 GiB
 *
 * what: w_random: each group of lanes that reads `bytes` has a place of its own, `lanes` take part; w_chain: the same, each place
 * follows from what was read before; w_stride: a word every `bytes`; w_rows: each thread a row of `bytes`, word by word. `rounds`: how
 * often, or at random: words of a thread. A mode of `after_dirty`: a kernel that is not profiled wrote 64 MiB before. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum mode { READ, WRITE, UPDATE, COPY, MODES };
static const char *const modes[] = {"read", "write", "update", "copy"};

typedef unsigned long long u64;

__host__ __device__ static u64 mix(u64 x)
{
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

__global__ void fill(unsigned *p, u64 words, u64 seed)
{
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < words; k += gridDim.x * (u64)blockDim.x)
        p[k] = (unsigned)mix(k + seed);
}

/* `mask`: words of the memory, a power of two, less 1; `group`: lanes that share a place. */
template <int MODE>
__global__ void w_random(unsigned *__restrict__ p, unsigned *__restrict__ q, u64 mask, int group, int lanes, int n, unsigned *out)
{
    const int lane = threadIdx.x % 32;
    const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x, all = gridDim.x * (u64)blockDim.x;
    unsigned sum = 0;
    if (lane >= lanes)
        return;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        const u64 id = (thread + k * all) / group, at = (mix(id) * group + thread % group) & mask;
        const u64 to = (mix(id + (1ull << 40)) * group + thread % group) & mask;
        if (MODE == READ)
            sum += p[at];
        else if (MODE == WRITE)
            p[at] = (unsigned)(id * 7 + k);
        else if (MODE == UPDATE)
            p[at] += 1;
        else
            q[to] = p[at];
    }
    if (sum == 0x12345)
        *out = sum;
}

__global__ void w_chain(const unsigned *p, u64 mask, int lanes, int n, unsigned *out)
{
    u64 at = mix(blockIdx.x * (u64)blockDim.x + threadIdx.x) & mask;
    unsigned sum = 0;
    if (threadIdx.x % 32 >= lanes)
        return;
    for (int k = 0; k < n; k++) {
        const unsigned v = p[at];
        sum += v;
        at = mix(at + v + k) & mask;
    }
    if (sum == 0x12345)
        *out = sum;
}

/* Word k * stride. */
template <int MODE>
__global__ void w_stride(unsigned *p, unsigned *q, u64 n, unsigned stride, int rounds, unsigned *out)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++)
        for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < n; k += gridDim.x * (u64)blockDim.x) {
            const u64 at = k * stride;
            if (MODE == READ)
                sum += p[at];
            else if (MODE == WRITE)
                p[at] = (unsigned)k + r;
            else if (MODE == UPDATE)
                p[at] += 1;
            else
                q[at] = p[at];
        }
    if (sum == 0x12345)
        *out = sum;
}

template <int MODE> __global__ void w_rows(unsigned *p, unsigned *q, unsigned words, u64 rows, int rounds, unsigned *out)
{
    const u64 row = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    unsigned sum = 0;
    if (row >= rows)
        return;
    for (int r = 0; r < rounds; r++)
        for (unsigned k = 0; k < words; k++) {
            const u64 at = row * words + k;
            if (MODE == READ)
                sum += p[at];
            else if (MODE == WRITE)
                p[at] = (unsigned)at + r;
            else if (MODE == UPDATE)
                p[at] += 1;
            else
                q[at] = p[at];
        }
    if (sum == 0x12345)
        *out = sum;
}

static unsigned *p, *q, *out;
static bool timed;
static cudaEvent_t from, to;

static void begin(void)
{
    if (timed)
        CHECK(cudaEventRecord(from));
}

static void tell(const char *what, const char *mode, u64 mib, u64 bytes, int lanes, int blocks, int threads, int rounds)
{
    CHECK(cudaGetLastError());
    if (timed)
        CHECK(cudaEventRecord(to));
    CHECK(cudaDeviceSynchronize());
    printf("%s,%s,%llu,%llu,%d,%d,%d,%d", what, mode, mib, bytes, lanes, blocks, threads, rounds);
    if (timed) {
        float ms;
        CHECK(cudaEventElapsedTime(&ms, from, to));
        printf(",%.0f", ms * 1e6);
    }
    printf("\n");
}

static u64 words_of(u64 mib) { return mib << 18; }

static void at_random(enum mode mode, u64 mib, int bytes, int lanes, int blocks, int threads, int n)
{
    const u64 mask = words_of(mib) - 1;
    begin();
    switch (mode) {
    case READ: w_random<READ><<<blocks, threads>>>(p, q, mask, bytes / 4, lanes, n, out); break;
    case WRITE: w_random<WRITE><<<blocks, threads>>>(p, q, mask, bytes / 4, lanes, n, out); break;
    case UPDATE: w_random<UPDATE><<<blocks, threads>>>(p, q, mask, bytes / 4, lanes, n, out); break;
    default: w_random<COPY><<<blocks, threads>>>(p, q, mask, bytes / 4, lanes, n, out); break;
    }
    tell("w_random", modes[mode], mib, bytes, lanes, blocks, threads, n);
}

static void chain(u64 mib, int lanes, int blocks, int threads, int n)
{
    begin();
    w_chain<<<blocks, threads>>>(p, words_of(mib) - 1, lanes, n, out);
    tell("w_chain", "read", mib, 4, lanes, blocks, threads, n);
}

static void stride(enum mode mode, const char *name, u64 mib, u64 bytes, int rounds)
{
    const u64 n = (mib << 20) / bytes;
    const int blocks = n < 1056 * 256 ? (int)((n + 255) / 256) : 1056;
    switch (mode) {
    case READ: w_stride<READ><<<blocks, 256>>>(p, q, n, bytes / 4, rounds, out); break;
    case WRITE: w_stride<WRITE><<<blocks, 256>>>(p, q, n, bytes / 4, rounds, out); break;
    case UPDATE: w_stride<UPDATE><<<blocks, 256>>>(p, q, n, bytes / 4, rounds, out); break;
    default: w_stride<COPY><<<blocks, 256>>>(p, q, n, bytes / 4, rounds, out); break;
    }
    tell("w_stride", name, mib, bytes, 32, blocks, 256, rounds);
}

static void rows(enum mode mode, u64 mib, u64 bytes, int rounds)
{
    const u64 n = (mib << 20) / bytes;
    const int blocks = (int)((n + 127) / 128);
    switch (mode) {
    case READ: w_rows<READ><<<blocks, 128>>>(p, q, bytes / 4, n, rounds, out); break;
    case WRITE: w_rows<WRITE><<<blocks, 128>>>(p, q, bytes / 4, n, rounds, out); break;
    case UPDATE: w_rows<UPDATE><<<blocks, 128>>>(p, q, bytes / 4, n, rounds, out); break;
    default: w_rows<COPY><<<blocks, 128>>>(p, q, bytes / 4, n, rounds, out); break;
    }
    tell("w_rows", modes[mode], mib, bytes, 32, blocks, 128, rounds);
}

enum { FULL = 1056, THREADS = 256, LOADS = 16 };

static void random_reads(void)
{
    for (u64 mib : {16, 64, 256, 1024})
        at_random(READ, mib, 4, 32, FULL, THREADS, LOADS);
    for (int bytes : {8, 16, 32, 64, 128})
        at_random(READ, 1024, bytes, 32, FULL, THREADS, LOADS);
    for (int bytes : {32, 64, 128})
        at_random(READ, 64, bytes, 32, FULL, THREADS, LOADS);
    for (int lanes : {1, 4, 8, 16})
        at_random(READ, 1024, 4, lanes, FULL, THREADS, LOADS);
    for (u64 mib : {64, 1024})
        for (int threads : {32, 64, 128, 256, 512, 1024})
            at_random(READ, mib, 4, 32, 132, threads, 64);
    at_random(READ, 1024, 4, 32, 1, 1024, 64);
    for (int lanes : {1, 4, 32})
        chain(1024, lanes, FULL, THREADS, 16);
    for (int threads : {32, 128, 512})
        chain(1024, 32, 132, threads, 16);
}

static void random_writes(void)
{
    for (u64 mib : {16, 64, 256, 1024})
        for (int bytes : {4, 32, 64, 128})
            at_random(WRITE, mib, bytes, 32, FULL, THREADS, LOADS);
    for (u64 mib : {16, 64, 256, 1024})
        for (int bytes : {4, 32})
            at_random(UPDATE, mib, bytes, 32, FULL, THREADS, LOADS);
    for (u64 mib : {64, 1024})
        for (int bytes : {4, 32, 128})
            at_random(COPY, mib, bytes, 32, FULL, THREADS, LOADS);
}

static void strides(void)
{
    for (u64 mib : {1, 8, 32, 64, 256})
        for (u64 bytes : {4, 8, 16, 32, 64, 128, 512, 4096})
            stride(WRITE, "write", mib, bytes, 1);
    for (u64 mib : {16, 24, 48, 128})
        stride(WRITE, "write", mib, 4, 1);
    for (u64 mib : {8, 32, 64, 256})
        for (u64 bytes : {4, 8, 32, 128})
            stride(UPDATE, "update", mib, bytes, 1);
    for (u64 mib : {8, 32, 64})
        for (u64 bytes : {4, 8, 32, 128})
            stride(WRITE, "write", mib, bytes, 4);
    for (u64 mib : {8, 64})
        for (u64 bytes : {8, 32})
            stride(COPY, "copy", mib, bytes, 1);
}

static void all_rows(void)
{
    for (enum mode mode : {WRITE, UPDATE, COPY, READ})
        for (u64 mib : {8, 32, 64})
            for (u64 bytes : {32, 128, 512, 4096})
                rows(mode, mib, bytes, 1);
    for (u64 bytes : {128, 4096})
        rows(WRITE, 32, bytes, 4);
}

static void left_dirty(void)
{
    for (u64 mib : {4, 8, 16, 24, 32, 40, 48, 64, 128})
        stride(READ, "read", mib, 4, 1);
    for (u64 mib : {8, 24, 32, 48, 128}) {
        fill<<<FULL, THREADS>>>(q, words_of(64), mib);
        stride(READ, "read_after_dirty", mib, 4, 1);
    }
    for (u64 mib : {8, 32, 128})
        stride(READ, "read", mib, 128, 1);
}

/* Some of all, that a test can run. */
static void few(void)
{
    at_random(READ, 64, 4, 32, FULL, THREADS, LOADS);
    at_random(READ, 64, 4, 32, 132, 128, 64);
    at_random(WRITE, 64, 4, 32, FULL, THREADS, LOADS);
    at_random(UPDATE, 64, 32, 32, FULL, THREADS, LOADS);
    for (u64 bytes : {4, 32, 128})
        stride(WRITE, "write", 32, bytes, 1);
    for (u64 bytes : {8, 128})
        stride(UPDATE, "update", 32, bytes, 1);
    rows(WRITE, 8, 32, 1);
    rows(READ, 8, 128, 1);
    rows(UPDATE, 8, 512, 1);
}

static void time_all(void)
{
    timed = true;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int again = 0; again < 2; again++) {
        for (u64 mib = 8; mib <= 32768; mib *= 2)
            at_random(READ, mib, 4, 32, FULL, THREADS, 64);
        for (int bytes : {8, 16, 32, 64, 128})
            for (u64 mib : {64, 512, 4096, 32768})
                at_random(READ, mib, bytes, 32, FULL, THREADS, 64);
        for (u64 mib : {64, 512, 4096, 32768}) {
            at_random(WRITE, mib, 4, 32, FULL, THREADS, 64);
            at_random(WRITE, mib, 32, 32, FULL, THREADS, 64);
            at_random(WRITE, mib, 128, 32, FULL, THREADS, 64);
            at_random(UPDATE, mib, 4, 32, FULL, THREADS, 64);
        }
        for (u64 mib : {512, 4096})
            for (int threads : {32, 64, 128, 256, 512, 1024})
                at_random(READ, mib, 4, 32, 132, threads, 64);
    }
}

int main(int argc, char **argv)
{
    const bool times = argc > 1 && !strcmp(argv[1], "time");
    const u64 mib = times ? 32768 : 1024;
    const struct {
        const char *name;
        void (*run)(void);
        u64 mib; /* that it touches */
    } sets[] = {{"random", random_reads, 1024}, {"writes", random_writes, 1024}, {"strides", strides, 256},
                {"rows", all_rows, 64},         {"dirty", left_dirty, 128},      {"few", few, 64}};
    CHECK(cudaMalloc(&p, mib << 20));
    CHECK(cudaMalloc(&q, (u64)1024 << 20));
    CHECK(cudaMalloc(&out, 4096));
    if (times) {
        fill<<<FULL, THREADS>>>(p, words_of(mib), 1);
        fill<<<FULL, THREADS>>>(q, words_of(1024), 2);
        time_all();
    }
    for (const auto &set : sets) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++)
            wanted |= !strcmp(argv[k], set.name);
        if (!wanted)
            continue;
        fill<<<FULL, THREADS>>>(p, words_of(set.mib), 1);
        fill<<<FULL, THREADS>>>(q, words_of(set.mib), 2);
        set.run();
    }
    return 0;
}
