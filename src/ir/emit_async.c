/* emit_async.c - mbarriers (PTX ISA 9.7.13.15), bulk copies (9.7.9.25.4) and st.bulk: modifiers and operands become the
 * structs of async.h.
 *
 * A copy is done when it is issued; its commit and wait are nothing. */
#include "ir/emit.h"

#include "ir/async.h"

static struct ir_address address(struct emit *e, const struct ptx_operand *o, bool generic)
{
    const struct place at = emit_address(e, o);
    return (struct ir_address){.slot = at.slot, .flags = at.aux, .offset = at.imm, .generic = generic};
}

/* The operand behind the address: a count (1 when it is left out), bytes, a state or a parity. A hint of how long to
 * wait, which may follow, has no effect. */
static u32 value_of(struct emit *e, const struct ir_mbarrier *m, unsigned at)
{
    const struct ptx_inst *i = e->inst;
    const bool state = m->op == MBARRIER_WAIT && !m->parity;
    return at < i->noperands ? emit_read(e, &i->operands[at], state ? PTX_B64 : PTX_U32) : emit_const32(e, 1);
}

static void emit_mbarrier(struct emit *e, enum ir_mbarrier_op op)
{
    const struct ptx_inst *i = e->inst;
    struct ir_mbarrier *m = arena_new(e->p->mem, struct ir_mbarrier);
    const unsigned first = ptx_dest_count(i); /* index of the address */
    m->op = op;
    m->parity = ptx_has(i, MOD_PARITY);
    m->no_complete = ptx_has(i, MOD_NOCOMPLETE);
    m->transaction = ptx_has(i, MOD_EXPECT_TX);
    m->noinc = ptx_has(i, MOD_NOINC);
    m->relaxed = ptx_has(i, MOD_RELAXED);
    m->at = address(e, &i->operands[first], i->space == SPACE_NONE);
    m->value = value_of(e, m, first + 1);
    if (m->op == MBARRIER_WAIT)
        m->result = emit_write(e, &i->operands[0], PTX_PRED);
    else
        m->result = first ? emit_write(e, &i->operands[0], PTX_B64) : emit_temp(e, CLASS_64);
    emit_put(e, "mbarrier")->ptr = m;
    emit_end_writes(e);
}

void emit_mbarrier_init(struct emit *e) { emit_mbarrier(e, MBARRIER_INIT); }
void emit_mbarrier_inval(struct emit *e) { emit_mbarrier(e, MBARRIER_INVAL); }
void emit_mbarrier_expect(struct emit *e) { emit_mbarrier(e, MBARRIER_EXPECT); }
void emit_mbarrier_complete(struct emit *e) { emit_mbarrier(e, MBARRIER_COMPLETE); }
void emit_mbarrier_arrive(struct emit *e) { emit_mbarrier(e, MBARRIER_ARRIVE); }
void emit_mbarrier_drop(struct emit *e) { emit_mbarrier(e, MBARRIER_DROP); }
void emit_mbarrier_wait(struct emit *e) { emit_mbarrier(e, MBARRIER_WAIT); }
void emit_mbarrier_copies(struct emit *e) { emit_mbarrier(e, MBARRIER_COPIES); }

/* ---- bulk copies ---- */

/* The last operand of a copy to global memory with .cp_mask; a cache policy stands before it. */
static u32 byte_mask(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    return emit_read(e, &i->operands[i->noperands - 1], PTX_B16);
}

/* [to], [from], bytes, and [mbarrier] of those that end in shared memory */
void emit_bulk(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    const unsigned policy = ptx_has(i, MOD_L2_CACHE_HINT);
    if (ptx_has(i, MOD_IGNORE_OOB)) {
        ir_poison(e->p, e->site, "copies that leave bytes out (.ignore_oob) are not simulated yet");
        return;
    }
    b->kind = ptx_has(i, MOD_BULK_GROUP) ? BULK_OUT : ptx_has(i, MOD_GLOBAL) ? BULK_IN : BULK_OWN;
    b->to = address(e, &i->operands[0], false);
    b->from = address(e, &i->operands[1], false);
    b->bytes = emit_read(e, &i->operands[2], PTX_U32);
    if (b->kind == BULK_OUT)
        b->is_masked = ptx_has(i, MOD_CP_MASK);
    else
        b->barrier = address(e, &i->operands[3], false);
    if (b->is_masked && i->noperands < 4 + policy) {
        ir_poison(e->p, e->site, ".cp_mask needs a mask");
        return;
    }
    b->mask = b->is_masked ? byte_mask(e) : 0;
    b->multicast = ptx_has(i, MOD_MULTICAST_CLUSTER);
    if (b->multicast && i->noperands < 5 + policy) {
        ir_poison(e->p, e->site, ".multicast::cluster needs a mask of blocks");
        return;
    }
    b->ranks = b->multicast ? emit_read(e, &i->operands[4], PTX_B16) : 0;
    emit_put(e, "bulk")->ptr = b;
}

/* st.bulk [to], bytes, 0 */
void emit_bulk_fill(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    b->kind = BULK_FILL;
    b->to = address(e, &i->operands[0], i->space == SPACE_NONE);
    b->bytes = emit_read(e, &i->operands[1], PTX_U64);
    emit_put(e, "bulk")->ptr = b;
}
