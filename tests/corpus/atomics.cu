/* atomics - additions, exchanges and comparisons of many threads at few or many addresses, in L2 and in shared memory. */
#include "corpus.h"

/* ---- the sum of an array of floats, small whole numbers so that the order does not matter ---- */

/* Each thread adds at one address: limited by that address's rate in its L2 slice. */
__global__ void sum_direct(const float *x, int n, float *total)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, x[i]);
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

/* Each warp adds its sum: a thirty-second of the contention. */
__global__ void sum_warp(const float *x, int n, float *total)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = warp_sum(i < n ? x[i] : 0);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}

/* The sum of a block's part of the array, in its first thread. */
__device__ float block_sum(const float *x, int n)
{
    __shared__ float sums[8];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    for (int w = 1; w < 8; w++)
        v += sums[w];
    return v;
}

/* Each block adds its sum, after a loop over a part of the array: limited by latency, hardly by the atomics. */
__global__ void sum_block(const float *x, int n, float *total)
{
    const float sum = block_sum(x, n);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

/* Each block adds in a loop of compare-and-swap, as types without an addition need it. At each time one block succeeds and
 * all others go round once more: the time grows with the square of the blocks. */
__global__ void sum_cas(const float *x, int n, float *total)
{
    const float sum = block_sum(x, n);
    if (threadIdx.x)
        return;
    int *word = (int *)total, seen = *(volatile int *)word, before;
    do {
        before = seen;
        seen = atomicCAS(word, before, __float_as_int(__int_as_float(before) + sum));
    } while (seen != before);
}

static void run_sum(int size, int most_blocks, void (*kernel)(const float *, int, float *))
{
    const int count[] = {1 << 13, 1 << 17, 1 << 20}, n = count[size];
    float *x = host_array<float>(n);
    double want = 0;
    for (int i = 0; i < n; i++)
        want += x[i] = (float)random_below(4);
    float *d_x = to_device(x, n), *d_total = device_zeros<float>(1);
    const int blocks = blocks_for(n, 256) < most_blocks ? blocks_for(n, 256) : most_blocks;
    LAUNCH(kernel<<<blocks, 256>>>(d_x, n, d_total));
    const float got = *to_host(d_total, 1);
    EXPECT(got == corpus_launches * want, "%f, not %f", got, want);
}

static void run_sum_direct(int size) { run_sum(size, 1 << 30, sum_direct); }
static void run_sum_warp(int size) { run_sum(size, 1 << 30, sum_warp); }
static void run_sum_block(int size) { run_sum(size, 264, sum_block); }
static void run_sum_cas(int size) { run_sum(size, 1056, sum_cas); }

/* ---- histograms of bytes, most of them near the middle ---- */

enum { BINS = 256 };

/* In global memory: the middle bins are contended in L2. */
__global__ void histogram_global(const uchar4 *data, int n, unsigned *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 four = data[i];
        atomicAdd(&bins[four.x], 1), atomicAdd(&bins[four.y], 1);
        atomicAdd(&bins[four.z], 1), atomicAdd(&bins[four.w], 1);
    }
}

