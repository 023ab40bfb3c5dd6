/* estimated.h - small kernels, parsed and lowered, and the machine code that is estimated of them for an H200. After the test library's header. */
#ifndef LS_TESTS_METER_ESTIMATED_H
#define LS_TESTS_METER_ESTIMATED_H

#include "code_check.h"
#include "lowered.h"

/* ---- kernels ---- */

struct subject {
    struct ptx_module *mod;
    const struct ir_func *func;
    struct arena mem;
    struct gpu gpu;
    struct estimate *e;
    struct replay_code *c;
};

static inline void parse(struct subject *s, const char *text, size_t len, const char *file)
{
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &s->gpu, &d), LS_OK);
    if (ptx_parse(text, len, file, &s->mod, &d) != LS_OK)
        fail_msg("%s: %s", file, d.first ? d.first->text : "no memory");
    diag_free(&d);
    s->mem = (struct arena)ARENA("test");
    if (setjmp(s->mem.oom))
        fail();
}

static inline void estimate(struct subject *s, const struct ptx_func *f)
{
    char why[256];
    s->func = ir_lower(&s->mem, s->mod, f, &lowered_target);
    s->e = estimate_make(&s->mem, s->func, s->gpu.cc_major, NULL);
    s->c = code_from_ptx(&s->mem, &s->gpu, s->func, s->e);
    assert_false(s->c->machine);
    if (!code_check(&s->mem, &s->gpu, s->func, s->e, s->c, why, sizeof why))
        fail_msg("%s", why);
}

static inline void drop(struct subject *s)
{
    arena_free(&s->mem);
    ptx_free(s->mod);
}

static inline void make(struct subject *s, const char *body)
{
    static const char frame[] =
        ".version 7.8\n.target sm_80\n.address_size 64\n.const .align 4 .b8 bank[64];\n"
        ".func other() { ret; }\n"
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %%p<19>;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n.reg .f32 %%f<99>;\n.reg .f64 %%d<9>;\n"
        ".shared .align 4 .b8 tile[4096];\n"
        "mov.u32 %%r1, %%tid.x;\nld.param.u64 %%rd1, [p];\nld.param.u32 %%r2, [n];\n%s\n}\n";
    char text[8192];
    const int n = snprintf(text, sizeof text, frame, body);
    assert_in_range(n, 1, sizeof text - 1);
    parse(s, text, (size_t)n, "test.ptx");
    estimate(s, ptx_find_func(s->mod, "k"));
}

/* ---- what is looked at ---- */

static inline u32 block_at(const struct subject *s, const char *label)
{
    for (u32 k = 0; k < s->func->src->nlabels; k++)
        if (strcmp(s->func->src->labels[k]->name, label) == 0)
            return s->func->block_of_site[s->func->src->labels[k]->at];
    fail_msg("no label %s", label);
    return 0;
}

static inline const struct replay_program *program(const struct subject *s, u32 block, u32 copies)
{
    for (u32 k = 0; k < s->c->blocks[block].n; k++)
        if (s->c->blocks[block].programs[k].copies == copies)
            return &s->c->blocks[block].programs[k];
    fail_msg("block %u has no program of %u copies", block, copies);
    return NULL;
}

static inline enum ptx_op op_of(const struct subject *s, const struct replay_inst *i)
{
    return i->site == REPLAY_NO_SITE ? PTX_OP_NONE : (enum ptx_op)s->func->src->insts[i->site].op;
}

static inline u32 count(const struct subject *s, const struct replay_program *p, enum ptx_op op)
{
    u32 n = 0;
    for (u32 i = 0; i < p->n; i++)
        n += op_of(s, &p->insts[i]) == op;
    return n;
}

/* The position of the nth machine instruction of that opcode. */
static inline u32 where(const struct subject *s, const struct replay_program *p, enum ptx_op op, u32 nth)
{
    for (u32 i = 0; i < p->n; i++)
        if (op_of(s, &p->insts[i]) == op && nth-- == 0)
            return i;
    fail_msg("not so many %s", ptx_op_name(op));
    return 0;
}

#endif
