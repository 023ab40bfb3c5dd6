/* test_memory.c - allocations of every kind, pointer attributes, copies and fills of every shape. */
#include "driver_test.h"

#include <stdlib.h>
#include <string.h>

static void allocations_are_aligned_and_checked(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUdeviceptr p, q, base;
    size_t size, free0, free1, total, device_total;
    OK(cuMemGetInfo_v2(&free0, &total));
    OK(cuDeviceTotalMem_v2(&device_total, 0));
    assert_int_equal(total, device_total);
    OK(cuMemAlloc_v2(&p, 1000));
    OK(cuMemAlloc_v2(&q, 1));
    assert_int_equal(p % 256, 0);
    assert_int_equal(q % 256, 0);
    OK(cuMemGetInfo_v2(&free1, &total));
    assert_true(free1 <= free0 - 1001);
    OK(cuMemGetAddressRange_v2(&base, &size, p + 999));
    assert_true(base == p && size == 1000);
    FAILS(cuMemGetAddressRange_v2(&base, &size, p + 1000), CUDA_ERROR_NOT_FOUND);
    FAILS(cuMemAlloc_v2(&q, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemAlloc_v2(&q, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
    FAILS(cuMemFree_v2(p + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(p));
    FAILS(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(0));
    context_down(ctx);
    ctx = context_up();
    OK(cuMemGetInfo_v2(&free1, &total)); /* q went with its context */
    assert_int_equal(free0, free1);
    context_down(ctx);
}

static int attribute(CUpointer_attribute a, CUdeviceptr p)
{
    int v = -1;
    OK(cuPointerGetAttribute(&v, a, p));
    return v;
}

static void pointers_know_what_they_are(void **state)
{
    (void)state;
    CUcontext ctx = context_up(), owner;
    CUdeviceptr device, managed, mapped;
    void *pinned, *host = malloc(4096);
    unsigned flags;
    OK(cuMemAlloc_v2(&device, 100));
    OK(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_PORTABLE));
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 99), CU_MEMORYTYPE_DEVICE);
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned), CU_MEMORYTYPE_HOST);
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 1);
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED, device), 0);
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device), 0);
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, device));
    assert_ptr_equal(owner, ctx);
    FAILS(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)host), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemHostGetFlags(&flags, pinned));
    assert_int_equal(flags, CU_MEMHOSTALLOC_PORTABLE);
    memset((void *)managed, 7, 100); /* the host reaches it */

    FAILS(cuMemHostUnregister(host), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemHostRegister_v2(host, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
    FAILS(cuMemHostRegister_v2(host, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostGetDevicePointer_v2(&mapped, host, 0));
    assert_int_equal(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mapped), CU_MEMORYTYPE_HOST);
    OK(cuMemHostUnregister(host));

    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    int type = 9, ordinal = 9;
    void *out[] = {&type, &ordinal};
    OK(cuPointerGetAttributes(2, wanted, out, (CUdeviceptr)host));
    assert_int_equal(type, 0);
    assert_int_equal(ordinal, -2);
    OK(cuMemFreeHost(pinned));
    FAILS(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(managed));
    free(host);
    context_down(ctx);
}

/* A kernel writes into registered host memory. */
static void kernels_reach_registered_memory(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load(ptx_store, "store");
    unsigned *host = aligned_alloc(4096, 4096), v = 0xabcd;
    memset(host, 0, 4096);
    CUdeviceptr p = (CUdeviceptr)(host + 3);
    void *params[] = {&p, &v};
    OK(cuMemHostRegister_v2(host, 4096, 0));
    OK(run1(f, 1, 1, NULL, params));
    OK(cuCtxSynchronize());
    assert_int_equal(host[3], 0xabcd);
    OK(cuMemHostUnregister(host));
    OK(run1(f, 1, 1, NULL, params));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    free(host);
    context_down(ctx);
}

static void linear_copies(void **state)
{
    (void)state;
    enum { N = 1 << 18 }; /* above what is copied at once */
    CUcontext ctx = context_up();
    unsigned char *a = malloc(N), *b = malloc(N);
    CUdeviceptr p, q;
    CUstream s;
    for (int i = 0; i < N; i++)
        a[i] = (unsigned char)(i * 7 + i / 251);
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&p, N));
    OK(cuMemAlloc_v2(&q, N));
    OK(cuMemcpyHtoDAsync_v2(p, a, N, s));
    OK(cuMemcpyDtoDAsync_v2(q, p, N, s));
    OK(cuMemcpyDtoHAsync_v2(b, q, N, s)); /* pageable: done when the call returns */
    assert_memory_equal(a, b, N);
    memset(b, 0, N);
    OK(cuMemcpy((CUdeviceptr)b, q, N));
    assert_memory_equal(a, b, N);
    OK(cuMemcpyDtoD_v2(q + 1, q, 1000)); /* overlapping */
    OK(cuMemcpyDtoH_v2(b, q, 1001));
    assert_memory_equal(a, b + 1, 1000);
    FAILS(cuMemcpyHtoD_v2(p + 1, a, N), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyHtoD_v2((CUdeviceptr)b, a, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyDtoH_v2(b, p + N, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyHtoD_v2(p, a, 0));
    free(a);
    free(b);
    context_down(ctx);
}

/* A pageable source may be changed as soon as the call returns, also while the stream is busy. */
static void a_pageable_source_is_taken_at_once(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction spin = load(ptx_spin, "spin");
    CUdeviceptr p, flag;
    CUstream s;
    unsigned source = 1, got = 0;
    void *mapped;
    OK(cuMemHostAlloc(&mapped, 4, 0));
    *(volatile unsigned *)mapped = 0;
    flag = (CUdeviceptr)mapped;
    void *params[] = {&flag};
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&p, 4));
    OK(run1(spin, 1, 1, s, params));
    OK(cuMemcpyHtoDAsync_v2(p, &source, 4, s));
    source = 2;
    __atomic_store_n((unsigned *)mapped, 1, __ATOMIC_RELEASE);
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    assert_int_equal(got, 1);
    context_down(ctx);
}

