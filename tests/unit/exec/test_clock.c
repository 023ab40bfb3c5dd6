/* The modelled clock: exec/clock/clock.h's formula, kernel by kernel. Numbers are an H200's: 32-bit floats issue every cycle
 * and are ready after 4, integers every 2 cycles after 4; a clock is read by the integer unit. T is the cycle of the
 * first clock read. */
/* clang-format off */ // rows of macros and of text
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/module.h"
#include "harness.h"

enum { TEXT = 1 << 18, FP32 = 4, INT = 4, SFU = 17 /* conversions too */, SHARED = 23, L1 = 32, L2 = 280, DRAM = 685 };

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".const .align 128 .b8 table[4096];\n";

/* A kernel `k` of this body, whose registers and parameters are there. */
static const char frame[] =
    "%s\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .f32 %%f<16>;\n.reg .f64 %%d<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%q<16>;\n.reg .b64 %%t<16>;\n"
    ".reg .pred %%p<4>;\n"
    ".shared .align 128 .b8 held[4096];\n.local .align 16 .b8 own[64];\n"
    "ld.param.u64 %%q0, [out];\nld.param.u64 %%q1, [in];\n"
    "mov.f32 %%f1, 0f3F800000;\nmov.f32 %%f2, 0f3F000000;\nmov.f32 %%f3, 0f3F000000;\nmov.f32 %%f4, 0f3F000000;\n"
    "mov.f64 %%d1, 0d3FF0000000000000;\nmov.u32 %%r1, 0;\nmov.u32 %%r2, %%tid.x;\n"
    "%s\nret;\n}\n";

static void add(char *text, const char *format, ...)
{
    size_t at = strlen(text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text + at, TEXT - at, format, ap);
    va_end(ap);
    assert_true(strlen(text) < TEXT - 1);
}

static void repeat(char *text, unsigned n, const char *lines)
{
    while (n--)
        add(text, "%s\n", lines);
}

struct bench_text {
    struct bench b;
    char *body;
    u64 *out;
};

static void begin(struct bench_text *t)
{
    t->body = calloc(1, TEXT);
    assert_non_null(t->body);
}

/* Compiles the body, with `before` in front of the kernel. */
static void compile(struct bench_text *t, const char *before)
{
    char *text = calloc(1, 2 * TEXT);
    assert_non_null(text);
    strcpy(text, head);
    snprintf(text + strlen(head), 2 * TEXT - strlen(head), frame, before, t->body);
    bench_open(&t->b, text);
    t->out = bench_alloc(&t->b, 65536);
    free(text);
}

static void end(struct bench_text *t)
{
    bench_close(&t->b);
    free(t->body);
}

static void run(struct bench_text *t, u32 threads, const void *in)
{
    bench_run_ok(&t->b, &(struct run){.kernel = "k", .grid = 1, .block = threads, .params = {(u64)t->out, (u64)in}});
}

/* for add(): formats */
#define CLOCK(n) "mov.u64 %%t" #n ", %%clock64;\n"
#define STORE_DELTA "sub.u64 %%q2, %%t1, %%t0;\nst.global.u64 [%%q0], %%q2;\n"

/* What n times `lines` between two clock reads cost one warp, after `before`. */
static u64 delta(const char *before, unsigned n, const char *lines, u32 threads)
{
    struct bench_text t;
    begin(&t);
    add(t.body, "%s\n" CLOCK(0), before);
    repeat(t.body, n, lines);
    add(t.body, CLOCK(1) STORE_DELTA);
    compile(&t, "");
    run(&t, threads, NULL);
    u64 cycles = t.out[0];
    end(&t);
    return cycles;
}

/* ---- arithmetic ---- */

static void a_dependent_chain_costs_its_latency(void **state)
{
    (void)state;
    /* the first at T + 1, the last 63 x 4 later, the clock behind it */
    assert_int_equal(delta("", 64, "fma.rn.f32 %f1, %f1, %f2, %f3;", 32), 1 + 63 * FP32 + 1);
    assert_int_equal(delta("", 64, "fma.rn.f32 %f1, %f1, %f2, %f3;", 1), 1 + 63 * FP32 + 1);
    assert_int_equal(delta("", 16, "fma.rn.f64 %d1, %d1, %d1, %d1;", 32), 1 + 15 * 8 + 1);
    assert_int_equal(delta("", 8, "ex2.approx.f32 %f1, %f1;", 32), 1 + 7 * SFU + 1);
    /* the integer unit has just read the clock, and reads it again two cycles after the last */
    assert_int_equal(delta("", 64, "add.s32 %r1, %r1, 1;", 32), 2 + 63 * INT + 2);
    assert_int_equal(delta("", 16, "cvt.rn.f32.u32 %f1, %r1;\ncvt.rzi.u32.f32 %r1, %f1;", 32), 1 + 31 * SFU + 1);
}

