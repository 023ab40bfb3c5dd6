/* initcheck in kernels: global, shared and local memory by byte, what the host does to device memory, and the copies of
 * padding that compilers make, which are no findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name)                                                                                                    \
    ".visible .entry " name "(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"                                       \
    ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .b64 %d<19>;\n.reg .b16 %h<9>;\n.reg .f32 %f<9>;\n"                    \
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u32 %r9, [n];\nmov.u32 %r1, %tid.x;\n"                   \
    "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d4, %d1, %d3;\nadd.u64 %d5, %d2, %d3;\n"
#define END "ret;\n}\n"

/* clang-format off */
/* a[i] = b[i] + 1 and kin; i: the thread's number. */
static const char kernels[] = HEAD
    ".global .align 4 .b32 module_variable[32];\n"
    ENTRY("add") "ld.global.u32 %r2, [%d5];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("copy") "ld.global.u32 %r2, [%d5];\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("first") "ld.global.u32 %r2, [%d2];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("fill") "st.global.u32 [%d4], %r1;\n" END
    ENTRY("half") "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.global.u32 [%d4], %r1;\n" END
    ENTRY("odd") "mul.wide.u32 %d6, %r1, 36;\nadd.u64 %d6, %d2, %d6;\nld.global.u32 %r2, [%d6];\n"
                 "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("bytes") "cvt.u64.u32 %d6, %r1;\nadd.u64 %d6, %d1, %d6;\ncvt.u16.u32 %h1, %r1;\nst.global.u8 [%d6], %h1;\n" END
    ENTRY("count") "atom.global.add.u32 %r2, [%d1], 1;\n" END
    ENTRY("vector") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d6, %d2, %d6;\n"
                    "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d6];\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
                    "add.u32 %r2, %r2, %r5;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("vector_copy") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d7, %d2, %d6;\nadd.u64 %d8, %d1, %d6;\n"
                         "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d7];\nst.global.v4.u32 [%d8], {%r2, %r3, %r4, %r5};\n" END
    ENTRY("struct") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d6, %d1, %d6;\ncvt.u16.u32 %h1, %r1;\n" /* char, int, 8 bytes */
                    "st.global.u8 [%d6], %h1;\nst.global.u32 [%d6+4], %r1;\nst.global.u64 [%d6+8], %d3;\n" END
    ENTRY("gappy") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d6, %d1, %d6;\n" /* 4 bytes, 4 of padding, 8 bytes */
                   "st.global.u32 [%d6], %r1;\nst.global.u64 [%d6+8], %d3;\n" END
    ENTRY("variable") "mov.u64 %d6, module_variable;\nadd.u64 %d6, %d6, %d3;\nld.global.u32 %r2, [%d6];\n"
                      "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("heap") "{\n.param .b64 p0;\n.param .b64 r0;\nmov.u64 %d6, 64;\nst.param.b64 [p0], %d6;\n"
                  "call.uni (r0), malloc, (p0);\nld.param.b64 %d7, [r0];\n}\nst.u32 [%d7], %r1;\nld.u32 %r2, [%d7+60];\n"
                  "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    /* shared: thread i < n writes word i; all read word i */
    ENTRY("tile") ".shared .align 16 .b32 t[64];\nmov.u32 %r5, t;\nmad.lo.u32 %r5, %r1, 4, %r5;\n"
                  "setp.lt.u32 %p1, %r1, %r9;\n@%p1 st.shared.u32 [%r5], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [%r5];\n"
                  "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("bins") ".shared .align 16 .b32 t[64];\nmov.u32 %r5, t;\nmad.lo.u32 %r5, %r1, 4, %r5;\n"
                  "setp.lt.u32 %p1, %r1, %r9;\n@%p1 st.shared.u32 [%r5], %r1;\nbar.sync 0;\n"
                  "red.shared.add.u32 [%r5], 1;\n" END
    /* cp.async of 4 bytes a thread, those from n on read none and write zeros */
    ENTRY("async") ".shared .align 16 .b32 t[64];\nmov.u32 %r5, t;\nmad.lo.u32 %r5, %r1, 4, %r5;\n"
                   "setp.lt.u32 %p1, %r1, %r9;\nselp.u32 %r6, 4, 0, %p1;\ncp.async.ca.shared.global [%r5], [%d5], 4, %r6;\n"
                   "cp.async.wait_all;\nld.shared.u32 %r2, [%r5];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    /* a bulk copy of 128 bytes by thread 0 */
    ENTRY("bulk") ".shared .align 16 .b32 t[64];\n.shared .align 8 .b64 m;\nmov.u32 %r5, t;\nmov.u32 %r6, m;\n"
                  "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra BEHIND;\nmbarrier.init.shared.b64 [%r6], 1;\n"
                  "mbarrier.arrive.expect_tx.shared.b64 %d7, [%r6], 128;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d2], 128, [%r6];\n"
                  "BEHIND:\nbar.sync 0;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;\n@!%p2 bra WAIT;\n"
                  "mad.lo.u32 %r5, %r1, 4, %r5;\nld.shared.u32 %r2, [%r5];\nadd.u32 %r2, %r2, 1;\n"
                  "st.global.u32 [%d4], %r2;\n" END
    /* local: n bytes from 64 on are written, the word at 68 is read */
    ENTRY("local") ".local .align 16 .b8 l[80];\nmov.u64 %d6, l;\nmov.u32 %r3, 0;\nLOOP:\nsetp.ge.u32 %p1, %r3, %r9;\n"
                   "@%p1 bra READ;\ncvt.u64.u32 %d7, %r3;\nadd.u64 %d7, %d6, %d7;\ncvt.u16.u32 %h1, %r3;\n"
                   "st.local.u8 [%d7+64], %h1;\nadd.u32 %r3, %r3, 1;\nbra LOOP;\nREAD:\nld.local.u32 %r4, [%d6+68];\n"
                   "add.u32 %r4, %r4, 1;\nst.global.u32 [%d4], %r4;\n" END
    /* registers: threads below n have a value in r2 */
    ENTRY("reg_guard") "setp.lt.u32 %p1, %r1, %r9;\n@%p1 ld.global.u32 %r2, [%d5];\nadd.u32 %r3, %r2, 1;\n"
                       "mov.u32 %r4, %r3;\nst.global.u32 [%d4], %r4;\n" END
    ENTRY("reg_both") "setp.lt.u32 %p1, %r1, %r9;\n@%p1 ld.global.u32 %r2, [%d5];\n@!%p1 mov.u32 %r2, 0;\n"
                      "add.u32 %r3, %r2, 1;\nst.global.u32 [%d4], %r3;\n" END
    ENTRY("reg_same") "setp.lt.u32 %p1, %r1, %r9;\n@%p1 ld.global.u32 %r2, [%d5];\nadd.u32 %r3, %r2, 1;\n"
                      "@%p1 st.global.u32 [%d4], %r3;\n" END
    ENTRY("reg_selp") "setp.lt.u32 %p1, %r1, %r9;\n@%p1 ld.global.u32 %r2, [%d5];\nadd.u32 %r3, %r2, 1;\n"
                      "selp.u32 %r4, %r3, 7, %p1;\nst.global.u32 [%d4], %r4;\n" END
    ENTRY("reg_branch") "setp.ge.u32 %p1, %r1, %r9;\n@%p1 bra OVER;\nmov.u32 %r2, 5;\nOVER:\nmov.u32 %r3, %r2;\n"
                        "setp.eq.u32 %p2, %r3, 5;\n@%p2 bra END;\nst.global.u32 [%d4], %r1;\nEND:\n" END
    ENTRY("reg_address") "setp.ge.u32 %p1, %r1, %r9;\n@%p1 bra OVER;\nmov.u64 %d6, %d4;\nOVER:\nbar.sync 0;\n"
                         "@%p1 bra END;\nst.global.u32 [%d6], %r1;\nEND:\n" END
    ENTRY("reg_call") "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %r1;\ncall.uni (r0), odd_has_value, (p0);\n"
                      "ld.param.b32 %r2, [r0];\n}\nst.global.u32 [%d4], %r2;\n" END
    "";
/* clang-format on */

/* A device function that stores what odd numbers alone give a value. */
static const char functions[] =
    ".global .align 4 .b32 sink[64];\n"
    ".func (.param .b32 r) odd_has_value(.param .b32 x)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
    "ld.param.b32 %r1, [x];\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nmov.u32 %r3, 8;\nEVEN:\n"
    "st.global.u32 [sink], %r3;\nst.param.b32 [r], %r1;\nret;\n}\n";

/* The heap kernel needs the prototype in front. */
static char text[32768];

static void open_rig(struct rig *r)
{
    snprintf(text, sizeof text, "%s.extern .func (.param .b64 r) malloc(.param .b64 n);\n%s%s", HEAD, functions,
             kernels + sizeof HEAD - 1);
    rig_open(r, text, CHECK_INITCHECK, NULL);
}

static void run_with(struct rig *r, const char *kernel, u64 a, u64 b)
{
    rig_run(r, &(struct run){.kernel = kernel, .grid = 1, .block = 32, .params = {a, b, 0}});
    assert_int_equal(r->status, LS_OK);
}

static const struct finding *finds(struct rig *r, const char *kernel, u64 a, u64 b, enum finding_kind kind)
{
    rig_forget(r);
    run_with(r, kernel, a, b);
    return rig_only(r, kind);
}

static void is_silent(struct rig *r, const char *kernel, u64 a, u64 b)
{
    rig_forget(r);
    run_with(r, kernel, a, b);
    rig_none(r);
}

/* ---- global memory ---- */

static void test_global_read(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128), b = rig_alloc(&r, 128);
    const struct finding *f = finds(&r, "add", a, b, FINDING_UNINIT_GLOBAL);
    assert_string_equal(f->what, "Uninitialized __global__ memory read of size 4 bytes");
    assert_non_null(strstr(f->detail, "offset 0 in the 128-byte allocation #"));
    assert_int_equal(f->count, 32);
    assert_int_equal(f->threads, 32);
    assert_int_equal(f->address, b);
    assert_true(f->at.has_thread);
    assert_int_equal(f->at.thread[0], 0);
    assert_int_equal(f->at.does, DOES_READ);
    is_silent(&r, "add", b, a); /* which the kernel wrote */
    rig_close(&r);
}

