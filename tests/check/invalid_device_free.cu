/* invalid_device_free - the pointer walked through the list that it is to free. */
// TOOL: memcheck
// EXPECT: invalid-device-free line @free
// ALSO: api-error
#include "check.h"

__global__ void collatz(int *out)
{
    int *list = (int *)malloc(128 * sizeof(int)), *next = list;
    if (list == NULL)
        return;
    for (int v = threadIdx.x + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
        *next++ = v;
    out[threadIdx.x] = next > list ? next[-1] : 1;
    free(next); // @free
}

int main()
{
    enum { N = 20 };
    int host[N], *out;
    CHECK(cudaMalloc(&out, sizeof host));
    collatz<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