static void independent_chains_overlap(void **state)
{
    (void)state;
    const char *two = "fma.rn.f32 %f1, %f1, %f5, %f6;\nfma.rn.f32 %f2, %f2, %f5, %f6;";
    const char *four = "fma.rn.f32 %f1, %f1, %f5, %f6;\nfma.rn.f32 %f2, %f2, %f5, %f6;\n"
                       "fma.rn.f32 %f3, %f3, %f5, %f6;\nfma.rn.f32 %f4, %f4, %f5, %f6;";
    const char *set = "mov.f32 %f5, %f1;\nmov.f32 %f6, %f1;";
    assert_int_equal(delta(set, 32, two, 32), 1 + 31 * FP32 + 1 + 1);
    assert_int_equal(delta(set, 16, four, 32), 1 + 63 + 1); /* an instruction every cycle */
    assert_int_equal(delta("", 64, "add.s32 %r1, %r2, 1;", 32), 2 + 63 * 2 + 2);
    assert_int_equal(delta("", 8, "ex2.approx.f32 %f1, %f2;", 32), 1 + 7 * 8 + 1);
}

static void moves_cost_nothing_and_keep_the_chain(void **state)
{
    (void)state;
    assert_int_equal(delta("", 0, "", 32), 2);
    assert_int_equal(delta("", 64, "mov.b32 %r3, %r1;\ncvta.to.global.u64 %q2, %q1;", 32), 2);
    assert_int_equal(delta("", 32, "fma.rn.f32 %f4, %f1, %f2, %f3;\nmov.f32 %f1, %f4;", 32), 1 + 31 * FP32 + 1);
}

static void the_scheduler_s_share_sets_the_pace(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, CLOCK(0));
    repeat(t.body, 10, "fma.rn.f64 %d2, %d1, %d1, %d1;");
    add(t.body, CLOCK(1) STORE_DELTA);
    compile(&t, "");
    t.b.device.gpu.fp64_rate = 2; /* a consumer card's: a warp instruction every 64 cycles */
    run(&t, 32, NULL);
    assert_int_equal(t.out[0], 1 + 9 * 64 + 1);
    t.b.device.gpu.fp64_rate = 0; /* unknown: no limit but issue */
    run(&t, 32, NULL);
    assert_int_equal(t.out[0], 1 + 9 + 1);
    end(&t);
}

/* ---- loops ---- */

static u64 loop(const char *set, const char *lines)
{
    char text[1024];
    snprintf(text, sizeof text, "again:\n%s\nsetp.lt.u32 %%p1, %%r1, 100;\n%s\n@%%p1 bra again;",
             "add.u32 %r1, %r1, 1;", lines);
    return delta(set, 1, text, 32);
}

static void a_loop_s_chain_goes_round_the_back_edge(void **state)
{
    (void)state;
    /* add at T + 2, setp + 4, the ex2 + 1; each waits for the one before, not for the counter */
    assert_int_equal(loop("", "ex2.approx.f32 %f1, %f1;"), 2 + 4 + 1 + 99 * SFU + 2);
    /* one that needs nothing: the counter sets the pace: add, setp 4 later, the branch 4 later, the next add */
    assert_int_equal(loop("", "ex2.approx.f32 %f1, %f2;"), 2 + 99 * 9 + 4 + 4 + 1);
    u64 one = loop("", "fma.rn.f32 %f1, %f1, %f3, %f4;\nfma.rn.f32 %f1, %f1, %f3, %f4;\n"
                   "fma.rn.f32 %f1, %f1, %f3, %f4;\n"
                       "fma.rn.f32 %f1, %f1, %f3, %f4;");
    u64 two = loop("", "fma.rn.f32 %f1, %f1, %f3, %f4;\nfma.rn.f32 %f2, %f2, %f3, %f4;\n"
                   "fma.rn.f32 %f1, %f1, %f3, %f4;\n"
                       "fma.rn.f32 %f2, %f2, %f3, %f4;");
    assert_true(two < one);
    assert_int_equal(one, 2 + 99 * (4 + 1 + 12 + 1 + 1) + 4 + 1 + 12 + 1 + 1);
}

