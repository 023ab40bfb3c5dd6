/* bits.cu - ciphers, hashes and bit tricks: integer pipes, logic, rotations, table look-ups in shared and constant memory. */
#include "corpus.h"

/* ---- ChaCha20: a block of 64 bytes a thread; integer adds and rotations, bound by the integer pipe ---- */

__host__ __device__ static inline uint32_t rotate_left(uint32_t x, int n) { return x << n | x >> (32 - n); }

__host__ __device__ static inline void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    a += b, d = rotate_left(d ^ a, 16);
    c += d, b = rotate_left(b ^ c, 12);
    a += b, d = rotate_left(d ^ a, 8);
    c += d, b = rotate_left(b ^ c, 7);
}

__host__ __device__ static inline void chacha_block(const uint32_t *key, uint32_t counter, uint32_t out[16])
{
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int k = 0; k < 8; k++)
        in[4 + k] = key[k];
    in[12] = counter, in[13] = 7, in[14] = 11, in[15] = 13;
    for (int k = 0; k < 16; k++)
        out[k] = in[k];
    for (int round = 0; round < 10; round++) {
        quarter(out[0], out[4], out[8], out[12]), quarter(out[1], out[5], out[9], out[13]);
        quarter(out[2], out[6], out[10], out[14]), quarter(out[3], out[7], out[11], out[15]);
        quarter(out[0], out[5], out[10], out[15]), quarter(out[1], out[6], out[11], out[12]);
        quarter(out[2], out[7], out[8], out[13]), quarter(out[3], out[4], out[9], out[14]);
    }
    for (int k = 0; k < 16; k++)
        out[k] += in[k];
}

struct chacha_key {
    uint32_t word[8];
};

/* Stores 64 bytes a thread, words 64 bytes apart in a warp: bound by the store's sectors as much as by the rounds. */
__global__ void chacha20_strided(struct chacha_key key, uint32_t *out, int blocks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    uint32_t block[16];
    chacha_block(key.word, i, block);
    for (int k = 0; k < 16; k++)
        out[(size_t)i * 16 + k] = block[k];
}

/* The same with stores of 16 bytes: a quarter of the store instructions. */
__global__ void chacha20_vector(struct chacha_key key, uint32_t *out, int blocks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    uint32_t block[16];
    chacha_block(key.word, i, block);
    for (int k = 0; k < 4; k++)
        ((uint4 *)out)[(size_t)i * 4 + k] =
            make_uint4(block[4 * k], block[4 * k + 1], block[4 * k + 2], block[4 * k + 3]);
}

/* The same, words of a warp transposed through shared memory: the stores of a warp are consecutive. */
__global__ void chacha20_staged(struct chacha_key key, uint32_t *out, int blocks)
{
    __shared__ uint32_t stage[4][32 * 17];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t *mine = stage[threadIdx.x / 32], block[16];
    chacha_block(key.word, i, block);
    for (int k = 0; k < 16; k++)
        mine[lane * 17 + k] = block[k];
    __syncwarp();
    const size_t first = (size_t)(i - lane) * 16;
    for (int k = lane; k < 512; k += 32)
        if (first + k < (size_t)blocks * 16) out[first + k] = mine[k / 16 * 17 + k % 16];
}


static void run_chacha(int size, void (*kernel)(struct chacha_key, uint32_t *, int))
{
    static const int sizes[] = {100000, 1000000, 8000000};
    const int n = sizes[size];
    struct chacha_key key;
    for (int k = 0; k < 8; k++)
        key.word[k] = random_u32();
    uint32_t *out = device_zeros<uint32_t>((size_t)n * 16);
    LAUNCH(kernel<<<blocks_for(n, 128), 128>>>(key, out, n));
    for (int check = 0; check < 64; check++) {
        const int i = check ? (int)random_below(n) : n - 1;
        uint32_t want[16], got[16];
        chacha_block(key.word, i, want);
        CHECK(cudaMemcpy(got, out + (size_t)i * 16, sizeof got, cudaMemcpyDeviceToHost));
        EXPECT(!memcmp(got, want, sizeof got), "block %d", i);
    }
}

/* ---- AES-128 with a table of 256 words: 16 look-ups a round at random places ---- */

__host__ __device__ static inline uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

__host__ __device__ static inline uint32_t aes_word(const uint32_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return t[a >> 24] ^ rotate_right(t[b >> 16 & 255], 8) ^ rotate_right(t[c >> 8 & 255], 16) ^
           rotate_right(t[d & 255], 24);
}

/* The last round has no mixing of columns: the substituted byte alone, which stands in the middle of the table's word. */
__host__ __device__ static inline uint32_t aes_last(const uint32_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (t[a >> 24] >> 8 & 255) << 24 | (t[b >> 16 & 255] >> 8 & 255) << 16 | (t[c >> 8 & 255] >> 8 & 255) << 8 |
           (t[d & 255] >> 8 & 255);
}

