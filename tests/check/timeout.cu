/* timeout - a consumer that waits for a flag, and a producer that runs behind it in the same stream. */
// TOOL: memcheck
// OPTIONS: --timeout 1
// EXPECT: timeout
// ALSO: api-error
#include "check.h"

__global__ void produce(int *data, int *flag)
{
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
}

__global__ void consume(const int *data, int *flag, int *out)
{
    while (atomicAdd(flag, 0) == 0) { // @wait
    }
    __threadfence();
    *out = *data;
}

int main()
{
    int *words, got;
    CHECK(cudaMalloc(&words, 3 * sizeof *words));
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    consume<<<1, 1>>>(words, words + 1, words + 2);
    CHECK(cudaGetLastError());
    produce<<<1, 1>>>(words, words + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, words + 2, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d\n", got);
    CHECK(cudaFree(words));
    return 0;
}
