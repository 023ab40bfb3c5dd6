/* Races between operations of different streams, and between streams and the host's calls: found when nothing orders
 * them, by CUDA's rules for streams, events and the default stream, and silent when something does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver_test.h"

static char folder[64], record[96];

enum { WORDS = 256 };

/* p[i] += 1 */
static const char count[] = PTX_HEAD ".visible .entry count(.param .u64 p)\n"
                                     "{\n"
                                     "  .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                                     "  ld.param.u64 %rd1, [p];\n"
                                     "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
                                     "  mad.lo.u32 %r4, %r3, %r2, %r1;\n"
                                     "  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                     "  ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], "
                                     "%r5;\n"
                                     "  ret;\n"
                                     "}\n";

static struct {
    CUcontext ctx;
    CUfunction f;
    CUdeviceptr p;
    CUstream a, b, free_a, free_b; /* blocking and not */
    CUevent e;
    uint32_t host[WORDS];
    long before; /* of the record */
} t;

static long length(void)
{
    FILE *f = fopen(record, "r");
    if (!f)
        return 0;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    fclose(f);
    return n;
}

static int up(void **state)
{
    (void)state;
    t.ctx = context_up();
    t.f = load(count, "count");
    OK(cuMemAlloc_v2(&t.p, sizeof t.host));
    OK(cuMemsetD8_v2(t.p, 0, sizeof t.host));
    OK(cuStreamCreate(&t.a, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&t.b, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&t.free_a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&t.free_b, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&t.e, CU_EVENT_DISABLE_TIMING));
    OK(cuCtxSynchronize());
    t.before = length();
    return 0;
}

static int down(void **state)
{
    (void)state;
    OK(cuEventDestroy_v2(t.e));
    context_down(t.ctx);
    return 0;
}

static void launch(CUstream s) { OK(run1(t.f, 2, WORDS / 2, s, (void *[]){&t.p})); }

/* How many races the test found, and the last one's line that is no count of those before. */
static int races(char *last)
{
    static char line[16384];
    int n = 0;
    OK(cuCtxSynchronize());
    FILE *f = fopen(record, "r");
    if (!f)
        return 0;
    fseek(f, t.before, SEEK_SET);
    while (fgets(line, sizeof line, f))
        if (strstr(line, "\"kind\":\"stream-race\"") || strstr(line, "\"kind\":\"host-race\"") ||
            strstr(line, "\"type\":\"again\"")) /* of an earlier test's place */ {
            n++;
            if (last && !strstr(line, "\"type\":\"again\""))
                strcpy(last, line);
        }
    fclose(f);
    return n;
}

#define RACE() assert_true(races(NULL) > 0)
#define CLEAN() assert_int_equal(races(NULL), 0)

static void test_two_streams(void **state)
{
    (void)state;
    char line[16384];
    launch(t.free_a);
    launch(t.free_b);
    assert_true(races(line) > 0);
    assert_non_null(strstr(line, "of count in stream")); /* both parties are named */
}

static void test_blocking_streams(void **state)
{
    (void)state;
    launch(t.a);
    launch(t.b);
    RACE();
}

static void test_one_stream(void **state)
{
    (void)state;
    launch(t.free_a);
    launch(t.free_a);
    CLEAN();
}

static void test_event(void **state)
{
    (void)state;
    launch(t.free_a);
    OK(cuEventRecord(t.e, t.free_a));
    OK(cuStreamWaitEvent(t.free_b, t.e, 0));
    launch(t.free_b);
    CLEAN();
}

static void test_event_too_early(void **state)
{
    (void)state;
    OK(cuEventRecord(t.e, t.free_a));
    launch(t.free_a);
    OK(cuStreamWaitEvent(t.free_b, t.e, 0));
    launch(t.free_b);
    RACE();
}

static void test_default_stream(void **state)
{
    (void)state;
    launch(t.a);
    launch(NULL);
    launch(t.b);
    CLEAN();
}

static void test_default_and_non_blocking(void **state)
{
    (void)state;
    launch(NULL);
    launch(t.free_a);
    RACE();
}

static void test_per_thread_stream(void **state)
{
    (void)state;
    launch(CU_STREAM_PER_THREAD);
    launch(CU_STREAM_LEGACY);
    CLEAN();
    launch(CU_STREAM_PER_THREAD);
    launch(t.a);
    RACE();
}

static void test_host_waits(void **state)
{
    (void)state;
    launch(t.free_a);
    OK(cuStreamSynchronize(t.free_a));
    launch(t.free_b);
    OK(cuEventRecord(t.e, t.free_b));
    OK(cuEventSynchronize(t.e));
    launch(t.a);
    OK(cuCtxSynchronize());
    launch(t.free_a);
    CLEAN();
}

static void test_host_asks(void **state)
{
    (void)state;
    const struct timespec ms = {0, 1000000};
    launch(t.free_a);
    while (cuStreamQuery(t.free_a) == CUDA_ERROR_NOT_READY)
        nanosleep(&ms, NULL);
    launch(t.free_b);
    OK(cuEventRecord(t.e, t.free_b));
    while (cuEventQuery(t.e) == CUDA_ERROR_NOT_READY)
        nanosleep(&ms, NULL);
    launch(t.free_a);
    CLEAN();
}

