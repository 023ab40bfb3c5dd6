/* test_streams.c - order between streams, events, callbacks, and kernels that wait for each other. */
#include "driver_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(int ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* A flag in mapped host memory that a kernel polls. */
static volatile unsigned *flag_new(CUdeviceptr *device)
{
    void *p;
    OK(cuMemHostAlloc(&p, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    memset(p, 0, 4);
    OK(cuMemHostGetDevicePointer_v2(device, p, 0));
    return p;
}

static void raise_flag(volatile unsigned *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

static void a_stream_is_busy_until_its_kernel_ends(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_spin, "spin");
    CUstream s;
    CUevent e;
    CUdeviceptr d;
    volatile unsigned *flag = flag_new(&d);
    void *params[] = {&d};
    OK(cuStreamCreate(&s, CU_STREAM_DEFAULT));
    OK(cuEventCreate(&e, CU_EVENT_DEFAULT));
    OK(cuEventQuery(e)); /* never recorded */
    OK(run1(f, 1, 1, s, params));
    OK(cuEventRecord(e, s));
    FAILS(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    FAILS(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    FAILS(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY); /* the default stream comes after it */
    raise_flag(flag);
    OK(cuEventSynchronize(e));
    OK(cuEventQuery(e));
    OK(cuStreamSynchronize(s));
    OK(cuStreamQuery(s));
    OK(cuEventDestroy_v2(e));
    OK(cuStreamDestroy_v2(s));
    OK(cuMemFreeHost((void *)flag));
    context_down(ctx);
}

/* a sets A and waits for B, b sets B and waits for A: only both at once can finish. */
static const char ptx_meet[] = PTX_HEAD ".visible .entry meet(.param .u64 mine, .param .u64 other)\n"
                                        "{\n"
                                        "  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                                        "  ld.param.u64 %rd1, [mine]; ld.param.u64 %rd2, [other];\n"
                                        "  mov.u32 %r1, 1; st.volatile.global.u32 [%rd1], %r1; membar.gl;\n"
                                        "AGAIN:\n"
                                        "  ld.volatile.global.u32 %r2, [%rd2];\n"
                                        "  setp.eq.u32 %p1, %r2, 0;\n"
                                        "  @%p1 bra AGAIN;\n"
                                        "  ret;\n"
                                        "}\n";

static void two_kernels_wait_for_each_other(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_meet, "meet");
    CUstream s[2];
    CUdeviceptr flags, a, b;
    unsigned got[2];
    OK(cuMemAlloc_v2(&flags, 8));
    OK(cuMemsetD32_v2(flags, 0, 2));
    OK(cuCtxSynchronize()); /* streams that do not block do not wait for it */
    a = flags, b = flags + 4;
    void *first[] = {&a, &b}, *second[] = {&b, &a};
    for (int i = 0; i < 2; i++)
        OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
    OK(run1(f, 1, 32, s[0], first));
    OK(run1(f, 1, 32, s[1], second));
    OK(cuStreamSynchronize(s[0]));
    OK(cuStreamSynchronize(s[1]));
    OK(cuMemcpyDtoH_v2(got, flags, 8));
    assert_int_equal(got[0], 1);
    assert_int_equal(got[1], 1);
    for (int i = 0; i < 2; i++)
        OK(cuStreamDestroy_v2(s[i]));
    context_down(ctx);
}

/* spin in a blocking stream, store in the default stream: the store must wait; from a non-blocking one it must not. */
static void the_default_stream_waits_for_blocking_streams(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin"), store = load(ptx_store, "store");
    CUstream blocking, other;
    CUdeviceptr d, out;
    volatile unsigned *flag = flag_new(&d), *seen = flag_new(&out);
    unsigned v = 1;
    void *wait[] = {&d}, *put[] = {&out, &v};
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(run1(spin, 1, 1, blocking, wait));
    OK(run1(store, 1, 1, NULL, put));
    sleep_ms(30);
    assert_int_equal(*seen, 0);
    v = 2;
    OK(run1(store, 1, 1, other, put));
    OK(cuStreamSynchronize(other));
    assert_int_equal(*seen, 2);
    raise_flag(flag);
    OK(cuStreamSynchronize(NULL));
    assert_int_equal(*seen, 1); /* parameters were copied at the launch */
    /* and the other way round: a blocking stream waits for the default stream */
    *flag = 0;
    v = 3;
    OK(run1(spin, 1, 1, CU_STREAM_LEGACY, wait));
    OK(run1(store, 1, 1, blocking, put));
    sleep_ms(30);
    assert_int_equal(*seen, 1);
    raise_flag(flag);
    OK(cuCtxSynchronize());
    assert_int_equal(*seen, 3);
    context_down(ctx);
}

static void an_event_orders_two_streams(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin"), store = load(ptx_store, "store");
    CUstream a, b;
    CUevent e;
    CUdeviceptr d, out;
    volatile unsigned *flag = flag_new(&d), *seen = flag_new(&out);
    unsigned v = 9;
    void *wait[] = {&d}, *put[] = {&out, &v};
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(run1(spin, 1, 1, a, wait));
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(b, e, 0));
    OK(run1(store, 1, 1, b, put));
    OK(cuEventDestroy_v2(e)); /* the wait stands */
    sleep_ms(30);
    assert_int_equal(*seen, 0);
    raise_flag(flag);
    OK(cuStreamSynchronize(b));
    assert_int_equal(*seen, 9);
    context_down(ctx);
}

static void events_measure_time(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin");
    CUevent start, stop, untimed;
    CUdeviceptr d;
    volatile unsigned *flag = flag_new(&d);
    float ms = -1;
    void *wait[] = {&d};
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&stop, 0));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    FAILS(cuEventElapsedTime(&ms, start, stop), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(start, NULL));
    OK(run1(spin, 1, 1, NULL, wait));
    OK(cuEventRecord(stop, NULL));
    FAILS(cuEventElapsedTime(&ms, start, stop), CUDA_ERROR_NOT_READY);
    OK(cuEventSynchronize(start));
    sleep_ms(50);
    raise_flag(flag);
    OK(cuEventSynchronize(stop));
    OK(cuEventElapsedTime_v2(&ms, start, stop));
    assert_true(ms >= 50 && ms < 50000);
    FAILS(cuEventElapsedTime(&ms, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy_v2(start)); /* a context takes its streams with it, but no events */
    OK(cuEventDestroy_v2(stop));
    OK(cuEventDestroy_v2(untimed));
    context_down(ctx);
}

static atomic_int calls;

static void count_call(void *data) { atomic_fetch_add((atomic_int *)data, 1); }

static void record_callback(CUstream s, CUresult status, void *data)
{
    (void)s;
    *(int *)data = (int)status;
    atomic_fetch_add(&calls, 1);
}

static void host_functions_run_in_order(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin"), store = load(ptx_store, "store");
    CUdeviceptr d, bad = 8;
    CUstream s;
    volatile unsigned *flag = flag_new(&d);
    unsigned v = 0;
    int status = -1;
    void *wait[] = {&d}, *put[] = {&bad, &v};
    atomic_store(&calls, 0);
    OK(cuStreamCreate(&s, 0));
    OK(run1(spin, 1, 1, s, wait));
    OK(cuLaunchHostFunc(s, count_call, &calls));
    sleep_ms(20);
    assert_int_equal(atomic_load(&calls), 0);
    raise_flag(flag);
    OK(cuStreamSynchronize(s));
    assert_int_equal(atomic_load(&calls), 1);
    /* after a fault a callback is told, a host function is not called */
    OK(run1(store, 1, 1, s, put));
    (void)cuStreamAddCallback(s, record_callback, &status, 0); /* the fault may be known already */
    FAILS(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    if (atomic_load(&calls) == 2)
        assert_int_equal(status, CUDA_ERROR_ILLEGAL_ADDRESS);
    FAILS(cuLaunchHostFunc(s, count_call, &calls), CUDA_ERROR_ILLEGAL_ADDRESS);
    context_down(ctx);
}

static void many_launches_keep_their_order(void **state)
{
    (void)state;
    enum { N = 2000 };
    CUcontext ctx = context_up();
    CUfunction store = load(ptx_store, "store");
    CUdeviceptr p;
    CUstream s;
    unsigned got;
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < N; i++) {
        void *params[] = {&p, &i};
        OK(run1(store, 1, 1, s, params));
    }
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, N - 1);
    /* destroyed with work left: the work is done, and the default stream waits for it */
    unsigned v = 12345;
    void *params[] = {&p, &v};
    for (int i = 0; i < 100; i++)
        OK(run1(store, 1, 1, s, params));
    OK(cuStreamDestroy_v2(s));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 12345);
    context_down(ctx);
}

