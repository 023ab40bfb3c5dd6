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

/* a[i] = b[i] + 1 and kin; i: the thread's number. */
static const char kernels[] = HEAD ".global .align 4 .b32 module_variable[32];\n" ENTRY(
    "add") "ld.global.u32 %r2, [%d5];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
    ENTRY("copy") "ld.global.u32 %r2, [%d5];\nst.global.u32 [%d4], %r2;\n" END
        ENTRY("first") "ld.global.u32 %r2, [%d2];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END ENTRY(
            "fill") "st.global.u32 [%d4], %r1;\n" END
            ENTRY("half") "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.global.u32 [%d4], %r1;\n" END ENTRY(
                "odd") "mul.wide.u32 %d6, %r1, 36;\nadd.u64 %d6, %d2, %d6;\nld.global.u32 %r2, [%d6];\n"
                       "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END ENTRY(
                           "bytes") "cvt.u64.u32 %d6, %r1;\nadd.u64 %d6, %d1, %d6;\ncvt.u16.u32 %h1, "
                                    "%r1;\nst.global.u8 [%d6], %h1;\n" END
                                        ENTRY("count") "atom.global.add.u32 %r2, [%d1], 1;\n" END ENTRY(
                                            "vector") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d6, %d2, %d6;\n"
                                                      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d6];\nadd.u32 %r2, "
                                                      "%r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
                                                      "add.u32 %r2, %r2, %r5;\nst.global.u32 [%d4], %r2;\n" END ENTRY(
                                                          "vector_copy") "mul.wide.u32 %d6, %r1, 16;\nadd.u64 %d7, "
                                                                         "%d2, %d6;\nadd.u64 %d8, %d1, %d6;\n"
                                                                         "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, "
                                                                         "[%d7];\nst.global.v4.u32 [%d8], {%r2, %r3, "
                                                                         "%r4, %r5};\n" END
                                                                             ENTRY("struct") "mul.wide.u32 %d6, %r1, "
                                                                                             "16;\nadd.u64 %d6, %d1, "
                                                                                             "%d6;\ncvt.u16.u32 %h1, "
                                                                                             "%r1;\n" /* char, int, 8
                                                                                                         bytes */
                                                                                             "st.global.u8 [%d6], "
                                                                                             "%h1;\nst.global.u32 "
                                                                                             "[%d6+4], "
                                                                                             "%r1;\nst.global.u64 "
                                                                                             "[%d6+8], %d3;\n" END ENTRY(
                                                                                                 "gappy") "mul.wide."
                                                                                                          "u32 %d6, "
                                                                                                          "%r1, "
                                                                                                          "16;\nadd."
                                                                                                          "u64 %d6, "
                                                                                                          "%d1, %d6;\n" /* 4 bytes, 4 of padding, 8 bytes */
                                                                                                          "st.global."
                                                                                                          "u32 [%d6], "
                                                                                                          "%r1;\nst."
                                                                                                          "global.u64 "
                                                                                                          "[%d6+8], "
                                                                                                          "%d3;\n" END ENTRY(
                                                                                                              "variabl"
                                                                                                              "e") "mov"
                                                                                                                   ".u6"
                                                                                                                   "4 "
                                                                                                                   "%d6"
                                                                                                                   ", "
                                                                                                                   "mod"
                                                                                                                   "ule"
                                                                                                                   "_va"
                                                                                                                   "ria"
                                                                                                                   "ble"
                                                                                                                   ";\n"
                                                                                                                   "add"
                                                                                                                   ".u6"
                                                                                                                   "4 "
                                                                                                                   "%d6"
                                                                                                                   ", "
                                                                                                                   "%d6"
                                                                                                                   ", "
                                                                                                                   "%d3"
                                                                                                                   ";\n"
                                                                                                                   "ld."
                                                                                                                   "glo"
                                                                                                                   "bal"
                                                                                                                   ".u3"
                                                                                                                   "2 "
                                                                                                                   "%r2"
                                                                                                                   ", "
                                                                                                                   "[%"
                                                                                                                   "d6]"
                                                                                                                   ";\n"
                                                                                                                   "add"
                                                                                                                   ".u3"
                                                                                                                   "2 "
                                                                                                                   "%r2"
                                                                                                                   ", "
                                                                                                                   "%r2"
                                                                                                                   ", "
                                                                                                                   "1;"
                                                                                                                   "\ns"
                                                                                                                   "t."
                                                                                                                   "glo"
                                                                                                                   "bal"
                                                                                                                   ".u3"
                                                                                                                   "2 "
                                                                                                                   "[%"
                                                                                                                   "d4]"
                                                                                                                   ", "
                                                                                                                   "%r2"
                                                                                                                   ";"
                                                                                                                   "\n" END ENTRY(
                                                                                                                       "heap") "{\n.param .b64 p0;\n.param .b64 r0;\nmov.u64 %d6, 64;\nst.param.b64 [p0], %d6;\n"
                                                                                                                               "call.uni (r0), malloc, (p0);\nld.param.b64 %d7, [r0];\n}\nst.u32 [%d7], %r1;\nld.u32 %r2, [%d7+60];\n"
                                                                                                                               "add.u32 %r2, %r2, 1;\nst.global.u32 [%d4], %r2;\n" END
                                                                                                                               "";

/* The heap kernel needs the prototype in front. */
static char text[16384];

static void open_rig(struct rig *r)
{
    snprintf(text, sizeof text, "%s.extern .func (.param .b64 r) malloc(.param .b64 n);\n%s", HEAD,
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
        cmocka_unit_test(test_vectors),         cmocka_unit_test(test_copy_to_host),
        cmocka_unit_test(test_padding_to_host), cmocka_unit_test(test_device_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
