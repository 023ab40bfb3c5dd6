/* emit.c - instructions to records: operands, constants, blocks, and the instructions that are one body each. */
#include "ir/emit.h"

#include <stdio.h>

struct ir_inst *emit_put(struct emit *e, const char *name)
{
    struct ir_inst r = {.site = e->site};
    r.run = e->p->target->body(e->p->target->ctx, name, e->mode == IR_FAST ? IR_FAST : IR_TRACED);
    if (!r.run)
        ir_poison(e->p, e->site, "it has no body (%s)", name);
    vec_push(e->p->mem, &e->code, r);
    return &e->code.at[e->code.len - 1];
}

/* ---- constants ---- */

u32 emit_const(struct emit *e, struct ir_const c)
{
    for (u32 k = 0; k < e->p->consts.len; k++) {
        const struct ir_const *o = &e->p->consts.at[k];
        if (o->kind == c.kind && o->bytes == c.bytes && o->type == c.type && o->value == c.value)
            return o->at;
    }
    bool wide = c.bytes > 4;
    c.at = e->p->out->frame_bytes;
    e->p->out->frame_bytes += wide ? 2 * IR_SLOT : IR_SLOT;
    vec_push(e->p->mem, &e->p->consts, c);
    return c.at;
}

u32 emit_const32(struct emit *e, u32 value)
{
    return emit_const(e, (struct ir_const){.kind = IR_CONST_32, .bytes = 4, .value = value});
}

u32 emit_const64(struct emit *e, u64 value)
{
    return emit_const(e, (struct ir_const){.kind = IR_CONST_64, .bytes = 8, .value = value});
}

/* Scratch slots get their place when first used; they are free again at the next instruction. */
u32 emit_temp(struct emit *e, enum slot_class c)
{
    static const u32 bytes[CLASS_COUNT] = {IR_SLOT, 2 * IR_SLOT, 4 * IR_SLOT, IR_SLOT};
    LS_BUG_ON(e->ntemps[c] >= LS_ARRAY_LEN(e->p->temps[c]));
    u32 *place = &e->p->temps[c][e->ntemps[c]++];
    if (!*place) {
        *place = e->p->out->frame_bytes;
        e->p->out->frame_bytes += bytes[c];
    }
    return *place;
}

/* The bits of an immediate as a value of type t. */
static u64 immediate(const struct ptx_operand *o, enum ptx_type t)
{
    u32 bits = ptx_type_bits(t);
    u64 v = o->bits;
    if (t == PTX_F32 && o->is_double) {
        f64 wide;
        memcpy(&wide, &v, sizeof wide);
        f32 narrow = (f32)wide;
        u32 out;
        memcpy(&out, &narrow, sizeof out);
        return out;
    }
    if (t == PTX_F64 && o->is_float) {
        f32 narrow;
        u32 in = (u32)v;
        memcpy(&narrow, &in, sizeof narrow);
        f64 wide = narrow;
        memcpy(&v, &wide, sizeof v);
        return v;
    }
    return bits >= 64 ? v : v & (((u64)1 << bits) - 1);
}

