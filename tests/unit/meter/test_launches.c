/* test_launches.c - whole launches on the engine: that accesses say which warp of which block they are of, and that
 * what is modelled does not depend on the number of workers, nor on the launches before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "meter/caches.h"
#include "meter/count.h"
#include "meter/meter.h"
#include "ptx/ptx.h"

enum { BLOCK = 96, WARPS = BLOCK / 32, BLOCKS = 301, DATA_BYTES = 1 << 20 };

/* own: data[thread of the grid] = 1, but lane 31 of each warp does not.
 * widths: accesses of each width, one of them by the first 40 threads of a block alone.
 * plain: what the engine may count for the meter, of all spaces, and what it may not.
 * mixed: neighbours, a stride, pseudo-random places (loads past L1 among them), atomics, local memory. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry own(.param .u64 data)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %q<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %q1, [data];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %q2, %r4, 4, %q1;\n"
    "mov.u32 %r5, %laneid; setp.ne.u32 %p1, %r5, 31;\n"
    "@%p1 st.global.u32 [%q2], 1;\n"
    "ret;\n}\n"
    ".visible .entry widths(.param .u64 data)\n{\n"
    ".shared .align 4 .b8 word[4];\n"
    ".reg .b16 %h<2>; .reg .b32 %r<8>; .reg .b64 %q<3>; .reg .pred %p<2>;\n"
    "ld.param.u64 %q1, [data];\n"
    "mov.u32 %r1, %tid.x; mad.wide.u32 %q2, %r1, 16, %q1;\n"
    "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%q2];\n"
    "st.global.v2.u32 [%q2], {%r2, %r3};\n"
    "ld.global.u8 %h1, [%q2];\n"
    "setp.lt.u32 %p1, %r1, 40; @%p1 st.global.u16 [%q2+8], %h1;\n"
    "red.global.add.u32 [%q1+4096], %r1;\n"
    "mov.u32 %r6, word; st.shared.u32 [%r6], %r1;\n"
    "ret;\n}\n"
    ".const .align 16 .b8 table[256];\n"
    ".visible .entry plain(.param .u64 data)\n{\n"
    ".shared .align 16 .b8 tile[8192];\n"
    ".reg .b16 %h<2>; .reg .b32 %r<24>; .reg .b64 %q<12>; .reg .pred %p<3>;\n"
    "ld.param.u64 %q1, [data];\n"
    "mov.u32 %r1, %tid.x; mad.wide.u32 %q2, %r1, 4, %q1; mad.wide.u32 %q3, %r1, 16, %q1;\n"
    "cvt.u64.u32 %q4, %r1; add.u64 %q4, %q4, %q1;\n"
    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2;\n"
    "shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2;\n"
    "mov.u64 %q5, tile; cvta.shared.u64 %q5, %q5; mad.wide.u32 %q6, %r1, 4, %q5;\n"
    "setp.lt.u32 %p1, %r1, 40; mov.u32 %r5, 0;\n"
    "LOOP:\n"
    "ld.global.u32 %r6, [%q2]; st.global.u32 [%q2+4], %r6; ld.global.u8 %h1, [%q4+1];\n"
    "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%q3]; st.global.v4.u32 [%q3+16], {%r6, %r7, %r8, %r9};\n"
    "ld.global.u32 %r6, [%q1]; @%p1 ld.global.u64 %q7, [%q1+8]; st.global.u32 [%q1+64], %r6;\n"
    "@%p1 st.global.u8 [%q1+77], %h1; ld.volatile.global.u32 %r6, [%q2+256];\n"
    "st.shared.u32 [%r3], %r6; ld.shared.u32 %r7, [%r3+4]; @%p1 ld.shared.u32 %r7, [%r3+8];\n"
    "ld.shared.u32 %r7, [%r2]; ld.shared.v2.u32 {%r7, %r8}, [%r2+8];\n"
    "ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r2+16]; st.shared.v2.u32 [%r2+24], {%r7, %r8};\n"
    "@%p1 st.shared.v2.u32 [%r2+32], {%r7, %r8}; @%p1 ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r2];\n"
    "ld.shared.u32 %r11, [%r4]; ld.shared.u32 %r12, [%r4+4]; ld.shared.u32 %r13, [%r4+8];\n"
    "ld.shared.u32 %r14, [%r4+12]; add.u32 %r11, %r11, %r12; add.u32 %r13, %r13, %r14;\n"
    "ld.shared.u32 %r15, [%r2+64]; ld.shared.u32 %r16, [%r2+68]; ld.shared.u32 %r17, [%r2+72];\n"
    "ld.shared.u32 %r18, [%r2+76]; add.u32 %r15, %r15, %r16; add.u32 %r17, %r17, %r18;\n"
    "ld.const.u32 %r6, [table+4]; @%p1 ld.const.u64 %q7, [table+8];\n"
    "ld.u32 %r6, [%q2]; st.u32 [%q2+4], %r6; ld.u32 %r6, [%q1]; @%p1 ld.u32 %r6, [%q1+4];\n"
    "ld.u32 %r7, [%q6]; st.u32 [%q6+4], %r7; ld.u32 %r7, [%q5];\n"
    "and.b32 %r6, %r5, 1; setp.eq.u32 %p2, %r6, 0; selp.b64 %q8, %q2, %q6, %p2; ld.u32 %r6, [%q8];\n"
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10; @%p2 bra LOOP;\n"
    "ret;\n}\n"
    ".visible .entry mixed(.param .u64 data)\n{\n"
    ".local .align 4 .b8 stack[64];\n"
    ".reg .b32 %r<12>; .reg .b64 %q<12>; .reg .pred %p<2>;\n"
    "ld.param.u64 %q1, [data];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mov.u64 %q9, stack;\n"
    "mov.u32 %r5, 0;\n"
    "LOOP:\n"
    "and.b32 %r6, %r4, 262143; mad.wide.u32 %q2, %r6, 4, %q1; ld.global.u32 %r7, [%q2];\n"
    "shl.b32 %r6, %r4, 3; and.b32 %r6, %r6, 262143; mad.wide.u32 %q3, %r6, 4, %q1;\n"
    "st.global.u32 [%q3], %r7;\n"
    "mad.lo.u32 %r4, %r4, 1664525, 1013904223;\n"
    "shr.u32 %r6, %r4, 14; mad.wide.u32 %q4, %r6, 4, %q1; ld.global.u32 %r7, [%q4];\n"
    "ld.volatile.global.u32 %r8, [%q2];\n"
    "and.b32 %r6, %r4, 255; mad.wide.u32 %q5, %r6, 4, %q1;\n"
    "red.global.add.u32 [%q5], %r7;\n"
    "and.b32 %r6, %r5, 60; cvt.u64.u32 %q6, %r6; add.u64 %q7, %q9, %q6;\n"
    "st.local.u32 [%q7], %r8; ld.local.u32 %r9, [%q7];\n"
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20; @%p1 bra LOOP;\n"
    "ret;\n}\n";

static struct {
    struct gpu gpu;
    struct exec_device device;
    struct exec_module *module;
    u64 data;
} rig;

static int set_up(void **state)
{
    (void)state;
    struct diag_list diags;
    struct ptx_module *m = NULL;
    diag_init(&diags);
    assert_int_equal(gpu_find("h200", &rig.gpu, &diags), LS_OK);
    assert_int_equal(exec_device_init(&rig.device, &rig.gpu), LS_OK);
    assert_int_equal(ptx_parse(text, sizeof text - 1, "text", &m, &diags), LS_OK);
    assert_int_equal(exec_module_load(&rig.device, &m, 1, &rig.module, &diags), LS_OK);
    assert_int_equal(mem_alloc(rig.device.mem, DATA_BYTES, 256, MEM_DEVICE, NULL, &rig.data), LS_OK);
    diag_free(&diags);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    exec_module_free(rig.module);
    exec_device_free(&rig.device);
    caches_forget();
    return 0;
}

static struct exec_launch launch_of(const char *kernel, u32 blocks, unsigned workers)
{
    struct exec_launch l = {.device = &rig.device,
                            .module = rig.module,
                            .kernel = exec_module_kernel(rig.module, kernel),
                            .grid = {blocks, 1, 1},
                            .block = {BLOCK, 1, 1},
                            .params = &rig.data,
                            .workers = workers};
    assert_non_null(l.kernel);
    memset((void *)(uintptr_t)rig.data, 0, DATA_BYTES);
    return l;
}

static void run(const struct exec_launch *l)
{
    struct exec_fault fault;
    if (exec_run(l, &fault, NULL) != LS_OK)
        fail_msg("%s", fault.detail);
}

/* ---- accesses ---- */