/* A histogram a block in shared memory: limited by lanes of a warp that hit the same bin. */
__global__ void histogram_shared(const uchar4 *data, int n, unsigned *bins)
{
    __shared__ unsigned own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 four = data[i];
        atomicAdd(&own[four.x], 1), atomicAdd(&own[four.y], 1);
        atomicAdd(&own[four.z], 1), atomicAdd(&own[four.w], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

/* A histogram a warp in shared memory: no contention between warps, but more to clear and to add. */
__global__ void histogram_warp(const uchar4 *data, int n, unsigned *bins)
{
    __shared__ unsigned own[8][BINS];
    unsigned *mine = own[threadIdx.x / 32];
    for (int b = threadIdx.x % 32; b < BINS; b += 32)
        mine[b] = 0;
    __syncwarp();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 four = data[i];
        atomicAdd(&mine[four.x], 1), atomicAdd(&mine[four.y], 1);
        atomicAdd(&mine[four.z], 1), atomicAdd(&mine[four.w], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += own[w][b];
        atomicAdd(&bins[b], sum);
    }
}

static void run_histogram(int size, void (*kernel)(const uchar4 *, int, unsigned *))
{
    const int count[] = {1 << 14, 1 << 18, 1 << 21}, n = count[size];
    uchar4 *data = host_array<uchar4>(n);
    unsigned want[BINS] = {};
    for (int i = 0; i < 4 * n; i++) {
        const uint32_t r = random_u32();
        const int bin = (int)((r & 255) + (r >> 8 & 255) + (r >> 16 & 255) + (r >> 24)) / 4;
        ((unsigned char *)data)[i] = (unsigned char)bin;
        want[bin]++;
    }
    uchar4 *d_data = to_device(data, n);
    unsigned *d_bins = device_zeros<unsigned>(BINS);
    LAUNCH(kernel<<<blocks_for(n, 2048), 256>>>(d_data, n, d_bins));
    const unsigned *bins = to_host(d_bins, BINS);
    for (int b = 0; b < BINS; b++)
        EXPECT(bins[b] == corpus_launches * want[b], "bin %d: %u, not %u", b, bins[b], want[b]);
}

static void run_histogram_global(int size) { run_histogram(size, histogram_global); }
static void run_histogram_shared(int size) { run_histogram(size, histogram_shared); }
static void run_histogram_warp(int size) { run_histogram(size, histogram_warp); }

/* ---- one address a key, many keys ---- */

/* Weights added at random addresses of a large array: a sector and an atomic a lane, limited by L2 and DRAM. */
__global__ void scatter_add(const uint32_t *key, const float *weight, int n, float *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[key[i]], weight[i]);
}

static void run_scatter_add(int size)
{
    const int count[] = {1 << 15, 1 << 19, 1 << 22}, n = count[size], keys = size < 2 ? n : 1 << 24;
    uint32_t *key = host_array<uint32_t>(n);
    float *weight = host_array<float>(n), *want = host_array<float>(keys);
    for (int i = 0; i < n; i++) {
        key[i] = random_below(keys), weight[i] = (float)random_below(16);
        want[key[i]] += corpus_launches * weight[i];
    }
    uint32_t *d_key = to_device(key, n);
    float *d_weight = to_device(weight, n), *d_sums = device_zeros<float>(keys);
    LAUNCH(scatter_add<<<blocks_for(n, 512), 512>>>(d_key, d_weight, n, d_sums));
    float *sums = to_host(d_sums, keys);
    for (int k = 0; k < keys; k++)
        EXPECT(sums[k] == want[k], "key %d: %f, not %f", k, sums[k], want[k]);
    free(want), free(sums);
}

/* The least and the greatest of each of few groups: two atomics a thread at 64 addresses; most change nothing. */
__global__ void group_range(const int *group, const int *x, int n, int *least, int *greatest)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicMin(&least[group[i]], x[i]);
    atomicMax(&greatest[group[i]], x[i]);
}

static void run_group_range(int size)
{
    enum { GROUPS = 64 };
    const int count[] = {1 << 13, 1 << 17, 1 << 20}, n = count[size];
    int *group = host_array<int>(n), *x = host_array<int>(n), least[GROUPS], greatest[GROUPS];
    for (int g = 0; g < GROUPS; g++)
        least[g] = INT32_MAX, greatest[g] = INT32_MIN;
    int *d_least = to_device(least, GROUPS), *d_greatest = to_device(greatest, GROUPS);
    for (int i = 0; i < n; i++) {
        const int g = group[i] = (int)random_below(GROUPS);
        x[i] = (int)random_u32();
        least[g] = x[i] < least[g] ? x[i] : least[g];
        greatest[g] = x[i] > greatest[g] ? x[i] : greatest[g];
    }
    int *d_group = to_device(group, n), *d_x = to_device(x, n);
    LAUNCH(group_range<<<blocks_for(n, 128), 128>>>(d_group, d_x, n, d_least, d_greatest));
    const int *l = to_host(d_least, GROUPS), *h = to_host(d_greatest, GROUPS);
    for (int g = 0; g < GROUPS; g++)
        EXPECT(l[g] == least[g] && h[g] == greatest[g], "group %d: %d..%d", g, l[g], h[g]);
}

/* ---- atomics whose result is used: a place for each element that is kept ---- */