static u32 sreg_const(struct emit *e, const struct ptx_operand *o)
{
    static const struct {
        const char *name;
        u8 base, ncomp, bytes;
    } sregs[] = {
        {"%tid", SREG_TID_X, 3, 4},
        {"%ntid", SREG_NTID_X, 3, 4},
        {"%ctaid", SREG_CTAID_X, 3, 4},
        {"%nctaid", SREG_NCTAID_X, 3, 4},
        {"%laneid", SREG_LANEID, 1, 4},
        {"%warpid", SREG_WARPID, 1, 4},
        {"%nwarpid", SREG_NWARPID, 1, 4},
        {"%smid", SREG_SMID, 1, 4},
        {"%nsmid", SREG_NSMID, 1, 4},
        {"%gridid", SREG_GRIDID, 1, 8},
        {"%lanemask_eq", SREG_LANEMASK_EQ, 1, 4},
        {"%lanemask_le", SREG_LANEMASK_LE, 1, 4},
        {"%lanemask_lt", SREG_LANEMASK_LT, 1, 4},
        {"%lanemask_ge", SREG_LANEMASK_GE, 1, 4},
        {"%lanemask_gt", SREG_LANEMASK_GT, 1, 4},
        {"%dynamic_smem_size", SREG_DYNAMIC_SMEM_SIZE, 1, 4},
        {"%total_smem_size", SREG_TOTAL_SMEM_SIZE, 1, 4},
        {"%aggr_smem_size", SREG_TOTAL_SMEM_SIZE, 1, 4},
        {"%envreg1", SREG_ENVREG1, 1, 4},
        {"%envreg2", SREG_ENVREG2, 1, 4},
        {"%reserved_smem_offset_1", SREG_RESERVED_SMEM_OFFSET, 1, 4},
        {"%reserved_smem_offset_begin", SREG_ZERO, 1, 4},
        {"%clusterid", SREG_CTAID_X, 3, 4},
        {"%nclusterid", SREG_NCTAID_X, 3, 4},
        {"%cluster_ctarank", SREG_ZERO, 1, 4},
        {"%cluster_nctarank", SREG_ONE, 1, 4},
        {"%is_explicit_cluster", SREG_ZERO, 1, 4},
    };
    if (!strcmp(o->name, "%cluster_ctaid") || !strcmp(o->name, "%cluster_nctaid"))
        return emit_const32(e, o->name[9] == 'n');
    if ((!strcmp(o->name, "%tid") || !strcmp(o->name, "%ntid") || !strcmp(o->name, "%ctaid") ||
         !strcmp(o->name, "%nctaid")) &&
        o->comp == 'w')
        return emit_const32(e, 0);
    for (unsigned k = 0; k < LS_ARRAY_LEN(sregs); k++) {
        if (strcmp(o->name, sregs[k].name))
            continue;
        unsigned comp = o->comp >= 'x' && sregs[k].ncomp == 3 ? (unsigned)(o->comp - 'x') : 0;
        u64 id = sregs[k].base + comp;
        e->p->out->uses_block_const |= (id >= SREG_CTAID_X && id <= SREG_CTAID_Z) || id == SREG_SMID;
        return emit_const(e, (struct ir_const){.kind = IR_CONST_SREG, .bytes = sregs[k].bytes, .value = id});
    }
    return UINT32_MAX;
}

/* Special registers that change while a kernel runs: a record reads them into a temporary. */
static u32 sreg_read(struct emit *e, const struct ptx_operand *o)
{
    static const struct {
        const char *name, *body;
        enum slot_class cls;
    } moving[] = {
        {"%clock", "read_clock", CLASS_32},
        {"%clock_hi", "read_clock_hi", CLASS_32},
        {"%clock64", "read_clock64", CLASS_64},
        {"%globaltimer", "read_globaltimer", CLASS_64},
        {"%globaltimer_lo", "read_globaltimer_lo", CLASS_32},
        {"%globaltimer_hi", "read_globaltimer_hi", CLASS_32},
    };
    for (unsigned k = 0; k < LS_ARRAY_LEN(moving); k++)
        if (!strcmp(o->name, moving[k].name)) {
            u32 to = emit_temp(e, moving[k].cls);
            emit_put(e, moving[k].body)->d = to;
            return to;
        }
    ir_poison(e->p, e->site, "special register %s is not provided", o->name);
    return 0;
}

bool emit_var_address(struct emit *e, const struct ptx_var *v, u64 *address)
{
    for (u32 k = 0; k < e->p->f->nlocals; k++)
        if (e->p->f->locals[k] == v && (v->space == SPACE_LOCAL)) {
            *address = e->p->local_at[k];
            return true;
        }
    if (e->p->target->var_address(e->p->target->ctx, e->p->f, v, address))
        return true;
    ir_poison(e->p, e->site, "variable %s is declared .extern and nothing defines it", v->name);
    return false;
}

