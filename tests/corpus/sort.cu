/* sort.cu - sorting and merging: networks, ranks, searches, counts of digits. */
#include "corpus.h"

static uint32_t *random_keys(size_t n, uint32_t below)
{
    uint32_t *keys = host_array<uint32_t>(n);
    for (size_t k = 0; k < n; k++)
        keys[k] = below ? random_below(below) : random_u32();
    return keys;
}

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- segments of 512 keys, each sorted by a block ---- */

enum { SEGMENT = 512 };

/* A bitonic network in shared memory, two keys a thread: 45 steps, each with a barrier. */
__global__ void bitonic_shared(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t key[SEGMENT];
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * SEGMENT, out += (size_t)blockIdx.x * SEGMENT;
    key[t] = in[t], key[t + SEGMENT / 2] = in[t + SEGMENT / 2];
    for (int run = 2; run <= SEGMENT; run *= 2)
        for (int step = run / 2; step; step /= 2) {
            __syncthreads();
            const int low = 2 * t - (t & (step - 1)), high = low + step;
            const uint32_t a = key[low], b = key[high];
            if ((a > b) == !(low & run)) key[low] = b, key[high] = a;
        }
    __syncthreads();
    out[t] = key[t], out[t + SEGMENT / 2] = key[t + SEGMENT / 2];
}

/* A key's place is the number of smaller ones: every thread compares with all keys; shared memory's broadcasts and the ALU. */
__global__ void rank_shared(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t key[SEGMENT];
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * SEGMENT, out += (size_t)blockIdx.x * SEGMENT;
    key[t] = in[t], key[t + SEGMENT / 2] = in[t + SEGMENT / 2];
    __syncthreads();
    for (int mine = t; mine < SEGMENT; mine += SEGMENT / 2) {
        const uint32_t x = key[mine];
        int rank = 0;
        for (int k = 0; k < SEGMENT; k++)
            rank += key[k] < x || (key[k] == x && k < mine);
        out[rank] = x;
    }
}

/* Odd and even neighbours in turn: as many steps as keys, a barrier each; latency of barriers and shared memory. */
__global__ void odd_even_shared(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t key[SEGMENT];
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * SEGMENT, out += (size_t)blockIdx.x * SEGMENT;
    key[t] = in[t], key[t + SEGMENT / 2] = in[t + SEGMENT / 2];
    for (int step = 0; step < SEGMENT; step++) {
        __syncthreads();
        const int low = 2 * t + step % 2;
        if (low + 1 < SEGMENT && key[low] > key[low + 1]) {
            const uint32_t x = key[low];
            key[low] = key[low + 1], key[low + 1] = x;
        }
    }
    __syncthreads();
    out[t] = key[t], out[t + SEGMENT / 2] = key[t + SEGMENT / 2];
}

static void run_segments(int size, void (*kernel)(const uint32_t *, uint32_t *))
{
    static const int sizes[] = {100, 1000, 5000};
    const int segments = sizes[size];
    const size_t n = (size_t)segments * SEGMENT;
    uint32_t *in = random_keys(n, 1000000), *device_in = to_device(in, n), *device_out = device_zeros<uint32_t>(n);
    LAUNCH(kernel<<<segments, SEGMENT / 2>>>(device_in, device_out));
    uint32_t *out = to_host(device_out, n);
    for (int s = 0; s < segments; s += 19) {
        qsort(in + (size_t)s * SEGMENT, SEGMENT, sizeof *in, compare_keys);
        EXPECT(!memcmp(in + (size_t)s * SEGMENT, out + (size_t)s * SEGMENT, SEGMENT * sizeof *in), "segment %d", s);
    }
    free(in), free(out);
}

/* ---- 32 keys in the registers of a warp ---- */

/* The network by shuffles: 15 exchanges, no shared memory, no barrier. */
__global__ void bitonic_shuffle(const uint32_t *in, uint32_t *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    uint32_t x = in[i];
    for (int run = 2; run <= 32; run *= 2)
        for (int step = run / 2; step; step /= 2) {
            const uint32_t other = __shfl_xor_sync(~0u, x, step);
            const bool smaller = !(lane & step) == !(lane & run);
            x = smaller ? min(x, other) : max(x, other);
        }
    out[i] = x;
}

