/* test_runtime.c - devices, memory, copies, streams, events and errors. Expected values are those of CUDA's manual. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_test.h"

static int fresh(void **state)
{
    (void)state;
    OK(cudaDeviceReset());
    (void)cudaGetLastError();
    return 0;
}

/* ---- devices ---- */

static void there_is_a_device(void **state)
{
    (void)state;
    int n = 0, d = -1, version = 0, value = 0;
    struct cudaDeviceProp p;
    OK(cudaGetDeviceCount(&n));
    assert_true(n >= 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&d));
    assert_int_equal(d, 0);
    FAILS(cudaSetDevice(n), cudaErrorInvalidDevice);
    FAILS(cudaSetDevice(-1), cudaErrorInvalidDevice);
    OK(cudaGetDevice(&d));
    assert_int_equal(d, 0);
    FAILS(cudaGetDeviceProperties(&p, n), cudaErrorInvalidDevice);
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version, 13000);
    OK(cudaDriverGetVersion(&version));
    assert_true(version >= 13000);
    FAILS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, n), cudaErrorInvalidDevice);
    FAILS(cudaGetDeviceCount(NULL), cudaErrorInvalidValue);
}

/* Two ways to the same facts. */
static void properties_are_the_attributes(void **state)
{
    (void)state;
    struct cudaDeviceProp p;
    memset(&p, 0xAA, sizeof p);
    OK(cudaGetDeviceProperties(&p, 0));
    const struct {
        enum cudaDeviceAttr attr;
        long long value;
    } pairs[] = {
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)p.sharedMemPerBlockOptin},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long long)p.sharedMemPerMultiprocessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)p.reservedSharedMemPerBlock},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrPciBusId, p.pciBusID},
        {cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        int value = -1;
        OK(cudaDeviceGetAttribute(&value, pairs[i].attr, 0));
        if (value != pairs[i].value)
            fail_msg("attribute %d is %d, the property %lld", (int)pairs[i].attr, value, pairs[i].value);
    }
    assert_int_equal(p.warpSize, 32);
    assert_true(p.name[0] && strlen(p.name) < sizeof p.name);
    assert_int_equal(p.reserved[55], 0);
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    assert_int_equal(total, p.totalGlobalMem);
    assert_true(free_bytes <= total);
}

static void a_device_is_found_again(void **state)
{
    (void)state;
    char id[32];
    int d = -1, can = -1;
    struct cudaDeviceProp want = {.major = 2};
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&d, id));
    assert_int_equal(d, 0);
    d = -1;
    OK(cudaChooseDevice(&d, &want));
    assert_int_equal(d, 0);
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    FAILS(cudaDeviceEnablePeerAccess(0, 1), cudaErrorInvalidValue);
    FAILS(cudaDeviceEnablePeerAccess(7, 0), cudaErrorInvalidDevice);
}

static void limits_and_flags_are_kept(void **state)
{
    (void)state;
    size_t v;
    unsigned flags;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    assert_int_equal(v, 4096);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    OK(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
    assert_int_equal(v, 1 << 20);
    FAILS(cudaDeviceGetLimit(&v, (enum cudaLimit)99), cudaErrorInvalidValue);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & cudaDeviceScheduleMask, cudaDeviceScheduleBlockingSync);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    FAILS(cudaSetDeviceFlags(0x1000), cudaErrorInvalidValue);
}

/* ---- memory ---- */

static void memory_comes_and_goes(void **state)
{
    (void)state;
    void *p = NULL, *q = (void *)1;
    OK(cudaMalloc(&p, 1000));
    assert_non_null(p);
    OK(cudaFree(p));
    OK(cudaFree(NULL));
    OK(cudaMalloc(&q, 0));
    assert_null(q);
    FAILS(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
    FAILS(cudaGetLastError(), cudaErrorMemoryAllocation);
    FAILS(cudaFree((void *)8), cudaErrorInvalidValue);
    FAILS(cudaMalloc(NULL, 8), cudaErrorInvalidValue);
    OK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal)); /* nothing, as cudaMalloc: measured on an H200 */
    assert_null(p);
    FAILS(cudaMallocManaged(&p, 8, 0), cudaErrorInvalidValue);
}

