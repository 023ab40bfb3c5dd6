/* test_pressure.c - registers that estimated machine code takes: what is live (lives.c), what is taken while nodes are issued (pressure.c),
 * and what a kernel is expected to have (code_registers). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lowered.h"
#include "meter/code/estimate/nodes.h"
#include "meter/code/make_code.h"

/* ---- kernels ---- */

struct subject {
    struct ptx_module *mod;
    const struct ir_func *func;
    struct arena mem;
    struct gpu gpu;
    struct estimate *e;
};

/* directives: of the kernel, behind its parameters. */
static void make_with(struct subject *s, const char *directives, const char *body)
{
    static const char frame[] = ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func called();\n"
                                ".visible .entry k(.param .u64 p, .param .u32 n)\n%s\n{\n"
                                ".reg .pred %%p<19>;\n.reg .b32 %%r<199>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<199>;\n"
                                "mov.u32 %%r1, %%tid.x;\nld.param.u64 %%rd1, [p];\nld.param.u32 %%r2, [n];\n%s\n}\n";
    static char text[1 << 15];
    const int n = snprintf(text, sizeof text, frame, directives, body);
    struct diag_list d;
    assert_in_range(n, 1, sizeof text - 1);
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &s->gpu, &d), LS_OK);
    if (ptx_parse(text, (size_t)n, "test.ptx", &s->mod, &d) != LS_OK)
        fail_msg("%s", d.first ? d.first->text : "no memory");
    diag_free(&d);
    s->mem = (struct arena)ARENA("test");
    if (setjmp(s->mem.oom))
        fail();
    s->func = ir_lower(&s->mem, s->mod, ptx_find_func(s->mod, "k"), &lowered_target);
    s->e = estimate_make(&s->mem, s->func, s->gpu.cc_major, NULL);
}

static void make(struct subject *s, const char *body) { make_with(s, "", body); }

static void drop(struct subject *s)
{
    arena_free(&s->mem);
    ptx_free(s->mod);
}

static u32 registers_with(const char *directives, const char *body)
{
    struct subject s;
    make_with(&s, directives, body);
    const u32 n = code_registers(&s.gpu, s.func);
    drop(&s);
    return n;
}

static u32 registers_of(const char *body) { return registers_with("", body); }

static u32 reg(struct subject *s, const char *name)
{
    for (u32 r = 0; r < s->func->src->nregs; r++)
        if (strcmp(s->func->src->regs[r]->name, name) == 0)
            return r;
    fail_msg("no %s", name);
    return 0;
}

static u32 width(struct subject *s, const char *name)
{
    return lives_make(&s->mem, s->func, s->e)->width[reg(s, name)];
}

/* n loads from places that follow each other, then a store of each; together: all loads first. */
static const char *many_loads(u32 n, bool together)
{
    static char text[1 << 14];
    char *to = text + sprintf(text, "mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;\n");
    for (u32 k = 0; k < n; k++) {
        to += sprintf(to, "ld.global.nc.f32 %%f%u, [%%rd3+%u];\n", k, k * 512);
        if (!together)
            to += sprintf(to, "st.global.f32 [%%rd3+%u], %%f%u;\n", 4096 * 512 + k * 512, k);
    }
    for (u32 k = 0; k < n && together; k++)
        to += sprintf(to, "st.global.f32 [%%rd3+%u], %%f%u;\n", 4096 * 512 + k * 512, k);
    strcpy(to, "ret;");
    return text;
}

/* ---- what a value takes ---- */

static void what_is_the_same_in_all_lanes_takes_none(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, 7; add.s32 %r5, %r4, %r1; mov.u32 %r6, 0;\n"
             "setp.eq.u32 %p1, %r5, 3; cvt.s64.s32 %rd2, %r5; add.s64 %rd3, %rd1, %rd2; mov.b64 %rd4, %rd3;\n"
             "LOOP: st.global.u32 [%rd4], %r6; add.s32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r2; @%p2 bra LOOP; ret;");
    assert_int_equal(width(&s, "%r2"), 0);
    assert_int_equal(width(&s, "%r4"), 0);
    assert_int_equal(width(&s, "%rd1"), 0);
    assert_int_equal(width(&s, "%r1"), 1);
    assert_int_equal(width(&s, "%r5"), 1);
    assert_int_equal(width(&s, "%r6"), 1); /* it is stored */
    assert_int_equal(width(&s, "%p1"), 0);
    assert_int_equal(width(&s, "%rd2"), 0); /* a sum takes %r5 */
    assert_int_equal(width(&s, "%rd3"), 2);
    drop(&s);
}

