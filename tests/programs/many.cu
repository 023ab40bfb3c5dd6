/* many - a lot of everything: kernels, launches, streams, threads, events and allocations; arguments of 28 KB, all of
 * the static shared memory, grids and blocks of three dimensions, and blocks that wait for each other in turn. */
#include <cuda_runtime.h>
#include <pthread.h>

#include "program.h"

enum { KERNELS = 150, LAUNCHES = 10000, THREADS = 8, ROUNDS = 25, ALLOCATIONS = 3000, WORDS = 7000 };

template <int NUMBER> __global__ void numbered(int *out)
{
    out[NUMBER] = NUMBER;
}

/* Launches numbered<N> .. numbered<0>. */
template <int N> struct all_kernels {
    static void launch(int *out)
    {
        numbered<N><<<1, 1>>>(out);
        all_kernels<N - 1>::launch(out);
    }
};
template <> struct all_kernels<-1> {
    static void launch(int *) {}
};

struct large {
    int words[WORDS];
};

__global__ void sum_arguments(large a, int *sum)
{
    int mine = 0;
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        mine += a.words[i];
    atomicAdd(sum, mine);
}

__global__ void increment(int *x)
{
    ++*x;
}

__global__ void three_dimensions(int *out)
{
    int threads = blockDim.x * blockDim.y * blockDim.z;
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * threads + thread] = block * 1000 + thread;
}

__global__ void all_shared(float *out)
{
    __shared__ float room[12288]; // 48 KiB
    for (int i = threadIdx.x; i < 12288; i += blockDim.x)
        room[i] = (float)i;
    __syncthreads();
    out[threadIdx.x] = room[12287 - threadIdx.x];
}

__global__ void local_array(int *out, int step)
{
    int a[200], sum = 0;
    for (int i = 0; i < 200; i++)
        a[i] = i * threadIdx.x;
    for (int i = 0; i < 100; i++)
        sum += a[i * step % 200];
    out[threadIdx.x] = sum;
}

/* Each block waits for the one before it. */
__global__ void in_turn(volatile int *turn, int *order)
{
    while (*turn != (int)blockIdx.x)
        ;
    order[blockIdx.x] = *turn;
    __threadfence();
    *turn = blockIdx.x + 1;
}

static int *device, host[1024];

static void get(int n)
{
    CHECK(cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost));
}

static void kernels(void)
{
    static large a;
    int bad = 0;
    all_kernels<KERNELS>::launch(device);
    get(KERNELS + 1);
    for (int i = 0; i <= KERNELS; i++)
        bad += host[i] != i;
    verdict(bad == 0, "%d kernels", KERNELS + 1);
    for (int i = 0; i < WORDS; i++)
        a.words[i] = i % 10;
    CHECK(cudaMemset(device, 0, sizeof *device));
    sum_arguments<<<1, 64>>>(a, device);
    CHECK(cudaGetLastError());
    get(1);
    verdict(host[0] == WORDS / 10 * 45, "%d bytes of arguments", (int)sizeof a);
}

static void shapes(void)
{
    int bad = 0;
    three_dimensions<<<dim3(2, 3, 2), dim3(4, 2, 3)>>>(device);
    get(288);
    for (int i = 0; i < 288; i++)
        bad += host[i] != i / 24 * 1000 + i % 24;
    verdict(bad == 0, "three dimensions");
    all_shared<<<3, 100>>>((float *)device);
    get(100);
    float last;
    memcpy(&last, &host[99], sizeof last);
    verdict(last == 12188.0f, "48 KiB of static shared memory");
    local_array<<<1, 32>>>(device, 3);
    get(32);
    bad = 0;
    for (int t = 0; t < 32; t++) {
        int sum = 0;
        for (int i = 0; i < 100; i++)
            sum += i * 3 % 200 * t;
        bad += host[t] != sum;
    }
    verdict(bad == 0, "a local array");
    CHECK(cudaMemset(device, 0, 201 * sizeof *device));
    in_turn<<<200, 1>>>(device, device + 1);
    get(201);
    bad = 0;
    for (int b = 0; b < 200; b++)
        bad += host[1 + b] != b;
    verdict(bad == 0, "200 blocks in turn");
}

static void launches(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset(device, 0, sizeof *device));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < LAUNCHES; i++)
        increment<<<1, 1, 0, stream>>>(device);
    CHECK(cudaStreamSynchronize(stream));
    get(1);
    verdict(host[0] == LAUNCHES, "%d launches", LAUNCHES);
    for (int i = 0; i < 1000; i++) {
        cudaEvent_t event;
        CHECK(cudaEventCreate(&event));
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaEventDestroy(event)); // before it has happened
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaDeviceSynchronize());
}

static void *work(void *right)
{
    for (int i = 0; i < ROUNDS; i++) {
        cudaStream_t stream;
        int *p, value = 0;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaMallocAsync(&p, 4096, stream));
        numbered<5><<<1, 1, 0, stream>>>(p);
        CHECK(cudaMemcpyAsync(&value, p + 5, sizeof value, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(p, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
        *(int *)right += value == 5;
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    int right[THREADS] = {0}, sum = 0;
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, work, &right[t]))
            exit(1);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        sum += right[t];
    }
    verdict(sum == THREADS * ROUNDS, "%d streams of %d threads", THREADS * ROUNDS, THREADS);
}

static void allocations(void)
{
    static void *all[ALLOCATIONS];
    size_t before, after, total;
    CHECK(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < ALLOCATIONS; i++)
        CHECK(cudaMalloc(&all[i], 1 + i * 37 % 5000));
    for (int i = 0; i < ALLOCATIONS; i++)
        CHECK(cudaFree(all[i * 7 % ALLOCATIONS])); // 7 does not divide 3000: each once, in another order
    CHECK(cudaMemGetInfo(&after, &total));
    verdict(before == after, "%d allocations", ALLOCATIONS);
}

int main()
{
    CHECK(cudaMalloc(&device, sizeof host));
    kernels();
    shapes();
    launches();
    threads();
    allocations();
    CHECK(cudaFree(device));
    return failures;
}
