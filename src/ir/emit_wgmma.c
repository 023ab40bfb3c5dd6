/* emit_wgmma.c - products of warpgroups (PTX ISA 9.7.15) to records, and waits in front of what touches their registers. */
#include "ir/emit.h"

#include <stdio.h>

#include "ir/wgmma.h"
#include "ir/wgmma_shape.h"

static bool is_float(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_TF32 || t == PTX_E4M3 || t == PTX_E5M2;
}

/* Integers have every N to 32 and then multiples of 16 (9.7.15.5.1). */
static bool is_shape(u32 n, enum ptx_type a) { return is_float(a) || n <= 32 || n % 16 == 0; }

bool ir_wgmma_shape(const struct ptx_inst *i, struct ir_wgmma_shape *s)
{
    if (i->op != OP_WGMMA_MMA_ASYNC && i->op != OP_WGMMA_MMA_ASYNC_SP)
        return false;
    *s = (struct ir_wgmma_shape){
        .a = i->types[1], .a_in_registers = i->operands[1].kind == PTX_VEC, .sparse = i->op == OP_WGMMA_MMA_ASYNC_SP};
    for (unsigned m = 0; m < i->nmods; m++)
        if (sscanf(ptx_mod_name(i->mods[m]), "m64n%uk%u", &s->n, &s->k) == 2)
            return true;
    return false;
}

static bool bind(struct emit *e, const struct ptx_operand *o, u32 n, u32 *slots, bool dest)
{
    if (o->kind != PTX_VEC || o->n != n) {
        ir_poison(e->p, e->site, "a fragment of %u registers is needed", n);
        return false;
    }
    for (u32 k = 0; k < n; k++) {
        const struct ptx_operand *r = &o->elems[k];
        if (r->kind != PTX_REG || ir_class(r->var->type) != CLASS_32) {
            ir_poison(e->p, e->site, "the fragments of wgmma are registers of 32 bits");
            return false;
        }
        slots[k] = dest ? emit_write(e, r, PTX_B32) : emit_read(e, r, PTX_B32);
    }
    return true;
}

static i64 immediate(const struct ptx_inst *i, u32 at)
{
    return at < i->noperands && i->operands[at].kind == PTX_IMM ? (i64)i->operands[at].bits : 0;
}

/* The operands behind the predicate: the signs of a and b, then whether they lie crosswise, a only in shared memory. */
static void read_immediates(struct ir_wgmma *x, const struct ptx_inst *i, u32 at)
{
    if (!is_float((enum ptx_type)x->a))
        return;
    x->negative = (immediate(i, at) < 0) != (immediate(i, at + 1) < 0);
    if (x->a != PTX_F16 && x->a != PTX_BF16)
        return;
    x->cross_a = !x->a_in_registers && immediate(i, at + 2);
    x->cross_b = immediate(i, at + 3 - x->a_in_registers) != 0;
}

static const char *body_of(enum ptx_type a, bool sparse)
{
    return sparse                           ? "wgmma_sparse"
           : a == PTX_E4M3 || a == PTX_E5M2 ? "wgmma_bytes"
           : is_float(a)                    ? "wgmma_float"
                                            : "wgmma_int";
}

void emit_wgmma(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_wgmma *x = arena_new(e->p->mem, struct ir_wgmma);
    struct ir_wgmma_shape shape = {0};
    ir_wgmma_shape(i, &shape);
    x->n = (u16)shape.n;
    x->d = i->types[0];
    x->a = i->types[1];
    x->b = i->types[2];
    x->satfinite = ptx_has(i, MOD_SATFINITE);
    x->a_in_registers = i->operands[1].kind == PTX_VEC;
    x->nd = x->n / (x->d == PTX_F16 ? 4u : 2u);
    if (!is_shape(x->n, (enum ptx_type)x->a)) {
        ir_poison(e->p, e->site, "integers have no such shape");
        return;
    }
    if (x->a_in_registers && !bind(e, &i->operands[1], WGMMA_A, x->a_slots, false))
        return;
    if (!x->a_in_registers)
        x->a_at = emit_read(e, &i->operands[1], PTX_B64);
    x->b_at = emit_read(e, &i->operands[2], PTX_B64);
    x->sparse = i->op == OP_WGMMA_MMA_ASYNC_SP;
    if (x->sparse) {
        x->metadata = emit_read(e, &i->operands[3], PTX_B32);
        x->selector = (u8)immediate(i, 4) & 3;
    }
    x->adds = emit_read(e, &i->operands[x->sparse ? 5 : 3], PTX_PRED);
    read_immediates(x, i, x->sparse ? 6 : 4);
    if (!bind(e, &i->operands[0], x->nd, x->d_slots, true))
        return;
    emit_put(e, body_of((enum ptx_type)x->a, x->sparse))->ptr = x;
}

void emit_wgmma_order(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    if (i->op == OP_WGMMA_WAIT_GROUP)
        emit_put(e, "wgmma_wait")->imm = immediate(i, 0);
    else
        emit_put(e, i->op == OP_WGMMA_FENCE ? "wgmma_fence" : "wgmma_commit");
}

/* ---- registers that products may have under way ---- */

struct touching {
    const struct emit *e;
    struct ir_wgmma_touch *to;
    u32 n;
};

static void touch(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct touching *t = ctx;
    const struct pass *p = t->e->p;
    const u32 r = reg->index;
    if (!(t->e->flight[r / 64] >> r % 64 & 1) || (!is_write && !(p->late[r] & WGMMA_WRITTEN)))
        return;
    if (t->to) {
        t->to->at[t->n].slot = p->place[r];
        t->to->at[t->n].is_write = is_write;
    }
    t->n++;
}

void emit_wgmma_settle(struct emit *e)
{
    struct touching t = {.e = e};
    if (!ir_is_wgmma(e->inst)) {
        ir_each_reg(e->inst, touch, &t);
        if (t.n) {
            t.to = arena_alloc(e->p->mem, sizeof *t.to + t.n * sizeof t.to->at[0]);
            t.to->n = t.n;
            t.n = 0;
            ir_each_reg(e->inst, touch, &t);
            emit_put(e, "wgmma_settle")->ptr = t.to;
        }
    }
    ir_step_flight(e->p, e->inst, e->flight);
}
