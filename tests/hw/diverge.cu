/* diverge.cu - what it takes when lanes of a warp part: branches, switches, loops of different length, returns and calls by part of
 * the lanes. To be run under a profiler, which gives the times:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/diverge.cu -o diverge && ncu ... ./diverge
 *
 * Prints a line for each launch, in order: what, what it was compiled for (ways and instructions of a body), how lanes part. */
#include "lanes.h"

/* About N instructions that depend on each other in pairs, other ones for each C. */
template <int N, int C> struct body {
    static __device__ __forceinline__ void run(unsigned &x, unsigned &y)
    {
#pragma unroll
        for (int k = 0; k < N / 2; k++) {
            x = x * (2 * (C * 97 + k) + 77) + y;
            y += x << (k % 7 + 1);
        }
    }
};

#define BEGIN                                                                                                          \
    const unsigned lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x;                            \
    unsigned x = hash(thread + 1), y = x >> 7;                                                                         \
    (void)lane
#define END out[thread] = x + y

/* ---- ways ---- */

template <int LOW, int HIGH, int N> __device__ __forceinline__ void go(unsigned way, unsigned &x, unsigned &y)
{
    constexpr int MIDDLE = (LOW + HIGH) / 2;
    if constexpr (HIGH - LOW == 1)
        body<N, LOW>::run(x, y);
    else if (way < MIDDLE)
        go<LOW, MIDDLE, N>(way, x, y);
    else
        go<MIDDLE, HIGH, N>(way, x, y);
}

/* Lanes take how + 1 of the ways each round, all of them in turn: ifs in ifs. */
template <int WAYS, int N> __global__ void tree(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        go<0, WAYS, N>(((lane & how) + r) % WAYS, x, y);
    END;
}

/* The same where the ways of a round are next to each other in the tree. */
template <int WAYS, int N> __global__ void aligned(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        go<0, WAYS, N>(((lane & how) + r * (how + 1)) % WAYS, x, y);
    END;
}

#define CASE(k) case k: if (k < WAYS) body<N, k % WAYS>::run(x, y); break;
#define CASES8(k) CASE(k) CASE(k + 1) CASE(k + 2) CASE(k + 3) CASE(k + 4) CASE(k + 5) CASE(k + 6) CASE(k + 7)

/* The same as a switch. */
template <int WAYS, int N> __global__ void cases(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        switch (((lane & how) + r) % WAYS) {
            CASES8(0) CASES8(8) CASES8(16) CASES8(24)
        }
    END;
}

/* `how` of the lanes do it, others each round. */
template <int N> __global__ void part(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        if ((lane + r * 5) % 32 < how)
            body<N, 1>::run(x, y);
        x ^= r;
    }
    END;
}

/* ---- loops ---- */

enum memory { NOTHING, SHARED, LOCAL, GLOBAL };
enum { TOGETHER = 1 << 8 }; /* of `how`: all lanes of a warp go the same way */

#define SEED unsigned s = hash((how & TOGETHER ? thread / 32 : thread) + 77)
#define RANDOM (s = s * 1664525u + 1013904223u)
#define TURNS(most) (1 + ((RANDOM >> 16) * (most) >> 16))

template <int MEMORY> __device__ __forceinline__ void look(const unsigned *table, const unsigned *shared, unsigned *local, unsigned &x, unsigned &y)
{
    if constexpr (MEMORY == SHARED)
        x += shared[(x >> 4) % 256];
    if constexpr (MEMORY == LOCAL)
        y ^= local[(x >> 4) % 16]++;
    if constexpr (MEMORY == GLOBAL)
        x += table[(x >> 4) % 1024];
}

#define MAKE_TABLES                                                                                                    \
    __shared__ unsigned shared[256];                                                                                   \
    unsigned local[16];                                                                                                \
    if (MEMORY == SHARED) {                                                                                            \
        for (unsigned k = threadIdx.x; k < 256; k += blockDim.x)                                                       \
            shared[k] = table[k];                                                                                      \
        __syncthreads();                                                                                               \
    }                                                                                                                  \
    if (MEMORY == LOCAL)                                                                                               \
        for (int k = 0; k < 16; k++)                                                                                   \
            local[k] = x + k

/* A loop of 1 to `how` turns in each round. */
template <int N, int MEMORY> __global__ void trips(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
    MAKE_TABLES;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned n = TURNS(how % TOGETHER);
#pragma unroll 1
        for (unsigned k = 0; k < n; k++) {
            look<MEMORY>(table, shared, local, x, y);
            body<N, 1>::run(x, y);
        }
    }
    END;
}

