/* device_fault - the kernel finds an index that cannot be and stops the program by a trap. */
// TOOL: memcheck
// EXPECT: device-fault line @trap
// ALSO: api-error
#include "check.h"

__global__ void look_up(const int *index, const float *table, float *out, int n)
{
    int i = threadIdx.x;
    if (index[i] < 0 || index[i] >= n)
        __trap(); // @trap
    out[i] = table[index[i]];
}

int main()
{
    enum { N = 32 };
    int indices[N], *index;
    float host[N] = {0}, *table, *out;
    for (int i = 0; i < N; i++)
        indices[i] = (i + 1) % (N + 1);
    CHECK(cudaMalloc(&index, sizeof indices));
    CHECK(cudaMalloc(&table, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(index, indices, sizeof indices, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice));
    look_up<<<1, N>>>(index, table, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(index));
    CHECK(cudaFree(table));
    CHECK(cudaFree(out));
    return 0;
}