static void test_global_parts(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128), b = rig_alloc(&r, 128), out = rig_alloc(&r, 128);
    is_silent(&r, "half", b, 0);
    const struct finding *f = finds(&r, "add", out, b, FINDING_UNINIT_GLOBAL);
    assert_int_equal(f->threads, 16);
    assert_int_equal(f->address, b + 64);
    assert_int_equal(f->at.thread[0], 16);
    check_host_wrote(r.check, b + 64, 60, 0, NULL);
    rig_forget(&r);
    rig_run(&r, &(struct run){.kernel = "copy", .grid = 1, .block = 31, .params = {out, b, 0}});
    rig_none(&r);
    f = finds(&r, "copy", out, b, FINDING_UNINIT_GLOBAL);
    assert_int_equal(f->address, b + 124);
    assert_int_equal(f->at.thread[0], 31);
    check_filled(r.check, a, 128, 0, NULL);
    is_silent(&r, "copy", out, a);
    rig_close(&r);
}

/* Every lane at the same place; lanes far apart; single bytes. */
static void test_global_patterns(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128), b = rig_alloc(&r, 36 * 32);
    assert_int_equal(finds(&r, "first", a, b, FINDING_UNINIT_GLOBAL)->threads, 32);
    check_host_wrote(r.check, b, 4, 0, NULL);
    is_silent(&r, "first", a, b);
    assert_int_equal(finds(&r, "odd", a, b, FINDING_UNINIT_GLOBAL)->threads, 31);
    for (u64 k = 0; k < 32; k++)
        check_host_wrote(r.check, b + 36 * k, 4, 0, NULL);
    is_silent(&r, "odd", a, b);
    const u64 c = rig_alloc(&r, 32);
    is_silent(&r, "bytes", c, 0);
    rig_forget(&r);
    rig_run(&r, &(struct run){.kernel = "add", .grid = 1, .block = 8, .params = {a, c, 0}});
    rig_none(&r);
    rig_close(&r);
}

