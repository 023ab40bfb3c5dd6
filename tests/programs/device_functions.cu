/* device_functions - what kernels can call: malloc and free, recursion, clocks, inline PTX, the mathematical library,
 * integer intrinsics, early exit and traps of a block. */
#include <cuda_runtime.h>

#include "program.h"

/* ---- memory of the device's own heap: a list for each thread, freed by another kernel ---- */

struct node {
    int value;
    struct node *next;
};

__global__ void make_lists(struct node **heads, int n)
{
    struct node *head = NULL;
    for (int i = 0; i < n; i++) {
        struct node *fresh = (struct node *)malloc(sizeof *fresh);
        fresh->value = threadIdx.x * 100 + i;
        fresh->next = head;
        head = fresh;
    }
    heads[threadIdx.x] = head;
}

__global__ void sum_lists(struct node **heads, int *sums)
{
    int sum = 0;
    for (struct node *at = heads[threadIdx.x], *next; at; at = next) {
        next = at->next;
        sum += at->value;
        free(at);
    }
    sums[threadIdx.x] = sum;
}

__global__ void too_much(int *refused)
{
    *refused = malloc((size_t)1 << 40) == NULL;
}

/* ---- recursion ---- */

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Solutions of the n queens problem below a placement of rows 0 .. row - 1. */
__device__ int queens(int n, int row, unsigned columns, unsigned left, unsigned right)
{
    if (row == n)
        return 1;
    int found = 0;
    for (unsigned free_ = ~(columns | left | right) & ((1u << n) - 1); free_; free_ &= free_ - 1) {
        unsigned bit = free_ & -free_;
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

__global__ void recursion(int *out)
{
    int i = threadIdx.x;
    out[i] = fibonacci(i % 12);
    out[32 + i] = i < 8 ? queens(8, 1, 1u << i, 2u << i, (1u << i) >> 1) : 0; // the first queen in column i
}

/* ---- clocks and inline PTX ---- */

__global__ void clocks(long long *out)
{
    clock_t c0 = clock();
    long long t0 = clock64();
    unsigned long long g0, g1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
    int x = threadIdx.x;
    for (int i = 0; i < 100; i++)
        asm volatile("mad.lo.s32 %0, %0, 3, 1;" : "+r"(x));
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
    out[0] = clock64() - t0;
    out[1] = clock() - c0;
    out[2] = (long long)(g1 - g0);
    out[3] = x;
}

__global__ void ptx(unsigned *out)
{
    unsigned lane, r;
    unsigned long long wide;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, 15;\n\tselp.u32 %0, 7, 9, p;\n\t}" : "=r"(r) : "r"(lane));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(lane + 0x10000), "r"(0x10000));
    unsigned bits;
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(bits) : "r"(0xabcdu));
    unsigned logic;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(logic) : "r"(lane), "r"(0xffu), "r"(1u)); // a ^ b ^ c
    out[lane] = r + (unsigned)(wide >> 32) * 100 + bits * 1000 + logic * 1000000;
}

/* ---- mathematics and integers ---- */

__global__ void mathematics(double *out)
{
    float x = 0.7f;
    double y = 1.3;
    int n = 0;
    out[n++] = sinf(x), out[n++] = cosf(x), out[n++] = expf(x), out[n++] = logf(x), out[n++] = powf(x, 2.5f);
    out[n++] = sqrtf(x), out[n++] = atan2f(x, 2), out[n++] = erff(x), out[n++] = tanhf(x), out[n++] = cbrtf(x);
    out[n++] = sin(y), out[n++] = exp(y), out[n++] = log(y), out[n++] = pow(y, 0.3), out[n++] = tgamma(y);
    out[n++] = fmod(7.5, 2.0), out[n++] = hypot(3.0, 4.0), out[n++] = rint(2.5), out[n++] = trunc(-2.7);
    out[n++] = ldexp(1.5, 10), out[n++] = fma(2.0, 3.0, 4.0), out[n++] = copysign(2.0, -1.0), out[n++] = j0(y);
    out[n++] = isnan(0.0 / (y - y)), out[n++] = sinpif(0.25f), out[n++] = normcdff(x), out[n++] = exp10f(x);
}

__global__ void integers(long long *out)
{
    int n = 0;
    out[n++] = __popc(0xf0f0), out[n++] = __clz(1 << 20), out[n++] = __ffs(64), out[n++] = __brev(1u) >> 31;
    out[n++] = __mulhi(1 << 30, 8), out[n++] = (long long)__umul64hi(1ull << 63, 6), out[n++] = __sad(3, 10, 5);
    out[n++] = __byte_perm(0x33221100, 0x77665544, 0x7520), out[n++] = __funnelshift_l(0x80000001u, 1u, 4);
    out[n++] = __popcll(~0ull), out[n++] = __clzll(1), out[n++] = (long long)__dp4a(0x01020304, 0x01010101, 100);
    out[n++] = __float_as_int(1.0f), out[n++] = __double2int_rn(2.5), out[n++] = __float2int_rz(-2.9f);
    out[n++] = __vadd4(0x01ff01ff, 0x01010101), out[n++] = max(-3, 4), out[n++] = abs(-9), out[n++] = __hadd(-5, 2);
}

