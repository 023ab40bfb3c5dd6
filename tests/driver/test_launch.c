/* test_launch.c - kernels through the driver API: results, parameters, limits, attributes, sticky errors. */
#include "driver_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exact in binary floating point, so the expected value is the formula. */
static void saxpy_gives_a_x_plus_y(void **state)
{
    (void)state;
    enum { N = 1000 };
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_saxpy, "saxpy");
    float x[N], y[N], a = 0.5f;
    CUdeviceptr dx, dy;
    int n = N;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i + 1);
    }
    OK(cuMemAlloc_v2(&dx, sizeof x));
    OK(cuMemAlloc_v2(&dy, sizeof y));
    assert_int_equal(dx % 256, 0);
    OK(cuMemcpyHtoD_v2(dx, x, sizeof x));
    OK(cuMemcpyHtoD_v2(dy, y, sizeof y));
    void *params[] = {&n, &a, &dx, &dy};
    OK(run1(f, 4, 256, NULL, params));
    OK(cuMemcpyDtoH_v2(y, dy, sizeof y));
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 0.5f * (float)i + (float)(2 * i + 1));
    OK(cuMemFree_v2(dx));
    OK(cuMemFree_v2(dy));
    context_down(ctx);
}

static void extra_is_a_parameter_buffer(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p;
    unsigned got = 0;
    OK(cuMemAlloc_v2(&p, 4));
    struct {
        CUdeviceptr p;
        unsigned v;
    } args = {p, 77};
    size_t size = 12, small = 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &args, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    void *params[] = {&args.p, &args.v};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 77);
    extra[3] = &small;
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    extra[3] = &size;
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

/* As before CUDA 4: what a launch needs is set on the function and stays for the next. */
static void the_oldest_way_to_launch_works(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p;
    CUstream s;
    unsigned got = 0;
    const float half = 0.5f;
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    FAILS(cuLaunch(f), CUDA_ERROR_INVALID_VALUE); /* no shape yet */
    OK(cuFuncSetBlockShape(f, 1, 1, 1));
    OK(cuFuncSetSharedSize(f, 16));
    OK(cuParamSetv(f, 0, &p, sizeof p));
    OK(cuParamSeti(f, 8, 41));
    FAILS(cuLaunch(f), CUDA_ERROR_INVALID_VALUE); /* no size yet */
    OK(cuParamSetSize(f, 12));
    OK(cuLaunch(f));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 41);
    OK(cuParamSetf(f, 8, half));
    OK(cuLaunchGrid(f, 2, 1));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_memory_equal(&got, &half, 4);
    OK(cuParamSeti(f, 8, 43));
    OK(cuLaunchGridAsync(f, 1, 2, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 43);
    FAILS(cuParamSeti(f, 9, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuParamSetv(f, -4, &got, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy_v2(s));
    context_down(ctx);
}

static void launches_beyond_a_limit_are_refused(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p;
    unsigned v = 5;
    OK(cuMemAlloc_v2(&p, 4));
    void *params[] = {&p, &v};
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 33, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49152, NULL, params, NULL));
    /* an H200's block may have 227 KiB when it asks */
    FAILS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 + 1),
          CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 227 * 1024, NULL, params, NULL));
    /* refused launches are not sticky */
    OK(cuCtxSynchronize());
    /* 32 blocks of 32 threads an SM: 132 SMs hold 4224 */
    FAILS(cuLaunchCooperativeKernel(f, 4225, 1, 1, 32, 1, 1, 0, NULL, params), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuLaunchCooperativeKernel(f, 4224, 1, 1, 32, 1, 1, 0, NULL, params));
    OK(cuCtxSynchronize());
    context_down(ctx);
}

static const char ptx_bounds[] = PTX_HEAD ".visible .entry few(.param .u64 p) .maxntid 64, 1, 1 { ret; }\n"
                                          ".visible .entry exact(.param .u64 p) .reqntid 64, 2, 1 { ret; }\n";

