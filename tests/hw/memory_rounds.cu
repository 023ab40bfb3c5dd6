/* memory_rounds.cu - kernels that write the same memory again and again, solve systems of equations, keep arrays in local memory, stream
 * several arrays, and follow chains. For a profiler, whose rows are in the order of those that are printed:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/memory_rounds.cu -o memory_rounds
 *     ncu --kernel-name regex:^w_ ... ./memory_rounds [SET...]     (again, solve, local, streams, chains, few) what,mode,mib,bytes,lanes,blocks,threads,rounds
 *     ./memory_rounds time                                         streams and chains with the nanoseconds of a launch, caches warm
 *
 * what: w_again: word k of `mib`, `rounds` times; w_rows: each thread a row of `bytes`, word by word; w_solve: each thread a system of
 * `bytes` an array, a, b, c, d in `mib` together, forwards and backwards, systems one after the other (rows) or side by side (columns);
 * w_local: each thread an array of `bytes` of its own; w_streams: `lanes` is 10 x arrays read + arrays written, `bytes` of a lane's access,
 * `mib` of one array, in place: what is written was read; w_chains: `lanes` follow `rounds` steps, `bytes` / 4 chains each. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

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
        p[k] = (unsigned)mix(k + seed) >> 9 | 0x3f800000; /* a float of 1 to 2 */
}

template <bool UPDATE> __global__ void w_again(unsigned *p, u64 words, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < words; k += gridDim.x * (u64)blockDim.x)
            if (UPDATE)
                p[k] += 1;
            else
                p[k] = (unsigned)k * 7 + r;
}

template <bool UPDATE> __global__ void w_rows(unsigned *p, unsigned words, int rounds)
{
    const u64 row = blockIdx.x * (u64)blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll 1
        for (unsigned k = 0; k < words; k++)
            if (UPDATE)
                p[row * words + k] += 1;
            else
                p[row * words + k] = (unsigned)row * 7 + k + r;
}

template <bool COLUMNS>
__global__ void w_solve(const float *__restrict__ a, const float *__restrict__ b, float *c, float *d, int n)
{
    const u64 t = blockIdx.x * (u64)blockDim.x + threadIdx.x, all = gridDim.x * (u64)blockDim.x;
    const u64 first = COLUMNS ? t : t * n, step = COLUMNS ? all : 1;
    float upper = 0, right = 0;
    for (int k = 0; k < n; k++) {
        const u64 at = first + k * step;
        const float scale = 1 / (b[at] + 4 - a[at] * upper);
        c[at] = upper = c[at] * scale;
        d[at] = right = (d[at] - a[at] * right) * scale;
    }
    for (int k = n - 2; k >= 0; k--) {
        const u64 at = first + k * step;
        d[at] = right = d[at] - c[at] * right;
    }
}

template <int WORDS> __global__ void w_local(unsigned *out, int rounds, unsigned step)
{
    unsigned array[WORDS], sum = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll 1
        for (unsigned k = 0; k < WORDS; k++)
            array[(k * step) & (WORDS - 1)] = sum + k + r;
#pragma unroll 1
        for (unsigned k = 0; k < WORDS; k++)
            sum = sum * 3 + array[(k * step) & (WORDS - 1)];
    }
    if (sum == 0x12345)
        *out = sum;
}

struct arrays {
    float *in[4], *to[2];
};

__device__ static float4 plus(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ static float plus(float a, float b) { return a + b; }
__device__ static void set(float &a, float v) { a = v; }
__device__ static void set(float4 &a, float v) { a = {v, v, v, v}; }

template <class T, int IN, int OUT> __global__ void w_streams(struct arrays s, u64 n, float *out)
{
    const u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    T sum;
    set(sum, (float)k);
    if (k >= n)
        return;
#pragma unroll
    for (int e = 0; e < IN; e++)
        sum = plus(sum, ((const T *)s.in[e])[k]);
#pragma unroll
    for (int e = 0; e < OUT; e++)
        ((T *)s.to[e])[k] = sum;
    if (OUT == 0 && *(float *)&sum == 0.12345f)
        *out = 1;
}

template <int CHAINS> __global__ void w_chains(const unsigned *p, u64 mask, int lanes, int n, unsigned *out)
{
    u64 at[CHAINS];
    unsigned sum = 0;
    if (threadIdx.x % 32 >= lanes)
        return;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        at[c] = mix((blockIdx.x * (u64)blockDim.x + threadIdx.x) * CHAINS + c) & mask;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned v[CHAINS];
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            v[c] = p[at[c]];
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            sum += v[c];
            at[c] = mix(at[c] + v[c] + k) & mask;
        }
    }
    if (sum == 0x12345)
        *out = sum;
}

