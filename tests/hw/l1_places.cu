/* l1_places.cu - what L1 holds of words that lie apart. For a profiler, whose rows are in the order of those that are printed
 * (l1_places.sh): what,lines,parts,threads,carveout
 *
 * A place is a word of a line of its own part: `parts` 4, 2: any of the first so many sectors of each line; 1: its first sector; 0: one
 * sector of each line, of line k the one k % 4.
 *
 * w_draws: threads draw places at random, 256 each. w_rounds: they go through all places in a scattered order, eight times, with a
 * barrier after each. w_chunks: each thread reads the words of its own 1024 bytes in order, in step (parts 0) or after waits of its own
 * warp (parts 1). One block an SM, on 16 SMs; each has the same places. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { DRAWS = 256, ROUNDS = 8, BLOCKS = 16, CHUNK = 1024 };

__device__ static unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* Of place k, the number of its word. */
__device__ static unsigned word_of(unsigned k, unsigned parts)
{
    return parts ? k / parts * 32 + k % parts * 8 : k * 32 + k % 4 * 8;
}

__global__ void w_draws(const int *p, unsigned lines, unsigned parts, int *out)
{
    const unsigned places = lines * (parts ? parts : 1);
    unsigned at = hash(blockIdx.x * blockDim.x + threadIdx.x + 1), sum = 0;
    for (int k = 0; k < DRAWS; k++) {
        at = hash(at + k);
        sum += p[word_of(at % places, parts)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void w_rounds(const int *p, unsigned lines, unsigned parts, int *out)
{
    const unsigned places = lines * (parts ? parts : 1); /* a power of two */
    unsigned sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (unsigned k = threadIdx.x; k < places; k += blockDim.x)
            sum += p[word_of(k * 40503u % places, parts)];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void w_chunks(const int *p, unsigned lines, unsigned parts, int *out)
{
    const unsigned thread = (blockIdx.x * blockDim.x + threadIdx.x) % (lines * 32 * 4 / CHUNK);
    const long long start = clock64();
    unsigned sum = 0;
    while (parts && clock64() - start < hash(threadIdx.x / 32 + 32 * blockIdx.x) % 20000)
        ;
    for (int k = 0; k < CHUNK / 4; k++)
        sum += p[thread * (CHUNK / 4) + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    enum { WORDS = 64 << 20, MOST_LINES = 16384 };
    static const int parts_of[] = {4, 2, 1, 0}, carveouts[] = {0, 40};
    int *p, *out;
    CHECK(cudaMalloc(&p, (size_t)WORDS * 4));
    CHECK(cudaMemset(p, 0, (size_t)WORDS * 4));
    CHECK(cudaMalloc(&out, sizeof(int) * BLOCKS * 2048));
    for (int carveout : carveouts) {
        CHECK(cudaFuncSetAttribute(w_draws, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        CHECK(cudaFuncSetAttribute(w_rounds, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        CHECK(cudaFuncSetAttribute(w_chunks, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        for (int parts : parts_of)
            for (int lines = 512; lines <= MOST_LINES; lines *= 2) {
                printf("draws,%d,%d,512,%d\n", lines, parts, carveout);
                w_draws<<<BLOCKS, 512>>>(p, lines, parts, out);
                printf("rounds,%d,%d,512,%d\n", lines, parts, carveout);
                w_rounds<<<BLOCKS, 512>>>(p, lines, parts, out);
            }
        for (int threads = 128; threads <= 1024; threads *= 2)
            for (int parts = 0; parts < 2; parts++) {
                printf("chunks,%d,%d,%d,%d\n", WORDS / 32, parts, threads, carveout);
                w_chunks<<<BLOCKS, threads>>>(p, WORDS / 32, parts, out);
            }
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
