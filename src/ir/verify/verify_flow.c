/* verify_flow.c - the verifier's rules for blocks and dominators (cfg.c, dom.c). Dominators are found by their definition: x
 * dominates y when y cannot be reached without passing x. */
#include "base/alloc.h"
#include "ir/verify/verify.h"

/* ---- blocks ---- */

static bool verify_partition(struct verify *v)
{
    const struct ir_func *f = v->f;
    u32 at = 0;
    for (u32 b = 0; b < f->nblocks; b++) {
        const struct ir_block *blk = &f->blocks[b];
        if (blk->first != at || blk->end <= at || blk->end > v->src->ninsts)
            return verify_broken(v, blk->first, "block %u does not begin where the one before it ends", b);
        for (; at < blk->end; at++)
            if (f->block_of_site[at] != b)
                return verify_broken(v, at, "block_of_site is not %u", b);
    }
    return at == v->src->ninsts || verify_broken(v, at, "no block has it");
}

/* Control leaves a block at its end alone; what is skipped stands alone. */
static bool verify_inside(struct verify *v, const struct ir_block *blk)
{
    for (u32 s = blk->first; s < blk->end; s++) {
        const enum ptx_flow flow = ir_flow(&v->src->insts[s]);
        if (s + 1 < blk->end && (flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END))
            return verify_broken(v, s, "control leaves a block in its middle");
        if (blk->end - blk->first > 1 && ir_is_skipped(&v->src->insts[s]))
            return verify_broken(v, s, "a predicated instruction that may stop the warp is not alone in its block");
    }
    return true;
}

static const struct ptx_label *label_of(const struct ptx_inst *i)
{
    const struct ptx_operand *o = i->noperands ? &i->operands[i->noperands - 1] : NULL;
    return o && o->kind == PTX_LABEL ? o->label : NULL;
}

/* Calls `is` for each block that must follow b. */
static bool each_successor(struct verify *v, u32 b, bool (*is)(struct verify *v, u32 b, u32 to))
{
    const struct ir_block *blk = &v->f->blocks[b];
    const struct ptx_inst *last = &v->src->insts[blk->end - 1];
    const enum ptx_flow flow = ir_flow(last);
    const struct ptx_label *l = flow == FLOW_BRANCH || flow == FLOW_TABLE ? label_of(last) : NULL;
    const bool falls = flow == FLOW_NEXT || flow == FLOW_STOP || flow == FLOW_CALL || last->guard;
    bool all = !falls || blk->end == v->src->ninsts || is(v, b, b + 1);
    if (l && flow == FLOW_BRANCH && l->at < v->src->ninsts)
        all = all && is(v, b, v->f->block_of_site[l->at]);
    for (u32 k = 0; l && flow == FLOW_TABLE && k < l->ntargets; k++)
        if (l->targets[k]->at < v->src->ninsts)
            all = all && is(v, b, v->f->block_of_site[l->targets[k]->at]);
    return all;
}

static bool is_named(struct verify *v, u32 b, u32 to)
{
    const struct ir_block *blk = &v->f->blocks[b];
    for (u32 k = 0; k < blk->nsucc; k++)
        if (blk->succs[k] == to)
            return true;
    return verify_broken(v, blk->end - 1, "block %u lacks its successor %u", b, to);
}

/* Whether nothing asks for the edge: is_named's other half. */
struct wanted {
    struct verify v;
    u32 to;
};

static bool is_other(struct verify *v, u32 b, u32 to)
{
    (void)b;
    return to != ((struct wanted *)(void *)v)->to;
}

static bool verify_edges(struct verify *v, u32 b, u32 *npreds)
{
    const struct ir_block *blk = &v->f->blocks[b];
    if (!each_successor(v, b, is_named))
        return false;
    for (u32 k = 0; k < blk->nsucc; k++) {
        struct wanted w = {*v, blk->succs[k]};
        if (blk->succs[k] >= v->f->nblocks || each_successor(&w.v, b, is_other))
            return verify_broken(v, blk->end - 1, "nothing leads from block %u to its successor %u", b, blk->succs[k]);
        for (u32 n = 0; n < k; n++)
            if (blk->succs[n] == blk->succs[k])
                return verify_broken(v, blk->end - 1, "block %u has a successor twice", b);
        if (k < 2 && blk->succ[k] != blk->succs[k])
            return verify_broken(v, blk->end - 1, "block %u: succ and succs differ", b);
        npreds[blk->succs[k]]++;
    }
    return true;
}

bool verify_blocks(struct verify *v)
{
    const u32 n = v->f->nblocks;
    u32 *npreds = ls_calloc(n + 1, sizeof *npreds);
    bool sound = verify_partition(v);
    for (u32 b = 0; npreds && b < n && sound; b++)
        sound = verify_inside(v, &v->f->blocks[b]) && verify_edges(v, b, npreds);
    for (u32 b = 0; npreds && b < n && sound; b++)
        if (npreds[b] != v->f->blocks[b].npreds)
            sound = verify_broken(v, v->f->blocks[b].first, "block %u: npreds is not %u", b, npreds[b]);
    ls_free(npreds);
    return sound;
}

/* ---- dominators ---- */

/* The work grows with the square of the blocks: the largest functions are left out. */
enum { BLOCKS_MOST = 1000 };

/* Nodes 0..n-1, edges as a bit matrix; and what comes of it. */
struct tree {
    u32 n, root, words;
    u64 *edge;      /* row v: where v leads */
    u64 *dominated; /* row x: whom x dominates */
    u32 *count;     /* how many dominate a node, itself not counted */
    u32 *stack;
    u64 *seen;
};

