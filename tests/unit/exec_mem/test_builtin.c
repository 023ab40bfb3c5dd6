/* test_builtin.c - the built-in device functions: printf against the host's, the heap, assertions, bad pointers; and
 * the text of faults. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "fixture.h"

enum { STRIDE = 48, RET = 8 };

/* A call of one lane (5, so that nothing works by being 0), with arguments at 8-byte offsets. */
struct call {
    struct fx f;
    u64 block; /* 4 KiB of device memory: format, strings, argument buffer */
    u64 used;
    u8 args[IR_LANES * STRIDE], rets[IR_LANES * RET];
};

enum { LANE = 5 };

static void begin(struct call *k)
{
    memset(k, 0, sizeof *k);
    fx_init(&k->f);
    assert_int_equal(mem_alloc(k->f.m, 4096, 0, MEM_DEVICE, NULL, &k->block), LS_OK);
    memset((void *)(uintptr_t)k->block, 0xAA, 4096);
}

static bool call(struct call *k, const char *name, u32 mask)
{
    struct builtin_call c = {&k->f.w, k->f.code, mask, k->args, STRIDE, k->rets, RET};
    const int id = builtin_find(name);
    assert_true(id >= 0);
    return builtin_run(id, &c);
}

static void set_arg(struct call *k, unsigned lane, unsigned at, u64 v) { memcpy(k->args + lane * STRIDE + at, &v, 8); }
static u64 ret64(const struct call *k, unsigned lane)
{
    u64 v;
    memcpy(&v, k->rets + lane * RET, 8);
    return v;
}

static u64 put(struct call *k, const void *bytes, u64 n, u64 align)
{
    k->used = ls_align_up(k->used, align);
    const u64 at = k->block + k->used;
    memcpy((void *)(uintptr_t)at, bytes, n);
    k->used += n;
    return at;
}

static u64 put_string(struct call *k, const char *s) { return put(k, s, strlen(s) + 1, 1); }

/* ---- printf ---- */

/* The argument buffer that a compiler would make: 'i' int, 'l' long long, 'd' double, 's' string, 'p' pointer. */
static u64 put_args(struct call *k, const char *types, va_list args)
{
    u8 buffer[256];
    u64 n = 0;
    for (; *types; types++) {
        const u64 size = *types == 'i' ? 4 : 8;
        u64 v = 0;
        n = ls_align_up(n, size);
        if (*types == 'i') {
            v = (u32)va_arg(args, int);
        } else if (*types == 'd') {
            const double d = va_arg(args, double);
            memcpy(&v, &d, 8);
        } else if (*types == 's') {
            const char *s = va_arg(args, const char *);
            v = s ? put_string(k, s) : 0;
        } else {
            v = va_arg(args, u64);
        }
        memcpy(buffer + n, &v, size);
        n += size;
    }
    return put(k, buffer, n, 8);
}

/* Prints on the device, and checks text and result. */
static void expect(const char *want, int count, const char *format, const char *types, ...)
{
    static struct call k;
    va_list args;
    begin(&k);
    va_start(args, types);
    set_arg(&k, LANE, 0, put_string(&k, format));
    set_arg(&k, LANE, 8, put_args(&k, types, args));
    va_end(args);
    assert_true(call(&k, "vprintf", 1u << LANE));
    assert_string_equal(k.f.printed ? k.f.printed : "", want);
    assert_int_equal((i32)ret64(&k, LANE), count);
    fx_free(&k.f);
}

#define SAME(format, types, ...)                                                                                       \
    do {                                                                                                               \
        char want_[1024];                                                                                              \
        snprintf(want_, sizeof want_, format, __VA_ARGS__);                                                            \
        expect(want_, (int)strlen(types), format, types, __VA_ARGS__);                                                 \
    } while (0)

static void test_printf_integers(void **state)
{
    (void)state;
    SAME("%d %i %u %o %x %X\n", "iiiiii", -5, 7, 4000000000u, 8, 0xbeef, 0xBEEF);
    SAME("[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%#o]", "iiiiiii", 42, 42, 42, 42, 42, 42, 42);
    SAME("%lld %llu %llx %ld %lu", "lllll", -1ll, ~0ull, ~0ull, -2l, 3ul);
    SAME("%.3d %8.3d %-8.3d|", "iii", 5, -5, 5);
    SAME("%d %lld %d %lld", "ilil", 1, 2ll, 3, 4ll); /* padding between sizes */
    expect("-1 255 -1 65535", 4, "%hhd %hhu %hd %hu", "iiii", 0xff, 0xff, 0xffff, 0xffff);
    expect("%zu 5", 1, "%zu %d", "i", 5); /* CUDA has no z: measured on an H200 */
}

