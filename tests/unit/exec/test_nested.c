/* Kernels that launch kernels: order, completion, parameters, limits, faults, the same for each way of writing them
 * (ptx/nested.cu) and for each number of workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "harness.h"

static const char *const files[] = {"nested_clang.ptx", "nested_nvcc.ptx", "nested_triple.ptx"};
static const unsigned worker_counts[] = {1, 2, 5};

/* Runs the test for each file and number of workers. */
static void each(void (*test)(struct bench *b, unsigned workers))
{
    for (size_t f = 0; f < LS_ARRAY_LEN(files); f++)
        for (size_t k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
            struct bench b;
            bench_open(&b, files[f]);
            test(&b, worker_counts[k]);
            bench_close(&b);
        }
}

/* ---- recursion ---- */

static void expect_halves(const i32 *out, i32 lo, i32 n, i32 depth)
{
    if (n > 8) {
        expect_halves(out, lo, n / 2, depth + 1);
        expect_halves(out, lo + n / 2, n - n / 2, depth + 1);
    } else {
        for (i32 i = 0; i < n; i++)
            assert_int_equal(out[lo + i], 100 * depth + n);
    }
}

static void halves(struct bench *b, unsigned workers)
{
    enum { N = 1000 };
    for (u64 seed = 0; seed < 3; seed++) {
        i32 *out = bench_alloc(b, N * sizeof *out);
        bench_run_ok(b, &(struct run){.kernel = "halve",
                                      .grid = 1,
                                      .block = 32,
                                      .workers = workers,
                                      .seed = seed,
                                      .params = {(u64)out, 0, N, 0},
                                      .max_seconds = 60});
        expect_halves(out, 0, N, 0);
    }
}

static void test_recursion(void **state)
{
    (void)state;
    each(halves);
}

/* ---- order ---- */

static void orders(struct bench *b, unsigned workers)
{
    static const i32 expected[] = {10,  10,  20, 21, 22, 30, 110, 110, 120, 121,
                                   122, 130, 90, 91, 92, 93, 190, 191, 192, 193};
    i32 *log = bench_alloc(b, 64 * sizeof *log);
    bench_run_ok(
        b,
        &(struct run){
            .kernel = "in_order", .grid = 2, .block = 64, .workers = workers, .params = {(u64)log}, .max_seconds = 60});
    assert_int_equal(log[0], 22);
    assert_int_equal(log[1] + log[2], 100); /* the two blocks of the host's grid: in any order, and first */
    assert_memory_equal(log + 3, expected, sizeof expected);
}

static void test_order(void **state)
{
    (void)state;
    each(orders);
}

/* ---- parameters ---- */

static void parameters(struct bench *b, unsigned workers)
{
    static const double expected[] = {'a', 2, 3.5, 6, -7, 8.5, 9.5, 10, 3, 2, 8, 4, 512};
    double *out = bench_alloc(b, sizeof expected + 8);
    bench_run_ok(b, &(struct run){.kernel = "give", .grid = 1, .block = 32, .workers = workers, .params = {(u64)out}});
    assert_memory_equal(out, expected, sizeof expected);
    assert_true(out[13] == 0);
}

static void test_parameters(void **state)
{
    (void)state;
    each(parameters);
}

/* ---- limits and errors ---- */

static void depths(struct bench *b, unsigned workers)
{
    i32 *out = bench_alloc(b, 32 * sizeof *out);
    bench_run_ok(
        b, &(struct run){.kernel = "deeper", .grid = 1, .block = 32, .workers = workers, .params = {(u64)out, 0}});
    for (u32 d = 0; d < 24; d++)
        assert_int_equal(out[d], 1);
    assert_int_equal(out[24], 1 + 65); /* cudaErrorLaunchMaxDepthExceeded */
    assert_int_equal(out[25], 0);
}

static void test_depth(void **state)
{
    (void)state;
    each(depths);
}

