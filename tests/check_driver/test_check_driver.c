/* test_check_driver.c - programs on the driver API under LOCKSTEP_CHECK: what they leave in <folder>/<pid>.chk. */
#include "findings.h"

#include <string.h>

#include "driver/cuda_abi.h"

#define RUN(tools, settings, ...)                                                                                      \
    struct findings f;                                                                                                 \
    findings_run(&f, SUBJECT, tools, settings, (const char *const[]){__VA_ARGS__, NULL})
#define SETTINGS(...)                                                                                                  \
    (const char *const[]) { __VA_ARGS__, NULL }

static void a_clean_program_leaves_two_lines(void **state)
{
    (void)state;
    RUN("memcheck,errorcheck,leakcheck", NULL, "alloc:64", "store", "up:64", "fill:64", "down:64", "free", "array:64",
        "destroyarray");
    assert_int_equal(f.status, 0);
    assert_int_equal(json_array_size(f.lines), 2);
    const json_t *first = json_array_get(f.lines, 0);
    assert_string_equal(text_of(first, "type"), "process");
    assert_string_equal(text_of(first, "program"), SUBJECT);
    assert_true(text_of(first, "gpu")[0]);
    assert_int_equal(json_array_size(json_object_get(first, "tools")), 3);
    assert_string_equal(text_of(json_array_get(f.lines, 1), "type"), "end");
    findings_free(&f);
}

/* The accesses that were left out end the context, as they would on a GPU; the rest of the program is told so. */
static void a_bad_access_ends_the_context(void **state)
{
    (void)state;
    RUN("memcheck,leakcheck,errorcheck", NULL, "alloc:64", "store:64", "sync=700", "fill:64=700");
    const json_t *oob = findings_only(&f, "out-of-bounds");
    assert_string_equal(text_of(oob, "call.api"), "cuLaunchKernel");
    assert_string_equal(text_of(oob, "allocation.made.api"), "cuMemAlloc_v2");
    assert_string_equal(text_of(json_array_get(json_object_get(json_object_get(oob, "call"), "frames"), 0), "module"),
                        SUBJECT);
    assert_int_equal(findings_count(&f, "finding", "api-error"), 2);
    assert_int_equal(findings_count(&f, "finding", NULL), 3); /* nothing can be freed any more: no leak */
    findings_free(&f);
}

static void or_the_kernel_alone(void **state)
{
    (void)state;
    RUN("memcheck", SETTINGS("LOCKSTEP_CHECK_DESTROY=kernel"), "alloc:64", "store:64", "sync", "store", "sync", "free");
    findings_only(&f, "out-of-bounds");
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

static void what_is_not_selected_runs_unchecked(void **state)
{
    (void)state;
    RUN("memcheck", SETTINGS("LOCKSTEP_KERNEL=spin"), "alloc:64", "store:4096", "sync=700");
    assert_int_equal(findings_count(&f, "finding", "out-of-bounds"), 0);
    assert_non_null(strstr(f.log, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    findings_free(&f);
}

static void a_launch_nobody_waits_for_is_checked(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "alloc:64", "store:64", "exit:0");
    findings_only(&f, "out-of-bounds");
    assert_int_equal(findings_count(&f, "end", NULL), 1);
    findings_free(&f);
}

/* ---- frees ---- */

static void freed_twice(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "alloc:64", "free", "free=1");
    const json_t *d = findings_only(&f, "double-free");
    assert_string_equal(text_of(d, "call.api"), "cuMemFree_v2");
    assert_string_equal(text_of(d, "allocation.made.api"), "cuMemAlloc_v2");
    assert_string_equal(text_of(d, "allocation.freed.api"), "cuMemFree_v2");
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

static void freed_twice_in_a_stream(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "host:64", "spin", "pool:64", "freeasync", "freeasync=1", "freeq=1", "_exit:0");
    findings_only(&f, "double-free");
    const json_t *wrong = findings_only(&f, "invalid-free"); /* pinned memory, by the wrong function */
    assert_non_null(strstr(detail_of(wrong), "cudaFreeHost"));
    findings_free(&f);
}

static void freed_from_the_middle(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "alloc:64", "free:16=1", "free");
    assert_non_null(
        strstr(detail_of(findings_only(&f, "invalid-free")), "16 bytes inside of 64 bytes of device memory"));
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

static void an_array_freed_twice(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "array:64", "destroyarray", "destroyarray=400");
    findings_only(&f, "double-free");
    findings_free(&f);
}

/* ---- leaks ---- */

static void each_allocation_left_is_a_leak(void **state)
{
    (void)state;
    RUN("leakcheck", NULL, "alloc:64", "managed:128", "host:256", "pool:512", "array:1024", "alloc:32", "free");
    size_t k;
    json_t *o;
    json_int_t bytes = 0;
    assert_int_equal(findings_count(&f, "finding", "leak"), 5);
    json_array_foreach(f.lines, k, o)
        bytes += json_integer_value(json_object_get(o, "size"));
    assert_int_equal(bytes, 64 + 128 + 256 + 512 + 1024);
    findings_free(&f);
}

static void a_context_that_ends_leaks_once(void **state)
{
    (void)state;
    RUN("memcheck", SETTINGS("LOCKSTEP_CHECK_LEAKS=full"), "alloc:64", "reset", "alloc:64", "free");
    const json_t *leak = findings_only(&f, "leak");
    assert_memory_equal(text_of(leak, "what"), "Leaked 64 bytes at 0x", 21);
    assert_string_equal(text_of(leak, "call.api"), "cuMemAlloc_v2");
    findings_free(&f);
}

