/* database.cu - what a database of columns does: a filter with a sum, hash tables that are built and probed, partitions, groups,
 * a Bloom filter. Rows have numbers of 32 bits.
 */
#include "corpus.h"

static __host__ __device__ inline unsigned hash_of(unsigned x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* ---- select sum(price * discount) where the date, the discount and the quantity are in ranges ---- */

/* Four rows a thread in turn; a column is read where the row is still wanted; a sum a block: bound by DRAM and its latency. */
__global__ void filter_sum(const int *__restrict__ date, const int *__restrict__ discount,
                           const int *__restrict__ quantity, const int *__restrict__ price, int n,
                           unsigned long long *total)
{
    __shared__ unsigned long long sums[4];
    unsigned long long sum = 0;
    for (int k = 0; k < 4; k++) {
        const int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
        if (i < n && date[i] >= 365 && date[i] < 730)
            if (discount[i] >= 1 && discount[i] <= 3 && quantity[i] < 25)
                sum += (unsigned long long)price[i] * discount[i];
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, sums[0] + sums[1] + sums[2] + sums[3]);
}

static int *column(int n, unsigned below)
{
    int *c = host_array<int>(n);
    for (int i = 0; i < n; i++)
        c[i] = (int)random_below(below);
    return c;
}

static void run_filter_sum(int size)
{
    const int n = size == 0 ? 50000 : size == 1 ? 3000000 : 15000000;
    int *date = column(n, 2556), *discount = column(n, 11), *quantity = column(n, 51), *price = column(n, 10000);
    unsigned long long want = 0;
    for (int i = 0; i < n; i++)
        if (date[i] >= 365 && date[i] < 730 && discount[i] >= 1 && discount[i] <= 3 && quantity[i] < 25)
            want += (unsigned long long)price[i] * discount[i];
    const int *d_date = to_device(date, n), *d_discount = to_device(discount, n), *d_quantity = to_device(quantity, n);
    const int *d_price = to_device(price, n);
    unsigned long long *d_total = device_zeros<unsigned long long>(1);
    LAUNCH(filter_sum<<<blocks_for(n, 512), 128>>>(d_date, d_discount, d_quantity, d_price, n, d_total));
    const unsigned long long got = *to_host(d_total, 1);
    EXPECT(got == corpus_launches * want, "%llu, not %llu", got, want);
    free(date), free(discount), free(quantity), free(price);
}

/* ---- a hash table with open addresses, half full; key 0 is an empty slot ---- */

struct slot {
    unsigned key, value;
};

/* A thread a row, linear probing by compare-and-swap: bound by atomics in L2, by DRAM where the table is large. */
__global__ void hash_build(const unsigned *keys, const unsigned *values, int n, struct slot *table, unsigned mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i];
    unsigned at = hash_of(key) & mask;
    for (;;) {
        const unsigned before = atomicCAS(&table[at].key, 0u, key);
        if (before == 0 || before == key)
            break;
        at = (at + 1) & mask;
    }
    table[at].value = values[i];
}

/* A thread a row; what is found is written, 0 for what is not: bound by random reads. */
__global__ void hash_probe(const unsigned *keys, int n, const struct slot *table, unsigned mask, unsigned *found)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i];
    unsigned value = 0;
    for (unsigned at = hash_of(key) & mask; table[at].key != 0; at = (at + 1) & mask)
        if (table[at].key == key) {
            value = table[at].value;
            break;
        }
    found[i] = value;
}

static struct slot *place_of(struct slot *table, unsigned mask, unsigned key)
{
    unsigned at = hash_of(key) & mask;
    while (table[at].key != 0 && table[at].key != key)
        at = (at + 1) & mask;
    return &table[at];
}

/* Keys that differ, in no order: odd multiples of the row's number, which is not 0. */
static unsigned key_of(unsigned row) { return (row + 1) * 0x9e3779b1u; }

static const unsigned table_slots[3] = {1u << 14, 1u << 20, 1u << 23};