static void declared_block_sizes_bind(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    CUfunction few, exact;
    CUdeviceptr p = 0;
    void *params[] = {&p};
    int n;
    OK(cuModuleLoadData(&m, ptx_bounds));
    OK(cuModuleGetFunction(&few, m, "few"));
    OK(cuModuleGetFunction(&exact, m, "exact"));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, few));
    assert_int_equal(n, 64);
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, exact));
    assert_int_equal(n, 128);
    OK(run1(few, 1, 64, NULL, params));
    FAILS(run1(few, 1, 65, NULL, params), CUDA_ERROR_INVALID_VALUE);
    FAILS(run1(exact, 1, 128, NULL, params), CUDA_ERROR_INVALID_VALUE);
    OK(cuLaunchKernel(exact, 1, 1, 1, 64, 2, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    context_down(ctx);
}

/* Two kernels with some hundred values at once, the second one declared for blocks of 1024. */
static void put_wide_kernels(char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", PTX_HEAD);
    for (int k = 0; k < 2; k++) {
        at += (size_t)snprintf(text + at, size - at,
                               ".visible .entry %s(.param .u64 p) %s\n{ .reg .b32 %%r<101>; .reg .b64 %%d; "
                               "ld.param.u64 %%d, [p]; mov.u32 %%r100, 0;\n",
                               k ? "declared" : "free", k ? ".maxntid 1024, 1, 1" : "");
        for (int i = 0; i < 100; i++)
            at += (size_t)snprintf(text + at, size - at, "ld.volatile.global.u32 %%r%d, [%%d];\n", i);
        for (int i = 0; i < 100; i++)
            at += (size_t)snprintf(text + at, size - at, "xor.b32 %%r100, %%r100, %%r%d;\n", i);
        at += (size_t)snprintf(text + at, size - at, "st.global.u32 [%%d], %%r100; ret; }\n");
    }
    assert_true(at < size);
}

/* 100 registers and more in 1024 threads are more than a block has; where the kernel declares that size, ptxas uses
 * fewer. */
static void registers_limit_blocks_of_undeclared_size(void **state)
{
    (void)state;
    static char text[16384];
    CUcontext ctx = context_up();
    CUmodule m;
    CUfunction anything, declared;
    CUdeviceptr p;
    int n;
    put_wide_kernels(text, sizeof text);
    OK(cuModuleLoadData(&m, text));
    OK(cuModuleGetFunction(&anything, m, "free"));
    OK(cuModuleGetFunction(&declared, m, "declared"));
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuMemsetD32_v2(p, 0, 1));
    void *params[] = {&p};
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, anything));
    assert_in_range(n, 32, 640);
    FAILS(run1(anything, 1, 1024, NULL, params), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    OK(run1(anything, 1, (unsigned)n, NULL, params));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, declared));
    assert_int_equal(n, 1024);
    OK(run1(declared, 1, 1024, NULL, params));
    OK(cuCtxSynchronize());
    context_down(ctx);
}

static const char ptx_vars[] =
    PTX_HEAD ".visible .global .align 4 .u32 counter = 41;\n"
             ".visible .const .align 4 .b8 table[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};\n"
             ".visible .entry bump()\n"
             "{\n"
             "  .reg .b32 %r<4>; .shared .align 4 .b8 buf[400];\n"
             "  ld.global.u32 %r1, [counter]; ld.const.u32 %r2, [table+8];\n"
             "  add.u32 %r3, %r1, %r2; st.global.u32 [counter], %r3;\n"
             "  ret;\n"
             "}\n";

static void globals_constants_and_attributes(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    CUfunction f;
    CUdeviceptr counter, table;
    size_t size;
    unsigned v, nine = 9, count;
    int n;
    const char *name;
    OK(cuModuleLoadData(&m, ptx_vars));
    OK(cuModuleGetFunction(&f, m, "bump"));
    OK(cuModuleGetFunctionCount(&count, m));
    assert_int_equal(count, 1);
    OK(cuFuncGetName(&name, f));
    assert_string_equal(name, "bump");
    FAILS(cuModuleGetFunction(&f, m, "absent"), CUDA_ERROR_NOT_FOUND);
    FAILS(cuModuleGetGlobal_v2(&counter, &size, m, "absent"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetGlobal_v2(&counter, &size, m, "counter"));
    assert_int_equal(size, 4);
    OK(cuModuleGetGlobal_v2(&table, &size, m, "table"));
    assert_int_equal(size, 12);
    OK(run1(f, 1, 1, NULL, NULL));
    OK(cuMemcpyDtoH_v2(&v, counter, 4));
    assert_int_equal(v, 41 + 3);
    OK(cuMemcpyHtoD_v2(table + 8, &nine, 4));
    OK(run1(f, 1, 1, NULL, NULL));
    OK(cuMemcpyDtoH_v2(&v, counter, 4));
    assert_int_equal(v, 41 + 3 + 9);
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    assert_int_equal(n, 400);
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f));
    assert_int_equal(n, 12);
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(n, 90);
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    assert_int_equal(n, 49152 - 400);
    FAILS(cuFuncGetAttribute(&n, 99, f), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, f));
    assert_int_equal(n, 50);
    FAILS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    OK(cuModuleUnload(m));
    context_down(ctx);
}

