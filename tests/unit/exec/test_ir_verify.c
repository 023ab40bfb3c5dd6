/* The verifier of lowered functions: sound ones pass, and of each rule there is a function that breaks it and is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/bodies/bodies.h"
#include "harness.h"

static const char text[] = "\
.version 8.3\n\
.target sm_90\n\
.address_size 64\n\
.func (.param .b32 r) twice(.param .b32 a)\n\
{\n\
    .reg .b32 %r<3>;\n\
    ld.param.u32 %r1, [a];\n\
    add.u32 %r2, %r1, %r1;\n\
    st.param.b32 [r], %r2;\n\
    ret;\n\
}\n\
.visible .entry flow(.param .u64 out, .param .u32 n)\n\
{\n\
    .reg .pred %p<4>;\n\
    .reg .b32 %r<12>;\n\
    .reg .b64 %d<6>;\n\
    .param .b32 arg;\n\
    .param .b32 result;\n\
    ld.param.u64 %d1, [out];\n\
    ld.param.u32 %r1, [n];\n\
    mov.u32 %r2, %tid.x;\n\
    setp.ge.u32 %p1, %r2, %r1;\n\
    @%p1 exit;\n\
    mul.wide.u32 %d2, %r2, 16;\n\
    add.s64 %d3, %d1, %d2;\n\
    mov.u32 %r3, 0;\n\
LOOP:\n\
    add.u32 %r3, %r3, 1;\n\
    setp.lt.u32 %p2, %r3, %r2;\n\
    @%p2 bra LOOP;\n\
    and.b32 %r4, %r2, 3;\n\
    setp.eq.u32 %p3, %r4, 1;\n\
    @%p3 add.u32 %r3, %r3, 7;\n\
    ts: .branchtargets ZERO, ONE;\n\
    brx.idx %r4, ts;\n\
ZERO:\n\
    mov.u32 %r5, %clock;\n\
    bra.uni BOTH;\n\
ONE:\n\
    mov.u32 %r5, 22;\n\
BOTH:\n\
    st.param.b32 [arg], %r5;\n\
    call (result), twice, (arg);\n\
    ld.param.b32 %r6, [result];\n\
    st.global.v4.u32 [%d3], {%r2, %r3, %r4, %r6};\n\
    ret;\n\
}\n";

static ir_body find(void *ctx, const char *name, enum ir_mode mode)
{
    (void)ctx;
    return bodies_find(name, mode);
}

static const struct ir_target target = {.body = find};

struct rig {
    struct bench b;
    struct ir_func *f;
    char why[512];
};

static void open_rig(struct rig *r)
{
    bench_open(&r->b, text);
    r->f = (struct ir_func *)(uintptr_t)exec_module_kernel(r->b.module, "flow");
    assert_non_null(r->f);
    assert_null(r->f->poison);
}

static bool sound(struct rig *r) { return ir_verify(r->f, &target, r->why, sizeof r->why); }

/* Sets a field, expects the rule to be told, and puts the field back. */
#define BREAK(r, field, value, rule)                                                                                   \
    do {                                                                                                               \
        __typeof__(field) *at_ = &(field), saved_ = *at_;                                                              \
        *at_ = (value);                                                                                                \
        const bool sound_ = sound(r);                                                                                  \
        *at_ = saved_;                                                                                                 \
        assert_false(sound_);                                                                                          \
        if (!strstr((r)->why, rule) || !strstr((r)->why, "function flow"))                                             \
            fail_msg("expected '%s', was told '%s'", rule, (r)->why);                                                  \
    } while (0)

static struct ir_inst *record_of(struct rig *r, unsigned shape, const char *body)
{
    const ir_body run = bodies_find(body, shape == IR_FAST ? IR_FAST : IR_TRACED);
    assert_non_null(run);
    for (u32 k = 0; k < r->f->code[shape].n; k++)
        if (r->f->code[shape].insts[k].run == run)
            return &r->f->code[shape].insts[k];
    fail_msg("no record %s", body);
    return NULL;
}

static struct ir_inst *add_record(struct rig *r) { return record_of(r, IR_FAST, "add_u32"); }
static ir_body add_body(void) { return bodies_find("add_u32", IR_FAST); }

/* The block that begins with the instruction behind a label. */
static u32 block_at(const struct rig *r, const char *label)
{
    const struct ptx_func *src = r->f->src;
    for (u32 k = 0; k < src->nlabels; k++)
        if (!strcmp(src->labels[k]->name, label))
            return r->f->block_of_site[src->labels[k]->at];
    fail_msg("no label %s", label);
    return 0;
}

static u32 *place_of(const struct rig *r, const char *name)
{
    const struct ptx_func *src = r->f->src;
    for (u32 k = 0; k < src->nregs; k++)
        if (!strcmp(src->regs[k]->name, name))
            return (u32 *)(uintptr_t)&r->f->place[k];
    fail_msg("no register %s", name);
    return NULL;
}

