/* emit_memory.c - loads, stores, atomics and address conversions.
 *
 * Bodies are named <op>_<space>[_v<N>]_<type>; cache operators, scopes and memory semantics are not in the name: what
 * they mean on one machine with real host atomics is either nothing or IR_VOLATILE. Kernel parameters at a known
 * offset are constants, so `ld.param` in a kernel is a mov. */
#include "ir/emit.h"

#include <stdio.h>

static const char *space_name(enum ptx_space s)
{
    switch (s) {
    case SPACE_GLOBAL:
        return "global";
    case SPACE_SHARED:
        return "shared";
    case SPACE_LOCAL:
        return "local";
    case SPACE_CONST:
    case SPACE_PARAM: /* a kernel's parameters read through a pointer */
        return "const";
    default:
        return "generic";
    }
}

/* The element as a memory body names it: sign-extending loads are the only typed ones. */
static enum ptx_type memory_type(enum ptx_type t, bool load, bool wide)
{
    switch (ptx_type_bits(t)) {
    case 8:
        return load && t == PTX_S8 ? PTX_S8 : PTX_B8;
    case 16:
        return load && t == PTX_S16 ? PTX_S16 : PTX_B16;
    case 32:
        return load && wide && t == PTX_S32 ? PTX_S32 : PTX_B32;
    case 64:
        return PTX_B64;
    default:
        return PTX_B128;
    }
}

/* Variables whose address is known only when a frame is made. */
static bool moves_with_frame(const struct ptx_var *v)
{
    return v->space == SPACE_LOCAL || v->space == SPACE_PARAM || (v->space == SPACE_SHARED && !v->size);
}

struct place emit_address(struct emit *e, const struct ptx_operand *o)
{
    struct place at = {0};
    const struct ptx_operand *base = o->kind == PTX_ADDR ? &o->elems[0] : o;
    i64 offset = o->kind == PTX_ADDR ? o->offset : 0;
    u64 value = 0;
    if (base->kind == PTX_REG) {
        at.slot = e->p->place[base->var->index];
        at.aux = ir_class(base->var->type) == CLASS_32 ? IR_ADDR32 : 0;
        at.imm = offset;
    } else if (base->kind == PTX_VAR && moves_with_frame(base->var)) {
        at.slot = emit_read(e, base, PTX_B64);
        at.imm = offset;
    } else if (base->kind == PTX_VAR && emit_var_address(e, base->var, &value)) {
        at.aux = IR_ADDR_CONST;
        at.imm = (i64)value + base->offset + offset;
    } else if (base->kind == PTX_IMM) {
        at.aux = IR_ADDR_CONST;
        at.imm = (i64)base->bits + offset;
    } else {
        ir_poison(e->p, e->site, "an address of this kind is not provided");
    }
    return at;
}

static bool is_polling(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_VOLATILE) || ptx_has(i, MOD_RELAXED) || ptx_has(i, MOD_ACQUIRE) || ptx_has(i, MOD_RELEASE) ||
           ptx_has(i, MOD_MMIO);
}

/* Without weak memory the host's stores are releases as they are. */
static void emit_release(struct emit *e)
{
    if (e->p->target->weak_memory && (ptx_has(e->inst, MOD_RELEASE) || ptx_has(e->inst, MOD_ACQ_REL)))
        emit_put(e, "fence");
}

/* ---- parameters ---- */

static u32 area_offset(const struct emit *e, const struct ptx_var *v)
{
    for (u32 k = 0; k < e->p->f->nlocals; k++)
        if (e->p->f->locals[k] == v)
            return e->p->param_at[k];
    return UINT32_MAX;
}

/* Where a .param variable of a device function or a call lies: IR_ARG_IN is the function's own block. */
static bool argument_place(struct emit *e, const struct ptx_var *v, u32 *offset, u32 *aux)
{
    const struct ptx_func *f = e->p->f;
    *aux = IR_ARG_IN;
    for (u32 k = 0; k < f->nparams; k++)
        if (f->params[k] == v) {
            *offset = (u32)v->offset;
            return true;
        }
    u32 rets[64], n = f->nrets < 64 ? f->nrets : 64;
    u64 args = ls_align_up(ir_layout_params(f->params, f->nparams, NULL), 16);
    ir_layout_params(f->rets, n, rets);
    for (u32 k = 0; k < n; k++)
        if (f->rets[k] == v) {
            *offset = (u32)args + rets[k];
            return true;
        }
    *aux = 0;
    *offset = area_offset(e, v);
    return *offset != UINT32_MAX;
}