static void floods(struct bench *b, unsigned workers)
{
    i32 *n = bench_alloc(b, 16);
    const u64 used = mem_used(b->device.mem);
    bench_run_ok(b,
                 &(struct run){.kernel = "flood", .grid = 1, .block = 32, .workers = workers, .params = {(u64)n, 100}});
    assert_int_equal(n[0], 2048); /* cudaLimitDevRuntimePendingLaunchCount, unless set */
    assert_int_equal(n[1], 3200 - 2048);
    assert_int_equal(n[2], 69 * n[1]); /* cudaErrorLaunchPendingCountExceeded */
    n[0] = 0;
    bench_run_ok(b,
                 &(struct run){.kernel = "flood", .grid = 4, .block = 32, .workers = workers, .params = {(u64)n, 16}});
    assert_int_equal(n[0], 2048); /* exactly as many as there may be */
    assert_int_equal(n[1], 3200 - 2048);
    assert_int_equal(mem_used(b->device.mem), used);
}

static void test_pending(void **state)
{
    (void)state;
    each(floods);
}

static void wrongs(struct bench *b, unsigned workers)
{
    i32 *out = bench_alloc(b, 16), *n = bench_alloc(b, 4);
    bench_run_ok(
        b, &(struct run){.kernel = "wrong", .grid = 1, .block = 1, .workers = workers, .params = {(u64)out, (u64)n}});
    assert_int_equal(out[0], 9); /* cudaErrorInvalidConfiguration: 2048 threads a block */
    assert_int_equal(out[1], 9); /* no blocks */
    assert_int_equal(out[2], 9); /* 1 MiB of shared memory */
    assert_int_equal(out[3], 0);
    assert_int_equal(*n, 1);
}

static void test_errors(void **state)
{
    (void)state;
    each(wrongs);
}

/* ---- faults ---- */

static void faults(struct bench *b, unsigned workers)
{
    struct exec_fault f;
    assert_int_equal(bench_run(b, &(struct run){.kernel = "strays", .grid = 2, .block = 32, .workers = workers}, &f),
                     LS_ERR_FAULT);
    assert_int_equal(f.kind, FAULT_ILLEGAL_ADDRESS);
    assert_string_equal(f.kernel, "stray");
    char *text = exec_fault_text(&f);
    assert_non_null(text);
    assert_non_null(strstr(text, "out-of-bounds access in kernel 'stray'"));
    assert_non_null(strstr(text, "\n  launched by kernel 'between', block (0,0,0), thread (3,0,0)\n"
                                 "  launched by kernel 'strays', block (1,0,0), thread (0,0,0)\n"));
    ls_free(text);
}

static void test_fault(void **state)
{
    (void)state;
    each(faults);
}

static void test_watchdog_sees_the_tree(void **state)
{
    /* A kernel that launches itself in the tail stream and loops a little: each grid is short. */
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],\n"
        "  .param .align 4 .b8 b[12], .param .b32 s);\n"
        ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
        ".visible .entry again(.param .u32 n)\n{\n"
        ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.reg .pred %p;\n"
        "mov.u32 %r1, 0;\nloop:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 100000;\n@%p bra loop;\n"
        "mov.u64 %rd1, again;\n"
        "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
        "st.param.b64 [f], %rd1;\nst.param.b32 [g], 1;\nst.param.b32 [g+4], 1;\nst.param.b32 [g+8], 1;\n"
        "st.param.b32 [b], 1;\nst.param.b32 [b+4], 1;\nst.param.b32 [b+8], 1;\nst.param.b32 [s], 0;\n"
        "call (r), cudaGetParameterBufferV2, (f, g, b, s);\nld.param.b64 %rd2, [r]; }\n"
        "{ .param .b64 p; .param .b64 s; .param .b32 r;\nst.param.b64 [p], %rd2;\nst.param.b64 [s], 3;\n"
        "call (r), cudaLaunchDeviceV2, (p, s);\nld.param.b32 %r2, [r]; }\n"
        "ret;\n}\n";
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, text);
    /* 25 grids of 300,000 instructions each, and a limit between one and all of them */
    const struct run r = {.kernel = "again", .grid = 1, .block = 1, .workers = 1, .max_instructions = 2000000};
    assert_int_equal(bench_run(&b, &r, &f), LS_ERR_TIMEOUT);
    assert_non_null(strstr(f.launched_by, "launched by kernel 'again'"));
    const struct run enough = {.kernel = "again", .grid = 1, .block = 1, .workers = 1, .max_instructions = 20000000};
    bench_run_ok(&b, &enough);
    bench_close(&b);
}