/* A loop that is left in its middle, and parts of whose turns are left out. */
template <int N, int MEMORY> __global__ void breaks(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
    MAKE_TABLES;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned bits = RANDOM;
#pragma unroll 1
        for (unsigned k = 0; k < 16; k++) {
            look<MEMORY>(table, shared, local, x, y);
            body<N, 1>::run(x, y);
            if ((bits >> k) % 8 == 7)
                break;
            if ((bits >> k) % 4 == 2)
                continue;
            body<N, 2>::run(x, y);
        }
    }
    END;
}

/* A loop in a loop, both of 1 to `how` turns, the inner one by a branch around it. */
template <int N> __global__ void nested(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned n = TURNS(how % TOGETHER);
#pragma unroll 1
        for (unsigned k = 0; k < n; k++) {
            const unsigned m = RANDOM >> 16;
            body<N, 1>::run(x, y);
            if (m & 1)
#pragma unroll 1
                for (unsigned j = 0; j < 1 + m * (how % TOGETHER) / 65536; j++)
                    body<N, 2>::run(x, y);
        }
    }
    END;
}

/* ---- functions ---- */

template <int N, int C> __device__ __noinline__ unsigned called(unsigned x, unsigned y)
{
    body<N, C>::run(x, y);
    return x ^ y;
}

/* how: half of the lanes call one function and half the other; 1: half call one. */
template <int N> __global__ void calls(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        if (RANDOM >> 31)
            x = called<N, 3>(x, y);
        else if (how & 1)
            y = called<N, 4>(y, x);
    }
    END;
}

template <int N> __device__ __noinline__ unsigned left(unsigned x, unsigned y, unsigned bits)
{
    body<N, 5>::run(x, y);
    if (bits & 1)
        return x;
    body<N, 6>::run(x, y);
    if (bits & 2)
        return y;
    body<N, 7>::run(x, y);
    return x ^ y;
}

/* A function that parts of the lanes leave early. */
template <int N> __global__ void returns(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        x = left<N>(x, y, RANDOM >> 30);
    END;
}

/* Lanes end one after the other. */
template <int N> __global__ void ends(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    const unsigned mine = how & TOGETHER ? rounds : rounds * (lane * 7 % 32 + 1) / 32;
#pragma unroll 1
    for (unsigned r = 0;; r++) {
        body<N, 1>::run(x, y);
        if (r == mine) {
            END;
            return;
        }
        body<N, 2>::run(x, y);
    }
}

/* The same without anything else to do; how: 0: none ends early. */
template <int N> __global__ void exits(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    const unsigned mine = how ? rounds * (lane * 7 % 32 + 1) / 32 : rounds + 1;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        body<N, 1>::run(x, y);
        if (r == mine)
            return;
        body<N, 2>::run(x, y);
        if (y == 0x12345678)
            return;
        body<N, 3>::run(x, y);
        if (y == 0x87654321)
            return;
    }
    END;
}

/* ---- what programs do ---- */

__global__ void gcd(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        unsigned a = RANDOM >> 12 | 1, b = RANDOM >> 12 | 1;
        while (a != b)
            if (a > b) {
                a -= b;
                a >>= __ffs(a) - 1;
            } else {
                b -= a;
                b >>= __ffs(b) - 1;
            }
        x += a;
    }
    END;
}

__global__ void collatz(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        unsigned n = (RANDOM >> 20) + 2;
        while (n != 1) {
            n = n & 1 ? 3 * n + 1 : n >> 1;
            y++;
        }
    }
    END;
}

/* Codes of 1 to 8 bits, looked up a bit at a time in a table in shared memory. */
__global__ void decode(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    enum { MEMORY = SHARED };
    BEGIN;
    SEED;
    MAKE_TABLES;
    unsigned bits = s, n = 32;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        unsigned node = 1;
        do {
            if (!n) {
                bits = RANDOM;
                bits ^= bits >> 16;
                n = 32;
            }
            node = 2 * node + (bits & 1);
            bits >>= 1;
            n--;
        } while (node < 128 && (shared[node] & 3));
        x = x * 31 + shared[node];
    }
    END;
}

/* The smallest 16 of random numbers, kept in order. */
__global__ void insert(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
    unsigned list[16];
    for (int k = 0; k < 16; k++)
        list[k] = ~0u;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned v = RANDOM / (1 + r / 16);
        int k = 15;
        if (v >= list[k])
            continue;
#pragma unroll 1
        for (; k > 0 && list[k - 1] > v; k--)
            list[k] = list[k - 1];
        list[k] = v;
    }
    for (int k = 0; k < 16; k++)
        x += list[(k + how) % 16];
    END;
}

