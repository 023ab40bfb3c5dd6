/* tensor.cu - products on tensor cores: wmma and mma.sync in half, bf16, tf32 and int8; chains, shared memory, an epilogue.
 * The instructions are written as PTX, so that no header of the toolkit is needed. Inputs are small integers: every sum is
 * exact, and the host's check is by equality.
 */
#include "corpus.h"

/* A small integer as half: -4 to 3 have few bits. */
static uint16_t half_of(int v)
{
    static const uint16_t bits[8] = {0xc400, 0xc200, 0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000, 0x4200};
    return bits[v + 4];
}

static uint16_t bf16_of(int v)
{
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return (uint16_t)(bits >> 16);
}

static int *small_integers(size_t n)
{
    int *a = host_array<int>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = (int)random_below(8) - 4;
    return a;
}

static uint16_t *as_half(const int *v, size_t n)
{
    uint16_t *a = host_array<uint16_t>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = half_of(v[k]);
    return a;
}

/* ---- the instructions ---- */

struct sums {
    float x[8];
};
struct halves {
    unsigned x[8];
};

static __device__ __forceinline__ void load_a(struct halves &m, const uint16_t *at, int stride)
{
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3]), "=r"(m.x[4]), "=r"(m.x[5]), "=r"(m.x[6]),
                   "=r"(m.x[7])
                 : "l"(at), "r"(stride)
                 : "memory");
}

static __device__ __forceinline__ void load_b(struct halves &m, const uint16_t *at, int stride)
{
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3]), "=r"(m.x[4]), "=r"(m.x[5]), "=r"(m.x[6]),
                   "=r"(m.x[7])
                 : "l"(at), "r"(stride)
                 : "memory");
}

static __device__ __forceinline__ void multiply(struct sums &d, const struct halves &a, const struct halves &b)
{
    asm volatile(
        "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
        "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
        "{%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3]), "+f"(d.x[4]), "+f"(d.x[5]), "+f"(d.x[6]), "+f"(d.x[7])
        : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(a.x[4]), "r"(a.x[5]), "r"(a.x[6]), "r"(a.x[7]),
          "r"(b.x[0]), "r"(b.x[1]), "r"(b.x[2]), "r"(b.x[3]), "r"(b.x[4]), "r"(b.x[5]), "r"(b.x[6]), "r"(b.x[7]));
}

static __device__ __forceinline__ void store(float *at, const struct sums &m, int stride)
{
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
                 :
                 : "l"(at), "f"(m.x[0]), "f"(m.x[1]), "f"(m.x[2]), "f"(m.x[3]), "f"(m.x[4]), "f"(m.x[5]), "f"(m.x[6]),
                   "f"(m.x[7]), "r"(stride)
                 : "memory");
}

/* ---- a product of n x n halves, row by row, sums in floats ---- */

/* A warp a tile of 16x16, operands from global memory: bound by loads that L1 and L2 repeat, and by their latency. */
__global__ void gemm_half_global(const uint16_t *a, const uint16_t *b, float *d, int n)
{
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles = n / 16;
    const int row = warp / tiles * 16, column = warp % tiles * 16;
    struct sums sum = {{0}};
    struct halves x, y;
    for (int k = 0; k < n; k += 16) {
        load_a(x, a + (size_t)row * n + k, n);
        load_b(y, b + (size_t)k * n + column, n);
        multiply(sum, x, y);
    }
    store(d + (size_t)row * n + column, sum, n);
}

