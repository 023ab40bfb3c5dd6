/* test_tier_row.c - blocks of straight code follow each other within one call of it: each has its own number, also where an access
 * runs by its body, where the interpreter goes on, and in a fault. In a child, as LLVM is loaded there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../exec/harness.h"
#include "base/settings.h"
#include "exec/tier/llvm.h"

enum { X = 150, Y = 3, THREADS = 64, NOWHERE = 99999, WORDS = X * Y * THREADS };

/* Each thread's number and what its block is called, in `out`; of each eighth block in `other`, another allocation, which its body
 * has to look for. In blocks 21 and 22 of a row a thread's number wraps around 32 bits, where code leaves. Block `bad` of row 1
 * stores at address 8. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 other, .param .u32 bad)\n{\n"
    "    .reg .b64 %p, %q, %o;\n    .reg .b32 %t, %u, %x, %y, %n, %w;\n    .reg .pred %c, %d;\n"
    "    ld.param.u64 %p, [out];\n    ld.param.u64 %o, [other];\n    ld.param.u32 %w, [bad];\n"
    "    mov.u32 %t, %tid.x;\n    mov.u32 %x, %ctaid.x;\n    mov.u32 %y, %ctaid.y;\n    mov.u32 %n, %nctaid.x;\n"
    "    setp.eq.u32 %c, %x, %w;\n    setp.eq.and.u32 %c, %y, 1, %c;\n"
    "    mad.lo.u32 %n, %y, %n, %x;\n    mad.lo.u32 %n, %n, 64, %t;\n"
    "    and.b32 %u, %x, 7;\n    setp.eq.u32 %d, %u, 3;\n    selp.b64 %p, %o, %p, %d;\n"
    "    mul.wide.u32 %q, %n, 4;\n    add.u64 %p, %p, %q;\n    selp.b64 %p, 8, %p, %c;\n"
    "    add.u32 %u, %x, -21;\n    setp.lt.u32 %d, %u, 2;\n    selp.b32 %u, 0xfffffff0, 0, %d;\n    add.u32 %u, %u, "
    "%t;\n"
    "    mul.wide.u32 %q, %u, 1;\n    shr.u64 %q, %q, 20;\n    cvt.u32.u64 %u, %q;\n"
    "    mad.lo.u32 %x, %x, 1000, %y;\n    mad.lo.u32 %x, %x, 100, %t;\n    xor.b32 %x, %x, %u;\n"
    "    st.global.u32 [%p], %x;\n    ret;\n}\n";

enum { GOOD, WRONG, NO_LLVM };

static u32 expected(u32 x, u32 y, u32 t)
{
    const u32 far = x == 21 || x == 22 ? 0xfffffff0 : 0;
    return ((x * 1000 + y) * 100 + t) ^ (far + t) >> 20;
}

static int compare(const u32 *out, const u32 *other, u32 bad)
{
    for (u32 n = 0; n < WORDS; n++) {
        const u32 t = n % THREADS, x = n / THREADS % X, y = n / THREADS / X;
        const bool third = x % 8 == 3;
        if ((third ? out : other)[n] || (!(y == 1 && x == bad) && (third ? other : out)[n] != expected(x, y, t))) {
            printf("block %u, %u, thread %u: %u and %u, not %u\n", x, y, t, out[n], other[n], expected(x, y, t));
            fflush(stdout); /* of a child */
            return WRONG;
        }
    }
    return GOOD;
}

static int work(unsigned workers, u64 seed, u32 bad)
{
    struct exec_fault fault;
    struct bench b;
    char why[LLVM_WHY];
    int result;
    if (!llvm_load(why, sizeof why))
        return NO_LLVM;
    bench_open(&b, text);
    b.device.tier = TIER_FORCE;
    u32 *out = bench_alloc(&b, WORDS * sizeof *out), *other = bench_alloc(&b, WORDS * sizeof *other);
    const struct run r = {.kernel = "k",
                          .grid = X,
                          .grid_y = Y,
                          .block = THREADS,
                          .params = {(u64)(uintptr_t)out, (u64)(uintptr_t)other, bad},
                          .workers = workers,
                          .seed = seed};
    if (bad == NOWHERE) {
        bench_run_ok(&b, &r);
        result = compare(out, other, bad);
    } else {
        const bool right = bench_run(&b, &r, &fault) == LS_ERR_FAULT && fault.block[0] == bad && fault.block[1] == 1 &&
                           fault.thread[0] == 0 && fault.address == 8;
        result = right ? GOOD : WRONG;
        if (!right)
            printf("the fault is of block %u, %u, thread %u, at %llu\n", fault.block[0], fault.block[1],
                   fault.thread[0], (unsigned long long)fault.address);
        fflush(stdout); /* of a child */
    }
    bench_close(&b);
    return result;
}

static void expect_good(unsigned workers, u64 seed, u32 bad)
{
    int status;
    const pid_t child = fork();
    if (!child)
        _exit(work(workers, seed, bad));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_LLVM)
        skip();
    if (WEXITSTATUS(status) != GOOD)
        fail_msg("%u workers, seed %llu, bad block %u", workers, (unsigned long long)seed, bad);
}

static void test_numbers(void **state)
{
    static const unsigned workers[] = {1, 2, 4};
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(workers); k++)
        for (u64 seed = 0; seed < 2; seed++)
            expect_good(workers[k], seed, NOWHERE);
}

static void test_faults(void **state)
{
    static const u32 bad[] = {0, 1, 37, 40, X - 1};
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(bad); k++)
        expect_good(1 + k % 2, 0, bad[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
