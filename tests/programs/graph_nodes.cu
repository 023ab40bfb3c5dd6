/* graph_nodes - what a graph's nodes can be and what can be asked of them: a reduction of several kernels, by explicit
 * nodes and captured; parameters, clones, updates, children, variables, memory of its own, user objects. */
#include <cuda_runtime.h>

#include "program.h"

enum { N = 1 << 14, THREADS = 256, BLOCKS = 16 };

__device__ int offset;

/* A block's part of the sum of data[i] + offset. */
__global__ void partial_sums(const int *data, long long *parts)
{
    __shared__ long long sum[THREADS];
    long long mine = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS)
        mine += data[i] + offset;
    sum[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum[0];
}

__global__ void add_up(const long long *parts, long long *total, int times)
{
    for (int i = 0; i < BLOCKS; i++)
        *total += parts[i] * times;
}

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value;
}

static int host[N];
static int *data;
static long long *parts, *total, result;

/* The sum of 0 ... N - 1, and an offset each. */
static long long expected(int off)
{
    return (long long)N * (N - 1) / 2 + (long long)N * off;
}

static cudaKernelNodeParams kernel(void *function, int blocks, int threads, void **args)
{
    cudaKernelNodeParams p;
    memset(&p, 0, sizeof p);
    p.func = function;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(threads);
    p.kernelParams = args;
    return p;
}

static void CUDART_CB note(void *where) { *(long long *)where = result; }

static long long noted;

static void run(cudaGraphExec_t exec)
{
    result = noted = -1;
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
}

struct reduction {
    cudaGraph_t graph;
    cudaGraphNode_t copy, clear, sums, add, back, call;
    int times;
};

static void build(struct reduction *r)
{
    cudaMemcpy3DParms in;
    memset(&in, 0, sizeof in);
    in.srcPtr = make_cudaPitchedPtr(host, sizeof host, N, 1);
    in.dstPtr = make_cudaPitchedPtr(data, sizeof host, N, 1);
    in.extent = make_cudaExtent(sizeof host, 1, 1);
    in.kind = cudaMemcpyHostToDevice;
    cudaMemsetParams zero;
    memset(&zero, 0, sizeof zero);
    zero.dst = total;
    zero.elementSize = 4;
    zero.width = 2;
    zero.height = 1;
    r->times = 1;
    void *sum_args[] = {&data, &parts}, *add_args[] = {&parts, &total, &r->times};
    cudaKernelNodeParams sums = kernel((void *)partial_sums, BLOCKS, THREADS, sum_args),
                         add = kernel((void *)add_up, 1, 1, add_args);
    cudaHostNodeParams call = {note, &noted};
    CHECK(cudaGraphCreate(&r->graph, 0));
    CHECK(cudaGraphAddMemcpyNode(&r->copy, r->graph, NULL, 0, &in));
    CHECK(cudaGraphAddMemsetNode(&r->clear, r->graph, NULL, 0, &zero));
    CHECK(cudaGraphAddKernelNode(&r->sums, r->graph, &r->copy, 1, &sums));
    cudaGraphNode_t both[] = {r->clear, r->sums};
    CHECK(cudaGraphAddKernelNode(&r->add, r->graph, both, 2, &add));
    CHECK(cudaGraphAddMemcpyNode1D(&r->back, r->graph, &r->add, 1, &result, total, sizeof result,
                                   cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&r->call, r->graph, &r->back, 1, &call));
}

