/* call_traffic.cu - what printf and launches from the device move: instructions, sectors of L2, bytes of DRAM. Made and run on a GPU by
 * call_traffic.sh, which has Nsight Compute count each kernel m_* with cold caches; this program writes a row for each launch, in
 * their order.
 *
 *     call_traffic FILE SET [times]     the cases of SET as rows in FILE; times: without a profiler, a launch's time by events too
 *
 * Sets: print (a buffer of 256 MB), print_full (one of 1 MB, which more is printed than fits in), launch (grids that do nothing),
 * warm (grids that read and write what others have read and written).
 *
 * Of each set every third case (index modulo 3 = 2) is for tests: nothing is fitted on it. */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* ---- printf ---- */

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define HUNDRED FIFTY FIFTY

/* What is printed: name, the length of the format, words of 4 and of 8 bytes, the length of strings, the call. */
#define KINDS(K)                                                                                                       \
    K(ints0, 5, 0, 0, 0, printf("here\n"))                                                                             \
    K(ints1, 3, 1, 0, 0, printf("%d\n", v))                                                                            \
    K(ints2, 6, 2, 0, 0, printf("%d %d\n", v, v))                                                                      \
    K(ints3, 9, 3, 0, 0, printf("%d %d %d\n", v, v, v))                                                                \
    K(ints4, 12, 4, 0, 0, printf("%d %d %d %d\n", v, v, v, v))                                                         \
    K(ints6, 18, 6, 0, 0, printf("%d %d %d %d %d %d\n", v, v, v, v, v, v))                                             \
    K(ints8, 24, 8, 0, 0, printf("%d %d %d %d %d %d %d %d\n", v, v, v, v, v, v, v, v))                                 \
    K(doubles1, 3, 0, 1, 0, printf("%f\n", 0.5 * v))                                                                   \
    K(doubles2, 6, 0, 2, 0, printf("%f %f\n", 0.5 * v, 0.25 * v))                                                      \
    K(doubles4, 12, 0, 4, 0, printf("%f %f %f %f\n", 0.5 * v, 0.25 * v, 0.5 * v, 0.25 * v))                            \
    K(doubles8, 24, 0, 8, 0,                                                                                           \
      printf("%f %f %f %f %f %f %f %f\n", 0.5 * v, 0.25 * v, 0.5 * v, 0.25 * v, 0.5 * v, 0.25 * v, 0.5 * v, 0.25 * v)) \
    K(mixed, 12, 2, 2, 0, printf("%d %f %d %f\n", v, 0.5 * v, v, 0.25 * v))                                            \
    K(string1, 3, 0, 1, 1, printf("%s\n", v < 0 ? "a" : "b"))                                                          \
    K(string10, 3, 0, 1, 10, printf("%s\n", v < 0 ? "a" : TEN))                                                        \
    K(string50, 3, 0, 1, 50, printf("%s\n", v < 0 ? "a" : FIFTY))                                                      \
    K(string200, 3, 0, 1, 200, printf("%s\n", v < 0 ? "a" : HUNDRED HUNDRED))                                          \
    K(strings2, 6, 0, 2, 20, printf("%s %s\n", v < 0 ? "a" : TEN, v < 1 ? "a" : TEN))                                  \
    K(format20, 20, 1, 0, 0, printf("0123456 " TEN "%d", v))                                                           \
    K(format50, 50, 1, 0, 0, printf("0123456 " TEN TEN TEN TEN "%d", v))                                               \
    K(format100, 100, 1, 0, 0, printf("01234567" FIFTY TEN TEN TEN TEN "%d", v))                                       \
    K(format200, 200, 1, 0, 0, printf("01234567" HUNDRED FIFTY TEN TEN TEN TEN "%d", v))                               \
    K(format400, 400, 1, 0, 0, printf("01234567" HUNDRED HUNDRED HUNDRED FIFTY TEN TEN TEN TEN "%d", v))               \
    K(head100, 100, 1, 0, 0, printf("%d" FIFTY TEN TEN TEN TEN "01234567", v))                                         \
    K(newlines, 11, 1, 0, 0, printf("%d\n\n\n\n\n\n\n\n\n", v))

enum {
#define K(name, length, words, doubles, string, call) NAME_##name,
    KINDS(K)
#undef K
};

static const struct kind {
    const char *name;
    int length, words, doubles, string;
} kinds[] = {
#define K(name, length, words, doubles, string, call) {#name, length, words, doubles, string},
    KINDS(K)
#undef K
};

