/* device_heap_leak_clean - every way out deletes. */
#include "check.h"

__global__ void median_of(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    int *sorted = new int[n]; // @new
    for (int j = 0; j < n; j++) {
        int k = j;
        for (; k > 0 && sorted[k - 1] > in[i * n + j]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = in[i * n + j];
    }
    out[i] = sorted[n / 2];
    if (out[i] < 0)
        out[i] = -out[i];
    delete[] sorted;
}

int main()
{
    enum { N = 5, ROWS = 8 };
    int host[ROWS * N], *in, *out;
    for (int i = 0; i < ROWS * N; i++)
        host[i] = i * 7 % 11;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, ROWS * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    median_of<<<1, ROWS>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, ROWS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
