/* corpus.h - the frame of a corpus program: kernels of one kind, each at three sizes, to compare the model of time with a GPU.
 *
 *     program                     lists its cases and their groups
 *     program CASE SIZE           runs a case once; SIZE is 0 (some 5 to 20 us on an H200), 1 (50 to 200 us) or 2 (0.5 to 3 ms)
 *     program --all [SIZE]        runs every case, in the order of the list, at one size or at 0, 1 and 2 in turn
 *     ... --twice                 launches each kernel twice: the second time with warm caches
 *     ... --time                  launches each kernel six times and prints the nanoseconds between two events around each
 *                                 launch, "CASE SIZE first second ...": for kernels that a profiler does not see whole
 *
 * A case launches one kernel, once (LAUNCH), and nothing else runs on the device: so a profiler's launches are the cases in
 * their order, and with --twice every second one is warm. Data come from the host, random, and the result is checked on the
 * host: the program ends in status 1 and says why when it is wrong. Each case begins with the same random numbers, and its
 * device_array's are freed behind it. With --time the first launch finds cold caches: 256 MiB have been cleared before it. A
 * program includes this file once, writes its kernels and cases, and ends with
 *
 *     CORPUS({"spmv_csr_scalar", "spmv_csr", run_spmv_csr_scalar}, {"spmv_csr_vector", "spmv_csr", run_spmv_csr_vector})
 *
 * A case has the name of its kernel. Cases of a group do the same work on the same data in different ways, so that their order
 * in time can be compared too; a case without a rival is a group of its own (NULL).
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct corpus_case {
    const char *name, *group;
    void (*run)(int size);
};

enum { CORPUS_TIMED = 6, CORPUS_ARRAYS = 256 };

static int corpus_launches = 1;            /* launches of the case's kernel */
static bool corpus_timing;                 /* --time */
static float corpus_elapsed[CORPUS_TIMED]; /* ms, of each launch */
static cudaEvent_t corpus_events[2];       /* around a launch */
static void *corpus_arrays[CORPUS_ARRAYS]; /* device memory of the case that runs */
static int corpus_narrays;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t corpus_status = (call);                                                                      \
        if (corpus_status != cudaSuccess) {                                                                            \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(corpus_status));          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* What comes before launch k, and behind it: nothing but a wait, except with --time. */
static inline void corpus_before(int k)
{
    if (!corpus_timing)
        return;
    if (k == 0) { /* out of the L2 cache with the data that the host has just copied */
        const size_t bytes = (size_t)256 << 20;
        void *other;
        CHECK(cudaMalloc(&other, bytes));
        CHECK(cudaMemset(other, 0, bytes));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(other));
    }
    CHECK(cudaEventRecord(corpus_events[0], 0));
}

static inline void corpus_behind(int k)
{
    CHECK(cudaGetLastError());
    if (corpus_timing)
        CHECK(cudaEventRecord(corpus_events[1], 0));
    CHECK(cudaDeviceSynchronize());
    if (corpus_timing)
        CHECK(cudaEventElapsedTime(&corpus_elapsed[k], corpus_events[0], corpus_events[1]));
}

/* Launches, and waits. The kernel must give the same result when it runs again on what it left. */
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        for (int corpus_k = 0; corpus_k < corpus_launches; corpus_k++) {                                               \
            corpus_before(corpus_k);                                                                                   \
            __VA_ARGS__;                                                                                               \
            corpus_behind(corpus_k);                                                                                   \
        }                                                                                                              \
    } while (0)

/* The result is wrong: says so and ends the program. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: wrong result: %s: ", __FILE__, __LINE__, #condition);                              \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- random numbers: xorshift64*, the same in every run ---- */

static const uint64_t corpus_seed = 0x9e3779b97f4a7c15ull;
static uint64_t corpus_state;

static inline uint64_t random_u64()
{
    corpus_state ^= corpus_state >> 12;
    corpus_state ^= corpus_state << 25;
    corpus_state ^= corpus_state >> 27;
    return corpus_state * 0x2545f4914f6cdd1dull;
}
static inline uint32_t random_u32() { return (uint32_t)(random_u64() >> 32); }
static inline uint32_t random_below(uint32_t n) { return (uint32_t)((random_u64() >> 32) * n >> 32); }
static inline float random_float() { return (float)(random_u64() >> 40) * (1.0f / 16777216.0f); } /* [0, 1) */