static void test_sound(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    if (!sound(&r))
        fail_msg("%s", r.why);
    bench_close(&r.b);
}

static void test_blocks(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u32 loop = block_at(&r, "LOOP"), both = block_at(&r, "BOTH"), zero = block_at(&r, "ZERO");
    struct ir_block *b = r.f->blocks;
    BREAK(&r, b[loop].first, b[loop].first + 1, "does not begin where the one before it ends");
    BREAK(&r, b[r.f->nblocks - 1].end, b[r.f->nblocks - 1].end - 1, "no block has it");
    BREAK(&r, r.f->block_of_site[b[both].first], zero, "block_of_site is not");
    BREAK(&r, b[loop].nsucc, 1, "lacks its successor");
    BREAK(&r, b[loop].succs[0], zero, "lacks its successor");
    BREAK(&r, b[zero].succ[0], zero, "succ and succs differ");
    BREAK(&r, b[both].npreds, 1, "npreds is not");
    BREAK(&r, b[both].idom, zero, "is not its immediate dominator");
    BREAK(&r, b[both].depth, 1, "its depth is not");
    BREAK(&r, b[loop].loop_depth, 0, "branches back and is in no loop");
    BREAK(&r, b[loop].ipdom, both, "is not where its lanes meet again");
    bench_close(&r.b);
}

/* Edges that only more than one field can break. */
static void test_edges(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u32 loop = block_at(&r, "LOOP"), zero = block_at(&r, "ZERO");
    struct ir_block *b = &r.f->blocks[loop], *z = &r.f->blocks[zero];
    u32 three[3] = {b->succs[0], b->succs[1], zero}, *old = b->succs, *old_zero = z->succs;
    b->succs = three;
    BREAK(&r, b->nsucc, 3, "nothing leads from block");
    three[2] = three[1];
    BREAK(&r, b->nsucc, 3, "has a successor twice");
    b->succs = old;
    three[0] = three[1] = z->succs[0];
    z->succs = three;
    BREAK(&r, z->nsucc, 2, "has a successor twice");
    z->succs = old_zero;
    bench_close(&r.b);
}

/* What stands in the middle of a block that must end one. The PTX is changed here, as cfg.c would have to be wrong. */
static void test_inside(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    const u32 site = r.f->blocks[block_at(&r, "BOTH")].first;
    struct ptx_inst *i = &((struct ptx_func *)(uintptr_t)r.f->src)->insts[site];
    BREAK(&r, i->op, OP_TRAP, "control leaves a block in its middle");
    i->guard = r.f->src->regs[0];
    BREAK(&r, i->op, OP_BAR, "is not alone in its block");
    i->guard = NULL;
    bench_close(&r.b);
}

static void test_frame(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    struct ir_func *f = r.f;
    BREAK(&r, f->masks_at, f->masks_at + 4, "one behind the other");
    BREAK(&r, f->consts_at, f->frame_bytes + IR_SLOT, "one behind the other");
    BREAK(&r, f->consts[0].at, 0, "lies outside the constants");
    BREAK(&r, f->consts[1].at, f->consts[0].at, "shares a slot with another");
    BREAK(&r, *place_of(&r, "%p2"), 0, "lies outside the area of its kind");
    BREAK(&r, *place_of(&r, "%r3"), f->masks_at, "lies outside the area of its kind");
    BREAK(&r, *place_of(&r, "%d3"), *place_of(&r, "%r2"), "shares a slot with one of another width");
    BREAK(&r, *place_of(&r, "%r3"), *place_of(&r, "%r2"), "holds another register when it is read");
    bench_close(&r.b);
}

/* Results of one instruction, and results that are written before the sources have been read. */
static void test_results(void **state)
{
    static const char two[] = "\
.version 8.3\n\
.target sm_90\n\
.address_size 64\n\
.visible .entry flow(.param .u64 out)\n\
{\n\
    .reg .pred %p<5>;\n\
    .reg .b32 %r<4>;\n\
    .reg .b64 %d<2>;\n\
    ld.param.u64 %d1, [out];\n\
    mov.u32 %r1, %tid.x;\n\
    setp.eq.u32 %p1, %r1, 3;\n\
    setp.lt.and.u32 %p2|%p3, %r1, 5, %p1;\n\
    selp.b32 %r2, 1, 2, %p2;\n\
    selp.b32 %r2, %r2, 3, %p3;\n\
    st.global.u32 [%d1], %r2;\n\
    ret;\n\
}\n";
    struct rig r;
    (void)state;
    bench_open(&r.b, two);
    r.f = (struct ir_func *)(uintptr_t)exec_module_kernel(r.b.module, "flow");
    assert_true(sound(&r));
    BREAK(&r, *place_of(&r, "%p2"), *place_of(&r, "%p3"), "two results share a slot");
    BREAK(&r, *place_of(&r, "%p2"), *place_of(&r, "%p1"), "written early shares a slot with a source");
    bench_close(&r.b);
}