/* A block of 4 warps 64x64, operands in shared memory, a warp 32x32: bound by two barriers a step of 32. */
__global__ void gemm_half_shared(const uint16_t *a, const uint16_t *b, float *d, int n)
{
    __shared__ __align__(32) uint16_t x[64][32 + 16], y[32][64 + 16];
    const int t = (int)threadIdx.x, w = t / 32, row = (int)blockIdx.y * 64, column = (int)blockIdx.x * 64;
    struct sums sum[2][2] = {};
    for (int k = 0; k < n; k += 32) {
        for (int c = t; c < 256; c += 128) { /* 16 bytes each */
            *(uint4 *)&x[c / 4][c % 4 * 8] = *(const uint4 *)&a[(size_t)(row + c / 4) * n + k + c % 4 * 8];
            *(uint4 *)&y[c / 8][c % 8 * 8] = *(const uint4 *)&b[(size_t)(k + c / 8) * n + column + c % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int h = 0; h < 32; h += 16) {
            struct halves p[2], q[2];
            for (int e = 0; e < 2; e++) {
                load_a(p[e], &x[w / 2 * 32 + e * 16][h], 32 + 16);
                load_b(q[e], &y[h][w % 2 * 32 + e * 16], 64 + 16);
            }
            for (int e = 0; e < 4; e++)
                multiply(sum[e / 2][e % 2], p[e / 2], q[e % 2]);
        }
        __syncthreads();
    }
    for (int e = 0; e < 4; e++)
        store(d + (size_t)(row + w / 2 * 32 + e / 2 * 16) * n + column + w % 2 * 32 + e % 2 * 16, sum[e / 2][e % 2], n);
}

/* A warp 32x16 from global memory, then bias and ReLU through shared memory: bound by loads, a barrier at the end. */
__global__ void gemm_half_epilogue(const uint16_t *a, const uint16_t *b, float *d, int n)
{
    __shared__ float tile[4][32][16];
    const int t = (int)threadIdx.x, w = t / 32, lane = t % 32;
    const int warp = (int)blockIdx.x * 4 + w, tiles = n / 16, row = warp / tiles * 32, column = warp % tiles * 16;
    struct sums sum[2] = {};
    struct halves x, y;
    for (int k = 0; k < n; k += 16) {
        load_b(y, b + (size_t)k * n + column, n);
        for (int e = 0; e < 2; e++) {
            load_a(x, a + (size_t)(row + e * 16) * n + k, n);
            multiply(sum[e], x, y);
        }
    }
    for (int e = 0; e < 2; e++)
        store(&tile[w][e * 16][0], sum[e], 16);
    __syncthreads();
    for (int k = lane; k < 32 * 16; k += 32)
        d[(size_t)(row + k / 16) * n + column + k % 16] = fmaxf(0.0f, tile[w][k / 16][k % 16] + (float)(k % 16 - 8));
}

enum how { GLOBAL, SHARED, EPILOGUE };

static void gemm_half_case(int size, enum how how)
{
    const int n = size == 0 ? 256 : size == 1 ? 1024 : 2048;
    const size_t m = (size_t)n * n;
    const int *a = small_integers(m), *b = small_integers(m);
    uint16_t *da = to_device(as_half(a, m), m), *db = to_device(as_half(b, m), m);
    float *dd = device_zeros<float>(m);
    if (how == GLOBAL)
        LAUNCH(gemm_half_global<<<n / 16 * (n / 16) / 8, 256>>>(da, db, dd, n));
    else if (how == SHARED)
        LAUNCH(gemm_half_shared<<<dim3(n / 64, n / 64), 128>>>(da, db, dd, n));
    else
        LAUNCH(gemm_half_epilogue<<<n / 32 * (n / 16) / 4, 128>>>(da, db, dd, n));
    const float *got = to_host(dd, m);
    for (size_t k = 0; k < m; k += 1 + m / 5000) {
        const int row = (int)(k / n), column = (int)(k % n);
        int sum = 0;
        for (int e = 0; e < n; e++)
            sum += a[(size_t)row * n + e] * b[(size_t)e * n + column];
        if (how == EPILOGUE)
            sum = sum + column % 16 - 8 > 0 ? sum + column % 16 - 8 : 0;
        EXPECT(got[k] == (float)sum, "row %d, column %d: %g, not %d", row, column, got[k], sum);
    }
}

static void run_gemm_half_global(int size) { gemm_half_case(size, GLOBAL); }
static void run_gemm_half_shared(int size) { gemm_half_case(size, SHARED); }
static void run_gemm_half_epilogue(int size) { gemm_half_case(size, EPILOGUE); }

/* ---- many products of 16x16 ---- */

/* A warp a product from global memory: bound by DRAM when many, by the latency of one load and one product when few. */
__global__ void batched_half(const uint16_t *a, const uint16_t *b, float *d, int products)
{
    const int p = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (p >= products)
        return;
    struct sums sum = {{0}};
    struct halves x, y;
    load_a(x, a + (size_t)p * 256, 16);
    load_b(y, b + (size_t)p * 256, 16);
    multiply(sum, x, y);
    store(d + (size_t)p * 256, sum, 16);
}

static void run_batched_half(int size)
{
    const int products = size == 0 ? 2048 : size == 1 ? 1 << 16 : 1 << 18;
    const size_t n = (size_t)products * 256;
    const int *a = small_integers(n), *b = small_integers(n);
    uint16_t *da = to_device(as_half(a, n), n), *db = to_device(as_half(b, n), n);
    float *dd = device_zeros<float>(n);
    LAUNCH(batched_half<<<blocks_for((size_t)products * 32, 128), 128>>>(da, db, dd, products));
    const float *got = to_host(dd, n);
    for (size_t k = 0; k < n; k += 1 + n / 100000) {
        const int *row = a + k / 16 * 16, *column = b + k / 256 * 256 + k % 16;
        int sum = 0;
        for (int e = 0; e < 16; e++)
            sum += row[e] * column[e * 16];
        EXPECT(got[k] == (float)sum, "element %zu: %g, not %d", k, got[k], sum);
    }
}

/* ---- mma.sync on registers: each warp multiplies its own matrices again and again ----
 *
 * Lane l holds, in fragments of m16n8, row l / 4 (and 8 below) and columns l % 4 * 2 of D. The operands of every lane are equal
 * words, so that each element of D is a sum that the host knows without knowing fragments: k * a * b a step.
 */

#define MMA_HALF(d, a, b, type)                                                                                        \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "    \
                 "{%8, %9}, {%0, %1, %2, %3};"                                                                         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b))

