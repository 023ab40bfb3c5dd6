/* test_code_sass.c - machine code as the replay runs it, from what the installed ptxas makes of small kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lowered.h"
#include "meter/code/make_code.h"

struct subject {
    struct ptx_module *mod;
    const struct ir_func *func;
    const struct sass_func *machine;
    const struct replay_code *code;
    struct arena mem;
    struct gpu gpu;
};

/* The body of a kernel with parameters p and n, registers and a shared array; as ptxas makes it for sm_90. */
static void make(struct subject *s, const char *body)
{
    static const char frame[] =
        ".version 7.8\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %%p<9>;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n.reg .f64 %%fd<9>;\n"
        ".shared .align 16 .b8 tile[4096];\n"
        "ld.param.u64 %%rd1, [p];\nld.param.u32 %%r9, [n];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd2, %%r1, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n%s\n}\n";
    static const struct ptxas with = {.program = "ptxas", .tmp = "/tmp"};
    char text[16384];
    struct diag_list d;
    diag_init(&d);
    const int n = snprintf(text, sizeof text, frame, body);
    assert_in_range(n, 1, sizeof text - 1);
    if (ptx_parse(text, (size_t)n, "test.ptx", &s->mod, &d) != LS_OK)
        fail_msg("%s", d.first ? d.first->text : "no memory");
    assert_int_equal(gpu_find("h200", &s->gpu, &d), LS_OK);
    diag_free(&d);
    s->mem = (struct arena)ARENA("test");
    if (setjmp(s->mem.oom))
        fail();
    s->func = ir_lower(&s->mem, s->mod, ptx_find_func(s->mod, "k"), &lowered_target);
    ptxas_ask(&with, text, (size_t)n, 90, "k", &s->machine);
    if (!s->machine) {
        print_message("no ptxas answered\n");
        skip();
    }
    s->code = code_from_sass(&s->mem, &s->gpu, s->func, s->machine);
    assert_non_null(s->code);
}

static void drop(struct subject *s)
{
    arena_free(&s->mem);
    ptx_free(s->mod);
}

static const struct replay_block *block_of_line(const struct subject *s, const char *op, u32 nth)
{
    for (u32 i = 0; i < s->func->src->ninsts; i++)
        if (strcmp(ptx_op_rows[s->func->src->insts[i].op].name, op) == 0 && nth-- == 0)
            return &s->code->blocks[s->func->block_of_site[i]];
    fail_msg("no such instruction: %s", op);
    return NULL;
}

static const char *name_of(const struct subject *s, const struct replay_inst *i)
{
    const struct sass_row *row = sass_row_of(s->machine->insts[i->at].low, s->gpu.cc_major);
    return row ? row->name : "?";
}

/* How often the mnemonic is in the program. */
static u32 count(const struct subject *s, const struct replay_program *p, const char *name)
{
    u32 n = 0;
    for (u32 i = 0; i < p->n; i++)
        n += strcmp(name_of(s, &p->insts[i]), name) == 0;
    return n;
}

static const struct replay_inst *find(const struct subject *s, const struct replay_program *p, const char *name,
                                      u32 nth)
{
    for (u32 i = 0; i < p->n; i++)
        if (strcmp(name_of(s, &p->insts[i]), name) == 0 && nth-- == 0)
            return &p->insts[i];
    fail_msg("no such machine instruction: %s", name);
    return NULL;
}

static u8 set_by(const struct replay_code *c)
{
    u8 bars = 0;
    for (u32 b = 0; b < c->nblocks; b++)
        for (u32 p = 0; p < c->blocks[b].n; p++)
            for (u32 i = 0; i < c->blocks[b].programs[p].n; i++) {
                const struct replay_inst *x = &c->blocks[b].programs[p].insts[i];
                bars |= (u8)(x->write_bar < REPLAY_BARS ? 1 << x->write_bar : 0);
                bars |= (u8)(x->read_bar < REPLAY_BARS ? 1 << x->read_bar : 0);
            }
    return bars;
}

