/* patterns - parallel building blocks as the samples have them: reduction with a fence and a last block, scan,
 * histogram, bitonic and radix sort, transposition. */
#include <cuda_runtime.h>

#include "program.h"

enum { N = 8192, BLOCK = 256, BINS = 64 };

/* ---- reduction: the last block to finish adds up what the others left ---- */

__device__ unsigned int finished;

__device__ int block_sum(int value)
{
    __shared__ int warp_sums[32];
    for (int i = 16; i > 0; i /= 2)
        value += __shfl_down_sync(0xffffffff, value, i);
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int i = 16; i > 0; i /= 2)
            value += __shfl_down_sync(0xffffffff, value, i);
    __syncthreads();
    return value; // right in thread 0
}

__global__ void fence_reduction(const int *in, volatile int *partial, int *out, int n)
{
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    sum = 0;
    for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *out = sum;
        finished = 0;
    }
}

/* ---- scan: each block its part, one block the sums, everybody adds ---- */

__global__ void scan_blocks(int *data, int *sums)
{
    __shared__ int tile[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, now = 0;
    tile[0][t] = data[i];
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        tile[1 - now][t] = tile[now][t] + (t >= step ? tile[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    data[i] = tile[now][t];
    if (sums && t == BLOCK - 1)
        sums[blockIdx.x] = tile[now][t];
}

__global__ void add_sums(int *data, const int *sums)
{
    if (blockIdx.x > 0)
        data[blockIdx.x * BLOCK + threadIdx.x] += sums[blockIdx.x - 1];
}

/* ---- histogram: a copy a block in shared memory ---- */

__global__ void histogram(const int *in, unsigned int *bins, int n)
{
    __shared__ unsigned int mine[BINS];
    if (threadIdx.x < BINS)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] % BINS], 1);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* ---- bitonic sort: one compare-exchange step a launch ---- */

__global__ void bitonic_step(int *data, int size, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int partner = i ^ stride;
    if (partner <= i)
        return;
    bool up = (i & size) == 0;
    int a = data[i], b = data[partner];
    if ((a > b) == up) {
        data[i] = b;
        data[partner] = a;
    }
}

/* ---- radix sort, a bit a pass: zeros keep their order in front of the ones ---- */

__global__ void flag_zeros(const int *in, int *flags, int bit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    flags[i] = !(in[i] >> bit & 1);
}

__global__ void split(const int *in, int *out, const int *zeros_up_to, int bit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int zeros = zeros_up_to[N - 1], value = in[i];
    if (value >> bit & 1)
        out[zeros + i - zeros_up_to[i]] = value;
    else
        out[zeros_up_to[i] - 1] = value;
}

/* ---- transposition in padded tiles ---- */

__global__ void transpose(const int *in, int *out, int width, int height)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
        if (x < width && blockIdx.y * 32 + j < height)
            tile[j][threadIdx.x] = in[(blockIdx.y * 32 + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
        if (x < height && blockIdx.x * 32 + j < width)
            out[(blockIdx.x * 32 + j) * height + x] = tile[threadIdx.x][j];
}

static int host[N], back[N], sorted[N], *in, *work, *sums;

static void load(void)
{
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
}
static void get(const int *device)
{
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
}

static void scan(int *data)
{
    scan_blocks<<<N / BLOCK, BLOCK>>>(data, sums);
    scan_blocks<<<1, BLOCK>>>(sums, NULL); // N / BLOCK sums and some zeros
    add_sums<<<N / BLOCK, BLOCK>>>(data, sums);
    CHECK(cudaGetLastError());
}

static void test_sums(void)
{
    int total = 0, got = 0, bad = 0, running = 0;
    load();
    for (int round = 0; round < 2; round++)
        fence_reduction<<<20, BLOCK>>>(in, work, sums, N);
    CHECK(cudaMemcpy(&got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        total += host[i];
    verdict(got == total, "reduction by the last block");
    scan(in);
    get(in);
    for (int i = 0; i < N; i++)
        bad += back[i] != (running += host[i]);
    verdict(bad == 0, "scan");
}

static void test_histogram(void)
{
    unsigned int want[BINS] = {0}, got[BINS], *bins;
    CHECK(cudaMalloc(&bins, sizeof want));
    CHECK(cudaMemset(bins, 0, sizeof want));
    load();
    histogram<<<13, BLOCK>>>(in, bins, N);
    CHECK(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        want[host[i] % BINS]++;
    verdict(memcmp(want, got, sizeof want) == 0, "histogram");
    CHECK(cudaFree(bins));
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void test_sorts(void)
{
    memcpy(sorted, host, sizeof host);
    qsort(sorted, N, sizeof *sorted, compare);
    load();
    for (int size = 2; size <= N; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2)
            bitonic_step<<<N / BLOCK, BLOCK>>>(in, size, stride);
    get(in);
    verdict(memcmp(sorted, back, sizeof back) == 0, "bitonic sort");
    load();
    int *from = in, *to = work, *flags;
    CHECK(cudaMalloc(&flags, sizeof host));
    for (int bit = 0; bit < 10; bit++) {
        flag_zeros<<<N / BLOCK, BLOCK>>>(from, flags, bit);
        scan(flags);
        split<<<N / BLOCK, BLOCK>>>(from, to, flags, bit);
        int *t = from;
        from = to;
        to = t;
    }
    get(from);
    verdict(memcmp(sorted, back, sizeof back) == 0, "radix sort");
    CHECK(cudaFree(flags));
}

static void test_transpose(void)
{
    const int width = 100, height = 75;
    int bad = 0;
    load();
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(in, work, width, height);
    get(work);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            bad += back[x * height + y] != host[y * width + x];
    verdict(bad == 0, "transposition");
}

int main()
{
    for (int i = 0; i < N; i++)
        host[i] = (int)(random_bits() % 1000);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&work, sizeof host));
    CHECK(cudaMalloc(&sums, BLOCK * sizeof *sums));
    CHECK(cudaMemset(sums, 0, BLOCK * sizeof *sums));
    test_sums();
    test_histogram();
    test_sorts();
    test_transpose();
    CHECK(cudaFree(in));
    CHECK(cudaFree(work));
    CHECK(cudaFree(sums));
    return failures;
}
