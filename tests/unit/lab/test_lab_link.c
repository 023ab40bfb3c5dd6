/* test_lab_link.c - the model of copies, kernels and streams, against timelines drawn by hand.
 *
 * A GPU with round numbers: 4000 bytes take 1 + 4 us to the device and 1 + 2 us to the host, from pageable memory 1 + 8
 * and 1 + 16; a call takes the host 0.1 us. Times below are in us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lab/plan_link.h"

static const struct gpu gpu = {.link_htod_bytes_per_s = 1e9,
                               .link_dtoh_bytes_per_s = 2e9,
                               .link_htod_pageable_bytes_per_s = 0.5e9,
                               .link_dtoh_pageable_bytes_per_s = 0.25e9,
                               .dram_bytes_per_s = 1e9,
                               .copy_latency_ns = 1000,
                               .launch_ns = 100};

enum { N = 1000 }; /* floats: 4000 bytes */

static struct arena mem = ARENA("test");
static struct plan plan;

static void begin(void)
{
    arena_free(&mem);
    plan = (struct plan){.mem = &mem};
}

static u32 buffer(enum buffer_use use, enum buffer_place place)
{
    return plan_buffer(&plan, (struct buffer){.use = use, .type = BUFFER_FLOAT, .place = place, .count = 4 * N});
}

static void copy(u32 stream, u32 to, u32 from)
{
    plan_step(&plan, (struct step){.kind = STEP_COPY, .stream = stream, .to = to, .from = from, .count = N});
}

static void step(enum step_kind kind, u32 stream, u32 to)
{
    plan_step(&plan, (struct step){.kind = kind, .stream = stream, .to = to});
}

static struct launch *launch(u32 stream) { return plan_launch_in(&plan, stream, "k", 1, 32); }

static struct link_times model(double kernel_us)
{
    struct link_times t;
    assert_true(link_model(&gpu, &plan, kernel_us * 1e-6, &mem, &t));
    return t;
}

static void same(double got_s, double want_us)
{
    if (fabs(got_s * 1e6 - want_us) > 1e-6)
        fail_msg("%.6f us, by hand %.6f us", got_s * 1e6, want_us);
}

/* in 0.1-5.1, kernel 5.1-12.1, out 12.1-15.1 */
static void test_one_after_the_other(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_INOUT, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    copy(0, device, host);
    launch(0);
    copy(0, host, device);
    step(STEP_SYNC, 0, 0);
    const struct link_times t = model(7);
    same(t.path, 15.1);
    same(t.copy, 8);
    same(t.kernel, 7);
    assert_true(fabs(t.hidden) < 1e-12);
}

/* The same in two streams, a copy in, half of 14 us of kernels and a copy out each:
 *   s1  in 0.1-5.1   kernel 5.1-12.1    out 12.1-15.1
 *   s2  in 5.1-10.1  kernel 12.1-19.1   out 19.1-22.1 */
static void two_streams(enum buffer_place place)
{
    begin();
    const u32 host = buffer(BUFFER_INOUT, place), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    for (u32 s = 1; s <= 2; s++) {
        copy(s, device, host);
        launch(s);
        copy(s, host, device);
    }
    step(STEP_SYNC, 1, 0);
    step(STEP_SYNC, 2, 0);
}

static void test_two_streams(void **state)
{
    (void)state;
    two_streams(PLACE_PINNED);
    const struct link_times t = model(14);
    same(t.path, 22.1);
    same(t.copy, 16);
    same(t.kernel, 14);
    assert_true(fabs(t.hidden - 8.0 / 30) < 1e-9);
}

/* From pageable memory the host is in every copy, and before it waits for the stream:
 *   s1  in 0.1-9.1    kernel 9.2-16.2   out 16.2-33.2
 *   s2  in 33.3-42.3  kernel 42.4-49.4  out 49.4-66.4 */
static void test_pageable_streams_take_turns(void **state)
{
    (void)state;
    two_streams(PLACE_PAGEABLE);
    const struct link_times t = model(14);
    same(t.path, 66.4);
    same(t.copy, 2 * (9 + 17));
    assert_true(fabs(t.hidden) < 1e-12);
}

/* s1: in 0.1-5.1, event 0; s2: waits for it, kernel 5.1-12.1, event 1; s1: waits for that, out 12.1-15.1. */
static void test_events_order_streams(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_INOUT, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    step(STEP_WAIT, 1, 5); /* never recorded: nothing to wait for */
    copy(1, device, host);
    step(STEP_RECORD, 1, 0);
    step(STEP_WAIT, 2, 0);
    launch(2);
    step(STEP_RECORD, 2, 1);
    step(STEP_WAIT, 1, 1);
    copy(1, host, device);
    step(STEP_SYNC, 0, 0);
    same(model(7).path, 15.1);
}

/* Without the events kernel and copy in run side by side; out follows the copy in. */
static void test_no_event_no_order(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_INOUT, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    copy(1, device, host); /* 0.1-5.1 */
    launch(2);             /* 0.2-7.2 */
    copy(1, host, device); /* 5.1-8.1 */
    step(STEP_SYNC, 0, 0);
    same(model(7).path, 8.1);
}

/* The engine to the host takes what is ready first, though it was issued last:
 *   s1  kernel 0.1-10.1  out 10.1-13.1 (issued at 0.2)
 *   s2  in 0.3-5.3       out 5.3-8.3   (issued at 0.4) */
