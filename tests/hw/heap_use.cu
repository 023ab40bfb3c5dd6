/* heap_use.cu - malloc and free as programs use them: what L2 is asked for while many blocks take memory, use it for a while and give it back.
 *
 *     scratch   a thread of each block takes memory, all write it and read it `rounds` times, or wait for `wait` us; it is given back; n times
 *     lanes     `lanes` lanes of each warp take memory and give it back, n times; bytes 0: 16 to 1024, which differ by lane and turn
 *
 *     heap_use HEAP     each case four times, a line each; HEAP is the heap's size in MiB. heap_use.sh writes h200/heap-use.csv. */
#include <cstdio>
#include <cstdlib>

__global__ void scratch(int bytes, int rounds, int wait, int n, int *out)
{
    __shared__ volatile int *words;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0)
            words = (volatile int *)malloc(bytes);
        __syncthreads();
        if (!words)
            return;
        for (int r = 0; r < rounds; r++) {
            for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x)
                words[i] = i + r + sum;
            __syncthreads();
            for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x)
                sum += words[bytes / 4 - 1 - i];
            __syncthreads();
        }
        for (int us = 0; us < wait; us++)
            __nanosleep(1000);
        __syncthreads();
        if (threadIdx.x == 0)
            free((void *)words);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void lanes(int lanes, int bytes, int n, int *out)
{
    int sum = 0;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if ((int)(threadIdx.x % 32) < lanes)
        for (int k = 0; k < n; k++) {
            const int size = bytes ? bytes : 16 << (t * 7 + k * 3) % 7;
            volatile int *p = (volatile int *)malloc(size);
            if (!p)
                continue;
            *p = size;
            sum += *p;
            free((void *)p);
        }
    out[t] = sum;
}

enum { TIMES = 4 };

static void run_scratch(int heap, int *out)
{
    static const int uses[][2] = {{0, 0}, {1, 0}, {8, 0}, {0, 20}}; /* rounds, us */
    for (int blocks : {1, 4, 16, 64, 132, 264})
        for (int bytes : {48, 1024, 16384})
            for (auto &use : uses)
                for (int n : {1, 4})
                    for (int k = 0; k < TIMES && (n == 1 || !use[1]); k++) {
                        printf("scratch,%d,%d,128,1,%d,%d,%d,%d\n", heap, blocks, bytes, n, use[0], use[1]);
                        scratch<<<blocks, 128>>>(bytes, use[0], use[1], n, out);
                        cudaDeviceSynchronize();
                    }
}

static void run_lanes(int heap, int *out)
{
    for (int blocks : {1, 2, 6, 16, 132})
        for (int threads : {32, 128})
            for (int l : {1, 8, 32})
                for (int bytes : {48, 1024, 0})
                    for (int n : {1, 4})
                        for (int k = 0; k < TIMES && !(blocks == 132 && l == 32 && (threads == 128 || bytes != 48));
                             k++) {
                            printf("lanes,%d,%d,%d,%d,%d,%d,0,0\n", heap, blocks, threads, l, bytes, n);
                            lanes<<<blocks, threads>>>(l, bytes, n, out);
                            cudaDeviceSynchronize();
                        }
}

int main(int argc, char **argv)
{
    const int heap = argc > 1 ? atoi(argv[1]) : 8;
    int *out;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)heap << 20);
    cudaMalloc(&out, sizeof(int) * 264 * 256);
    run_scratch(heap, out);
    run_lanes(heap, out);
    return cudaGetLastError() != cudaSuccess;
}
