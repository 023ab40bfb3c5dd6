/* cfg.c - basic blocks and edges.
 *
 * A block starts at the entry, at a label that something may jump to, after an instruction that transfers control, and
 * around a predicated instruction that may stop the warp (`@p bar.sync`, `@p call`, `@p exit`): that one is alone in its
 * block and the lanes whose predicate is false go round it. Simple predicated instructions stay inside their block. */
#include "ir/pass.h"

bool ir_is_skipped(const struct ptx_inst *i)
{
    enum ptx_flow flow = ir_flow(i);
    return i->guard && (flow == FLOW_STOP || flow == FLOW_CALL || flow == FLOW_END);
}

/* The targets of a brx: the label list that its last operand names. */
static const struct ptx_label *branch_table(const struct ptx_inst *i)
{
    const struct ptx_operand *last = &i->operands[i->noperands - 1];
    return last->kind == PTX_LABEL ? last->label : NULL;
}

static const struct ptx_label *branch_target(const struct ptx_inst *i)
{
    return i->noperands && i->operands[0].kind == PTX_LABEL ? i->operands[0].label : NULL;
}

static void mark_leaders(const struct ptx_func *f, u8 *leader)
{
    leader[0] = 1;
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        enum ptx_flow flow = ir_flow(i);
        if (flow == FLOW_BRANCH && branch_target(i))
            leader[branch_target(i)->at] = 1;
        if (flow == FLOW_TABLE && branch_table(i))
            for (u32 k = 0; k < branch_table(i)->ntargets; k++)
                leader[branch_table(i)->targets[k]->at] = 1;
        if (ir_is_skipped(i))
            leader[s] = 1;
        if (ir_is_skipped(i) || flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END)
            leader[s + 1] = 1;
    }
}

static void add_succ(struct ir_block *b, u32 to)
{
    for (u32 k = 0; k < b->nsucc; k++)
        if (b->succs[k] == to)
            return;
    b->succs[b->nsucc++] = to;
}

/* The edges of block b; `end` is the block after the last instruction (the implicit return), which is the exit. */
static void link_block(struct pass *p, u32 b)
{
    const struct ptx_func *f = p->f;
    struct ir_block *blk = &p->out->blocks[b];
    const struct ptx_inst *last = &f->insts[blk->end - 1];
    enum ptx_flow flow = ir_flow(last);
    const u32 *block_of = p->out->block_of_site;
    const struct ptx_label *table = flow == FLOW_TABLE ? branch_table(last) : NULL;

    blk->succs = arena_array(p->mem, u32, 2 + (table ? table->ntargets : 0));
    if (flow == FLOW_BRANCH) {
        const struct ptx_label *to = branch_target(last);
        if (last->guard && blk->end < f->ninsts)
            add_succ(blk, b + 1);
        if (to && to->at < f->ninsts)
            add_succ(blk, block_of[to->at]);
    } else if (table) {
        for (u32 k = 0; k < table->ntargets; k++)
            if (table->targets[k]->at < f->ninsts)
                add_succ(blk, block_of[table->targets[k]->at]);
        if (last->guard && blk->end < f->ninsts)
            add_succ(blk, b + 1);
    } else if ((flow != FLOW_END || last->guard) && blk->end < f->ninsts) {
        add_succ(blk, b + 1);
    }
    for (u32 k = 0; k < blk->nsucc && k < 2; k++)
        blk->succ[k] = blk->succs[k];
}

void ir_build_cfg(struct pass *p)
{
    const struct ptx_func *f = p->f;
    u8 *leader = arena_array(p->mem, u8, f->ninsts + 2);
    mark_leaders(f, leader);

    struct ir_func *out = p->out;
    u32 n = 0;
    for (u32 s = 0; s < f->ninsts; s++)
        n += leader[s];
    out->blocks = arena_array(p->mem, struct ir_block, n);
    out->block_of_site = arena_array(p->mem, u32, f->ninsts);
    for (u32 s = 0; s < f->ninsts; s++) {
        if (leader[s]) {
            out->blocks[out->nblocks] = (struct ir_block){.first = s, .idom = IR_NO_BLOCK, .ipdom = IR_NO_BLOCK};
            out->nblocks++;
        }
        out->block_of_site[s] = out->nblocks - 1;
        out->blocks[out->nblocks - 1].end = s + 1;
    }
    for (u32 b = 0; b < out->nblocks; b++)
        link_block(p, b);
    for (u32 b = 0; b < out->nblocks; b++)
        for (u32 k = 0; k < out->blocks[b].nsucc; k++)
            out->blocks[out->blocks[b].succs[k]].npreds++;
}