static void run_hash_build(int size)
{
    const unsigned slots = table_slots[size];
    const int n = (int)slots / 2;
    unsigned *keys = host_array<unsigned>(n), *values = host_array<unsigned>(n);
    for (int i = 0; i < n; i++)
        keys[i] = key_of(i), values[i] = random_u32();
    unsigned *d_keys = to_device(keys, n), *d_values = to_device(values, n);
    struct slot *d_table = device_zeros<struct slot>(slots);
    LAUNCH(hash_build<<<blocks_for(n, 256), 256>>>(d_keys, d_values, n, d_table, slots - 1));
    struct slot *table = to_host(d_table, slots);
    for (int i = 0; i < n; i++) {
        const struct slot *s = place_of(table, slots - 1, keys[i]);
        EXPECT(s->key == keys[i] && s->value == values[i], "row %d: key %u, value %u", i, s->key, s->value);
    }
    free(keys), free(values), free(table);
}

static void run_hash_probe(int size)
{
    const unsigned slots = table_slots[size];
    const int build = (int)slots / 2, n = size == 0 ? 20000 : size == 1 ? 1000000 : 5000000;
    struct slot *table = host_array<struct slot>(slots);
    for (int i = 0; i < build; i++)
        *place_of(table, slots - 1, key_of(i)) = {key_of(i), (unsigned)i + 1};
    unsigned *keys = host_array<unsigned>(n);
    for (int i = 0; i < n; i++) /* half of them are found */
        keys[i] = key_of(random_below(2 * (unsigned)build));
    unsigned *d_keys = to_device(keys, n), *d_found = device_zeros<unsigned>(n);
    struct slot *d_table = to_device(table, slots);
    LAUNCH(hash_probe<<<blocks_for(n, 256), 256>>>(d_keys, n, d_table, slots - 1, d_found));
    unsigned *found = to_host(d_found, n);
    for (int i = 0; i < n; i++) {
        const unsigned want = place_of(table, slots - 1, keys[i])->value;
        EXPECT(found[i] == want, "row %d: %u, not %u", i, found[i], want);
    }
    free(keys), free(found), free(table);
}

/* ---- a partition by eight bits of a hash: pairs of key and row's number go where their part is ---- */

enum { FAN = 256, CHUNK = 2048 };

/* A block 2048 pairs; where its pairs of each part begin was counted before. Places by atomics in shared memory: bound by
 * writes of a few neighbours each. */
__global__ void partition_scatter(const unsigned *keys, int n, const unsigned *begins, uint2 *out)
{
    __shared__ unsigned next[FAN];
    for (int p = threadIdx.x; p < FAN; p += blockDim.x)
        next[p] = begins[blockIdx.x * FAN + p];
    __syncthreads();
    for (int k = threadIdx.x; k < CHUNK; k += blockDim.x) {
        const int i = blockIdx.x * CHUNK + k;
        if (i < n) {
            const unsigned key = keys[i], to = atomicAdd(&next[hash_of(key) % FAN], 1);
            out[to] = make_uint2(key, i);
        }
    }
}

static void run_partition_scatter(int size)
{
    const int n = size == 0 ? 60000 : size == 1 ? 1500000 : 8000000, blocks = blocks_for(n, CHUNK);
    unsigned *keys = host_array<unsigned>(n), *begins = host_array<unsigned>((size_t)blocks * FAN), ends[FAN] = {0};
    for (int i = 0; i < n; i++) {
        keys[i] = random_u32();
        begins[(size_t)(i / CHUNK) * FAN + hash_of(keys[i]) % FAN]++;
    }
    unsigned sum = 0;
    for (int p = 0; p < FAN; p++) {
        for (int b = 0; b < blocks; b++) {
            const unsigned count = begins[(size_t)b * FAN + p];
            begins[(size_t)b * FAN + p] = sum;
            sum += count;
        }
        ends[p] = sum;
    }
    unsigned *d_keys = to_device(keys, n), *d_begins = to_device(begins, (size_t)blocks * FAN);
    uint2 *d_out = device_zeros<uint2>(n);
    LAUNCH(partition_scatter<<<blocks, 256>>>(d_keys, n, d_begins, d_out));
    uint2 *out = to_host(d_out, n);
    unsigned char *seen = host_array<unsigned char>(n);
    for (int at = 0, p = 0; at < n; at++) {
        while ((unsigned)at >= ends[p])
            p++;
        const uint2 pair = out[at];
        EXPECT(pair.y < (unsigned)n && !seen[pair.y]++ && keys[pair.y] == pair.x &&
                   hash_of(pair.x) % FAN == (unsigned)p,
               "place %d: key %u of row %u", at, pair.x, pair.y);
    }
    free(keys), free(begins), free(out), free(seen);
}

