/* ir.h - a PTX function as warp code: basic blocks of small records that the engine runs 32 lanes at a time.
 *
 * Vocabulary. A *slot* is 32 lanes of 32 bits (128 bytes, 64-byte aligned) in a frame's register file; a 64-bit value
 * takes two adjacent slots and is an array u64[32]; a predicate is one 32-bit mask. 8- and
 * 16-bit values live zero-extended in 32-bit lanes. A *site* is the index of an instruction in its ptx_func. A *body*
 * is the C function that runs one record; its name says opcode, modifiers and types (body_name.c makes the name).
 *
 * Register file of a frame, in bytes from `regs`:
 *
 *     0                              masks_at         consts_at                  frame_bytes
 *     | 32-, 64-, 128-bit values ... | predicates ... | constants and scratch ... |
 *
 * Constants (immediates, addresses of variables, kernel parameters, special registers) are slots like any other, so a
 * body never asks what an operand is. They are written when the frame is made and never by the code. */
#ifndef LS_IR_H
#define LS_IR_H

#include "base/base.h"
#include "base/diag.h"
#include "ptx/ptx.h"

enum { IR_LANES = 32, IR_SLOT = 128, IR_AXES = 4 };

struct warp;
struct ir_inst;

/* Runs pc and what follows; returns the record to go on with, or NULL when the warp stops (warp.h says why). */
typedef const struct ir_inst *(*ir_body)(const struct ir_inst *pc, u8 *regs, struct warp *w);

struct ir_inst {
    ir_body run;
    u32 d, a, b, c; /* byte offsets from regs: slots, or predicate masks */
    i64 imm;        /* memory: address offset; else what the body's comment says */
    union {
        const struct ir_inst *target; /* branches, guards */
        const u32 *list;              /* vector loads and stores: byte offsets of the data slots, imm2 = how many */
        const void *ptr;
    };
    u32 site;
    u32 aux; /* IR_* flags below, or what the body's comment says */
};

/* Flags in aux of memory records. */
enum {
    IR_ADDR32 = 1,   /* the address register is 32 bits wide */
    IR_VOLATILE = 2, /* volatile, relaxed, acquire, release or mmio: costs scheduling budget, so that spinners yield */
    IR_REG64 = 4,    /* the data register is 64 bits wide (ld.u8 into .b64 extends that far) */
    IR_ADDR_CONST = 8, /* no address register: the address is imm alone */
    IR_REG16 = 16,     /* the data register is 16 bits wide: ld.s8 into it extends the sign no further */
    IR_ARG_IN = 16,    /* ld_arg, st_arg: the function's own argument block, not the one of the calls it makes */
};

/* A slot that is filled when a frame is made. */
enum ir_const_kind {
    IR_CONST_32, /* value, broadcast */
    IR_CONST_64,
    IR_CONST_PARAM,          /* kernel parameter bytes [value, value + bytes), zero- or sign-extended as type says */
    IR_CONST_PARAM_ADDRESS,  /* device address of byte `value` of the launch's copy of the parameter block */
    IR_CONST_LOCAL,          /* value + where the frame's local memory starts in the lane's: an address in .local */
    IR_CONST_SREG,           /* component value % IR_AXES of special register value / IR_AXES (enum ptx_sreg) */
    IR_CONST_SHARED,         /* value + where the block's shared memory starts: an address in .shared */
    IR_CONST_DYNAMIC_SHARED, /* value + where its dynamic part starts */
    IR_CONST_PRED,           /* a predicate mask: 0 or ~0 */
};

struct ir_const {
    u8 kind, bytes, type; /* type: enum ptx_type of a PARAM load */
    u32 at;               /* byte offset in the frame */
    u64 value;
};

/* A basic block of the PTX, by sites. Predicated simple instructions do not end a block. */
struct ir_block {
    u32 first, end;     /* sites [first, end) */
    u32 succ[2], nsucc; /* successor blocks; more than two (brx, indirect) only in `succs` */
    u32 *succs;         /* all nsucc successors */
    u32 npreds;
    u32 idom, ipdom; /* IR_NO_BLOCK = none */
    u32 loop_depth;
    bool is_join; /* some divergent branch reconverges at its start */
    u32 depth;    /* distance from entry in the dominator tree */
};
#define IR_NO_BLOCK UINT32_MAX

/* Decoded code in one of three shapes: fast is silent; traced announces blocks and accesses; timed is traced with a
 * `tick` record in front of every instruction, and is made only of functions that a kernel which reads a clock runs
 * (tick.c). Bodies come in the first two. */
struct ir_code {
    struct ir_inst *insts;
    u32 n;
    const u32 *block_at; /* the record with which each block begins; [nblocks] is the final return */
};
enum ir_mode { IR_FAST, IR_TRACED, IR_NMODES, IR_TIMED = IR_NMODES, IR_NSHAPES };

/* What runs an instruction, for the clock. */
enum ir_unit {
    IR_UNIT_NONE,     /* nothing: what ptxas renames, folds or drops */
    IR_UNIT_CONTROL,  /* an issue slot and no result */
    IR_UNIT_ARGUMENT, /* waits for its operands and takes no slot: st.param */
    IR_UNIT_FENCE,    /* waits for the warp's stores */
    IR_UNIT_SLEEP,
    IR_UNIT_COPY_COMMIT, /* cp.async.commit_group, wait_group and wait_all */
    IR_UNIT_COPY_WAIT,
    IR_UNIT_INT,
    IR_UNIT_FP32,
    IR_UNIT_FP16,
    IR_UNIT_FP64,
    IR_UNIT_SFU,
    IR_UNIT_CONVERT,
    IR_UNIT_SHUFFLE,
    IR_UNIT_TENSOR,
    IR_UNIT_MEMORY, /* how long it takes follows from its addresses */
    IR_UNIT_COUNT
};

