/* test_device_memory - a device that was made smaller than its GPU: all that tells of its memory agrees, and an
 * allocation that it has no room for fails. */
#include <stdlib.h>

#include "driver_test.h"

enum { GIB = 1 << 30, MIB = 1 << 20 };

static void what_is_asked_for_agrees(void **state)
{
    (void)state;
    size_t free_bytes, total, device;
    CUcontext ctx = context_up();
    OK(cuMemGetInfo_v2(&free_bytes, &total));
    OK(cuDeviceTotalMem_v2(&device, 0));
    assert_int_equal(total, GIB);
    assert_int_equal(device, GIB);
    assert_true(free_bytes <= total);
    context_down(ctx);
}

static void more_is_refused(void **state)
{
    (void)state;
    CUdeviceptr p, q, managed;
    void *pinned;
    size_t free_bytes, total;
    CUcontext ctx = context_up();
    OK(cuMemAlloc_v2(&p, 600u * MIB));
    FAILS(cuMemAlloc_v2(&q, 600u * MIB), CUDA_ERROR_OUT_OF_MEMORY);
    FAILS(cuMemAllocManaged(&managed, 600u * MIB, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemGetInfo_v2(&free_bytes, &total));
    assert_true(free_bytes <= 424u * MIB);
    OK(cuMemAllocHost_v2(&pinned, 600u * MIB)); /* the host's own */
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree_v2(p));
    OK(cuMemAlloc_v2(&q, 600u * MIB));
    OK(cuMemFree_v2(q));
    FAILS(cuMemAlloc_v2(&q, 2ull * GIB), CUDA_ERROR_OUT_OF_MEMORY);
    FAILS(cuMemAlloc_v2(&q, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_agrees),
        cmocka_unit_test(more_is_refused),
    };
    setenv("LOCKSTEP_DEVICE_MEMORY", "1G", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
