/* streams - order and overlap: copies in several streams, events across streams, host functions and callbacks,
 * priorities, queries, attributes, kernels side by side. */
#include <cuda_runtime.h>

#include "program.h"

enum { N = 1 << 14, STREAMS = 4, PART = N / STREAMS };

__global__ void increment(int *data, int n, int by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] += by;
}

/* Waits until another kernel, in another stream, has raised the flag. */
__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}

__global__ void raise(volatile int *flag)
{
    *flag = 1;
}

static int *pinned(int n)
{
    int *p;
    CHECK(cudaMallocHost(&p, n * sizeof *p));
    return p;
}

static int count_wrong(const int *data, int expected)
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += data[i] != i + expected;
    return bad;
}

/* Each stream has its part: copy in, two kernels, copy out. */
static void parts(int *host, int *device)
{
    cudaStream_t stream[STREAMS];
    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&stream[s]));
    for (int s = 0; s < STREAMS; s++) {
        int *h = host + s * PART, *d = device + s * PART;
        CHECK(cudaMemcpyAsync(d, h, PART * sizeof *h, cudaMemcpyHostToDevice, stream[s]));
        increment<<<8, 128, 0, stream[s]>>>(d, PART, 1);
        increment<<<8, 128, 0, stream[s]>>>(d, PART, 2);
        CHECK(cudaMemcpyAsync(h, d, PART * sizeof *h, cudaMemcpyDeviceToHost, stream[s]));
    }
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamSynchronize(stream[s]));
        CHECK(cudaStreamQuery(stream[s]));
        CHECK(cudaStreamDestroy(stream[s]));
    }
    verdict(count_wrong(host, 3) == 0, "four streams, a part each");
}

/* Copy, kernel and copy back in three streams, tied by events. */
static void across(int *host, int *device)
{
    cudaStream_t in, work, out;
    cudaEvent_t copied, worked;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&worked, cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(device, host, N * sizeof *host, cudaMemcpyHostToDevice, in));
    CHECK(cudaEventRecord(copied, in));
    CHECK(cudaStreamWaitEvent(work, copied, 0));
    increment<<<16, 256, 0, work>>>(device, N, 7);
    CHECK(cudaEventRecord(worked, work));
    CHECK(cudaStreamWaitEvent(out, worked, 0));
    CHECK(cudaMemcpyAsync(host, device, N * sizeof *host, cudaMemcpyDeviceToHost, out));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventQuery(worked));
    verdict(count_wrong(host, 7) == 0, "three streams tied by two events");
    float ms;
    verdict(cudaEventElapsedTime(&ms, copied, worked) == cudaErrorInvalidResourceHandle,
            "events without timing have no time");
    cudaGetLastError();
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaEventDestroy(worked));
    CHECK(cudaStreamDestroy(in));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(out));
}

static void CUDART_CB append(void *text)
{
    strcat((char *)text, "f");
}

static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *text)
{
    strcat((char *)text, status == cudaSuccess ? "c" : "?");
}

static void host_functions(int *device)
{
    char text[16] = "";
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    increment<<<1, 32, 0, stream>>>(device, 32, 1);
    CHECK(cudaLaunchHostFunc(stream, append, text));
    CHECK(cudaStreamAddCallback(stream, called_back, text, 0));
    CHECK(cudaLaunchHostFunc(stream, append, text));
    CHECK(cudaStreamSynchronize(stream));
    verdict(strcmp(text, "fcf") == 0, "host functions and callbacks run in order");
    CHECK(cudaStreamDestroy(stream));
}

/* The first kernel ends only if the second one runs beside it. */
static void side_by_side(int *device)
{
    cudaStream_t one, two;
    int least, greatest, priority = 1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&two, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(two, &priority));
    verdict(priority == greatest, "a stream has the priority it was given");
    CHECK(cudaMemset(device, 0, sizeof *device));
    CHECK(cudaDeviceSynchronize()); // these streams do not wait for the default one
    wait_for<<<1, 1, 0, one>>>(device);
    verdict(cudaStreamQuery(one) == cudaErrorNotReady, "a stream whose kernel waits is not ready");
    cudaGetLastError(); // that answer is remembered like an error
    raise<<<1, 1, 0, two>>>(device);
    CHECK(cudaDeviceSynchronize());
    verdict(1, "two kernels side by side");
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}

/* The legacy default stream waits for blocking streams, and they for it. */
static void default_stream(int *host, int *device)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMemcpyAsync(device, host, N * sizeof *host, cudaMemcpyHostToDevice, stream));
    increment<<<4, 64>>>(device, N, 1);
    increment<<<4, 64, 0, stream>>>(device, N, 1);
    increment<<<4, 64>>>(device, N, 1);
    CHECK(cudaMemcpy(host, device, N * sizeof *host, cudaMemcpyDeviceToHost));
    verdict(count_wrong(host, 3) == 0, "the default stream is in order with others");
    CHECK(cudaStreamDestroy(stream));
}

/* Attributes of streams and of launches: hints that change no result. */
static void attributes(int *host, int *device)
{
    cudaStream_t stream;
    cudaStreamAttrValue value, set;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute with[1];
    int n = N, by = 9;
    memset(&value, 0, sizeof value);
    memset(&config, 0, sizeof config);
    memset(with, 0, sizeof with);
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaStreamCreate(&stream));
    value.accessPolicyWindow.base_ptr = device;
    value.accessPolicyWindow.num_bytes = N * sizeof *device;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &set));
    verdict(set.accessPolicyWindow.base_ptr == device && set.accessPolicyWindow.hitRatio == 0.5f,
            "a stream's access policy");
    CHECK(cudaMemcpyAsync(device, host, N * sizeof *host, cudaMemcpyHostToDevice, stream));
    config.gridDim = dim3(16);
    config.blockDim = dim3(256);
    config.stream = stream;
    config.attrs = with;
    config.numAttrs = 1;
    with[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    with[0].val.programmaticStreamSerializationAllowed = 1;
    CHECK(cudaLaunchKernelEx(&config, increment, device, n, by));
    CHECK(cudaMemcpyAsync(host, device, N * sizeof *host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    verdict(count_wrong(host, 9) == 0, "a launch with attributes");
    CHECK(cudaStreamDestroy(stream));
}

static void timing(int *device)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
    CHECK(cudaEventRecord(start, 0));
    increment<<<16, 256>>>(device, N, 1);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    verdict(ms > 0 && ms < 60000, "an event later is a time later");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

int main()
{
    int *host = pinned(N), *device;
    CHECK(cudaMalloc(&device, N * sizeof *device));
    parts(host, device);
    across(host, device);
    host_functions(device);
    side_by_side(device);
    default_stream(host, device);
    attributes(host, device);
    timing(device);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return failures;
}
