/* test_time.c - the model of time where one thing limits a launch, so that a formula tells what must come out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/arena.h"
#include "base/diag.h"
#include "fake.h"
#include "meter/count.h"

static struct gpu h200(void)
{
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &g, &d), LS_OK);
    diag_free(&d);
    return g;
}

static struct model_work work(const u64 *n, u64 blocks)
{
    struct model_work w = work_of_events(n);
    w.blocks = blocks;
    w.warps = w.resident = 8;
    return w;
}

/* a and b, within so many percent. */
static void near(double a, double b, double percent)
{
    if (fabs(a - b) > fabs(b) * percent / 100)
        fail_msg("%g is not %g", a, b);
}

static void a_kernel_that_does_nothing_takes_its_time(void **state)
{
    (void)state;
    const struct gpu g = h200();
    const u64 n[EVENT_COUNT] = {0};
    const struct model_work in = work(n, 1);
    near(time_of(&g, &in).ns, g.kernel_ns, 1);
}

/* 4 GiB from DRAM at the rate of a copy. */
static void dram_limits_a_large_stream(void **state)
{
    (void)state;
    const struct gpu g = h200();
    u64 n[EVENT_COUNT] = {0};
    n[EVENT_dram_reads] = (4ull << 30) / 32;
    const struct model_work in = work(n, 132 * 8);
    const struct model_time t = time_of(&g, &in);
    near(t.ns, (double)(4ull << 30) / g.copy_bytes_per_s * 1e9, 2);
    near(t.dram_pct, 100 * g.copy_bytes_per_s / g.dram_bytes_per_s, 2);
}

/* 2^30 multiply-adds of f32 on 132 SMs of 128 a clock. */
static void arithmetic_limits_arithmetic(void **state)
{
    (void)state;
    const struct gpu g = h200();
    u64 n[EVENT_COUNT] = {0};
    n[EVENT_fp32] = 1ull << 36;
    const struct model_work in = work(n, 132 * 8);
    near(time_of(&g, &in).cycles, (double)(1ull << 36) / (132 * 128), 2);
}

/* 133 blocks on 132 SMs take as long as 264: the tail of a wave. */
static void the_fullest_sm_decides(void **state)
{
    (void)state;
    const struct gpu g = h200();
    u64 n[EVENT_COUNT] = {0};
    double cycles[3];
    static const u64 blocks[3] = {132, 133, 264};
    for (u32 k = 0; k < 3; k++) {
        n[EVENT_fp32] = blocks[k] << 28; /* the same a block */
        const struct model_work in = work(n, blocks[k]);
        cycles[k] = time_of(&g, &in).busy;
    }
    near(cycles[1], 2 * cycles[0], 1);
    near(cycles[2], cycles[1], 1);
}

/* Measured: 4,194,304 additions to one word took an H200 3.07 ms. */
static void atomics_to_one_word_are_one_by_one(void **state)
{
    (void)state;
    const struct gpu g = h200();
    u64 n[EVENT_COUNT] = {0};
    struct model_work in = work(n, 32768);
    in.slice_sectors = 4194304;
    near(time_of(&g, &in).ns, 3072896, 2);
}

static void more_of_anything_takes_no_less(void **state)
{
    (void)state;
    const struct gpu g = h200();
    u64 n[EVENT_COUNT] = {0};
    double last = 0;
    for (u32 e = 0; e < EVENT_COUNT; e++) {
        n[e] = 1000000;
        const struct model_work in = work(n, 1000);
        const double ns = time_of(&g, &in).ns;
        assert_true(ns >= last);
        last = ns;
    }
}

/* ---- the way of a warp ---- */

static struct ptx_var regs[8];

static void set(struct fake *f, u32 site, enum ptx_op op, enum ptx_type type, u32 to, u32 from)
{
    for (u32 r = 0; r < LS_ARRAY_LEN(regs); r++) {
        regs[r].index = r;
        regs[r].space = SPACE_REG;
    }
    f->insts[site].op = op;
    f->insts[site].types[0] = type;
    f->operands[site][0] = (struct ptx_operand){.kind = PTX_REG, .role = PTX_DEST, .var = &regs[to]};
    f->operands[site][1] = (struct ptx_operand){.kind = PTX_REG, .var = &regs[from]};
    f->src.nregs = LS_ARRAY_LEN(regs);
}

/* Cycles of one warp through n negations of f32 in one block, each of the one before or of r7. */
static double negations(const struct gpu *g, u32 n, bool chain)
{
    struct fake f;
    struct arena mem = ARENA("test");
    struct exec_block_count blocks[1] = {{1, 32}};
    u64 events[FAKE_MAX][EVENT_COUNT] = {{0}};
    double path;
    if (setjmp(mem.oom))
        fail_msg("out of memory");
    fake_init(&f, n);
    for (u32 k = 0; k < n; k++)
        set(&f, k, OP_NEG, PTX_F32, 0, chain ? 0 : 7);
    f.blocks[0].end = n;
    f.func.nblocks = 1;
    const struct estimate *e = estimate_make(&mem, &f.func, 9, NULL);
    for (u32 k = 0; k < n; k++)
        e->sites[k].weight = 1;
    path = work_path(&mem, g, &f.func, e, blocks, events);
    arena_free(&mem);
    return path;
}

static void a_chain_waits_for_each_link(void **state)
{
    (void)state;
    const struct gpu g = h200();
    assert_float_equal(negations(&g, 16, false), 16, 0);                     /* a cycle each */
    assert_float_equal(negations(&g, 16, true), 15 * g.latency_fp32 + 1, 0); /* the last one's result nobody needs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_does_nothing_takes_its_time),
        cmocka_unit_test(dram_limits_a_large_stream),
        cmocka_unit_test(arithmetic_limits_arithmetic),
        cmocka_unit_test(the_fullest_sm_decides),
        cmocka_unit_test(atomics_to_one_word_are_one_by_one),
        cmocka_unit_test(more_of_anything_takes_no_less),
        cmocka_unit_test(a_chain_waits_for_each_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