/* Words of a table are looked for by halves; who finds one early is done. */
__global__ void bisect(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned wanted = RANDOM >> 22;
        unsigned low = 0, high = 1024;
#pragma unroll 1
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            x ^= table[middle];
            if (middle == wanted)
                break;
            if (middle < wanted)
                low = middle + 1;
            else
                high = middle;
        }
    }
    END;
}

/* Bytes of two strings, which are equal for 0 to 31 of them. */
__global__ void strings(unsigned rounds, unsigned how, const unsigned *table, unsigned *out)
{
    BEGIN;
    SEED;
    const unsigned char *bytes = (const unsigned char *)table;
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned at = (RANDOM >> 16) % 4096, same = RANDOM >> 27;
        unsigned k = 0;
#pragma unroll 1
        while (k < 64 && bytes[at + k] == (k == same ? ~bytes[at + k] & 255u : (unsigned)bytes[at + k]))
            k++;
        x += k;
    }
    END;
}

/* ---- all ---- */

static std::vector<launch> launches;

static void add(const char *what, int a, int b, unsigned how, double cycles, kernel *run)
{
    for (int warps : {1, 4, 16, 32}) {
        const unsigned rounds = (unsigned)(40000 / (cycles + 60));
        launches.push_back({what, a, b, how, rounds > 8 ? rounds : 8, run, 2, warps});
    }
}

template <int WAYS, int N> static void add_ways(void)
{
    for (unsigned how = 0; how < WAYS; how = how < 1 ? 1 : how < 3 ? 3 : how < 7 ? 7 : how < 31 ? 31 : 32) {
        add("tree", WAYS, N, how, (how + 1) * (3 * N + 20), tree<WAYS, N>);
        if (N < 60)
            add("cases", WAYS, N, how, (how + 1) * (3 * N + 20), cases<WAYS, N>);
    }
}

template <int N, int MEMORY> static void add_trips(void)
{
    for (unsigned together : {0u, (unsigned)TOGETHER}) {
        for (unsigned most : {4, 16})
            add("trips", N, MEMORY, most | together, most * (3 * N + 40), trips<N, MEMORY>);
        add("breaks", N, MEMORY, together, 6 * (5 * N + 80), breaks<N, MEMORY>);
    }
}

template <int N> static void add_rest(void)
{
    for (unsigned how : {1u, 16u, 31u, 32u})
        add("part", N, 0, how, 3 * N, part<N>);
    for (unsigned how : {0u, 1u, (unsigned)TOGETHER, (unsigned)TOGETHER | 1})
        add("calls", N, 0, how, 6 * N + 100, calls<N>);
    for (unsigned together : {0u, (unsigned)TOGETHER}) {
        add("returns", N, 0, together, 9 * N + 100, returns<N>);
        add("ends", N, 0, together, 6 * N + 20, ends<N>);
        add("exits", N, 0, together, 10 * N, exits<N>);
        add("nested", N, 0, 6 | together, 40 * (3 * N + 40), nested<N>);
    }
}

int main(int argc, char **argv)
{
    add_ways<2, 12>();
    add_ways<2, 40>();
    add_ways<8, 2>();
    add_ways<8, 12>();
    add_ways<8, 60>();
    add_ways<32, 12>();
    add_ways<32, 40>();
    for (unsigned how : {0, 1, 3, 7, 15, 31}) {
        add("aligned", 32, 12, how, (how + 1) * 56, aligned<32, 12>);
        add("aligned", 8, 12, how & 7, ((how & 7) + 1) * 56, aligned<8, 12>);
    }
    add_trips<2, NOTHING>();
    add_trips<8, NOTHING>();
    add_trips<20, NOTHING>();
    add_trips<2, SHARED>();
    add_trips<12, SHARED>();
    add_trips<2, LOCAL>();
    add_trips<12, LOCAL>();
    add_trips<2, GLOBAL>();
    add_trips<12, GLOBAL>();
    add_rest<12>();
    add_rest<40>();
    for (unsigned together : {0u, (unsigned)TOGETHER}) {
        add("gcd", 0, 0, together, 1000, gcd);
        add("collatz", 0, 0, together, 2000, collatz);
        add("decode", 0, 0, together, 400, decode);
        add("insert", 0, 0, together, 200, insert);
        add("bisect", 0, 0, together, 800, bisect);
        add("strings", 0, 0, together, 1500, strings);
    }
    return run_launches(launches, argc, argv);
}
