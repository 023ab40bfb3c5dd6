/* issue_order.cu - which warps does a scheduler issue for, where there are more than it has cycles for? Each warp goes through chains of products,
 * and says when it had begun, done a quarter, a half, three quarters and all of them. A line a warp of two SMs (one of its first scheduler's):
 * chains,resident,warps,waves,sm,block,warp,begun,quarter,half,most,all: blocks that an SM holds, warps of a block; blocks in the order in which they
 * began there; ns since the first began.
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/issue_order.cu -o issue_order && ./issue_order >tests/hw/h200/issue-order.csv */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <vector>

enum { SMS = 132, STEPS = 16, PRODUCTS = 2048, SCHEDULERS = 4 };

struct warp_times {
    unsigned sm, block, warp;
    long long at[5];
};

__device__ static long long now(void)
{
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

template <int CHAINS> __global__ void chains(warp_times *times, float *out)
{
    const int n = blockDim.x, t = threadIdx.x;
    warp_times *mine = times + blockIdx.x * (n / 32) + t / 32;
    if (t % 32 == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(mine->sm));
        mine->block = blockIdx.x;
        mine->warp = t / 32;
    }
    float a[CHAINS], sum = 0;
    for (int c = 0; c < CHAINS; c++)
        a[c] = t + c;
    __syncthreads();
    for (int k = 0; k < STEPS; k++) {
        if (t % 32 == 0 && k % (STEPS / 4) == 0)
            mine->at[k / (STEPS / 4)] = now();
#pragma unroll 4
        for (int q = 0; q < PRODUCTS; q++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                a[c] = a[c] * 1.0001f + 0.5f;
    }
    if (t % 32 == 0)
        mine->at[4] = now();
    for (int c = 0; c < CHAINS; c++)
        sum += a[c];
    out[blockIdx.x * n + t] = sum;
}

static void print(std::vector<warp_times> all, unsigned sm, const char *what)
{
    std::vector<warp_times> here;
    std::vector<unsigned> blocks;
    for (const warp_times &w : all)
        if (w.sm == sm)
            here.push_back(w);
    std::stable_sort(here.begin(), here.end(), [](const warp_times &a, const warp_times &b) { return a.at[0] < b.at[0]; });
    for (const warp_times &w : here)
        if (std::find(blocks.begin(), blocks.end(), w.block) == blocks.end())
            blocks.push_back(w.block);
    for (const warp_times &w : here) {
        if (w.warp % SCHEDULERS)
            continue;
        printf("%s,%u,%zu,%u", what, sm, std::find(blocks.begin(), blocks.end(), w.block) - blocks.begin(), w.warp);
        for (long long t : w.at)
            printf(",%lld", t - here[0].at[0]);
        printf("\n");
    }
}

template <int CHAINS> static void run(int resident, int warps, int waves, warp_times *times, float *out)
{
    const int blocks = SMS * resident * waves;
    std::vector<warp_times> all(blocks * warps);
    char what[64];
    for (int again = 0; again < 2; again++) { /* the second time code is there */
        chains<CHAINS><<<blocks, 32 * warps>>>(times, out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(all.data(), times, sizeof(warp_times) * all.size(), cudaMemcpyDeviceToHost));
    snprintf(what, sizeof what, "%d,%d,%d,%d", CHAINS, resident, warps, waves);
    print(all, 0, what);
    print(all, 51, what);
}

int main()
{
    warp_times *times;
    float *out;
    CHECK(cudaMalloc(&times, sizeof *times * SMS * 64 * 3));
    CHECK(cudaMalloc(&out, sizeof *out * SMS * 2048 * 3));
    printf("chains,resident,warps,waves,sm,block,warp,begun,quarter,half,most,all\n");
    run<1>(1, 32, 1, times, out);
    run<2>(1, 32, 1, times, out);
    run<4>(1, 32, 1, times, out);
    run<1>(4, 8, 1, times, out);
    run<4>(4, 8, 1, times, out);
    run<2>(8, 4, 1, times, out);
    run<4>(8, 4, 1, times, out);
    run<8>(8, 4, 1, times, out);
    run<4>(8, 4, 3, times, out);
    return 0;
}
