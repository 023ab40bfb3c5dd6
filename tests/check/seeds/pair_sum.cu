/* pair_sum - the sum of adjacent pairs in place, a thread a pair as the text proposes: an element is stored that the
 * thread of another pair has not read yet. (That an odd number loses its last element is for the verifier:
 * kernels/divergence/broken/adjacentPairs.cu.) */
// TOOL: all
// EXPECT: global-write-after-read|global-read-after-write line @pair other line @pair
// ALSO: global-write-after-read global-read-after-write
#include "check.h"

__global__ void adjacent_pair_sum(int *arr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        arr[i] = arr[2 * i] + arr[2 * i + 1]; // @pair
}

int main()
{
    enum { N = 512, BLOCK = 64 };
    static int host[N];
    int *arr;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&arr, sizeof host));
    CHECK(cudaMemcpy(arr, host, sizeof host, cudaMemcpyHostToDevice));
    for (int n = N; n > 1; n /= 2) {
        adjacent_pair_sum<<<(n / 2 + BLOCK - 1) / BLOCK, BLOCK>>>(arr, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(host, arr, sizeof *arr, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(arr));
    return 0;
}
