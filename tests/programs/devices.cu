/* devices - several devices in one program: who they are, and that each has streams, events, variables, memory and
 * limits of its own. Expects four (LOCKSTEP_DEVICES=4). */
#include <cuda_runtime.h>
#include <pthread.h>

#include "program.h"

enum { DEVICES = 4 };

__device__ int own = 7; // one on each device
__constant__ int factor = 1;
__managed__ int shared_by_all = 0; // one for all
__device__ int table[256];

__global__ void add_to_own(int n) { own += n * factor; }
__global__ void count_up() { atomicAdd_system(&shared_by_all, 1); }
__global__ void fill_table() { table[threadIdx.x] = threadIdx.x * own; }
__global__ void store(int *p, int v) { *p = v; }

static void identities()
{
    cudaDeviceProp p[DEVICES];
    char bus[DEVICES][32];
    int same_name = 1, distinct = 1, found = 1, at;
    for (int d = 0; d < DEVICES; d++) {
        CHECK(cudaGetDeviceProperties(&p[d], d));
        CHECK(cudaDeviceGetPCIBusId(bus[d], sizeof bus[d], d));
        CHECK(cudaDeviceGetByPCIBusId(&at, bus[d]));
        found &= at == d;
        same_name &= strcmp(p[d].name, p[0].name) == 0;
        for (int e = 0; e < d; e++)
            distinct &= memcmp(&p[d].uuid, &p[e].uuid, sizeof p[d].uuid) != 0 && p[d].pciBusID != p[e].pciBusID;
    }
    verdict(same_name, "all devices are of one GPU");
    verdict(distinct, "no two have the same UUID or PCI bus");
    verdict(found, "a PCI bus id names its device");
    REFUSED(cudaDeviceGetByPCIBusId(&at, "0000:7f:00.0"), cudaErrorInvalidDevice);
    cudaDeviceProp want;
    memset(&want, 0, sizeof want);
    CHECK(cudaChooseDevice(&at, &want));
    verdict(at == 0, "the first device is chosen for a program that wants nothing");
    REFUSED(cudaSetDevice(DEVICES), cudaErrorInvalidDevice);
    REFUSED(cudaSetDevice(-1), cudaErrorInvalidDevice);
}

static void variables()
{
    void *address[DEVICES];
    int own_ok = 1, host[256];
    for (int d = 0; d < DEVICES; d++) {
        int f = d + 1;
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemcpyToSymbol(factor, &f, sizeof f));
        add_to_own<<<1, 1>>>(10);
        count_up<<<1, 32>>>();
        fill_table<<<1, 256>>>();
    }
    for (int d = 0; d < DEVICES; d++) {
        int v;
        cudaPointerAttributes a;
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpyFromSymbol(&v, own, sizeof v));
        CHECK(cudaMemcpyFromSymbol(host, table, sizeof host));
        CHECK(cudaGetSymbolAddress(&address[d], own));
        CHECK(cudaPointerGetAttributes(&a, address[d]));
        own_ok &= v == 7 + 10 * (d + 1) && host[255] == 255 * v && a.device == d;
        for (int e = 0; e < d; e++)
            own_ok &= address[d] != address[e];
    }
    verdict(own_ok, "each device has its own __device__ and __constant__ variables");
    verdict(shared_by_all == 32 * DEVICES, "a __managed__ variable is one for all");
}

