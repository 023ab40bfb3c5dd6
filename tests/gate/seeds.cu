// Kernels that are as they should be, and with -DBROKEN as somebody made them worse. Each is one regression: `GATE name: cause`
// stands at the end of the line that `lockstep gate check` must name, with the cause that it must give. The results are right
// either way: nothing but the counters tells.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#ifdef BROKEN
#define IF_BROKEN(bad, good) bad
#define RESTRICT
#define PAD 0
#define THREADS 128
#define TIMES 3
#define SPARE 2
#else
#define IF_BROKEN(bad, good) good
#define RESTRICT __restrict__
#define PAD 1
#define THREADS 256
#define TIMES 2
#define SPARE 1
#endif

constexpr int N = 4096;
__constant__ float table[64];

__device__ int me() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void restricted(const float *RESTRICT in, float *RESTRICT out)
{
    const int i = me();
    out[i] = in[i] * 2;
    out[i + N] = in[i] * 3; // GATE restricted: reload
}

__global__ void padded(const float *in, float *out)
{
    __shared__ float tile[32][32 + PAD];
    for (int j = threadIdx.y; j < 32; j += 8)
        tile[j][threadIdx.x] = in[j * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[j * 32 + threadIdx.x] = tile[threadIdx.x][j]; // GATE padded: bank-conflicts
}

__global__ void halved(const float *in, float *out)
{
    const int i = me();
    out[i] = in[i] + 1;
}

__global__ void vectors(const float4 *in, float4 *out)
{
    const int i = me();
#ifdef BROKEN
    const float *from = (const float *)in;
    float *to = (float *)out;
    for (int j = 0; j < 4; j++)
        to[j * N / 4 + i] = from[j * N / 4 + i] + 1; // GATE vectors: vector-width
#else
    float4 v = in[i];
    v.x += 1, v.y += 1, v.z += 1, v.w += 1;
    out[i] = v;
#endif
}

__global__ void waits(const float *in, float *out)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[me()];
    __syncthreads();
    const float v = s[255 - threadIdx.x];
#ifdef BROKEN
    __syncthreads(); // GATE waits: barriers
#endif
    out[me()] = v;
}

__global__ void strided(const float *in, float *out)
{
    const int i = me();
    const int j = IF_BROKEN((i * 32) % N + i / (N / 32), i);
    out[i] = in[j]; // GATE strided: coalescing
}

__global__ void shifted(const float *in, float *out)
{
    const int i = me();
    const float v = in[i + IF_BROKEN(1, 0)]; // GATE shifted: coalescing
    out[i] = v;
}

__global__ void transposed(const float *in, float *out)
{
    const int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;
    const float v = in[y * 32 + x];
    out[IF_BROKEN(x * 128 + y, y * 32 + x)] = v; // GATE transposed: coalescing
}

struct item {
    float a, b, c, d;
};

__global__ void structures(const float *arrays, const item *items, float *out)
{
    const int i = me();
    out[i] = IF_BROKEN(items[i].a, arrays[i]) * 2; // GATE structures: coalescing
}

__global__ void tiled(const float *in, float *out)
{
    const int i = me();
    float sum = 0;
#ifdef BROKEN
    const float *from = in + blockIdx.x * blockDim.x;
    for (int j = 0; j < 32; j++)
        sum += from[(threadIdx.x + j) % 256]; // GATE tiled: staging
#else
    __shared__ float s[256];
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int j = 0; j < 32; j++)
        sum += s[(threadIdx.x + j) % 256];
#endif
    out[i] = sum;
}

__global__ void copied(const float *in, volatile float *spare, float *out)
{
    const int i = me();
    float v = in[i] * 2;
#ifdef BROKEN
    spare[i] = v; // GATE copied: detour
    v = spare[i];
#endif
    out[i] = v;
}

__global__ void unrolled(const float *in, float *out, int turn)
{
    float a[8];
#pragma unroll
    for (int j = 0; j < 8; j++)
        a[j] = in[j * (N / 8) + threadIdx.x];
#ifdef BROKEN
#pragma unroll 1
#else
#pragma unroll
#endif
    for (int j = 0; j < 8; j++)
        out[j * (N / 8) + threadIdx.x] = a[j] * turn; // GATE unrolled: local-memory
}

__global__ void parted(const float *in, float *out)
{
    const int i = me();
    const float v = in[i];
#ifdef BROKEN
    if (threadIdx.x % 2) {
        out[i] = v * v; // GATE parted: divergence
        asm volatile("// odd" ::: "memory"); // or the compiler makes one store of both
    } else {
        out[i] = v + v + 1;
        asm volatile("// even" ::: "memory");
    }
#else
    out[i] = threadIdx.x % 2 ? v * v : v + v + 1;
#endif
}

