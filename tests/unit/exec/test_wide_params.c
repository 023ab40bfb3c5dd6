/* test_wide_params.c - kernel parameters of 128 bits, and their moves in some lanes only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"

static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .b128 w, .param .b128 v)\n{\n"
    " .reg .b64 %d<8>; .reg .b128 %w<4>; .reg .b32 %r<4>; .reg .pred %p;\n"
    " ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 32, %d1; setp.lt.u32 %p, %r1, 5;\n"
    " mov.b64 %d2, 1; mov.b64 %d3, 2; mov.b128 %w2, {%d2, %d3};\n"
    " ld.param.b128 %w1, [w]; ld.param.b128 %w3, [v]; @%p mov.b128 %w2, %w3;\n"
    " mov.b128 {%d4, %d5}, %w1; mov.b128 {%d6, %d7}, %w2;\n"
    " st.global.v2.u64 [%d1], {%d4, %d5}; st.global.v2.u64 [%d1+16], {%d6, %d7}; ret;\n}\n";

static void both_halves_arrive(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, text);
    u64 *out = bench_alloc(&b, 32 * 32);
    bench_run_ok(&b, &(struct run){.kernel = "k",
                                   .grid = 1,
                                   .block = 32,
                                   .params = {(u64)(uintptr_t)out, 0x1111222233334444, 0x5555666677778888,
                                              0x0123456789abcdef, 0xfedcba9876543210}});
    for (u32 k = 0; k < 32; k++) {
        assert_true(out[4 * k] == 0x1111222233334444 && out[4 * k + 1] == 0x5555666677778888);
        assert_true(out[4 * k + 2] == (k < 5 ? 0x0123456789abcdef : 1));
        assert_true(out[4 * k + 3] == (k < 5 ? 0xfedcba9876543210 : 2));
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_halves_arrive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
