/* test_kernels.c - kernels and variables: registered as a compiler's code would, and loaded as libraries; launches,
 * attributes, occupancy, and what goes wrong with them. */
#include <string.h>

#include "runtime_test.h"

/* What compilers call; runtime/launch/registry.h and runtime_launch.h have the library's side. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName,
                              int ext, size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *hostFun);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

struct wrapper {
    int magic, version;
    const void *data;
    void *list;
};

static struct wrapper program = {0x466243B1, 1, ptx_program, NULL};
static char saxpy, store, add_total, absent; /* stand for host stubs: only their addresses matter */
static char total, weights;
static void *shared_total;
static void **handle;

static void registered(void)
{
    handle = __cudaRegisterFatBinary(&program);
    __cudaRegisterFunction(handle, &saxpy, &saxpy, "saxpy", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &store, &store, "store", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &add_total, &add_total, "add_total", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &absent, &absent, "absent", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &total, &total, "total", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &weights, &weights, "weights", 0, 16, 1, 0);
    __cudaRegisterManagedVar(handle, &shared_total, NULL, "shared_total", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static int set_up(void **state)
{
    (void)state;
    OK(cudaDeviceReset());
    (void)cudaGetLastError();
    registered();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    __cudaUnregisterFatBinary(handle);
    return 0;
}

static const dim3 one = {1, 1, 1};

static cudaError_t launch_store(void *p, unsigned v)
{
    void *args[] = {&p, &v};
    return cudaLaunchKernel(&store, one, one, args, 0, NULL);
}

static void a_kernel_runs(void **state)
{
    (void)state;
    enum { N = 100 };
    float x[N], y[N], a = 3;
    unsigned n = N;
    void *dx, *dy;
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 0.5f;
    OK(cudaMalloc(&dx, sizeof x));
    OK(cudaMalloc(&dy, sizeof y));
    OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    void *args[] = {&n, &a, &dx, &dy};
    OK(cudaLaunchKernel(&saxpy, (dim3){4, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL));
    OK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 3 * (float)i + 0.5f);
}

/* kernel<<<2, 3, 16, stream>>>() as nvcc spells it, one launch inside the arguments of another. */
static void configurations_are_a_stack(void **state)
{
    (void)state;
    dim3 g, b;
    size_t shared;
    cudaStream_t s;
    cudaKernel_t k = NULL;
    assert_int_equal(__cudaPushCallConfiguration((dim3){2, 1, 1}, (dim3){3, 1, 1}, 16, cudaStreamPerThread), 0);
    assert_int_equal(__cudaPushCallConfiguration(one, (dim3){7, 1, 1}, 0, NULL), 0);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
    assert_int_equal(b.x, 7);
    assert_null(s);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
    assert_int_equal(g.x, 2);
    assert_int_equal(b.x, 3);
    assert_int_equal(shared, 16);
    assert_ptr_equal(s, cudaStreamPerThread);
    FAILS(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaErrorMissingConfiguration);
    FAILS(cudaGetLastError(), cudaErrorMissingConfiguration);
    unsigned v = 77, back = 0;
    void *p;
    OK(cudaMalloc(&p, 4));
    OK(__cudaGetKernel(&k, &store));
    void *args[] = {&p, &v};
    OK(__cudaLaunchKernel(k, one, one, args, 0, NULL));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 77);
}

static void variables_have_addresses(void **state)
{
    (void)state;
    unsigned v = 0, by = 4;
    float w[4] = {1, 2, 3, 4}, back[2];
    size_t size;
    void *p, *args[] = {&by};
    OK(cudaGetSymbolSize(&size, &weights));
    assert_int_equal(size, 16);
    OK(cudaGetSymbolAddress(&p, &total));
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 7);
    OK(cudaMemcpyToSymbol(&weights, w, sizeof w, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(back, &weights, 8, 8, cudaMemcpyDeviceToHost));
    assert_true(back[0] == 3 && back[1] == 4);
    OK(cudaLaunchKernel(&add_total, one, (dim3){8, 1, 1}, args, 0, NULL));
    OK(cudaMemcpyFromSymbol(&v, &total, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 7 + 8 * 4);
    FAILS(cudaMemcpyToSymbol(&weights, w, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpyToSymbol(&weights, w, 16, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaGetSymbolAddress(&p, &saxpy), cudaErrorInvalidSymbol);
    FAILS(cudaGetSymbolAddress(&p, w), cudaErrorInvalidSymbol);
}

static void managed_variables_are_in_place_before_use(void **state)
{
    (void)state;
    unsigned by = 3;
    void *p, *args[] = {&by};
    assert_int_equal(__cudaInitModule(handle), 1);
    assert_non_null(shared_total);
    assert_int_equal(*(unsigned *)shared_total, 5);
    OK(cudaLaunchKernel(&add_total, one, one, args, 0, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(*(unsigned *)shared_total, 8);
    OK(cudaGetSymbolAddress(&p, shared_total));
    assert_ptr_equal(p, shared_total);
}

static void a_reset_brings_first_values_back(void **state)
{
    (void)state;
    unsigned v = 1, by = 1;
    void *args[] = {&by};
    OK(cudaLaunchKernel(&add_total, one, one, args, 0, NULL));
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&v, &total, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 7);
    OK(cudaLaunchKernel(&add_total, one, one, args, 0, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(*(unsigned *)shared_total, 6);
}

static void wrong_launches_have_cudas_codes(void **state)
{
    (void)state;
    unsigned v = 0;
    void *p, *args[] = {&p, &v};
    OK(cudaMalloc(&p, 4));
    FAILS(cudaLaunchKernel(&store, (dim3){0, 1, 1}, one, args, 0, NULL), cudaErrorInvalidConfiguration);
    FAILS(cudaLaunchKernel(&store, one, (dim3){1025, 1, 1}, args, 0, NULL), cudaErrorInvalidConfiguration);
    FAILS(cudaLaunchKernel(&store, one, (dim3){32, 33, 1}, args, 0, NULL), cudaErrorInvalidConfiguration);
    FAILS(cudaLaunchKernel(&store, (dim3){1, 65536, 1}, one, args, 0, NULL), cudaErrorInvalidConfiguration);
    FAILS(cudaLaunchKernel(&store, one, one, args, 1 << 20, NULL), cudaErrorInvalidValue);
    FAILS(cudaLaunchKernel(&absent, one, one, args, 0, NULL), cudaErrorInvalidDeviceFunction);
    FAILS(cudaLaunchKernel(&v, one, one, args, 0, NULL), cudaErrorInvalidResourceHandle);
    FAILS(cudaLaunchKernel(NULL, one, one, args, 0, NULL), cudaErrorInvalidResourceHandle);
    OK(cudaDeviceSynchronize()); /* none of these is sticky */
    FAILS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaGetLastError());
}

/* The launch itself succeeds; the fault shows at the next synchronisation and stays until the reset. */
static void a_fault_stays_until_the_reset(void **state)
{
    (void)state;
    void *p;
    OK(launch_store((void *)16, 1));
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    FAILS(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaPeekAtLastError(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(cudaMalloc(&p, 4));
    OK(launch_store(p, 1));
    OK(cudaDeviceSynchronize());
}

static void code_that_is_unregistered_is_gone(void **state)
{
    (void)state;
    void *p;
    OK(cudaMalloc(&p, 4));
    OK(launch_store(p, 1));
    __cudaUnregisterFatBinary(handle);
    FAILS(launch_store(p, 1), cudaErrorInvalidResourceHandle);
    FAILS(cudaGetSymbolAddress(&p, &total), cudaErrorInvalidSymbol);
    registered();
    OK(cudaMalloc(&p, 4));
    OK(launch_store(p, 1));
    OK(cudaDeviceSynchronize());
}

static void what_cannot_load_says_why_each_time(void **state)
{
    (void)state;
    static char stub;
    struct wrapper bad = {0x466243B1, 1, PTX_HEAD ".visible .entry broken()\n{\n    nonsense.u32;\n}\n", NULL};
    void **h = __cudaRegisterFatBinary(&bad);
    __cudaRegisterFunction(h, &stub, &stub, "broken", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(h);
    const cudaError_t e = cudaLaunchKernel(&stub, one, one, NULL, 0, NULL);
    assert_true(e == cudaErrorInvalidPtx || e == cudaErrorInvalidKernelImage);
    assert_int_equal(cudaLaunchKernel(&stub, one, one, NULL, 0, NULL), e);
    __cudaUnregisterFatBinary(h);
}

static void kernels_describe_themselves(void **state)
{
    (void)state;
    struct cudaFuncAttributes a;
    const char *name = NULL;
    size_t offset, size, room;
    int blocks = 0;
    memset(&a, 0xFF, sizeof a);
    OK(cudaFuncGetAttributes(&a, &saxpy));
    assert_int_equal(a.maxThreadsPerBlock, 1024);
    assert_int_equal(a.sharedSizeBytes, 0);
    assert_int_equal(a.ptxVersion, 90);
    assert_int_equal(a.maxDynamicSharedSizeBytes, 48 << 10);
    OK(cudaFuncSetAttribute(&saxpy, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    OK(cudaFuncGetAttributes(&a, &saxpy));
    assert_int_equal(a.maxDynamicSharedSizeBytes, 64 << 10);
    FAILS(cudaFuncSetAttribute(&saxpy, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30), cudaErrorInvalidValue);
    OK(cudaFuncGetName(&name, &saxpy));
    assert_string_equal(name, "saxpy");
    OK(cudaFuncGetParamInfo(&saxpy, 2, &offset, &size));
    assert_int_equal(offset, 8);
    assert_int_equal(size, 8);
    FAILS(cudaFuncGetAttributes(&a, &offset), cudaErrorInvalidResourceHandle);
    OK(cudaFuncSetCacheConfig(&saxpy, cudaFuncCachePreferL1));
    /* 2048 threads an SM of an H200, 256 a block; registers and shared memory do not limit this kernel */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &saxpy, 256, 0));
    assert_int_equal(blocks, 8);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, &saxpy, 1, 256));
    assert_true(room >= 48 << 10);
}

static void handles_are_functions_too(void **state)
{
    (void)state;
    cudaKernel_t k;
    cudaFunction_t f;
    unsigned v = 9, back = 0;
    void *p, *args[] = {&p, &v};
    OK(cudaMalloc(&p, 4));
    OK(cudaGetKernel(&k, &store));
    OK(cudaLaunchKernel(k, one, one, args, 0, NULL));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 9);
    OK(cudaGetFuncBySymbol(&f, &store));
    v = 10;
    OK(cudaLaunchKernel(f, one, one, args, 0, NULL));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 10);
    FAILS(cudaGetKernel(&k, &back), cudaErrorInvalidResourceHandle);
}

static void launches_have_attributes(void **state)
{
    (void)state;
    unsigned v = 5, back = 0;
    void *p, *args[] = {&p, &v};
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}};
    cudaLaunchConfig_t c = {.gridDim = one, .blockDim = one, .attrs = &cooperative, .numAttrs = 1};
    OK(cudaMalloc(&p, 4));
    OK(cudaLaunchKernelExC(&c, &store, args));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 5);
    c.gridDim.x = 1 << 20; /* cannot all be there at once */
    FAILS(cudaLaunchKernelExC(&c, &store, args), cudaErrorCooperativeLaunchTooLarge);
    FAILS(cudaLaunchCooperativeKernel(&store, c.gridDim, one, args, 0, NULL), cudaErrorCooperativeLaunchTooLarge);
    OK(cudaLaunchCooperativeKernel(&store, one, one, args, 0, NULL));
    OK(cudaDeviceSynchronize());
}

static void libraries_are_found_by_name(void **state)
{
    (void)state;
    cudaLibrary_t l;
    cudaKernel_t k, all[8];
    unsigned n = 0, v = 3, back = 0;
    size_t bytes;
    void *p, *variable, *args[] = {&p, &v};
    OK(cudaLibraryLoadData(&l, ptx_program, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernelCount(&n, l));
    assert_int_equal(n, 3);
    OK(cudaLibraryEnumerateKernels(all, 8, l));
    OK(cudaLibraryGetKernel(&k, l, "store"));
    assert_true(k == all[0] || k == all[1] || k == all[2]);
    FAILS(cudaLibraryGetKernel(&k, l, "stor"), cudaErrorSymbolNotFound);
    OK(cudaLibraryGetKernel(&k, l, "store"));
    OK(cudaMalloc(&p, 4));
    OK(cudaLaunchKernel(k, one, one, args, 0, NULL));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 3);
    OK(cudaLibraryGetGlobal(&variable, &bytes, l, "total"));
    assert_int_equal(bytes, 4);
    OK(cudaMemcpy(&back, variable, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 7);
    OK(cudaLibraryUnload(l));
    FAILS(cudaLaunchKernel(k, one, one, args, 0, NULL), cudaErrorInvalidResourceHandle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kernel_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(configurations_are_a_stack, set_up, tear_down),
        cmocka_unit_test_setup_teardown(variables_have_addresses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(managed_variables_are_in_place_before_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_brings_first_values_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_launches_have_cudas_codes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_stays_until_the_reset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(code_that_is_unregistered_is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_load_says_why_each_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_describe_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(handles_are_functions_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_have_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(libraries_are_found_by_name, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
