/* pressure.c - how many machine registers of a lane values take while the nodes of a group are issued.
 *
 * A result takes its registers from the issue of its node to that of the last one that reads it, or to the end of the group where
 * something behind it does. What dies where a node reads it may be overwritten by that node.
 *
 * There are seven predicates. ptxas keeps each one more in a register of its own (P2R), and gets it back by a comparison. */
#include "meter/code/estimate/nodes.h"

enum { PREDICATES = 7 };

/* ---- the edges of a group ---- */

struct edges {
    struct arena *mem;
    struct graph *g;
    const struct lives *l;
    const u64 *in;
    u64 *out;
};

static void hold(struct edges *e, u32 reg, bool kept)
{
    u32 *place = &e->l->place[reg];
    if (!*place) {
        vec_push(e->mem, &e->g->held, ((struct held){reg, e->l->width[reg], false, e->l->predicate[reg]}));
        *place = e->g->held.len;
    }
    e->g->held.at[*place - 1].kept |= kept;
}

static void hold_use(struct edges *e, u32 node, u32 reg)
{
    if (!lives_has(e->in, reg)) /* what lanes that a guard keeps out would have had */
        return;
    hold(e, reg, false);
    vec_push(e->mem, &e->g->uses, ((struct node_reg){node, e->l->place[reg] - 1}));
    for (u32 k = 0; k < 2; k++)
        if (e->l->instead[2 * reg + k])
            hold_use(e, node, e->l->instead[2 * reg + k] - 1);
}

static void hold_read(struct edges *e)
{
    for (u32 k = 0; k < e->g->reads.len; k++)
        hold_use(e, e->g->reads.at[k].node, e->g->reads.at[k].reg);
}

static void hold_passed(struct edges *e)
{
    for (u32 k = 0; k < e->g->passed.len; k++)
        if (lives_has(e->out, e->g->passed.at[k].to) && lives_has(e->in, e->g->passed.at[k].from))
            hold(e, e->g->passed.at[k].from, true);
}

/* What neither the graph's nodes write nor they read. */
static void find_through(struct edges *e)
{
    for (u32 k = 0; k < e->g->writes.len; k++) {
        const u32 reg = e->g->writes.at[k].reg;
        e->g->nodes.at[e->g->writes.at[k].node].kept |=
            lives_has(e->out, reg) && (e->l->width[reg] || !e->l->instead[2 * reg]);
    }
    for (u32 k = 0; k < e->g->written.len; k++)
        e->out[e->g->written.at[k] / 64] &= ~((u64)1 << e->g->written.at[k] % 64);
    for (u32 k = 0; k < e->g->held.len; k++) {
        const u32 reg = e->g->held.at[k].reg;
        e->g->held.at[k].kept |= lives_has(e->out, reg);
        e->out[reg / 64] &= ~((u64)1 << reg % 64);
        e->l->place[reg] = 0;
    }
    for (u32 w = 0; w < e->l->words; w++)
        for (u64 bits = e->out[w]; bits; bits &= bits - 1) {
            const u32 reg = w * 64 + (u32)__builtin_ctzll(bits);
            e->g->through += e->l->width[reg];
            e->g->predicates += e->l->predicate[reg];
        }
}

void pressure_set_edges(struct arena *mem, struct graph *g, const struct lives *l, u32 head, const u32 *next, u32 nnext)
{
    struct edges e = {mem, g, l, lives_into(l, head), arena_array(mem, u64, l->words)};
    for (u32 k = 0; k < nnext; k++)
        for (u32 w = 0; w < l->words; w++)
            e.out[w] |= lives_into(l, next[k])[w];
    hold_read(&e);
    hold_passed(&e);
    find_through(&e);
}

/* ---- in some order ---- */

