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

static void run_chacha(int size, void (*launch)(int, int, struct chacha_key, uint32_t *, int))
{
    static const int sizes[] = {100000, 1000000, 8000000};
    const int n = sizes[size];
    struct chacha_key key;
    for (int k = 0; k < 8; k++)
        key.word[k] = random_u32();
    uint32_t *out = device_zeros<uint32_t>((size_t)n * 16);
    LAUNCH(launch(blocks_for(n, 128), 128, key, out, n));
    for (int check = 0; check < 64; check++) {
        const int i = check ? (int)random_below(n) : n - 1;
        uint32_t want[16], got[16];
        chacha_block(key.word, i, want);
        CHECK(cudaMemcpy(got, out + (size_t)i * 16, sizeof got, cudaMemcpyDeviceToHost));
        EXPECT(!memcmp(got, want, sizeof got), "block %d", i);
    }
}
static void run_chacha20_strided(int size)
{
    run_chacha(size, [](int grid, int block, struct chacha_key key, uint32_t *out, int n) {
        chacha20_strided<<<grid, block>>>(key, out, n);
    });
}
static void run_chacha20_vector(int size)
{
    run_chacha(size, [](int grid, int block, struct chacha_key key, uint32_t *out, int n) {
        chacha20_vector<<<grid, block>>>(key, out, n);
    });
}
static void run_chacha20_staged(int size)
{
    run_chacha(size, [](int grid, int block, struct chacha_key key, uint32_t *out, int n) {
        chacha20_staged<<<grid, block>>>(key, out, n);
    });
}

CORPUS({"chacha20_strided", "chacha20", run_chacha20_strided}, {"chacha20_vector", "chacha20", run_chacha20_vector},
       {"chacha20_staged", "chacha20", run_chacha20_staged})