static atomic_uint seen[BLOCKS], wrong;

static void *a_worker(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

/* What the fields say must be what the addresses are. */
static void check(void *ctx, const struct exec_access *a)
{
    (void)ctx;
    const struct exec_block_info *b = a->block;
    if (!b || b->linear >= BLOCKS || b->id[0] != b->linear || b->warps != WARPS || b->threads != BLOCK ||
        b->sm != b->linear % rig.gpu.sms || a->warp >= WARPS || a->mask != UINT32_MAX >> 1) {
        atomic_fetch_add(&wrong, 1);
        return;
    }
    for (u32 lane = 0; lane < 31; lane++)
        if (a->addr[lane] != rig.data + 4 * (b->linear * BLOCK + a->warp * 32 + lane))
            atomic_fetch_add(&wrong, 1);
    atomic_fetch_add(&seen[b->linear], 1u << 8 * a->warp);
}

static void accesses_say_whose_they_are(void **state)
{
    (void)state;
    static const struct exec_hooks hooks = {.worker_begin = a_worker, .access = check};
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct exec_launch l = launch_of("own", BLOCKS, workers);
        l.hooks = &hooks;
        memset(seen, 0, sizeof seen);
        run(&l);
        assert_int_equal(wrong, 0);
        for (u32 b = 0; b < BLOCKS; b++)
            assert_int_equal(seen[b], 0x010101); /* once a warp */
    }
}

