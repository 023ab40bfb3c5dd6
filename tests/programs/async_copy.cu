/* async_copy - copies from global to shared memory that do not pass through registers: a pipeline of two stages. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "program.h"

enum { BLOCK = 64, TILES = 9, N = BLOCK * 4 * TILES };

/* While one tile is summed the next is on its way. */
__global__ void sum_tiles(const float4 *in, float *out)
{
    __shared__ float4 tile[2][BLOCK];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(float4));
    __pipeline_commit();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES)
            __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &in[(i + 1) * BLOCK + t], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = tile[i % 2][BLOCK - 1 - t]; // another thread's
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[t] = sum;
}

/* Words, and a copy that fills with zeros behind the end of its source. */
__global__ void zero_fill(const int *in, int *out)
{
    __shared__ int words[32], quad[32][4];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&words[t], &in[31 - t], 4);
    __pipeline_memcpy_async(quad[t], &in[t * 4], 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = words[t];
    for (int i = 0; i < 4; i++)
        out[32 + t * 4 + i] = quad[t][i];
}

int main()
{
    static float host[N], sums[BLOCK];
    static int words[128], back[160];
    float *d_in, *d_out;
    int *d_words, *d_back, bad = 0;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 100);
    for (int i = 0; i < 128; i++)
        words[i] = 1000 + i;
    CHECK(cudaMalloc(&d_in, sizeof host));
    CHECK(cudaMalloc(&d_out, sizeof sums));
    CHECK(cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice));
    sum_tiles<<<1, BLOCK>>>((const float4 *)d_in, d_out);
    CHECK(cudaMemcpy(sums, d_out, sizeof sums, cudaMemcpyDeviceToHost));
    for (int t = 0; t < BLOCK; t++) {
        float sum = 0;
        for (int i = 0; i < TILES; i++)
            for (int j = 0; j < 4; j++)
                sum += host[(i * BLOCK + BLOCK - 1 - t) * 4 + j];
        bad += sums[t] != sum;
    }
    verdict(bad == 0, "a pipeline of two stages");

    CHECK(cudaMalloc(&d_words, sizeof words));
    CHECK(cudaMalloc(&d_back, sizeof back));
    CHECK(cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice));
    zero_fill<<<1, 32>>>(d_words, d_back);
    CHECK(cudaMemcpy(back, d_back, sizeof back, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int t = 0; t < 32; t++)
        bad += back[t] != words[31 - t] || back[32 + t * 4] != words[t * 4] || back[33 + t * 4] != words[t * 4 + 1] ||
               back[34 + t * 4] != 0 || back[35 + t * 4] != 0;
    verdict(bad == 0, "words, and zeros behind the end");
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_words));
    CHECK(cudaFree(d_back));
    return failures;
}
