/* test_code_estimate.c - machine code that is estimated from PTX: it keeps every dependence (code_check.h), loads come
 * early, loops are unrolled, bodies predicated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimated.h"

/* ---- order ---- */

static void loads_come_before_what_reads_them(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
         "ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; ld.global.f32 %f3, [%rd3+1024]; add.f32 %f4, %f2, %f3;\n"
         "ld.global.f32 %f5, [%rd3+2048]; add.f32 %f6, %f4, %f5; st.global.f32 [%rd3], %f6; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(count(&s, p, OP_LD), 5); /* two parameters, as loads from compute capability 9 on */
    for (u32 i = where(&s, p, OP_LD, 4) + 1; i < p->n; i++)
        assert_int_not_equal(op_of(&s, &p->insts[i]), OP_LD);
    assert_true(where(&s, p, OP_LD, 4) < where(&s, p, OP_ADD, 1)); /* the first one makes the address */
    u8 bars = 0;
    for (u32 i = where(&s, p, OP_ADD, 0); i < p->n; i++)
        if (op_of(&s, &p->insts[i]) == OP_LD) {
            assert_int_equal(bars >> p->insts[i].write_bar & 1, 0);
            bars |= (u8)(1u << p->insts[i].write_bar);
        }
    assert_int_equal(p->insts[p->n - 1].op, REPLAY_EXIT);
    drop(&s);
}

static void loads_do_not_pass_stores(void **state)
{
    (void)state;
    struct subject s;
    static const char text[] =
        "ld.global.u64 %%rd2, [%%rd1]; ld.global.f32 %%f1, [%%rd1+64]; st.global.f32 [%%rd2], %%f1;\n"
        "ld.global%s.f32 %%f3, [%%rd1+32]; ld.shared.f32 %%f4, [tile]; st.global.f32 [%%rd2+4], %%f3;\n"
        "st.global.f32 [%%rd2+8], %%f4; ret;";
    for (u32 nc = 0; nc < 2; nc++) {
        char body[512];
        snprintf(body, sizeof body, text, nc ? ".nc" : "");
        make(&s, body);
        const struct replay_program *p = program(&s, 0, 1);
        u32 global = 0, shared = 0;
        for (u32 i = 0; i < where(&s, p, OP_ST, 0); i++)
            if (p->insts[i].op == REPLAY_MEMORY) {
                global += s.func->src->insts[p->insts[i].site].space == SPACE_GLOBAL;
                shared += s.func->src->insts[p->insts[i].site].space == SPACE_SHARED;
            }
        assert_int_equal(shared, 1);
        assert_int_equal(global, 2 + nc);
        drop(&s);
    }
}

static void memory_does_not_pass_a_barrier(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1; bar.sync 0;\n"
             "ld.shared.u32 %r6, [%r5+4]; ld.global.u32 %r7, [%rd1]; add.s32 %r8, %r6, %r7; st.global.u32 [%rd1+4], "
             "%r8; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u32 bar = where(&s, p, OP_BAR, 0);
    assert_int_equal(p->insts[bar].op, REPLAY_BARRIER);
    assert_true(where(&s, p, OP_ST, 0) < bar && where(&s, p, OP_LD, 2) > bar && where(&s, p, OP_LD, 3) > bar);
    drop(&s);
}

/* ---- loops ---- */

#define LOOP(pragma)                                                                                                   \
    "mov.u32 %r3, 0; mov.f32 %f1, 0f00000000; mov.u64 %rd2, %rd1;\nLOOP:\n" pragma                                     \
    "ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f1, %f2, %f2, %f1; add.s64 %rd2, %rd2, 4; add.s32 %r3, %r3, 1;\n"          \
    "setp.lt.s32 %p1, %r3, %r2; @%p1 bra LOOP;\nst.global.f32 [%rd1], %f1; ret;"

static void counted_loops_are_unrolled(void **state)
{
    (void)state;
    struct subject s;
    make(&s, LOOP(""));
    const u32 b = block_at(&s, "LOOP");
    assert_int_equal(s.c->blocks[b].n, 3);
    assert_int_equal(s.c->blocks[b].programs[0].copies, 4);
    assert_int_equal(s.c->blocks[b].programs[2].copies, 1);
    const struct replay_program *p = program(&s, b, 4);
    assert_int_equal(count(&s, p, OP_LD), 4);
    assert_int_equal(count(&s, p, OP_FMA), 4);
    assert_int_equal(count(&s, p, OP_BRA), 1);
    assert_int_equal(count(&s, p, OP_SETP), 1);
    assert_true(where(&s, p, OP_LD, 3) < where(&s, p, OP_FMA, 0));
    u32 copies = 0;
    for (u32 k = 0; k < 4; k++)
        copies |= 1u << p->insts[where(&s, p, OP_LD, k)].copy;
    assert_int_equal(copies, 15);
    assert_true(program(&s, b, 1)->n < p->n);
    drop(&s);
}

