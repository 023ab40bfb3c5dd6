/* node_predicates.c - predicates in estimated machine code: comparisons that are one with those before them, and who reads a predicate as an
 * operand. */
#include "meter/code/estimate/build.h"

void build_fold_predicates(struct build *b, const struct touched *t, const struct value *result)
{
    u32 last = 0;
    for (u32 k = 0; k < result->n; k++)
        if (!(result->source[k] & LIVE) && result->source[k] > last)
            last = result->source[k];
    for (u32 k = 0; k < result->n; k++)
        if (t->predicate && b->first == b->g->nodes.len && !(result->source[k] & LIVE) && result->source[k] != last)
            b->g->nodes.at[result->source[k]].folded = true;
}

void build_chain_comparisons(struct build *b, struct value *result)
{
    u32 last = 0, others = 0;
    for (u32 k = 0; k < result->n; k++)
        if (!(result->source[k] & LIVE) && b->g->nodes.at[result->source[k]].takes_predicates)
            last = result->source[k] > last ? result->source[k] : last;
    for (u32 k = 0; k < result->n && last; k++) {
        const u32 source = result->source[k];
        if (!(source & LIVE) && source < last && b->g->nodes.at[source].predicate)
            graph_edge(b->mem, b->g, source, last, true);
        else
            result->source[others++] = source;
    }
    result->n = last ? others : result->n;
}

void build_take_predicates(struct build *b, u32 site)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const bool selects = b->e->sites[site].selects;
    for (u32 k = b->first; k < b->g->nodes.len && !i->guard; k++)
        b->g->nodes.at[k].takes_predicates =
            i->op == OP_SETP || (!b->guarded && ((i->op == OP_SELP && !selects) || build_type(i) == PTX_PRED));
}

void build_narrow_guard(struct build *b, const struct value *inner)
{
    const struct value outer = b->guard;
    b->guard = *inner;
    for (u32 k = 0; k < outer.n; k++)
        if (!value_implies(b, inner, outer.source[k]))
            value_add(b, &b->guard, outer.source[k]);
}
