/* dynprog.cu - dynamic programming: shortest paths, alignments, knapsacks, hidden states, orders of products. */
#include "corpus.h"

/* ---- one step of Floyd and Warshall's shortest paths: reads and writes the whole matrix, bound by DRAM ---- */

__global__ void floyd_warshall_step(float *distance, int n, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= n) return;
    const float through = distance[(size_t)y * n + k] + distance[(size_t)k * n + x];
    if (through < distance[(size_t)y * n + x]) distance[(size_t)y * n + x] = through;
}

static void run_floyd_warshall(int size)
{
    static const int sizes[] = {500, 4000, 8192};
    const int n = sizes[size], k = n / 3;
    float *distance = host_array<float>((size_t)n * n);
    for (size_t i = 0; i < (size_t)n * n; i++)
        distance[i] = i % (n + 1) ? random_float() : 0;
    float *device = to_device(distance, (size_t)n * n);
    LAUNCH(floyd_warshall_step<<<dim3(blocks_for(n, 256), n), 256>>>(device, n, k));
    float *out = to_host(device, (size_t)n * n);
    for (int check = 0; check < 100000; check++) {
        const int x = random_below(n), y = random_below(n);
        const float through = distance[(size_t)y * n + k] + distance[(size_t)k * n + x], old = distance[(size_t)y * n + x];
        EXPECT(out[(size_t)y * n + x] == (through < old ? through : old), "from %d to %d", y, x);
    }
    free(distance), free(out);
}

/* ---- a product of matrices by minima of sums: all shortest paths of two legs ---- */

/* An element a thread from global memory: bound by L1's reads. */
__global__ void minplus_naive(const float *__restrict__ a, const float *__restrict__ b, float *c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float best = 1e30f;
    for (int k = 0; k < n; k++)
        best = fminf(best, a[y * n + k] + b[k * n + x]);
    c[y * n + x] = best;
}

