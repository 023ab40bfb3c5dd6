/* build.h - what the files that build a graph of nodes share. Internal to them: nodes.c goes through the PTX and knows what each
 * register holds; node_values.c has values; node_units.c makes nodes by unit; node_memory.c accesses and what orders them. */
#ifndef LS_METER_CODE_ESTIMATE_BUILD_H
#define LS_METER_CODE_ESTIMATE_BUILD_H

#include "meter/code/estimate/nodes.h"

enum { SOURCES = 8, LIVE = 1u << 31, TRACKED = 64, NO_NODE = UINT32_MAX, BRANCH_STALL = 5, BARRIER_STALL = 6 };

/* What a register holds: a result of one of these nodes, or what a register had before the group. */
struct value {
    u32 source[SOURCES]; /* nodes, or LIVE | register */
    u32 n;
    bool constant; /* of a constant bank */
    bool known;    /* a number, or the address of a variable */
    bool varies;   /* from lane to lane, as far as is known */
    u32 base;      /* it is base + offset; values with the same base differ by their offsets */
    i64 offset;
};

struct tracked {
    u32 node, base, bytes;
    i64 offset;
    u8 space;
    bool reads_only;
};

/* Shared accesses that are one access. */
struct merged {
    u32 leader; /* 1 + site; 0: alone */
    u32 parts;  /* of a leader: how many accesses it is */
    u32 seen, node;
    struct value needs;
};

/* A register that a predicated body writes. */
struct change {
    u32 block, reg;
    struct value before, behind;
};

/* The address of a shared variable: the nodes that read the block's number in its cluster, and that make it. */
struct shared_address {
    const struct ptx_var *var;
    u32 number, node;
};

/* A base that is loaded into a lane's registers in a loop: for a body that is predicated, or for all but those (IR_NO_BLOCK). */
struct loaded_base {
    const struct ptx_var *reg;
    u32 body, node;
};

/* The reciprocal that a division has made. */
struct reciprocal {
    u32 site, node;
};

/* An address in the turn of a loop that makes it: what it is the sum of, and what it is. */
struct turn_address {
    u32 turn; /* the graph */
    u32 base[2];
    i64 offset[2];
    struct value result;
};

struct build {
    struct arena *mem;
    const struct gpu *gpu;
    const struct ir_func *f;
    const struct estimate *e;
    const struct lives *lives;
    struct latencies latency;
    struct merged *merged; /* by site */
    const u32 *partings;   /* by block (build_set_meetings) */
    const bool *meets;
    const bool *asked; /* by block (build_set_questions) */
    const u32 *place;  /* by site: the block in which it stands (sink.h) */
    u8 *constants;     /* by site (node_constants.c) */
    bool sinks;        /* for some it is another one than in the text */
    /* of the graph that is being built */
    struct graph *g;
    const u64 *alive;         /* the registers that have a value when it begins */
    struct value *values;     /* by register */
    u32 *stamp, now;          /* by register: values[] is of the graph `now` */
    u32 *written;             /* by register: the graph that writes it */
    u32 *store, *store_stamp; /* by register: a store that reads it */
    u32 bases;
    struct tracked tracked[TRACKED];
    u32 ntracked, fence, cut;
    VEC(struct shared_address) addresses;
    VEC(struct loaded_base) loaded;
    VEC(struct reciprocal) reciprocals;
    struct turn_address *turns; /* by site */
    struct value guard;         /* of the body that is predicated */
    bool guarded;
    u32 block;
    VEC(struct change) changes; /* of the bodies behind the last branch */
    u32 copy, copies;
    const struct ptx_var *question; /* what its last branch is about */
    u32 first;                      /* the first node of the instruction that is added */
    u32 alu, fma;                   /* cycles that its instructions keep these pipes */
    bool mma;                       /* the next operation on halves is for the tensor cores' pipe of those */
};

/* What an instruction reads and writes, by register. */
struct touched {
    VEC(u32) reads, writes;
    bool predicate; /* it writes one */
};

static inline enum ptx_type build_type(const struct ptx_inst *i)
{
    return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE;
}

/* ---- node_values.c ---- */

/* `to` comes after `from`, which may be NO_NODE. */
void build_after(struct build *b, u32 from, u32 to);
/* The node needs all that the value may be. */
void build_use(struct build *b, const struct value *v, u32 node);
/* One of the value's nodes needs what that one gives. */
bool value_implies(const struct build *b, const struct value *v, u32 source);
/* The value may be that too. */
void value_add(struct build *b, struct value *v, u32 source);
void value_merge(struct build *b, struct value *v, const struct value *other);
const struct value *build_value(struct build *b, u32 reg);
/* What a node gives. */
struct value build_result(struct build *b, u32 node);

/* ---- node_units.c ---- */

u32 build_node(struct build *b, enum replay_pipe pipe, u32 latency, bool variable, u32 site);
/* By its letter. */
u32 build_unit(struct build *b, char letter, u32 site);
/* Nothing passes it, in either direction. */
void build_cut(struct build *b, u32 node);
/* n machine instructions of a site; the value of the last, or of all. */
struct value build_sequence(struct build *b, u32 site, u32 n, const struct value *needs, bool predicate);

/* ---- node_memory.c ---- */

/* The shared accesses that are one with the leader's. */
void build_find_parts(struct build *b, u32 leader);
/* A wide load is there with its first part, a wide store with its last. */
u32 build_part(struct build *b, u32 site, const struct value *needs);
struct value build_memory(struct build *b, u32 site, u32 weight, const struct value *needs, const struct touched *t);
/* Barriers, fences and what waits for copies: memory does not pass them. */
struct value build_order(struct build *b, u32 site, enum replay_op op, enum replay_pipe pipe,
                         const struct value *needs);
struct value build_barrier(struct build *b, u32 site, const struct value *needs, bool result);

/* ---- node_predicates.c ---- */

/* `and.pred` and its like take no instruction: of the comparisons that give their operands the last one has the others' results in its own. */
void build_fold_predicates(struct build *b, const struct touched *t, const struct value *result);
/* What holds if all or one of some comparisons do: each has the one before as an operand (ISETP.AND), and the last one's result is all. */
void build_chain_comparisons(struct build *b, struct value *result);
/* SEL and comparisons read predicates as operands, others as their guard. */
void build_take_predicates(struct build *b, u32 site);
/* Bodies in a body have both guards; a comparison in it has its guard as an operand, and then is both. */
void build_narrow_guard(struct build *b, const struct value *inner);

/* ---- node_constants.c ---- */

/* A load of a constant at a known place. */
bool build_is_constant(struct build *b, const struct ptx_inst *i);
/* What it gives. */
struct value build_constant(struct build *b, u32 site, const struct value *needs);

/* ---- node_shared.c ---- */

/* The address of a shared variable that a site names. */
struct value build_shared_address(struct build *b, u32 site, const struct ptx_var *var);

/* ---- node_atomic.c ---- */

/* MEMBAR and what follows it; behind it L1 may be empty. */
struct value build_fence(struct build *b, u32 site, const struct value *needs, bool empties_l1);
/* An access with what stands around it: fences, and how lanes choose the one that does an atomic for all. `access`: makes the access
 * itself, for a value that it needs. */
struct value build_around(struct build *b, u32 site, const struct value *needs, const struct touched *t,
                          struct value (*access)(struct build *b, u32 site, const struct value *needs,
                                                 const struct touched *t));

#endif
