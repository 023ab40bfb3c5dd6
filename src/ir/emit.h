/* emit.h - the state of emission and its small vocabulary. Internal to ir/emit*.c.
 *
 * emit_put appends a record for a body name. Operand helpers return byte offsets from regs: emit_read of a source
 * (making constants, narrowing wide registers), emit_write of a destination, which emit_end_writes extends when the
 * register is wider than the type. */
#ifndef LS_IR_EMIT_H
#define LS_IR_EMIT_H

#include "ir/pass.h"

/* A branch target or join to be filled in when all records have their place. */
struct fixup {
    u32 record, block; /* block == nblocks: the final return */
    bool is_join;      /* imm instead of target */
    u32 *slot;
};

struct table_fixup {
    struct ir_table *table;
    u32 entry, block;
};

struct emit {
    struct pass *p;
    enum ir_mode mode;
    VEC(struct ir_inst) code;
    VEC(struct fixup) fixups;
    VEC(struct table_fixup) table_fixups;
    u32 *block_at; /* record index of each block's start; [nblocks] is the final return */
    u32 site, block;
    const struct ptx_inst *inst;
    unsigned ntemps[CLASS_COUNT];
    struct { /* a destination whose register is wider than the value: extended after the body */
        u32 from, to;
        const char *body;
    } widen[8];
    unsigned nwiden;
    u64 *flight; /* registers that products may have under way in front of the instruction (flight.c) */
};

/* Appends a record that runs the named body; the function is poisoned when there is none. Valid until the next put. */
struct ir_inst *emit_put(struct emit *e, const char *name);

u32 emit_const(struct emit *e, struct ir_const c); /* kind, bytes, type, value are given; returns its place */
u32 emit_const32(struct emit *e, u32 value);
u32 emit_const64(struct emit *e, u64 value);
u32 emit_temp(struct emit *e, enum slot_class c);

/* A source operand of the given type as a slot. */
u32 emit_read(struct emit *e, const struct ptx_operand *o, enum ptx_type t);
/* A destination of the given type as a slot; emit_end_writes must follow the body's record. */
u32 emit_write(struct emit *e, const struct ptx_operand *o, enum ptx_type t);
void emit_end_writes(struct emit *e);

/* The address of a variable as a constant; false poisons. */
bool emit_var_address(struct emit *e, const struct ptx_var *v, u64 *address);

/* The address of a byte of the launch's parameters, as a constant. */
u32 emit_param_base(struct emit *e, u64 offset);

void emit_join_fixup(struct emit *e, u32 block);
void emit_target_fixup(struct emit *e, u32 block);

/* Lowerings, as the column of that name in ops.def calls them; the short ones are in emit.c.
 *
 * emit_memory.c */
/* An address operand as a memory record has it. */
struct place {
    u32 slot, aux;
    i64 imm;
};
struct place emit_address(struct emit *e, const struct ptx_operand *o);
void emit_load(struct emit *e);
void emit_store(struct emit *e);
void emit_atomic(struct emit *e);
void emit_cp_async(struct emit *e);
void emit_cvta(struct emit *e);
void emit_isspacep(struct emit *e);
void emit_mapa(struct emit *e);
/* emit_control.c */
void emit_branch(struct emit *e);
void emit_skip(struct emit *e);
void emit_table_branch(struct emit *e);
void emit_end(struct emit *e);
void emit_call(struct emit *e);
void emit_barrier(struct emit *e);
void emit_warp_op(struct emit *e);
/* emit_move.c */
void emit_mov(struct emit *e);
void emit_setp(struct emit *e);
void emit_set(struct emit *e);
void emit_lop3(struct emit *e);
/* tick.c: the record in front of e->inst that advances the warp's clock */
void emit_tick(struct emit *e);
/* emit_matrix.c */
void emit_mma(struct emit *e);
void emit_mma_sparse(struct emit *e);
void emit_wmma_load(struct emit *e);
void emit_wmma_store(struct emit *e);
void emit_ldmatrix(struct emit *e);
void emit_stmatrix(struct emit *e);
void emit_movmatrix(struct emit *e);
/* emit_wgmma.c */
void emit_wgmma(struct emit *e);
void emit_wgmma_order(struct emit *e);
/* In front of e->inst: products that may still write or read a register that it touches end there. */
void emit_wgmma_settle(struct emit *e);
/* emit_video.c */
void emit_video(struct emit *e);
/* emit_async.c */
void emit_mbarrier_init(struct emit *e);
void emit_mbarrier_inval(struct emit *e);
void emit_mbarrier_expect(struct emit *e);
void emit_mbarrier_complete(struct emit *e);
void emit_mbarrier_arrive(struct emit *e);
void emit_mbarrier_drop(struct emit *e);
void emit_mbarrier_wait(struct emit *e);
void emit_mbarrier_copies(struct emit *e);
void emit_bulk(struct emit *e);
void emit_bulk_ahead(struct emit *e);
void emit_bulk_fill(struct emit *e);
void emit_bulk_tensor(struct emit *e);
void emit_bulk_value(struct emit *e);
void emit_bulk_order(struct emit *e);
void emit_tensor_replace(struct emit *e);
void emit_tensor_copy(struct emit *e);
/* emit_texture.c */
void emit_texture(struct emit *e);
void emit_surface(struct emit *e);
void emit_texture_query(struct emit *e);

#endif