static void streams_and_events()
{
    int *p0, *p1, host = 0;
    float ms;
    cudaStream_t s0, s1;
    cudaEvent_t e0, e1;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&p0, sizeof *p0));
    CHECK(cudaStreamCreate(&s0));
    CHECK(cudaEventCreate(&e0));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&p1, sizeof *p1));
    CHECK(cudaStreamCreate(&s1));
    CHECK(cudaEventCreate(&e1));
    CHECK(cudaSetDevice(0));
    (void)cudaGetLastError(); // of what was refused before
    store<<<1, 1, 0, s1>>>(p1, 41); // runs where the stream is
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(s1));
    CHECK(cudaMemcpy(&host, p1, sizeof host, cudaMemcpyDefault));
    verdict(host == 41, "a launch runs on the device of its stream");
    REFUSED(cudaEventRecord(e0, s1), cudaErrorInvalidResourceHandle);
    REFUSED(cudaEventRecord(e1, 0), cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(e0, s0));
    CHECK(cudaEventRecord(e1, s1));
    CHECK(cudaStreamWaitEvent(s0, e1, 0));
    CHECK(cudaStreamWaitEvent(s1, e0, 0));
    CHECK(cudaEventSynchronize(e1));
    CHECK(cudaEventQuery(e0));
    REFUSED(cudaEventElapsedTime(&ms, e0, e1), cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyAsync(p1, &host, sizeof host, cudaMemcpyHostToDevice, s0)); // any stream copies
    CHECK(cudaStreamSynchronize(s0));
    REFUSED(cudaMemset(p1, 0, sizeof *p1), cudaErrorInvalidValue);
    CHECK(cudaFree(p1)); // of another device than the current one
    CHECK(cudaFree(p0));
    CHECK(cudaStreamDestroy(s1));
    CHECK(cudaStreamDestroy(s0));
    CHECK(cudaEventDestroy(e1));
    CHECK(cudaEventDestroy(e0));
}

__global__ void fetch(cudaTextureObject_t t, int *to)
{
    to[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
}

static void textures()
{
    int *from, *to, host[32], right = 0;
    cudaTextureObject_t t;
    cudaResourceDesc r;
    cudaTextureDesc d;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    for (int i = 0; i < 32; i++)
        host[i] = 100 - i;
    CHECK(cudaSetDevice(2));
    CHECK(cudaMalloc(&from, sizeof host));
    CHECK(cudaMalloc(&to, sizeof host));
    CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = from;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = sizeof host;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch<<<1, 32>>>(t, to);
    CHECK(cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        right += host[i] == 100 - i;
    verdict(right == 32, "a texture of another device than the first");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

static void memory()
{
    size_t free_before[DEVICES], free_now, total, limit;
    void *p;
    int others = 1;
    for (int d = 0; d < DEVICES; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemGetInfo(&free_before[d], &total));
    }
    CHECK(cudaSetDevice(2));
    CHECK(cudaMalloc(&p, 1 << 24));
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    for (int d = 0; d < DEVICES; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemGetInfo(&free_now, &total));
        CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
        others &= free_before[d] - free_now == (d == 2 ? 1 << 24 : 0) && (limit == 32 << 20) == (d == 2);
    }
    verdict(others, "memory and limits are a device's own");
    CHECK(cudaFree(p));
}

static void *in_thread(void *arg)
{
    int device = -1, *where = (int *)arg;
    cudaGetDevice(&device);
    where[0] = device;
    cudaSetDevice(3);
    cudaGetDevice(&where[1]);
    return NULL;
}

static void current_device()
{
    int where[2] = {-1, -1}, here;
    pthread_t thread;
    CHECK(cudaSetDevice(2));
    pthread_create(&thread, NULL, in_thread, where);
    pthread_join(thread, NULL);
    CHECK(cudaGetDevice(&here));
    verdict(where[0] == 0 && where[1] == 3 && here == 2, "each thread of the host has its own current device");
}

static void reset()
{
    int *kept, value = 5, own_after;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&kept, sizeof *kept));
    CHECK(cudaMemcpy(kept, &value, sizeof value, cudaMemcpyHostToDevice));
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceReset());
    CHECK(cudaMemcpyFromSymbol(&own_after, own, sizeof own_after));
    CHECK(cudaSetDevice(0));
    value = 0;
    CHECK(cudaMemcpy(&value, kept, sizeof value, cudaMemcpyDeviceToHost));
    verdict(value == 5 && own_after == 7, "a reset of one device leaves the others alone");
    CHECK(cudaMemcpyFromSymbol(&own_after, own, sizeof own_after));
    verdict(own_after == 17, "and their variables");
    count_up<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    verdict(shared_by_all == 32 * DEVICES + 32, "a managed variable outlives the device that had it first");
    CHECK(cudaFree(kept));
}

int main()
{
    int n;
    CHECK(cudaGetDeviceCount(&n));
    verdict(n == DEVICES, "there are %d devices", n);
    identities();
    variables();
    streams_and_events();
    textures();
    memory();
    current_device();
    reset();
    return failures;
}
