/* test_estimate.c - what is expected of ptxas, on small kernels whose machine code is known: which branches vanish, which
 * shared accesses are merged, what an instruction counts as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lowered.h"
#include "meter/rules.h"

struct subject {
    struct ptx_module *mod;
    const struct ir_func *func;
    struct arena mem;
    struct estimate *e;
};

/* The body of a kernel with a parameter p, registers %r %rd %f %fd %h and predicates, and shared arrays. */
static void make(struct subject *s, const char *body)
{
    static const char frame[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                                ".extern .shared .align 4 .b8 dynamic[];\n.const .align 4 .b8 table[1024];\n"
                                ".visible .entry k(.param .u64 p)\n{\n"
                                ".reg .pred %%p<9>;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n"
                                ".reg .f64 %%fd<9>;\n.reg .b16 %%h<9>;\n.shared .align 4 .b8 tile[4096];\n"
                                "mov.u32 %%r1, %%tid.x;\nld.param.u64 %%rd1, [p];\nsetp.eq.u32 %%p1, %%r1, 3;\n%s\n}\n";
    char text[16384];
    struct diag_list d;
    diag_init(&d);
    const int n = snprintf(text, sizeof text, frame, body);
    assert_in_range(n, 1, sizeof text - 1);
    if (ptx_parse(text, (size_t)n, "test.ptx", &s->mod, &d) != LS_OK)
        fail_msg("%s", d.first ? d.first->text : "no memory");
    diag_free(&d);
    s->mem = (struct arena)ARENA("test");
    if (setjmp(s->mem.oom))
        fail();
    s->func = ir_lower(&s->mem, s->mod, ptx_find_func(s->mod, "k"), &lowered_target);
    assert_null(s->func->poison);
    s->e = estimate_make(&s->mem, s->func, 9, NULL);
}

static void drop(struct subject *s)
{
    arena_free(&s->mem);
    ptx_free(s->mod);
}

/* The n-th instruction with that opcode, from 0. */
static const struct site_estimate *nth(const struct subject *s, enum ptx_op op, u32 n)
{
    for (u32 k = 0; k < s->func->src->ninsts; k++)
        if (s->func->src->insts[k].op == op && n-- == 0)
            return &s->e->sites[k];
    fail_msg("no such instruction");
    return NULL;
}

static enum branch_kind first_branch(const char *body)
{
    struct subject s;
    make(&s, body);
    const enum branch_kind kind = (enum branch_kind)nth(&s, OP_BRA, 0)->branch;
    drop(&s);
    return kind;
}

/* ptxas lays the next block out behind the jump, and ends a thread where it would jump to a bare return. */
static void jumps_that_need_no_branch_are_none(void **state)
{
    (void)state;
    assert_int_equal(first_branch("bra.uni $L; $L: bar.sync 0; ret;"), BRANCH_NONE);
    assert_int_equal(first_branch("bar.sync 0; bra.uni $END; $OTHER: bar.sync 1; $END: ret;"), BRANCH_EXIT);
}

static void short_forward_bodies_are_predicated(void **state)
{
    (void)state;
    assert_int_equal(first_branch("@%p1 bra $L; add.u32 %r2, %r1, 1; st.shared.u32 [tile], %r2; $L: bar.sync 0; ret;"),
                     BRANCH_PREDICATED);
    assert_int_equal(first_branch("@%p1 bra $L; ld.global.u32 %r2, [%rd1]; $L: bar.sync 0; ret;"), BRANCH_PREDICATED);
}

static void other_bodies_stay_behind_a_branch(void **state)
{
    (void)state;
    assert_int_equal(
        first_branch("@%p1 bra $L; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2; $L: bar.sync 0; ret;"),
        BRANCH_MACHINE);
    assert_int_equal(first_branch("@%p1 bra $L; red.global.add.u32 [%rd1], 1; $L: bar.sync 0; ret;"), BRANCH_MACHINE);
    assert_int_equal(first_branch("@%p1 bra $L; bar.sync 1; $L: bar.sync 0; ret;"), BRANCH_MACHINE);
    assert_int_equal(first_branch("$L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra $L; bar.sync 0; ret;"),
                     BRANCH_MACHINE);
}

/* Whether one lane does the atomic for all of its warp. */
static bool elects(const char *body)
{
    struct subject s;
    char text[512];
    snprintf(text, sizeof text,
             "mov.u32 %%r3, %%ctaid.x; mul.wide.u32 %%rd2, %%r3, 4; add.u64 %%rd3, %%rd1, %%rd2; "
             "mul.wide.u32 %%rd4, %%r1, 4; add.u64 %%rd5, %%rd1, %%rd4; ld.global.u32 %%r4, [%%rd1]; %s ret;",
             body);
    make(&s, text);
    const bool elected = nth(&s, strstr(body, "red.") ? OP_RED : OP_ATOM, 0)->elected;
    drop(&s);
    return elected;
}

/* As ptxas for sm_90 does it: VOTE and POPC for what all lanes give alike, REDUX where no lane wants the result. */
static void one_lane_does_atomics_at_one_place(void **state)
{
    (void)state;
    assert_true(elects("atom.global.add.u32 %r2, [%rd1], 1; st.global.u32 [%rd5], %r2;"));
    assert_true(elects("atom.global.add.u64 %rd6, [%rd1+8], 1; st.global.u64 [%rd5], %rd6;"));
    assert_true(elects("atom.global.add.u32 %r2, [%rd3], %r3; st.global.u32 [%rd5], %r2;"));
    assert_true(elects("red.global.add.u32 [%rd3], 1;"));
    assert_true(elects("red.global.max.u32 [%rd1], %r1;"));
    assert_true(elects("atom.global.or.b32 %r2, [%rd1], %r4;"));
    assert_false(elects("atom.global.add.u32 %r2, [%rd1], %r4; st.global.u32 [%rd5], %r2;"));
    assert_false(elects("atom.global.add.u32 %r2, [%rd5], 1; st.global.u32 [%rd5], %r2;"));
    assert_false(elects("atom.global.max.u32 %r2, [%rd1], %r1; st.global.u32 [%rd5], %r2;"));
    assert_false(elects("atom.global.exch.b32 %r2, [%rd1], 1; st.global.u32 [%rd5], %r2;"));
    assert_false(elects("red.global.add.f32 [%rd1], 0f3F800000;"));
    assert_false(elects("red.global.add.u64 [%rd1], %rd4;"));
}

/* As many letters as loads from global memory: + where the next one goes with it. */
static const char *batches(const char *body)
{
    static char said[16];
    struct subject s;
    u32 n = 0;
    make(&s, body);
    for (u32 k = 0; k < s.func->src->ninsts; k++)
        if (s.func->src->insts[k].op == OP_LD && s.func->src->insts[k].space == SPACE_GLOBAL)
            said[n++] = s.e->sites[k].how & SITE_WITH_NEXT ? '+' : '.';
    said[n] = 0;
    drop(&s);
    return said;
}

static void loads_that_need_no_other_go_together(void **state)
{
    (void)state;
    assert_string_equal(batches("ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd1+4]; ret;"),
                        "+.");
    assert_string_equal(
        batches("ld.global.u32 %r2, [%rd1]; st.shared.u32 [tile], %r2; ld.global.u32 %r4, [%rd1+4]; ret;"), "+.");
    assert_string_equal(batches("ld.global.u64 %rd2, [%rd1]; add.u64 %rd3, %rd2, 4; ld.global.u32 %r4, [%rd3]; ret;"),
                        "..");
    assert_string_equal(
        batches("ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+8], %r2; ld.global.u32 %r4, [%rd1+4]; ret;"), "..");
    assert_string_equal(batches("ld.global.u32 %r2, [%rd1]; bar.sync 0; ld.global.u32 %r4, [%rd1+4]; ret;"), "..");
    assert_string_equal(batches("ld.global.u32 %r2, [%rd1]; ld.volatile.global.u32 %r4, [%rd1+4]; ret;"), "..");
    assert_string_equal(
        batches("ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4]; ld.global.u32 %r4, [%rd1+8]; "
                "ld.global.u32 %r5, [%rd1+12]; ld.global.u32 %r6, [%rd1+16]; ld.global.u32 %r7, [%rd1+20]; "
                "ret;"),
        "+++.+.");
}

static void ten_instructions_are_the_limit(void **state)
{
    (void)state;
    for (int n = 9; n <= 12; n++) {
        char body[2048] = "@%p1 bra $L;";
        for (int k = 0; k < n; k++)
            strcat(body, " add.u32 %r2, %r2, %r1;");
        strcat(body, " $L: bar.sync 0; st.global.u32 [%rd1], %r2; ret;");
        assert_int_equal(first_branch(body), n <= 10 ? BRANCH_PREDICATED : BRANCH_MACHINE);
    }
}

/* Behind a branch that stays, the parts of a warp come to a BSYNC one after the other. */
static void parts_of_a_warp_meet_behind_branches_that_stay(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "$L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra $L; bar.sync 0; "
             "@%p1 bra $A; red.global.add.u32 [%rd1], 1; $A: bar.sync 0; "
             "@%p1 bra $B; add.u32 %r2, %r1, 1; st.shared.u32 [tile], %r2; $B: bar.sync 0; "
             "@%p1 bra $END; bar.sync 1; $END: ret;");
    assert_true(nth(&s, OP_BRA, 0)->joins);  /* a loop that lanes leave */
    assert_true(nth(&s, OP_BRA, 1)->joins);  /* an atomic */
    assert_false(nth(&s, OP_BRA, 2)->joins); /* predicated */
    assert_false(nth(&s, OP_BRA, 3)->joins); /* an exit */
    drop(&s);
}

