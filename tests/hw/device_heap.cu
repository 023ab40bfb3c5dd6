/* device_heap.cu - what malloc and free in a kernel cost on a GPU: by the size that is asked for, by how many lanes, warps and blocks
 * ask at once, who frees, and what is alive already. Writes tests/hw/h200/device-heap.csv (without its head) and the single calls
 * of one warp, device-heap-calls.csv:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/device_heap.cu -o device_heap
 *     ./device_heap calls BYTES HEAP >>device-heap-calls.csv      one size a process: the heap is as a program finds it
 *     ./device_heap sizes HEAP                                    how far apart allocations of a size are
 *     ./device_heap cases HEAP SECONDS >>device-heap.csv          HEAP: its size in MiB
 *     ./device_heap rounds HEAP SECONDS >>device-heap.csv         fewer grids, more calls of a thread
 *     ./device_heap alive HEAP SECONDS >>device-heap.csv          the same behind allocations that stay
 */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

typedef long long i64;
typedef unsigned long long u64;

__device__ i64 now_ns()
{
    i64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* ---- single calls of one warp ---- */

struct call {
    void *p;
    i64 taken, touched, freed; /* cycles of malloc, of the first load from it, of free */
};

/* Each of `lanes` lanes n times; then all are given back, the last first or the first first. */
__global__ void calls(int lanes, int n, int bytes, bool reverse, struct call *out)
{
    const int lane = threadIdx.x;
    if (lane >= lanes)
        return;
    for (int k = 0; k < n; k++) {
        struct call *c = &out[k * lanes + lane];
        const i64 start = clock64();
        c->p = malloc(bytes);
        const i64 taken = clock64();
        c->touched = c->p ? *(volatile int *)c->p & 1 : 0;
        c->touched += clock64() - taken;
        c->taken = taken - start;
    }
    for (int k = 0; k < n; k++) {
        struct call *c = &out[(reverse ? n - 1 - k : k) * lanes + lane];
        const i64 start = clock64();
        free(c->p);
        c->freed = clock64() - start;
    }
}

static void put_calls(int bytes, int heap)
{
    enum { MOST = 512 };
    static struct call host[MOST];
    struct call *device;
    const struct {
        int lanes, n;
        bool reverse;
    } ways[] = {{1, 160, false}, {1, 160, true}, {32, 8, false}, {32, 8, true}, {4, 40, false}};
    CHECK(cudaMalloc(&device, sizeof host));
    u64 first = 0;
    for (const auto &w : ways) {
        calls<<<1, 32>>>(w.lanes, w.n, bytes, w.reverse, device);
        CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
        for (int k = 0; k < w.n * w.lanes; k++) {
            first = first ? first : (u64)host[k].p;
            printf("%d,%d,%d,%d,%d,%d,%lld,%lld,%lld,%lld\n", heap, bytes, w.lanes, w.reverse, k / w.lanes, k % w.lanes,
                   host[k].p ? (i64)((u64)host[k].p - first) : -1, host[k].taken, host[k].touched, host[k].freed);
        }
    }
}

/* The smallest distance of two of 30 allocations, which is what one takes. */
static void put_sizes(void)
{
    enum { N = 30 };
    static struct call host[N];
    struct call *device;
    CHECK(cudaMalloc(&device, sizeof host));
    for (int bytes = 8; bytes < 120000; bytes += bytes < 2300 ? 8 : bytes < 20000 ? 160 : 2000) {
        calls<<<1, 32>>>(1, N, bytes, false, device);
        CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
        i64 least = 1ll << 40;
        for (int k = 1; k < N; k++)
            least = std::min(least, std::abs((i64)host[k].p - (i64)host[k - 1].p));
        printf("%d,%lld\n", bytes, least);
    }
}

/* ---- many at once ---- */

enum { PAIRS, TAKE, GIVE, GIVE_OTHER, TAKE_THEN_GIVE, MODES };
static const char *const mode_names[] = {"pairs", "malloc", "free", "free_other", "then"};

struct seen {
    i64 first, all; /* cycles of the first call, or pair, and of all */
    i64 begin, end; /* ns */
    int good;
};

/* Each of the first `lanes` lanes of a warp calls n times. */
__global__ void many(int lanes, int n, int bytes, int mode, void **kept, struct seen *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if ((int)threadIdx.x % 32 >= lanes)
        return;
    struct seen s = {0, 0, now_ns(), 0, 0};
    const i64 start = clock64();
    const int from = mode == GIVE_OTHER ? threads - 32 - t / 32 * 32 + t % 32 : t;
    if (mode != GIVE && mode != GIVE_OTHER)
        for (int k = 0; k < n; k++) {
            void *p = malloc(bytes);
            if (p)
                *(volatile int *)p = t;
            s.good += p != NULL;
            if (mode == PAIRS)
                free(p);
            else
                kept[(size_t)k * threads + t] = p;
            s.first = s.first ? s.first : clock64() - start;
        }
    if (mode != PAIRS && mode != TAKE)
        for (int k = 0; k < n; k++) {
            void *p = kept[(size_t)k * threads + from];
            kept[(size_t)k * threads + from] = NULL;
            s.good += p != NULL;
            free(p);
            s.first = s.first ? s.first : clock64() - start;
        }
    s.all = clock64() - start;
    s.end = now_ns();
    out[t] = s;
}

__global__ void fill(int lanes, int n, int bytes, void **kept)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        kept[(size_t)k * gridDim.x * blockDim.x + t] = (int)threadIdx.x % 32 < lanes ? malloc(bytes) : NULL;
}

