/* test_version.c - the public header: one version everywhere, every status has a name and a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lockstep.h"

static void test_version_is_the_projects(void **state)
{
    (void)state;
    /* LS_PROJECT_VERSION is what CMakeLists.txt says. */
    assert_string_equal(ls_version(), LS_PROJECT_VERSION);
    int major, minor, patch;
    assert_int_equal(sscanf(LS_PROJECT_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(ls_version_number(), major * 10000 + minor * 100 + patch);
    assert_int_equal(ls_version_number(), LS_VERSION);
}

static void test_statuses_are_named(void **state)
{
    (void)state;
    assert_string_equal(ls_status_name_at(0), "LS_OK");
    assert_string_equal(ls_status_text_at(0), "success");
    assert_true(ls_status_count() > 1);
    for (int i = 1; i < ls_status_count(); i++) {
        assert_int_equal(strncmp(ls_status_name_at(i), "LS_ERR_", 7), 0);
        assert_true(strlen(ls_status_text_at(i)) > 0);
        assert_string_not_equal(ls_status_name_at(i), ls_status_name_at(i - 1));
    }
}

static void test_other_numbers_are_none(void **state)
{
    (void)state;
    assert_null(ls_status_name_at(-1));
    assert_null(ls_status_text_at(-1));
    assert_null(ls_status_name_at(ls_status_count()));
    assert_null(ls_status_text_at(ls_status_count()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_is_the_projects),
        cmocka_unit_test(test_statuses_are_named),
        cmocka_unit_test(test_other_numbers_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