static void a_branch_to_a_bare_ret_is_an_exit(void **state)
{
    (void)state;
    static const char long_body[] = "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;";
    char body[256];
    snprintf(body, sizeof body, "@%%p1 bra $L; %s $L: ret;", long_body);
    assert_int_equal(first_branch(body), BRANCH_EXIT);
    snprintf(body, sizeof body, "@%%p1 bra $L; %s $L: st.global.u32 [%%rd1+8], %%r1; ret;", long_body);
    assert_int_equal(first_branch(body), BRANCH_MACHINE);
}

/* A predicated body executes as often as the branch that it replaced. */
static void a_predicated_body_counts_as_its_branch(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "@%p1 bra $L; add.u32 %r2, %r1, 1; $L: bar.sync 0; ret;");
    u32 branch = 0, add = 0;
    for (u32 k = 0; k < s.func->src->ninsts; k++) {
        branch = s.func->src->insts[k].op == OP_BRA ? s.func->block_of_site[k] : branch;
        add = s.func->src->insts[k].op == OP_ADD ? s.func->block_of_site[k] : add;
    }
    assert_int_not_equal(branch, add);
    assert_int_equal(s.e->counts_as[add], branch);
    assert_int_equal(s.e->counts_as[branch], branch);
    assert_int_equal(nth(&s, OP_BRA, 0)->weight, 0);
    drop(&s);
}

