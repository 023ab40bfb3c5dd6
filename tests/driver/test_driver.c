/* test_driver.c - the device, contexts, entry points, occupancy, errors, and processes that fork or exit. */
#include "driver_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Runs first. */
static void nothing_works_before_init(void **state)
{
    (void)state;
    int n;
    const char *text;
    CUcontext ctx;
    FAILS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    FAILS(cuCtxGetCurrent(&ctx), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuDriverGetVersion(&n));
    assert_int_equal(n, 13000);
    OK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
    assert_string_equal(text, "CUDA_ERROR_INVALID_PTX");
    FAILS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

static int attribute(CUdevice_attribute a)
{
    int v = -1;
    OK(cuDeviceGetAttribute(&v, a, 0));
    return v;
}

/* The figures of an H200 that its data sheet and a device query give. */
static void the_default_device_is_an_h200(void **state)
{
    (void)state;
    char name[64], bus[16];
    CUdevice d = -1;
    int n = 0, major, minor;
    CUdevprop prop;
    CUuuid uuid;
    OK(cuDeviceGetCount(&n));
    assert_int_equal(n, 1);
    OK(cuDeviceGet(&d, 0));
    FAILS(cuDeviceGet(&d, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "NVIDIA H200");
    OK(cuDeviceGetName(name, 7, 0));
    assert_string_equal(name, "NVIDIA");
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    assert_true(major == 9 && minor == 0);
    static const struct {
        CUdevice_attribute a;
        int v;
    } want[] = {
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 60 << 20},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6016},
        {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
        {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_int_equal(attribute(want[i].a), want[i].v);
    FAILS(cuDeviceGetAttribute(&n, 5000, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuDeviceGetAttribute(&n, 1, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetProperties(&prop, 0));
    assert_int_equal(prop.maxThreadsDim[2], 64);
    assert_int_equal(prop.SIMDWidth, 32);
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cuDeviceGetByPCIBusId(&d, bus));
    assert_int_equal(d, 0);
    FAILS(cuDeviceGetByPCIBusId(&d, "0000:07:00.0"), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetUuid_v2(&uuid, 0));
}

static void contexts_stack(void **state)
{
    (void)state;
    CUcontext a, b, top;
    size_t v;
    OK(cuCtxCreate_v2(&a, 0, 0));
    OK(cuCtxCreate_v2(&b, CU_CTX_SCHED_SPIN, 0));
    OK(cuCtxGetCurrent(&top));
    assert_ptr_equal(top, b);
    OK(cuCtxPopCurrent_v2(&top));
    assert_ptr_equal(top, b);
    OK(cuCtxGetCurrent(&top));
    assert_ptr_equal(top, a);
    OK(cuCtxPushCurrent_v2(b));
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 24));
    OK(cuCtxGetLimit(&v, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(v, 1 << 24);
    FAILS(cuCtxGetLimit(&v, 77), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
    OK(cuCtxDestroy_v2(b)); /* pops it */
    OK(cuCtxGetCurrent(&top));
    assert_ptr_equal(top, a);
    FAILS(cuCtxPushCurrent_v2(b), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuCtxDestroy_v2(b), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxDestroy_v2(a));
    OK(cuCtxGetCurrent(&top));
    assert_null(top);
    FAILS(cuCtxPopCurrent_v2(&top), CUDA_ERROR_INVALID_CONTEXT);
}

static void occupancy_of_an_h200(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_saxpy, "saxpy");
    int blocks, grid, block;
    size_t shared;
    /* 2048 threads and 32 blocks an SM; the kernel has few registers */
    static const int threads_blocks[][2] = {{1024, 2}, {512, 4}, {256, 8}, {64, 32}, {32, 32}, {96, 21}};
    for (size_t i = 0; i < 6; i++) {
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads_blocks[i][0], 0));
        assert_int_equal(blocks, threads_blocks[i][1]);
    }
    /* 228 KiB an SM, 1 KiB of it the system's a block: 227 KiB fit once, 113 KiB twice */
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 32, 227 << 10));
    assert_int_equal(blocks, 1);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 32, 113 << 10));
    assert_int_equal(blocks, 2);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 32, (113 << 10) + 1));
    assert_int_equal(blocks, 1);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, f, 2, 32));
    assert_int_equal(shared, 113 << 10);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 132 * 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 300));
    assert_int_equal(block, 256); /* the largest that fills the SM: 8 x 256 = 2048 */
    assert_int_equal(grid, 132 * 8);
    FAILS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

