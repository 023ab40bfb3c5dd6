/* test_code_order.c - in which order estimated machine code is issued where registers and predicates decide that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimated.h"

/* ---- predicates ---- */

/* Loads under a guard each, and sums of them: there are seven predicates. */
static void loads_under_guards_wait_for_predicates(void **state)
{
    (void)state;
    enum { LOADS = 12 };
    static char body[8192];
    for (u32 same = 0; same < 2; same++) {
        struct subject s;
        char *at = body + sprintf(body, "mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;\n"
                                        "setp.lt.u32 %%p0, %%r1, %%r2; mov.f32 %%f1, 0f00000000;\n");
        for (u32 k = 0; k < LOADS; k++)
            at += sprintf(at,
                          "add.u32 %%r%u, %%r1, %u; setp.lt.u32 %%p%u, %%r%u, %%r2;\n"
                          "@%%p%u ld.global.f32 %%f%u, [%%rd3+%u]; @%%p%u add.f32 %%f1, %%f1, %%f%u;\n",
                          10 + k, 100 * k, 1 + k, 10 + k, same ? 0 : 1 + k, 10 + k, 400 * k, same ? 0 : 1 + k, 10 + k);
        strcat(at, "st.global.f32 [%rd3], %f1; ret;");
        make(&s, body);
        const struct replay_program *p = program(&s, 0, 1);
        u32 loads = 0;
        for (u32 i = 0; i < p->n; i++) {
            const struct ptx_inst *x =
                p->insts[i].site == REPLAY_NO_SITE ? NULL : &s.func->src->insts[p->insts[i].site];
            if (x && x->op == OP_ADD && x->guard)
                break;
            loads += x && x->op == OP_LD && x->space == SPACE_GLOBAL;
        }
        if (same) /* nor do loads wait for sums, of which the value is any one */
            assert_int_equal(loads, LOADS);
        else
            assert_in_range(loads, 5, 7);
        drop(&s);
    }
}

static u32 cycles(const struct replay_program *p, u32 from, u32 to)
{
    u32 n = 0;
    for (u32 i = from; i < to; i++)
        n += p->insts[i].stall;
    return n;
}

/* A predicate is there after 4 cycles as an operand, after 13 as a guard. */
static void operands_come_before_guards(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "setp.lt.u32 %p1, %r1, 5; selp.u32 %r3, %r1, 7, %p1; st.global.u32 [%rd1], %r3; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(cycles(p, where(&s, p, OP_SETP, 0), where(&s, p, OP_SELP, 0)), 4);
    drop(&s);
    make(&s, "setp.lt.u32 %p1, %r1, 5; @%p1 st.global.u32 [%rd1], %r1; ret;");
    p = program(&s, 0, 1);
    assert_int_equal(cycles(p, where(&s, p, OP_SETP, 0), where(&s, p, OP_ST, 0)), 13);
    drop(&s);
}

/* ISETP.AND: the second comparison has the first as an operand, and what both decide waits for the second. */
static void comparisons_of_one_condition_are_a_chain(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "setp.gt.u32 %p1, %r1, 5; setp.lt.u32 %p2, %r1, %r2; and.pred %p3, %p1, %p2;\n"
             "@%p3 st.global.u32 [%rd1], %r1; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u32 first = where(&s, p, OP_SETP, 0), second = where(&s, p, OP_SETP, 1), store = where(&s, p, OP_ST, 0);
    assert_true(p->insts[first].site < p->insts[second].site);
    assert_in_range(cycles(p, first, second), 4, 12);
    assert_int_equal(cycles(p, second, store), 13);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_under_guards_wait_for_predicates),
        cmocka_unit_test(operands_come_before_guards),
        cmocka_unit_test(comparisons_of_one_condition_are_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