static u32 var_slot(struct emit *e, const struct ptx_operand *o, enum ptx_type t)
{
    u64 address = 0;
    u8 bytes = ir_class(t) == CLASS_64 ? 8 : 4;
    if (o->var->space == SPACE_PARAM) {
        e->p->out->uses_param_address = true;
        return emit_const(
            e, (struct ir_const){.kind = IR_CONST_PARAM_ADDRESS, .bytes = 8, .value = o->var->offset + (u64)o->offset});
    }
    if (o->var->space == SPACE_SHARED && !o->var->size)
        return emit_const(e,
                          (struct ir_const){.kind = IR_CONST_DYNAMIC_SHARED, .bytes = bytes, .value = (u64)o->offset});
    emit_var_address(e, o->var, &address);
    address += (u64)o->offset;
    if (o->var->space == SPACE_LOCAL)
        return emit_const(e, (struct ir_const){.kind = IR_CONST_LOCAL, .bytes = bytes, .value = address});
    return bytes == 8 ? emit_const64(e, address) : emit_const32(e, (u32)address);
}

/* ---- operands ---- */

static u32 negated(struct emit *e, u32 pred)
{
    u32 to = emit_temp(e, CLASS_PRED);
    struct ir_inst *r = emit_put(e, "not_pred");
    r->d = to;
    r->a = pred;
    return to;
}

/* A register whose class differs from that of the type it is used as. */
static u32 read_other_class(struct emit *e, u32 place, enum slot_class from, enum ptx_type t)
{
    u32 to = emit_temp(e, ir_class(t));
    struct ir_inst *r = emit_put(e, from == CLASS_64     ? "cvt_u32_u64"
                                    : ptx_type_signed(t) ? "cvt_s64_s32"
                                                         : "cvt_u64_u32");
    r->d = to;
    r->a = place;
    return to;
}

static u32 read_reg(struct emit *e, const struct ptx_operand *o, enum ptx_type t)
{
    enum slot_class have = ir_class(o->var->type), want = ir_class(t);
    u32 place = e->p->place[o->var->index];
    if (have == CLASS_PRED || want == CLASS_PRED) {
        if (have != want)
            ir_poison(e->p, e->site, "a predicate and a value are mixed");
        return o->neg ? negated(e, place) : place;
    }
    if (o->comp || o->var->vec > 1)
        ir_poison(e->p, e->site, "vector registers are not provided");
    if (have == want)
        return place;
    if (have == CLASS_128 || want == CLASS_128) {
        ir_poison(e->p, e->site, "a 128-bit register is used as a narrower value");
        return place;
    }
    return read_other_class(e, place, have, t);
}

u32 emit_read(struct emit *e, const struct ptx_operand *o, enum ptx_type t)
{
    switch (o->kind) {
    case PTX_REG:
        return read_reg(e, o, t);
    case PTX_IMM:
        if (t == PTX_PRED)
            return emit_const(e, (struct ir_const){.kind = IR_CONST_PRED, .bytes = 4, .value = o->bits ? ~0u : 0});
        return ir_class(t) == CLASS_64 ? emit_const64(e, immediate(o, t)) : emit_const32(e, (u32)immediate(o, t));
    case PTX_SREG: {
        u32 at = sreg_const(e, o);
        return at != UINT32_MAX ? at : sreg_read(e, o);
    }
    case PTX_VAR:
        return var_slot(e, o, t);
    case PTX_FUNC:
        return emit_const64(e, e->p->target->func_handle(e->p->target->ctx, o->func));
    default:
        ir_poison(e->p, e->site, "an operand of this kind is not provided");
        return 0;
    }
}

static u32 extend_later(struct emit *e, u32 from, u32 to, const char *body)
{
    if (e->nwiden == LS_ARRAY_LEN(e->widen)) {
        ir_poison(e->p, e->site, "too many destinations of another width");
        return to;
    }
    e->widen[e->nwiden].from = from;
    e->widen[e->nwiden].to = to;
    e->widen[e->nwiden++].body = body;
    return from;
}

/* The body that extends a value of type t to 64 bits. */
static const char *extension(enum ptx_type t)
{
    return t == PTX_S8 ? "cvt_s64_s8" : t == PTX_S16 ? "cvt_s64_s16" : t == PTX_S32 ? "cvt_s64_s32" : "cvt_u64_u32";
}

