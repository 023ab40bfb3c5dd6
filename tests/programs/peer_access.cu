/* peer_access - kernels that touch other devices' memory: rings and ping-pong by flags in it, sums over all devices,
 * memory that everybody sees, and what is refused. Kernels wait for each other, so all devices must run at once. */
#include <cuda_runtime.h>
#include <pthread.h>

#include "program.h"

enum { MOST = 16, BLOCKS = 2, CHUNK = 256, ROUNDS = 3 };
static int devices;

/* ---- an all-reduce around a ring ---- */

/* What a device's kernel works with: its numbers, where its neighbour puts what it sends, and how much has come. */
struct station {
    float *data, *inbox;
    unsigned *arrived; /* by block: chunks that have come */
    unsigned *taken;   /* by block: chunks that the neighbour it sends to has taken */
};

static struct station station[MOST];

/* Each block has a ring of its own: device d begins with chunk d and passes on what comes; first sums, then copies. */
__global__ void ring(struct station me, struct station next, unsigned *prev_taken, int d, int n, unsigned sent)
{
    float *mine = me.data + blockIdx.x * n * CHUNK, *to = next.inbox + blockIdx.x * CHUNK;
    const float *from = me.inbox + blockIdx.x * CHUNK;
    volatile unsigned *arrived = me.arrived + blockIdx.x, *taken = me.taken + blockIdx.x;
    for (int step = 0; step < 2 * (n - 1); step++, sent++) {
        const int out = (d - step + 2 * n) % n, in = (out + n - 1) % n;
        if (threadIdx.x == 0)
            while (*taken < sent) // the neighbour still reads what it got before
                ;
        __syncthreads();
        to[threadIdx.x] = mine[out * CHUNK + threadIdx.x];
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) {
            *(volatile unsigned *)(next.arrived + blockIdx.x) = sent + 1;
            while (*arrived < sent + 1)
                ;
            __threadfence_system();
        }
        __syncthreads();
        float v = from[threadIdx.x];
        mine[in * CHUNK + threadIdx.x] = step < n - 1 ? mine[in * CHUNK + threadIdx.x] + v : v;
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0)
            *(volatile unsigned *)(prev_taken + blockIdx.x) = sent + 1;
    }
}

static float first_value(int d, int i)
{
    return (float)((d + 1) * (i % 97));
}

static void load(int d) // by several threads at once
{
    float host[MOST * CHUNK * BLOCKS];
    const int n = devices * CHUNK * BLOCKS;
    for (int i = 0; i < n; i++)
        host[i] = first_value(d, i);
    CHECK(cudaMemcpy(station[d].data, host, n * sizeof *host, cudaMemcpyDefault));
}

static int reduced(int d)
{
    static float host[MOST * CHUNK * BLOCKS];
    const int n = devices * CHUNK * BLOCKS;
    int ok = 1;
    CHECK(cudaMemcpy(host, station[d].data, n * sizeof *host, cudaMemcpyDefault));
    for (int i = 0; i < n; i++) {
        float want = 0;
        for (int e = 0; e < devices; e++)
            want += first_value(e, i);
        ok &= host[i] == want;
    }
    return ok;
}

static void start(int d, unsigned sent)
{
    const int next = (d + 1) % devices, prev = (d + devices - 1) % devices;
    ring<<<BLOCKS, CHUNK>>>(station[d], station[next], station[prev].taken, d, devices, sent);
}

static pthread_barrier_t all_ready;

static void *communicator(void *arg)
{
    const int d = (int)(size_t)arg;
    CHECK(cudaSetDevice(d));
    for (int round = 0; round < ROUNDS; round++) {
        load(d);
        pthread_barrier_wait(&all_ready);
        start(d, (1 + round) * 2 * (devices - 1));
        CHECK(cudaDeviceSynchronize());
    }
    return NULL;
}

static void rings()
{
    pthread_t thread[MOST];
    int ok = 1;
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&station[d].data, devices * CHUNK * BLOCKS * sizeof(float)));
        CHECK(cudaMalloc(&station[d].inbox, CHUNK * BLOCKS * sizeof(float)));
        CHECK(cudaMalloc(&station[d].arrived, BLOCKS * sizeof(unsigned)));
        CHECK(cudaMalloc(&station[d].taken, BLOCKS * sizeof(unsigned)));
        CHECK(cudaMemset(station[d].arrived, 0, BLOCKS * sizeof(unsigned)));
        CHECK(cudaMemset(station[d].taken, 0, BLOCKS * sizeof(unsigned)));
        CHECK(cudaDeviceSynchronize()); // the host does not wait for a fill, nor do other devices
        load(d);
    }
    for (int d = 0; d < devices; d++) { // one thread of the host launches on all, and then waits
        CHECK(cudaSetDevice(d));
        start(d, 0);
    }
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        ok &= reduced(d);
    }
    verdict(ok, "a ring launched by one thread");
    pthread_barrier_init(&all_ready, NULL, devices);
    for (int d = 0; d < devices; d++)
        pthread_create(&thread[d], NULL, communicator, (void *)(size_t)d);
    for (int d = 0; d < devices; d++)
        pthread_join(thread[d], NULL);
    ok = 1;
    for (int d = 0; d < devices; d++)
        ok &= reduced(d);
    verdict(ok, "%d rings by a thread a device", ROUNDS);
}