static void check_inst(const struct subject *s, const struct replay_program *p, const struct replay_inst *i, u8 bars)
{
    assert_in_range(i->stall, 1, 15);
    assert_true(i->at < s->code->ninsts);
    assert_true(i->pipe < PIPE_COUNT);
    assert_int_equal(i->wait & ~bars, 0);
    assert_true(i->copy < p->copies);
    assert_true(i->write_bar < REPLAY_BARS || i->write_bar == REPLAY_NO_BAR);
    assert_true(i->read_bar < REPLAY_BARS || i->read_bar == REPLAY_NO_BAR);
    assert_true(i->site == REPLAY_NO_SITE || i->site < s->func->src->ninsts);
    if (i->op == REPLAY_PLAIN && i->write_bar != REPLAY_NO_BAR)
        assert_true(i->latency > 0);
    if (i->op == REPLAY_MEMORY)
        assert_true(i->site != REPLAY_NO_SITE);
}

/* What holds of all code. */
static void check(const struct subject *s)
{
    const u8 bars = set_by(s->code);
    assert_true(s->code->machine);
    assert_int_equal(s->code->nblocks, s->func->nblocks);
    assert_int_equal(s->code->ninsts, s->machine->n);
    assert_int_equal(s->code->unknown, 0);
    for (u32 b = 0; b < s->code->nblocks; b++) {
        const struct replay_block *at = &s->code->blocks[b];
        for (u32 p = 0; p < at->n; p++) {
            assert_true(p + 1 < at->n ? at->programs[p].copies > at->programs[p + 1].copies
                                      : at->programs[p].copies == 1);
            for (u32 i = 0; i < at->programs[p].n; i++)
                check_inst(s, &at->programs[p], &at->programs[p].insts[i], bars);
        }
    }
}

static void straight_code(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd3];\nex2.approx.ftz.f32 %f2, %f1;\nmul.f32 %f3, %f2, %f1;\n"
             "st.global.f32 [%rd3], %f3;\nret;");
    check(&s);
    assert_int_equal(s.code->blocks[0].n, 1);
    const struct replay_program *p = &s.code->blocks[0].programs[0];
    const struct replay_inst *load = find(&s, p, "LDG", 0), *root = find(&s, p, "MUFU", 0),
                             *product = find(&s, p, "FMUL", 0);
    assert_int_equal(load->op, REPLAY_MEMORY);
    assert_int_equal(load->pipe, PIPE_LSU);
    assert_int_equal(s.func->src->insts[load->site].op, OP_LD);
    assert_true(load->write_bar != REPLAY_NO_BAR && root->wait >> load->write_bar & 1);
    assert_int_equal(root->pipe, PIPE_XU);
    assert_int_equal(root->latency, s.gpu.latency_sfu);
    assert_true(root->write_bar != REPLAY_NO_BAR && product->wait >> root->write_bar & 1);
    assert_int_equal(product->pipe, PIPE_FMA);
    assert_int_equal(product->write_bar, REPLAY_NO_BAR);
    assert_int_equal(find(&s, p, "STG", 0)->op, REPLAY_MEMORY);
    assert_int_equal(find(&s, p, "EXIT", 0)->op, REPLAY_EXIT);
    assert_true(find(&s, p, "ULDC", 0)->constant);
    assert_int_equal(find(&s, p, "ULDC", 0)->constant_line / CONSTANT_BANK_LINES, 0); /* of the parameters */
    assert_false(load->constant);
    drop(&s);
}

/* A body that became predicates stands in the block in front of it. */
static void predicated_body(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd3];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra OUT;\n"
             "st.global.f32 [%rd3], %f1;\nOUT: st.global.u32 [%rd3+4096], %r1;\nret;");
    check(&s);
    assert_int_equal(block_of_line(&s, "st", 0)->n, 0);
    assert_int_equal(count(&s, &s.code->blocks[0].programs[0], "STG"), 2);
    assert_int_equal(count(&s, &s.code->blocks[0].programs[0], "BRA"), 0);
    drop(&s);
}

#define LOOP(end)                                                                                                      \
    "mov.u32 %r2, 0;\nmov.f32 %f3, 0f00000000;\n"                                                                      \
    "L:\nld.global.f32 %f1, [%rd3];\nfma.rn.f32 %f3, %f3, %f1, %f1;\nadd.s64 %rd3, %rd3, 1024;\n"                      \
    "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, " end ";\n@%p1 bra L;\nst.global.f32 [%rd1], %f3;\nret;"