/* A loop's counter in %r6, which `body` reads, up to `end`: what it takes. */
static u32 counter_width(const char *body, const char *end)
{
    char text[1024];
    struct subject s;
    snprintf(text, sizeof text,
             "mov.u32 %%r6, 0; mov.u32 %%r9, 0; setp.lt.u32 %%p3, %%r1, 7;\n.pragma \"nounroll\";\nLOOP: bar.sync 0; "
             "mad.lo.s32 %%r7, %%r6, "
             "%%r1, %%r6; %s\n"
             "xor.b32 %%r9, %%r9, %%r7; add.s32 %%r6, %%r6, 1; setp.lt.s32 %%p1, %%r6, %s; @%%p1 bra LOOP;\n"
             "st.global.u32 [%%rd1], %%r9; ret;",
             body, end);
    make(&s, text);
    const u32 w = width(&s, "%r6");
    drop(&s);
    return w;
}

static void a_counter_is_in_a_uniform_register(void **state)
{
    (void)state;
    assert_int_equal(counter_width("", "%r2"), 0);
    assert_int_equal(counter_width("", "77"), 1);  /* compared with a constant */
    assert_int_equal(counter_width("", "%r1"), 1); /* lanes leave the loop one by one */
    assert_int_equal(counter_width("@%p3 add.s32 %r6, %r6, 1;", "%r2"), 1);
    assert_int_equal(counter_width("st.global.u32 [%rd1+4], %r6;", "%r2"), 1);
    assert_int_equal(counter_width("and.b32 %r8, %r6, 1; setp.eq.s32 %p2, %r8, 0;", "%r2"), 1);
    assert_int_equal(counter_width("and.b32 %r8, %r6, 1; setp.eq.s32 %p2, %r8, %r2;", "%r2"), 0);
    assert_int_equal(counter_width("call.uni called, ();", "%r2"), 1);
    assert_int_equal(counter_width("@%p3 bra OVER; st.global.u32 [%rd1+4], %r7; bar.warp.sync 3;\nOVER:", "%r2"), 0);
    assert_int_equal(counter_width("@%p3 bra OVER; add.s32 %r6, %r6, 2; bar.warp.sync 3;\nOVER:", "%r2"), 1);
}

/* A whole loop runs in some lanes only, which is all the same to it; but not in a loop that lanes leave one by one. */
static void a_counter_may_be_where_lanes_have_parted(void **state)
{
    (void)state;
    static const char *const around[2][2] = {
        {"setp.lt.u32 %p2, %r1, 7; @%p2 bra END;", ""},
        {"mov.u32 %r8, %r1;\nOUTER: add.s32 %r8, %r8, 9;", "setp.lt.u32 %p2, %r8, %r2; @%p2 bra OUTER;"}};
    for (u32 k = 0; k < 2; k++) {
        char text[1024];
        struct subject s;
        snprintf(text, sizeof text,
                 "mov.u32 %%r9, 0; %s mov.u32 %%r6, 0;\nLOOP: bar.warp.sync 3; mad.lo.s32 %%r7, %%r6, %%r1, %%r6;\n"
                 "xor.b32 %%r9, %%r9, %%r7; add.s32 %%r6, %%r6, 1; setp.lt.s32 %%p1, %%r6, %%r2; @%%p1 bra LOOP;\n%s\n"
                 "st.global.u32 [%%rd1], %%r9;\nEND: ret;",
                 around[k][0], around[k][1]);
        make(&s, text);
        assert_int_equal(width(&s, "%r6"), k);
        drop(&s);
    }
}

/* What has become a part of accesses has no register; what it is made of is there instead. */
static void a_part_of_an_address_takes_none(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, 64; st.global.u32 [%rd3], %r1;\n"
             "bar.sync 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra SKIP; st.global.u32 [%rd4], %r1; bar.sync 0;\nSKIP: ret;");
    const struct lives *l = lives_make(&s.mem, s.func, s.e);
    assert_int_equal(l->width[reg(&s, "%rd4")], 0);
    assert_int_equal(l->width[reg(&s, "%rd3")], 2);
    assert_true(lives_has(lives_into(l, 1), reg(&s, "%rd3")));
    drop(&s);
}

