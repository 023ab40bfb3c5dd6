/* sm_ends.cu - when each SM begins and ends: kernels of equal blocks, of a quarter of a wave to sixteen waves, 1, 2 or 8 blocks an SM,
 * short and long.
 *
 *     nvcc -O3 -arch=sm_90 -o sm_ends tests/hw/sm_ends.cu
 *     ./sm_ends                                    times of each SM, in ns of %globaltimer since the launch's first block began
 *     ncu ... ./sm_ends WAVES TURNS KERNEL...      launches to profile, with their cases on standard output; 0: all waves or turns
 *
 * tests/hw/h200/sm-ends.csv has the counters of `./sm_ends 0 0` beside those times, which are the means of two runs. Caches are cold. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct stamp {
    unsigned long long begin, end;
    unsigned sm, pad;
};

__device__ static unsigned long long now(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ static unsigned where(void)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__device__ static unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

extern __shared__ unsigned shared[];

#define BEGIN const unsigned long long begin = now()
#define END                                                                                                            \
    __syncthreads();                                                                                                   \
    if (threadIdx.x == 0)                                                                                              \
    stamps[blockIdx.x] = stamp{begin, now(), where(), 0}

/* Chains of multiply-adds. */
__global__ void w_fma(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    float x = threadIdx.x, y = a[threadIdx.x & 31];
    for (int k = 0; k < n * 16; k++)
        x = x * y + 1;
    if (x == 17)
        a[blockIdx.x] = 1;
    END;
}

/* Each block reads a part of its own, 32 lines a turn and warp one after the other. */
__global__ void w_read(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned sum = 0, i = (blockIdx.x * n) * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++, i += blockDim.x)
        sum += a[i & mask];
    if (sum == 17)
        a[blockIdx.x] = 1;
    END;
}

/* The grid reads together: a thread's next word is as far as the grid is wide. */
__global__ void w_stride(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned sum = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++, i += gridDim.x * blockDim.x)
        sum += a[i & mask];
    if (sum == 17)
        a[blockIdx.x] = 1;
    END;
}

__global__ void w_write(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned i = (blockIdx.x * n) * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++, i += blockDim.x)
        a[i & mask] = i;
    END;
}

__global__ void w_copy(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    const unsigned half = mask / 2 + 1;
    unsigned i = (blockIdx.x * n) * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++, i += blockDim.x)
        a[half + (i & (half - 1))] = a[i & (half - 1)];
    END;
}

__global__ void w_random(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned sum = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        sum += a[hash(i * 64 + k) & mask];
    if (sum == 17)
        a[blockIdx.x] = 1;
    END;
}

/* One word after the other: latency alone. */
__global__ void w_chase(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned i = hash(blockIdx.x * blockDim.x + (threadIdx.x & ~31)) + (threadIdx.x & 31);
    for (int k = 0; k < n; k++)
        i = (hash(i & ~31u) + (a[i & mask] & 1) * 32) + (threadIdx.x & 31);
    if (i == 17)
        a[blockIdx.x] = 1;
    END;
}

__global__ void w_shared(unsigned *a, unsigned mask, int n, stamp *stamps)
{
    BEGIN;
    unsigned i = threadIdx.x;
    shared[threadIdx.x] = a[threadIdx.x & 31];
    __syncthreads();
    for (int k = 0; k < n * 4; k++)
        i = (i + shared[i & 255]) & 255;
    if (i == 17)
        a[blockIdx.x] = 1;
    END;
}

typedef void (*kernel)(unsigned *, unsigned, int, stamp *);
static const struct row {
    const char *name;
    kernel f;
    unsigned long long bytes;
} rows[] = {
    {"fma", w_fma, 1 << 20},        {"read", w_read, 1u << 31},     {"stride", w_stride, 1u << 31},
    {"read_l2", w_read, 8 << 20},   {"write", w_write, 1u << 31},   {"copy", w_copy, 1u << 31},
    {"random", w_random, 1u << 30}, {"random_l2", w_random, 8 << 20}, {"chase", w_chase, 1u << 30},
    {"chase_l2", w_chase, 8 << 20}, {"shared", w_shared, 1 << 20},
};

struct sm_times {
    double begin = 1e30, end = 0;
    int blocks = 0;
};

