/* constantStencil [N] - the first derivative of N numbers (2^24) by a nine-point stencil: coefficients in constant
 * memory, which all lanes read at once; neighbours in shared memory; blocks of 32 threads.
 *
 * The field has RADIUS cells of border on either side. All threads of a block go the same number of rounds, with a
 * second barrier behind the stencil.
 *
 * (Tutorial "Shared memory and constant memory", 5.5.1.) */
#include "common.h"

#define RADIUS 4
#define BDIM 32

// the coefficients of the centred difference of eighth order
#define a0 0.0f
#define a1 (4.0f / 5)
#define a2 (-1.0f / 5)
#define a3 (4.0f / 105)
#define a4 (-1.0f / 280)

__constant__ float coef[RADIUS + 1];

static void setup_coef_constant(void)
{
    const float h_coef[] = {a0, a1, a2, a3, a4};
    CHECK(cudaMemcpyToSymbol(coef, h_coef, (RADIUS + 1) * sizeof(float)));
}

__global__ void stencil_1d(float *in, float *out, int N)
{
    // shared memory
    __shared__ float smem[BDIM + 2 * RADIUS];

    // the grid walks over the data, block by block; all threads of a block make the same number of rounds
    for (int start = blockIdx.x * blockDim.x; start < N; start += gridDim.x * blockDim.x)
    {
        // index to global memory; to shared memory for stencil calculation
        int idx = start + threadIdx.x;
        int sidx = threadIdx.x + RADIUS;

        // read data from global memory into shared memory; in[N + RADIUS - 1] is the last cell there is
        if (idx < N + RADIUS) smem[sidx] = in[idx];

        // read halo part to shared memory
        if (threadIdx.x < RADIUS)
        {
            smem[sidx - RADIUS] = in[idx - RADIUS];
            if (idx + BDIM < N + RADIUS) smem[sidx + BDIM] = in[idx + BDIM];
        }

        // synchronize (ensure all the data is available)
        __syncthreads();

        if (idx < N)
        {
            // apply the stencil
            float tmp = 0.0f;

#pragma unroll
            for (int i = 1; i <= RADIUS; i++)
            {
                tmp += coef[i] * (smem[sidx + i] - smem[sidx - i]);
            }

            // store the result
            out[idx] = tmp;
        }

        // nobody overwrites the tile before everybody has read it
        __syncthreads();
    }
}

static int count_wrong(const float *in, const float *out, int n)
{
    const double c[] = {a0, a1, a2, a3, a4};
    int bad = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 1; k <= RADIUS; k++)
            sum += c[k] * (in[i + k] - in[i - k]);
        bad += !(fabs(out[i] - sum) <= 1e-4); // numbers up to 99: eight roundings of 6e-8 x 100 x 1.1
    }
    return bad;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1 << 24), blocks = (n + BDIM - 1) / BDIM;
    size_t bytes = (n + 2 * RADIUS) * sizeof(float);
    print_device(argv[0]);
    printf(", array size %d, grid %d block %d\n", n, blocks, BDIM);

    float *h_in = (float *)malloc(bytes), *h_out = (float *)malloc(bytes), *d_in, *d_out;
    for (int i = 0; i < n + 2 * RADIUS; i++)
        h_in[i] = (float)number(i);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    setup_coef_constant();

    stencil_1d<<<blocks, BDIM>>>(d_in + RADIUS, d_out + RADIUS, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_out + RADIUS, d_out + RADIUS, n * sizeof(float), cudaMemcpyDeviceToHost));
    int right = say("stencil_1d", count_wrong(h_in + RADIUS, h_out + RADIUS, n) == 0);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h_in);
    free(h_out);
    return !right;
}