/* A ticket a thread: the returned value is waited for, the counter has all the contention. */
__global__ void keep_direct(const int *x, int n, int *kept, unsigned *tickets)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] & 1)
        kept[atomicAdd(tickets, 1) % (unsigned)n] = x[i];
}

/* A block counts with a ballot and shared memory, and takes all its places with one ticket: barriers instead of contention. */
__global__ void keep_block(const int *x, int n, int *kept, unsigned *tickets)
{
    __shared__ unsigned before[32], base;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool keep = i < n && x[i] & 1;
    const unsigned vote = __ballot_sync(~0u, keep);
    if (!lane)
        before[warp] = __popc(vote);
    __syncthreads();
    if (!threadIdx.x) {
        unsigned sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            const unsigned own = before[w];
            before[w] = sum, sum += own;
        }
        base = atomicAdd(tickets, sum);
    }
    __syncthreads();
    if (keep)
        kept[(base + before[warp] + __popc(vote & ((1u << lane) - 1))) % (unsigned)n] = x[i];
}

static void run_keep(int size, int threads, void (*kernel)(const int *, int, int *, unsigned *))
{
    const int count[] = {1 << 13, 1 << 18, 1 << 22}, n = count[size];
    int *x = host_array<int>(n);
    unsigned odd = 0;
    long long want = 0, got = 0;
    for (int i = 0; i < n; i++)
        if ((x[i] = (int)random_below(1 << 20)) & 1)
            odd++, want += x[i];
    int *d_x = to_device(x, n), *d_kept = device_zeros<int>(n);
    unsigned *d_tickets = device_zeros<unsigned>(1);
    LAUNCH(kernel<<<blocks_for(n, threads), threads>>>(d_x, n, d_kept, d_tickets));
    const unsigned tickets = *to_host(d_tickets, 1);
    EXPECT(tickets == corpus_launches * odd, "%u tickets, not %u", tickets, odd);
    const int *kept = to_host(d_kept, n);
    for (unsigned k = tickets - odd; k < tickets; k++)
        got += kept[k % n];
    EXPECT(got == want, "a sum of %lld, not %lld", got, want);
}

static void run_keep_direct(int size) { run_keep(size, 256, keep_direct); }
static void run_keep_block(int size) { run_keep(size, 1024, keep_block); }

/* ---- a list to which all threads push: exchanges at a few heads ---- */

/* Each thread hangs its node before the head of its key's list; the exchange's result is the node's next. */
__global__ void push_lists(const uint32_t *key, int n, int *head, int *next)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = atomicExch(&head[key[i]], i);
}

static void run_push_lists(int size)
{
    const int count[] = {1 << 12, 1 << 16, 1 << 20}, n = count[size], heads = 1 << (4 + 2 * size);
    uint32_t *key = host_array<uint32_t>(n);
    for (int i = 0; i < n; i++)
        key[i] = random_below(heads);
    uint32_t *d_key = to_device(key, n);
    int *d_head = device_array<int>(heads), *d_next = device_zeros<int>(n);
    CHECK(cudaMemset(d_head, -1, heads * sizeof *d_head));
    LAUNCH(push_lists<<<blocks_for(n, 64), 64>>>(d_key, n, d_head, d_next));
    const int *head = to_host(d_head, heads), *next = to_host(d_next, n);
    if (corpus_launches > 1)
        return; /* the second launch's lists end in the first launch's heads: rings */
    int nodes = 0;
    for (int h = 0; h < heads; h++)
        for (int i = head[h]; i >= 0; i = next[i], nodes++)
            EXPECT(key[i] == (uint32_t)h && nodes < n, "node %d in list %d", i, h);
    EXPECT(nodes == n, "%d nodes in the lists, not %d", nodes, n);
}

CORPUS({"sum_direct", "sum", run_sum_direct}, {"sum_warp", "sum", run_sum_warp}, {"sum_block", "sum", run_sum_block},
       {"sum_cas", "sum", run_sum_cas}, {"histogram_global", "histogram", run_histogram_global},
       {"histogram_shared", "histogram", run_histogram_shared}, {"histogram_warp", "histogram", run_histogram_warp},
       {"scatter_add", NULL, run_scatter_add}, {"group_range", NULL, run_group_range},
       {"keep_direct", "keep", run_keep_direct}, {"keep_block", "keep", run_keep_block},
       {"push_lists", NULL, run_push_lists})
