/* tick.c - the record in front of each instruction of timed code: which registers it needs and makes, the unit that runs
 * it and how many machine instructions it stands for (struct ir_tick). */
#include <string.h>

#include "ir/emit.h"

/* ---- registers ---- */

static u32 carry_entry(const struct pass *p) { return p->out->masks_at / IR_SLOT + (p->carry - p->out->masks_at) / 4; }

static u32 entry_of(const struct pass *p, const struct ptx_var *reg)
{
    u32 place = p->place[reg->index];
    return ir_class(reg->type) == CLASS_PRED ? p->out->masks_at / IR_SLOT + (place - p->out->masks_at) / 4
                                             : place / IR_SLOT;
}

struct registers {
    struct emit *e;
    struct ir_tick *tick; /* NULL: only count */
    u32 nreads, nwrites;
};

static void put_read(struct registers *r, u32 entry)
{
    if (r->tick)
        r->tick->entry[r->nreads] = entry;
    r->nreads++;
}

static void put_write(struct registers *r, u32 entry)
{
    if (r->tick)
        r->tick->entry[r->tick->nreads + r->nwrites] = entry;
    r->nwrites++;
}

static void put_register(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct registers *r = ctx;
    if (is_write)
        put_write(r, entry_of(r->e->p, reg));
    else
        put_read(r, entry_of(r->e->p, reg));
}

static void each_register(struct registers *r)
{
    const struct ptx_inst *i = r->e->inst;
    ir_each_reg(i, put_register, r);
    if (ir_reads_carry(i))
        put_read(r, carry_entry(r->e->p));
    if (ptx_has(i, MOD_CC))
        put_write(r, carry_entry(r->e->p));
}

/* ---- the record ---- */

bool ir_passes_l1(const struct ptx_inst *i)
{
    static const u16 mods[] = {MOD_VOLATILE, MOD_RELAXED, MOD_ACQUIRE, MOD_RELEASE, MOD_MMIO, MOD_CG, MOD_CV};
    for (unsigned k = 0; k < LS_ARRAY_LEN(mods); k++)
        if (ptx_has(i, mods[k]))
            return true;
    return false;
}

static u32 tick_value(struct emit *e, enum ir_unit unit)
{
    const struct ptx_inst *i = e->inst;
    if (unit == IR_UNIT_SLEEP)
        return emit_read(e, &i->operands[0], PTX_U32);
    if (unit != IR_UNIT_COPY_WAIT)
        return 0;
    if (!i->noperands)
        return IR_COPY_ALL;
    return i->operands[0].kind == PTX_IMM ? (u32)i->operands[0].bits : 0;
}

void emit_tick(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_cost c = e->p->target->cost(i);
    struct registers r = {.e = e};
    each_register(&r);
    struct ir_tick *t = arena_alloc(e->p->mem, sizeof *t + sizeof t->entry[0] * (r.nreads + r.nwrites));
    t->unit = (u8)c.unit;
    t->steps = c.steps;
    t->chain = c.chain;
    t->nreads = r.nreads;
    t->nwrites = r.nwrites;
    r = (struct registers){.e = e, .tick = t};
    each_register(&r);
    t->shared = i->space == SPACE_SHARED;
    t->atomic = ptx_op_rows[i->op].memory == PTX_MEM_ATOMIC;
    t->past_l1 = ir_passes_l1(i);
    t->is_copy = ptx_op_rows[i->op].memory == PTX_MEM_COPY;
    memset(e->ntemps, 0, sizeof e->ntemps);
    t->value = tick_value(e, c.unit);
    e->p->out->scoreboard = carry_entry(e->p) + 1;
    emit_put(e, "tick")->ptr = t;
}
