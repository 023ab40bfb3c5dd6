/* zero_copy.cu - what accesses of a kernel to page-locked host memory cost on a GPU. Prints rows of tests/hw/h200/zero-copy.csv:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/zero_copy.cu -o zero_copy && ./zero_copy
 *
 * rate,what,bytes,blocks,threads,ns,again_ns: a launch that reads or writes so many bytes of the host's, and the same once more;
 * chain,KiB,,,,cycles,again: of a load by one thread that needs the one before, through so much memory, and once more */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum what { READ4, READ16, READ_STRIDE8, READ_STRIDE32, READ_RANDOM, READ_SAME, WRITE4, WRITE16, WRITE_STRIDE8, WRITE_STRIDE32, COPY_IN, COPY_BOTH, ATOMICS, WHATS };
static const char *const names[] = {"read4",  "read16",  "read_stride8",  "read_stride32",  "read_random", "read_same", "write4",
                                    "write16", "write_stride8", "write_stride32", "copy_in",     "copy_both", "atomics"};

__device__ unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* n words, or groups of four; word k * stride. */
__global__ void w_access(int what, unsigned *host, unsigned *device, size_t n, unsigned *out)
{
    unsigned sum = 0;
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        switch (what) {
        case READ4: sum += host[k]; break;
        case READ16: {
            const uint4 v = ((uint4 *)host)[k];
            sum += v.x + v.y + v.z + v.w;
            break;
        }
        case READ_STRIDE8: sum += host[k * 8]; break;
        case READ_STRIDE32: sum += host[k * 32]; break;
        case READ_RANDOM: sum += host[hash((unsigned)k) % (16u << 20)]; break;
        case READ_SAME: sum += host[k % 1024]; break;
        case WRITE4: host[k] = (unsigned)k; break;
        case WRITE16: ((uint4 *)host)[k] = make_uint4(k, k, k, k); break;
        case WRITE_STRIDE8: host[k * 8] = (unsigned)k; break;
        case WRITE_STRIDE32: host[k * 32] = (unsigned)k; break;
        case COPY_IN: device[k] = host[k]; break;
        case COPY_BOTH: host[(8u << 20) + k] = host[k]; break;
        default: atomicAdd(&host[k % 4096 * 8], 1u); break;
        }
    if (sum == 0x12345)
        *out = sum;
}

__global__ void chain(const unsigned *host, int n, int step, long long *cycles, unsigned *out)
{
    unsigned at = 0;
    for (int round = 0; round < 2; round++) {
        const long long start = clock64();
        for (int k = 0; k < n; k++)
            at = host[at] + at + step; /* the words are 0 */
        cycles[round] = clock64() - start;
        at = at == 0x12345;
    }
    *out = at;
}

static float once(int what, unsigned *host, unsigned *device, size_t n, int blocks, int threads)
{
    static cudaEvent_t a, b;
    float ms;
    if (!a) {
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
    }
    CHECK(cudaEventRecord(a));
    w_access<<<blocks, threads>>>(what, host, device, n, device);
    CHECK(cudaEventRecord(b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms * 1e6f;
}

int main(int argc, char **argv)
{
    const size_t bytes = 64 << 20;
    const bool brief = argc > 1; /* for a profiler */
    unsigned *host, *device;
    long long *cycles, took[2];
    CHECK(cudaHostAlloc(&host, bytes, cudaHostAllocMapped));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&cycles, sizeof took));
    memset(host, 0, bytes);
    for (int what = 0; what < WHATS; what++)
        for (size_t n : {(size_t)1 << 12, (size_t)1 << 16, (size_t)1 << 18, (size_t)1 << 20, (size_t)1 << 22})
            for (int blocks : {1, 132, 1056}) {
                const size_t reach = what == READ_STRIDE32 || what == WRITE_STRIDE32 ? 128 : what == READ_STRIDE8 || what == WRITE_STRIDE8 ? 32 : what == READ16 || what == WRITE16 ? 16 : 4;
                if (n * reach > bytes || (blocks == 1 && n > 1 << 18) || (brief && (blocks != 132 || n != 1 << 18)))
                    continue;
                const float first = once(what, host, device, n, blocks, 256), again = brief ? 0 : once(what, host, device, n, blocks, 256);
                printf("rate,%s,%zu,%d,256,%.0f,%.0f\n", names[what], n, blocks, first, again);
            }
    memset(host, 0, bytes);
    for (int kib : {4, 64, 1024, 16384}) {
        if (brief)
            break;
        const int n = std::min(512, kib * 8), step = kib * 256 / n;
        chain<<<1, 1>>>(host, n, step, cycles, device);
        CHECK(cudaMemcpy(took, cycles, sizeof took, cudaMemcpyDeviceToHost));
        printf("chain,%d,,,,%lld,%lld\n", kib, took[0] / n, took[1] / n);
    }
    return 0;
}
