/* sumSquares [N] - the sum of N squares (2^20), an exercise: each block leaves a partial sum, so that blocks do not
 * race, through shared memory; without divergence inside of a warp; through shuffles. And the sum of N floats as a
 * tutorial has it, in two stages: the blocks' sums are summed by one more block.
 *
 * (Tutorials "Writing kernels", exercises 1 and 2, and "From kernels to optimisation", 2.1.) */
#include "common.h"

#define DIM 256

/* Neighbouring threads pair up: in every round half of a warp's lanes are idle. */
__global__ void squaresNeighbored(const int *x, int *sums, int n)
{
    __shared__ int smem[DIM];
    int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    smem[tid] = idx < n ? x[idx] * x[idx] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2)
    {
        if (tid % (2 * stride) == 0) smem[tid] += smem[tid + stride];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = smem[0];
}

/* The first half of the threads works: whole warps, until the last five rounds. */
__global__ void squaresSmem(const int *x, int *sums, int n)
{
    __shared__ int smem[DIM];
    int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    smem[tid] = idx < n ? x[idx] * x[idx] : 0;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1)
    {
        if (tid < stride) smem[tid] += smem[tid + stride];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = smem[0];
}

/* A warp sums in registers; one word a warp goes through shared memory. */
__global__ void squaresShfl(const int *x, int *sums, int n)
{
    __shared__ int smem[DIM / 32];
    int idx = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = idx < n ? x[idx] * x[idx] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) smem[warp] = sum;
    __syncthreads();
    if (warp == 0)
    {
        sum = lane < DIM / 32 ? smem[lane] : 0;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0) sums[blockIdx.x] = sum;
    }
}

/* blockDim.x is a power of two. */
__global__ void reduceSum(float *input, float *output, int n)
{
    extern __shared__ float sdata[];
    int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;
    sdata[tid] = idx < n ? input[idx] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1)
    {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) output[blockIdx.x] = sdata[0];
}

static int squares(const char *name, void (*run)(const int *, int *, int), const int *d_x, int n, long long want)
{
    int blocks = (n + DIM - 1) / DIM, *d_sums, *sums = (int *)malloc(blocks * sizeof *sums);
    long long sum = 0;
    CHECK(cudaMalloc(&d_sums, blocks * sizeof *sums));
    run<<<blocks, DIM>>>(d_x, d_sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, d_sums, blocks * sizeof *sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        sum += sums[i];
    CHECK(cudaFree(d_sums));
    free(sums);
    return say(name, sum == want);
}

/* Whole numbers whose sum stays below 2^24 are exact in any order. */
static int two_stages(void)
{
    const int n = 200000, blocks = (n + DIM - 1) / DIM;
    float *x = (float *)malloc(n * sizeof *x), *d_x, *d_sums, *d_total, got = 0;
    double want = 0;
    for (int i = 0; i < n; i++)
        want += x[i] = (float)number(i);
    CHECK(cudaMalloc(&d_x, n * sizeof *x));
    CHECK(cudaMalloc(&d_sums, blocks * sizeof *x));
    CHECK(cudaMalloc(&d_total, sizeof *x));
    CHECK(cudaMemcpy(d_x, x, n * sizeof *x, cudaMemcpyHostToDevice));
    reduceSum<<<blocks, DIM, DIM * sizeof(float)>>>(d_x, d_sums, n);
    reduceSum<<<1, 1024, 1024 * sizeof(float)>>>(d_sums, d_total, blocks); // 782 sums
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, d_total, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_total));
    free(x);
    return say("reduceSum in two stages", got == want);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1 << 20), *x = (int *)malloc(n * sizeof *x), *d_x, right = 1;
    long long want = 0;
    print_device(argv[0]);
    printf(", %d numbers\n", n);
    for (int i = 0; i < n; i++) {
        x[i] = number(i);
        want += x[i] * x[i];
    }
    CHECK(cudaMalloc(&d_x, n * sizeof *x));
    CHECK(cudaMemcpy(d_x, x, n * sizeof *x, cudaMemcpyHostToDevice));
    right &= squares("squaresNeighbored", squaresNeighbored, d_x, n, want);
    right &= squares("squaresSmem", squaresSmem, d_x, n, want);
    right &= squares("squaresShfl", squaresShfl, d_x, n, want);
    right &= two_stages();
    CHECK(cudaFree(d_x));
    free(x);
    return !right;
}