static void test_an_engine_takes_what_is_ready(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_INOUT, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    launch(1);
    copy(1, host, device);
    copy(2, device, host);
    copy(2, host, device);
    step(STEP_SYNC, 2, 0);
    const struct link_times t = model(10);
    same(t.path, 13.1);                            /* the plan's end waits for stream 1 too */
    assert_true(fabs(t.hidden - 8.0 / 21) < 1e-9); /* 21 us of work in 13 */
}

/* A call after a wait is issued when the wait is over: kernel 0.1-7.1, then in 7.2-12.2. */
static void test_the_host_waits(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_IN, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    launch(1);
    step(STEP_SYNC, 1, 0);
    copy(2, device, host);
    same(model(7).path, 12.2);
}

/* allocation until 0.1, kernel 0.2-7.2, free waits for it; in 7.3-12.3 */
static void test_free_waits_for_everything(void **state)
{
    (void)state;
    begin();
    const u32 host = buffer(BUFFER_IN, PLACE_PINNED), device = buffer(BUFFER_OUT, PLACE_DEVICE);
    plan_step(&plan, (struct step){.kind = STEP_ALLOC, .count = 64});
    launch(1);
    step(STEP_FREE, 0, 0);
    copy(2, device, host);
    same(model(7).path, 12.3);
}

/* All 16,000 bytes in 17 us and out 9 us beside 2 us of kernel: 0.1-17.1. */
static void test_mapped_memory_crosses_beside_the_kernel(void **state)
{
    (void)state;
    begin();
    const u32 in = buffer(BUFFER_IN, PLACE_MAPPED), out = buffer(BUFFER_OUT, PLACE_MAPPED);
    struct launch *l = launch(0);
    launch_buffer(l, in), launch_buffer(l, out);
    const struct link_times t = model(2);
    same(t.path, 17.1);
    same(t.copy, 26);
    assert_true(fabs(t.hidden - 11.0 / 28) < 1e-9);

    begin();
    launch_buffer(launch(0), buffer(BUFFER_OUT, PLACE_MAPPED));
    same(model(2).path, 9.1);
}

/* Two launches share the 16,000 bytes: 0.1-9.1 and 9.1-18.1. */
static void test_launches_share_mapped_memory(void **state)
{
    (void)state;
    begin();
    const u32 in = buffer(BUFFER_IN, PLACE_MAPPED);
    launch_buffer(launch(0), in);
    launch_pointer(launch(0), in, 2 * N);
    same(model(0).path, 18.1);
}

/* By faults 0.1-33.1 and, touched by the host, 33.1-98.1; by prefetch 0.1-17.1, kernel 17.1-19.1, back 19.1-28.1. */
static void test_managed_memory(void **state)
{
    (void)state;
    begin();
    u32 b = buffer(BUFFER_INOUT, PLACE_MANAGED);
    launch_buffer(launch(0), b);
    step(STEP_SYNC, 0, 0);
    step(STEP_TOUCH, 0, b);
    step(STEP_TOUCH, 0, b); /* it is there already */
    same(model(2).path, 98.1);

    begin();
    b = buffer(BUFFER_INOUT, PLACE_MANAGED);
    step(STEP_PREFETCH, 0, b);
    launch_buffer(launch(0), b);
    step(STEP_PREFETCH, 0, b); /* it is there already */
    plan_step(&plan, (struct step){.kind = STEP_PREFETCH, .to = b, .value = 1});
    step(STEP_SYNC, 0, 0);
    step(STEP_TOUCH, 0, b);
    same(model(2).path, 28.1);
}

/* Two kernels of 1 and 3 blocks share 8 us: 2 and 6; and no kernel takes less than a launch. */
static void test_kernels_share_by_threads(void **state)
{
    (void)state;
    begin();
    launch(1);
    plan_launch_in(&plan, 2, "k", 3, 32);
    same(model(8).path, 0.1 + 2 + 6);
    same(model(0).path, 0.1 + 2 * 0.1);
}

/* In the device: 4000 bytes read and 4000 written at 1 GB/s; a fill writes only. */
static void test_copies_in_the_device(void **state)
{
    (void)state;
    begin();
    const u32 a = buffer(BUFFER_OUT, PLACE_DEVICE), b = buffer(BUFFER_OUT, PLACE_DEVICE);
    copy(0, a, b);
    plan_step(&plan, (struct step){.kind = STEP_SET, .to = a, .count = N});
    const struct link_times t = model(0);
    same(t.path, 0.1 + 8 + 4);
    same(t.copy, 0);
}

static void test_what_is_unknown_is_not_guessed(void **state)
{
    (void)state;
    struct gpu g = gpu;
    struct link_times t;
    begin();
    launch(0);
    g.link_dtoh_pageable_bytes_per_s = 0;
    assert_false(link_model(&g, &plan, 1e-6, &mem, &t));
    g = gpu;
    g.launch_ns = 0;
    assert_false(link_model(&g, &plan, 1e-6, &mem, &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_two_streams),
        cmocka_unit_test(test_pageable_streams_take_turns),
        cmocka_unit_test(test_events_order_streams),
        cmocka_unit_test(test_no_event_no_order),
        cmocka_unit_test(test_an_engine_takes_what_is_ready),
        cmocka_unit_test(test_the_host_waits),
        cmocka_unit_test(test_free_waits_for_everything),
        cmocka_unit_test(test_mapped_memory_crosses_beside_the_kernel),
        cmocka_unit_test(test_launches_share_mapped_memory),
        cmocka_unit_test(test_managed_memory),
        cmocka_unit_test(test_kernels_share_by_threads),
        cmocka_unit_test(test_copies_in_the_device),
        cmocka_unit_test(test_what_is_unknown_is_not_guessed),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&mem);
    return failed;
}
