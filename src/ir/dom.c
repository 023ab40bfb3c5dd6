/* dom.c - dominators, post-dominators, loop depth, and which blocks are joins.
 *
 * Cooper, Harvey and Kennedy's iteration over reverse postorder ("A Simple, Fast Dominance Algorithm", 2001), run on
 * the graph and on its reverse. The reverse graph needs one exit that every block reaches: a virtual one after the last
 * block; a loop that never ends is given an edge to it, so that lanes which part inside still have a meeting point. */
#include "ir/pass.h"

/* A graph in the direction that is walked: nodes 0..n-1, root `root`. */
struct graph {
    u32 n, root;
    u32 *succ, *succ_at; /* succ[succ_at[v] .. succ_at[v + 1]) */
    u32 *pred, *pred_at;
};

struct edges {
    VEC(u32) from;
    VEC(u32) to;
};

static void add_edge(struct pass *p, struct edges *e, u32 from, u32 to)
{
    vec_push(p->mem, &e->from, from);
    vec_push(p->mem, &e->to, to);
}

/* Compressed adjacency of `key` -> `val`. */
static void compress(struct pass *p, u32 n, const u32 *key, const u32 *val, u32 m, u32 **list, u32 **at)
{
    *at = arena_array(p->mem, u32, n + 2);
    *list = arena_array(p->mem, u32, m + 1);
    for (u32 k = 0; k < m; k++)
        (*at)[key[k] + 2]++;
    for (u32 v = 0; v <= n; v++)
        (*at)[v + 1] += (*at)[v];
    for (u32 k = 0; k < m; k++)
        (*list)[(*at)[key[k] + 1]++] = val[k];
}

static struct graph make_graph(struct pass *p, u32 n, u32 root, const struct edges *e)
{
    struct graph g = {.n = n, .root = root};
    compress(p, n, e->from.at, e->to.at, e->from.len, &g.succ, &g.succ_at);
    compress(p, n, e->to.at, e->from.at, e->from.len, &g.pred, &g.pred_at);
    return g;
}

/* Postorder numbers from the root without recursion; unreached nodes keep 0, reached ones get 1.. */
static u32 postorder(struct pass *p, const struct graph *g, u32 *number, u32 *order)
{
    u32 *stack = arena_array(p->mem, u32, g->n + 1), *next = arena_array(p->mem, u32, g->n);
    u8 *seen = arena_array(p->mem, u8, g->n);
    u32 depth = 0, count = 0;
    stack[depth++] = g->root;
    seen[g->root] = 1;
    while (depth) {
        u32 v = stack[depth - 1];
        u32 k = g->succ_at[v] + next[v];
        if (k < g->succ_at[v + 1]) {
            next[v]++;
            u32 s = g->succ[k];
            if (!seen[s]) {
                seen[s] = 1;
                stack[depth++] = s;
            }
        } else {
            order[count] = v;
            number[v] = ++count;
            depth--;
        }
    }
    return count;
}

static u32 meet(const u32 *idom, const u32 *number, u32 a, u32 b)
{
    while (a != b) {
        while (number[a] < number[b])
            a = idom[a];
        while (number[b] < number[a])
            b = idom[b];
    }
    return a;
}

/* idom[v] for every reached node (the root's is itself), IR_NO_BLOCK for the others. */
static u32 *dominators(struct pass *p, const struct graph *g)
{
    u32 *number = arena_array(p->mem, u32, g->n), *order = arena_array(p->mem, u32, g->n);
    u32 *idom = arena_array(p->mem, u32, g->n);
    u32 count = postorder(p, g, number, order);
    for (u32 v = 0; v < g->n; v++)
        idom[v] = IR_NO_BLOCK;
    idom[g->root] = g->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = count; k-- > 0;) {
            u32 v = order[k], best = IR_NO_BLOCK;
            if (v == g->root)
                continue;
            for (u32 e = g->pred_at[v]; e < g->pred_at[v + 1]; e++) {
                u32 u = g->pred[e];
                if (!number[u] || idom[u] == IR_NO_BLOCK)
                    continue;
                best = best == IR_NO_BLOCK ? u : meet(idom, number, best, u);
            }
            if (best != idom[v]) {
                idom[v] = best;
                changed = true;
            }
        }
    }
    return idom;
}

static struct edges forward_edges(struct pass *p)
{
    struct edges e = {0};
    for (u32 b = 0; b < p->out->nblocks; b++)
        for (u32 k = 0; k < p->out->blocks[b].nsucc; k++)
            add_edge(p, &e, b, p->out->blocks[b].succs[k]);
    return e;
}

bool ir_leaves(const struct ir_func *f, u32 b)
{
    const struct ir_block *blk = &f->blocks[b];
    const struct ptx_inst *last = &f->src->insts[blk->end - 1];
    enum ptx_flow flow = ir_flow(last);
    if (flow == FLOW_END && !last->guard)
        return true;
    return blk->end == f->src->ninsts && (flow != FLOW_BRANCH || last->guard);
}

