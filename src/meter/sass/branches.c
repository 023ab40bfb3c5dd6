/* branches.c - which branches ptxas is expected to keep, if it was not run: others are predicates of what they skip, or exits.
 *
 * The rules were measured on 342 kernels assembled for sm_90 and fit 88 % of the branches that are not decided
 * otherwise: a simple forward body of up to 10 instructions, with no atomics and not both a global load and a global
 * store, is predicated; a branch to a bare ret is an exit (always). */
#include "base/mutate.h"
#include "meter/rules.h"
#include "meter/sass/expand.h"

enum { BODY_MAX = 10 }; /* PTX instructions of a body that is still predicated */
enum { REGION_BLOCKS = 8, REGION_MAX = 12 };

static bool is_bare_return(const struct ir_func *f, u32 block)
{
    if (block >= f->nblocks || !f->src->is_entry)
        return false;
    const struct ir_block *b = &f->blocks[block];
    const struct ptx_inst *i = &f->src->insts[b->first];
    return b->first < b->end && (i->op == OP_RET || i->op == OP_EXIT) && !i->guard;
}

/* What must not be in a predicated body, or what a body may have one of. */
struct body {
    u32 n;
    bool loads, stores, other; /* loads, stores: of global memory */
    bool reads;                /* memory of any kind */
};

/* Warp-wide operations, atomics and what leaves the body; divisions are calls or loops in machine code. */
static bool keeps_branch(const struct ptx_inst *i)
{
    const struct ptx_op_row *row = &ptx_op_rows[i->op];
    return row->class == PTX_CLASS_INTER_THREAD || row->memory == PTX_MEM_ATOMIC || row->flow == FLOW_CALL ||
           row->flow == FLOW_TABLE || row->flow == FLOW_END || i->op == OP_DIV || i->op == OP_REM ||
           expand_has_slow_path(i);
}

static void add_to_body(struct body *b, const struct ptx_inst *i)
{
    const bool global = i->space == SPACE_GLOBAL || i->space == SPACE_NONE;
    const u8 memory = ptx_op_rows[i->op].memory;
    b->reads |= memory != PTX_MEM_NONE && memory != PTX_MEM_STORE && i->space != SPACE_PARAM;
    b->loads |= global && memory == PTX_MEM_LOAD;
    b->stores |= global && memory == PTX_MEM_STORE;
    b->other |= keeps_branch(i);
    /* parameters are operands or read once at the start, wherever clang puts their loads; cvta is nothing */
    b->n += i->op != OP_CVTA && !(i->op == OP_LD && i->space == SPACE_PARAM);
}

/* Whether block b runs into `join` only and is simple enough. */
static bool is_simple_body(const struct ir_func *f, u32 block, u32 join)
{
    if (block >= f->nblocks || join == block)
        return false;
    const struct ir_block *b = &f->blocks[block];
    if (b->npreds != 1 || b->nsucc != 1 || b->succs[0] != join)
        return false;
    struct body body = {0};
    for (u32 s = b->first; s < b->end; s++)
        if (f->src->insts[s].op != OP_BRA)
            add_to_body(&body, &f->src->insts[s]);
        else if (f->src->insts[s].guard)
            body.other = true;
    return body.n <= MUTANT(60, BODY_MAX, 1000) && !body.other && !(MUTANT(61, body.loads && body.stores, false));
}

static u32 target_block(const struct ir_func *f, const struct ptx_inst *i)
{
    if (!i->noperands || i->operands[0].kind != PTX_LABEL)
        return IR_NO_BLOCK;
    const u32 at = i->operands[0].label->at;
    return at < f->src->ninsts ? f->block_of_site[at] : IR_NO_BLOCK;
}

/* Where a block that is a jump and nothing else leads; other blocks are their own end. */
static u32 follow_jumps(const struct ir_func *f, u32 block)
{
    for (u32 n = 0; n < 4 && block < f->nblocks; n++) {
        const struct ir_block *b = &f->blocks[block];
        const struct ptx_inst *i = &f->src->insts[b->first];
        if (b->end != b->first + 1 || i->op != OP_BRA || i->guard)
            break;
        block = target_block(f, i);
    }
    return block;
}

