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

/* Special registers that change while a kernel runs: a record reads them into a temporary. */
static u32 moving_sreg(struct emit *e, const struct ptx_sreg_row *row)
{
    char body[32];
    const u32 to = emit_temp(e, ir_class(row->type));
    snprintf(body, sizeof body, "read_%s", row->name + 1);
    emit_put(e, body)->d = to;
    return to;
}

static u32 sreg_slot(struct emit *e, const struct ptx_operand *o)
{
    const struct ptx_sreg_row *row = &ptx_sreg_rows[o->sreg];
    const u64 axis = row->vector && o->comp >= 'x' ? (u64)(o->comp - 'x') : 0;
    if (row->scope == SREG_SCOPE_NONE) {
        ir_poison(e->p, e->site, "special register %s is not provided", row->name);
        return 0;
    }
    if (row->scope == SREG_SCOPE_MOVING)
        return moving_sreg(e, row);
    if (row->vector && o->comp == 'w')
        return emit_const32(e, 0);
    e->p->out->uses_block_const |= row->scope == SREG_SCOPE_BLOCK;
    return emit_const(e, (struct ir_const){.kind = IR_CONST_SREG,
                                           .bytes = ir_class(row->type) == CLASS_64 ? 8 : 4,
                                           .value = o->sreg * (u64)IR_AXES + axis});
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

u32 emit_param_base(struct emit *e, u64 offset)
{
    e->p->out->uses_param_address = true;
    return emit_const(e, (struct ir_const){.kind = IR_CONST_PARAM_ADDRESS, .bytes = 8, .value = offset});
}

static u32 var_slot(struct emit *e, const struct ptx_operand *o, enum ptx_type t)
{
    u64 address = 0;
    u8 bytes = ir_class(t) == CLASS_64 ? 8 : 4;
    if (o->var->space == SPACE_PARAM && bytes == 4) /* emit_param_address makes an address of it */
        return emit_const32(e, (u32)(o->var->offset + (u64)o->offset));
    if (o->var->space == SPACE_PARAM)
        return emit_param_base(e, o->var->offset + (u64)o->offset);
    if (o->var->space == SPACE_CONST && bytes == 4)
        ir_poison(e->p, e->site, "the address of constant %s is taken as 32 bits", o->var->name);
    if (o->var->space == SPACE_SHARED && !o->var->size)
        return emit_const(e,
                          (struct ir_const){.kind = IR_CONST_DYNAMIC_SHARED, .bytes = bytes, .value = (u64)o->offset});
    emit_var_address(e, o->var, &address);
    address += (u64)o->offset;
    if (o->var->space == SPACE_LOCAL || o->var->space == SPACE_SHARED)
        return emit_const(e, (struct ir_const){.kind = o->var->space == SPACE_LOCAL ? IR_CONST_LOCAL : IR_CONST_SHARED,
                                               .bytes = bytes,
                                               .value = address});
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
    case PTX_SREG:
        return sreg_slot(e, o);
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

static void emit_plain(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    char name[128];
    ir_body_name(i, name, sizeof name);
    u32 source[4] = {0}, dest = 0, dest2 = 0;
    unsigned ndest = ptx_dest_count(i), nsrc = i->noperands - ndest;
    bool pair = ndest && i->operands[0].kind == PTX_PAIR;
    if (nsrc > 4) {
        ir_poison(e->p, e->site, "%u source operands are too many", nsrc);
        return;
    }
    i64 imm = ir_reads_carry(i) || ptx_has(i, MOD_CC) ? (i64)e->p->carry : 0;
    for (unsigned k = 0; k < nsrc; k++)
        source[k] = emit_read(e, &i->operands[ndest + k], i->operands[ndest + k].type);
    if (pair) {
        dest = emit_write(e, &i->operands[0].elems[0], i->operands[0].type);
        dest2 = emit_write(e, &i->operands[0].elems[1], i->operands[0].elems[1].type);
    } else if (ndest) {
        dest = emit_write(e, &i->operands[0], i->operands[0].type);
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

static void emit_cluster_barrier(struct emit *e)
{
    emit_put(e, ptx_has(e->inst, MOD_ARRIVE) ? "bar_cluster_arrive" : "bar_cluster_wait");
}

static void emit_fence(struct emit *e) { emit_put(e, "fence"); }

/* Copies are done at once: nothing to compute, but instruments get an event. */
static void emit_copy_order(struct emit *e) { emit_put(e, "copy_order"); }

/* No debugger is there. */
static void emit_breakpoint(struct emit *e) { emit_put(e, "trap"); }

/* Hints. */
static void emit_nothing(struct emit *e) { (void)e; }

static void emit_none(struct emit *e) { ir_poison(e->p, e->site, "it has no body"); }

/* What ops.def says in its column `lowering`. */
static void (*const lowerings[PTX_NOPS])(struct emit *e) = {
    emit_none,
#define PTX_OP(id, name, forms, class, section, semantics, lowering, ...) emit_##lowering,
#include "ptx/ops.def"
#undef PTX_OP
};

static void emit_one(struct emit *e) { lowerings[e->inst->op](e); }

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
    if (e->p->flight)
        memcpy(e->flight, e->p->flight + (size_t)b * e->p->flight_words, e->p->flight_words * sizeof *e->flight);
    for (u32 s = blk->first; s < blk->end; s++) {
        e->site = s;
        e->inst = &e->p->f->insts[s];
        if (e->p->flight)
            emit_wgmma_settle(e);
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
    if (p->flight)
        e.flight = arena_array(p->mem, u64, p->flight_words);
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
