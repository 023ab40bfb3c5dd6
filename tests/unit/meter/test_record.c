/* test_record.c - what is kept of each block for the replay (meter/replay/record.h): what its warps cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meter/replay/record.h"

/* A block of which warp w costs as much as costs[w]. */
static void run_block(struct recorder *r, u64 linear, const u32 *costs, u32 warps)
{
    const struct exec_block_info b = {.linear = linear};
    record_block_begin(r, &b);
    for (u32 w = 0; w < warps; w++)
        record_item(r, &b, w, item_enter(0, 0, UINT32_MAX), costs[w]);
    record_block_end(r, &b);
}

/* Two workers had a block each, of six warps. The longest stands alone, the other five are in four groups: 1, 1, 1 and 2. */
static void sizes_are_those_of_the_warps(void **state)
{
    (void)state;
    enum { WARPS = 6 };
    const struct record_launch l = {.nblocks = 2, .warps = WARPS, .resident = 1, .sms = 132};
    struct recorder *all[2] = {recorder_make(&l), recorder_make(&l)};
    run_block(all[1], 0, (const u32[]){50, 10, 60, 20, 40, 30}, WARPS);
    run_block(all[0], 1, (const u32[]){7, 7, 7, 7, 7, 7}, WARPS);
    struct replay_size sizes[2];
    assert_true(record_sizes(all, 2, 2, sizes));
    assert_true(sizes[0].longest == 60 && sizes[0].others[0] == 10 && sizes[0].others[1] == 20 &&
                sizes[0].others[2] == 30 && sizes[0].others[3] == 45);
    assert_true(replay_size_cost(&sizes[0], WARPS) == 210 && replay_size_cost(&sizes[1], WARPS) == 42);
    assert_false(record_sizes(all, 1, 2, sizes)); /* one block's is missing */
    recorder_free(all[0]);
    recorder_free(all[1]);
}

static void a_block_of_one_warp_has_no_others(void **state)
{
    (void)state;
    const struct record_launch l = {.nblocks = 1, .warps = 1, .resident = 1, .sms = 132};
    struct recorder *one = recorder_make(&l);
    run_block(one, 0, (const u32[]){5}, 1);
    struct replay_size size;
    assert_true(record_sizes(&one, 1, 1, &size));
    assert_true(size.longest == 5 && replay_size_cost(&size, 1) == 5);
    recorder_free(one);
}

/* Of a very long launch not each block's are kept. */
static void many_blocks_have_no_sizes(void **state)
{
    (void)state;
    const struct record_launch l = {.nblocks = 1 << 20, .warps = 1, .resident = 1, .sms = 132};
    struct recorder *one = recorder_make(&l);
    run_block(one, 3, (const u32[]){5}, 1);
    assert_false(record_has_sizes(l.nblocks));
    assert_true(record_good(one) && record_cost(one) == 5);
    recorder_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_warps),
        cmocka_unit_test(a_block_of_one_warp_has_no_others),
        cmocka_unit_test(many_blocks_have_no_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