/* ptxas makes a loop of 4 turns, and what remains of 2 turns and of 1. */
static void unrolled_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s, LOOP("%r9"));
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "fma", 0);
    assert_int_equal(s.code->blocks[0].n, 1);
    assert_int_equal(count(&s, &s.code->blocks[0].programs[0], "LDG"), 0);
    assert_true(loop->n >= 2);
    assert_int_equal(loop->programs[0].copies, 4);
    for (u32 p = 0; p < loop->n; p++) {
        assert_int_equal(count(&s, &loop->programs[p], "LDG"), loop->programs[p].copies);
        for (u32 k = 0; k < loop->programs[p].copies; k++)
            assert_int_equal(find(&s, &loop->programs[p], "LDG", k)->copy, k);
    }
    assert_int_equal(count(&s, &loop->programs[0], "FFMA"), 4);
    drop(&s);
}

/* What remains of 2 turns can be jumped over, also where other code stands between it and what remains of 1: that is the program for
 * one, as ptxas made it, with all of its loads before the first result is wanted. */
static void what_remains_of_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "sub.s32 %r2, %r1, 65536;\nmov.f32 %f3, 0f00000000;\n"
             "L:\nld.global.f32 %f1, [%rd3];\nfma.rn.f32 %f3, %f3, %f1, %f1;\n"
             "ld.global.f32 %f2, [%rd3+4096];\nfma.rn.f32 %f3, %f3, %f2, %f2;\n"
             "ld.global.f32 %f4, [%rd3+8192];\nfma.rn.f32 %f3, %f3, %f4, %f4;\n"
             "ld.global.f32 %f5, [%rd3+12288];\nfma.rn.f32 %f3, %f3, %f5, %f5;\nadd.s64 %rd3, %rd3, 16384;\n"
             "add.s32 %r2, %r2, 4096;\nsetp.lt.s32 %p1, %r2, 0;\n@%p1 bra L;\nst.global.f32 [%rd1], %f3;\nret;");
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "fma", 0);
    assert_int_equal(loop->n, 3);
    for (u32 p = 0; p < 3; p++) {
        assert_int_equal(loop->programs[p].copies, 4 >> p);
        assert_int_equal(count(&s, &loop->programs[p], "LDG"), 4 * loop->programs[p].copies);
    }
    assert_true(find(&s, &loop->programs[2], "LDG", 3)->at < find(&s, &loop->programs[2], "FFMA", 0)->at);
    drop(&s);
}

/* All turns in a row: there is no program for one, so it is made of that for eight. */
static void loop_without_a_jump(void **state)
{
    (void)state;
    struct subject s;
    make(&s, LOOP("8"));
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "fma", 0);
    assert_int_equal(loop->n, 2);
    assert_int_equal(loop->programs[0].copies, 8);
    assert_int_equal(count(&s, &loop->programs[0], "LDG"), 8);
    assert_int_equal(count(&s, &loop->programs[1], "LDG"), 1);
    assert_int_equal(count(&s, &loop->programs[1], "FFMA"), 1);
    assert_int_equal(count(&s, &loop->programs[1], "EXIT"), 0);
    drop(&s);
}

/* A loop of integers alone is unrolled too; its branch does not tell how often. */
static void integer_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r2, 0;\nL:\nmad.lo.s32 %r1, %r1, %r1, %r9;\nxor.b32 %r1, %r1, %r2;\nadd.s32 %r2, %r2, 1;\n"
             "setp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nret;");
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "mad", 0);
    assert_int_equal(loop->programs[0].copies, 4);
    assert_int_equal(count(&s, &loop->programs[0], "LOP3"), 4);
    drop(&s);
}

/* Four loads are one LDS.128, at the site that leads. */
static void merged_loads(void **state)
{
    (void)state;
    struct subject s;
    make(&s,
         "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 4;\nadd.s32 %r5, %r3, %r4;\nst.shared.u32 [%r5], %r1;\nbar.sync 0;\n"
         "ld.shared.f32 %f1, [%r5];\nld.shared.f32 %f2, [%r5+4];\nld.shared.f32 %f3, [%r5+8];\n"
         "ld.shared.f32 %f4, [%r5+12];\nadd.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\nadd.f32 %f7, %f5, %f6;\n"
         "st.global.f32 [%rd3], %f7;\nret;");
    check(&s);
    const struct estimate *e = estimate_make(&s.mem, s.func, 9, s.machine);
    const struct replay_program *p = &s.code->blocks[0].programs[0];
    assert_int_equal(count(&s, p, "LDS"), 1);
    assert_false(e->sites[find(&s, p, "LDS", 0)->site].follows);
    assert_int_equal(e->sites[find(&s, p, "LDS", 0)->site].width, 16);
    assert_int_equal(find(&s, p, "BAR", 0)->op, REPLAY_BARRIER);
    drop(&s);
}

