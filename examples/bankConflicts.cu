/* bankConflicts - six ways in which a warp can read shared memory: every word, every second, every third, in any order,
 * four words for all, one word for all. Only the second meets at banks: two lanes on each, one conflict a request.
 *
 * (Tutorial "Memory access", the figures of shared memory's banks.) */
#include "common.h"

__device__ int permute(int lane) { return lane * 13 % 32 ^ 6; }

template <int STRIDE> __global__ void linear(int *out)
{
    __shared__ int words[32 * 3];
    for (int i = threadIdx.x; i < 32 * 3; i += 32) words[i] = i;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * STRIDE];
}

__global__ void random_order(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[permute(threadIdx.x)];
}

__global__ void broadcast_four(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x % 4 * 5];
}

__global__ void broadcast_one(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[7];
}

static int *device;

static int check(const char *name, int (*word)(int))
{
    int host[32], bad = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++)
        bad += host[lane] != word(lane);
    return say(name, bad == 0);
}

int main(int argc, char **argv)
{
    int right = 1;
    (void)argc;
    print_device(argv[0]);
    printf(", one warp\n");
    CHECK(cudaMalloc(&device, 32 * sizeof(int)));
    linear<1><<<1, 32>>>(device);
    right &= check("linear<1>", [](int lane) { return lane; });
    linear<2><<<1, 32>>>(device);
    right &= check("linear<2>", [](int lane) { return lane * 2; });
    linear<3><<<1, 32>>>(device);
    right &= check("linear<3>", [](int lane) { return lane * 3; });
    random_order<<<1, 32>>>(device);
    right &= check("random_order", [](int lane) { return lane * 13 % 32 ^ 6; });
    broadcast_four<<<1, 32>>>(device);
    right &= check("broadcast_four", [](int lane) { return lane % 4 * 5; });
    broadcast_one<<<1, 32>>>(device);
    right &= check("broadcast_one", [](int) { return 7; });
    CHECK(cudaFree(device));
    return !right;
}
