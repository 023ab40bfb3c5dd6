/* check_kernels.cu - what the checks cost: a reduction, a transposition and a matrix product, each with shared memory, timed
 * by the host's clock. Prints `name seconds` a line, the median of the repetitions after one to warm up. The same program
 * runs on Lockstep, with and without `lockstep check`, and on a GPU, with and without compute-sanitizer (check_costs.py).
 *
 *     check_kernels [REPETITIONS [SCALE]]      SCALE multiplies the work: 1 for Lockstep, more for a GPU
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define THREADS 256
#define TILE 32
#define ROWS 8
#define PRODUCT 16

__global__ void reduce(const float *in, float *out, unsigned n)
{
    __shared__ float part[THREADS];
    const unsigned tid = threadIdx.x, at = blockIdx.x * THREADS + tid;
    part[tid] = at < n ? in[at] : 0.0f;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

__global__ void transpose(const float *in, float *out, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void matmul(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float ta[PRODUCT][PRODUCT], tb[PRODUCT][PRODUCT];
    const unsigned x = blockIdx.x * PRODUCT + threadIdx.x, y = blockIdx.y * PRODUCT + threadIdx.y;
    float sum = 0.0f;
    for (unsigned t = 0; t < n; t += PRODUCT) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (unsigned k = 0; k < PRODUCT; k++)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* a, b: n * n random floats; c: as many to write. */
static void run(int which, const float *a, const float *b, float *c, unsigned n)
{
    if (which == 0)
        reduce<<<n * n / THREADS, THREADS>>>(a, c, n * n);
    else if (which == 1)
        transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(a, c, n);
    else
        matmul<<<dim3(n / PRODUCT, n / PRODUCT), dim3(PRODUCT, PRODUCT)>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static float *random_matrix(unsigned n)
{
    float *host = (float *)malloc(sizeof(float) * n * n), *device;
    unsigned state = 12345;
    for (unsigned i = 0; i < n * n; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = 0.5f + (float)(state >> 8) / (1 << 24);
    }
    CHECK(cudaMalloc(&device, sizeof(float) * n * n));
    CHECK(cudaMemcpy(device, host, sizeof(float) * n * n, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"reduce", "transpose", "matmul"};
    static const unsigned sizes[] = {2048, 2048, 320};
    const int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    const unsigned scale = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    for (int which = 0; which < 3; which++) {
        const unsigned n = sizes[which] * scale;
        double seconds[100];
        float *a = random_matrix(n), *b = random_matrix(n), *c;
        CHECK(cudaMalloc(&c, sizeof(float) * n * n));
        for (int k = -1; k < repetitions && k < 100; k++) {
            const double start = now();
            run(which, a, b, c, n);
            if (k >= 0)
                seconds[k] = now() - start;
        }
        qsort(seconds, (size_t)repetitions, sizeof *seconds, by_value);
        printf("%s %.6f\n", names[which], seconds[repetitions / 2]);
        CHECK(cudaFree(a));
        CHECK(cudaFree(b));
        CHECK(cudaFree(c));
    }
    return 0;
}
