/* gen_part.h - lanes that part, while their code is made: what gen_part.c and gen_part_count.c share. Nodes are named by their
 * places in graph.order. */
#ifndef LS_EXEC_TIER_GEN_PART_H
#define LS_EXEC_TIER_GEN_PART_H

#include "exec/tier/gen.h"

/* No place: the lanes do not meet, but end. */
#define NO_JOIN UINT32_MAX

/* The nodes that run under masks from a branch on. */
struct region {
    u64 *live, *behind; /* cells that are live at the beginning of one of them, or behind them; behind them */
    u64 *shared;        /* places where lanes come apart and are counted so: ends of the kernel, and nothing else */
};

static inline const struct node *part_node(const struct graph *g, u32 place) { return &g->nodes.at[g->order[place]]; }
static inline u32 part_succ(const struct graph *g, const struct node *n, u32 k) { return g->rank[n->succ[k]]; }
/* Where the lanes that part at the branch meet. */
static inline u32 part_join(const struct graph *g, const struct ir_inst *branch)
{
    const struct ir_inst *meet = (const struct ir_inst *)(intptr_t)branch->imm;
    return meet ? g->rank[graph_node(g, meet)] : NO_JOIN;
}
/* The end of the loop that begins at `head`: behind the node whose branch back stands last. 0: none begins there. */
u32 part_loop_end(const struct graph *g, u32 head, const u64 *in);

/* ---- gen_part_count.c ---- */
/* Whether the nodes `in`, behind the branch that ends the node `here`, can be counted where they run under masks; finds those
 * that are shared. Where only their sums come out right, code leaves if blocks are told and not counted. */
bool part_counts(struct gen *e, u32 here, const u64 *in, u64 *shared);
/* The basic block that the node begins. */
u32 part_entered(const struct graph *g, u32 place);

#endif
