/* graph.h - a kernel's records, fast or traced, as the compiler sees them: cells, units and nodes.
 *
 * A *cell* is a slot of the frame that records read or write: 32 lanes of 32 or 64 bits, or a predicate's mask. Constant
 * slots and 128-bit values are no cells: the first are known, the second stay in the frame. A *unit* is the records of one
 * PTX instruction, which are compiled together, run by their bodies, or end the code; a *node* is a run of units that is
 * entered at its first alone. Internal to exec/tier. */
#ifndef LS_EXEC_TIER_GRAPH_H
#define LS_EXEC_TIER_GRAPH_H

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "exec/module.h"
#include "exec/tier/ops.h"
#include "exec/warp.h"

enum cell_kind { CELL_32, CELL_64, CELL_PRED };
struct cell {
    u32 at; /* byte offset from regs */
    u8 kind;
};

enum unit_kind {
    UNIT_OPS,     /* every record has an operation (ops.h) */
    UNIT_BODY,    /* the records' bodies run, one after the other, and come back */
    UNIT_LEAVE,   /* the interpreter goes on here: what may block, call, or go somewhere unknown */
    UNIT_BARRIER, /* bar.sync of all threads */
    UNIT_BRANCH,  /* ends a node */
    UNIT_EXIT,
};

struct unit {
    u8 kind;
    bool guarded;
    bool whole;        /* it needs all lanes of the warp at once */
    u32 first, end;    /* records */
    u32 reads, writes; /* where its cells begin in graph.uses: reads, then writes */
    u32 uses_end;
};

enum shape_kind { SHAPE_NONE, SHAPE_UNIFORM, SHAPE_OFFSETS, SHAPE_VECTOR };
/* What is known of a cell's 32 lanes where code is compiled. */
struct shape {
    u8 kind;    /* enum shape_kind */
    bool known; /* UNIFORM: it is `value` */
    bool raw;   /* f32 results whose NaNs are not yet 0x7fffffff */
    u8 align;   /* UNIFORM, OFFSETS: so many low bits of lane 0 (less the root) are zero, at least */
    u16 root;   /* it is this constant of the function, a parameter, plus something; 0: none, else number + 1 */
    i64 value;
    const i64 *offset; /* OFFSETS: lane i is lane 0 + offset[i]; [32], one array for those that are the same */
};

struct node {
    u32 first, end; /* units */
    u32 *succ, nsucc;
    u64 *live;        /* cells that are live where it begins */
    u64 *stale;       /* cells whose slots may hold something else there (gen_frame.c) */
    struct shape *in; /* by cell: what all that come here have in common */
    bool entry;       /* code may be entered here */
    bool reached;
};

struct graph {
    struct arena *mem;
    const struct ir_func *f;
    enum ir_mode mode; /* which of its codes: IR_TRACED is counted (gen_count.c) */
    const struct ir_inst *code;
    u32 n; /* records */
    const char **names;
    const struct op **ops; /* by record, or NULL */
    VEC(struct cell) cells;
    u32 *cell_of; /* by (offset / 4): index + 1, or 0 */
    VEC(struct unit) units;
    VEC(u32) uses;
    VEC(u32) written; /* by the unit that is being noted */
    VEC(struct node) nodes;
    u32 *order,
        *rank;       /* nodes so that each comes after those that go to it, but for loops; a node's place among them */
    u32 *node_entry; /* by node: the number of its state, once there is one */
    u32 *node_at;    /* by record: index + 1 of the node that begins there, or 0 */
    u32 words;       /* of a set of cells */
    bool runs_bodies;
};

/* Cells, units, nodes and what is live. False: `why` says what keeps the function from being compiled. */
bool graph_build(struct graph *g, const struct exec_func *f, enum ir_mode mode, const char **why);
/* The cells that are live in front of unit `unit` of node `node`, into `live` (graph.words). */
void graph_live_at(const struct graph *g, u32 node, u32 unit, u64 *live);
/* The constant at a frame offset, or NULL: it is none. */
const struct ir_const *graph_const(const struct graph *g, u32 at);

/* The node that begins at a record. */
static inline u32 graph_node(const struct graph *g, const struct ir_inst *r) { return g->node_at[r - g->code] - 1; }
/* Of a branch, by its body's name: its lanes are those without the predicate; it has none. */
static inline bool graph_is_unless(const char *name) { return strncmp(name, "branch_unless", 13) == 0; }
static inline bool graph_is_enter(const char *name) { return strcmp(name, "enter") == 0; }
static inline bool graph_is_jump(const char *name) { return strncmp(name, "jump", 4) == 0; }

static inline bool bit_is_set(const u64 *set, u32 k) { return set[k / 64] >> (k % 64) & 1; }
static inline void bit_set(u64 *set, u32 k) { set[k / 64] |= (u64)1 << (k % 64); }
static inline void bit_clear(u64 *set, u32 k) { set[k / 64] &= ~((u64)1 << (k % 64)); }

#endif
