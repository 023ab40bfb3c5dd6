/* accessPatterns [N] - which words of global memory a warp takes, for N words (2^20): neighbours, permuted within
 * lines, one word off, every k-th word; and a block's words that change places through shared memory.
 *
 * 32 neighbours are 4 sectors of 32 bytes, in whatever order; one word off they are 5; every second word is 8
 * sectors, of which half is used; from a stride of 8 words on every lane has a sector of its own, 32: no stride is
 * worse.
 *
 * (Tutorials "Memory access", and "Writing kernels", exercise 4.) */
#include "common.h"

#define DIM 128

/* Each thread takes several words, a grid apart: neighbours stay neighbours. */
__global__ void coalesced(int *arr, int *ret, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = tid; i < n; i += stride)
    {
        ret[i] = arr[i];
    }
}

__global__ void permuted(int *arr, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ret[i] = arr[i ^ 5];
}

__global__ void misaligned(int *arr, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ret[i] = arr[i + 1];
}

template <int STRIDE> __global__ void strided(int *arr, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ret[i] = arr[i * STRIDE];
}

/* 128 blocks of 128 threads in the tutorial. Without the barrier a warp reads what another has not stored yet. */
__global__ void kernel(int *a, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int tx = threadIdx.x;
    __shared__ int a_s[DIM];
    a_s[tx] = tid < n ? a[tid] : 0;
    __syncthreads();
    if (tid < n) a[tid] = a_s[(tx + 64) % DIM];
}

static int *host, *d_arr, *d_ret;

static int check(const char *name, int n, int (*from)(int))
{
    int bad = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, d_ret, n * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        bad += host[i] != number(from(i));
    return say(name, bad == 0);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1 << 20) / DIM * DIM, room = n * 16 + 1, grid = n / DIM, right = 1;
    print_device(argv[0]);
    printf(", %d words, blocks of %d threads\n", n, DIM);
    host = (int *)malloc(room * sizeof *host);
    for (int i = 0; i < room; i++)
        host[i] = number(i);
    CHECK(cudaMalloc(&d_arr, room * sizeof *host));
    CHECK(cudaMalloc(&d_ret, n * sizeof *host));
    CHECK(cudaMemcpy(d_arr, host, room * sizeof *host, cudaMemcpyHostToDevice));

    coalesced<<<grid / 4, DIM>>>(d_arr, d_ret, n);
    right &= check("coalesced", n, [](int i) { return i; });
    permuted<<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("permuted", n, [](int i) { return i ^ 5; });
    misaligned<<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("misaligned", n, [](int i) { return i + 1; });
    strided<2><<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("strided<2>", n, [](int i) { return i * 2; });
    strided<4><<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("strided<4>", n, [](int i) { return i * 4; });
    strided<8><<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("strided<8>", n, [](int i) { return i * 8; });
    strided<16><<<grid, DIM>>>(d_arr, d_ret, n);
    right &= check("strided<16>", n, [](int i) { return i * 16; });

    CHECK(cudaMemcpy(d_ret, d_arr, DIM * DIM * sizeof(int), cudaMemcpyDeviceToDevice));
    kernel<<<DIM, DIM>>>(d_ret, DIM * DIM);
    right &= check("kernel", DIM * DIM, [](int i) { return i / DIM * DIM + (i + 64) % DIM; });
    CHECK(cudaFree(d_arr));
    CHECK(cudaFree(d_ret));
    free(host);
    return !right;
}
