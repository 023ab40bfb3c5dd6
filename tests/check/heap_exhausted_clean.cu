/* heap_exhausted_clean - the heap is made as large as the kernel needs. */
#include "check.h"

__global__ void with_scratch(int *out, int *failed)
{
    enum { BYTES = 64 << 10 };
    char *scratch = (char *)malloc(BYTES); // @malloc
    if (scratch == NULL) {
        atomicAdd(failed, 1);
    } else {
        scratch[0] = (char)threadIdx.x;
        scratch[BYTES - 1] = 1;
    }
    __syncthreads(); // all have theirs at the same time
    if (scratch != NULL)
        out[threadIdx.x] = scratch[0] + scratch[BYTES - 1];
    free(scratch);
}

int main()
{
    enum { N = 256 };
    int *out, *failed, count;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMalloc(&failed, sizeof *failed));
    CHECK(cudaMemset(failed, 0, sizeof *failed));
    with_scratch<<<1, N>>>(out, failed);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&count, failed, sizeof count, cudaMemcpyDeviceToHost));
    printf("without memory: %s\n", count ? "some" : "none");
    CHECK(cudaFree(out));
    CHECK(cudaFree(failed));
    return 0;
}