static u32 kept_sites(struct subject *s)
{
    const struct estimate *e = estimate_make(&s->mem, s->func, 9, s->machine);
    u32 n = 0;
    for (u32 k = 0; k < s->func->src->ninsts; k++)
        n += e->sites[k].kept;
    return n;
}

/* An array in local memory at known places is registers; one that a lane chooses from stays there. */
static void arrays_in_registers(void **state)
{
    (void)state;
    struct subject s;
    make(&s, ".local .align 4 .b8 slots[16];\nmov.u64 %rd1, slots;\nst.local.u32 [%rd1+4], %r9;\nst.local.u32 "
             "[%rd1+8], %r1;\n"
             "ld.local.u32 %r2, [%rd1+4];\nst.global.u32 [%rd3], %r2;\nret;");
    check(&s);
    assert_int_equal(kept_sites(&s), 3);
    drop(&s);
    make(&s, ".local .align 4 .b8 slots[4096];\nmov.u64 %rd1, slots;\nand.b32 %r4, %r1, 4092;\ncvt.u64.u32 %rd2, %r4;\n"
             "add.s64 %rd4, %rd1, %rd2;\nst.local.u32 [%rd4], %r9;\nst.local.u32 [%rd1+8], %r1;\n"
             "ld.local.u32 %r2, [%rd4+16];\nst.global.u32 [%rd3], %r2;\nret;");
    check(&s);
    assert_int_equal(kept_sites(&s), 0);
    drop(&s);
}

static void barrier_in_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(
        &s,
        "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.s32 %r5, %r3, %r4;\nmov.u32 %r2, 0;\n"
        "L:\nld.global.u32 %r6, [%rd3];\nst.shared.u32 [%r5], %r6;\nbar.sync 0;\nld.shared.u32 %r7, [%r5+4];\n"
        "bar.sync 0;\nst.global.u32 [%rd3], %r7;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\nret;");
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "bar", 0);
    const struct replay_program *last = &loop->programs[loop->n - 1];
    assert_int_equal(count(&s, last, "BAR"), 2);
    assert_int_equal(count(&s, last, "LDS"), 1);
    assert_int_equal(count(&s, last, "STS"), 1);
    drop(&s);
}

static void copies_to_shared_memory(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 4;\nadd.s32 %r5, %r3, %r4;\n"
             "cp.async.ca.shared.global [%r5], [%rd3], 16;\ncp.async.commit_group;\n"
             "cp.async.ca.shared.global [%r5+1024], [%rd3+1024], 16;\ncp.async.commit_group;\n"
             "cp.async.wait_group 1;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];\nst.global.u32 [%rd3], %r6;\nret;");
    check(&s);
    const struct replay_program *p = &s.code->blocks[0].programs[0];
    assert_int_equal(count(&s, p, "LDGSTS"), 2);
    assert_int_equal(find(&s, p, "LDGSTS", 1)->op, REPLAY_MEMORY);
    assert_int_equal(s.func->src->insts[find(&s, p, "LDGSTS", 1)->site].op, OP_CP_ASYNC);
    assert_int_equal(find(&s, p, "LDGDEPBAR", 1)->op, REPLAY_COPY_COMMIT);
    assert_int_equal(find(&s, p, "DEPBAR", 0)->op, REPLAY_COPY_WAIT);
    assert_int_equal(find(&s, p, "DEPBAR", 0)->count, 1);
    for (u32 i = 0; i < p->n; i++) /* ptxas puts loads in front that never run */
        assert_true(p->insts[i].op != REPLAY_MEMORY || !sass_never_runs(s.machine->insts[p->insts[i].at].low));
    drop(&s);
}

static u32 site_of(const struct subject *s, const char *op, u32 nth)
{
    for (u32 i = 0; i < s->func->src->ninsts; i++)
        if (strcmp(ptx_op_rows[s->func->src->insts[i].op].name, op) == 0 && nth-- == 0)
            return i;
    fail_msg("no such instruction: %s", op);
    return 0;
}

static u32 lost(const struct subject *s)
{
    u32 n = 0;
    for (u32 b = 0; b < s->code->nblocks; b++)
        for (u32 i = 0; s->code->blocks[b].n && i < s->code->blocks[b].programs[0].n; i++)
            n += code_is_lost(s->func, s->code, b, &s->code->blocks[b].programs[0].insts[i]);
    return n;
}