static void print(const struct row *r, int a_sm, double waves, int n, int turn, const std::vector<stamp> &s)
{
    unsigned long long first = ~0ull;
    std::vector<sm_times> sms(256);
    for (const stamp &x : s)
        first = std::min(first, x.begin);
    double block = 0, block2 = 0, longest = 0;
    for (const stamp &x : s) {
        sm_times &at = sms[x.sm & 255];
        const double b = (double)(x.begin - first), e = (double)(x.end - first);
        at.begin = std::min(at.begin, b);
        at.end = std::max(at.end, e);
        at.blocks++;
        block += e - b;
        block2 += (e - b) * (e - b);
        longest = std::max(longest, e - b);
    }
    block /= s.size();
    block2 = sqrt(std::max(0.0, block2 / s.size() - block * block));
    double begin = 0, last_begin = 0, end = 0, end2 = 0, first_end = 1e30, last_end = 0, active = 0;
    int used = 0, least = 1 << 30, most = 0;
    for (const sm_times &x : sms) {
        if (!x.blocks)
            continue;
        used++;
        begin += x.begin;
        last_begin = std::max(last_begin, x.begin);
        end += x.end;
        end2 += x.end * x.end;
        first_end = std::min(first_end, x.end);
        last_end = std::max(last_end, x.end);
        active += x.end - x.begin;
        least = std::min(least, x.blocks);
        most = std::max(most, x.blocks);
    }
    begin /= used;
    end /= used;
    end2 = sqrt(std::max(0.0, end2 / used - end * end));
    printf("%s,%d,%.2f,%d,%d,%zu,%d,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", r->name, a_sm, waves, n, turn,
           s.size(), used, least, most, begin, last_begin, active / used, first_end, end, end2, last_end, block, block2, longest);
}

/* Whether the case is asked for: WAVES TURNS KERNEL... */
static bool is_asked(int argc, char **argv, const char *name, double waves, int turns)
{
    bool named = argc == 3;
    for (int k = 3; k < argc; k++)
        named |= !strcmp(argv[k], name);
    return named && (!atof(argv[1]) || atof(argv[1]) == waves) && (!atoi(argv[2]) || atoi(argv[2]) == turns);
}

int main(int argc, char **argv)
{
    enum { THREADS = 256, SMS = 132, RUNS = 3 };
    static const int held[] = {1, 2, 8}, turns[] = {1, 8, 64};
    static const double waves[] = {0.25, 0.5, 0.75, 0.9, 1, 1.25, 1.5, 2, 3, 4, 8, 16};
    const bool profiled = argc > 2;
    const unsigned long long bytes = 1u << 31;
    const int most = 16 * 8 * SMS;
    unsigned *a, *flush;
    stamp *stamps;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&flush, 256 << 20) || cudaMalloc(&stamps, most * sizeof *stamps))
        return 1;
    std::vector<unsigned> fill(1 << 24);
    for (unsigned &x : fill)
        x = rand() * 2654435761u;
    for (unsigned long long at = 0; at < (profiled ? fill.size() * 4 : bytes); at += fill.size() * 4)
        cudaMemcpy((char *)a + at, fill.data(), fill.size() * 4, cudaMemcpyHostToDevice);
    if (!profiled)
        printf("kernel,blocks_an_sm,waves,turns,run,blocks,sms,fewest,most,first_begin,last_begin,active,first_end,mean_end,"
               "end_deviation,last_end,block,block_deviation,longest_block\n");
    for (const row &r : rows)
        for (int a_sm : held) {
            const int bytes_shared = a_sm == 1 ? 200 << 10 : a_sm == 2 ? 100 << 10 : 1 << 10;
            cudaFuncSetAttribute(r.f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_shared);
            for (int n : turns)
                for (double w : waves) {
                    const int blocks = (int)(w * a_sm * SMS);
                    std::vector<stamp> s(blocks);
                    if (profiled && !is_asked(argc, argv, r.name, w, n))
                        continue;
                    for (int k = 0; k < (profiled ? 1 : RUNS); k++) {
                        if (!profiled)
                            cudaMemset(flush, k, 256 << 20);
                        r.f<<<blocks, THREADS, bytes_shared>>>(a, (unsigned)(r.bytes / 4 - 1), n, stamps);
                        if (cudaMemcpy(s.data(), stamps, blocks * sizeof s[0], cudaMemcpyDeviceToHost))
                            return fprintf(stderr, "%s: %s\n", r.name, cudaGetErrorString(cudaGetLastError())), 1;
                        if (profiled)
                            printf("w_%s,%d,%g,%d\n", r.name, a_sm, w, n);
                        else if (k)
                            print(&r, a_sm, w, n, k, s);
                    }
                }
        }
    return 0;
}
