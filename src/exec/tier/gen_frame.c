/* gen_frame.c - a warp's values in its frame, where they lie between two runs of code: in their compact form (code.h).
 *
 * Code that comes in loads what is live, and stores what is live where it ends. Most of that has not changed meanwhile: in
 * a kernel of many barriers the same indices and addresses live through all of them. A cell is *stale* where its slot may
 * hold something else than its value, or the same in another form; only those are stored. */
#include "exec/tier/gen.h"

/* The state's shapes have no raw values: memory is as the hardware has it. */
static struct shape in_memory(struct shape s)
{
    s.raw = false;
    return s;
}

struct tier_state frame_state(struct gen *e, u32 record, const u64 *live, const struct shape *shapes)
{
    const struct graph *g = e->g;
    struct tier_state s = {.record = record};
    s.cells = arena_array(e->mem, struct tier_cell, g->cells.len);
    for (u32 k = 0; k < g->cells.len; k++)
        if (bit_is_set(live, k) && shapes[k].kind != SHAPE_NONE)
            s.cells[s.ncells++] = (struct tier_cell){g->cells.at[k].at, g->cells.at[k].kind, in_memory(shapes[k])};
    return s;
}

/* ---- one cell ---- */

/* A predicate's lanes as a mask of 32 bits. */
static llvm_value mask_bits(struct gen *e, struct value p)
{
    if (p.s.kind == SHAPE_VECTOR)
        return B(BitCast, p.v, e->i32);
    return B(SExt, p.v, e->i32);
}

static void store_compact(struct gen *e, struct value v, u32 at, u8 kind)
{
    if (v.s.known)
        return;
    llvm_value what = kind == CELL_PRED ? mask_bits(e, v) : v.v;
    gen_store(e, what, gen_at(e, e->regs, at), kind == CELL_PRED ? 4 : 64);
}

struct value frame_load(struct gen *e, struct shape s, u32 at, u8 kind)
{
    llvm_type t = kind == CELL_64 ? e->i64 : e->i32;
    llvm_value p = gen_at(e, e->regs, at);
    struct value v = {.s = s};
    if (s.known)
        v.v = gen_int(e, kind == CELL_PRED ? e->i1 : t, (u64)s.value);
    else if (kind == CELL_PRED && s.kind == SHAPE_VECTOR)
        v.v = B(BitCast, gen_load(e, e->i32, p, 4), gen_lanes_of(e, e->i1));
    else if (kind == CELL_PRED)
        v.v = B(ICmp, LLVM_NE, gen_load(e, e->i32, p, 4), gen_int(e, e->i32, 0));
    else
        v.v = gen_load(e, s.kind == SHAPE_VECTOR ? gen_lanes_of(e, t) : t, p, 64);
    return v;
}

/* ---- what is stale ---- */

/* Whether a slot that holds a value in the one form holds it in the other too. What is known is in no slot. */
static bool same_form(const struct shape *a, const struct shape *b)
{
    return a->kind == b->kind && a->known == b->known && a->offset == b->offset;
}

void frame_store(struct gen *e, const struct tier_state *s)
{
    for (u32 k = 0; k < s->ncells; k++) {
        const struct tier_cell *c = &s->cells[k];
        const u32 cell = e->g->cell_of[c->at / 4] - 1;
        const struct shape now = shape_of(&e->now[cell]);
        if (bit_is_set(e->stale, cell) || !same_form(&now, &c->s))
            store_compact(e, gen_coerce(e, e->now[cell], c->s, c->kind), c->at, c->kind);
    }
}

/* What is stale where the node begins is stale at its end, and what it writes. */
static void stale_behind(const struct graph *g, const struct node *n, u64 *stale)
{
    memcpy(stale, n->stale, sizeof *stale * g->words);
    for (u32 u = n->first; u < n->end; u++)
        for (u32 k = g->units.at[u].writes; k < g->units.at[u].uses_end; k++)
            bit_set(stale, g->uses.at[k]);
}

/* Adds what is stale behind `from`, and what takes another form on the way. */
static bool add_stale(const struct graph *g, const struct node *from, struct node *to, const u64 *behind)
{
    bool changed = false;
    for (u32 k = 0; k < g->cells.len; k++) {
        if (bit_is_set(to->stale, k) || (!bit_is_set(behind, k) && same_form(&from->in[k], &to->in[k])))
            continue;
        bit_set(to->stale, k);
        changed = true;
    }
    return changed;
}

void frame_find_stale(struct graph *g)
{
    u64 *behind = arena_array(g->mem, u64, g->words);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = 0; k < g->nodes.len; k++) {
            const struct node *n = &g->nodes.at[g->order[k]];
            const u8 end = g->units.at[n->end - 1].kind;
            if (!n->reached || end == UNIT_BARRIER || end == UNIT_LEAVE) /* code ends there, and comes in again */
                continue;
            stale_behind(g, n, behind);
            for (u32 s = 0; s < n->nsucc; s++)
                changed |= add_stale(g, n, &g->nodes.at[n->succ[s]], behind);
        }
    }
}
