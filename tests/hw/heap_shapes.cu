/* heap_shapes.cu - kernels that call malloc and free, in the shapes that programs have: a buffer for each thread, for a warp, for a
 * block, lists, trees, tables, arrays that grow, memory that another thread or another launch gives back. Each shape runs over the same
 * grids and sizes. What a launch takes, its sectors of L2 and bytes of DRAM are ncu's (heap_shapes.sh writes
 * tests/hw/h200/heap-shapes.csv).
 *
 *     heap_shapes list                            the shapes
 *     heap_shapes run SHAPE... HEAP               each case once, a line each: for ncu, which sees the kernels called w_...
 *     heap_shapes small SHAPE... HEAP             fewer cases
 *     heap_shapes time SHAPE... HEAP              each case five times between events: the first, the median of the others
 *     heap_shapes calls HEAP                      calls of a single warp behind so many chunks
 *
 * HEAP is the heap's size in MiB. */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned long long u64;

struct args {
    int n, bytes;
    void **kept; /* of each call of each thread, what is to be given back later */
    int *out;    /* a word a thread */
};

__device__ int thread_id() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int threads() { return gridDim.x * blockDim.x; }
__device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
__device__ void keep(struct args a, int k, void *p) { a.kept[(size_t)k * threads() + thread_id()] = p; }

/* ---- the shapes ---- */

/* n times: malloc, a word, free. */
__global__ void w_pairs(struct args a)
{
    const int t = thread_id();
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        volatile int *p = (volatile int *)malloc(a.bytes);
        *p = t + k;
        sum += *p;
        free((void *)p);
    }
    a.out[t] = sum;
}

__global__ void w_keep(struct args a)
{
    const int t = thread_id();
    for (int k = 0; k < a.n; k++) {
        int *p = (int *)malloc(a.bytes);
        *p = t;
        keep(a, k, p);
    }
}

__global__ void w_give(struct args a)
{
    const int t = thread_id();
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        int *p = (int *)a.kept[(size_t)k * threads() + t];
        a.kept[(size_t)k * threads() + t] = NULL;
        sum += *p;
        free(p);
    }
    a.out[t] = sum;
}

/* What a thread of another block allocated. */
__global__ void w_give_far(struct args a)
{
    const int t = thread_id(), from = (t + threads() / 2) % threads();
    for (int k = 0; k < a.n; k++) {
        void *p = a.kept[(size_t)k * threads() + from];
        a.kept[(size_t)k * threads() + from] = NULL;
        free(p);
    }
}

/* The first lane allocates for its warp. */
__global__ void w_warp(struct args a)
{
    const int lane = threadIdx.x % 32;
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        u64 p = 0;
        if (lane == 0)
            p = (u64)malloc(a.bytes * 32);
        p = __shfl_sync(~0u, p, 0);
        int *mine = (int *)p + lane * (a.bytes / 4);
        for (int i = 0; i < a.bytes / 4; i++)
            mine[i] = lane + i;
        __syncwarp();
        sum += ((int *)p)[(lane * 7 + k) % 32 * (a.bytes / 4)];
        __syncwarp();
        if (lane == 0)
            free((void *)p);
    }
    a.out[thread_id()] = sum;
}

/* The first thread allocates for its block. */
__global__ void w_block(struct args a)
{
    __shared__ int *all;
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        if (threadIdx.x == 0)
            all = (int *)malloc(a.bytes * blockDim.x);
        __syncthreads();
        for (int i = threadIdx.x; i < a.bytes / 4 * (int)blockDim.x; i += blockDim.x)
            all[i] = i;
        __syncthreads();
        sum += all[(threadIdx.x * 5 + k) % blockDim.x];
        __syncthreads();
        if (threadIdx.x == 0)
            free(all);
    }
    a.out[thread_id()] = sum;
}

struct node {
    struct node *next, *left;
    int key, pad;
};

/* A list for each thread, built, gone through, given back. */
__global__ void w_list(struct args a)
{
    struct node *head = NULL;
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        struct node *p = (struct node *)malloc(a.bytes);
        p->next = head, p->key = k;
        head = p;
    }
    for (struct node *p = head; p; p = p->next)
        sum += p->key;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    a.out[thread_id()] = sum;
}

