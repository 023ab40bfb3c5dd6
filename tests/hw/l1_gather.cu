/* l1_gather.cu - what a warp's load costs L1, by where its lanes look: strides of elements, and places at random, in memory
 * that L1 holds (64 and 128 KiB) and that L2 holds (16 MiB). Prints tests/hw/h200/l1-gather.csv without its head:
 *
 *     nvcc -O3 -arch=sm_90 -o l1_gather tests/hw/l1_gather.cu && ./l1_gather */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct pattern {
    const char *name;
    int stride, step; /* elements from lane to lane, and from load to load */
    bool random;
};

__device__ static unsigned low(unsigned v) { return v; }
__device__ static unsigned low(uint2 v) { return v.x ^ v.y; }
__device__ static unsigned low(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__device__ static unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

template <typename T, bool CHAIN>
__global__ void gather(const T *p, int stride, int step, int mask, int n, bool random, unsigned *out, long long *cycles)
{
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned i = random ? hash(lane * 77 + warp) : lane * stride + warp * 1056, sum = 0;
    for (int k = 0; k < 8; k++)
        sum += low(p[(i + k * step) & mask]);
    __syncthreads();
    const long long start = clock64();
    for (int k = 0; CHAIN && k < n; k++) {
        const unsigned x = low(p[i & mask]);
        i += step + (x >> 31); /* no word has its highest bit */
        i = random ? hash(i) : i;
        sum += x;
    }
    for (int k = 0; !CHAIN && k < n; k += 8) {
        T x[8];
#pragma unroll
        for (int u = 0; u < 8; u++) {
            x[u] = p[i & mask];
            i += step;
            i = random ? hash(i) : i;
        }
#pragma unroll
        for (int u = 0; u < 8; u++)
            sum += low(x[u]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static unsigned *words, *out;
static long long *cycles;

/* Cycles of the block in the middle for a load of one of its warps. */
template <typename T, bool CHAIN> static double run(const pattern &a, int bytes, int threads)
{
    enum { BLOCKS = 132, LOADS = 512 };
    std::vector<long long> c(BLOCKS);
    for (int k = 0; k < 2; k++)
        gather<T, CHAIN><<<BLOCKS, threads>>>((T *)words, a.stride, a.step, bytes / (int)sizeof(T) - 1, LOADS, a.random, out,
                                              cycles);
    cudaMemcpy(c.data(), cycles, BLOCKS * sizeof c[0], cudaMemcpyDeviceToHost);
    std::sort(c.begin(), c.end());
    return (double)c[BLOCKS / 2] / LOADS / (threads / 32);
}

template <typename T> static void all(void)
{
    const int strides[] = {1, 2, 4, 8, 16, 32, 33, 34, 36, 40, 9, 64, 65};
    const struct {
        const char *name;
        int bytes;
    } memory[] = {{"64 KiB", 64 << 10}, {"128 KiB", 128 << 10}, {"16 MiB", 16 << 20}};
    for (const auto &m : memory)
        for (int k = 0; k <= 13; k++) {
            char name[32] = "random";
            const pattern a = k < 13 ? pattern{name, strides[k], 32 * strides[k], false} : pattern{name, 0, 1, true};
            if (k < 13)
                snprintf(name, sizeof name, k ? "stride%d" : "coalesced", strides[k]);
            printf("%zu,%s,%s,%.2f,%.2f,%.2f,%.2f\n", sizeof(T), m.name, a.name, run<T, false>(a, m.bytes, 128),
                   run<T, false>(a, m.bytes, 512), run<T, false>(a, m.bytes, 1024), run<T, true>(a, m.bytes, 1024));
        }
}

int main(void)
{
    std::vector<unsigned> host(4 << 20);
    for (unsigned &w : host)
        w = ((unsigned)rand() * 2654435761u) >> 1;
    cudaMalloc(&words, host.size() * sizeof host[0] + 4096);
    cudaMalloc(&out, 132 * 1024 * sizeof *out);
    cudaMalloc(&cycles, 132 * sizeof *cycles);
    cudaMemcpy(words, host.data(), host.size() * sizeof host[0], cudaMemcpyHostToDevice);
    all<unsigned>();
    all<uint2>();
    all<uint4>();
    const cudaError_t end = cudaDeviceSynchronize();
    if (end != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(end));
    return end != cudaSuccess;
}
