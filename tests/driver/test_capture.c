/* test_capture.c - stream capture: what becomes a node, forks and joins, and what a capture forbids. */
#include "driver_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_one(void *data) { atomic_fetch_add((atomic_int *)data, 1); }

static size_t nodes_of(CUgraph g)
{
    size_t n = 0;
    OK(cuGraphGetNodes(g, NULL, &n));
    return n;
}

static size_t edges_of(CUgraph g)
{
    size_t n = 0;
    OK(cuGraphGetEdges_v2(g, NULL, NULL, NULL, &n));
    return n;
}

static CUgraphNodeType type_of(CUgraph g, size_t i)
{
    CUgraphNode nodes[32];
    CUgraphNodeType type;
    size_t n = 32;
    OK(cuGraphGetNodes(g, nodes, &n));
    assert_true(i < n);
    OK(cuGraphNodeGetType(nodes[i], &type));
    return type;
}

enum { N = 64 };

static void every_operation_becomes_a_node(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_saxpy, "saxpy");
    CUstream s;
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr x, y;
    unsigned n = N;
    float a = 2, hx[N], hy[N], out[N], square[8 * 8];
    atomic_int calls = 0;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&x, sizeof hx));
    OK(cuMemAlloc_v2(&y, sizeof hy));
    for (int i = 0; i < N; i++)
        hx[i] = (float)i, hy[i] = 1;
    void *params[] = {&n, &a, &x, &y};
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = y,
                       .srcPitch = 32,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = square,
                       .dstPitch = 32,
                       .WidthInBytes = 32,
                       .Height = 8};
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    const CUlaunchConfig config = {1, 1, 1, N, 1, 1, 0, s, &cooperative, 1};
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(s, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemcpyHtoDAsync_v2(x, hx, sizeof hx, s));
    OK(cuMemcpyHtoDAsync_v2(y, hy, sizeof hy, s));
    OK(run1(f, 1, N, s, params));
    OK(cuLaunchKernelEx(&config, f, params, NULL));
    OK(cuMemcpyDtoHAsync_v2(out, y, sizeof out, s));
    OK(cuMemcpy2DAsync_v2(&c, s));
    OK(cuMemsetD32Async(y, 0, N, s));
    OK(cuLaunchHostFunc(s, add_one, &calls));
    OK(cuStreamEndCapture(s, &g));
    OK(cuStreamIsCapturing(s, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    static const CUgraphNodeType want[] = {
        CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL,
        CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST};
    assert_int_equal(nodes_of(g), 8);
    assert_int_equal(edges_of(g), 7);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(type_of(g, i), want[i]);
    CUgraphNode nodes[8];
    size_t count = 8;
    CUkernelNodeAttrValue v;
    OK(cuGraphGetNodes(g, nodes, &count));
    OK(cuGraphKernelNodeGetAttribute(nodes[3], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
    assert_int_equal(v.cooperative, 1);
    CUDA_MEMCPY3D got;
    OK(cuGraphMemcpyNodeGetParams(nodes[5], &got));
    assert_int_equal(got.Height, 8);
    assert_int_equal(got.Depth, 1);
    assert_int_equal(calls, 0); /* nothing has been done */
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    n = 0, a = 0; /* arguments were copied; the host's memory is read when the graph runs */
    hx[5] = 100;
    for (int round = 1; round <= 2; round++) {
        memset(out, 0, sizeof out);
        OK(cuGraphLaunch(e, s));
        OK(cuStreamSynchronize(s));
        assert_int_equal(calls, round);
        for (int i = 0; i < N; i++)
            assert_true(out[i] == 2 * 2 * hx[i] + 1 && square[i] == out[i]);
    }
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    context_down(ctx);
}

/*      a ─► event ─► a ──► a (waits) ─► a
 *             └────► b ──► event ──┘           */
static void forks_and_joins(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUstream a, b;
    CUevent fork, join;
    CUgraph g, info_graph;
    CUdeviceptr d;
    OK(cuStreamCreate(&a, 0));
    OK(cuStreamCreate(&b, 0));
    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuMemAlloc_v2(&d, 16));
    OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuMemsetD32Async(d, 1, 1, a));
    OK(cuEventRecord(fork, a));
    OK(cuStreamWaitEvent(b, fork, 0));
    CUstreamCaptureStatus status;
    cuuint64_t id_a, id_b;
    size_t n;
    const CUgraphNode *deps;
    const CUgraphEdgeData *data;
    OK(cuStreamGetCaptureInfo_v3(a, &status, &id_a, &info_graph, &deps, &data, &n));
    assert_int_equal(n, 1);
    OK(cuStreamGetCaptureInfo(b, &status, &id_b));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id_a == id_b);
    OK(cuMemsetD32Async(d + 4, 2, 1, b));
    OK(cuMemsetD32Async(d + 8, 3, 1, a));
    OK(cuEventRecord(join, b));
    OK(cuStreamWaitEvent(a, join, 0));
    OK(cuStreamGetCaptureInfo_v2(a, &status, NULL, NULL, &deps, &n));
    assert_int_equal(n, 2);
    OK(cuMemsetD32Async(d + 12, 4, 1, a));
    OK(cuStreamEndCapture(a, &g));
    assert_ptr_equal(g, info_graph);
    assert_int_equal(nodes_of(g), 4);
    assert_int_equal(edges_of(g), 4);
    OK(cuStreamIsCapturing(b, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    FAILS(cuEventQuery(join), CUDA_ERROR_CAPTURED_EVENT); /* it means nothing outside */
    FAILS(cuStreamWaitEvent(b, join, 0), CUDA_ERROR_CAPTURED_EVENT);
    OK(cuEventRecord(join, b));
    OK(cuEventSynchronize(join));
    CUgraphExec e;
    unsigned got[4];
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphLaunch(e, b));
    OK(cuMemcpyDtoH_v2(got, d, 16));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(got[i], i + 1);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy_v2(fork)); /* a context takes its streams with it, but no events */
    OK(cuEventDestroy_v2(join));
    context_down(ctx);
}

