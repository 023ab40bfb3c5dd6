/* heap - kernels that allocate on the device: malloc and free of every thread or of one for its block, lists and trees of nodes,
 * arrays that grow, and memory that another thread frees. All is freed by the kernel that allocated it. A result of -1 says that there was no memory. */
#include "corpus.h"

__host__ __device__ static inline uint32_t scramble(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Before the program's first kernel, much more than any case needs: allocators lose memory to fragments. */
static void set_heap()
{
    static bool is_set;
    if (!is_set)
        CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)64 << 20));
    is_set = true;
}

/* ---- the median of 33 neighbours, which needs a place to sort them ---- */

enum { WINDOW = 33 };

__host__ __device__ static inline int median(const int *x, int *scratch)
{
    for (int k = 0; k < WINDOW; k++) {
        int j = k;
        for (; j > 0 && scratch[j - 1] > x[k]; j--)
            scratch[j] = scratch[j - 1];
        scratch[j] = x[k];
    }
    return scratch[WINDOW / 2];
}

/* Each thread asks the heap: limited by malloc and free, which threads do one after the other. */
__global__ void median_thread_heap(const int *x, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *scratch = (int *)malloc(WINDOW * sizeof(int));
    out[i] = scratch ? median(x + i, scratch) : -1;
    free(scratch);
}

/* One thread asks for its block: two barriers, and insertion sorts in global memory. */
__global__ void median_block_heap(const int *x, int *out)
{
    __shared__ int *all;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        all = (int *)malloc(blockDim.x * WINDOW * sizeof(int));
    __syncthreads();
    out[i] = all ? median(x + i, all + threadIdx.x * WINDOW) : -1;
    __syncthreads();
    if (threadIdx.x == 0)
        free(all);
}

/* An array of the thread's own, in local memory: limited by L1. */
__global__ void median_local(const int *x, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int scratch[WINDOW];
    out[i] = median(x + i, scratch);
}

static void run_median(int size, void (*kernel)(const int *, int *))
{
    set_heap();
    const int count[] = {2, 16, 128}, n = count[size] * 128;
    int *x = host_array<int>(n + WINDOW), scratch[WINDOW];
    for (int i = 0; i < n + WINDOW; i++)
        x[i] = (int)random_below(10000);
    int *d_x = to_device(x, n + WINDOW), *d_out = device_zeros<int>(n);
    LAUNCH(kernel<<<count[size], 128>>>(d_x, d_out));
    const int *out = to_host(d_out, n);
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == median(x + i, scratch), "out[%d] is %d", i, out[i]);
}

static void run_median_thread_heap(int size) { run_median(size, median_thread_heap); }
static void run_median_block_heap(int size) { run_median(size, median_block_heap); }
static void run_median_local(int size) { run_median(size, median_local); }

/* ---- kernels of a number a thread ---- */

/* Runs a kernel on `n` threads and expects want(i, work) of each. */
static void run_each(int blocks, int threads, int work, void (*kernel)(int, int *), int (*want)(int, int))
{
    set_heap();
    const int n = blocks * threads;
    int *d_out = device_zeros<int>(n);
    LAUNCH(kernel<<<blocks, threads>>>(work, d_out));
    const int *out = to_host(d_out, n);
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == want(i, work), "thread %d: %d, not %d", i, out[i], want(i, work));
}

__host__ __device__ static inline int small_size(int i, int k) { return 8 + (int)(scramble(i * 64 + k) % 120); }

static int many_small_host(int i, int rounds)
{
    int sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += small_size(i, k);
    return sum;
}

/* Each thread takes and gives back small pieces of many sizes, four at a time: the allocator and little else. */
__global__ void many_small(int rounds, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    char *held[4] = {};
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        const int bytes = small_size(i, k);
        free(held[k & 3]);
        held[k & 3] = (char *)malloc(bytes);
        if (held[k & 3])
            held[k & 3][bytes - 1] = 1, sum += bytes;
    }
    for (int k = 0; k < 4; k++)
        free(held[k]);
    out[i] = sum;
}

static void run_many_small(int size)
{
    const int blocks[] = {1, 8, 64}, rounds[] = {2, 8, 16};
    run_each(blocks[size], 64, rounds[size], many_small, many_small_host);
}

struct node {
    int value;
    struct node *next;
};

static int list_of_nodes_host(int i, int length)
{
    int sum = 0;
    for (int k = 0; k < length + i % 4; k++)
        sum += (int)(scramble(i + k) & 1023);
    return sum;
}

/* Each thread builds a list of nodes, walks along it, and frees it: allocations, then chains of loads. */
__global__ void list_of_nodes(int length, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct node *head = NULL;
    bool failed = false;
    for (int k = 0; k < length + i % 4 && !failed; k++) {
        struct node *one = (struct node *)malloc(sizeof *one);
        failed = !one;
        if (one)
            one->value = (int)(scramble(i + k) & 1023), one->next = head, head = one;
    }
    int sum = 0;
    while (head) {
        struct node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    out[i] = failed ? -1 : sum;
}

static void run_list_of_nodes(int size)
{
    const int blocks[] = {2, 16, 128}, length[] = {3, 6, 8};
    run_each(blocks[size], 32, length[size], list_of_nodes, list_of_nodes_host);
}

/* ---- search trees ---- */

struct leaf {
    uint32_t key;
    struct leaf *down[2];
};

__device__ bool tree_insert(struct leaf **at, uint32_t key)
{
    while (*at && (*at)->key != key)
        at = &(*at)->down[key > (*at)->key];
    if (*at)
        return true;
    struct leaf *one = new struct leaf;
    if (!one)
        return false;
    one->key = key, one->down[0] = one->down[1] = NULL;
    *at = one;
    return true;
}

/* Rotates left children up until there is none, so that no stack is needed. */
__device__ int tree_count_and_free(struct leaf *at)
{
    int count = 0;
    while (at) {
        struct leaf *left = at->down[0];
        if (left) {
            at->down[0] = left->down[1], left->down[1] = at, at = left;
            continue;
        }
        struct leaf *right = at->down[1];
        delete at;
        at = right;
        count++;
    }
    return count;
}

/* Each warp's first lane keeps a search tree of its keys and counts the different ones: chains of loads in one lane a warp. */
__global__ void tree_of_warp(int keys, int *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32)
        return;
    struct leaf *root = NULL;
    bool made = true;
    for (int k = 0; k < keys && made; k++)
        made = tree_insert(&root, scramble(warp * keys + k) % (unsigned)keys);
    const int count = tree_count_and_free(root);
    out[warp] = made ? count : -1;
}

