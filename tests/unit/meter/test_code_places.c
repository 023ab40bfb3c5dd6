/* test_code_places.c - where estimated machine code has what ptxas makes besides, or elsewhere than PTX: addresses of shared variables, copies
 * of registers, constants of loops that are unrolled wholly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimated.h"

/* ---- shared variables ---- */

enum { HEAD = 3 }; /* %tid.x, the stack pointer and the descriptor of global memory, which stand with the first move */

/* The nth machine instruction of those that make addresses. */
static const struct replay_inst *part(const struct subject *s, const struct replay_program *p, u32 nth)
{
    for (u32 i = 0; i < p->n; i++)
        if (op_of(s, &p->insts[i]) == OP_MOV && p->insts[i].site && nth-- == 0)
            return &p->insts[i];
    fail_msg("not so many");
    return NULL;
}

static void an_address_is_made_in_front_of_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "bar.sync 0; LOOP: mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1;\n"
         "shr.u32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra LOOP; ret;");
    assert_int_equal(count(&s, program(&s, block_at(&s, "LOOP"), 1), OP_MOV), 0);
    const struct replay_program *front = program(&s, 0, 1);
    assert_int_equal(count(&s, front, OP_MOV), HEAD + 3);
    assert_true(part(&s, front, 0)->write_bar != REPLAY_NO_BAR); /* S2R */
    assert_int_equal(part(&s, front, 2)->pipe, PIPE_UNIFORM);    /* all lanes come there */
    drop(&s);
}

static void variables_of_a_block_share_the_number(void **state)
{
    (void)state;
    struct subject s;
    make(&s, ".shared .align 4 .b8 other_tile[64];\n"
             "mov.u32 %r3, tile; mov.u32 %r4, other_tile; mov.u32 %r5, tile; st.shared.u32 [%r3], %r1;\n"
             "st.shared.u32 [%r4], %r1; st.shared.u32 [%r5+4], %r1; ret;");
    assert_int_equal(count(&s, program(&s, 0, 1), OP_MOV), HEAD + 3 + 2);
    drop(&s);
}

/* ---- copies ---- */

/* Round a loop what it loaded becomes what it had before: a copy that stays, and comes behind the next load. */
static void a_copy_comes_behind_the_loads(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1;\nLOOP: mov.f32 %f3, %f2; mov.f32 %f2, %f1;\n"
             "ld.global.f32 %f1, [%rd1]; add.s64 %rd1, %rd1, %rd2; add.f32 %f4, %f3, %f2; st.shared.f32 [%r1], %f4;\n"
             "setp.ne.s64 %p1, %rd1, %rd3; @%p1 bra LOOP; ret;");
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 1);
    assert_true(count(&s, p, OP_MOV) > 0);
    assert_true(where(&s, p, OP_LD, 0) < where(&s, p, OP_MOV, 0));
    drop(&s);
}

/* ---- constants ---- */

#define TAPS(step)                                                                                                     \
    "mov.u64 %rd2, bank; mov.u32 %r3, 0; mov.f32 %f1, 0f00000000;\nLOOP: ld.const.f32 %f2, [%rd2];\n"                  \
    "ld.global.f32 %f3, [%rd1]; fma.rn.f32 %f1, %f2, %f3, %f1; add.s64 %rd1, %rd1, %rd4;\n"                            \
    "add.s64 %rd2, %rd2, " step "; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, 5; @%p1 bra LOOP;\n"                     \
    "st.global.f32 [%rd1], %f1; ret;"

/* Where the place of a constant is counted up, too, it is known in each turn. */
static void constants_of_whole_loops_are_known(void **state)
{
    (void)state;
    for (u32 known = 0; known < 2; known++) {
        struct subject s;
        make(&s, known ? TAPS("4") : TAPS("%rd4"));
        const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 5);
        u32 accesses = 0;
        for (u32 i = 0; i < p->n; i++)
            accesses += op_of(&s, &p->insts[i]) == OP_LD && p->insts[i].op == REPLAY_MEMORY;
        assert_int_equal(accesses, known ? 5 : 10);
        drop(&s);
    }
}

/* The nth load of a constant. */
static const struct replay_inst *constant(const struct subject *s, const struct replay_program *p, u32 nth)
{
    for (u32 i = 0; i < p->n; i++)
        if (op_of(s, &p->insts[i]) == OP_LD && p->insts[i].constant && nth-- == 0)
            return &p->insts[i];
    fail_msg("not so many");
    return NULL;
}

