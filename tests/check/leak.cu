/* leak - an early return passes the calls that free. */
// TOOL: leakcheck
// EXPECT: leak line @malloc
#include "check.h"

static int sum_of(const int *host, int n)
{
    int *device, back = 0;
    CHECK(cudaMalloc(&device, n * sizeof *device)); // @malloc
    CHECK(cudaMemcpy(device, host, n * sizeof *device, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&back, device, sizeof back, cudaMemcpyDeviceToHost));
    if (back < 0)
        return -1;
    for (int i = 1; i < n; i++)
        back += host[i];
    CHECK(cudaFree(device));
    return back;
}

int main()
{
    int good[] = {1, 2, 3}, bad[] = {-1, 2, 3};
    printf("%d\n", sum_of(good, 3));
    printf("%d\n", sum_of(bad, 3));
    return 0;
}
