/* chase - loads whose addresses come from loads: rings of L1, L2 and DRAM size, linked lists, hash tables, walks on a graph.
 * Almost no arithmetic: what counts is the latency of one load after the other, and how many chains are under way at once. */
#include "corpus.h"

enum { LINE = 32 }; /* words of a 128-byte line: each node of a ring has a line of its own */

/* ---- rings ---- */

/* Each node's first word says which node follows. */
__device__ uint32_t follow(const uint32_t *ring, uint32_t at, int steps)
{
    for (int k = 0; k < steps; k++)
        at = ring[(size_t)at * LINE];
    return at;
}

/* One thread, a ring of 16 KB at most: the latency of L1, after a round of misses. */
__global__ void chase_l1(const uint32_t *ring, int steps, uint32_t *end)
{
    *end = follow(ring, 0, steps);
}

/* One thread, loads that go past L1: the latency of L2, after a round of misses. */
__global__ void chase_l2(const uint32_t *ring, int steps, uint32_t *end)
{
    uint32_t at = 0;
    for (int k = 0; k < steps; k++)
        at = __ldcg(&ring[(size_t)at * LINE]);
    *end = at;
}

/* One thread, a ring of 512 KB, larger than L1: a round of misses in L2, then the latency of L2 without any hit in L1. */
__global__ void chase_past_l1(const uint32_t *ring, int steps, uint32_t *end)
{
    *end = follow(ring, 0, steps);
}

/* One thread, a ring of 128 MB: the latency of DRAM. */
__global__ void chase_dram(const uint32_t *ring, int steps, uint32_t *end)
{
    *end = follow(ring, 0, steps);
}

/* One warp, each lane on a way of its own: 32 lines a load, so the L1's throughput of lines is added to the latency. */
__global__ void chase_warp(const uint32_t *ring, const uint32_t *start, int steps, uint32_t *end)
{
    end[threadIdx.x] = follow(ring, start[threadIdx.x], steps);
}

/* Every SM full of such warps: limited by DRAM sectors, no longer by latency. */
__global__ void chase_full(const uint32_t *ring, const uint32_t *start, int steps, uint32_t *end)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    end[i] = follow(ring, start[i], steps);
}

/* A ring through all n nodes in random order (Sattolo). */
static uint32_t *make_ring(uint32_t n)
{
    uint32_t *order = host_array<uint32_t>(n), *ring = host_array<uint32_t>((size_t)n * LINE);
    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    for (uint32_t k = n - 1; k; k--) {
        const uint32_t j = random_below(k), t = order[k];
        order[k] = order[j], order[j] = t;
    }
    for (uint32_t k = 0; k < n; k++)
        ring[(size_t)k * LINE] = order[k];
    free(order);
    return ring;
}

static uint32_t follow_host(const uint32_t *ring, uint32_t at, int steps)
{
    while (steps--)
        at = ring[(size_t)at * LINE];
    return at;
}

static void run_chase_one(uint32_t nodes, int steps, void (*kernel)(const uint32_t *, int, uint32_t *))
{
    uint32_t *ring = make_ring(nodes), *d_ring = to_device(ring, (size_t)nodes * LINE), *d_end = device_zeros<uint32_t>(1);
    LAUNCH(kernel<<<1, 1>>>(d_ring, steps, d_end));
    const uint32_t got = *to_host(d_end, 1), want = follow_host(ring, 0, steps);
    EXPECT(got == want, "node %u, not %u", got, want);
    free(ring);
}

static void run_chase_l1(int size)
{
    const int nodes[] = {16, 128, 128}, steps[] = {300, 4000, 40000};
    run_chase_one(nodes[size], steps[size], chase_l1);
}

static void run_chase_l2(int size)
{
    const int nodes[] = {8, 64, 1024}, steps[] = {60, 700, 8000};
    run_chase_one(nodes[size], steps[size], chase_l2);
}

static void run_chase_past_l1(int size)
{
    const int steps[] = {30, 300, 12000};
    run_chase_one(4096, steps[size], chase_past_l1);
}

static void run_chase_dram(int size)
{
    const int steps[] = {30, 300, 4000};
    run_chase_one(1 << 20, steps[size], chase_dram);
}

