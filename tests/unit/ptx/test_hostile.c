/* test_hostile.c - input that means harm: cut off, garbled, nested deeply, huge; and no memory, for every allocation.
 *
 * The assertions are those of the parser's contract (a module or messages, never both or neither); the sanitizers of
 * the asan preset watch the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

static void quietly(const char *text, size_t len)
{
    char *said;
    ptx_free(parse_text(text, len, "hostile", &said));
    ls_free(said);
}

static void cut_off_anywhere(void **state)
{
    (void)state;
    size_t len;
    char *text = read_file("tests/unit/ptx/data/nvcc-lineinfo.ptx", &len);
    assert_non_null(text);
    for (size_t n = 0; n < len; n += 7)
        quietly(text, n);
    ls_free(text);
}

static void garbled_anywhere(void **state)
{
    (void)state;
    static const char evil[] = "{}()[];,:.%$_|@!-+0x\"/*\n\0\377";
    size_t len;
    char *text = read_file("tests/unit/ptx/data/clang.ptx", &len);
    u32 seed = 12345;
    assert_non_null(text);
    for (int round = 0; round < 3000; round++) {
        seed = seed * 1664525 + 1013904223; /* Numerical Recipes' generator */
        const size_t at = seed % len;
        const char was = text[at];
        text[at] = evil[(seed >> 24) % sizeof(evil)];
        quietly(text, len);
        text[at] = was;
    }
    ls_free(text);
}

/* head, piece n times, tail */
static char *repeat(const char *head, const char *piece, size_t n, const char *tail, size_t *len)
{
    const size_t h = strlen(head), p = strlen(piece), t = strlen(tail);
    char *text = ls_calloc(h + p * n + t + 1, 1);
    assert_non_null(text);
    memcpy(text, head, h);
    for (size_t i = 0; i < n; i++)
        memcpy(text + h + i * p, piece, p);
    memcpy(text + h + p * n, tail, t);
    *len = h + p * n + t;
    return text;
}

static void nested_deeply(void **state)
{
    (void)state;
    static const char entry[] = ".version 9.0\n.target sm_90\n.entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; ";
    static const char *const pieces[][3] = {
        {".version 9.0\n.target sm_90\n.entry k() ", "{", ""},
        {".version 9.0\n.target sm_90\n.global .u32 x = ", "(", "1;"},
        {".version 9.0\n.target sm_90\n.global .u32 x = ", "-", "1;"},
        {".version 9.0\n.target sm_90\n.global .u32 x = 1", "?1:1", ";"},
        {".version 9.0\n.target sm_90\n.global .u32 x = ", "1?", "1;"},
        {".version 9.0\n.target sm_90\n.global .u32 x = 1", "+1*2", ";"},
        {".version 9.0\n.target sm_90\n.global .u32 x", "[1]", ";"},
        {".version 9.0\n.target sm_90\n.global .u32 x[4] = ", "{", "1;"},
        {entry, "mov.b64 {", ""},
        {"", "{", ""},
        {"", "}", ""},
        {"", ".version", ""},
        {entry, "[", ""},
        {entry, "a:", "ret; }"},
        {entry, "add.s32 ", ";"},
        {".version 9.0\n.target sm_90\n", "/*", ""},
        {entry, ".u32", ";"},
        {entry, "{ {", "} }"},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(pieces); i++) {
        size_t len;
        char *text = repeat(pieces[i][0], pieces[i][1], 50000, pieces[i][2], &len);
        quietly(text, len);
        ls_free(text);
    }
    /* braces that close are a program: 100,000 deep and legal */
    size_t a, b;
    char *open = repeat(entry, "{", 100000, "ret;", &a);
    char *text = repeat(open, "}", 100001, "", &b);
    ptx_free(must_parse(text));
    ls_free(open);
    ls_free(text);
}

/* Mistakes by the hundred thousand, each of which would be searched for from the end: bounded, so this takes no time.
 */