/* A copy by the function without Async is in the default stream, which a non-blocking one does not wait for. */
static void test_copy(void **state)
{
    (void)state;
    launch(t.free_a);
    OK(cuMemcpyDtoH_v2(t.host, t.p, sizeof t.host));
    RACE();
}

static void test_copy_of_blocking(void **state)
{
    (void)state;
    launch(t.a);
    OK(cuMemcpyDtoH_v2(t.host, t.p, sizeof t.host));
    OK(cuMemcpyHtoD_v2(t.p, t.host, sizeof t.host));
    launch(t.free_a); /* the copy is done when it returns */
    OK(cuMemcpyDtoHAsync_v2(t.host, t.p, sizeof t.host, t.free_a));
    CLEAN();
}

/* A fill of device memory does not wait, also by the function without Async. */
static void test_fill(void **state)
{
    (void)state;
    OK(cuMemsetD8_v2(t.p, 0, sizeof t.host));
    launch(t.a);
    CLEAN();
    OK(cuCtxSynchronize());
    OK(cuMemsetD8_v2(t.p, 0, sizeof t.host));
    launch(t.free_a);
    RACE();
}

/* Pinned memory that one stream writes and another reads. */
static void test_pinned(void **state)
{
    (void)state;
    void *pinned;
    CUdeviceptr other;
    OK(cuMemHostAlloc(&pinned, sizeof t.host, 0));
    OK(cuMemAlloc_v2(&other, sizeof t.host));
    OK(cuMemcpyDtoHAsync_v2(pinned, t.p, sizeof t.host, t.free_a));
    OK(cuStreamSynchronize(t.free_a));
    OK(cuMemcpyHtoDAsync_v2(other, pinned, sizeof t.host, t.free_b));
    CLEAN();
    OK(cuMemcpyDtoHAsync_v2(pinned, t.p, sizeof t.host, t.free_a));
    OK(cuMemcpyHtoDAsync_v2(other, pinned, sizeof t.host, t.free_b));
    RACE();
}

static void test_graph(void **state)
{
    (void)state;
    CUgraph g;
    CUgraphExec x;
    OK(cuStreamBeginCapture_v2(t.free_a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch(t.free_a);
    launch(t.free_a);
    OK(cuStreamEndCapture(t.free_a, &g));
    OK(cuGraphInstantiateWithFlags(&x, g, 0));
    OK(cuGraphLaunch(x, t.free_a));
    OK(cuGraphLaunch(x, t.free_b)); /* launches of one executable graph come one behind the other */
    CLEAN();
    OK(cuGraphLaunch(x, t.free_b));
    launch(t.free_a);
    RACE();
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
}

/* Different halves of the memory. */
static void test_disjoint(void **state)
{
    (void)state;
    CUdeviceptr half = t.p + WORDS / 2 * 4;
    OK(run1(t.f, 1, WORDS / 2, t.free_a, (void *[]){&t.p}));
    OK(run1(t.f, 1, WORDS / 2, t.free_b, (void *[]){&half}));
    CLEAN();
}

static void set_flag(void *p) { __atomic_store_n((int *)p, 1, __ATOMIC_RELEASE); }

/* The host learns by a function of its own, called by the stream. */
static void test_host_function(void **state)
{
    (void)state;
    int flag = 0;
    const struct timespec ms = {0, 1000000};
    launch(t.free_a);
    OK(cuLaunchHostFunc(t.free_a, set_flag, &flag));
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        nanosleep(&ms, NULL);
    launch(t.free_b);
    CLEAN();
}

static void test_destroyed_stream(void **state)
{
    (void)state;
    launch(t.a);
    OK(cuStreamDestroy_v2(t.a));
    launch(t.b);
    RACE();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_streams),
        TEST(test_blocking_streams),
        TEST(test_one_stream),
        TEST(test_event),
        TEST(test_event_too_early),
        TEST(test_default_stream),
        TEST(test_default_and_non_blocking),
        TEST(test_per_thread_stream),
        TEST(test_host_waits),
        TEST(test_host_asks),
        TEST(test_copy),
        TEST(test_copy_of_blocking),
        TEST(test_fill),
        TEST(test_pinned),
        TEST(test_graph),
        TEST(test_disjoint),
        TEST(test_host_function),
        TEST(test_destroyed_stream),
    };
    strcpy(folder, "/tmp/lockstep-streams-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("LOCKSTEP_SESSION", folder, 1);
    setenv("LOCKSTEP_CHECK", "racecheck", 1);
    setenv("LOCKSTEP_WORKERS", "1", 1);
    const pid_t child = fork(); /* whose record is complete when it has ended */
    if (child == 0) {
        snprintf(record, sizeof record, "%s/%ld.chk", folder, (long)getpid());
        exit(cmocka_run_group_tests(tests, NULL, NULL));
    }
    int status = 1;
    waitpid(child, &status, 0);
    snprintf(record, sizeof record, "%s/%ld.chk", folder, (long)child);
    if (status == 0) {
        unlink(record);
        rmdir(folder);
    }
    return status != 0;
}