/* The fourth load is behind a branch, but stands in front of the division with the others: warps come to it later. */
static void a_load_moved_up(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+1024];\nld.global.f32 %f5, [%rd3+2048];\n"
             "setp.lt.f32 %p1, %f1, 0f00000000;\n@%p1 bra NEG;\nbra.uni ON;\nNEG: neg.f32 %f1, %f1;\n"
             "ON: ld.global.f32 %f4, [%rd3+8192];\ndiv.rn.f32 %f3, %f1, %f2;\nfma.rn.f32 %f6, %f3, %f4, %f5;\n"
             "st.global.f32 [%rd3], %f6;\nst.global.f32 [%rd3+1024], %f3;\nret;");
    check(&s);
    assert_int_equal(count(&s, &s.code->blocks[0].programs[0], "LDG"), 4);
    assert_int_equal(s.code->moved[site_of(&s, "ld", 5)].up, 1); /* two are of parameters */
    assert_int_equal(s.code->moved[site_of(&s, "ld", 4)].up, 0);
    assert_false(s.code->moved[site_of(&s, "ld", 5)].down);
    assert_int_equal(lost(&s), 0);
    drop(&s);
}

/* Each turn loads it in the PTX, and only the last turn's is used: it is loaded behind the loop. */
static void a_load_moved_down(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "L: ld.global.f32 %f1, [%rd3+4];\nld.global.u32 %r5, [%rd3];\nadd.s64 %rd3, %rd3, 1024;\n"
             "setp.ne.u32 %p1, %r5, %r9;\n@%p1 bra L;\nst.global.f32 [%rd1], %f1;\nret;");
    check(&s);
    assert_int_equal(count(&s, &block_of_line(&s, "add", 1)->programs[0], "LDG"), 1);
    assert_true(s.code->moved[site_of(&s, "ld", 2)].down);
    assert_int_equal(s.code->moved[site_of(&s, "ld", 2)].up, 0);
    assert_false(s.code->moved[site_of(&s, "ld", 3)].down);
    assert_int_equal(lost(&s), 0);
    drop(&s);
}

/* A division's slow path, and the function that it calls, are not part of it. */
static void slow_paths_are_left_out(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\ndiv.rn.f32 %f3, %f1, %f2;\n"
             "st.global.f32 [%rd3], %f3;\nret;");
    check(&s);
    assert_int_equal(s.code->blocks[0].n, 1);
    const struct replay_program *p = &s.code->blocks[0].programs[0];
    assert_int_equal(count(&s, p, "CALL"), 0);
    assert_int_equal(count(&s, p, "RET"), 0);
    assert_int_equal(count(&s, p, "FCHK"), 1);
    assert_int_equal(count(&s, p, "STG"), 1);
    assert_true(p->n < 40 && s.code->ninsts > 80);
    drop(&s);
}

/* A division of 64 bits is a function of ptxas's own, which is called without a branch around it. */

/* Of a loop unrolled in parts, what asks whether there is a part is done once: in front of the loop. */
static void questions_between_parts_are_in_front(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 0;\n"
             "$L:\nld.global.f32 %f2, [%rd3];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd3, %rd3, 4;\n"
             "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r9;\n@%p1 bra $L;\n"
             "st.global.f32 [%rd1], %f1;\nret;");
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "ld", 2);
    for (u32 k = 0; k < loop->n; k++)
        assert_true(count(&s, &loop->programs[k], "BRA") <= 1);
    const struct replay_block *front = &s.code->blocks[0];
    u32 questions = 0;
    for (u32 i = 0; i < front->programs[0].n; i++)
        questions += strcmp(name_of(&s, &front->programs[0].insts[i]), "BRA") == 0;
    assert_true(questions >= 2);
    drop(&s);
}

static void functions_that_are_called(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "ld.global.u64 %rd4, [%rd3];\nld.global.u64 %rd5, [%rd3+8];\nor.b64 %rd6, %rd4, %rd5;\n"
             "and.b64 %rd6, %rd6, 0xffffffff00000000;\nsetp.eq.u64 %p1, %rd6, 0;\nmov.u64 %rd7, %rd4;\n"
             "@%p1 bra OUT;\ndiv.u64 %rd7, %rd4, %rd5;\nOUT: st.global.u64 [%rd3], %rd7;\nret;");
    check(&s);
    const struct replay_block *division = block_of_line(&s, "div", 0);
    assert_int_equal(division->n, 1);
    const struct replay_program *p = &division->programs[0];
    assert_int_equal(count(&s, p, "CALL"), 1);
    assert_int_equal(count(&s, p, "RET"), 1);
    assert_true(count(&s, p, "MUFU") > 0 && p->n > 30);
    for (u32 i = 0; i < p->n; i++)
        assert_int_equal(s.func->src->insts[p->insts[i].site].op, OP_DIV);
    drop(&s);
}