/* ---- sequences ---- */

/* What ptxas 13.0 makes for sm_90 of the instruction alone. */
static void an_instruction_weighs_what_it_becomes(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum ptx_op op;
        u32 weight;
    } all[] = {
        {"rsqrt.approx.f32 %f1, %f2;", OP_RSQRT, 4},
        {"rsqrt.approx.ftz.f32 %f1, %f2;", OP_RSQRT, 1},
        {"ex2.approx.f32 %f1, %f2;", OP_EX2, 4},
        {"sin.approx.ftz.f32 %f1, %f2;", OP_SIN, 2},
        {"rcp.approx.f32 %f1, %f2;", OP_RCP, 7},
        {"rcp.rn.f32 %f1, %f2;", OP_RCP, 10},
        {"div.approx.f32 %f1, %f2, %f3;", OP_DIV, 5},
        {"div.full.f32 %f1, %f2, %f3;", OP_DIV, 8},
        {"div.rn.f32 %f1, %f2, %f3;", OP_DIV, 10},
        {"div.rn.f64 %fd1, %fd2, %fd3;", OP_DIV, 15},
        {"rem.u32 %r2, %r1, %r3;", OP_REM, 17},
        {"cvt.u64.u32 %rd2, %r1;", OP_CVT, 0},
        {"cvt.s64.s32 %rd2, %r1;", OP_CVT, 1},
        {"cvt.u32.u64 %r2, %rd1;", OP_CVT, 0},
        {"cvt.rn.f32.s8 %f1, %h1;", OP_CVT, 1},
        {"cvt.rn.f32.u8 %f1, %h1;", OP_CVT, 2},
        {"bfe.u32 %r2, %r1, 3, 5;", OP_BFE, 2},
        {"and.b64 %rd2, %rd1, 1020;", OP_AND, 1},
        {"and.b64 %rd2, %rd1, %rd3;", OP_AND, 2},
        {"mul.f64 %fd1, %fd2, 0d4000000000000000;", OP_MUL, 1},
        {"mul.f64 %fd1, %fd2, 0d3FF71547652B82FE;", OP_MUL, 3},
        {"st.release.gpu.global.u32 [%rd1], %r1;", OP_ST, 4},
        {"ld.acquire.gpu.global.u32 %r2, [%rd1];", OP_LD, 2},
        {"fence.acq_rel.gpu;", OP_FENCE, 4},
        {"red.global.add.u32 [%rd1], 1;", OP_RED, 6},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.u32 [%rd1+8], %r2;", OP_ATOM, 11},
    };
    for (size_t k = 0; k < LS_ARRAY_LEN(all); k++) {
        struct subject s;
        char body[256];
        snprintf(body, sizeof body, "%s ret;", all[k].body);
        make(&s, body);
        const u32 nth_of = all[k].op == OP_LD; /* the parameter is the first one */
        if (nth(&s, all[k].op, nth_of)->weight != all[k].weight)
            fail_msg("%s: %u", all[k].body, nth(&s, all[k].op, nth_of)->weight);
        drop(&s);
    }
}

/* Instructions that are left of those with that opcode. */
static u32 weight_of_all(const char *body, enum ptx_op op)
{
    struct subject s;
    u32 n = 0;
    make(&s, body);
    for (u32 k = 0; k < s.func->src->ninsts; k++)
        n += s.func->src->insts[k].op == op ? s.e->sites[k].weight : 0;
    drop(&s);
    return n;
}