/* ---- events ---- */

static void *count_begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void count_block(void *ctx, const struct exec_block_info *info)
{
    (void)info;
    ++*(u32 *)ctx;
}

static void test_hooks_see_children(void **state)
{
    (void)state;
    for (size_t f = 0; f < LS_ARRAY_LEN(files); f++) {
        struct bench b;
        u32 blocks = 0;
        const struct exec_hooks hooks = {.launch = &blocks, .worker_begin = count_begin, .block_begin = count_block};
        bench_open(&b, files[f]);
        i32 *log = bench_alloc(&b, 64 * sizeof *log);
        bench_run_ok(
            &b, &(struct run){
                    .kernel = "in_order", .grid = 2, .block = 32, .workers = 1, .params = {(u64)log}, .hooks = &hooks});
        assert_int_equal(blocks, 2 + 2 * (2 + 3 + 1 + 1 + 3));
        bench_close(&b);
    }
}

/* ---- the tree, grid by grid ---- */

struct seen {
    u32 n;
    u64 id[64], parent[64], root[64];
    u32 depth[64], launched[64];
    char kernel[64][16];
};

static enum ls_status see(void *ctx, struct exec_launch *l, struct exec_fault *fault)
{
    struct seen *s = ctx;
    const u32 k = s->n++;
    u32 refused;
    if (l->depth)
        l->id = 1000 + k;
    const enum ls_status status = exec_run(l, fault, NULL);
    s->id[k] = l->id;
    s->parent[k] = l->parent;
    s->root[k] = l->root;
    s->depth[k] = l->depth;
    snprintf(s->kernel[k], sizeof s->kernel[k], "%s", l->kernel->name);
    exec_children_count(l->children, &s->launched[k], &refused);
    return status;
}

static void test_tree(void **state)
{
    struct bench b;
    struct seen s = {0};
    struct exec_fault fault;
    (void)state;
    bench_open(&b, files[0]);
    u64 log = (u64)bench_alloc(&b, 256);
    const struct exec_launch l = {.device = &b.device,
                                  .module = b.module,
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1},
                                  .kernel = exec_module_kernel(b.module, "in_order"),
                                  .params = &log,
                                  .id = 7};
    assert_int_equal(exec_run_tree(&l, see, &s, &fault), LS_OK);
    static const struct {
        const char *kernel;
        u32 parent, depth, launched; /* parent: its place in this list */
    } want[] = {
        {"in_order", 0, 0, 5}, {"note", 0, 1, 0}, {"note_after", 0, 1, 2}, {"note", 2, 2, 0}, {"note", 2, 2, 0},
        {"note", 0, 1, 0},     {"note", 0, 1, 0}, {"note_after", 0, 1, 2}, {"note", 7, 2, 0}, {"note", 7, 2, 0},
    };
    assert_int_equal(s.n, LS_ARRAY_LEN(want));
    for (u32 k = 0; k < s.n; k++) {
        assert_string_equal(s.kernel[k], want[k].kernel);
        assert_int_equal(s.parent[k], k ? s.id[want[k].parent] : 0);
        assert_int_equal(s.root[k], 7);
        assert_int_equal(s.depth[k], want[k].depth);
        assert_int_equal(s.launched[k], want[k].launched);
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_watchdog_sees_the_tree),
        cmocka_unit_test(test_hooks_see_children),
        cmocka_unit_test(test_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
