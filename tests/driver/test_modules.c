/* test_modules.c - images of every form, compile errors, the linker and the library API. */
#include "driver_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned run_and_read(CUfunction f)
{
    CUdeviceptr p;
    unsigned v = 31337, got = 0;
    OK(cuMemAlloc_v2(&p, 4));
    void *params[] = {&p, &v};
    OK(run1(f, 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    OK(cuMemFree_v2(p));
    return got;
}

/* A container with one stored PTX entry, as fatbin.h draws it. */
static size_t container(unsigned char *to, const char *ptx, unsigned kind, unsigned sm)
{
    size_t payload = (strlen(ptx) + 1 + 7) / 8 * 8;
    uint32_t magic = 0xBA55ED50, header = 0x40;
    uint16_t version = 1, size = 16, kind16 = (uint16_t)kind;
    uint64_t body = header + payload, payload64 = payload;
    memset(to, 0, 16 + header + payload);
    memcpy(to, &magic, 4);
    memcpy(to + 4, &version, 2);
    memcpy(to + 6, &size, 2);
    memcpy(to + 8, &body, 8);
    memcpy(to + 16, &kind16, 2);
    memcpy(to + 20, &header, 4);
    memcpy(to + 24, &payload64, 8);
    memcpy(to + 16 + 0x1c, &sm, 4);
    memcpy(to + 16 + header, ptx, strlen(ptx));
    return 16 + header + payload;
}

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *list;
};

static void every_form_of_image_loads(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    CUfunction f;
    unsigned char *fat = malloc(8192);
    container(fat, ptx_store, 1, 90);
    OK(cuModuleLoadData(&m, fat));
    OK(cuModuleGetFunction(&f, m, "store"));
    assert_int_equal(run_and_read(f), 31337);
    struct wrapper one = {0x466243B1, 1, fat, NULL};
    OK(cuModuleLoadFatBinary(&m, &one));
    OK(cuModuleGetFunction(&f, m, "store"));
    assert_int_equal(run_and_read(f), 31337);
    const void *list[] = {fat, NULL};
    struct wrapper two = {0x466243B1, 2, NULL, list};
    OK(cuModuleLoadData(&m, &two));
    OK(cuModuleGetFunction(&f, m, "store"));
    assert_int_equal(run_and_read(f), 31337);
    free(fat);
    context_down(ctx);
}

static void images_without_ptx_are_refused(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    unsigned char *fat = malloc(8192);
    container(fat, "code", 2, 90);
    FAILS(cuModuleLoadData(&m, fat), CUDA_ERROR_NO_BINARY_FOR_GPU);
    container(fat, ptx_store, 1, 100); /* PTX for a later GPU than sm_90 */
    FAILS(cuModuleLoadData(&m, fat), CUDA_ERROR_NO_BINARY_FOR_GPU);
    const unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    FAILS(cuModuleLoadData(&m, elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
    FAILS(cuModuleLoadData(&m, NULL), CUDA_ERROR_INVALID_VALUE);
    uint32_t broken[8] = {0xBA55ED50, 0x00100001, 16, 0, 0x00000001, 0x7fffffff, 0, 0};
    FAILS(cuModuleLoadData(&m, broken), CUDA_ERROR_INVALID_IMAGE);
    free(fat);
    context_down(ctx);
}

static void syntax_errors_go_to_the_log_buffer(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    char log[1024] = "?";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME,
                              CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, NULL, (void *)4};
    FAILS(cuModuleLoadDataEx(&m, PTX_HEAD ".visible .entry k() {\n  frobnicate.u32 %r1;\n  ret;\n}\n", 4, options,
                             values),
          CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, ":5:"));
    assert_non_null(strstr(log, "frobnicate"));
    assert_int_equal((uintptr_t)values[1], strlen(log) + 1);
    /* a small buffer is filled, and not beyond */
    char small[16];
    memset(small, '#', sizeof small);
    values[0] = small;
    values[1] = (void *)(uintptr_t)8;
    FAILS(cuModuleLoadDataEx(&m, "nonsense", 4, options, values), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(small[7], 0);
    assert_int_equal(small[8], '#');
    OK(cuModuleLoadDataEx(&m, ptx_store, 4, options, values));
    FAILS(cuModuleLoadDataEx(&m, ptx_store, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

static void files(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m;
    char path[] = "/tmp/lockstep-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    fputs(ptx_store, out);
    fclose(out);
    OK(cuModuleLoad(&m, path));
    /* bytes that are no image */
    out = fopen(path, "wb");
    for (int i = 0; i < 5000; i++)
        fputc(i * 167 + i / 3, out);
    fclose(out);
    FAILS(cuModuleLoad(&m, path), CUDA_ERROR_INVALID_IMAGE);
    fclose(fopen(path, "wb"));
    FAILS(cuModuleLoad(&m, path), CUDA_ERROR_INVALID_IMAGE);
    unlink(path);
    FAILS(cuModuleLoad(&m, path), CUDA_ERROR_FILE_NOT_FOUND);
    context_down(ctx);
}

static const char ptx_caller[] = PTX_HEAD
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".extern .global .align 4 .u32 bias;\n"
    ".visible .entry call_it(.param .u64 p, .param .u32 v)\n"
    "{\n"
    "  .reg .b32 %r<6>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
    "  ld.global.u32 %r3, [bias]; add.u32 %r4, %r2, %r3;\n"
    "  st.global.u32 [%rd1], %r4;\n"
    "  ret;\n"
    "}\n";
static const char ptx_callee[] = PTX_HEAD ".visible .global .align 4 .u32 bias = 5;\n"
                                          ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                                          "{\n"
                                          "  .reg .b32 %r<3>;\n"
                                          "  ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;\n"
                                          "  ret;\n"
                                          "}\n";

static void the_linker_joins_modules(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUlinkState link;
    CUmodule m;
    CUfunction f;
    void *image;
    size_t size;
    char log[512];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    OK(cuLinkCreate_v2(2, options, values, &link));
    OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)ptx_caller, sizeof ptx_caller, "caller.ptx", 0, NULL, NULL));
    FAILS(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_SOURCE); /* twice is missing */
    assert_non_null(strstr(log, "twice"));
    OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)ptx_callee, sizeof ptx_callee, "callee.ptx", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, &size));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&f, m, "call_it"));
    assert_int_equal(run_and_read(f), 2 * 31337 + 5);
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    FAILS(cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, (void *)"x", 1, "x", 0, NULL, NULL), CUDA_ERROR_NO_BINARY_FOR_GPU);
    FAILS(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)"garbage", 7, "g", 0, NULL, NULL), CUDA_ERROR_INVALID_PTX);
    FAILS(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkDestroy(link));
    context_down(ctx);
}

