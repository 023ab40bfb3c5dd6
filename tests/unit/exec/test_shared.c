/* Where dynamic shared memory begins, and what counts as static: what ptxas and nvlink (CUDA 13.0, sm_90) say of the
 * same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

/* A module with extern shared variables of these alignments; the kernel has `fixed` bytes of its own, names `named` of
 * the variables and stores where its own and they are. */
struct layout {
    u32 fixed, aligns[2], named;
    u32 bytes, dynamic; /* expected: static shared memory, and the offset of dynamic */
};

static const struct layout layouts[] = {
    {3, {1}, 1, 16, 16},        {20, {4}, 1, 32, 32},          {20, {16}, 1, 32, 32},      {20, {128}, 1, 128, 128},
    {8, {1024}, 1, 1024, 1024}, {1030, {1024}, 1, 2048, 2048}, {0, {1024}, 1, 0, 0},       {3, {2048}, 1, 2048, 2048},
    {3, {4, 512}, 2, 512, 512}, {3, {512, 4}, 2, 512, 512},    {3, {512, 4}, 0, 512, 512}, {20, {0}, 0, 20, 20},
};

static void write_text(const struct layout *x, char *text, size_t n)
{
    size_t at = (size_t)snprintf(text, n, ".version 8.5\n.target sm_90\n.address_size 64\n");
    for (u32 k = 0; k < 2 && x->aligns[k]; k++)
        at += (size_t)snprintf(text + at, n - at, ".extern .shared .align %u .b8 dyn%u[];\n", x->aligns[k], k);
    at += (size_t)snprintf(text + at, n - at,
                           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%q<4>;\n"
                           "ld.param.u64 %%q1, [out];\n");
    if (x->fixed)
        at += (size_t)snprintf(text + at, n - at, ".shared .align 1 .b8 own[%u];\nmov.u32 %%r1, own;\n", x->fixed);
    for (u32 k = 0; k < x->named; k++)
        at += (size_t)snprintf(text + at, n - at,
                               "mov.u32 %%r1, dyn%u;\nst.global.u32 [%%q1+%u], %%r1;\nst.shared.u8 [dyn%u+99], %%r1;\n"
                               "mov.u64 %%q2, dyn%u;\ncvta.shared.u64 %%q2, %%q2;\nst.global.u64 [%%q1+8], %%q2;\n",
                               k, 4 * k, k, k);
    snprintf(text + at, n - at, "ret;\n}\n");
}

static void run_layout(const struct layout *x, u32 gap)
{
    char text[2048];
    struct bench b;
    write_text(x, text, sizeof text);
    bench_open(&b, text);
    b.device.shared_gap = gap;
    u32 *out = bench_alloc(&b, 16);
    const struct run run = {
        .kernel = "k", .grid = 1, .block = 1, .dynamic_shared = 100, .params = {(u64)(uintptr_t)out}};
    bench_run_ok(&b, &run);
    const struct ir_func *k = exec_module_kernel(b.module, "k");
    assert_int_equal(k->shared_bytes, x->bytes);
    for (u32 i = 0; i < x->named; i++) {
        assert_int_equal(out[i], out[0]); /* all of them begin at one place */
        assert_int_equal(out[i] % x->aligns[i], 0);
        if (!gap)
            assert_int_equal(out[i], x->dynamic);
    }
    if (x->named == 1)
        assert_int_equal(*(u64 *)(void *)(out + 2) % x->aligns[0], 0);
    bench_close(&b);
}

static void test_layouts(void **state)
{
    (void)state;
    for (u32 i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (u32 gap = 0; gap <= 1024; gap += 1024)
            run_layout(&layouts[i], gap);
}

/* ---- behind the last variable ---- */

static bool no_excuse(void *ctx, const struct exec_block_info *b, const struct exec_fault *f)
{
    (void)ctx, (void)b, (void)f;
    return false;
}

/* Word 5 of five: no GPU minds, a launch that asks for faults does. */
static void test_overrun_by_one(void **state)
{
    static const char text[] = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                               ".shared .align 4 .b8 five[20];\nst.shared.u32 [five+20], 1;\nret;\n}\n";
    static const struct exec_hooks strict = {.fault = no_excuse};
    struct run run = {.kernel = "k", .grid = 1, .block = 1};
    struct exec_fault f;
    struct bench b;
    (void)state;
    bench_open(&b, text);
    bench_run_ok(&b, &run);
    run.hooks = &strict;
    assert_int_equal(bench_run(&b, &run, &f), LS_ERR_FAULT);
    assert_int_equal(f.kind, FAULT_ILLEGAL_ADDRESS);
    assert_string_equal(f.detail, "the block has 20 bytes of shared memory");
    bench_close(&b);
}

/* ---- several functions and units ---- */

/* A function that the kernel calls has the dynamic memory of another alignment; and two units that were compiled apart.
 */
static const char caller[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
                             ".extern .func (.param .b32 r) where();\n.extern .shared .align 16 .b8 mine[];\n"
                             ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %q<4>;\n"
                             ".shared .align 1 .b8 own[20];\n.param .b32 x;\n"
                             "ld.param.u64 %q1, [out];\nmov.u32 %r1, own;\nmov.u32 %r2, mine;\n"
                             "call (x), where, ();\nld.param.b32 %r3, [x];\n"
                             "st.global.u32 [%q1], %r2;\nst.global.u32 [%q1+4], %r3;\nret;\n}\n"
                             ".visible .entry alone(.param .u64 out)\n{\n.shared .align 1 .b8 own[20];\n"
                             ".reg .b32 %r<4>;\nmov.u32 %r1, own;\nret;\n}\n";
static const char callee[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
                             ".extern .shared .align 256 .b8 its[];\n"
                             ".visible .func (.param .b32 r) where()\n{\n.reg .b32 %r<4>;\n"
                             "mov.u32 %r1, its;\nst.param.b32 [r], %r1;\nret;\n}\n";

static struct ptx_module *parse(const char *text)
{
    struct ptx_module *unit = NULL;
    struct diag_list diags;
    diag_init(&diags);
    assert_int_equal(ptx_parse(text, strlen(text), "inline.ptx", &unit, &diags), LS_OK);
    diag_free(&diags);
    return unit;
}

static void test_separate_units(void **state)
{
    (void)state;
    struct bench b;
    struct diag_list diags;
    struct ptx_module *units[] = {parse(caller), parse(callee)};
    bench_open(&b, "\n.version 8.5\n.target sm_90\n.address_size 64\n");
    exec_module_free(b.module);
    diag_init(&diags);
    assert_int_equal(exec_module_load(&b.device, units, 2, &b.module, &diags), LS_OK);
    diag_free(&diags);
    u32 *out = bench_alloc(&b, 16);
    const struct run run = {
        .kernel = "k", .grid = 1, .block = 32, .dynamic_shared = 64, .params = {(u64)(uintptr_t)out}};
    bench_run_ok(&b, &run);
    assert_int_equal(out[0], 256);
    assert_int_equal(out[1], 256);
    assert_int_equal(exec_module_kernel(b.module, "k")->shared_bytes, 32);     /* as nvlink says */
    assert_int_equal(exec_module_kernel(b.module, "alone")->shared_bytes, 20); /* reaches none */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_overrun_by_one),
        cmocka_unit_test(test_separate_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
