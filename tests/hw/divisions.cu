/* divisions.cu - which single-precision divisions take the slow path: where FCHK is true (it looks at both operands before a division
 * with rounding as IEEE 754 has it, and a branch on it calls a function). For each pair of exponents and some pairs of mantissas one
 * warp divides and reads the clock. Divisions that take twice as long as 1 / 1 are slow ones.
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/divisions.cu -o divisions && ./divisions
 *
 * Prints for each pair of mantissas and each exponent of the dividend the runs of exponents of the divisor that are slow. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { EXPONENTS = 256, PAIRS = EXPONENTS * EXPONENTS, TIMES = 5 };

__global__ void divide(unsigned a_bits, unsigned b_bits, unsigned *cycles, float *out)
{
    extern __shared__ float room[];
    const unsigned pair = blockIdx.x;
    const float a = __uint_as_float(a_bits | pair / EXPONENTS << 23),
                b = __uint_as_float(b_bits | pair % EXPONENTS << 23);
    volatile float *const held = room;
    unsigned least = ~0u;
    held[threadIdx.x] = a;
    held[threadIdx.x + 32] = b;
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < TIMES; k++) {
        const float x = held[threadIdx.x], y = held[threadIdx.x + 32];
        const unsigned from = clock();
        const float z = x / y;
        held[threadIdx.x + 64] = z;
        const float back = held[threadIdx.x + 64];
        const unsigned took = clock() - from;
        if (__float_as_uint(back) != 1)
            least = min(least, took);
    }
    if (!threadIdx.x) {
        cycles[pair] = least;
        out[pair] = held[64];
    }
}

static void print_runs(unsigned a_bits, unsigned b_bits, const std::vector<unsigned> &cycles)
{
    const unsigned limit = cycles[127 * EXPONENTS + 127] * 2;
    for (int a = 0; a < EXPONENTS; a++) {
        printf("%06x,%06x,%d,", a_bits, b_bits, a);
        for (int b = 0; b < EXPONENTS; b++) {
            const bool slow = cycles[a * EXPONENTS + b] > limit, before = b && cycles[a * EXPONENTS + b - 1] > limit;
            if (slow && !before)
                printf("%d-", b);
            if (!slow && before)
                printf("%d ", b - 1);
        }
        puts(cycles[a * EXPONENTS + EXPONENTS - 1] > limit ? "255" : "");
    }
}

int main(void)
{
    const unsigned mantissas[] = {0, 1, 0x2aaaaa, 0x7fffff};
    unsigned *cycles;
    float *out;
    CHECK(cudaMalloc(&cycles, PAIRS * sizeof *cycles));
    CHECK(cudaMalloc(&out, PAIRS * sizeof *out));
    CHECK(cudaFuncSetAttribute(divide, cudaFuncAttributeMaxDynamicSharedMemorySize, 50 << 10));
    puts("dividend's mantissa,divisor's mantissa,dividend's exponent,divisor's exponents that are slow");
    for (unsigned a : mantissas)
        for (unsigned b : mantissas) {
            std::vector<unsigned> got(PAIRS);
            divide<<<PAIRS, 32, 50 << 10>>>(a, b, cycles, out); /* four blocks of an SM, one warp of a sub-partition */
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(got.data(), cycles, PAIRS * sizeof *cycles, cudaMemcpyDeviceToHost));
            print_runs(a, b, got);
        }
    return 0;
}
