/* emit_async.c - mbarriers (PTX ISA 9.7.13.15), bulk copies (9.7.9.25.4) and st.bulk: modifiers and operands become the
 * structs of async.h; tensor maps (9.7.9.26). */
#include "ir/emit.h"

#include "ir/async.h"

static struct ir_address address(struct emit *e, const struct ptx_operand *o, bool generic)
{
    const struct place at = emit_address(e, o);
    return (struct ir_address){.slot = at.slot, .flags = at.aux, .offset = at.imm, .generic = generic};
}

/* The operand behind the address: a count (1 when it is left out), bytes, a state or a parity. A hint of how long to
 * wait, which may follow, has no effect. */
static u32 value_of(struct emit *e, const struct ir_mbarrier *m, unsigned at)
{
    const struct ptx_inst *i = e->inst;
    const bool state = m->op == MBARRIER_WAIT && !m->parity;
    return at < i->noperands ? emit_read(e, &i->operands[at], state ? PTX_B64 : PTX_U32) : emit_const32(e, 1);
}

static void emit_mbarrier(struct emit *e, enum ir_mbarrier_op op)
{
    const struct ptx_inst *i = e->inst;
    struct ir_mbarrier *m = arena_new(e->p->mem, struct ir_mbarrier);
    const unsigned first = ptx_dest_count(i); /* index of the address */
    m->op = op;
    m->parity = ptx_has(i, MOD_PARITY);
    m->no_complete = ptx_has(i, MOD_NOCOMPLETE);
    m->transaction = ptx_has(i, MOD_EXPECT_TX);
    m->noinc = ptx_has(i, MOD_NOINC);
    m->relaxed = ptx_has(i, MOD_RELAXED);
    m->at = address(e, &i->operands[first], i->space == SPACE_NONE);
    m->value = value_of(e, m, first + 1);
    if (m->op == MBARRIER_WAIT)
        m->result = emit_write(e, &i->operands[0], PTX_PRED);
    else
        m->result = first ? emit_write(e, &i->operands[0], PTX_B64) : emit_temp(e, CLASS_64);
    emit_put(e, "mbarrier")->ptr = m;
    emit_end_writes(e);
}

void emit_mbarrier_init(struct emit *e) { emit_mbarrier(e, MBARRIER_INIT); }
void emit_mbarrier_inval(struct emit *e) { emit_mbarrier(e, MBARRIER_INVAL); }
void emit_mbarrier_expect(struct emit *e) { emit_mbarrier(e, MBARRIER_EXPECT); }
void emit_mbarrier_complete(struct emit *e) { emit_mbarrier(e, MBARRIER_COMPLETE); }
void emit_mbarrier_arrive(struct emit *e) { emit_mbarrier(e, MBARRIER_ARRIVE); }
void emit_mbarrier_drop(struct emit *e) { emit_mbarrier(e, MBARRIER_DROP); }
void emit_mbarrier_wait(struct emit *e) { emit_mbarrier(e, MBARRIER_WAIT); }
void emit_mbarrier_copies(struct emit *e) { emit_mbarrier(e, MBARRIER_COPIES); }

/* ---- bulk copies ---- */

/* The last operand of a copy to global memory with .cp_mask; a cache policy stands before it. */
static u32 byte_mask(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    return emit_read(e, &i->operands[i->noperands - 1], PTX_B16);
}

static bool is_reduction(enum ptx_mod m) { return m >= MOD_AND && m <= MOD_DEC; }

static void set_operation(const struct ptx_inst *i, struct ir_bulk *b)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (is_reduction((enum ptx_mod)i->mods[k]))
            b->op = i->mods[k];
    b->type = i->ntypes ? i->types[0] : PTX_NONE;
}

/* Operand `at`, the mask of blocks of a multicast, which others follow. False poisons. */
static bool set_ranks(struct emit *e, struct ir_bulk *b, unsigned at, unsigned others)
{
    const struct ptx_inst *i = e->inst;
    b->multicast = ptx_has(i, MOD_MULTICAST_CLUSTER);
    if (b->multicast && i->noperands < at + 1 + others) {
        ir_poison(e->p, e->site, ".multicast::cluster needs a mask of blocks");
        return false;
    }
    b->ranks = b->multicast ? emit_read(e, &i->operands[at], PTX_B16) : 0;
    return true;
}