/* ---- what is modelled ---- */

struct numbers {
    u64 n[EVENT_COUNT];
    double metrics[METRIC_COUNT];
};

static struct numbers measure(const struct gpu *gpu, const char *kernel, u32 blocks, unsigned workers)
{
    struct meter_options options = METER_OPTIONS_DEFAULT;
    struct exec_launch l = launch_of(kernel, blocks, workers);
    struct numbers out;
    struct meter *m;
    options.caches = true;
    options.memory_base = mem_shared_window(rig.device.mem);
    assert_int_equal(meter_begin(&l, gpu, &options, &m), LS_OK);
    l.hooks = meter_hooks(m);
    run(&l);
    struct meter_report *r = meter_end(m);
    assert_non_null(r);
    memcpy(out.n, r->n, sizeof out.n);
    for (u32 k = 0; k < METRIC_COUNT; k++)
        out.metrics[k] = r->metrics[k].value;
    meter_report_free(r);
    return out;
}

static void equal(const struct numbers *a, const struct numbers *b)
{
    for (u32 e = 0; e < EVENT_COUNT; e++)
        assert_int_equal(a->n[e], b->n[e]);
    assert_memory_equal(a->metrics, b->metrics, sizeof a->metrics);
}

static void workers_change_no_number(void **state)
{
    (void)state;
    const struct numbers one = measure(&rig.gpu, "mixed", BLOCKS, 1);
    /* loads of 20 rounds, a sector a lane and more: */
    assert_int_equal(one.n[EVENT_l1_gld_hits] + one.n[EVENT_l1_gld_misses], one.n[EVENT_gld_sectors]);
    assert_true(one.n[EVENT_dram_reads] > 0);
    assert_true(one.n[EVENT_dram_reads] <= DATA_BYTES / 32);
    assert_true(one.n[EVENT_time_ns] > 0);
    for (unsigned workers = 2; workers <= 5; workers++) {
        const struct numbers other = measure(&rig.gpu, "mixed", BLOCKS, workers);
        equal(&one, &other);
    }
}

