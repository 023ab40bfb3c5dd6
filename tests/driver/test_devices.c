/* test_devices.c - several devices: which are seen, and what of a context is its device's. main asks for three devices,
 * and runs itself again for what the environment says. */
#include "driver_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[4096];
static CUcontext ctx[3];

static const char ptx_variable[] = PTX_HEAD ".visible .global .u32 v = 5;\n"
                                            ".visible .entry bump()\n"
                                            "{\n"
                                            "  .reg .b32 %r<3>;\n"
                                            "  ld.global.u32 %r1, [v]; add.u32 %r2, %r1, 1; st.global.u32 [v], %r2;\n"
                                            "  ret;\n"
                                            "}\n";

static int setup(void **state)
{
    (void)state;
    if (cuInit(0) != CUDA_SUCCESS)
        return -1;
    for (int d = 0; d < 3; d++)
        if (cuDevicePrimaryCtxRetain(&ctx[d], d) != CUDA_SUCCESS)
            return -1;
    return 0;
}

static void use(int d) { OK(cuCtxSetCurrent(ctx[d])); }

static void test_list(void **state)
{
    int n;
    CUdevice d;
    (void)state;
    OK(cuDeviceGetCount(&n));
    assert_int_equal(n, 3);
    OK(cuDeviceGet(&d, 2));
    FAILS(cuDeviceGet(&d, 3), CUDA_ERROR_INVALID_DEVICE);
    assert_true(ctx[0] != ctx[1] && ctx[1] != ctx[2]);
    for (int k = 0; k < 3; k++) {
        use(k);
        OK(cuCtxGetDevice(&d));
        assert_int_equal(d, k);
        OK(cuCtxGetDevice_v2(&d, ctx[2 - k]));
        assert_int_equal(d, 2 - k);
    }
}

static void test_streams(void **state)
{
    CUstream s;
    CUevent e;
    CUmodule m;
    CUfunction f;
    CUdevice d;
    (void)state;
    use(1);
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamGetDevice(s, &d));
    assert_int_equal(d, 1);
    use(0);
    OK(cuModuleLoadData(&m, ptx_variable));
    OK(cuModuleGetFunction(&f, m, "bump"));
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventCreate(&e, 0));
    FAILS(cuEventRecord(e, s), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(e, NULL));
    OK(cuStreamWaitEvent(s, e, 0));
    OK(cuEventDestroy_v2(e));
    OK(cuModuleUnload(m));
    OK(cuStreamDestroy_v2(s));
}

/* A library has a module a device, each with its own variables. */
static void test_libraries(void **state)
{
    CUlibrary l;
    CUkernel k;
    CUdeviceptr v[3];
    size_t size;
    unsigned value;
    (void)state;
    use(1);
    OK(cuLibraryLoadData(&l, ptx_variable, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&k, l, "bump"));
    for (int d = 0; d < 3; d++) {
        use(d);
        for (int times = 0; times <= d; times++)
            OK(cuLaunchKernel((CUfunction)(void *)k, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        OK(cuLibraryGetGlobal(&v[d], &size, l, "v"));
    }
    for (int d = 0; d < 3; d++) {
        int ordinal;
        use(d);
        OK(cuMemcpyDtoH_v2(&value, v[d], sizeof value));
        assert_int_equal(value, 5 + d + 1);
        use(0);
        OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, v[d]));
        assert_int_equal(ordinal, d);
    }
    OK(cuLibraryUnload(l));
}

static void test_pointers(void **state)
{
    CUdeviceptr p;
    CUcontext owner;
    int ordinal;
    (void)state;
    use(2);
    OK(cuMemAlloc_v2(&p, 64));
    use(0);
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    assert_ptr_equal(owner, ctx[2]);
    assert_int_equal(ordinal, 2);
    FAILS(cuMemsetD8_v2(p, 0, 64), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(p));
}