/* A search tree for each thread, which stays. */
__global__ void w_search_tree(struct args a)
{
    struct node *root = NULL;
    int depth = 0;
    for (int k = 0; k < a.n; k++) {
        struct node *p = (struct node *)malloc(a.bytes), **at = &root;
        p->next = p->left = NULL, p->key = mixed(thread_id() * 64 + k);
        for (; *at; depth++)
            at = p->key < (*at)->key ? &(*at)->left : &(*at)->next;
        *at = p;
        keep(a, k, p);
    }
    a.out[thread_id()] = depth;
}

/* An array that doubles: 4n words one after the other. */
__global__ void w_vector(struct args a)
{
    int room = a.bytes / 16, used = 0, sum = 0;
    int *v = (int *)malloc(room * 4);
    for (int i = 0; i < a.n * a.bytes / 4; i++) {
        if (used == room) {
            int *w = (int *)malloc(room * 8);
            for (int k = 0; k < room; k++)
                w[k] = v[k];
            free(v);
            v = w, room *= 2;
        }
        v[used++] = i;
    }
    for (int i = 0; i < used; i++)
        sum += v[i];
    free(v);
    a.out[thread_id()] = sum;
}

/* Lanes that ask for different sizes. */
__global__ void w_sizes(struct args a)
{
    const int t = thread_id();
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        volatile int *p = (volatile int *)malloc(16 + mixed(t * 32 + k) % (2 * a.bytes));
        *p = t + k;
        sum += *p;
        free((void *)p);
    }
    a.out[t] = sum;
}

/* One thread in four, not the same lanes in each warp. */
__global__ void w_some(struct args a)
{
    const int t = thread_id();
    int sum = 0;
    for (int k = 0; k < a.n; k++)
        if (mixed(t * 8 + k) % 4 == 0) {
            volatile int *p = (volatile int *)malloc(a.bytes);
            *p = t + k;
            sum += *p;
            free((void *)p);
        }
    a.out[t] = sum;
}

/* A matrix: an array of rows. */
__global__ void w_matrix(struct args a)
{
    int **rows = (int **)malloc(a.n * sizeof *rows), sum = 0;
    for (int k = 0; k < a.n; k++) {
        rows[k] = (int *)malloc(a.bytes);
        for (int i = 0; i < a.bytes / 4; i++)
            rows[k][i] = i * k;
    }
    for (int i = 0; i < a.bytes / 4; i++)
        for (int k = 0; k < a.n; k++)
            sum += rows[k][i];
    for (int k = 0; k < a.n; k++)
        free(rows[k]);
    free(rows);
    a.out[thread_id()] = sum;
}

/* All of a buffer is written, and read backwards. */
__global__ void w_buffer(struct args a)
{
    int *p = (int *)malloc(a.bytes), sum = 0;
    for (int k = 0; k < a.n; k++) {
        for (int i = 0; i < a.bytes / 4; i++)
            p[i] = i ^ sum;
        for (int i = a.bytes / 4 - 1; i >= 0; i--)
            sum += p[i] & k;
    }
    free(p);
    a.out[thread_id()] = sum;
}

/* Three at once, the last goes first. */
__global__ void w_nested(struct args a)
{
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        int *p = (int *)malloc(a.bytes), *q = (int *)malloc(2 * a.bytes), *r = (int *)malloc(4 * a.bytes);
        *p = k, *q = *p + 1, *r = *q + 1;
        sum += *r;
        free(r), free(q), free(p);
    }
    a.out[thread_id()] = sum;
}

/* What another warp of the block gives back. */
__global__ void w_exchange(struct args a)
{
    __shared__ int *box[1024];
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        int *p = (int *)malloc(a.bytes);
        *p = threadIdx.x;
        box[threadIdx.x] = p;
        __syncthreads();
        int *q = box[(threadIdx.x + 32) % blockDim.x];
        sum += *q;
        free(q);
        __syncthreads();
    }
    a.out[thread_id()] = sum;
}

enum { BUCKETS = 1 << 14 };
__device__ struct node *buckets[BUCKETS];

/* A table of lists that all threads put into; it stays. */
__global__ void w_buckets(struct args a)
{
    for (int k = 0; k < a.n; k++) {
        struct node *p = (struct node *)malloc(a.bytes);
        p->key = mixed(thread_id() + k * threads());
        p->next = (struct node *)atomicExch((u64 *)&buckets[p->key & (BUCKETS - 1)], (u64)p);
        keep(a, k, p);
    }
}

