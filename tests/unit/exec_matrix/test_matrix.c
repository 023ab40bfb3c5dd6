/* Warp matrix instructions in the engine: parted warps, warps that are not whole, faults, special values, what the
 * hooks are told, and programs as nvcc and clang make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../exec/harness.h"

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                                  \
    ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n"                                                             \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .b32 %v<40>; .shared .align 32 .b8 buf[2048];\n"         \
    "ld.param.u64 %q1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
#define A4 "{%v0, %v1, %v2, %v3}"
#define B2 "{%v4, %v5}"
#define C4 "{%v6, %v7, %v8, %v9}"
#define D4 "{%v10, %v11, %v12, %v13}"
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4 ", " A4 ", " B2 ", " C4 ";\n"
/* a, b all ones, c = 0: every element of d is 16 */
#define ONES                                                                                                           \
    "mov.b32 %v0, 0x3c003c00; mov.b32 %v1, %v0; mov.b32 %v2, %v0; mov.b32 %v3, %v0; mov.b32 %v4, %v0;\n"               \
    "mov.b32 %v5, %v0; mov.b32 %v6, 0; mov.b32 %v7, 0; mov.b32 %v8, 0; mov.b32 %v9, 0;\n"
#define STORE_D "mul.wide.u32 %q2, %r2, 16; add.u64 %q2, %q1, %q2; st.global.v4.b32 [%q2], " D4 ";\n"

static void ignore(void *ctx, const struct exec_access *a) { (void)ctx, (void)a; }
static const struct exec_hooks tracing = {.access = ignore};

static void expect_sixteens(const char *text, u64 n, u32 block)
{
    for (int mode = 0; mode < 4; mode++) {
        struct bench b;
        bench_open(&b, text);
        float *d = bench_alloc(&b, 16 * block);
        bench_run_ok(&b, &(struct run){.kernel = "k",
                                       .grid = 1,
                                       .block = block,
                                       .max_seconds = 60,
                                       .params = {(u64)(uintptr_t)d, n},
                                       .hooks = mode & 1 ? &tracing : NULL,
                                       .one_lane = mode >= 2});
        for (u32 k = 0; k < 4 * block; k++)
            assert_true(d[k] == 16.0f);
        bench_close(&b);
    }
}

static void expect_fault(const char *text, u64 n, u32 block, enum exec_fault_kind kind)
{
    for (int traced = 0; traced < 2; traced++) {
        struct bench b;
        struct exec_fault f;
        bench_open(&b, text);
        u8 *d = bench_alloc(&b, 4096);
        const enum ls_status s = bench_run(&b,
                                           &(struct run){.kernel = "k",
                                                         .grid = 1,
                                                         .block = block,
                                                         .max_seconds = 60,
                                                         .params = {(u64)(uintptr_t)d, n},
                                                         .hooks = traced ? &tracing : NULL},
                                           &f);
        assert_int_equal(s, LS_ERR_FAULT);
        assert_int_equal(f.kind, kind);
        bench_close(&b);
    }
}

/* ---- who takes part ---- */

static void test_whole_warps(void **unused)
{
    (void)unused;
    expect_sixteens(HEAD ONES MMA STORE_D "ret;\n}\n", 0, 96);
}

/* Lanes that went different ways and have not met again wait for each other at the instruction (with one_lane every
 * lane is on its own from the start). */
static void test_parted_warp(void **unused)
{
    (void)unused;
    expect_sixteens(HEAD ONES "setp.lt.u32 %p1, %r2, 16; mov.u32 %r3, 0;\n@%p1 bra GO;\n"
                              "AGAIN: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra AGAIN;\n"
                              "GO: setp.gt.u32 %p3, %r2, 7; @%p3 bra HERE;\nHERE: " MMA STORE_D "ret;\n}\n",
                    0, 32);
    /* a predicate that is true for all, and one that is true for none */
    expect_sixteens(HEAD ONES "setp.lt.u32 %p1, %r2, 32;\n@%p1 " MMA "@!%p1 " MMA STORE_D "ret;\n}\n", 0, 32);
}