static void run_chase_many(int blocks, int threads, int steps,
                           void (*kernel)(const uint32_t *, const uint32_t *, int, uint32_t *))
{
    const uint32_t nodes = 1 << 20;
    const int n = blocks * threads;
    uint32_t *ring = make_ring(nodes), *start = host_array<uint32_t>(n);
    for (int i = 0; i < n; i++)
        start[i] = random_below(nodes);
    uint32_t *d_ring = to_device(ring, (size_t)nodes * LINE), *d_start = to_device(start, n);
    uint32_t *d_end = device_zeros<uint32_t>(n);
    LAUNCH(kernel<<<blocks, threads>>>(d_ring, d_start, steps, d_end));
    const uint32_t *end = to_host(d_end, n);
    for (int i = 0; i < n; i += n / 32)
        EXPECT(end[i] == follow_host(ring, start[i], steps), "way %d ends in %u", i, end[i]);
    free(ring);
}

static void run_chase_warp(int size)
{
    const int steps[] = {20, 200, 2500};
    run_chase_many(1, 32, steps[size], chase_warp);
}

static void run_chase_full(int size)
{
    const int blocks[] = {132, 528, 528}, steps[] = {10, 24, 256};
    run_chase_many(blocks[size], 256, steps[size], chase_full);
}

/* ---- linked lists: the sum of each list's values ---- */

struct node {
    int value, next; /* next: -1 at the end */
};

__device__ int sum_list(const struct node *nodes, int at)
{
    int sum = 0;
    while (at >= 0) {
        const struct node one = nodes[at];
        sum += one.value;
        at = one.next;
    }
    return sum;
}

/* A thread a list, nodes anywhere: latency, and a warp waits for its longest list. */
__global__ void lists_thread(const struct node *nodes, const int *first, int lists, int *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lists)
        sums[i] = sum_list(nodes, first[i]);
}

/* The lists in the order of their lengths: the lanes of a warp end together. */
__global__ void lists_ordered(const struct node *nodes, const int *first, const int *order, int lists, int *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lists)
        sums[order[i]] = sum_list(nodes, first[order[i]]);
}

/* The same values one list after the other, a warp a list: no chain is left, limited by the short loops. */
__global__ void lists_packed(const int *values, const int *offset, int lists, int *sums)
{
    const int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (list >= lists)
        return;
    int sum = 0;
    for (int k = offset[list] + lane; k < offset[list + 1]; k += 32)
        sum += values[k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (!lane)
        sums[list] = sum;
}

struct lists {
    int lists, nodes, *offset, *values, *first, *order, *sums;
    struct node *node;
};

static const int *sort_offset;

static int by_length(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    return sort_offset[i + 1] - sort_offset[i] - (sort_offset[j + 1] - sort_offset[j]);
}

/* Most lists are short, some are up to eight times as long; the nodes lie in random order. */
static struct lists make_lists(int size)
{
    const int count[] = {1 << 10, 1 << 14, 1 << 17}, length[] = {8, 16, 64};
    struct lists l = {};
    l.lists = count[size];
    l.offset = host_array<int>(l.lists + 1), l.first = host_array<int>(l.lists), l.order = host_array<int>(l.lists);
    l.sums = host_array<int>(l.lists);
    for (int i = 0; i < l.lists; i++) {
        const int most = random_below(8) ? length[size] : 8 * length[size];
        l.offset[i + 1] = l.offset[i] + 1 + (int)random_below(most);
        l.order[i] = i;
    }
    l.nodes = l.offset[l.lists];
    l.values = host_array<int>(l.nodes), l.node = host_array<struct node>(l.nodes);
    int *place = host_array<int>(l.nodes);
    for (int k = 0; k < l.nodes; k++) {
        const int j = (int)random_below(k + 1);
        place[k] = place[j], place[j] = k;
    }
    for (int i = 0; i < l.lists; i++) {
        l.first[i] = place[l.offset[i]];
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++) {
            l.values[k] = (int)random_below(1000);
            l.sums[i] += l.values[k];
            l.node[place[k]].value = l.values[k];
            l.node[place[k]].next = k + 1 < l.offset[i + 1] ? place[k + 1] : -1;
        }
    }
    sort_offset = l.offset;
    qsort(l.order, l.lists, sizeof *l.order, by_length);
    free(place);
    return l;
}