static void copies_of_boxes(void **state)
{
    (void)state;
    enum { W = 37, H = 5, D = 3 };
    CUcontext ctx = context_up();
    unsigned char src[D][H][W], dst[D][H][W], part[2][3];
    CUdeviceptr p;
    size_t pitch;
    for (int i = 0; i < D * H * W; i++)
        ((unsigned char *)src)[i] = (unsigned char)(i % 253);
    memset(dst, 0, sizeof dst);
    OK(cuMemAllocPitch_v2(&p, &pitch, W, H * D, 4));
    assert_int_equal(pitch % 512, 0);
    assert_true(pitch >= W);
    CUDA_MEMCPY3D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = src,
                        .srcPitch = W,
                        .srcHeight = H,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .dstHeight = H,
                        .WidthInBytes = W,
                        .Height = H,
                        .Depth = D};
    OK(cuMemcpy3D_v2(&up));
    CUDA_MEMCPY3D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = p,
                          .srcPitch = pitch,
                          .srcHeight = H,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = dst,
                          .dstPitch = W,
                          .dstHeight = H,
                          .WidthInBytes = W,
                          .Height = H,
                          .Depth = D};
    OK(cuMemcpy3DAsync_v2(&down, NULL));
    OK(cuCtxSynchronize());
    assert_memory_equal(src, dst, sizeof src);
    /* 3 bytes from column 4 of rows 2 and 3 */
    CUDA_MEMCPY2D piece = {.srcXInBytes = 4,
                           .srcY = 2,
                           .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = p,
                           .srcPitch = pitch,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = part,
                           .dstPitch = 3,
                           .WidthInBytes = 3,
                           .Height = 2};
    OK(cuMemcpy2D_v2(&piece));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++)
            assert_int_equal(part[y][x], src[0][2 + y][4 + x]);
    piece.srcY = H * D - 1; /* the second row is beyond the allocation */
    FAILS(cuMemcpy2D_v2(&piece), CUDA_ERROR_INVALID_VALUE);
    piece.srcY = 0;
    piece.dstPitch = 2; /* narrower than a row */
    FAILS(cuMemcpy2D_v2(&piece), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

static void fills_of_every_size(void **state)
{
    (void)state;
    enum { N = 3001 };
    CUcontext ctx = context_up();
    CUdeviceptr p;
    static unsigned words[N];
    unsigned short *halves = (unsigned short *)words;
    unsigned char *bytes = (unsigned char *)words;
    OK(cuMemAlloc_v2(&p, sizeof words));
    OK(cuMemsetD32_v2(p, 0x01020304, N));
    OK(cuMemcpyDtoH_v2(words, p, sizeof words));
    for (int i = 0; i < N; i++)
        assert_int_equal(words[i], 0x01020304);
    OK(cuMemsetD16Async(p + 2, 0xbeef, 2 * N - 1, NULL));
    OK(cuMemcpyDtoH_v2(words, p, sizeof words));
    assert_int_equal(halves[0], 0x0304);
    for (int i = 1; i < 2 * N; i++)
        assert_int_equal(halves[i], 0xbeef);
    OK(cuMemsetD8_v2(p, 0, sizeof words));
    OK(cuMemsetD2D8_v2(p + 1, 100, 0x55, 3, 4)); /* 3 bytes of 4 rows, 100 bytes apart */
    OK(cuMemcpyDtoH_v2(words, p, sizeof words));
    for (int i = 0; i < (int)sizeof words; i++)
        assert_int_equal(bytes[i], i < 400 && i % 100 >= 1 && i % 100 <= 3 ? 0x55 : 0);
    FAILS(cuMemsetD32_v2(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemsetD32_v2(p, 0, N + 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemsetD2D32_v2(p, 4, 0, 2, 2), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

static void memory_in_stream_order(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction store = load(ptx_store, "store");
    CUmemoryPool pool, mine;
    CUstream s;
    CUdeviceptr p, q;
    uint64_t used, high;
    unsigned v = 6, got = 0;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocAsync(&p, 4096, s));
    void *params[] = {&p, &v};
    OK(run1(store, 1, 1, s, params));
    OK(cuMemcpyDtoHAsync_v2(&got, p, 4, s));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 4096);
    /* freed is freed, also while the stream has not come there */
    volatile unsigned *flag;
    OK(cuMemAllocHost_v2((void **)(uintptr_t)&flag, 4));
    *flag = 0;
    void *until[] = {&flag};
    OK(run1(load(ptx_spin, "spin"), 1, 1, s, until));
    OK(cuMemFreeAsync(p, s));
    FAILS(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE);
    *flag = 1;
    OK(cuStreamSynchronize(s));
    assert_int_equal(got, 6);
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    assert_int_equal(used, 0);
    assert_int_equal(high, 4096);
    FAILS(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    OK(cuMemPoolCreate(&mine, &props));
    OK(cuMemAllocFromPoolAsync(&q, 100, mine, s));
    OK(cuMemFree_v2(q));
    OK(cuMemPoolDestroy(mine));
    /* a kernel that uses freed memory is told so */
    OK(run1(store, 1, 1, s, params));
    FAILS(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    context_down(ctx);
}

static void pools_by_place(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmemoryPool first, got, mine;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0}, none = {0};
    const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device};
    OK(cuDeviceGetDefaultMemPool(&first, 0));
    OK(cuMemGetDefaultMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_equal(got, first);
    OK(cuMemPoolCreate(&mine, &props));
    OK(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
    OK(cuMemGetMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_equal(got, mine);
    OK(cuDeviceGetMemPool(&got, 0));
    assert_ptr_equal(got, mine);
    OK(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, first));
    OK(cuMemPoolDestroy(mine));
    FAILS(cuMemGetMemPool(&got, &host, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuMemGetMemPool(&got, &none, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemGetMemPool(&got, NULL, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

static void advice_needs_managed_memory(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUdeviceptr managed, device;
    OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAlloc_v2(&device, 4096));
    OK(cuMemPrefetchAsync(managed, 4096, 0, NULL));
    FAILS(cuMemPrefetchAsync(device, 4096, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemPrefetchAsync(managed, 4096, 3, NULL), CUDA_ERROR_INVALID_DEVICE);
    OK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    FAILS(cuMemAdvise(managed, 4097, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
    context_down(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_checked),
        cmocka_unit_test(pointers_know_what_they_are),
        cmocka_unit_test(kernels_reach_registered_memory),
        cmocka_unit_test(linear_copies),
        cmocka_unit_test(a_pageable_source_is_taken_at_once),
        cmocka_unit_test(copies_of_boxes),
        cmocka_unit_test(fills_of_every_size),
        cmocka_unit_test(memory_in_stream_order),
        cmocka_unit_test(pools_by_place),
        cmocka_unit_test(advice_needs_managed_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