static void test_partial_warps(void **unused)
{
    (void)unused;
    /* lanes that exited before, later, or never were */
    expect_fault(HEAD ONES "setp.ge.u32 %p1, %r2, 20; @%p1 exit;\n" MMA STORE_D "ret;\n}\n", 0, 32, FAULT_PARTIAL_WARP);
    expect_fault(HEAD ONES "setp.lt.u32 %p1, %r2, 20; @%p1 bra GO;\nadd.u32 %r3, %r3, 1; exit;\nGO: " MMA STORE_D
                           "ret;\n}\n",
                 0, 32, FAULT_PARTIAL_WARP);
    expect_fault(HEAD ONES MMA STORE_D "ret;\n}\n", 0, 48, FAULT_PARTIAL_WARP);
    /* the others wait elsewhere for ever */
    expect_fault(HEAD ONES "setp.lt.u32 %p1, %r2, 20; @%p1 bra GO;\nbar.sync 0; exit;\nGO: " MMA STORE_D "ret;\n}\n", 0,
                 32, FAULT_DEADLOCK);
}

/* ---- addresses ---- */

static void test_bad_addresses(void **unused)
{
    (void)unused;
#define LOAD                                                                                                           \
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%v0,%v1,%v2,%v3,%v4,%v5,%v6,%v7}, [%q1], %r1; ret;\n}\n"
    struct bench b;
    bench_open(&b, HEAD LOAD); /* 16 rows of 128 halves: the last row ends at byte 15 * 256 + 32 of 4096 */
    void *d = bench_alloc(&b, 4096);
    bench_run_ok(&b, &(struct run){.kernel = "k", .grid = 1, .block = 32, .params = {(u64)(uintptr_t)d, 128}});
    bench_close(&b);
    expect_fault(HEAD LOAD, 1024, 32, FAULT_ILLEGAL_ADDRESS);
    expect_fault(HEAD "add.u64 %q1, %q1, 2;\n" LOAD, 16, 32, FAULT_MISALIGNED);
    expect_fault(HEAD "mov.u32 %r3, buf; add.u32 %r3, %r3, 8;\n"
                      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v0}, [%r3]; ret;\n}\n",
                 0, 32, FAULT_MISALIGNED);
    expect_fault(HEAD "mov.u32 %r3, 4096;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%v0}; ret;\n}\n", 0, 32,
                 FAULT_ILLEGAL_ADDRESS);
}

/* ---- special values: one row of a, the others are zero ---- */

static u32 special_product(const char *a_pair, const char *b_pair, const char *c)
{
    char text[2048];
    struct bench b;
    snprintf(
        text, sizeof text,
        "%smov.b32 %%v0, %s; mov.b32 %%v1, 0; mov.b32 %%v2, 0; mov.b32 %%v3, 0; mov.b32 %%v4, %s;\n"
        "mov.b32 %%v5, 0; mov.b32 %%v6, %s;\nsetp.ne.u32 %%p1, %%r2, 0; selp.b32 %%v0, 0, %%v0, %%p1;\n%s ret;\n}\n",
        HEAD ONES, a_pair, b_pair, c, MMA STORE_D);
    bench_open(&b, text);
    u32 *d = bench_alloc(&b, 512);
    bench_run_ok(&b, &(struct run){.kernel = "k", .grid = 1, .block = 32, .params = {(u64)(uintptr_t)d, 0}});
    const u32 got = d[0];
    bench_close(&b);
    return got;
}

