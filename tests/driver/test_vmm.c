/* test_vmm.c - memory that programs map themselves: pieces at consecutive addresses are one vector to copies and
 * kernels, a piece at two addresses is the same bytes, and what is unmapped, closed or read-only may not be touched so. */
#include "driver_test.h"

#include <string.h>
#include <unistd.h>

enum { PIECE = 2 << 20 };

static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc writing = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc reading = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READ};

static CUmemGenericAllocationHandle piece(void)
{
    CUmemGenericAllocationHandle h;
    OK(cuMemCreate(&h, PIECE, &on_device, 0));
    return h;
}

static CUresult store(CUdeviceptr at, unsigned value)
{
    CUfunction f = load(ptx_store, "store");
    void *params[] = {&at, &value};
    CUresult r = run1(f, 1, 1, NULL, params);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
}

static unsigned word(CUdeviceptr at)
{
    unsigned v;
    OK(cuMemcpyDtoH_v2(&v, at, 4));
    return v;
}

/* n floats in as many pieces as it takes; the handles are released at once, as the mappings keep the pieces. */
static CUdeviceptr vector(size_t bytes)
{
    CUdeviceptr at;
    OK(cuMemAddressReserve(&at, bytes, 0, 0, 0));
    for (size_t k = 0; k < bytes; k += PIECE) {
        CUmemGenericAllocationHandle h = piece();
        OK(cuMemMap(at + k, PIECE, 0, h, 0));
        OK(cuMemRelease(h));
    }
    OK(cuMemSetAccess(at, bytes, &writing, 1));
    return at;
}