#define STORE " st.global.u32 [%rd1], %r9; ret;"
static void three_values_are_one_instruction(void **state)
{
    (void)state;
    assert_int_equal(weight_of_all("xor.b32 %r2, %r1, %r3; xor.b32 %r9, %r2, %r4;" STORE, OP_XOR), 1);
    assert_int_equal(
        weight_of_all("xor.b32 %r2, %r1, %r3; xor.b32 %r5, %r2, %r4; xor.b32 %r9, %r5, %r6;" STORE, OP_XOR), 2);
    assert_int_equal(weight_of_all("xor.b32 %r2, %r1, %r3; xor.b32 %r9, %r2, %r2;" STORE, OP_XOR), 2); /* read twice */
    assert_int_equal(weight_of_all("@%p1 xor.b32 %r2, %r1, %r3; xor.b32 %r9, %r2, %r4;" STORE, OP_XOR), 2);
    assert_int_equal(weight_of_all("add.s32 %r2, %r1, %r3; sub.s32 %r9, %r2, %r4;" STORE, OP_ADD), 0);
    assert_int_equal(weight_of_all("shl.b32 %r2, %r3, 2; add.s32 %r9, %r2, %r4;" STORE, OP_SHL), 0);
    assert_int_equal(weight_of_all("shl.b32 %r2, %r3, %r1; add.s32 %r9, %r2, %r4;" STORE, OP_SHL), 1);
    assert_int_equal(
        weight_of_all("add.s32 %r2, %r1, %r3; bar.sync 0; $L: add.s32 %r9, %r2, %r4; setp.eq.s32 %p2, %r9, "
                      "0; @%p2 bra $L;" STORE,
                      OP_ADD),
        2); /* in two blocks */
    static const char two[] = "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd5, %rd2; ret;";
    assert_int_equal(weight_of_all(two, OP_MUL), 0); /* two IMAD.WIDE */
    assert_int_equal(weight_of_all(two, OP_ADD), 2);
    assert_int_equal(weight_of_all("shl.b64 %rd2, %rd3, 2; add.s64 %rd4, %rd1, %rd2; ret;", OP_ADD),
                     2); /* LEA, LEA.HI.X */
#define SUM(mode) "mul" mode ".f32 %f1, %f2, %f3; sub.f32 %f4, %f5, %f1; st.global.f32 [%rd1], %f4; ret;"
    assert_int_equal(weight_of_all(SUM(""), OP_MUL), 0);
    assert_int_equal(weight_of_all(SUM(".rn"), OP_MUL), 1);
}

#define SELECTS "setp.lt.s32 %p2, %r1, %r3; selp.b32 %r2, 3, "
#define CHOSEN(operation, other)                                                                                       \
    "setp.lt.s32 %p2, %r1, %r3; " operation " %f1, %f2, %f3; selp.f32 %f4, %f1, " other                                \
    ", %p2; st.global.f32 [%rd1], %f4; "
#define ONE(one) "setp.lt.f32 %p2, %f2, %f3; selp.f32 %f4, " one ", 0f00000000, %p2; st.global.f32 [%rd1], %f4; ret;"

/* Sums and floats are done under a predicate instead of being selected. */
static void selections_are_parts_of_what_they_choose(void **state)
{
    (void)state;
    assert_int_equal(weight_of_all(SELECTS "-2, %p2; add.s32 %r9, %r4, %r2;" STORE, OP_SELP), 0);
    assert_int_equal(weight_of_all(SELECTS "-2, %p2; add.s32 %r9, %r4, %r2;" STORE, OP_ADD), 2);
    assert_int_equal(weight_of_all(SELECTS "%r5, %p2; add.s32 %r9, %r4, %r2;" STORE, OP_SELP), 1);
    assert_int_equal(weight_of_all(SELECTS "-2, %p2; sub.s32 %r9, %r4, %r2;" STORE, OP_SELP), 1);
    assert_int_equal(weight_of_all(SELECTS "-2, %p2; add.s32 %r9, %r2, %r2;" STORE, OP_SELP), 1); /* read twice */
    assert_int_equal(weight_of_all(SELECTS "-2, %p2; add.s32 %r9, %r4, %r2; min.s32 %r9, %r9, %r5;" STORE, OP_MIN), 1);
    assert_int_equal(weight_of_all(CHOSEN("add.f32", "%f2") "ret;", OP_ADD), 0);
    assert_int_equal(weight_of_all(CHOSEN("add.f32", "%f2") "ret;", OP_SELP), 1);
    assert_int_equal(weight_of_all(CHOSEN("add.f32", "%f2") "st.global.f32 [%rd1], %f2; ret;", OP_ADD), 1);
    assert_int_equal(weight_of_all(CHOSEN("mul.f32", "%f4") "ret;", OP_MUL), 0);
    assert_int_equal(weight_of_all(CHOSEN("min.f32", "%f2") "ret;", OP_MIN), 1);
    assert_int_equal(weight_of_all(ONE("0f3F800000"), OP_SETP), 1); /* the frame has one */
    assert_int_equal(weight_of_all(ONE("0f40000000"), OP_SETP), 2);
}

/* What only addresses are made of is in the accesses; another use needs it. */
static void constants_are_parts_of_addresses(void **state)
{
    (void)state;
    assert_int_equal(
        weight_of_all("add.s64 %rd2, %rd1, 64; ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd2+4], %f1; ret;", OP_ADD),
        0);
    assert_int_equal(weight_of_all("add.s64 %rd2, %rd1, 64; st.global.u64 [%rd2], %rd2; ret;", OP_ADD), 2);
    assert_int_equal(weight_of_all("add.s64 %rd2, %rd1, 16777216; st.global.f32 [%rd2], %f1; ret;", OP_ADD), 2);
    assert_int_equal(weight_of_all("add.s32 %r2, %r1, -16; st.shared.f32 [%r2], %f1; ret;", OP_ADD), 0);
    assert_int_equal(weight_of_all("LOOP: add.s64 %rd1, %rd1, 64; st.global.f32 [%rd1], %f1; bra LOOP;", OP_ADD), 2);
}

