/* LOCKSTEP_SCHEDULES: what depends on the order of threads is found, and what does not stays silent. With weak memory,
 * so that a missing fence shows. Findings are read from the process's record file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver_test.h"

static char folder[64], record[96];

/* A line of the record that has the text, but only of those that were written since `skip` bytes; its copy, or NULL. */
static char *find_line(long skip, const char *text)
{
    static char line[16384];
    FILE *f = fopen(record, "r");
    if (!f)
        return NULL;
    fseek(f, skip, SEEK_SET);
    char *found = NULL;
    while (!found && fgets(line, sizeof line, f))
        found = strstr(line, text) ? line : NULL;
    fclose(f);
    return found;
}

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

#define DIFFERS "\"kind\":\"schedule-dependent\""
#define HAS(line, text) assert_non_null(strstr(line, text))

static CUdeviceptr zeros(size_t bytes)
{
    CUdeviceptr p;
    OK(cuMemAlloc_v2(&p, bytes));
    OK(cuMemsetD8_v2(p, 0, bytes));
    return p;
}

/* One launch of a kernel with one pointer; the finding's line, or NULL. */
static const char *launch(CUfunction f, unsigned blocks, unsigned threads, CUdeviceptr p)
{
    const long before = length();
    OK(run1(f, blocks, threads, NULL, (void *[]){&p}));
    OK(cuCtxSynchronize());
    return find_line(before, DIFFERS);
}

/* ---- a missing barrier ---- */

/* out[t] = s[63 - t], where thread t wrote s[t] = t + 1 */
#define MIRROR(name, barrier)                                                                                          \
    PTX_HEAD ".visible .entry " name "(.param .u64 out)\n"                                                             \
             "{\n"                                                                                                     \
             "  .shared .align 4 .b8 s[256];\n"                                                                        \
             "  .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"                                                                  \
             "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;\n"                                      \
             "  mad.lo.u32 %r3, %r1, 4, %r2; add.u32 %r4, %r1, 1;\n"                                                   \
             "  st.shared.u32 [%r3], %r4;\n" barrier "  sub.u32 %r5, 63, %r1; mad.lo.u32 %r6, %r5, 4, %r2;\n"          \
             "  ld.shared.u32 %r7, [%r6];\n"                                                                           \
             "  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"                                                \
             "  st.global.u32 [%rd3], %r7;\n"                                                                          \
             "  ret;\n"                                                                                                \
             "}\n"

static void test_missing_barrier(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    uint32_t out[64];
    const CUdeviceptr p = zeros(sizeof out);
    const char *line = launch(load(MIRROR("racy", ""), "racy"), 1, 64, p);
    assert_non_null(line);
    HAS(line, "\"severity\":\"error\"");
    HAS(line, "Result of racy depends");
    HAS(line, "64 bytes differ, the first is 0 bytes into the 256-byte allocation"); /* the low byte of each word */
    HAS(line, "--schedule seed=");
    HAS(line, "st.global.u32"); /* who wrote it */
    /* What the first run left: warp 0 came before warp 1 had written. */
    OK(cuMemcpyDtoH_v2(out, p, sizeof out));
    for (uint32_t t = 32; t < 64; t++)
        assert_int_equal(out[t], 64 - t);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 0);
    context_down(ctx);
}

static void test_barrier(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    assert_null(launch(load(MIRROR("clean", "  bar.sync 0;\n"), "clean"), 1, 64, zeros(256)));
    context_down(ctx);
}

/* ---- the last block adds up what all blocks left ---- */

/* p: a ticket, the sum, from byte 128 on one value a block */
#define LAST(name, fence)                                                                                              \
    PTX_HEAD ".visible .entry " name "(.param .u64 p)\n"                                                               \
             "{\n"                                                                                                     \
             "  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>;\n"                                               \
             "  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;\n"         \
             "  setp.ne.u32 %p1, %r1, 0;\n"                                                                            \
             "  @%p1 bra DONE;\n"                                                                                      \
             "  mul.wide.u32 %rd2, %r2, 64; add.u64 %rd3, %rd1, %rd2;\n"                                               \
             "  add.u32 %r4, %r2, 1;\n"                                                                                \
             "  st.global.u32 [%rd3+128], %r4;\n" fence "  atom.global.add.u32 %r5, [%rd1], 1;\n"                      \
             "  sub.u32 %r6, %r3, 1;\n"                                                                                \
             "  setp.ne.u32 %p2, %r5, %r6;\n"                                                                          \
             "  @%p2 bra DONE;\n" fence "  mov.u32 %r7, 0; mov.u32 %r8, 0;\n"                                          \
             "NEXT:\n"                                                                                                 \
             "  ld.global.u32 %r9, [%rd3+128];\n"                                                                      \
             "  mul.wide.u32 %rd2, %r8, 64; add.u64 %rd3, %rd1, %rd2;\n"                                               \
             "  ld.global.u32 %r9, [%rd3+128];\n"                                                                      \
             "  add.u32 %r7, %r7, %r9; add.u32 %r8, %r8, 1;\n"                                                         \
             "  setp.lt.u32 %p3, %r8, %r3;\n"                                                                          \
             "  @%p3 bra NEXT;\n"                                                                                      \
             "  st.global.u32 [%rd1+4], %r7;\n"                                                                        \
             "DONE:\n"                                                                                                 \
             "  ret;\n"                                                                                                \
             "}\n"

static void test_missing_fence(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    const char *line = launch(load(LAST("unfenced", ""), "unfenced"), 16, 32, zeros(2048));
    assert_non_null(line);
    HAS(line, "\"severity\":\"error\"");
    HAS(line, "4 bytes into the 2048-byte allocation");
    HAS(line, "--memory weak");
    context_down(ctx);
}

