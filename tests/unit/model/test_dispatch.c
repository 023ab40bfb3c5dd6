/* test_dispatch.c - blocks that differ, on all SMs (model/replay/dispatch.h): times that follow by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/replay/dispatch.h"

enum { MOST = 64 };

/* Blocks of one warp: of so many instructions. */
static struct dispatched of_lengths(const float *lengths, u32 n, u32 sms, u32 resident,
                                    const struct dispatch_pace *pace)
{
    struct replay_size sizes[MOST] = {{0}};
    for (u32 k = 0; k < n; k++)
        sizes[k].longest = lengths[k];
    struct arena mem = {0};
    assert_false(setjmp(mem.oom));
    const struct replay_launch l = {.warps = 1, .resident = resident, .slots = resident, .places = resident};
    const struct dispatched d = dispatch(&mem, &l, sizes, n, sms, pace);
    arena_free(&mem);
    return d;
}

/* Each block takes up to 3 % more or less. */
static void near(double a, double b) { assert_true(fabs(a - b) <= 0.031 * fabs(b)); }

/* Cycles an instruction, however many warps there are. */
static const struct dispatch_pace flat = {.alone = 2, .alone_warps = 1};

/* To SMs in turn, then to the one that has room first: 10 20 30 | 10 10 -> the first SM has three. */
static void blocks_go_where_room_is(void **state)
{
    (void)state;
    const struct dispatched d = of_lengths((const float[]){10, 20, 30, 10, 10}, 5, 3, 1, &flat);
    near(d.last, 60);
    near(d.mean, (60 + 40 + 60) / 3.0);
    near(d.warps, 1);
}

/* The last one is as long as all others together. */
static void a_long_last_block_ends_alone(void **state)
{
    (void)state;
    const struct dispatched d = of_lengths((const float[]){10, 10, 10, 10, 40}, 5, 2, 1, &flat);
    near(d.last, 2 * 60);
    near(d.mean, (120 + 40) / 2.0);
}

/* Two warps of one unit go half as fast as one: 10 and 30 instructions end after 20 x 2 and 40 cycles. */
static void warps_slow_each_other(void **state)
{
    (void)state;
    const struct dispatch_pace unit = {.alone = 1, .alone_warps = 1, .busy = 1};
    const struct dispatched both = of_lengths((const float[]){10, 30}, 2, 1, 2, &unit);
    near(both.last, 40);
    near(both.warps, (20 * 2 + 20) / 40.0);
    const struct dispatch_pace slower = {.alone = 1, .alone_warps = 1, .more = 1};
    near(of_lengths((const float[]){10, 30}, 2, 1, 2, &slower).last, 10 * 2 + 20);
}

/* Blocks that cost the same go to all SMs alike: five to each of eight that hold two at once, not four times two and twice none. */
static void equal_blocks_are_spread(void **state)
{
    (void)state;
    float lengths[40];
    for (u32 k = 0; k < 40; k++)
        lengths[k] = 10;
    const struct dispatched d = of_lengths(lengths, 40, 8, 2, &flat);
    near(d.last, 60);
    assert_true(d.mean > 50);
}

/* What a block takes besides its instructions it takes each time. */
static void each_block_begins(void **state)
{
    (void)state;
    struct dispatch_pace pace = flat;
    pace.first = 5;
    near(of_lengths((const float[]){10, 10, 10}, 3, 1, 1, &pace).last, 2 * 45);
}

/* A block of five warps, of which the first four end early: the next block begins where its warps have room, not when all of the block has ended. */
static void warps_leave_room_one_by_one(void **state)
{
    (void)state;
    struct replay_size sizes[2] = {{.longest = 100, .others = {10, 10, 10, 10}},
                                   {.longest = 10, .others = {10, 10, 10, 10}}};
    struct arena mem = {0};
    assert_false(setjmp(mem.oom));
    struct replay_launch l = {.warps = 5, .resident = 1, .slots = 6, .places = 2};
    near(dispatch(&mem, &l, sizes, 2, 1, &flat).last, 200);
    l.places = 1;
    near(dispatch(&mem, &l, sizes, 2, 1, &flat).last, 220);
    l.places = 2;
    l.slots = 5;
    near(dispatch(&mem, &l, sizes, 2, 1, &flat).last, 220);
    near(replay_size_cost(&sizes[0], 5), 140);
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_go_where_room_is),     cmocka_unit_test(a_long_last_block_ends_alone),
        cmocka_unit_test(warps_slow_each_other),       cmocka_unit_test(each_block_begins),
        cmocka_unit_test(warps_leave_room_one_by_one), cmocka_unit_test(equal_blocks_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