/* ---- memory ---- */

template <class T> static T *host_array(size_t n)
{
    T *p = (T *)calloc(n ? n : 1, sizeof(T));
    if (!p) {
        fprintf(stderr, "no memory for %zu elements\n", n);
        exit(1);
    }
    return p;
}

template <class T> static T *device_array(size_t n)
{
    T *p;
    CHECK(cudaMalloc(&p, (n ? n : 1) * sizeof(T)));
    if (corpus_narrays < CORPUS_ARRAYS)
        corpus_arrays[corpus_narrays++] = p;
    return p;
}

template <class T> static T *device_zeros(size_t n)
{
    T *p = device_array<T>(n);
    CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}

template <class T> static T *to_device(const T *host, size_t n)
{
    T *p = device_array<T>(n);
    CHECK(cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

/* Freed after the case: a case does not do it itself. */
static void corpus_free()
{
    while (corpus_narrays)
        CHECK(cudaFree(corpus_arrays[--corpus_narrays]));
}

/* malloc'ed; the caller frees it, or leaves it to the end of the program. */
template <class T> static T *to_host(const T *device, size_t n)
{
    T *p = host_array<T>(n);
    CHECK(cudaMemcpy(p, device, n * sizeof(T), cudaMemcpyDeviceToHost));
    return p;
}

static inline bool close_to(double got, double want, double relative)
{
    return fabs(got - want) <= relative * (fabs(want) + 1e-6);
}

static inline int blocks_for(size_t n, int threads) { return (int)((n + (size_t)threads - 1) / (size_t)threads); }

/* ---- main ---- */

static void corpus_run(const struct corpus_case *one, int size)
{
    corpus_state = corpus_seed;
    one->run(size);
    corpus_free();
    printf("%s %d: right\n", one->name, size);
    if (corpus_timing) {
        printf("%s %d", one->name, size);
        for (int k = 0; k < corpus_launches; k++)
            printf(" %.0f", (double)corpus_elapsed[k] * 1e6);
        printf("\n");
    }
    fflush(stdout);
}

/* The options, which stand behind the words; returns the number of words, or -1. */
static int corpus_options(int argc, char **argv)
{
    for (; argc > 1 && argv[argc - 1][0] == '-' && strcmp(argv[argc - 1], "--all"); argc--) {
        if (!strcmp(argv[argc - 1], "--twice")) {
            corpus_launches = 2;
        } else if (!strcmp(argv[argc - 1], "--time")) {
            corpus_timing = true;
            corpus_launches = CORPUS_TIMED;
        } else {
            return -1;
        }
    }
    return argc;
}

static int corpus_main(int argc, char **argv, const struct corpus_case *cases, int n)
{
    const int words = corpus_options(argc, argv);
    if (words == 1) {
        for (int k = 0; k < n; k++)
            printf("%s %s\n", cases[k].name, cases[k].group ? cases[k].group : cases[k].name);
        return 0;
    }
    const bool all = words > 1 && !strcmp(argv[1], "--all");
    const bool sized = words == 3 && argv[2][0] >= '0' && argv[2][0] <= '2' && !argv[2][1];
    if (words > 3 || (!sized && !(all && words == 2))) {
        fprintf(stderr, "usage: %s [CASE SIZE | --all [SIZE]] [--twice | --time]; SIZE is 0, 1 or 2\n", argv[0]);
        return 2;
    }
    if (corpus_timing)
        for (int k = 0; k < 2; k++)
            CHECK(cudaEventCreate(&corpus_events[k]));
    int runs = 0;
    for (int k = 0; k < n; k++)
        for (int size = 0; size < 3; size++)
            if ((all || !strcmp(cases[k].name, argv[1])) && (!sized || size == argv[2][0] - '0')) {
                corpus_run(&cases[k], size);
                runs++;
            }
    if (!runs)
        fprintf(stderr, "no case %s; without arguments the cases are listed\n", argv[1]);
    return runs ? 0 : 2;
}

#define CORPUS(...)                                                                                                    \
    static const struct corpus_case corpus_cases[] = {__VA_ARGS__};                                                    \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return corpus_main(argc, argv, corpus_cases, (int)(sizeof corpus_cases / sizeof *corpus_cases));               \
    }

#endif