/* ---- memory ---- */

static void shared_memory(void **state)
{
    (void)state;
    const char *set = "mov.u32 %r1, held;\nst.shared.u32 [held], %r1;";
    assert_int_equal(delta(set, 64, "ld.shared.u32 %r1, [%r1];", 1), 1 + 63 * SHARED + 1);
    assert_int_equal(delta(set, 64, "ld.shared.u32 %r3, [%r1];", 1), 1 + 63 * 2 + 1); /* the LSU takes one in two */
    const char *use = "ld.shared.u32 %r4, [%r3];\nadd.u32 %r4, %r4, 1;";
    /* the address is ready at T + 2, 4 cycles after the integer unit took it */
    assert_int_equal(delta("shl.b32 %r3, %r2, 2;", 1, use, 32), 2 + SHARED + 2);
    for (u32 ways = 2; ways <= 32; ways *= 2) { /* words `ways` apart: so many lanes a bank */
        char stride[64];
        snprintf(stride, sizeof stride, "mul.lo.u32 %%r3, %%r2, %u;", 4 * ways);
        assert_int_equal(delta(stride, 1, use, 32), 2 + SHARED + ways - 1 + 2);
    }
}

/* A ring of n pointers, `stride` bytes apart; the kernel goes round it twice and stores both times. A round ends when
 * its last load is there: the comparison (two instructions, as for any 64 bits) waits for it. */
struct ring {
    const char *load;
    u32 n, stride;
    u32 l1_kib;  /* of the test's GPU, whose smallest carve-out is 8 KiB */
    u64 l2_bytes;
};

static void go_round(const struct ring *r, u64 cycles[2])
{
    struct bench_text t;
    begin(&t);
    add(t.body, "mov.u64 %%q3, %%q1;\n");
    for (int round = 0; round < 2; round++) {
        add(t.body, CLOCK(0));
        for (u32 k = 0; k < r->n; k++)
            add(t.body, "%s %%q3, [%%q3];\n", r->load);
        add(t.body, "setp.eq.u64 %%p1, %%q3, 0;\n" CLOCK(1) "sub.u64 %%q2, %%t1, %%t0;\n"
                    "st.global.u64 [%%q0+%d], %%q2;\n",
            8 * round);
    }
    compile(&t, "");
    t.b.device.gpu.l1_kib = r->l1_kib;
    t.b.device.gpu.l2_bytes = r->l2_bytes;
    u8 *ring = bench_alloc(&t.b, (u64)r->n * r->stride);
    for (u32 k = 0; k < r->n; k++)
        *(u64 *)(void *)(ring + k * r->stride) = (u64)(uintptr_t)(ring + (k + 1) % r->n * r->stride);
    run(&t, 1, ring);
    memcpy(cycles, t.out, 16);
    end(&t);
}

#define ROUND(n, latency) (1 + (u64)(n) * (latency) + 4)

static void expect_rounds(struct ring r, u64 first, u64 second)
{
    u64 cycles[2];
    go_round(&r, cycles);
    assert_int_equal(cycles[0], first);
    assert_int_equal(cycles[1], second);
}

static void a_pointer_chase_sees_the_caches(void **state)
{
    (void)state;
    const struct ring small = {"ld.global.u64", 64, 128, 256, 60 << 20};
    expect_rounds(small, ROUND(64, DRAM), ROUND(64, L1));
    struct ring r = small;
    r.l1_kib = 16; /* 8 KiB left: these 64 lines just fit */
    expect_rounds(r, ROUND(64, DRAM), ROUND(64, L1));
    r.n = 128;
    expect_rounds(r, ROUND(128, DRAM), ROUND(128, L2));
    r.l2_bytes = 8192;
    expect_rounds(r, ROUND(128, DRAM), ROUND(128, DRAM));
    r.l1_kib = 8; /* nothing left */
    r.n = 32;
    expect_rounds(r, ROUND(32, DRAM), ROUND(32, L2));
    r.l2_bytes = 0;
    expect_rounds(r, ROUND(32, DRAM), ROUND(32, DRAM));
}

