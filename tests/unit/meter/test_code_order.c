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

/* ---- loads and registers ---- */

static u32 loads_before(const struct subject *s, const struct replay_program *p, enum ptx_op op)
{
    u32 n = 0;
    for (u32 i = 0; i < where(s, p, op, 0); i++)
        n += op_of(s, &p->insts[i]) == OP_LD;
    return n;
}

/* Loads before the first product of a loop that multiplies rows, four turns at a time, while so many other values are held. */
static u32 loads_at_once(const char *type, const char *reg, u32 held)
{
    static char body[8192];
    struct subject s;
    char *at = body;
    *at = 0;
    for (u32 k = 0; k < held; k++)
        at += sprintf(at, "ld.global.f32 %%f%u, [%%rd5+%u];\n", 10 + k, 4 * k);
    at += sprintf(
        at,
        "mov.u32 %%r3, 0; mul.wide.u32 %%rd4, %%r1, 512; add.s64 %%rd2, %%rd1, %%rd4; add.s64 %%rd3, %%rd2, 8;\n"
        "LOOP: ld.global.%s %%%s1, [%%rd2]; ld.global.%s %%%s2, [%%rd3+4096];\n"
        "fma.rn.%s %%%s3, %%%s1, %%%s2, %%%s3; add.s64 %%rd2, %%rd2, 8; add.s64 %%rd3, %%rd3, 8;\n"
        "add.s32 %%r3, %%r3, 1; setp.lt.s32 %%p1, %%r3, %%r2; @%%p1 bra LOOP;\nst.global.%s [%%rd1], %%%s3;\n",
        type, reg, type, reg, type, reg, reg, reg, reg, type, reg);
    for (u32 k = 0; k < held; k++)
        at += sprintf(at, "st.global.f32 [%%rd1+%u], %%f%u;\n", 64 + 4 * k, 10 + k);
    strcat(at, "ret;");
    make(&s, body);
    const u32 n = loads_before(&s, program(&s, block_at(&s, "LOOP"), 4), OP_FMA);
    drop(&s);
    return n;
}

/* As ptxas has them: 14 with nothing else to hold, ten beside eight values, four beside twelve; six of doubles. */
static void loads_of_rows_come_together_while_there_are_registers(void **state)
{
    (void)state;
    assert_int_equal(loads_at_once("f32", "f", 0), 8);
    assert_in_range(loads_at_once("f32", "f", 24), 4, 7);
    assert_in_range(loads_at_once("f64", "d", 0), 4, 7);
}

/* A loop that loads behind a chain of so many instructions. */
static bool comes_first(u32 chain)
{
    static char body[8192];
    struct subject s;
    char *at = body + sprintf(body, "LOOP: ld.global.u32 %%r5, [%%rd1];\n");
    for (u32 k = 0; k < chain; k++)
        at += sprintf(at, "mul.lo.u32 %%r5, %%r5, %%r%u;\n", 10 + k % 9);
    strcat(at, "ld.global.u32 %r6, [%rd1+512]; xor.b32 %r10, %r5, %r6; add.s64 %rd1, %rd1, %rd2;\n"
               "setp.ne.u32 %p1, %r10, %r2; @%p1 bra LOOP; st.global.u32 [%rd1], %r10; ret;");
    make(&s, body);
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 1);
    const bool first = where(&s, p, OP_LD, 1) < where(&s, p, OP_MUL, 0);
    drop(&s);
    return first;
}

/* In loops ptxas has a load some 300 cycles before its use. */
static void loads_of_a_loop_come_from_some_way_behind(void **state)
{
    (void)state;
    assert_true(comes_first(50));
    assert_false(comes_first(120));
}

/* ---- predicates ---- */

/* Loads under a guard each, and sums of them: there are seven predicates. */
/* Where two loads are used together and each has an address to be made, those do not pass what the loads before are used by. */
static void addresses_of_pairs_come_in_turn(void **state)
{
    (void)state;
    enum { PAIRS = 8 };
    static char body[8192];
    struct subject s;
    char *at = body + sprintf(body, "mov.u32 %%r3, 0; mov.u64 %%rd2, %%rd1;\nLOOP: mul.lo.u32 %%r9, %%r3, %%r2;\n");
    for (u32 k = 0; k < PAIRS; k++)
        at += sprintf(at,
                      "xor.b32 %%r5, %%r9, %u; mad.lo.u32 %%r6, %%r5, %%r2, %%r1; mul.wide.u32 %%rd3, %%r6, 4; add.s64 "
                      "%%rd4, %%rd1, %%rd3;\n"
                      "xor.b32 %%r5, %%r9, %u; mad.lo.u32 %%r6, %%r5, %%r1, %%r2; mul.wide.u32 %%rd3, %%r6, 4; add.s64 "
                      "%%rd5, %%rd1, %%rd3;\n"
                      "ld.global.f32 %%f1, [%%rd4]; ld.global.f32 %%f2, [%%rd5]; fma.rn.f32 %%f3, %%f1, %%f2, %%f3;\n",
                      16 + k, 64 + k);
    strcpy(at, "add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r3, 999; @%p1 bra LOOP; st.global.f32 [%rd1], %f3; ret;");
    make(&s, body);
    assert_in_range(loads_before(&s, program(&s, block_at(&s, "LOOP"), 1), OP_FMA), 2, 8);
    drop(&s);
}

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

/* Some 70 instructions, of which not each needs the one before: ptxas's take 179 cycles. */
static void a_division_of_64_bits_is_no_chain(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; rem.u64 %rd4, %rd2, %rd3;\n"
             "st.global.u64 [%rd1], %rd4; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    assert_in_range(cycles(p, where(&s, p, OP_REM, 0), where(&s, p, OP_ST, 0)), 170, 220);
    drop(&s);
}

/* What is done under a predicate instead of being selected waits for a guard, and is a float operation. */
static void selected_operations_have_guards(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd1]; setp.lt.u32 %p1, %r1, 5; add.f32 %f2, %f1, %f1; selp.f32 %f3, %f2, %f1, %p1;\n"
             "st.global.f32 [%rd1], %f3; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u32 sum = where(&s, p, OP_SELP, 0);
    assert_int_equal(p->insts[sum].pipe, PIPE_FMA);
    assert_true(cycles(p, where(&s, p, OP_SETP, 0), sum) >= 13);
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
        cmocka_unit_test(a_division_of_64_bits_is_no_chain),
        cmocka_unit_test(loads_of_rows_come_together_while_there_are_registers),
        cmocka_unit_test(loads_of_a_loop_come_from_some_way_behind),
        cmocka_unit_test(addresses_of_pairs_come_in_turn),
        cmocka_unit_test(loads_under_guards_wait_for_predicates),
        cmocka_unit_test(operands_come_before_guards),
        cmocka_unit_test(selected_operations_have_guards),
        cmocka_unit_test(comparisons_of_one_condition_are_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