static void expect_sums(const struct lists *l, const int *d_sums)
{
    const int *sums = to_host(d_sums, l->lists);
    for (int i = 0; i < l->lists; i++)
        EXPECT(sums[i] == l->sums[i], "list %d: %d, not %d", i, sums[i], l->sums[i]);
}

static void run_lists_thread(int size)
{
    const struct lists l = make_lists(size);
    struct node *d_node = to_device(l.node, l.nodes);
    int *d_first = to_device(l.first, l.lists), *d_sums = device_zeros<int>(l.lists);
    LAUNCH(lists_thread<<<blocks_for(l.lists, 128), 128>>>(d_node, d_first, l.lists, d_sums));
    expect_sums(&l, d_sums);
}

static void run_lists_ordered(int size)
{
    const struct lists l = make_lists(size);
    struct node *d_node = to_device(l.node, l.nodes);
    int *d_first = to_device(l.first, l.lists), *d_order = to_device(l.order, l.lists);
    int *d_sums = device_zeros<int>(l.lists);
    LAUNCH(lists_ordered<<<blocks_for(l.lists, 128), 128>>>(d_node, d_first, d_order, l.lists, d_sums));
    expect_sums(&l, d_sums);
}

static void run_lists_packed(int size)
{
    const struct lists l = make_lists(size);
    int *d_values = to_device(l.values, l.nodes), *d_offset = to_device(l.offset, l.lists + 1);
    int *d_sums = device_zeros<int>(l.lists);
    LAUNCH(lists_packed<<<blocks_for(l.lists, 4), 128>>>(d_values, d_offset, l.lists, d_sums));
    expect_sums(&l, d_sums);
}

/* ---- a hash table with open addressing: the value of each key, or 0 ---- */

struct slot {
    uint32_t key, value; /* key 0: empty */
};

__host__ __device__ static inline uint32_t hash(uint32_t key)
{
    key ^= key >> 16, key *= 0x7feb352du;
    key ^= key >> 15, key *= 0x846ca68bu;
    return key ^ key >> 16;
}

/* A thread a key, slot after slot: random sectors, and a warp goes on until its longest probe has ended. */
__global__ void hash_thread(const struct slot *table, uint32_t mask, const uint32_t *keys, int n, uint32_t *values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t key = keys[i];
    uint32_t at = hash(key) & mask;
    struct slot one = table[at];
    while (one.key && one.key != key) {
        at = (at + 1) & mask;
        one = table[at];
    }
    values[i] = one.key ? one.value : 0;
}

/* Eight lanes a key look at eight slots at once, and vote: one load, two at most for nearly all keys. */
__global__ void hash_lanes(const struct slot *table, uint32_t mask, const uint32_t *keys, int n, uint32_t *values)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (i >= n)
        return;
    const int shift = threadIdx.x % 32 / 8 * 8;
    const unsigned eight = 0xffu << shift;
    const uint32_t key = keys[i];
    for (uint32_t at = (hash(key) + lane) & mask;; at = (at + 8) & mask) {
        const struct slot one = table[at];
        const unsigned ends = __ballot_sync(eight, one.key == key || !one.key) >> shift & 0xff;
        if (ends) {
            if (lane == __ffs(ends) - 1)
                values[i] = one.key ? one.value : 0;
            return;
        }
    }
}

struct table {
    uint32_t mask, *keys, *want;
    struct slot *slots;
    int n;
};