/* All lanes add at one place: one of them does it for its warp. */
static void one_lane_asks_l2_for_its_warp(void **state)
{
    (void)state;
    const struct numbers n = measure(&rig.gpu, "widths", 7, 2);
    assert_int_equal(n.n[EVENT_gred_lanes], 7 * BLOCK);
    assert_int_equal(n.n[EVENT_l2_reds], 7 * WARPS);
}

/* Memory is used again: what another kernel, grid or GPU left in it must not be seen. */
static void launches_before_change_no_number(void **state)
{
    (void)state;
    struct gpu small = rig.gpu;
    small.cc_major = 8;
    small.cc_minor = 9;
    small.l1_kib = 128;
    small.l2_bytes = 1 << 18;
    caches_forget();
    const struct numbers fresh = measure(&rig.gpu, "mixed", 5, 1);
    caches_forget();
    const struct numbers fresh_small = measure(&small, "mixed", 5, 1);
    for (u32 k = 0; k < 3; k++) {
        measure(&rig.gpu, "mixed", BLOCKS, 2);
        const struct numbers again_small = measure(&small, "mixed", 5, 1);
        measure(&rig.gpu, "own", k + 1, 1);
        const struct numbers again = measure(&rig.gpu, "mixed", 5, 2);
        equal(&fresh_small, &again_small);
        equal(&fresh, &again);
    }
}

/* ---- what the engine counts ---- */

static atomic_uint told;

static void tell(void *ctx, const struct exec_access *a)
{
    atomic_fetch_add(&told, 1);
    counter_access(ctx, a);
}

static struct meter_report *count(const char *kernel, unsigned workers, bool all)
{
    struct meter_options options = METER_OPTIONS_DEFAULT;
    struct exec_launch l = launch_of(kernel, 7, workers);
    struct meter *m;
    options.no_memo = all;
    assert_int_equal(meter_begin(&l, &rig.gpu, &options, &m), LS_OK);
    struct exec_hooks hooks = *meter_hooks(m);
    hooks.access = tell;
    hooks.counts = all ? NULL : hooks.counts;
    l.hooks = &hooks;
    told = 0;
    run(&l);
    struct meter_report *r = meter_end(m);
    assert_non_null(r);
    return r;
}

/* The numbers of each line are the same as if the meter were told of everything. */
static void what_the_engine_counts_is_what_it_tells(void **state)
{
    (void)state;
    static const char *const kernels[] = {"plain", "mixed", "widths"};
    for (u32 k = 0; k < LS_ARRAY_LEN(kernels); k++) {
        struct meter_report *want = count(kernels[k], 1, true);
        const u32 all = told;
        for (unsigned workers = 1; workers <= 3; workers++) {
            struct meter_report *r = count(kernels[k], workers, false);
            assert_true(told < all);
            assert_int_equal(r->nlines, want->nlines);
            for (u32 line = 0; line < r->nlines; line++)
                assert_memory_equal(r->lines[line].n, want->lines[line].n, sizeof r->lines[line].n);
            assert_memory_equal(r->n, want->n, sizeof r->n);
            meter_report_free(r);
        }
        meter_report_free(want);
    }
}

/* ---- widths ---- */

/* Five blocks of three warps: each instruction 15 times, the store of 2 bytes by two warps of each block. */
static void instructions_are_told_by_their_width(void **state)
{
    (void)state;
    const struct numbers r = measure(&rig.gpu, "widths", 5, 1);
    assert_int_equal(r.n[EVENT_memory_8b], 15);
    assert_int_equal(r.n[EVENT_memory_16b], 10);
    assert_int_equal(r.n[EVENT_memory_32b], 30); /* a reduction and a store to shared memory */
    assert_int_equal(r.n[EVENT_memory_64b], 15);
    assert_int_equal(r.n[EVENT_memory_128b], 15);
    assert_true(r.metrics[METRIC_memory_128b] == 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_say_whose_they_are),
        cmocka_unit_test(workers_change_no_number),
        cmocka_unit_test(one_lane_asks_l2_for_its_warp),
        cmocka_unit_test(launches_before_change_no_number),
        cmocka_unit_test(what_the_engine_counts_is_what_it_tells),
        cmocka_unit_test(instructions_are_told_by_their_width),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