/* ---- select count(*), sum(x), max(x) group by key: 5000 groups, some of them much larger than others ---- */

enum { GROUPS = 5000 };

struct group {
    unsigned long long sum;
    unsigned count, most;
};

/* A thread a row, three atomic operations: bound by atomics in L2, many at the same few addresses. */
__global__ void group_by(const unsigned *keys, const unsigned *x, int n, struct group *groups)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct group *g = &groups[keys[i]];
    atomicAdd(&g->sum, (unsigned long long)x[i]);
    atomicAdd(&g->count, 1u);
    atomicMax(&g->most, x[i]);
}

static void run_group_by(int size)
{
    const int n = size == 0 ? 10000 : size == 1 ? 300000 : 2000000;
    unsigned *keys = host_array<unsigned>(n), *x = host_array<unsigned>(n);
    struct group *want = host_array<struct group>(GROUPS);
    for (int i = 0; i < n; i++) {
        const float r = random_float();
        keys[i] = (unsigned)(GROUPS * r * r);
        x[i] = random_below(1000000);
        struct group *g = &want[keys[i]];
        g->sum += x[i], g->count++, g->most = x[i] > g->most ? x[i] : g->most;
    }
    unsigned *d_keys = to_device(keys, n), *d_x = to_device(x, n);
    struct group *d_groups = device_zeros<struct group>(GROUPS);
    LAUNCH(group_by<<<blocks_for(n, 256), 256>>>(d_keys, d_x, n, d_groups));
    struct group *groups = to_host(d_groups, GROUPS);
    for (int k = 0; k < GROUPS; k++)
        EXPECT(groups[k].sum == corpus_launches * want[k].sum && groups[k].count == corpus_launches * want[k].count &&
                   groups[k].most == want[k].most,
               "group %d: %llu, %u, %u", k, groups[k].sum, groups[k].count, groups[k].most);
    free(keys), free(x), free(want), free(groups);
}

/* ---- a Bloom filter: four bits a key, half of all bits set ---- */

static __host__ __device__ inline bool may_be_in(const unsigned *bits, unsigned mask, unsigned key)
{
    const unsigned first = hash_of(key), step = hash_of(key ^ 0x5bd1e995u) | 1;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned bit = (first + k * step) & mask;
        if (!(bits[bit / 32] >> bit % 32 & 1))
            return false;
    }
    return true;
}

/* A thread a key, the answers of a warp in a word: up to four random reads, most lanes end early. */
__global__ void bloom_probe(const unsigned *keys, int n, const unsigned *bits, unsigned mask, unsigned *answers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool in = i < n && may_be_in(bits, mask, keys[i]);
    const unsigned answer = __ballot_sync(~0u, in);
    if (threadIdx.x % 32 == 0 && i < n)
        answers[i / 32] = answer;
}

static void run_bloom_probe(int size)
{
    const int n = size == 0 ? 40000 : size == 1 ? 2000000 : 8000000;
    const unsigned nbits = size == 0 ? 1u << 20 : size == 1 ? 1u << 25 : 1u << 29, words = nbits / 32;
    unsigned *bits = host_array<unsigned>(words), *keys = host_array<unsigned>(n);
    for (unsigned w = 0; w < words; w++)
        bits[w] = random_u32();
    for (int i = 0; i < n; i++)
        keys[i] = random_u32();
    unsigned *d_bits = to_device(bits, words), *d_keys = to_device(keys, n),
             *d_answers = device_zeros<unsigned>(blocks_for(n, 32));
    LAUNCH(bloom_probe<<<blocks_for(n, 256), 256>>>(d_keys, n, d_bits, nbits - 1, d_answers));
    unsigned *answers = to_host(d_answers, blocks_for(n, 32));
    for (int i = 0; i < n; i += 1 + n / 200000)
        EXPECT((answers[i / 32] >> i % 32 & 1) == may_be_in(bits, nbits - 1, keys[i]), "key %d", i);
    free(bits), free(keys), free(answers);
}

CORPUS({"filter_sum", NULL, run_filter_sum}, {"hash_build", NULL, run_hash_build}, {"hash_probe", NULL, run_hash_probe},
       {"partition_scatter", NULL, run_partition_scatter}, {"group_by", NULL, run_group_by},
       {"bloom_probe", NULL, run_bloom_probe})
