/* node_values.c - edges between nodes, and what a register holds: results of several nodes, where ways meet or a guard decides. */
#include "meter/code/estimate/build.h"

static void add_edge(struct arena *mem, struct graph *g, u32 from, struct edge e)
{
    struct node *n = &g->nodes.at[from];
    struct edge *last = n->first_out ? &g->edges.at[n->first_out - 1] : NULL;
    if (last && last->to == e.to) {
        last->value |= e.value;
        last->reads |= e.reads;
        return;
    }
    e.next = n->first_out;
    vec_push(mem, &g->edges, e);
    n->first_out = g->edges.len;
    g->nodes.at[e.to].needs++;
}

void graph_edge(struct arena *mem, struct graph *g, u32 from, u32 to, bool value)
{
    add_edge(mem, g, from, (struct edge){.to = to, .value = value, .reads = value});
}

void graph_wait(struct arena *mem, struct graph *g, u32 from, u32 to)
{
    add_edge(mem, g, from, (struct edge){.to = to, .value = true});
}

void build_after(struct build *b, u32 from, u32 to)
{
    if (from != NO_NODE && from != to)
        graph_edge(b->mem, b->g, from, to, false);
}

static void need(struct build *b, u32 source, u32 node)
{
    if (source & LIVE)
        vec_push(b->mem, &b->g->reads, ((struct node_reg){node, source & ~LIVE}));
    else if (source != node)
        graph_edge(b->mem, b->g, source, node, true);
}

void build_use(struct build *b, const struct value *v, u32 node)
{
    for (u32 k = 0; k < v->n; k++)
        need(b, v->source[k], node);
}

static bool leads_to(const struct build *b, u32 from, u32 to)
{
    for (u32 k = b->g->nodes.at[from].first_out; k; k = b->g->edges.at[k - 1].next)
        if (b->g->edges.at[k - 1].to == to && b->g->edges.at[k - 1].value)
            return true;
    return false;
}

bool value_implies(const struct build *b, const struct value *v, u32 source)
{
    for (u32 k = 0; k < v->n && !(source & LIVE); k++)
        if (!(v->source[k] & LIVE) && leads_to(b, source, v->source[k]))
            return true;
    return false;
}

/* The place of a node that another one of the value's nodes needs: what a guard let write before; SOURCES: there is none. */
static u32 find_implied(const struct build *b, const struct value *v)
{
    u32 k = 0;
    while (k < v->n && !value_implies(b, v, v->source[k]))
        k++;
    return k < v->n ? k : SOURCES;
}

/* One more than a value can hold: one of its nodes waits for it, or for that node it. */
static void join(struct build *b, struct value *v, u32 source)
{
    for (u32 k = 0; k < v->n; k++)
        if (!(v->source[k] & LIVE) || !(source & LIVE)) {
            const u32 a = v->source[k];
            const bool into_a = (source & LIVE) || (!(a & LIVE) && a > source);
            need(b, into_a ? source : a, into_a ? a : source);
            v->source[k] = into_a ? a : source;
            return;
        }
}

void value_add(struct build *b, struct value *v, u32 source)
{
    for (u32 k = 0; k < v->n; k++)
        if (v->source[k] == source)
            return;
    const u32 implied = v->n < SOURCES ? v->n++ : find_implied(b, v);
    if (implied < SOURCES)
        v->source[implied] = source;
    else
        join(b, v, source);
}

void value_merge(struct build *b, struct value *v, const struct value *other)
{
    for (u32 k = 0; k < other->n; k++)
        value_add(b, v, other->source[k]);
    v->constant |= other->constant;
    v->varies |= other->varies;
}

const struct value *build_value(struct build *b, u32 reg)
{
    struct value *v = &b->values[reg];
    if (b->stamp[reg] != b->now) {
        b->stamp[reg] = b->now;
        *v = (struct value){.source = {LIVE | reg}, .n = 1, .varies = b->lives->varying[reg], .base = reg};
    }
    return v;
}

struct value build_result(struct build *b, u32 node)
{
    return (struct value){.source = {node}, .n = 1, .base = b->bases++};
}