/* Loads under guards that follow each other in a loop. */
static const char *loop_of_bodies(u32 bodies)
{
    static char text[4096];
    char *at = text + sprintf(text, "mov.u32 %%r3, 0; LOOP: add.u32 %%r8, %%r8, %%r2;\n");
    for (u32 k = 0; k < bodies; k++)
        at += sprintf(at,
                      "ld.global.u32 %%r4, [%%rd1+%u]; setp.lt.s32 %%p1, %%r4, 0; @%%p1 bra B%u;\n"
                      "mul.wide.s32 %%rd2, %%r4, 4; add.s64 %%rd3, %%rd1, %%rd2; ld.global.f32 %%f2, [%%rd3];\n"
                      "add.f32 %%f1, %%f1, %%f2; add.u32 %%r9, %%r9, 1; B%u:\n",
                      4 * k, k, k);
    strcpy(at, "add.s64 %rd1, %rd1, 16; add.s32 %r3, %r3, 4; setp.lt.s32 %p2, %r3, %r2; @%p2 bra LOOP;\n"
               "st.global.f32 [%rd1], %f1; st.global.u32 [%rd1+4], %r9; ret;");
    return text;
}

/* What is predicated is a part of the loop's block; a counter under a guard is none of the loop's. */
static void a_loop_of_bodies_is_unrolled(void **state)
{
    (void)state;
    struct subject s;
    make(&s, loop_of_bodies(3));
    const u32 b = block_at(&s, "LOOP");
    const struct replay_program *p = program(&s, b, 4), *one = program(&s, b, 1);
    assert_int_equal(count(&s, p, OP_LD), 4 * count(&s, one, OP_LD));
    assert_int_equal(count(&s, p, OP_SETP), 4 * 3 + 1);
    u32 counts = 0;
    for (u32 k = 0; k < p->n; k++) {
        const struct ptx_inst *i = p->insts[k].site == REPLAY_NO_SITE ? NULL : &s.func->src->insts[p->insts[k].site];
        counts += i && i->op == OP_ADD && i->operands[0].var == i->operands[1].var && i->operands[2].kind == PTX_IMM &&
                  i->operands[2].bits == 1;
    }
    assert_int_equal(counts, 4 * 3);
    assert_in_range(s.c->registers, 16, 32); /* what a turn has done with is no value of the next one */
    drop(&s);
    make(&s, loop_of_bodies(6)); /* too long */
    assert_int_equal(s.c->blocks[block_at(&s, "LOOP")].n, 1);
    drop(&s);
}

static void a_pragma_keeps_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s, LOOP(".pragma \"nounroll\";\n"));
    assert_int_equal(s.c->blocks[block_at(&s, "LOOP")].n, 1);
    drop(&s);
}

static void a_loop_of_known_length_is_unrolled_wholly(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, -3; LOOP: atom.global.add.u32 %r4, [%rd1], %r3; add.s32 %r3, %r3, 1;\n"
             "setp.ne.s32 %p1, %r3, 4; @%p1 bra LOOP; ret;");
    const u32 b = block_at(&s, "LOOP");
    assert_int_equal(s.c->blocks[b].n, 2);
    const u32 once = count(&s, program(&s, b, 1), OP_ATOM); /* with what chooses the lane that does it */
    assert_true(once > 1);
    assert_int_equal(count(&s, program(&s, b, 7), OP_ATOM), 7 * once);
    drop(&s);
}

/* ptxas does so with a load and a product up to 1000 turns, with a load and eight products up to 125 and not with 200. */
static void long_loops_are_unrolled_wholly_if_it_saves_enough(void **state)
{
    (void)state;
    static const struct {
        u32 products, turns;
        bool wholly;
    } loops[] = {{1, 200, true}, {8, 125, true}, {8, 200, false}};
    for (u32 k = 0; k < LS_ARRAY_LEN(loops); k++) {
        char body[1024] = "mov.u32 %r3, 0; LOOP: ld.global.f32 %f1, [%rd1];";
        for (u32 n = 0; n < loops[k].products; n++)
            strcat(body, "fma.rn.f32 %f2, %f1, %f2, %f2;");
        char end[256];
        snprintf(end, sizeof end,
                 "add.s64 %%rd1, %%rd1, 4; add.s32 %%r3, %%r3, 1; setp.ne.s32 %%p1, %%r3, %u; @%%p1 bra LOOP;\n"
                 "st.global.f32 [%%rd1], %%f2; ret;",
                 loops[k].turns);
        struct subject s;
        make(&s, strcat(body, end));
        const u32 b = block_at(&s, "LOOP");
        const struct replay_program *p = program(&s, b, loops[k].wholly ? loops[k].turns : 4);
        assert_int_equal(count(&s, p, OP_FMA), loops[k].products * p->copies);
        drop(&s);
    }
}