static void test_global_atomic(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 4);
    const struct finding *f = finds(&r, "count", a, 0, FINDING_UNINIT_GLOBAL);
    assert_string_equal(f->what, "Uninitialized __global__ memory atomic of size 4 bytes");
    assert_int_equal(f->at.does, DOES_ATOMIC);
    is_silent(&r, "count", a, 0);
    rig_close(&r);
}

static void test_freed_memory(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128);
    u64 b = rig_alloc(&r, 128);
    check_host_wrote(r.check, b, 128, 0, NULL);
    is_silent(&r, "add", a, b);
    mem_free(r.bench.device.mem, b);
    for (u32 k = 0; k < 10000; k++) { /* past the quarantine, until its place is used again */
        u64 other;
        assert_int_equal(mem_alloc(r.bench.device.mem, 128, MEM_ALIGN, MEM_DEVICE, NULL, &other), LS_OK);
        if (other == b)
            break;
        mem_free(r.bench.device.mem, other);
        assert_true(k < 9999);
    }
    finds(&r, "add", a, b, FINDING_UNINIT_GLOBAL);
    rig_close(&r);
}

/* What is initialised for what it is. */
static void test_other_memory(void **state)
{
    struct rig r;
    u64 pinned;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128);
    assert_int_equal(mem_alloc(r.bench.device.mem, 128, MEM_ALIGN, MEM_PINNED, NULL, &pinned), LS_OK);
    is_silent(&r, "add", a, pinned);
    is_silent(&r, "variable", a, 0);
    static u32 mine[32];
    assert_int_equal(mem_register(r.bench.device.mem, mine, sizeof mine), LS_OK);
    is_silent(&r, "add", a, (u64)(uintptr_t)mine);
    rig_close(&r);
}