/* Nor has an offset that is a part of sums. */
static void a_part_of_a_sum_takes_none(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "mul.wide.u32 %rd2, %r1, 4; mul.lo.s32 %r3, %r1, %r1; bar.sync 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra SKIP;\n"
         "add.s64 %rd3, %rd1, %rd2; add.s32 %r4, %r3, %r2; st.global.u32 [%rd3], %r4; bar.sync 0;\nSKIP: ret;");
    const struct lives *l = lives_make(&s.mem, s.func, s.e);
    assert_int_equal(l->width[reg(&s, "%rd2")], 0);
    assert_int_equal(l->width[reg(&s, "%r3")], 0);
    assert_true(lives_has(lives_into(l, 1), reg(&s, "%r1")));
    drop(&s);
}

/* Values that are made of each other have registers. */
static void parts_in_a_circle_end(void **state)
{
    (void)state;
    struct subject s;
    make(
        &s,
        "LOOP: cvt.s64.s32 %rd3, %rd4; add.s32 %r3, %r3, 1; cvt.s64.s32 %rd4, %rd3; cvt.s64.s32 %rd5, %rd5; bra LOOP;");
    assert_non_null(code_from_ptx(&s.mem, &s.gpu, s.func, estimate_make(&s.mem, s.func, 9, NULL)));
    drop(&s);
}

/* The lower half of what is made 64 bits long is the value itself; the upper one is another register where a product needs it. */
static void a_longer_value_is_the_same(void **state)
{
    (void)state;
    static const char *const made[3] = {"u64.u32", "s64.s32", "s64.s32"}, *const read[3] = {
                                                                              "mul.lo.s64 %rd3, %rd2, %rd1;",
                                                                              "add.s64 %rd3, %rd2, %rd1;",
                                                                              "mul.lo.s64 %rd3, %rd2, %rd1;"};
    for (u32 k = 0; k < 3; k++) {
        struct subject s;
        char text[1024];
        snprintf(
            text, sizeof text,
            "add.s32 %%r3, %%r1, %%r2; cvt.%s %%rd2, %%r3; bar.sync 0; setp.eq.u32 %%p1, %%r2, 0; @%%p1 bra SKIP;\n"
            "%s st.global.u32 [%%rd3], %%r2; bar.sync 0;\nSKIP: ret;",
            made[k], read[k]);
        make(&s, text);
        const struct lives *l = lives_make(&s.mem, s.func, s.e);
        assert_int_equal(l->width[reg(&s, "%rd2")], k == 2);
        assert_true(lives_has(lives_into(l, 1), reg(&s, "%r3")));
        drop(&s);
    }
}

/* wmma.load fills eight registers with the halves of four. */
static void a_factor_of_a_product_is_there_once(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.f32 %f1, 0f00000000; wmma.load.a.sync.aligned.row.m16n16k16.f16 "
             "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%rd1], %r2;\n"
             "wmma.load.b.sync.aligned.row.m16n16k16.f16 {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, [%rd1], %r2;\n"
             "wmma.load.a.sync.aligned.row.m32n8k16.f16 {%r30,%r31,%r32,%r33,%r34,%r35,%r36,%r37}, [%rd1], %r2;\n"
             "wmma.load.b.sync.aligned.row.m32n8k16.f16 {%r40,%r41,%r42,%r43,%r44,%r45,%r46,%r47}, [%rd1], %r2; ret;");
    const struct lives *l = lives_make(&s.mem, s.func, s.e);
    static const u32 once[4] = {4, 4, 8, 2};
    for (u32 k = 0; k < 4; k++)
        for (u32 r = 0; r < 8; r++) {
            char name[8];
            snprintf(name, sizeof name, "%%r%u", 10 * (k + 1) + r);
            assert_int_equal(l->width[reg(&s, name)], r < once[k]);
        }
    drop(&s);
}