/* A 128-bit register and its halves. */
static void put_halves(struct emit *e, const char *body, u32 whole, const u32 half[2])
{
    u32 *list = arena_array(e->p->mem, u32, 2);
    list[0] = half[0];
    list[1] = half[1];
    struct ir_inst *r = emit_put(e, body);
    r->d = r->a = whole;
    r->list = list;
}

/* 128 bits of a kernel's parameter block: two constants. */
static void load_wide_param(struct emit *e, const struct ptx_operand *dest, u64 at)
{
    u32 half[2];
    for (u32 k = 0; k < 2; k++)
        half[k] =
            emit_const(e, (struct ir_const){.kind = IR_CONST_PARAM, .bytes = 8, .type = PTX_B64, .value = at + 8 * k});
    put_halves(e, "pack_2x64", emit_write(e, dest, PTX_B128), half);
}

static void move_wide_argument(struct emit *e, const struct ptx_operand *o, bool load, u32 at, u32 aux)
{
    const u32 half[2] = {emit_temp(e, CLASS_64), emit_temp(e, CLASS_64)};
    if (!load)
        put_halves(e, "unpack_2x64", emit_read(e, o, PTX_B128), half);
    for (u32 k = 0; k < 2; k++) {
        struct ir_inst *r = emit_put(e, load ? "ld_arg_b64" : "st_arg_b64");
        r->d = load ? half[k] : 0;
        r->b = load ? 0 : half[k];
        r->imm = at + 8 * k;
        r->aux = aux;
    }
    if (load)
        put_halves(e, "pack_2x64", emit_write(e, o, PTX_B128), half);
}

/* One scalar of a kernel's parameter block, as a constant slot, moved into its register. */
static void load_kernel_param(struct emit *e, const struct ptx_operand *dest, enum ptx_type t, u64 at)
{
    u8 bytes = (u8)(ptx_type_bits(t) / 8);
    bool wide = bytes > 4 || (dest->kind == PTX_REG && ir_class(dest->var->type) == CLASS_64);
    if (bytes > 8) {
        load_wide_param(e, dest, at);
        return;
    }
    struct ir_const c = {.kind = IR_CONST_PARAM, .bytes = wide ? 8 : 4, .type = (u8)t, .value = at};
    u32 from = emit_const(e, c);
    u32 to = emit_write(e, dest, wide ? PTX_B64 : PTX_B32);
    struct ir_inst *r = emit_put(e, wide ? "mov_b64" : "mov_b32");
    r->d = to;
    r->a = from;
}

static void move_argument(struct emit *e, const struct ptx_operand *o, enum ptx_type t, bool load, u32 at, u32 aux)
{
    char name[32];
    enum ptx_type m = memory_type(t, load, false);
    if (ptx_type_bits(t) == 128) {
        move_wide_argument(e, o, load, at, aux);
        return;
    }
    snprintf(name, sizeof name, "%s_arg_%s", load ? "ld" : "st", ptx_type_name(m));
    u32 slot = load ? emit_write(e, o, t) : emit_read(e, o, t);
    struct ir_inst *r = emit_put(e, name);
    r->d = load ? slot : 0;
    r->b = load ? 0 : slot;
    r->imm = at;
    r->aux = aux;
    emit_end_writes(e);
}