/* A step that is not constant, a fence, an end that moves, a division's slow path, few turns. */
static void other_loops_are_kept(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "LOOP: ld.global.u32 %r4, [%rd1]; add.s32 %r3, %r3, %r2; setp.lt.s32 %p1, %r3, 99; @%p1 bra LOOP; ret;",
        "LOOP: membar.gl; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra LOOP; ret;",
        "LOOP: shr.u32 %r4, %r3, 1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r4; @%p1 bra LOOP; ret;",
        "LOOP: div.rn.f32 %f1, %f1, %f2; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra LOOP; ret;",
        "LOOP: st.global.u32 [%rd1], %r3; xor.b32 %r4, %r3, 9; mul.lo.s32 %r4, %r4, %r4; xor.b32 %r4, %r4, 7;\n"
        "mul.lo.s32 %r4, %r4, %r4; st.global.u32 [%rd1+4], %r4; add.s64 %rd1, %rd1, 512; add.s32 %r3, %r3, 64;\n"
        "setp.lt.s32 %p1, %r3, 256; @%p1 bra LOOP; ret;",
    };
    for (u32 k = 0; k < LS_ARRAY_LEN(bodies); k++) {
        struct subject s;
        make(&s, bodies[k]);
        assert_int_equal(s.c->blocks[block_at(&s, "LOOP")].n, 1);
        drop(&s);
    }
}

/* ptxas unrolls 18 products, with four loads from shared memory 27, with one from global memory 43, and none of two more, whether there is a barrier or not. */
static void the_longest_loops_are_unrolled_by_what_they_load(void **state)
{
    (void)state;
    static const struct {
        const char *space;
        u32 loads, products;
    } loops[] = {{"", 0, 18}, {"shared", 4, 27}, {"shared", 16, 49}, {"global", 1, 43}, {"global", 8, 22}};
    for (u32 k = 0; k < 2 * LS_ARRAY_LEN(loops); k++) {
        char body[4096] = "mov.u32 %r3, 0; mov.u64 %rd2, %rd1;\nLOOP: ", *at = body + strlen(body);
        const u32 more = k % 2;
        for (u32 n = 0; n < loops[k / 2].loads; n++)
            at += sprintf(at, "ld.%s.f32 %%f%u, [%s+%u]; add.f32 %%f50, %%f50, %%f%u;\n", loops[k / 2].space, n,
                          loops[k / 2].space[0] == 's' ? "tile" : "%rd2", 4 * n, n);
        for (u32 n = 0; n < loops[k / 2].products + 2 * more; n++)
            at += sprintf(at, "fma.rn.f32 %%f50, %%f51, %%f52, %%f50;\n");
        strcpy(at, "add.s64 %rd2, %rd2, 64; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra LOOP;\n"
                   "st.global.f32 [%rd1], %f50; ret;");
        struct subject s;
        make(&s, body);
        assert_int_equal(s.c->blocks[block_at(&s, "LOOP")].n, more ? 1 : 3);
        drop(&s);
    }
}

static void loops_with_barriers_are_unrolled(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, 0;\nLOOP: st.shared.u32 [tile], %r3; bar.sync 0; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, "
             "%r2;\n"
             "@%p1 bra LOOP; ret;");
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 4);
    assert_int_equal(count(&s, p, OP_BAR), 4);
    drop(&s);
}

static void a_constant_at_a_known_place_is_no_access(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u64 %rd2, bank; ld.const.f32 %f1, [bank+4]; ld.const.f32 %f2, [%rd2+8]; mul.wide.u32 %rd4, %r1, 4;\n"
             "add.s64 %rd3, %rd2, %rd4; ld.const.f32 %f3, [%rd3]; fma.rn.f32 %f4, %f1, %f3, %f3;\n"
             "add.f32 %f4, %f4, %f2; st.global.f32 [%rd1], %f4; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    u32 n = 0;
    for (u32 i = 0; i < p->n; i++)
        n += op_of(&s, &p->insts[i]) == OP_LD && p->insts[i].op == REPLAY_MEMORY;
    assert_int_equal(n, 1); /* the others by ULDC */
    assert_true(p->insts[where(&s, p, OP_LD, 2)].constant && p->insts[where(&s, p, OP_LD, 2)].pipe == PIPE_UNIFORM);
    drop(&s);
}

