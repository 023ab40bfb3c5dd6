/* memcheck in kernels: each way in which an access is wrong is a finding of its kind, in the words of a sanitizer, at
 * its line, with its allocation and counts; the kernel goes on with the rest. The kernels are those of the engine's
 * faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/leakcheck/device_leaks.h"
#include "rig.h"

static void assert_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' has no '%s'", text, part);
}

static void open_faults(struct rig *r) { rig_open(r, "faults.ptx", CHECK_MEMCHECK, NULL); }

static const struct finding *run_one(struct rig *r, const char *kernel, u64 at, enum finding_kind kind)
{
    rig_forget(r);
    rig_run(r, &(struct run){.kernel = kernel, .grid = 1, .block = 1, .params = {at}});
    assert_int_equal(r->status, LS_OK);
    assert_int_equal(r->left_out, 1);
    return rig_only(r, kind);
}

struct bad {
    const char *kernel;
    i64 at; /* relative to an allocation of 64 bytes */
    enum finding_kind kind;
    const char *what, *address, *near;
};

static const struct bad bads[] = {
    {"write_word", 64, FINDING_OUT_OF_BOUNDS, "Invalid __global__ write of size 4 bytes", " is out of bounds",
     "0 bytes after the 64-byte allocation"},
    {"read_byte", -1, FINDING_OUT_OF_BOUNDS, "Invalid __global__ read of size 1 bytes", " is out of bounds",
     "1 byte before the 64-byte allocation"},
    {"read_vector", 8, FINDING_MISALIGNED, "Invalid __global__ read of size 16 bytes", " is misaligned",
     "8 bytes into the 64-byte allocation"},
    {"read_word", 2, FINDING_MISALIGNED, "Invalid __global__ read of size 4 bytes", " is misaligned",
     "2 bytes into the 64-byte allocation"},
    {"read_generic", 1 << 20, FINDING_OUT_OF_BOUNDS, "Invalid __global__ read of size 4 bytes", " is out of bounds",
     "after the 64-byte allocation"},
};

static void test_global(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    for (u32 k = 0; k < LS_ARRAY_LEN(bads); k++) {
        const struct bad *b = &bads[k];
        const struct finding *f = run_one(&r, b->kernel, base + (u64)b->at, b->kind);
        assert_string_equal(f->what, b->what);
        assert_text(f->detail, b->address);
        assert_text(f->detail, b->near);
        assert_true(f->has_address);
        assert_int_equal(f->address, base + (u64)b->at);
        assert_string_equal(f->at.kernel, b->kernel);
        assert_string_equal(f->at.ptx_file, "faults.ptx");
        assert_true(f->allocation != 0);
        assert_int_equal(f->count, 1);
        assert_int_equal(f->threads, 1);
    }
    rig_close(&r);
}

/* By byte: an access whose last byte is outside. */
static void test_straddles(void **state)
{
    struct rig r;
    u64 base;
    (void)state;
    open_faults(&r);
    assert_int_equal(mem_alloc(r.bench.device.mem, 62, 256, MEM_DEVICE, NULL, &base), LS_OK);
    const struct finding *f = run_one(&r, "write_word", base + 60, FINDING_OUT_OF_BOUNDS);
    assert_text(f->detail, "the last 2 bytes lie after the 62-byte allocation");
    rig_close(&r);
}

static void test_freed(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    assert_int_equal(mem_free(r.bench.device.mem, base), LS_OK);
    const struct finding *f = run_one(&r, "read_word", base + 8, FINDING_USE_AFTER_FREE);
    assert_text(f->detail, " is in freed memory\n8 bytes into the freed 64-byte allocation");
    rig_close(&r);
}