/* The reverse graph: edges block -> predecessor, the virtual exit n as root. */
static struct graph reverse_graph(struct pass *p)
{
    u32 n = p->out->nblocks;
    struct edges e = {0};
    for (u32 b = 0; b < n; b++) {
        for (u32 k = 0; k < p->out->blocks[b].nsucc; k++)
            add_edge(p, &e, p->out->blocks[b].succs[k], b);
        if (ir_leaves(p->out, b) || p->out->blocks[b].nsucc == 0)
            add_edge(p, &e, n, b);
    }
    struct graph g = make_graph(p, n + 1, n, &e);
    u32 *number = arena_array(p->mem, u32, n + 1), *order = arena_array(p->mem, u32, n + 1);
    if (postorder(p, &g, number, order) == n + 1)
        return g;
    /* Endless loops: the last block of the function that cannot leave gets an edge, until all can. */
    for (u32 b = n; b-- > 0;) {
        if (number[b])
            continue;
        add_edge(p, &e, n, b);
        g = make_graph(p, n + 1, n, &e);
        memset(number, 0, sizeof *number * (n + 1));
        postorder(p, &g, number, order);
    }
    return g;
}

/* Loop depth by back edges to a dominator: the natural loop is what reaches the edge without passing the header. */
static void mark_loop(struct pass *p, const struct graph *g, u32 header, u32 latch)
{
    u32 *stack = arena_array(p->mem, u32, g->n + 1);
    u8 *in = arena_array(p->mem, u8, g->n);
    u32 depth = 0;
    in[header] = 1;
    p->out->blocks[header].loop_depth++;
    if (!in[latch]) {
        in[latch] = 1;
        stack[depth++] = latch;
    }
    while (depth) {
        u32 v = stack[--depth];
        p->out->blocks[v].loop_depth++;
        for (u32 e = g->pred_at[v]; e < g->pred_at[v + 1]; e++)
            if (!in[g->pred[e]]) {
                in[g->pred[e]] = 1;
                stack[depth++] = g->pred[e];
            }
    }
}

static bool dominates(const struct ir_block *blocks, u32 a, u32 b)
{
    while (b != IR_NO_BLOCK && blocks[b].depth > blocks[a].depth)
        b = blocks[b].idom;
    return a == b;
}

static void mark_loops(struct pass *p, const struct graph *g)
{
    struct ir_block *blocks = p->out->blocks;
    for (u32 b = 0; b < p->out->nblocks; b++)
        for (u32 k = 0; k < blocks[b].nsucc; k++) {
            u32 header = blocks[b].succs[k];
            bool reached = b == 0 || blocks[b].idom != IR_NO_BLOCK;
            if (reached && dominates(blocks, header, b))
                mark_loop(p, g, header, b);
        }
}

bool ir_only_leaves(const struct ir_func *f, u32 b) { return ir_flow(&f->src->insts[f->blocks[b].first]) == FLOW_END; }

void ir_build_dom(struct pass *p)
{
    struct ir_block *blocks = p->out->blocks;
    u32 n = p->out->nblocks;
    struct edges fe = forward_edges(p);
    struct graph fwd = make_graph(p, n, 0, &fe);
    u32 *number = arena_array(p->mem, u32, n), *order = arena_array(p->mem, u32, n);
    u32 count = postorder(p, &fwd, number, order);
    u32 *idom = dominators(p, &fwd);
    for (u32 k = count; k-- > 0;) {
        u32 v = order[k];
        blocks[v].idom = v == 0 ? IR_NO_BLOCK : idom[v];
        blocks[v].depth = v == 0 ? 0 : blocks[idom[v]].depth + 1;
    }
    mark_loops(p, &fwd);

    struct graph rev = reverse_graph(p);
    u32 *ipdom = dominators(p, &rev);
    for (u32 b = 0; b < n; b++) {
        const struct ptx_inst *last = &p->f->insts[blocks[b].end - 1];
        blocks[b].ipdom = ipdom[b] == n || ir_only_leaves(p->out, ipdom[b]) ? IR_NO_BLOCK : ipdom[b];
        bool parts = (ir_flow(last) == FLOW_BRANCH && last->guard) || ir_flow(last) == FLOW_TABLE;
        if (parts && blocks[b].ipdom != IR_NO_BLOCK)
            blocks[blocks[b].ipdom].is_join = true;
        if (ir_is_skipped(last) && blocks[b].end < p->f->ninsts &&
            !ir_only_leaves(p->out, p->out->block_of_site[blocks[b].end]))
            blocks[p->out->block_of_site[blocks[b].end]].is_join = true;
    }
}