static void test_special_values(void **unused)
{
    (void)unused;
    assert_int_equal(special_product("0x00007c00", "0x00003c00", "0"), 0x7f800000); /* inf * 1 */
    assert_int_equal(special_product("0x00007c00", "0x00000000", "0"), 0x7fffffff); /* inf * 0 */
    assert_int_equal(special_product("0x7c00fc00", "0x3c003c00", "0"), 0x7fffffff); /* inf - inf */
    assert_int_equal(special_product("0x00007e01", "0x00003c00", "0"), 0x7fffffff); /* a NaN of the operand */
    assert_int_equal(special_product("0x00000000", "0x00000000", "0x7f812345"),
                     0x7fffffff);                                                   /* and of the accumulator */
    assert_int_equal(special_product("0x00000001", "0x00000001", "0"), 0x27800000); /* 2^-24 * 2^-24 */
    assert_int_equal(special_product("0x00000000", "0x00000000", "1"), 1);          /* 2^-149 stays */
    assert_int_equal(special_product("0x3c00bc00", "0x3c003c00", "0"), 0);          /* 1 - 1 = +0 */
    /* 2^24 + 1 + 1: one rounding, after the sum */
    assert_int_equal(special_product("0x3c003c00", "0x3c003c00", "0x4b800000"), 0x4b800001);
}

/* ---- events ---- */

struct seen {
    u32 n, sizes[16], masks[16], stores;
    u8 space;
};

static void *begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void see(void *ctx, const struct exec_access *a)
{
    struct seen *s = ctx;
    if (s->n < 16) {
        s->sizes[s->n] = a->size;
        s->masks[s->n] = a->mask;
    }
    s->space = a->space;
    s->stores += a->op == ACCESS_ST;
    s->n++;
}

static struct seen watch(const char *code, u64 n)
{
    char text[2048];
    struct bench b;
    struct seen s = {0};
    const struct exec_hooks hooks = {.launch = &s, .worker_begin = begin, .access = see};
    snprintf(text, sizeof text, "%s%s ret;\n}\n", HEAD, code);
    bench_open(&b, text);
    void *d = bench_alloc(&b, 4096);
    bench_run_ok(
        &b,
        &(struct run){
            .kernel = "k", .grid = 1, .block = 32, .params = {(u64)(uintptr_t)d, n}, .hooks = &hooks, .workers = 1});
    bench_close(&b);
    return s;
}

static void expect_accesses(const char *code, u32 n, u32 size, u32 mask, enum ptx_space space, bool store)
{
    const struct seen s = watch(code, 32);
    assert_int_equal(s.n, n);
    assert_int_equal(s.space, space);
    assert_int_equal(s.stores, store ? n : 0);
    for (u32 k = 0; k < n && k < 16; k++) {
        assert_int_equal(s.sizes[k], size);
        assert_int_equal(s.masks[k], mask);
    }
}