/* What machine code for sm_90 shows of kernels that nvcc made. */
static void products_and_modifiers_are_parts(void **state)
{
    (void)state;
#define SCALED "mul.wide.u32 %rd2, %r1, 32; shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;"
    assert_int_equal(weight_of_all(SCALED " ret;", OP_MUL), 0); /* one IMAD.WIDE by 128 */
    assert_int_equal(weight_of_all(SCALED " ret;", OP_SHL), 0);
    assert_int_equal(weight_of_all(SCALED " ret;", OP_ADD), 1);
    assert_int_equal(weight_of_all(SCALED " st.global.u64 [%rd1], %rd2; ret;", OP_MUL), 1); /* read twice */
#define FACTOR                                                                                                         \
    "mul.lo.s32 %r2, %r1, %r3; bar.sync 0; @%p1 bra $L; bar.sync 0; add.s32 %r4, %r2, %r1;\n$L: add.s32 %r5, %r2, "    \
    "%r3;"
    assert_int_equal(weight_of_all(FACTOR " ret;", OP_MUL), 0); /* two IMAD, in other blocks */
    assert_int_equal(weight_of_all(FACTOR " ret;", OP_ADD), 2);
    assert_int_equal(weight_of_all(FACTOR " st.global.u32 [%rd1], %r2; ret;", OP_MUL), 1);
    static const char sums[] = "mul.lo.s64 %rd2, %rd3, %rd4; add.s64 %rd5, %rd1, %rd2; add.s64 %rd6, %rd7, %rd2; ret;";
    assert_int_equal(weight_of_all(sums, OP_MUL), 2);
    assert_int_equal(weight_of_all(sums, OP_ADD), 4);
    assert_int_equal(weight_of_all("mul.lo.s64 %rd2, %rd3, %rd4; st.global.u64 [%rd1], %rd2; ret;", OP_MUL), 4);
#define HALVES "mul.hi.u32 %r2, %r1, %r3; xor.b32 %r4, %r2, %r1; mul.lo.s32 %r5, %r3, "
    assert_int_equal(weight_of_all(HALVES "%r1; ret;", OP_MUL), 1); /* one IMAD.WIDE */
    assert_int_equal(weight_of_all(HALVES "%r4; ret;", OP_MUL), 2);
    assert_int_equal(weight_of_all("mov.b32 %r3, -3; mul.hi.u32 %r2, %r1, %r3; mul.lo.s32 %r5, %r1, -3; ret;", OP_MUL),
                     1);
    assert_int_equal(weight_of_all("shr.u64 %rd2, %rd1, 32; ret;", OP_SHR), 0);
    assert_int_equal(weight_of_all("shr.u64 %rd2, %rd1, 59; ret;", OP_SHR), 1);
    assert_int_equal(weight_of_all("shr.u64 %rd2, %rd1, 18; ret;", OP_SHR), 2);
    assert_int_equal(weight_of_all("shr.s64 %rd2, %rd1, 32; ret;", OP_SHR), 2);
#define SATURATED "fma.rn.f32 %f1, %f2, %f3, %f4; cvt.sat.f32.f32 %f5, %f1; st.global.f32 [%rd1], %f5;"
    assert_int_equal(weight_of_all(SATURATED " ret;", OP_CVT), 0); /* FFMA.SAT */
    assert_int_equal(weight_of_all(SATURATED " st.global.f32 [%rd1], %f1; ret;", OP_CVT), 1);
    assert_int_equal(
        weight_of_all("ld.global.f32 %f1, [%rd1]; cvt.sat.f32.f32 %f5, %f1; st.global.f32 [%rd1], %f5; ret;", OP_CVT),
        1);
}

/* ---- copies ---- */

enum { HEAD = 3 }; /* what the first move weighs: a kernel's head, and %tid.x */

/* Copies in a loop, of %r2 to %r9, that have to stay. */
static u32 copies_in(const char *loop)
{
    struct subject s;
    char text[1024];
    u32 n = 0;
    snprintf(text, sizeof text,
             "ld.global.u32 %%r2, [%%rd1]; ld.global.u32 %%r3, [%%rd1+4];\nLOOP: %s\n"
             "setp.ne.s32 %%p2, %%r2, %%r1; @%%p2 bra LOOP; st.global.u32 [%%rd1], %%r3; ret;",
             loop);
    make(&s, text);
    for (u32 k = 0; k < s.func->src->ninsts; k++)
        n += s.e->sites[k].copy;
    drop(&s);
    return n;
}

/* Two registers are one unless one is written while the other one's value is still wanted. */
static void copies_stay_where_both_values_are_wanted(void **state)
{
    (void)state;
    assert_int_equal(copies_in("add.s32 %r4, %r2, 1; mov.u32 %r2, %r4;"), 0);
    assert_int_equal(copies_in("mov.u32 %r4, %r2; mov.u32 %r2, %r3; mov.u32 %r3, %r4;"), 3); /* they change places */
    assert_int_equal(copies_in("mov.u32 %r4, %r2; xor.b32 %r2, %r4, 5; st.global.u32 [%rd1], %r4;"), 1);
    assert_int_equal(copies_in("mov.u32 %r4, %r2; xor.b32 %r2, %r4, 5; st.global.u32 [%rd1], %r2;"), 0);
}

