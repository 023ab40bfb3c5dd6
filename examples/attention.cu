/* attention [HEADS SEQUENCE] - softmax(Q K^T / 8) V for heads of SEQUENCE (a multiple of 128) rows of 64 halves, as kernels for an H100
 * or H200 do it: TMA brings tiles of K and V into a ring of stages, two groups of four warps multiply them on the tensor cores (wgmma),
 * and the softmax goes along tile by tile, so that the SEQUENCE x SEQUENCE weights never exist in memory.
 *
 * Compile for sm_90a: nvcc -arch=sm_90a -cudart shared attention.cu -lcuda */
#include "common.h"
#include "hopper.h"

#define WIDTH 64        /* of a head: 128 bytes, a row of TMA's swizzle */
#define ROWS 64         /* of a tile */
#define CONSUMERS 2     /* groups of four warps, each with a tile of Q */
#define STAGES 3        /* tiles of K and V under way */
#define GROUP 128       /* threads */
#define SCALE 0.125f    /* 1 / sqrt(WIDTH) */
#define LOG2E 1.44269504f

typedef __half tile[ROWS * WIDTH];

struct memory
{
    tile q[CONSUMERS], k[STAGES], v[STAGES];
    u64 q_full, full[STAGES], empty[STAGES];
};

struct place
{
    int stage;
    u32 parity;
};

static __device__ void next(place &p)
{
    if (++p.stage == STAGES)
    {
        p.stage = 0;
        p.parity ^= 1;
    }
}

/* One thread: keeps the ring full. */
static __device__ void produce(memory &m, const CUtensorMap *q, const CUtensorMap *k, const CUtensorMap *v, int first, int row, int tiles)
{
    barrier_expect(&m.q_full, sizeof m.q);
    for (int c = 0; c < CONSUMERS; c++) copy_in(m.q[c], q, 0, row + c * ROWS, &m.q_full);
    place p = {0, 1}; // all stages are empty
    for (int i = 0; i < tiles; i++, next(p))
    {
        barrier_wait(&m.empty[p.stage], p.parity);
        barrier_expect(&m.full[p.stage], 2 * sizeof(tile));
        copy_in(m.k[p.stage], k, 0, first + i * ROWS, &m.full[p.stage]);
        copy_in(m.v[p.stage], v, 0, first + i * ROWS, &m.full[p.stage]);
    }
}

/* Over the four lanes that have a row. */
static __device__ float row_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}

static __device__ float row_sum(float x)
{
    x += __shfl_xor_sync(0xffffffff, x, 1);
    return x + __shfl_xor_sync(0xffffffff, x, 2);
}

/* What a thread knows of its two rows (h is 0 or 1), and its part of their results. */
struct rows
{
    float most[2], sum[2], o[32];
};

/* Scores become weights; what was summed so far is scaled to the new maximum. */
static __device__ void soften(rows &r, float (&s)[32])
{
    for (int h = 0; h < 2; h++)
    {
        float most = r.most[h];
        for (int j = 2 * h; j < 32; j += 4) most = fmaxf(most, fmaxf(s[j], s[j + 1]));
        most = row_max(most);
        const float shrink = exp2f((r.most[h] - most) * SCALE * LOG2E);
        r.most[h] = most;
        r.sum[h] *= shrink;
        for (int j = 2 * h; j < 32; j += 4)
            for (int i = j; i < j + 2; i++)
            {
                s[i] = exp2f((s[i] - most) * SCALE * LOG2E);
                r.sum[h] += s[i];
                r.o[i] *= shrink;
            }
    }
}

static __device__ u32 two_halves(float low, float high)
{
    const __half2 both = __floats2half2_rn(low, high);
    return *(const u32 *)&both;
}

/* A tile of keys and values. */
static __device__ void attend(rows &r, const tile &q, const tile &k, const tile &v)
{
    float s[32];
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < WIDTH; c += 16) product_of_rows(s, further(matrix(q), c * 2), further(matrix(k), c * 2), c > 0);
    wgmma_commit();
    wgmma_wait();
    soften(r, s);
    u32 weights[ROWS / 16][4];
#pragma unroll
    for (int c = 0; c < ROWS / 16; c++)
#pragma unroll
        for (int i = 0; i < 4; i++) weights[c][i] = two_halves(s[8 * c + 2 * i], s[8 * c + 2 * i + 1]);
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < ROWS / 16; c++) product(r.o, weights[c], further(matrix(v), c * 16 * WIDTH * 2));
    wgmma_commit();
    wgmma_wait();
}

static __device__ void consume(memory &m, __half *out, int row, int tiles)
{
    const int group = threadIdx.x / GROUP, lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    rows r = {{-INFINITY, -INFINITY}};
    place p = {0, 0};
    barrier_wait(&m.q_full, 0);
    for (int i = 0; i < tiles; i++, next(p))
    {
        barrier_wait(&m.full[p.stage], p.parity);
        attend(r, m.q[group], m.k[p.stage], m.v[p.stage]);
        if (lane == 0) barrier_arrive(&m.empty[p.stage]);
    }
    for (int h = 0; h < 2; h++)
    {
        const float whole = 1 / row_sum(r.sum[h]);
        const size_t y = row + group * ROWS + warp * 16 + lane / 4 + h * 8;
        for (int j = 0; j < 8; j++)
            *(u32 *)&out[y * WIDTH + j * 8 + lane % 4 * 2] = two_halves(r.o[4 * j + 2 * h] * whole, r.o[4 * j + 2 * h + 1] * whole);
    }
}