/* A stream may be destroyed in a capture: its work must be joined all the same. */
static void a_stream_that_goes(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUdeviceptr d;
    OK(cuMemAlloc_v2(&d, 16));
    for (int joined = 0; joined < 2; joined++) {
        CUstream a, b;
        CUevent fork, join;
        CUgraph g;
        OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
        OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
        OK(cuEventCreate(&fork, 0));
        OK(cuEventCreate(&join, 0));
        OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
        OK(cuMemsetD32Async(d, 1, 1, a));
        OK(cuEventRecord(fork, a));
        OK(cuStreamWaitEvent(b, fork, 0));
        OK(cuMemsetD32Async(d + 4, 2, 1, b));
        OK(cuEventRecord(join, b));
        OK(cuStreamDestroy_v2(b));
        if (joined)
            OK(cuStreamWaitEvent(a, join, 0));
        OK(cuEventDestroy_v2(fork));
        OK(cuEventDestroy_v2(join));
        if (joined) {
            OK(cuStreamEndCapture(a, &g));
            assert_int_equal(nodes_of(g), 2);
            OK(cuGraphDestroy(g));
        } else {
            FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
            assert_null(g);
        }
        OK(cuStreamDestroy_v2(a));
    }
    OK(cuMemFree_v2(d));
    context_down(ctx);
}

/* Each is one misuse: what it returns; the capture then gives no graph. */
static void misuse_invalidates(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUstream a, b, other;
    CUevent in, out;
    CUgraph g;
    CUdeviceptr d, more;
    unsigned word;
    OK(cuStreamCreate(&a, 0));
    OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&in, 0));
    OK(cuEventCreate(&out, 0));
    OK(cuMemAlloc_v2(&d, 16));
    OK(cuEventRecord(out, other));
#define MISUSE(mode, call, error)                                                                                      \
    do {                                                                                                               \
        OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_##mode));                                                 \
        OK(cuMemsetD32Async(d, 1, 1, a));                                                                              \
        OK(cuEventRecord(in, a));                                                                                      \
        FAILS(call, CUDA_ERROR_##error);                                                                               \
        FAILS(cuMemsetD32Async(d, 1, 1, a), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);                                    \
        FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);                                       \
        assert_null(g);                                                                                                \
    } while (0)
    MISUSE(GLOBAL, cuStreamSynchronize(a), STREAM_CAPTURE_UNSUPPORTED);
    MISUSE(RELAXED, cuStreamQuery(a), STREAM_CAPTURE_UNSUPPORTED);
    MISUSE(RELAXED, cuCtxSynchronize(), STREAM_CAPTURE_UNSUPPORTED);
    MISUSE(GLOBAL, cuMemAlloc_v2(&more, 16), STREAM_CAPTURE_UNSUPPORTED);
    MISUSE(THREAD_LOCAL, cuMemFree_v2(d), STREAM_CAPTURE_UNSUPPORTED);
    MISUSE(RELAXED, cuEventSynchronize(in), CAPTURED_EVENT);
    MISUSE(RELAXED, cuStreamWaitEvent(a, out, 0), STREAM_CAPTURE_ISOLATION);
    MISUSE(RELAXED, cuMemsetD32_v2(d, 0, 1), STREAM_CAPTURE_IMPLICIT); /* the legacy stream; a is a blocking one */
    MISUSE(RELAXED, cuMemcpyDtoH_v2(&word, d, 4), STREAM_CAPTURE_IMPLICIT);
    MISUSE(RELAXED, cuStreamAddCallback(a, (CUstreamCallback)(void (*)(void))add_one, NULL, 0),
           STREAM_CAPTURE_UNSUPPORTED);
