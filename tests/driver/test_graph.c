/* test_graph.c - graphs: nodes of every kind, their parameters, clones, execution, updates. */
#include "driver_test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* scale_add(p, n, a, b): p[i] = a * p[i] + b, integers */
static const char ptx_scale_add[] =
    PTX_HEAD ".visible .entry scale_add(.param .u64 p, .param .u32 n, .param .u32 a, .param .u32 b)\n"
             "{\n"
             "  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
             "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [a]; ld.param.u32 %r3, [b];\n"
             "  mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x;\n"
             "  mad.lo.s32 %r7, %r4, %r5, %r6;\n"
             "  setp.ge.u32 %p1, %r7, %r1;\n"
             "  @%p1 bra DONE;\n"
             "  mul.wide.u32 %rd2, %r7, 4; add.s64 %rd3, %rd1, %rd2;\n"
             "  ld.global.u32 %r8, [%rd3]; mad.lo.u32 %r8, %r8, %r2, %r3; st.global.u32 [%rd3], %r8;\n"
             "DONE:\n"
             "  ret;\n"
             "}\n";

struct arguments {
    CUdeviceptr p;
    unsigned n, a, b;
    void *all[4];
};

static CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction f, struct arguments *x)
{
    x->all[0] = &x->p, x->all[1] = &x->n, x->all[2] = &x->a, x->all[3] = &x->b;
    return (CUDA_KERNEL_NODE_PARAMS){.func = f,
                                     .gridDimX = (x->n + 63) / 64,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 64,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = x->all};
}

