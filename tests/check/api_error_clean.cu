/* api_error_clean - as many bytes as the buffer has. */
#include "check.h"

int main()
{
    enum { N = 256 };
    static float host[2 * N];
    float *device;
    CHECK(cudaMalloc(&device, N * sizeof(float)));
    cudaError_t error = cudaMemcpy(device, host, N * sizeof(float), cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
        printf("the copy failed: %s\n", cudaGetErrorName(error));
    CHECK(cudaFree(device));
    return 0;
}