struct user {
    CUcontext ctx;
    CUfunction store;
    CUdeviceptr at;
    unsigned value;
};

/* Each thread uses its own default stream. */
static void *use_stream(void *arg)
{
    struct user *u = arg;
    OK(cuCtxSetCurrent(u->ctx));
    for (unsigned i = 0; i < 50; i++) {
        unsigned v = u->value + i, got = 0;
        void *params[] = {&u->at, &v};
        OK(cuLaunchKernel_ptsz(u->store, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
        OK(cuMemcpyDtoHAsync_v2_ptsz(&got, u->at, 4, NULL));
        OK(cuStreamSynchronize_ptsz(NULL));
        assert_int_equal(got, v);
    }
    return NULL;
}

static void threads_have_default_streams_of_their_own(void **state)
{
    (void)state;
    enum { N = 4 };
    CUcontext ctx = context_up();
    struct user users[N];
    pthread_t threads[N];
    CUdeviceptr p;
    CUfunction store = load(ptx_store, "store");
    unsigned long long mine, legacy;
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
    OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    assert_true(mine != legacy);
    OK(cuMemAlloc_v2(&p, 4 * N));
    for (unsigned i = 0; i < N; i++) {
        users[i] = (struct user){ctx, store, p + 4 * i, 1000 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, use_stream, &users[i]), 0);
    }
    for (unsigned i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    context_down(ctx);
}

static void properties_of_streams(void **state)
{
    (void)state;
    CUcontext ctx = context_up(), got;
    CUstream s;
    unsigned flags;
    int priority, least, greatest;
    CUstreamCaptureStatus status;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
    OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, greatest - 100));
    OK(cuStreamGetPriority(s, &priority));
    assert_int_equal(priority, greatest);
    OK(cuStreamGetFlags(s, &flags));
    assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
    OK(cuStreamGetCtx(s, &got));
    assert_ptr_equal(got, ctx);
    OK(cuStreamIsCapturing(s, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    FAILS(cuStreamCreate(&s, 7), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamDestroy_v2(NULL), CUDA_ERROR_INVALID_HANDLE);
    context_down(ctx);
}

/* Handles that were destroyed, or that are something else, are told apart. */
static void stale_handles_are_refused(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUstream s;
    CUevent e;
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&e, 0));
    FAILS(cuStreamSynchronize((CUstream)(void *)e), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuEventQuery((CUevent)(void *)s), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy_v2(s));
    OK(cuEventDestroy_v2(e));
    FAILS(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuEventDestroy_v2(e), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamCreate(&s, 0));
    context_down(ctx);
    FAILS(cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE); /* it went with its context */
}