/* ---- blocks ---- */

static void a_body_is_in_the_program_before_it(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "setp.ge.u32 %p1, %r1, %r2; @%p1 bra BEHIND;\nBODY: st.global.u32 [%rd1], %r1;\n"
             "BEHIND: st.global.u32 [%rd1+4], %r2; ret;");
    const u32 body = block_at(&s, "BODY");
    assert_int_equal(s.c->blocks[body].n, 0);
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(count(&s, p, OP_ST), 2);
    assert_int_equal(count(&s, p, OP_BRA), 0);
    assert_int_equal(s.c->blocks[block_at(&s, "BEHIND")].n, 0);
    drop(&s);
}

/* The function that is called has blocks of its own, and so has what comes behind. */
static void a_call_ends_a_group(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "call.uni other; bra.uni NEXT; NEXT: st.global.u32 [%rd1], %r1; ret;");
    assert_int_equal(s.c->blocks[block_at(&s, "NEXT")].n, 1);
    assert_int_equal(count(&s, program(&s, 0, 1), OP_ST), 0);
    drop(&s);
}

static void both_sides_of_a_branch_are_predicated(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.u32 %r3, [%rd1]; setp.ge.u32 %p1, %r1, %r2; @%p1 bra ELSE;\n"
             "xor.b32 %r3, %r3, 5; bra.uni BEHIND;\nELSE: mul.lo.s32 %r3, %r3, 9;\n"
             "BEHIND: st.global.u32 [%rd1+4], %r3; ret;");
    assert_int_equal(s.c->blocks[block_at(&s, "ELSE")].n, 0);
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(count(&s, p, OP_BRA), 0);
    /* neither side waits for the other, or for its pipe */
    const u32 xor = where(&s, p, OP_XOR, 0), mul = where(&s, p, OP_MUL, 0);
    assert_int_equal(p->insts[xor< mul ? xor : mul].stall, 1);
    drop(&s);
}

static void a_load_is_waited_for_in_a_later_block(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r2, 7; @%p1 bra SKIP;\n"
             "LOOP: atom.global.add.u32 %r4, [%rd1+8], 1; setp.lt.u32 %p2, %r4, %r2; @%p2 bra LOOP;\n"
             "SKIP: st.global.u32 [%rd1+4], %r3; ret;");
    const struct replay_program *first = program(&s, 0, 1), *last = program(&s, block_at(&s, "SKIP"), 1);
    const u8 bar = first->insts[where(&s, first, OP_LD, 2)].write_bar;
    assert_in_range(bar, 0, REPLAY_BARS - 1);
    assert_int_equal(last->insts[where(&s, last, OP_ST, 0)].wait >> bar & 1, 1);
    drop(&s);
}

static void a_store_has_read_before_its_address_moves(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "LOOP: .pragma \"nounroll\"; st.global.u32 [%rd1], %r1; mov.u32 %r9, %clock; add.s64 %rd1, %rd1, 4;\n"
             "add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r9; @%p1 bra LOOP; ret;");
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 1);
    const struct replay_inst *store = &p->insts[where(&s, p, OP_ST, 0)];
    assert_in_range(store->read_bar, 0, REPLAY_BARS - 1);
    u32 step = 0;
    while (s.func->src->insts[p->insts[step].site].op != OP_ADD ||
           s.func->src->insts[p->insts[step].site].types[0] != PTX_S64)
        step++;
    assert_int_equal(p->insts[step].wait >> store->read_bar & 1, 1);
    drop(&s);
}

/* ---- many ---- */

static char *read_file(const char *name, size_t *len)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", LS_SOURCE, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        fail_msg("%s", path);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *len = fread(text, 1, (1 << 20) - 1, in);
    text[*len] = 0;
    fclose(in);
    return text;
}

/* Every function of files that are there for other tests. */
/* Across the end of a loop: the first result of the next turn takes the store's registers. */
static void a_store_has_read_before_the_next_turn(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "LOOP: ld.global.u32 %r3, [%rd1]; add.s32 %r4, %r3, 7; st.global.u32 [%rd1], %r4; mov.u32 %r9, %clock;\n"
             "setp.lt.u32 %p1, %r4, %r2; @%p1 bra LOOP; ret;");
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 1);
    const u8 bar = p->insts[where(&s, p, OP_ST, 0)].read_bar;
    assert_in_range(bar, 0, REPLAY_BARS - 1);
    assert_int_equal(p->insts[where(&s, p, OP_LD, 0)].wait >> bar & 1, 1);
    drop(&s);
    /* behind the last store of a kernel there is nothing to wait */
    make(&s, "st.global.u32 [%rd1], %r1; ret;");
    p = program(&s, 0, 1);
    assert_int_equal(p->insts[where(&s, p, OP_ST, 0)].read_bar, REPLAY_NO_BAR);
    drop(&s);
}

