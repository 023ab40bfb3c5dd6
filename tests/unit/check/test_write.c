/* writecheck: what no thread wrote and what two threads wrote, when the host copies it; and what of normal programs
 * must not be taken for either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check/core/allocations.h"
#include "rig.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* %r1: the thread's number in the grid, %d4 = a + 4 * %r1. */
#define ENTRY(name)                                                                                                    \
    ".visible .entry " name "(.param .u64 a, .param .u64 n)\n{\n"                                                      \
    ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .b64 %d<19>;\n.reg .b16 %h<9>;\n"                                      \
    "ld.param.u64 %d1, [a];\nld.param.u32 %r9, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"                   \
    "mov.u32 %r3, %ntid.x;\nmov.u32 %r8, %r1;\nmad.lo.u32 %r1, %r2, %r3, %r1;\nmul.wide.u32 %d3, %r1, 4;\n"            \
    "add.u64 %d4, %d1, %d3;\nsetp.lt.u32 %p1, %r1, %r9;\n"
#define END "ret;\n}\n"

/* clang-format off */
static const char kernels[] = HEAD
    ENTRY("fill") "@%p1 st.global.u32 [%d4], %r1;\n" END
    ENTRY("add") "ld.global.u32 %r4, [%d4];\nadd.u32 %r4, %r4, 1;\n@%p1 st.global.u32 [%d4], %r4;\n" END
    ENTRY("count") "red.global.add.u32 [%d1], 1;\n" END
    ENTRY("queue") "atom.global.add.u32 %r4, [%d1], 1;\n@%p1 st.global.u32 [%d4+4], %r4;\n" END
    ENTRY("block") "mul.wide.u32 %d3, %r8, 4;\nadd.u64 %d4, %d1, %d3;\nst.global.u32 [%d4], %r1;\n" END /* by thread */
    ENTRY("same") "mul.wide.u32 %d3, %r8, 4;\nadd.u64 %d4, %d1, %d3;\nst.global.u32 [%d4], %r8;\n" END
    ENTRY("fenced") "membar.gl;\nst.global.u32 [%d1], %r1;\n" END
    ENTRY("first") "mul.wide.u32 %d3, %r2, 4;\nadd.u64 %d4, %d1, %d3;\nst.global.u32 [%d4], %r8;\n" END /* by block */
    ENTRY("rounds") "xor.b32 %r4, %r8, 1;\nmul.wide.u32 %d3, %r8, 4;\nadd.u64 %d5, %d1, %d3;\nmul.wide.u32 %d3, %r4, 4;\n"
                    "add.u64 %d6, %d1, %d3;\nst.global.u32 [%d5], %r8;\nbar.sync 0;\nst.global.u32 [%d6], %r8;\n" END
    ENTRY("bytes") "cvt.u64.u32 %d3, %r1;\nadd.u64 %d4, %d1, %d3;\ncvt.u16.u32 %h1, %r1;\n"
                   "@%p1 st.global.u8 [%d4], %h1;\n" END
    ENTRY("bytes_twice") "cvt.u64.u32 %d3, %r8;\nadd.u64 %d4, %d1, %d3;\ncvt.u16.u32 %h1, %r1;\n"
                         "st.global.u8 [%d4], %h1;\n" END
    ENTRY("struct") "mul.wide.u32 %d3, %r1, 16;\nadd.u64 %d4, %d1, %d3;\n" /* 4 bytes, 4 of padding, 8 bytes */
                    "@%p1 st.global.u32 [%d4], %r1;\n@%p1 st.global.u64 [%d4+8], %d3;\n" END
    ENTRY("columns") "rem.u32 %r4, %r1, 16;\nsetp.ne.u32 %p2, %r4, 15;\n@%p2 st.global.u32 [%d4], %r1;\n" END
    ENTRY("tile") "shr.u32 %r4, %r1, 6;\nand.b32 %r5, %r1, 63;\nmul.wide.u32 %d5, %r4, 512;\nmul.wide.u32 %d6, %r5, 4;\n"
                  "add.u64 %d5, %d5, %d6;\nadd.u64 %d5, %d1, %d5;\nst.global.u32 [%d5], %r1;\n" END /* 64 words a row */
    "";
/* clang-format on */

static const struct host_call a_call = {.api = "cudaMemcpy", .nframes = 1, .frames = {0x1234}};

static void open_rig(struct rig *r) { rig_open(r, kernels, CHECK_WRITECHECK, NULL); }

/* 4 blocks of 64 threads; those below n do something. */
static void run(struct rig *r, const char *kernel, u64 a, u64 n)
{
    rig_run(r, &(struct run){.kernel = kernel, .grid = 4, .block = 64, .params = {a, n}});
    assert_int_equal(r->status, LS_OK);
}

static void read_all(struct rig *r, u64 a, u64 n) { check_host_read(r->check, a, n, 0, &a_call); }

