/* test_picture.c - addresses laid out as grids: banks, broadcasts, wide accesses, sectors, inactive lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/picture_draw.h"

static struct picture_grid lay(const char *space, u32 size, u32 mask, u64 stride)
{
    struct meter_picture p = {.space = space, .op = "ld", .size = size, .mask = mask};
    struct picture_grid g;
    for (u32 lane = 0; lane < 32; lane++)
        p.addr[lane] = lane * stride;
    picture_lay_out(&p, &g);
    return g;
}

static void test_one_word_a_bank(void **state)
{
    (void)state;
    const struct picture_grid g = lay("shared", 4, UINT32_MAX, 4);
    assert_int_equal(g.rows, 1);
    assert_int_equal(g.deepest, 1);
    for (i32 bank = 0; bank < 32; bank++)
        assert_int_equal(g.lane[0][bank], bank);
}

/* Two words apart: 16 banks, two words in each; lane 16 below lane 0. */
static void test_two_way(void **state)
{
    (void)state;
    const struct picture_grid g = lay("shared", 4, UINT32_MAX, 8);
    assert_int_equal(g.deepest, 2);
    assert_int_equal(g.lane[1][0], 16);
    assert_int_equal(g.lane[0][1], -1);
}

static void test_column(void **state)
{
    (void)state;
    const struct picture_grid g = lay("shared", 4, UINT32_MAX, 128);
    assert_int_equal(g.deepest, 32);
    assert_int_equal(g.lane[31][0], 31);
    assert_int_equal(g.more, 0);
}

static void test_broadcast(void **state)
{
    (void)state;
    const struct picture_grid g = lay("shared", 4, 0xfffffff0u, 0);
    assert_int_equal(g.deepest, 1);
    assert_int_equal(g.lane[0][0], 4);
    assert_true(g.several[0][0]);
}

/* 16 bytes a lane: 128 words, four in each bank. */
static void test_wide(void **state)
{
    (void)state;
    const struct picture_grid g = lay("shared", 16, UINT32_MAX, 16);
    assert_int_equal(g.deepest, 4);
    assert_int_equal(g.lane[0][3], 0);
    assert_int_equal(g.lane[1][0], 8);
}

static void test_sectors(void **state)
{
    (void)state;
    struct picture_grid g = lay("global", 4, UINT32_MAX, 4);
    assert_int_equal(g.sectors, 4);
    assert_int_equal(g.rows, 1);
    g = lay("global", 4, UINT32_MAX, 8);
    assert_int_equal(g.sectors, 8);
    assert_int_equal(g.rows, 2);
    assert_int_equal(g.lane[1][0], 16);
    g = lay("global", 4, 1, 4);
    assert_int_equal(g.sectors, 1);
    g = lay("global", 8, UINT32_MAX, 4096);
    assert_int_equal(g.sectors, 32);
    assert_int_equal(g.rows, 32);
}

/* What does not fit is counted, not lost: 32 lanes of 32 bytes, each on lines of its own. */
static void test_too_many(void **state)
{
    (void)state;
    struct meter_picture p = {.space = "global", .op = "ld", .size = 32, .mask = UINT32_MAX};
    struct picture_grid g;
    for (u32 lane = 0; lane < 32; lane++)
        p.addr[lane] = lane * 256 + 112;
    picture_lay_out(&p, &g);
    assert_int_equal(g.rows, PICTURE_ROWS);
    assert_int_equal(g.more, 32);
    assert_int_equal(g.sectors, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_word_a_bank), cmocka_unit_test(test_two_way), cmocka_unit_test(test_column),
        cmocka_unit_test(test_broadcast),       cmocka_unit_test(test_wide),    cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