/* ---- ping-pong ---- */

__global__ void ping_pong(unsigned *ball, int player, unsigned hits)
{
    for (unsigned k = player; k < hits; k += 2) {
        while (atomicAdd_system(ball, 0) != k)
            ;
        atomicExch_system(ball, k + 1);
    }
}

static void matches()
{
    unsigned *ball, score;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&ball, sizeof *ball));
    CHECK(cudaMemset(ball, 0, sizeof *ball));
    CHECK(cudaDeviceSynchronize());
    ping_pong<<<1, 1>>>(ball, 1, 200);
    CHECK(cudaSetDevice(0));
    ping_pong<<<1, 1>>>(ball, 0, 200);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&score, ball, sizeof score, cudaMemcpyDefault));
    verdict(score == 200, "two devices pass a word to and fro");
    CHECK(cudaFree(ball));
}

/* ---- sums ---- */

__global__ void sum_up(const int *in, int n, int *total)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    atomicAdd_system(total, sum);
}

static int total_of(int *total)
{
    enum { N = 10000 };
    static int host[N], *part[MOST];
    int value;
    cudaStream_t s[MOST];
    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&s[d]));
        CHECK(cudaMalloc(&part[d], sizeof host));
        CHECK(cudaMemcpyAsync(part[d], host, sizeof host, cudaMemcpyHostToDevice, s[d]));
        sum_up<<<4, 64, 0, s[d]>>>(part[d], N, total);
    }
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamSynchronize(s[d]));
        CHECK(cudaStreamDestroy(s[d]));
        CHECK(cudaFree(part[d]));
    }
    CHECK(cudaMemcpy(&value, total, sizeof value, cudaMemcpyDefault));
    return value == devices * (N * (N - 1) / 2);
}

static void sums()
{
    int *total, *mapped;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    CHECK(cudaDeviceSynchronize());
    verdict(total_of(total), "all devices add to a word of device 1");
    CHECK(cudaFree(total));
    CHECK(cudaMallocManaged(&total, sizeof *total));
    *total = 0;
    cudaMemLocation last;
    last.type = cudaMemLocationTypeDevice;
    last.id = devices - 1;
    CHECK(cudaMemAdvise(total, sizeof *total, cudaMemAdviseSetPreferredLocation, last));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemPrefetchAsync(total, sizeof *total, last, 0, 0));
    verdict(total_of(total), "to managed memory");
    CHECK(cudaFree(total));
    CHECK(cudaHostAlloc(&total, sizeof *total, cudaHostAllocPortable | cudaHostAllocMapped));
    *total = 0;
    CHECK(cudaHostGetDevicePointer(&mapped, total, 0));
    verdict(total_of(mapped), "to memory of the host");
    CHECK(cudaFreeHost(total));
}

/* ---- a pool ---- */

static void pools()
{
    cudaMemPool_t pool;
    cudaMemAccessDesc open;
    cudaMemAccessFlags flags;
    int *total;
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
    open.location.type = cudaMemLocationTypeDevice;
    open.flags = cudaMemAccessFlagsProtReadWrite;
    for (int d = 0; d < devices; d++) {
        open.location.id = d;
        CHECK(cudaMemPoolSetAccess(pool, &open, 1));
    }
    open.location.id = 0;
    CHECK(cudaMemPoolGetAccess(&flags, pool, &open.location));
    CHECK(cudaMallocAsync(&total, sizeof *total, 0));
    CHECK(cudaMemsetAsync(total, 0, sizeof *total, 0));
    CHECK(cudaStreamSynchronize(0));
    verdict(flags == cudaMemAccessFlagsProtReadWrite && total_of(total), "to memory of a pool that was opened to all");
    CHECK(cudaSetDevice(1));
    CHECK(cudaFreeAsync(total, 0));
    open.location.id = 1;
    open.flags = cudaMemAccessFlagsProtNone;
    REFUSED(cudaMemPoolSetAccess(pool, &open, 1), cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(0));
    REFUSED(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
}

/* ---- what is there, and what is refused ---- */

static void opening()
{
    int can, native;
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    verdict(can && native, "devices can be peers");
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
    verdict(!can, "a device is no peer of itself");
    REFUSED(cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
    REFUSED(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    REFUSED(cudaDeviceEnablePeerAccess(devices, 0), cudaErrorInvalidDevice);
    REFUSED(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    REFUSED(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        for (int e = 0; e < devices; e++)
            if (e != d)
                CHECK(cudaDeviceEnablePeerAccess(e, 0));
    }
    CHECK(cudaSetDevice(0));
    REFUSED(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
}

static void closing()
{
    int *p;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&p, sizeof *p));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemset(p, 0, sizeof *p));
    CHECK(cudaDeviceDisablePeerAccess(1));
    REFUSED(cudaMemset(p, 0, sizeof *p), cudaErrorInvalidValue);
    ping_pong<<<1, 1>>>((unsigned *)p, 0, 1);
    REFUSED(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK(cudaSetDevice(1));
    REFUSED(cudaDeviceSynchronize(), cudaErrorIllegalAddress); // as with NVIDIA's driver
}

int main()
{
    CHECK(cudaGetDeviceCount(&devices));
    opening();
    rings();
    matches();
    sums();
    pools();
    closing();
    return failures;
}