static void sectors_come_one_by_one(void **state)
{
    (void)state;
    expect_rounds((struct ring){"ld.global.u64", 64, 32, 256, 60 << 20}, ROUND(64, DRAM), ROUND(64, L1));
    /* four pointers a sector: one misses and three hit */
    expect_rounds((struct ring){"ld.global.u64", 64, 8, 256, 60 << 20}, 1 + 16 * DRAM + 48 * L1 + 4, ROUND(64, L1));
}

static void what_goes_by_l1_finds_l2(void **state)
{
    (void)state;
    static const char *const loads[] = {"ld.global.cg.u64", "ld.volatile.global.u64", "ld.relaxed.gpu.global.u64",
                                        "ld.acquire.gpu.global.u64"};
    for (u32 k = 0; k < LS_ARRAY_LEN(loads); k++)
        expect_rounds((struct ring){loads[k], 16, 128, 256, 60 << 20}, ROUND(16, DRAM), ROUND(16, L2));
    expect_rounds((struct ring){"ld.global.nc.u64", 16, 128, 256, 60 << 20}, ROUND(16, DRAM), ROUND(16, L1));
    expect_rounds((struct ring){"ld.u64", 16, 128, 256, 60 << 20}, ROUND(16, DRAM), ROUND(16, L1));
}

static u64 with_memory(const char *before, unsigned n, const char *lines, u32 threads)
{
    struct bench_text t;
    begin(&t);
    add(t.body, "%s\n" CLOCK(0), before);
    repeat(t.body, n, lines);
    add(t.body, CLOCK(1) STORE_DELTA);
    compile(&t, "");
    run(&t, threads, bench_alloc(&t.b, 1 << 16));
    u64 cycles = t.out[0];
    end(&t);
    return cycles;
}

static void other_accesses(void **state)
{
    (void)state;
    /* an atomic goes to L2; the next one needs its result */
    /* %r1 of the last add is ready at T + 2 */
    const char *warm = "atom.global.add.u32 %r1, [%q1], 0;\nadd.u32 %r1, %r1, 0;\nadd.u32 %r1, %r1, 0;";
    const char *atom = "atom.global.add.u32 %r1, [%q1], %r1;";
    assert_int_equal(with_memory(warm, 8, atom, 1), 2 + 7 * L2 + 1);
    /* a store is not waited for, but by a fence */
    assert_int_equal(with_memory("", 1, "st.global.u32 [%q1], %r1;", 1), 2);
    assert_int_equal(with_memory("", 1, "st.global.u32 [%q1], %r1;\nmembar.gl;", 1), 1 + L2);
    assert_int_equal(with_memory("", 1, "st.global.u32 [%q1], %r1;\nmembar.cta;", 1), 3);
    /* what was stored is in L2 */
    assert_int_equal(with_memory("", 1, "st.global.u32 [%q1], %r1;\nld.global.u32 %r3, [%q1];\n"
                                 "add.u32 %r3, %r3, 1;", 1),
                     3 + L2 + 2);
    /* 32 lines: one a cycle through the tags */
    const char *wide = "mul.wide.u32 %q3, %r2, 128;\nadd.u64 %q3, %q3, %q1;\nadd.u64 %q3, %q3, 0;\n"
                       "add.u64 %q3, %q3, 0;\n"
                       "mov.u32 %r4, %tid.x;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;";
    assert_int_equal(with_memory(wide, 1, "ld.global.u32 %r3, [%q3];\nadd.u32 %r3, %r3, 1;", 32), 1 + 31 + DRAM + 2);
    const char *local = "mov.u32 %r1, own;\nst.local.u32 [own], %r1;";
    assert_int_equal(with_memory(local, 16, "ld.local.u32 %r1, [%r1];", 32), 1 + 15 * L1 + 1);
}