static void a_value_is_live_to_its_last_use(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "add.s32 %r3, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra SKIP; add.s32 %r4, %r3, %r1;\n"
             "@%p1 mov.u32 %r5, %r4; st.global.u32 [%rd1], %r5;\nSKIP: st.global.u32 [%rd1+4], %r3; ret;");
    const struct lives *l = lives_make(&s.mem, s.func, s.e);
    const u32 skip = s.func->block_of_site[s.func->src->labels[0]->at];
    assert_true(lives_has(lives_into(l, skip), reg(&s, "%r3")));
    assert_true(lives_has(lives_into(l, skip), reg(&s, "%rd1")));
    assert_false(lives_has(lives_into(l, skip), reg(&s, "%r1")));
    assert_true(lives_has(lives_into(l, 1), reg(&s, "%r1")));
    assert_true(lives_has(lives_into(l, 1), reg(&s, "%r5"))); /* lanes that the guard keeps out read it */
    assert_false(lives_has(lives_into(l, 0), reg(&s, "%r3")));
    drop(&s);
}

/* ---- kernels ---- */

static void few_values_take_the_least(void **state)
{
    (void)state;
    assert_int_equal(registers_of("st.global.u32 [%rd1], %r1; ret;"), 16);
}

/* As many as let an SM hold all warps are not passed by loads that only come forward; what is there at once is. */
static void loads_come_forward_while_there_are_registers(void **state)
{
    (void)state;
    assert_in_range(registers_of(many_loads(60, false)), 28, 32);
    assert_in_range(registers_of(many_loads(60, true)), 62, 72);
}

static void loads_wait_for_registers(void **state)
{
    (void)state;
    struct subject s;
    make(&s, many_loads(60, false));
    const struct replay_code *c = code_from_ptx(&s.mem, &s.gpu, s.func, estimate_make(&s.mem, s.func, 9, NULL));
    u32 taken = 0, most = 0;
    for (u32 k = 0; k < c->blocks[0].programs[0].n; k++) {
        const struct replay_inst *i = &c->blocks[0].programs[0].insts[k];
        const enum ptx_op op = i->op == REPLAY_MEMORY ? (enum ptx_op)s.func->src->insts[i->site].op : PTX_OP_NONE;
        taken += op == OP_LD;
        taken -= op == OP_ST;
        most = taken > most ? taken : most;
    }
    assert_in_range(most, 24, 30);
    drop(&s);
}

/* A body's results go where the value was that they replace. */
static void a_body_takes_no_other_register(void **state)
{
    (void)state;
    char text[1 << 14], *to = text;
    for (u32 k = 10; k < 40; k++)
        to += sprintf(to, "xor.b32 %%r%u, %%r1, %u;\n", k, k);
    to += sprintf(to, "setp.eq.u32 %%p1, %%r1, 3; @%%p1 bra BEHIND;\n");
    for (u32 k = 10; k < 16; k++)
        to += sprintf(to, "mul.lo.s32 %%r%u, %%r%u, %%r1;\n", k, k);
    to += sprintf(to, "BEHIND:\n");
    for (u32 k = 10; k < 40; k++)
        to += sprintf(to, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * k, k);
    strcpy(to, "ret;");
    assert_in_range(registers_of(text), 32, 40);
}

/* Of a division, while the other values are there. */
static void a_slow_path_has_registers_of_its_own(void **state)
{
    (void)state;
    char text[1 << 14];
    for (u32 divides = 0; divides < 2; divides++) {
        char *to = text;
        for (u32 k = 10; k < 50; k++)
            to += sprintf(to, "ld.global.f32 %%f%u, [%%rd1+%u];\n", k, 4 * k);
        to += sprintf(to, "%s %%f1, %%f10, %%f11;\n", divides ? "div.rn.f32" : "mul.f32");
        for (u32 k = 10; k < 50; k++)
            to += sprintf(to, "add.f32 %%f1, %%f1, %%f%u;\n", k);
        strcpy(to, "st.global.f32 [%rd1], %f1; ret;");
        assert_in_range(registers_of(text), divides ? 50 : 40, divides ? 56 : 48);
    }
}