/* One chain of products a warp, bf16: bound by the latency of a product. */
__global__ void mma_bf16_chain(const uint32_t *a, const uint32_t *b, float *d, int steps)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), w = t / 32;
    const uint32_t x = a[w], y = b[w];
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < steps; k++)
        MMA_HALF(sum, x, y, "bf16");
    d[t] = sum[0] + sum[1] + sum[2] + sum[3];
}

/* Four chains a warp, bf16, the same number of products: bound by the tensor cores' rate when there are warps enough. */
__global__ void mma_bf16_four(const uint32_t *a, const uint32_t *b, float *d, int steps)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), w = t / 32;
    const uint32_t x = a[w], y = b[w];
    float sum[4][4] = {};
    for (int k = 0; k < steps; k += 4) {
#pragma unroll
        for (int c = 0; c < 4; c++)
            MMA_HALF(sum[c], x, y, "bf16");
    }
    float all = 0;
    for (int c = 0; c < 16; c++)
        all += sum[c / 4][c % 4];
    d[t] = all;
}

/* int8, two chains a warp, two warps on half of the SMs: bound by the latency of a product. */
__global__ void mma_int8(const uint32_t *a, const uint32_t *b, float *d, int steps)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), w = t / 32;
    const uint32_t x = a[w], y = b[w];
    int sum[2][4] = {};
    for (int k = 0; k < steps; k += 2) {
#pragma unroll
        for (int c = 0; c < 2; c++)
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
                         "{%5, %5}, {%0, %1, %2, %3};"
                         : "+r"(sum[c][0]), "+r"(sum[c][1]), "+r"(sum[c][2]), "+r"(sum[c][3])
                         : "r"(x), "r"(y));
    }
    int all = 0;
    for (int c = 0; c < 8; c++)
        all += sum[c / 4][c % 4];
    d[t] = (float)all;
}

/* tf32, two chains a warp, blocks of one warp: bound by latency when few, by the tensor cores' rate when many. */
__global__ void mma_tf32(const uint32_t *a, const uint32_t *b, float *d, int steps)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), w = t / 32;
    const uint32_t x = a[w], y = b[w];
    float sum[2][4] = {};
    for (int k = 0; k < steps; k += 2) {
#pragma unroll
        for (int c = 0; c < 2; c++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
                         "{%5, %5}, {%0, %1, %2, %3};"
                         : "+f"(sum[c][0]), "+f"(sum[c][1]), "+f"(sum[c][2]), "+f"(sum[c][3])
                         : "r"(x), "r"(y));
    }
    float all = 0;
    for (int c = 0; c < 8; c++)
        all += sum[c / 4][c % 4];
    d[t] = all;
}

typedef void mma_kernel(const uint32_t *, const uint32_t *, float *, int);

static uint32_t bf16_word(int v) { return bf16_of(v) * 0x10001u; }
static uint32_t int8_word(int v) { return (uint8_t)v * 0x1010101u; }
static uint32_t tf32_word(int v) { return (uint32_t)bf16_of(v) << 16; }

static void mma_case(mma_kernel *kernel, uint32_t (*word)(int), int depth, int blocks, int threads, int steps)
{
    const int warps = blocks * threads / 32;
    const int *a = small_integers((size_t)warps), *b = small_integers((size_t)warps);
    uint32_t *wa = host_array<uint32_t>((size_t)warps), *wb = host_array<uint32_t>((size_t)warps);
    for (int w = 0; w < warps; w++)
        wa[w] = word(a[w]), wb[w] = word(b[w]);
    uint32_t *da = to_device(wa, (size_t)warps), *db = to_device(wb, (size_t)warps);
    float *dd = device_zeros<float>((size_t)warps * 32);
    LAUNCH(kernel<<<blocks, threads>>>(da, db, dd, steps));
    const float *got = to_host(dd, (size_t)warps * 32);
    for (int t = 0; t < warps * 32; t++) {
        const float want = (float)(4 * steps * depth) * (float)(a[t / 32] * b[t / 32]);
        EXPECT(got[t] == want, "thread %d: %g, not %g", t, got[t], want);
    }
}

static const int mma_blocks[3] = {132, 264, 132}, mma_steps[3] = {256, 2048, 16384};

