/* graphs - work recorded once and launched often: from explicit nodes, from captured streams, with new arguments. */
#include <cuda_runtime.h>

#include "program.h"

enum { N = 1024 };

__global__ void add(int *data, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] += by;
}

__global__ void join(int *out, const int *a, const int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] * 1000 + b[i];
}

static int *a, *b, *out, host[N], result[N];

static int count_wrong(int add_a, int add_b)
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += result[i] != (i + add_a) * 1000 + i + add_b;
    return bad;
}

static cudaKernelNodeParams kernel(void *function, void **args)
{
    cudaKernelNodeParams p;
    memset(&p, 0, sizeof p);
    p.func = function;
    p.gridDim = dim3(N / 128);
    p.blockDim = dim3(128);
    p.kernelParams = args;
    return p;
}

static void CUDART_CB count(void *counter)
{
    ++*(int *)counter;
}

/* copy to a, copy to b -> add, add -> join -> copy back -> host function: a diamond. */
static void explicit_nodes(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec, none;
    cudaGraphNode_t copy_a, copy_b, add_a, add_b, joined, back, called;
    int two = 2, three = 3, calls = 0;
    void *args_a[] = {&a, &two}, *args_b[] = {&b, &three}, *args_join[] = {&out, &a, &b};
    cudaKernelNodeParams pa = kernel((void *)add, args_a), pb = kernel((void *)add, args_b),
                         pj = kernel((void *)join, args_join);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copy_a, graph, NULL, 0, a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNode1D(&copy_b, graph, NULL, 0, b, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddKernelNode(&add_a, graph, &copy_a, 1, &pa));
    CHECK(cudaGraphAddKernelNode(&add_b, graph, &copy_b, 1, &pb));
    cudaGraphNode_t both[2] = {add_a, add_b};
    CHECK(cudaGraphAddKernelNode(&joined, graph, both, 2, &pj));
    CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &joined, 1, result, out, sizeof result, cudaMemcpyDeviceToHost));
    cudaHostNodeParams ph = {count, &calls};
    CHECK(cudaGraphAddHostNode(&called, graph, &back, 1, &ph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    verdict(nodes == 7, "a graph of seven nodes");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(count_wrong(2, 3) == 0 && calls == 3, "three launches of it");
    int twenty = 20;
    args_a[1] = &twenty;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, add_a, &pa));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(count_wrong(20, 3) == 0, "with another argument");
    verdict(cudaGraphAddDependencies(graph, &called, &copy_a, NULL, 1) != cudaSuccess ||
                cudaGraphInstantiate(&none, graph, 0) != cudaSuccess,
            "a cycle is refused");
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* The same diamond, captured from two streams. */
static void captured(void)
{
    cudaStream_t one, two;
    cudaEvent_t fork, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    memset(result, 0, sizeof result);
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, one));
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaStreamWaitEvent(two, fork, 0));
    CHECK(cudaMemcpyAsync(b, host, sizeof host, cudaMemcpyHostToDevice, two));
    add<<<N / 128, 128, 0, two>>>(b, 5);
    CHECK(cudaEventRecord(joined, two));
    add<<<N / 128, 128, 0, one>>>(a, 4);
    CHECK(cudaStreamWaitEvent(one, joined, 0));
    join<<<N / 128, 128, 0, one>>>(out, a, b);
    CHECK(cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, one));
    CHECK(cudaStreamIsCapturing(two, &status));
    verdict(status == cudaStreamCaptureStatusActive, "both streams are captured");
    CHECK(cudaStreamEndCapture(one, &graph));
    verdict(result[5] == 0, "and nothing has run");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    verdict(count_wrong(4, 5) == 0, "until the graph is launched");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}

/* A call that cannot be captured ends the capture. */
static void broken_capture(void)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    verdict(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported,
            "a captured stream cannot be waited for");
    verdict(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated && !graph,
            "which invalidates the capture");
    cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    explicit_nodes();
    captured();
    broken_capture();
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
    return failures;
}