static void test_device_heap(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const struct finding *f = finds(&r, "heap", rig_alloc(&r, 128), 0, FINDING_UNINIT_GLOBAL);
    assert_int_equal(f->threads, 32);
    assert_non_null(strstr(f->detail, "offset 60 in the 64-byte allocation"));
    rig_close(&r);
}

/* The host writes managed memory unseen; a page that it never touched is uninitialised. */
static void test_managed(void **state)
{
    struct rig r;
    u64 touched, never;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128);
    struct mem *m = r.bench.device.mem;
    assert_int_equal(mem_alloc(m, 2 * 4096, MEM_ALIGN, MEM_MANAGED, NULL, &touched), LS_OK);
    assert_int_equal(mem_alloc(m, 4096, MEM_ALIGN, MEM_MANAGED, NULL, &never), LS_OK);
    memset((void *)(uintptr_t)touched, 0, 128);
    is_silent(&r, "add", a, touched);
    assert_int_equal(finds(&r, "add", a, touched + 4096, FINDING_UNINIT_GLOBAL)->threads, 32);
    assert_int_equal(finds(&r, "copy", a, never, FINDING_UNINIT_GLOBAL)->threads, 32);
    rig_close(&r);
}

/* What a launch that is not checked wrote is not known. */
static void test_unseen(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128), b = rig_alloc(&r, 128);
    check_unseen(r.check);
    const u64 c = rig_alloc(&r, 128);
    is_silent(&r, "add", a, b);
    check_host_read(r.check, b, 128, 0, NULL);
    rig_none(&r);
    finds(&r, "add", a, c, FINDING_UNINIT_GLOBAL);
    rig_close(&r);
}

/* ---- shared and local memory ---- */

static void run_n(struct rig *r, const char *kernel, u32 grid, u64 a, u64 b, u64 n)
{
    rig_forget(r);
    rig_run(r, &(struct run){.kernel = kernel, .grid = grid, .block = 32, .params = {a, b, n}});
    assert_int_equal(r->status, LS_OK);
}

static void test_shared(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 512);
    run_n(&r, "tile", 4, a, 0, 32);
    rig_none(&r);
    run_n(&r, "tile", 3, a, 0, 20); /* in each block anew */
    const struct finding *f = rig_only(&r, FINDING_UNINIT_SHARED);
    assert_int_equal(f->count, 3 * 12);
    assert_int_equal(f->address, 80);
    assert_int_equal(f->at.thread[0], 20);
    assert_string_equal(f->what, "Uninitialized __shared__ memory read of size 4 bytes");
    run_n(&r, "bins", 2, a, 0, 32);
    rig_none(&r);
    run_n(&r, "bins", 2, a, 0, 31);
    assert_int_equal(rig_only(&r, FINDING_UNINIT_SHARED)->count, 2);
    rig_close(&r);
}

static void test_async(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 128), b = rig_alloc(&r, 128);
    check_host_wrote(r.check, b, 64, 0, NULL);
    run_n(&r, "async", 1, a, b, 16);
    rig_none(&r);
    run_n(&r, "async", 1, a, b, 20);
    assert_int_equal(rig_only(&r, FINDING_UNINIT_GLOBAL)->threads, 4);
    run_n(&r, "bulk", 1, a, b, 0); /* found where it is used */
    const struct finding *f = rig_only(&r, FINDING_UNINIT_SHARED);
    assert_int_equal(f->threads, 16);
    assert_int_equal(f->at.thread[0], 16);
    check_host_wrote(r.check, b, 128, 0, NULL);
    run_n(&r, "bulk", 1, a, b, 0);
    rig_none(&r);
    rig_close(&r);
}

