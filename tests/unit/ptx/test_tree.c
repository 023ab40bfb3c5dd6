/* test_tree.c - what stands in the tree: each field as ptx.h says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

#define HEAD ".version 8.5\n.target sm_90a, debug\n.address_size 64\n"

static void head(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(HEAD ".file 3 \"a.cu\"\n");
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 5);
    assert_string_equal(m->target, "sm_90a");
    assert_int_equal(m->sm, 90);
    assert_true(m->debug);
    assert_int_equal(m->address_size, 64);
    assert_int_equal(m->nfiles, 4);
    assert_null(m->files[2]);
    assert_string_equal(m->files[3], "a.cu");
    ptx_free(m);
}

/* Each parameter at its own alignment; the block ends behind the last one. */
static void parameters(void **state)
{
    (void)state;
    struct ptx_module *m =
        must_parse(HEAD ".visible .entry k(.param .u8 a, .param .u32 b, .param .u8 c, .param .u64 d,\n"
                        ".param .align 16 .b8 e[20], .param .u16 f, .param .u64 .ptr .align 1 g)\n"
                        ".maxntid 256\n.reqntid 8, 4\n.minnctapersm 2\n.maxnreg 40\n"
                        ".reqnctapercluster 4, 2, 1\n{ ret; }");
    static const u64 offsets[] = {0, 4, 8, 16, 32, 52, 56};
    const struct ptx_func *f = ptx_find_func(m, "k");
    assert_non_null(f);
    assert_true(f->is_entry && f->defined);
    assert_int_equal(f->linkage, LINK_VISIBLE);
    assert_int_equal(f->nparams, 7);
    for (u32 i = 0; i < 7; i++) {
        assert_int_equal(f->params[i]->offset, offsets[i]);
        assert_int_equal(f->params[i]->index, i);
        assert_int_equal(f->params[i]->space, SPACE_PARAM);
    }
    assert_int_equal(f->params[4]->size, 20);
    assert_int_equal(f->params[4]->align, 16);
    assert_true(f->params[6]->is_ptr);
    assert_int_equal(f->params[6]->align, 8); /* .ptr .align is the pointee's */
    assert_int_equal(f->param_bytes, 64);
    assert_int_equal(f->maxntid[0], 256);
    assert_int_equal(f->maxntid[1], 1);
    assert_int_equal(f->reqntid[1], 4);
    assert_int_equal(f->minnctapersm, 2);
    assert_int_equal(f->maxnreg, 40);
    assert_int_equal(f->cluster[0], 4);
    assert_int_equal(f->cluster[1], 2);
    assert_null(ptx_find_func(m, "nothing"));
    ptx_free(m);
}

static void registers_are_those_used(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(HEAD ".entry k() { .reg .b32 %r<31186>; .reg .pred p, q; .reg .f64 unused;\n"
                                           "setp.eq.s32 q, %r31185, %r0; @!q mov.b32 %r31185, %tid.y; ret; }");
    const struct ptx_func *f = m->funcs[0];
    static const char *const names[] = {"q", "%r31185", "%r0"};
    assert_int_equal(f->nregs, 3);
    for (u32 i = 0; i < 3; i++) {
        assert_string_equal(f->regs[i]->name, names[i]);
        assert_int_equal(f->regs[i]->index, i);
    }
    assert_ptr_equal(f->insts[1].guard, f->regs[0]);
    assert_true(f->insts[1].guard_neg);
    assert_int_equal(f->insts[1].operands[1].kind, PTX_SREG);
    assert_int_equal(f->insts[1].operands[1].sreg, SREG_tid);
    assert_int_equal(f->insts[1].operands[1].comp, 'y');
    assert_null(f->insts[2].guard);
    ptx_free(m);
}

/* What the form says of an operand stays with it: also behind an optional one, and where the types of the opcode do
 * not tell. */