/* `if (a || b) x; else y;`: two branches, one of whose bodies both lead to. `second` makes what the other one asks about. */
static void make_condition(struct subject *s, const char *second)
{
    char body[600];
    snprintf(body, sizeof body,
             "ld.global.u32 %%r3, [%%rd1]; mov.u32 %%r5, 0; setp.gt.u32 %%p1, %%r3, 46; @%%p1 bra LAST;\n"
             "%s setp.ne.s32 %%p2, %%r4, 0; @%%p2 bra LAST;\nmax.s32 %%r5, %%r5, %%r3; bra.uni BEHIND;\n"
             "LAST: add.s32 %%r5, %%r5, 1;\nBEHIND: st.global.u32 [%%rd1+4], %%r5; ret;",
             second);
    make(s, body);
}

static void a_condition_of_two_branches_is_predicated(void **state)
{
    (void)state;
    struct subject s;
    make_condition(&s, "and.b32 %r4, %r3, 6;");
    assert_int_equal(s.c->blocks[block_at(&s, "LAST")].n, 0);
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(count(&s, p, OP_BRA), 0);
    assert_int_equal(count(&s, p, OP_MAX) + count(&s, p, OP_ST), 2);
    drop(&s);
    make_condition(&s, "ld.global.u32 %r4, [%rd1+8];");
    assert_int_equal(s.c->blocks[block_at(&s, "LAST")].n, 1);
    drop(&s);
}

static void every_dependence_is_kept(void **state)
{
    (void)state;
    static const char *const files[] = {
        "bench/engine/loops.ptx",
        "tests/unit/exec/ptx/weak.ptx",
        "tests/unit/exec/ptx/async.ptx",
        "tests/unit/exec/ptx/calls.ptx",
        "tests/unit/exec/ptx/progress.ptx",
        "tests/unit/exec/ptx/nested_nvcc.ptx",
        "tests/unit/exec/ptx/grid_sync_clang.ptx",
        "tests/unit/exec_matrix/ptx/tiles_nvcc.ptx",
    };
    u32 n = 0;
    for (u32 k = 0; k < LS_ARRAY_LEN(files); k++) {
        size_t len;
        char *text = read_file(files[k], &len);
        struct subject s;
        parse(&s, text, len, files[k]);
        for (u32 f = 0; f < s.mod->nfuncs; f++)
            if (s.mod->funcs[f]->ninsts) {
                estimate(&s, s.mod->funcs[f]);
                n++;
            }
        drop(&s);
        free(text);
    }
    assert_true(n > 20);
}

/* A sum is VIADD, which Hopper has in the pipe of IMAD, or IADD3, whichever pipe has less to do. */
static void sums_take_the_pipe_with_less_to_do(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mul.lo.u32 %r3, %r1, %r1; add.u32 %r4, %r3, %r1; xor.b32 %r5, %r4, %r3; st.global.u32 [%rd1], %r5; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    assert_int_equal(p->insts[where(&s, p, OP_MUL, 0)].pipe, PIPE_FMAHEAVY);
    assert_int_equal(p->insts[where(&s, p, OP_ADD, 0)].pipe, PIPE_ALU);
    assert_int_equal(p->insts[where(&s, p, OP_XOR, 0)].pipe, PIPE_ALU);
    drop(&s);
    make(&s, "shr.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, %r1; add.u32 %r5, %r4, %r3; st.global.u32 [%rd1], %r5; ret;");
    p = program(&s, 0, 1);
    assert_int_equal(p->insts[where(&s, p, OP_ADD, 0)].pipe, PIPE_FMAHEAVY);
    drop(&s);
}

/* The upper half of a sum is IMAD.X, but IADD3.X with a uniform register. */
static void an_upper_half_takes_the_pipe_of_its_operands(void **state)
{
    (void)state;
    static const char *const sums[2] = {"add.s64 %rd4, %rd2, %rd3;", "add.s64 %rd4, %rd2, %rd1;"};
    for (u32 uniform = 0; uniform < 2; uniform++) {
        struct subject s;
        u32 products = 0, n = 0;
        char text[512];
        snprintf(text, sizeof text,
                 "ld.global.u64 %%rd2, [%%rd1]; ld.global.u64 %%rd3, [%%rd1+8]; %s st.global.u64 [%%rd1], %%rd4; ret;",
                 sums[uniform]);
        make(&s, text);
        const struct replay_program *p = program(&s, 0, 1);
        for (u32 i = 0; i < p->n; i++)
            if (op_of(&s, &p->insts[i]) == OP_ADD) {
                n++;
                products += p->insts[i].pipe == PIPE_FMAHEAVY;
            }
        assert_int_equal(n, 2);
        assert_int_equal(products, 1 - uniform);
        drop(&s);
    }
}