static CUresult launch_with(CUfunction f, CUstream s, void **params, CUlaunchAttribute attribute)
{
    const CUlaunchConfig config = {.gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 1,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .hStream = s,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    return cuLaunchKernelEx(&config, f, params, NULL);
}

/* An event that a launch names is reached no later than the kernel's end, and not before it has begun. */
static void events_of_launches(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_spin, "spin");
    CUstream s;
    CUevent e, timed;
    CUdeviceptr d;
    volatile unsigned *flag = flag_new(&d);
    void *params[] = {&d};
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&timed, CU_EVENT_DEFAULT));
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
    a.value.launchCompletionEvent.event = e;
    OK(launch_with(f, s, params, a));
    raise_flag(flag);
    OK(cuEventSynchronize(e));
    OK(cuStreamSynchronize(s));
    a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
    OK(launch_with(f, s, params, a));
    OK(cuEventSynchronize(e));
    a.value.launchCompletionEvent.flags = 4;
    FAILS(launch_with(f, s, params, a), CUDA_ERROR_INVALID_VALUE);
    a.value.launchCompletionEvent.flags = 0;
    a.value.launchCompletionEvent.event = timed;
    FAILS(launch_with(f, s, params, a), CUDA_ERROR_NOT_SUPPORTED);
    a.value.launchCompletionEvent.event = NULL;
    FAILS(launch_with(f, s, params, a), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(e));
    OK(cuEventDestroy(timed));
    OK(cuStreamDestroy(s));
    OK(cuMemFreeHost((void *)flag));
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_busy_until_its_kernel_ends),
        cmocka_unit_test(two_kernels_wait_for_each_other),
        cmocka_unit_test(the_default_stream_waits_for_blocking_streams),
        cmocka_unit_test(an_event_orders_two_streams),
        cmocka_unit_test(events_measure_time),
        cmocka_unit_test(host_functions_run_in_order),
        cmocka_unit_test(many_launches_keep_their_order),
        cmocka_unit_test(threads_have_default_streams_of_their_own),
        cmocka_unit_test(events_of_launches),
        cmocka_unit_test(properties_of_streams),
        cmocka_unit_test(stale_handles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
