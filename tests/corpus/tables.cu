/* tables - tables and buffers in global memory that a launch writes and reads again, round after round: dynamic programming by
 * pivots, rows, diagonals and antidiagonals, and sorts that move keys between two buffers or in place.
 */
#include "corpus.h"

static uint32_t *random_words(size_t n, uint32_t below)
{
    uint32_t *a = host_array<uint32_t>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_below(below);
    return a;
}

/* ---- shortest ways: a round of Floyd and Warshall ---- */

/* A thread a pair of places: is the way through `pivot` shorter? Few are, so most of the table is only read. */
__global__ void floyd_step(int *length, int n, int pivot)
{
    const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * blockDim.y + threadIdx.y;
    if (to >= n || from >= n)
        return;
    const int through = length[from * n + pivot] + length[pivot * n + to];
    if (through < length[from * n + to])
        length[from * n + to] = through;
}

static void run_floyd_step(int size)
{
    const int n = size == 0 ? 700 : size == 1 ? 4000 : 7000, pivot = n / 3;
    const size_t pairs = (size_t)n * n;
    int *before = (int *)random_words(pairs, 1000);
    before[(size_t)pivot * n + pivot] = 0;
    int *d_length = to_device(before, pairs);
    LAUNCH(floyd_step<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), dim3(32, 8)>>>(d_length, n, pivot));
    int *after = to_host(d_length, pairs);
    for (int check = 0; check < 50000; check++) {
        const size_t from = random_below(n), to = random_below(n);
        const int old = before[from * n + to], through = before[from * n + pivot] + before[pivot * n + to];
        EXPECT(after[from * n + to] == (through < old ? through : old), "from %zu to %zu", from, to);
    }
    free(before), free(after);
}

/* ---- knapsacks: a block one, a row of the table a thing ---- */

enum { PACK_THREADS = 256 };

/* best[k % 2][w] is the most that the first k things are worth whose weight is at most w; two rows in global memory take turns.
 * A byte a thing and weight says whether it was taken. */
__global__ void knapsack_rows(const int2 *things, int nthings, int limit, int *rows, uint8_t *taken)
{
    const size_t width = limit + 1;
    int *best = rows + blockIdx.x * 2 * width;
    uint8_t *take = taken + blockIdx.x * nthings * width;
    things += blockIdx.x * nthings;
    for (int w = threadIdx.x; w <= limit; w += PACK_THREADS)
        best[w] = 0;
    __syncthreads();
    for (int k = 0; k < nthings; k++) {
        const int2 thing = things[k]; /* weight, worth */
        const int *old = best + k % 2 * width;
        int *row = best + (k + 1) % 2 * width;
        for (int w = threadIdx.x; w <= limit; w += PACK_THREADS) {
            const int without = old[w], with = w >= thing.x ? old[w - thing.x] + thing.y : -1;
            row[w] = max(with, without);
            take[k * width + w] = with > without;
        }
        __syncthreads();
    }
}

static void run_knapsack_rows(int size)
{
    const int packs = size == 0 ? 132 : size == 1 ? 600 : 1000, limit = size == 0 ? 1000 : size == 1 ? 4000 : 8000;
    const int nthings = size == 0 ? 8 : size == 1 ? 20 : 30;
    const size_t width = limit + 1, all = (size_t)packs * nthings;
    int2 *things = host_array<int2>(all);
    for (size_t i = 0; i < all; i++)
        things[i] = make_int2(1 + (int)random_below(limit / 5), 1 + (int)random_below(100));
    const int2 *d_things = to_device(things, all);
    int *d_rows = device_array<int>(packs * 2 * width);
    uint8_t *d_taken = device_array<uint8_t>(all * width);
    LAUNCH(knapsack_rows<<<packs, PACK_THREADS>>>(d_things, nthings, limit, d_rows, d_taken));
    int *rows = to_host(d_rows, packs * 2 * width), *want = host_array<int>(width);
    uint8_t *taken = to_host(d_taken, all * width);
    for (size_t pack = 0; pack < (size_t)packs; pack += packs / 20) {
        memset(want, 0, width * sizeof *want);
        for (int k = 0; k < nthings; k++)
            for (int w = limit; w >= things[pack * nthings + k].x; w--) {
                const int2 thing = things[pack * nthings + k];
                const bool better = want[w - thing.x] + thing.y > want[w];
                EXPECT(taken[(pack * nthings + k) * width + w] == better, "pack %zu, thing %d, weight %d", pack, k, w);
                if (better)
                    want[w] = want[w - thing.x] + thing.y;
            }
        EXPECT(!memcmp(want, rows + (pack * 2 + nthings % 2) * width, width * sizeof *want), "pack %zu", pack);
    }
    free(things), free(rows), free(taken), free(want);
}