/* By node what it reads: other nodes' results, and behind all nodes what is held. */
static void find_sources(struct arena *mem, struct pressure *p)
{
    const struct graph *g = p->g;
    const u32 n = g->nodes.len;
    p->sources = arena_array(mem, u32, g->edges.len + g->uses.len + 1);
    p->first = arena_array(mem, u32, n + 2);
    for (u32 pass = 0; pass < 2; pass++) {
        for (u32 a = 0; a < n; a++)
            for (u32 k = g->nodes.at[a].first_out; k; k = g->edges.at[k - 1].next) {
                const struct edge *e = &g->edges.at[k - 1];
                if (e->reads && pass == 0)
                    p->first[e->to + 2]++;
                else if (e->reads)
                    p->sources[p->first[e->to + 1]++] = a;
            }
        for (u32 k = 0; k < g->uses.len; k++)
            if (pass == 0)
                p->first[g->uses.at[k].node + 2]++;
            else
                p->sources[p->first[g->uses.at[k].node + 1]++] = n + g->uses.at[k].reg;
        for (u32 a = 2; a < n + 2 && pass == 0; a++)
            p->first[a] += p->first[a - 1];
    }
}

static u32 width_of(const struct pressure *p, u32 source)
{
    const u32 n = p->g->nodes.len;
    return source < n ? p->g->nodes.at[source].width : p->g->held.at[source - n].width;
}

static bool is_predicate(const struct pressure *p, u32 source)
{
    const u32 n = p->g->nodes.len;
    return source < n ? p->g->nodes.at[source].predicate && !p->g->nodes.at[source].folded
                      : p->g->held.at[source - n].predicate;
}

/* Registers that predicates take for which there is no room. */
static u32 spilled(const struct pressure *p) { return p->predicates > PREDICATES ? p->predicates - PREDICATES : 0; }

void pressure_begin(struct arena *mem, const struct graph *g, struct pressure *p)
{
    const u32 n = g->nodes.len;
    *p = (struct pressure){
        .g = g, .left = arena_array(mem, u32, n + g->held.len + 1), .now = g->through, .predicates = g->predicates};
    find_sources(mem, p);
    for (u32 k = 0; k < p->first[n]; k++)
        p->left[p->sources[k]]++;
    for (u32 k = 0; k < n; k++)
        p->left[k] += g->nodes.at[k].kept;
    for (u32 k = 0; k < g->held.len; k++) {
        p->left[n + k] += g->held.at[k].kept;
        p->now += g->held.at[k].width;
        p->predicates += g->held.at[k].predicate;
    }
    p->most = p->now + spilled(p);
}

bool pressure_lacks_predicate(const struct pressure *p, u32 n)
{
    bool adds = is_predicate(p, n) && p->left[n];
    for (u32 k = p->first[n]; k < p->first[n + 1] && adds; k++)
        adds = p->left[p->sources[k]] > 1 || !is_predicate(p, p->sources[k]);
    return adds && p->predicates >= PREDICATES;
}

u32 pressure_behind(const struct pressure *p, u32 n)
{
    u32 now = p->now + (p->left[n] ? p->g->nodes.at[n].width : 0);
    for (u32 k = p->first[n]; k < p->first[n + 1]; k++)
        if (p->left[p->sources[k]] == 1)
            now -= width_of(p, p->sources[k]);
    return now;
}

void pressure_issue(struct pressure *p, u32 n)
{
    for (u32 k = p->first[n]; k < p->first[n + 1]; k++)
        if (--p->left[p->sources[k]] == 0) {
            p->now -= width_of(p, p->sources[k]);
            p->predicates -= is_predicate(p, p->sources[k]);
        }
    if (p->left[n]) {
        p->now += p->g->nodes.at[n].width;
        p->predicates += is_predicate(p, n);
    }
    const struct node *node = &p->g->nodes.at[n];
    const u32 all = p->now + (node->calls ? p->predicates : spilled(p)) + node->aside;
    p->most = all > p->most ? all : p->most;
}

u32 pressure_unordered(struct arena *mem, const struct graph *g)
{
    struct pressure p;
    pressure_begin(mem, g, &p);
    for (u32 k = 0; k < g->nodes.len; k++)
        pressure_issue(&p, k);
    return p.most;
}
