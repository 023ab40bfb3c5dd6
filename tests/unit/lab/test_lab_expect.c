/* test_lab_expect.c - the language of expectations: values by C's own rules, and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lab/expect.h"

static struct expect_names names;

static double value(const char *text)
{
    const char *error;
    double v = expect_eval(text, &names, &error);
    if (error)
        fail_msg("'%s': %s", text, error);
    return v;
}

static void refused(const char *text)
{
    const char *error;
    double v = expect_eval(text, &names, &error);
    if (!error)
        fail_msg("'%s' was accepted as %g", text, v);
    assert_true(isnan(v));
}

static int bind(void **state)
{
    (void)state;
    names.n = 0;
    expect_set(&names, "n", 1000);
    expect_set(&names, "bx", 128);
    expect_set(&names, "by", 0);
    return 0;
}

/* C evaluates the same text: precedence and associativity are not ours to choose. */
static void test_precedence(void **state)
{
    (void)state;
    double n = 1000, bx = 128;
#define SAME(e) assert_true(value(#e) == (double)(e))
    SAME(1 + 2 * 3 - 4);
    SAME((1 + 2) * 3);
    SAME(10 - 4 - 3);
    SAME(100 / 5 / 2);
    SAME(-3 + 2);
    SAME(2 * -3);
    SAME(1 + 2 == 3);
    SAME(n / bx);
    SAME(1 < 2 && 2 < 1);
    SAME(1 < 2 || 2 < 1);
    SAME((0 && 0) || 1);
    SAME(0 && (0 || 1));
    SAME(!(n == 3));
    SAME(!0 + 1);
    SAME(3 != 3);
    SAME(2 <= 2);
    SAME(2 >= 3);
    SAME(3 > 2);
#undef SAME
    assert_true(value("n % bx") == 1000 % 128);
    assert_true(value("7 % 4 * 2") == 7 % 4 * 2);
}

static void test_functions(void **state)
{
    (void)state;
    assert_true(value("ceil_div(1000, 128)") == 8);
    assert_true(value("ceil_div(1024, 128)") == 8);
    assert_true(value("ceil_div(1025, 128)") == 9);
    assert_true(value("min(3, 4) + max(3, 4)") == 7);
    assert_true(value("log2(bx)") == 7);
}

/* A condition guards what follows it. */
static void test_short_circuit(void **state)
{
    (void)state;
    assert_true(value("by != 0 && n % by == 0") == 0);
    assert_true(value("by == 0 || n / by == 0") == 1);
    refused("n % by");
    refused("n / by");
    refused("by == 0 && n / by == 0");
}

static void test_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       "1 +",    "(1",       "1)",         "nobody", "1 2",
                                      "min(1)", "log2()", "log2(0)",  "what(1, 2)", "1 = 1",  "&& 1",
                                      "1 &",    "$",      "max(1, 2", "min(1,2,3)"};
    for (u32 i = 0; i < LS_ARRAY_LEN(bad); i++)
        refused(bad[i]);
    char deep[2000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    refused(deep);
}

static void test_relations(void **state)
{
    (void)state;
    assert_true(expect_holds("==", 100.0 / 3, 33.333333333333));
    assert_false(expect_holds("==", 992, 991));
    assert_false(expect_holds("==", 8388608, 8388609));
    assert_false(expect_holds("==", 0, 1));
    assert_true(expect_holds("<=", 3, 3));
    assert_false(expect_holds("<=", 4, 3));
    assert_true(expect_holds(">=", 4, 3));
    assert_false(expect_holds(">=", 2, 3));
    assert_false(expect_holds("==", NAN, 3));
    assert_false(expect_holds("<=", NAN, 3));
    assert_false(expect_holds("==", 3, NAN));
}

static void test_read(void **state)
{
    (void)state;
    const char *source = "/* head\n */\n"
                         "// LET: whole = n % bx == 0\n"
                         "// EXPECT: a.sum == 4 * n when whole\n"
                         "// EXPECT: b.ratio <= 2\n"
                         "// CLAIM: c == 0\n"
                         "// CAUGHT: any n 1000 size 3x5 block 32x16\n"
                         "\n#include \"x\"\n// anything\n";
    struct arena mem = ARENA("test");
    struct diag_list diags;
    struct expectations e;
    diag_init(&diags);
    assert_int_equal(expect_read(source, "x.cu", &mem, &e, &diags), LS_OK);
    assert_int_equal(e.nlines, 4);
    assert_int_equal(e.lines[0].kind, EXPECT_LET);
    assert_string_equal(e.lines[0].subject, "whole");
    assert_string_equal(e.lines[0].formula, "n % bx == 0");
    assert_int_equal(e.lines[1].kind, EXPECT_MUST);
    assert_string_equal(e.lines[1].subject, "a.sum");
    assert_string_equal(e.lines[1].formula, "4 * n");
    assert_string_equal(e.lines[1].when, "whole");
    assert_int_equal(e.lines[1].line, 4);
    assert_string_equal(e.lines[2].relation, "<=");
    assert_null(e.lines[2].when);
    assert_int_equal(e.lines[3].kind, EXPECT_CLAIM);
    assert_int_equal(e.caught, CATCH_ANY);
    assert_int_equal(e.caught_at.n, 1000);
    assert_int_equal(e.caught_at.rows, 3);
    assert_int_equal(e.caught_at.cols, 5);
    assert_int_equal(e.caught_at.bx, 32);
    assert_int_equal(e.caught_at.by, 16);
    diag_free(&diags);
    arena_free(&mem);
}

static void test_read_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"// EXPECT: a = 3\n", "// EXPECT: a\n",         "// LET: x 3\n",
                                      "// CAUGHT: maybe\n", "// CAUGHT: any n\n",     "// CAUGHT: any size 3\n",
                                      "// EXPCT: a == 3\n", "// CAUGHT: any what 3\n"};
    for (u32 i = 0; i < LS_ARRAY_LEN(bad); i++) {
        struct arena mem = ARENA("test");
        struct diag_list diags;
        struct expectations e;
        diag_init(&diags);
        assert_int_equal(expect_read(bad[i], "x.cu", &mem, &e, &diags), LS_ERR_SYNTAX);
        assert_int_equal(diags.first->at.line, 1);
        assert_string_equal(diags.first->at.file, "x.cu");
        diag_free(&diags);
        arena_free(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_precedence, bind),    cmocka_unit_test_setup(test_functions, bind),
        cmocka_unit_test_setup(test_short_circuit, bind), cmocka_unit_test_setup(test_errors, bind),
        cmocka_unit_test_setup(test_relations, bind),     cmocka_unit_test_setup(test_read, bind),
        cmocka_unit_test_setup(test_read_errors, bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
