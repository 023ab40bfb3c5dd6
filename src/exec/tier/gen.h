/* gen.h - the state of compiling a kernel, and the vocabulary of those that emit code. Internal to exec/tier/gen*.c.
 *
 * A value has a shape (graph.h): where it is uniform or affine the LLVM value is lane 0's scalar, else a vector of 32. It
 * is emitted twice: *dry* runs find the shapes at the beginning of each node, into code that is thrown away; then once
 * more for good. So there is one place that says what shape an operation gives. */
#ifndef LS_EXEC_TIER_GEN_H
#define LS_EXEC_TIER_GEN_H

#include "exec/tier/code.h"
#include "exec/tier/graph.h"

struct value {
    llvm_value v; /* NULL: nothing is known of it */
    struct shape s;
    llvm_value ok; /* not NULL: v and s hold if this does, and else the lanes are what `exact` makes */
    const struct recipe *exact;
};

/* How to make a value's 32 lanes. */
struct recipe {
    const struct op *op;
    const struct ir_inst *r;
    struct value v[3];
    u32 n;
};

/* How far an access of `span` bytes by way of a pointer may begin behind lo, plus one (gen_memory.c). */
struct root_room {
    u32 root, home; /* home: the site whose allocation it is */
    bool store;
    u64 span;
    llvm_value lo, room;
};

/* Whether all bytes [low, high) behind an address are in the allocation of its root: what the node has asked already. */
struct reach {
    llvm_value base;
    bool store;
    i64 low, high;
    llvm_value inside;
};

/* What an address is the sum of (gen_near.c). */
struct term {
    llvm_value v;
    u64 by;
};
struct sum {
    struct term term[8];
    u32 n;
    u64 constant;
    bool whole; /* nothing is missing */
};

struct block_code {
    llvm_block block;
    llvm_value *phi; /* by cell */
};

struct gen {
    const struct llvm *ll;
    llvm_context context;
    llvm_module module;
    llvm_builder b;
    llvm_value fn;
    struct graph *g;
    struct arena *mem;
    bool dry;
    u32 mixed; /* as tier_code's */
    u32 block[3];
    /* types: of scalars, and of 32 lanes */
    llvm_type i1, i8, i16, i32, i64, f32, f64, ptr;
    llvm_type run_body_type, go_on_type;
    unsigned invariant; /* the kind of metadata */
    /* the function's parameters, and what its first blocks make (gen_sweep.c) */
    llvm_value args, entry;
    llvm_value warp, before; /* the warp's number, and the result of those before it */
    llvm_value w, regs;      /* the warp, and its registers */
    llvm_value x;            /* %ctaid.x, where the code goes on to the blocks behind in x; else NULL */
    llvm_block start, each, head, next;
    llvm_value result;    /* in next: the warp's; there is one if next is not NULL */
    struct value *consts; /* by number */
    llvm_value sites, shared, shared_bytes;
    struct block_code *nodes;
    /* where we are */
    u32 node, unit;
    struct value *now;     /* by cell */
    u64 *stale;            /* cells whose slots may hold something else (gen_frame.c) */
    llvm_value mask;       /* the active lanes, of 32 bits; NULL: all */
    struct region *region; /* gen_part.c */
    u64 *needed;           /* with a mask: the cells whose old value the other lanes may still need */
    bool vec;              /* what op_fn makes: vectors, or scalars */
    VEC(struct root_room) rooms;
    VEC(struct reach) reached;
    VEC(struct sum) fetched;  /* addresses that are fetched ahead */
    VEC(const i64 *) offsets; /* shape.offset */
    bool changed;             /* dry: some node's shapes are not what they were */
    VEC(struct tier_state) states;
    VEC(struct tier_body) body_list;
    u32 nbodies; /* records */
    u32 nentries;
    bool has_scatter; /* the processor does */
    bool needs_frame;
    bool pays;     /* code takes from the warp's budget */
    bool straight; /* neither loops nor barriers: the blocks follow each other at once */
};

#define B(name, ...) e->ll->Build##name(e->b, __VA_ARGS__, "")

/* ---- emit.c: values ---- */
llvm_type gen_lanes_of(struct gen *e, llvm_type t); /* 32 of t */
llvm_type gen_type(struct gen *e, char letter);     /* of an operand (ops.h), as e->vec says */
llvm_value gen_int(struct gen *e, llvm_type t, u64 v);
/* The constant of that type, in each lane if e->vec. letter: i, l, h, s, p. */
llvm_value gen_const(struct gen *e, char letter, u64 v);
llvm_value gen_real(struct gen *e, char letter, double v);
llvm_value gen_splat(struct gen *e, llvm_value scalar);
/* An intrinsic, overloaded by these types; or by the type of its first argument. */
llvm_value gen_call(struct gen *e, const char *intrinsic, llvm_type *types, unsigned ntypes, llvm_value *args,
                    unsigned n);
llvm_value gen_call_of(struct gen *e, const char *intrinsic, llvm_value *args, unsigned n);

