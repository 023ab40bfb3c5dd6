/* quicksort - kernels that launch kernels: a part that is sorted by two children, in streams of their own, until it is
 * small; and a tail launch that runs when all of them have ended. Compiled with -rdc=true -lcudadevrt. */
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
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_ordered));
    free(data);
    free(sorted);
    return failures;
}
