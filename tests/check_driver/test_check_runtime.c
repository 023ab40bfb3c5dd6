/* test_check_runtime.c - programs on the runtime API under LOCKSTEP_CHECK: calls bear the runtime's names and are told
 * once, and errors that nobody asked for are found. */
#include "findings.h"

#include <string.h>

#define RUN(tools, ...)                                                                                                \
    struct findings f;                                                                                                 \
    findings_run(&f, SUBJECT, tools, NULL, (const char *const[]){__VA_ARGS__, NULL})

static void calls_have_the_runtimes_names(void **state)
{
    (void)state;
    RUN("memcheck,leakcheck", "alloc", "free", "free", "alloc");
    const json_t *twice = findings_only(&f, "double-free");
    assert_string_equal(text_of(twice, "call.api"), "cudaFree");
    assert_string_equal(text_of(twice, "allocation.made.api"), "cudaMalloc");
    assert_string_equal(text_of(twice, "allocation.freed.api"), "cudaFree");
    assert_string_equal(
        text_of(twice, "what"),
        "Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to cudaFree.");
    const json_t *frames = json_object_get(json_object_get(twice, "call"), "frames");
    assert_string_equal(text_of(json_array_get(frames, 0), "module"), SUBJECT);
    assert_string_equal(text_of(findings_only(&f, "leak"), "call.api"), "cudaMalloc");
    assert_int_equal(findings_count(&f, "finding", NULL), 2);
    findings_free(&f);
}

/* Also the driver's calls that the runtime makes for cudaGetLastError are its own. */
static void a_failing_call_is_told_once(void **state)
{
    (void)state;
    RUN("memcheck", "alloc", "look", "get", "free", "freehost", "get");
    const json_t *copy = findings_only(&f, "api-error");
    assert_string_equal(text_of(copy, "call.api"), "cudaMemcpy");
    assert_string_equal(detail_of(copy), "The destination has 64 bytes, 256 are wanted");
    findings_only(&f, "double-free"); /* by cudaFreeHost */
    assert_int_equal(findings_count(&f, "finding", NULL), 2);
    findings_free(&f);
}

/* ---- launches ---- */

static void a_launch_with_a_question_behind_it(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "launch", "get", "launch", "launch", "peek", "free");
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

static void a_launch_without(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "launch", "sync", "free");
    const json_t *l = findings_only(&f, "launch-unchecked");
    assert_string_equal(text_of(l, "severity"), "warning");
    assert_string_equal(text_of(l, "call.api"), "cudaLaunchKernel");
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

static void one_that_failed_is_an_error(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "big", "free");
    const json_t *l = findings_only(&f, "launch-unchecked");
    assert_string_equal(text_of(l, "severity"), "error");
    assert_non_null(strstr(detail_of(l), "cudaErrorInvalidValue"));
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

/* Another thread's last error is another. */
static void a_question_in_another_thread(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "launch", "thread", "get", "free");
    findings_only(&f, "launch-unchecked");
    findings_free(&f);
}

static void functions_that_return_the_status(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "direct", "free");
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

/* ---- dropped ---- */

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
enum { CAN_TELL = 1 };
#else
enum { CAN_TELL = 0 };
#endif

static void a_result_dropped(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "drop", "free");
    const unsigned n = findings_count(&f, "finding", "status-dropped");
    assert_true(CAN_TELL ? n == 1 : n <= 1);
    findings_free(&f);
}

static void a_result_looked_at(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "look", "free");
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

static void a_last_error_asked_for(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "drop", "get", "free");
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

static void a_program_that_says_it_failed(void **state)
{
    (void)state;
    RUN("errorcheck", "alloc", "drop", "exit:1");
    assert_int_equal(f.status, 1);
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_the_runtimes_names),
        cmocka_unit_test(a_failing_call_is_told_once),
        cmocka_unit_test(a_launch_with_a_question_behind_it),
        cmocka_unit_test(a_launch_without),
        cmocka_unit_test(one_that_failed_is_an_error),
        cmocka_unit_test(a_question_in_another_thread),
        cmocka_unit_test(functions_that_return_the_status),
        cmocka_unit_test(a_result_dropped),
        cmocka_unit_test(a_result_looked_at),
        cmocka_unit_test(a_last_error_asked_for),
        cmocka_unit_test(a_program_that_says_it_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