/* Behind the branch round the slow path of a division stands what follows it, before it what is in front. */
static u32 conversions(const struct subject *s, const struct replay_program *p)
{
    u32 n = 0;
    for (u32 i = 0; i < p->n; i++)
        n += p->insts[i].pipe == PIPE_XU && (op_of(s, &p->insts[i]) == OP_DIV || op_of(s, &p->insts[i]) == OP_REM);
    return n;
}

/* I2F, MUFU.RCP and F2I once for a divisor, and in front of a loop. */
static void a_divisor_has_one_reciprocal(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        u32 expected;
    } cases[] = {
        {"div.s32 %r3, %r1, %r2; rem.s32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4; ret;", 3},
        {"div.s32 %r3, %r1, %r2; rem.s32 %r4, %r2, %r3; st.global.u32 [%rd1], %r4; ret;", 6},
        {"div.s32 %r3, %r1, %r2; rem.u32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4; ret;", 6},
    };
    for (u32 k = 0; k < LS_ARRAY_LEN(cases); k++) {
        struct subject s;
        make(&s, cases[k].body);
        const struct replay_program *p = program(&s, 0, 1);
        assert_int_equal(conversions(&s, p), cases[k].expected);
        assert_true(where(&s, p, OP_DIV, 5) < where(&s, p, OP_REM, 2)); /* it is there first */
        drop(&s);
    }
    struct subject s;
    make(&s, "LOOP: rem.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; ret;");
    assert_int_equal(conversions(&s, program(&s, block_at(&s, "LOOP"), 1)), 0);
    drop(&s);
}

static void nothing_passes_the_branch_round_a_slow_path(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "cvt.rn.f32.u32 %f1, %r1; ld.global.f32 %f2, [%rd1]; div.rn.f32 %f3, %f1, %f2; mul.f32 %f4, %f1, %f1;\n"
             "fma.rn.f32 %f5, %f4, %f3, %f3; st.global.f32 [%rd1+4], %f5; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u32 first = where(&s, p, OP_DIV, 0);
    u32 branches = 0, at = 0;
    for (u32 i = 0; i < p->n; i++)
        if (op_of(&s, &p->insts[i]) == OP_DIV && p->insts[i].control == CONTROL_BRANCH) {
            branches++;
            at = i;
        }
    assert_int_equal(branches, 1);
    assert_true(first < at && where(&s, p, OP_LD, 2) < at && where(&s, p, OP_MUL, 0) > at);
    drop(&s);
}

/* A product far behind does not come forward; a load does. */
static void only_loads_come_from_far_away(void **state)
{
    (void)state;
    static char body[4096];
    struct subject s;
    strcpy(body, "cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;");
    for (int k = 0; k < 30; k++) /* each needs the one before */
        strcat(body, "fma.rn.f32 %f1, %f1, %f1, %f1;");
    strcat(body, "mul.f32 %f3, %f2, %f2; ld.global.f32 %f4, [%rd1]; fma.rn.f32 %f5, %f3, %f4, %f1;\n"
                 "st.global.f32 [%rd1+4], %f5; ret;");
    make(&s, body);
    const struct replay_program *p = program(&s, 0, 1);
    assert_true(where(&s, p, OP_LD, 2) < where(&s, p, OP_FMA, 0));
    assert_true(where(&s, p, OP_MUL, 0) > where(&s, p, OP_FMA, 4));
    drop(&s);
}

/* Others may change shared memory behind a barrier: what was read of it is there. */
static void a_barrier_waits_for_what_is_read_of_shared_memory(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.shared.u32 %r6, [tile]; ld.global.u32 %r7, [%rd1]; bar.sync 0; add.s32 %r8, %r6, %r7;\n"
             "st.global.u32 [%rd1+4], %r8; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const struct replay_inst *bar = &p->insts[where(&s, p, OP_BAR, 0)];
    u8 shared = REPLAY_NO_BAR, global = REPLAY_NO_BAR;
    for (const struct replay_inst *i = p->insts; i < bar; i++)
        if (i->op == REPLAY_MEMORY && s.func->src->insts[i->site].space == SPACE_SHARED)
            shared = i->write_bar;
        else if (i->op == REPLAY_MEMORY)
            global = i->write_bar;
    assert_true(shared < REPLAY_BARS && global < REPLAY_BARS && shared != global);
    assert_int_equal(bar->wait, 1u << shared);
    drop(&s);
}

