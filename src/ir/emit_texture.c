/* emit_texture.c - texture and surface instructions (PTX ISA 9.7.10, 9.7.11): modifiers and operands become a struct
 * ir_texture, and one body runs all of them.
 *
 *     tex     d{|p}, [handle, {coordinates}]{, lod | dPdx, dPdy}{, offsets}
 *
 * Only the unified mode with a 64-bit handle (texture and surface objects) is provided: the
 * .texref variables of old are not, and nvcc has not made them since CUDA 12. */
#include "ir/emit.h"

#include "ir/texture.h"

static bool set_geometry(const struct ptx_inst *i, struct ir_texture *t)
{
    t->cube = ptx_has(i, MOD_CUBE) || ptx_has(i, MOD_ACUBE);
    t->layered = ptx_has(i, MOD_A1D) || ptx_has(i, MOD_A2D) || ptx_has(i, MOD_ACUBE);
    t->dims = ptx_has(i, MOD_1D) || ptx_has(i, MOD_A1D)   ? 1
              : ptx_has(i, MOD_2D) || ptx_has(i, MOD_A2D) ? 2
              : ptx_has(i, MOD_3D) || t->cube             ? 3
                                                          : 0;
    return t->dims != 0;
}

/* The slot of the handle; false poisons. */
static bool set_handle(struct emit *e, const struct ptx_operand *base, struct ir_texture *t)
{
    if (base->kind != PTX_REG || ir_class(base->var->type) != CLASS_64) {
        ir_poison(e->p, e->site, "only texture and surface objects are provided: a 64-bit handle in a register");
        return false;
    }
    t->handle = emit_read(e, base, PTX_B64);
    return true;
}

/* [handle, {coordinates}], the layer first. Vectors have 1, 2 or 4 elements, so the last may be without meaning. */
static bool set_place(struct emit *e, const struct ptx_operand *o, struct ir_texture *t)
{
    const enum ptx_type type = t->is_float ? PTX_F32 : PTX_B32;
    if (o->kind != PTX_LIST || o->n != 2) {
        ir_poison(e->p, e->site,
                  o->kind == PTX_LIST && o->n > 2 ? "a separate sampler is not provided"
                                                  : "it needs a handle and coordinates");
        return false;
    }
    const struct ptx_operand *c = &o->elems[1];
    const unsigned n = c->kind == PTX_VEC ? c->n : 1, need = t->dims + (unsigned)t->layered;
    if (n != (need == 3 ? 4 : need)) {
        ir_poison(e->p, e->site, "it has %u coordinates and needs %u", n, need == 3 ? 4 : need);
        return false;
    }
    const struct ptx_operand *at = c->kind == PTX_VEC ? c->elems : c;
    if (t->layered)
        t->layer = emit_read(e, at++, PTX_U32);
    for (unsigned k = 0; k < t->dims; k++)
        t->coord[k] = emit_read(e, at++, type);
    return set_handle(e, &o->elems[0], t);
}

/* What follows the coordinates: a vector displaces, a value is compared with a depth. */
static bool set_extras(struct emit *e, unsigned first, struct ir_texture *t)
{
    const struct ptx_inst *i = e->inst;
    for (unsigned k = first; k < i->noperands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_VEC || t->has_offset) {
            ir_poison(e->p, e->site, "depth textures are not provided");
            return false;
        }
        if (o->n < t->dims) {
            ir_poison(e->p, e->site, "it has too few offsets");
            return false;
        }
        for (unsigned c = 0; c < t->dims; c++)
            t->offset[c] = emit_read(e, &o->elems[c], PTX_S32);
        t->has_offset = true;
    }
    return true;
}

/* The destination {d0, ..} or {d0, ..}|p. */
static bool set_result(struct emit *e, const struct ptx_operand *d, enum ptx_type type, struct ir_texture *t)
{
    if (d->kind == PTX_PAIR) {
        t->has_resident = true;
        t->resident = emit_write(e, &d->elems[1], PTX_PRED);
        d = &d->elems[0];
    }
    if (d->kind != PTX_VEC || d->n != t->count) {
        ir_poison(e->p, e->site, "its destination must be a vector of %u registers", t->count);
        return false;
    }
    for (unsigned k = 0; k < t->count; k++)
        t->value[k] = emit_write(e, &d->elems[k], type);
    return true;
}