template <int KIND> static __device__ void print(int v)
{
#define K(name, length, words, doubles, string, call)                                                                  \
    if (KIND == NAME_##name)                                                                                           \
        call;
    KINDS(K)
#undef K
}

template <int KIND> __global__ void m_print(int lanes, int calls)
{
    if ((int)threadIdx.x % 32 < lanes)
        for (int k = 0; k < calls; k++)
            print<KIND>(blockIdx.x * blockDim.x + threadIdx.x + k + 2);
}

/* ---- launches ---- */

enum { IN_ORDER, FORGOTTEN, TAIL, MODES };
static const char *const mode_names[] = {"in_order", "forgotten", "tail"};

__global__ void child(int *out)
{
    if (out)
        *out = 1;
}

struct large {
    int words[250];
};

__global__ void child_large(struct large p, int *out)
{
    if (out)
        *out = p.words[threadIdx.x];
}

/* Some 20 KB of code, once through. */
__global__ void child_code(int v, int *out)
{
#pragma unroll
    for (int k = 0; k < 400; k++)
        v = (v ^ (v << (k % 7 + 3))) + 12345 * k;
    if (out)
        *out = v;
}

static __device__ cudaStream_t stream_of(int mode)
{
    return mode == FORGOTTEN ? cudaStreamFireAndForget : mode == TAIL ? cudaStreamTailLaunch : (cudaStream_t)0;
}

/* Each of so many threads of each block launches n children. */
template <int WHAT> __global__ void m_launch(int lanes, int n, int mode, int blocks, int threads, int *none)
{
    struct large l;
    if ((int)threadIdx.x >= lanes)
        return;
    for (int k = 0; k < n; k++) {
        if (WHAT == 0) {
            child<<<blocks, threads, 0, stream_of(mode)>>>(none);
        } else if (WHAT == 1) {
            for (int w = 0; w < 250; w++)
                l.words[w] = w + k;
            child_large<<<blocks, threads, 0, stream_of(mode)>>>(l, none);
        } else {
            child_code<<<blocks, threads, 0, stream_of(mode)>>>(k, none);
        }
    }
}

__global__ void m_tree(int depth, int fan, int mode)
{
    if (depth && (int)threadIdx.x < fan)
        m_tree<<<1, 32, 0, stream_of(mode)>>>(depth - 1, fan, mode);
}

/* ---- grids that share data ---- */

enum { READ, WRITE, COPY };

static __device__ void work(int what, const float4 *from, float4 *to, long n)
{
    float sum = 0;
    for (long k = blockIdx.x * (long)blockDim.x + threadIdx.x; k < n; k += (long)gridDim.x * blockDim.x) {
        const float4 v = what == WRITE ? make_float4(k, k + 1, k + 2, k + 3) : from[k];
        if (what == READ)
            sum += v.x + v.y + v.z + v.w;
        else
            to[k] = v;
    }
    if (what == READ && sum == 1.2345f)
        to[0].x = sum;
}

__global__ void child_work(int what, const float4 *from, float4 *to, long n) { work(what, from, to, n); }

/* The parent does `first` with what is at `at`; then n children do `what`, each with what is `step` behind the one before. */
__global__ void m_warm(int first, int what, int n, int mode, int blocks, long step, float4 *at, float4 *other,
                       long size)
{
    if (first >= 0)
        work(first, at, at, size);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        for (int k = 0; k < n; k++) {
            float4 *a = at + k * step, *b = other + k * step;
            child_work<<<blocks, 256, 0, stream_of(mode)>>>(what, (what == COPY && k % 2 ? b : a),
                                                            what == COPY && k % 2 ? a : b, size);
        }
}

/* ---- cases ---- */

struct what {
    const char *set, *name;
    int blocks, threads, lanes, n, kind, mode, child_blocks, child_threads, first;
    long bytes, step;
};

static what print_case(const char *set, int kind, int blocks, int threads, int lanes, int calls)
{
    return {set, kinds[kind].name, blocks, threads, lanes, calls, kind, 0, 0, 0, 0, 0, 0};
}

static std::vector<what> print_cases()
{
    std::vector<what> c;
    const char *s = "print";
    for (int calls : {0, 1, 2, 4, 16, 64})
        c.push_back(print_case(s, NAME_ints1, 1, 32, 1, calls));
    for (int lanes : {2, 3, 8, 16, 32})
        for (int calls : {1, 8})
            c.push_back(print_case(s, NAME_ints1, 1, 32, lanes, calls));
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++) {
        c.push_back(print_case(s, kind, 1, 32, 1, 16));
        c.push_back(print_case(s, kind, 1, 32, 32, 8));
    }
    for (int kind : {NAME_ints4, NAME_doubles8, NAME_string50, NAME_format200})
        for (int lanes : {1, 32})
            c.push_back(print_case(s, kind, 132, 64, lanes, 2));
    for (int lanes : {1, 4, 32}) {
        for (int threads : {128, 1024})
            c.push_back(print_case(s, NAME_ints2, 1, threads, lanes, 2));
        for (int blocks : {8, 132, 1056})
            c.push_back(print_case(s, NAME_ints2, blocks, 32, lanes, 1));
        c.push_back(print_case(s, NAME_ints2, 132, 256, lanes, 1));
    }
    c.push_back(print_case(s, NAME_ints3, 1056, 128, 1, 1));
    c.push_back(print_case(s, NAME_ints3, 1250, 256, 1, 1));
    return c;
}