/* A block has CONSUMERS tiles of Q of one head; its last warp brings what the others need. */
__global__ void __launch_bounds__(CONSUMERS *GROUP + 32)
    attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
              __half *out, int sequence)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    memory &m = *(memory *)bytes;
    const int first = blockIdx.y * sequence, row = first + blockIdx.x * CONSUMERS * ROWS;
    if (threadIdx.x == 0)
    {
        barrier_init(&m.q_full, 1);
        for (int s = 0; s < STAGES; s++)
        {
            barrier_init(&m.full[s], 1);
            barrier_init(&m.empty[s], CONSUMERS * GROUP / 32);
        }
        barrier_init_fence();
    }
    __syncthreads();
    if (threadIdx.x == CONSUMERS * GROUP)
        produce(m, &q, &k, &v, first, row, sequence / ROWS);
    else if (threadIdx.x < CONSUMERS * GROUP)
        consume(m, out, row, sequence / ROWS);
}

/* ---- the host ---- */

static CUtensorMap map_of(__half *p, u64 rows)
{
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, rows}, pitch[] = {WIDTH * sizeof(__half)};
    const cuuint32_t box[] = {WIDTH, ROWS}, step[] = {1, 1};
    const CUresult e = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, size, pitch, box, step,
                                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (e != CUDA_SUCCESS)
    {
        printf("cuTensorMapEncodeTiled: error %d\n", e);
        exit(1);
    }
    return map;
}

/* A row of the result, in double. */
static void reference(double *o, const __half *q, const __half *k, const __half *v, int sequence)
{
    double sum = 0;
    for (int x = 0; x < WIDTH; x++) o[x] = 0;
    for (int i = 0; i < sequence; i++)
    {
        double s = 0;
        for (int x = 0; x < WIDTH; x++) s += (double)__half2float(q[x]) * (double)__half2float(k[i * WIDTH + x]);
        const double weight = exp(s / 8);
        sum += weight;
        for (int x = 0; x < WIDTH; x++) o[x] += weight * (double)__half2float(v[i * WIDTH + x]);
    }
    for (int x = 0; x < WIDTH; x++) o[x] /= sum;
}

/* Some rows of each head. Weights are rounded to 11 bits and values are below 1, so is their mean, which is rounded once more. */
static int is_right(const __half *q, const __half *k, const __half *v, const __half *o, int heads, int sequence)
{
    int good = 1;
    double want[WIDTH];
    for (int h = 0; h < heads; h++)
        for (int i = h % 7; i < sequence; i += 37)
        {
            const size_t head = (size_t)h * sequence * WIDTH, row = head + (size_t)i * WIDTH;
            reference(want, q + row, k + head, v + head, sequence);
            for (int x = 0; x < WIDTH; x++) good &= fabs((double)__half2float(o[row + x]) - want[x]) <= 1.1 / 1024;
        }
    return good;
}

static __half *random_halves(size_t n, unsigned int seed)
{
    __half *p = (__half *)malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = __float2half_rn((float)((int)((i * 2654435761u + seed) * 40503u >> 16 & 2047) - 1023) / 1024);
    return p;
}

static __half *on_device(const __half *p, size_t n)
{
    __half *d;
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaMemcpy(d, p, n * sizeof *d, cudaMemcpyHostToDevice));
    return d;
}

int main(int argc, char **argv)
{
    const int heads = argument(argc, argv, 1, 2), sequence = argument(argc, argv, 2, 256);
    if (heads < 1 || sequence < CONSUMERS * ROWS || sequence % (CONSUMERS * ROWS))
    {
        printf("usage: attention [HEADS SEQUENCE], SEQUENCE a multiple of %d\n", CONSUMERS * ROWS);
        return 2;
    }
    const size_t all = (size_t)heads * sequence, n = all * WIDTH, bytes = n * sizeof(__half);
    __half *q = random_halves(n, 1), *k = random_halves(n, 2), *v = random_halves(n, 3), *o = random_halves(n, 4);
    __half *d_q = on_device(q, n), *d_k = on_device(k, n), *d_v = on_device(v, n), *d_o = on_device(o, n);
    CHECK(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(memory)));
    attention<<<dim3(sequence / (CONSUMERS * ROWS), heads), CONSUMERS * GROUP + 32, sizeof(memory)>>>(
        map_of(d_q, all), map_of(d_k, all), map_of(d_v, all), d_o, sequence);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(o, d_o, bytes, cudaMemcpyDeviceToHost));
    const int right = say("attention", is_right(q, k, v, o, heads, sequence));
    CHECK(cudaFree(d_q));
    CHECK(cudaFree(d_k));
    CHECK(cudaFree(d_v));
    CHECK(cudaFree(d_o));
    free(q), free(k), free(v), free(o);
    return !right;
}
