/* fft_butterfly - each thread has one number and overwrites it, while the thread at the pair's other end may or may not
 * have read it. (That both ends add, that the angle is wrong and that nobody has reversed the bits is for the verifier:
 * kernels/fft/broken/fftButterfly.cu.) */
// TOOL: all
// EXPECT: global-write-after-read|global-read-after-write line @read|@write other line @read|@write
// ALSO: global-write-after-read global-read-after-write global-write-after-write
#include "check.h"

__global__ void fftButterfly(float2 *data, int N, int step)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x, pair = idx ^ step;
    if (idx < N && pair < N) {
        float angle = -6.2831853f * (idx & (step - 1)) / (float)N;
        float2 twiddle = make_float2(__cosf(angle), __sinf(angle));
        float2 temp = data[idx], other = data[pair];                      // @read
        data[idx].x = temp.x + twiddle.x * other.x - twiddle.y * other.y; // @write
        data[idx].y = temp.y + twiddle.x * other.y + twiddle.y * other.x; // @write
    }
}

int main()
{
    enum { N = 256, BLOCK = 64 };
    static float2 host[N];
    float2 *data;
    for (int i = 0; i < N; i++)
        host[i] = make_float2(i % 13, i % 5);
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    for (int step = 1; step < N; step *= 2) {
        fftButterfly<<<N / BLOCK, BLOCK>>>(data, N, step);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