#undef MISUSE
    /* in relaxed mode memory may be allocated */
    OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAlloc_v2(&more, 16));
    CUstreamCaptureStatus status;
    FAILS(cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    OK(cuStreamEndCapture(a, &g));
    assert_int_equal(nodes_of(g), 0);
    OK(cuGraphDestroy(g));
    /* work that was not joined */
    OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(in, a));
    OK(cuStreamWaitEvent(b, in, 0));
    OK(cuMemsetD32Async(d, 1, 1, b));
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    /* the other stream cannot end it */
    OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(in, a));
    OK(cuStreamWaitEvent(b, in, 0));
    FAILS(cuStreamEndCapture(b, &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* two captures do not meet */
    OK(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamBeginCapture_v2(b, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(in, a));
    FAILS(cuStreamWaitEvent(b, in, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    FAILS(cuStreamEndCapture(b, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    FAILS(cuStreamEndCapture(b, &g), CUDA_ERROR_ILLEGAL_STATE);
    FAILS(cuStreamBeginCapture_v2(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL),
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    OK(cuEventDestroy_v2(in));
    OK(cuEventDestroy_v2(out));
    OK(cuCtxSynchronize());
    context_down(ctx);
}

struct elsewhere {
    CUcontext ctx;
    CUstream s;
    CUresult relaxed, global, end;
};

static void *other_thread(void *arg)
{
    struct elsewhere *x = arg;
    CUdeviceptr d;
    CUgraph g;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuCtxSetCurrent(x->ctx));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    x->relaxed = cuMemAlloc_v2(&d, 16);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    x->end = cuStreamEndCapture(x->s, &g);
    x->global = cuMemAlloc_v2(&d, 16);
    return NULL;
}

static void modes_of_threads(void **state)
{
    (void)state;
    struct elsewhere x = {.ctx = context_up()};
    pthread_t t;
    CUgraph g;
    OK(cuStreamCreate(&x.s, 0));
    OK(cuStreamBeginCapture_v2(x.s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_int_equal(pthread_create(&t, NULL, other_thread, &x), 0);
    pthread_join(t, NULL);
    assert_int_equal(x.relaxed, CUDA_SUCCESS);
    assert_int_equal(x.end, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    assert_int_equal(x.global, CUDA_SUCCESS);
    OK(cuStreamEndCapture(x.s, &g));
    OK(cuGraphDestroy(g));
    OK(cuStreamBeginCapture_v2(x.s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_int_equal(pthread_create(&t, NULL, other_thread, &x), 0);
    pthread_join(t, NULL);
    assert_int_equal(x.relaxed, CUDA_SUCCESS);
    assert_int_equal(x.global, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    FAILS(cuStreamEndCapture(x.s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    context_down(x.ctx);
}

static void into_a_graph_that_is_there(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUstream s;
    CUgraph g, got;
    CUgraphNode first, second, manual;
    CUdeviceptr d;
    OK(cuStreamCreate(&s, 0));
    OK(cuMemAlloc_v2(&d, 16));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&first, g, NULL, 0));
    OK(cuGraphAddEmptyNode(&second, g, NULL, 0));
    OK(cuStreamBeginCaptureToGraph(s, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(d, 1, 1, s));
    OK(cuStreamUpdateCaptureDependencies_v2(s, &second, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(cuMemsetD32Async(d, 1, 1, s)); /* behind both */
    OK(cuGraphAddEmptyNode(&manual, g, &first, 1));
    OK(cuStreamUpdateCaptureDependencies(s, &manual, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuStreamEndCapture(s, &got));
    assert_ptr_equal(got, g);
    assert_int_equal(nodes_of(g), 5);
    assert_int_equal(edges_of(g), 1 + 2 + 1);
    OK(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(d, 1, 1, s));
    OK(cuStreamEndCapture(s, NULL)); /* who gave the graph need not be told */
    assert_int_equal(nodes_of(g), 6);
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    FAILS(cuStreamEndCapture(s, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamEndCapture(s, &got));
    OK(cuGraphDestroy(got));
    OK(cuGraphDestroy(g));
    context_down(ctx);
}

static void graphs_events_and_memory_in_a_capture(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUstream s;
    CUgraph g, whole;
    CUgraphExec inner, e;
    CUevent external;
    CUdeviceptr d, mine;
    unsigned got = 0;
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&external, 0));
    OK(cuMemAlloc_v2(&d, 16));
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(d, 42, 1, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphInstantiateWithFlags(&inner, g, 0));
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamWaitEvent(s, external, CU_EVENT_WAIT_EXTERNAL));
    OK(cuGraphLaunch(inner, s));
    OK(cuMemAllocAsync(&mine, 4, s));
    OK(cuMemcpyDtoDAsync_v2(mine, d, 4, s));
    OK(cuMemcpyDtoHAsync_v2(&got, mine, 4, s));
    OK(cuMemFreeAsync(mine, s));
    OK(cuEventRecordWithFlags(external, s, CU_EVENT_RECORD_EXTERNAL));
    OK(cuStreamEndCapture(s, &whole));
    static const CUgraphNodeType want[] = {CU_GRAPH_NODE_TYPE_WAIT_EVENT,  CU_GRAPH_NODE_TYPE_GRAPH,
                                           CU_GRAPH_NODE_TYPE_MEM_ALLOC,   CU_GRAPH_NODE_TYPE_MEMCPY,
                                           CU_GRAPH_NODE_TYPE_MEMCPY,      CU_GRAPH_NODE_TYPE_MEM_FREE,
                                           CU_GRAPH_NODE_TYPE_EVENT_RECORD};
    assert_int_equal(nodes_of(whole), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(type_of(whole, i), want[i]);
    OK(cuGraphInstantiateWithFlags(&e, whole, 0));
    OK(cuGraphExecDestroy(inner));
    OK(cuGraphDestroy(g));
    for (int round = 0; round < 2; round++) {
        got = 0;
        OK(cuGraphLaunch(e, s));
        OK(cuEventSynchronize(external));
        assert_int_equal(got, 42);
    }
    OK(cuCtxSynchronize());
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(whole));
    OK(cuEventDestroy_v2(external));
    context_down(ctx);
}

/* Every kernel of every launch of a graph has a record of its own. */
static void the_profiler_sees_launches(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_capture_XXXXXX", path[128], line[65536];
    assert_non_null(mkdtemp(folder));
    pid_t pid = fork();
    if (pid == 0) {
        CUdeviceptr d;
        CUstream s;
        CUgraph g;
        CUgraphExec e;
        unsigned v = 1;
        setenv("LOCKSTEP_SESSION", folder, 1);
        context_up();
        CUfunction f = load(ptx_store, "store");
        OK(cuStreamCreate(&s, 0));
        OK(cuMemAlloc_v2(&d, 4));
        void *params[] = {&d, &v};
        OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
        OK(run1(f, 1, 32, s, params));
        OK(run1(f, 2, 32, s, params));
        OK(cuStreamEndCapture(s, &g));
        OK(cuGraphInstantiateWithFlags(&e, g, 0));
        for (int i = 0; i < 3; i++)
            OK(cuGraphLaunch(e, s));
        OK(cuCtxSynchronize());
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    snprintf(path, sizeof path, "%s/%d.rec", folder, (int)pid);
    FILE *rec = fopen(path, "r");
    assert_non_null(rec);
    unsigned launches = 0;
    while (fgets(line, sizeof line, rec))
        launches += strstr(line, "\"store\"") != NULL;
    fclose(rec);
    assert_int_equal(launches, 6);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profiler_sees_launches), /* first: it forks */
        cmocka_unit_test(every_operation_becomes_a_node),
        cmocka_unit_test(forks_and_joins),
        cmocka_unit_test(a_stream_that_goes),
        cmocka_unit_test(misuse_invalidates),
        cmocka_unit_test(modes_of_threads),
        cmocka_unit_test(into_a_graph_that_is_there),
        cmocka_unit_test(graphs_events_and_memory_in_a_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