/* [to], [from], bytes, and [mbarrier] of those that end in shared memory */
void emit_bulk(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    const unsigned policy = ptx_has(i, MOD_L2_CACHE_HINT);
    if (ptx_has(i, MOD_IGNORE_OOB)) {
        ir_poison(e->p, e->site, "copies that leave bytes out (.ignore_oob) are not simulated yet");
        return;
    }
    const bool in = ptx_has(i, MOD_GLOBAL) && !ptx_has(i, MOD_BULK_GROUP);
    b->kind = ptx_has(i, MOD_BULK_GROUP) ? BULK_OUT : in ? BULK_IN : BULK_OWN;
    set_operation(i, b);
    b->to = address(e, &i->operands[0], false);
    b->from = address(e, &i->operands[1], false);
    b->bytes = emit_read(e, &i->operands[2], PTX_U32);
    if (b->kind == BULK_OUT)
        b->is_masked = ptx_has(i, MOD_CP_MASK);
    else
        b->barrier = address(e, &i->operands[3], false);
    if (b->is_masked && i->noperands < 4 + policy) {
        ir_poison(e->p, e->site, ".cp_mask needs a mask");
        return;
    }
    b->mask = b->is_masked ? byte_mask(e) : 0;
    if (set_ranks(e, b, 4, policy))
        emit_put(e, "bulk")->ptr = b;
}

/* [from], bytes */
void emit_bulk_ahead(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    b->kind = BULK_AHEAD;
    b->from = address(e, &i->operands[0], false);
    b->bytes = emit_read(e, &i->operands[1], PTX_U32);
    emit_put(e, "bulk")->ptr = b;
}

/* The values of a vector, as many as there must be; false poisons. */
static bool set_list(struct emit *e, const struct ptx_operand *o, unsigned n, enum ptx_type type, u32 *slots)
{
    if (o->kind != PTX_VEC || o->n != n) {
        ir_poison(e->p, e->site, "a vector has not as many elements as the tensor's dimensions need");
        return false;
    }
    for (unsigned k = 0; k < n; k++)
        slots[k] = emit_read(e, &o->elems[k], type);
    return true;
}

static unsigned rank_of(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_1D) ? 1 : ptx_has(i, MOD_2D) ? 2 : ptx_has(i, MOD_3D) ? 3 : ptx_has(i, MOD_4D) ? 4 : 5;
}

/* What of the rows no form of sm_90 has, or NULL. */
static const char *only_later(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_TILE_GATHER4) || ptx_has(i, MOD_TILE_SCATTER4)
               ? "rows of a tensor at four places are of sm_100"
           : ptx_has(i, MOD_IM2COL_W) || ptx_has(i, MOD_IM2COL_W_128)   ? "im2col along W alone is of sm_100"
           : ptx_has(i, MOD_CTA_GROUP_1) || ptx_has(i, MOD_CTA_GROUP_2) ? "groups of two blocks are of sm_100"
                                                                        : NULL;
}

/* The map's address and the coordinates: [map, {c0, c1, ..}]. */
static bool set_place(struct emit *e, const struct ptx_operand *o, struct ir_bulk *b)
{
    if (o->kind != PTX_LIST || o->n != 2) {
        ir_poison(e->p, e->site, "a tensor's place is [map, {coordinates}]");
        return false;
    }
    *(b->kind == BULK_OUT ? &b->to : &b->from) = address(e, &o->elems[0], false);
    return set_list(e, &o->elems[1], b->rank, PTX_S32, b->at);
}