/* The value of a slot, a constant's too. */
struct value gen_get(struct gen *e, u32 at, u8 kind);
/* All its lanes: a vector of integers. */
llvm_value gen_vector(struct gen *e, struct value v, u8 kind);
/* As an operand: with the type of the letter, a vector if e->vec. */
llvm_value gen_operand(struct gen *e, struct value v, char letter);
/* Writes a cell, in the active lanes. */
void gen_put(struct gen *e, u32 at, u8 kind, struct value v);
struct value gen_uniform(llvm_value v);
struct value gen_of_lanes(llvm_value v);
u8 gen_kind(char letter);
/* A NaN becomes 0x7fffffff. bits: integers, scalar or vector. */
llvm_value gen_canonical(struct gen *e, llvm_value bits);
llvm_value gen_at(struct gen *e, llvm_value base, u64 offset); /* a pointer so many bytes on */
llvm_value gen_load(struct gen *e, llvm_type t, llvm_value p, unsigned align);
void gen_store(struct gen *e, llvm_value v, llvm_value p, unsigned align);
llvm_value gen_arg(struct gen *e, llvm_type t, u64 offset); /* a field of tier_args that stays as it is */
/* Puts the builder into a block that may have its end already, in front of that; returns where it was. */
llvm_block gen_to(struct gen *e, llvm_block b);
llvm_block gen_block(struct gen *e);
void gen_here(struct gen *e, llvm_block b);
/* A condition that nearly always holds, or hardly ever. */
llvm_value gen_branch(struct gen *e, llvm_value condition, llvm_block yes, llvm_block no, int likely);

/* Two ways meet in a new block: one came to the end of `from`, with these cells; the other is where we are. */
struct value *gen_snapshot(struct gen *e);
void gen_meet(struct gen *e, struct value *cells, llvm_block from, llvm_block *ends);
/* One more value that they bring; ends: the blocks that gen_meet said they came from. */
llvm_value gen_phi(struct gen *e, llvm_value a, llvm_block from_a, llvm_value b, llvm_block from_b);

/* ---- shape.c ---- */
/* The one array of these offsets. */
const i64 *shape_offsets(struct gen *e, const i64 offset[IR_LANES]);
/* base + offset[i] in lane i; base has `align` low bits of zero. */
struct value gen_offsets(struct gen *e, llvm_value base, u8 align, const i64 offset[IR_LANES], u8 kind);
struct value gen_lanes_apart(struct gen *e, llvm_value base, u8 align, i64 step, u8 kind);
/* What holds of both. */
struct shape shape_meet(struct shape a, struct shape b);
bool shape_same(struct shape a, struct shape b);
/* Whether what is one of the two may have raw NaNs. Where it could also be something else, whose bits count, it may not. */
bool shape_raw(const struct shape *a, const struct shape *b);
struct shape shape_of(const struct value *v); /* without any condition */
u8 shape_align(const struct shape *s);
static inline u8 shape_zeros(u64 v) { return v ? (u8)__builtin_ctzll(v) : 63; }

/* ---- gen_sweep.c: from warp to warp ---- */
void gen_sweep_begin(struct gen *e); /* makes start and head, without their ends */
void gen_sweep_end(struct gen *e);   /* when all ends have been made */
void gen_end(struct gen *e, enum tier_end how, u32 state);

/* ---- gen_flow.c: nodes, edges, ends ---- */
void gen_units(struct gen *e, u32 node); /* all but a last one that ends the node */
void gen_node_end(struct gen *e, u32 node);
void gen_goto(struct gen *e, u32 node);
/* The code ends here and the interpreter goes on in front of the unit. Only where all lanes are active. */
void gen_leave(struct gen *e);
/* The lanes that a conditional branch sends to its target, active or not. */
llvm_value gen_taken(struct gen *e, const struct ir_inst *r, bool unless);
void gen_leave_unless(struct gen *e, llvm_value ok);
/* Shapes, once around all nodes that are reached; e->changed: once more. Then the code. */
void gen_dry(struct gen *e);
void gen_for_good(struct gen *e);
struct value gen_coerce(struct gen *e, struct value v, struct shape s, u8 kind);

/* ---- gen_frame.c: values between two runs ---- */
/* The live cells in front of a record, which have these shapes. */
struct tier_state frame_state(struct gen *e, u32 record, const u64 *live, const struct shape *shapes);
void frame_store(struct gen *e, const struct tier_state *s); /* what is not there yet */
struct value frame_load(struct gen *e, struct shape s, u32 at, u8 kind);
void frame_find_stale(struct graph *g); /* once shapes are known */

/* ---- gen_part.c: lanes that part, at the branch; `taken` go to its target ---- */
void gen_part(struct gen *e, const struct ir_inst *r, llvm_value taken);

/* ---- gen_count.c: what code under a meter does besides ---- */
/* The active lanes enter a basic block; mask: perhaps none, or NULL: all. */
void gen_count_entry(struct gen *e, u32 block, llvm_value mask);
llvm_value gen_counts_blocks(struct gen *e); /* else entries are told */
/* Of the lanes in the mask (NULL: all) a branch sends those that are taken to its target: perhaps none, or all. */
void gen_count_part(struct gen *e, u32 site, llvm_value mask, llvm_value taken);

/* ---- gen_near.c ---- */
struct sum near_sum(const struct gen *e, llvm_value address);
bool near_each_other(const struct sum *a, const struct sum *b); /* within a line, as far as can be seen */

/* ---- gen_body.c: records that run by their bodies ---- */
/* Calls the bodies of [first, end); the operands have been stored. Ends the code when they stop. */
void gen_run_body(struct gen *e, u32 first, u32 end);
void gen_body_unit(struct gen *e, const struct unit *u);
void gen_spill(struct gen *e, u32 at, u8 kind); /* to its slot, all lanes */
void gen_reload(struct gen *e, u32 at, u8 kind, u8 shape);

/* ---- gen_lanes.c, gen_memory.c, gen_pack.c ---- */
void gen_lanes_op(struct gen *e, const struct op *op, const struct ir_inst *r);
void gen_load_op(struct gen *e, u32 record);
void gen_store_op(struct gen *e, u32 record);
void gen_pack_op(struct gen *e, const struct op *op, const struct ir_inst *r);
void gen_shuffle_op(struct gen *e, const struct op *op, const struct ir_inst *r);

#endif
