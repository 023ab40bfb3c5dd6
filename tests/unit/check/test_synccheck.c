/* synccheck: barriers that some threads do not come to, wrong counts and kinds, masks of warp-wide operations; and
 * programs that do unusual things rightly, of which nothing may be said. The kernels are in sync_check.ptx. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static const char path[] = "../../check/sync_check.ptx"; /* from the engine's tests' folder */

/* The line that bears "// @name". */
static u32 line_of(const char *name)
{
    char line[256], mark[64];
    FILE *f = fopen("tests/unit/check/sync_check.ptx", "r");
    u32 n = 0;
    assert_non_null(f);
    snprintf(mark, sizeof mark, "// @%s\n", name);
    while (fgets(line, sizeof line, f)) {
        n++;
        if (strstr(line, mark)) {
            fclose(f);
            return n;
        }
    }
    fclose(f);
    fail_msg("no // @%s", name);
    return 0;
}

static void assert_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' has no '%s'", text, part);
}

static void run(struct rig *r, const char *kernel, u32 grid, u32 block, u64 a, u64 b, u64 c)
{
    rig_forget(r);
    rig_run(r, &(struct run){.kernel = kernel, .grid = grid, .block = block, .params = {a, b, c}});
}

static struct rig rig;
static u64 out;

static int open_rig(void **state)
{
    (void)state;
    rig_open(&rig, path, CHECK_SYNCCHECK, NULL);
    out = rig_alloc(&rig, 4096);
    return 0;
}