static void pieces_in_a_row_are_one_vector(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    enum { BYTES = 3 * PIECE };
    static float host[BYTES / 4];
    size_t g, free0, free1, total;
    OK(cuMemGetAllocationGranularity(&g, &on_device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    assert_int_equal(g, PIECE);
    OK(cuMemGetInfo_v2(&free0, &total));
    CUdeviceptr x = vector(BYTES), y = vector(BYTES);
    OK(cuMemGetInfo_v2(&free1, &total));
    assert_int_equal(free0 - free1, 2 * BYTES);
    unsigned n = BYTES / 4;
    for (unsigned i = 0; i < n; i++)
        host[i] = (float)(i % 1000);
    OK(cuMemcpyHtoD_v2(x, host, BYTES)); /* across the borders */
    OK(cuMemsetD32_v2(y, 0x3f800000, n));
    float a = 2;
    void *params[] = {&n, &a, &x, &y};
    OK(run1(load(ptx_saxpy, "saxpy"), (n + 255) / 256, 256, NULL, params));
    OK(cuMemcpyDtoH_v2(host, y, BYTES));
    for (unsigned i = 0; i < n; i++)
        assert_true(host[i] == 2 * (float)(i % 1000) + 1);
    FAILS(cuMemcpyHtoD_v2(x + 4, host, BYTES), CUDA_ERROR_INVALID_VALUE); /* one word too far */
    FAILS(cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemAddressFree(x, BYTES), CUDA_ERROR_INVALID_VALUE); /* something is mapped */
    FAILS(cuMemUnmap(x, PIECE / 2), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(x, BYTES));
    FAILS(cuMemUnmap(x, BYTES), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(y + PIECE, PIECE)); /* one of three */
    FAILS(cuMemcpyHtoD_v2(y, host, BYTES), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(y, PIECE));
    OK(cuMemUnmap(y + 2 * PIECE, PIECE));
    OK(cuMemAddressFree(x, BYTES));
    FAILS(cuMemAddressFree(y, PIECE), CUDA_ERROR_INVALID_VALUE); /* not a part of it */
    OK(cuMemAddressFree(y, BYTES));
    OK(cuMemGetInfo_v2(&free1, &total));
    assert_int_equal(free0, free1);
    context_down(ctx);
}

static void a_piece_at_two_addresses_is_the_same_bytes(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUdeviceptr p, start;
    size_t size;
    CUmemGenericAllocationHandle h = piece(), same;
    CUmemAllocationProp prop;
    OK(cuMemAddressReserve(&p, 4 * PIECE, 0, 0, 0));
    OK(cuMemMap(p, PIECE, 0, h, 0));
    OK(cuMemMap(p + 2 * PIECE, PIECE, 0, h, 0));
    FAILS(cuMemMap(p, PIECE, 0, h, 0), CUDA_ERROR_INVALID_VALUE);             /* something is there */
    FAILS(cuMemMap(p + 4 * PIECE, PIECE, 0, h, 0), CUDA_ERROR_INVALID_VALUE); /* behind the reservation */
    FAILS(cuMemMap(p + PIECE, PIECE, PIECE, h, 0), CUDA_ERROR_INVALID_VALUE); /* an offset */
    FAILS(cuMemMap(p + PIECE, 2 * PIECE, 0, h, 0), CUDA_ERROR_INVALID_VALUE); /* longer than the piece */
    OK(cuMemSetAccess(p, PIECE, &writing, 1));
    OK(cuMemSetAccess(p + 2 * PIECE, PIECE, &writing, 1));
    FAILS(cuMemSetAccess(p, 3 * PIECE, &writing, 1), CUDA_ERROR_INVALID_VALUE); /* a hole */
    OK(store(p + 400, 77));
    assert_int_equal(word(p + 2 * PIECE + 400), 77);
    OK(cuMemsetD32_v2(p + 2 * PIECE + 400, 78, 1));
    assert_int_equal(word(p + 400), 78);

    OK(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(p + 5)));
    assert_true(same == h);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, h));
    assert_memory_equal(&prop, &on_device, sizeof prop);
    OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 2 * PIECE + 9));
    assert_true(start == p);
    OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, p + 2 * PIECE + 9));
    assert_true(start == p + 2 * PIECE);
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, p));
    assert_int_equal(size, PIECE);

    OK(cuMemUnmap(p, PIECE)); /* the handles and the other mapping still have it */
    OK(cuMemMap(p + PIECE, PIECE, 0, h, 0));
    OK(cuMemSetAccess(p + PIECE, PIECE, &reading, 1));
    assert_int_equal(word(p + PIECE + 400), 78);
    OK(cuMemUnmap(p + PIECE, 2 * PIECE));
    OK(cuMemRelease(h));
    OK(cuMemRelease(same));
    FAILS(cuMemRelease(h), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(p, 4 * PIECE));
    context_down(ctx);
}

static CUdeviceptr mapped(const CUmemAccessDesc *access)
{
    CUdeviceptr p;
    CUmemGenericAllocationHandle h = piece();
    OK(cuMemAddressReserve(&p, 2 * PIECE, 0, 0, 0));
    OK(cuMemMap(p, PIECE, 0, h, 0));
    OK(cuMemRelease(h));
    if (access)
        OK(cuMemSetAccess(p, PIECE, access, 1));
    return p;
}

static void drop(CUdeviceptr p)
{
    OK(cuMemUnmap(p, PIECE));
    OK(cuMemAddressFree(p, 2 * PIECE));
}