/* ---- unwritten ---- */

static void test_tail(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024);
    run(&r, "fill", a, 250);
    rig_none(&r);
    read_all(&r, a, 1000);
    rig_none(&r);
    read_all(&r, a, 1024);
    const struct finding *f = rig_only(&r, FINDING_UNWRITTEN);
    assert_string_equal(f->what, "24 of the 1024 bytes copied to the host were written by no thread");
    assert_non_null(
        strstr(f->detail, "bytes 1000..1023 (the last 6 elements of 4 bytes) of the 1024-byte allocation #"));
    assert_string_equal(f->at.kernel, "fill");
    assert_int_equal(f->launch, 1);
    assert_int_equal(f->address, a + 1000);
    assert_string_equal(f->call.api, "cudaMemcpy");
    read_all(&r, a, 1024); /* said once a launch */
    assert_int_equal(rig_only(&r, FINDING_UNWRITTEN)->count, 1);
    rig_close(&r);
}

/* One element is missing; from in between; bytes. */
static void test_small_gaps(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024), b = rig_alloc(&r, 256), c = rig_alloc(&r, 1024);
    run(&r, "fill", a, 255);
    read_all(&r, a, 1024);
    assert_non_null(strstr(rig_only(&r, FINDING_UNWRITTEN)->detail, "bytes 1020..1023 (the last element of 4 bytes)"));
    rig_forget(&r);
    run(&r, "bytes", b, 253);
    read_all(&r, b, 253);
    rig_none(&r);
    read_all(&r, b, 256);
    assert_non_null(strstr(rig_only(&r, FINDING_UNWRITTEN)->detail, "bytes 253..255 of the 256-byte"));
    rig_forget(&r);
    run(&r, "columns", c, 0); /* 16 x 16 without the last column */
    read_all(&r, c, 1024);
    assert_non_null(strstr(rig_only(&r, FINDING_UNWRITTEN)->detail,
                           "bytes 60..63 (an element of 4 bytes), and 15 more gaps of the 1024-byte"));
    rig_close(&r);
}

/* Something else produced the rest. */
static void test_produced(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024), b = rig_alloc(&r, 1024), c = rig_alloc(&r, 1024), d = rig_alloc(&r, 1024);
    check_host_wrote(r.check, a, 1024, 0, NULL);
    run(&r, "fill", a, 250);
    read_all(&r, a, 1024);
    run(&r, "fill", b, 256);
    run(&r, "fill", b, 100);
    read_all(&r, b, 1024);
    memset((void *)(uintptr_t)c, 0, 1024);
    check_filled(r.check, c, 1024, 0, NULL);
    run(&r, "fill", c, 100);
    read_all(&r, c, 1024);
    check_copied(r.check, d, a, 1024, 0, NULL);
    run(&r, "fill", d, 100);
    read_all(&r, d, 1024);
    rig_none(&r);
    /* parts by several launches, the last one's is the first */
    const u64 e = rig_alloc(&r, 1024);
    rig_run(&r, &(struct run){.kernel = "fill", .grid = 2, .block = 64, .params = {e + 512, 128}});
    rig_run(&r, &(struct run){.kernel = "fill", .grid = 2, .block = 64, .params = {e, 128}});
    read_all(&r, e, 1024);
    rig_none(&r);
    rig_close(&r);
}

static void test_poison(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024);
    run(&r, "fill", a, 256);
    memset((void *)(uintptr_t)a, 0xa5, 1024);
    check_filled(r.check, a, 1024, 0, NULL);
    run(&r, "fill", a, 192);
    read_all(&r, a, 1024);
    assert_non_null(
        strstr(rig_only(&r, FINDING_UNWRITTEN)->detail, "bytes 768..1023 (the last 64 elements of 4 bytes)"));
    rig_close(&r);
}

/* No outputs: in place, atomics, queues; and what was not touched by the launch. */
static void test_no_outputs(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 2048), b = rig_alloc(&r, 1024);
    run(&r, "add", a, 100);
    read_all(&r, a, 2048);
    run(&r, "count", a, 100);
    read_all(&r, a, 2048);
    run(&r, "queue", a, 100);
    read_all(&r, a, 2048);
    read_all(&r, b, 1024);
    const u64 c = rig_alloc(&r, 1024);
    run(&r, "first", c, 0); /* results in its first words, which alone are copied */
    rig_forget(&r);
    read_all(&r, c + 16, 1008); /* none of what it wrote */
    rig_none(&r);
    rig_close(&r);
}