/* Comparisons that are there in a loop: each, or all of them as one. */
static u32 registers_of_comparisons(bool joined)
{
    enum { N = 12, FIRST = 10, LAST = 45 };
    char text[1 << 14], *to = text;
    for (u32 k = FIRST; k < LAST; k++)
        to += sprintf(to, "ld.global.f32 %%f%u, [%%rd1+%u];\n", k, 4 * k);
    for (u32 k = 0; k < N; k++) {
        to += sprintf(to, "setp.gt.f32 %%p%u, %%f%u, 0f00000000;\n", k, FIRST + k);
        if (joined && k)
            to += sprintf(to, "or.pred %%p0, %%p0, %%p%u;\n", k);
    }
    to += sprintf(to, "LOOP: bar.sync 0; add.s32 %%r1, %%r1, 1; setp.lt.u32 %%p18, %%r1, 99; @%%p18 bra LOOP;\n");
    for (u32 k = 0; k < N; k++)
        to += sprintf(to, "@%%p%u neg.f32 %%f%u, %%f%u;\n", joined ? 0 : k, FIRST + k, FIRST + k);
    for (u32 k = FIRST; k < LAST; k++)
        to += sprintf(to, "st.global.f32 [%%rd1+%u], %%f%u;\n", 4 * k, k);
    strcpy(to, "ret;");
    return registers_of(text);
}

static void more_than_seven_predicates_take_registers(void **state)
{
    (void)state;
    assert_in_range(registers_of_comparisons(true), 39, 42);
    assert_in_range(registers_of_comparisons(false), 44, 47);
}

/* What is there over a call of a function outside, and n values with it. */
static u32 registers_over_call(u32 n)
{
    char text[1 << 14], *to = text + sprintf(text, "st.global.u32 [%%rd1], %%r1;\n");
    for (u32 k = 0; k < n; k++)
        to += sprintf(to, "ld.global.f32 %%f%u, [%%rd1+%u];\n", k, 4 * k);
    to += sprintf(to, "call.uni called, ();\n");
    for (u32 k = 0; k < n; k++)
        to += sprintf(to, "st.global.f32 [%%rd1+%u], %%f%u;\n", 4 * k, k);
    strcpy(to, "ret;");
    return registers_of(text);
}

static void a_call_has_registers_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(registers_over_call(0), 24);
    assert_in_range(registers_over_call(14), 14 + 19, 14 + 22);
    assert_in_range(registers_over_call(30), 30 + 19, 30 + 26);
}

/* A thread has no more than directives leave it: of a block's threads, of blocks an SM, or as they say. */
static u32 registers_left(const char *directives) { return registers_with(directives, many_loads(100, true)); }

static void directives_leave_so_many(void **state)
{
    (void)state;
    assert_in_range(registers_left(""), 105, 128);
    assert_in_range(registers_left(".maxntid 128, 1, 1"), 105, 128);
    assert_int_equal(registers_left(".maxntid 1024, 1, 1"), 64);
    assert_int_equal(registers_left(".reqntid 32, 32, 1"), 64);
    assert_int_equal(registers_left(".maxntid 128, 1, 1 .minnctapersm 8"), 64);
    assert_int_equal(registers_left(".maxntid 96, 1, 1 .minnctapersm 8"), 80);
    assert_int_equal(registers_left(".maxnreg 40"), 40);
    assert_int_equal(registers_left(".maxntid 32, 1, 1 .minnctapersm 134217728"), 16);
    assert_int_equal(registers_left(".maxntid 4294967295, 4294967295, 2"), 16);
}

/* LDC in a block's program. */
static u32 constants_in(struct subject *s, u32 block)
{
    const struct replay_code *c = code_from_ptx(&s->mem, &s->gpu, s->func, s->e);
    const struct replay_program *p = &c->blocks[block].programs[0];
    u32 n = 0;
    for (u32 k = 0; k < p->n; k++)
        n += p->insts[k].pipe == PIPE_ADU;
    return n;
}

/* A loop of which the index of a load is another load's result, and so much besides. */
static const char *indexed_loop(u32 more)
{
    static char text[4096];
    char *to =
        text + sprintf(text, "ld.param.u64 %%rd2, [p]; mul.wide.u32 %%rd3, %%r1, 4; add.s64 %%rd4, %%rd1, %%rd3;\n"
                             "LOOP: ld.global.u32 %%r4, [%%rd4]; mul.wide.s32 %%rd5, %%r4, 4;\n"
                             "add.s64 %%rd6, %%rd2, %%rd5; ld.global.f32 %%f1, [%%rd6];\n");
    for (u32 k = 0; k < more; k++)
        to += sprintf(to, "add.f32 %%f1, %%f1, %%f2; mul.f32 %%f1, %%f1, %%f1;\n");
    strcpy(to, "st.global.f32 [%rd4], %f1; add.s64 %rd4, %rd4, 512; setp.ne.f32 %p1, %f1, 0f00000000;\n"
               "@%p1 bra LOOP; ret;");
    return text;
}