/* Both sides simple, with the same end: if and else are predicated. */
static bool is_diamond(const struct ir_func *f, u32 a, u32 b)
{
    if (a >= f->nblocks || b >= f->nblocks || a == b || f->blocks[a].nsucc != 1 || f->blocks[b].nsucc != 1)
        return false;
    const u32 join = f->blocks[a].succs[0];
    return f->blocks[b].succs[0] == join && is_simple_body(f, a, join) && is_simple_body(f, b, join);
}

/* ---- regions ---- */

/* What is between a branch and the place where its lanes meet, if nothing else leads there. */
struct region {
    const struct ir_func *f;
    u32 head, join;
    u32 at[REGION_BLOCKS], n; /* blocks */
    bool done[REGION_BLOCKS]; /* all that it leads to has been taken */
    struct body body;
};

/* Its place among the region's, or n. */
static u32 place_in(const struct region *r, u32 block)
{
    u32 k = 0;
    while (k < r->n && r->at[k] != block)
        k++;
    return k;
}

/* Takes the block and what it leads to. False: too much, or a loop. */
static bool take_region(struct region *r, u32 block)
{
    const struct ir_block *b = &r->f->blocks[block];
    const u32 at = place_in(r, block);
    if (block == r->join || at < r->n)
        return block == r->join || r->done[at];
    if (r->n == REGION_BLOCKS || block == r->head || b->loop_depth != r->f->blocks[r->head].loop_depth)
        return false;
    r->at[r->n++] = block;
    for (u32 s = b->first; s < b->end; s++)
        if (r->f->src->insts[s].op != OP_BRA)
            add_to_body(&r->body, &r->f->src->insts[s]);
    for (u32 k = 0; k < b->nsucc; k++)
        if (!take_region(r, b->succs[k]))
            return false;
    r->done[at] = true;
    return b->nsucc > 0;
}

/* All that leads to its blocks is in it, and some body is come to by several ways. */
static bool is_closed(const struct region *r)
{
    bool shared = false;
    for (u32 k = 0; k < r->n; k++) {
        shared |= r->f->blocks[r->at[k]].npreds > 1;
        u32 inside = 0;
        for (u32 n = 0; n <= r->n; n++) {
            const struct ir_block *from = &r->f->blocks[n < r->n ? r->at[n] : r->head];
            for (u32 s = 0; s < from->nsucc; s++)
                inside += from->succs[s] == r->at[k];
        }
        if (inside != r->f->blocks[r->at[k]].npreds)
            return false;
    }
    return shared;
}

/* Conditions of several branches with one body, `a || b`, are predicated if they read no memory: so are all that the corpus's half for
 * fitting has. Bodies in bodies are not: that was right for 38 blocks of that half and wrong for 3, but right for 16 and wrong
 * for 39 of the other. */
static bool find_region(const struct ir_func *f, u32 head, struct region *r)
{
    const struct ir_block *b = &f->blocks[head];
    *r = (struct region){.f = f, .head = head, .join = b->ipdom};
    if (b->ipdom == IR_NO_BLOCK || b->ipdom == head || f->blocks[b->ipdom].loop_depth != b->loop_depth)
        return false;
    for (u32 k = 0; k < b->nsucc; k++)
        if (!take_region(r, b->succs[k]))
            return false;
    return is_closed(r) && !r->body.other && !r->body.reads && r->body.n <= REGION_MAX;
}

static void take_region_in(const struct region *r, u32 *counts_as)
{
    for (u32 k = 0; k < r->n; k++)
        counts_as[r->at[k]] = r->head;
}

/* clang puts a body anywhere in the text and jumps back from its end; ptxas lays blocks out anew, so what counts is the
 * shape: a branch with a simple body on one side, the other side being where the body leads. */
