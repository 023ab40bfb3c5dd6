// What sust.p and sured do to surfaces of each format. Lines: what, format, channels, memory after it.
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <cuda_runtime.h>
#define N 16
__constant__ unsigned values[N][4];
#define S1(T) asm volatile("sust.p.1d." #T ".trap [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(a) : "memory");
#define S2(T) asm volatile("sust.p.1d.v2." #T ".trap [%0, {%1}], {%2, %3};" :: "l"(s), "r"(x), "r"(a), "r"(b) : "memory");
#define S4(T) asm volatile("sust.p.1d.v4." #T ".trap [%0, {%1}], {%2, %3, %4, %5};" :: "l"(s), "r"(x), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
__global__ void store(cudaSurfaceObject_t s, int type, int vec)
{
    const int x = threadIdx.x; const unsigned a = values[x][0], b = values[x][1], c = values[x][2], d = values[x][3];
    switch (type * 3 + vec) {
    case 0: S1(b32) break; case 1: S2(b32) break; case 2: S4(b32) break;
    }
}
#define RED(n, K, OP, T, C, V, X) case n: asm volatile("sured." #K "." #OP ".1d." #T ".trap [%0, {%1}], %2;" :: "l"(s), "r"(X), C(V) : "memory"); break;
__global__ void reduce(cudaSurfaceObject_t s, int op)
{
    const int x = threadIdx.x / 2; const unsigned v = values[threadIdx.x][0]; const unsigned long long w = v | (unsigned long long)values[threadIdx.x][1] << 32;
    switch (op) {
    RED(0, b, add, u32, "r", v, 4 * x) RED(1, b, add, s32, "r", v, 4 * x) RED(2, b, add, u64, "l", w, 8 * x)
    RED(3, b, min, u32, "r", v, 4 * x) RED(4, b, min, s32, "r", v, 4 * x) RED(5, b, min, u64, "l", w, 8 * x) RED(6, b, min, s64, "l", w, 8 * x)
    RED(7, b, max, u32, "r", v, 4 * x) RED(8, b, max, s32, "r", v, 4 * x) RED(9, b, max, u64, "l", w, 8 * x) RED(10, b, max, s64, "l", w, 8 * x)
    RED(11, b, and, b32, "r", v, 4 * x) RED(12, b, or, b32, "r", v, 4 * x)
    RED(13, p, add, b32, "r", v, x) RED(14, p, min, b32, "r", v, x) RED(15, p, max, b32, "r", v, x) RED(16, p, and, b32, "r", v, x) RED(17, p, or, b32, "r", v, x)
    RED(18, p, min, b64, "l", w, x) RED(19, p, max, b64, "l", w, x)
    }
}
__global__ void edges(cudaSurfaceObject_t s, int what)
{
    const int x = (int)threadIdx.x - 4; const unsigned v = values[threadIdx.x][0] | 1;
    if (what == 0) asm volatile("sust.p.1d.b32.clamp [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(v) : "memory");
    if (what == 1) asm volatile("sust.p.1d.b32.zero [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(v) : "memory");
    if (what == 2) asm volatile("sured.b.add.1d.u32.clamp [%0, {%1}], %2;" :: "l"(s), "r"(4 * x), "r"(v) : "memory");
    if (what == 3) asm volatile("sured.b.add.1d.u32.zero [%0, {%1}], %2;" :: "l"(s), "r"(4 * x), "r"(v) : "memory");
    if (what == 4) asm volatile("sured.p.add.1d.b32.clamp [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(v) : "memory");
    if (what == 5) asm volatile("sured.p.add.1d.b32.zero [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(v) : "memory");
}
static const char *const kinds[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
static const int bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
static void run(const char *name, int format, int channels, int how, int a, int b)
{
    const cudaChannelFormatKind k = format >= 6 ? cudaChannelFormatKindFloat : format & 1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
    const int n = bits[format];
    cudaChannelFormatDesc d = cudaCreateChannelDesc(n, channels > 1 ? n : 0, channels > 2 ? n : 0, channels > 2 ? n : 0, k);
    cudaArray_t array; cudaSurfaceObject_t s; cudaResourceDesc r; unsigned char before[N * 16 + 16], after[N * 16];
    if (cudaMallocArray(&array, &d, N, 0, cudaArraySurfaceLoadStore)) { printf("%s %s %d: no array\n", name, kinds[format], channels); cudaGetLastError(); return; }
    memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = array;
    if (cudaCreateSurfaceObject(&s, &r)) { printf("no surface\n"); return; }
    for (int i = 0; i < N * 16; i++) before[i] = (unsigned char)(i * 37 + 11);
    const int bytes = N * channels * n / 8;
    cudaMemcpy2DToArray(array, 0, 0, before, bytes, bytes, 1, cudaMemcpyHostToDevice);
    if (how == 0) store<<<1, N>>>(s, a, b);
    if (how == 1) reduce<<<1, N>>>(s, a);
    if (how == 2) edges<<<1, N>>>(s, a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy2DFromArray(after, bytes, array, 0, 0, bytes, 1, cudaMemcpyDeviceToHost);
    printf("%s %d %d %s %d: ", name, a, b, kinds[format], channels);
    if (e) printf("%s", cudaGetErrorName(e)); else for (int i = 0; i < bytes; i++) printf("%02x", after[i]);
    printf("\n");
    cudaDestroySurfaceObject(s); cudaFreeArray(array);
}
int main(int argc, char **argv)
{
    unsigned v[N][4], seed = 12345;
    const unsigned special[] = {0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffff80, 0xffff8000, 0xffffff7f, 0x3f800000, 0xbf800000, 0x3f000000, 0x477fe000, 0x477ff000, 0x7f800000, 0x7fc00001, 0x33800000, 0x38800000, 0x3effffff, 0x3f801000, 0x3f803000, 0xc7800000};
    for (int i = 0; i < N; i++) for (int k = 0; k < 4; k++) { seed = seed * 1664525u + 1013904223u; v[i][k] = (i * 4 + k) % 3 == 2 ? seed : special[(i * 4 + k) * 5 % (sizeof special / 4)]; }
    cudaMemcpyToSymbol(values, v, sizeof v);
    if (argc == 1) printf("values:"); for (int i = 0; i < N; i++) for (int k = 0; k < 4; k++) if (argc == 1) printf(" %08x", v[i][k]);

    const int what = argc > 1 ? atoi(argv[1]) : 0, f = argc > 2 ? atoi(argv[2]) : 0, c = argc > 3 ? atoi(argv[3]) : 1, o = argc > 4 ? atoi(argv[4]) : 0;
    if (what == 0) for (int k = 0; k < 3; k++) run("sust", f, c, 0, 0, k);
    if (what == 1) run("sured", f, c, 1, o, 0);
    if (what == 2) { run("edge", 4, 1, 2, o, 0); run("edge", 2, 2, 2, o, 0); }
    return 0;
}