static void constants_take_a_pass_an_address(void **state)
{
    (void)state;
    const char *use = "ld.const.u32 %r4, [%q3];\nadd.u32 %r4, %r4, 1;";
    const char *wait = "add.u64 %q4, %q3, 0;\nadd.u64 %q4, %q4, 0;\nadd.u64 %q4, %q4, 0;";
    char same[256], each[256];
    snprintf(same, sizeof same, "mov.u64 %%q3, table;\n%s", wait);
    snprintf(each, sizeof each, "mov.u64 %%q3, table;\nmul.wide.u32 %%q4, %%r2, 4;\nadd.u64 %%q3, %%q3, %%q4;\n"
                                "%s", wait);
    assert_int_equal(delta(same, 1, use, 32), 1 + L1 + 2);
    assert_int_equal(delta(each, 1, use, 32), 1 + L1 + 31 * 2 + 2);
}

static void asynchronous_copies_are_waited_for(void **state)
{
    (void)state;
    const char *set = "mov.u32 %r1, held;\n";
    const char *copy = "cp.async.ca.shared.global [%r1], [%q1], 16;\ncp.async.commit_group;\n";
    char text[512];
    assert_true(with_memory(set, 1, copy, 1) < 8);
    snprintf(text, sizeof text, "%scp.async.wait_group 1;", copy);
    assert_true(with_memory(set, 1, text, 1) < 8);
    snprintf(text, sizeof text, "%scp.async.wait_group 0;", copy);
    assert_int_equal(with_memory(set, 1, text, 1), 1 + DRAM);
    assert_int_equal(with_memory(set, 1, "cp.async.ca.shared.global [%r1], [%q1], 16;\n"
                                         "cp.async.wait_all;", 1), 1 + DRAM);
}

static void a_line_on_its_way_is_fetched_once(void **state)
{
    (void)state;
    /* the second load finds the first one's sector under way; both are there together */
    const char *twice = "ld.global.u32 %r3, [%q1];\nld.global.u32 %r4, [%q1+4];\nadd.u32 %r4, %r4, 1;";
    assert_int_equal(with_memory("", 1, twice, 1), 1 + DRAM + 2);
}

/* ---- lanes and warps ---- */

static void lanes_that_part_run_one_after_the_other(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, CLOCK(0) "setp.lt.u32 %%p1, %%r2, 16;\n@%%p1 bra less;\n");
    repeat(t.body, 64, "fma.rn.f32 %f1, %f1, %f2, %f3;");
    add(t.body, CLOCK(1) "bra meet;\nless:\n");
    repeat(t.body, 32, "fma.rn.f32 %f1, %f1, %f2, %f3;");
    add(t.body, CLOCK(1) "meet:\n" CLOCK(2));
    add(t.body, "mul.wide.u32 %%q3, %%r2, 24;\nadd.u64 %%q3, %%q3, %%q0;\nst.global.u64 [%%q3], %%t0;\n"
                "st.global.u64 [%%q3+8], %%t1;\nst.global.u64 [%%q3+16], %%t2;\n");
    compile(&t, "");
    run(&t, 32, NULL);
    for (u32 lane = 0; lane < 32; lane++) {
        const u64 *c = t.out + 3 * lane;
        assert_true(c[0] < c[1] && c[1] < c[2]);
        assert_int_equal(c[0], t.out[0]);
        assert_int_equal(c[2], t.out[2]);
        assert_true(c[2] - c[0] >= (63 + 31) * FP32 && c[2] - c[0] < (63 + 31) * FP32 + 20);
    }
    assert_true(t.out[1] != t.out[3 * 31 + 1]);
    end(&t);
}

static const char barrier_body[] = "shr.u32 %r4, %r2, 5;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 bra ready;\n";

static void warps_meet_at_the_latest_clock(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, "%s", barrier_body);
    repeat(t.body, 200, "ex2.approx.f32 %f1, %f1;");
    add(t.body, "ready:\n" CLOCK(0) "bar.sync 0;\n" CLOCK(1));
    add(t.body, "mul.wide.u32 %%q3, %%r2, 16;\nadd.u64 %%q3, %%q3, %%q0;\nst.global.u64 [%%q3], %%t0;\n"
                "st.global.u64 [%%q3+8], %%t1;\n");
    compile(&t, "");
    for (u64 seed = 0; seed < 5; seed++) {
        bench_run_ok(&t.b, &(struct run){.kernel = "k", .grid = 1, .block = 128, .seed = seed, .params = {(u64)t.out}});
        assert_true(t.out[2 * 32] > 199 * SFU && t.out[0] < 100);
        for (u32 thread = 0; thread < 128; thread++)
            assert_int_equal(t.out[2 * thread + 1], t.out[2 * 32] + 2);
    }
    end(&t);
}

