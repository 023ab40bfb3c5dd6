/* Device functions: direct, recursive, indirect, with local and shared memory of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

static u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static u32 expect_fib(u32 i) { return fib(i % 13); }
static u32 expect_indirect(u32 i) { return i % 2 ? i + 100 : 2 * i; }
static u32 expect_local(u32 i) { return i * 120 + 16; }
static u32 expect_shared(u32 i) { return 3 * (69 - i); }

static void check(const char *kernel, u32 (*expect)(u32))
{
    enum { N = 70 };
    struct bench b;
    bench_open(&b, "calls.ptx");
    u32 *out = bench_alloc(&b, 4 * N);
    bench_run_ok(&b, &(struct run){.kernel = kernel, .grid = 1, .block = N, .params = {(u64)out}, .max_seconds = 60});
    for (u32 i = 0; i < N; i++)
        assert_int_equal(out[i], expect(i));
    bench_close(&b);
}

static void test_recursion(void **state)
{
    (void)state;
    check("call_fib", expect_fib);
}

static void test_indirect(void **state)
{
    (void)state;
    check("call_indirect", expect_indirect);
}

static void test_local(void **state)
{
    (void)state;
    check("call_local", expect_local);
}

static void test_shared(void **state)
{
    (void)state;
    check("call_shared", expect_shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