/* An instruction has one operand that is in no register of a lane: a constant that is read with another one is in a lane's, and so is the other half
 * of its two words. */
static void a_constant_beside_another_is_in_a_register(void **state)
{
    (void)state;
    static const char *const readers[] = {
        "fma.rn.f32 %f5, %f2, %f4, %f1;",                           /* alone */
        "fma.rn.f32 %f5, %f2, %f2, %f1;",                           /* twice */
        "add.f32 %f5, %f2, 0f3F800000;",                            /* with an immediate */
        "mul.f32 %f6, %f4, 0f3F800000; sub.f32 %f5, %f6, %f2;",     /* with one of a product that the sum takes in */
        "fma.rn.f32 %f5, %f3, 0f3F800000, %f1;",                    /* the other half is */
        "ld.const.f32 %f6, [bank]; fma.rn.f32 %f5, %f2, %f4, %f6;", /* the constant before it is not */
    };
    for (u32 k = 0; k < sizeof readers / sizeof readers[0]; k++) {
        struct subject s;
        char body[512];
        snprintf(body, sizeof body,
                 "ld.global.f32 %%f1, [%%rd1]; ld.global.f32 %%f4, [%%rd1+4]; ld.const.v2.f32 {%%f2, %%f3}, [bank+8];\n"
                 "%s st.global.f32 [%%rd1], %%f5; ret;",
                 readers[k]);
        make(&s, body);
        const struct replay_program *p = program(&s, 0, 1);
        u32 all = 0, uniform = 0;
        for (u32 i = 0; i < p->n; i++) {
            all += p->insts[i].constant;
            uniform += p->insts[i].constant && p->insts[i].pipe == PIPE_UNIFORM;
        }
        assert_int_equal(all, k == 5 ? 2 : 1);
        assert_int_equal(uniform, k == 0 || k == 5);
        drop(&s);
    }
}

/* Constants of a table that is longer than the first cache are not all there. */
static void constants_have_places(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.const.f32 %f1, [bank]; ld.const.f32 %f2, [bank+60]; ld.const.f32 %f3, [bank+64]; fma.rn.f32 %f4, %f1, "
             "%f5, %f5;\n"
             "fma.rn.f32 %f4, %f2, %f5, %f4; fma.rn.f32 %f4, %f3, %f5, %f4; st.global.f32 [%rd1], %f4; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u16 line = constant(&s, p, 0)->constant_line;
    assert_int_equal(line, constant_line(CONSTANT_VARIABLES, 0));
    assert_int_equal(constant(&s, p, 1)->constant_line, line);
    assert_int_equal(constant(&s, p, 2)->constant_line, line + 1);
    drop(&s);
}

/* ---- addresses in unrolled loops ---- */

/* Two arrays with one offset that counts: of four turns the first makes addresses, the others have them in their accesses. */
static void addresses_of_later_turns_are_constants_off(void **state)
{
    (void)state;
    static const char text[] =
        "ld.global.u64 %%rd5, [%%rd1]; ld.global.u64 %%rd6, [%%rd1+8]; mov.u64 %%rd2, 0; mov.f32 %%f1, 0f00000000;\n"
        "LOOP: add.s64 %%rd3, %%rd5, %%rd2; add.s64 %%rd4, %%rd6, %%rd2; ld.global.f32 %%f2, [%%rd3];\n"
        "ld.global.f32 %%f3, [%%rd4]; fma.rn.f32 %%f1, %%f2, %%f3, %%f1; add.s64 %%rd2, %%rd2, %u;\n"
        "setp.lt.s64 %%p1, %%rd2, %%rd7; @%%p1 bra LOOP; st.global.f32 [%%rd1], %%f1; ret;";
    static const u32 steps[] = {4, 1 << 23}; /* the second does not fit in an access */
    for (u32 k = 0; k < 2; k++) {
        struct subject s;
        char body[1024];
        snprintf(body, sizeof body, text, steps[k]);
        make(&s, body);
        const u32 turns = k ? 4 : 1, counter = 2;
        assert_int_equal(count(&s, program(&s, block_at(&s, "LOOP"), 4), OP_ADD), turns * 2 * 2 + counter);
        drop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_made_in_front_of_a_loop),
        cmocka_unit_test(variables_of_a_block_share_the_number),
        cmocka_unit_test(a_copy_comes_behind_the_loads),
        cmocka_unit_test(constants_of_whole_loops_are_known),
        cmocka_unit_test(a_constant_beside_another_is_in_a_register),
        cmocka_unit_test(constants_have_places),
        cmocka_unit_test(addresses_of_later_turns_are_constants_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
