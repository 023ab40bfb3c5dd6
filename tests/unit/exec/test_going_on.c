/* Launches whose fault hook lets the kernel go on: what a lane that may not touch memory loads, stores and gets from an
 * atomic operation; that the other lanes are not disturbed; that each fault is told once, with its place; and that all
 * of this is so in fast code, in traced code, and with weak memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exec/sched.h"
#include "harness.h"

enum { THREADS = 32, WORDS = 16 /* of the allocation that the kernels leave */ };

struct told {
    u32 n, lanes; /* faults; the threads that had one */
    u32 most;     /* may go on */
    enum ir_mode mode;
    struct exec_fault first;
    char text[1024];  /* of the first, which names texts of the module */
    u32 access_lanes; /* of accesses of global and shared memory */
};

static void *begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static bool excuse(void *ctx, const struct exec_block_info *b, const struct exec_fault *f)
{
    struct told *t = ctx;
    assert_ptr_equal(b->launch->kernel->src, f->func->src);
    assert_string_equal(f->kernel, "k");
    if (!t->n) {
        char *text = exec_fault_text(f);
        t->first = *f;
        snprintf(t->text, sizeof t->text, "%s", text);
        ls_free(text);
    }
    t->n++;
    t->lanes |= 1u << f->thread[0];
    t->mode = ((const struct block *)(const void *)b)->grid->mode;
    return t->n <= t->most;
}

static void see(void *ctx, const struct exec_access *a)
{
    struct told *t = ctx;
    const u64 *first = a->addr;
    assert_non_null(first);
    if (a->site == t->first.site)
        t->access_lanes |= a->mask;
}

static void open_kernel(struct bench *b, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text,
             ".version 8.5\n.target sm_90\n.address_size 64\n"
             ".file 1 \"a.cu\"\n"
             ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
             ".extern .func free(.param .b64 p);\n"
             ".visible .entry k(.param .u64 p, .param .u64 out)\n{\n"
             "    .reg .pred %%p<4>;\n    .reg .b32 %%r<16>;\n    .reg .b64 %%q<16>;\n"
             "    ld.param.u64 %%q1, [p];\n    ld.param.u64 %%q2, [out];\n"
             "    mov.u32 %%r1, %%tid.x;\n    mul.wide.u32 %%q3, %%r1, 4;\n"
             "    add.u64 %%q4, %%q1, %%q3;\n    add.u64 %%q5, %%q2, %%q3;\n    mov.u32 %%r2, 5;\n"
             "    .loc 1 42 7\n"
             "    %s\n    st.global.u32 [%%q5], %%r2;\n    ret;\n}\n",
             body);
    bench_open(b, text);
}

/* What the kernel left in p and out. */
struct left {
    struct told told;
    u32 p[WORDS], out[THREADS];
    u64 at; /* p */
};

/* mode: 1 traced, 2 weak memory. p[i] is 100 + i. */
static struct left run(const char *body, int mode)
{
    struct bench b;
    struct left x = {.told = {.most = 1000}};
    const struct exec_hooks hooks = {
        .launch = &x.told, .worker_begin = begin, .fault = excuse, .access = mode & 1 ? see : NULL};
    open_kernel(&b, body);
    b.device.weak_memory = mode & 2;
    u32 *p = bench_alloc(&b, sizeof x.p), *out = bench_alloc(&b, sizeof x.out);
    x.at = (u64)(uintptr_t)p;
    for (u32 i = 0; i < WORDS; i++)
        p[i] = 100 + i;
    bench_run_ok(&b, &(struct run){.kernel = "k",
                                   .grid = 1,
                                   .block = THREADS,
                                   .params = {x.at, (u64)(uintptr_t)out},
                                   .workers = 1,
                                   .hooks = &hooks});
    memcpy(x.p, p, sizeof x.p);
    memcpy(x.out, out, sizeof x.out);
    bench_close(&b);
    if (x.told.n)
        assert_int_equal(x.told.mode, mode & 1 ? IR_TRACED : IR_FAST);
    return x;
}

enum { MODES = 4, UPPER = (int)0xffff0000 };