static void pointers_say_what_they_are(void **state)
{
    (void)state;
    struct cudaPointerAttributes a;
    int local = 0;
    void *device, *pinned, *managed, *mapped;
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&a, device));
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    assert_ptr_equal(a.devicePointer, device);
    assert_int_equal(a.device, 0);
    OK(cudaPointerGetAttributes(&a, pinned));
    assert_int_equal(a.type, cudaMemoryTypeHost);
    assert_ptr_equal(a.hostPointer, pinned);
    OK(cudaPointerGetAttributes(&a, managed));
    assert_int_equal(a.type, cudaMemoryTypeManaged);
    assert_ptr_equal(a.devicePointer, managed);
    assert_ptr_equal(a.hostPointer, managed);
    OK(cudaPointerGetAttributes(&a, &local));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    assert_null(a.devicePointer);
    assert_ptr_equal(a.hostPointer, &local);
    OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    assert_non_null(mapped);
    OK(cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
}

static void host_memory_is_registered_once(void **state)
{
    (void)state;
    unsigned flags;
    void *p = aligned_alloc(4096, 8192), *on_device;
    OK(cudaHostRegister(p, 8192, cudaHostRegisterMapped));
    FAILS(cudaHostRegister(p, 8192, cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&on_device, p, 0));
    OK(cudaHostUnregister(p));
    FAILS(cudaHostUnregister(p), cudaErrorHostMemoryNotRegistered);
    free(p);
    OK(cudaHostAlloc(&p, 100, cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags & cudaHostAllocMapped, cudaHostAllocMapped);
    FAILS(cudaHostAlloc(&on_device, 100, 0x80), cudaErrorInvalidValue);
    OK(cudaFreeHost(p));
}

/* ---- copies ---- */

static void bytes_go_there_and_back(void **state)
{
    (void)state;
    unsigned char out[300], back[300];
    void *a, *b;
    for (int i = 0; i < 300; i++)
        out[i] = (unsigned char)(i * 7);
    OK(cudaMalloc(&a, 300));
    OK(cudaMalloc(&b, 300));
    OK(cudaMemcpy(a, out, 300, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, 300, cudaMemcpyDeviceToDevice));
    memset(back, 0, sizeof back);
    OK(cudaMemcpy(back, b, 300, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, out, 300);
    OK(cudaMemset(b, 0x5A, 299));
    OK(cudaMemcpy(back, b, 300, cudaMemcpyDefault));
    assert_int_equal(back[298], 0x5A);
    assert_int_equal(back[299], out[299]);
    memset(back, 0, sizeof back);
    OK(cudaMemcpy(back, out, 300, cudaMemcpyHostToHost));
    assert_memory_equal(back, out, 300);
    OK(cudaMemcpyPeer(b, 0, a, 0, 300));
    OK(cudaMemcpy(back, b, 300, cudaMemcpyDefault));
    assert_memory_equal(back, out, 300);
    FAILS(cudaMemcpy(a, out, 4, (enum cudaMemcpyKind)5), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemcpy(a, out, 301, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    OK(cudaMemcpy(a, NULL, 0, cudaMemcpyHostToDevice));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static void many_copies_are_one_call(void **state)
{
    (void)state;
    char a[4] = "abc", b[4] = "xyz", back[2][4];
    void *p, *q;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&p, 4));
    OK(cudaMalloc(&q, 4));
    void *const dsts[] = {p, q, back[0], back[1]};
    const void *const srcs[] = {a, b, q, p};
    const size_t sizes[] = {4, 4, 4, 4};
    struct cudaMemcpyAttributes attr = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    size_t first = 0;
    OK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 4, &attr, &first, 1, s));
    OK(cudaStreamSynchronize(s));
    assert_memory_equal(back[0], b, 4);
    assert_memory_equal(back[1], a, 4);
    FAILS(cudaMemcpyBatchAsync(dsts, srcs, sizes, 4, &attr, &first, 1, NULL), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(p));
    OK(cudaFree(q));
}

/* A 5 x 3 rectangle inside pitched memory; the rest stays as it was. */
static void rectangles_keep_their_pitch(void **state)
{
    (void)state;
    unsigned char host[3][8], back[3][5];
    size_t pitch;
    void *p;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 8; x++)
            host[y][x] = (unsigned char)(10 * y + x);
    OK(cudaMallocPitch(&p, &pitch, 5, 3));
    assert_true(pitch >= 5);
    assert_int_equal(pitch % 4, 0);
    OK(cudaMemset2D(p, pitch, 0xEE, 5, 3));
    OK(cudaMemcpy2D(p, pitch, &host[0][1], 8, 4, 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 5, p, pitch, 5, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 3; y++) {
        assert_memory_equal(back[y], &host[y][1], 4);
        assert_int_equal(back[y][4], 0xEE);
    }
    FAILS(cudaMemcpy2D(p, 4, host, 8, 5, 3, cudaMemcpyHostToDevice), cudaErrorInvalidValue); /* as on an H200 */
    OK(cudaMemcpy2D(p, pitch, host, 8, 0, 3, cudaMemcpyHostToDevice));
    OK(cudaFree(p));
}

static void boxes_are_copied_with_offsets(void **state)
{
    (void)state;
    unsigned char host[4][5][6], back[4][5][6]; /* z, y, x */
    for (unsigned i = 0; i < sizeof host; i++)
        (&host[0][0][0])[i] = (unsigned char)i;
    struct cudaPitchedPtr p;
    const struct cudaExtent all = {6, 5, 4};
    OK(cudaMalloc3D(&p, all));
    assert_int_equal(p.xsize, 6);
    assert_int_equal(p.ysize, 5);
    struct cudaMemcpy3DParms in = {
        .srcPtr = {host, 6, 6, 5}, .dstPtr = p, .extent = all, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&in));
    OK(cudaMemset3D((struct cudaPitchedPtr){(char *)p.ptr + 1, p.pitch, 6, 5}, 0xFF, (struct cudaExtent){2, 3, 4}));
    memset(back, 0, sizeof back);
    struct cudaMemcpy3DParms out = {.srcPtr = p,
                                    .srcPos = {1, 0, 2},
                                    .dstPtr = {back, 6, 6, 5},
                                    .dstPos = {0, 1, 1},
                                    .extent = {4, 4, 2},
                                    .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&out));
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 6; x++) {
                const bool inside = x < 4 && y >= 1 && y < 5 && z >= 1 && z < 3;
                const int sx = x + 1, sy = y - 1, sz = z + 1;
                const int want = !inside ? 0 : sx >= 1 && sx < 3 && sy < 3 ? 0xFF : (sz * 5 + sy) * 6 + sx;
                assert_int_equal(back[z][y][x], want);
            }
    struct cudaMemcpy3DParms two = in;
    two.srcArray = (cudaArray_t)p.ptr;
    FAILS(cudaMemcpy3D(&two), cudaErrorInvalidValue);
    OK(cudaFree(p.ptr));
}

