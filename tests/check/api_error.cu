/* api_error - a count of elements where the call wants bytes, and of the wrong type: the copy is longer than the
 * buffer. The program sees it and goes on with what it has. */
// TOOL: memcheck
// EXPECT: api-error line @copy
#include "check.h"

int main()
{
    enum { N = 256 };
    static float host[2 * N];
    float *device;
    CHECK(cudaMalloc(&device, N * sizeof(float)));
    cudaError_t error = cudaMemcpy(device, host, N * sizeof(double), cudaMemcpyHostToDevice); // @copy
    if (error != cudaSuccess)
        printf("the copy failed: %s\n", cudaGetErrorName(error));
    CHECK(cudaFree(device));
    return 0;
}