/* Tiles of 32 x 32 in shared memory, four elements a thread: bound by the ALU (a minimum each) and shared memory. */
__global__ void minplus_tiles(const float *__restrict__ a, const float *__restrict__ b, float *c, int n)
{
    __shared__ float tile_a[32][32], tile_b[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    for (int first = 0; first < n; first += 32) {
        for (int r = 0; r < 32; r += 8) {
            tile_a[ty + r][tx] = a[(y + r) * n + first + tx];
            tile_b[ty + r][tx] = b[(first + ty + r) * n + x];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                best[r] = fminf(best[r], tile_a[ty + 8 * r][k] + tile_b[k][tx]);
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        c[(y + 8 * r) * n + x] = best[r];
}

static void run_minplus(int size, void (*kernel)(const float *, const float *, float *, int))
{
    static const int sizes[] = {128, 512, 1024}; /* multiples of 32 */
    const int n = sizes[size];
    float *a = host_array<float>(n * n), *b = host_array<float>(n * n);
    for (int k = 0; k < n * n; k++)
        a[k] = random_float(), b[k] = random_float();
    float *device_a = to_device(a, n * n), *device_b = to_device(b, n * n), *device_c = device_zeros<float>(n * n);
    LAUNCH(kernel<<<dim3(n / 32, n / (kernel == minplus_naive ? 8 : 32)), dim3(32, 8)>>>(device_a, device_b, device_c, n));
    float *c = to_host(device_c, n * n);
    for (int check = 0; check < 5000; check++) {
        const int x = random_below(n), y = random_below(n);
        float best = 1e30f;
        for (int k = 0; k < n; k++)
            best = fminf(best, a[y * n + k] + b[k * n + x]);
        EXPECT(c[y * n + x] == best, "element %d %d: %g, not %g", y, x, c[y * n + x], best);
    }
    free(a), free(b), free(c);
}

/* ---- Smith and Waterman's best local alignment of pairs of sequences of 128 letters ---- */

enum { LENGTH = 128 };

__host__ __device__ static inline int align_cell(int diagonal, int up, int left, bool same)
{
    int best = diagonal + (same ? 2 : -1);
    best = best > up - 1 ? best : up - 1;
    best = best > left - 1 ? best : left - 1;
    return best > 0 ? best : 0;
}

__host__ __device__ static inline int align_pair(const char *a, const char *b)
{
    int row[LENGTH + 1] = {}, best = 0;
    for (int i = 0; i < LENGTH; i++) {
        int diagonal = 0, left = 0;
        for (int j = 0; j < LENGTH; j++) {
            const int up = row[j + 1];
            left = align_cell(diagonal, up, left, a[i] == b[j]);
            diagonal = up;
            row[j + 1] = left;
            best = best > left ? best : left;
        }
    }
    return best;
}

/* A pair a thread, the row in local memory: bound by L1 and latency. */
__global__ void smith_waterman_thread(const char *a, const char *b, int *best, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) best[i] = align_pair(a + i * LENGTH, b + i * LENGTH);
}

/* A pair a warp, four columns a lane; what the next lane needs goes there by shuffles: chains of dependent operations. */
__global__ void smith_waterman_warp(const char *a, const char *b, int *best, int pairs)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= pairs) return;
    const char4 column = ((const char4 *)(b + i * LENGTH))[lane];
    const char letter[4] = {column.x, column.y, column.z, column.w};
    int row[4] = {}, mine = 0, corner = 0;
    for (int step = 0; step < LENGTH + 31; step++) {
        int left = __shfl_up_sync(~0u, row[3], 1);
        if (lane == 0) left = 0;
        const int y = step - lane, next = left;
        if (y >= 0 && y < LENGTH) {
            const char of_row = a[i * LENGTH + y];
            int diagonal = corner;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int up = row[k];
                left = align_cell(diagonal, up, left, of_row == letter[k]);
                diagonal = up, row[k] = left;
                mine = max(mine, left);
            }
        }
        corner = y >= 0 ? next : 0;
    }
    mine = __reduce_max_sync(~0u, mine);
    if (lane == 0) best[i] = mine;
}

/* A pair a block, a row a thread, by diagonals through shared memory: a barrier for each of the 255 diagonals. */
__global__ void smith_waterman_block(const char *a, const char *b, int *best, int)
{
    __shared__ int diagonal[3][LENGTH + 1], most;
    __shared__ char columns[LENGTH];
    const int t = threadIdx.x, i = blockIdx.x;
    const char of_row = a[i * LENGTH + t];
    columns[t] = b[i * LENGTH + t];
    for (int k = 0; k < 3; k++)
        diagonal[k][t + 1] = 0;
    if (t == 0) diagonal[0][0] = diagonal[1][0] = diagonal[2][0] = most = 0;
    __syncthreads();
    int mine = 0;
    for (int d = 0; d < 2 * LENGTH - 1; d++) {
        const int x = d - t;
        if (x >= 0 && x < LENGTH) { /* [t + 1] of a diagonal is row t's cell on it */
            const int up = diagonal[(d + 2) % 3][t], left = x ? diagonal[(d + 2) % 3][t + 1] : 0;
            const int cell = align_cell(x ? diagonal[(d + 1) % 3][t] : 0, up, left, of_row == columns[x]);
            diagonal[d % 3][t + 1] = cell;
            mine = max(mine, cell);
        }
        __syncthreads();
    }
    mine = __reduce_max_sync(~0u, mine);
    if (t % 32 == 0) atomicMax(&most, mine);
    __syncthreads();
    if (t == 0) best[i] = most;
}

