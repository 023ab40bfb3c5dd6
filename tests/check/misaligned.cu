/* misaligned - a packed record: a byte that says what it is, then a float. The cast reads 4 bytes at an odd address. */
// TOOL: memcheck
// EXPECT: misaligned line @read
// ALSO: api-error
#include "check.h"

enum { RECORD_BYTES = 5 };

__global__ void unpack(const unsigned char *records, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned char *record = records + i * RECORD_BYTES;
    out[i] = *(const float *)(record + 1); // @read
}

int main()
{
    enum { N = 100, BLOCK = 32 };
    static unsigned char packed[N * RECORD_BYTES];
    static float host[N];
    unsigned char *records;
    float *out;
    CHECK(cudaMalloc(&records, sizeof packed));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(records, packed, sizeof packed, cudaMemcpyHostToDevice));
    unpack<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(records, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(records));
    CHECK(cudaFree(out));
    return 0;
}