static void expect_faults(const struct left *x, enum exec_fault_kind kind, u32 n, u32 lanes)
{
    assert_int_equal(x->told.n, n);
    assert_int_equal(x->told.lanes, lanes);
    assert_int_equal(x->told.first.kind, kind);
    assert_int_equal(x->told.access_lanes & lanes, 0);
}

static void stores_are_lost(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        const struct left x = run("st.global.u32 [%q4], %r1;", mode);
        expect_faults(&x, FAULT_ILLEGAL_ADDRESS, 16, (u32)UPPER);
        for (u32 i = 0; i < WORDS; i++)
            assert_int_equal(x.p[i], i);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], 5);
        const struct exec_fault *f = &x.told.first;
        assert_int_equal(f->address, x.at + 64);
        assert_int_equal(f->size, 4);
        assert_true(f->write && !f->atomic);
        assert_int_equal(f->space, SPACE_GLOBAL);
        assert_int_equal(f->thread[0], 16);
        assert_int_equal(f->source_line, 42);
        assert_int_equal(f->source_column, 7);
        assert_non_null(strstr(f->detail, "0 bytes after the 64-byte allocation"));
        assert_int_equal(x.told.access_lanes, mode & 1 ? 0xffff : 0); /* the event has the others alone */
    }
}

static void loads_give_zeros(void **state)
{
    static const char *const loads[] = {"ld.global.u32 %r2, [%q4];", "ld.u32 %r2, [%q4];",
                                        "ld.volatile.global.u32 %r2, [%q4];"};
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(loads); k++)
        for (int mode = 0; mode < MODES; mode++) {
            const struct left x = run(loads[k], mode);
            expect_faults(&x, FAULT_ILLEGAL_ADDRESS, 16, (u32)UPPER);
            for (u32 i = 0; i < THREADS; i++)
                assert_int_equal(x.out[i], i < WORDS ? 100 + i : 0);
        }
}

static void atomics_give_zeros(void **state)
{
    static const struct {
        const char *body;
        u32 n, lanes;
    } atoms[] = {
        {"atom.global.add.u32 %r2, [%q4], 1;", 16, (u32)UPPER},
        {"add.u64 %q6, %q1, 64; setp.lt.u32 %p1, %r1, 16; selp.b64 %q6, %q4, %q6, %p1;\n"
         "atom.add.u32 %r2, [%q6], 1;",
         16, (u32)UPPER}, /* one address for all that fault */
        {"atom.global.cas.b32 %r2, [%q4], 0, 9;", 16, (u32)UPPER},
    };
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(atoms); k++)
        for (int mode = 0; mode < MODES; mode++) {
            const struct left x = run(atoms[k].body, mode);
            expect_faults(&x, FAULT_ILLEGAL_ADDRESS, atoms[k].n, atoms[k].lanes);
            assert_true(x.told.first.atomic);
            for (u32 i = 0; i < THREADS; i++)
                assert_int_equal(x.out[i], i < WORDS ? 100 + i : 0);
        }
}

/* 16 bytes at a word's address: every fourth lane is aligned; those from lane 16 on are outside. */
static void vectors(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        const struct left x = run("mov.u32 %r3, 3; st.global.v4.u32 [%q4], {%r1, %r3, %r3, %r3};\n"
                                  "ld.global.v4.u32 {%r4, %r5, %r2, %r6}, [%q4];",
                                  mode);
        assert_int_equal(x.told.n, 2 * 28);
        assert_int_equal(x.told.lanes, ~0x1111u);
        assert_int_equal(x.told.first.kind, FAULT_MISALIGNED);
        assert_int_equal(x.told.first.size, 16);
        for (u32 i = 0; i < WORDS; i++)
            assert_int_equal(x.p[i], i % 4 ? 3 : i);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], i < WORDS && i % 4 == 0 ? 3 : 0);
    }
}

