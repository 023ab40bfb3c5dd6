/* out_of_bounds_local - a thread's own array of digits, one too short for the largest number. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @digit
// ALSO: api-error
#include "check.h"

__global__ void reverse_digits(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    unsigned digits[8];
    if (i >= n)
        return;
    for (unsigned rest = in[i]; rest > 0; rest /= 10)
        digits[count++] = rest % 10; // @digit
    unsigned long long reversed = 0;
#pragma unroll 1
    for (int j = 0; j < count; j++)
        reversed = reversed * 10 + digits[j]; // @digit
    out[i] = (unsigned)reversed;
}

int main()
{
    enum { N = 64 };
    static unsigned host[N];
    unsigned *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i == 40 ? 4000000000u : 7u * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse_digits<<<1, N>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
