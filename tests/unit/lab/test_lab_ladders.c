/* test_lab_ladders.c - the ladders are complete: every rung has code and expectations that can be read and evaluated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lab/expect.h"
#include "lab/lab.h"

/* The kernels that the tutorial's chapter runs, as a list of its own: what the ladders must not lose. */
static const char *const wanted[] = {
    "banks/setRowReadRow",
    "banks/setColReadCol",
    "banks/setRowReadCol",
    "banks/setRowReadColDyn",
    "banks/setRowReadColPad",
    "banks/setRowReadColDynPad",
    "banks/rect_setRowReadRow",
    "banks/rect_setColReadCol",
    "banks/rect_setColReadCol2",
    "banks/rect_setRowReadCol",
    "banks/rect_setRowReadColDyn",
    "banks/rect_setRowReadColPad",
    "banks/rect_setRowReadColDynPad",
    "reduce/reduceNeighboredGmem",
    "reduce/reduceNeighboredSmem",
    "reduce/reduceGmem",
    "reduce/reduceSmem",
    "reduce/reduceSmemDyn",
    "reduce/reduceGmemUnroll",
    "reduce/reduceSmemUnroll",
    "reduce/reduceSmemUnrollDyn",
    "reduce/reduceShfl",
    "transpose/copyGmem",
    "transpose/naiveGmem",
    "transpose/naiveGmemUnroll",
    "transpose/transposeSmem",
    "transpose/transposeSmemPad",
    "transpose/transposeSmemDyn",
    "transpose/transposeSmemPadDyn",
    "transpose/transposeSmemUnroll",
    "transpose/transposeSmemUnrollPad",
    "transpose/transposeSmemUnrollPadDyn",
    "stencil/stencil_1d",
    "stencil/stencil_1d_read_only",
    "conv2d/convolution",
    "conv2d/convolutionShared",
    "fft/fftButterfly",
};

static void test_nothing_lost(void **state)
{
    (void)state;
    for (u32 i = 0; i < LS_ARRAY_LEN(wanted); i++) {
        char family[32];
        const char *slash = strchr(wanted[i], '/');
        snprintf(family, sizeof family, "%.*s", (int)(slash - wanted[i]), wanted[i]);
        const struct family *f = lab_family(family);
        assert_non_null(f);
        if (!lab_rung(f, slash + 1, false))
            fail_msg("%s is missing", wanted[i]);
    }
}

/* Applies `test` to every rung at its default shape. */
static void each_rung(void (*test)(const struct family *, const struct rung *, const struct shape *))
{
    u32 n = 0;
    for (u32 i = 0; i < kernel_family_count; i++)
        for (u32 k = 0; k < kernel_families[i]->nrungs; k++, n++) {
            struct shape s = {0};
            kernel_families[i]->defaults(&kernel_families[i]->rungs[k], &s);
            test(kernel_families[i], &kernel_families[i]->rungs[k], &s);
        }
    assert_true(n > 40);
}

static void has_code(const struct family *f, const struct rung *r, const struct shape *s)
{
    const struct embedded *code = kernel_code(f, r, s->bx, s->by);
    char entry[100];
    struct arena mem = ARENA("test");
    struct plan p = {.mem = &mem};
    if (!code)
        fail_msg("%s/%s has no code for its default block", f->name, r->name);
    snprintf(entry, sizeof entry, ".entry %s(", r->kernel);
    assert_non_null(strstr(code->ptx, entry));
    assert_non_null(strstr(code->source, r->kernel));
    assert_non_null(strstr(code->ptx, ".loc"));
    assert_null(f->plan(r, s, &p));
    bool writes = false;
    for (u32 i = 0; i < p.nbuffers; i++)
        writes |= p.buffers[i].use != BUFFER_IN;
    assert_true(writes);
    assert_true(p.steps.len > 0);
    arena_free(&mem);
}

/* Every expectation is well-formed; a rung has some that apply at its default shape; a broken one says how it is
 * caught. */
static void has_expectations(const struct family *f, const struct rung *r, const struct shape *s)
{
    const struct embedded *code = kernel_code(f, r, s->bx, s->by);
    struct arena mem = ARENA("test");
    struct diag_list diags;
    struct expectations e;
    struct expect_names names;
    struct plan p = {.mem = &mem};
    u32 apply = 0;
    diag_init(&diags);
    assert_int_equal(expect_read(code->source, code->path, &mem, &e, &diags), LS_OK);
    assert_null(f->plan(r, s, &p));
    expect_bind(&names, f, r, s, &p);
    for (u32 i = 0; i < e.nlines; i++) {
        const char *error = NULL;
        double when = e.lines[i].when ? expect_eval(e.lines[i].when, &names, &error) : 1;
        double v = error ? 0 : expect_eval(e.lines[i].formula, &names, &error);
        if (error)
            fail_msg("%s:%u: %s", code->path, e.lines[i].line, error);
        if (e.lines[i].kind == EXPECT_LET)
            expect_set(&names, e.lines[i].subject, v);
        else if (metric_find(e.lines[i].subject) < 0 && !lab_value_known(e.lines[i].subject))
            fail_msg("%s:%u: no metric %s", code->path, e.lines[i].line, e.lines[i].subject);
        else
            apply += when != 0;
    }
    if (r->broken)
        assert_int_not_equal(e.caught, CATCH_NONE);
    else if (apply < 4)
        fail_msg("%s/%s: only %u expectations apply at its default shape", f->name, r->name, apply);
    diag_free(&diags);
    arena_free(&mem);
}

static void test_code(void **state)
{
    (void)state;
    each_rung(has_code);
}

static void test_expectations(void **state)
{
    (void)state;
    each_rung(has_expectations);
}

/* The embedded table has nothing that no ladder names. */
static void test_no_strays(void **state)
{
    (void)state;
    for (u32 i = 0; i < kernel_embedded_count; i++) {
        const struct family *f = lab_family(kernel_embedded[i].family);
        assert_non_null(f);
        assert_non_null(lab_rung(f, kernel_embedded[i].rung, kernel_embedded[i].broken));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    struct plan p = {.mem = &mem};
    const struct family *reduce = lab_family("reduce"), *banks = lab_family("banks");
    struct shape s = {.n = 1000, .bx = 96, .by = 1};
    assert_non_null(reduce->plan(lab_rung(reduce, "reduceSmem", false), &s, &p));
    assert_null(reduce->plan(lab_rung(reduce, "reduceShfl", false), &s, &p));
    s.bx = 33;
    assert_non_null(reduce->plan(lab_rung(reduce, "reduceShfl", false), &s, &p));
    struct shape wide = {.n = 512, .rows = 16, .cols = 32, .bx = 32, .by = 16};
    assert_non_null(banks->plan(lab_rung(banks, "setRowReadCol", false), &wide, &p));
    assert_null(banks->plan(lab_rung(banks, "rect_setRowReadCol", false), &wide, &p));
    assert_null(lab_family("nothing"));
    assert_null(lab_rung(banks, "nothing", false));
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_lost), cmocka_unit_test(test_code),     cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_no_strays),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
