/* test_no_driver.c - a machine without a driver: the library loads, says so once, and every call fails as by CUDA. */
#include <stdlib.h>

#include "runtime_test.h"

static void every_call_says_that_the_driver_is_missing(void **state)
{
    (void)state;
    int n = 7;
    void *p;
    FAILS(cudaGetDeviceCount(&n), cudaErrorInsufficientDriver);
    assert_int_equal(n, 0);
    FAILS(cudaMalloc(&p, 4), cudaErrorInsufficientDriver);
    FAILS(cudaSetDevice(0), cudaErrorInsufficientDriver);
    FAILS(cudaDeviceSynchronize(), cudaErrorInsufficientDriver);
    FAILS(cudaGetLastError(), cudaErrorInsufficientDriver);
    OK(cudaGetLastError());
}

static void versions_are_known_all_the_same(void **state)
{
    (void)state;
    int version = -1;
    OK(cudaDriverGetVersion(&version));
    assert_int_equal(version, 0);
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version, 13000);
    assert_string_equal(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_says_that_the_driver_is_missing),
        cmocka_unit_test(versions_are_known_all_the_same),
    };
    setenv("LOCKSTEP_DRIVER", "/nonexistent/libcuda.so.1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
