/* The order of operations in streams: expected answers are CUDA's rules for streams, events and the default stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/core/stream_order.h"

static const struct order_stream legacy = {.id = 1, .context = 1, .blocking = true, .legacy = true};
static const struct order_stream a = {.id = 2, .context = 1, .blocking = true};
static const struct order_stream b = {.id = 3, .context = 1, .blocking = true};
static const struct order_stream free_a = {.id = 4, .context = 1};
static const struct order_stream free_b = {.id = 5, .context = 1};
static const struct order_stream elsewhere = {.id = 6, .context = 2, .blocking = true};

static u64 number; /* of the last operation */

static int up(void **state)
{
    number = 0;
    *state = order_create();
    return *state ? 0 : -1;
}

static int down(void **state)
{
    order_destroy(*state);
    return 0;
}

static u64 named(struct stream_order *o, const struct order_stream *s, const char *text, const struct host_call *call)
{
    order_op(o, ++number, s, text, call);
    return number;
}

static u64 op(struct stream_order *o, const struct order_stream *s) { return named(o, s, "op", NULL); }

#define BEFORE(x, y) assert_true(order_before(o, x, y))
#define UNORDERED(x, y)                                                                                                \
    do {                                                                                                               \
        assert_false(order_before(o, x, y));                                                                           \
        assert_false(order_before(o, y, x));                                                                           \
    } while (0)
#define HOST 0

static void test_streams(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &a), y = op(o, &a), z = op(o, &b);
    assert_int_equal(x, 1);
    assert_int_equal(y, 2);
    BEFORE(x, y);
    assert_false(order_before(o, y, x));
    UNORDERED(x, z);
    UNORDERED(y, z);
    BEFORE(0, x); /* 0 is ordered with everything */
    BEFORE(x, x);
    BEFORE(77, x); /* unknown */
}

static void test_legacy(void **state)
{
    struct stream_order *o = *state;
    const u64 in_a = op(o, &a), in_free = op(o, &free_a), other = op(o, &elsewhere);
    const u64 middle = op(o, &legacy);
    const u64 after_a = op(o, &a), after_b = op(o, &b), after_free = op(o, &free_a), after_other = op(o, &elsewhere);
    BEFORE(in_a, middle);
    UNORDERED(in_free, middle);
    UNORDERED(other, middle);
    BEFORE(middle, after_a);
    BEFORE(middle, after_b);
    BEFORE(in_a, after_b); /* through it */
    UNORDERED(middle, after_free);
    UNORDERED(middle, after_other);
}

/* The legacy stream waits for what a blocking stream is behind, also when that put nothing in between. */
static void test_legacy_takes_waits(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a);
    order_record(o, &free_a, 100);
    order_wait(o, &a, 100);
    const u64 y = op(o, &legacy);
    BEFORE(x, y);
}

static void test_events(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a);
    order_record(o, &free_a, 100);
    const u64 late = op(o, &free_a), early = op(o, &free_b);
    order_wait(o, &free_b, 100);
    const u64 y = op(o, &free_b);
    BEFORE(x, y);
    UNORDERED(x, early);
    UNORDERED(late, y);
}

/* An event recorded again means the later point; who waited before waits for the earlier one. */
static void test_recorded_again(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a);
    order_record(o, &free_a, 100);
    order_wait(o, &free_b, 100);
    const u64 y = op(o, &free_a);
    order_record(o, &free_a, 100);
    const u64 z = op(o, &free_b);
    BEFORE(x, z);
    UNORDERED(y, z);
    order_wait(o, &free_b, 100);
    const u64 w = op(o, &free_b);
    BEFORE(y, w);
}

static void test_chain(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a);
    order_record(o, &free_a, 100);
    order_wait(o, &free_b, 100);
    order_record(o, &free_b, 101); /* nothing between */
    order_wait(o, &elsewhere, 101);
    const u64 y = op(o, &elsewhere);
    BEFORE(x, y);
}

static void test_never_recorded(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a);
    order_wait(o, &free_b, 100);
    order_host_waits_event(o, 100);
    UNORDERED(x, op(o, &free_b));
    assert_false(order_before(o, x, HOST));
    order_record(o, &free_a, 100);
    order_event_gone(o, 100);
    order_wait(o, &free_b, 100); /* another event of the same number */
    UNORDERED(x, op(o, &free_b));
    order_event_gone(o, 100);
}