static void run_mma_bf16_chain(int size)
{
    mma_case(mma_bf16_chain, bf16_word, 16, mma_blocks[size], 128, mma_steps[size]);
}
static void run_mma_bf16_four(int size)
{
    mma_case(mma_bf16_four, bf16_word, 16, mma_blocks[size], 128, mma_steps[size]);
}
static void run_mma_int8(int size)
{
    static const int steps[3] = {512, 8192, 32768};
    mma_case(mma_int8, int8_word, 32, 66, 64, steps[size]);
}
static void run_mma_tf32(int size)
{
    static const int blocks[3] = {132, 264, 1056};
    mma_case(mma_tf32, tf32_word, 8, blocks[size], 32, size ? 4096 << (size - 1) : 512);
}

/* ---- a product with fragments loaded by ldmatrix ---- */

/* A block of 8 warps 64x64 with ldmatrix and mma.sync, B by columns: bound by shared memory and barriers. */
__global__ void gemm_half_ldmatrix(const uint16_t *a, const uint16_t *b, float *d, int n)
{
    __shared__ __align__(16) uint16_t x[64][40], y[64][40]; /* rows of 80 bytes: no bank conflicts */
    const int t = (int)threadIdx.x, w = t / 32, lane = t % 32, row = (int)blockIdx.y * 64,
              column = (int)blockIdx.x * 64;
    const int r0 = w / 2 * 16, c0 = w % 2 * 32;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 32) {
        *(uint4 *)&x[t / 4][t % 4 * 8] = *(const uint4 *)&a[(size_t)(row + t / 4) * n + k + t % 4 * 8];
        *(uint4 *)&y[t / 4][t % 4 * 8] = *(const uint4 *)&b[(size_t)(column + t / 4) * n + k + t % 4 * 8];
        __syncthreads();
#pragma unroll
        for (int h = 0; h < 32; h += 16) {
            unsigned p[4], q[2][4];
            unsigned at = (unsigned)__cvta_generic_to_shared(&x[r0 + lane % 16][h + lane / 16 * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3])
                         : "r"(at)
                         : "memory");
#pragma unroll
            for (int e = 0; e < 2; e++) {
                at = (unsigned)__cvta_generic_to_shared(
                    &y[c0 + e * 16 + lane % 8 + lane / 16 * 8][h + lane / 8 % 2 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(q[e][0]), "=r"(q[e][1]), "=r"(q[e][2]), "=r"(q[e][3])
                             : "r"(at)
                             : "memory");
            }
#pragma unroll
            for (int e = 0; e < 4; e++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                             "{%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(sum[e][0]), "+f"(sum[e][1]), "+f"(sum[e][2]), "+f"(sum[e][3])
                             : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[e / 2][e % 2 * 2]),
                               "r"(q[e / 2][e % 2 * 2 + 1]));
        }
        __syncthreads();
    }
    for (int e = 0; e < 4; e++)
        for (int h = 0; h < 2; h++)
            *(float2 *)&d[(size_t)(row + r0 + lane / 4 + h * 8) * n + column + c0 + e * 8 + lane % 4 * 2] =
                make_float2(sum[e][2 * h], sum[e][2 * h + 1]);
}

static void run_gemm_half_ldmatrix(int size)
{
    const int n = size == 0 ? 256 : size == 1 ? 1024 : 2048;
    const size_t m = (size_t)n * n;
    const int *a = small_integers(m), *b = small_integers(m); /* b by columns */
    uint16_t *da = to_device(as_half(a, m), m), *db = to_device(as_half(b, m), m);
    float *dd = device_zeros<float>(m);
    LAUNCH(gemm_half_ldmatrix<<<dim3(n / 64, n / 64), 256>>>(da, db, dd, n));
    const float *got = to_host(dd, m);
    for (size_t k = 0; k < m; k += 1 + m / 5000) {
        int sum = 0;
        for (int e = 0; e < n; e++)
            sum += a[k / n * n + e] * b[k % n * n + e];
        EXPECT(got[k] == (float)sum, "element %zu: %g, not %d", k, got[k], sum);
    }
}

CORPUS({"gemm_half_global", "gemm", run_gemm_half_global}, {"gemm_half_shared", "gemm", run_gemm_half_shared},
       {"gemm_half_ldmatrix", "gemm", run_gemm_half_ldmatrix}, {"gemm_half_epilogue", NULL, run_gemm_half_epilogue},
       {"batched_half", NULL, run_batched_half}, {"mma_bf16_chain", "bf16", run_mma_bf16_chain},
       {"mma_bf16_four", "bf16", run_mma_bf16_four}, {"mma_int8", NULL, run_mma_int8}, {"mma_tf32", NULL, run_mma_tf32})