static void run_tree_of_warp(int size)
{
    set_heap();
    const int blocks[] = {1, 16, 132}, key_count[] = {6, 16, 64}, keys = key_count[size], warps = blocks[size] * 4;
    int *d_out = device_zeros<int>(warps);
    LAUNCH(tree_of_warp<<<blocks[size], 128>>>(keys, d_out));
    const int *out = to_host(d_out, warps);
    for (int w = 0; w < warps; w++) {
        bool seen[64] = {};
        int want = 0;
        for (int k = 0; k < keys; k++) {
            bool *one = &seen[scramble(w * keys + k) % (unsigned)keys];
            want += !*one, *one = true;
        }
        EXPECT(out[w] == want, "warp %d: %d keys, not %d", w, out[w], want);
    }
}

/* ---- arrays ---- */

/* One thread takes 4 MB for its block, which fills it and reads it in another order: one allocation, then L2. */
__global__ void one_large(int n, int passes, unsigned long long *sum)
{
    __shared__ unsigned *all;
    if (threadIdx.x == 0)
        all = (unsigned *)malloc((size_t)n * sizeof *all);
    __syncthreads();
    unsigned long long own = 0;
    for (int p = 0; p < passes && all; p++) {
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            all[k] = k + p;
        __syncthreads();
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            own += all[(k * 33u + 7u) & (n - 1)];
        __syncthreads();
    }
    sum[threadIdx.x] = own;
    if (threadIdx.x == 0)
        free(all);
}

static void run_one_large(int size)
{
    set_heap();
    const int count[] = {1 << 12, 1 << 16, 1 << 20}, n = count[size], passes = size == 2 ? 4 : 1;
    unsigned long long *d_sum = device_zeros<unsigned long long>(1024), got = 0, want = 0;
    LAUNCH(one_large<<<1, 1024>>>(n, passes, d_sum));
    const unsigned long long *sum = to_host(d_sum, 1024);
    for (int t = 0; t < 1024; t++)
        got += sum[t];
    for (int p = 0; p < passes; p++)
        want += (unsigned long long)n * (n - 1) / 2 + (unsigned long long)n * p;
    EXPECT(got == want, "%llu, not %llu", got, want);
}

static int growing_host(int i, int most)
{
    int sum = 0;
    for (int k = 0; k < 1 + (int)(scramble(i) % (unsigned)most); k++)
        sum += (int)(scramble(i ^ k) & 255);
    return sum;
}

/* Each thread appends to an array that doubles: malloc, copy and free again and again, as many as the thread's data need. */
__global__ void growing(int most, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = 1 + (int)(scramble(i) % (unsigned)most);
    int room = 4, *data = (int *)malloc(room * sizeof *data), sum = 0;
    for (int k = 0; k < n && data; k++) {
        if (k == room) {
            int *larger = (int *)malloc(2 * room * sizeof *larger);
            for (int j = 0; j < room && larger; j++)
                larger[j] = data[j];
            free(data);
            data = larger, room *= 2;
        }
        if (data)
            data[k] = (int)(scramble(i ^ k) & 255);
    }
    for (int k = 0; k < n && data; k++)
        sum += data[k];
    out[i] = data ? sum : -1;
    free(data);
}

static void run_growing(int size)
{
    const int blocks[] = {1, 8, 32}, most[] = {16, 64, 128};
    run_each(blocks[size], 96, most[size], growing, growing_host);
}

static int freed_elsewhere_host(int i, int rounds)
{
    const int t = i % 256, last = i - t + (t + 37) % 256;
    return (int)(scramble(last + rounds - 1) & 0xffff);
}

/* Each thread hands its piece to another of the block, which reads and frees it: allocator and barriers in turn. */
__global__ void freed_elsewhere(int rounds, int *out)
{
    __shared__ int *piece[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int got = 0;
    for (int r = 0; r < rounds; r++) {
        int *own = (int *)malloc(48);
        if (own)
            own[11] = (int)(scramble(i + r) & 0xffff);
        piece[threadIdx.x] = own;
        __syncthreads();
        int *other = piece[(threadIdx.x + 37) % 256];
        got = other ? other[11] : -1;
        free(other);
        __syncthreads();
    }
    out[i] = got;
}

static void run_freed_elsewhere(int size)
{
    const int blocks[] = {1, 4, 32}, rounds[] = {1, 4, 8};
    run_each(blocks[size], 256, rounds[size], freed_elsewhere, freed_elsewhere_host);
}

CORPUS({"median_thread_heap", "median", run_median_thread_heap}, {"median_block_heap", "median", run_median_block_heap},
       {"median_local", "median", run_median_local}, {"many_small", NULL, run_many_small},
       {"list_of_nodes", NULL, run_list_of_nodes}, {"tree_of_warp", NULL, run_tree_of_warp},
       {"one_large", NULL, run_one_large}, {"growing", NULL, run_growing},
       {"freed_elsewhere", NULL, run_freed_elsewhere})