/* [to], [map, {..}], [mbarrier], and of im2col {offsets}; or [map, {..}], [from]; or [map, {..}] and of im2col {offsets} */
void emit_bulk_tensor(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    const bool ahead = i->op == OP_CP_ASYNC_BULK_PREFETCH_TENSOR;
    const char *later = only_later(i);
    if (later) {
        if (!ahead) /* of a prefetch nobody misses anything */
            ir_poison(e->p, e->site, "%s", later);
        return;
    }
    b->kind = ahead ? BULK_AHEAD : ptx_has(i, MOD_BULK_GROUP) ? BULK_OUT : BULK_IN;
    b->is_tensor = true;
    b->is_im2col = ptx_has(i, MOD_IM2COL) || ptx_has(i, MOD_IM2COL_NO_OFFS);
    b->rank = (u8)rank_of(i);
    set_operation(i, b);
    const bool offsets = b->is_im2col && b->kind != BULK_OUT;
    const unsigned behind = b->kind == BULK_AHEAD ? 1 : 3; /* the offsets */
    if (!set_place(e, &i->operands[b->kind == BULK_IN], b) ||
        (offsets && !set_list(e, &i->operands[behind], b->rank - 2u, PTX_U16, b->offsets)))
        return;
    if (b->kind == BULK_OUT)
        b->from = address(e, &i->operands[1], false);
    if (b->kind == BULK_IN) {
        b->to = address(e, &i->operands[0], false);
        b->barrier = address(e, &i->operands[2], false);
        if (!set_ranks(e, b, 3 + offsets, 0))
            return;
    }
    emit_put(e, "bulk")->ptr = b;
}

/* st.async [to], value or vector, [mbarrier]; red.async */
void emit_bulk_value(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    const struct ptx_operand *value = &i->operands[1];
    if (i->noperands < 3) {
        ir_poison(e->p, e->site, "asynchronous accesses of global memory are of sm_100");
        return;
    }
    b->kind = BULK_VALUE;
    set_operation(i, b);
    b->to = address(e, &i->operands[0], false);
    b->barrier = address(e, &i->operands[2], false);
    b->nvalues = value->kind == PTX_VEC ? (u8)value->n : 1;
    b->value_bytes = (u8)(ptx_type_bits((enum ptx_type)b->type) / 8);
    for (unsigned k = 0; k < b->nvalues; k++)
        b->values[k] = emit_read(e, value->kind == PTX_VEC ? &value->elems[k] : value, (enum ptx_type)b->type);
    emit_put(e, "bulk")->ptr = b;
}

/* The groups of bulk copies are a thread's: which of them a wait leaves is in imm. */
void emit_bulk_order(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_inst *r = emit_put(e, i->noperands ? "bulk_wait" : "bulk_commit");
    r->imm = i->noperands ? (i64)i->operands[0].bits : 0;
}

/* [map], value; or [map], number, value */
void emit_tensor_replace(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_tensor_map *t = arena_new(e->p->mem, struct ir_tensor_map);
    const struct ptx_operand *value = &i->operands[i->noperands - 1];
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] >= MOD_GLOBAL_ADDRESS && i->mods[k] <= MOD_SWIZZLE_ATOMICITY)
            t->field = i->mods[k];
    if (t->field == MOD_SWIZZLE_ATOMICITY) {
        ir_poison(e->p, e->site, "the atomicity of swizzles is of sm_100");
        return;
    }
    t->number = i->noperands > 2 ? (u8)i->operands[1].bits : 0;
    t->is_shared = i->space == SPACE_SHARED;
    t->is_wide = i->types[i->ntypes - 1] == PTX_B64;
    t->at = address(e, &i->operands[0], i->space == SPACE_NONE);
    t->value = emit_read(e, value, t->is_wide ? PTX_B64 : PTX_B32);
    emit_put(e, "tensor_map")->ptr = t;
}

/* [to] in global memory, [from] in shared memory, 128 */
void emit_tensor_copy(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_tensor_map *t = arena_new(e->p->mem, struct ir_tensor_map);
    t->at = address(e, &i->operands[0], false);
    t->from = address(e, &i->operands[1], false);
    emit_put(e, "tensor_map")->ptr = t;
}

/* st.bulk [to], bytes, 0 */
void emit_bulk_fill(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    struct ir_bulk *b = arena_new(e->p->mem, struct ir_bulk);
    b->kind = BULK_FILL;
    b->to = address(e, &i->operands[0], i->space == SPACE_NONE);
    b->bytes = emit_read(e, &i->operands[1], PTX_U64);
    emit_put(e, "bulk")->ptr = b;
}