static void shared_and_local(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        struct left x =
            run(".shared .align 16 .b32 s[16]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;\n"
                "st.shared.u32 [%r3], 9; ld.shared.u32 %r2, [%r3];",
                mode);
        assert_int_equal(x.told.n, 32);
        assert_int_equal(x.told.lanes, (u32)UPPER);
        assert_int_equal(x.told.first.space, SPACE_SHARED);
        assert_int_equal(x.told.first.address, 64);
        assert_string_equal(x.told.first.detail, "the block has 64 bytes of shared memory");
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], i < 16 ? 9 : 0);
        x = run(".local .align 16 .b32 l[4]; mov.u64 %q6, l; cvta.local.u64 %q6, %q6; add.u64 %q6, %q6, %q3;\n"
                "st.u32 [%q6], 9; ld.u32 %r2, [%q6];",
                mode);
        assert_int_equal(x.told.n, 2 * 28);
        assert_int_equal(x.told.lanes, 0xfffffff0);
        assert_int_equal(x.told.first.space, SPACE_LOCAL);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], i < 4 ? 9 : 0);
    }
}

static void copies(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        struct left x =
            run(".shared .align 16 .b32 s[32]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;\n"
                "st.shared.u32 [%r3], 9; cp.async.ca.shared.global [%r3], [%q4], 4;\n"
                "cp.async.wait_all; ld.shared.u32 %r2, [%r3];",
                mode);
        assert_int_equal(x.told.n, 16);
        assert_int_equal(x.told.lanes, (u32)UPPER);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], i < WORDS ? 100 + i : 0);
        x = run(".shared .align 128 .b8 s[128]; .shared .align 8 .b64 mb;\n"
                "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
                "mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.expect_tx.shared.b64 _, [mb], 128;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%q1], 128, [mb];\n"
                "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra WAIT;\nDONE:",
                mode);
        assert_int_equal(x.told.n, 1);
        assert_int_equal(x.told.first.size, 128);
        assert_int_equal(x.out[0], 5);
    }
}

/* Row 3 of an 8 x 8 matrix of ones is not there: lanes 12 to 15 hold it. */
static void matrix_rows(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        const struct left x =
            run(".shared .align 16 .b32 s[32]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r4, %r3, %r4;\n"
                "mov.u32 %r5, 0x10001; st.shared.u32 [%r4], %r5; bar.warp.sync -1;\n"
                "and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 4; add.u32 %r6, %r6, %r3;\n"
                "setp.eq.u32 %p1, %r1, 3; selp.b32 %r6, 4096, %r6, %p1;\n"
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r6];",
                mode);
        assert_int_equal(x.told.n, 1);
        assert_int_equal(x.told.lanes, 8);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(x.out[i], i / 4 == 3 ? 0 : 0x10001);
    }
}

static void frees(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        const struct left x = run("{ .param .b64 a; st.param.b64 [a], %q4; call free, (a); }", mode);
        expect_faults(&x, FAULT_ILLEGAL_ADDRESS, THREADS, UINT32_MAX);
        assert_int_equal(x.told.first.size, 0);
        assert_int_equal(x.told.first.space, SPACE_GLOBAL);
        assert_int_equal(x.out[31], 5);
        assert_non_null(strstr(x.told.text, "  free of 0x"));
    }
}

/* The hook says no the third time. */
static void the_hook_may_end_it(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct bench b;
        struct exec_fault f;
        struct told t = {.most = 2};
        const struct exec_hooks hooks = {
            .launch = &t, .worker_begin = begin, .fault = excuse, .access = mode ? see : NULL};
        open_kernel(&b, "ld.global.u32 %r2, [%q4];");
        const u64 p = (u64)(uintptr_t)bench_alloc(&b, 64);
        u32 *out = bench_alloc(&b, 128);
        const struct run r = {.kernel = "k",
                              .grid = 1,
                              .block = THREADS,
                              .params = {p, (u64)(uintptr_t)out},
                              .workers = 1,
                              .hooks = &hooks};
        assert_int_equal(bench_run(&b, &r, &f), LS_ERR_FAULT);
        assert_int_equal(t.n, 3);
        assert_int_equal(f.thread[0], 18);
        assert_int_equal(f.kind, FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(out[0], 0);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_are_lost),     cmocka_unit_test(loads_give_zeros),
        cmocka_unit_test(atomics_give_zeros),  cmocka_unit_test(vectors),
        cmocka_unit_test(shared_and_local),    cmocka_unit_test(copies),
        cmocka_unit_test(matrix_rows),         cmocka_unit_test(frees),
        cmocka_unit_test(the_hook_may_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