u32 emit_write(struct emit *e, const struct ptx_operand *o, enum ptx_type t)
{
    enum slot_class want = ir_class(t);
    if (o->kind == PTX_SINK)
        return emit_temp(e, want);
    if (o->kind != PTX_REG) {
        ir_poison(e->p, e->site, "a destination of this kind is not provided");
        return 0;
    }
    u32 place = e->p->place[o->var->index];
    enum slot_class have = ir_class(o->var->type);
    bool narrow = e->inst->op == OP_CVT && ptx_type_bits(t) < ptx_type_bits(o->var->type);
    if (have == CLASS_64 && want == CLASS_32)
        return extend_later(e, emit_temp(e, want), place, extension(t));
    if (have != want)
        ir_poison(e->p, e->site, "a destination of another width is not provided");
    else if (narrow && (t == PTX_S8 || t == PTX_S16)) /* bodies extend with zeros (PTX ISA 9.4.1: with the sign) */
        return extend_later(e, place, place, t == PTX_S8 ? "cvt_s32_s8" : "cvt_s32_s16");
    return place;
}

void emit_end_writes(struct emit *e)
{
    for (unsigned k = 0; k < e->nwiden; k++) {
        struct ir_inst *r = emit_put(e, e->widen[k].body);
        r->d = e->widen[k].to;
        r->a = e->widen[k].from;
    }
    e->nwiden = 0;
}

/* ---- instructions that are one body ---- */

static bool uses_carry(const struct ptx_inst *i)
{
    return i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC || ptx_has(i, MOD_CC);
}

static void emit_plain(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    char name[128];
    ir_body_name(i, name, sizeof name);
    u32 source[4] = {0}, dest = 0, dest2 = 0;
    unsigned ndest = ir_dest_count(i), nsrc = i->noperands - ndest;
    bool pair = ndest && i->operands[0].kind == PTX_PAIR;
    if (nsrc > 4) {
        ir_poison(e->p, e->site, "%u source operands are too many", nsrc);
        return;
    }
    i64 imm = uses_carry(i) ? (i64)e->p->carry : 0;
    for (unsigned k = 0; k < nsrc; k++)
        source[k] = emit_read(e, &i->operands[ndest + k], ir_operand_type(i, ndest + k));
    if (pair) {
        enum ptx_type t = ir_operand_type(i, 0);
        dest = emit_write(e, &i->operands[0].elems[0], t);
        dest2 = emit_write(e, &i->operands[0].elems[1], PTX_PRED);
    } else if (ndest) {
        dest = emit_write(e, &i->operands[0], ir_operand_type(i, 0));
    }
    struct ir_inst *r = emit_put(e, name);
    r->d = dest;
    r->a = source[0];
    r->b = source[1];
    r->c = source[2];
    r->aux = pair ? dest2 : source[3];
    r->imm = imm;
    emit_end_writes(e);
}

/* ---- the stack: alloca takes from the kernel's local memory, upwards, for each lane on its own ---- */

static u32 stack_limit(struct emit *e, u32 offset)
{
    return emit_const(e, (struct ir_const){.kind = IR_CONST_LOCAL, .bytes = 8, .value = offset});
}

/* In front of the function's first block. */
static void emit_stack_begin(struct emit *e)
{
    const u32 from = stack_limit(e, e->p->stack_at);
    struct ir_inst *r = emit_put(e, "mov_b64");
    r->d = e->p->stack;
    r->a = from;
}

/* alloca d, bytes, alignment: a = bytes, b = the stack pointer, c = where the stack ends, imm = the alignment */
static void emit_alloca(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const u32 end = stack_limit(e, e->p->stack_end), bytes = emit_read(e, &i->operands[1], t);
    const u32 d = emit_write(e, &i->operands[0], t);
    if (!e->p->f->is_entry)
        ir_poison(e->p, e->site, "dynamic stack allocation is simulated in kernels alone, not in what they call");
    struct ir_inst *r = emit_put(e, t == PTX_U64 ? "alloca_u64" : "alloca_u32");
    r->d = d;
    r->a = bytes;
    r->b = e->p->stack;
    r->c = end;
    r->imm = i->noperands > 2 ? (i64)i->operands[2].bits : 8;
    emit_end_writes(e);
}

