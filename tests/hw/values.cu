// values.cu - what a GPU makes of rare instructions that are refused here, as no H200 has answered yet: fma.oob, products of f64 that
// round otherwise, isspacep.param. A line a question, with a hash of all results; RAW: the results themselves.
//
//     nvcc -O1 -gencode arch=compute_90a,code=sm_90a tests/hw/values.cu -o PROGRAM -lcuda && ./PROGRAM [RAW]
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static FILE *raw;
static uint64_t state = 1;
static uint32_t next()
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

static void tell(const char *what, const void *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n / 4; i++) {
        h = (h ^ ((const uint32_t *)p)[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    printf("%s: %016llx\n", what, (unsigned long long)h);
    if (raw)
        fwrite(p, 1, n, raw);
}

// ---- fma.oob ----

#define OOB(NAME, TYPE, FLOAT, CON)                                                                                    \
    __global__ void NAME(const TYPE *a, const TYPE *b, const TYPE *c, TYPE *d)                                         \
    {                                                                                                                  \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        TYPE r;                                                                                                        \
        asm("fma.rn.oob" FLOAT " %0, %1, %2, %3;" : "=" CON(r) : CON(a[i]), CON(b[i]), CON(c[i]));                     \
        d[i] = r;                                                                                                      \
    }
OOB(oob_f16, uint16_t, ".f16", "h")
OOB(oob_relu_f16, uint16_t, ".relu.f16", "h")
OOB(oob_bf16, uint16_t, ".bf16", "h")
OOB(oob_relu_bf16, uint16_t, ".relu.bf16", "h")
OOB(oob_f16x2, uint32_t, ".f16x2", "r")
OOB(oob_relu_f16x2, uint32_t, ".relu.f16x2", "r")
OOB(oob_bf16x2, uint32_t, ".bf16x2", "r")
OOB(oob_relu_bf16x2, uint32_t, ".relu.bf16x2", "r")

// Each operand in turn takes all values of 16 bits; then all are random.
template <typename T> static void oob(const char *name, void (*kernel)(const T *, const T *, const T *, T *))
{
    enum { N = 1 << 18 };
    static T host[3][N], result[N];
    T *memory[4];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            host[k][i] = (T)(i >> 16 == k ? i | i << 16 : i >> 16 == 3 ? next() << 8 ^ next() : 0x40003555u + 0x1000100u * k);
    for (int i = 3 << 16; i < N; i += 5) // NaNs of all kinds, which are rare
        host[i % 3][i] |= (T)0x7fc07fc0u;
    for (int k = 0; k < 4; k++) {
        cudaMalloc(&memory[k], sizeof result);
        if (k < 3)
            cudaMemcpy(memory[k], host[k], sizeof result, cudaMemcpyHostToDevice);
    }
    kernel<<<N / 256, 256>>>(memory[0], memory[1], memory[2], memory[3]);
    cudaMemcpy(result, memory[3], sizeof result, cudaMemcpyDeviceToHost);
    printf("%s ", cudaGetErrorName(cudaGetLastError()));
    tell(name, result, sizeof result);
}

// ---- f64 ----

#define F64(NAME, RND)                                                                                                 \
    __global__ void m8##NAME(const double *in, double *out)                                                            \
    {                                                                                                                  \
        const double *x = in + 4 * (blockIdx.x * 32 + threadIdx.x);                                                    \
        double r[2];                                                                                                   \
        asm("mma.sync.aligned.m8n8k4.row.col" RND ".f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"                   \
            : "=d"(r[0]), "=d"(r[1]) : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]));                                    \
        out[2 * (blockIdx.x * 32 + threadIdx.x)] = r[0];                                                               \
        out[2 * (blockIdx.x * 32 + threadIdx.x) + 1] = r[1];                                                           \
    }                                                                                                                  \
    __global__ void m16##NAME(const double *in, double *out)                                                           \
    {                                                                                                                  \
        const double *x = in + 10 * (blockIdx.x * 32 + threadIdx.x);                                                   \
        double r[4];                                                                                                   \
        asm("mma.sync.aligned.m16n8k8.row.col" RND ".f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "   \
            "{%10, %11, %12, %13};"                                                                                    \
            : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])                                                           \
            : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(x[8]),       \
              "d"(x[9]));                                                                                              \
        for (int k = 0; k < 4; k++)                                                                                    \
            out[4 * (blockIdx.x * 32 + threadIdx.x) + k] = r[k];                                                       \
    }
F64(rn, ".rn")
F64(rz, ".rz")
F64(rm, ".rm")
F64(rp, ".rp")

static void f64(const char *name, void (*kernel)(const double *, double *), int in, int out)
{
    enum { TILES = 64 };
    static double host[TILES * 32 * 10], result[TILES * 32 * 4];
    double *from, *to;
    state = 7;
    for (int i = 0; i < TILES * 32 * in; i++) {
        const uint64_t exponent = 1023 - 20 + next() % 40;
        const uint64_t bits = (uint64_t)(next() & 1) << 63 | exponent << 52 | ((uint64_t)next() << 32 | next()) >> 12;
        memcpy(&host[i], &bits, 8);
    }
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof result);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    kernel<<<TILES, 32>>>(from, to);
    cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
    printf("%s ", cudaGetErrorName(cudaGetLastError()));
    tell(name, result, TILES * 32 * out * sizeof(double));
}

// ---- windows ----

struct words {
    int n[4];
};
__constant__ int constants[4] = {1, 2, 3, 4};
__device__ int globals[4];

#define IS(space) asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p)); s = s << 1 | r;
__device__ unsigned spaces(const void *p)
{
    unsigned r, s = 0;
    IS("const") IS("global") IS("local") IS("shared") IS("shared::cta") IS("shared::cluster") IS("param") IS("param::entry")
    return s;
}
__global__ void windows(const __grid_constant__ words given, unsigned *out)
{
    __shared__ int shared[4];
    volatile int local[4];
    local[threadIdx.x] = shared[threadIdx.x] = 1;
    out[0] = spaces(&given);
    out[1] = spaces(constants);
    out[2] = spaces(globals);
    out[3] = spaces((const void *)local);
    out[4] = spaces(shared);
    out[5] = spaces(NULL);
    out[6] = spaces((const void *)0x10);
}

int main(int argc, char **argv)
{
    raw = argc > 1 ? fopen(argv[1], "wb") : NULL;
    
    oob("oob f16", oob_f16);
    oob("oob relu f16", oob_relu_f16);
    oob("oob bf16", oob_bf16);
    oob("oob relu bf16", oob_relu_bf16);
    oob("oob f16x2", oob_f16x2);
    oob("oob relu f16x2", oob_relu_f16x2);
    oob("oob bf16x2", oob_bf16x2);
    oob("oob relu bf16x2", oob_relu_bf16x2);
    f64("m8 rn", m8rn, 4, 2);
    f64("m8 rz", m8rz, 4, 2);
    f64("m8 rm", m8rm, 4, 2);
    f64("m8 rp", m8rp, 4, 2);
    f64("m16 rn", m16rn, 10, 4);
    f64("m16 rz", m16rz, 10, 4);
    f64("m16 rm", m16rm, 10, 4);
    f64("m16 rp", m16rp, 10, 4);
    unsigned *out, host[7];
    cudaMalloc(&out, sizeof host);
    windows<<<1, 1>>>(words{{1, 2, 3, 4}}, out);
    printf("windows: %s", cudaGetErrorName(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)));
    for (int k = 0; k < 7; k++)
        printf(" %02x", host[k]);
    printf("\n");
    return 0;
}
