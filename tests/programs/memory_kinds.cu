/* memory_kinds - where data can live: page-locked, mapped (zero copy), registered, managed, __device__ and __managed__
 * variables, stream-ordered allocations and pools; and what cudaPointerGetAttributes says of each. */
#include <cuda_runtime.h>

#include "program.h"

enum { N = 4096 };

__device__ int device_counter;
__device__ float device_table[8] = {0.5f, 1.5f, 2.5f, 3.5f};
__managed__ int managed_sum;
__managed__ int managed_data[N];

__global__ void twice(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}

__global__ void add_up(const int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&managed_sum, data[i]);
    if (i == 0)
        device_counter++;
}

__global__ void count_system(int *counter)
{
    atomicAdd_system(counter, 1);
}

static void fill(int *data)
{
    for (int i = 0; i < N; i++)
        data[i] = i;
}

static int doubled(const int *data)
{
    for (int i = 0; i < N; i++)
        if (data[i] != 2 * i)
            return 0;
    return 1;
}

static cudaMemoryType type_of(const void *p)
{
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, p));
    return a.type;
}

static void launch_twice(int *data, cudaStream_t stream)
{
    twice<<<N / 256, 256, 0, stream>>>(data, N);
    CHECK(cudaGetLastError());
}

static void mapped(void)
{
    int *host, *device;
    unsigned int flags = 0;
    CHECK(cudaHostAlloc(&host, N * sizeof *host, cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    CHECK(cudaHostGetFlags(&flags, host));
    verdict((flags & cudaHostAllocMapped) != 0, "flags of mapped memory");
    fill(host);
    launch_twice(device, 0);
    CHECK(cudaDeviceSynchronize());
    verdict(doubled(host), "zero copy: a kernel in the host's memory");
    verdict(type_of(host) == cudaMemoryTypeHost, "it is host memory");
    CHECK(cudaFreeHost(host));
}

static void registered(void)
{
    int *host = (int *)malloc(N * sizeof *host), *device;
    verdict(type_of(host) == cudaMemoryTypeUnregistered, "memory of malloc is unregistered");
    CHECK(cudaHostRegister(host, N * sizeof *host, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    fill(host);
    launch_twice(device, 0);
    CHECK(cudaDeviceSynchronize());
    verdict(doubled(host), "registered memory");
    CHECK(cudaHostUnregister(host));
    verdict(cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered, "registered no more");
    cudaGetLastError();
    free(host);
}

static void managed(void)
{
    int *data;
    CHECK(cudaMallocManaged(&data, N * sizeof *data));
    fill(data);
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(data, N * sizeof *data, cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(data, N * sizeof *data, device, 0, 0));
    launch_twice(data, 0);
    CHECK(cudaMemPrefetchAsync(data, N * sizeof *data, host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(doubled(data), "managed memory");
    verdict(type_of(data) == cudaMemoryTypeManaged, "it is managed");
    CHECK(cudaFree(data));
}

/* The host adds while the kernel does: system scope. */
static void both_sides(void)
{
    int *counter;
    CHECK(cudaMallocManaged(&counter, sizeof *counter));
    *counter = 5;
    count_system<<<8, 64>>>(counter);
    for (int i = 0; i < 100; i++)
        __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    CHECK(cudaDeviceSynchronize());
    verdict(*counter == 5 + 8 * 64 + 100, "atomics of both sides");
    CHECK(cudaFree(counter));
}

static void variables(void)
{
    fill(managed_data);
    managed_sum = 5;
    add_up<<<N / 256, 256>>>(managed_data, N);
    CHECK(cudaDeviceSynchronize());
    verdict(managed_sum == 5 + N * (N - 1) / 2, "managed variables, written by both sides");
    int counter = -1;
    float table[8];
    CHECK(cudaMemcpyFromSymbol(&counter, device_counter, sizeof counter));
    verdict(counter == 1, "a device variable, counted by a kernel");
    CHECK(cudaMemcpyFromSymbol(table, device_table, sizeof table));
    verdict(table[3] == 3.5f && table[4] == 0.0f, "a device variable with initial values");
    void *address;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, device_table));
    CHECK(cudaGetSymbolSize(&size, device_table));
    verdict(size == sizeof table && type_of(address) == cudaMemoryTypeDevice, "its address and size");
    float replaced = 9.0f;
    CHECK(cudaMemcpyToSymbol(device_table, &replaced, sizeof replaced, 2 * sizeof replaced));
    CHECK(cudaMemcpy(table, address, sizeof table, cudaMemcpyDeviceToHost));
    verdict(table[1] == 1.5f && table[2] == 9.0f, "a copy to the middle of a variable");
}

static void stream_ordered(void)
{
    cudaStream_t stream;
    int *data, host[N];
    CHECK(cudaStreamCreate(&stream));
    fill(host);
    CHECK(cudaMallocAsync(&data, N * sizeof *data, stream));
    CHECK(cudaMemcpyAsync(data, host, N * sizeof *data, cudaMemcpyHostToDevice, stream));
    launch_twice(data, stream);
    CHECK(cudaMemcpyAsync(host, data, N * sizeof *data, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    verdict(doubled(host), "an allocation in the order of a stream");

    cudaMemPool_t pool;
    cudaMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &props));
    unsigned long long keep = ~0ull, kept = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    verdict(kept == keep, "a pool's release threshold");
    CHECK(cudaMallocFromPoolAsync(&data, N * sizeof *data, pool, stream));
    CHECK(cudaMemsetAsync(data, 1, N * sizeof *data, stream));
    launch_twice(data, stream);
    CHECK(cudaMemcpyAsync(host, data, N * sizeof *data, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    verdict(host[0] == 0x02020202 && host[N - 1] == 0x02020202, "memory from a pool of one's own");
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    mapped();
    registered();
    managed();
    both_sides();
    variables();
    stream_ordered();
    return failures;
}
