/* lanes.h - what diverge.cu and tables.cu share: a list of launches, each of which prints a row, in the order in which a profiler
 * sees them. */
#ifndef LS_TESTS_HW_LANES_H
#define LS_TESTS_HW_LANES_H

#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* table: TABLE random words. how: what the launch varies, and each kernel reads in its own way. */
enum { TABLE = 1 << 16, OUT = 132 * 16 * 1024 };
typedef void kernel(unsigned rounds, unsigned how, const unsigned *table, unsigned *out);

struct launch {
    const char *what;
    int a, b; /* what the kernel was compiled for */
    unsigned how, rounds;
    kernel *run;
    int blocks, warps;
};

static __host__ __device__ unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* PROGRAM [WHAT [TIMES [WARPS]]]: launches of the name WHAT, of so many times their rounds, and of so many warps; - and 0: all. */
static int run_launches(const std::vector<launch> &launches, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "-";
    const unsigned times = argc > 2 ? atoi(argv[2]) : 1;
    const int warps = argc > 3 ? atoi(argv[3]) : 0;
    unsigned *table, *out, *words = (unsigned *)malloc(TABLE * sizeof *words);
    for (unsigned k = 0; k < TABLE; k++)
        words[k] = hash(k + 1);
    CHECK(cudaMalloc(&table, TABLE * sizeof *table));
    CHECK(cudaMalloc(&out, OUT * sizeof *out));
    CHECK(cudaMemcpy(table, words, TABLE * sizeof *table, cudaMemcpyHostToDevice));
    puts("what,a,b,how,rounds,blocks,warps");
    for (const launch &l : launches) {
        if ((strcmp(what, "-") && strcmp(l.what, what)) || (warps && l.warps != warps))
            continue;
        printf("%s,%d,%d,%u,%u,%d,%d\n", l.what, l.a, l.b, l.how, l.rounds * times, l.blocks, l.warps);
        fflush(stdout);
        l.run<<<l.blocks, 32 * l.warps>>>(l.rounds * times, l.how, table, out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    free(words);
    return 0;
}

#endif