static void clocks_only_go_on(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    /* lanes leave the loop one by one, poll and meet barriers; each checks its own clock in every turn */
    add(t.body, "mov.u32 %%r9, 1;\n" CLOCK(0) "again:\nld.volatile.global.u32 %%r5, [%%q1];\n"
                "add.u32 %%r1, %%r1, 1;\n" CLOCK(1)
                "setp.gt.u64 %%p1, %%t1, %%t0;\nselp.u32 %%r9, %%r9, 0, %%p1;\nmov.u64 %%t0, %%t1;\n"
                "bar.warp.sync 0xffffffff;\n"
                "setp.le.u32 %%p2, %%r1, 31;\n@%%p2 bra again;\nbar.sync 0;\n"
                "mul.wide.u32 %%q3, %%r2, 4;\nadd.u64 %%q3, %%q3, %%q0;\nst.global.u32 [%%q3], %%r9;\n");
    compile(&t, "");
    run(&t, 96, bench_alloc(&t.b, 4));
    for (u32 thread = 0; thread < 96; thread++)
        assert_int_equal(((u32 *)(void *)t.out)[thread], 1);
    end(&t);
}

static void the_same_in_every_run(void **state)
{
    enum { BLOCKS = 700, WARPS = 3 };
    struct bench_text t;
    u64 *first = calloc(BLOCKS * WARPS, 8);
    (void)state;
    begin(&t);
    /* each warp walks lines of its own; its clock goes to out[block * WARPS + warp] */
    add(t.body, "mov.u32 %%r5, %%ctaid.x;\nshr.u32 %%r4, %%r2, 5;\nmad.lo.u32 %%r5, %%r5, %d, %%r4;\n"
                "mul.wide.u32 %%q4, %%r5, 8;\n"
                "add.u64 %%q4, %%q4, %%q0;\nmul.wide.u32 %%q3, %%r5, 128;\nadd.u64 %%q3, %%q3, %%q1;\n", WARPS);
    repeat(t.body, 3, "ld.global.u64 %q5, [%q3];\nadd.u64 %q3, %q3, %q5;\nbar.sync 0;");
    add(t.body, CLOCK(0) "st.global.u64 [%%q4], %%t0;\n");
    compile(&t, "");
    void *in = bench_alloc(&t.b, BLOCKS * WARPS * 128);
    static const struct {
        unsigned workers;
        u64 seed;
    } runs[] = {{1, 0}, {1, 0}, {2, 0}, {5, 0}, {1, 7}, {3, 9}};
    for (u32 k = 0; k < LS_ARRAY_LEN(runs); k++) {
        bench_run_ok(&t.b, &(struct run){.kernel = "k", .grid = BLOCKS, .block = 32 * WARPS,
                                         .params = {(u64)t.out, (u64)in}, .workers = runs[k].workers,
                                         .seed = runs[k].seed});
        if (!k)
            memcpy(first, t.out, BLOCKS * WARPS * 8);
        assert_true(first[0] > DRAM);
        assert_memory_equal(t.out, first, BLOCKS * WARPS * 8);
    }
    end(&t);
    free(first);
}

static void blocks_that_fit_begin_together(void **state)
{
    enum { BLOCKS = 132 * 3 };
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, CLOCK(0) "mov.u32 %%r5, %%ctaid.x;\nmul.wide.u32 %%q3, %%r5, 8;\nadd.u64 %%q3, %%q3, %%q0;\n"
                         "st.global.u64 [%%q3], %%t0;\nnanosleep.u32 1000;\n");
    compile(&t, "");
    bench_run_ok(&t.b, &(struct run){.kernel = "k", .grid = BLOCKS, .block = 1024, .params = {(u64)t.out}});
    for (u32 b = 0; b < 132 * 2; b++) /* two blocks of 1,024 threads an SM */
        assert_int_equal(t.out[b], t.out[0]);
    for (u32 b = 132 * 2; b < BLOCKS; b++) /* the third when one of them has slept its 1,000 ns */
        assert_true(t.out[b] >= t.out[0] + 1980 && t.out[b] < t.out[0] + 1980 + 100);
    end(&t);
}

/* ---- the timer, functions, instruments ---- */

