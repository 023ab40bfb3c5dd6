/* gathers.cu - how long loads of several lines take, by how many lines, how many loads a warp has under way and how many warps an SM has: from
 * L1, from L2 and from DRAM, by one SM and by all. Prints tests/hw/h200/gathers.csv without its head:
 *
 *     nvcc -O3 -arch=sm_90 -o gathers tests/hw/gathers.cu && ./gathers */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { ROUNDS = 32, SMS = 132 };

__device__ static unsigned low(unsigned v) { return v; }
__device__ static unsigned low(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__device__ static unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* A round: so many loads under way, then all of them are waited for. Lanes are at `lines` random lines, the lanes of a line at words that
 * follow each other. mask: of lines. salt: other places than a launch before. */
template <typename T, int UNDER_WAY>
__global__ void w_gather(const T *p, int lines, unsigned mask, bool warm, unsigned salt, unsigned *out, long long *cycles)
{
    const unsigned each = 32 / lines, lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned a_line = 128 / sizeof(T), at = lane % each;
    unsigned sum = 0, seed = warp * 16384 + lane / each + salt * 77777777;
    for (unsigned k = threadIdx.x; warm && k < (mask + 1) * a_line; k += blockDim.x)
        sum += low(p[k]);
    __syncthreads();
    const long long start = clock64();
    for (int k = 0; k < ROUNDS; k++) {
        T x[UNDER_WAY];
#pragma unroll
        for (int u = 0; u < UNDER_WAY; u++)
            x[u] = p[(hash(seed + (k * UNDER_WAY + u) * 32) & mask) * a_line + at];
#pragma unroll
        for (int u = 0; u < UNDER_WAY; u++)
            sum += low(x[u]);
        seed += sum >> 31 & sum >> 30 & sum >> 29 & (sum & 1023) == 1023; /* hardly ever */
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static unsigned *words, *out;
static long long *cycles;

template <typename T, int UNDER_WAY> static void run(const char *memory, int sms, int lines, int warps, unsigned long long bytes)
{
    std::vector<long long> c(sms);
    for (int k = 0; k < 3; k++)
        w_gather<T, UNDER_WAY><<<sms, warps * 32>>>((const T *)words, lines, (unsigned)(bytes / 128 - 1), bytes < 1 << 20, bytes > 1 << 28 ? k : 0, out, cycles);
    if (cudaMemcpy(c.data(), cycles, sms * sizeof c[0], cudaMemcpyDeviceToHost))
        exit((fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())), 1));
    std::sort(c.begin(), c.end());
    printf("%d,%s,%d,%d,%d,%d,%.1f,%.1f\n", (int)sizeof(T), memory, sms, lines, UNDER_WAY, warps, (double)c[sms / 2] / ROUNDS,
           (double)c[sms - 1] / ROUNDS);
}

template <typename T, int UNDER_WAY> static void all(const char *only)
{
    static const struct {
        const char *name;
        unsigned long long bytes;
        int sms;
    } memories[] = {{"L1", 64 << 10, SMS}, {"L2", 16 << 20, SMS}, {"L2", 16 << 20, 1}, {"DRAM", 1u << 30, SMS}, {"DRAM", 1u << 30, 1}};
    for (const auto &m : memories)
        for (int lines = sizeof(T) == 16 ? 4 : 1; lines <= 32; lines *= 2)
            for (int warps = 1; warps <= 32; warps *= 2)
                if (!only || !strcmp(only, m.name))
                    run<T, UNDER_WAY>(m.name, m.sms, lines, warps, m.bytes);
}

int main(int argc, char **argv)
{
    const unsigned long long bytes = 1u << 30;
    const char *only = argc > 1 ? argv[1] : NULL;
    std::vector<unsigned> fill(1 << 22);
    for (unsigned &x : fill)
        x = (unsigned)rand() & 0xffff;
    if (cudaMalloc(&words, bytes) || cudaMalloc(&out, SMS * 1024 * 4) || cudaMalloc(&cycles, SMS * sizeof *cycles))
        return 1;
    for (unsigned long long at = 0; at < bytes; at += fill.size() * 4)
        cudaMemcpy((char *)words + at, fill.data(), fill.size() * 4, cudaMemcpyHostToDevice);
    printf("bytes,memory,sms,lines,under_way,warps,cycles,cycles_of_the_slowest\n");
    all<unsigned, 1>(only);
    all<unsigned, 4>(only);
    all<unsigned, 8>(only);
    all<uint4, 1>(only);
    all<uint4, 4>(only);
    return 0;
}