static void test_printf_rest(void **state)
{
    (void)state;
    SAME("%f %e %g %a %F %E %G %A", "dddddddd", 1.5, 1.5e10, 1e-5, 0.1, 2.0, 3.0, 4.0, 5.0);
    SAME("%10.3f|%-10.3f|%+.0f|%#.0f|% f|%010.2f", "dddddd", 3.14159, 3.14159, 2.5, 2.0, 1.0, -1.5);
    SAME("%f %f %f", "ddd", 1.0 / 0.0, -1.0 / 0.0, 1e300);
    SAME("%s|%10s|%-10s|%.2s|", "ssss", "abc", "abc", "abc", "abc");
    SAME("%c%c%c", "iii", 'x', 'y', 'z');
    SAME("%p %p", "pp", (void *)0x1234, (void *)0);
    SAME("%*d|%-*d", "iiii", 6, 42, 6, 42);
    SAME("%*d", "ii", -6, 42);
    expect("%.*f 7", 1, "%.*f %d", "i", 7); /* measured on an H200 */
    expect("100%", 0, "100%%", "");
    expect("", 0, "", "");
    expect("no arguments\n", 0, "no arguments\n", "");
    expect("%y 5", 1, "%y %d", "i", 5);
    expect("end %", 0, "end %", "");
    expect("(null)", 1, "%s", "s", NULL);
    expect("ab", 1, "a%nb", "p", 1234);
}

static void test_printf_lanes(void **state)
{
    static struct call k;
    (void)state;
    begin(&k);
    const u64 format = put_string(&k, "lane %d\n");
    for (int i = 0; i < IR_LANES; i++) {
        /* from each lane's local memory, as compilers do it */
        memcpy(k.f.local + i * FX_LOCAL + 16, &i, 4);
        set_arg(&k, (unsigned)i, 0, format);
        set_arg(&k, (unsigned)i, 8, k.f.w.local_window + 16);
    }
    assert_true(call(&k, "vprintf", 0x80000005u));
    assert_string_equal(k.f.printed, "lane 0\nlane 2\nlane 31\n");
    fx_free(&k.f);
}