/* A kernel's store there ends the context. */
static void store_faults(CUdeviceptr at)
{
    CUcontext ctx = context_up();
    FAILS(store(at, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    context_down(ctx);
}

static void rights_are_kept(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    unsigned long long flags;
    unsigned v = 5;
    CUdeviceptr rw = mapped(&writing), ro = mapped(&reading), none = mapped(NULL);
    OK(cuMemGetAccess(&flags, &writing.location, ro));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemGetAccess(&flags, &writing.location, none));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    FAILS(cuMemGetAccess(&flags, &writing.location, rw + PIECE), CUDA_ERROR_INVALID_VALUE);
    OK(store(rw, 1));
    OK(store(rw + PIECE - 4, 1));
    assert_int_equal(word(ro), 0);
    FAILS(cuMemcpyHtoD_v2(ro, &v, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyDtoH_v2(&v, none, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemsetD32_v2(ro, 1, 1), CUDA_ERROR_INVALID_VALUE);
    store_faults(ro);
    store_faults(none);
    store_faults(rw + PIECE);
    OK(cuMemUnmap(rw, PIECE));
    store_faults(rw);
    OK(cuMemAddressFree(rw, 2 * PIECE));
    store_faults(rw);
    drop(ro);
    drop(none);
    context_down(ctx);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmemGenericAllocationHandle h;
    CUdeviceptr p, there;
    CUmemAllocationProp host = on_device, fabric = on_device, other = on_device;
    host.location.type = CU_MEM_LOCATION_TYPE_HOST;
    fabric.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    other.location.id = 1;
    FAILS(cuMemCreate(&h, PIECE, &host, 0), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuMemCreate(&h, PIECE, &fabric, 0), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuMemCreate(&h, PIECE, &other, 0), CUDA_ERROR_INVALID_DEVICE);
    FAILS(cuMemCreate(&h, PIECE + 1, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemCreate(&h, (size_t)1 << 50, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
    FAILS(cuMemAddressReserve(&p, 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressReserve(&p, PIECE, 64 << 20, 0, 0));
    assert_int_equal(p % (64 << 20), 0);
    OK(cuMemAddressFree(p, PIECE));
    OK(cuMemAddressReserve(&there, PIECE, 0, p, 0)); /* where it was, as nobody took it */
    assert_true(there == p);
    OK(cuMemAddressFree(there, PIECE));
    context_down(ctx);
}

static void pieces_travel_as_descriptors(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmemAllocationProp prop = on_device;
    CUmemGenericAllocationHandle h, closed = piece(), again;
    CUdeviceptr p;
    int fd = -1;
    FAILS(cuMemExportToShareableHandle(&fd, closed, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
          CUDA_ERROR_INVALID_VALUE); /* it was not asked for */
    OK(cuMemRelease(closed));
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemCreate(&h, PIECE, &prop, 0));
    OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    assert_int_equal(close(fd), 0);
    OK(cuMemAddressReserve(&p, 2 * PIECE, 0, 0, 0));
    OK(cuMemMap(p, PIECE, 0, h, 0));
    OK(cuMemMap(p + PIECE, PIECE, 0, again, 0));
    OK(cuMemSetAccess(p, 2 * PIECE, &writing, 1));
    OK(store(p + 40, 9));
    assert_int_equal(word(p + PIECE + 40), 9);
    OK(cuMemUnmap(p, 2 * PIECE));
    OK(cuMemRelease(h));
    OK(cuMemRelease(again));
    OK(cuMemAddressFree(p, 2 * PIECE));
    FAILS(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
          CUDA_ERROR_INVALID_VALUE); /* stdin is none */
    context_down(ctx);
}

/* What the library says on stderr of a request for an export table. */
static size_t said_of(const unsigned char id[16])
{
    static char text[1000];
    const void *table;
    CUuuid uuid;
    int ends[2], kept = dup(2);
    memcpy(&uuid, id, 16);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], 2);
    close(ends[1]);
    const CUresult r = cuGetExportTable(&table, &uuid);
    dup2(kept, 2); /* the pipe's last writer goes */
    close(kept);
    const ssize_t n = read(ends[0], text, sizeof text);
    close(ends[0]);
    FAILS(r, CUDA_ERROR_NOT_SUPPORTED);
    return (size_t)n;
}

/* The tables that CUDA 13.0's NVRTC and its runtime were seen to ask for. */
static void only_the_runtime_is_named(void **state)
{
    (void)state;
    static const unsigned char nvrtc[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                            0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28},
                               runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    assert_int_equal(said_of(nvrtc), 0);
    assert_true(said_of(runtime) > 0);
    assert_int_equal(said_of(runtime), 0); /* once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_a_row_are_one_vector),
        cmocka_unit_test(a_piece_at_two_addresses_is_the_same_bytes),
        cmocka_unit_test(rights_are_kept),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(pieces_travel_as_descriptors),
        cmocka_unit_test(only_the_runtime_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
