/* test_cuda12.c - libcudart.so.12, for programs that were built by CUDA 12: its names, and structures as they were
 * then. It is opened at run time, as such a program would load it. Sizes and offsets are those of CUDA 12's headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <string.h>

static void *library;

static int open_library(void **state)
{
    (void)state;
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return 0;
}

static uintptr_t find(const char *name)
{
    void *f = dlsym(library, name);
    if (!f)
        fail_msg("libcudart.so.12 has no %s", name);
    return (uintptr_t)f;
}

/* One of its functions, which is of type int types. */
#define CALL(name, types, ...) (((int(*) types)find(name))(__VA_ARGS__))

static int get_attribute(int attribute)
{
    int value = -1;
    assert_int_equal(CALL("cudaDeviceGetAttribute", (int *, int, int), &value, attribute, 0), 0);
    return value;
}

static int int_at(const unsigned char *p, size_t offset)
{
    int v;
    memcpy(&v, p + offset, sizeof v);
    return v;
}

static void properties_have_the_old_layouts(void **state)
{
    (void)state;
    enum { V2 = 1032, V1 = 728 }; /* bytes of cudaDeviceProp in CUDA 12 and in CUDA 11 */
    unsigned char p[V2 + 8];
    memset(p, 0xA5, sizeof p);
    assert_int_equal(CALL("cudaGetDeviceProperties_v2", (void *, int), p, 0), 0);
    assert_int_equal(int_at(p, 308), 32);                 /* warpSize */
    assert_int_equal(int_at(p, 348), get_attribute(13));  /* clockRate */
    assert_int_equal(int_at(p, 360), get_attribute(75));  /* major */
    assert_int_equal(int_at(p, 388), get_attribute(16));  /* multiProcessorCount */
    assert_int_equal(int_at(p, 608), get_attribute(36));  /* memoryClockRate */
    assert_int_equal(int_at(p, 624), get_attribute(39));  /* maxThreadsPerMultiProcessor */
    assert_int_equal(int_at(p, 696), get_attribute(97));  /* sharedMemPerBlockOptin */
    assert_int_equal(int_at(p, 744), get_attribute(115)); /* memoryPoolsSupported */
    assert_int_equal(p[V2], 0xA5);
    memset(p, 0xA5, sizeof p);
    assert_int_equal(CALL("cudaGetDeviceProperties", (void *, int), p, 0), 0);
    assert_int_equal(int_at(p, 388), get_attribute(16));
    assert_int_equal(p[V1], 0xA5);
}

static void it_is_version_12(void **state)
{
    (void)state;
    int version = 0;
    assert_int_equal(CALL("cudaRuntimeGetVersion", (int *), &version), 0);
    assert_int_equal(version / 1000, 12);
}

static void pointers_have_24_bytes_of_attributes(void **state)
{
    (void)state;
    unsigned char a[32];
    void *p = NULL, *seen = NULL;
    memset(a, 0xA5, sizeof a);
    assert_int_equal(CALL("cudaMalloc", (void **, size_t), &p, 64), 0);
    assert_int_equal(CALL("cudaPointerGetAttributes", (void *, const void *), a, p), 0);
    assert_int_equal(int_at(a, 0), 2); /* cudaMemoryTypeDevice */
    memcpy(&seen, a + 8, sizeof seen);
    assert_ptr_equal(seen, p);
    assert_int_equal(a[24], 0xA5);
    assert_int_equal(CALL("cudaFree", (void *), p), 0);
}

/* Where memory should be was a device's number. */
static void managed_memory_is_advised_by_device(void **state)
{
    (void)state;
    void *p = NULL;
    const int read_mostly = 1;
    assert_int_equal(CALL("cudaMallocManaged", (void **, size_t, unsigned), &p, 4096, 1), 0);
    assert_int_equal(CALL("cudaMemAdvise", (const void *, size_t, int, int), p, 4096, read_mostly, 0), 0);
    assert_int_equal(CALL("cudaMemPrefetchAsync", (const void *, size_t, int, void *), p, 4096, 0, NULL), 0);
    assert_int_equal(CALL("cudaMemPrefetchAsync", (const void *, size_t, int, void *), p, 4096, -1, NULL),
                     0); /* the host */
    assert_int_equal(CALL("cudaThreadSynchronize", (void)), 0);
    assert_int_equal(CALL("cudaFree", (void *), p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_have_the_old_layouts),
        cmocka_unit_test(it_is_version_12),
        cmocka_unit_test(pointers_have_24_bytes_of_attributes),
        cmocka_unit_test(managed_memory_is_advised_by_device),
    };
    return cmocka_run_group_tests(tests, open_library, NULL);
}
