/* vectorAdd [N] - C = A + B for N floats (50000), blocks of 256 threads; then the same in two streams, so that the
 * copies of one half overlap the sums of the other: from page-locked memory, both inputs, and any N.
 *
 * (Tutorial "Optimisation strategies", 2.1, 2.2 and 2.4.) */
#include "common.h"

#define STREAMS 2

__global__ void vectorAdd(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}

static float *h_A, *h_B, *h_C, *d_A, *d_B, *d_C;

static int right(int N)
{
    for (int i = 0; i < N; i++)
        if (h_C[i] != h_A[i] + h_B[i])
            return 0;
    return 1;
}

static void at_once(int N)
{
    size_t bytes = N * sizeof(float);
    int blockSize = 256;
    int gridSize = (N + blockSize - 1) / blockSize;
    CHECK(cudaMemcpy(d_A, h_A, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, h_B, bytes, cudaMemcpyHostToDevice));
    vectorAdd<<<gridSize, blockSize>>>(d_A, d_B, d_C, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_C, d_C, bytes, cudaMemcpyDeviceToHost));
}

static void in_streams(int N)
{
    cudaStream_t stream[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamCreate(&stream[i]));
    for (int i = 0; i < STREAMS; i++) {
        int first = (int)((long long)N * i / STREAMS), part = (int)((long long)N * (i + 1) / STREAMS) - first;
        size_t bytes = part * sizeof(float);
        if (part == 0)
            continue;
        CHECK(cudaMemcpyAsync(d_A + first, h_A + first, bytes, cudaMemcpyHostToDevice, stream[i]));
        CHECK(cudaMemcpyAsync(d_B + first, h_B + first, bytes, cudaMemcpyHostToDevice, stream[i]));
        vectorAdd<<<(part + 255) / 256, 256, 0, stream[i]>>>(d_A + first, d_B + first, d_C + first, part);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(h_C + first, d_C + first, bytes, cudaMemcpyDeviceToHost, stream[i]));
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaStreamSynchronize(stream[i]));
        CHECK(cudaStreamDestroy(stream[i]));
    }
}

int main(int argc, char **argv)
{
    int N = argument(argc, argv, 1, 50000), ok = 1;
    size_t bytes = N * sizeof(float);
    print_device(argv[0]);
    printf(", %d numbers\n", N);
    CHECK(cudaMallocHost(&h_A, bytes));
    CHECK(cudaMallocHost(&h_B, bytes));
    CHECK(cudaMallocHost(&h_C, bytes));
    CHECK(cudaMalloc(&d_A, bytes));
    CHECK(cudaMalloc(&d_B, bytes));
    CHECK(cudaMalloc(&d_C, bytes));
    for (int i = 0; i < N; i++) {
        h_A[i] = number(i);
        h_B[i] = number(i + 1);
    }
    at_once(N);
    ok &= say("vectorAdd", right(N));
    memset(h_C, 0, bytes);
    in_streams(N);
    ok &= say("in two streams", right(N));
    CHECK(cudaFreeHost(h_A));
    CHECK(cudaFreeHost(h_B));
    CHECK(cudaFreeHost(h_C));
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));
    return !ok;
}
