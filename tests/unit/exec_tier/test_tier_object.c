/* test_tier_object.c - a compiler's object file loads and runs; one that is cut off or has wrong bytes is refused or loads,
 * and nothing else happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/tier/object.h"

static u8 file[1 << 16];
static size_t len;
static char why[256];

static int outside(int x) { return x + 1000; }

static const struct object_symbol symbols[] = {{"other", file}, {"outside", (const void *)outside}};

static enum ls_status load(struct object **o)
{
    return object_load(file, len, symbols, LS_ARRAY_LEN(symbols), o, why, sizeof why);
}

static int read_sample(void **state)
{
    (void)state;
    FILE *const f = fopen(SAMPLE, "rb");
    len = f ? fread(file, 1, sizeof file, f) : 0;
    return !f || fclose(f) || !len || len == sizeof file;
}

static void test_run(void **state)
{
    (void)state;
    struct object *o;
    if (load(&o))
        fail_msg("%s", why);
    int (*choose)(int, int) = (int (*)(int, int))object_function(o, "sample_choose");
    double (*constant)(int) = (double (*)(int))object_function(o, "sample_constant");
    const char *(*name)(unsigned) = (const char *(*)(unsigned))object_function(o, "sample_name");
    int (*call)(int) = (int (*)(int))object_function(o, "sample_call");
    const int wanted[] = {1007, 49, 2, 0x52, 1000, 15, ~7, -1};
    for (int i = 0; i < 8; i++)
        assert_int_equal(choose(i, 7), wanted[i]);
    assert_true(constant(1) == 1.375 && constant(2) == 3e300);
    assert_string_equal(name(4), "one");
    assert_int_equal(call(5), 1015);
    assert_null(object_function(o, "outside"));
    assert_null(object_function(o, ""));
    object_free(o);
}

static void test_unknown_name(void **state)
{
    (void)state;
    struct object *o;
    assert_int_equal(object_load(file, len, symbols, 1, &o, why, sizeof why), LS_ERR_NOT_FOUND);
    assert_null(o);
    assert_string_equal(why, "the compiled code wants `outside`, which nothing provides");
}

static void test_cut_off(void **state)
{
    (void)state;
    const size_t whole = len;
    for (len = 0; len < whole; len++) {
        u8 *const exact = malloc(len + 1); /* so that a sanitizer sees a read past the end */
        struct object *o;
        memcpy(exact, file, len);
        if (object_load(exact, len, symbols, LS_ARRAY_LEN(symbols), &o, why, sizeof why) == LS_OK)
            object_free(o);
        else
            assert_true(!o && *why);
        free(exact);
    }
}

static u64 random_state;

static u64 next(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

/* One to four bytes of the tables are changed: of the header, of the sections' headers, and anywhere. */
static void test_wrong_bytes(void **state)
{
    (void)state;
    u8 *const right = malloc(len);
    u64 sections, loaded = 0;
    memcpy(right, file, len);
    memcpy(&sections, file + 40, sizeof sections);
    for (int i = 0; i < 200000; i++) {
        memcpy(file, right, len);
        for (u64 k = next() % 4 + 1; k; k--) {
            const u64 kind = next() % 4;
            const u64 at = kind == 0 ? next() % 64 : kind == 1 ? sections + next() % (len - sections) : next() % len;
            file[at] = next() % 3 ? (u8)next() : (u8)(file[at] ^ (1 << next() % 8));
        }
        struct object *o;
        if (load(&o) == LS_OK)
            loaded++;
        object_free(o);
    }
    memcpy(file, right, len);
    free(right);
    assert_true(loaded > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_wrong_bytes),
    };
#if defined(__x86_64__)
    return cmocka_run_group_tests(tests, read_sample, NULL);
#else
    (void)tests;
    (void)read_sample;
    return 0;
#endif
}
