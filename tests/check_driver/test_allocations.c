/* test_allocations.c - who made and freed an allocation, by its serial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/core/allocations.h"

static struct host_call call_of(u64 n) { return (struct host_call){.api = "cudaMalloc", .nframes = 1, .frames = {n}}; }

static void put(struct allocations *a, u64 serial, bool gone)
{
    const struct host_call c = call_of(serial * 2 + gone);
    if (gone)
        allocations_put_gone(a, serial, &c);
    else
        allocations_put_made(a, serial, &c);
}

static void made_and_gone_are_remembered(void **state)
{
    (void)state;
    struct host_call c;
    struct allocations *a = allocations_create();
    assert_false(allocations_made(a, 1, &c));
    put(a, 1, false);
    put(a, 2, false);
    assert_true(allocations_made(a, 1, &c));
    assert_int_equal(c.frames[0], 2);
    assert_false(allocations_gone(a, 1, &c));
    put(a, 1, true);
    assert_true(allocations_gone(a, 1, &c));
    assert_int_equal(c.frames[0], 3);
    assert_true(allocations_made(a, 1, &c));
    assert_false(allocations_gone(a, 2, &c));
    allocations_destroy(a);
}

/* The first free counts, and nothing is freed that was not made. */
static void a_second_free_changes_nothing(void **state)
{
    (void)state;
    struct host_call c, other = call_of(99);
    struct allocations *a = allocations_create();
    put(a, 7, true);
    assert_false(allocations_gone(a, 7, &c));
    put(a, 7, false);
    put(a, 7, true);
    allocations_put_gone(a, 7, &other);
    assert_true(allocations_gone(a, 7, &c));
    assert_int_equal(c.frames[0], 15);
    allocations_destroy(a);
}

/* Live ones are never forgotten; of the freed ones the last ALLOCATIONS_FREED are known. */
static void the_oldest_freed_go(void **state)
{
    (void)state;
    enum { ALL = ALLOCATIONS_FREED * 2 + 100 };
    struct host_call c;
    struct allocations *a = allocations_create();
    for (u64 n = 1; n <= ALL; n++) {
        put(a, n, false);
        if (n % 2)
            put(a, n, true);
    }
    for (u64 n = 1; n <= ALL; n++) {
        const u64 freed_after = n % 2 ? (ALL - n) / 2 : 0;
        assert_int_equal(allocations_made(a, n, &c), freed_after < ALLOCATIONS_FREED);
    }
    allocations_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_and_gone_are_remembered),
                                       cmocka_unit_test(a_second_free_changes_nothing),
                                       cmocka_unit_test(the_oldest_freed_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