static void test_null_and_host(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    rig_alloc(&r, 64);
    const struct finding *f = run_one(&r, "write_word", 0, FINDING_NULL_POINTER);
    assert_string_equal(f->what, "Invalid __global__ write of size 4 bytes");
    assert_text(f->detail, "Address 0x0 is out of bounds\na null pointer");
    assert_int_equal(f->allocation, 0);
    run_one(&r, "read_word", 400, FINDING_NULL_POINTER);
    u32 *host = calloc(1, 64);
    assert_non_null(host);
    f = run_one(&r, "read_word", (u64)(uintptr_t)host, FINDING_HOST_POINTER);
    assert_text(f->detail, " is the host's");
    free(host);
    run_one(&r, "read_word", 0x1000000, FINDING_OUT_OF_BOUNDS); /* nobody's */
    rig_close(&r);
}

static void test_spaces(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const struct finding *f = run_one(&r, "shared_word", 64, FINDING_OUT_OF_BOUNDS);
    assert_string_equal(f->what, "Invalid __shared__ write of size 4 bytes");
    assert_text(f->detail, "Address 0x40 is out of bounds\n0 bytes after the 64-byte shared variable 'buf'");
    assert_int_equal(f->space, SPACE_SHARED);
    f = run_one(&r, "shared_vector", 60, FINDING_MISALIGNED);
    assert_string_equal(f->what, "Invalid __shared__ read of size 8 bytes");
    f = run_one(&r, "local_word", 64, FINDING_OUT_OF_BOUNDS);
    assert_string_equal(f->what, "Invalid __local__ write of size 4 bytes");
    f = run_one(&r, "write_const", 0, FINDING_READ_ONLY);
    assert_text(f->detail, "4 bytes into the 16-byte constant variable 'coef'");
    rig_close(&r);
}

/* ---- between the variables of shared memory ---- */

static const char tiles[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".extern .shared .align 16 .b8 rest[];\n"
                            ".visible .entry tiles(.param .u32 at, .param .u32 way)\n{\n"
                            ".reg .b32 %r<9>; .reg .pred %p<3>;\n"
                            ".shared .align 4 .b8 _ZZ5tilesjjE1a[512];\n.shared .align 4 .b8 _ZZ5tilesjjE1b_0[512];\n"
                            "ld.param.u32 %r1, [at]; ld.param.u32 %r2, [way];\n"
                            "mov.u32 %r3, %tid.x;\n"
                            "mul.lo.u32 %r3, %r3, 4;\n"
                            "add.u32 %r3, %r3, %r1;\n"
                            "mov.u32 %r4, _ZZ5tilesjjE1a; mov.u32 %r5, _ZZ5tilesjjE1b_0; mov.u32 %r6, rest;\n"
                            "setp.eq.u32 %p1, %r2, 1;\n setp.eq.u32 %p2, %r2, 2;\n"
                            "selp.u32 %r7, %r5, %r4, %p1;\n selp.u32 %r7, %r6, %r7, %p2;\n"
                            "add.u32 %r7, %r7, %r3;\n"
                            "st.shared.u32 [%r7], %r3;\n ld.shared.u32 %r8, [%r7];\n ret;\n}\n";

static void open_tiles(struct rig *r)
{
    struct diag_list diags;
    struct ptx_module *ptx = NULL;
    rig_open(r, tiles, CHECK_MEMCHECK, NULL);
    exec_module_free(r->bench.module);
    r->bench.device.shared_gap = 1024; /* before the module is loaded */
    diag_init(&diags);
    assert_int_equal(ptx_parse(tiles, strlen(tiles), "tiles.ptx", &ptx, &diags), LS_OK);
    assert_int_equal(exec_module_load(&r->bench.device, &ptx, 1, &r->bench.module, &diags), LS_OK);
    diag_free(&diags);
}

static void test_gaps(void **state)
{
    static const struct {
        u32 way;
        const char *near;
    } ways[] = {{0, "0 bytes after the 512-byte shared variable 'a'"},
                {1, "0 bytes after the 512-byte shared variable 'b'"},
                {2, "0 bytes after the 768-byte dynamic shared memory 'rest'"}};
    struct rig r;
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(ways); k++) {
        const u64 bytes = k == 2 ? 768 : 512;
        struct run what = {
            .kernel = "tiles", .grid = 2, .block = 128, .dynamic_shared = 768, .params = {bytes - 512, ways[k].way}};
        open_tiles(&r);
        rig_run(&r, &what);
        rig_none(&r);
        what.params[0] += 16; /* the last four threads of each block are outside */
        rig_run(&r, &what);
        assert_int_equal(r.nfound, 2);
        assert_string_equal(r.found[0].what, "Invalid __shared__ write of size 4 bytes");
        assert_string_equal(r.found[1].what, "Invalid __shared__ read of size 4 bytes");
        assert_text(r.found[0].detail, ways[k].near);
        assert_int_equal(r.found[0].count, 8);
        assert_int_equal(r.found[0].threads, 8);
        assert_int_equal(r.found[0].at.thread[0], 124);
        assert_int_equal(r.left_out, k == 2 ? 16 : 0); /* what lies in a gap is done */
        rig_close(&r);
    }
}