/* 32 keys in the local array of a thread, by insertion: indices are not known, so it lies in local memory; divergent. */
__global__ void insertion_thread(const uint32_t *in, uint32_t *out, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 32;
    if (first >= n) return;
    uint32_t key[32];
    for (int k = 0; k < 32; k++) {
        const uint32_t x = in[first + k];
        int at = k;
        for (; at > 0 && key[at - 1] > x; at--)
            key[at] = key[at - 1];
        key[at] = x;
    }
    for (int k = 0; k < 32; k++)
        out[first + k] = key[k];
}

static void run_sort32(int size, void (*kernel)(const uint32_t *, uint32_t *, int), int keys)
{
    static const int sizes[] = {4000, 60000, 500000};
    const int n = sizes[size] * 32;
    uint32_t *in = random_keys(n, 0), *device_in = to_device(in, n), *device_out = device_zeros<uint32_t>(n);
    LAUNCH(kernel<<<blocks_for(n / keys, 128), 128>>>(device_in, device_out, n));
    uint32_t *out = to_host(device_out, n);
    for (int s = 0; s < n; s += 32 * 41) {
        qsort(in + s, 32, sizeof *in, compare_keys);
        EXPECT(!memcmp(in + s, out + s, 32 * sizeof *in), "keys from %d", s);
    }
    free(in), free(out);
}

/* ---- two sorted lists to one ---- */

__host__ __device__ static inline int first_not_below(const uint32_t *list, int n, uint32_t x)
{
    int low = 0;
    while (low < n) {
        const int middle = (low + n) / 2;
        if (list[middle] < x) low = middle + 1;
        else n = middle;
    }
    return low;
}

/* A key a thread: its place is its index and a search in the other list; bound by the latency of dependent reads. */
__global__ void merge_search(const uint32_t *a, const uint32_t *b, uint32_t *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * n) return;
    if (i < n) out[i + first_not_below(b, n, a[i])] = a[i];
    else out[i - n + first_not_below(a, n, b[i - n] + 1)] = b[i - n]; /* keys of a come first */
}

enum { PATH = 16 };

/* 16 keys of the result a thread: one search along the diagonal, then a sequential merge; reads 64 bytes apart. */
__global__ void merge_path(const uint32_t *a, const uint32_t *b, uint32_t *out, int n)
{
    const int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * PATH;
    if (diagonal >= 2 * n) return;
    int low = max(0, diagonal - n), high = min(diagonal, n);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    for (int k = 0, i = low, j = diagonal - low; k < PATH && diagonal + k < 2 * n; k++) {
        const bool take = j >= n || (i < n && a[i] <= b[j]);
        out[diagonal + k] = take ? a[i] : b[j];
        i += take, j += !take;
    }
}

static void run_merge(int size, void (*kernel)(const uint32_t *, const uint32_t *, uint32_t *, int), int keys)
{
    static const int sizes[] = {30000, 800000, 5000000};
    const int n = sizes[size];
    uint32_t *list[2];
    for (int which = 0; which < 2; which++) {
        list[which] = host_array<uint32_t>(n);
        for (int k = 0; k < n; k++)
            list[which][k] = (k ? list[which][k - 1] : 0) + random_below(100);
    }
    uint32_t *a = to_device(list[0], n), *b = to_device(list[1], n), *device_out = device_zeros<uint32_t>(2 * (size_t)n);
    LAUNCH(kernel<<<blocks_for(2 * (size_t)n / keys + 1, 256), 256>>>(a, b, device_out, n));
    uint32_t *out = to_host(device_out, 2 * (size_t)n);
    for (int k = 0, i = 0, j = 0; k < 2 * n; k++) {
        const uint32_t want = j >= n || (i < n && list[0][i] <= list[1][j]) ? list[0][i++] : list[1][j++];
        EXPECT(out[k] == want, "key %d", k);
    }
    free(list[0]), free(list[1]), free(out);
}

/* ---- counts of 8-bit digits, a table a block: the first half of a pass of a radix sort ---- */