static std::vector<what> full_cases()
{
    std::vector<what> c;
    const char *s = "print_full";
    for (int blocks : {8, 32, 132, 264, 528})
        c.push_back(print_case(s, NAME_doubles8, blocks, 64, 32, 1));
    c.push_back(print_case(s, NAME_ints1, 264, 256, 32, 1));
    c.push_back(print_case(s, NAME_ints1, 132, 256, 32, 1));
    c.push_back(print_case(s, NAME_format200, 132, 256, 32, 1));
    c.push_back(print_case(s, NAME_doubles8, 1, 32, 32, 1000));
    c.push_back(print_case(s, NAME_doubles8, 1, 32, 1, 12000));
    c.push_back(print_case(s, NAME_doubles8, 8, 32, 32, 100));
    c.push_back(print_case(s, NAME_doubles8, 1056, 256, 1, 1));
    return c;
}

static what launch_case(int kind, int blocks, int threads, int lanes, int n, int mode, int child_blocks,
                        int child_threads)
{
    static const char *const names[] = {"empty", "large", "code"};
    return {"launch", names[kind], blocks, threads, lanes, n, kind, mode, child_blocks, child_threads, 0, 0, 0};
}

static std::vector<what> launch_cases()
{
    std::vector<what> c;
    for (int mode = 0; mode < MODES; mode++)
        for (int n : {0, 1, 2, 4, 16, 64})
            c.push_back(launch_case(0, 1, 32, 1, n, mode, 1, 32));
    for (int mode : {IN_ORDER, FORGOTTEN}) {
        for (int n : {1, 4, 16}) {
            c.push_back(launch_case(0, 1, 32, 1, n, mode, 132, 256));
            c.push_back(launch_case(0, 1, 32, 1, n, mode, 2112, 128));
            c.push_back(launch_case(1, 1, 32, 1, n, mode, 1, 32));
            c.push_back(launch_case(2, 1, 32, 1, n, mode, 1, 32));
        }
        c.push_back(launch_case(2, 1, 32, 1, 4, mode, 132, 128));
        for (int lanes : {4, 32})
            c.push_back(launch_case(0, 1, 32, lanes, 2, mode, 1, 32));
        for (int blocks : {8, 132, 512})
            c.push_back(launch_case(0, blocks, 32, 1, 1, mode, 1, 32));
    }
    for (int mode = 0; mode < MODES; mode++)
        for (int depth : {2, 8})
            c.push_back({"launch", "tree", 1, 32, 1, depth, 0, mode, 1, 32, 0, 0, 0});
    for (int mode : {IN_ORDER, FORGOTTEN})
        for (int depth : {3, 7})
            c.push_back({"launch", "tree", 1, 32, 2, depth, 0, mode, 1, 32, 0, 0, 0});
    return c;
}

static what warm_case(int first, int what_, int n, int mode, int child_blocks, long kib, bool apart)
{
    static const char *const names[] = {"read", "write", "copy"};
    const int blocks = first == READ || first == WRITE ? 132 : 1;
    return {"warm",    names[what_],         blocks, 256, 1, n, what_, mode, child_blocks, 256, first,
            kib << 10, apart ? kib << 10 : 0};
}