/* A constant is an operand, but where its register has other values, too; CS2R sets two registers to 0. */
static void constants_of_changing_registers_are_made(void **state)
{
    (void)state;
#define LATER "LOOP: add.s32 %r9, %r9, %r8; add.s32 %r8, %r8, 3; setp.ne.s32 %p2, %r8, %r1; @%p2 bra LOOP;" STORE
    struct subject s;
    make(&s, "mov.u32 %r9, 7; mov.u32 %r8, 8;" LATER);
    assert_true(nth(&s, OP_MOV, 1)->copy && nth(&s, OP_MOV, 2)->copy);
    drop(&s);
    assert_int_equal(weight_of_all("mov.u32 %r9, 7; mov.u32 %r8, 8;" LATER, OP_MOV), HEAD + 2);
    assert_int_equal(weight_of_all("mov.u32 %r9, 0; mov.u32 %r8, %r9;" LATER, OP_MOV), HEAD + 1);
    make(&s, "mov.u32 %r8, 7; add.s32 %r9, %r1, %r8;" STORE);
    assert_false(nth(&s, OP_MOV, 1)->copy);
    drop(&s);
}

/* ---- shared variables ---- */

/* From compute capability 9.0 on: S2R, MOV and LEA; of a second variable in the block two more; in front of a loop. */
static void addresses_of_shared_variables_are_made(void **state)
{
    (void)state;
#define PUT "st.shared.u32 [%r2], %r1; "
    assert_int_equal(weight_of_all("mov.u32 %r2, tile; " PUT "ret;", OP_MOV), HEAD + 3);
    assert_int_equal(weight_of_all("mov.u32 %r2, tile; " PUT "mov.u32 %r2, tile; " PUT "ret;", OP_MOV), HEAD + 3);
    assert_int_equal(weight_of_all("mov.u32 %r2, tile; " PUT "mov.u32 %r2, dynamic; " PUT "ret;", OP_MOV),
                     HEAD + 3 + 2);
    assert_int_equal(weight_of_all("bar.sync 0; LOOP: mov.u32 %r2, tile; " PUT "add.s32 %r1, %r1, 1; "
                                   "setp.lt.s32 %p2, %r1, 99; @%p2 bra LOOP; ret;",
                                   OP_MOV),
                     HEAD);
    assert_int_equal(weight_of_all("st.shared.u32 [tile], %r1; st.shared.u32 [tile+64], %r1; ret;", OP_ST), 2 + 3);
}

/* ---- merging ---- */

/* How many shared loads a warp runs after merging: those that do not follow another. */
static u32 loads_left(const struct subject *s, enum ptx_op op)
{
    u32 n = 0;
    for (u32 k = 0; k < s->func->src->ninsts; k++)
        n += s->func->src->insts[k].op == op && s->func->src->insts[k].space == SPACE_SHARED && !s->e->sites[k].follows;
    return n;
}

static u32 left_of(const char *body, enum ptx_op op)
{
    struct subject s;
    make(&s, body);
    const u32 n = loads_left(&s, op);
    drop(&s);
    return n;
}

/* LDC.64: of constants at places that are not known. */
static void neighbouring_constants_are_loaded_in_pairs(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u64 %rd2, table; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd2, %rd3; ld.const.f32 %f1, [%rd4];\n"
             "ld.const.f32 %f2, [%rd4+4]; ld.const.f32 %f3, [%rd4+8]; ld.const.f32 %f4, [%rd4+12]; ret;");
    assert_int_equal(nth(&s, OP_LD, 1)->width, 8);
    assert_true(nth(&s, OP_LD, 2)->follows && !nth(&s, OP_LD, 3)->follows && nth(&s, OP_LD, 4)->follows);
    drop(&s);
}

/* The H200 ran 40 shared loads a warp for 32 steps of a tiled product: 8 of 16 bytes for a row of A, 32 for a column of B. */
static void a_row_of_a_tile_is_loaded_in_eight(void **state)
{
    (void)state;
    static char body[8192];
    strcpy(
        body,
        "mov.u32 %r2, tile; shl.b32 %r3, %r1, 7; add.s32 %r4, %r2, %r3; shl.b32 %r5, %r1, 2; add.s32 %r6, %r2, %r5;");
    for (int k = 0; k < 32; k++) {
        char step[128];
        snprintf(step, sizeof step,
                 "ld.shared.f32 %%f1, [%%r4+%d]; ld.shared.f32 %%f2, [%%r6+%d]; fma.rn.f32 %%f3, %%f1, %%f2, %%f3;",
                 4 * k, 128 * k);
        strcat(body, step);
    }
    strcat(body, "st.global.f32 [%rd1], %f3; ret;");
    assert_int_equal(left_of(body, OP_LD), 40);
}