static void test_printf_bad(void **state)
{
    static struct call k;
    (void)state;
    begin(&k);
    const u64 good = put_string(&k, "%s"), text = k.block + 4095;
    set_arg(&k, LANE, 0, 0);
    assert_true(call(&k, "vprintf", 1u << LANE)); /* a null format is an error code */
    assert_int_equal((i32)ret64(&k, LANE), -1);
    set_arg(&k, LANE, 0, 0x10);
    assert_false(call(&k, "vprintf", 1u << LANE));
    assert_int_equal(k.f.fault.kind, FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(k.f.fault.address, 0x10);
    assert_int_equal(k.f.fault.lane, LANE);
    fx_reset(&k.f);
    set_arg(&k, LANE, 0, good);
    set_arg(&k, LANE, 8, k.block + 4092); /* the argument itself crosses the end */
    assert_false(call(&k, "vprintf", 1u << LANE));
    assert_int_equal(k.f.fault.address, k.block + 4096);
    fx_reset(&k.f);
    set_arg(&k, LANE, 8, put(&k, &text, 8, 8)); /* a string without an end */
    assert_false(call(&k, "vprintf", 1u << LANE));
    assert_int_equal(k.f.fault.address, k.block + 4096);
    fx_reset(&k.f);
    set_arg(&k, LANE, 8, k.f.w.shared_window + FX_SHARED);
    assert_false(call(&k, "vprintf", 1u << LANE));
    assert_int_equal(k.f.fault.space, SPACE_SHARED);
    fx_free(&k.f);
}

/* ---- heap ---- */

static void test_heap(void **state)
{
    static struct call k;
    u64 seen[IR_LANES], lo, hi;
    enum mem_kind kind;
    (void)state;
    begin(&k);
    mem_set_heap_limit(k.f.m, 1000);
    for (unsigned i = 0; i < IR_LANES; i++)
        set_arg(&k, i, 0, 100);
    assert_true(call(&k, "malloc", 0x0000ffff));
    for (unsigned i = 0; i < IR_LANES; i++) {
        seen[i] = ret64(&k, i);
        assert_int_equal(seen[i] != 0, i < 10); /* ten times 100 bytes fit */
        if (i < 10) {
            assert_int_equal(seen[i] % 16, 0);
            assert_true(mem_range(k.f.m, seen[i], &lo, &hi, &kind));
            assert_int_equal(kind, MEM_HEAP);
            assert_int_equal(hi - lo, 100);
        }
    }
    for (unsigned i = 0; i < IR_LANES; i++)
        set_arg(&k, i, 0, seen[i]);
    assert_true(call(&k, "free", FULL_MASK)); /* null pointers too */
    assert_int_equal(mem_used(k.f.m), 4096);
    assert_false(call(&k, "free", 4)); /* twice */
    assert_int_equal(k.f.fault.kind, FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(k.f.fault.lane, 2);
    assert_int_equal(k.f.fault.address, seen[2]);
    fx_reset(&k.f);
    set_arg(&k, 0, 0, k.block); /* not the heap's */
    assert_false(call(&k, "free", 1));
    assert_int_equal(k.f.fault.address, k.block);
    set_arg(&k, 0, 0, 0);
    memset(k.rets, 1, sizeof k.rets);
    assert_true(call(&k, "malloc", 1));
    assert_int_equal(ret64(&k, 0), 0);
    fx_free(&k.f);
}

/* ---- assert ---- */

static void test_assert(void **state)
{
    static struct call k;
    (void)state;
    begin(&k);
    set_arg(&k, LANE, 0, put_string(&k, "i < n"));
    set_arg(&k, LANE, 8, put_string(&k, "a.cu"));
    set_arg(&k, LANE, 16, 17 | 0xabcd00000000ull); /* 32 bits and padding */
    set_arg(&k, LANE, 24, put_string(&k, "void f(int)"));
    set_arg(&k, LANE, 32, 1);
    assert_false(call(&k, "__assertfail", 0xffffffe0));
    assert_int_equal(k.f.fault.kind, FAULT_ASSERT);
    assert_int_equal(k.f.fault.lane, LANE);
    assert_string_equal(k.f.detail, "a.cu:17: void f(int): block: [0,0,0], thread: [5,0,0] Assertion `i < n` failed.");
    fx_reset(&k.f);
    set_arg(&k, LANE, 24, 8);
    assert_false(call(&k, "__assertfail", 1u << LANE));
    assert_int_equal(k.f.fault.kind, FAULT_ILLEGAL_ADDRESS);
    fx_free(&k.f);
}

static void test_unknown(void **state)
{
    (void)state;
    assert_int_equal(builtin_find("no_such_function"), -1);
    assert_int_equal(builtin_find(""), -1);
}

/* ---- faults as text ---- */

static void expect_fault(const struct exec_fault *f, const char *want)
{
    char *text = exec_fault_text(f);
    assert_non_null(text);
    assert_string_equal(text, want);
    ls_free(text);
}

static void test_fault_text(void **state)
{
    (void)state;
    struct exec_fault f = {.kind = FAULT_ILLEGAL_ADDRESS,
                           .kernel = "saxpy",
                           .function = "saxpy",
                           .block = {3, 0, 1},
                           .thread = {31, 2, 0},
                           .ptx_line = 88,
                           .source_line = 12,
                           .ptx_file = "saxpy.ptx",
                           .source_file = "saxpy.cu",
                           .address = 0x7f0000001000,
                           .size = 4,
                           .space = SPACE_GLOBAL,
                           .write = true,
                           .detail = "0 bytes after it\nand a second line"};
    expect_fault(&f, "out-of-bounds access in kernel 'saxpy'\n"
                     "  at saxpy.cu:12 (saxpy.ptx:88)\n"
                     "  block (3,0,1), thread (31,2,0)\n"
                     "  write of 4 bytes at 0x7f0000001000 in global memory\n"
                     "  0 bytes after it\n"
                     "  and a second line\n");
    f = (struct exec_fault){.kind = FAULT_MISALIGNED,
                            .kernel = "k",
                            .function = "inner",
                            .ptx_line = 3,
                            .ptx_file = "k.ptx",
                            .address = 0x21,
                            .size = 1,
                            .space = SPACE_SHARED,
                            .atomic = true,
                            .write = true};
    expect_fault(&f, "misaligned access in kernel 'k', function 'inner'\n"
                     "  at k.ptx:3\n"
                     "  block (0,0,0), thread (0,0,0)\n"
                     "  atomic of 1 byte at 0x21 in shared memory\n");
    f = (struct exec_fault){.kind = FAULT_TRAP, .kernel = "k"};
    expect_fault(&f, "trap in kernel 'k'\n  block (0,0,0), thread (0,0,0)\n");
    assert_string_equal(exec_fault_cuda_name(FAULT_MISALIGNED), "CUDA_ERROR_MISALIGNED_ADDRESS");
    assert_string_equal(exec_fault_cuda_name(FAULT_NONE), "CUDA_SUCCESS");
    assert_string_equal(exec_fault_cuda_name((enum exec_fault_kind)1000), "CUDA_ERROR_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printf_integers), cmocka_unit_test(test_printf_rest), cmocka_unit_test(test_printf_lanes),
        cmocka_unit_test(test_printf_bad),      cmocka_unit_test(test_heap),        cmocka_unit_test(test_assert),
        cmocka_unit_test(test_unknown),         cmocka_unit_test(test_fault_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