static void the_global_timer_counts_the_same_in_nanoseconds(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, "mov.u64 %%t0, %%globaltimer;\nmov.u64 %%t1, %%clock64;\nnanosleep.u32 100000;\n"
                "mov.u64 %%t2, %%globaltimer;\n"
                "mov.u64 %%t3, %%clock64;\nsub.u64 %%q2, %%t3, %%t1;\nst.global.u64 [%%q0], %%t0;\n"
                "st.global.u64 [%%q0+8], %%t2;\n"
                "st.global.u64 [%%q0+16], %%q2;\n");
    compile(&t, "");
    u64 last = 0;
    for (int k = 0; k < 3; k++) {
        run(&t, 1, NULL);
        assert_true(t.out[0] >= last); /* launches that follow each other do so for the timer too */
        assert_in_range(t.out[1] - t.out[0], 100000, 100010);
        assert_in_range(t.out[2], 198000, 198020);
        last = t.out[1];
    }
    end(&t);
}

static const char functions[] =
    ".visible .func (.param .b64 now) reads()\n{\n.reg .b64 %q<2>;\nmov.u64 %q1, %clock64;\n"
    "st.param.b64 [now], %q1;\nret;\n}\n"
    ".visible .func (.param .b32 y) slow(.param .b32 x)\n{\n.reg .f32 %f<2>;\nld.param.f32 %f1, [x];\n"
    "ex2.approx.f32 %f1, %f1;\nex2.approx.f32 %f1, %f1;\nst.param.f32 [y], %f1;\nret;\n}\n"
    ".visible .entry plain(.param .u64 out)\n{\n.reg .b64 %q<3>;\n.reg .b32 %r<3>;\nld.param.u64 %q1, [out];\n"
    "mov.u32 %r1, %tid.x;\nadd.u32 %r1, %r1, 3;\nst.global.u32 [%q1], %r1;\nret;\n}\n"
    ".visible .entry calls_slow(.param .u64 out)\n{\n.reg .b32 %r<3>;\n"
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), slow, (x); ld.param.b32 %r1, [y]; }\nret;\n}\n"
    ".visible .entry calls_reads(.param .u64 out)\n{\n.reg .b64 %q<3>;\n"
    "{ .param .b64 y; call (y), reads; ld.param.b64 %q1, [y]; }\nret;\n}\n"
    ".visible .entry calls_any(.param .u64 out)\n{\n.reg .b64 %q<3>;\nld.param.u64 %q2, [out];\n"
    "{ .param .b64 y; proto: .callprototype (.param .b64 _) _ (); call (y), %q2, (), proto; "
    "ld.param.b64 %q1, [y]; }\nret;\n}\n";

static void functions_take_their_time(void **state)
{
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, "{ .param .b64 y; call (y), reads; ld.param.b64 %%t0, [y]; }\n"
                "{ .param .b32 x; .param .b32 y; st.param.f32 [x], %%f1; call (y), slow, (x); "
                "ld.param.f32 %%f1, [y]; }\n"
                "{ .param .b64 y; call (y), reads; ld.param.b64 %%t1, [y]; }\n" STORE_DELTA);
    compile(&t, functions);
    run(&t, 32, NULL);
    assert_in_range(t.out[0], 2 * SFU, 2 * SFU + 16); /* and the calls and returns */
    end(&t);
}

static bool is_timed(struct bench *b, const char *kernel)
{
    return exec_module_kernel(b->module, kernel)->code[IR_TIMED].insts != NULL;
}

static void only_what_reads_a_clock_pays(void **state)
{
    struct bench_text with, without;
    (void)state;
    begin(&with);
    begin(&without);
    add(with.body, CLOCK(0) CLOCK(1) STORE_DELTA);
    compile(&with, functions);
    compile(&without, functions);
    assert_true(is_timed(&with.b, "k"));
    assert_true(is_timed(&with.b, "calls_reads"));
    assert_true(is_timed(&with.b, "calls_any")); /* what it calls may be `reads` */
    assert_false(is_timed(&with.b, "plain"));
    assert_false(is_timed(&with.b, "calls_slow"));
    assert_false(is_timed(&without.b, "k"));
    end(&with);
    end(&without);
}

