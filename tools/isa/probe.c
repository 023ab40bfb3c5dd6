/* probe.c - does the engine run an instruction? It is parsed and lowered in both modes in a kernel of its own (in a
 * function, if it uses .param). Then the record of its body is run on random registers: a source operand that never
 * changes the result has been dropped on the way. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/bodies/bodies.h"
#include "exec/warp.h"
#include "ir/pass.h"
#include "isa.h"

static ir_body body(void *ctx, const char *name, enum ir_mode mode)
{
    (void)ctx;
    return bodies_find(name, mode);
}
static bool var_address(void *ctx, const struct ptx_func *f, const struct ptx_var *v, u64 *address)
{
    (void)ctx, (void)f, (void)v;
    *address = 4096;
    return true;
}
static u64 func_handle(void *ctx, const struct ptx_func *f)
{
    (void)ctx, (void)f;
    return 64;
}
static int builtin(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return -1;
}

/* ---- does every source matter? ---- */

static u64 next_random(void)
{
    static u64 n;
    u64 x = n += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Small numbers, floats near 1, infinities, NaNs and random bits, so that shifts, comparisons and sums all move. */
static void randomize(u8 *at, size_t bytes)
{
    static const u64 special[] = {0, 0x7f8000007f800000, 0x7ff0000000000000, UINT64_MAX};
    for (size_t k = 0; k < bytes; k += 8) {
        u64 x = next_random(), kind = next_random() & 7;
        x = kind < 2 ? x & 31 : kind == 2 ? (x & 31) << 32 | (x >> 32 & 31) : x;
        x = kind == 3 ? (x & 0x807fffff807fffff) | 0x3f8000003f800000 : x;
        x = kind == 4 ? (x & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00 : x;
        x = kind == 6 ? special[x & 3] : x;
        x = kind == 5 ? (x & 0x800fffffffffffff) | 0x3ff0000000000000 : x;
        memcpy(at + k, &x, bytes - k < 8 ? bytes - k : 8);
    }
}

static const struct ir_inst *stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)pc, (void)regs, (void)w;
    return NULL;
}

static void run_record(const struct ir_inst *r, u8 *regs)
{
    struct ir_inst code[2] = {*r, {.run = stop}};
    struct warp w = {.mask = FULL_MASK, .shared_window = 1ull << 40, .local_window = 1ull << 41};
    for (const struct ir_inst *pc = code; pc;)
        pc = pc->run(pc, regs, &w);
}

static size_t slot_bytes(const struct ptx_operand *o)
{
    static const size_t bytes[CLASS_COUNT] = {IR_SLOT, 2 * IR_SLOT, 4 * IR_SLOT, 4};
    return o->kind == PTX_REG ? bytes[ir_class(o->var->type)] : 0;
}

enum { RESULT = 4 * IR_SLOT }; /* behind the frame: where results go, so that they never overlap a source */

/* Whether the operand at offset `at` ever changes the result. */
static bool matters(struct ir_inst r, u32 at, size_t bytes, u32 frame)
{
    u8 *one = NULL, *two = NULL;
    bool differs = false;
    if (posix_memalign((void **)&one, 64, frame + RESULT) || posix_memalign((void **)&two, 64, frame + RESULT))
        abort();
    r.d = frame;
    for (int trial = 0; trial < 256 && !differs; trial++) {
        randomize(one, frame + RESULT);
        memcpy(two, one, frame + RESULT);
        randomize(two + at, bytes);
        run_record(&r, one);
        run_record(&r, two);
        differs = memcmp(one + frame, two + frame, RESULT) != 0;
    }
    free(one);
    free(two);
    return differs;
}

/* Lane loops only: what touches memory, control or other lanes has no sources that emission could drop. */
static bool is_lane_loop(enum ptx_op op)
{
    const char *c = ptx_op_row(op)->cls;
    return (!strcmp(c, "ARITH") || !strcmp(c, "INTEGER") || !strcmp(c, "BIT") || !strcmp(c, "CONVERSION")) &&
           op != OP_SETP && op != OP_SET && op != OP_ISSPACEP && op != OP_CVTA && op != OP_MAPA && op != OP_GETCTARANK;
}

/* The source, counted from 1, that does not matter to an instruction that is one record; 0: all do. */
static unsigned deaf_source(const struct ptx_func *f, const struct ir_func *ir)
{
    const struct ptx_inst *i = &f->insts[0];
    const struct ir_inst *r = ir->code[IR_FAST].insts;
    const u32 at[4] = {r->a, r->b, r->c, r->aux};
    const unsigned ndest = ptx_dest_count(i);
    if (!is_lane_loop(i->op) || r[1].site == 0)
        return 0;
    for (unsigned s = 0; s + ndest < i->noperands && s < 4; s++) {
        if (i->op == OP_PRMT && i->nmods && s == 1) /* several modes look at a alone (9.7.9.7) */
            continue;
        const size_t bytes = slot_bytes(&i->operands[ndest + s]);
        if (bytes && !matters(*r, at[s], bytes, ir->frame_bytes))
            return s + 1;
    }
    return 0;
}

/* ---- lowering ---- */

static const char *lower(const struct ptx_module *m, char *buf, size_t size)
{
    struct arena mem = ARENA("launch");
    const struct ir_target target = {
        .body = body, .var_address = var_address, .func_handle = func_handle, .builtin = builtin};
    if (setjmp(mem.oom)) {
        arena_free(&mem);
        return "out of memory";
    }
    const struct ptx_func *f = ptx_find_func(m, "probe");
    const struct ir_func *out = ir_lower(&mem, m, f, &target);
    const char *why = NULL;
    unsigned deaf = 0;
    if (out->poison) {
        const char *at = strstr(out->poison, "`: ");
        snprintf(buf, size, "%s", at ? at + 3 : out->poison);
        why = buf;
    } else if ((deaf = deaf_source(f, out))) {
        snprintf(buf, size, "source %u does not matter", deaf);
        why = buf;
    }
    arena_free(&mem);
    return why;
}

const char *isa_probe(const struct isa_case *c, char *buf, size_t size)
{
    static const char *const kinds[] = {
        ".visible .entry probe()",
        ".visible .func (.param .align 16 .b8 ret[128]) probe(.param .align 16 .b8 arg[128])",
    };
    char text[8192];
    struct ptx_module *m = NULL;
    struct diag_list diags;
    diag_init(&diags);
    const int n = snprintf(text, sizeof text,
                           ".version 9.0\n.target sm_100a\n.address_size 64\n.func fun() { ret; }\n"
                           "%s {\n%s\n%s;\nLAB: ret;\n%s}\n",
                           kinds[strstr(c->text, "param") != NULL && c->op != OP_ISSPACEP && c->op != OP_CVTA], c->regs,
                           c->text, c->op == OP_BRX ? "LABS: .branchtargets LAB;\n" : "");
    const char *why = buf;
    if (ptx_parse(text, (size_t)n, "probe", &m, &diags) == LS_OK)
        why = lower(m, buf, size);
    else
        snprintf(buf, size, "syntax: %s", diags.first ? diags.first->text : "out of memory");
    if (m)
        ptx_free(m);
    diag_free(&diags);
    return why;
}