#define TWO(a, b) "mov.u32 %r2, tile; shl.b32 %r3, %r1, 3; add.s32 %r4, %r2, %r3; " a " " b " ret;"
static void pairs_need_known_alignment_and_nothing_between(void **state)
{
    (void)state;
    assert_int_equal(left_of(TWO("ld.shared.u32 %r10, [%r4];", "ld.shared.u32 %r11, [%r4+4];"), OP_LD), 1);
    assert_int_equal(left_of(TWO("ld.shared.u32 %r11, [%r4+4];", "ld.shared.u32 %r10, [%r4];"), OP_LD), 1);
    assert_int_equal(left_of(TWO("ld.shared.u32 %r10, [%r4+4];", "ld.shared.u32 %r11, [%r4+8];"), OP_LD), 2);
    assert_int_equal(left_of(TWO("ld.shared.u32 %r10, [%r4];", "ld.shared.u32 %r11, [%r4+8];"), OP_LD), 2);
    assert_int_equal(
        left_of(TWO("ld.volatile.shared.u32 %r10, [%r4];", "ld.volatile.shared.u32 %r11, [%r4+4];"), OP_LD), 2);
    assert_int_equal(
        left_of(TWO("ld.shared.u32 %r10, [%r4]; st.shared.u32 [tile], %r10;", "ld.shared.u32 %r11, [%r4+4];"), OP_LD),
        2);
    assert_int_equal(left_of(TWO("ld.shared.u32 %r10, [%r4]; bar.sync 0;", "ld.shared.u32 %r11, [%r4+4];"), OP_LD), 2);
    assert_int_equal(left_of(TWO("@%p1 ld.shared.u32 %r10, [%r4];", "ld.shared.u32 %r11, [%r4+4];"), OP_LD), 2);
    assert_int_equal(left_of(TWO("st.shared.u32 [%r4], %r1;", "st.shared.u32 [%r4+4], %r1;"), OP_ST), 1);
    assert_int_equal(left_of(TWO("st.shared.u8 [%r4], %r1;", "st.shared.u8 [%r4+1], %r1;"), OP_ST), 2);
    /* lanes 4 bytes apart: only 4 are known */
    assert_int_equal(left_of("mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3; ld.shared.u32 %r10, [%r4];"
                             "ld.shared.u32 %r11, [%r4+4]; ret;",
                             OP_LD),
                     2);
    /* memory that the launch adds is aligned as declared */
    assert_int_equal(left_of("ld.shared.u32 %r10, [dynamic]; ld.shared.u32 %r11, [dynamic+4]; ret;", OP_LD), 2);
    assert_int_equal(left_of("ld.shared.u32 %r10, [tile]; ld.shared.u32 %r11, [tile+4]; ret;", OP_LD), 1);
}

static void the_leader_is_as_wide_as_all(void **state)
{
    (void)state;
    struct subject s;
    make(&s, TWO("ld.shared.u32 %r11, [%r4+4];", "ld.shared.u32 %r10, [%r4];"));
    assert_int_equal(nth(&s, OP_LD, 2)->width, 8); /* the first load is the parameter's */
    assert_false(nth(&s, OP_LD, 2)->follows);
    assert_true(nth(&s, OP_LD, 1)->follows);
    drop(&s);
}

/* ---- classes ---- */

static void operations_are_classed(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "add.f32 %f1, %f2, %f3; sub.f64 %fd1, %fd2, %fd3; mul.f32 %f1, %f2, %f3; fma.rn.f64 %fd1, %fd2, %fd3, %fd1;"
         "add.f16x2 %r2, %r3, %r4; add.s32 %r2, %r3, %r4; cvt.rn.f32.s32 %f1, %r2; shfl.sync.down.b32 %r5, %r2, 1, 31, "
         "-1;"
         "and.b32 %r6, %r2, %r5; popc.b32 %r7, %r6; st.global.u32 [%rd1], %r6; ret;");
    assert_int_equal(nth(&s, OP_ADD, 0)->flop, EVENT_fadd);
    assert_int_equal(nth(&s, OP_ADD, 0)->event, EVENT_fp32);
    assert_int_equal(nth(&s, OP_SUB, 0)->flop, EVENT_dadd);
    assert_int_equal(nth(&s, OP_MUL, 0)->flop, EVENT_fmul);
    assert_int_equal(nth(&s, OP_FMA, 0)->flop, EVENT_dfma);
    assert_int_equal(nth(&s, OP_ADD, 1)->flop, EVENT_hadd);
    assert_int_equal(nth(&s, OP_ADD, 1)->flops, 2);
    assert_int_equal(nth(&s, OP_ADD, 2)->flops, 0);
    assert_int_equal(nth(&s, OP_ADD, 2)->event, EVENT_integer);
    assert_int_equal(nth(&s, OP_CVT, 0)->event, EVENT_conversion);
    assert_int_equal(nth(&s, OP_SHFL, 0)->event, EVENT_exchange);
    assert_int_equal(nth(&s, OP_AND, 0)->event, EVENT_integer);
    assert_int_equal(nth(&s, OP_POPC, 0)->event, EVENT_bit);
    assert_int_equal(nth(&s, OP_ST, 0)->event, EVENT_memory);
    assert_int_equal(nth(&s, OP_ST, 0)->access, EVENT_gst_inst);
    assert_int_equal(nth(&s, OP_RET, 0)->event, EVENT_control);
    drop(&s);
}