/* Its factor is an immediate, so IMAD.WIDE has its base in a lane's registers: in front of a small loop, or, of a parameter, by LDC in a long one. */
static void the_base_of_a_loops_addresses_is_in_a_lane(void **state)
{
    (void)state;
    struct subject s;
    make(&s, indexed_loop(1));
    assert_int_equal(width(&s, "%rd2"), 2);
    assert_int_equal(constants_in(&s, s.func->block_of_site[s.func->src->ninsts - 2]), 0);
    drop(&s);
    make(&s, indexed_loop(20));
    assert_int_equal(width(&s, "%rd2"), 0);
    assert_int_equal(constants_in(&s, s.func->block_of_site[s.func->src->ninsts - 2]), 1);
    drop(&s);
}

/* A loop with an address of such a base, and in it one in which so many values are carried. */
static const char *nested_loops(u32 values)
{
    static char text[4096];
    char *to =
        text + sprintf(text, "ld.param.u64 %%rd2, [p]; mul.wide.u32 %%rd3, %%r1, 4; add.s64 %%rd4, %%rd1, %%rd3;\n"
                             "OUTER: ld.global.u32 %%r4, [%%rd4]; mul.wide.s32 %%rd5, %%r4, 4;\n"
                             "add.s64 %%rd6, %%rd2, %%rd5; ld.global.f32 %%f100, [%%rd6];\n"
                             "INNER: add.f32 %%f100, %%f100, %%f100;\n");
    for (u32 k = 0; k < values; k++)
        to += sprintf(to, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f100;\n", k, k, (k + 1) % values);
    to += sprintf(to, "setp.ne.f32 %%p1, %%f100, 0f00000000; @%%p1 bra INNER;\n"
                      "add.s64 %%rd4, %%rd4, 512; setp.ne.f32 %%p2, %%f0, 0f00000000; @%%p2 bra OUTER;\n");
    for (u32 k = 0; k < values; k++)
        to += sprintf(to, "st.global.f32 [%%rd4+%u], %%f%u;\n", 4 * k, k);
    strcpy(to, "ret;");
    return text;
}

/* A base that a crowded loop in it does not need is loaded again. */
static void a_base_makes_room_for_an_inner_loop(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2; k++) {
        struct subject s;
        make(&s, nested_loops(k ? 20 : 8));
        assert_int_equal(width(&s, "%rd2"), 2); /* as such loops have it */
        assert_int_equal(constants_in(&s, 1), k);
        drop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_in_all_lanes_takes_none),
        cmocka_unit_test(a_counter_is_in_a_uniform_register),
        cmocka_unit_test(a_counter_may_be_where_lanes_have_parted),
        cmocka_unit_test(a_part_of_an_address_takes_none),
        cmocka_unit_test(a_part_of_a_sum_takes_none),
        cmocka_unit_test(parts_in_a_circle_end),
        cmocka_unit_test(a_longer_value_is_the_same),
        cmocka_unit_test(the_base_of_a_loops_addresses_is_in_a_lane),
        cmocka_unit_test(a_base_makes_room_for_an_inner_loop),
        cmocka_unit_test(a_factor_of_a_product_is_there_once),
        cmocka_unit_test(a_value_is_live_to_its_last_use),
        cmocka_unit_test(few_values_take_the_least),
        cmocka_unit_test(loads_come_forward_while_there_are_registers),
        cmocka_unit_test(loads_wait_for_registers),
        cmocka_unit_test(a_body_takes_no_other_register),
        cmocka_unit_test(a_slow_path_has_registers_of_its_own),
        cmocka_unit_test(more_than_seven_predicates_take_registers),
        cmocka_unit_test(a_call_has_registers_of_its_own),
        cmocka_unit_test(directives_leave_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