/* ---- streams and events ---- */

static void streams_run_in_order(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaEvent_t before, after;
    int low, high, priority = 1;
    unsigned flags = 0;
    unsigned char back[64];
    void *p;
    float ms = -1;
    OK(cudaDeviceGetStreamPriorityRange(&low, &high));
    assert_true(high <= low);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, high));
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(priority, high);
    OK(cudaStreamGetFlags(s, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    OK(cudaEventCreate(&before));
    OK(cudaEventCreateWithFlags(&after, cudaEventBlockingSync));
    OK(cudaMallocAsync(&p, 64, s));
    OK(cudaEventRecord(before, s));
    OK(cudaMemsetAsync(p, 1, 64, s));
    OK(cudaMemsetAsync(p, 2, 32, s));
    OK(cudaEventRecord(after, s));
    OK(cudaMemcpyAsync(back, p, 64, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaEventSynchronize(after));
    OK(cudaEventElapsedTime(&ms, before, after));
    assert_true(ms >= 0);
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamQuery(s));
    assert_int_equal(back[31], 2);
    assert_int_equal(back[32], 1);
    OK(cudaEventDestroy(before));
    OK(cudaEventDestroy(after));
    OK(cudaStreamDestroy(s));
    FAILS(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    FAILS(cudaStreamCreateWithFlags(&s, 4), cudaErrorInvalidValue);
}

static void count(void *counter) { ++*(int *)counter; }

static void count_ten(cudaStream_t s, cudaError_t status, void *counter)
{
    (void)s;
    if (status == cudaSuccess)
        *(int *)counter += 10;
}

static void the_host_is_called_in_the_stream(void **state)
{
    (void)state;
    cudaStream_t s;
    int n = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaLaunchHostFunc(s, count, &n));
    OK(cudaStreamAddCallback(s, count_ten, &n, 0));
    OK(cudaStreamSynchronize(s));
    assert_int_equal(n, 11);
    FAILS(cudaStreamAddCallback(s, NULL, &n, 0), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
}

static void pools_are_the_devices(void **state)
{
    (void)state;
    cudaMemPool_t pool, own;
    uint64_t threshold = 1 << 20, back = 0;
    void *p;
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                           .location = {cudaMemLocationTypeDevice, 0}};
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &back));
    assert_int_equal(back, threshold);
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMallocFromPoolAsync(&p, 128, own, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaDeviceSynchronize());
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
}