static void test_fence(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    const CUdeviceptr p = zeros(2048);
    uint32_t sum;
    assert_null(launch(load(LAST("fenced", "  membar.gl;\n"), "fenced"), 16, 32, p));
    OK(cuMemcpyDtoH_v2(&sum, p + 4, sizeof sum));
    assert_int_equal(sum, 136);
    context_down(ctx);
}

/* ---- what differs by nature ---- */

/* *p += 1 / (i + 3) for each thread i */
static const char floats[] = PTX_HEAD ".visible .entry floats(.param .u64 p)\n"
                                      "{\n"
                                      "  .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<2>;\n"
                                      "  ld.param.u64 %rd1, [p];\n"
                                      "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
                                      "  mad.lo.u32 %r4, %r3, %r2, %r1; add.u32 %r4, %r4, 3;\n"
                                      "  cvt.rn.f32.u32 %f1, %r4; rcp.rn.f32 %f2, %f1;\n"
                                      "  atom.global.add.f32 %f3, [%rd1], %f2;\n"
                                      "  ret;\n"
                                      "}\n";

static void test_float_atomics(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    const char *line = launch(load(floats, "floats"), 16, 256, zeros(64));
    assert_non_null(line);
    HAS(line, "\"severity\":\"warning\"");
    HAS(line, "differs by nature");
    context_down(ctx);
}

/* p[1 + atomicAdd(p, 1)] = i + 1 */
static const char places[] = PTX_HEAD ".visible .entry places(.param .u64 p)\n"
                                      "{\n"
                                      "  .reg .b32 %r<7>; .reg .b64 %rd<4>;\n"
                                      "  ld.param.u64 %rd1, [p];\n"
                                      "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
                                      "  mad.lo.u32 %r4, %r3, %r2, %r1; add.u32 %r4, %r4, 1;\n"
                                      "  atom.global.add.u32 %r5, [%rd1], 1;\n"
                                      "  mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                      "  st.global.u32 [%rd3+4], %r4;\n"
                                      "  ret;\n"
                                      "}\n";

static void test_places(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    const char *line = launch(load(places, "places"), 4, 64, zeros(2048));
    assert_non_null(line);
    HAS(line, "\"severity\":\"warning\"");
    HAS(line, "the same values stand in another order");
    context_down(ctx);
}

/* ---- faults ---- */

/* Warp 0 says in shared memory that all is well; warp 1 looks, without a barrier. */
static const char trapping[] = PTX_HEAD ".visible .entry trapping(.param .u64 p)\n"
                                        "{\n"
                                        "  .shared .align 4 .b8 s[4];\n"
                                        "  .reg .pred %p<3>; .reg .b32 %r<3>;\n"
                                        "  mov.u32 %r1, %tid.x;\n"
                                        "  setp.ge.u32 %p1, %r1, 32;\n"
                                        "  @%p1 bra LOOK;\n"
                                        "  st.shared.u32 [s], 1;\n"
                                        "  ret;\n"
                                        "LOOK:\n"
                                        "  ld.shared.u32 %r2, [s];\n"
                                        "  setp.eq.u32 %p2, %r2, 0;\n"
                                        "  @%p2 trap;\n"
                                        "  ret;\n"
                                        "}\n";

static void test_fault(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    const CUdeviceptr p = zeros(64);
    const char *line = launch(load(trapping, "trapping"), 1, 64, p);
    assert_non_null(line);
    HAS(line, "\"severity\":\"error\"");
    HAS(line, "ends in a fault");
    HAS(line, "trap");
    OK(cuMemsetD8_v2(p, 0, 64)); /* the context is as well as before */
    context_down(ctx);
}

/* ---- memory is left alone ---- */

/* Every thread adds 1 to its word: any run twice would be seen. */
static const char count[] = PTX_HEAD ".visible .entry count(.param .u64 p)\n"
                                     "{\n"
                                     "  .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                                     "  ld.param.u64 %rd1, [p];\n"
                                     "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
                                     "  mad.lo.u32 %r4, %r3, %r2, %r1;\n"
                                     "  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                     "  ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], %r5;\n"
                                     "  ret;\n"
                                     "}\n";

static void test_memory_stays(void **state)
{
    (void)state;
    enum { WORDS = 4096 };
    static uint32_t out[WORDS];
    CUcontext ctx = context_up();
    const CUfunction f = load(count, "count");
    CUdeviceptr managed, p = zeros(sizeof out);
    OK(cuMemAllocManaged(&managed, sizeof out, 1));
    memset((void *)(uintptr_t)managed, 0, sizeof out);
    for (int times = 0; times < 3; times++) {
        assert_null(launch(f, WORDS / 128, 128, p));
        assert_null(launch(f, WORDS / 128, 128, managed));
    }
    OK(cuMemcpyDtoH_v2(out, p, sizeof out));
    for (unsigned i = 0; i < WORDS; i++) {
        assert_int_equal(out[i], 3);
        assert_int_equal(((const uint32_t *)(uintptr_t)managed)[i], 3);
    }
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_barrier), cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_missing_fence),   cmocka_unit_test(test_fence),
        cmocka_unit_test(test_float_atomics),   cmocka_unit_test(test_places),
        cmocka_unit_test(test_fault),           cmocka_unit_test(test_memory_stays),
    };
    strcpy(folder, "/tmp/lockstep-replay-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("LOCKSTEP_SESSION", folder, 1);
    setenv("LOCKSTEP_SCHEDULES", "8", 1);
    setenv("LOCKSTEP_MEMORY", "weak", 1);
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