static CUDA_MEMCPY3D to_host(void *host, CUdeviceptr device, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = device,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = host,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static CUDA_MEMCPY3D to_device(CUdeviceptr device, const void *host, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = host,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = device,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static void add_one(void *data) { atomic_fetch_add((atomic_int *)data, 1); }

enum { N = 100 };

/* What most tests run: fill with 5, a * x + b, to the host. */
struct program {
    CUcontext ctx;
    CUfunction f;
    CUdeviceptr d;
    unsigned host[N];
    struct arguments args;
    CUgraph graph;
    CUgraphNode fill, kernel, copy;
};

static void program_up(struct program *t)
{
    *t = (struct program){.ctx = context_up()};
    t->f = load(ptx_scale_add, "scale_add");
    OK(cuMemAlloc_v2(&t->d, sizeof t->host));
    t->args = (struct arguments){.p = t->d, .n = N, .a = 3, .b = 1};
    const CUDA_MEMSET_NODE_PARAMS fill = {.dst = t->d, .value = 5, .elementSize = 4, .width = N, .height = 1};
    const CUDA_KERNEL_NODE_PARAMS kernel = kernel_params(t->f, &t->args);
    const CUDA_MEMCPY3D copy = to_host(t->host, t->d, sizeof t->host);
    OK(cuGraphCreate(&t->graph, 0));
    OK(cuGraphAddMemsetNode(&t->fill, t->graph, NULL, 0, &fill, t->ctx));
    OK(cuGraphAddKernelNode_v2(&t->kernel, t->graph, &t->fill, 1, &kernel));
    OK(cuGraphAddMemcpyNode(&t->copy, t->graph, &t->kernel, 1, &copy, t->ctx));
}

static void program_down(struct program *t)
{
    OK(cuGraphDestroy(t->graph));
    context_down(t->ctx);
}

static void launch_and_expect(struct program *t, CUgraphExec e, unsigned value)
{
    memset(t->host, 0xee, sizeof t->host);
    OK(cuGraphLaunch(e, NULL));
    OK(cuCtxSynchronize());
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(t->host[i], value);
}

static void nodes_run_in_order(void **state)
{
    (void)state;
    struct program t;
    CUgraphExec e;
    atomic_int calls = 0;
    CUgraphNode host, empty;
    program_up(&t);
    t.args = (struct arguments){0}; /* the arguments were copied */
    const CUDA_HOST_NODE_PARAMS h = {add_one, &calls};
    OK(cuGraphAddEmptyNode(&empty, t.graph, &t.copy, 1));
    OK(cuGraphAddHostNode(&host, t.graph, &empty, 1, &h));
    OK(cuGraphInstantiateWithFlags(&e, t.graph, 0));
    OK(cuGraphUpload(e, NULL));
    launch_and_expect(&t, e, 3 * 5 + 1);
    launch_and_expect(&t, e, 3 * 5 + 1);
    assert_int_equal(calls, 2);
    OK(cuGraphExecDestroy(e));
    FAILS(cuGraphLaunch(e, NULL), CUDA_ERROR_INVALID_VALUE);
    program_down(&t);
}

static void the_shape_can_be_asked_and_changed(void **state)
{
    (void)state;
    struct program t;
    CUgraphNode nodes[4], from[4], to[4], empty;
    size_t n = 0;
    program_up(&t);
    OK(cuGraphGetNodes(t.graph, NULL, &n));
    assert_int_equal(n, 3);
    n = 4;
    OK(cuGraphGetNodes(t.graph, nodes, &n));
    assert_int_equal(n, 3);
    assert_ptr_equal(nodes[1], t.kernel);
    assert_null(nodes[3]);
    n = 4;
    OK(cuGraphGetRootNodes(t.graph, nodes, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(nodes[0], t.fill);
    n = 4;
    OK(cuGraphGetEdges(t.graph, from, to, &n));
    assert_int_equal(n, 2);
    assert_ptr_equal(from[0], t.fill);
    assert_ptr_equal(to[1], t.copy);
    n = 4;
    OK(cuGraphNodeGetDependencies(t.kernel, nodes, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(nodes[0], t.fill);
    n = 4;
    OK(cuGraphNodeGetDependentNodes(t.kernel, nodes, &n));
    assert_ptr_equal(nodes[0], t.copy);
    CUgraphNodeType type;
    OK(cuGraphNodeGetType(t.fill, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMSET);
    FAILS(cuGraphAddDependencies(t.graph, &t.fill, &t.kernel, 1), CUDA_ERROR_INVALID_VALUE); /* there already */
    FAILS(cuGraphRemoveDependencies(t.graph, &t.fill, &t.copy, 1), CUDA_ERROR_INVALID_VALUE);
    /* a cycle is found when the graph is instantiated */
    CUgraphExec e;
    OK(cuGraphAddDependencies(t.graph, &t.copy, &t.fill, 1));
    FAILS(cuGraphInstantiateWithFlags(&e, t.graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphRemoveDependencies(t.graph, &t.copy, &t.fill, 1));
    /* an edge against the order of creation */
    OK(cuGraphAddEmptyNode(&empty, t.graph, NULL, 0));
    OK(cuGraphAddDependencies(t.graph, &empty, &t.fill, 1));
    OK(cuGraphInstantiateWithFlags(&e, t.graph, 0));
    launch_and_expect(&t, e, 16);
    OK(cuGraphExecDestroy(e));
    /* edges with data are no plain ones */
    const CUgraphEdgeData programmatic = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                          .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
    CUgraphEdgeData data[4];
    OK(cuGraphAddDependencies_v2(t.graph, &t.kernel, &empty, &programmatic, 1));
    n = 4;
    FAILS(cuGraphNodeGetDependencies(empty, nodes, &n), CUDA_ERROR_LOSSY_QUERY);
    n = 4;
    OK(cuGraphNodeGetDependencies_v2(empty, nodes, data, &n));
    assert_int_equal(data[0].type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    OK(cuGraphDestroyNode(empty));
    OK(cuGraphGetEdges(t.graph, NULL, NULL, &n));
    assert_int_equal(n, 2);
    FAILS(cuGraphNodeGetType(empty, &type), CUDA_ERROR_INVALID_VALUE);
    program_down(&t);
}

static void parameters_are_read_and_set(void **state)
{
    (void)state;
    struct program t;
    CUgraphExec e;
    program_up(&t);
    CUDA_KERNEL_NODE_PARAMS k;
    OK(cuGraphKernelNodeGetParams_v2(t.kernel, &k));
    assert_ptr_equal(k.func, t.f);
    assert_int_equal(k.gridDimX, 2);
    assert_int_equal(*(unsigned *)k.kernelParams[2], 3);
    *(unsigned *)k.kernelParams[3] = 0; /* as some programs do; what counts is what is set */
    struct arguments other = {.p = t.d, .n = N, .a = 2, .b = 7};
    const CUDA_KERNEL_NODE_PARAMS p = kernel_params(t.f, &other);
    OK(cuGraphKernelNodeSetParams_v2(t.kernel, &p));
    CUDA_MEMSET_NODE_PARAMS m;
    OK(cuGraphMemsetNodeGetParams(t.fill, &m));
    assert_int_equal(m.value, 5);
    m.value = 10;
    OK(cuGraphMemsetNodeSetParams(t.fill, &m));
    CUDA_MEMCPY3D c;
    OK(cuGraphMemcpyNodeGetParams(t.copy, &c));
    assert_ptr_equal(c.dstHost, t.host);
    FAILS(cuGraphMemcpyNodeGetParams(t.fill, &c), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiateWithFlags(&e, t.graph, 0));
    launch_and_expect(&t, e, 2 * 10 + 7);
    /* of the executable graph only */
    other.b = 9;
    OK(cuGraphExecKernelNodeSetParams_v2(e, t.kernel, &p));
    m.value = 1;
    OK(cuGraphExecMemsetNodeSetParams(e, t.fill, &m, t.ctx));
    launch_and_expect(&t, e, 2 * 1 + 9);
    OK(cuGraphMemsetNodeGetParams(t.fill, &m));
    assert_int_equal(m.value, 10);
    static unsigned elsewhere[N];
    c.dstHost = elsewhere;
    OK(cuGraphExecMemcpyNodeSetParams(e, t.copy, &c, t.ctx));
    OK(cuGraphLaunch(e, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(elsewhere[N - 1], 11);
    /* without the kernel */
    unsigned on;
    OK(cuGraphNodeSetEnabled(e, t.kernel, 0));
    OK(cuGraphNodeGetEnabled(e, t.kernel, &on));
    assert_int_equal(on, 0);
    OK(cuGraphLaunch(e, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(elsewhere[0], 1);
    OK(cuGraphExecDestroy(e));
    /* what could not be launched is no node */
    CUDA_KERNEL_NODE_PARAMS bad = p;
    CUgraphNode none;
    bad.blockDimX = 2048;
    FAILS(cuGraphAddKernelNode_v2(&none, t.graph, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphKernelNodeSetParams_v2(t.kernel, &bad), CUDA_ERROR_INVALID_VALUE);
    program_down(&t);
}

static void generic_nodes(void **state)
{
    (void)state;
    struct program t;
    CUgraphExec e;
    CUgraph g;
    CUgraphNode fill, kernel;
    program_up(&t);
    CUgraphNodeParams m = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                           .memset = {.dst = t.d, .value = 4, .elementSize = 4, .width = N, .height = 1}};
    CUgraphNodeParams k = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = kernel_params(t.f, &t.args)};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddNode_v2(&fill, g, NULL, NULL, 0, &m));
    OK(cuGraphAddNode_v2(&kernel, g, &fill, NULL, 1, &k));
    CUgraphNodeParams ext = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT};
    FAILS(cuGraphAddNode_v2(&kernel, g, NULL, NULL, 0, &ext), CUDA_ERROR_NOT_SUPPORTED);
    /* as a child of a graph that copies the result */
    CUgraph outer, child;
    CUgraphNode node, copy;
    const CUDA_MEMCPY3D c = to_host(t.host, t.d, sizeof t.host);
    OK(cuGraphCreate(&outer, 0));
    OK(cuGraphAddChildGraphNode(&node, outer, NULL, 0, g));
    OK(cuGraphAddMemcpyNode(&copy, outer, &node, 1, &c, t.ctx));
    OK(cuGraphChildGraphNodeGetGraph(node, &child));
    assert_ptr_not_equal(child, g);
    FAILS(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiateWithFlags(&e, outer, 0));
    launch_and_expect(&t, e, 3 * 4 + 1);
    m.memset.value = 6;
    OK(cuGraphNodeSetParams(fill, &m));
    OK(cuGraphExecChildGraphNodeSetParams(e, node, g));
    launch_and_expect(&t, e, 3 * 6 + 1);
    m.memset.value = 8;
    CUgraphNode inner;
    OK(cuGraphNodeFindInClone(&inner, fill, child));
    OK(cuGraphExecNodeSetParams(e, inner, &m));
    launch_and_expect(&t, e, 3 * 8 + 1);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(outer));
    OK(cuGraphDestroy(g));
    program_down(&t);
}

static void a_clone_stands_alone(void **state)
{
    (void)state;
    struct program t;
    CUgraph clone;
    CUgraphNode kernel;
    CUgraphExec e;
    program_up(&t);
    OK(cuGraphClone(&clone, t.graph));
    OK(cuGraphNodeFindInClone(&kernel, t.kernel, clone));
    FAILS(cuGraphNodeFindInClone(&kernel, kernel, t.graph), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphNodeFindInClone(&kernel, t.kernel, clone));
    struct arguments other = {.p = t.d, .n = N, .a = 1, .b = 1};
    const CUDA_KERNEL_NODE_PARAMS p = kernel_params(t.f, &other);
    OK(cuGraphKernelNodeSetParams_v2(t.kernel, &p));
    OK(cuGraphInstantiateWithFlags(&e, clone, 0));
    OK(cuGraphDestroy(clone));
    launch_and_expect(&t, e, 16);
    OK(cuGraphExecDestroy(e));
    program_down(&t);
}

static void an_update_takes_parameters_and_refuses_shapes(void **state)
{
    (void)state;
    struct program t;
    CUgraph other;
    CUgraphNode kernel, empty;
    CUgraphExec e;
    CUgraphExecUpdateResultInfo info;
    program_up(&t);
    OK(cuGraphInstantiateWithFlags(&e, t.graph, 0));
    OK(cuGraphClone(&other, t.graph));
    OK(cuGraphNodeFindInClone(&kernel, t.kernel, other));
    struct arguments args = {.p = t.d, .n = N, .a = 10, .b = 0};
    const CUDA_KERNEL_NODE_PARAMS p = kernel_params(t.f, &args);
    OK(cuGraphKernelNodeSetParams_v2(kernel, &p));
    OK(cuGraphExecUpdate_v2(e, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    launch_and_expect(&t, e, 50);
    OK(cuGraphAddEmptyNode(&empty, other, NULL, 0));
    FAILS(cuGraphExecUpdate_v2(e, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    /* as many nodes, another kind */
    OK(cuGraphDestroyNode(kernel));
    FAILS(cuGraphExecUpdate_v2(e, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_non_null(info.errorNode);
    launch_and_expect(&t, e, 50);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(other));
    program_down(&t);
}

/* An event that a graph records is reached when its node is, not when the graph ends; the graph waits for another. */
static void events_in_graphs(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin");
    CUgraph g;
    CUgraphNode record, second, kernel;
    CUgraphExec e;
    CUevent first, last;
    CUstream s, other;
    float ms = -1;
    void *flag;
    OK(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    *(volatile unsigned *)flag = 0;
    CUdeviceptr d = (CUdeviceptr)(uintptr_t)flag;
    void *params[] = {&d};
    const CUDA_KERNEL_NODE_PARAMS p = {spin, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
    OK(cuEventCreate(&first, 0));
    OK(cuEventCreate(&last, 0));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEventRecordNode(&record, g, NULL, 0, first));
    OK(cuGraphAddKernelNode_v2(&kernel, g, &record, 1, &p));
    OK(cuGraphAddEventRecordNode(&second, g, &kernel, 1, last));
    CUevent got;
    OK(cuGraphEventRecordNodeGetEvent(record, &got));
    assert_ptr_equal(got, first);
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuEventSynchronize(first)); /* while the kernel spins */
    FAILS(cuEventQuery(last), CUDA_ERROR_NOT_READY);
    FAILS(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    usleep(10000);
    *(volatile unsigned *)flag = 1;
    OK(cuStreamWaitEvent(other, last, 0));
    OK(cuStreamSynchronize(other));
    OK(cuEventElapsedTime(&ms, first, last));
    assert_true(ms >= 9.0f);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    /* and a wait */
    *(volatile unsigned *)flag = 0;
    atomic_int calls = 0;
    CUgraphNode wait, host;
    const CUDA_HOST_NODE_PARAMS h = {add_one, &calls};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEventWaitNode(&wait, g, NULL, 0, first));
    OK(cuGraphAddHostNode(&host, g, &wait, 1, &h));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(run1(spin, 1, 1, other, params));
    OK(cuEventRecord(first, other));
    OK(cuGraphLaunch(e, s));
    usleep(10000);
    assert_int_equal(calls, 0);
    *(volatile unsigned *)flag = 1;
    OK(cuStreamSynchronize(s));
    assert_int_equal(calls, 1);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy_v2(first));
    OK(cuEventDestroy_v2(last));
    context_down(ctx);
}

/* Two launches of one executable graph in two streams do not run at the same time; what is under way keeps its
 * parameters, and outlives the executable graph. */
static void launches_take_turns(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin");
    CUgraph g;
    CUgraphNode kernel, host;
    CUgraphExec e;
    CUstream s[2];
    atomic_int calls[2] = {0, 0};
    void *flag;
    OK(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    *(volatile unsigned *)flag = 0;
    CUdeviceptr d = (CUdeviceptr)(uintptr_t)flag;
    void *params[] = {&d};
    const CUDA_KERNEL_NODE_PARAMS p = {spin, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
    CUDA_HOST_NODE_PARAMS h = {add_one, &calls[0]};
    for (int i = 0; i < 2; i++)
        OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddHostNode(&host, g, NULL, 0, &h));
    OK(cuGraphAddKernelNode_v2(&kernel, g, &host, 1, &p));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphLaunch(e, s[0]));
    h.userData = &calls[1];
    OK(cuGraphExecHostNodeSetParams(e, host, &h));
    OK(cuGraphLaunch(e, s[1]));
    while (atomic_load(&calls[0]) == 0) /* ends, or the test runs into its time limit */
        usleep(1000);
    usleep(20000);
    assert_int_equal(calls[0], 1);
    assert_int_equal(calls[1], 0); /* behind the first launch's kernel */
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    *(volatile unsigned *)flag = 1;
    OK(cuCtxSynchronize());
    assert_int_equal(calls[1], 1);
    context_down(ctx);
}

static void memory_of_a_graph(void **state)
{
    (void)state;
    struct program t;
    CUgraph g;
    CUgraphNode alloc, fill, copy, release;
    CUgraphExec e;
    program_up(&t);
    CUDA_MEM_ALLOC_NODE_PARAMS a = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = sizeof t.host};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    assert_int_not_equal(a.dptr, 0);
    const CUDA_MEMSET_NODE_PARAMS m = {.dst = a.dptr, .value = 77, .elementSize = 4, .width = N, .height = 1};
    const CUDA_MEMCPY3D c = to_host(t.host, a.dptr, sizeof t.host);
    OK(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &m, t.ctx));
    OK(cuGraphAddMemcpyNode(&copy, g, &fill, 1, &c, t.ctx));
    CUgraph clone;
    FAILS(cuGraphClone(&clone, g), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuGraphDestroyNode(alloc), CUDA_ERROR_INVALID_VALUE);
    /* without a free: live behind the launch, to be freed before the next */
    uint64_t used;
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    launch_and_expect(&t, e, 77);
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, sizeof t.host);
    FAILS(cuGraphLaunch(e, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeAsync(a.dptr, NULL));
    launch_and_expect(&t, e, 77);
    OK(cuMemFree_v2(a.dptr));
    FAILS(cuMemFree_v2(a.dptr), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 0);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphInstantiateWithFlags(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    launch_and_expect(&t, e, 77);
    launch_and_expect(&t, e, 77);
    OK(cuGraphExecDestroy(e));
    OK(cuMemFree_v2(a.dptr));
    /* with one */
    OK(cuGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
    CUdeviceptr freed;
    OK(cuGraphMemFreeNodeGetParams(release, &freed));
    assert_true(freed == a.dptr);
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    launch_and_expect(&t, e, 77);
    launch_and_expect(&t, e, 77);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &used));
    assert_int_equal(used, 0);
    OK(cuDeviceGraphMemTrim(0));
    program_down(&t);
}

static void user_objects_live_as_long_as_they_are_needed(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUgraph g;
    CUgraphExec e;
    CUuserObject o;
    CUgraphNode empty;
    atomic_int gone = 0;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    OK(cuUserObjectCreate(&o, &gone, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuUserObjectRetain(o, 1));
    OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuUserObjectRelease(o, 1));
    assert_int_equal(gone, 0);
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphDestroy(g));
    assert_int_equal(gone, 0);
    OK(cuGraphLaunch(e, NULL));
    OK(cuGraphExecDestroy(e));
    OK(cuCtxSynchronize());
    assert_int_equal(gone, 1);
    context_down(ctx);
}

static void attributes_of_kernels(void **state)
{
    (void)state;
    struct program t;
    CUkernelNodeAttrValue v;
    CUgraphNode other;
    program_up(&t);
    memset(&v, 0, sizeof v);
    v.cooperative = 1;
    OK(cuGraphKernelNodeSetAttribute(t.kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
    v.cooperative = 0;
    v.priority = -2;
    OK(cuGraphKernelNodeSetAttribute(t.kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    const CUDA_KERNEL_NODE_PARAMS p = kernel_params(t.f, &t.args);
    OK(cuGraphAddKernelNode_v2(&other, t.graph, NULL, 0, &p));
    OK(cuGraphKernelNodeCopyAttributes(other, t.kernel));
    OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
    assert_int_equal(v.cooperative, 1);
    OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    assert_int_equal(v.priority, -2);
    /* more blocks than a cooperative launch can have at once */
    CUDA_KERNEL_NODE_PARAMS big = p;
    big.gridDimX = 1u << 20;
    FAILS(cuGraphKernelNodeSetParams_v2(other, &big), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    program_down(&t);
}

static void a_dot_file_names_the_nodes(void **state)
{
    (void)state;
    struct program t;
    char path[] = "/tmp/test_graph_XXXXXX", text[4096];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    program_up(&t);
    OK(cuGraphDebugDotPrint(t.graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    ssize_t n = read(fd, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "scale_add"));
    assert_non_null(strstr(text, "->"));
    close(fd);
    unlink(path);
    program_down(&t);
}

/* A copy whose memory is gone when the graph runs. */
static void freed_memory_is_an_illegal_address(void **state)
{
    (void)state;
    struct program t;
    CUgraphExec e;
    CUdeviceptr d;
    CUgraphNode copy;
    program_up(&t);
    OK(cuMemAlloc_v2(&d, sizeof t.host));
    const CUDA_MEMCPY3D c = to_device(d, t.host, sizeof t.host);
    OK(cuGraphAddMemcpyNode(&copy, t.graph, NULL, 0, &c, t.ctx));
    OK(cuGraphInstantiateWithFlags(&e, t.graph, 0));
    OK(cuMemFree_v2(d));
    OK(cuGraphLaunch(e, NULL));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuGraphExecDestroy(e));
    program_down(&t);
}

static void conditions_by_their_default(void **state)
{
    (void)state;
    struct program t;
    CUgraph g, *body;
    CUgraphNode fill, cond, inner, copy;
    CUgraphExec e;
    CUgraphConditionalHandle yes, no;
    program_up(&t);
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphConditionalHandleCreate(&yes, g, t.ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    OK(cuGraphConditionalHandleCreate(&no, g, t.ctx, 0, CU_GRAPH_COND_ASSIGN_DEFAULT));
    const CUDA_MEMSET_NODE_PARAMS m = {.dst = t.d, .value = 2, .elementSize = 4, .width = N, .height = 1};
    const CUDA_KERNEL_NODE_PARAMS k = kernel_params(t.f, &t.args);
    const CUDA_MEMCPY3D c = to_host(t.host, t.d, sizeof t.host);
    OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &m, t.ctx));
    const CUgraphConditionalHandle handles[] = {yes, no};
    CUgraphNode before = fill;
    for (int i = 0; i < 2; i++) {
        CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                               .conditional = {handles[i], CU_GRAPH_COND_TYPE_IF, 1, NULL, t.ctx}};
        OK(cuGraphAddNode_v2(&cond, g, &before, NULL, 1, &p));
        body = p.conditional.phGraph_out;
        OK(cuGraphAddKernelNode_v2(&inner, body[0], NULL, 0, &k));
        before = cond;
    }
    OK(cuGraphAddMemcpyNode(&copy, g, &before, 1, &c, t.ctx));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    launch_and_expect(&t, e, 3 * 2 + 1); /* once, not twice */
    OK(cuGraphExecDestroy(e));
    CUgraphNodeParams bad = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                             .conditional = {yes + 64, CU_GRAPH_COND_TYPE_IF, 1, NULL, t.ctx}};
    FAILS(cuGraphAddNode_v2(&cond, g, NULL, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
    program_down(&t);
}

/* count_down(handle, p): --p[0], ++p[1]; at 0 the condition becomes 0 */
static const char ptx_count_down[] =
    PTX_HEAD ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
             ".visible .entry count_down(.param .u64 handle, .param .u64 p)\n"
             "{\n"
             "  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
             "  ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [p];\n"
             "  ld.global.u32 %r1, [%rd2+4]; add.u32 %r1, %r1, 1; st.global.u32 [%rd2+4], %r1;\n"
             "  ld.global.u32 %r1, [%rd2]; sub.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1;\n"
             "  setp.ne.u32 %p1, %r1, 0;\n"
             "  @%p1 bra DONE;\n"
             "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], 0;\n"
             "    call.uni cudaGraphSetConditional, (a, b); }\n"
             "DONE:\n"
             "  ret;\n"
             "}\n";

/* while (handle) count_down; and behind it a switch whose value the loop left at 0. */
static void a_kernel_ends_a_loop(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_count_down, "count_down");
    CUgraph g;
    CUgraphNode loop, pick, inner;
    CUgraphExec e;
    CUgraphConditionalHandle h;
    CUdeviceptr d;
    unsigned values[2] = {5, 0};
    OK(cuMemAlloc_v2(&d, sizeof values));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    void *params[] = {&h, &d};
    const CUDA_KERNEL_NODE_PARAMS k = {f, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                           .conditional = {h, CU_GRAPH_COND_TYPE_WHILE, 1, NULL, ctx}};
    OK(cuGraphAddNode_v2(&loop, g, NULL, NULL, 0, &p));
    OK(cuGraphAddKernelNode_v2(&inner, p.conditional.phGraph_out[0], NULL, 0, &k));
    CUgraphNodeParams q = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                           .conditional = {h, CU_GRAPH_COND_TYPE_SWITCH, 2, NULL, ctx}};
    OK(cuGraphAddNode_v2(&pick, g, &loop, NULL, 1, &q));
    const CUDA_MEMSET_NODE_PARAMS zero = {.dst = d, .value = 100, .elementSize = 4, .width = 1, .height = 1};
    CUDA_MEMSET_NODE_PARAMS one = zero;
    one.value = 200;
    OK(cuGraphAddMemsetNode(&inner, q.conditional.phGraph_out[0], NULL, 0, &zero, ctx));
    OK(cuGraphAddMemsetNode(&inner, q.conditional.phGraph_out[1], NULL, 0, &one, ctx));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    for (int round = 1; round <= 2; round++) {
        values[0] = 5;
        OK(cuMemcpyHtoD_v2(d, values, sizeof values));
        OK(cuGraphLaunch(e, NULL));
        OK(cuMemcpyDtoH_v2(values, d, sizeof values));
        assert_int_equal(values[0], 100);
        assert_int_equal(values[1], 5 * round);
    }
    OK(cuGraphExecDestroy(e));
    /* host functions cannot be in a body */
    const CUDA_HOST_NODE_PARAMS host = {add_one, NULL};
    OK(cuGraphAddHostNode(&inner, p.conditional.phGraph_out[0], NULL, 0, &host));
    FAILS(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphDestroy(g));
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_run_in_order),
        cmocka_unit_test(the_shape_can_be_asked_and_changed),
        cmocka_unit_test(parameters_are_read_and_set),
        cmocka_unit_test(generic_nodes),
        cmocka_unit_test(a_clone_stands_alone),
        cmocka_unit_test(an_update_takes_parameters_and_refuses_shapes),
        cmocka_unit_test(events_in_graphs),
        cmocka_unit_test(launches_take_turns),
        cmocka_unit_test(memory_of_a_graph),
        cmocka_unit_test(user_objects_live_as_long_as_they_are_needed),
        cmocka_unit_test(attributes_of_kernels),
        cmocka_unit_test(a_dot_file_names_the_nodes),
        cmocka_unit_test(freed_memory_is_an_illegal_address),
        cmocka_unit_test(conditions_by_their_default),
        cmocka_unit_test(a_kernel_ends_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