/* A loop of three blocks, one of them predicated, is unrolled as a whole: the first has the code of all. */
static void several_blocks_unrolled(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r2, 0;\nmov.f32 %f3, 0f00000000;\n"
             "L:\nld.global.u32 %r6, [%rd3];\nsetp.lt.s32 %p2, %r6, 0;\n@%p2 bra S;\n"
             "ld.global.f32 %f1, [%rd3+4096];\nfma.rn.f32 %f3, %f1, %f1, %f3;\n"
             "S:\nadd.s64 %rd3, %rd3, 1024;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\n"
             "st.global.f32 [%rd1], %f3;\nret;");
    check(&s);
    const struct replay_block *loop = block_of_line(&s, "ld", 2);
    assert_true(loop->n > 1);
    assert_int_equal(loop->programs[0].copies, 4);
    for (u32 p = 0; p < loop->n; p++)
        assert_int_equal(count(&s, &loop->programs[p], "LDG"), 2 * loop->programs[p].copies);
    assert_int_equal(block_of_line(&s, "ld", 3)->n, 0);
    drop(&s);
}

/* The block in front of a barrier, a predicated load: their machine block is the first one's. */
static void programs_begin_where_a_warp_comes_first(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.s32 %r5, %r3, %r4;\nsetp.ge.s32 %p1, %r1, %r9;\n"
             "mov.u32 %r6, 0;\n@%p1 bra S;\nld.global.u32 %r6, [%rd3];\n"
             "S: st.shared.u32 [%r5], %r6;\nbar.sync 0;\nld.shared.u32 %r7, [%r5+4];\nld.shared.u32 %r8, [%r5+8];\n"
             "add.s32 %r7, %r7, %r8;\nst.global.u32 [%rd3], %r7;\nret;");
    check(&s);
    assert_int_equal(s.code->blocks[0].n, 1);
    assert_int_equal(block_of_line(&s, "bar", 0)->n, 0);
    const struct replay_program *p = &s.code->blocks[0].programs[0];
    assert_int_equal(count(&s, p, "LDG"), 1);
    assert_int_equal(count(&s, p, "BAR"), 1);
    assert_int_equal(count(&s, p, "LDS"), 2);
    drop(&s);
}

/* An atomic that is a loop of compare-and-swap is one access: its load takes the time of a hit. */
static void atomics_in_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s, "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.s32 %r5, %r3, %r4;\nld.global.f32 %f1, [%rd3];\n"
             "atom.shared.add.f32 %f2, [%r5], %f1;\nst.global.f32 [%rd3], %f2;\nret;");
    check(&s);
    u32 accesses = 0;
    for (u32 b = 0; b < s.code->nblocks; b++)
        for (u32 i = 0; s.code->blocks[b].n && i < s.code->blocks[b].programs[0].n; i++) {
            const struct replay_inst *x = &s.code->blocks[b].programs[0].insts[i];
            accesses += x->op == REPLAY_MEMORY && s.func->src->insts[x->site].op == OP_ATOM;
        }
    assert_int_equal(accesses, 1);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code),
        cmocka_unit_test(predicated_body),
        cmocka_unit_test(unrolled_loop),
        cmocka_unit_test(what_remains_of_a_loop),
        cmocka_unit_test(loop_without_a_jump),
        cmocka_unit_test(integer_loop),
        cmocka_unit_test(merged_loads),
        cmocka_unit_test(arrays_in_registers),
        cmocka_unit_test(barrier_in_a_loop),
        cmocka_unit_test(copies_to_shared_memory),
        cmocka_unit_test(a_load_moved_up),
        cmocka_unit_test(a_load_moved_down),
        cmocka_unit_test(slow_paths_are_left_out),
        cmocka_unit_test(questions_between_parts_are_in_front),
        cmocka_unit_test(functions_that_are_called),
        cmocka_unit_test(several_blocks_unrolled),
        cmocka_unit_test(programs_begin_where_a_warp_comes_first),
        cmocka_unit_test(atomics_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
