/* gen_body.c - records that run by their bodies: the values that they read go to the frame, and come back from there. */
#include "exec/sched.h"
#include "exec/tier/gen.h"

void gen_spill(struct gen *e, u32 at, u8 kind)
{
    const struct ir_const *c = graph_const(e->g, at);
    if (c && c->kind != IR_CONST_SREG)
        return;
    struct value v = gen_get(e, at, kind);
    if (v.s.raw)
        v.v = gen_canonical(e, v.v);
    llvm_value all = gen_vector(e, v, kind);
    if (kind == CELL_PRED)
        all = B(BitCast, all, e->i32);
    gen_store(e, all, gen_at(e, e->regs, at), kind == CELL_PRED ? 4 : 64);
}

/* Bodies write the active lanes alone: the others are as they were spilled. */
void gen_reload(struct gen *e, u32 at, u8 kind, u8 shape)
{
    const u32 cell = e->g->cell_of[at / 4] - 1;
    const struct shape s = {.kind = shape};
    e->now[cell] = frame_load(e, s, at, kind);
    bit_set(e->stale, cell);
}

void gen_run_body(struct gen *e, u32 first, u32 end)
{
    const struct tier_body body = {first, end};
    llvm_block go = gen_block(e), stop = gen_block(e);
    llvm_value records = gen_arg(e, e->ptr, offsetof(struct tier_args, bodies));
    llvm_value fn = gen_arg(e, e->ptr, offsetof(struct tier_args, run_body));
    llvm_value mask = e->mask ? B(BitCast, e->mask, e->i32) : gen_int(e, e->i32, FULL_MASK);
    llvm_value args[] = {e->w, gen_at(e, records, e->nbodies * sizeof(struct ir_inst)), mask};
    llvm_value ok = B(Call2, e->run_body_type, fn, args, 3);
    vec_push(e->mem, &e->body_list, body);
    e->nbodies += end - first + 1;
    gen_branch(e, B(Trunc, ok, e->i1), go, stop, 1);
    gen_here(e, stop);
    gen_end(e, TIER_FAULT, 0);
    gen_here(e, go);
}

void gen_body_unit(struct gen *e, const struct unit *u)
{
    const struct graph *g = e->g;
    const bool partial = e->mask || u->guarded;
    for (u32 k = u->reads; k < (partial ? u->uses_end : u->writes); k++)
        gen_spill(e, g->cells.at[g->uses.at[k]].at, g->cells.at[g->uses.at[k]].kind);
    for (u32 k = u->first; k < u->end; k++) { /* special registers among its operands */
        const u32 at[] = {g->code[k].a, g->code[k].b, g->code[k].c};
        for (u32 n = 0; n < 3; n++)
            e->needs_frame |= graph_const(g, at[n]) && graph_const(g, at[n])->kind == IR_CONST_SREG;
    }
    gen_run_body(e, u->first, u->end);
    for (u32 k = u->writes; k < u->uses_end; k++)
        gen_reload(e, g->cells.at[g->uses.at[k]].at, g->cells.at[g->uses.at[k]].kind, SHAPE_VECTOR);
}