static void run_smith_waterman(int size, void (*kernel)(const char *, const char *, int *, int), int pairs_a_block)
{
    static const int sizes[] = {128, 1280, 6400};
    const int pairs = sizes[size], letters = pairs * LENGTH;
    char *a = host_array<char>(letters), *b = host_array<char>(letters);
    for (int k = 0; k < letters; k++) {
        a[k] = "ACGT"[random_below(4)];
        b[k] = k >= 7 && random_below(3) ? a[k - 7] : "ACGT"[random_below(4)];
    }
    char *device_a = to_device(a, letters), *device_b = to_device(b, letters);
    int *device_best = device_zeros<int>(pairs);
    const int block = pairs_a_block == 1 ? LENGTH : pairs_a_block == 4 ? 128 : pairs_a_block;
    LAUNCH(kernel<<<blocks_for(pairs, pairs_a_block), block>>>(device_a, device_b, device_best, pairs));
    int *best = to_host(device_best, pairs);
    for (int i = 0; i < pairs; i += pairs / 128) {
        const int want = align_pair(a + i * LENGTH, b + i * LENGTH);
        EXPECT(best[i] == want, "pair %d: %d, not %d", i, best[i], want);
    }
    free(a), free(b), free(best);
}

/* ---- Myers' edit distance: a pattern of 32 letters as bits of a word against a text of 128, a pair a thread ---- */

__host__ __device__ static inline int edit_distance(const uint32_t match[4], const uint32_t *text, size_t stride)
{
    uint32_t positive = ~0u, negative = 0;
    int score = 32;
    for (int word = 0; word < 8; word++) { /* 16 letters of two bits */
        uint32_t letters = text[word * stride];
        for (int k = 0; k < 16; k++, letters >>= 2) {
            const uint32_t low = letters & 1 ? match[1] : match[0], high = letters & 1 ? match[3] : match[2];
            const uint32_t equal = letters & 2 ? high : low;
            const uint32_t zero = (((equal & positive) + positive) ^ positive) | equal | negative;
            uint32_t up = negative | ~(zero | positive), down = positive & zero;
            score += (int)(up >> 31) - (int)(down >> 31);
            up = up << 1 | 1, down <<= 1;
            positive = down | ~(zero | up), negative = up & zero;
        }
    }
    return score;
}

/* Logic and additions, each needs the one before: bound by the ALU and its latency. */
__global__ void myers_distance(const uint32_t *pattern, const uint32_t *text, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 p = ((const uint4 *)pattern)[i];
    const uint32_t match[4] = {p.x, p.y, p.z, p.w};
    out[i] = edit_distance(match, text + i, n);
}

static void run_myers(int size)
{
    static const int sizes[] = {20000, 250000, 2000000};
    const int n = sizes[size];
    uint32_t *pattern = host_array<uint32_t>(4 * (size_t)n), *text = host_array<uint32_t>(8 * (size_t)n);
    for (int i = 0; i < n; i++) {
        const uint32_t low = random_u32(), high = random_u32(); /* bits of the letters' numbers */
        const uint32_t match[4] = {~low & ~high, low & ~high, ~low & high, low & high};
        memcpy(pattern + 4 * (size_t)i, match, sizeof match);
    }
    for (size_t k = 0; k < 8 * (size_t)n; k++)
        text[k] = random_u32();
    uint32_t *device_pattern = to_device(pattern, 4 * (size_t)n), *device_text = to_device(text, 8 * (size_t)n);
    int *device_out = device_zeros<int>(n);
    LAUNCH(myers_distance<<<blocks_for(n, 128), 128>>>(device_pattern, device_text, device_out, n));
    int *out = to_host(device_out, n);
    for (int i = 0; i < n; i += n / 2000) {
        const int want = edit_distance(pattern + 4 * (size_t)i, text + i, n);
        EXPECT(out[i] == want, "pair %d: %d, not %d", i, out[i], want);
    }
    free(pattern), free(text), free(out);
}

/* ---- knapsacks of up to 1023, 64 things, one a block: a barrier and four cells a thread for each thing ---- */

enum { CAPACITY = 1024, THINGS = 64 };

