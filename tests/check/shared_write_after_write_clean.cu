/* shared_write_after_write_clean - the place of a maximum: the least index, by an atomic. */
#include "check.h"

__global__ void place_of_maximum(const int *in, int *out)
{
    __shared__ int maximum, place;
    int t = threadIdx.x;
    if (t == 0) {
        maximum = INT32_MIN;
        place = INT32_MAX;
    }
    __syncthreads();
    atomicMax(&maximum, in[t]);
    __syncthreads();
    if (in[t] == maximum)
        atomicMin(&place, t);
    __syncthreads();
    if (t == 0)
        *out = place;
}

int main()
{
    enum { N = 128 };
    int host[N], *in, *out, place;
    for (int i = 0; i < N; i++)
        host[i] = i % 50; // 49 stands at 49 and at 99
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    place_of_maximum<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&place, out, sizeof place, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