/* The code of a kernel is record for record the same, whether or not another kernel of the module reads a clock. */
static void other_kernels_are_lowered_as_before(void **state)
{
    static const char *const clocks[] = {"", ".visible .entry other(.param .u64 out)\n{\n.reg .b64 %q<3>;\n"
                                             "mov.u64 %q1, %clock64;\nret;\n}\n"};
    struct bench_text t[2];
    const struct ir_func *f[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin(&t[k]);
        repeat(t[k].body, 3, "ld.global.u32 %r1, [%q1];\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [held], %r1;\n"
                             "bar.sync 0;");
        compile(&t[k], clocks[k]);
        f[k] = exec_module_kernel(t[k].b.module, "k");
        assert_null(f[k]->code[IR_TIMED].insts);
        assert_int_equal(f[k]->scoreboard, 0);
    }
    assert_true(is_timed(&t[1].b, "other"));
    assert_int_equal(f[0]->frame_bytes, f[1]->frame_bytes);
    for (int mode = 0; mode < IR_NMODES; mode++) {
        assert_int_equal(f[0]->code[mode].n, f[1]->code[mode].n);
        for (u32 k = 0; k < f[0]->code[mode].n; k++) {
            const struct ir_inst *a = &f[0]->code[mode].insts[k], *b = &f[1]->code[mode].insts[k];
            assert_ptr_equal(a->run, b->run);
            assert_true(a->d == b->d && a->a == b->a && a->b == b->b && a->c == b->c && a->aux == b->aux);
        }
    }
    end(&t[0]);
    end(&t[1]);
}

struct counts {
    u32 entered, accesses;
};
static void *count_begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}
static void count_enter(void *ctx, const struct ir_func *f, u32 block, u32 mask, u32 warp,
                        const struct exec_block_info *b)
{
    (void)f, (void)block, (void)mask, (void)warp, (void)b;
    ((struct counts *)ctx)->entered++;
}
static void count_access(void *ctx, const struct exec_access *a)
{
    (void)a;
    ((struct counts *)ctx)->accesses++;
}

static void instruments_see_the_same_clock(void **state)
{
    struct counts c = {0};
    const struct exec_hooks hooks = {
        .launch = &c, .worker_begin = count_begin, .enter = count_enter, .access = count_access,
    };
    struct bench_text t;
    (void)state;
    begin(&t);
    add(t.body, CLOCK(0) "ld.global.u32 %%r3, [%%q1];\nadd.u32 %%r3, %%r3, 1;\n" CLOCK(1) STORE_DELTA);
    compile(&t, "");
    void *in = bench_alloc(&t.b, 4);
    run(&t, 32, in);
    u64 alone = t.out[0];
    assert_int_equal(alone, 1 + DRAM + 2);
    bench_run_ok(&t.b, &(struct run){.kernel = "k", .grid = 1, .block = 32, .params = {(u64)t.out, (u64)in},
                                     .hooks = &hooks});
    assert_int_equal(t.out[0], alone);
    assert_int_equal(c.accesses, 2); /* the load and the store of the result */
    assert_int_equal(c.entered, 1);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dependent_chain_costs_its_latency),
        cmocka_unit_test(independent_chains_overlap),
        cmocka_unit_test(moves_cost_nothing_and_keep_the_chain),
        cmocka_unit_test(the_scheduler_s_share_sets_the_pace),
        cmocka_unit_test(a_loop_s_chain_goes_round_the_back_edge),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(a_pointer_chase_sees_the_caches),
        cmocka_unit_test(sectors_come_one_by_one),
        cmocka_unit_test(what_goes_by_l1_finds_l2),
        cmocka_unit_test(other_accesses),
        cmocka_unit_test(constants_take_a_pass_an_address),
        cmocka_unit_test(asynchronous_copies_are_waited_for),
        cmocka_unit_test(a_line_on_its_way_is_fetched_once),
        cmocka_unit_test(lanes_that_part_run_one_after_the_other),
        cmocka_unit_test(warps_meet_at_the_latest_clock),
        cmocka_unit_test(clocks_only_go_on),
        cmocka_unit_test(the_same_in_every_run),
        cmocka_unit_test(blocks_that_fit_begin_together),
        cmocka_unit_test(the_global_timer_counts_the_same_in_nanoseconds),
        cmocka_unit_test(functions_take_their_time),
        cmocka_unit_test(only_what_reads_a_clock_pays),
        cmocka_unit_test(other_kernels_are_lowered_as_before),
        cmocka_unit_test(instruments_see_the_same_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