__global__ void knapsack_block(const int *weight, const int *value, int *best)
{
    __shared__ int row[2][CAPACITY];
    for (int c = threadIdx.x; c < CAPACITY; c += blockDim.x)
        row[0][c] = 0;
    for (int k = 0; k < THINGS; k++) {
        const int w = weight[blockIdx.x * THINGS + k], v = value[blockIdx.x * THINGS + k];
        __syncthreads();
        for (int c = threadIdx.x; c < CAPACITY; c += blockDim.x) {
            const int without = row[k % 2][c];
            row[(k + 1) % 2][c] = c >= w ? max(without, row[k % 2][c - w] + v) : without;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) best[blockIdx.x] = row[THINGS % 2][CAPACITY - 1];
}

static void run_knapsack(int size)
{
    static const int sizes[] = {132, 2000, 6000};
    const int n = sizes[size];
    int *weight = host_array<int>(n * THINGS), *value = host_array<int>(n * THINGS);
    for (int k = 0; k < n * THINGS; k++)
        weight[k] = 1 + random_below(100), value[k] = 1 + random_below(1000);
    int *device_weight = to_device(weight, n * THINGS), *device_value = to_device(value, n * THINGS);
    int *device_best = device_zeros<int>(n);
    LAUNCH(knapsack_block<<<n, 256>>>(device_weight, device_value, device_best));
    int *best = to_host(device_best, n);
    for (int i = 0; i < n; i += n / 100) {
        int row[CAPACITY] = {};
        for (int k = i * THINGS; k < (i + 1) * THINGS; k++)
            for (int c = CAPACITY - 1; c >= weight[k]; c--)
                if (row[c - weight[k]] + value[k] > row[c]) row[c] = row[c - weight[k]] + value[k];
        EXPECT(best[i] == row[CAPACITY - 1], "knapsack %d: %d, not %d", i, best[i], row[CAPACITY - 1]);
    }
    free(weight), free(value), free(best);
}

/* ---- Viterbi's most probable end of a chain of 64 hidden states, 48 steps, a sequence a block ---- */

enum { STATES = 64, STEPS = 48 };

/* A state a thread: the transitions come from L1, the scores before from shared memory, which all lanes read together. */
__global__ void viterbi(const float *__restrict__ transition, const float *__restrict__ emission, const uint8_t *seen, float *best)
{
    __shared__ float score[2][STATES];
    const int t = threadIdx.x;
    score[0][t] = 0;
    for (int step = 0; step < STEPS; step++) {
        __syncthreads();
        float most = -1e30f;
#pragma unroll 8
        for (int from = 0; from < STATES; from++)
            most = fmaxf(most, score[step % 2][from] + transition[from * STATES + t]);
        score[(step + 1) % 2][t] = most + emission[seen[blockIdx.x * STEPS + step] * STATES + t];
    }
    __syncthreads();
    best[blockIdx.x * STATES + t] = score[STEPS % 2][t];
}

static void run_viterbi(int size)
{
    static const int sizes[] = {132, 1500, 8000};
    const int n = sizes[size];
    float *transition = host_array<float>(STATES * STATES), *emission = host_array<float>(16 * STATES);
    uint8_t *seen = host_array<uint8_t>(n * STEPS);
    for (int k = 0; k < STATES * STATES; k++)
        transition[k] = -random_float();
    for (int k = 0; k < 16 * STATES; k++)
        emission[k] = -random_float();
    for (int k = 0; k < n * STEPS; k++)
        seen[k] = random_below(16);
    float *device_transition = to_device(transition, STATES * STATES), *device_emission = to_device(emission, 16 * STATES);
    uint8_t *device_seen = to_device(seen, n * STEPS);
    float *device_best = device_zeros<float>(n * STATES);
    LAUNCH(viterbi<<<n, STATES>>>(device_transition, device_emission, device_seen, device_best));
    float *best = to_host(device_best, n * STATES);
    for (int i = 0; i < n; i += n / 40) {
        float score[2][STATES] = {};
        for (int step = 0; step < STEPS; step++)
            for (int t = 0; t < STATES; t++) {
                float most = -1e30f;
                for (int from = 0; from < STATES; from++)
                    most = fmaxf(most, score[step % 2][from] + transition[from * STATES + t]);
                score[(step + 1) % 2][t] = most + emission[seen[i * STEPS + step] * STATES + t];
            }
        EXPECT(!memcmp(score[STEPS % 2], best + i * STATES, sizeof score[0]), "sequence %d", i);
    }
    free(transition), free(emission), free(seen), free(best);
}

/* ---- the best order of a chain of 64 products of matrices, a chain a block: diagonals of a triangle, fewer threads and
 * longer loops with each ---- */

enum { CHAIN = 64 };

__host__ __device__ static inline int chain_cell(const int cost[CHAIN][CHAIN + 1], const int *side, int i, int j)
{
    int best = 1 << 30;
    for (int k = i; k < j; k++) {
        const int c = cost[i][k] + cost[k + 1][j] + side[i] * side[k + 1] * side[j + 1];
        best = c < best ? c : best;
    }
    return best;
}

__global__ void matrix_chain(const int *sides, int *best)
{
    __shared__ int cost[CHAIN][CHAIN + 1], side[CHAIN + 1];
    const int t = threadIdx.x;
    cost[t][t] = 0;
    for (int k = t; k <= CHAIN; k += CHAIN)
        side[k] = sides[blockIdx.x * (CHAIN + 1) + k];
    for (int length = 1; length < CHAIN; length++) {
        __syncthreads();
        if (t + length < CHAIN) cost[t][t + length] = chain_cell(cost, side, t, t + length);
    }
    if (t == 0) best[blockIdx.x] = cost[0][CHAIN - 1];
}

static void run_matrix_chain(int size)
{
    static const int sizes[] = {64, 1500, 8000};
    const int n = sizes[size];
    int *sides = host_array<int>(n * (CHAIN + 1));
    for (int k = 0; k < n * (CHAIN + 1); k++)
        sides[k] = 1 + random_below(100);
    int *device_sides = to_device(sides, n * (CHAIN + 1)), *device_best = device_zeros<int>(n);
    LAUNCH(matrix_chain<<<n, CHAIN>>>(device_sides, device_best));
    int *best = to_host(device_best, n);
    for (int i = 0; i < n; i += n / 50) {
        static int cost[CHAIN][CHAIN + 1];
        for (int length = 0; length < CHAIN; length++)
            for (int k = 0; k + length < CHAIN; k++)
                cost[k][k + length] = length ? chain_cell(cost, sides + i * (CHAIN + 1), k, k + length) : 0;
        EXPECT(best[i] == cost[0][CHAIN - 1], "chain %d: %d, not %d", i, best[i], cost[0][CHAIN - 1]);
    }
    free(sides), free(best);
}

CORPUS({"floyd_warshall_step", NULL, run_floyd_warshall},
       {"minplus_naive", "minplus", [](int size) { run_minplus(size, minplus_naive); }},
       {"minplus_tiles", "minplus", [](int size) { run_minplus(size, minplus_tiles); }},
       {"smith_waterman_thread", "smith_waterman", [](int size) { run_smith_waterman(size, smith_waterman_thread, 32); }},
       {"smith_waterman_warp", "smith_waterman", [](int size) { run_smith_waterman(size, smith_waterman_warp, 4); }},
       {"smith_waterman_block", "smith_waterman", [](int size) { run_smith_waterman(size, smith_waterman_block, 1); }},
       {"myers_distance", NULL, run_myers}, {"knapsack_block", NULL, run_knapsack}, {"viterbi", NULL, run_viterbi},
       {"matrix_chain", NULL, run_matrix_chain})
