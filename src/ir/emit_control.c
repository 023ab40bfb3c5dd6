/* emit_control.c - branches, calls, returns, barriers and warp-wide operations: everything whose record may stop a
 * warp, split it, or change frames. The bodies are in exec/ops/control.inc and warp.inc, which document the operands. */
#include "ir/emit.h"

#include <stdio.h>

static u32 block_of_label(const struct emit *e, const struct ptx_label *l)
{
    return l->at < e->p->f->ninsts ? e->p->out->block_of_site[l->at] : e->p->out->nblocks;
}

/* What a backward branch takes of the warp's quantum: the instructions between its target and itself. */
static u32 loop_cost(const struct emit *e, u32 block) { return e->site - e->p->out->blocks[block].first + 1; }

/* A conditional record: to `block` where the predicate is (or is not) true; lanes that part meet at `join`. */
static void put_branch_if(struct emit *e, u32 pred, bool unless, u32 block, u32 join)
{
    bool back = block <= e->block;
    struct ir_inst *r =
        emit_put(e, unless ? (back ? "branch_unless_back" : "branch_unless") : (back ? "branch_if_back" : "branch_if"));
    r->a = pred;
    r->aux = back ? loop_cost(e, block) : 0;
    emit_target_fixup(e, block);
    emit_join_fixup(e, join);
}

void emit_branch(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    if (i->operands[0].kind != PTX_LABEL) {
        ir_poison(e->p, e->site, "a branch needs a label");
        return;
    }
    u32 to = block_of_label(e, i->operands[0].label);
    if (i->guard) {
        put_branch_if(e, e->p->place[i->guard->index], i->guard_neg, to, e->p->out->blocks[e->block].ipdom);
    } else if (to != e->block + 1) {
        bool back = to <= e->block;
        emit_put(e, back ? "jump_back" : "jump")->aux = back ? loop_cost(e, to) : 0;
        emit_target_fixup(e, to);
    }
}

/* In front of a predicated instruction that stands alone in its block: lanes without the predicate go past it. */
void emit_skip(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    u32 after = e->site + 1 < e->p->f->ninsts ? e->p->out->block_of_site[e->site + 1] : e->p->out->nblocks;
    bool meets = after < e->p->out->nblocks && e->p->out->blocks[after].is_join;
    put_branch_if(e, e->p->place[i->guard->index], !i->guard_neg, after, meets ? after : IR_NO_BLOCK);
}

/* brx: a = the index, ptr = the table, imm = the join. */
void emit_table_branch(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const struct ptx_operand *last = &i->operands[i->noperands - 1];
    if (last->kind != PTX_LABEL || !last->label->ntargets || i->guard) {
        ir_poison(e->p, e->site, "brx needs a list of labels and no predicate");
        return;
    }
    const struct ptx_label *l = last->label;
    struct ir_table *table = arena_new(e->p->mem, struct ir_table);
    table->n = l->ntargets;
    table->targets = arena_array(e->p->mem, const struct ir_inst *, l->ntargets);
    for (u32 k = 0; k < l->ntargets; k++) {
        struct table_fixup f = {table, k, block_of_label(e, l->targets[k])};
        vec_push(e->p->mem, &e->table_fixups, f);
    }
    u32 index = emit_read(e, &i->operands[0], PTX_U32);
    struct ir_inst *r = emit_put(e, "branch_table");
    r->a = index;
    r->ptr = table;
    emit_join_fixup(e, e->p->out->blocks[e->block].ipdom);
}

void emit_end(struct emit *e)
{
    bool ends_thread = e->inst->op == OP_EXIT || (e->inst->op == OP_RET && e->p->f->is_entry);
    emit_put(e, e->inst->op == OP_TRAP ? "trap" : ends_thread ? "exit" : "ret");
}

