/* past_the_end - accesses that run a little past the end of an allocation: a GPU maps memory in pages of 2 MiB and does not
 * notice; what is written there stays. Loads, stores, vectors, atomics, asynchronous copies, text that printf reads; in memory
 * of every kind. Far behind the end it is an illegal address nevertheless. */
#include "program.h"

#include <cuda_pipeline.h>

__device__ int variable[3];

__global__ void store(int *p, int n) { p[n + threadIdx.x] = 100 + threadIdx.x; }

__global__ void load(const int *p, int n, int *out) { out[threadIdx.x] = p[n + threadIdx.x]; }

__global__ void four(int4 *p, int *out)
{
    p[threadIdx.x] = make_int4(1, 2, 3, 4);
    int4 v = p[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void add(int *p, int n, int *out)
{
    p[n] = 40;
    *out = atomicAdd(&p[n], 2);
    *out = p[n];
}

__global__ void async_copy(const int *p, int n, int *out)
{
    __shared__ int4 part[1];
    __pipeline_memcpy_async(part, p + n, sizeof *part);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    *out = part[0].x;
}

__global__ void text(char *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = 'a' + i % 26;
    p[n] = 0;
    printf("%s\n", p);
}

__global__ void one(int *p) { *p = 1; }

static int out_of(const int *out, int i)
{
    int all[64];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(all, out, sizeof all, cudaMemcpyDeviceToHost));
    return all[i];
}

static void round_trip(const char *kind, int *p, int n, int *out)
{
    store<<<1, 8>>>(p, n);
    load<<<1, 8>>>(p, n, out);
    printf("%s: %d %d\n", kind, out_of(out, 0), out_of(out, 7));
}

int main()
{
    int *out, *p, *q;
    CHECK(cudaMalloc(&out, 64 * sizeof *out));
    CHECK(cudaMalloc(&p, 10 * sizeof *p));
    CHECK(cudaMalloc(&q, 10 * sizeof *q));
    CHECK(cudaMemset(q, 0, 10 * sizeof *q));
    round_trip("cudaMalloc", p, 10, out);
    four<<<1, 4>>>((int4 *)p, out);
    printf("vectors: %d %d\n", out_of(out, 2), out_of(out, 3));
    add<<<1, 1>>>(p, 20, out);
    printf("atomic: %d\n", out_of(out, 0));
    async_copy<<<1, 1>>>(p, 12, out);
    printf("asynchronous copy: %d\n", out_of(out, 0));
    text<<<1, 1>>>((char *)p, 45);
    CHECK(cudaDeviceSynchronize());
    load<<<1, 1>>>(q, 9, out);
    printf("the neighbour: %d\n", out_of(out, 0));

    int *other;
    CHECK(cudaMallocAsync(&other, 12, 0));
    round_trip("cudaMallocAsync", other, 3, out);
    CHECK(cudaMallocManaged(&other, 12));
    round_trip("cudaMallocManaged", other, 3, out);
    CHECK(cudaMallocHost(&other, 12));
    round_trip("cudaMallocHost", other, 3, out);
    CHECK(cudaGetSymbolAddress((void **)&other, variable));
    round_trip("variable", other, 3, out);
    static char pages[3 * 4096];
    other = (int *)(((size_t)pages + 4095) / 4096 * 4096);
    CHECK(cudaHostRegister(other, 12, cudaHostRegisterDefault));
    round_trip("cudaHostRegister", other, 3, out);

    one<<<1, 1>>>(p + (1 << 28));
    printf("far away: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
