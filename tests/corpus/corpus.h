/* corpus.h - the frame of a corpus program: kernels of one kind, each at three sizes, to compare the model of time with a GPU.
 *
 *     program                     lists its cases and their groups
 *     program CASE SIZE           runs a case once; SIZE is 0 (some 5 to 20 us on an H200), 1 (50 to 200 us) or 2 (0.5 to 3 ms)
 *     program CASE SIZE --twice   launches the kernel twice: the second time with warm caches
 *
 * A case launches one kernel, once (LAUNCH), and nothing else runs on the device: so a profiler's first launch is the case, and
 * with --twice its second. Data come from the host, random, and the result is checked on the host: the program ends in
 * status 1 and says why when it is wrong. A program includes this file once, writes its kernels and cases, and ends with
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

static int corpus_launches = 1;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t corpus_status = (call);                                                                      \
        if (corpus_status != cudaSuccess) {                                                                            \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(corpus_status));          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Launches, and waits. The kernel must give the same result when it runs again on what it left. */
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        for (int corpus_k = 0; corpus_k < corpus_launches; corpus_k++) {                                               \
            __VA_ARGS__;                                                                                               \
            CHECK(cudaGetLastError());                                                                                 \
            CHECK(cudaDeviceSynchronize());                                                                            \
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

static uint64_t corpus_state = 0x9e3779b97f4a7c15ull;

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

static int corpus_main(int argc, char **argv, const struct corpus_case *cases, int n)
{
    if (argc < 3) {
        for (int k = 0; k < n; k++)
            printf("%s %s\n", cases[k].name, cases[k].group ? cases[k].group : cases[k].name);
        return 0;
    }
    const int size = atoi(argv[2]);
    if (size < 0 || size > 2) {
        fprintf(stderr, "size is 0, 1 or 2, not %s\n", argv[2]);
        return 2;
    }
    corpus_launches = argc > 3 && !strcmp(argv[3], "--twice") ? 2 : 1;
    for (int k = 0; k < n; k++)
        if (!strcmp(cases[k].name, argv[1])) {
            cases[k].run(size);
            printf("%s %d: right\n", argv[1], size);
            return 0;
        }
    fprintf(stderr, "no case %s; without arguments the cases are listed\n", argv[1]);
    return 2;
}

#define CORPUS(...)                                                                                                    \
    static const struct corpus_case corpus_cases[] = {__VA_ARGS__};                                                    \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return corpus_main(argc, argv, corpus_cases, (int)(sizeof corpus_cases / sizeof *corpus_cases));               \
    }

#endif