/* ---- products of a chain of matrices: a block a chain, by diagonals ---- */

/* cost[i][j]: the least number of products for the matrices i to j of a chain; matrix i is sides[i] by sides[i + 1]. A thread a
 * cell of the diagonal: neighbours read neighbouring rows. */
__global__ void chain_diagonals(const int *sides, int *costs, int n)
{
    const int *side = sides + blockIdx.x * (n + 1);
    int *cost = costs + (size_t)blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        cost[i * n + i] = 0;
    for (int length = 1; length < n; length++) {
        __syncthreads();
        for (int i = threadIdx.x; i + length < n; i += blockDim.x) {
            const int j = i + length;
            int least = INT32_MAX;
            for (int k = i; k < j; k++)
                least = min(least, cost[i * n + k] + cost[(k + 1) * n + j] + side[i] * side[k + 1] * side[j + 1]);
            cost[i * n + j] = least;
        }
    }
}

static void run_chain_diagonals(int size)
{
    const int chains = size == 0 ? 132 : size == 1 ? 500 : 1000, n = size == 0 ? 20 : size == 1 ? 40 : 64;
    const size_t cells = (size_t)n * n;
    int *sides = (int *)random_words((size_t)chains * (n + 1), 90), *want = host_array<int>(cells);
    const int *d_sides = to_device(sides, (size_t)chains * (n + 1));
    int *d_costs = device_zeros<int>(chains * cells);
    LAUNCH(chain_diagonals<<<chains, 64>>>(d_sides, d_costs, n));
    int *costs = to_host(d_costs, chains * cells);
    for (int chain = 0; chain < chains; chain += chains / 20) {
        const int *side = sides + (size_t)chain * (n + 1);
        for (int i = n - 1; i >= 0; i--)
            for (int j = i; j < n; j++) {
                int least = j == i ? 0 : INT32_MAX;
                for (int k = i; k < j; k++) {
                    const int split = want[i * n + k] + want[(k + 1) * n + j] + side[i] * side[k + 1] * side[j + 1];
                    least = split < least ? split : least;
                }
                want[i * n + j] = least;
                EXPECT(costs[chain * cells + i * n + j] == least, "chain %d, %d to %d", chain, i, j);
            }
    }
    free(sides), free(costs), free(want);
}

/* ---- longest common subsequences: a block a pair of texts, by antidiagonals of the whole table ---- */

__global__ void lcs_antidiagonals(const uint8_t *texts, int *tables, int n)
{
    const uint8_t *a = texts + blockIdx.x * 2 * n, *b = a + n;
    const int width = n + 1;
    int *table = tables + (size_t)blockIdx.x * width * width; /* of zeros: the first row and column stay so */
    for (int d = 2; d <= 2 * n; d++) {
        for (int i = max(1, d - n) + threadIdx.x; i <= min(n, d - 1); i += blockDim.x) {
            const int j = d - i, at = i * width + j;
            table[at] = a[i - 1] == b[j - 1] ? table[at - width - 1] + 1 : max(table[at - width], table[at - 1]);
        }
        __syncthreads();
    }
}

static void run_lcs_antidiagonals(int size)
{
    const int pairs = size == 0 ? 100 : size == 1 ? 250 : 132, n = size == 0 ? 24 : size == 1 ? 128 : 450;
    const size_t width = n + 1, cells = width * width;
    uint8_t *texts = host_array<uint8_t>((size_t)pairs * 2 * n);
    for (size_t i = 0; i < (size_t)pairs * 2 * n; i++)
        texts[i] = "acgt"[random_below(4)];
    const uint8_t *d_texts = to_device(texts, (size_t)pairs * 2 * n);
    int *d_tables = device_zeros<int>(pairs * cells), *want = host_array<int>(cells);
    LAUNCH(lcs_antidiagonals<<<pairs, 128>>>(d_texts, d_tables, n));
    int *tables = to_host(d_tables, pairs * cells);
    for (size_t pair = 0; pair < (size_t)pairs; pair += pairs / 20) {
        const uint8_t *a = texts + pair * 2 * n, *b = a + n;
        for (size_t i = 1; i < width; i++)
            for (size_t j = 1; j < width; j++) {
                const int up = want[(i - 1) * width + j], left = want[i * width + j - 1];
                want[i * width + j] = a[i - 1] == b[j - 1] ? want[(i - 1) * width + j - 1] + 1 : up > left ? up : left;
            }
        EXPECT(!memcmp(want, tables + pair * cells, cells * sizeof *want), "pair %zu", pair);
    }
    free(texts), free(tables), free(want);
}