/* ld.param / st.param of a variable; false when the address is a register (then it is an ordinary access). */
static bool emit_param(struct emit *e, const struct ptx_operand *data, const struct ptx_operand *addr, bool load)
{
    const struct ptx_operand *base = addr->kind == PTX_ADDR ? &addr->elems[0] : addr;
    if (base->kind != PTX_VAR || base->var->space != SPACE_PARAM)
        return false;
    enum ptx_type t = e->inst->types[0];
    u64 offset = (u64)(base->offset + (addr->kind == PTX_ADDR ? addr->offset : 0));
    unsigned n = data->kind == PTX_VEC ? data->n : 1;
    u32 at = 0, aux = 0;
    if (data->kind == PTX_VEC && ptx_type_bits(t) > 64) {
        ir_poison(e->p, e->site, "there are no vectors of 128-bit elements");
        return true;
    }
    if (!e->p->f->is_entry || area_offset(e, base->var) != UINT32_MAX) {
        if (!argument_place(e, base->var, &at, &aux)) {
            ir_poison(e->p, e->site, "parameter %s belongs to no call", base->var->name);
            return true;
        }
    }
    bool kernel = e->p->f->is_entry && area_offset(e, base->var) == UINT32_MAX;
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_operand *o = data->kind == PTX_VEC ? &data->elems[k] : data;
        u64 here = offset + (u64)k * ptx_type_bits(t) / 8;
        if (kernel)
            load_kernel_param(e, o, t, base->var->offset + here);
        else
            move_argument(e, o, t, load, at + (u32)here, aux);
    }
    return true;
}

/* ---- loads and stores ---- */

static bool is_wide_register(const struct ptx_operand *o)
{
    return o->kind == PTX_REG && ir_class(o->var->type) == CLASS_64;
}

static void emit_vector(struct emit *e, const struct ptx_operand *data, struct place at, bool load)
{
    const struct ptx_inst *i = e->inst;
    u32 *list = arena_array(e->p->mem, u32, data->n + 1);
    enum ptx_type t = i->types[0], m = memory_type(t, load, false);
    char name[64];
    snprintf(name, sizeof name, "%s_%s_v%u_%s", load ? "ld" : "st", space_name(i->space), (unsigned)data->n,
             ptx_type_name(m));
    for (unsigned k = 0; k < data->n; k++)
        list[k] = load ? emit_write(e, &data->elems[k], t) : emit_read(e, &data->elems[k], t);
    struct ir_inst *r = emit_put(e, name);
    r->a = at.slot;
    r->imm = at.imm;
    r->aux = at.aux;
    r->list = list;
    emit_end_writes(e);
}

static void emit_scalar(struct emit *e, const struct ptx_operand *data, struct place at, bool load)
{
    const struct ptx_inst *i = e->inst;
    enum ptx_type t = i->types[0];
    bool wide = is_wide_register(data) && ptx_type_bits(t) <= 32;
    bool sign_in_half = t == PTX_S8 && data->kind == PTX_REG && ptx_type_bits(data->var->type) == 16;
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", load ? "ld" : "st", space_name(i->space),
             ptx_type_name(memory_type(t, load, wide)));
    u32 slot = load ? (wide ? e->p->place[data->var->index] : emit_write(e, data, t)) : emit_read(e, data, t);
    struct ir_inst *r = emit_put(e, name);
    r->d = load ? slot : 0;
    r->b = load ? 0 : slot;
    r->a = at.slot;
    r->imm = at.imm;
    r->aux = at.aux | (load && wide ? IR_REG64 : 0) | (load && sign_in_half ? IR_REG16 : 0);
    emit_end_writes(e);
}

/* A record d = body(a, b); d is new. */
static u32 put_binary(struct emit *e, const char *body, enum slot_class c, u32 a, u32 b)
{
    const u32 d = emit_temp(e, c);
    struct ir_inst *r = emit_put(e, body);
    r->d = d;
    r->a = a;
    r->b = b;
    return d;
}

/* What ld.param finds at a 32-bit register: the offset of a parameter, as var_slot gives it. */
static struct place short_param(struct emit *e, struct place at)
{
    const u32 wide = put_binary(e, "cvt_u64_u32", CLASS_64, at.slot, 0);
    at.slot = put_binary(e, "add_u64", CLASS_64, wide, emit_param_base(e, 0));
    at.aux &= ~(u32)IR_ADDR32;
    return at;
}

static void emit_access(struct emit *e, const struct ptx_operand *data, const struct ptx_operand *addr, bool load)
{
    const struct ptx_inst *i = e->inst;
    if (i->space == SPACE_PARAM && emit_param(e, data, addr, load))
        return;
    if (i->space == SPACE_PARAM && !e->p->f->is_entry)
        ir_poison(e->p, e->site, "parameters of functions cannot be read through a register");
    struct place at = emit_address(e, addr);
    if (i->space == SPACE_PARAM && at.aux & IR_ADDR32)
        at = short_param(e, at);
    at.aux |= is_polling(i) ? IR_VOLATILE : 0;
    if (data->kind == PTX_VEC)
        emit_vector(e, data, at, load);
    else
        emit_scalar(e, data, at, load);
}

