/* test_truth.c - the recorded kernels of an H200 against our counters: every counted value must be equal, and no plain
 * counter of shared memory, which can only add arbitration, may be below ours.
 *
 * tools/fidelity has the columns and says which rung each row is. Of the programs' data a 64th is run; LS_TRUTH_SCALE=1 runs
 * all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fidelity.h"

enum { DEFAULT_SCALE = 64 };

/* As tests/hw/h200/ladders.csv has them. */
enum { LADDER_ROWS = 293 };

static struct lab *lab;

static void must_be_equal(const struct comparison *c)
{
    if (!c->right)
        fail_msg("%s: %s", c->subject.name, c->text);
    assert_true(c->same_launch);
    assert_int_equal(c->findings, 0);
    for (u32 i = 0; i < counted_count; i++) {
        const struct pair *p = &c->counted[i];
        if (isnan(p->theirs))
            continue;
        if (p->ours != p->theirs && !p->except)
            fail_msg("%s: %s: ours %.10g, H200 %.10g", c->subject.name, counted_columns[i].metric, p->ours, p->theirs);
        if (p->noisy < p->ours && !p->except)
            fail_msg("%s: %s: ours %.10g, H200 %.10g", c->subject.name, counted_columns[i].noisy, p->ours, p->noisy);
    }
}

/* At most so many values may differ for reasons that are known. */
static void compare(const char *path, u32 rows, u32 values, u32 excepted)
{
    static struct table t;
    struct score score = {0};
    struct diag_list diags;
    struct arena mem = ARENA("test");
    const char *said = getenv("LS_TRUTH_SCALE");
    const u32 scale = said && atoi(said) > 0 ? (u32)atoi(said) : DEFAULT_SCALE;
    diag_init(&diags);
    if (setjmp(mem.oom))
        fail_msg("out of memory");
    assert_true(table_load(&t, path));
    assert_int_equal(t.rows - 1, rows);
    for (u32 row = 1; row < t.rows; row++) {
        struct comparison c;
        if (!compare_row(&t, row, scale, lab, &mem, &c, &diags))
            fail_msg("%s", diag_text(&diags));
        must_be_equal(&c);
        score_add(&score, &c);
    }
    assert_int_equal(score.values, values);
    assert_int_equal(score.values_equal + score.excepted, values);
    assert_true(score.excepted <= excepted);
    table_free(&t);
    diag_free(&diags);
    arena_free(&mem);
}

static void test_programs(void **state)
{
    (void)state;
    compare("tests/hw/h200/seed-kernels.csv", 34, 34 * 17, 0);
}

static void test_rungs(void **state)
{
    (void)state;
    compare("tests/hw/h200/ladders.csv", LADDER_ROWS, LADDER_ROWS * 22, 14 * 8 + 4 * 2 + 5);
}

static int open_lab(void **state)
{
    (void)state;
    setenv("LOCKSTEP_PTXAS", "", 1);
    struct lab_request request = {.no_awkward = true};
    struct diag_list diags;
    diag_init(&diags);
    const bool good = exceptions_load("tools/fidelity/exceptions.txt") && lab_open(&request, &lab, &diags) == LS_OK;
    if (!good)
        fprintf(stderr, "%s\n", diag_text(&diags));
    diag_free(&diags);
    return good ? 0 : -1;
}

static int close_lab(void **state)
{
    (void)state;
    lab_close(lab);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_rungs)};
    return cmocka_run_group_tests(tests, open_lab, close_lab);
}
