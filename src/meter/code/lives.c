/* lives.c - what ptxas keeps in a lane's registers (lives.h).
 *
 * A value is the same in all lanes if it is made of such values only: of parameters, constants and numbers of the block. A register that
 * several instructions write, as a loop's counter, ptxas mostly keeps in each lane whatever they are. */
#include "meter/code/lives.h"

#include "ir/pass.h"

struct varying {
    const struct ir_func *f;
    bool *varies; /* by register */
    u32 *writes;  /* by register */
    bool now;     /* the result of the instruction that is looked at does */
    bool changed;
};

static void count_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->writes[reg->index] += is_write;
    v->varies[reg->index] |= v->writes[reg->index] > 1;
}

static void look_at_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->now |= !is_write && v->varies[reg->index];
}

static void mark_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    if (is_write && v->now && !v->varies[reg->index])
        v->varies[reg->index] = v->changed = true;
}

bool lives_is_of_lane(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_rows[i->op].memory, class = ptx_op_rows[i->op].class;
    const struct ptx_operand *o = i->op == OP_MOV && i->noperands == 2 ? &i->operands[1] : NULL;
    const bool constant = i->op == OP_LD && (i->space == SPACE_PARAM || i->space == SPACE_CONST);
    if (o && o->kind == PTX_SREG)
        return ptx_sreg_rows[o->sreg].scope != SREG_SCOPE_BLOCK && ptx_sreg_rows[o->sreg].scope != SREG_SCOPE_GRID;
    return (memory != PTX_MEM_NONE && !constant) || class == PTX_CLASS_TEXTURE || class == PTX_CLASS_TENSOR ||
           class == PTX_CLASS_INTER_THREAD;
}

static bool *find_varying(struct arena *mem, const struct ir_func *f)
{
    struct varying v = {f, arena_array(mem, bool, f->src->nregs + 1), arena_array(mem, u32, f->src->nregs + 1), false,
                        true};
    for (u32 s = 0; s < f->src->ninsts; s++)
        ir_each_reg(&f->src->insts[s], count_write, &v);
    while (v.changed) {
        v.changed = false;
        for (u32 s = 0; s < f->src->ninsts; s++) {
            const struct ptx_inst *i = &f->src->insts[s];
            v.now = lives_is_of_lane(i) || (!f->src->is_entry && i->op == OP_LD && i->space == SPACE_PARAM);
            ir_each_reg(i, look_at_read, &v);
            ir_each_reg(i, mark_write, &v);
        }
    }
    return v.varies;
}

/* ---- widths ---- */

/* The upper half of what is made 64 bits long is made again where it is needed. */
static bool is_lengthened(const struct ptx_inst *i)
{
    return i->op == OP_CVT && i->ntypes == 2 && ptx_type_bits((enum ptx_type)i->types[0]) == 64 &&
           ptx_type_bits((enum ptx_type)i->types[1]) <= 32 && !ptx_type_float((enum ptx_type)i->types[0]) &&
           !ptx_type_float((enum ptx_type)i->types[1]);
}

static u8 *find_widths(struct arena *mem, const struct ir_func *f, const bool *varying)
{
    u8 *width = arena_array(mem, u8, f->src->nregs + 1);
    for (u32 r = 0; r < f->src->nregs; r++) {
        const enum ptx_type t = f->src->regs[r]->type;
        const u32 bits = ptx_type_bits(t);
        width[r] = t == PTX_PRED || !varying[r] ? 0 : bits <= 32 ? 1 : (u8)(bits / 32);
    }
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (is_lengthened(i) && i->operands[0].kind == PTX_REG && width[i->operands[0].var->index])
            width[i->operands[0].var->index] = 1;
    }
    return width;
}

/* ---- parts of addresses ---- */

/* A sum with a constant that has become a part of accesses (fuse.c) has no register: what it is made of is kept instead. */
static bool is_place(const struct ptx_inst *i, const struct site_estimate *e)
{
    return (i->op == OP_ADD || i->op == OP_SUB) && !e->weight && i->noperands == 3 && i->operands[0].kind == PTX_REG &&
           i->operands[1].kind == PTX_REG && i->operands[2].kind == PTX_IMM;
}

static void keep_bases(struct lives *l, const struct ir_func *f, const struct estimate *e)
{
    for (u32 s = f->src->ninsts; s-- > 0;) { /* of a sum's sum the last one first */
        const struct ptx_inst *i = &f->src->insts[s];
        if (!is_place(i, &e->sites[s]))
            continue;
        const u32 to = i->operands[0].var->index, from = i->operands[1].var->index;
        l->width[to] = 0;
        for (u32 b = 0; b < f->nblocks; b++) {
            u64 *in = l->in + (size_t)b * l->words;
            if (lives_has(in, to))
                in[from / 64] |= (u64)1 << from % 64;
        }
    }
}

struct lives *lives_make(struct arena *mem, const struct ir_func *f, const struct estimate *e)
{
    struct lives *l = arena_new(mem, struct lives);
    const struct ir_liveness sets = ir_find_liveness(mem, f->src, f->blocks, f->nblocks);
    l->words = sets.words;
    l->in = sets.in;
    l->varying = find_varying(mem, f);
    l->width = find_widths(mem, f, l->varying);
    l->place = arena_array(mem, u32, f->src->nregs + 1);
    keep_bases(l, f, e);
    return l;
}