static bool bit(const u64 *row, u32 k) { return row[k / 64] >> (k % 64) & 1; }
static void set(u64 *row, u32 k) { row[k / 64] |= (u64)1 << (k % 64); }

static bool make_tree(struct tree *t, u32 n, u32 root)
{
    *t = (struct tree){.n = n, .root = root, .words = (n + 63) / 64};
    t->edge = ls_calloc((size_t)n * t->words, sizeof *t->edge);
    t->dominated = ls_calloc((size_t)n * t->words, sizeof *t->dominated);
    t->count = ls_calloc(n, sizeof *t->count);
    t->stack = ls_calloc(n, sizeof *t->stack);
    t->seen = ls_calloc(t->words, sizeof *t->seen);
    return t->edge && t->dominated && t->count && t->stack && t->seen;
}

static void free_tree(struct tree *t)
{
    ls_free(t->edge);
    ls_free(t->dominated);
    ls_free(t->count);
    ls_free(t->stack);
    ls_free(t->seen);
}

/* seen: whom the root reaches without passing `without`. */
static void walk(struct tree *t, u32 without)
{
    u32 depth = 0;
    memset(t->seen, 0, sizeof *t->seen * t->words);
    if (t->root != without) {
        t->stack[depth++] = t->root;
        set(t->seen, t->root);
    }
    while (depth) {
        const u64 *row = t->edge + (size_t)t->stack[--depth] * t->words;
        for (u32 w = 0; w < t->words; w++)
            for (u64 fresh = row[w] & ~t->seen[w]; fresh; fresh &= fresh - 1) {
                const u32 to = w * 64 + (u32)__builtin_ctzll(fresh);
                if (to == without)
                    continue;
                set(t->seen, to);
                t->stack[depth++] = to;
            }
    }
}

static void dominate(struct tree *t)
{
    walk(t, UINT32_MAX);
    for (u32 x = 0; x < t->n; x++)
        memcpy(t->dominated + (size_t)x * t->words, t->seen, sizeof *t->seen * t->words);
    for (u32 x = 0; x < t->n; x++) {
        u64 *row = t->dominated + (size_t)x * t->words;
        walk(t, x);
        for (u32 w = 0; w < t->words; w++)
            row[w] &= ~t->seen[w];
        for (u32 y = 0; y < t->n; y++)
            t->count[y] += x != y && bit(row, y);
    }
}

/* The one of y's dominators that all others dominate; IR_NO_BLOCK: it has none. */
static u32 immediate(const struct tree *t, u32 y)
{
    for (u32 x = 0; x < t->n; x++)
        if (x != y && bit(t->dominated + (size_t)x * t->words, y) && t->count[x] + 1 == t->count[y])
            return x;
    return IR_NO_BLOCK;
}

static bool verify_forward(struct verify *v, struct tree *t)
{
    const struct ir_block *blocks = v->f->blocks;
    for (u32 b = 0; b < t->n; b++)
        for (u32 k = 0; k < blocks[b].nsucc; k++)
            set(t->edge + (size_t)b * t->words, blocks[b].succs[k]);
    dominate(t);
    for (u32 b = 0; b < t->n; b++) {
        if (blocks[b].idom != immediate(t, b))
            return verify_broken(v, blocks[b].first, "block %u: %u is not its immediate dominator", b, blocks[b].idom);
        if (blocks[b].depth != t->count[b])
            return verify_broken(v, blocks[b].first, "block %u: its depth is not %u", b, t->count[b]);
    }
    for (u32 b = 0; b < t->n; b++)
        for (u32 k = 0; k < blocks[b].nsucc; k++)
            if (bit(t->dominated + (size_t)blocks[b].succs[k] * t->words, b) &&
                (!blocks[b].loop_depth || !blocks[blocks[b].succs[k]].loop_depth))
                return verify_broken(v, blocks[b].first, "block %u branches back and is in no loop", b);
    return true;
}

/* Edges backward, from the exit to where control leaves, and to the last block of each endless loop (dom.c). */
static void reverse(struct verify *v, struct tree *t)
{
    const u32 n = v->f->nblocks;
    for (u32 b = 0; b < n; b++) {
        const struct ir_block *blk = &v->f->blocks[b];
        for (u32 k = 0; k < blk->nsucc; k++)
            set(t->edge + (size_t)blk->succs[k] * t->words, b);
        if (ir_leaves(v->f, b) || !blk->nsucc)
            set(t->edge + (size_t)n * t->words, b);
    }
    walk(t, UINT32_MAX);
    for (u32 b = n; b-- > 0;)
        if (!bit(t->seen, b)) {
            set(t->edge + (size_t)n * t->words, b);
            walk(t, UINT32_MAX);
        }
}

static bool verify_backward(struct verify *v, struct tree *t)
{
    reverse(v, t);
    dominate(t);
    for (u32 b = 0; b < v->f->nblocks; b++) {
        const u32 ipdom = immediate(t, b);
        const u32 want = ipdom == v->f->nblocks || ir_only_leaves(v->f, ipdom) ? IR_NO_BLOCK : ipdom;
        if (v->f->blocks[b].ipdom != want)
            return verify_broken(v, v->f->blocks[b].end - 1, "block %u: %u is not where its lanes meet again", b,
                                 v->f->blocks[b].ipdom);
    }
    return true;
}

bool verify_dominators(struct verify *v)
{
    const u32 n = v->f->nblocks;
    struct tree t;
    if (!n || n > BLOCKS_MOST)
        return true;
    bool sound = !make_tree(&t, n, 0) || verify_forward(v, &t);
    free_tree(&t);
    if (!sound)
        return false;
    sound = !make_tree(&t, n + 1, n) || verify_backward(v, &t);
    free_tree(&t);
    return sound;
}
