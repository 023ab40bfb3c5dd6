/* l1_survival.cu - which lines leave L1? One thread reads words one after the other and tells a hit by its latency. Prints
 * tests/hw/h200/l1-survival.csv without its head; each row is a launch with an L1 that is empty:
 *
 *     nvcc -O3 -arch=sm_90 -o l1_survival tests/hw/l1_survival.cu && ./l1_survival
 *
 * what,carveout,lines,parts,times,scan,scan_parts,asked,hits
 *
 * rounds: `lines` lines, `parts` sectors of each, in a scattered order, `times` times; hits of each round but the first.
 * draws: the same places at random, 16 of each; hits of the second half.
 * survive: `lines` lines, `parts` sectors of each, all of them `times` times; then `scan` others, `scan_parts` sectors of each, once; then how many
 * of the first ones are still there (their first sector), and, behind `hits`, of each sixteenth of them. As looking for a line that is gone
 * takes it in, one line in eight is looked for; that is done eight times. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { PROBES = 8, HIT_MOST = 110 /* cycles */, WORDS = 16 << 20 };

/* A word is read: 1 if L1 had it. */
__device__ static unsigned ask(const int *p, unsigned word)
{
    int v;
    const unsigned from = clock();
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p + word) : "memory");
    unsigned to; /* all words are 0: read behind the branch, the clock waits for the load */
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q trap; mov.u32 %0, %%clock; }" : "=r"(to) : "r"(v) : "memory");
    return to - from < HIT_MOST;
}

__device__ static unsigned word_of(unsigned place, unsigned parts) { return place / parts * 32 + place % parts * 8; }

__device__ static unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* A number below n that no other k below n has: n is whatever, `step` has no factor in common with it. */
__device__ static unsigned scattered(unsigned k, unsigned n, unsigned step) { return (unsigned)((unsigned long long)k * step % n); }

__global__ void rounds(const int *p, unsigned lines, unsigned parts, unsigned times, unsigned step, unsigned *hits)
{
    const unsigned places = lines * parts;
    unsigned n = 0;
    for (unsigned r = 0; r < times; r++)
        for (unsigned k = 0; k < places; k++)
            n += ask(p, word_of(scattered(k, places, step), parts)) & (r > 0);
    *hits = n;
}

__global__ void draws(const int *p, unsigned lines, unsigned parts, unsigned *hits)
{
    const unsigned places = lines * parts, all = 16 * places;
    unsigned n = 0, at = 1;
    for (unsigned k = 0; k < all; k++) {
        at = hash(at + k);
        n += ask(p, word_of(at % places, parts)) & (2 * k >= all);
    }
    *hits = n;
}

__global__ void survive(const int *p, unsigned lines, unsigned parts, unsigned times, unsigned scan, unsigned scan_parts, unsigned phase, unsigned *hits)
{
    for (unsigned t = 0; t < times; t++)
        for (unsigned k = 0; k < lines * parts; k++)
            ask(p, word_of(k, parts));
    for (unsigned k = 0; k < scan * scan_parts; k++)
        ask(p + lines * 32, word_of(k, scan_parts));
    for (unsigned k = phase; k < lines; k += PROBES)
        hits[16 * k / lines] += ask(p, 32 * k);
}

static unsigned *hits;
static unsigned told() { CHECK(cudaDeviceSynchronize()); return *hits; }

static unsigned common(unsigned a, unsigned b) { return b ? common(b, a % b) : a; }

static void run_rounds(const int *p, int carveout, unsigned lines, unsigned parts, unsigned times)
{
    unsigned step = 40503;
    while (common(step, lines * parts) != 1)
        step += 2;
    rounds<<<1, 1>>>(p, lines, parts, times, step, hits);
    printf("rounds,%d,%u,%u,%u,%u,0,%u,%u\n", carveout, lines, parts, times, step, lines * parts * (times - 1), told());
}

static void run_survive(const int *p, int carveout, unsigned lines, unsigned parts, unsigned times, unsigned scan, unsigned scan_parts)
{
    unsigned all = 0;
    for (unsigned k = 0; k < 16; k++)
        hits[k] = 0;
    for (unsigned phase = 0; phase < PROBES; phase++)
        survive<<<1, 1>>>(p, lines, parts, times, scan, scan_parts, phase, hits);
    told();
    for (unsigned k = 0; k < 16; k++)
        all += hits[k];
    printf("survive,%d,%u,%u,%u,%u,%u,%u,%u", carveout, lines, parts, times, scan, scan_parts, lines, all);
    for (unsigned k = 0; k < 16; k++)
        printf(",%u", hits[k]);
    printf("\n");
}

int main()
{
    static const int carveouts[] = {14, 40};
    static const unsigned sizes[] = {1024, 1200, 1280, 1536, 1792, 1920, 2048, 2560, 3072, 4096, 6144}, scans[] = {128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192};
    int *p;
    CHECK(cudaMalloc(&p, (size_t)WORDS * 4));
    CHECK(cudaMemset(p, 0, (size_t)WORDS * 4));
    CHECK(cudaMallocHost(&hits, 16 * sizeof *hits));
    for (int carveout : carveouts) {
        CHECK(cudaFuncSetAttribute(rounds, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        CHECK(cudaFuncSetAttribute(draws, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        CHECK(cudaFuncSetAttribute(survive, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        for (unsigned lines : sizes)
            for (unsigned parts = 1; parts <= 4; parts *= 2) {
                run_rounds(p, carveout, lines, parts, 2);
                run_rounds(p, carveout, lines, parts, 6);
                draws<<<1, 1>>>(p, lines, parts, hits);
                printf("draws,%d,%u,%u,16,0,0,%u,%u\n", carveout, lines, parts, 8 * lines * parts, told());
            }
        for (unsigned lines = 256; lines <= 1536; lines += 256)
            for (unsigned parts = 1; parts <= 4; parts *= 2)
                for (unsigned times = 1; times <= 4; times *= 2)
                    for (unsigned scan : scans)
                        for (unsigned scan_parts = 1; scan_parts <= 4; scan_parts *= 4)
                            run_survive(p, carveout, lines, parts, times, scan, scan_parts);
    }
    return 0;
}