static void note_past_l1(struct emit *e) { e->p->out->looks_past_l1 |= e->inst->space != SPACE_SHARED; }

void emit_load(struct emit *e)
{
    if (ir_passes_l1(e->inst))
        note_past_l1(e);
    emit_access(e, &e->inst->operands[0], &e->inst->operands[1], true);
}

void emit_store(struct emit *e)
{
    emit_release(e);
    emit_access(e, &e->inst->operands[1], &e->inst->operands[0], false);
}

/* ---- atomics ---- */

static const char *atomic_operation(const struct ptx_inst *i)
{
    static const u8 ops[] = {MOD_ADD, MOD_MIN, MOD_MAX, MOD_INC, MOD_DEC, MOD_AND, MOD_OR, MOD_XOR, MOD_EXCH, MOD_CAS};
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(ops); k++)
        if (ptx_has(i, ops[k]))
            return names[k];
    return "none";
}

enum { ATOM_UNREAD = 1 << 16 };

static void note_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    bool *read = ctx;
    read[reg->index] |= !is_write;
}

/* Whether some instruction reads the result of an atomic operation. */
static bool is_result_read(struct pass *p, const struct ptx_operand *d)
{
    if (d->kind != PTX_REG)
        return false;
    if (!p->is_read) {
        p->is_read = arena_array(p->mem, bool, p->f->nregs + 1);
        for (u32 s = 0; s < p->f->ninsts; s++)
            ir_each_reg(&p->f->insts[s], note_read, p->is_read);
    }
    return p->is_read[d->var->index];
}

void emit_atomic(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    bool atom = i->op == OP_ATOM;
    unsigned first = atom; /* index of the address operand */
    const struct ptx_operand *data = &i->operands[first + 1];
    enum ptx_type t = i->types[0];
    char name[64];
    note_past_l1(e);
    emit_release(e);
    struct place at = emit_address(e, &i->operands[first]);
    bool vector = data->kind == PTX_VEC;
    char width[8] = "";
    if (vector)
        snprintf(width, sizeof width, "_v%u", (unsigned)data->n);
    snprintf(name, sizeof name, "%s_%s%s_%s_%s", atom ? "atom" : "red", space_name(i->space), width,
             atomic_operation(i), ptx_type_name(t));
    if (vector) { /* list: the n addends, then the n results of atom */
        u32 *list = arena_array(e->p->mem, u32, 2 * data->n + 1);
        for (unsigned k = 0; k < data->n; k++) {
            list[k] = emit_read(e, &data->elems[k], t);
            list[data->n + k] = atom ? emit_write(e, &i->operands[0].elems[k], t) : 0;
        }
        struct ir_inst *r = emit_put(e, name);
        r->a = at.slot;
        r->imm = at.imm;
        r->aux = at.aux;
        r->list = list;
    } else {
        u32 b = emit_read(e, data, t), c = ptx_has(i, MOD_CAS) ? emit_read(e, &i->operands[first + 2], t) : 0;
        u32 d = atom ? emit_write(e, &i->operands[0], t) : 0;
        struct ir_inst *r = emit_put(e, name);
        r->d = d;
        r->a = at.slot;
        r->b = b;
        r->c = c;
        r->imm = at.imm;
        r->aux = at.aux | (atom && !is_result_read(e->p, &i->operands[0]) ? ATOM_UNREAD : 0);
    }
    emit_end_writes(e);
}

/* ---- cp.async, cvta, isspacep ---- */

enum { CP_HAS_SOURCE_SIZE = 1 << 16 };

