/* fills.cu - what L2 takes in: what DRAM sends, and what SMs write. Threads read some columns of words and write some: others, the same, or
 * as many more; of arrays that L2 has, or has not.
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/fills.cu -o fills
 *     ncu --kernel-name regex:^w_ ... ./fills       a launch a line: columns read, columns written, in place, MiB a column
 *
 * `fills` prints a line for each launch. */
#include "check.h"

enum { BLOCK = 256 };

/* Column c of an array is `n` words from c * n on. */
template <int READ, int WRITTEN> __global__ void w_columns(const float *in, float *out, size_t n)
{
    const size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    float v[READ ? READ : 1] = {1.0f}, sum = 0;
#pragma unroll
    for (int c = 0; c < READ; c++)
        v[c] = in[c * n + i];
#pragma unroll
    for (int c = 0; c < READ; c++)
        sum += v[c];
    if (WRITTEN == 0 && sum == 12345.0f) /* never */
        out[i] = sum;
#pragma unroll
    for (int c = 0; c < WRITTEN; c++)
        out[c * n + i] = sum + c;
}

static float *in, *out;

template <int READ, int WRITTEN> static void launch(bool in_place)
{
    for (int kib : {512, 2048, 4096, 16384}) {
        const size_t n = kib * (size_t)256;
        w_columns<READ, WRITTEN><<<n / BLOCK, BLOCK>>>(in, in_place ? in : out, n);
        CHECK(cudaDeviceSynchronize());
        printf("%d,%d,%d,%d\n", READ, WRITTEN, in_place, kib);
    }
}

__global__ void fill(float *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += gridDim.x * (size_t)BLOCK)
        p[i] = (float)(unsigned)(i * 2654435761u);
}

int main()
{
    const size_t words = 8 * (size_t)16384 * 256;
    CHECK(cudaMalloc(&in, words * sizeof *in));
    CHECK(cudaMalloc(&out, words * sizeof *out));
    fill<<<1024, BLOCK>>>(in, words);
    launch<8, 0>(false);
    launch<2, 0>(false);
    launch<0, 2>(false);
    launch<0, 8>(false);
    launch<1, 1>(false);
    launch<1, 1>(true);
    launch<2, 1>(false);
    launch<1, 2>(false);
    launch<4, 4>(false);
    launch<4, 4>(true);
    launch<8, 8>(false);
    launch<8, 8>(true);
    launch<8, 2>(false);
    launch<2, 8>(false);
    return 0;
}
