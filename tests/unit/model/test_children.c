/* test_children.c - launches from the device: what the model says of trees whose times were measured
 * (tests/hw/h200/device-runtime.csv, cold_ns), and the order of grids. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/children.h"

static struct gpu h200(void)
{
    struct gpu g;
    struct diag_list diags;
    diag_init(&diags);
    assert_int_equal(gpu_find("h200", &g, &diags), LS_OK);
    diag_free(&diags);
    return g;
}

enum { GRIDS = 2048 };

static struct child_grid grids[GRIDS];
static u32 ngrids;
static struct child_traffic traffic; /* of the last one */

static struct child_grid *add(u32 parent, enum child_order order, u64 block, u32 thread, double own_ns)
{
    grids[ngrids] = (struct child_grid){.parent = parent,
                                        .order = order,
                                        .block = block,
                                        .thread = thread,
                                        .ns = h200().kernel_ns + own_ns,
                                        .blocks = 1,
                                        .held = 132 * 16};
    return &grids[ngrids++];
}

static void root(u64 blocks)
{
    ngrids = 0;
    add(0, CHILD_IN_STREAM, 0, 0, 500)->blocks = blocks;
}

/* All of it, with what a launch costs. */
static double takes(void)
{
    const struct gpu g = h200();
    struct arena mem = {.name = "test"};
    if (setjmp(mem.oom))
        fail();
    const double ns = children_ns(&mem, &g, grids, ngrids, &traffic);
    arena_free(&mem);
    return ns;
}

static void near(double ns, double measured, double share)
{
    if (fabs(ns / measured - 1) > share)
        fail_msg("%.0f ns, measured %.0f", ns, measured);
}

/* So many threads of so many blocks launch n grids each. */
static double launches(u64 blocks, u32 threads, u32 n, enum child_order order, double own_ns)
{
    root(blocks);
    for (u64 b = 0; b < blocks; b++)
        for (u32 k = 0; k < n; k++)
            for (u32 t = 0; t < threads; t++)
                add(0, order, b, t, own_ns);
    return takes();
}

static void tree_below(u32 parent, u32 depth, u32 fan, enum child_order order)
{
    for (u32 k = 0; k < fan && depth; k++) {
        add(parent, order, 0, k, 500);
        tree_below(ngrids - 1, depth - 1, fan, order);
    }
}

static double tree(u32 depth, u32 fan, enum child_order order)
{
    root(1);
    tree_below(0, depth, fan, order);
    return takes();
}

static void test_measured_launches(void **state)
{
    (void)state;
    near(launches(1, 1, 1, CHILD_FORGOTTEN, 200), 29024, 0.2);
    near(launches(1, 1, 16, CHILD_FORGOTTEN, 200), 111808, 0.2);
    near(launches(1, 1, 256, CHILD_FORGOTTEN, 200), 1538528, 0.2);
    near(launches(1, 32, 1, CHILD_FORGOTTEN, 200), 51008, 0.2);
    near(launches(1, 128, 2, CHILD_FORGOTTEN, 200), 143072, 0.2);
    near(launches(132, 1, 1, CHILD_FORGOTTEN, 200), 74560, 0.2);
    near(launches(1024, 1, 1, CHILD_FORGOTTEN, 200), 294400, 0.2);
    near(launches(1, 1, 4, CHILD_FORGOTTEN, 50000), 91232, 0.2);
    near(launches(1, 1, 32, CHILD_FORGOTTEN, 50000), 262816, 0.2);
    near(launches(1, 1, 1, CHILD_IN_STREAM, 200), 37408, 0.2);
    near(launches(1, 1, 64, CHILD_IN_STREAM, 200), 439264, 0.2);
    near(launches(1, 1, 32, CHILD_IN_STREAM, 50000), 1755040, 0.2);
    near(launches(1024, 1, 1, CHILD_IN_STREAM, 200), 556128, 0.2);
}