/* ---- errors ---- */

static void names_and_texts_are_cudas(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}

static void *other_thread(void *seen)
{
    *(cudaError_t *)seen = cudaPeekAtLastError();
    return NULL;
}

static void the_last_error_is_a_threads(void **state)
{
    (void)state;
    pthread_t t;
    cudaError_t seen = cudaErrorUnknown;
    void *p;
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    FAILS(cudaSetDevice(99), cudaErrorInvalidDevice);
    OK(cudaMalloc(&p, 4)); /* success does not hide it */
    OK(cudaFree(p));
    assert_int_equal(pthread_create(&t, NULL, other_thread, &seen), 0);
    pthread_join(t, NULL);
    assert_int_equal(seen, cudaSuccess);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/* A stub says so, once, and with its name. */
static void what_is_not_there_is_named(void **state)
{
    (void)state;
    cudaExternalMemory_t memory;
    FAILS(cudaImportExternalMemory(&memory, NULL), cudaErrorNotSupported);
    FAILS(cudaGetLastError(), cudaErrorNotSupported);
}

static void the_drivers_functions_are_found(void **state)
{
    (void)state;
    enum cudaDriverEntryPointQueryResult q;
    int (*count_devices)(int *) = NULL;
    void *f = NULL;
    int n = 0;
    OK(cudaGetDriverEntryPoint("cuDeviceGetCount", &f, cudaEnableDefault, &q));
    assert_int_equal(q, cudaDriverEntryPointSuccess);
    memcpy(&count_devices, &f, sizeof f);
    assert_int_equal(count_devices(&n), 0);
    assert_true(n >= 1);
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &f, 12000, cudaEnableDefault, &q));
    assert_int_equal(q, cudaDriverEntryPointSymbolNotFound);
    assert_null(f);
    f = &f; /* without a place to say it, no error either */
    OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &f, cudaEnableDefault, NULL));
    assert_null(f);
    OK(cudaGetDriverEntryPointByVersion("cuGreenCtxCreate", &f, 12000, cudaEnableDefault, &q));
    assert_int_equal(q, cudaDriverEntryPointVersionNotSufficent);
    FAILS(cudaGetDriverEntryPointByVersion("cuInit", &f, 13010, cudaEnableDefault, &q), cudaErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(there_is_a_device, fresh),
        cmocka_unit_test_setup(properties_are_the_attributes, fresh),
        cmocka_unit_test_setup(a_device_is_found_again, fresh),
        cmocka_unit_test_setup(limits_and_flags_are_kept, fresh),
        cmocka_unit_test_setup(memory_comes_and_goes, fresh),
        cmocka_unit_test_setup(pointers_say_what_they_are, fresh),
        cmocka_unit_test_setup(host_memory_is_registered_once, fresh),
        cmocka_unit_test_setup(bytes_go_there_and_back, fresh),
        cmocka_unit_test_setup(many_copies_are_one_call, fresh),
        cmocka_unit_test_setup(rectangles_keep_their_pitch, fresh),
        cmocka_unit_test_setup(boxes_are_copied_with_offsets, fresh),
        cmocka_unit_test_setup(streams_run_in_order, fresh),
        cmocka_unit_test_setup(the_host_is_called_in_the_stream, fresh),
        cmocka_unit_test_setup(pools_are_the_devices, fresh),
        cmocka_unit_test_setup(names_and_texts_are_cudas, fresh),
        cmocka_unit_test_setup(the_last_error_is_a_threads, fresh),
        cmocka_unit_test_setup(what_is_not_there_is_named, fresh),
        cmocka_unit_test_setup(the_drivers_functions_are_found, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