static void many_mistakes_take_no_time(void **state)
{
    (void)state;
    static const char entry[] = ".version 9.0\n.target sm_90\n.entry k() {\n";
    static const char *const pieces[] = {"bra x;\n", "add.s32 1, 2;\n", "y: y:\n", ".x;\n"};
    for (size_t i = 0; i < LS_ARRAY_LEN(pieces); i++) {
        size_t len;
        char *said, *text = repeat(entry, pieces[i], 300000, "}", &len);
        assert_null(parse_text(text, len, "many", &said));
        assert_non_null(strstr(said, "more not shown"));
        ls_free(said);
        ls_free(text);
    }
}

static void promises_of_size_cost_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ".version 9.0\n.target sm_90\n.global .b8 x[99999999999999] = {1};",
        ".version 9.0\n.target sm_90\n.global .b8 x[4294967296][4294967296][4294967296];",
        ".version 9.0\n.target sm_90\n.global .b8 x[2][281474976710655] = {{1},{2}};",
        ".version 9.0\n.target sm_90\n.file 4000000000 \"x\"",
        ".version 9.0\n.target sm_90\n.entry k() { .loc 4000000000 1 1\n ret; }",
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(texts); i++) {
        char *said;
        assert_null(parse_text(texts[i], strlen(texts[i]), "huge", &said));
        assert_non_null(strstr(said, "large"));
        ls_free(said);
    }
    struct ptx_module *m = must_parse(".version 9.0\n.target sm_90\n.entry k() { .reg .b32 %r<2000000000>;\n"
                                      "mov.b32 %r1999999999, %r7; ret; }");
    assert_int_equal(m->funcs[0]->nregs, 2);
    assert_true(m->mem.total < 100000);
    ptx_free(m);
}

struct failing {
    long live, requests, fail_at;
};

static void *failing_realloc(void *ctx, void *p, size_t size)
{
    struct failing *f = ctx;
    if (size == 0) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (++f->requests == f->fail_at)
        return NULL;
    f->live += p == NULL;
    return realloc(p, size);
}

/* Parse and print with the n-th allocation failing, for every n until nothing fails. */
static void no_memory(const char *text, size_t len, bool good)
{
    bool all = false;
    for (long n = 1; !all; n++) {
        struct failing f = {.fail_at = n};
        struct diag_list diags;
        struct ptx_module *m;
        char *printed = NULL;
        ls_set_realloc(failing_realloc, &f);
        diag_init(&diags);
        const enum ls_status s = ptx_parse(text, len, "x.ptx", &m, &diags);
        if (s == LS_OK)
            printed = ptx_print(m);
        all = f.requests < n;
        if (all) {
            assert_int_equal(s, good ? LS_OK : LS_ERR_SYNTAX);
            assert_int_equal(printed != NULL, good);
        } else {
            assert_true(s == LS_ERR_NOMEM || !good || printed == NULL);
        }
        assert_int_equal(s == LS_OK, m != NULL);
        ls_free(printed);
        ptx_free(m);
        diag_free(&diags);
        ls_set_realloc(NULL, NULL);
        assert_int_equal(f.live, 0);
    }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/unit/ptx/data/nvcc-lineinfo.ptx", "tests/unit/ptx/data/clang.ptx",
                                        "tests/golden/ptx/modifiers.ptx", "tests/golden/ptx/module.ptx",
                                        "tests/golden/ptx/undefined.ptx"};
    for (size_t i = 0; i < LS_ARRAY_LEN(files); i++) {
        size_t len;
        char *text = read_file(files[i], &len);
        assert_non_null(text);
        no_memory(text, len, i < 2);
        ls_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(garbled_anywhere),
        cmocka_unit_test(nested_deeply),
        cmocka_unit_test(many_mistakes_take_no_time),
        cmocka_unit_test(promises_of_size_cost_nothing),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
