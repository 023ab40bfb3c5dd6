// surface_forms - what sust.p and sured do to surfaces of each format, and at their edges: a hash of the surface after each. The
// expected text is an H200's. What would reach beyond the surface there, and traps, is left out.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 16 };
__constant__ unsigned values[N][4];

#define AT(x) "l"(s), "r"(x)
__global__ void store(cudaSurfaceObject_t s, int components)
{
    const int x = threadIdx.x;
    const unsigned a = values[x][0], b = values[x][1], c = values[x][2], d = values[x][3];
    if (components == 1)
        asm volatile("sust.p.1d.b32.trap [%0, {%1}], %2;" ::AT(x), "r"(a) : "memory");
    else if (components == 2)
        asm volatile("sust.p.1d.v2.b32.trap [%0, {%1}], {%2, %3};" ::AT(x), "r"(a), "r"(b) : "memory");
    else
        asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" ::AT(x), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

#define REDUCE(n, how, type, constraint, value, at)                                                                    \
    case n:                                                                                                            \
        asm volatile("sured." how ".1d." type ".trap [%0, {%1}], %2;" ::AT(at), constraint(value) : "memory");         \
        break;
#define WORD(n, how, type) REDUCE(n, how, type, "r", v, 4 * x)
#define WIDE(n, how, type) REDUCE(n, how, type, "l", w, 8 * x)
#define TEXEL(n, how) REDUCE(n, how, "b32", "r", v, x)

// Two threads a place.
__global__ void reduce(cudaSurfaceObject_t s, int op)
{
    const int x = threadIdx.x / 2;
    const unsigned v = values[threadIdx.x][0];
    const unsigned long long w = v | (unsigned long long)values[threadIdx.x][1] << 32;
    switch (op) {
        WORD(0, "b.add", "u32")
        WORD(1, "b.add", "s32")
        WIDE(2, "b.add", "u64")
        WORD(3, "b.min", "u32")
        WORD(4, "b.min", "s32")
        WIDE(5, "b.min", "u64")
        WIDE(6, "b.min", "s64")
        WORD(7, "b.max", "u32")
        WORD(8, "b.max", "s32")
        WIDE(9, "b.max", "u64")
        WIDE(10, "b.max", "s64")
        WORD(11, "b.and", "b32")
        WORD(12, "b.or", "b32")
        TEXEL(13, "p.add")
        TEXEL(14, "p.min")
        TEXEL(15, "p.max")
        TEXEL(16, "p.and")
    }
}

static const char *const formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
static const int bits[] = {8, 8, 16, 16, 32, 32, 16, 32};

static void run(const char *name, int how, int format, int channels)
{
    const int n = bits[format], bytes = N * channels * n / 8;
    const cudaChannelFormatKind kind = format >= 6  ? cudaChannelFormatKindFloat
                                       : format & 1 ? cudaChannelFormatKindSigned
                                                    : cudaChannelFormatKindUnsigned;
    const cudaChannelFormatDesc d = cudaCreateChannelDesc(n, channels > 1 ? n : 0, channels > 2 ? n : 0, channels > 2 ? n : 0, kind);
    const bool wide = how == 2 || how == 5 || how == 6 || how == 9 || how == 10;
    unsigned char memory[N * 16];
    cudaArray_t array;
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    if (!strcmp(name, "sured") && bytes < (wide ? 64 : 32)) // beyond it
        return;
    cudaMallocArray(&array, &d, N, 0, cudaArraySurfaceLoadStore);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaCreateSurfaceObject(&s, &r);
    for (int i = 0; i < N * 16; i++)
        memory[i] = (unsigned char)(i * 37 + 11);
    cudaMemcpy2DToArray(array, 0, 0, memory, bytes, bytes, 1, cudaMemcpyHostToDevice);
    if (!strcmp(name, "sust"))
        store<<<1, N>>>(s, how);
    else
        reduce<<<1, N>>>(s, how);
    const cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy2DFromArray(memory, bytes, array, 0, 0, bytes, 1, cudaMemcpyDeviceToHost);
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < bytes; i++)
        h = (h ^ memory[i]) * 1099511628211ull;
    printf("%s %d %s %d: %s %016llx\n", name, how, formats[format], channels, cudaGetErrorName(e), h);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array);
}

static void make_values()
{
    static const unsigned special[] = {0,          1,          0x7f,       0x80,       0xff,       0x100,
                                       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
                                       0xffffffff, 0xffffff80, 0xffff8000, 0xffffff7f, 0x3f800000, 0xbf800000,
                                       0x3f000000, 0x477fe000, 0x477ff000, 0x7f800000, 0x7fc00001, 0x33800000,
                                       0x38800000, 0x3effffff, 0x3f801000, 0x3f803000, 0xc7800000};
    unsigned v[N][4], seed = 12345;
    for (int i = 0; i < 4 * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i / 4][i % 4] = i % 3 == 2 ? seed : special[i * 5 % (sizeof special / 4)];
    }
    cudaMemcpyToSymbol(values, v, sizeof v);
}

int main()
{
    make_values();
    for (int components = 1; components <= 4; components *= 2)
        for (int format = 0; format < 8; format++)
            for (int channels = 1; channels <= 4; channels *= 2)
                run("sust", components, format, channels);
    for (int op = 0; op < 17; op++)
        for (int format = 0; format < 8; format++)
            for (int channels = 1; channels <= 4; channels *= 2)
                run("sured", op, format, channels);
    return 0;
}
