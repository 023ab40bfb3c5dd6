/* test_trace.c - how a call is written, and the names and texts of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "attach/trace.h"

static char line[1024];

static const char *format(CUresult r, const struct call_arg *args, unsigned n)
{
    trace_format(line, sizeof line, "f", r, args, n);
    return line;
}

static void scalars_enums_and_strings(void **state)
{
    (void)state;
    int i = -3;
    size_t n = 4096;
    CUdeviceptr p = 0x7f00;
    CUdevice_attribute a = CU_DEVICE_ATTRIBUTE_WARP_SIZE;
    const char *name = "saxpy", *none = NULL;
    const struct call_arg args[] = {ARG(int, i),
                                    ARG(size_t, n),
                                    ARG(CUdeviceptr, p),
                                    ARG(CUdevice_attribute, a),
                                    ARG(const char *, name),
                                    ARG(const char *, none)};
    assert_string_equal(format(CUDA_SUCCESS, args, 6), "f(i=-3, n=4096, p=0x7f00, a=CU_DEVICE_ATTRIBUTE_WARP_SIZE, "
                                                       "name=\"saxpy\", none=NULL) = CUDA_SUCCESS");
    a = 4711;
    const struct call_arg unknown[] = {ARG(CUdevice_attribute, a)};
    assert_string_equal(format(CUDA_ERROR_INVALID_VALUE, unknown, 1), "f(a=4711) = CUDA_ERROR_INVALID_VALUE");
}

static void results_are_shown_after_success_only(void **state)
{
    (void)state;
    int value = 132;
    int *pi = &value;
    const struct call_arg args[] = {ARG(int *, pi)};
    assert_non_null(strstr(format(CUDA_SUCCESS, args, 1), " -> 132)"));
    assert_null(strstr(format(CUDA_ERROR_INVALID_DEVICE, args, 1), "->"));
    CUcontext context = (CUcontext)(uintptr_t)0xabc0, *pctx = &context;
    const struct call_arg handle[] = {ARG(CUcontext *, pctx)};
    assert_non_null(strstr(format(CUDA_SUCCESS, handle, 1), " -> 0xabc0)"));
}

static void structures_are_summed_up(void **state)
{
    (void)state;
    CUlaunchConfig c = {.gridDimX = 2, .gridDimY = 3, .gridDimZ = 4, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1};
    const CUlaunchConfig *config = &c;
    const struct call_arg args[] = {ARG(const CUlaunchConfig *, config)};
    assert_non_null(strstr(format(CUDA_SUCCESS, args, 1), "grid 2x3x4, block 32x1x1"));
    CUDA_MEMCPY2D m = {.WidthInBytes = 100, .Height = 7};
    const CUDA_MEMCPY2D *pCopy = &m;
    const struct call_arg copy[] = {ARG(const CUDA_MEMCPY2D *, pCopy)};
    assert_non_null(strstr(format(CUDA_SUCCESS, copy, 1), "100 x 7 bytes"));
}

static void a_line_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    char small[12];
    const char *text = "a rather long string";
    const struct call_arg args[] = {ARG(const char *, text)};
    trace_format(small, sizeof small, "function", CUDA_SUCCESS, args, 1);
    assert_string_equal(small, "function(te");
}

static void every_result_has_a_name_and_a_text(void **state)
{
    (void)state;
    unsigned n = 0;
#define RESULT(name, value, text)                                                                                      \
    assert_string_equal(result_name((CUresult)value), #name);                                                          \
    assert_int_equal(result_by_name(#name), value);                                                                    \
    assert_true(strlen(result_text(name)) > 4);                                                                        \
    n++;
#include "driver/results.def"
#undef RESULT
    assert_true(n >= 100);
    assert_null(result_name(12345));
    assert_int_equal(result_by_name("CUDA_ERROR_NONE_SUCH"), CUDA_ERROR_UNKNOWN);
    assert_int_equal(result_of(LS_ERR_SYNTAX), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(result_of(LS_ERR_NOMEM), CUDA_ERROR_OUT_OF_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_enums_and_strings),          cmocka_unit_test(results_are_shown_after_success_only),
        cmocka_unit_test(structures_are_summed_up),           cmocka_unit_test(a_line_that_does_not_fit_is_cut),
        cmocka_unit_test(every_result_has_a_name_and_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