static void operands_have_roles_and_types(void **state)
{
    (void)state;
    struct ptx_module *m =
        must_parse(HEAD ".entry k() { .reg .b32 %r<5>; .reg .pred p, q; .reg .b64 %rd<4>;\n"
                        "shfl.sync.idx.b32 %r1|p, %r2, 3, 31, -1; cvt.pack.sat.u8.s32.b32 %r1, -5, %r2, 0;\n"
                        "mad.wide.s32 %rd1, %r1, %r2, %rd2; atom.global.add.u32 _, [%rd1], 1;\n"
                        "bar.red.popc.u32 %r1, 0, p; bar.sync %r1; st.v2.b32 [%rd1], {%r1, %r2}; }");
    static const struct {
        u8 n, role[5], type[5];
    } want[] = {
        {5, {PTX_DEST}, {PTX_B32, PTX_B32, PTX_U32, PTX_U32, PTX_U32}},
        {4, {PTX_DEST}, {PTX_B32, PTX_S32, PTX_S32, PTX_B32}},
        {4, {PTX_DEST}, {PTX_S64, PTX_S32, PTX_S32, PTX_S64}},
        {3, {PTX_DEST, PTX_ADDRESS}, {PTX_U32, PTX_NONE, PTX_U32}},
        {3, {PTX_DEST}, {PTX_U32, PTX_U32, PTX_PRED}},
        {1, {PTX_SOURCE}, {PTX_U32}},
        {2, {PTX_ADDRESS}, {PTX_NONE, PTX_B32}},
    };
    for (size_t k = 0; k < LS_ARRAY_LEN(want); k++) {
        const struct ptx_inst *i = &m->funcs[0]->insts[k];
        assert_int_equal(i->noperands, want[k].n);
        assert_int_equal(ptx_dest_count(i), want[k].role[0] == PTX_DEST);
        for (unsigned n = 0; n < i->noperands; n++) {
            assert_int_equal(i->operands[n].role, want[k].role[n]);
            assert_int_equal(i->operands[n].type, want[k].type[n]);
        }
    }
    const struct ptx_operand *pair = m->funcs[0]->insts[0].operands;
    assert_int_equal(pair->elems[1].role, PTX_DEST);
    assert_int_equal(pair->elems[1].type, PTX_PRED);
    ptx_free(m);
}

static void instruction_fields(void **state)
{
    (void)state;
    struct ptx_module *m =
        must_parse(HEAD ".entry k()\n{\n .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .b64 %rd<4>;\n"
                        "  ld.global.nc.L2::128B.v4.f32 {%f1, _, %f3, %f4}, [%rd1+-16];\n"
                        "  cvt.rzi.s32.f32 %r1, 0f3F800000;\n  ld.v2.shared::cta.u32 {%r1, %r2}, [64];\n"
                        "  mov.f32 %f1, 0d3FF0000000000000; mov.b32 %r1, -5; mov.b32 %r1, 4294967295;\n}");
    const struct ptx_inst *i = m->funcs[0]->insts;
    assert_int_equal(i[0].op, OP_LD);
    assert_int_equal(i[0].line, 7);
    assert_int_equal(i[0].column, 3);
    assert_int_equal(i[0].space, SPACE_GLOBAL);
    assert_int_equal(i[0].nmods, 4);
    assert_int_equal(i[0].mods[0], MOD_GLOBAL);
    assert_int_equal(i[0].mods[1], MOD_NC);
    assert_int_equal(i[0].mods[2], MOD_L2_128B);
    assert_int_equal(i[0].mods[3], MOD_V4);
    assert_int_equal(i[0].ntypes, 1);
    assert_int_equal(i[0].types[0], PTX_F32);
    assert_int_equal(ptx_vec_count(&i[0]), 4);
    assert_true(ptx_has(&i[0], MOD_NC) && !ptx_has(&i[0], MOD_VOLATILE));
    assert_int_equal(i[0].operands[0].kind, PTX_VEC);
    assert_int_equal(i[0].operands[0].n, 4);
    assert_int_equal(i[0].operands[0].elems[1].kind, PTX_SINK);
    assert_int_equal(i[0].operands[1].kind, PTX_ADDR);
    assert_int_equal(i[0].operands[1].offset, -16);
    assert_int_equal(i[0].operands[1].elems[0].kind, PTX_REG);
    assert_int_equal(i[1].ntypes, 2);
    assert_int_equal(i[1].types[0], PTX_S32);
    assert_int_equal(i[1].types[1], PTX_F32);
    assert_true(i[1].operands[1].is_float);
    assert_int_equal(i[1].operands[1].bits, 0x3f800000);
    assert_int_equal(i[2].mods[0], MOD_SHARED_CTA); /* modifiers come into the table's order */
    assert_int_equal(i[2].mods[1], MOD_V2);
    assert_int_equal(i[2].space, SPACE_SHARED);
    assert_int_equal(i[2].operands[1].elems[0].kind, PTX_IMM);
    assert_int_equal(i[2].operands[1].elems[0].bits, 64);
    assert_true(i[3].operands[1].is_double);
    assert_int_equal(i[3].operands[1].bits, 0x3ff0000000000000);
    assert_true(i[4].operands[1].is_signed);
    assert_int_equal(i[4].operands[1].bits, (u64)-5);
    assert_false(i[5].operands[1].is_signed);
    assert_int_equal(i[5].operands[1].bits, 4294967295);
    ptx_free(m);
}

