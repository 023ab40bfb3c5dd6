/* matches.cu - cycles that match.any and match.all of a warp take, by how many different values its lanes have, alone and beside other
 * warps of the SM.
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/matches.cu -o matches && ./matches
 *
 * Prints a line for each launch: what, values, warps, and the cycles of one in a chain of them, of the slowest warp. */
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

enum { ROUNDS = 256, WARPS = 32 };
enum what { ANY, ANY_64, ALL, BESIDE };
static const char *const names[] = {"any", "any 64", "all", "any beside"};

template <int WHAT> __device__ unsigned match(unsigned value)
{
    int same;
    if (WHAT == ANY)
        return __match_any_sync(~0u, value);
    if (WHAT == ANY_64)
        return __match_any_sync(~0u, (unsigned long long)value << 32 | value);
    if (WHAT == ALL)
        return __match_all_sync(~0u, value, &same) + same;
    return 0;
}

template <int WHAT> __global__ void chain(unsigned values, unsigned zero, unsigned *cycles, unsigned *out)
{
    const unsigned lane = threadIdx.x % 32, value = lane % values * 77;
    unsigned x = value;
    __syncthreads();
    const unsigned from = clock();
#pragma unroll 1
    for (unsigned r = 0; r < ROUNDS; r++)
        if (WHAT == BESIDE) {
            unsigned sum = 0;
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum ^= __match_any_sync(~0u, x + k);
            x = value + (sum & zero);
            r += 7;
        } else {
            x = value + (match<WHAT>(x) & zero);
        }
    const unsigned took = clock() - from;
    out[threadIdx.x] = x;
    if (!lane)
        cycles[threadIdx.x / 32] = took;
}

template <int WHAT> static void run_all(unsigned *cycles, unsigned *out)
{
    for (unsigned values : {1, 2, 3, 4, 8, 16, 32})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            unsigned took[WARPS];
            for (int k = 0; k < 2; k++) /* the first brings the code */
                chain<WHAT><<<1, 32 * warps>>>(values, 0, cycles, out);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(took, cycles, warps * sizeof *took, cudaMemcpyDeviceToHost));
            printf("%s,%u,%d,%.1f\n", names[WHAT], values, warps,
                   (double)*std::max_element(took, took + warps) / ROUNDS);
        }
}

int main(void)
{
    unsigned *cycles, *out;
    CHECK(cudaMalloc(&cycles, WARPS * sizeof *cycles));
    CHECK(cudaMalloc(&out, WARPS * 32 * sizeof *out));
    puts("what,values,warps,cycles");
    run_all<ANY>(cycles, out);
    run_all<ANY_64>(cycles, out);
    run_all<ALL>(cycles, out);
    run_all<BESIDE>(cycles, out);
    return 0;
}