/* Atomics on one table in shared memory. */
__global__ void digits_shared(const uint32_t *keys, int *counts, int n)
{
    __shared__ int table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        table[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&table[keys[i] & 255], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        counts[blockIdx.x * 256 + k] = table[k];
}

/* A table a warp, added up at the end: fewer lanes at one address. */
__global__ void digits_by_warp(const uint32_t *keys, int *counts, int n)
{
    __shared__ int table[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += blockDim.x)
        table[k / 256][k % 256] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&table[threadIdx.x / 32][keys[i] & 255], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        int sum = 0;
        for (int w = 0; w < 8; w++)
            sum += table[w][k];
        counts[blockIdx.x * 256 + k] = sum;
    }
}

/* Lanes with the same digit find each other first (match): one addition a digit and warp. */
__global__ void digits_matched(const uint32_t *keys, int *counts, int n)
{
    __shared__ int table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        table[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - (int)threadIdx.x % 32 < n; i += gridDim.x * blockDim.x) {
        const int digit = i < n ? (int)(keys[i] & 255) : 256;
        const unsigned same = __match_any_sync(~0u, digit);
        if (digit < 256 && (int)threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&table[digit], __popc(same));
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        counts[blockIdx.x * 256 + k] = table[k];
}

static void run_digits(int size, void (*kernel)(const uint32_t *, int *, int))
{
    static const int sizes[] = {400000, 10000000, 60000000};
    const int n = sizes[size], blocks = 264;
    uint32_t *keys = random_keys(n, 0);
    for (int k = 0; k < n; k += 2) /* half of the keys have one of 16 digits */
        keys[k] &= ~0xf0u;
    uint32_t *device_keys = to_device(keys, n);
    int *device_counts = device_zeros<int>(blocks * 256);
    LAUNCH(kernel<<<blocks, 256>>>(device_keys, device_counts, n));
    int *counts = to_host(device_counts, blocks * 256), want[256] = {};
    for (int k = 0; k < n; k++)
        want[keys[k] & 255]++;
    for (int digit = 0; digit < 256; digit++) {
        int sum = 0;
        for (int block = 0; block < blocks; block++)
            sum += counts[block * 256 + digit];
        EXPECT(sum == want[digit], "digit %d: %d, not %d", digit, sum, want[digit]);
    }
    free(keys), free(counts);
}

/* ---- one step of a bitonic sort of the whole list in global memory: reads and writes all, bound by DRAM ---- */

__global__ void bitonic_step(uint32_t *keys, int pairs, int step, int run)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) return;
    const int low = 2 * t - (t & (step - 1)), high = low + step;
    const uint32_t a = keys[low], b = keys[high];
    if ((a > b) == !(low & run)) keys[low] = b, keys[high] = a;
}

static void run_bitonic_step(int size)
{
    static const int sizes[] = {1 << 18, 1 << 23, 1 << 26};
    const int n = sizes[size], step = 1 << 12, run = 1 << 14;
    uint32_t *in = random_keys(n, 0), *keys = to_device(in, n);
    LAUNCH(bitonic_step<<<blocks_for(n / 2, 1024), 1024>>>(keys, n / 2, step, run));
    uint32_t *out = to_host(keys, n);
    for (int low = 0; low < n; low++) {
        if (low & step) continue;
        const uint32_t a = in[low], b = in[low + step], small = a < b ? a : b, large = a < b ? b : a;
        EXPECT(out[low] == (low & run ? large : small) && out[low + step] == (low & run ? small : large), "key %d", low);
    }
    free(in), free(out);
}

CORPUS({"bitonic_shared", "sort_segments", [](int size) { run_segments(size, bitonic_shared); }},
       {"rank_shared", "sort_segments", [](int size) { run_segments(size, rank_shared); }},
       {"odd_even_shared", "sort_segments", [](int size) { run_segments(size, odd_even_shared); }},
       {"bitonic_shuffle", "sort32", [](int size) { run_sort32(size, bitonic_shuffle, 1); }},
       {"insertion_thread", "sort32", [](int size) { run_sort32(size, insertion_thread, 32); }},
       {"merge_search", "merge", [](int size) { run_merge(size, merge_search, 1); }},
       {"merge_path", "merge", [](int size) { run_merge(size, merge_path, PATH); }},
       {"digits_shared", "digits", [](int size) { run_digits(size, digits_shared); }},
       {"digits_by_warp", "digits", [](int size) { run_digits(size, digits_by_warp); }},
       {"digits_matched", "digits", [](int size) { run_digits(size, digits_matched); }},
       {"bitonic_step", NULL, run_bitonic_step})