static void test_before_shared(void **state)
{
    struct rig r;
    (void)state;
    open_tiles(&r);
    rig_run(&r, &(struct run){.kernel = "tiles", .grid = 1, .block = 1, .params = {(u32)-4, 0}});
    assert_int_equal(r.nfound, 2);
    assert_text(r.found[0].detail, "4 bytes before the block's shared memory");
    rig_close(&r);
}

/* atom and the st behind it: two places, the first found first. */
static void test_atomic(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    rig_run(&r, &(struct run){.kernel = "add_word", .grid = 1, .block = 1, .params = {base + 64}});
    assert_int_equal(r.nfound, 2);
    assert_string_equal(r.found[0].what, "Invalid __global__ atomic of size 4 bytes");
    assert_int_equal(r.found[0].at.does, DOES_ATOMIC);
    assert_string_equal(r.found[1].what, "Invalid __global__ write of size 4 bytes");
    rig_close(&r);
}

/* Every thread of every block, at one place; the first thread is described, all are counted, one block and one thread.
 */
static void test_counts(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    rig_run(&r, &(struct run){.kernel = "write_word", .grid = 5, .block = 100, .params = {base + 64}});
    const struct finding *f = rig_only(&r, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(f->count, 500);
    assert_int_equal(f->threads, 500);
    assert_int_equal(f->at.block[0], 0);
    assert_int_equal(f->at.thread[0], 0);
    assert_int_equal(r.left_out, 500);
    rig_forget(&r);
    rig_run(
        &r,
        &(struct run){
            .kernel = "one_thread", .grid = 3, .grid_y = 2, .block = 40, .block_y = 2, .params = {base, 2, 1, 35, 1}});
    f = rig_only(&r, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->at.block[0], 2);
    assert_int_equal(f->at.block[1], 1);
    assert_int_equal(f->at.thread[0], 35);
    assert_int_equal(f->at.thread[1], 1);
    assert_string_equal(f->at.file, "faults.cu");
    assert_int_equal(f->at.line, 42);
    assert_int_equal(f->at.column, 9);
    rig_close(&r);
}

/* A thread that does it again is one thread. */
static const char loop[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry loop(.param .u64 at)\n{\n"
                           ".reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
                           "ld.param.u64 %rd1, [at];\n mov.u32 %r1, 0;\n"
                           "again:\n st.global.u32 [%rd1], %r1;\n add.u32 %r1, %r1, 1;\n"
                           "setp.lt.u32 %p1, %r1, 10;\n @%p1 bra again;\n ret;\n}\n";

static void test_threads_and_limit(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, loop, CHECK_MEMCHECK, NULL);
    rig_run(&r, &(struct run){.kernel = "loop", .grid = 2, .block = 64, .params = {16}});
    const struct finding *f = rig_only(&r, FINDING_NULL_POINTER);
    assert_int_equal(f->count, 2 * 64 * 10);
    assert_int_equal(f->threads, 2 * 64);
    rig_close(&r);

    rig_open(&r, loop, CHECK_MEMCHECK, &(struct check_options){.most_faults = 7});
    rig_run(&r, &(struct run){.kernel = "loop", .grid = 2, .block = 64, .params = {16}});
    assert_int_equal(r.status, LS_ERR_FAULT);
    assert_int_equal(r.left_out, 7);
    f = rig_only(&r, FINDING_NULL_POINTER);
    assert_int_equal(f->count, 8); /* the one that ended the kernel too, once */
    rig_close(&r);
}

/* Without memcheck the first one ends the kernel, and is told all the same. */
static void test_other_tools(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, loop, CHECK_SYNCCHECK, NULL);
    rig_run(&r, &(struct run){.kernel = "loop", .grid = 2, .block = 64, .params = {16}});
    assert_int_equal(r.status, LS_ERR_FAULT);
    const struct finding *f = rig_only(&r, FINDING_NULL_POINTER);
    assert_string_equal(f->what, "Invalid __global__ write of size 4 bytes");
    rig_close(&r);
}

static void test_workers(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    rig_run(&r, &(struct run){.kernel = "write_word", .grid = 500, .block = 32, .workers = 4, .params = {base + 64}});
    const struct finding *f = rig_only(&r, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(f->count, 500 * 32);
    assert_int_equal(f->threads, 500 * 32);
    rig_close(&r);
}

/* A correct kernel finds nothing, and a second launch of a wrong one adds to the first's counts. */
static void test_clean_and_again(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const u64 base = rig_alloc(&r, 64);
    rig_run(&r, &(struct run){.kernel = "write_word", .grid = 4, .block = 64, .params = {base + 60}});
    rig_none(&r);
    for (int k = 0; k < 2; k++)
        rig_run(&r, &(struct run){.kernel = "write_word", .grid = 1, .block = 64, .params = {base + 64}});
    assert_int_equal(rig_only(&r, FINDING_OUT_OF_BOUNDS)->count, 128);
    assert_int_equal(rig_only(&r, FINDING_OUT_OF_BOUNDS)->launch, 2);
    rig_close(&r);
}

/* ---- what ends a kernel ---- */

static const struct finding *end_by(struct rig *r, const char *kernel, u64 param, u32 threads, enum finding_kind kind)
{
    rig_forget(r);
    rig_run(r, &(struct run){.kernel = kernel, .grid = 1, .block = threads, .params = {param}});
    assert_int_not_equal(r->status, LS_OK);
    return rig_only(r, kind);
}

static void test_final(void **state)
{
    struct rig r;
    (void)state;
    open_faults(&r);
    const struct finding *f = end_by(&r, "trap_odd", 0, 32, FINDING_DEVICE_FAULT);
    assert_string_equal(f->what, "The kernel was ended by a fault: trap");
    assert_int_equal(f->at.thread[0], 1);
    f = end_by(&r, "trap_in_function", 0, 32, FINDING_DEVICE_FAULT);
    assert_string_equal(f->at.function, "deep_trap");
    assert_string_equal(f->at.kernel, "trap_in_function");
    f = end_by(&r, "assert_in_kernel", 0, 32, FINDING_DEVICE_ASSERT);
    assert_text(f->detail, "x > 0");
    end_by(&r, "endless_recursion", 0, 32, FINDING_STACK_OVERFLOW);
    f = end_by(&r, "barrier_number", 16, 32, FINDING_BARRIER_INVALID);
    assert_text(f->detail, "barrier numbers go from 0 to 15");
    end_by(&r, "barrier_count", 33, 64, FINDING_BARRIER_COUNT);
    end_by(&r, "call_nowhere", 12345, 32, FINDING_DEVICE_FAULT);
    rig_close(&r);
}

/* ---- the device heap ---- */

static const char heap[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                           ".extern .func free(.param .b64 p);\n"
                           ".visible .entry take(.param .u64 n, .param .u64 frees, .param .u64 add)\n{\n"
                           ".reg .b64 %rd<5>; .reg .pred %p<3>;\n"
                           "ld.param.u64 %rd1, [n]; ld.param.u64 %rd2, [frees]; ld.param.u64 %rd4, [add];\n"
                           "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd1;\n"
                           "call (r), malloc, (a);\n" /* line 11 */
                           "ld.param.b64 %rd3, [r]; }\n"
                           "add.u64 %rd3, %rd3, %rd4;\n"
                           "again:\n setp.eq.u64 %p1, %rd2, 0;\n @%p1 bra done;\n"
                           "{ .param .b64 a; st.param.b64 [a], %rd3;\n"
                           "call free, (a); }\n" /* line 18 */
                           "sub.u64 %rd2, %rd2, 1;\n bra again;\n"
                           "done:\n ret;\n}\n";

static void take(struct rig *r, u32 threads, u64 bytes, u64 frees, u64 add)
{
    rig_run(r, &(struct run){.kernel = "take", .grid = 1, .block = threads, .params = {bytes, frees, add}});
    assert_int_equal(r->status, LS_OK);
}

static void test_heap_frees(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, heap, CHECK_MEMCHECK, NULL);
    take(&r, 64, 48, 1, 0);
    leakcheck_heap_leaks(r.check);
    rig_none(&r);
    take(&r, 2, 48, 2, 0);
    const struct finding *f = rig_only(&r, FINDING_DEVICE_DOUBLE_FREE);
    assert_string_equal(f->what, "Malloc/Free error encountered : Double free");
    assert_int_equal(f->count, 2);
    assert_int_equal(f->at.ptx_line, 18);
    rig_forget(&r);
    take(&r, 1, 48, 1, 16);
    f = rig_only(&r, FINDING_DEVICE_INVALID_FREE);
    assert_string_equal(f->what, "Malloc/Free error encountered : Invalid pointer to free");
    assert_text(f->detail, "16 bytes into the 48-byte allocation");
    rig_close(&r);
}

static void test_heap_leaks(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, heap, CHECK_MEMCHECK, NULL);
    take(&r, 40, 48, 0, 0);
    take(&r, 40, 48, 0, 0);
    rig_none(&r);
    leakcheck_heap_leaks(r.check);
    const struct finding *f = rig_only(&r, FINDING_HEAP_LEAK);
    assert_int_equal(f->count, 80);
    assert_text(f->what, "Leaked 48 bytes at 0x");
    assert_text(f->what, " on the device heap");
    assert_text(f->detail, "80 allocations of this malloc, 3840 bytes in all");
    assert_int_equal(f->at.ptx_line, 11);
    assert_string_equal(f->at.kernel, "take");
    assert_int_equal(f->at.thread[0], 0);
    rig_close(&r);
}

static void test_heap_exhausted(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, heap, CHECK_MEMCHECK, NULL);
    take(&r, 3, 1ull << 40, 0, 0);
    const struct finding *f = rig_only(&r, FINDING_HEAP_EXHAUSTED);
    assert_int_equal(f->severity, SEVERITY_WARNING);
    assert_int_equal(f->count, 3);
    assert_text(f->detail, "malloc of 1099511627776 bytes failed; the device heap has 8388608 bytes");
    rig_forget(&r);
    take(&r, 3, 0, 0, 0); /* nothing was asked for */
    rig_none(&r);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global),          cmocka_unit_test(test_straddles),
        cmocka_unit_test(test_freed),           cmocka_unit_test(test_null_and_host),
        cmocka_unit_test(test_spaces),          cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_before_shared),   cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_counts),          cmocka_unit_test(test_threads_and_limit),
        cmocka_unit_test(test_other_tools),     cmocka_unit_test(test_workers),
        cmocka_unit_test(test_clean_and_again), cmocka_unit_test(test_final),
        cmocka_unit_test(test_heap_frees),      cmocka_unit_test(test_heap_leaks),
        cmocka_unit_test(test_heap_exhausted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