static void test_host(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a), y = op(o, &free_b), early = op(o, &a);
    assert_false(order_before(o, x, HOST));
    order_host_waits_stream(o, &free_a);
    BEFORE(x, HOST);
    assert_false(order_before(o, y, HOST));
    BEFORE(x, op(o, &a));
    UNORDERED(x, early); /* put there before the host waited */
    order_record(o, &free_b, 100);
    const u64 z = op(o, &free_b);
    order_host_waits_event(o, 100);
    BEFORE(y, HOST);
    assert_false(order_before(o, z, HOST));
    order_host_waits_context(o, 2);
    assert_false(order_before(o, z, HOST));
    order_host_waits_context(o, 1);
    BEFORE(z, HOST);
    const u64 w = op(o, &elsewhere);
    order_host_waits_all(o);
    BEFORE(w, HOST);
}

/* Waiting for the legacy stream is waiting for the blocking streams, too; so does the host learn by one operation's
 * end. */
static void test_host_waits_legacy(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &a), y = op(o, &free_a);
    order_host_waits_stream(o, &legacy);
    BEFORE(x, HOST);
    assert_false(order_before(o, y, HOST));
    const u64 z = op(o, &free_a);
    order_host_waits_op(o, y);
    BEFORE(y, HOST);
    assert_false(order_before(o, z, HOST));
}

static void test_wait_all(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a), y = op(o, &elsewhere);
    order_wait_all(o, &free_b);
    const u64 z = op(o, &free_b);
    BEFORE(x, z);
    BEFORE(y, z);
}

/* Who writes the value could be anybody. */
static void test_wait_value(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a), y = op(o, &free_b);
    UNORDERED(x, y);
    order_wait_value(o);
    const u64 z = op(o, &free_a);
    assert_true(order_before(o, x, y) && order_before(o, y, x) && order_before(o, y, z));
    assert_true(order_before(o, x, HOST));
}

/* A destroyed stream's work may still run; its number may be another stream's at once. */
static void test_destroyed(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a), p = op(o, &a);
    order_stream_gone(o, free_a.id);
    order_stream_gone(o, a.id);
    const u64 y = op(o, &free_a);
    UNORDERED(x, y);
    BEFORE(p, op(o, &legacy));
    order_host_waits_all(o);
    BEFORE(x, op(o, &free_b));
}

/* Streams that come and go use their lines again, and never each other's order. */
static void test_many_streams(void **state)
{
    struct stream_order *o = *state;
    const u64 kept = op(o, &free_b);
    for (u64 id = 100; id < 20100; id++) {
        const struct order_stream s = {.id = id, .context = 1};
        const u64 x = op(o, &s);
        if (id > 100)
            assert_false(order_before(o, kept, x));
        order_host_waits_stream(o, &s);
        order_stream_gone(o, id);
    }
    assert_false(order_before(o, kept, HOST));
}

/* More streams than have lines: they may count as ordered, and nothing else happens. */
static void test_too_many_streams(void **state)
{
    struct stream_order *o = *state;
    const u64 first = op(o, &free_a);
    u64 last = 0;
    for (u64 id = 100; id < 1100; id++) {
        const struct order_stream s = {.id = id, .context = 1};
        last = op(o, &s);
    }
    assert_false(order_before(o, first, last));
    order_host_waits_all(o);
    BEFORE(last, HOST);
}

static void test_describe(void **state)
{
    struct stream_order *o = *state;
    const struct host_call call = {.api = "cudaMemcpyAsync", .nframes = 2, .frames = {10, 20}};
    struct host_call got;
    char text[64], small[8];
    const u64 x = named(o, &a, "cudaMemcpyAsync in stream 13", &call), y = op(o, &a);
    assert_true(order_describe(o, x, text, sizeof text, &got));
    assert_string_equal(text, "cudaMemcpyAsync in stream 13");
    assert_string_equal(got.api, "cudaMemcpyAsync");
    assert_int_equal(got.nframes, 2);
    assert_int_equal(got.frames[1], 20);
    assert_true(order_describe(o, x, small, sizeof small, &got));
    assert_string_equal(small, "cudaMem");
    assert_true(order_describe(o, y, text, sizeof text, &got));
    assert_int_equal(got.nframes, 0);
    assert_false(order_describe(o, 1000, text, sizeof text, &got));
}