/* MEMBAR before what releases, CCTL behind what acquires. */
/* What comes from far has the last four scoreboards, and the last one across blocks, until it is read. */
static void loads_from_far_have_scoreboards_of_their_own(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd1]; mov.u32 %r3, %r1;\n"
             "LOOP: ld.shared.f32 %f2, [tile]; ld.global.f32 %f3, [%rd1+400]; ld.global.f32 %f4, [%rd1+800];\n"
             "ld.global.f32 %f5, [%rd1+1200]; ld.global.f32 %f6, [%rd1+1600]; add.f32 %f7, %f2, %f2; add.f32 %f7, %f7, "
             "%f3;\n"
             "add.f32 %f7, %f7, %f4; add.f32 %f7, %f7, %f5; add.f32 %f7, %f7, %f6; add.f32 %f7, %f7, %f1;\n"
             "st.global.f32 [%rd1], %f7; add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r3, 99; @%p1 bra LOOP; ret;");
    const struct replay_program *head = program(&s, 0, 1), *tail = program(&s, block_at(&s, "LOOP"), 1);
    u8 bars = 0;
    for (u32 k = 0; k < head->n; k++)
        if (head->insts[k].op == REPLAY_MEMORY)
            assert_int_equal(head->insts[k].write_bar, REPLAY_BARS - 1);
    for (u32 k = 0; k < tail->n; k++)
        if (tail->insts[k].op == REPLAY_MEMORY && tail->insts[k].write_bar != REPLAY_NO_BAR) {
            const bool near = s.func->src->insts[tail->insts[k].site].space == SPACE_SHARED;
            bars |= near ? 0 : (u8)(1u << tail->insts[k].write_bar);
            assert_true(!near || tail->insts[k].write_bar == 0);
        }
    assert_int_equal(bars, 1 << 2 | 1 << 3 | 1 << 4);
    drop(&s);
}

/* Loads in front of a barrier wait for the barrier's sake, not for each other, however many there are. */
static void loads_before_a_barrier_do_not_wait_for_each_other(void **state)
{
    (void)state;
    enum { LOADS = 12 };
    char body[2048], *at = body;
    struct subject s;
    *at = 0;
    for (u32 k = 0; k < LOADS; k++)
        at += sprintf(at, "ld.shared.f32 %%f%u, [tile+%u];\n", k, 68 * k);
    at += sprintf(at, "bar.sync 0;\n");
    for (u32 k = 0; k < LOADS; k++)
        at += sprintf(at, "st.global.f32 [%%rd1+%u], %%f%u;\n", 4 * k, k);
    strcpy(at, "ret;");
    make(&s, body);
    const struct replay_program *p = program(&s, 0, 1);
    u32 loads = 0, seen = 0;
    for (u32 i = 0; i < p->n && seen < LOADS; i++) {
        const bool load = p->insts[i].op == REPLAY_MEMORY;
        seen += load;
        loads += load && seen > 1 && p->insts[i].wait;
    }
    assert_int_equal(loads, 0);
    assert_true(p->insts[where(&s, p, OP_BAR, 0)].wait);
    drop(&s);
}

/* Nor do they keep their registers until then, where each is used at once. */
static void loads_before_a_barrier_keep_no_registers(void **state)
{
    (void)state;
    enum { LOADS = 24 };
    char body[4096], *at = body;
    struct subject s;
    at += sprintf(at, "mov.f32 %%f90, 0f00000000; shl.b32 %%r4, %%r1, 2; mov.u32 %%r3, 0;\nLOOP: bar.sync 0;\n");
    for (u32 k = 0; k < LOADS; k++)
        at += sprintf(at, "ld.shared.f32 %%f%u, [%%r4+%u]; add.f32 %%f90, %%f90, %%f%u;\n", k, 68 * k, k);
    strcpy(at, "bar.sync 0; add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r3, 99; @%p1 bra LOOP; "
               "st.global.f32 [%rd1], %f90; ret;");
    make(&s, body);
    assert_in_range(s.c->registers, 16, LOADS);
    drop(&s);
}

/* A load gives its result to the register that the turn before left, so it comes behind what reads that. */
static void loads_do_not_overtake_readers_of_what_they_overwrite(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "mov.u32 %r3, 0; mov.u32 %r5, 0; mov.u64 %rd2, %rd1;\n"
         "LOOP: ld.global.u32 %r6, [%rd2+4]; xor.b32 %r7, %r5, %r6; ld.shared.u32 %r5, [tile]; min.u32 %r8, %r7, %r5;\n"
         "st.global.u32 [%rd2+8], %r8; add.u64 %rd2, %rd2, 16; add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r3, 99;\n"
         "@%p1 bra LOOP; ret;");
    const struct replay_program *p = program(&s, block_at(&s, "LOOP"), 1);
    assert_true(where(&s, p, OP_LD, 1) > where(&s, p, OP_XOR, 0));
    drop(&s);
}