/* step 2: every other one. */
__global__ void clear(int n, int step, void **kept)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k += step) {
        free(kept[(size_t)k * gridDim.x * blockDim.x + t]);
        kept[(size_t)k * gridDim.x * blockDim.x + t] = NULL;
    }
}

struct what {
    int blocks, warps, lanes, n, bytes, mode;
};

enum { THREADS_MOST = 1 << 19, KEPT_MOST = 1 << 21, REPEATS = 3 };
static struct seen *d_seen, h_seen[THREADS_MOST];
static void **d_kept;

static float launch_ns(const what &w)
{
    static cudaEvent_t a, b;
    float ms;
    if (!a) {
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
    }
    const int threads = w.warps * 32;
    CHECK(cudaMemset(d_seen, 0, sizeof *d_seen * w.blocks * threads));
    if (w.mode == GIVE || w.mode == GIVE_OTHER)
        fill<<<w.blocks, threads>>>(w.lanes, w.n, w.bytes, d_kept);
    CHECK(cudaEventRecord(a));
    many<<<w.blocks, threads>>>(w.lanes, w.n, w.bytes, w.mode, d_kept, d_seen);
    CHECK(cudaEventRecord(b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    CHECK(cudaMemcpy(h_seen, d_seen, sizeof *d_seen * w.blocks * threads, cudaMemcpyDeviceToHost));
    if (w.mode == TAKE) {
        clear<<<w.blocks, threads>>>(w.n, 1, d_kept);
        CHECK(cudaDeviceSynchronize());
    }
    return ms * 1e6f;
}

static i64 at(std::vector<i64> &v, double share)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[(size_t)(share * (v.size() - 1))];
}

/* A row a launch. */
static void put(const char *set, int heap, const what &w)
{
    for (int k = 0; k < REPEATS; k++) {
        const float event = launch_ns(w);
        std::vector<i64> first, all;
        i64 begin = 1ll << 62, end = 0, good = 0;
        for (int t = 0; t < w.blocks * w.warps * 32; t++) {
            const struct seen *s = &h_seen[t];
            if (!s->end)
                continue;
            begin = std::min(begin, s->begin), end = std::max(end, s->end), good += s->good;
            first.push_back(s->first), all.push_back(s->all);
        }
        printf("%s,%d,%d,%d,%d,%d,%d,%s,%d,%.0f,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", set, heap, w.blocks, w.warps,
               w.lanes, w.n, w.bytes, mode_names[w.mode], k, event, end - begin, good, at(first, 0.5), at(first, 0.9), at(all, 0.5),
               at(all, 0.9), at(all, 1));
    }
    fflush(stdout);
}

static double seconds()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static const struct {
    int blocks, warps, lanes;
} grids[] = {{1, 1, 1},   {1, 1, 4},   {1, 1, 32},  {1, 4, 1},    {1, 8, 32},   {8, 1, 1},  {8, 1, 32},
             {32, 1, 1},  {32, 1, 32}, {132, 1, 1}, {132, 1, 32}, {1, 32, 1},   {1, 32, 32}, {32, 8, 1},
             {32, 8, 32}, {132, 4, 1}, {132, 8, 1}, {132, 4, 32}, {528, 2, 32}, {528, 8, 32}};
static const int sizes[] = {16, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536};

static bool fits(const what &w, int heap)
{
    const double threads = (double)w.blocks * w.warps * 32, bytes = 1.0 * w.blocks * w.warps * w.lanes * w.n * w.bytes;
    return threads <= THREADS_MOST && threads * w.n <= KEPT_MOST && 3 * bytes <= heap * 1048576.0;
}

static void put_cases(int heap, double limit)
{
    const double start = seconds();
    for (const auto &g : grids)
        for (int bytes : sizes)
            for (int mode = 0; mode < MODES; mode++)
                for (int n : {1, 4}) {
                    const what w = {g.blocks, g.warps, g.lanes, n, bytes, mode};
                    if (fits(w, heap) && seconds() - start < limit && !(n > 1 && g.blocks * g.warps > 528))
                        put("empty", heap, w);
                }
}

static void put_rounds(int heap, double limit)
{
    const int g[][3] = {{132, 8, 32}, {132, 8, 8}, {32, 8, 8}, {264, 4, 16}, {528, 1, 1}, {8, 4, 4}, {1056, 8, 32}, {1056, 4, 1}};
    const double start = seconds();
    for (int n : {1, 4, 16})
        for (const auto &a : g)
            for (int bytes : {32, 96, 256, 1024, 4096})
                for (int mode = 0; mode < MODES; mode++) {
                    const what w = {a[0], a[1], a[2], n, bytes, mode};
                    const bool slow = 1.0 * a[0] * a[1] * a[2] * n * (bytes == 1024 ? 24 : bytes == 256 ? 4 : 1) > 3e6;
                    if (fits(w, heap) && !slow && seconds() - start < limit)
                        put("empty", heap, w);
                }
}

/* Behind so many allocations of the same size, of another, and of which every other one is free again. */
static void put_alive(int heap, double limit)
{
    enum { BLOCKS = 64, THREADS = 128, N = 16 };
    const double start = seconds();
    void **alive;
    CHECK(cudaMalloc(&alive, sizeof *alive * BLOCKS * THREADS * N));
    for (int bytes : {64, 1024})
        for (int other : {64, 1024})
            for (int step : {0, 2}) {
                if (seconds() - start > limit)
                    return;
                fill<<<BLOCKS, THREADS>>>(32, N, other, alive);
                if (step)
                    clear<<<BLOCKS, THREADS>>>(N, step, alive);
                CHECK(cudaDeviceSynchronize());
                char set[32];
                snprintf(set, sizeof set, "%s%d", step ? "holes" : "alive", other);
                for (int mode : {PAIRS, TAKE, GIVE}) {
                    put(set, heap, {1, 1, 1, 4, bytes, mode});
                    put(set, heap, {1, 1, 32, 4, bytes, mode});
                    put(set, heap, {132, 1, 32, 1, bytes, mode});
                }
                clear<<<BLOCKS, THREADS>>>(N, 1, alive);
                CHECK(cudaDeviceSynchronize());
            }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const bool one = !strcmp(argv[1], "calls");
    const char *set = argv[1];
    const int heap = atoi(argv[one ? 3 : 2]);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)heap << 20));
    if (one) {
        put_calls(atoi(argv[2]), heap);
        return 0;
    }
    if (!strcmp(set, "sizes")) {
        put_sizes();
        return 0;
    }
    CHECK(cudaMalloc(&d_seen, sizeof *d_seen * THREADS_MOST));
    CHECK(cudaMalloc(&d_kept, sizeof *d_kept * KEPT_MOST));
    CHECK(cudaMemset(d_kept, 0, sizeof *d_kept * KEPT_MOST));
    if (!strcmp(set, "cases"))
        put_cases(heap, atof(argv[3]));
    else if (!strcmp(set, "rounds"))
        put_rounds(heap, atof(argv[3]));
    else
        put_alive(heap, atof(argv[3]));
    return 0;
}