static void heap(void)
{
    struct node **heads;
    int sums[32], *d_sums, refused = 0, bad = 0;
    CHECK(cudaMalloc(&heads, 32 * sizeof *heads));
    CHECK(cudaMalloc(&d_sums, sizeof sums));
    make_lists<<<1, 32>>>(heads, 10);
    sum_lists<<<1, 32>>>(heads, d_sums);
    CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        bad += sums[i] != i * 1000 + 45;
    verdict(bad == 0, "malloc in one kernel, free in another");
    too_much<<<1, 1>>>(d_sums);
    CHECK(cudaMemcpy(&refused, d_sums, sizeof refused, cudaMemcpyDeviceToHost));
    verdict(refused == 1, "a terabyte is refused");
    CHECK(cudaFree(heads));
    CHECK(cudaFree(d_sums));
}

static void recursive(void)
{
    int host[64], *device, bad = 0, solutions = 0;
    const int fib[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    CHECK(cudaMalloc(&device, sizeof host));
    recursion<<<1, 32>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        bad += host[i] != fib[i % 12];
        solutions += host[32 + i];
    }
    verdict(bad == 0, "Fibonacci numbers by recursion");
    verdict(solutions == 92, "92 placements of 8 queens");
    CHECK(cudaFree(device));
}

static void time_and_ptx(void)
{
    long long host[4], *device;
    unsigned lanes[32], *d_lanes;
    int bad = 0, x = 0;
    CHECK(cudaMalloc(&device, sizeof host));
    clocks<<<1, 1>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        x = (int)(3u * (unsigned)x + 1u);
    verdict(host[0] >= 100 && host[1] >= host[0] && host[2] >= 0, "clocks go forward");
    verdict((int)host[3] == x, "inline PTX in a loop");
    CHECK(cudaMalloc(&d_lanes, sizeof lanes));
    ptx<<<1, 32>>>(d_lanes);
    CHECK(cudaMemcpy(lanes, d_lanes, sizeof lanes, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; i++)
        bad += lanes[i] != (i > 15 ? 7u : 9u) + 100 + 0xbc * 1000 + (i ^ 0xfe) * 1000000;
    verdict(bad == 0, "inline PTX with predicates, wide products and logic");
    CHECK(cudaFree(device));
    CHECK(cudaFree(d_lanes));
}

static void library(void)
{
    const float x = 0.7f;
    const double y = 1.3;
    const double want[] = {sin(x),      cos(x),
                           exp(x),      log(x),
                           pow(x, 2.5), sqrt(x),
                           atan2(x, 2), erf(x),
                           tanh(x),     cbrt(x),
                           sin(y),      exp(y),
                           log(y),      pow(y, 0.3),
                           tgamma(y),   1.5,
                           5,           2,
                           -2,          1536,
                           10,          -2,
                           j0(y),       1,
                           sqrt(0.5),   0.5 * erfc(-x / sqrt(2.0)),
                           pow(10, x)};
    enum { COUNT = sizeof want / sizeof *want };
    double got[COUNT], *device;
    int bad = 0;
    CHECK(cudaMalloc(&device, sizeof got));
    mathematics<<<1, 1>>>(device);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) // functions of float: a few units in the last place of a float
        if (!near(got[i], want[i], fabs(want[i]) * (i < 10 || i > 23 ? 1e-6 : 1e-14)) && !bad++)
            printf("[%d] %.17g, not %.17g: ", i, got[i], want[i]);
    verdict(bad == 0, "the mathematical library");
    CHECK(cudaFree(device));

    const long long ints[] = {8,  11,  7,          1, 2,  3,          12, 0x77552200, 0x18, 64,
                              63, 110, 0x3f800000, 2, -2, 0x02000200, 4,  9,          -2};
    enum { INTS = sizeof ints / sizeof *ints };
    long long back[INTS], *d_ints;
    CHECK(cudaMalloc(&d_ints, sizeof back));
    integers<<<1, 1>>>(d_ints);
    CHECK(cudaMemcpy(back, d_ints, sizeof back, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int i = 0; i < INTS; i++)
        if (back[i] != ints[i] && !bad++)
            printf("[%d] %lld, not %lld: ", i, back[i], ints[i]);
    verdict(bad == 0, "integer intrinsics");
    CHECK(cudaFree(d_ints));
}

int main()
{
    heap();
    recursive();
    time_and_ptx();
    library();
    return failures;
}