/* 128 run at once. */
static void test_measured_places(void **state)
{
    (void)state;
    near(launches(1, 32, 4, CHILD_FORGOTTEN, 500000), 640224, 0.2);
    near(launches(1, 32, 5, CHILD_FORGOTTEN, 500000), 1113344, 0.2);
    near(launches(1, 32, 19, CHILD_FORGOTTEN, 500000), 2632608, 0.2);
}

static void test_measured_trees(void **state)
{
    (void)state;
    near(tree(4, 1, CHILD_FORGOTTEN), 57312, 0.2);
    near(tree(16, 1, CHILD_FORGOTTEN), 187296, 0.2);
    near(tree(16, 1, CHILD_IN_STREAM), 236352, 0.2);
    near(tree(16, 1, CHILD_TAIL), 206336, 0.2);
    near(tree(8, 2, CHILD_FORGOTTEN), 360480, 0.25);
    near(tree(9, 2, CHILD_FORGOTTEN), 457984, 0.25);
}

/* A launch's place in memory is used again when it is over. */
static void test_traffic(void **state)
{
    (void)state;
    launches(1, 1, 1, CHILD_FORGOTTEN, 200);
    const struct child_traffic one = traffic;
    assert_true(one.l2 > one.l2_reads && one.l2_reads > 0);
    launches(1, 1, 16, CHILD_FORGOTTEN, 200);
    assert_int_equal(traffic.l2, one.l2);
    assert_true(traffic.dram_reads < one.dram_reads * 1.1);
    near(32.0 * (double)traffic.dram_reads, 80640 - 14080, 0.1);
    launches(1, 1, 16, CHILD_TAIL, 200);
    near(32.0 * (double)traffic.dram_reads, 109056 - 14080, 0.15);
    launches(132, 1, 1, CHILD_FORGOTTEN, 200);
    near(32.0 * (double)traffic.dram_reads, 247040 - 14080, 0.1);
    tree(7, 2, CHILD_FORGOTTEN);
    near(32.0 * (double)traffic.dram_reads, 418816 - 14080, 0.15);
    tree(7, 2, CHILD_IN_STREAM);
    near(32.0 * (double)traffic.dram_reads, 96256 - 14080, 0.1);
}

/* A stream's grids follow each other, other blocks' do not wait for them; a tail waits for all. */
static void test_order(void **state)
{
    (void)state;
    const double ms = 1e6;
    root(2);
    add(0, CHILD_IN_STREAM, 0, 0, ms);
    const double one = takes();
    add(0, CHILD_IN_STREAM, 1, 0, ms);
    assert_true(takes() < one + 0.1 * ms);
    root(2);
    add(0, CHILD_IN_STREAM, 0, 0, ms);
    add(0, CHILD_IN_STREAM, 0, 0, ms);
    assert_true(takes() > one + ms);
    grids[2].stream = 7;
    assert_true(takes() < one + 0.1 * ms);
    grids[2].order = CHILD_TAIL;
    assert_true(takes() > one + ms);
    grids[1].order = grids[2].order = CHILD_FORGOTTEN;
    assert_true(takes() < one + 0.1 * ms);
}

/* Grids that fill the device take turns. */
static void test_room(void **state)
{
    (void)state;
    root(1);
    for (u32 k = 0; k < 2; k++)
        add(0, CHILD_FORGOTTEN, 0, 0, 1e6)->blocks = 132 * 16;
    assert_true(takes() > 2e6);
    grids[1].blocks = grids[2].blocks = 132 * 8 - 16;
    assert_true(takes() < 1.2e6);
}

static void test_no_children(void **state)
{
    (void)state;
    root(1);
    assert_true(fabs(takes() - h200().kernel_ns - 500) < 1e-6);
    assert_int_equal(traffic.dram_reads + traffic.l2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_launches),
        cmocka_unit_test(test_measured_places),
        cmocka_unit_test(test_measured_trees),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_no_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