__host__ __device__ static inline uint4 aes_encrypt(const uint32_t *t, const uint32_t *key, uint4 s)
{
    s = make_uint4(s.x ^ key[0], s.y ^ key[1], s.z ^ key[2], s.w ^ key[3]);
    for (int r = 4; r < 40; r += 4)
        s = make_uint4(aes_word(t, s.x, s.y, s.z, s.w) ^ key[r], aes_word(t, s.y, s.z, s.w, s.x) ^ key[r + 1],
                       aes_word(t, s.z, s.w, s.x, s.y) ^ key[r + 2], aes_word(t, s.w, s.x, s.y, s.z) ^ key[r + 3]);
    return make_uint4(aes_last(t, s.x, s.y, s.z, s.w) ^ key[40], aes_last(t, s.y, s.z, s.w, s.x) ^ key[41],
                      aes_last(t, s.z, s.w, s.x, s.y) ^ key[42], aes_last(t, s.w, s.x, s.y, s.z) ^ key[43]);
}

__constant__ uint32_t aes_key[44], aes_table[256];

/* The table in shared memory: bound by bank conflicts. */
__global__ void aes128_shared(const uint4 *in, uint4 *out, const uint32_t *table, int n)
{
    __shared__ uint32_t t[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        t[k] = table[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = aes_encrypt(t, aes_key, in[i]);
}

/* The table through L1: as many wavefronts as lines and banks want. */
__global__ void aes128_global(const uint4 *in, uint4 *out, const uint32_t *__restrict__ table, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = aes_encrypt(table, aes_key, in[i]);
}

/* The table in constant memory, which serves one address at a time: lanes wait for each other. */
__global__ void aes128_constant(const uint4 *in, uint4 *out, const uint32_t *, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = aes_encrypt(aes_table, aes_key, in[i]);
}

static uint8_t times_two(uint8_t x) { return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b); }

static void run_aes(int size, void (*kernel)(const uint4 *, uint4 *, const uint32_t *, int))
{
    static const int sizes[] = {60000, 600000, 4000000};
    const int n = sizes[size];
    uint32_t table[256], key[44];
    uint8_t p = 1, q = 1, box[256];
    box[0] = 0x63;
    do { /* p runs through all bytes but 0, q through their inverses */
        p ^= times_two(p);
        q ^= q << 1, q ^= q << 2, q ^= q << 4;
        if (q & 0x80) q ^= 9;
        box[p] = (uint8_t)(q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4) ^ 0x63);
    } while (p != 1);
    for (int k = 0; k < 256; k++) {
        const uint32_t b = box[k], twice = times_two(box[k]);
        table[k] = twice << 24 | b << 16 | b << 8 | (twice ^ b);
    }
    for (int k = 0; k < 44; k++)
        key[k] = random_u32();
    uint4 *in = host_array<uint4>(n);
    for (int k = 0; k < n; k++)
        in[k] = make_uint4(random_u32(), random_u32(), random_u32(), random_u32());
    CHECK(cudaMemcpyToSymbol(aes_key, key, sizeof key));
    CHECK(cudaMemcpyToSymbol(aes_table, table, sizeof table));
    uint4 *device_in = to_device(in, n), *device_out = device_zeros<uint4>(n);
    uint32_t *device_table = to_device(table, 256);
    LAUNCH(kernel<<<blocks_for(n, 256), 256>>>(device_in, device_out, device_table, n));
    uint4 *out = to_host(device_out, n);
    for (int i = 0; i < n; i += n / 5000) {
        const uint4 want = aes_encrypt(table, key, in[i]);
        EXPECT(!memcmp(&out[i], &want, sizeof want), "block %d", i);
    }
    free(in), free(out);
}

/* ---- SHA-256 of a header with a number in it, as miners do: long chains of integer operations, no memory ---- */

__host__ __device__ static inline uint32_t sha_small(uint32_t x, int a, int b, int shift)
{
    return rotate_right(x, a) ^ rotate_right(x, b) ^ x >> shift;
}
__host__ __device__ static inline uint32_t sha_large(uint32_t x, int a, int b, int c)
{
    return rotate_right(x, a) ^ rotate_right(x, b) ^ rotate_right(x, c);
}

static const uint32_t sha_rounds_host[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ uint32_t sha_rounds[64];

__host__ __device__ static inline uint32_t sha256_first_word(const uint32_t *rounds, uint32_t number)
{
    uint32_t w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < 16; k++)
        w[k] = k == 3 ? number : 0x01020304u * k;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        if (k >= 16)
            w[k & 15] += sha_small(w[(k + 1) & 15], 7, 18, 3) + w[(k + 9) & 15] + sha_small(w[(k + 14) & 15], 17, 19, 10);
        const uint32_t t1 = s[7] + sha_large(s[4], 6, 11, 25) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[k] + w[k & 15];
        const uint32_t t2 = sha_large(s[0], 2, 13, 22) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
    }
    return s[0] + 0x6a09e667;
}