static void fences_stand_around_what_orders(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "st.global.u32 [%rd1+64], %r1; atom.acq_rel.gpu.global.exch.b32 %r3, [%rd1], %r2; ld.global.u32 %r4, "
             "[%rd1+128]; add.s32 %r5, %r4, %r3; st.global.u32 [%rd1+4], %r5; ret;");
    const struct replay_program *p = program(&s, 0, 1);
    const u32 first = where(&s, p, OP_ATOM, 0);
    u32 access = 0, empties = 0;
    for (u32 i = first; i < p->n; i++) {
        access = op_of(&s, &p->insts[i]) == OP_ATOM && p->insts[i].op == REPLAY_MEMORY ? i : access;
        empties = p->insts[i].empties_l1 ? i : empties;
    }
    assert_int_equal(p->insts[first].op, REPLAY_FENCE);
    assert_true(where(&s, p, OP_ST, 0) < first && first < access && access < empties &&
                empties < where(&s, p, OP_LD, 2));
    drop(&s);
}

/* A long block, whose nodes are all ready at once. */
static void long_code_is_scheduled_by_a_window(void **state)
{
    (void)state;
    enum { N = 10000 };
    char *text = malloc(N * 40 + 400);
    assert_non_null(text);
    char *at = text + sprintf(text,
                              ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                              ".reg .b32 %%r<%u>;\n",
                              N);
    for (u32 k = 1; k < N; k++)
        at += sprintf(at, "shl.b32 %%r%u, %%r%u, 1;\n", k, k % 2 ? 0 : k / 2);
    at += sprintf(at, "ret;\n}\n");
    struct subject s;
    parse(&s, text, (size_t)(at - text), "long.ptx");
    s.func = ir_lower(&s.mem, s.mod, ptx_find_func(s.mod, "k"), &lowered_target);
    s.e = estimate_make(&s.mem, s.func, 9, NULL);
    s.c = code_from_ptx(&s.mem, &s.gpu, s.func, s.e);
    assert_in_range(s.c->ninsts, N, N + 3);
    drop(&s);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_come_before_what_reads_them),
        cmocka_unit_test(loads_do_not_pass_stores),
        cmocka_unit_test(memory_does_not_pass_a_barrier),
        cmocka_unit_test(counted_loops_are_unrolled),
        cmocka_unit_test(a_loop_of_known_length_is_unrolled_wholly),
        cmocka_unit_test(long_loops_are_unrolled_wholly_if_it_saves_enough),
        cmocka_unit_test(a_loop_of_bodies_is_unrolled),
        cmocka_unit_test(a_pragma_keeps_a_loop),
        cmocka_unit_test(other_loops_are_kept),
        cmocka_unit_test(the_longest_loops_are_unrolled_by_what_they_load),
        cmocka_unit_test(loops_with_barriers_are_unrolled),
        cmocka_unit_test(a_constant_at_a_known_place_is_no_access),
        cmocka_unit_test(a_body_is_in_the_program_before_it),
        cmocka_unit_test(a_call_ends_a_group),
        cmocka_unit_test(both_sides_of_a_branch_are_predicated),
        cmocka_unit_test(a_load_is_waited_for_in_a_later_block),
        cmocka_unit_test(a_store_has_read_before_its_address_moves),
        cmocka_unit_test(a_store_has_read_before_the_next_turn),
        cmocka_unit_test(a_condition_of_two_branches_is_predicated),
        cmocka_unit_test(every_dependence_is_kept),
        cmocka_unit_test(sums_take_the_pipe_with_less_to_do),
        cmocka_unit_test(an_upper_half_takes_the_pipe_of_its_operands),
        cmocka_unit_test(a_divisor_has_one_reciprocal),
        cmocka_unit_test(nothing_passes_the_branch_round_a_slow_path),
        cmocka_unit_test(only_loads_come_from_far_away),
        cmocka_unit_test(a_barrier_waits_for_what_is_read_of_shared_memory),
        cmocka_unit_test(loads_from_far_have_scoreboards_of_their_own),
        cmocka_unit_test(loads_before_a_barrier_do_not_wait_for_each_other),
        cmocka_unit_test(loads_before_a_barrier_keep_no_registers),
        cmocka_unit_test(loads_do_not_overtake_readers_of_what_they_overwrite),
        cmocka_unit_test(fences_stand_around_what_orders),
        cmocka_unit_test(long_code_is_scheduled_by_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
