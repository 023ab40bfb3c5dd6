/* language.cu - CUDA C++ as a language: templates, static kernels and variables in namespaces, symbols, lambdas, dynamic
 * shared memory of several types, managed variables, launches from kernels, typed forms of the runtime's functions. */
#include "check.h"

/* ---- kernels that the host must find by odd names ---- */

namespace outer
{
namespace
{
__constant__ float factors[4];
__device__ int counter = 10;
template <class T, int N> __global__ void scale(T *x, T by)
{
    for (int i = 0; i < N; i++)
        x[i] *= by * (T)factors[i];
}
} // namespace
static __global__ void count() { atomicAdd(&counter, 1); }
} // namespace outer

struct pair {
    char tag;
    double value;
};
static __global__ void by_value(pair p, int *a, short s, dim3 d) { *a = p.tag + (int)p.value + s + (int)d.y; }

constexpr int square(int x) { return x * x; }
template <class F> __global__ void apply(F f, int *out) { out[threadIdx.x] = f((int)threadIdx.x); }

__global__ void __launch_bounds__(128, 2) shared_types(double *out, int n)
{
    extern __shared__ double values[];
    int *marks = (int *)(values + n);
    values[threadIdx.x] = threadIdx.x;
    marks[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            *out += values[i] * marks[i];
}

static void kernels(int *a)
{
    const float host[4] = {1, 2, 3, 4};
    int back = 0;
    size_t size = 0;
    float *x, *address;
    double *sum;
    CUDA(cudaMallocManaged(&x, 4 * sizeof *x));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    for (int i = 0; i < 4; i++)
        x[i] = 10;
    CUDA(cudaMemcpyToSymbol(outer::factors, host, sizeof host));
    CUDA(cudaGetSymbolAddress((void **)&address, outer::factors));
    CUDA(cudaGetSymbolSize(&size, outer::factors));
    MUST(size == sizeof host && address);
    outer::scale<float, 4><<<1, 1>>>(x, 2);
    outer::count<<<2, 3>>>();
    CUDA(cudaMemcpyFromSymbol(&back, outer::counter, sizeof back));
    MUST(x[0] == 20 && x[3] == 80 && back == 16);
    by_value<<<1, 1>>>({3, 4.5}, a, (short)-2, dim3(1, 7));
    CUDA(cudaDeviceSynchronize());
    MUST(*a == 3 + 4 - 2 + 7);
    const int offset = 100;
    apply<<<1, 4>>>([=] __device__(int i) { return square(i) + offset; }, a);
    CUDA(cudaDeviceSynchronize());
    MUST(a[3] == 109);
    apply<<<1, 4>>>([=] __host__ __device__(int i) { return i - offset; }, a);
    CUDA(cudaDeviceSynchronize());
    MUST(a[3] == -97);
    *sum = 0;
    shared_types<<<1, 32, 32 * (sizeof(double) + sizeof(int))>>>(sum, 32);
    CUDA(cudaDeviceSynchronize());
    MUST(*sum == 496);
}

/* ---- a structure by value, whose address is computed with ---- */

struct list {
    float v[7];
    short tag;
};
__noinline__ __device__ float pick(list l, int i) { return l.v[i] + l.tag; }
__global__ void picks(list l, float *out) { *out = pick(l, (int)l.v[3]) + l.v[(int)l.v[1]]; }
static void by_address()
{
    float *x;
    CUDA(cudaMallocManaged(&x, sizeof *x));
    picks<<<1, 1>>>({{0, 6, 2, 5, 4, 50, 600}, 7}, x);
    CUDA(cudaDeviceSynchronize());
    MUST(*x == 50 + 7 + 600);
}

/* ---- managed variables ---- */

__device__ __managed__ int total = 5, table[] = {1, 2, 3};
static __managed__ pair *where, home = {'h', 2.5};
namespace outer
{
__managed__ float matrix[2][3];
}
__global__ void touch()
{
    total += table[1];
    outer::matrix[1][2] = 4.5f;
    home.value *= 2;
    where = &home;
}
static void managed()
{
    table[1] = 20;
    MUST(sizeof table == 12 && total == 5 && home.tag == 'h');
    touch<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    MUST(total == 25 && outer::matrix[1][2] == 4.5f && where == &home && home.value == 5);
    cudaPointerAttributes attr;
    CUDA(cudaPointerGetAttributes(&attr, table));
    MUST(attr.type == cudaMemoryTypeManaged);
}

/* ---- launches from kernels ---- */

template <class T> __global__ void leaf(T *out, char c, T value, double d) { atomicAdd(out, (T)(c + value + d)); }
__global__ void tree(int *out, int depth)
{
    if (depth == 0)
        leaf<int><<<dim3(1, 2), 2>>>(out, 1, 2, 3.9); /* four threads of 6; a string with "<<<" is none: */
    else
        for (int i = 0; i < 2; i++)
            tree<<<1, 1>>>(out, depth - 1);
    if (cudaGetLastError() != cudaSuccess)
        *out = -1000;
}
static void launches(int *a)
{
    *a = 0;
    tree<<<1, 1>>>(a, 3);
    CUDA(cudaDeviceSynchronize());
    MUST(*a == 8 * 4 * 6);
}

/* ---- typed forms of the runtime's functions ---- */

__global__ void fill(float *x, float v, int n)
{
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x))
        x[i] = v;
}
static void typed()
{
    int n = 1000, blocks, size, per_sm;
    float v = 1.5f, *x, *pinned, *mapped;
    size_t pitch;
    CUDA(cudaMalloc(&x, n * sizeof *x));
    void *args[] = {&x, &v, &n};
    CUDA(cudaLaunchKernel(fill, dim3(4), dim3(64), args, 0, 0));
    CUDA(cudaMallocHost(&pinned, n * sizeof *x));
    CUDA(cudaMemcpy(pinned, x, n * sizeof *x, cudaMemcpyDefault));
    MUST(pinned[999] == 1.5f);
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = dim3(32);
    CUDA(cudaLaunchKernelEx(&config, fill, x, 2.5, n)); /* the double is converted */
    CUDA(cudaMemcpy(pinned, x, n * sizeof *x, cudaMemcpyDeviceToHost));
    MUST(pinned[999] == 2.5f);
    CUDA(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&x, mapped, 0));
    CUDA(cudaMallocPitch(&x, &pitch, 100, 3));
    MUST(pitch >= 100);
    cudaFuncAttributes attr;
    CUDA(cudaFuncGetAttributes(&attr, shared_types));
    MUST(attr.maxThreadsPerBlock == 128);
    CUDA(cudaFuncSetAttribute(shared_types, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    CUDA(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, fill, 128, 0));
    CUDA(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fill, 0, 0));
    MUST(per_sm > 0 && size >= 32 && size % 32 == 0 && blocks > 0);
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &size, fill, [](int b) { return b * 16; }));
    MUST(size >= 32);
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event, cudaEventDisableTiming));
    MUST(cudaCreateChannelDesc<float4>().w == 32 && cudaCreateChannelDesc<short>().f == cudaChannelFormatKindSigned);
    MUST(make_cudaExtent(1, 2, 3).height == 2 && make_float3(1, 2, 3).z == 3);
}

int main()
{
    int *a;
    CUDA(cudaMallocManaged(&a, 64));
    managed();
    kernels(a);
    by_address();
    launches(a);
    typed();
    printf("%d failures\n", failures);
    return failures != 0;
}