static void leaks_must_be_asked_for(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "alloc:64");
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

/* ---- calls that fail ---- */

static void a_copy_that_overruns_says_by_how_much(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "alloc:64", "up:128=1", "down:65=1", "fill:100=1", "free");
    size_t k;
    json_t *o;
    unsigned seen = 0;
    json_array_foreach(f.lines, k, o)
        seen += !strcmp(detail_of(o), "The destination has 64 bytes, 128 are wanted") ||
                !strcmp(detail_of(o), "The source has 64 bytes, 65 are wanted") ||
                !strcmp(detail_of(o), "The destination has 64 bytes, 100 are wanted");
    assert_int_equal(seen, 3);
    assert_int_equal(findings_count(&f, "finding", "api-error"), 3);
    findings_free(&f);
}

static void calls_that_try_are_no_errors(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "attribute=1", "host:64", "spin", "query=600", "release", "sync", "bad=1");
    const json_t *bad = findings_only(&f, "api-error");
    assert_string_equal(text_of(bad, "what"),
                        "Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on "
                        "CUDA API call to cuMemAlloc_v2.");
    findings_free(&f);
}

static void unless_all_are_wanted(void **state)
{
    (void)state;
    RUN("memcheck", SETTINGS("LOCKSTEP_CHECK_API=all"), "attribute=1", "bad=1");
    assert_int_equal(findings_count(&f, "finding", "api-error"), 2);
    findings_free(&f);
}

static void or_none(void **state)
{
    (void)state;
    RUN("memcheck", SETTINGS("LOCKSTEP_CHECK_API=no"), "bad=1", "alloc:64", "free", "free=1");
    findings_only(&f, "double-free");
    assert_int_equal(findings_count(&f, "finding", NULL), 1);
    findings_free(&f);
}

/* ---- processes ---- */

static void a_child_of_fork_writes_nothing(void **state)
{
    (void)state;
    RUN("memcheck,leakcheck", NULL, "alloc:64", "fork", "free");
    assert_int_equal(f.status, 0);
    assert_int_equal(f.files, 1);
    assert_int_equal(findings_count(&f, "process", NULL), 1);
    assert_int_equal(findings_count(&f, "end", NULL), 1);
    assert_int_equal(findings_count(&f, "finding", NULL), 0);
    findings_free(&f);
}

static void a_program_executed_has_lines_of_its_own(void **state)
{
    (void)state;
    RUN("memcheck", NULL, "bad=1", "exec", "bad=1");
    assert_int_equal(f.files, 1);
    assert_int_equal(findings_count(&f, "process", NULL), 2);
    assert_int_equal(findings_count(&f, "finding", "api-error"), 2);
    assert_int_equal(findings_count(&f, "end", NULL), 1);
    findings_free(&f);
}

static void what_the_environment_says_wrong_is_said(void **state)
{
    (void)state;
    RUN("memcheck,memchek", SETTINGS("LOCKSTEP_CACHES=1"), "bad=1");
    assert_non_null(strstr(f.log, "there is no tool memchek"));
    assert_non_null(strstr(f.log, "checked and not profiled"));
    findings_only(&f, "api-error");
    findings_free(&f);
}

/* The driver does not start, and says of each what it takes. */
static void a_value_that_is_none_is_an_error(void **state)
{
    (void)state;
    char said[2048];
    FILE *p =
        popen("LOCKSTEP_CHECK=memcheck LOCKSTEP_CHECK_API=some LOCKSTEP_CHECK_DESTROY=all LOCKSTEP_CHEK=1 " SUBJECT
              " bad=1 2>&1",
              "r");
    assert_non_null(p);
    said[fread(said, 1, sizeof said - 1, p)] = 0;
    assert_int_not_equal(pclose(p), 0);
    assert_string_equal(said, "lockstep: LOCKSTEP_CHECK_API=some is none of explicit, all, no\n"
                              "lockstep: LOCKSTEP_CHECK_DESTROY=all is neither context nor kernel\n"
                              "lockstep: there is no setting LOCKSTEP_CHEK: the nearest is LOCKSTEP_CHECK\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_program_leaves_two_lines),
        cmocka_unit_test(a_bad_access_ends_the_context),
        cmocka_unit_test(or_the_kernel_alone),
        cmocka_unit_test(what_is_not_selected_runs_unchecked),
        cmocka_unit_test(a_launch_nobody_waits_for_is_checked),
        cmocka_unit_test(freed_twice),
        cmocka_unit_test(freed_twice_in_a_stream),
        cmocka_unit_test(freed_from_the_middle),
        cmocka_unit_test(an_array_freed_twice),
        cmocka_unit_test(each_allocation_left_is_a_leak),
        cmocka_unit_test(a_context_that_ends_leaks_once),
        cmocka_unit_test(leaks_must_be_asked_for),
        cmocka_unit_test(a_copy_that_overruns_says_by_how_much),
        cmocka_unit_test(calls_that_try_are_no_errors),
        cmocka_unit_test(unless_all_are_wanted),
        cmocka_unit_test(or_none),
        cmocka_unit_test(a_child_of_fork_writes_nothing),
        cmocka_unit_test(a_program_executed_has_lines_of_its_own),
        cmocka_unit_test(what_the_environment_says_wrong_is_said),
        cmocka_unit_test(a_value_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