static enum branch_kind conditional(const struct ir_func *f, u32 block, u32 target, u32 *counts_as)
{
    const u32 next = block + 1, other = follow_jumps(f, next), taken = follow_jumps(f, target);
    struct region r;
    if (counts_as[block] != block) /* in a region */
        return BRANCH_PREDICATED;
    if (is_bare_return(f, taken) || is_bare_return(f, other) || target == IR_NO_BLOCK)
        return MUTANT(62, BRANCH_EXIT, BRANCH_MACHINE);
    if (is_simple_body(f, next, target))
        counts_as[next] = block;
    else if (is_simple_body(f, target, other))
        counts_as[target] = block;
    else if (is_diamond(f, target, other) && f->blocks[next].npreds == 1)
        counts_as[target] = counts_as[next] = counts_as[other] = block;
    else if (find_region(f, block, &r))
        take_region_in(&r, counts_as);
    else
        return BRANCH_MACHINE;
    return MUTANT(63, BRANCH_PREDICATED, BRANCH_MACHINE);
}

/* Whether control goes on from the end of a block to `to` without a condition. */
static bool runs_into(const struct ir_func *f, u32 block, u32 to)
{
    const struct ir_block *b = &f->blocks[block];
    return b->nsucc == 1 && b->succs[0] == to;
}

/* One of the blocks that run into `target` is laid out before it and needs no jump: the one that is so in the text, else
 * the first. Bodies that are predicated have become part of the block before. */
static bool is_laid_out(const struct ir_func *f, u32 block, u32 target, const u32 *counts_as)
{
    if (target < block && f->blocks[target].loop_depth && f->blocks[block].loop_depth >= f->blocks[target].loop_depth)
        return false; /* closes a loop */
    if (target && runs_into(f, target - 1, target) && counts_as[target - 1] == target - 1)
        return false;
    for (u32 b = 0; b < block; b++)
        if (runs_into(f, b, target) && counts_as[b] == b)
            return false;
    return true;
}

static enum branch_kind unconditional(const struct ir_func *f, u32 block, u32 target, const u32 *counts_as)
{
    const u32 end = follow_jumps(f, target);
    if (target == IR_NO_BLOCK || is_bare_return(f, end))
        return MUTANT(67, BRANCH_EXIT, BRANCH_MACHINE);
    if (target == block + 1 || counts_as[block] != block || is_laid_out(f, block, target, counts_as))
        return MUTANT(66, BRANCH_NONE, BRANCH_MACHINE);
    return BRANCH_MACHINE;
}

/* Lanes that part meet where a block begins that is a join: it begins with a BSYNC, to which each part of the warp comes by itself. */
static void set_joins(const struct ir_func *f, struct estimate *e)
{
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const u32 block = f->block_of_site[s], join = block < f->nblocks ? f->blocks[block].ipdom : IR_NO_BLOCK;
        e->sites[s].joins = e->sites[s].branch == BRANCH_MACHINE && f->src->insts[s].guard && join < f->nblocks &&
                            f->blocks[join].is_join && e->counts_as[join] == join;
    }
}

/* Bodies have to be known before jumps are judged, and all of a region before the branches in it. */
void estimate_branches(const struct ir_func *f, struct estimate *e)
{
    enum { PASSES = 3 }; /* two of branches, one of jumps */
    for (u32 pass = 0; pass < PASSES; pass++)
        for (u32 s = 0; s < f->src->ninsts; s++) {
            const struct ptx_inst *i = &f->src->insts[s];
            const u32 block = f->block_of_site[s];
            struct site_estimate *site = &e->sites[s];
            if (i->op == OP_CALL || i->op == OP_BRX)
                site->branch = BRANCH_MACHINE;
            if (i->op != OP_BRA || (pass + 1 < PASSES) != (i->guard != NULL) || block >= f->nblocks)
                continue;
            const u32 target = target_block(f, i);
            site->branch = (u8)(i->guard ? conditional(f, block, target, e->counts_as)
                                         : unconditional(f, block, target, e->counts_as));
            if (site->branch == BRANCH_NONE || site->branch == BRANCH_PREDICATED)
                site->weight = 0;
        }
    set_joins(f, e);
}