void emit_cp_async(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    if (i->noperands < 3 || i->operands[2].kind != PTX_IMM) {
        ir_poison(e->p, e->site, "cp.async needs a constant size");
        return;
    }
    struct place dst = emit_address(e, &i->operands[0]), src = emit_address(e, &i->operands[1]);
    char name[48];
    snprintf(name, sizeof name, "cp_async_shared_global_%u", (unsigned)i->operands[2].bits);
    u32 size = 0, has_size = 0;
    if (i->noperands > 3 && (i->operands[3].kind == PTX_IMM || ir_class(i->operands[3].var->type) == CLASS_32)) {
        size = emit_read(e, &i->operands[3], PTX_U32);
        has_size = CP_HAS_SOURCE_SIZE;
    }
    if (dst.aux & IR_ADDR_CONST) { /* the record has one address offset: give the destination a slot */
        dst.slot = emit_const(e, (struct ir_const){.kind = IR_CONST_SHARED, .bytes = 8, .value = (u64)dst.imm});
        dst.aux = 0;
        dst.imm = 0;
    }
    if (src.aux & IR_ADDR_CONST) {
        src.slot = emit_const64(e, (u64)src.imm);
        src.imm = 0;
    }
    struct ir_inst *r = emit_put(e, name);
    r->d = dst.slot;
    r->c = (u32)dst.imm; /* offset of the shared address */
    r->a = src.slot;
    r->imm = src.imm;
    r->b = size;
    r->aux = (dst.aux & IR_ADDR32) | has_size;
}

/* The generic address of a parameter. A 64-bit mov gives the address of a parameter's copy in memory; a 32-bit one gives its
 * offset, and compilers with short pointers widen that. No memory of the device is in the first 4 GiB. */
static void cvta_param(struct emit *e)
{
    const u32 a = emit_read(e, &e->inst->operands[1], PTX_U64), d = emit_write(e, &e->inst->operands[0], PTX_U64);
    const u32 whole = put_binary(e, "add_u64", CLASS_64, a, emit_param_base(e, 0));
    const u32 is_short = put_binary(e, "setp_lt_u64", CLASS_PRED, a, emit_const64(e, 1ull << 32));
    struct ir_inst *r = emit_put(e, "selp_b64");
    r->d = d;
    r->a = whole;
    r->b = a;
    r->c = is_short;
    emit_end_writes(e);
}

void emit_cvta(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    enum ptx_type t = i->types[0];
    if (i->space == SPACE_PARAM && e->p->f->is_entry && !ptx_has(i, MOD_TO) && ptx_type_bits(t) == 64) {
        cvta_param(e);
        return;
    }
    bool to = ptx_has(i, MOD_TO), windowed = i->space == SPACE_SHARED || i->space == SPACE_LOCAL;
    char name[48] = "mov_b64";
    if (windowed)
        snprintf(name, sizeof name, "cvta%s_%s_%s", to ? "_to" : "", space_name(i->space), ptx_type_name(t));
    else if (ptx_type_bits(t) == 32)
        snprintf(name, sizeof name, "mov_b32");
    u32 a = emit_read(e, &i->operands[1], t), d = emit_write(e, &i->operands[0], t);
    struct ir_inst *r = emit_put(e, name);
    r->d = d;
    r->a = a;
    emit_end_writes(e);
}

void emit_isspacep(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    char name[48];
    snprintf(name, sizeof name, "isspacep_%s",
             ptx_has(i, MOD_SHARED_CLUSTER) ? "cluster"
             : i->space == SPACE_PARAM      ? "param"
                                            : space_name(i->space));
    u32 a = emit_read(e, &i->operands[1], PTX_U64), d = emit_write(e, &i->operands[0], PTX_PRED);
    struct ir_inst *r = emit_put(e, name);
    r->d = d;
    r->a = a;
}

/* Of an address in shared memory's window, or of a generic one. */
void emit_mapa(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const bool rank = i->op == OP_GETCTARANK;
    const enum ptx_type t = i->types[0];
    char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", rank ? "getctarank" : "mapa",
             i->space == SPACE_SHARED ? "shared" : "generic", ptx_type_name(t));
    const u32 a = emit_read(e, &i->operands[1], t), b = rank ? 0 : emit_read(e, &i->operands[2], PTX_U32);
    const u32 d = emit_write(e, &i->operands[0], rank ? PTX_U32 : t);
    struct ir_inst *r = emit_put(e, name);
    r->d = d;
    r->a = a;
    r->b = b;
    emit_end_writes(e);
}