/* stacksave d; stackrestore a */
static void emit_stack_pointer(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const bool save = i->op == OP_STACKSAVE, wide = i->types[0] == PTX_U64;
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const u32 other = save ? emit_write(e, &i->operands[0], t) : emit_read(e, &i->operands[0], t);
    struct ir_inst *r = emit_put(e, wide ? "mov_b64" : save ? "cvt_u32_u64" : "cvt_u64_u32");
    r->d = save ? other : e->p->stack;
    r->a = save ? e->p->stack : other;
    emit_end_writes(e);
}

/* Cache policies choose nothing here: one value stands for all of them. */
static void emit_policy(struct emit *e)
{
    const u32 policy = emit_const64(e, 0), d = emit_write(e, &e->inst->operands[0], PTX_B64);
    struct ir_inst *r = emit_put(e, "mov_b64");
    r->d = d;
    r->a = policy;
}

static void emit_one(struct emit *e)
{
    switch (e->inst->op) {
    case OP_LD:
    case OP_LDU:
        emit_load(e);
        break;
    case OP_ST:
        emit_store(e);
        break;
    case OP_ATOM:
    case OP_RED:
        emit_atomic(e);
        break;
    case OP_CP_ASYNC:
        emit_cp_async(e);
        break;
    case OP_CVTA:
        emit_cvta(e);
        break;
    case OP_ISSPACEP:
        emit_isspacep(e);
        break;
    case OP_MAPA:
    case OP_GETCTARANK:
        emit_mapa(e);
        break;
    case OP_MOV:
        emit_mov(e);
        break;
    case OP_SETP:
        emit_setp(e);
        break;
    case OP_SET:
        emit_set(e);
        break;
    case OP_BRA:
        emit_branch(e);
        break;
    case OP_BRX:
        emit_table_branch(e);
        break;
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
        emit_end(e);
        break;
    case OP_CALL:
        emit_call(e);
        break;
    case OP_BAR:
    case OP_BARRIER:
        emit_barrier(e);
        break;
    case OP_BARRIER_CLUSTER:
        emit_put(e, ptx_has(e->inst, MOD_ARRIVE) ? "bar_cluster_arrive" : "bar_cluster_wait");
        break;
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_ELECT:
    case OP_ACTIVEMASK:
    case OP_NANOSLEEP:
    case OP_BAR_WARP_SYNC:
        emit_warp_op(e);
        break;
    case OP_MEMBAR:
    case OP_FENCE:
        emit_put(e, "fence");
        break;
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_DISCARD:
    case OP_APPLYPRIORITY:
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL:
    case OP_SETMAXNREG:
    case OP_CP_ASYNC_BULK_PREFETCH:
        break;                     /* hints: nothing to compute */
    case OP_CP_ASYNC_COMMIT_GROUP: /* copies are done at once: nothing to compute, but instruments get an event */
    case OP_CP_ASYNC_WAIT_GROUP:
    case OP_CP_ASYNC_WAIT_ALL:
    case OP_CP_ASYNC_BULK_COMMIT_GROUP:
    case OP_CP_ASYNC_BULK_WAIT_GROUP:
        emit_put(e, "copy_order");
        break;
    case OP_BRKPT: /* no debugger is there */
        emit_put(e, "trap");
        break;
    case OP_MBARRIER_INIT:
    case OP_MBARRIER_INVAL:
    case OP_MBARRIER_EXPECT_TX:
    case OP_MBARRIER_COMPLETE_TX:
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_DROP:
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
    case OP_CP_ASYNC_MBARRIER_ARRIVE:
        emit_mbarrier(e);
        break;
    case OP_CP_ASYNC_BULK:
        emit_bulk(e);
        break;
    case OP_ST_BULK:
        emit_bulk_fill(e);
        break;
    case OP_ALLOCA:
        emit_alloca(e);
        break;
    case OP_STACKSAVE:
    case OP_STACKRESTORE:
        emit_stack_pointer(e);
        break;
    case OP_CREATEPOLICY:
        emit_policy(e);
        break;
    case OP_LOP3:
        emit_lop3(e);
        break;
    case OP_TEX:
    case OP_TLD4:
        emit_texture(e);
        break;
    case OP_SULD:
    case OP_SUST:
        emit_surface(e);
        break;
    case OP_TXQ:
    case OP_SUQ:
        emit_texture_query(e);
        break;
    default:
        if (ir_is_matrix((enum ptx_op)e->inst->op))
            emit_matrix(e);
        else if (e->inst->op >= OP_VADD && e->inst->op <= OP_VSET4)
            emit_video(e);
        else
            emit_plain(e);
    }
}

