/* test_code_length.c - how long machine code is expected to be, for kernels whose length ptxas 13.0 says for sm_90. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "estimated.h"
#include "meter/code/code_length.h"

static u32 length_of(const char *body)
{
    struct subject s;
    make(&s, body);
    const u32 n = code_length(s.func, s.e->sites);
    drop(&s);
    return n;
}

/* A slow path is there once, and a whole number of 128 bytes with eight NOPs at least. */
static void slow_paths_are_there_once(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%rd1], "
        "%f3;\nret;",
        "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\ndiv.rn.f32 %f3, %f1, %f2;\nst.global.f32 [%rd1], "
        "%f3;\nret;",
        "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\ndiv.rn.f32 %f3, %f1, %f2;\ndiv.rn.f32 %f3, %f3, "
        "%f1;\n"
        "st.global.f32 [%rd1], %f3;\nret;",
        "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\ndiv.approx.f32 %f3, %f1, %f2;\nst.global.f32 "
        "[%rd1], %f3;\nret;",
    };
    u32 n[LS_ARRAY_LEN(bodies)];
    for (u32 k = 0; k < LS_ARRAY_LEN(bodies); k++) {
        n[k] = length_of(bodies[k]);
        assert_int_equal(n[k] % 8, 0);
    }
    assert_in_range(n[0], 16, 24);
    assert_in_range(n[1] - n[0], 112, 120); /* 120 */
    assert_in_range(n[2] - n[1], 8, 16);    /* 16 */
    assert_in_range(n[3] - n[0], 0, 8);     /* 0 */
}

/* Of a loop whose end nobody knows there are four turns, two, and one; of one with eight turns there are eight. */
static void unrolled_loops_are_there_more_often(void **state)
{
    (void)state;
    static const char once[] =
        "mov.f32 %f3, 0f00000000;\nmov.u32 %r3, 0;\nL:\nld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f3, %f1, %f1, %f3;\n"
        "add.s64 %rd1, %rd1, 4;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, ";
    static const char rest[] = ";\n@%p1 bra L;\nst.global.f32 [%rd1], %f3;\nret;", pragma[] = ".pragma \"nounroll\";\n";
    char body[1024];
    u32 n[3];
    for (u32 k = 0; k < 3; k++) {
        const char *begins = strstr(once, "L:");
        snprintf(body, sizeof body, "%.*s%s%s%s%s", (int)(begins + 3 - once), once, k ? "" : pragma, begins + 3,
                 k == 2 ? "8" : "%r2", rest);
        n[k] = length_of(body);
    }
    assert_in_range(n[0], 24, 32); /* ptxas: 32 */
    assert_in_range(n[1], 56, 72); /* 64 */
    assert_in_range(n[2], 32, 40); /* 32 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_paths_are_there_once),
        cmocka_unit_test(unrolled_loops_are_there_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