static void atomics_are_told_apart(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "atom.global.add.u32 %r2, [%rd1], 1; atom.global.add.u32 %r3, [%rd1], 1; red.global.add.u32 [%rd1], %r3;"
             "atom.shared.add.f32 %f1, [tile], 0f3F800000; atom.shared.add.u32 %r4, [tile], 1;"
             "atom.shared.add.u64 %rd2, [tile], 1; atom.shared.cas.b64 %rd3, [tile], 1, 2; ret;");
    assert_true(nth(&s, OP_ATOM, 0)->unused); /* %r2 is never read */
    assert_int_equal(nth(&s, OP_ATOM, 0)->access, EVENT_gred_inst);
    assert_false(nth(&s, OP_ATOM, 1)->unused);
    assert_int_equal(nth(&s, OP_ATOM, 1)->access, EVENT_gatom_inst);
    assert_true(nth(&s, OP_RED, 0)->unused);
    assert_true(nth(&s, OP_ATOM, 2)->loops);
    assert_false(nth(&s, OP_ATOM, 3)->loops);
    assert_true(nth(&s, OP_ATOM, 4)->loops);
    assert_false(nth(&s, OP_ATOM, 5)->loops);
    drop(&s);
}

/* The figures are ptxas's (CUDA 13.0, sm_90). */
static void matrix_instructions_are_what_ptxas_makes(void **unused)
{
    (void)unused;
    struct subject s;
#define E8 "{%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}"
#define E4 "{%r2,%r3,%r4,%r5}"
    make(&s, "wmma.load.a.sync.aligned.col.m32n8k16.global.f16 " E8 ", [%rd1], %r1;\n"
             "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " E8 ", [tile], %r1;\n"
             "wmma.load.a.sync.aligned.col.m16n16k16.global.u8 {%r2,%r3}, [%rd1], %r1;\n"
             "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], " E8 ", %r1;\n"
             "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " E4 ", [tile];\n"
             "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " E8 ", " E8 ", " E8 ", " E8 ";\n"
             "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 " E8 ", " E4 ", " E4 ", " E8 ";\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " E4 ", " E4 ", {%r6,%r7}, " E4 ";\n"
             "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r2,%r3}, {%r4}, {%r5}, {%r6,%r7};\nret;");
    const u32 accesses[] = {8, 1, 8};
    for (u32 k = 0; k < LS_ARRAY_LEN(accesses); k++)
        assert_int_equal(nth(&s, OP_WMMA_LOAD, k)->accesses, accesses[k]);
    assert_int_equal(nth(&s, OP_WMMA_LOAD, 0)->access, EVENT_gld_inst);
    assert_int_equal(nth(&s, OP_WMMA_LOAD, 1)->access, EVENT_sld_inst);
    assert_int_equal(nth(&s, OP_WMMA_STORE, 0)->accesses, 4);
    assert_int_equal(nth(&s, OP_WMMA_STORE, 0)->access, EVENT_gst_inst);
    assert_int_equal(nth(&s, OP_LDMATRIX, 0)->accesses, 1);
    assert_int_equal(nth(&s, OP_WMMA_LOAD, 0)->products, 0);
    assert_int_equal(nth(&s, OP_WMMA_MMA, 0)->products, 2);
    assert_int_equal(nth(&s, OP_WMMA_MMA, 1)->products, 4);
    assert_int_equal(nth(&s, OP_MMA, 0)->products, 1);
    assert_int_equal(nth(&s, OP_MMA, 1)->products, 2);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_that_need_no_branch_are_none),
        cmocka_unit_test(short_forward_bodies_are_predicated),
        cmocka_unit_test(other_bodies_stay_behind_a_branch),
        cmocka_unit_test(loads_that_need_no_other_go_together),
        cmocka_unit_test(one_lane_does_atomics_at_one_place),
        cmocka_unit_test(ten_instructions_are_the_limit),
        cmocka_unit_test(parts_of_a_warp_meet_behind_branches_that_stay),
        cmocka_unit_test(a_branch_to_a_bare_ret_is_an_exit),
        cmocka_unit_test(a_predicated_body_counts_as_its_branch),
        cmocka_unit_test(neighbouring_constants_are_loaded_in_pairs),
        cmocka_unit_test(an_instruction_weighs_what_it_becomes),
        cmocka_unit_test(three_values_are_one_instruction),
        cmocka_unit_test(selections_are_parts_of_what_they_choose),
        cmocka_unit_test(constants_are_parts_of_addresses),
        cmocka_unit_test(products_and_modifiers_are_parts),
        cmocka_unit_test(copies_stay_where_both_values_are_wanted),
        cmocka_unit_test(constants_of_changing_registers_are_made),
        cmocka_unit_test(addresses_of_shared_variables_are_made),
        cmocka_unit_test(a_row_of_a_tile_is_loaded_in_eight),
        cmocka_unit_test(pairs_need_known_alignment_and_nothing_between),
        cmocka_unit_test(the_leader_is_as_wide_as_all),
        cmocka_unit_test(operations_are_classed),
        cmocka_unit_test(atomics_are_told_apart),
        cmocka_unit_test(matrix_instructions_are_what_ptxas_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
