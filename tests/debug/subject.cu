// subject.cu - kernels that the agent's tests stop in: `subject NAME` runs one of them and prints what it gave.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

__device__ int counter;
__device__ unsigned lock_word;

__device__ __noinline__ int twice(int x) { return x + x; }

__device__ __noinline__ int thrice(int x)
{
    int y = twice(x);
    return y + x;
}

// Lanes part, and call a function in one of the branches.
__global__ void parts(int *out)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int v;
    if (i % 2)
        v = thrice(i);
    else
        v = -i;
    out[i] = v;
}

// Each thread adds under a lock.
__global__ void locked(int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_word, 0u, 1u) == 0) {
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(&lock_word, 0u);
            done = true;
        }
    }
}

// Without one: additions are lost.
__global__ void raced(int *sum)
{
    *(volatile int *)sum = *(volatile int *)sum + (int)threadIdx.x;
}

// A sum over shared memory, with a stride that makes banks conflict.
__global__ void shared_sum(int *out)
{
    __shared__ int cell[256 * 2];
    int t = threadIdx.x;
    cell[t * 2] = t;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (t < half)
            cell[t * 2] += cell[(t + half) * 2];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = cell[0];
}

// Block 1 writes where nothing is.
__global__ void faulty(int *out)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i == 40 ? 1ll << 40 : i] = i;
}

__global__ void loops(int *out, int n)
{
    int x = threadIdx.x;
    for (int i = 0; i < n; i++)
        x = x * 1664525 + i;
    out[threadIdx.x + blockIdx.x * blockDim.x] = x;
}

__global__ void says(int *out)
{
    printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
    out[threadIdx.x] = 1;
}

__global__ void heaped(int *out)
{
    int *mine = (int *)malloc(4);
    *mine = threadIdx.x;
    out[threadIdx.x] = *mine;
}

// Reads a clock, and has an array of its own.
__global__ void timed(int *out)
{
    int mine[8];
    const long long began = clock64();
    for (int k = 0; k < 8; k++)
        mine[(k * 3 + out[0]) % 8] = k + threadIdx.x;
    out[threadIdx.x + 1] = mine[(threadIdx.x + out[0]) % 8] + (clock64() < began);
}

// Block 0 waits for block 1.
__device__ int flag;
__global__ void waits(int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0)
            while (atomicAdd(&flag, 0) == 0)
                ;
        else
            atomicExch(&flag, 1);
    }
    __syncthreads();
    out[threadIdx.x + blockIdx.x * blockDim.x] = blockIdx.x;
}

// One warp waits for two.
__global__ void stuck()
{
    asm volatile("bar.sync 1, 64;");
}

// Waits for what nobody does.
__global__ void hangs(volatile int *out)
{
    while (out[0] == 0)
        ;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 0;
    int host[4096] = {0}, *out;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    if (!strcmp(name, "parts"))
        parts<<<2, 64>>>(out);
    else if (!strcmp(name, "locked"))
        locked<<<2, 64>>>(out);
    else if (!strcmp(name, "raced"))
        raced<<<2, 64>>>(out);
    else if (!strcmp(name, "shared_sum"))
        shared_sum<<<2, 256>>>(out);
    else if (!strcmp(name, "faulty"))
        faulty<<<2, 32>>>(out);
    else if (!strcmp(name, "loops"))
        loops<<<2, 128>>>(out, n);
    else if (!strcmp(name, "says"))
        for (int k = 0; k < 2; k++)
            says<<<1, 2>>>(out);
    else if (!strcmp(name, "heaped"))
        heaped<<<1, 2>>>(out);
    else if (!strcmp(name, "timed"))
        timed<<<1, 32>>>(out);
    else if (!strcmp(name, "waits"))
        waits<<<2, 64>>>(out);
    else if (!strcmp(name, "stuck"))
        stuck<<<1, 32>>>();
    else if (!strcmp(name, "hangs")) {
        if (n) // while the kernel stands still
            std::thread([] { usleep(300000), exit(7); }).detach();
        hangs<<<1, 32>>>(out);
        while (n)
            pause();
    }
    const cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int k = 0; k < 4096; k++)
        sum += host[k];
    printf("%s: %s, %ld\n", name, cudaGetErrorName(e), sum);
    return e != cudaSuccess;
}