/* As many accesses of that width as ptxas (CUDA 13.0, sm_90) makes: LDG, LDS, LDSM, STG, STS. */
static void test_events(void **unused)
{
    (void)unused;
#define F8 "{%v0,%v1,%v2,%v3,%v4,%v5,%v6,%v7}"
#define F4 "{%v0,%v1,%v2,%v3}"
#define SHARED "mov.u32 %r3, buf;\n"
    const u32 all = 0xffffffff;
    expect_accesses("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " F8 ", [%q1], %r1;", 4, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.a.sync.aligned.col.m16n16k16.global.f16 " F8 ", [%q1], %r1;", 4, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.a.sync.aligned.row.m32n8k16.global.f16 " F8 ", [%q1], %r1;", 8, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.b.sync.aligned.col.m32n8k16.global.f16 " F8 ", [%q1], %r1;", 2, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " F8 ", [%q1], %r1;", 4, 8, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.c.sync.aligned.col.m16n16k16.global.f32 " F8 ", [%q1], %r1;", 8, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 " F4 ", [%q1], %r1;", 4, 4, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.load.a.sync.aligned.col.m16n16k16.global.s8 {%v0,%v1}, [%q1], %r1;", 8, 1, all, SPACE_GLOBAL,
                    false);
    expect_accesses("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%q1], " F8 ", %r1;", 4, 8, all, SPACE_GLOBAL,
                    true);
    expect_accesses("wmma.store.d.sync.aligned.col.m16n16k16.global.f16 [%q1], " F4 ", %r1;", 4, 4, all, SPACE_GLOBAL,
                    true);
    expect_accesses(SHARED "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " F8 ", [%r3], %r1;", 1, 16, all,
                    SPACE_SHARED, false);
    expect_accesses(SHARED "wmma.load.a.sync.aligned.col.m32n8k16.shared.f16 " F8 ", [%r3], %r1;", 2, 16, all,
                    SPACE_SHARED, false);
    expect_accesses(SHARED "wmma.load.b.sync.aligned.row.m32n8k16.shared.f16 " F8 ", [%r3], %r1;", 1, 16, 0xffff,
                    SPACE_SHARED, false);
    expect_accesses(SHARED "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%v0,%v1}, [%r3], %r1;", 1, 16, 0xffff,
                    SPACE_SHARED, false);
    expect_accesses(SHARED "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r3], " F4 ", %r1;", 4, 4, all,
                    SPACE_SHARED, true);
    expect_accesses(SHARED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v0}, [%r3];", 1, 16, 0xff, SPACE_SHARED, false);
    expect_accesses(SHARED "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], " F4 ";", 1, 16, all, SPACE_SHARED, true);
    /* a generic address that is one of shared memory: plain loads, no LDSM */
    expect_accesses("mov.u64 %q2, buf; cvta.shared.u64 %q2, %q2;\nwmma.load.a.sync.aligned.row.m16n16k16.f16 " F8
                    ", [%q2], %r1;",
                    4, 4, all, SPACE_SHARED, false);
}

/* ---- programs as compilers make them ---- */

static u32 f16_of_small(u32 x) /* 0 to 7 */
{
    static const u16 bits[8] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return bits[x & 7];
}

/* d = alpha a b + c by tiles of 16 x 16: a row-major, b column-major, c and d row-major floats. */
static void run_tiles(const char *file)
{
    enum { M = 64, N = 48, K = 32 };
    struct bench b;
    char path[96];
    snprintf(path, sizeof path, "../../exec_matrix/ptx/%s", file);
    bench_open(&b, path);
    u16 *a = bench_alloc(&b, 2 * M * K), *x = bench_alloc(&b, 2 * K * N);
    float *c = bench_alloc(&b, 4 * M * N), *d = bench_alloc(&b, 4 * M * N);
    for (u32 k = 0; k < M * K; k++)
        a[k] = (u16)f16_of_small(k * 5 / 3);
    for (u32 k = 0; k < K * N; k++)
        x[k] = (u16)f16_of_small(k * 7 / 4);
    for (u32 k = 0; k < M * N; k++)
        c[k] = (float)(k % 19);
    bench_run_ok(&b, &(struct run){
                         .kernel = "tiles",
                         .grid = N / 16,
                         .grid_y = M / 16,
                         .block = 32,
                         .params = {(u64)(uintptr_t)a, (u64)(uintptr_t)x, (u64)(uintptr_t)c, (u64)(uintptr_t)d, N, K}});
    for (u32 r = 0; r < M; r++)
        for (u32 s = 0; s < N; s++) {
            float sum = 0;
            for (u32 k = 0; k < K; k++)
                sum += (float)(((r * K + k) * 5 / 3) & 7) * (float)(((s * K + k) * 7 / 4) & 7);
            assert_true(d[r * N + s] == 2 * sum + c[r * N + s]);
        }
    bench_close(&b);
}

static void test_nvcc(void **unused)
{
    (void)unused;
    run_tiles("tiles_nvcc.ptx");
}

static void test_clang(void **unused)
{
    (void)unused;
    run_tiles("tiles_clang.ptx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_warps),    cmocka_unit_test(test_parted_warp),
        cmocka_unit_test(test_partial_warps),  cmocka_unit_test(test_bad_addresses),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_events),
        cmocka_unit_test(test_nvcc),           cmocka_unit_test(test_clang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
