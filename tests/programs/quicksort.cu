/* quicksort - kernels that launch kernels: a part that is sorted by two children, in streams of their own, until it is
 * small; and a tail launch that runs when all of them have ended. And copies and fills that a kernel puts between its
 * launches. Compiled with -rdc=true -lcudadevrt. */
#include <cuda_runtime.h>

#include "program.h"

enum { SMALL = 32, DEEP = 12 };

__device__ int launched;

__device__ void insertion_sort(int *data, int left, int right)
{
    for (int i = left + 1; i <= right; i++) {
        int value = data[i], j = i;
        for (; j > left && data[j - 1] > value; j--)
            data[j] = data[j - 1];
        data[j] = value;
    }
}

__global__ void quicksort(int *data, int left, int right, int depth)
{
    atomicAdd(&launched, 1);
    if (depth >= DEEP || right - left < SMALL) {
        insertion_sort(data, left, right);
        return;
    }
    int pivot = data[(left + right) / 2], l = left, r = right;
    while (l <= r) {
        while (data[l] < pivot)
            l++;
        while (data[r] > pivot)
            r--;
        if (l <= r) {
            int t = data[l];
            data[l++] = data[r];
            data[r--] = t;
        }
    }
    cudaStream_t stream;
    if (left < r) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(data, left, r, depth + 1);
        cudaStreamDestroy(stream);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(data, l, right, depth + 1);
        cudaStreamDestroy(stream);
    }
}

__global__ void count_sorted(const int *data, int n, int *ordered)
{
    for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
        if (data[i] <= data[i + 1])
            atomicAdd(ordered, 1);
}

/* The tail launch begins when this grid and all of its children have ended: it sees the sorted data. */
__global__ void sort_and_count(int *data, int n, int *ordered)
{
    quicksort<<<1, 1>>>(data, 0, n - 1, 0);
    count_sorted<<<1, 64, 0, cudaStreamTailLaunch>>>(data, n, ordered);
    if (cudaGetLastError() != cudaSuccess)
        *ordered = -1000000;
}

__global__ void number(int *data)
{
    data[threadIdx.x] += threadIdx.x;
}

__device__ bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* What a kernel is told of a launch that cannot be. */
__global__ void launch_badly(int *told)
{
    number<<<1, 2048>>>(told);
    *told = same(cudaGetErrorString(cudaPeekAtLastError()), "invalid configuration argument") &&
            same(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidConfiguration") &&
            same(cudaGetErrorString(cudaGetLastError()), "no error");
}

/* In one stream, each after the one before: every even place of `from` ends as -1, `to` has 0 .. n-1 and then the odd
 * places of `from`. */
__global__ void copy_in_turn(int *from, int *to, int n, int *errors)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (cudaMemsetAsync(from, 0, n * sizeof *from, stream) != cudaSuccess)
        ++*errors;
    number<<<1, n, 0, stream>>>(from);
    if (cudaMemcpyAsync(to, from, n * sizeof *from, cudaMemcpyDeviceToDevice, stream) != cudaSuccess)
        ++*errors;
    if (cudaMemset2DAsync(from, 2 * sizeof *from, 0xff, sizeof *from, n / 2, stream) != cudaSuccess)
        ++*errors;
    if (cudaMemcpy2DAsync(to + n, sizeof *to, from + 1, 2 * sizeof *from, sizeof *to, n / 2, cudaMemcpyDeviceToDevice,
                          stream) != cudaSuccess)
        ++*errors;
    cudaStreamDestroy(stream);
}

static void check_copies(void)
{
    enum { N = 64 };
    int *from, *to, *errors, h_from[N], h_to[N + N / 2], bad = 0;
    CHECK(cudaMallocManaged(&errors, sizeof *errors));
    *errors = 0;
    CHECK(cudaMalloc(&from, sizeof h_from));
    CHECK(cudaMalloc(&to, sizeof h_to));
    copy_in_turn<<<1, 1>>>(from, to, N, errors);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_from, from, sizeof h_from, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_to, to, sizeof h_to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        bad += h_to[i] != i || h_from[i] != (i % 2 ? i : -1);
    for (int i = 0; i < N / 2; i++)
        bad += h_to[N + i] != 2 * i + 1;
    verdict(bad == 0 && *errors == 0, "a kernel's copies and fills come in turn with its launches");
    launch_badly<<<1, 1>>>(errors);
    CHECK(cudaDeviceSynchronize());
    verdict(*errors == 1, "a kernel can read what its error means");
    CHECK(cudaFree(errors));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

static int compare(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, ordered = 0, kernels = 0;
    int *data = (int *)malloc(n * sizeof *data), *sorted = (int *)malloc(n * sizeof *data), *d_data, *d_ordered;
    for (int i = 0; i < n; i++)
        sorted[i] = data[i] = (int)(random_bits() % 1000);
    qsort(sorted, n, sizeof *sorted, compare);
    CHECK(cudaMalloc(&d_data, n * sizeof *data));
    CHECK(cudaMalloc(&d_ordered, sizeof *d_ordered));
    CHECK(cudaMemset(d_ordered, 0, sizeof *d_ordered));
    CHECK(cudaMemcpy(d_data, data, n * sizeof *data, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    sort_and_count<<<1, 1>>>(d_data, n, d_ordered);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(data, d_data, n * sizeof *data, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&ordered, d_ordered, sizeof ordered, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&kernels, launched, sizeof kernels));
    verdict(memcmp(data, sorted, n * sizeof *data) == 0, "%d numbers are sorted", n);
    verdict(ordered == n - 1, "the tail launch saw them sorted");
    verdict(kernels > n / SMALL, "by more than %d kernels", n / SMALL);
    check_copies();
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_ordered));
    free(data);
    free(sorted);
    return failures;
}