static void test_local(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 512);
    run_n(&r, "local", 2, a, 0, 8);
    rig_none(&r);
    run_n(&r, "local", 2, a, 0, 5); /* a part of it: may be a member of something larger */
    rig_none(&r);
    run_n(&r, "local", 2, a, 0, 4);
    const struct finding *f = rig_only(&r, FINDING_UNINIT_LOCAL);
    assert_int_equal(f->count, 64);
    assert_string_equal(f->what, "Uninitialized __local__ memory read of size 4 bytes");
    rig_close(&r);
}

/* ---- registers ---- */

static void finds_register(struct rig *r, const char *kernel, u64 a, u64 b, u64 n, u64 count, const char *place)
{
    run_n(r, kernel, 2, a, b, n);
    const struct finding *f = rig_only(r, FINDING_UNINIT_REGISTER);
    assert_int_equal(f->count, count);
    assert_non_null(strstr(f->at.ptx, place));
    run_n(r, kernel, 2, a, b, 32);
    rig_none(r);
}

static void test_registers(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 512), b = rig_alloc(&r, 512);
    check_host_wrote(r.check, b, 512, 0, NULL);
    finds_register(&r, "reg_guard", a, b, 20, 2 * 12, "add.u32");
    finds_register(&r, "reg_branch", a, b, 31, 2, "setp.eq");
    static const char *const silent[] = {"reg_both", "reg_same", "reg_selp", "reg_address"};
    for (u32 k = 0; k < LS_ARRAY_LEN(silent); k++) {
        run_n(&r, silent[k], 2, a, b, 20);
        rig_none(&r);
    }
    run_n(&r, "reg_call", 1, a, b, 0);
    const struct finding *f = rig_only(&r, FINDING_UNINIT_REGISTER);
    assert_int_equal(f->threads, 16);
    assert_string_equal(f->at.function, "odd_has_value");
    assert_string_equal(f->at.kernel, "reg_call");
    rig_close(&r);
}

/* ---- copies of structs ---- */

static void test_vectors(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 512), b = rig_alloc(&r, 512);
    for (u64 k = 0; k < 32; k++)
        check_host_wrote(r.check, b + 16 * k, 12, 0, NULL);
    const struct finding *f = finds(&r, "vector", a, b, FINDING_UNINIT_GLOBAL);
    assert_int_equal(f->address, b + 12);
    assert_int_equal(f->size, 4);
    assert_non_null(strstr(f->detail, "4 of the 16 bytes were never written"));
    is_silent(&r, "vector_copy", a, b); /* may be padding */
    for (u64 k = 0; k < 32; k++)
        check_host_wrote(r.check, b + 16 * k + 13, 1, 0, NULL);
    is_silent(&r, "vector", a, b); /* may be a struct in a vector */
    const u64 c = rig_alloc(&r, 512);
    finds(&r, "vector_copy", a, c, FINDING_UNINIT_GLOBAL);
    rig_close(&r);
}

/* ---- the host ---- */

static struct host_call a_call = {.api = "cudaMemcpy", .nframes = 1, .frames = {0x1234}};

static void test_copy_to_host(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 4096);
    check_host_read(r.check, a, 4096, 0, &a_call);
    const struct finding *f = rig_only(&r, FINDING_UNINIT_COPY);
    assert_string_equal(f->what, "4096 of the 4096 bytes copied to the host were never written");
    assert_string_equal(f->call.api, "cudaMemcpy");
    rig_forget(&r);
    check_host_wrote(r.check, a, 4092, 0, NULL);
    check_host_read(r.check, a, 4092, 0, &a_call);
    rig_none(&r);
    check_host_read(r.check, a + 8, 4088, 0, &a_call);
    f = rig_only(&r, FINDING_UNINIT_COPY);
    assert_string_equal(f->what, "4 of the 4088 bytes copied to the host were never written");
    assert_non_null(strstr(f->detail, "bytes 4084..4087 of the copy: from offset 4092 in the 4096-byte allocation #"));
    rig_forget(&r);
    check_filled(r.check, a + 4092, 4, 0, NULL);
    check_host_read(r.check, a, 4096, 0, &a_call);
    rig_none(&r);
    rig_close(&r);
}