static void initial_values(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(
        HEAD ".func f();\n.global .align 8 .b8 a[6] = {1, -1, 0x7f};\n.const .u16 b[2][3] = {{1}, {2, 3}};\n.global "
             ".f32 c[] = {1.5, 0f40000000};\n"
             ".global .f64 d = -2.0;\n.global .u64 e[3] = {a+2, generic(a)-1, f};\n.global .b8 g[3] = {0xFF(a), "
             "0xFF00(a+9), 7};\n"
             ".global .s32 h = (3 + 4 * 5 << 1) - (7 / 2);\n.global .u32 i = ~0 > 1 ? 2 : 3;\n.global .u32 none;\n"
             ".global .u32 j = !5 | 6 & 3 ^ 8;\n.global .u64 l = -1 / 2U;\n.global .u32 n = 017 + 0b101 + (.s64)-1;\n");
    struct ptx_var **v = m->vars;
    assert_int_equal(m->nvars, 13 - 1);
    assert_memory_equal(v[0]->init, "\1\377\177\0\0\0", 6);
    static const u16 b[] = {1, 0, 0, 2, 3, 0};
    assert_int_equal(v[1]->size, sizeof(b));
    assert_memory_equal(v[1]->init, b, sizeof(b));
    static const f32 c[] = {1.5f, 2.0f};
    assert_int_equal(v[2]->count, 2); /* from its values */
    assert_memory_equal(v[2]->init, c, sizeof(c));
    static const f64 d = -2.0;
    assert_memory_equal(v[3]->init, &d, sizeof(d));
    const struct ptx_reloc *r = v[4]->relocs;
    assert_int_equal(v[4]->nrelocs, 3);
    assert_ptr_equal(r[0].var, v[0]);
    assert_int_equal(r[0].addend, 2);
    assert_int_equal(r[0].bytes, 8);
    assert_false(r[0].generic);
    assert_int_equal(r[1].at, 8);
    assert_int_equal(r[1].addend, -1);
    assert_true(r[1].generic);
    assert_ptr_equal(r[2].func, m->funcs[0]);
    r = v[5]->relocs;
    assert_int_equal(v[5]->nrelocs, 2);
    assert_int_equal(r[0].bytes, 1);
    assert_int_equal(r[0].shift, 0);
    assert_int_equal(r[1].shift, 8);
    assert_int_equal(r[1].at, 1);
    assert_int_equal(r[1].addend, 9);
    assert_int_equal(v[5]->init[2], 7);
    static const i32 h = ((3 + 4 * 5) << 1) - 7 / 2; /* C's precedence */
    assert_memory_equal(v[6]->init, &h, 4);
    static const u32 i = 3; /* ~0 is -1, signed */
    assert_memory_equal(v[7]->init, &i, 4);
    assert_null(v[8]->init);
    static const u32 j = (!5) | ((6 & 3) ^ 8);
    assert_memory_equal(v[9]->init, &j, 4);
    static const u64 l = UINT64_MAX / 2;
    assert_memory_equal(v[10]->init, &l, 8);
    static const u32 n = 15 + 5 - 1;
    assert_memory_equal(v[11]->init, &n, 4);
    ptx_free(m);
}