static void test_peers(void **state)
{
    CUcontext other;
    (void)state;
    use(0);
    FAILS(cuCtxEnablePeerAccess(ctx[0], 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    FAILS(cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxEnablePeerAccess(ctx[1], 0));
    FAILS(cuCtxEnablePeerAccess(ctx[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    OK(cuCtxCreate_v4(&other, NULL, 0, 0)); /* of the same device, and told for itself */
    FAILS(cuCtxDisablePeerAccess(ctx[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuCtxDestroy_v2(other));
    use(0);
    OK(cuCtxDisablePeerAccess(ctx[1]));
    FAILS(cuCtxDisablePeerAccess(ctx[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

static void test_mapped(void **state)
{
    enum { SIZE = 2 << 20 };
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
    const CUmemAccessDesc both[2] = {
        {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READ},
        {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
    };
    const CUmemLocation third = {CU_MEM_LOCATION_TYPE_DEVICE, 2};
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    size_t before[2], after[2], total;
    unsigned long long flags;
    int ordinal;
    (void)state;
    for (int d = 0; d < 2; d++) {
        use(d);
        OK(cuMemGetInfo_v2(&before[d], &total));
    }
    OK(cuMemCreate(&h, SIZE, &prop, 0));
    for (int d = 0; d < 2; d++) {
        use(d);
        OK(cuMemGetInfo_v2(&after[d], &total));
        assert_int_equal(before[d] - after[d], d ? SIZE : 0);
    }
    OK(cuMemAddressReserve(&p, SIZE, 0, 0, 0));
    OK(cuMemMap(p, SIZE, 0, h, 0));
    OK(cuMemSetAccess(p, SIZE, both, 2));
    OK(cuMemGetAccess(&flags, &both[0].location, p));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemGetAccess(&flags, &both[1].location, p));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemGetAccess(&flags, &third, p));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    assert_int_equal(ordinal, 1);
    use(0);
    FAILS(cuMemsetD8_v2(p, 1, 64), CUDA_ERROR_INVALID_VALUE); /* it may read */
    use(1);
    OK(cuMemsetD8_v2(p, 1, 64));
    OK(cuMemUnmap(p, SIZE));
    OK(cuMemAddressFree(p, SIZE));
    OK(cuMemRelease(h));
}

/* ---- the environment ---- */

/* In a child: what cuInit returned, and the devices, each by the last byte of its UUID. */
static void print_devices(void)
{
    int n = 0;
    printf("%d:", (int)cuInit(0));
    cuDeviceGetCount(&n);
    for (int d = 0; d < n; d++) {
        CUuuid u;
        cuDeviceGetUuid(&u, d);
        printf(" %d", u.bytes[sizeof u.bytes - 1]);
    }
    puts("");
}

/* What the child prints with these settings. */
static void shows(const char *devices, const char *visible, const char *want)
{
    char command[8192], line[256] = "";
    snprintf(command, sizeof command, "LOCKSTEP_DEVICES='%s' %s%s%s '%s' list 2>/dev/null", devices,
             visible ? "CUDA_VISIBLE_DEVICES='" : "", visible ? visible : "", visible ? "'" : "", self);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    pclose(f);
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, want) != 0)
        fprintf(stderr, "LOCKSTEP_DEVICES=%s CUDA_VISIBLE_DEVICES=%s\n", devices, visible ? visible : "(not set)");
    assert_string_equal(line, want);
}

static void test_number(void **state)
{
    (void)state;
    shows("", NULL, "0: 0");
    shows("2", NULL, "0: 0 1");
    shows("16", NULL, "0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
    const char *const bad[] = {"0", "17", "-1", "two", "2x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        shows(bad[i], NULL, "100:"); /* said, and CUDA has no device */
}

/* With what NVIDIA's driver 580 showed of two H200 for the same words. */
static void test_visible(void **state)
{
    static const struct {
        const char *visible, *want;
    } rows[] = {
        {"1,0", "0: 1 0"},  {"0,0", "101:"}, {"1,0,1", "101:"}, {"", "100:"},         {"-1", "100:"},
        {"0,-1,1", "0: 0"}, {"5", "100:"},   {"1,5,0", "0: 1"}, {"0, 1", "0: 0 1"},   {"1 ,0", "0: 1 0"},
        {"0 1", "0: 0"},    {"0x1", "0: 0"}, {"+1", "0: 1"},    {"1a", "0: 1"},       {"abc", "100:"},
        {"0,,1", "0: 0"},   {",0", "100:"},  {"GPU-", "100:"},  {"4c534832", "100:"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        shows("2", rows[i].visible, rows[i].want);
}

/* The H200's UUIDs here are "LS" "h200", zeros, and the number. */
#define UUID(n) "GPU-4c536832-3030-0000-0000-00000000000" #n

static void test_uuids(void **state)
{
    static const struct {
        const char *visible, *want;
    } rows[] = {
        {UUID(0), "0: 0"},
        {UUID(1) "," UUID(0), "0: 1 0"},
        {"GPU-4c536832", "100:"}, /* both begin so */
        {UUID(0) ",1", "0: 0"},   /* not both kinds in one list */
        {"1," UUID(0), "0: 1"},
        {UUID(0) "," UUID(0), "101:"},
        {UUID(0) ",GPU-ffff," UUID(1), "0: 0"},
        {"GPU-4C536832-3030-0000-0000-000000000001", "0: 1"},
        {UUID(0) " , " UUID(1), "0: 0"},
        {UUID(1) "x", "0: 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        shows("2", rows[i].visible, rows[i].want);
    shows("1", "GPU-4c536832", "0: 0");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "list") == 0) {
        print_devices();
        return 0;
    }
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || setenv("LOCKSTEP_DEVICES", "3", 1) || unsetenv("CUDA_VISIBLE_DEVICES") || unsetenv("LOCKSTEP_GPU"))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),     cmocka_unit_test(test_streams), cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_pointers), cmocka_unit_test(test_peers),   cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_number),   cmocka_unit_test(test_visible), cmocka_unit_test(test_uuids),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
