/* test_abi.c - our declarations of the driver API against a toolkit's header: values, sizes, offsets, and that every
 * function of the header is in api.def or stubs.def. Prototypes are compared while abi_theirs.c compiles. Built only
 * where a toolkit is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

static void every_fact_is_the_toolkits(void **state)
{
    (void)state;
    assert_true(abi_ours_count > 500);
    assert_int_equal(abi_ours_count, abi_theirs_count);
    for (unsigned i = 0; i < abi_ours_count; i++) {
        assert_string_equal(abi_ours[i].what, abi_theirs[i].what);
        if (abi_ours[i].value != abi_theirs[i].value)
            fail_msg("%s is %ld, the toolkit's is %ld", abi_ours[i].what, abi_ours[i].value, abi_theirs[i].value);
    }
}

static const char *const functions[] = {
#define NAMES__(name) #name,
#define NAMES_SZ(name) #name, #name "_ptsz",
#define NAMES_DS(name) #name, #name "_ptds",
#define API(name, when, threads, n, ...) NAMES_##threads(name)
#include "driver/api.def"
#undef API
#define STUB(name, threads) NAMES_##threads(name)
#include "driver/stubs.def"
#undef STUB
};

static bool listed(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i], name) == 0)
            return true;
    return false;
}

/* The names of functions in a header: what stands between CUDAAPI and '('. */
static void each_function_of_the_header_is_listed(void **state)
{
    (void)state;
    FILE *f = fopen(CUDA_HEADER, "r");
    assert_non_null(f);
    char line[4096], name[128];
    unsigned seen = 0;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "CUresult CUDAAPI ");
        if (!at || strstr(line, "static inline") || sscanf(at + 17, "%127[A-Za-z0-9_]", name) != 1)
            continue;
        seen++;
        if (!listed(name))
            fail_msg("%s is neither in api.def nor in stubs.def", name);
    }
    fclose(f);
    assert_true(seen > 400);
}

static void no_function_is_listed_twice(void **state)
{
    (void)state;
    size_t n = sizeof functions / sizeof functions[0];
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (strcmp(functions[i], functions[k]) == 0)
                fail_msg("%s stands twice", functions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fact_is_the_toolkits),
        cmocka_unit_test(each_function_of_the_header_is_listed),
        cmocka_unit_test(no_function_is_listed_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
