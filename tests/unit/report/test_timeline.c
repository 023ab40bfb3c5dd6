/* test_timeline.c - schedules of made-up programs: each start and duration follows from the rules at the head of
 * timeline_schedule.c and the numbers of a made-up GPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/timeline/timeline.h"

/* 1 us a call and a copy's latency; 1 GB/s page-locked, half of it pageable, 10 GB/s DRAM. */
static const struct gpu gpu = {
    .id = "made-up",
    .name = "made-up",
    .launch_ns = 1000,
    .copy_latency_ns = 1000,
    .link_htod_bytes_per_s = 1e9,
    .link_dtoh_bytes_per_s = 1e9,
    .link_htod_pageable_bytes_per_s = 0.5e9,
    .link_dtoh_pageable_bytes_per_s = 0.5e9,
    .dram_bytes_per_s = 1e10,
};

#define S(n) "\"stream\":" #n ",\"context\":1,\"blocking\":true,\"thread\":1"
#define COPY(n, bytes, from, to, waits)                                                                                \
    "{\"op\":\"copy\"," S(n) ",\"bytes\":" #bytes ",\"from\":\"" from "\",\"to\":\"" to "\",\"waits\":" waits "}\n"
#define KERNEL(n, id) "{\"op\":\"kernel\"," S(n) ",\"launch\":" #id "}\n"
#define EVENT(kind, n, e) "{\"op\":\"" kind "\"," S(n) ",\"event\":" #e "}\n"
#define SYNC "{\"op\":\"sync\",\"thread\":1}\n"

static struct timeline line;
static struct session session;

static void read_text(const char *text)
{
    char path[] = "/tmp/lockstep-test-XXXXXX";
    struct diag_list diags;
    diag_init(&diags);
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    assert_int_equal(timeline_read(path, &session, 0, &gpu, &line, &diags), LS_OK);
    unlink(path);
    diag_free(&diags);
}

/* The n-th item that is work of the device: its times in us. */
static void expect(u32 n, double start, double duration)
{
    for (u32 i = 0; i < line.items.len; i++) {
        const struct timeline_item *x = &line.items.at[i];
        if (timeline_on_device(x) && n-- == 0) {
            assert_true(fabs(x->start * 1e6 - start) < 1e-6);
            assert_true(fabs(x->seconds * 1e6 - duration) < 1e-6);
            return;
        }
    }
    fail_msg("there are not so many");
}

/* Issued after the call (1 us); pinned 9000 bytes: 1 + 9 us; the kernel that was not recorded takes a call's time. */
static void one_stream_is_in_order(void **state)
{
    (void)state;
    read_text(COPY(13, 9000, "pinned", "device", "false") KERNEL(13, 1) COPY(13, 9000, "device", "pinned", "false"));
    expect(0, 1, 10);
    expect(1, 11, 1);
    expect(2, 12, 10);
    timeline_free(&line);
}

/* The second stream's copy in waits for the engine, its copy out overlaps the first stream's nothing. */
static void streams_overlap(void **state)
{
    (void)state;
    read_text(COPY(13, 9000, "pinned", "device", "false") COPY(13, 9000, "device", "pinned", "false")
                  COPY(14, 9000, "pinned", "device", "false") COPY(14, 9000, "device", "pinned", "false"));
    expect(0, 1, 10);
    expect(1, 11, 10);
    expect(2, 11, 10); /* beside the copy out of the first stream */
    expect(3, 21, 10);
    timeline_free(&line);
}

/* Pageable memory: half the rate, and the host goes on only afterwards. */
static void pageable_copies_hold_the_host(void **state)
{
    (void)state;
    read_text(COPY(7, 9000, "pageable", "device", "true") KERNEL(7, 1));
    expect(0, 1, 19);
    expect(1, 21, 1); /* 20 us, and the call */
    timeline_free(&line);
}

static void default_stream_waits_for_blocking_ones(void **state)
{
    (void)state;
    read_text(KERNEL(13, 1) COPY(14, 9000, "pinned", "device", "false") KERNEL(7, 2) KERNEL(13, 3));
    expect(1, 2, 10);
    expect(2, 12, 1);
    expect(3, 13, 1);
    timeline_free(&line);
}

static void events_order_streams(void **state)
{
    (void)state;
    read_text(COPY(13, 9000, "pinned", "device", "false") EVENT("record", 13, 5) EVENT("wait", 14, 5) KERNEL(14, 1));
    expect(1, 11, 1);
    timeline_free(&line);
}

static void the_host_waits(void **state)
{
    (void)state;
    read_text(COPY(13, 9000, "pinned", "device", "false") SYNC KERNEL(14, 1));
    expect(1, 12, 1);
    timeline_free(&line);
}

/* In the device: 2 x 1e6 bytes at 1e10 a second. */
static void fills_and_copies_in_the_device(void **state)
{
    (void)state;
    read_text(COPY(7, 1000000, "device", "device", "false") "{\"op\":\"set\"," S(7) ",\"bytes\":1000000}\n");
    expect(0, 1, 200);
    expect(1, 201, 100);
    timeline_free(&line);
}

/* What a graph did stands behind what came after its launch, and belongs where it was launched. */
static void graphs_are_in_their_place(void **state)
{
    (void)state;
    read_text("{\"op\":\"graph\"," S(13) ",\"graph\":1}\n" KERNEL(
        13, 3) "{\"op\":\"copy\",\"in\":1,\"bytes\":9000,\"from\":\"pinned\",\"to\":\"device\",\"waits\":false,"
               "\"thread\":2}\n"
               "{\"op\":\"kernel\",\"in\":1,\"launch\":1,\"thread\":2}\n");
    assert_int_equal(line.items.len, 3);
    expect(0, 0, 10);
    expect(1, 10, 1);
    expect(2, 11, 1);
    timeline_free(&line);
}

static void calls_nest(void **state)
{
    (void)state;
    read_text(
        "{\"call\":\"cudaMemcpy\",\"thread\":1,\"at\":0}\n{\"call\":\"cuMemcpyHtoD_v2\",\"thread\":1,\"at\":1}\n" COPY(
            7, 9000, "pageable", "device", "true") "{\"return\":\"cuMemcpyHtoD_v2\",\"thread\":1,\"at\":2}\n{"
                                                   "\"return\":\"cudaMemcpy\",\"thread\":1,\"at\":3}\n"
                                                   "{\"call\":\"abort\",\"thread\":1,\"at\":3}\n{\"op\":\"cut sho");
    const struct timeline_item *outer = &line.items.at[0], *inner = &line.items.at[1];
    assert_int_equal(outer->depth, 0);
    assert_int_equal(inner->depth, 1);
    assert_true(fabs(outer->seconds * 1e6 - 20) < 1e-6);
    assert_true(inner->seconds == outer->seconds);
    timeline_free(&line);
}

static void a_gpu_without_a_link_is_refused(void **state)
{
    (void)state;
    const struct gpu none = {.id = "none"};
    struct timeline t = {.mem = ARENA("timeline")};
    assert_false(timeline_schedule(&t, &none));
    timeline_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream_is_in_order),
        cmocka_unit_test(streams_overlap),
        cmocka_unit_test(pageable_copies_hold_the_host),
        cmocka_unit_test(default_stream_waits_for_blocking_ones),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(the_host_waits),
        cmocka_unit_test(fills_and_copies_in_the_device),
        cmocka_unit_test(graphs_are_in_their_place),
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(a_gpu_without_a_link_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