/* Seven tenths of the slots are taken; one key in four is not in the table. */
static struct table make_table(int size)
{
    const int bits[] = {14, 19, 23}, keys[] = {1 << 14, 1 << 19, 1 << 22};
    struct table t = {};
    t.mask = (1u << bits[size]) - 1, t.n = keys[size];
    t.slots = host_array<struct slot>((size_t)t.mask + 1);
    t.keys = host_array<uint32_t>(t.n), t.want = host_array<uint32_t>(t.n);
    const uint32_t taken = t.mask / 10 * 7;
    for (uint32_t k = 1; k <= taken; k++) {
        uint32_t at = hash(k) & t.mask;
        while (t.slots[at].key)
            at = (at + 1) & t.mask;
        t.slots[at].key = k, t.slots[at].value = 3 * k + 1;
    }
    for (int i = 0; i < t.n; i++) {
        t.keys[i] = 1 + random_below(taken + taken / 3);
        t.want[i] = t.keys[i] <= taken ? 3 * t.keys[i] + 1 : 0;
    }
    return t;
}

static void run_hash(int size, int lanes,
                     void (*kernel)(const struct slot *, uint32_t, const uint32_t *, int, uint32_t *))
{
    const struct table t = make_table(size);
    struct slot *d_slots = to_device(t.slots, (size_t)t.mask + 1);
    uint32_t *d_keys = to_device(t.keys, t.n), *d_values = device_zeros<uint32_t>(t.n);
    LAUNCH(kernel<<<blocks_for((size_t)t.n * lanes, 256), 256>>>(d_slots, t.mask, d_keys, t.n, d_values));
    const uint32_t *values = to_host(d_values, t.n);
    for (int i = 0; i < t.n; i++)
        EXPECT(values[i] == t.want[i], "key %u: %u, not %u", t.keys[i], values[i], t.want[i]);
    free(t.slots);
}

static void run_hash_thread(int size) { run_hash(size, 1, hash_thread); }
static void run_hash_lanes(int size) { run_hash(size, 8, hash_lanes); }

/* ---- random walks on a graph ---- */

__host__ __device__ static inline uint32_t next_random(uint32_t x) { return x * 1664525u + 1013904223u; }

__host__ __device__ static inline int walk_from(const int *offset, const int *to, int at, int steps, uint32_t seed)
{
    for (int k = 0; k < steps; k++) {
        const int first = offset[at], degree = offset[at + 1] - first;
        seed = next_random(seed);
        at = to[first + (int)((seed >> 8) % (uint32_t)degree)];
    }
    return at;
}

/* A walk a thread: two dependent loads a step and a remainder, the graph in L2 or DRAM. */
__global__ void walk(const int *offset, const int *to, int vertices, int walks, int steps, int *end)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < walks)
        end[i] = walk_from(offset, to, i % vertices, steps, i);
}

static void run_walk(int size)
{
    const int vertices = size < 2 ? 1 << 14 : 1 << 20, walk_count[] = {2048, 16384, 1 << 17}, step_count[] = {10, 60, 160};
    const int walks = walk_count[size], steps = step_count[size];
    int *offset = host_array<int>(vertices + 1);
    for (int v = 0; v < vertices; v++)
        offset[v + 1] = offset[v] + 1 + (int)random_below(15);
    int *to = host_array<int>(offset[vertices]);
    for (int e = 0; e < offset[vertices]; e++)
        to[e] = (int)random_below(vertices);
    int *d_offset = to_device(offset, vertices + 1), *d_to = to_device(to, offset[vertices]);
    int *d_end = device_zeros<int>(walks);
    LAUNCH(walk<<<blocks_for(walks, 64), 64>>>(d_offset, d_to, vertices, walks, steps, d_end));
    const int *end = to_host(d_end, walks);
    for (int i = 0; i < walks; i += 97)
        EXPECT(end[i] == walk_from(offset, to, i % vertices, steps, i), "walk %d ends in %d", i, end[i]);
}

CORPUS({"chase_l1", NULL, run_chase_l1}, {"chase_l2", NULL, run_chase_l2}, {"chase_past_l1", NULL, run_chase_past_l1}, {"chase_dram", NULL, run_chase_dram},
       {"chase_warp", NULL, run_chase_warp}, {"chase_full", NULL, run_chase_full},
       {"lists_thread", "lists", run_lists_thread}, {"lists_ordered", "lists", run_lists_ordered},
       {"lists_packed", "lists", run_lists_packed}, {"hash_thread", "hash", run_hash_thread},
       {"hash_lanes", "hash", run_hash_lanes}, {"walk", NULL, run_walk})