static void labels_and_scopes(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(HEAD ".entry k() { .reg .b32 %r<3>; .reg .pred p;\n"
                                           "{ .reg .b32 t; mov.b32 t, 1; bra L; mov.b32 t, 2; L: }\n"
                                           "{ .reg .b32 t; bra L; L: mov.b32 t, 3; }\n"
                                           "bra END; ts: .branchtargets END, L0; L0: brx.idx %r1, ts; END: }");
    const struct ptx_func *f = m->funcs[0];
    assert_int_equal(f->ninsts, 7);
    const struct ptx_label *first = f->insts[1].operands[0].label, *second = f->insts[3].operands[0].label;
    assert_int_equal(first->at, 3);
    assert_int_equal(second->at, 4);
    assert_string_not_equal(first->name, second->name);
    assert_ptr_not_equal(f->insts[0].operands[0].var, f->insts[4].operands[0].var);
    assert_string_not_equal(f->insts[0].operands[0].var->name, f->insts[4].operands[0].var->name);
    const struct ptx_label *end = f->insts[5].operands[0].label;
    assert_int_equal(end->at, f->ninsts); /* at the end */
    const struct ptx_label *ts = f->insts[6].operands[1].label;
    assert_int_equal(ts->ntargets, 2);
    assert_ptr_equal(ts->targets[0], end);
    assert_int_equal(ts->targets[1]->at, 6);
    ptx_free(m);
}

static void calls(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(
        HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.func g(.param .b32 x) .noreturn;\n"
             ".entry k() { .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
             "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0+0], %rd1; st.param.b64 [p1], %rd2;\n"
             "call.uni (q), vprintf, (p0, p1); ld.param.b32 %r1, [q+0]; }\n"
             "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _) .noreturn;\n"
             "{ .param .b64 p0; .param .b64 p1; .param .b32 q; call (q), %rd1, (p0, p1), proto; } mov.u64 %rd1, g; }\n"
             ".func g(.param .b32 x) { ret; }");
    const struct ptx_func *k = ptx_find_func(m, "k"), *g = ptx_find_func(m, "g");
    assert_int_equal(m->nfuncs, 3);
    assert_int_equal(k->nlocals, 6);
    const struct ptx_inst *c = &k->insts[2];
    assert_int_equal(c->op, OP_CALL);
    assert_int_equal(c->noperands, 3);
    assert_int_equal(c->operands[0].kind, PTX_LIST);
    assert_int_equal(c->operands[1].kind, PTX_FUNC);
    assert_ptr_equal(c->operands[1].func, ptx_find_func(m, "vprintf"));
    assert_int_equal(c->operands[2].n, 2);
    assert_ptr_equal(c->operands[2].elems[1].var, k->locals[1]);
    const struct ptx_inst *i = &k->insts[4];
    assert_int_equal(i->noperands, 4);
    assert_int_equal(i->operands[1].kind, PTX_REG);
    const struct ptx_func *proto = i->operands[3].label->proto;
    assert_true(proto->is_proto && proto->noreturn);
    assert_int_equal(proto->nparams, 2);
    assert_int_equal(proto->nrets, 1);
    assert_int_equal(proto->params[1]->offset, 8);
    assert_true(g->defined && g->noreturn); /* the declaration and the definition are one */
    assert_ptr_equal(k->insts[5].operands[1].func, g);
    ptx_free(m);
}

