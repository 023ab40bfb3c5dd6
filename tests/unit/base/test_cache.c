/* test_cache.c - the tags of a cache: what it holds, what leaves, and where lines go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cache.h"

/* Reads a line; whether it was there. */
static bool touch(struct cache *c, u64 number)
{
    struct cache_line gone;
    if (cache_find(c, number))
        return true;
    cache_put(c, number, &gone);
    return false;
}

static void holds_as_many_lines_as_it_has_bytes(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 64 * CACHE_LINE, 4)); /* 16 sets */
    for (u64 n = 0; n < 64; n++)
        assert_false(touch(&c, n));
    for (u64 n = 0; n < 64; n++) /* any 16 neighbours meet every set once, so all 64 are there */
        assert_true(touch(&c, n));
    cache_free(&c);
}

static void one_line_too_many_costs_its_set_everything(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 4 * CACHE_LINE, 4)); /* one set: least recently used, so going round never hits */
    for (u32 round = 0; round < 3; round++)
        for (u64 n = 0; n < 5; n++)
            assert_false(touch(&c, n));
    cache_free(&c);
}

static void the_least_recently_used_line_leaves(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 2 * CACHE_LINE, 2));
    cache_put(&c, 1, &gone)->dirty = 5;
    assert_false(gone.held);
    cache_put(&c, 2, &gone);
    assert_non_null(cache_find(&c, 1)); /* 2 is now the older one */
    cache_put(&c, 3, &gone);
    assert_true(gone.held);
    assert_int_equal(gone.number, 2);
    cache_put(&c, 4, &gone);
    assert_int_equal(gone.number, 1);
    assert_int_equal(gone.dirty, 5);
    assert_null(cache_find(&c, 1));
    cache_free(&c);
}

static void a_new_line_has_no_sectors(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 8 * CACHE_LINE, 8));
    struct cache_line *l = cache_put(&c, 7, &gone);
    assert_int_equal(l->valid, 0);
    assert_int_equal(l->dirty, 0);
    l->valid = 2;
    assert_int_equal(cache_find(&c, 7)->valid, 2);
    cache_clear(&c);
    assert_null(cache_find(&c, 7));
    cache_free(&c);
}

/* Without the hash, lines that are a number of sets apart would share one set of 4. */
static void powers_of_two_are_spread(void **state)
{
    (void)state;
    struct cache c;
    u32 hits = 0;
    assert_true(cache_init(&c, 1024 * CACHE_LINE, 4));
    for (u32 round = 0; round < 2; round++)
        for (u64 n = 0; n < 128; n++)
            hits += touch(&c, n * 4096);
    assert_true(hits > 64);
    cache_free(&c);
}

static void sets_need_not_be_a_power_of_two(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 60 * CACHE_LINE, 5)); /* 12 sets: 3 runs of 4 */
    assert_int_equal(c.nsets, 12);
    for (u32 round = 0; round < 2; round++)
        for (u64 n = 24; n < 84; n++)
            assert_int_equal(touch(&c, n), round);
    cache_free(&c);
}

static void no_bytes_hold_nothing(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, CACHE_LINE - 1, 4));
    assert_null(cache_put(&c, 1, &gone));
    assert_false(gone.held);
    assert_null(cache_find(&c, 1));
    cache_clear(&c);
    cache_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_as_many_lines_as_it_has_bytes),
        cmocka_unit_test(one_line_too_many_costs_its_set_everything),
        cmocka_unit_test(the_least_recently_used_line_leaves),
        cmocka_unit_test(a_new_line_has_no_sectors),
        cmocka_unit_test(powers_of_two_are_spread),
        cmocka_unit_test(sets_need_not_be_a_power_of_two),
        cmocka_unit_test(no_bytes_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
