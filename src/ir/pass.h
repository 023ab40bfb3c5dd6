/* pass.h - what the lowering passes share. Internal to ir/.
 *
 * The passes, in order: cfg (blocks and edges), dom (dominators, post-dominators, loops, joins), live (liveness and
 * slots), then emit, once a mode, which turns each instruction into records with the help of select (names) and
 * call (argument areas). verify/ proves in debug builds that each kept what it promises. */
#ifndef LS_IR_PASS_H
#define LS_IR_PASS_H

#include "base/vec.h"
#include "ir/ir.h"

/* Slot classes never share memory: a 64-bit lane spans words that belong to other lanes of a 32-bit slot, and lanes
 * that have parted may be at points where the same memory would hold different classes. */
enum slot_class { CLASS_32, CLASS_64, CLASS_128, CLASS_PRED, CLASS_COUNT };

struct pass {
    struct arena *mem;
    const struct ptx_func *f;
    const struct ir_target *target;
    struct ir_func *out;
    u32 *place; /* register index -> byte offset in the frame once live.c has run */
    u32 class_base[CLASS_COUNT], class_count[CLASS_COUNT];
    u32 temps[CLASS_COUNT][16]; /* byte offsets of scratch slots; 0 = not yet placed */
    bool *is_read;              /* register index -> some instruction reads it; NULL until first used (emit_memory.c) */
    u8 *late;                   /* by register: WGMMA_WRITTEN, WGMMA_READ (flight.c); NULL: the function has no wgmma */
    u64 *flight;                /* by block: registers that a product may have under way where it begins */
    u32 flight_words;           /* of a block */
    u32 carry;                  /* byte offset of the carry flag CC.CF, a mask */
    u32 stack;                  /* byte offset of the stack pointer of alloca, u64 lanes; 0: the function has none */
    u32 stack_at, stack_end;    /* where in the frame's local memory alloca takes from */
    VEC(struct ir_const) consts;
    const u32 *param_at; /* local .param variables: variable's position in f->locals -> offset in the call area */
    const u32 *local_at; /* .local variables -> offset in the frame's local memory; .shared -> offset in the block's */
};

static inline enum ptx_flow ir_flow(const struct ptx_inst *i) { return (enum ptx_flow)ptx_op_rows[i->op].flow; }

/* True when site is a predicated FLOW_STOP, FLOW_CALL or FLOW_END instruction: alone in its block, behind a skip branch. */
bool ir_is_skipped(const struct ptx_inst *i);
/* True when control may leave the function at the end of block b. */
bool ir_leaves(const struct ir_func *f, u32 b);
/* A block that does nothing but leave is no place to meet: lanes that come there are done, and what they would wait for
 * may wait for them at a barrier. (ptxas makes an EXIT of every branch to a bare ret.) */
bool ir_only_leaves(const struct ir_func *f, u32 b);

void ir_build_cfg(struct pass *p);
void ir_build_dom(struct pass *p);
/* flight.c: which registers products of warpgroups may read or write late, and where. In front of live.c. */
void ir_build_flight(struct pass *p);
enum { WGMMA_WRITTEN = 1, WGMMA_READ = 2 };
/* What the instruction does to a set of registers that are under way. */
void ir_step_flight(const struct pass *p, const struct ptx_inst *i, u64 *set);
void ir_build_live(struct pass *p);
/* live.c: sets of registers whose value is read at a block's beginning or behind it, and at its end: nblocks x words, a bit a register.
 * In mem. */
struct ir_liveness {
    u64 *in, *out;
    u32 words; /* of a set */
};
struct ir_liveness ir_find_liveness(struct arena *mem, const struct ptx_func *f, const struct ir_block *blocks,
                                    u32 nblocks);
void ir_emit(struct pass *p, enum ir_mode mode);

/* The operands of `call (rets), callee, (args), proto`; NULL where absent. */
struct ir_call_parts {
    const struct ptx_operand *rets, *callee, *args, *proto;
};
void ir_call_parts(const struct ptx_inst *i, struct ir_call_parts *parts);
u32 ir_call_ret_at(const struct ptx_inst *i); /* offset of the results in the call area */

/* call.c: where the .param variables of call sites lie. */
void ir_layout_calls(struct pass *p);
/* The bytes of a parameter list laid out at natural alignment; offsets[i] receives the place of each when not NULL. */
u64 ir_layout_params(struct ptx_var *const *params, u32 n, u32 *offsets);

/* body_name.c: the name of the body of an instruction into buf. */
void ir_body_name(const struct ptx_inst *i, char *buf, size_t size);

/* Marks the function as one that cannot run; the first reason stays. site names the place. */
void ir_poison(struct pass *p, u32 site, const char *fmt, ...) LS_PRINTF(3, 4);

/* Adds or subtracts with the carry flag CC.CF, or sets it. */
static inline bool ir_reads_carry(const struct ptx_inst *i)
{
    return i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC;
}

/* Which registers an instruction reads and writes: fn is called for each, dest first. */
typedef void (*ir_reg_fn)(void *ctx, const struct ptx_var *reg, bool is_write);
void ir_each_reg(const struct ptx_inst *i, ir_reg_fn fn, void *ctx);

/* A product of a warpgroup, which writes d (and reads a, if that is registers) some time before it is waited for. */
static inline bool ir_is_wgmma(const struct ptx_inst *i)
{
    return i->op == OP_WGMMA_MMA_ASYNC || i->op == OP_WGMMA_MMA_ASYNC_SP;
}

enum slot_class ir_class(enum ptx_type t);

/* Where a .local variable of the function's lies in the local memory of its frame. */
bool ir_local_at(const struct ptx_func *f, const struct ptx_var *v, u64 *at);

#endif