/* Exit status of a child that runs body. */
static int in_child(int (*body)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(body());
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int ask_after_fork(void)
{
    int n;
    return cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1;
}

static void a_forked_child_is_not_initialized(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    assert_int_equal(in_child(ask_after_fork), 0);
    OK(cuCtxSynchronize());
    context_down(ctx);
}

/* Runs this program again as `self MODE`, with what `set` adds to the environment, and its stderr in out. */
static int run_self(const char *set, const char *mode, char *out, size_t size)
{
    char command[1024], self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    snprintf(command, sizeof command, "%s %s %s 2>&1", set, self, mode);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    size_t got = fread(out, 1, size - 1, p);
    out[got] = 0;
    int status = pclose(p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- modes of the program when it is run by its tests ---- */

static CUdeviceptr zero_flag(void)
{
    void *p;
    return cuMemHostAlloc(&p, 4, 0) == CUDA_SUCCESS ? (memset(p, 0, 4), (CUdeviceptr)p) : 0;
}

static CUfunction quiet_load(const char *ptx, const char *name)
{
    CUmodule m;
    CUfunction f = NULL;
    if (cuModuleLoadData(&m, ptx) == CUDA_SUCCESS)
        cuModuleGetFunction(&f, m, name);
    return f;
}

/* Ends while a kernel runs for ever. */
static int mode_exit_while_running(void)
{
    CUcontext ctx;
    cuInit(0);
    cuCtxCreate_v4(&ctx, NULL, 0, 0);
    CUdeviceptr flag = zero_flag();
    void *params[] = {&flag};
    return run1(quiet_load(ptx_spin, "spin"), 8, 64, NULL, params) == CUDA_SUCCESS ? 7 : 1;
}

/* A kernel that never ends, under a watchdog. */
static int mode_watchdog(void)
{
    CUcontext ctx;
    cuInit(0);
    cuCtxCreate_v4(&ctx, NULL, 0, 0);
    CUdeviceptr flag = zero_flag();
    void *params[] = {&flag};
    run1(quiet_load(ptx_spin, "spin"), 1, 32, NULL, params);
    return cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT ? 7 : 1;
}

static int mode_store(void)
{
    CUcontext ctx;
    CUdeviceptr p;
    unsigned v = 42;
    if (cuInit(0) != CUDA_SUCCESS)
        return 3;
    cuCtxCreate_v4(&ctx, NULL, 0, 0);
    cuMemAlloc_v2(&p, 4);
    void *params[] = {&p, &v};
    CUfunction f = quiet_load(ptx_store, "store");
    for (int i = 0; i < 3; i++)
        run1(f, 2, 64, NULL, params);
    return cuCtxSynchronize() == CUDA_SUCCESS ? 7 : 1;
}

static void a_process_ends_while_kernels_run(void **state)
{
    (void)state;
    char out[4096];
    time_t start = time(NULL);
    assert_int_equal(run_self("", "exit-while-running", out, sizeof out), 7);
    assert_true(time(NULL) - start < 30);
}

static void the_watchdog_ends_a_kernel(void **state)
{
    (void)state;
    char out[4096];
    assert_int_equal(run_self("LOCKSTEP_TIMEOUT=0.2", "watchdog", out, sizeof out), 7);
    assert_non_null(strstr(out, "CUDA_ERROR_LAUNCH_TIMEOUT"));
    assert_int_equal(run_self("LOCKSTEP_MAX_INSTRUCTIONS=100000", "watchdog", out, sizeof out), 7);
}

static void the_trace_names_calls_and_arguments(void **state)
{
    (void)state;
    static char out[65536];
    assert_int_equal(run_self("LOCKSTEP_TRACE=1", "store", out, sizeof out), 7);
    assert_non_null(strstr(out, "cuInit(Flags=0) = CUDA_SUCCESS"));
    assert_non_null(strstr(out, "bytesize=4) = CUDA_SUCCESS"));
    assert_non_null(strstr(out, "name=\"store\") = CUDA_SUCCESS"));
    assert_non_null(strstr(out, "gridDimX=2, gridDimY=1"));
}

static void the_environment_chooses_the_gpu(void **state)
{
    (void)state;
    char out[4096];
    assert_int_equal(run_self("LOCKSTEP_GPU=v100", "store", out, sizeof out), 7);
    assert_int_equal(run_self("LOCKSTEP_GPU=nonsense", "store", out, sizeof out), 3);
    assert_non_null(strstr(out, "nonsense"));
}

/* With LOCKSTEP_SESSION each launch leaves a record; LOCKSTEP_KERNEL selects. */
static void launches_are_recorded(void **state)
{
    (void)state;
    char out[4096], folder[] = "/tmp/lockstep-session-XXXXXX", set[256], command[256];
    assert_non_null(mkdtemp(folder));
    snprintf(set, sizeof set, "LOCKSTEP_SESSION=%s LOCKSTEP_KERNEL=other", folder);
    assert_int_equal(run_self(set, "store", out, sizeof out), 7);
    snprintf(command, sizeof command, "cat %s/*.rec 2>/dev/null | wc -l", folder);
    FILE *p = popen(command, "r");
    int lines = -1;
    assert_int_equal(fscanf(p, "%d", &lines), 1);
    pclose(p);
    assert_int_equal(lines, 0);
    snprintf(set, sizeof set, "LOCKSTEP_SESSION=%s LOCKSTEP_KERNEL=regex:^st", folder);
    assert_int_equal(run_self(set, "store", out, sizeof out), 7);
    p = popen(command, "r");
    assert_int_equal(fscanf(p, "%d", &lines), 1);
    pclose(p);
    assert_int_equal(lines, 3);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } modes[] = {
        {"exit-while-running", mode_exit_while_running},
        {"watchdog", mode_watchdog},
        {"store", mode_store},
    };
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return modes[i].run();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(the_default_device_is_an_h200),
        cmocka_unit_test(contexts_stack),
        cmocka_unit_test(occupancy_of_an_h200),
        cmocka_unit_test(a_forked_child_is_not_initialized),
        cmocka_unit_test(a_process_ends_while_kernels_run),
        cmocka_unit_test(the_watchdog_ends_a_kernel),
        cmocka_unit_test(the_trace_names_calls_and_arguments),
        cmocka_unit_test(the_environment_chooses_the_gpu),
        cmocka_unit_test(launches_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