static void emit_record(struct emit *e, struct ir_texture *t)
{
    emit_put(e, "texture")->ptr = t;
    emit_end_writes(e);
}

/* The level of detail behind the coordinates, or two gradients: a vector each, or a value of one dimension. */
static bool set_detail(struct emit *e, struct ir_texture *t)
{
    const struct ptx_inst *i = e->inst;
    t->detail = ptx_has(i, MOD_LEVEL) ? TEXTURE_LEVEL : ptx_has(i, MOD_GRAD) ? TEXTURE_GRADIENTS : TEXTURE_BASE;
    if (t->detail == TEXTURE_LEVEL)
        t->level = emit_read(e, &i->operands[2], t->is_float ? PTX_F32 : PTX_S32);
    for (unsigned g = 0; g < 2 && t->detail == TEXTURE_GRADIENTS; g++) {
        const struct ptx_operand *o = &i->operands[2 + g];
        if ((o->kind == PTX_VEC ? o->n : 1u) < t->dims) {
            ir_poison(e->p, e->site, "a gradient has too few elements");
            return false;
        }
        for (unsigned k = 0; k < t->dims; k++)
            (g ? t->dy : t->dx)[k] = emit_read(e, o->kind == PTX_VEC ? &o->elems[k] : o, PTX_F32);
    }
    return true;
}

static unsigned gathered(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_G) ? 1 : ptx_has(i, MOD_B) ? 2 : ptx_has(i, MOD_A) ? 3 : 0;
}

/* tex and tld4 */
void emit_texture(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const enum ptx_type type = (enum ptx_type)i->types[0];
    struct ir_texture *t = arena_new(e->p->mem, struct ir_texture);
    t->op = i->op == OP_TLD4 ? TEXTURE_GATHER : TEXTURE_FETCH;
    t->is_float = i->types[1] == PTX_F32;
    t->data = type == PTX_F16 ? TEXTURE_F16 : type == PTX_F16X2 ? TEXTURE_F16X2 : TEXTURE_32;
    t->count = type == PTX_F16X2 ? 2 : 4;
    t->component = (u8)gathered(i);
    const unsigned extras = ptx_has(i, MOD_LEVEL) ? 3 : ptx_has(i, MOD_GRAD) ? 4 : 2;
    if (!set_geometry(i, t)) {
        ir_poison(e->p, e->site, "multi-sample textures are not provided");
        return;
    }
    if (t->cube && (t->op == TEXTURE_GATHER || !t->is_float || i->noperands > extras)) {
        ir_poison(e->p, e->site,
                  t->op == TEXTURE_GATHER ? "gathers from cube maps are not provided"
                  : !t->is_float          ? "a cube map's coordinates are .f32"
                                          : "a cube map's coordinates take no offset");
        return;
    }
    if (set_place(e, &i->operands[1], t) && set_detail(e, t) && set_extras(e, extras, t) &&
        set_result(e, &i->operands[0], type == PTX_F16 ? PTX_B16 : PTX_B32, t))
        emit_record(e, t);
}

/* ---- surfaces ---- */

/* A register or a vector of them, as .v2 and .v4 say. */
static bool set_data(struct emit *e, const struct ptx_operand *o, struct ir_texture *t, bool load)
{
    const enum ptx_type type = (enum ptx_type)e->inst->types[0];
    const unsigned n = o->kind == PTX_VEC ? o->n : 1;
    if (n != t->count) {
        ir_poison(e->p, e->site, "it moves %u registers and names %u", t->count, n);
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_operand *r = o->kind == PTX_VEC ? &o->elems[k] : o;
        t->value[k] = load ? emit_write(e, r, type) : emit_read(e, r, type);
    }
    return true;
}

static enum ir_surface_sum sum_of(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_ADD)   ? SUM_ADD
           : ptx_has(i, MOD_MIN) ? SUM_MIN
           : ptx_has(i, MOD_MAX) ? SUM_MAX
           : ptx_has(i, MOD_AND) ? SUM_AND
                                 : SUM_OR;
}