static void test_padding_to_host(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 512), b = rig_alloc(&r, 512);
    is_silent(&r, "struct", a, 0);
    is_silent(&r, "gappy", b, 0);
    check_host_read(r.check, a, 512, 0, &a_call);
    check_host_read(r.check, b, 512, 0, &a_call);
    check_host_read(r.check, b, 16, 0, &a_call);
    rig_none(&r);
    const u64 c = rig_alloc(&r, 512);
    for (u64 k = 0; k < 64; k++) /* every other word from the first on: no padding is in front of a struct */
        check_host_wrote(r.check, c + 8 * k + 4, 4, 0, NULL);
    check_host_read(r.check, c, 512, 0, &a_call);
    rig_only(&r, FINDING_UNINIT_COPY);
    rig_close(&r);
}

/* The borders of a stencil's output. */
static void test_halo(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024), b = rig_alloc(&r, 4096);
    check_host_wrote(r.check, a + 16, 992, 0, NULL);
    check_host_read(r.check, a, 1024, 0, &a_call);
    for (u64 row = 1; row < 31; row++) /* 32 x 32 */
        check_host_wrote(r.check, b + 128 * row + 4, 120, 0, NULL);
    check_host_read(r.check, b, 4096, 0, &a_call);
    rig_none(&r);
    check_host_read(r.check, a + 4, 1020, 0, &a_call); /* unequal */
    rig_only(&r, FINDING_UNINIT_COPY);
    rig_close(&r);
}

/* Elements with a stride; but not the last column of a matrix, nor a block in the middle of many. */
static void test_lattice(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 4096), b = rig_alloc(&r, 4096), c = rig_alloc(&r, 4096);
    for (u64 k = 0; k < 32; k++)
        check_host_wrote(r.check, a + 128 * k, 8, 0, NULL);
    check_host_read(r.check, a, 4096, 0, &a_call);
    check_host_read(r.check, a, 128 * 31 + 8, 0, &a_call);
    check_host_read(r.check, a, 136, 0, &a_call);
    rig_none(&r);
    for (u64 k = 0; k < 32; k++)
        check_host_wrote(r.check, b + 128 * k, 124, 0, NULL);
    check_host_read(r.check, b, 4096, 0, &a_call);
    rig_only(&r, FINDING_UNINIT_COPY);
    rig_forget(&r);
    check_host_wrote(r.check, c, 1024, 0, NULL);
    check_host_wrote(r.check, c + 2048, 2048, 0, NULL);
    check_host_read(r.check, c, 4096, 0, &a_call);
    rig_only(&r, FINDING_UNINIT_COPY);
    rig_close(&r);
}

static void test_device_copies(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 256), b = rig_alloc(&r, 256), out = rig_alloc(&r, 256);
    check_host_wrote(r.check, a + 1, 77, 0, NULL);
    check_copied(r.check, b + 3, a, 100, 0, NULL);
    check_host_read(r.check, b + 4, 77, 0, &a_call);
    rig_none(&r);
    check_host_read(r.check, b + 4, 78, 0, &a_call);
    assert_string_equal(rig_only(&r, FINDING_UNINIT_COPY)->what,
                        "1 of the 78 bytes copied to the host were never written");
    rig_forget(&r);
    check_copied(r.check, b + 7, b + 3, 100, 0, NULL); /* overlapping */
    check_host_read(r.check, b + 8, 77, 0, &a_call);
    rig_none(&r);
    check_copied(r.check, b, a + 128, 128, 0, NULL); /* uninitialised again */
    finds(&r, "add", out, b, FINDING_UNINIT_GLOBAL);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global_read),     cmocka_unit_test(test_global_parts),
        cmocka_unit_test(test_global_patterns), cmocka_unit_test(test_global_atomic),
        cmocka_unit_test(test_freed_memory),    cmocka_unit_test(test_other_memory),
        cmocka_unit_test(test_device_heap),     cmocka_unit_test(test_managed),
        cmocka_unit_test(test_unseen),          cmocka_unit_test(test_shared),
        cmocka_unit_test(test_async),           cmocka_unit_test(test_local),
        cmocka_unit_test(test_registers),       cmocka_unit_test(test_halo),
        cmocka_unit_test(test_lattice),         cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_copy_to_host),    cmocka_unit_test(test_padding_to_host),
        cmocka_unit_test(test_device_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