static void test_operands(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    struct ir_inst *add = record_of(&r, IR_FAST, "add_u32"), *store = record_of(&r, IR_TRACED, "st_global_v4_b32");
    BREAK(&r, add->run, NULL, "it has no body");
    BREAK(&r, add->a, r.f->frame_bytes, "an operand lies outside the frame");
    BREAK(&r, add->b, add->b + 4, "an operand does not begin where a slot does");
    BREAK(&r, add->d, *place_of(&r, "%d3"), "an operand is of no register that the instruction names");
    BREAK(&r, *(u32 *)(uintptr_t)&store->list[3], r.f->frame_bytes, "an operand lies outside the frame");
    BREAK(&r, add->site, add->site + 9, "its instruction is not of its block, or out of order");
    bench_close(&r.b);
}

static void test_branches(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    struct ir_inst *back = record_of(&r, IR_FAST, "branch_if_back"), *jump = record_of(&r, IR_FAST, "jump");
    struct ir_inst *skip = record_of(&r, IR_FAST, "branch_unless"), *table = record_of(&r, IR_FAST, "branch_table");
    struct ir_table *t = (struct ir_table *)(uintptr_t)table->ptr;
    const struct ir_code *code = &r.f->code[IR_FAST];
    BREAK(&r, back->target, back->target + 1, "goes to what is no successor");
    BREAK(&r, jump->target, code->insts, "goes to what is no successor");
    BREAK(&r, back->aux, 0, "goes the other way than its body says, or costs nothing");
    BREAK(&r, jump->run, bodies_find("jump_back", IR_FAST), "goes the other way than its body says");
    BREAK(&r, back->imm, 0, "do not meet at the immediate post-dominator");
    BREAK(&r, skip->imm, skip->imm + (i64)sizeof *skip, "do not meet at the immediate post-dominator");
    BREAK(&r, record_of(&r, IR_FAST, "join")->run, add_body(), "lanes that part meet where no join is");
    BREAK(&r, r.f->blocks[block_at(&r, "ZERO")].is_join, true, "begins without a join");
    BREAK(&r, add_record(&r)->run, bodies_find("join", IR_FAST), "a join is not where a block begins");
    BREAK(&r, t->n, 0, "a table of branches is empty");
    BREAK(&r, t->targets[1], code->insts, "a table's branch goes to what is no successor");
    BREAK(&r, jump->run, add_body(), "a block runs into the next one");
    bench_close(&r.b);
}

static void test_code(void **state)
{
    struct rig r;
    (void)state;
    open_rig(&r);
    struct ir_code *fast = &r.f->code[IR_FAST], *traced = &r.f->code[IR_TRACED];
    struct ir_inst *guard = record_of(&r, IR_FAST, "guard"), *unguard = record_of(&r, IR_FAST, "unguard");
    struct ir_inst *call = record_of(&r, IR_FAST, "call"), *end = &fast->insts[fast->n - 1];
    struct ir_inst *enter = record_of(&r, IR_TRACED, "enter"), *tick = record_of(&r, IR_TIMED, "tick");
    struct ir_call *to = (struct ir_call *)(uintptr_t)call->ptr;
    BREAK(&r, traced->insts, NULL, "there is no traced code");
    BREAK(&r, fast->n, fast->n - 1, "something follows the final return");
    BREAK(&r, *(u32 *)(uintptr_t)&fast->block_at[1], fast->n, "blocks are not in order");
    BREAK(&r, end->run, bodies_find("ret", IR_FAST), "does not end with a return");
    BREAK(&r, add_record(&r)->run, bodies_find("ret", IR_FAST), "a kernel has nobody to return to");
    BREAK(&r, add_record(&r)->run, bodies_find("exit", IR_FAST), "a thread ends where its instruction does not");
    BREAK(&r, guard->imm, guard->imm + 1, "does not lead behind its unguard");
    BREAK(&r, guard->a, guard->a + 4, "asks for another predicate");
    BREAK(&r, guard[1].run, guard->run, "control leaves a predicated instruction in its middle");
    BREAK(&r, guard->run, add_body(), "an unguard has no guard");
    BREAK(&r, unguard->run, add_body(), "does not lead behind its unguard");
    BREAK(&r, to->ret_at, (u32)r.f->call_bytes + 1, "results lie outside the call area");
    BREAK(&r, to->callee, 0, "a call has nobody to call");
    BREAK(&r, enter->imm, 1, "it enters another block than its own");
    BREAK(&r, enter->run, add_body(), "a block is not entered once");
    BREAK(&r, r.f->scoreboard, 1, "a tick names what is not in the scoreboard");
    BREAK(&r, ((struct ir_tick *)(uintptr_t)tick->ptr)->steps, 0, "a tick says nothing");
    bench_close(&r.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),    cmocka_unit_test(test_blocks),   cmocka_unit_test(test_edges),
        cmocka_unit_test(test_inside),   cmocka_unit_test(test_frame),    cmocka_unit_test(test_results),
        cmocka_unit_test(test_operands), cmocka_unit_test(test_branches), cmocka_unit_test(test_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