/* Lanes that call more often than others. */
__global__ void w_uneven(struct args a)
{
    const int t = thread_id(), mine = 1 + (a.n * 2 - 1) * (int)(mixed(t) % 8) / 8;
    int sum = 0;
    for (int k = 0; k < mine; k++) {
        volatile int *p = (volatile int *)malloc(a.bytes);
        *p = t + k;
        sum += *p;
        free((void *)p);
    }
    a.out[t] = sum;
}

/* Some work between the calls, different in each warp. */
__global__ void w_apart(struct args a)
{
    const int t = thread_id(), turns = mixed(t / 32) % 2048;
    int sum = 0;
    for (int k = 0; k < a.n; k++) {
        for (int i = 0; i < turns; i++)
            sum = sum * 5 + i;
        volatile int *p = (volatile int *)malloc(a.bytes);
        *p = sum;
        sum += *p;
        free((void *)p);
    }
    a.out[t] = sum;
}

/* ---- what is around them ---- */

__global__ void fill(struct args a)
{
    for (int k = 0; k < a.n; k++) {
        int *p = (int *)malloc(a.bytes);
        if (p)
            *p = 1;
        keep(a, k, p);
    }
}

__global__ void clear(struct args a)
{
    for (int k = 0; k < a.n; k++) {
        free(a.kept[(size_t)k * threads() + thread_id()]);
        keep(a, k, NULL);
    }
}

typedef void (*kernel)(struct args);
enum { CLEARS = 1, FILLS = 2 };
static const struct shape {
    const char *name;
    kernel run;
    int what;
} shapes[] = {
    {"pairs", w_pairs},       {"keep", w_keep, CLEARS}, {"give", w_give, FILLS}, {"give_far", w_give_far, FILLS},
    {"warp", w_warp},         {"block", w_block},       {"list", w_list},        {"search_tree", w_search_tree, CLEARS},
    {"vector", w_vector},     {"sizes", w_sizes},       {"some", w_some},        {"matrix", w_matrix},
    {"buffer", w_buffer},     {"nested", w_nested},     {"exchange", w_exchange}, {"buckets", w_buckets, CLEARS},
    {"uneven", w_uneven},     {"apart", w_apart},
};

static const struct {
    int blocks, threads;
} grids[] = {{1, 1}, {1, 32}, {1, 256}, {16, 128}, {132, 32}, {132, 256}, {782, 128}};
static const struct {
    int n, bytes;
} works[] = {{1, 48}, {8, 48}, {1, 600}, {4, 2000}};

enum { THREADS_MOST = 782 * 128, CALLS_MOST = 8 };
static struct args base;

static void reset(const struct shape *s, int blocks, int threads)
{
    if (s->what & FILLS)
        fill<<<blocks, threads>>>(base);
}

/* Of what stays: how many, how far apart, and how many runs of neighbours. */
static void put_kept(int calls, int slot)
{
    std::vector<u64> p(calls);
    CHECK(cudaMemcpy(p.data(), base.kept, calls * sizeof(u64), cudaMemcpyDeviceToHost));
    std::sort(p.begin(), p.end());
    p.erase(p.begin(), std::upper_bound(p.begin(), p.end(), 0ull));
    int runs = !p.empty();
    for (size_t k = 1; k < p.size(); k++)
        runs += p[k] - p[k - 1] > (u64)slot;
    static u64 first;
    first = first || p.empty() ? first : p[0];
    printf(",%zu,%lld,%lld,%d", p.size(), p.empty() ? 0 : (long long)(p[0] - first),
           p.empty() ? 0 : (long long)(p.back() - p[0]), runs);
}

static void put_case(const struct shape *s, int blocks, int threads, int heap, bool timed)
{
    static cudaEvent_t from, to;
    float ns[5] = {0};
    if (!from) {
        CHECK(cudaEventCreate(&from));
        CHECK(cudaEventCreate(&to));
    }
    const int calls = blocks * threads * base.n;
    printf("%s,%d,%d,%d,%d,%d", s->name, heap, blocks, threads, base.n, base.bytes);
    for (int k = 0; k < (timed ? 5 : 1); k++) {
        reset(s, blocks, threads);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(from));
        s->run<<<blocks, threads>>>(base);
        CHECK(cudaEventRecord(to));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ns[k], from, to));
        if (!k)
            put_kept(calls, base.bytes <= 64 ? 80 : base.bytes <= 624 ? 640 : 2208);
        if (s->what & CLEARS)
            clear<<<blocks, threads>>>(base);
        CHECK(cudaDeviceSynchronize());
    }
    std::sort(ns + 1, ns + 5);
    printf(",%.0f,%.0f\n", timed ? ns[0] * 1e6 : 0, timed ? ns[2] * 1e6 : 0);
    fflush(stdout);
}

