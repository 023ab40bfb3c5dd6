/* test_diag.c - lists of diagnostics: their text, their limit, and no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/diag.h"

static void assert_text(const struct diag_list *d, const char *want)
{
    char *text = diag_text(d);
    assert_non_null(text);
    assert_string_equal(text, want);
    ls_free(text);
}

static void empty_list_is_empty_text(void **state)
{
    (void)state;
    struct diag_list d;
    diag_init(&d);
    assert_text(&d, "");
    diag_free(&d);
}

static void place_source_caret_note(void **state)
{
    (void)state;
    struct diag_list d;
    char file[] = "reduce.ptx", line[] = "\tadd.fzt.f32 %f1;";
    diag_init(&d);
    struct diag *g = diag_add(&d, DIAG_ERROR, (struct diag_place){file, 41, 5}, "unknown modifier '.%s'", "fzt");
    diag_set_source(&d, g, line, strlen(line));
    diag_set_note(&d, g, "add takes %d modifiers", 3);
    memset(file, 'x', sizeof(file) - 1); /* the list has its own copies */
    memset(line, 'x', sizeof(line) - 1);
    diag_add(&d, DIAG_WARNING, (struct diag_place){"b.ptx", 7, 0}, "odd");
    diag_add(&d, DIAG_ERROR, (struct diag_place){NULL, 0, 0}, "no place");
    assert_int_equal(d.errors, 2);
    assert_int_equal(d.warnings, 1);
    assert_text(&d, "reduce.ptx:41:5: error: unknown modifier '.fzt'\n"
                    "\tadd.fzt.f32 %f1;\n"
                    "\t   ^\n"
                    "note: add takes 3 modifiers\n"
                    "b.ptx:7: warning: odd\n"
                    "lockstep: error: no place\n");
    diag_free(&d);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    struct diag_list d;
    diag_init(&d);
    struct diag *g = diag_add(&d, DIAG_ERROR, (struct diag_place){"f", 1, 2}, "bad");
    diag_set_source(&d, g, "a\033[31mb\r", 8);
    assert_text(&d, "f:1:2: error: bad\na [31mb \n ^\n");
    diag_free(&d);
}

static void more_than_the_limit_are_counted(void **state)
{
    (void)state;
    struct diag_list d;
    diag_init(&d);
    for (int i = 0; i < DIAG_MAX + 7; i++) {
        struct diag *g = diag_add(&d, DIAG_ERROR, (struct diag_place){"f", (u32)i + 1, 1}, "e");
        assert_int_equal(g != NULL, i < DIAG_MAX);
        diag_set_note(&d, g, "of a dropped one too");
    }
    assert_int_equal(d.errors, DIAG_MAX + 7);
    assert_int_equal(d.dropped, 7);
    char *text = diag_text(&d);
    assert_non_null(strstr(text, "\n7 more not shown\n"));
    ls_free(text);
    diag_free(&d);
    assert_int_equal(d.errors, 0);
}

static long fail_at, requests;

static void *failing_realloc(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return ++requests == fail_at ? NULL : realloc(p, size);
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    long total = 1;
    for (fail_at = 1; fail_at <= total; fail_at++) {
        struct diag_list d;
        requests = 0;
        ls_set_realloc(failing_realloc, NULL);
        diag_init(&d);
        for (int i = 0; i < 5; i++) {
            struct diag *g = diag_add(&d, DIAG_ERROR, (struct diag_place){"file", 1, 1}, "%3000d", i);
            diag_set_source(&d, g, "text", 4);
            diag_set_note(&d, g, "%2000d", i);
        }
        ls_free(diag_text(&d));
        assert_int_equal(d.errors, 5);
        diag_free(&d);
        ls_set_realloc(NULL, NULL);
        total = requests;
    }
    assert_true(fail_at > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_list_is_empty_text),
        cmocka_unit_test(place_source_caret_note),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(more_than_the_limit_are_counted),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
