/* gen_root.c - accesses by way of a pointer among the kernel's parameters, the root of their addresses.
 *
 * The allocation that the root led to is looked up once, when the run of the block's warps begins; its alignment too, so that
 * only what is added to it counts in an access. Accesses of a node that add different constants to one register, as those of a
 * row of a stencil do, are checked together: where all of them are not inside, each is looked at by itself. */
#include "exec/tier/gen_access.h"

/* The room of the allocation that one access by way of this pointer touched last, as it was when the run began; none if the
 * pointer is not aligned as any access may need. */
static const struct root_room *root_room(struct gen *e, u32 root, bool store, u32 site, u64 span)
{
    struct root_room made = {.root = root, .home = site, .store = store, .span = span};
    for (u32 k = 0; k < e->rooms.len; k++) {
        const struct root_room *r = &e->rooms.at[k];
        if (r->root == root && r->store == store && r->span == span)
            return r;
        if (r->root == root && r->store == store)
            made.home = r->home;
    }
    llvm_block here = gen_to(e, e->start);
    const struct bounds b = access_site_bounds(e, made.home);
    llvm_value low = B(And, e->consts[root - 1].v, gen_int(e, e->i64, 31));
    made.lo = b.lo;
    made.room =
        B(Select, B(ICmp, LLVM_EQ, low, gen_int(e, e->i64, 0)), access_room(e, &b, span), gen_int(e, e->i64, 0));
    gen_here(e, here);
    vec_push(e->mem, &e->rooms, made);
    return &e->rooms.at[e->rooms.len - 1];
}

/* What the accesses of the rest of the node reach by the register of x, as far as it is not written before: from `low` to
 * `high`, which are those of x, behind the register's value. */
static void widen(const struct gen *e, const struct access *x, i64 *low, i64 *high)
{
    enum { FARTHEST = 4096 };
    const struct graph *g = e->g;
    const i64 imm = x->r->imm, below = *low - imm, above = *high - imm - (i64)x->bytes;
    for (u32 k = e->unit; k < g->nodes.at[e->node].end; k++) {
        const struct unit *u = &g->units.at[k];
        for (u32 n = u->first; n < u->end; n++) {
            const struct op *op = g->ops[n];
            const struct ir_inst *r = &g->code[n];
            if (!op || op->form != x->op->form || r->a != x->r->a || r->aux & IR_ADDR_CONST ||
                r->imm < imm - FARTHEST || r->imm > imm + FARTHEST)
                continue;
            const i64 first = r->imm + below, end = r->imm + above + (i64)(op->size * (unsigned)op->count);
            *low = first < *low ? first : *low;
            *high = end > *high ? end : *high;
        }
        for (u32 w = u->writes; w < u->uses_end; w++)
            if (g->cells.at[g->uses.at[w]].at == x->r->a)
                return;
    }
}

static const struct reach *find(const struct gen *e, const struct access *x, i64 low, i64 high)
{
    for (u32 k = 0; k < e->reached.len; k++) {
        const struct reach *r = &e->reached.at[k];
        if (r->base == x->address.v && r->store == (x->op->form == OP_STORE) && r->low <= low && r->high >= high)
            return r;
    }
    return NULL;
}

llvm_value access_by_root(struct gen *e, const struct access *x, i64 low, u64 span)
{
    const bool store = x->op->form == OP_STORE;
    const bool aligned = x->shape.align >= shape_zeros(x->bytes) && !((u64)x->r->imm & (x->bytes - 1));
    if (!x->shape.root || x->shared || !aligned)
        return NULL;
    low += x->r->imm;
    i64 high = low + (i64)span;
    const struct reach *known = find(e, x, low, high);
    if (known)
        return known->inside;
    widen(e, x, &low, &high);
    const struct root_room *r = root_room(e, x->shape.root, store, x->r->site, (u64)(high - low));
    llvm_value inside = B(ICmp, LLVM_ULT, B(Sub, access_moved(e, x->address.v, low), r->lo), r->room);
    inside = x->ok ? B(And, inside, x->ok) : inside;
    vec_push(e->mem, &e->reached, ((struct reach){x->address.v, store, low, high, inside}));
    return inside;
}