/* ---- sorts ---- */

static int by_value(const void *a, const void *b)
{
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

static void sort_runs(uint32_t *keys, size_t n, size_t run)
{
    for (size_t i = 0; i < n; i += run)
        qsort(keys + i, run, sizeof *keys, by_value);
}

/* Some of the runs of `run` keys are what sorting those of `in` gives. */
static void check_runs(const uint32_t *in, const uint32_t *d_out, size_t n, size_t run)
{
    uint32_t *out = to_host(d_out, n), *want = host_array<uint32_t>(run);
    const size_t runs = n / run;
    for (size_t r = 0; r < runs; r += runs / 64 + 1) {
        memcpy(want, in + r * run, run * sizeof *want);
        sort_runs(want, run, run);
        EXPECT(!memcmp(want, out + r * run, run * sizeof *want), "run %zu is not sorted", r);
    }
    free(out), free(want);
}

/* A pass of a merge sort as one writes it first: a thread merges two runs, key by key, from one buffer to the other. */
__global__ void merge_runs(const uint32_t *in, uint32_t *out, int n, int run)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
    if (first >= n)
        return;
    int a = first, b = first + run;
    const int a_end = b, b_end = b + run;
    for (int k = first; k < b_end; k++)
        out[k] = b >= b_end || (a < a_end && in[a] <= in[b]) ? in[a++] : in[b++];
}

static void run_merge_runs(int size)
{
    const int run = size == 0 ? 8 : size == 1 ? 16 : 32, n = size == 0 ? 1 << 17 : size == 1 ? 3 << 20 : 3 << 22;
    uint32_t *keys = random_words(n, 1 << 30);
    sort_runs(keys, n, run);
    const uint32_t *d_in = to_device(keys, n);
    uint32_t *d_out = device_array<uint32_t>(n);
    LAUNCH(merge_runs<<<blocks_for(n / (2 * run), 128), 128>>>(d_in, d_out, n, run));
    check_runs(keys, d_out, n, 2 * run);
    free(keys);
}

enum { RADIX_THREADS = 256, RADIX_EACH = 16, RADIX_KEYS = RADIX_THREADS * RADIX_EACH, DIGITS = 16 };

/* What stands before each of the block's counts, in their order; the thread's 16 first. */
__device__ void sums_before(int *counts)
{
    __shared__ int warps[RADIX_THREADS / 32];
    int *own = counts + threadIdx.x * DIGITS, sum = 0;
    for (int k = 0; k < DIGITS; k++)
        sum += own[k];
    int upto = sum;
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(~0u, upto, d);
        if (threadIdx.x % 32 >= d)
            upto += other;
    }
    if (threadIdx.x % 32 == 31)
        warps[threadIdx.x / 32] = upto;
    __syncthreads();
    int before = upto - sum;
    for (int w = 0; w < threadIdx.x / 32; w++)
        before += warps[w];
    for (int k = 0; k < DIGITS; k++) {
        const int count = own[k];
        own[k] = before;
        before += count;
    }
    __syncthreads();
}

/* A block sorts 4096 keys of 24 bits by digits of four: each thread counts the digits of its 16 keys, and moves them to the other
 * buffer. The first pass reads `in`. */
__global__ void radix_segments(const uint32_t *in, uint32_t *one, uint32_t *other)
{
    __shared__ int counts[DIGITS * RADIX_THREADS]; /* digit by digit, thread by thread */
    const size_t first = (size_t)blockIdx.x * RADIX_KEYS;
    const uint32_t *from = in + first;
    uint32_t *to = one + first, *next = other + first;
    for (int shift = 0; shift < 24; shift += 4) {
        for (int d = 0; d < DIGITS; d++)
            counts[d * RADIX_THREADS + threadIdx.x] = 0;
        for (int k = 0; k < RADIX_EACH; k++)
            counts[(from[threadIdx.x * RADIX_EACH + k] >> shift) % DIGITS * RADIX_THREADS + threadIdx.x]++;
        __syncthreads();
        sums_before(counts);
        for (int k = 0; k < RADIX_EACH; k++) {
            const uint32_t key = from[threadIdx.x * RADIX_EACH + k];
            to[counts[(key >> shift) % DIGITS * RADIX_THREADS + threadIdx.x]++] = key;
        }
        __syncthreads();
        uint32_t *written = to;
        to = next;
        next = written;
        from = written;
    }
}

