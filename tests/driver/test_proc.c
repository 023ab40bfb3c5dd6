/* test_proc.c - cuGetProcAddress: every name, for every version and kind of default stream, against what NVIDIA's
 * driver answered (tests/hw/h200/proc-address.csv), and against the types of function pointers in a toolkit's headers.
 */
#include "driver_test.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row: from this version on the name means this function. */
struct row {
    char name[64], stream[16], function[64];
    int version;
};

static struct row rows[2048];
static unsigned nrows;

static int read_rows(void **state)
{
    (void)state;
    FILE *f = fopen(PROC_ADDRESS_CSV, "r");
    char line[256];
    if (!f || !fgets(line, sizeof line, f))
        return -1;
    while (nrows < sizeof rows / sizeof rows[0] && fgets(line, sizeof line, f)) {
        struct row *r = &rows[nrows];
        if (sscanf(line, "%63[^,],%15[^,],%d,%63s", r->name, r->stream, &r->version, r->function) == 4)
            nrows++;
    }
    fclose(f);
    return 0;
}

static bool same_name(const struct row *a, const struct row *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->stream, b->stream) == 0;
}

static cuuint64_t flags_of(const struct row *r)
{
    return strcmp(r->stream, "per_thread") == 0 ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                                : CU_GET_PROC_ADDRESS_DEFAULT;
}

static void expect_function(const struct row *r, int version)
{
    void *fn = NULL, *exported = dlsym(RTLD_DEFAULT, r->function);
    CUdriverProcAddressQueryResult status = 7;
    if (!exported)
        fail_msg("%s is not exported", r->function);
    OK(cuGetProcAddress_v2(r->name, &fn, version, flags_of(r), &status));
    if (fn != exported)
        fail_msg("%s (%s) for %d is not %s", r->name, r->stream, version, r->function);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
}

static void expect_none(const char *name, int version, cuuint64_t flags, CUdriverProcAddressQueryResult why)
{
    void *fn = &fn;
    CUdriverProcAddressQueryResult status = 7;
    OK(cuGetProcAddress_v2(name, &fn, version, flags, &status));
    assert_null(fn);
    assert_int_equal(status, why);
    fn = &fn;
    OK(cuGetProcAddress_v2(name, &fn, version, flags, NULL));
    assert_null(fn);
    fn = &fn;
    FAILS(cuGetProcAddress(name, &fn, version, flags), CUDA_ERROR_NOT_FOUND);
    assert_ptr_equal(fn, &fn);
}

static void every_answer_is_that_of_nvidias_driver(void **state)
{
    (void)state;
    assert_true(nrows > 1000);
    for (unsigned i = 0; i < nrows; i++) {
        const struct row *r = &rows[i];
        const bool more = i + 1 < nrows && same_name(r, r + 1);
        expect_function(r, r->version);
        expect_function(r, more ? r[1].version - 1 : CUDA_VERSION);
        if (i == 0 || !same_name(r, r - 1))
            expect_none(r->name, r->version - 1, flags_of(r), CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    }
}

static void what_there_is_not(void **state)
{
    (void)state;
    void *fn = &fn;
    expect_none("cuNoSuchFunction", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none("", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none("cuMem", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none("cuMemAlloc_v2", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none("cuLaunchKernel_ptsz", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none("cuInit", 0, 0, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    FAILS(cuGetProcAddress_v2("cuInit", &fn, 13010, 0, NULL), CUDA_ERROR_INVALID_VALUE); /* newer than the driver */
    FAILS(cuGetProcAddress_v2("cuInit", &fn, 13000, 4, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGetProcAddress("cuInit", &fn, 13000, 4), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(fn, &fn);
    FAILS(cuGetProcAddress_v2("cuInit", NULL, 13000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGetProcAddress("cuInit", NULL, 13000, 0), CUDA_ERROR_INVALID_VALUE);
}

/* What is not supported is found, and says so when it is called. */
static void a_function_that_is_not_supported(void **state)
{
    (void)state;
    CUresult (*import)(void);
    void *fn;
    OK(cuGetProcAddress_v2("cuImportExternalMemory", &fn, 13000, 0, NULL));
    memcpy(&import, &fn, sizeof import);
    FAILS(import(), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(import(), CUDA_ERROR_NOT_SUPPORTED);
}

/* ---- a toolkit's headers ---- */

/* PFN_cuMemAlloc_v3020 and PFN_cuMemcpy_v7000_ptds, as a toolkit names the type of what cuGetProcAddress returns. */
static void expect_type(const char *pfn)
{
    char name[96];
    CUdriverProcAddressQueryResult status;
    void *fn = NULL;
    snprintf(name, sizeof name, "%s", pfn);
    char *version = strstr(name, "_v");
    assert_non_null(version);
    *version = 0;
    version += 2;
    const bool twin = strstr(version, "_pt") != NULL;
    OK(cuGetProcAddress_v2(name, &fn, atoi(version), twin ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : 0,
                           &status));
    if (!fn || status != CU_GET_PROC_ADDRESS_SUCCESS)
        fail_msg("%s of a toolkit's header is not found", pfn);
    Dl_info info;
    assert_int_not_equal(dladdr(fn, &info), 0);
    const size_t n = strlen(name);
    if (strncmp(info.dli_sname, name, n) != 0 || (strstr(info.dli_sname + n, "_pt") != NULL) != twin)
        fail_msg("%s is %s", pfn, info.dli_sname);
}

/* Functions of Windows and of Tegra. */
static bool elsewhere(const char *name)
{
    return strncmp(name, "cuWGL", 5) == 0 || strncmp(name, "cuEventCreateFromEGLSync", 24) == 0;
}

static unsigned walk_header(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[4096], pfn[96];
    unsigned seen = 0;
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "*PFN_");
        if (!strstr(line, "typedef") || !at || elsewhere(at + 5) || sscanf(at + 5, "%95[A-Za-z0-9_]", pfn) != 1)
            continue;
        expect_type(pfn);
        seen++;
    }
    fclose(f);
    return seen;
}

static void every_type_of_a_toolkits_headers(void **state)
{
    (void)state;
    static const char *const headers[] = {"cudaTypedefs.h", "cudaProfilerTypedefs.h", "cudaGLTypedefs.h",
                                          "cudaEGLTypedefs.h", "cudaVDPAUTypedefs.h"};
    const char *folder = CUDA_HEADERS;
    unsigned seen = 0;
    char path[512];
    for (unsigned i = 0; i < sizeof headers / sizeof headers[0] && *folder; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, headers[i]);
        seen += walk_header(path);
    }
    if (seen == 0)
        skip(); /* there is no toolkit here */
    assert_true(seen > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_that_of_nvidias_driver),
        cmocka_unit_test(what_there_is_not),
        cmocka_unit_test(a_function_that_is_not_supported),
        cmocka_unit_test(every_type_of_a_toolkits_headers),
    };
    return cmocka_run_group_tests(tests, read_rows, NULL);
}