/* One hash a thread: bound by the integer pipe. */
__global__ void sha256_search(uint32_t *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sha256_first_word(sha_rounds, i);
}

static void run_sha256(int size)
{
    static const int sizes[] = {40000, 500000, 4000000};
    const int n = sizes[size];
    CHECK(cudaMemcpyToSymbol(sha_rounds, sha_rounds_host, sizeof sha_rounds_host));
    uint32_t *device = device_zeros<uint32_t>(n);
    LAUNCH(sha256_search<<<blocks_for(n, 192), 192>>>(device, n));
    uint32_t *out = to_host(device, n);
    for (int i = 0; i < n; i += n / 1000)
        EXPECT(out[i] == sha256_first_word(sha_rounds_host, i), "hash %d", i);
    free(out);
}

/* ---- transposition of matrices of 32 x 32 bits, one a warp ---- */

/* A vote a column: bound by the votes. */
__global__ void bit_transpose_ballot(const uint32_t *in, uint32_t *out, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= words) return;
    const uint32_t word = in[i];
    uint32_t mine = 0;
    for (int k = 0; k < 32; k++) {
        const uint32_t column = __ballot_sync(~0u, word >> k & 1);
        if (lane == k) mine = column;
    }
    out[i] = mine;
}

/* Five exchanges of halves, quarters, ...: fewer instructions, bound by memory. */
__global__ void bit_transpose_shuffle(const uint32_t *in, uint32_t *out, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= words) return;
    uint32_t word = in[i], mask = 0x0000ffff;
    for (int step = 16; step; step /= 2, mask ^= mask << step) {
        const uint32_t other = __shfl_xor_sync(~0u, word, step);
        word = lane & step ? (word & ~mask) | (other >> step & mask) : (word & mask) | (other << step & ~mask);
    }
    out[i] = word;
}

static void run_bit_transpose(int size, void (*kernel)(const uint32_t *, uint32_t *, int))
{
    static const int sizes[] = {20000, 300000, 2000000};
    const int words = 32 * sizes[size];
    uint32_t *in = host_array<uint32_t>(words);
    for (int k = 0; k < words; k++)
        in[k] = random_u32();
    uint32_t *device_in = to_device(in, words), *device_out = device_zeros<uint32_t>(words);
    LAUNCH(kernel<<<blocks_for(words, 512), 512>>>(device_in, device_out, words));
    uint32_t *out = to_host(device_out, words);
    for (int check = 0; check < 100000; check++) {
        const int first = random_below(words) & ~31, row = random_below(32), column = random_below(32);
        EXPECT((in[first + row] >> column & 1) == (out[first + column] >> row & 1), "word %d", first);
    }
    free(in), free(out);
}

/* ---- Collatz: lengths of chains, all different ---- */

__host__ __device__ static inline int collatz_length(uint64_t x)
{
    int steps = 0;
    for (; x != 1; steps++)
        x = x & 1 ? 3 * x + 1 : x >> 1;
    return steps;
}

/* A chain a thread: lanes of a warp end at different times; bound by latency and divergence. */
__global__ void collatz_lengths(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = collatz_length(i + 1000001ull);
}

static void run_collatz(int size)
{
    static const int sizes[] = {8000, 150000, 1500000};
    const int n = sizes[size];
    int *device = device_zeros<int>(n);
    LAUNCH(collatz_lengths<<<blocks_for(n, 64), 64>>>(device, n));
    int *out = to_host(device, n);
    for (int i = 0; i < n; i += n / 1000)
        EXPECT(out[i] == collatz_length(i + 1000001ull), "chain %d", i);
    free(out);
}

CORPUS({"chacha20_strided", "chacha20", [](int size) { run_chacha(size, chacha20_strided); }},
       {"chacha20_vector", "chacha20", [](int size) { run_chacha(size, chacha20_vector); }},
       {"chacha20_staged", "chacha20", [](int size) { run_chacha(size, chacha20_staged); }},
       {"aes128_shared", "aes128", [](int size) { run_aes(size, aes128_shared); }},
       {"aes128_global", "aes128", [](int size) { run_aes(size, aes128_global); }},
       {"aes128_constant", "aes128", [](int size) { run_aes(size, aes128_constant); }},
       {"sha256_search", NULL, run_sha256},
       {"bit_transpose_ballot", "bit_transpose", [](int size) { run_bit_transpose(size, bit_transpose_ballot); }},
       {"bit_transpose_shuffle", "bit_transpose", [](int size) { run_bit_transpose(size, bit_transpose_shuffle); }},
       {"collatz_lengths", NULL, run_collatz})