static void libraries_have_kernels(void **state)
{
    (void)state;
    CUlibrary lib, back;
    CUkernel k, all[2];
    CUfunction f;
    CUcontext ctx;
    unsigned n;
    int v;
    const char *name;
    size_t offset, size;
    OK(cuInit(0));
    OK(cuLibraryLoadData(&lib, ptx_store, NULL, NULL, 0, NULL, NULL, 0)); /* needs no context */
    OK(cuLibraryGetKernelCount(&n, lib));
    assert_int_equal(n, 1);
    OK(cuLibraryGetKernel(&k, lib, "store"));
    FAILS(cuLibraryGetKernel(&all[0], lib, "absent"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryEnumerateKernels(all, 2, lib));
    assert_ptr_equal(all[0], k);
    OK(cuKernelGetName(&name, k));
    assert_string_equal(name, "store");
    OK(cuKernelGetLibrary(&back, k));
    assert_ptr_equal(back, lib);
    OK(cuKernelGetParamInfo(k, 1, &offset, &size));
    assert_true(offset == 8 && size == 4);
    OK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    assert_int_equal(v, 1024);
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    OK(cuKernelGetFunction(&f, k));
    assert_int_equal(run_and_read(f), 31337);
    assert_int_equal(run_and_read((CUfunction)k), 31337); /* a kernel can be launched as it is */
    /* a reset takes its device state; the kernel still works afterwards */
    OK(cuDevicePrimaryCtxReset_v2(0));
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    assert_int_equal(run_and_read((CUfunction)k), 31337);
    OK(cuLibraryUnload(lib));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuCtxSetCurrent(NULL));
}

static void an_unknown_opcode_poisons_only_its_kernel(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".visible .entry good(.param .u64 p, .param .u32 v)\n"
                 "{ .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
                 "  st.global.u32 [%rd1], %r1; ret; }\n"
                 ".visible .entry bad(.param .u64 p, .param .u32 v)\n"
                 "{ .reg .b64 %rd<3>; .reg .b32 %r<6>; ld.param.u64 %rd1, [p];\n"
                 "  vadd.u32.u32.u32.sat %r3, %r1, %r2; ret; }\n";
    CUcontext ctx = context_up();
    CUmodule m;
    CUfunction good, bad;
    CUdeviceptr p = 0;
    unsigned v = 0;
    void *params[] = {&p, &v};
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&bad, m, "bad"));
    OK(cuModuleGetFunction(&good, m, "good"));
    FAILS(run1(bad, 1, 1, NULL, params), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuCtxSynchronize());
    assert_int_equal(run_and_read(good), 31337);
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_image_loads),
        cmocka_unit_test(images_without_ptx_are_refused),
        cmocka_unit_test(syntax_errors_go_to_the_log_buffer),
        cmocka_unit_test(files),
        cmocka_unit_test(the_linker_joins_modules),
        cmocka_unit_test(libraries_have_kernels),
        cmocka_unit_test(an_unknown_opcode_poisons_only_its_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