#define IR_COPY_ALL UINT32_MAX

/* What an instruction stands for: machine instructions of a unit. */
struct ir_cost {
    enum ir_unit unit;
    u8 steps;   /* >= 1 */
    bool chain; /* each of them needs the one before */
};

/* What a tick record (ptr) says of the instruction behind it. A register is named by its entry in the scoreboard: one a
 * slot, one a predicate, and one for the carry flag. */
struct ir_tick {
    u8 unit;                               /* enum ir_unit */
    u8 steps;                              /* machine instructions that it stands for, >= 1 */
    bool chain;                            /* each of them needs the one before */
    bool shared, atomic, past_l1, is_copy; /* memory; is_copy: cp.async */
    u32 value; /* SLEEP: where the nanoseconds are, in bytes from regs; COPY_WAIT: how many groups may stay under way,
                   or IR_COPY_ALL: nothing may, committed or not */
    u32 nreads, nwrites;
    u32 entry[]; /* read, then written */
};

/* A variable in a block's shared memory. */
struct ir_shared_var {
    const char *name;
    u64 at, size; /* size 0: dynamic */
};

struct ir_func {
    const struct ptx_func *src;
    const struct ptx_module *mod;
    const char *name;
    struct ir_block *blocks;
    u32 nblocks;
    u32 *block_of_site;
    const u32
        *place; /* by register: the byte offset of its slot; of those that no instruction names it means nothing */
    struct ir_code code[IR_NSHAPES]; /* code[IR_TIMED].insts is NULL when nothing asks for it */
    u32 scoreboard;                  /* timed code: entries of a frame's scoreboard */
    struct ir_const *consts;
    u32 nconsts;
    u32 masks_at, consts_at, frame_bytes; /* layout of the register file, above */
    bool uses_block_const;                /* some constant changes from block to block (%ctaid, %smid) */
    u64 param_bytes;   /* kernels: size of the parameter block; functions: of the argument area of one lane */
    u64 ret_bytes;     /* functions: of the return area of one lane */
    u64 call_bytes;    /* the largest argument + return area of the calls it makes, one lane */
    u32 local_bytes;   /* a lane, this function's own frame */
    u32 shared_bytes;  /* kernels: static shared memory, of callees too, and what lies between it and dynamic memory */
    u32 shared_align;  /* kernels: of dynamic shared memory; 1: it sees none */
    u32 shared_placed; /* kernels: where it ends with the gaps counted (exec_device.shared_gap) */
    const struct ir_shared_var *shared_vars; /* kernels: in order of their places; dynamic memory, if any, last */
    u32 nshared_vars;
    u32 registers; /* estimated 32-bit registers a thread: the most values live at once, as ptxas would round */
    u32 nbarriers; /* named barriers used: highest constant id + 1; 16 when an id is not constant */
    bool has_barrier, has_calls, is_recursive;
    bool looks_past_l1;      /* atomics, or loads past L1, of memory that other blocks see: a loop may wait for them */
    bool uses_param_address; /* some IR_CONST_PARAM_ADDRESS */
    /* why it cannot be launched, or NULL: "file:line: opcode ... has no body" */
    const char *poison;
};

/* The targets of a brx, in the order of its list. */
struct ir_table {
    u32 n;
    const struct ir_inst **targets;
};

/* A call site. Arguments and results lie lane by lane in the caller's call area (exec/frame.c): arguments at their
 * natural alignment from 0, results from ret_at. */
struct ir_call {
    u64 callee;  /* direct: ir_target.func_handle of the function; 0 for indirect and built-in calls */
    int builtin; /* id of a built-in function, or -1 */
    u32 ret_at;
};

/* What lowering needs from the engine. */
struct ir_target {
    void *ctx;
    /* The body of that name in the given mode, or NULL. */
    ir_body (*body)(void *ctx, const char *name, enum ir_mode mode);
    /* The address of a variable (global, const: device address; shared: offset in the block's window;
     * not asked for .local and .param; false: undefined extern). */
    bool (*var_address)(void *ctx, const struct ptx_func *f, const struct ptx_var *v, u64 *address);
    /* The handle that stands for a function's address, and the id of a built-in device function by name, or -1. */
    u64 (*func_handle)(void *ctx, const struct ptx_func *f);
    int (*builtin)(void *ctx, const char *name);
    u64 shared_window, local_window; /* generic addresses of the two windows */
    bool keep_apart;                 /* every register its own slot: no colouring, for tests */
    /* What the tick records say of an instruction's time; NULL: no timed shape is made. */
    struct ir_cost (*cost)(const struct ptx_inst *i);
    bool weak_memory; /* weak memory: a release gets a fence record in front of it */
};

/* Builds blocks, dominators, liveness, slots and code. Everything is allocated in mem (whose recovery point is set).
 * Never fails for what the code contains: a function that cannot be run has `poison` set. */
struct ir_func *ir_lower(struct arena *mem, const struct ptx_module *mod, const struct ptx_func *f,
                         const struct ir_target *target);

/* Volatile and synchronising accesses, and those that say so, are served by L2 (PTX ISA, cache operators). */
bool ir_passes_l1(const struct ptx_inst *i);

/* Whether all holds that lowering promises of the function (verify/); else `why` names the function, the record and the
 * rule. Debug builds ask after each function that was lowered, and stop the program. */
bool ir_verify(const struct ir_func *f, const struct ir_target *target, char *why, size_t size);

#endif
