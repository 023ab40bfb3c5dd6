/* test_memory_op.c - batches of memory operations: streams that write words and wait for them. The codes of what is
 * refused are an H200's (driver 580.159.04). */
#include "driver_test.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

static CUstream one, other;
static CUdeviceptr word; /* of device memory: 64 bytes, zero */
static volatile unsigned *pinned;

static int up(void **state)
{
    void *p;
    *state = context_up();
    OK(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&word, 64));
    OK(cuMemsetD8_v2(word, 0, 64));
    OK(cuCtxSynchronize()); /* the streams do not block, so they do not wait for it */
    OK(cuMemHostAlloc(&p, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    memset(p, 0, 64);
    pinned = p;
    return 0;
}

static int down(void **state)
{
    OK(cuMemFreeHost((void *)pinned));
    context_down(*state);
    return 0;
}

static unsigned long long read_word(void)
{
    unsigned long long got;
    OK(cuMemcpyDtoH_v2(&got, word, sizeof got));
    return got;
}

static bool busy(CUstream s)
{
    const struct timespec t = {0, 3000000};
    nanosleep(&t, NULL);
    return cuStreamQuery(s) == CUDA_ERROR_NOT_READY;
}

static CUdeviceptr pinned_word(void) { return (CUdeviceptr)(uintptr_t)pinned; }

static void a_write_is_in_order(void **state)
{
    (void)state;
    OK(cuStreamWriteValue32_v2(one, word, 7, 0));
    OK(cuStreamWriteValue64_v2(one, word + 8, 0x123456789abcdefull, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cuMemcpyDtoDAsync_v2(word + 16, word, 16, one));
    OK(cuStreamSynchronize(one));
    unsigned long long got[4];
    OK(cuMemcpyDtoH_v2(got, word, sizeof got));
    assert_int_equal(got[2], 7);
    assert_int_equal(got[3], 0x123456789abcdefull);
    OK(cuStreamWriteValue32_v2(NULL, word, 9, 0)); /* the default stream */
    assert_int_equal(read_word(), 9);
}

static void a_stream_waits_for_another(void **state)
{
    (void)state;
    CUfunction f = load(ptx_store, "store");
    unsigned value = 31337;
    void *params[] = {&word, &value};
    OK(cuStreamWaitValue32_v2(one, word, 31337, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue32_v2(one, word + 4, 1, 0));
    assert_true(busy(one));
    OK(run1(f, 1, 1, other, params)); /* a kernel writes what the wait is for */
    OK(cuStreamSynchronize(one));
    assert_int_equal(read_word(), 31337 | 1ull << 32);
}

static void a_stream_waits_for_the_program(void **state)
{
    (void)state;
    OK(cuStreamWaitValue32_v2(one, pinned_word(), 5, CU_STREAM_WAIT_VALUE_GEQ));
    assert_true(busy(one));
    __atomic_store_n(&pinned[0], 4, __ATOMIC_SEQ_CST);
    assert_true(busy(one));
    __atomic_store_n(&pinned[0], 6, __ATOMIC_SEQ_CST);
    OK(cuStreamSynchronize(one));
    OK(cuStreamWriteValue32_v2(one, pinned_word(), 77, 0));
    OK(cuStreamSynchronize(one));
    assert_int_equal(pinned[0], 77);
}

static void begin_wait(bool wide, unsigned long long is, unsigned long long value, unsigned flags)
{
    OK(cuMemcpyHtoD_v2(word, &is, sizeof is));
    OK(wide ? cuStreamWaitValue64_v2(one, word, value, flags)
            : cuStreamWaitValue32_v2(one, word, (unsigned)value, flags));
}

/* A wait for `value` ends when the word is `is`. */
static void ends(bool wide, unsigned long long is, unsigned long long value, unsigned flags)
{
    begin_wait(wide, is, value, flags);
    for (int i = 0; i < 3000 && busy(one); i++)
        ;
    OK(cuStreamQuery(one));
}

/* It does not; then it is let go. */
static void waits(bool wide, unsigned long long is, unsigned long long value, unsigned flags)
{
    const unsigned long long yes = flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : value;
    begin_wait(wide, is, value, flags);
    assert_true(busy(one));
    OK(cuMemcpyHtoDAsync_v2(word, &yes, sizeof yes, other));
    OK(cuStreamSynchronize(one));
    OK(cuStreamSynchronize(other));
}

static void what_a_wait_is_for(void **state)
{
    (void)state;
    ends(false, 5, 5, CU_STREAM_WAIT_VALUE_GEQ);
    ends(false, 3, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ); /* wrapped around */
    waits(false, 0xfffffff0u, 3, CU_STREAM_WAIT_VALUE_GEQ);
    ends(true, 1ull << 40, 7, CU_STREAM_WAIT_VALUE_GEQ);
    waits(true, 7, 1ull << 40, CU_STREAM_WAIT_VALUE_GEQ);
    ends(false, 1ull << 32 | 5, 5, CU_STREAM_WAIT_VALUE_EQ); /* the other half is not looked at */
    waits(true, 1ull << 32 | 5, 5, CU_STREAM_WAIT_VALUE_EQ);
    ends(false, 6, 3, CU_STREAM_WAIT_VALUE_AND);
    waits(false, 4, 3, CU_STREAM_WAIT_VALUE_AND);
    ends(false, 0xfffffffe, 0, CU_STREAM_WAIT_VALUE_NOR);
    waits(false, 0xfffffffe, 1, CU_STREAM_WAIT_VALUE_NOR);
}

static CUstreamBatchMemOpParams write_of(CUdeviceptr at, unsigned value)
{
    return (CUstreamBatchMemOpParams){
        .writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = at, .value = value}};
}

static void a_batch(void **state)
{
    (void)state;
    CUstreamBatchMemOpParams ops[256] = {
        write_of(word, 1),
        {.memoryBarrier = {.operation = CU_STREAM_MEM_OP_BARRIER, .flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU}},
        {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = word + 4, .value = 1}},
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, .address = word, .value64 = 5ull << 32 | 4}},
    };
    OK(cuStreamBatchMemOp_v2(one, 0, NULL, 0));
    OK(cuStreamBatchMemOp_v2(one, 4, ops, 0));
    memset(ops, 0xff, 4 * sizeof ops[0]); /* the driver has its own copy */
    assert_true(busy(one));
    OK(cuStreamWriteValue32_v2(other, word + 4, 1, 0));
    OK(cuStreamSynchronize(one));
    assert_int_equal(read_word(), 5ull << 32 | 4);

    for (unsigned i = 0; i < 256; i++)
        ops[i] = write_of(word, i);
    OK(cuStreamBatchMemOp_v2(one, 255, ops, 0));
    FAILS(cuStreamBatchMemOp_v2(one, 256, ops, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamBatchMemOp_v2(one, 1, ops, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(one));
    ops[1] = write_of(2, 9); /* nothing of a batch is done if a part of it is wrong */
    FAILS(cuStreamBatchMemOp_v2(one, 2, ops, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(one));
    assert_int_equal((unsigned)read_word(), 254);
    ops[0].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    FAILS(cuStreamBatchMemOp_v2(one, 1, ops, 0), CUDA_ERROR_NOT_SUPPORTED);
    ops[0].operation = 9;
    FAILS(cuStreamBatchMemOp_v2(one, 1, ops, 0), CUDA_ERROR_INVALID_VALUE);
}

static void what_is_refused(void **state)
{
    (void)state;
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    FAILS(cuStreamWriteValue32_v2(one, managed, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue32_v2(one, word + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue64_v2(one, word + 4, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue32_v2(one, word + 64, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue32_v2(one, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue32_v2(one, word, 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWaitValue32_v2(one, word, 1, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWaitValue32_v2(one, word, 1, CU_STREAM_WAIT_VALUE_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
    int can[3];
    OK(cuDeviceGetAttribute(&can[0], CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
    OK(cuDeviceGetAttribute(&can[1], CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 0));
    OK(cuDeviceGetAttribute(&can[2], CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 0));
    assert_true(can[0] && can[1] && !can[2]);
}

static void a_node_of_a_graph(void **state)
{
    (void)state;
    CUgraph g;
    CUgraphExec e;
    CUgraphNode node;
    CUgraphNodeType type;
    size_t n = 1;
    CUDA_BATCH_MEM_OP_NODE_PARAMS got;
    OK(cuStreamBeginCapture_v2(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamWriteValue32_v2(one, word, 3, 0));
    OK(cuStreamEndCapture(one, &g));
    assert_int_equal(read_word(), 0);
    OK(cuGraphGetNodes(g, &node, &n));
    assert_int_equal(n, 1);
    OK(cuGraphNodeGetType(node, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    OK(cuGraphBatchMemOpNodeGetParams(node, &got));
    assert_int_equal(got.count, 1);
    assert_int_equal(got.paramArray[0].writeValue.value, 3);
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphLaunch(e, one));
    OK(cuStreamSynchronize(one));
    assert_int_equal(read_word(), 3);

    CUstreamBatchMemOpParams op = write_of(word, 11);
    const CUDA_BATCH_MEM_OP_NODE_PARAMS p = {NULL, 1, &op, 0};
    OK(cuGraphExecBatchMemOpNodeSetParams(e, node, &p));
    OK(cuGraphLaunch(e, one));
    OK(cuStreamSynchronize(one));
    assert_int_equal(read_word(), 11);
    OK(cuGraphAddBatchMemOpNode(&node, g, &node, 1, &p));
    op.writeValue.value = 12;
    OK(cuGraphBatchMemOpNodeSetParams(node, &p));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphLaunch(e, one)); /* 3, then 12 */
    OK(cuStreamSynchronize(one));
    assert_int_equal(read_word(), 12);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_is_in_order, up, down),
        cmocka_unit_test_setup_teardown(a_stream_waits_for_another, up, down),
        cmocka_unit_test_setup_teardown(a_stream_waits_for_the_program, up, down),
        cmocka_unit_test_setup_teardown(what_a_wait_is_for, up, down),
        cmocka_unit_test_setup_teardown(a_batch, up, down),
        cmocka_unit_test_setup_teardown(what_is_refused, up, down),
        cmocka_unit_test_setup_teardown(a_node_of_a_graph, up, down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
