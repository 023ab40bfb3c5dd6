/* peer_copies - copies between every pair of devices, with peer access and without it, in every form that there is: the
 * shape of a bandwidth test, with contents that are checked. */
#include <cuda_runtime.h>

#include "program.h"

enum { MOST = 16, N = 50000 };
static int devices;
static unsigned *data[MOST], *back[MOST], host[N];
static cudaStream_t stream[MOST];

__global__ void number(unsigned *p, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        p[i] = seed * 2654435761u + i;
}

__global__ void slowly(unsigned *p, unsigned seed)
{
    for (int round = 0; round < 2000; round++)
        p[threadIdx.x] = round;
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        p[i] = seed * 2654435761u + i;
}

static int is(const unsigned *p, unsigned seed)
{
    int wrong = 0;
    CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        wrong += host[i] != seed * 2654435761u + i;
    return wrong == 0;
}

/* Every device's data to every other one's second buffer, by `copy`. */
static int matrix(void (*copy)(int from, int to))
{
    int ok = 1;
    for (int from = 0; from < devices; from++)
        for (int to = 0; to < devices; to++) {
            CHECK(cudaSetDevice(from));
            number<<<8, 128, 0, stream[from]>>>(data[from], 100 * from + to);
            copy(from, to);
            CHECK(cudaSetDevice(from));
            CHECK(cudaDeviceSynchronize());
            ok &= is(back[to], 100 * from + to);
        }
    return ok;
}

static void by_default_kind(int from, int to)
{
    CHECK(cudaMemcpyAsync(back[to], data[from], sizeof host, cudaMemcpyDefault, stream[from]));
}

static void by_peer(int from, int to)
{
    CHECK(cudaStreamSynchronize(stream[from]));
    CHECK(cudaMemcpyPeer(back[to], to, data[from], from, sizeof host));
}

static void by_peer_async(int from, int to)
{
    CHECK(cudaMemcpyPeerAsync(back[to], to, data[from], from, sizeof host, stream[from]));
}

/* In a stream of the receiver, behind an event of the sender. */
static void by_receiver(int from, int to)
{
    cudaEvent_t sent;
    CHECK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
    CHECK(cudaEventRecord(sent, stream[from]));
    CHECK(cudaSetDevice(to));
    CHECK(cudaStreamWaitEvent(stream[to], sent, 0));
    CHECK(cudaMemcpyAsync(back[to], data[from], sizeof host, cudaMemcpyDeviceToDevice, stream[to]));
    CHECK(cudaStreamSynchronize(stream[to]));
    CHECK(cudaEventDestroy(sent));
}

static void by_rows(int from, int to)
{
    CHECK(cudaMemcpy2DAsync(back[to], 2000, data[from], 2000, 2000, sizeof host / 2000, cudaMemcpyDefault, stream[from]));
}

static void by_box(int from, int to)
{
    cudaMemcpy3DPeerParms p;
    memset(&p, 0, sizeof p);
    p.srcDevice = from;
    p.dstDevice = to;
    p.srcPtr = make_cudaPitchedPtr(data[from], 2000, 2000, 10);
    p.dstPtr = make_cudaPitchedPtr(back[to], 2000, 2000, 10);
    p.extent = make_cudaExtent(2000, 10, 10);
    CHECK(cudaMemcpy3DPeerAsync(&p, stream[from]));
}

/* The default stream's copy waits for both devices' work, and later work of both for the copy. */
static void default_stream()
{
    int ok = 1;
    for (int round = 0; round < 5; round++) {
        CHECK(cudaSetDevice(1));
        slowly<<<1, 64>>>(data[1], 7 + round);
        CHECK(cudaSetDevice(0));
        CHECK(cudaMemcpyPeerAsync(back[0], 0, data[1], 1, sizeof host, 0));
        CHECK(cudaSetDevice(1));
        number<<<8, 128>>>(data[1], 1000);
        CHECK(cudaSetDevice(0));
        ok &= is(back[0], 7 + round);
        CHECK(cudaSetDevice(1));
        ok &= is(data[1], 1000);
    }
    verdict(ok, "the default stream's copy comes after the work of both devices and before what follows");
}

int main()
{
    CHECK(cudaGetDeviceCount(&devices));
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&data[d], sizeof host));
        CHECK(cudaMalloc(&back[d], sizeof host));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    }
    for (int open = 0; open < 2; open++) {
        const char *how = open ? "with peer access" : "without peer access";
        for (int d = 0; open && d < devices; d++) {
            CHECK(cudaSetDevice(d));
            for (int e = 0; e < devices; e++)
                if (e != d)
                    CHECK(cudaDeviceEnablePeerAccess(e, 0));
        }
        verdict(matrix(by_default_kind), "cudaMemcpyDefault between all pairs %s", how);
        verdict(matrix(by_peer), "cudaMemcpyPeer %s", how);
        verdict(matrix(by_peer_async), "cudaMemcpyPeerAsync %s", how);
        verdict(matrix(by_receiver), "the receiver's stream %s", how);
        verdict(matrix(by_rows), "rows %s", how);
        verdict(matrix(by_box), "cudaMemcpy3DPeerAsync %s", how);
    }
    default_stream();
    REFUSED(cudaMemcpyPeer(back[0], 0, data[1], devices, 4), cudaErrorInvalidDevice);
    return failures;
}