/* Threads come with their numbers in another order; what has not come is before everything, and behind it. */
static void test_numbers(void **state)
{
    struct stream_order *o = *state;
    order_op(o, 7, &free_a, "first", NULL);
    order_op(o, 9, &free_b, "third", NULL);
    BEFORE(8, 9);
    BEFORE(9, 8);
    BEFORE(10, 9);
    order_op(o, 8, &free_a, "second", NULL);
    BEFORE(7, 8);
    assert_false(order_before(o, 8, 7));
    UNORDERED(8, 9);
    order_op(o, 3, &free_a, "of before the first", NULL);
    BEFORE(3, 9);
    BEFORE(9, 3);
}

/* 100,000 operations, of which the host waits for each tenth: few are kept, and what may still run is known. */
static void test_bounded(void **state)
{
    struct stream_order *o = *state;
    u64 kept = 0, last = 0;
    for (int i = 0; i < 100000; i++) {
        last = op(o, i & 1 ? &free_a : &free_b);
        if (i % 10 == 9) {
            order_host_waits_stream(o, &free_a);
            order_host_waits_stream(o, &free_b);
        }
        kept = order_kept(o) > kept ? order_kept(o) : kept;
    }
    assert_in_range(kept, 1, 256);
    const u64 x = op(o, &free_a), y = op(o, &free_b);
    UNORDERED(x, y);
    BEFORE(last, x);
}

/* Nobody waits: the oldest are forgotten, and count as ordered. */
static void test_nobody_waits(void **state)
{
    struct stream_order *o = *state;
    const u64 first = op(o, &free_b);
    u64 x = 0, y = 0;
    for (int i = 0; i < 100000; i++) {
        x = op(o, &free_a);
        y = op(o, &legacy);
    }
    assert_in_range(order_kept(o), 1, 32768);
    UNORDERED(x, y);
    BEFORE(first, x);
}

/* What an operation that may still run is not behind is remembered, though the host has waited for it. */
static void test_waited_but_asked(void **state)
{
    struct stream_order *o = *state;
    const u64 x = op(o, &free_a), y = op(o, &free_b); /* y runs for a long time */
    order_host_waits_stream(o, &free_a);
    for (int i = 0; i < 5000; i++) {
        op(o, &free_a);
        order_host_waits_stream(o, &free_a);
    }
    UNORDERED(x, y);
    order_host_waits_stream(o, &free_b);
    for (int i = 0; i < 20000; i++) {
        op(o, &free_a);
        order_host_waits_stream(o, &free_a);
    }
    assert_in_range(order_kept(o), 1, 16384);
}

/* ---- no memory ---- */

static int fail_at;

static void *failing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size && fail_at > 0 && --fail_at == 0)
        return NULL;
    if (!size) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

/* Whatever allocation fails, nothing that is ordered is called unordered. */
static void test_no_memory(void **state)
{
    (void)state;
    for (int n = 1; n < 40; n++) {
        ls_set_realloc(failing, NULL);
        fail_at = n;
        struct stream_order *o = order_create();
        if (o) {
            const u64 x = named(o, &free_a, "x", NULL);
            order_record(o, &free_a, 100);
            order_wait(o, &free_b, 100);
            const u64 y = named(o, &free_b, "y", NULL);
            const u64 z = named(o, &legacy, "z", NULL), w = named(o, &a, "w", NULL);
            BEFORE(x, y);
            BEFORE(z, w);
        }
        order_destroy(o);
        ls_set_realloc(NULL, NULL);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_streams),
        TEST(test_legacy),
        TEST(test_legacy_takes_waits),
        TEST(test_events),
        TEST(test_recorded_again),
        TEST(test_chain),
        TEST(test_never_recorded),
        TEST(test_host),
        TEST(test_host_waits_legacy),
        TEST(test_wait_all),
        TEST(test_wait_value),
        TEST(test_destroyed),
        TEST(test_many_streams),
        TEST(test_too_many_streams),
        TEST(test_describe),
        TEST(test_numbers),
        TEST(test_bounded),
        TEST(test_nobody_waits),
        TEST(test_waited_but_asked),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