static void test_padding(void **state)
{
    struct rig r;
    struct mem_block m;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 4096), b = rig_alloc(&r, 4 * 512);
    run(&r, "struct", a, 256);
    read_all(&r, a, 4096);
    read_all(&r, a, 16);
    rig_none(&r);
    run(&r, "tile", b, 0);
    assert_true(mem_nearest(r.bench.device.mem, b, &m));
    const struct host_call made = {.api = "cudaMallocPitch", .nframes = 1, .frames = {0x77}};
    allocations_put_made(check_allocations(r.check), m.serial, &made);
    read_all(&r, b, 4 * 512);
    rig_none(&r);
    const u64 c = rig_alloc(&r, 4 * 512);
    run(&r, "tile", c, 0);
    for (u64 row = 0; row < 4; row++) /* as cudaMemcpy2D asks */
        read_all(&r, c + 512 * row, 256);
    rig_none(&r);
    read_all(&r, c, 4 * 512);
    rig_only(&r, FINDING_UNWRITTEN);
    rig_close(&r);
}

/* What a launch that is not checked did is not known. */
static void test_unseen(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024);
    check_unseen(r.check);
    const u64 b = rig_alloc(&r, 1024);
    run(&r, "fill", a, 250);
    read_all(&r, a, 1024);
    rig_none(&r);
    run(&r, "fill", b, 250);
    read_all(&r, b, 1024);
    rig_only(&r, FINDING_UNWRITTEN);
    rig_close(&r);
}

/* ---- twice ---- */

static void test_twice(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 256);
    run(&r, "block", a, 0);
    rig_none(&r);
    read_all(&r, a, 256);
    const struct finding *f = rig_only(&r, FINDING_WRITTEN_TWICE);
    assert_true(f->has_other && f->at.has_thread && f->other.has_thread);
    assert_int_equal(f->address, a);
    assert_int_equal(f->at.block[0], 1);
    assert_int_equal(f->at.thread[0], 0);
    assert_int_equal(f->other.block[0], 0);
    assert_int_equal(f->other.thread[0], 0);
    assert_int_equal(f->at.value[0], 64);
    assert_int_equal(f->other.value[0], 0);
    assert_int_equal(f->at.value_bytes, 4);
    assert_int_equal(f->count, 3 * 64);
    rig_close(&r);
}

static void test_twice_in_block(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 16), b = rig_alloc(&r, 256);
    run(&r, "first", a, 0);
    read_all(&r, a, 16);
    const struct finding *f = rig_only(&r, FINDING_WRITTEN_TWICE);
    assert_int_equal(f->at.block[0], f->other.block[0]);
    assert_int_equal(f->at.thread[0], 1);
    assert_int_equal(f->other.thread[0], 0);
    rig_forget(&r);
    rig_run(&r, &(struct run){.kernel = "rounds", .grid = 1, .block = 64, .params = {b}}); /* a barrier in between */
    read_all(&r, b, 256);
    rig_none(&r);
    rig_close(&r);
}

static void test_twice_silent(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 256), b = rig_alloc(&r, 256), c = rig_alloc(&r, 1024);
    run(&r, "same", a, 0);
    read_all(&r, a, 256);
    run(&r, "fenced", b, 0);
    rig_forget(&r);
    read_all(&r, b, 4);
    run(&r, "fill", c, 256);
    run(&r, "fill", c, 256); /* two launches */
    read_all(&r, c, 1024);
    rig_none(&r);
    rig_close(&r);
}

static void test_twice_bytes(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 64);
    run(&r, "bytes_twice", a, 0);
    read_all(&r, a, 64);
    const struct finding *f = rig_only(&r, FINDING_WRITTEN_TWICE);
    assert_int_equal(f->size, 1);
    assert_false(f->other.has_thread);
    rig_close(&r);
}

/* Tags come back after 63 launches: what was written under one is not taken for written now. */
static void test_many_launches(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u64 a = rig_alloc(&r, 1024), b = rig_alloc(&r, 1024);
    for (u32 k = 0; k < 150; k++) {
        run(&r, "fill", a, k < 149 ? 256 : 10);
        read_all(&r, a, 1024);
    }
    rig_none(&r);
    run(&r, "fill", b, 10); /* 63 launches after its neighbour */
    for (u32 k = 0; k < 62; k++)
        run(&r, "fill", a, 256);
    memset((void *)(uintptr_t)b, 0xa5, 1024);
    check_filled(r.check, b, 1024, 0, NULL);
    run(&r, "fill", b, 256);
    read_all(&r, b, 1024);
    rig_none(&r);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail),         cmocka_unit_test(test_small_gaps),  cmocka_unit_test(test_produced),
        cmocka_unit_test(test_poison),       cmocka_unit_test(test_no_outputs),  cmocka_unit_test(test_padding),
        cmocka_unit_test(test_unseen),       cmocka_unit_test(test_twice),       cmocka_unit_test(test_twice_in_block),
        cmocka_unit_test(test_twice_silent), cmocka_unit_test(test_twice_bytes), cmocka_unit_test(test_many_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
