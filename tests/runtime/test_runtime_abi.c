/* test_runtime_abi.c - our headers of the CUDA runtime API against a toolkit's: values, sizes, offsets, and that
 * nothing of the toolkit's is missing. Prototypes are compared while abi_theirs.c compiles. Built only where a toolkit
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "abi.h"

static void every_fact_is_the_toolkits(void **state)
{
    (void)state;
    assert_true(abi_ours_count > 1500);
    assert_int_equal(abi_ours_count, abi_theirs_count);
    for (unsigned i = 0; i < abi_ours_count; i++) {
        assert_string_equal(abi_ours[i].what, abi_theirs[i].what);
        if (abi_ours[i].value != abi_theirs[i].value)
            fail_msg("%s is %lld, the toolkit's is %lld", abi_ours[i].what, abi_ours[i].value, abi_theirs[i].value);
    }
}

/* ---- and the other way round ---- */

static const char *const functions[] = {
    "cudaGetErrorName", "cudaGetErrorString", "cudaGetLastError", "cudaPeekAtLastError", "cudaCreateChannelDesc",
#define API(name, when, threads, n, ...) #name,
#define STUB(name, threads, n, ...) #name,
#define ABSENT(name) #name,
#include "runtime/api.def"
};

static bool is_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i], name) == 0)
            return true;
    return false;
}

static bool is_fact(const char *name)
{
    for (unsigned i = 0; i < abi_ours_count; i++)
        if (strcmp(abi_ours[i].what, name) == 0)
            return true;
    return false;
}

static FILE *open_header(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CUDA_INCLUDE, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("cannot read %s", path);
    return f;
}

static void each_function_of_the_header_is_listed(void **state)
{
    (void)state;
    FILE *f = open_header("cuda_runtime_api.h");
    char line[4096], name[128];
    unsigned seen = 0;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "cudaError_t CUDARTAPI ");
        if (strstr(line, "typedef") || !at || sscanf(at + 22, "%127[A-Za-z0-9_]", name) != 1)
            continue;
        char *version = strstr(name, "_ptsz"); /* declared for the library's own build only */
        if (version || strstr(name, "_ptds"))
            continue;
        seen++;
        if (!is_function(name))
            fail_msg("%s is not in api.def", name);
    }
    fclose(f);
    assert_true(seen > 250);
}

/* "    cudaErrorUnknown = 999," */
static void each_enumerator_of_the_headers_is_ours(void **state)
{
    (void)state;
    static const char *const headers[] = {"driver_types.h", "texture_types.h", "surface_types.h", "library_types.h",
                                          "device_types.h"};
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        FILE *f = open_header(headers[i]);
        char line[4096], name[128], equals[2];
        while (fgets(line, sizeof line, f)) {
            if (line[0] != ' ' || sscanf(line, " %127[A-Za-z0-9_] %1[=]", name, equals) != 2)
                continue;
            if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "CUDA_", 5) != 0)
                continue;
            seen++;
            if (!is_fact(name))
                fail_msg("%s of %s is not in our headers", name, headers[i]);
        }
        fclose(f);
    }
    assert_true(seen > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fact_is_the_toolkits),
        cmocka_unit_test(each_function_of_the_header_is_listed),
        cmocka_unit_test(each_enumerator_of_the_headers_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