__global__ void summed(const int *in, int *out)
{
    int v = in[me()];
#ifdef BROKEN
    atomicAdd(out, v); // GATE summed: atomics
#else
    for (int j = 16; j; j /= 2)
        v += __shfl_xor_sync(~0u, v, j);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
#endif
}

__global__ void counted(const int *in, int *out)
{
    const int v = in[me()] & 63;
#ifdef BROKEN
    atomicAdd(&out[v], 1); // GATE counted: atomics
#else
    __shared__ int mine[64];
    if (threadIdx.x < 64)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[v], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&out[threadIdx.x], mine[threadIdx.x]);
#endif
}

__global__ void doubled(const float *in, float *out)
{
    const int i = me();
    out[i] = in[i] * IF_BROKEN(1.1, 1.1f) + in[i]; // GATE doubled: double-precision
}

__global__ void again(const float *in, float *out)
{
    out[me()] = in[me()];
}

__global__ void wide(const float *in, float *out, int n)
{
    if (me() < n)
        out[me()] = in[me()];
}

__global__ void fetched(const float *in, float *out)
{
    __shared__ float s[256];
#ifdef BROKEN
    s[threadIdx.x] = in[me()]; // GATE fetched: asynchronous-copy
#else
    const unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + me()) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
    out[me()] = s[255 - threadIdx.x];
}

__global__ void gathered(const float *in, float *out)
{
    const int i = me();
#ifdef BROKEN
    volatile float *to = out + i;
    *to = 0;
    for (int j = 0; j < 8; j++)
        *to = *to + in[(i + j * 256) % N]; // GATE gathered: detour
#else
    float sum = 0;
    for (int j = 0; j < 8; j++)
        sum += in[(i + j * 256) % N];
    out[i] = sum;
#endif
}

__global__ void stored(const float *in, float *out)
{
    const int i = me();
    const float v = in[i];
    out[i] = v;
#ifdef BROKEN
    out[i + N] = v; // GATE stored: stores
#endif
}

__global__ void constants(float *out)
{
    const int k = IF_BROKEN(threadIdx.x % 32, blockIdx.x % 32);
    out[me()] = table[k]; // GATE constants: constants
}

__global__ void shuffled(const float *in, float *out)
{
    float v = in[me()];
#ifdef BROKEN
    volatile __shared__ float s[256];
    s[threadIdx.x] = v;
    __syncwarp();
    v += s[threadIdx.x ^ 1]; // GATE shuffled: shared-traffic
#else
    v += __shfl_xor_sync(~0u, v, 1);
#endif
    out[me()] = v;
}

int main()
{
    float *in, *out, *spare, *host = (float *)calloc(4 * N, sizeof *host);
    cudaMalloc(&in, 4 * N * sizeof *in + 256);
    cudaMalloc(&out, 4 * N * sizeof *out);
    cudaMalloc(&spare, N * sizeof *spare);
    cudaMemcpy(in, host, 4 * N * sizeof *in, cudaMemcpyHostToDevice);
    restricted<<<N / 256, 256>>>(in, out);
    padded<<<1, dim3(32, 8)>>>(in, out);
    halved<<<N / THREADS, THREADS>>>(in, out); // GATE halved: block-size
    vectors<<<N / 1024, 256>>>((float4 *)in, (float4 *)out);
    waits<<<N / 256, 256>>>(in, out);
    strided<<<N / 256, 256>>>(in, out);
    shifted<<<N / 256, 256>>>(in, out);
    transposed<<<16, dim3(32, 8)>>>(in, out);
    structures<<<N / 256, 256>>>(in, (item *)in, out);
    tiled<<<N / 256, 256>>>(in, out);
    copied<<<N / 256, 256>>>(in, spare, out);
    unrolled<<<1, N / 8>>>(in, out, 2);
    parted<<<N / 256, 256>>>(in, out);
    summed<<<N / 256, 256>>>((int *)in, (int *)out);
    counted<<<N / 256, 256>>>((int *)in, (int *)out);
    doubled<<<N / 256, 256>>>(in, out);
    for (int k = 0; k < TIMES; k++)
        again<<<N / 256, 256>>>(in, out); // GATE again: launches
    wide<<<SPARE * N / 256, 256>>>(in, out, N); // GATE wide: grid-size
    fetched<<<N / 256, 256>>>(in, out);
    gathered<<<N / 256, 256>>>(in, out);
    stored<<<N / 256, 256>>>(in, out);
    constants<<<N / 256, 256>>>(out);
    shuffled<<<N / 256, 256>>>(in, out);
    for (int k = 0; k < IF_BROKEN(2, 1); k++)
        cudaMemcpy(host, out, N * sizeof *out, cudaMemcpyDeviceToHost);
    const cudaError_t e = cudaDeviceSynchronize();
    puts(cudaGetErrorString(e));
    return e != cudaSuccess;
}
