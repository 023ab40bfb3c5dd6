/* joined_reads.cu - SMs that read the same lines of L2: how close together in time, for one request to serve several? For a profiler, whose
 * rows are in the order of those that are printed (l1_places.sh): who,warm,gap,offset
 *
 * w_joined: one warp on each SM that takes part. All of them begin at a barrier of the grid; from then on SM m waits m x `offset` cycles,
 * and reads a line every `gap` cycles. who: 2 SMs of a pair, 3: of two pairs of the same group, 16: a group, 132: all. warm: L2 has the
 * lines, as SM 0 and SM 2 have read them (in each half of L2).
 * w_free: `who` warps on each of all SMs read all lines, with `gap` dependent products before each; offset 0. Then a line "spread" for
 * the launch before: cycles between the first and the last SM at a quarter, a half and the end of its lines. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { SMS = 132, LINES = 2048, GROUPS = 8, ALONE = 120 << 10 /* bytes of shared memory: one block an SM */ };

__device__ static unsigned sm_number(void)
{
    unsigned s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}

__device__ static int load(const int *p)
{
    int v;
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

__device__ static long long now(void)
{
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ static void meet(unsigned *arrived, unsigned all)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < all)
            ;
    }
    __syncthreads();
}

__device__ static bool takes_part(unsigned sm, int who)
{
    return who == SMS || (who == 16 && sm / 2 % GROUPS == 0) || (who == 2 && sm < 2) || (who == 3 && (sm == 0 || sm == 16));
}

__global__ void w_joined(const int *p, int who, int warm, int gap, int offset, unsigned *arrived, int *out)
{
    const unsigned sm = sm_number(), member = sm / (2 * GROUPS) * 2 + sm % 2;
    int v[8] = {0}, sum = 0;
    if (warm && (sm == 4 || sm == 6))
        for (int k = 0; k < LINES; k++)
            sum += load(p + 32 * k + threadIdx.x);
    if (sum == 12345) /* the loads are done before the barrier */
        out[0] = sum;
    meet(arrived, SMS);
    if (!takes_part(sm, who))
        return;
    long long start = clock64() + 3000 + (long long)member * offset;
    for (int k = 0; k < LINES; k += 8) {
#pragma unroll
        for (int u = 0; u < 8; u++) {
            while (clock64() < start)
                ;
            start += gap;
            sum += v[u];
            v[u] = load(p + 32 * (k + u) + threadIdx.x);
        }
    }
    for (int u = 0; u < 8; u++)
        sum += v[u];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

__global__ void w_free(const float *p, int gap, long long *times, float *out)
{
    float sum = 0;
    for (int k = 0; k < LINES; k++) {
        if (threadIdx.x == 0 && k % (LINES / 4) == 0)
            times[4 * blockIdx.x + k / (LINES / 4)] = now();
        float v = p[32 * k + threadIdx.x % 32];
        for (int u = 0; u < gap; u++)
            v = v * 1.0001f + sum;
        sum += v;
    }
    if (threadIdx.x == 0)
        times[4 * blockIdx.x] = now();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static unsigned long long spread(const long long *t, int at)
{
    long long low = t[at], high = t[at];
    for (int b = 0; b < SMS; b++) {
        low = t[4 * b + at] < low ? t[4 * b + at] : low;
        high = t[4 * b + at] > high ? t[4 * b + at] : high;
    }
    return high - low;
}

int main()
{
    static const int whos[] = {2, 3, 16, SMS}, gaps[] = {40, 160, 1000}, offsets[] = {0, 50, 100, 200, 300, 400, 600, 1000, 2000, 5000};
    static const int warps[] = {1, 4, 16, 32}, works[] = {1, 16, 128};
    int *p, *out;
    unsigned *arrived;
    long long *times;
    CHECK(cudaMalloc(&p, LINES * 128));
    CHECK(cudaMemset(p, 0, LINES * 128));
    CHECK(cudaMalloc(&out, sizeof(int) * SMS * 1024));
    CHECK(cudaMalloc(&arrived, 4));
    CHECK(cudaMallocManaged(&times, sizeof(long long) * SMS * 4));
    CHECK(cudaFuncSetAttribute(w_joined, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    CHECK(cudaFuncSetAttribute(w_free, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    for (int who : whos)
        for (int warm = 0; warm < 2; warm++)
            for (int gap : gaps)
                for (int offset : offsets) {
                    printf("%d,%d,%d,%d\n", who, warm, gap, offset);
                    CHECK(cudaMemset(arrived, 0, 4));
                    w_joined<<<SMS, 32, ALONE>>>(p, who, warm, gap, offset, arrived, out);
                    CHECK(cudaDeviceSynchronize());
                }
    for (int w : warps)
        for (int work : works) {
            printf("free %d,0,%d,0\n", w, work);
            w_free<<<SMS, 32 * w, ALONE>>>((const float *)p, work, times, (float *)out);
            CHECK(cudaDeviceSynchronize());
            fprintf(stderr, "spread %d warps, %d products: %llu %llu %llu %llu ns\n", w, work, spread(times, 1), spread(times, 2), spread(times, 3),
                    spread(times, 0));
        }
    return 0;
}