static void parameters_are_described(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_saxpy, "saxpy");
    static const size_t offsets[] = {0, 4, 8, 16}, sizes[] = {4, 4, 8, 8};
    for (size_t i = 0; i < 4; i++) {
        size_t offset, size;
        OK(cuFuncGetParamInfo(f, i, &offset, &size));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(size, sizes[i]);
    }
    size_t offset;
    FAILS(cuFuncGetParamInfo(f, 4, &offset, NULL), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

/* A write far outside: the error comes at the next synchronization and stays until the context goes. */
static void a_fault_is_sticky(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p, bad;
    unsigned v = 1;
    OK(cuMemAlloc_v2(&p, 64));
    bad = p + 4096;
    void *params[] = {&bad, &v};
    OK(run1(f, 1, 1, NULL, params));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    FAILS(cuMemcpyDtoH_v2(&v, p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    FAILS(cuMemAlloc_v2(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    FAILS(run1(f, 1, 1, NULL, params), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuCtxDestroy_v2(ctx));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    ctx = context_up();
    OK(cuCtxSynchronize());
    OK(cuMemAlloc_v2(&p, 4));
    context_down(ctx);
}

static void misaligned_and_trap(void **state)
{
    (void)state;
    static const char ptx_trap[] = PTX_HEAD ".visible .entry t() { trap; }\n";
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p, odd;
    unsigned v = 1;
    OK(cuMemAlloc_v2(&p, 64));
    odd = p + 2;
    void *params[] = {&odd, &v};
    OK(run1(f, 1, 1, NULL, params));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
    context_down(ctx);
    ctx = context_up();
    OK(run1(load(ptx_trap, "t"), 1, 1, NULL, NULL));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    context_down(ctx);
}

/* The primary context is cured by a reset, and has the same handle. */
static void a_reset_clears_the_primary_context(void **state)
{
    (void)state;
    CUcontext ctx, again;
    CUdeviceptr bad = 8;
    unsigned v = 1, flags;
    int active;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    void *params[] = {&bad, &v};
    OK(run1(load(ptx_store, "store"), 1, 1, NULL, params));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuDevicePrimaryCtxReset_v2(0));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    assert_ptr_equal(again, ctx);
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    OK(cuCtxSetCurrent(NULL));
}

static void launch_ex_and_attributes(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    CUdeviceptr p;
    unsigned v = 123, got = 0;
    OK(cuMemAlloc_v2(&p, 4));
    void *params[] = {&p, &v};
    CUlaunchAttribute attrs[2] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE}, {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}};
    attrs[0].value.cooperative = 1;
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 32,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = attrs,
                             .numAttrs = 2};
    OK(cuLaunchKernelEx(&config, f, params, NULL));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 123);
    config.gridDimX = 132 * 64 + 1; /* 64 warps an SM at most */
    FAILS(cuLaunchKernelEx(&config, f, params, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    attrs[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attrs[0].value.clusterDim.x = 2;
    attrs[0].value.clusterDim.y = attrs[0].value.clusterDim.z = 1;
    FAILS(cuLaunchKernelEx(&config, f, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE); /* of an odd number of blocks */
    config.gridDimX = 132 * 64;
    OK(cuLaunchKernelEx(&config, f, params, NULL));
    attrs[0].value.clusterDim.x = 0;
    FAILS(cuLaunchKernelEx(&config, f, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_gives_a_x_plus_y),
        cmocka_unit_test(extra_is_a_parameter_buffer),
        cmocka_unit_test(the_oldest_way_to_launch_works),
        cmocka_unit_test(launches_beyond_a_limit_are_refused),
        cmocka_unit_test(declared_block_sizes_bind),
        cmocka_unit_test(registers_limit_blocks_of_undeclared_size),
        cmocka_unit_test(globals_constants_and_attributes),
        cmocka_unit_test(parameters_are_described),
        cmocka_unit_test(a_fault_is_sticky),
        cmocka_unit_test(misaligned_and_trap),
        cmocka_unit_test(a_reset_clears_the_primary_context),
        cmocka_unit_test(launch_ex_and_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