static std::vector<what> warm_cases()
{
    std::vector<what> c;
    for (long kib : {64, 1024, 8192, 24576})
        for (int first : {-1, (int)READ, (int)WRITE}) {
            c.push_back(warm_case(first, READ, 1, IN_ORDER, 132, kib, false));
            c.push_back(warm_case(first, READ, 4, IN_ORDER, 132, kib, false));
        }
    for (long kib : {64, 1024, 8192}) {
        c.push_back(warm_case(-1, READ, 4, IN_ORDER, 132, kib, true));
        c.push_back(warm_case(-1, READ, 4, FORGOTTEN, 132, kib, true));
        c.push_back(warm_case(-1, READ, 4, FORGOTTEN, 132, kib, false));
        c.push_back(warm_case(-1, WRITE, 4, IN_ORDER, 132, kib, false));
        c.push_back(warm_case(-1, COPY, 4, IN_ORDER, 132, kib, false));
        c.push_back(warm_case(-1, COPY, 4, TAIL, 132, kib, false));
    }
    for (long kib : {16, 128}) {
        c.push_back(warm_case(-1, READ, 1, IN_ORDER, 1, kib, false));
        c.push_back(warm_case(-1, READ, 8, IN_ORDER, 1, kib, false));
        c.push_back(warm_case(-1, READ, 8, TAIL, 1, kib, false));
        c.push_back(warm_case(-1, COPY, 8, IN_ORDER, 1, kib, false));
    }
    return c;
}

/* ---- running ---- */

static float4 *at, *other;

template <int KIND> static void launch_print(const what &w)
{
    if (w.kind == KIND)
        m_print<KIND><<<w.blocks, w.threads>>>(w.lanes, w.n);
}

static void launch(const what &w)
{
    if (!strncmp(w.set, "print", 5)) {
#define K(name, length, words, doubles, string, call) launch_print<NAME_##name>(w);
        KINDS(K)
#undef K
    } else if (!strcmp(w.set, "warm")) {
        m_warm<<<w.blocks, w.threads>>>(w.first, w.kind, w.n, w.mode, w.child_blocks, w.step / 16, at, other,
                                        w.bytes / 16);
    } else if (!strcmp(w.name, "tree")) {
        m_tree<<<1, 32>>>(w.n, w.lanes, w.mode);
    } else if (w.kind == 0) {
        m_launch<0><<<w.blocks, w.threads>>>(w.lanes, w.n, w.mode, w.child_blocks, w.child_threads, nullptr);
    } else if (w.kind == 1) {
        m_launch<1><<<w.blocks, w.threads>>>(w.lanes, w.n, w.mode, w.child_blocks, w.child_threads, nullptr);
    } else {
        m_launch<2><<<w.blocks, w.threads>>>(w.lanes, w.n, w.mode, w.child_blocks, w.child_threads, nullptr);
    }
}

static float timed(const what &w)
{
    static cudaEvent_t a, b;
    float ms;
    if (!a) {
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
    }
    CHECK(cudaEventRecord(a));
    launch(w);
    CHECK(cudaEventRecord(b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms * 1e6f;
}

static void row(FILE *to, int index, const what &w, float ns)
{
    const bool prints = !strncmp(w.set, "print", 5);
    static const char *const first_names[] = {"-", "read", "write"};
    fprintf(to, "%s,%s,%s,%d,%d,%d,%d,", w.set, w.name, index % 3 == 2 ? "test" : "fit", w.blocks, w.threads, w.lanes,
            w.n);
    if (prints)
        fprintf(to, "%d,%d,%d,%d,,,,,,,", kinds[w.kind].length, kinds[w.kind].words, kinds[w.kind].doubles,
                kinds[w.kind].string);
    else
        fprintf(to, ",,,,%s,%d,%d,%s,%ld,%ld,", mode_names[w.mode], w.child_blocks, w.child_threads,
                w.bytes ? first_names[w.first + 1] : "", w.bytes, w.step);
    if (ns > 0)
        fprintf(to, "%.0f", ns);
    fprintf(to, "\n");
    fflush(to);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    FILE *to = fopen(argv[1], "w");
    const char *set = argv[2];
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, strcmp(set, "print") ? 1 << 20 : 256 << 20));
    const std::vector<what> cases = !strcmp(set, "print")        ? print_cases()
                                    : !strcmp(set, "print_full") ? full_cases()
                                    : !strcmp(set, "launch")     ? launch_cases()
                                                                 : warm_cases();
    CHECK(cudaMalloc(&at, 64 << 20));
    CHECK(cudaMalloc(&other, 64 << 20));
    CHECK(cudaMemset(at, 0x3d, 64 << 20));
    CHECK(cudaMemset(other, 0x3d, 64 << 20));
    for (int k = 0; k < (int)cases.size(); k++) {
        float ns[3] = {};
        for (int r = 0; r < 3 && argc > 3; r++)
            ns[r] = timed(cases[k]);
        if (argc <= 3) {
            launch(cases[k]);
            CHECK(cudaDeviceSynchronize());
        }
        std::sort(ns, ns + 3);
        row(to, k, cases[k], ns[1]);
    }
    return 0;
}