/* A simple predicated instruction: its records run under the narrowed mask, or are jumped over. */
static void emit_guarded(struct emit *e)
{
    u32 at = e->code.len;
    struct ir_inst *g = emit_put(e, e->inst->guard_neg ? "guard_not" : "guard");
    g->a = e->p->place[e->inst->guard->index];
    emit_one(e);
    emit_put(e, "unguard");
    e->code.at[at].imm = (i64)(e->code.len - at);
}

static void emit_inst(struct emit *e)
{
    LS_BUG_ON(e->nwiden && !e->p->out->poison); /* an instruction before this one had no emit_end_writes */
    memset(e->ntemps, 0, sizeof e->ntemps);
    if (e->inst->guard && ir_flow(e->inst) == FLOW_NEXT)
        emit_guarded(e);
    else
        emit_one(e);
}

static void emit_block(struct emit *e, u32 b)
{
    const struct ir_block *blk = &e->p->out->blocks[b];
    e->block = b;
    e->site = blk->first;
    e->inst = &e->p->f->insts[e->site];
    e->block_at[b] = e->code.len;
    if (blk->is_join)
        emit_put(e, "join");
    if (ir_is_skipped(e->inst))
        emit_skip(e);
    if (e->mode != IR_FAST)
        emit_put(e, "enter")->imm = b;
    for (u32 s = blk->first; s < blk->end; s++) {
        e->site = s;
        e->inst = &e->p->f->insts[s];
        if (e->mode == IR_TIMED)
            emit_tick(e);
        emit_inst(e);
    }
}

void emit_join_fixup(struct emit *e, u32 block)
{
    struct fixup f = {.record = e->code.len - 1, .block = block, .is_join = true};
    if (block != IR_NO_BLOCK)
        vec_push(e->p->mem, &e->fixups, f);
}

void emit_target_fixup(struct emit *e, u32 block)
{
    struct fixup f = {.record = e->code.len - 1, .block = block};
    vec_push(e->p->mem, &e->fixups, f);
}

/* Records no longer move: targets become pointers. */
static void resolve(struct emit *e)
{
    struct ir_inst *code = e->code.at;
    for (u32 k = 0; k < e->fixups.len; k++) {
        const struct fixup *f = &e->fixups.at[k];
        const struct ir_inst *to = &code[e->block_at[f->block]];
        if (f->is_join)
            code[f->record].imm = (i64)(intptr_t)to;
        else
            code[f->record].target = to;
    }
    for (u32 k = 0; k < e->table_fixups.len; k++) {
        const struct table_fixup *f = &e->table_fixups.at[k];
        f->table->targets[f->entry] = &code[e->block_at[f->block]];
    }
}

void ir_emit(struct pass *p, enum ir_mode mode)
{
    struct emit e = {.p = p, .mode = mode};
    u32 n = p->out->nblocks;
    e.block_at = arena_array(p->mem, u32, n + 1);
    if (p->stack)
        emit_stack_begin(&e);
    for (u32 b = 0; b < n; b++)
        emit_block(&e, b);
    e.block_at[n] = e.code.len;
    e.site = p->f->ninsts ? p->f->ninsts - 1 : 0;
    emit_put(&e, p->f->is_entry ? "exit" : "ret");
    resolve(&e);
    p->out->code[mode] = (struct ir_code){e.code.at, e.code.len, e.block_at};
}