static void reduction_by_nodes(void)
{
    struct reduction r;
    cudaGraphExec_t exec;
    build(&r);
    CHECK(cudaGraphInstantiate(&exec, r.graph, 0));
    run(exec);
    verdict(result == expected(0) && noted == result, "a sum by explicit nodes");
    cudaKernelNodeParams got;
    CHECK(cudaGraphKernelNodeGetParams(r.sums, &got));
    verdict(got.func == (void *)partial_sums && got.gridDim.x == BLOCKS && got.blockDim.x == THREADS &&
                *(int **)got.kernelParams[0] == data,
            "a kernel's parameters are as they were given");
    cudaMemcpy3DParms copy;
    CHECK(cudaGraphMemcpyNodeGetParams(r.copy, &copy));
    verdict(copy.srcPtr.ptr == host && copy.dstPtr.ptr == data && copy.extent.width == sizeof host &&
                copy.kind == cudaMemcpyHostToDevice,
            "a copy's parameters too");

    /* the clone of a graph, and an update of what runs from it */
    cudaGraph_t clone;
    cudaGraphNode_t add;
    cudaGraphExecUpdateResultInfo info;
    int five = 5;
    void *args[] = {&parts, &total, &five};
    cudaKernelNodeParams p = kernel((void *)add_up, 1, 1, args);
    CHECK(cudaGraphClone(&clone, r.graph));
    CHECK(cudaGraphNodeFindInClone(&add, r.add, clone));
    CHECK(cudaGraphKernelNodeSetParams(add, &p));
    CHECK(cudaGraphExecUpdate(exec, clone, &info));
    run(exec);
    verdict(info.result == cudaGraphExecUpdateSuccess && result == 5 * expected(0), "updated from another graph");
    cudaGraphNode_t extra;
    CHECK(cudaGraphAddEmptyNode(&extra, clone, NULL, 0));
    verdict(cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure &&
                info.result == cudaGraphExecUpdateErrorTopologyChanged,
            "but not from one of another shape");
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));

    /* as a child; shapes and edges */
    cudaGraph_t parent, child;
    cudaGraphNode_t node, nodes[8];
    size_t n = 8;
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, r.graph));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &child));
    CHECK(cudaGraphGetNodes(child, nodes, &n));
    size_t edges = 0, roots = 0;
    CHECK(cudaGraphGetEdges(child, NULL, NULL, NULL, &edges));
    CHECK(cudaGraphGetRootNodes(child, NULL, &roots));
    verdict(n == 6 && edges == 5 && roots == 2, "a child of six nodes, five edges, two roots");
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    run(exec);
    verdict(result == expected(0), "which runs as the original did");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(r.graph));
}

static void variables(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t to, from;
    int seven = 7, back = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, offset, &seven, sizeof seven, 0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &back, offset, sizeof back, 0,
                                           cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(back == 7, "to a variable and back");
    seven = 70;
    int eight = 8;
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, offset, &eight, sizeof eight, 0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(back == 8, "from elsewhere");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* The same reduction from a stream, with the offset that variables() left; captured again with another number and
 * taken over by the same executable graph. */
static void reduction_by_capture(void)
{
    cudaStream_t s;
    cudaGraphExec_t exec = NULL;
    cudaGraphExecUpdateResultInfo info;
    long long got[3];
    CHECK(cudaStreamCreate(&s));
    for (int times = 1; times <= 3; times++) {
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
        CHECK(cudaMemcpyAsync(data, host, sizeof host, cudaMemcpyHostToDevice, s));
        CHECK(cudaMemsetAsync(total, 0, sizeof *total, s));
        partial_sums<<<BLOCKS, THREADS, 0, s>>>(data, parts);
        add_up<<<1, 1, 0, s>>>(parts, total, times);
        CHECK(cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, s));
        CHECK(cudaLaunchHostFunc(s, note, &noted));
        CHECK(cudaStreamEndCapture(s, &graph));
        if (!exec)
            CHECK(cudaGraphInstantiate(&exec, graph, 0));
        else
            CHECK(cudaGraphExecUpdate(exec, graph, &info));
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
        got[times - 1] = noted;
    }
    verdict(got[0] == expected(8) && got[1] == 2 * expected(8) && got[2] == 3 * expected(8),
            "the same by capture, updated twice");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(s));
}

static void memory_of_its_own(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t alloc, write, copy, release;
    int back[32];
    cudaMemAllocNodeParams p;
    memset(&p, 0, sizeof p);
    p.bytesize = sizeof back;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    int value = 123;
    void *args[] = {&p.dptr, &value};
    cudaKernelNodeParams k = kernel((void *)fill, 1, 32, args);
    CHECK(cudaGraphAddKernelNode(&write, graph, &alloc, 1, &k));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &write, 1, back, p.dptr, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, p.dptr));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    verdict(back[0] == 123 && back[31] == 123, "memory that a graph allocates and frees");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceGraphMemTrim(0));

    /* captured, and freed by the program */
    cudaStream_t s;
    int *mine;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync((void **)&mine, sizeof back, s));
    fill<<<1, 32, 0, s>>>(mine, 45);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaMemcpyAsync(back, mine, sizeof back, cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(mine, s));
    CHECK(cudaStreamSynchronize(s));
    verdict(back[7] == 45, "memory that outlives a launch");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

static void CUDART_CB gone(void *flag) { *(int *)flag = 1; }

static void user_object(void)
{
    cudaGraph_t graph;
    cudaUserObject_t object;
    static int is_gone;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaUserObjectCreate(&object, &is_gone, gone, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    int before = is_gone;
    CHECK(cudaGraphDestroy(graph));
    verdict(!before && is_gone, "a user object goes with its graph");
}

int main()
{
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMalloc(&parts, BLOCKS * sizeof *parts));
    CHECK(cudaMalloc(&total, sizeof *total));
    reduction_by_nodes();
    variables();
    reduction_by_capture();
    memory_of_its_own();
    user_object();
    CHECK(cudaFree(data));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(total));
    return failures;
}