static void run_radix_segments(int size)
{
    const size_t n = (size_t)(size == 0 ? 66 : size == 1 ? 600 : 2000) * RADIX_KEYS;
    uint32_t *keys = random_words(n, 1 << 24);
    const uint32_t *d_in = to_device(keys, n);
    uint32_t *d_one = device_array<uint32_t>(n), *d_other = device_array<uint32_t>(n);
    LAUNCH(radix_segments<<<n / RADIX_KEYS, RADIX_THREADS>>>(d_in, d_one, d_other));
    check_runs(keys, d_other, n, RADIX_KEYS); /* six passes: the last writes the second */
    free(keys);
}

/* A step of a bitonic sort: a thread a key, of which the lower of two puts both in order. */
__global__ void bitonic_step(uint32_t *keys, int distance, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ distance;
    if (j <= i)
        return;
    const uint32_t a = keys[i], b = keys[j];
    if ((a > b) == !(i & width)) {
        keys[i] = b;
        keys[j] = a;
    }
}

static void run_bitonic_step(int size)
{
    const int n = size == 0 ? 1 << 19 : size == 1 ? 3 << 22 : 1 << 25, distance = 16, width = 1 << 10;
    uint32_t *keys = random_words(n, 1u << 31), *d_keys = to_device(keys, n);
    LAUNCH(bitonic_step<<<n / 256, 256>>>(d_keys, distance, width));
    uint32_t *out = to_host(d_keys, n);
    for (int check = 0; check < 50000; check++) {
        const uint32_t i = random_below(n) & ~distance, low = keys[i] < keys[i + 16] ? keys[i] : keys[i + 16];
        const uint32_t high = keys[i] < keys[i + 16] ? keys[i + 16] : keys[i];
        EXPECT(out[i] == (i & width ? high : low) && out[i + 16] == (i & width ? low : high), "keys %u and %u", i, i + 16);
    }
    free(keys), free(out);
}

enum { BITONIC_THREADS = 512, BITONIC_KEYS = 2 * BITONIC_THREADS };

/* A block sorts its 1024 keys in global memory, a thread a pair: 55 steps, all of which write what they change. */
__global__ void bitonic_segments(const uint32_t *in, uint32_t *out)
{
    uint32_t *keys = out + (size_t)blockIdx.x * BITONIC_KEYS;
    for (int k = threadIdx.x; k < BITONIC_KEYS; k += BITONIC_THREADS)
        keys[k] = in[(size_t)blockIdx.x * BITONIC_KEYS + k];
    for (int width = 2; width <= BITONIC_KEYS; width *= 2)
        for (int d = width / 2; d; d /= 2) {
            __syncthreads();
            const int i = threadIdx.x / d * 2 * d + threadIdx.x % d;
            const uint32_t a = keys[i], b = keys[i + d];
            if ((a > b) == !(i & width)) {
                keys[i] = b;
                keys[i + d] = a;
            }
        }
}

static void run_bitonic_segments(int size)
{
    const size_t n = (size_t)(size == 0 ? 40 : size == 1 ? 700 : 4000) * BITONIC_KEYS;
    uint32_t *keys = random_words(n, 1u << 31);
    const uint32_t *d_in = to_device(keys, n);
    uint32_t *d_out = device_array<uint32_t>(n);
    LAUNCH(bitonic_segments<<<n / BITONIC_KEYS, BITONIC_THREADS>>>(d_in, d_out));
    check_runs(keys, d_out, n, BITONIC_KEYS);
    free(keys);
}

CORPUS({"floyd_step", NULL, run_floyd_step}, {"knapsack_rows", NULL, run_knapsack_rows},
       {"chain_diagonals", NULL, run_chain_diagonals}, {"lcs_antidiagonals", NULL, run_lcs_antidiagonals},
       {"merge_runs", NULL, run_merge_runs}, {"radix_segments", NULL, run_radix_segments},
       {"bitonic_step", NULL, run_bitonic_step}, {"bitonic_segments", NULL, run_bitonic_segments})