/* call: ptr = struct ir_call; an indirect one has the handle in a. */
void emit_call(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_call_parts parts;
    ir_call_parts(i, &parts);
    struct ir_call *c = arena_new(e->p->mem, struct ir_call);
    c->ret_at = ir_call_ret_at(i);
    c->builtin = -1;
    u32 handle = 0;
    const char *body = "call";
    if (!parts.callee) {
        ir_poison(e->p, e->site, "a call without a callee");
        return;
    }
    if (parts.callee->kind == PTX_FUNC) {
        const struct ptx_func *f = parts.callee->func;
        c->callee = e->p->target->func_handle(e->p->target->ctx, f);
        c->builtin = c->callee ? -1 : e->p->target->builtin(e->p->target->ctx, f->name);
        if (!c->callee && c->builtin < 0)
            ir_poison(e->p, e->site, "function %s is not defined and is no built-in", f->name);
        body = c->callee ? "call" : "call_builtin";
    } else {
        handle = emit_read(e, parts.callee, PTX_U64);
        body = "call_indirect";
    }
    struct ir_inst *r = emit_put(e, body);
    r->a = handle;
    r->ptr = c;
}

static void note_barrier_id(struct emit *e, const struct ptx_operand *id)
{
    u32 used = id->kind == PTX_IMM ? (u32)id->bits + 1 : 16;
    if (used > e->p->out->nbarriers)
        e->p->out->nbarriers = used;
    e->p->out->has_barrier = true;
}

enum { BARRIER_HAS_COUNT = 1, BARRIER_ALIGNED = 2 };

/* bar_*: a = id, b = thread count when aux & 1; red: d = result, c = predicate. aux & 2: aligned. */
void emit_barrier(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    bool red = ptx_has(i, MOD_RED);
    unsigned first = red, last = i->noperands - red; /* operands [first, last) are id and count */
    char name[24] = "bar_sync";
    u32 d = 0, pred = 0;
    if (red) {
        bool count = ptx_has(i, MOD_POPC);
        snprintf(name, sizeof name, "bar_red_%s", count ? "popc" : ptx_has(i, MOD_AND) ? "and" : "or");
        d = emit_write(e, &i->operands[0], count ? PTX_U32 : PTX_PRED);
        pred = emit_read(e, &i->operands[i->noperands - 1], PTX_PRED);
    } else if (ptx_has(i, MOD_ARRIVE)) {
        snprintf(name, sizeof name, "bar_arrive");
    }
    note_barrier_id(e, &i->operands[first]);
    u32 id = emit_read(e, &i->operands[first], PTX_U32);
    bool counted = last > first + 1;
    u32 count = counted ? emit_read(e, &i->operands[first + 1], PTX_U32) : 0;
    struct ir_inst *r = emit_put(e, name);
    r->d = d;
    r->a = id;
    r->b = count;
    r->c = pred;
    r->aux = (counted ? BARRIER_HAS_COUNT : 0) | (i->op == OP_BAR || ptx_has(i, MOD_ALIGNED) ? BARRIER_ALIGNED : 0);
}

/* Warp-wide operations: d = result, aux = second result (a predicate), a b c = sources, imm = place of the member mask,
 * or -1 for the old forms without .sync, whose members are the active lanes. */
void emit_warp_op(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    char name[64];
    u32 source[3] = {0}, d = 0, d2 = 0;
    unsigned ndest = ptx_dest_count(i), nsrc = i->noperands - ndest;
    bool sync = ptx_has(i, MOD_SYNC) || i->op == OP_BAR_WARP_SYNC;
    ir_body_name(i, name, sizeof name);
    if (i->op == OP_BAR_WARP_SYNC)
        snprintf(name, sizeof name, "bar_warp");
    for (unsigned k = 0; k < nsrc - sync && k < 3; k++)
        source[k] = emit_read(e, &i->operands[ndest + k], i->operands[ndest + k].type);
    i64 mask = sync ? (i64)emit_read(e, &i->operands[i->noperands - 1], PTX_U32) : -1;
    if (ndest && i->operands[0].kind == PTX_PAIR) {
        d = emit_write(e, &i->operands[0].elems[0], i->operands[0].type);
        d2 = emit_write(e, &i->operands[0].elems[1], i->operands[0].elems[1].type);
    } else if (ndest) {
        d = emit_write(e, &i->operands[0], i->operands[0].type);
        d2 = emit_temp(e, CLASS_PRED);
    }
    struct ir_inst *r = emit_put(e, name);
    r->d = d;
    r->a = source[0];
    r->b = source[1];
    r->c = source[2];
    r->aux = d2;
    r->imm = mask;
    emit_end_writes(e);
}