static int close_rig(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static const struct finding *only(enum finding_kind kind, const char *at)
{
    const struct finding *f = rig_only(&rig, kind);
    assert_string_equal(f->at.ptx_file, path);
    assert_int_equal(f->at.ptx_line, line_of(at));
    assert_true(f->at.has_thread);
    assert_int_equal(f->at.does, DOES_WAIT);
    return f;
}

/* ---- what is right ---- */

static void test_clean(void **state)
{
    (void)state;
    run(&rig, "all_come", 3, 100, 0, 0, 0);
    rig_none(&rig);
    run(&rig, "in_a_branch", 1, 64, out, 64, 0); /* nobody goes round it */
    rig_none(&rig);
    run(&rig, "in_a_branch", 1, 64, out, 0, 0); /* nobody comes */
    rig_none(&rig);
    run(&rig, "early_return", 2, 64, out, 64, 0);
    rig_none(&rig);
}

static void test_one_polls(void **state)
{
    (void)state;
    run(&rig, "one_polls", 2, 96, out, 0, 0);
    rig_none(&rig);
    memset((void *)(uintptr_t)out, 0, 4);
}

static void test_roles(void **state)
{
    (void)state;
    run(&rig, "roles", 2, 128, 0, 0, 0);
    rig_none(&rig);
}

/* ---- barriers ---- */

static void test_branch(void **state)
{
    (void)state;
    run(&rig, "in_a_branch", 2, 64, out, 16, 0);
    const struct finding *f = only(FINDING_BARRIER_DIVERGENT, "in_a_branch");
    assert_int_equal(f->severity, SEVERITY_ERROR);
    assert_string_equal(f->what, "Barrier error detected. Divergent thread(s) in warp");
    assert_text(f->detail, "16 of the warp's threads came to the barrier (lanes 0x0000ffff), 16 did not (0xffff0000)");
    assert_int_equal(f->count, 2);
    assert_int_equal(f->at.thread[0], 0);
    assert_int_equal(f->at.line, 7);
    assert_true(f->has_other);
    assert_int_equal(f->other.thread[0], 16);
}

static void test_both_branches(void **state)
{
    (void)state;
    run(&rig, "in_both_branches", 1, 64, out, 40, 0);
    const struct finding *f = only(FINDING_BARRIER_DIVERGENT, "one_way");
    assert_text(f->detail, "lanes 0x000000ff here, lanes 0xffffff00 there");
    assert_int_equal(f->other.ptx_line, line_of("other_way"));
    run(&rig, "in_both_branches", 1, 64, out, 32, 0); /* whole warps, equally often */
    rig_none(&rig);
}

static void test_early_return(void **state)
{
    (void)state;
    run(&rig, "early_return", 1, 64, out, 40, 0);
    const struct finding *f = rig_find(&rig, FINDING_BARRIER_EXITED);
    assert_non_null(f);
    assert_int_equal(f->severity, SEVERITY_WARNING);
    assert_int_equal(f->at.ptx_line, line_of("early_return"));
    assert_text(f->detail, "24 of the block's 64 threads have exited");
    assert_int_equal(f->other.thread[0], 40);
    assert_null(rig_find(&rig, FINDING_BARRIER_DIVERGENT));
    assert_int_equal(rig.nfound, 2); /* once a place, and there are two barriers */
    run(&rig, "early_return", 1, 64, out, 32, 0);
    rig_run(&rig,
            &(struct run){.kernel = "early_return", .grid = 1, .block = 64, .params = {out, 40}, .one_lane = true});
    assert_null(rig_find(&rig, FINDING_BARRIER_DIVERGENT));
}

static void test_reduction(void **state)
{
    (void)state;
    run(&rig, "reduction", 1, 32, out, 0, 0);
    only(FINDING_BARRIER_DIVERGENT, "reduction");
    run(&rig, "reduction", 1, 256, out, 0, 0);
    assert_null(rig_find(&rig, FINDING_MASK_EXITED));
}

static void test_unequal(void **state)
{
    (void)state;
    run(&rig, "unequal", 1, 128, out, 0, 0);
    const struct finding *f = rig_only(&rig, FINDING_BARRIER_DIVERGENT);
    assert_string_equal(f->what, "Barrier error detected. Divergent thread(s) in block");
    assert_int_equal(f->at.ptx_line, line_of("unequal"));
    assert_int_equal(f->other.ptx_line, line_of("unequal_other"));
}

static void test_counts(void **state)
{
    (void)state;
    run(&rig, "counts", 1, 64, 64, 0, 0);
    rig_none(&rig);
    run(&rig, "counts", 1, 96, 96, 0, 0);
    const struct finding *f = rig_find(&rig, FINDING_BARRIER_COUNT);
    assert_non_null(f);
    assert_text(f->detail, "barrier 1: here for 96 threads, where others wait for 64");
    assert_int_equal(f->at.ptx_line, line_of("counts_other"));
    assert_int_equal(f->other.ptx_line, line_of("counts"));
    run(&rig, "counts", 1, 32, 0, 0, 0); /* the block is too small for its count, and waits for ever */
    f = rig_find(&rig, FINDING_BARRIER_COUNT);
    assert_non_null(f);
    assert_text(f->detail, "barrier 1 waits for 64 threads; the block has 32");
    assert_non_null(rig_find(&rig, FINDING_DEADLOCK));
}

/* Another count than that of the phase before is legal, but not when it waits for ever. */
static void test_stuck(void **state)
{
    (void)state;
    run(&rig, "stuck", 1, 64, 0, 0, 0);
    rig_none(&rig);
    run(&rig, "stuck", 1, 96, 0, 0, 0);
    const struct finding *f = rig_find(&rig, FINDING_BARRIER_COUNT);
    assert_non_null(f);
    assert_int_equal(f->at.ptx_line, line_of("stuck"));
    assert_int_equal(f->at.thread[0], 64);
    assert_int_equal(f->other.thread[0], 0);
    assert_text(f->detail, "barrier 1: here for 96 threads, which never come; before it was for 64");
    assert_non_null(rig_find(&rig, FINDING_DEADLOCK));
}

static void test_mixed(void **state)
{
    (void)state;
    run(&rig, "red_and_sync", 1, 64, 0, 0, 0);
    only(FINDING_BARRIER_MIXED, "red");
}

/* ---- warp-wide operations ---- */

static void test_full_mask(void **state)
{
    (void)state;
    run(&rig, "full_mask", 1, 64, out, 64, 0);
    rig_none(&rig);
    run(&rig, "full_mask", 1, 64, out, 52, 0); /* lanes 12.. read lanes 20.. of warp 1 */
    const struct finding *f = only(FINDING_MASK_EXITED, "shuffle");
    assert_int_equal(f->severity, SEVERITY_ERROR);
    assert_text(f->detail, "the mask is 0xffffffff; values are taken of lanes 0x0ff00000 of the warp");
    assert_int_equal(f->at.thread[0], 32);
    for (u64 how = 1; how < 4; how++) {
        run(&rig, "full_mask", 1, 64, out, 52, how);
        rig_none(&rig);
    }
}

static void test_ragged_block(void **state)
{
    (void)state;
    run(&rig, "full_mask", 1, 52, out, 52, 0);
    const struct finding *f = only(FINDING_MASK_EXITED, "shuffle");
    assert_int_equal(f->severity, SEVERITY_WARNING);
    run(&rig, "full_mask", 1, 52, out, 52, 1);
    rig_none(&rig);
}

static void test_not_in_mask(void **state)
{
    (void)state;
    run(&rig, "not_in_mask", 1, 32, out, 0xffffffff, 0);
    rig_none(&rig);
    run(&rig, "not_in_mask", 1, 32, out, 0xff, 0);
    const struct finding *f = only(FINDING_MASK_OUTSIDE, "not_in_mask");
    assert_string_equal(f->what, "Barrier error detected. Invalid arguments");
    assert_int_equal(f->threads, 1); /* the kernel ends there */
    assert_int_equal(f->at.thread[0], 8);
}

/* Here a GPU ends the kernel, and so does the engine. */
static void test_syncwarp_without_caller(void **state)
{
    (void)state;
    run(&rig, "not_in_syncwarp", 1, 32, out, 0xffffffff, 0);
    rig_none(&rig);
    run(&rig, "not_in_syncwarp", 1, 32, out, 0xff, 0);
    const struct finding *f = only(FINDING_MASK_OUTSIDE, "not_in_syncwarp");
    assert_string_equal(f->what, "Barrier error detected. Invalid arguments");
    assert_int_equal(f->at.thread[0], 8);
}

/* ---- mbarriers ---- */

/* Thread 0 ends the mbarrier; thread 32 looks at it before (n = 0) or after that. */
static void test_mbarrier_ended(void **state)
{
    (void)state;
    run(&rig, "mbarrier_ended", 1, 64, out, 0, 0);
    rig_none(&rig);
    run(&rig, "mbarrier_ended", 1, 64, out, 1, 0);
    const struct finding *f = only(FINDING_MBARRIER_INVALID, "looks_late");
    assert_int_equal(f->at.thread[0], 32);
    assert_int_equal(f->threads, 1);
    assert_true(f->has_other);
    assert_int_equal(f->other.thread[0], 0);
    assert_text(f->detail, "mbarrier.inval has ended the mbarrier at 0x0");
    run(&rig, "mbarrier_ended", 1, 64, out, 2, 0);
    f = rig_only(&rig, FINDING_MBARRIER_INVALID);
    assert_int_equal(f->at.ptx_line, line_of("ends_again"));
    assert_int_equal(f->at.thread[0], 32);
    run(&rig, "mbarrier_ended", 1, 64, out, 3, 0); /* made anew before thread 32 looks at it */
    rig_none(&rig);
}

/* ---- deadlock ---- */

static void test_deadlock(void **state)
{
    (void)state;
    run(&rig, "deadlock", 1, 64, 0, 0, 0);
    const struct finding *f = rig_find(&rig, FINDING_DEADLOCK);
    assert_non_null(f);
    assert_text(f->detail, "warp 0, lanes 0x0000ffff wait at `barrier.sync 0`, sync.cu:101\n");
    assert_text(f->detail, "warp 0, lanes 0xffff0000 wait at `bar.warp.sync");
    assert_text(f->detail, "sync.cu:102");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_clean, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_one_polls, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_roles, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_branch, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_both_branches, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_early_return, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_reduction, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_unequal, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_counts, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_stuck, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_mixed, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_full_mask, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_ragged_block, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_not_in_mask, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_syncwarp_without_caller, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_mbarrier_ended, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(test_deadlock, open_rig, close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