/* Sums of signed 64 bits are those of unsigned ones, and have no name of their own; logic is of bits. */
static bool sum_has_type(const struct ptx_inst *i, enum ir_surface_sum sum)
{
    const u16 t = i->types[0];
    const bool logic = sum == SUM_AND || sum == SUM_OR;
    if (ptx_has(i, MOD_P))
        return t == PTX_B32 || sum == SUM_MIN || sum == SUM_MAX;
    return logic ? t == PTX_B32 : t != PTX_B32 && (sum != SUM_ADD || t != PTX_S64);
}

/* suld.b, sust and sured */
void emit_surface(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const bool load = i->op == OP_SULD;
    struct ir_texture *t = arena_new(e->p->mem, struct ir_texture);
    t->op = load ? SURFACE_LOAD : i->op == OP_SURED ? SURFACE_REDUCE : SURFACE_STORE;
    t->formatted = ptx_has(i, MOD_P);
    t->sum = sum_of(i);
    t->is_signed = i->types[0] == PTX_S32 || i->types[0] == PTX_S64;
    t->bounds = ptx_has(i, MOD_CLAMP) ? BOUNDS_CLAMP : ptx_has(i, MOD_ZERO) ? BOUNDS_ZERO : BOUNDS_TRAP;
    t->count = (u8)ptx_vec_count(i);
    t->bytes = (u8)(ptx_type_bits((enum ptx_type)i->types[0]) / 8);
    if (i->op == OP_SURED && !sum_has_type(i, (enum ir_surface_sum)t->sum)) {
        ir_poison(e->p, e->site, "there is no such reduction of this type");
        return;
    }
    if (!set_geometry(i, t)) {
        ir_poison(e->p, e->site, "surfaces of this shape are not provided");
        return;
    }
    if (t->count * t->bytes > 16) {
        ir_poison(e->p, e->site, "a surface access has at most 16 bytes");
        return;
    }
    if (set_place(e, &i->operands[load ? 1 : 0], t) && set_data(e, &i->operands[load ? 0 : 1], t, load))
        emit_record(e, t);
}

/* ---- queries ---- */

static const struct {
    u16 mod;
    u8 what;
} queries[] = {
    {MOD_WIDTH, QUERY_WIDTH},
    {MOD_HEIGHT, QUERY_HEIGHT},
    {MOD_DEPTH, QUERY_DEPTH},
    {MOD_ARRAY_SIZE, QUERY_LAYERS},
    {MOD_CHANNEL_DATA_TYPE, QUERY_DATA_TYPE},
    {MOD_CHANNEL_ORDER, QUERY_ORDER},
    {MOD_NORMALIZED_COORDS, QUERY_NORMALIZED},
    {MOD_NUM_MIPMAP_LEVELS, QUERY_LEVELS},
    {MOD_NUM_SAMPLES, QUERY_SAMPLES},
};

/* txq and suq */
void emit_texture_query(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const struct ptx_operand *o = &i->operands[1];
    struct ir_texture *t = arena_new(e->p->mem, struct ir_texture);
    t->op = i->op == OP_TXQ ? TEXTURE_QUERY : SURFACE_QUERY;
    t->count = 1;
    size_t k = 0;
    while (k < LS_ARRAY_LEN(queries) && !ptx_has(i, (enum ptx_mod)queries[k].mod))
        k++;
    if (k == LS_ARRAY_LEN(queries)) {
        ir_poison(e->p, e->site, "the manual does not say what its values are");
        return;
    }
    t->what = queries[k].what;
    if (o->kind != PTX_ADDR || !set_handle(e, &o->elems[0], t)) {
        ir_poison(e->p, e->site, "it needs a handle");
        return;
    }
    t->detail = ptx_has(i, MOD_LEVEL) ? TEXTURE_LEVEL : TEXTURE_BASE;
    if (t->detail == TEXTURE_LEVEL)
        t->level = emit_read(e, &i->operands[2], PTX_U32);
    t->value[0] = emit_write(e, &i->operands[0], PTX_B32);
    emit_record(e, t);
}