/* What a profiler has time for. */
static bool profiled(int n, int bytes, int blocks, int threads)
{
    if (n == 1 && bytes < 100)
        return threads < 256 || blocks > 1;
    if (n == 8)
        return blocks * threads == 32 || blocks * threads == 2048 || threads == 256 && blocks > 1;
    return n == 1 && (threads == 32 || threads == 256 && blocks > 1);
}

static bool small; /* few cases */

static void put_shape(const struct shape *s, int heap, bool timed)
{
    for (const auto &w : works)
        for (const auto &g : grids) {
            const int calls = g.blocks * g.threads * w.n;
            const int chunk_calls = w.bytes <= 64 ? 24 : w.bytes <= 624 ? 3 : 20;
            if (calls / chunk_calls > 20000 || 1.5 * calls * w.bytes > heap * 1048576.0)
                continue;
            if (s->run == w_warp && g.threads < 32)
                continue;
            if (!timed && !(small ? w.bytes < 1000 && (g.threads <= 32 || g.blocks == 132 && w.n == 1)
                                  : profiled(w.n, w.bytes, g.blocks, g.threads)))
                continue;
            base.n = w.n, base.bytes = w.bytes;
            put_case(s, g.blocks, g.threads, heap, timed);
        }
}

/* ---- single calls ---- */

/* lanes of a warp, n calls each. */
__global__ void w_take(struct args a)
{
    for (int k = 0; k < a.n; k++)
        keep(a, k, malloc(a.bytes));
}

__global__ void w_free(struct args a)
{
    for (int k = 0; k < a.n; k++)
        free(a.kept[(size_t)k * threads() + thread_id()]);
}

__global__ void w_both(struct args a)
{
    for (int k = 0; k < a.n; k++) {
        volatile int *p = (volatile int *)malloc(a.bytes);
        *p = k;
        free((void *)p);
    }
}

static void put_calls(int heap)
{
    void **alive;
    CHECK(cudaMalloc(&alive, sizeof *alive * 65536));
    struct args before = base;
    before.kept = alive, before.bytes = 1000;
    for (int chunks : {0, 256}) {
        before.n = chunks / 32;
        if (chunks)
            fill<<<1, 32>>>(before);
        for (int bytes : {48, 1000})
            for (const auto &w : (const int[][2]){{1, 1}, {1, 8}, {4, 1}, {32, 1}, {32, 2}}) {
                    const int lanes = w[0], n = w[1];
                    base.n = n, base.bytes = bytes;
                    w_both<<<1, lanes>>>(base);
                    printf("both,%d,%d,%d,%d,%d\n", heap, chunks, lanes, n, bytes);
                    w_take<<<1, lanes>>>(base);
                    printf("take,%d,%d,%d,%d,%d\n", heap, chunks, lanes, n, bytes);
                    w_free<<<1, lanes>>>(base);
                    printf("free,%d,%d,%d,%d,%d\n", heap, chunks, lanes, n, bytes);
                    CHECK(cudaDeviceSynchronize());
                }
        if (chunks)
            clear<<<1, 32>>>(before);
        CHECK(cudaDeviceSynchronize());
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (const auto &s : shapes)
            puts(s.name);
        return 0;
    }
    if (argc < 3)
        return 2;
    const int heap = atoi(argv[argc - 1]);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)heap << 20));
    CHECK(cudaMalloc(&base.kept, sizeof *base.kept * THREADS_MOST * CALLS_MOST));
    CHECK(cudaMemset(base.kept, 0, sizeof *base.kept * THREADS_MOST * CALLS_MOST));
    CHECK(cudaMalloc(&base.out, sizeof *base.out * THREADS_MOST));
    if (!strcmp(argv[1], "calls")) {
        put_calls(heap);
        return 0;
    }
    small = !strcmp(argv[1], "small");
    for (int k = 2; k < argc - 1; k++)
        for (const auto &s : shapes)
            if (!strcmp(argv[k], s.name))
                put_shape(&s, heap, !strcmp(argv[1], "time"));
    return 0;
}