static unsigned *p[6], *out;
static bool timed;
static cudaEvent_t from, to;

/* Launches, or launches four times and takes the time of the last three. */
template <class F>
static void tell(const char *what, const char *mode, u64 mib, u64 bytes, int lanes, int blocks, int threads, int rounds, F launch)
{
    float ms = 0;
    launch();
    if (timed) {
        CHECK(cudaEventRecord(from));
        for (int k = 0; k < 3; k++)
            launch();
        CHECK(cudaEventRecord(to));
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%s,%llu,%llu,%d,%d,%d,%d", what, mode, mib, bytes, lanes, blocks, threads, rounds);
    if (timed) {
        CHECK(cudaEventElapsedTime(&ms, from, to));
        printf(",%.0f", ms * 1e6 / 3);
    }
    printf("\n");
}

enum { FULL = 1056, THREADS = 256 };

static void again(bool update, u64 mib, int rounds)
{
    const u64 words = mib << 18;
    tell("w_again", update ? "update" : "write", mib, 4, 32, FULL, THREADS, rounds, [=] {
        if (update)
            w_again<true><<<FULL, THREADS>>>(p[0], words, rounds);
        else
            w_again<false><<<FULL, THREADS>>>(p[0], words, rounds);
    });
}

static void rows(bool update, u64 mib, u64 bytes, int rounds)
{
    const int blocks = (int)((mib << 20) / bytes / 128);
    tell("w_rows", update ? "update" : "write", mib, bytes, 32, blocks, 128, rounds, [=] {
        if (update)
            w_rows<true><<<blocks, 128>>>(p[0], bytes / 4, rounds);
        else
            w_rows<false><<<blocks, 128>>>(p[0], bytes / 4, rounds);
    });
}

static void solve(bool columns, u64 mib, u64 bytes)
{
    const int blocks = (int)((mib << 18) / bytes / 128);
    float *a = (float *)p[0], *b = a + (mib << 16), *c = b + (mib << 16), *d = c + (mib << 16);
    tell("w_solve", columns ? "columns" : "rows", mib, bytes, 32, blocks, 128, 1, [=] {
        if (columns)
            w_solve<true><<<blocks, 128>>>(a, b, c, d, (int)(bytes / 4));
        else
            w_solve<false><<<blocks, 128>>>(a, b, c, d, (int)(bytes / 4));
    });
}

template <int WORDS> static void local(int blocks, int threads, int rounds, int step = 1)
{
    tell("w_local", step == 1 ? "update" : "skip", ((u64)blocks * threads * WORDS) >> 18, WORDS * 4, 32, blocks, threads, rounds,
         [=] { w_local<WORDS><<<blocks, threads>>>(out, rounds, step); });
}

template <class T, int IN, int OUT> static void stream(u64 mib, bool in_place = false)
{
    const u64 n = (mib << 20) / sizeof(T);
    const int blocks = (int)((n + THREADS - 1) / THREADS);
    struct arrays s;
    for (int k = 0; k < 4; k++)
        s.in[k] = (float *)(p[0] + k * (mib << 18));
    for (int k = 0; k < 2; k++)
        s.to[k] = in_place ? s.in[k] : (float *)(p[0] + (4 + k) * (mib << 18));
    tell("w_streams", in_place ? "in_place" : "apart", mib, sizeof(T), IN * 10 + OUT, blocks, THREADS, 1,
         [=] { w_streams<T, IN, OUT><<<blocks, THREADS>>>(s, n, (float *)out); });
}

template <int CHAINS> static void chain(u64 mib, int lanes, int blocks, int threads, int n)
{
    tell("w_chains", "read", mib, CHAINS * 4, lanes, blocks, threads, n,
         [=] { w_chains<CHAINS><<<blocks, threads>>>(p[0], (mib << 18) - 1, lanes, n, out); });
}

static void all_again(void)
{
    for (u64 mib : {12, 16, 20, 22, 24, 26, 28, 32, 36, 40, 48, 64})
        for (int rounds : {1, 4})
            again(false, mib, rounds);
    for (u64 mib : {24, 32, 48})
        again(false, mib, 16);
    for (u64 mib : {16, 24, 28, 32, 40, 48})
        for (int rounds : {1, 4})
            again(true, mib, rounds);
    for (u64 mib : {8, 32, 64})
        for (u64 bytes : {128, 1024, 4096})
            for (int rounds : {2, 8})
                rows(false, mib, bytes, rounds);
    for (u64 mib : {8, 32, 64})
        for (u64 bytes : {128, 1024, 4096})
            rows(true, mib, bytes, 2);
}

static void all_solve(void)
{
    for (bool columns : {false, true})
        for (u64 mib : {8, 32, 64, 128, 256})
            for (u64 bytes : {256, 1024, 4096})
                solve(columns, mib, bytes);
}

static void all_local(void)
{
    for (int blocks : {66, 264, 528, 1056, 2112, 8448})
        local<16>(blocks, 128, 4), local<64>(blocks, 128, 4), local<128>(blocks, 128, 4), local<256>(blocks, 128, 2);
    for (int blocks : {66, 264, 528, 1056, 2112})
        local<1024>(blocks, 128, 1), local<2048>(blocks, 128, 1);
    for (int blocks : {528, 1056, 2112})
        local<32>(blocks, 128, 32), local<128>(blocks, 128, 4, 9);
}

template <class T> static void streams_of(u64 mib)
{
    stream<T, 1, 0>(mib), stream<T, 2, 0>(mib), stream<T, 4, 0>(mib), stream<T, 0, 1>(mib), stream<T, 0, 2>(mib);
    stream<T, 1, 1>(mib), stream<T, 2, 1>(mib), stream<T, 3, 1>(mib), stream<T, 4, 1>(mib), stream<T, 1, 2>(mib);
    stream<T, 2, 2>(mib), stream<T, 4, 2>(mib);
    stream<T, 1, 1>(mib, true), stream<T, 2, 1>(mib, true), stream<T, 4, 1>(mib, true), stream<T, 2, 2>(mib, true);
}

static void all_streams(void)
{
    for (u64 mib : {4, 16, 64})
        streams_of<float>(mib);
    streams_of<float4>(64);
    if (!timed)
        stream<float, 1, 1>(256), stream<float, 3, 1>(256), stream<float, 3, 1>(256, true);
    if (timed)
        streams_of<float>(512);
}

static void chains_of(u64 mib, int lanes, int threads)
{
    const int n = lanes == 32 ? 32 : 128;
    chain<1>(mib, lanes, 132, threads, n), chain<2>(mib, lanes, 132, threads, n);
    chain<4>(mib, lanes, 132, threads, n), chain<8>(mib, lanes, 132, threads, n);
}

static void all_chains(void)
{
    for (int threads : {32, 256, 1024})
        for (u64 mib : {1, 16, 256})
            chains_of(mib, 32, threads);
    for (u64 mib : {1, 16, 256})
        chains_of(mib, 1, 1024);
    if (!timed)
        return;
    for (u64 mib : {4, 8, 32, 64, 128, 512, 1024, 2048, 8192})
        for (int lanes : {1, 32})
            for (int threads : {32, 256, 1024})
                chain<1>(mib, lanes, 132, threads, 64), chain<4>(mib, lanes, 132, threads, 64);
}

/* Some of all, that a test can run. */
static void few(void)
{
    again(false, 24, 4), again(false, 32, 4), again(false, 48, 4), again(true, 32, 4);
    rows(false, 8, 128, 2), rows(false, 32, 1024, 2);
    solve(false, 8, 1024), solve(false, 64, 1024), solve(true, 64, 1024);
    local<64>(2112, 128, 4), local<256>(1056, 128, 2), local<32>(1056, 128, 32);
    stream<float, 1, 1>(16), stream<float, 3, 1>(16), stream<float, 2, 2>(16), stream<float, 2, 1>(16, true);
    chain<1>(16, 32, 132, 256, 32), chain<4>(16, 1, 132, 1024, 128);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } sets[] = {{"again", all_again}, {"solve", all_solve}, {"local", all_local}, {"streams", all_streams}, {"chains", all_chains}, {"few", few}};
    timed = argc > 1 && !strcmp(argv[1], "time");
    const bool is_few = argc > 1 && !strcmp(argv[1], "few");
    const u64 mib = timed ? 8192 : is_few ? 128 : 1536;
    CHECK(cudaMalloc(&p[0], mib << 20));
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    fill<<<FULL, THREADS>>>(p[0], mib << 18, 1);
    if (timed) {
        all_streams();
        all_chains();
        return 0;
    }
    for (const auto &set : sets) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++)
            wanted |= !strcmp(argv[k], set.name);
        if (wanted)
            set.run();
    }
    return 0;
}
