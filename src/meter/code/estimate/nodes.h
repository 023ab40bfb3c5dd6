/* nodes.h - estimated machine instructions of a block while they have no order: a graph of what needs what.
 *
 * A *group* is PTX blocks that become one block of machine code: a block, the bodies that are predicated into it, and what
 * follows both. Its instructions are *nodes*; an edge says that one comes after another, and whether it needs its result.
 * Registers are renamed, as ptxas has them before it allocates: a register that is written twice ties nothing. Edges lead
 * from a lower node to a higher one. */
#ifndef LS_METER_CODE_ESTIMATE_NODES_H
#define LS_METER_CODE_ESTIMATE_NODES_H

#include "base/vec.h"
#include "meter/code/estimate/lives.h"
#include "meter/rules.h"
#include "model/latency.h"
#include "model/replay/code.h"

struct node {
    struct replay_inst inst;
    u16 latency;           /* cycles to its result: exact if fixed, else what the scheduler assumes */
    u16 roomy;             /* loads: what it assumes while there are registers for more of them */
    u16 alone;             /* loads: what the scheduler assumes if nothing reads it together with another load */
    bool variable;         /* its result is waited for by a scoreboard */
    u8 every;              /* cycles until the next one of its pipe */
    u8 least;              /* the stall behind it, at least */
    bool predicate;        /* its result is one */
    bool takes_predicates; /* as operands, not as its guard */
    u8 operand_latency;    /* predicates: cycles until it is there as an operand */
    bool folded;           /* which a later comparison takes in, and gives as its own */
    bool store;            /* it reads registers for long, and gives none */
    bool copy;             /* of a register */
    bool fused;            /* of several instructions: what it reads, those read one by one */
    u8 words;              /* loads: 32-bit registers that it fills */
    bool far;              /* an access beyond shared memory: its result may take long */
    u8 width;              /* registers of a lane that its result takes */
    u8 aside;              /* registers that what it calls takes besides */
    bool calls;            /* a function, which may overwrite all predicates */
    bool kept;             /* somebody reads its result behind the group */
    u32 first_out;         /* 1 + an edge; 0: none */
    u32 needs;             /* edges that lead to it */
    u32 overwritten;       /* 1 + the node that writes a register which this one, a store, reads; 0: none */
};

struct edge {
    u32 to, next; /* next: 1 + an edge; 0: none */
    bool value;   /* it needs the result to be there, and not only to come after */
    bool reads;   /* and reads it: until then it has a register */
};

/* A node reads a register as it was before the group; or a register's value behind the group may be the node's. */
struct node_reg {
    u32 node, reg;
};

/* Behind the group a register has what another one had before it. */
struct reg_reg {
    u32 to, from;
};

/* A register that has a value when the group begins, and is read in it. */
struct held {
    u32 reg, width;
    bool kept; /* somebody reads it behind the group, too */
    bool predicate;
};

struct graph {
    VEC(struct node) nodes;
    VEC(struct edge) edges;
    VEC(struct node_reg) reads, writes;
    VEC(struct reg_reg) passed;
    VEC(u32) written; /* registers with a new value behind the group */
    VEC(struct held) held;
    VEC(struct node_reg) uses; /* of those: the node, and which one of them */
    u32 through;               /* machine registers of values that only pass */
    u32 predicates;            /* predicates that only pass */
    u32 room;                  /* as many are taken before loads wait */
    bool roomy;                /* that is more than values need anyway */
    bool loop;                 /* it is in one */
    bool goes_on;              /* other groups follow it, or it itself */
};

/* Cycles from the issue of a node to that of one that needs its result; another pipe has it a cycle later. A predicate that is an operand
 * (SEL, ISETP.AND) is there like any other result; as a guard, later. */
static inline u32 node_distance(const struct node *from, const struct node *to)
{
    const bool operand = from->predicate && to->takes_predicates;
    const bool crosses = !from->variable && (!from->predicate || operand) && from->inst.pipe != to->inst.pipe;
    return (operand && !from->variable ? from->operand_latency : from->latency) + (crosses ? 1 : 0);
}

void graph_edge(struct arena *mem, struct graph *g, u32 from, u32 to, bool value);
/* `to` comes when the result is there, and reads nothing: a barrier behind loads. */
void graph_wait(struct arena *mem, struct graph *g, u32 from, u32 to);

/* ---- nodes.c ---- */

struct build;

/* For a function; sites' estimates say what becomes of each instruction. */
struct build *build_make(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                         const struct lives *lives);
/* By block: at how many places lanes that part behind it meet again (each a BSSY), and whether they meet where it begins
 * (a BSYNC). */
void build_set_meetings(struct build *b, const u32 *partings, const bool *meets);
/* By block: whether a loop follows it of which several turns are one program. */
void build_set_questions(struct build *b, const bool *asked);
/* Of the blocks, in this order, `copies` times one after the other. More than one copy: the blocks are a loop, and only the
 * last copy keeps its branch and steps its counters. */
struct graph *build_graph(struct build *b, const u32 *blocks, u32 n, u32 copies);

/* ---- list_schedule.c ---- */

/* The nodes in the order of issue. most: the machine registers that are taken at once. */
u32 *list_schedule(struct arena *mem, const struct graph *g, u32 *most);

/* ---- pressure.c ---- */

/* Registers that values take while a group's nodes are issued in some order. */
struct pressure {
    const struct graph *g;
    u32 *left;    /* by node, then by what is held: nodes that still have to read it */
    u32 *sources; /* what nodes read, one node's after the other's */
    u32 *first;   /* by node: where its begin */
    u32 now, most;
    u32 predicates; /* now */
};

/* Fills in what is live at a graph's edges. head: the first block of its group; next: those of groups behind it. */
void pressure_set_edges(struct arena *mem, struct graph *g, const struct lives *l, u32 head, const u32 *next,
                        u32 nnext);
void pressure_begin(struct arena *mem, const struct graph *g, struct pressure *p);
/* What is taken behind node n, if it is the next one. */
u32 pressure_behind(const struct pressure *p, u32 n);
/* It makes a predicate, all are taken, and it is not the last one that reads another. */
bool pressure_lacks_predicate(const struct pressure *p, u32 n);
void pressure_issue(struct pressure *p, u32 n);
/* The most that is taken at once in the order of the text. */
u32 pressure_unordered(struct arena *mem, const struct graph *g);

/* ---- scoreboards.c ---- */

/* A program, and what of it is under way behind its end. */
struct made {
    struct graph *graph;
    u32 *order; /* position -> node */
    struct replay_inst *insts;
    u32 n, copies;
    u8 waited;     /* scoreboards that some instruction in it waits for */
    u8 held;       /* the one of stores whose registers nothing has taken yet at its end; or REPLAY_NO_BAR */
    u32 first_set; /* the first position that writes a register; n: none does */
};

/* Stalls, scoreboards and waits inside of the group. By register: exposed: some group reads what another left; left: that may be under way from far. */
struct made *made_of(struct arena *mem, struct graph *g, u32 *order, u32 copies, const bool *exposed, const bool *left);

#endif