static void positions(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(
        HEAD ".entry k() { .reg .b32 r; mov.b32 r, 0;\n.loc 1 10 3\nmov.b32 r, 1; mov.b32 r, 2;\n"
             ".loc 2 7 5, function_name $s+4, inlined_at 1 10 3\nmov.b32 r, 3;\n.loc 1 10 3\nmov.b32 r, 4; }\n"
             ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.section .debug_str { .b8 1\n$s: .b8 97,98,99,0,102,111,111,0 }\n");
    const struct ptx_inst *i = m->funcs[0]->insts;
    assert_int_equal(i[0].loc, 0);
    assert_int_equal(i[1].loc, i[2].loc);
    assert_int_equal(i[4].loc, i[1].loc); /* equal positions are one entry */
    const struct ptx_loc *outer = &m->locs[i[1].loc - 1], *inner = &m->locs[i[3].loc - 1];
    assert_int_equal(outer->line, 10);
    assert_int_equal(outer->inlined_at, 0);
    assert_null(outer->function_name);
    assert_int_equal(inner->file, 2);
    assert_int_equal(inner->line, 7);
    assert_int_equal(inner->column, 5);
    assert_int_equal(inner->inlined_at, i[1].loc);
    assert_string_equal(inner->function_name, "foo");
    assert_string_equal(m->files[inner->file], "b.h");
    ptx_free(m);
}

static void variables(void **state)
{
    (void)state;
    struct ptx_module *m =
        must_parse(HEAD ".extern .shared .align 16 .b8 dyn[];\n.visible .global .attribute(.managed) .v2 .f32 v[4];\n"
                        ".extern .global .u32 later;\n.global .u64 at = later;\n.weak .global .u32 later = 9;\n"
                        ".func a(.param .u32 x);\n.func b(.param .u32 x) { .shared .u32 s[2]; .local .align 32 .b8 "
                        "l[5]; ret; }\n.alias a, b;");
    assert_int_equal(m->nvars, 4);
    assert_int_equal(m->vars[0]->linkage, LINK_EXTERN);
    assert_int_equal(m->vars[0]->size, 0);
    assert_int_equal(m->vars[0]->count, 0);
    assert_int_equal(m->vars[0]->align, 16);
    assert_true(m->vars[0]->is_array);
    assert_true(m->vars[1]->managed);
    assert_int_equal(m->vars[1]->vec, 2);
    assert_int_equal(m->vars[1]->size, 32);
    assert_int_equal(m->vars[1]->align, 8);
    assert_string_equal(m->vars[3]->name, "later"); /* where it is defined */
    assert_ptr_equal(m->vars[2]->relocs[0].var, m->vars[3]);
    assert_int_equal(m->vars[3]->linkage, LINK_WEAK);
    for (u32 i = 0; i < m->nvars; i++)
        assert_int_equal(m->vars[i]->index, i);
    const struct ptx_func *a = ptx_find_func(m, "a"), *b = ptx_find_func(m, "b");
    assert_ptr_equal(a->alias, b);
    assert_true(a->defined);
    assert_ptr_equal(a->insts, b->insts);
    assert_int_equal(b->nlocals, 2);
    assert_int_equal(b->locals[0]->space, SPACE_SHARED);
    assert_int_equal(b->locals[1]->align, 32);
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head),
        cmocka_unit_test(parameters),
        cmocka_unit_test(registers_are_those_used),
        cmocka_unit_test(operands_have_roles_and_types),
        cmocka_unit_test(instruction_fields),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(labels_and_scopes),
        cmocka_unit_test(calls),
        cmocka_unit_test(positions),
        cmocka_unit_test(variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
